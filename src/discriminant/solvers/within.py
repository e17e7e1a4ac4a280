"""The covariance within classes, shrunk as the user asked, and factored."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import DegenerateWarning, ParameterError
from discriminant.passes.moments import Spread
from discriminant.places.place import Place
from discriminant.result import Status
from discriminant.solvers.coordinates import Coordinates, InUnits
from discriminant.solvers.factor import Factor, factor
from discriminant.solvers.implicit import WIDE_SPARSE, ImplicitFactor, solve
from discriminant.solvers.measure import measure
from discriminant.solvers.shrinkage import intensity, shrunk, standardised
from discriminant.solvers.shrinkage_path import best_of, leave_one_out

Floats = NDArray[np.float64]

# What "loo" tries: none, and from almost none to almost all.
LOO_SHRINKAGES = (0.0, *np.logspace(-4, -1, 10).tolist(), *np.linspace(0.15, 0.95, 9).tolist())


@dataclass(frozen=True)
class Within:
    """The shrunk `covariance` in `coordinates`, and its `factor`; `gamma` is None where nothing was shrunk."""

    coordinates: Coordinates
    covariance: Floats
    factor: Factor
    gamma: float | None
    path: dict[str, Any] | None

    @property
    def status(self) -> Status:
        if isinstance(self.factor, ImplicitFactor):
            return Status.CONVERGED if self.factor.solution.converged else Status.MAX_ITERATIONS
        full = self.factor.rank == self.coordinates.columns and bool(self.covariance.any())
        return Status.CONVERGED if full or self.gamma else Status.RANK_DEFICIENT

    @property
    def stats(self) -> dict[str, Any]:
        if isinstance(self.factor, ImplicitFactor):
            return {"route": self.factor.route, **self.factor.solution.stats}
        return {"route": self.factor.route, "rank": self.factor.rank, "condition": self.factor.condition}


def takes_one_unit(rule: Any) -> bool:
    """Whether the rule shrinks towards the identity in the user's own columns."""
    return not (rule is None or (np.ndim(rule) == 0 and rule == 0))


def is_chosen(rule: Any) -> bool:
    """Whether the rule is to choose among many shrinkages."""
    return np.ndim(rule) == 1 or (isinstance(rule, str) and rule == "loo")


def offered(rule: Any) -> Floats:
    """The shrinkages to choose from."""
    return np.array(LOO_SHRINKAGES if isinstance(rule, str) else rule, dtype=np.float64)


def refuse_without_rows(rule: Any) -> None:
    """Raise where the rule needs more of the rows than their moments."""
    if is_chosen(rule) or (isinstance(rule, str) and rule != "oas"):
        raise ParameterError(
            f"shrinkage={rule!r} needs all rows at once: use fit, or with partial_fit shrinkage='oas' or a number."
        )


def within_of(coordinates: Coordinates, rows: Place | None, rule: Any, priors: Floats,
              left_out_log_priors: Floats | None) -> Within:
    """Apply `rule` (as `FisherDiscriminant.shrinkage`). `rows` are the user's rows, None where they are gone.

    `left_out_log_priors`: as `LeftOutHits` takes them, None for the classes' own shares.
    """
    moments, dimension = coordinates.moments, coordinates.columns
    if rows is None:
        refuse_without_rows(rule)
    if not coordinates.has_scatter:
        return _unformed(coordinates, rule, priors)
    if isinstance(rule, str) and rule == "auto":
        assert rows is not None
        by_class = InUnits(measure(rows, len(priors), Spread.BY_CLASS), rows)
        covariance = standardised(by_class.moments, rows, priors)
        made = factor(_or_alike(covariance, by_class), moments.precision)
        return Within(by_class, covariance, made, None, None)
    path = None
    if is_chosen(rule):
        gammas = offered(rule)
        scores = leave_one_out(coordinates, gammas, left_out_log_priors)
        path = {"shrinkage": gammas, "score": scores}
        gamma = best_of(gammas, scores)
    elif isinstance(rule, str):
        gamma = intensity(rule, moments, coordinates.place, dimension)
    else:
        gamma = 0.0 if rule is None else float(rule)
    covariance = shrunk(moments.pooled / moments.total, gamma, dimension)
    if not gamma and covariance.any():
        _warn_of_perfect_columns(coordinates)
    made = factor(_or_alike(covariance, coordinates), moments.precision, equilibrate=coordinates.keeps_columns)
    return Within(coordinates, covariance, made, None if rule is None else gamma, path)


def _unformed(coordinates: Coordinates, rule: Any, priors: Floats) -> Within:
    """Solved for the class means alone, by conjugate gradients."""
    if isinstance(rule, str) or np.ndim(rule) == 1:
        WIDE_SPARSE.refuse()
    gamma, total = 0.0 if rule is None else float(rule), coordinates.moments.total
    variance = coordinates.moments.scatter.sum(axis=0) / total
    ridge = gamma * variance.mean()

    def times(V: Floats) -> Floats:
        return np.asarray((1 - gamma) / total * coordinates.scatter_times(V) + ridge * V)

    B = (coordinates.mean - priors @ coordinates.mean).T
    solution = solve(times, (1 - gamma) * variance + ridge, B)
    made = ImplicitFactor(solution, B)
    return Within(coordinates, np.zeros((0, 0)), made, None if rule is None else gamma, None)


def _or_alike(covariance: Floats, coordinates: Coordinates) -> Floats:
    """Rows that all equal their class mean leave nothing to weigh directions by: then all weigh alike.

    The spread is taken as next to none beside that of the means, so that no prior outweighs it.
    """
    if covariance.any():
        return covariance
    between = np.ptp(coordinates.mean, axis=0).max(initial=0.0) or np.float64(1.0)
    return np.eye(len(covariance)) * (1e-6 * between) ** 2


def _warn_of_perfect_columns(coordinates: Coordinates) -> None:
    """Columns constant within classes, but not between them: their ratio is infinite, and they cannot be weighed."""
    if not coordinates.keeps_columns:
        return
    moments = coordinates.moments
    perfect = np.flatnonzero((np.diagonal(moments.pooled) == 0) & (np.ptp(moments.mean, axis=0) > 0))
    if len(perfect):
        warnings.warn(
            f"Column {perfect[0]} of X is constant within each class but differs between classes"
            + (f", as are {len(perfect) - 1} other columns" if len(perfect) > 1 else "")
            + ". It tells classes apart by itself, with no spread to weigh it by, and is left out. Give "
            "shrinkage > 0 to let it take part, or check whether it leaks the label.",
            DegenerateWarning,
            stacklevel=5,
        )
