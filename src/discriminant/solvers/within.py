"""The covariance within classes, shrunk as the user asked, and factored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import ParameterError
from discriminant.passes.moments import Spread
from discriminant.places.place import Place
from discriminant.result import Status
from discriminant.solvers.coordinates import Coordinates, InUnits
from discriminant.solvers.factor import Factor, factor
from discriminant.solvers.measure import measure
from discriminant.solvers.shrinkage import intensity, shrunk, standardised
from discriminant.solvers.shrinkage_path import best_of, leave_one_out

Floats = NDArray[np.float64]

# What "loo" tries: none, and from almost none to almost all.
LOO_SHRINKAGES = (0.0, *np.logspace(-4, -1, 10).tolist(), *np.linspace(0.15, 0.95, 9).tolist())


@dataclass(frozen=True)
class Within:
    """`factor` is of the shrunk covariance in `coordinates`; `gamma` is None where nothing was shrunk."""

    coordinates: Coordinates
    factor: Factor
    gamma: float | None
    path: dict[str, Any] | None

    @property
    def status(self) -> Status:
        full = self.factor.rank == self.coordinates.moments.pooled.shape[0] and self.coordinates.keeps_columns
        return Status.CONVERGED if full or self.gamma else Status.RANK_DEFICIENT

    @property
    def stats(self) -> dict[str, Any]:
        return {"route": self.factor.route, "rank": self.factor.rank, "condition": self.factor.condition}


def takes_one_unit(rule: Any) -> bool:
    """Whether the rule shrinks towards the identity in the user's own columns."""
    return rule is not None


def within_of(coordinates: Coordinates, rows: Place | None, rule: Any, priors: Floats,
              left_out_log_priors: Floats | None) -> Within:
    """Apply `rule` (as `FisherDiscriminant.shrinkage`). `rows` are the user's rows, None where they are gone.

    `left_out_log_priors`: as `LeftOutHits` takes them, None for the classes' own shares.
    """
    moments, dimension = coordinates.moments, coordinates.columns
    if rows is None and ((isinstance(rule, str) and rule != "oas") or np.ndim(rule) == 1):
        raise ParameterError(
            f"shrinkage={rule!r} needs all rows at once: use fit, or with partial_fit shrinkage='oas' or a number."
        )
    if isinstance(rule, str) and rule == "auto":
        assert rows is not None
        by_class = InUnits(measure(rows, len(priors), Spread.BY_CLASS), rows).in_one_unit()
        covariance = standardised(by_class.moments, rows, priors)
        return Within(by_class, factor(covariance, moments.precision), None, None)
    path = None
    if np.ndim(rule) == 1 or (isinstance(rule, str) and rule == "loo"):
        gammas = np.array(LOO_SHRINKAGES if isinstance(rule, str) else rule, dtype=np.float64)
        scores = leave_one_out(coordinates, gammas, left_out_log_priors)
        path = {"shrinkage": gammas, "score": scores}
        gamma = best_of(gammas, scores)
    elif isinstance(rule, str):
        gamma = intensity(rule, moments, coordinates.place, dimension)
    else:
        gamma = 0.0 if rule is None else float(rule)
    covariance = shrunk(moments.pooled / moments.total, gamma, dimension)
    made = factor(covariance, moments.precision, equilibrate=coordinates.keeps_columns)
    return Within(coordinates, made, None if rule is None else gamma, path)
