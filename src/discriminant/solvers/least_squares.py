"""Linear least squares, by the cheapest route that the condition of the columns allows.

    minimise  sum_i w_i |x_i'B + b - t_i|^2 + alpha |B|^2,   t_i the target of row i's class (K, m).

The moments of the classes give S and X'T without another read, as X'T for class targets is a matter of class sums.
Solving with S squares the condition, so the route is chosen by it:
1. "cholesky": S is good enough as it is.
2. "refined": the solution is refined on the rows, S saying how to step (refinement.py).
3. "tsqr": S has no digits left; R of the rows themselves takes its place (triangle.py), and is refined with likewise.
Where S loses rank, its null space is checked against the rows; if they confirm it, "eigenvectors" (or "refined") is the
route, else "tsqr". Of all solutions the shortest in the user's own columns is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.passes.moments import Moments
from discriminant.passes.residuals import Residuals
from discriminant.passes.tsqr import TriangularFactor
from discriminant.places.place import Place
from discriminant.solvers.factor import Factor, factor
from discriminant.solvers.normal_equations import NormalEquations
from discriminant.solvers.refinement import Refined, refine
from discriminant.solvers.triangle import Triangle

Floats = NDArray[np.float64]

# The share of the coefficients' size that solving with S may lose (a bound, seldom reached) before they are refined:
# for rows in float64, for many of them, and for rows in float32, whose S is summed in float32. Refining takes all
# coefficients to their last bit, those of many rows to 1e-8.
_LOSS, _LOSS_OF_MANY, _LOSS_SINGLE = 1e-10, 1e-8, 1e-4
_MANY = 1 << 23  # cells times targets: reading them to twice the digits takes longer than the moments did
_REFINABLE = 0.05  # S is no guide for refining where it may lose more than this


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
    problem = _Problem(place, targets, NormalEquations.of(moments, targets, constant=constant), alpha)
    equations = problem.equations
    made = factor(equations.S + np.diag(problem.penalty), equations.precision)
    loss = made.kept_condition * equations.precision
    if made.null.shape[1] and not problem.confirms(made.null):
        loss = np.inf
    if loss <= problem.allowed:
        return problem.direct(made)
    solution = problem.refined(made, loss) if loss <= _REFINABLE else None
    return problem.from_rows() if solution is None else solution


class _Problem:
    """One problem in units, and the ways to solve it."""

    def __init__(self, place: Place, targets: Floats, equations: NormalEquations, alpha: float) -> None:
        self.place, self.targets, self.equations = place, targets, equations
        with np.errstate(over="ignore"):  # alpha |B|^2 for the user's B; a barrier where that overflows
            self.penalty = np.minimum(alpha / equations.unit / equations.unit, 1e290)
        many = place.shape[0] * place.shape[1] * targets.shape[1] > _MANY
        single = equations.precision > np.finfo(float).eps
        self.allowed = _LOSS_SINGLE if single else _LOSS_OF_MANY if many else _LOSS
        self.enough = _LOSS_OF_MANY if many else np.finfo(float).eps / 4

    def _residuals(self, B: Floats, targets: Floats) -> Floats:
        """The sums of squared residuals (m,), with centred rows and no intercept."""
        equations = self.equations
        return self.place.fold(Residuals(equations.centre, 1.0 / equations.unit, B, targets))

    def confirms(self, null: Floats) -> bool:
        """Whether the rows are constant along the directions that S calls null, to the rounding of the rows."""
        if self.penalty.any():
            return False
        squares = self._residuals(null, np.zeros((len(self.targets), null.shape[1])))
        noise = np.sqrt(((self.equations.noise[:, None] * null) ** 2).sum(axis=0))
        return bool((np.sqrt(squares) <= noise).all())

    def direct(self, made: Factor) -> LeastSquaresSolution:
        B = made.solve(self.equations.XT)
        squares = self.equations.squares(B)
        if squares < 1e-6 * self.equations.tt.sum():  # cancellation: read the residuals themselves
            squares = float(self._residuals(B, self.targets - self.equations.target_centre).sum())
        solution = self._solution(B, squares, made.route, made.rank, float(np.sqrt(made.condition)))
        return self._shortest(solution, made.null)

    def refined(self, made: Factor, loss: float) -> LeastSquaresSolution | None:
        """None where S proves to be no guide."""
        found = self._refine(made, made.solve(self.equations.XT), loss)
        if not found.settled:
            return None
        solution = self._solution(found.coef, found.squares, "refined", made.rank, float(np.sqrt(made.condition)))
        return self._shortest(replace(solution, intercept=found.intercept), made.null)

    def from_rows(self) -> LeastSquaresSolution:
        equations, d = self.equations, len(self.equations.unit)
        (R,) = self.place.fold(TriangularFactor(equations.centre, 1.0 / equations.unit,
                                                self.targets - equations.target_centre, constant=equations.constant))
        first = int(equations.constant)  # below the row of the intercept, R belongs to centred columns
        square = np.zeros((d, R.shape[1] - first))
        rows = R[first : first + d, first:]
        square[: len(rows)] = rows
        made = Triangle(square[:, :d], square[:, d:], equations.noise, self.penalty)
        found = self._refine(made, made.solution, made.condition * np.finfo(float).eps)
        solution = self._solution(found.coef, found.squares, "tsqr", made.rank, made.condition)
        return self._shortest(replace(solution, intercept=found.intercept), made.null)

    def _refine(self, made: Factor | Triangle, start: Floats, loss: float) -> Refined:
        return refine(self.place, self.targets, self.equations, self.penalty, made.solve, start, loss, self.enough)

    def _solution(self, B: Floats, squares: float, route: str, rank: int, condition: float) -> LeastSquaresSolution:
        return LeastSquaresSolution(B, self.equations.intercept(B), max(squares, 0.0) / 2, route, rank, condition)

    def _shortest(self, solution: LeastSquaresSolution, null: Floats) -> LeastSquaresSolution:
        """Moved along the null space to where coef / unit, the user's coefficients, is shortest."""
        if not null.shape[1]:
            return solution
        unit, centre = self.equations.unit, self.equations.centre
        relative = np.maximum(unit.min() / unit, 1e-300)[:, None]
        # Columns that take no part are known by rounding only; in a small unit that would count for more than the rest.
        null = np.where(np.abs(null) > 1e-11 * np.abs(null).max(axis=0), null, 0.0)
        step = null @ la.lstsq(null * relative, solution.coef * relative, check_finite=False)[0]
        return replace(solution, coef=solution.coef - step, intercept=solution.intercept + (centre / unit) @ step)
