"""What a solver hands back: a value, a status that is also advice, and numbers anyone can recompute."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Status(Enum):
    """How a fit ended. The value of each member says what it means and what to try."""

    CONVERGED = "the solution was reached"
    RANK_DEFICIENT = (
        "columns depend on each other, so many solutions fit alike; the shortest one was taken. "
        "Shrinkage (or alpha > 0) makes the solution unique"
    )
    MAX_ITERATIONS = (
        "the limit on iterations came first, so this is not the solution; raise the limit where there is one, "
        "regularise more (shrinkage, alpha), or for a perceptron keep the average"
    )
    SEPARABLE = "a hyperplane separates the classes without a mistake"
    INSEPARABLE = "no hyperplane separates the classes"
    CYCLING = (
        "the same weights came back after an epoch, so the run would repeat for ever. Where all sums are exact (see "
        "stats), this proves that no hyperplane separates the classes strictly"
    )
    TOLERANCE = "the criterion fell to the tolerance while some rows are still wrong"

    @property
    def advice(self) -> str:
        return self.value


@dataclass(frozen=True)
class Result:
    """The outcome of a fit.

    `stats` holds what the solver did (route, rank, condition, passes over the data, seconds) and, where the solution is
    iterative, a gap that can be recomputed from X, y and the coefficients.
    """

    value: Any
    status: Status
    stats: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={number}" for name, number in self.stats.items())
        return f"{self.status.name}: {self.status.advice}" + (f" ({facts})" if facts else "")
