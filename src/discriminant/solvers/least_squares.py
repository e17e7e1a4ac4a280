"""Linear least squares, by the cheapest route that the condition of the columns allows.

    minimise  sum_i w_i |x_i'B + b - t_i|^2 + alpha |B|^2,   t_i the target of row i's class (K, m).

The moments of the classes give S and X'T without another read, as X'T for class targets is a matter of class sums.
Solving with S squares the condition, so the route is chosen by it:
1. "cholesky": S is good enough as it is.
2. "refined": one read gives the exact gradient at the solution; solving for it again gains as many digits as the first
   solve had, until nothing moves. (This is conjugate gradients preconditioned by S, one step at a time.)
3. "tsqr": S has no digits left; QR of the rows themselves, then the singular values of R.
Where S loses rank, its null space is checked against the rows; if they confirm it, "eigenvectors" is the route, and
the shortest of all solutions is taken, in the user's own columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.passes.moments import Moments
from discriminant.passes.residuals import Residuals
from discriminant.passes.tsqr import TriangularFactor
from discriminant.places.place import Place
from discriminant.solvers.factor import Factor, factor

Floats = NDArray[np.float64]

# What a route may lose of the coefficients' digits before the next one is taken, by the rows' rounding unit.
_GRAM_LOSS = {"double": 1e-10, "single": 1e-4}
_REFINABLE = 0.05  # each refinement divides the error by at least this
_MOST_REFINEMENTS = 12


@dataclass(frozen=True)
class NormalEquations:
    """S (d, d) and X'T (d, m) about `centre`, with columns in `unit`; `tt` is the targets' own scatter (m,)."""

    S: Floats
    XT: Floats
    tt: Floats
    centre: Floats
    target_centre: Floats
    unit: Floats
    precision: float

    @classmethod
    def of(cls, moments: Moments, targets: Floats, *, constant: bool) -> NormalEquations:
        """From class moments; without `constant` nothing is centred, and no intercept is fitted."""
        N, unit = moments.weight, moments.unit
        centre = moments.overall_mean if constant else np.zeros_like(unit)
        target_centre = N @ targets / N.sum() if constant else np.zeros(targets.shape[1])
        offset, T = (moments.mean - centre) / unit, targets - target_centre
        S = moments.pooled + (offset.T * N) @ offset
        return cls(S, (offset.T * N) @ T, N @ T**2, centre, target_centre, unit, moments.precision)


@dataclass(frozen=True)
class LeastSquaresSolution:
    """Coefficients (d, m) of columns in units, intercept (m,), the error 1/2 sum w |r|^2, and how they were found."""

    coef: Floats
    intercept: Floats
    error: float
    route: str
    rank: int
    condition: float


def least_squares(place: Place, moments: Moments, targets: Floats, alpha: float, *, constant: bool
                  ) -> LeastSquaresSolution:
    """Solve on the rows of `place`, whose classes have the rows of `targets` as targets."""
    equations = NormalEquations.of(moments, targets, constant=constant)
    penalty = _in_units(alpha, equations.unit)
    made = factor(equations.S + np.diag(penalty), equations.precision)
    loss = made.kept_condition * equations.precision
    allowed = _GRAM_LOSS["single" if equations.precision > 1e-10 else "double"]
    problem = _Problem(place, targets, equations, penalty, constant)
    route: dict[str, Any] = {"route": made.route, "rank": made.rank, "condition": float(np.sqrt(made.condition))}
    if made.null.shape[1] and not problem.confirms(made.null):
        loss = np.inf
    if loss <= allowed:
        B, b = made.solve(equations.XT), np.zeros(targets.shape[1])
    elif loss <= _REFINABLE:
        B, b = problem.refined(made)
        route["route"] = "refined"
    else:
        B, b, route["rank"], route["condition"] = problem.by_tsqr()
        route["route"] = "tsqr"
    return problem.solution(B, b, made.null if route["route"] != "tsqr" else None, route)


def _in_units(alpha: float, unit: Floats) -> Floats:
    """alpha |B|^2 for coefficients of columns divided by `unit`."""
    with np.errstate(over="ignore"):
        return np.minimum(alpha / unit / unit, 1e290)


class _Problem:
    """One problem in units, for the routes that read the rows again."""

    def __init__(self, place: Place, targets: Floats, equations: NormalEquations, penalty: Floats, constant: bool
                 ) -> None:
        self.place, self.targets, self.equations = place, targets, equations
        self.penalty, self.constant = penalty, constant
        self.scale = 1.0 / equations.unit
        self.total = float(np.bincount(place.codes, place.weights, minlength=1).sum())

    def _residuals(self, B: Floats, b: Floats, targets: Floats) -> Any:
        return self.place.fold(Residuals(self.equations.centre, self.scale, B, b, targets))

    def confirms(self, null: Floats) -> bool:
        """Whether the rows are constant along the directions that S calls null, to the rounding of the rows."""
        if self.penalty.any() or not null.shape[1]:
            return False
        zero = np.zeros((len(self.targets), null.shape[1]))
        squares = self._residuals(null, np.zeros(null.shape[1]), zero).squares
        reach = np.sqrt(np.diagonal(self.equations.S)) @ np.abs(null)
        return bool((np.sqrt(squares) <= 64 * np.finfo(float).eps * reach).all())

    def refined(self, made: Factor) -> tuple[Floats, Floats]:
        B = made.solve(self.equations.XT)
        b = np.zeros(B.shape[1])
        before = np.inf
        for _ in range(_MOST_REFINEMENTS):
            left = self._residuals(B, b, self.targets - self.equations.target_centre)
            step = made.solve(left.gradient - self.penalty[:, None] * B)
            if self.constant:
                b = b + left.sums / self.total
            size = float(np.abs(step).max(initial=0.0))
            if size >= before / 2:
                break
            B, before = B + step, size
            if size <= np.finfo(float).eps * float(np.abs(B).max(initial=0.0)):
                break
        return B, b

    def by_tsqr(self) -> tuple[Floats, Floats, int, float]:
        """From R of [1, X, T]: the intercept is a column like the others, without penalty."""
        (R,) = self.place.fold(TriangularFactor(
            self.equations.centre, self.scale, self.targets - self.equations.target_centre, constant=self.constant))
        p = 1 + len(self.scale)
        rows = np.vstack([R[:, :p], np.diag(np.concatenate([[0.0], np.sqrt(self.penalty)]))])
        right = np.vstack([R[:, p:], np.zeros((p, R.shape[1] - p))])
        lengths = np.sqrt((rows**2).sum(axis=0))
        lengths[lengths == 0] = 1.0
        found, _, rank, values = la.lstsq(rows / lengths, right, cond=p * np.finfo(float).eps / 8, check_finite=False)
        found = found / lengths[:, None]
        kept = values[values > 0]
        condition = float(kept[0] / kept[-1]) if len(kept) else 1.0
        return found[1:], found[0], int(rank) - int(self.constant), condition

    def solution(self, B: Floats, b: Floats, null: Floats | None, route: dict[str, Any]) -> LeastSquaresSolution:
        equations = self.equations
        if null is not None and null.shape[1] and not self.penalty.any():
            B = _shortest(B, null, equations.unit)
        explained = (B * (equations.S @ B - 2 * equations.XT)).sum()
        error = float(equations.tt.sum() + explained) / 2
        if b.any() or error < 1e-6 * equations.tt.sum():  # cancellation: read the residuals themselves
            error = float(self._residuals(B, b, self.targets - equations.target_centre).squares.sum()) / 2
        intercept = equations.target_centre + b - (equations.centre / equations.unit) @ B
        return LeastSquaresSolution(B, intercept, max(error, 0.0), **route)


def _shortest(B: Floats, null: Floats, unit: Floats) -> Floats:
    """B moved along the null space to where B / unit, the user's coefficients, is shortest."""
    relative = np.maximum(unit.min() / unit, 1e-300)
    Q, _ = la.qr(null * relative[:, None], mode="economic", check_finite=False)
    return np.asarray(B - (Q @ (Q.T @ (B * relative[:, None]))) / relative[:, None])
