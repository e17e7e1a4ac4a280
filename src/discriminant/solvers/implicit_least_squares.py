"""Least squares on class targets by conjugate gradients on (S + alpha I) B = X'T, without forming S.

S is the scatter of all rows: that within classes and that of the class means, which is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.solvers.implicit import Iterated, Unformed, solve
from discriminant.solvers.least_squares import LeastSquaresSolution

Floats = NDArray[np.float64]


def implicit_least_squares(columns: Unformed, targets: Floats, alpha: float, *, constant: bool
                           ) -> tuple[LeastSquaresSolution, Iterated]:
    """The solution as `least_squares` gives it, and how the iteration went."""
    N, unit = columns.moments.weight, columns.moments.unit
    centre = N @ columns.mean / N.sum() if constant else np.zeros_like(unit)
    target_centre = N @ targets / N.sum() if constant else np.zeros(targets.shape[1])
    offset, T = columns.mean - centre, targets - target_centre
    with np.errstate(over="ignore"):
        penalty = np.minimum(alpha / unit / unit, 1e290)[:, None]

    def times(V: Floats) -> Floats:
        return columns.scatter_times(V) + (offset.T * N) @ (offset @ V) + penalty * V

    XT = (offset.T * N) @ T
    diagonal = columns.moments.scatter.sum(axis=0) + N @ offset**2 + penalty[:, 0]
    found = solve(times, diagonal, XT)
    B = found.value
    squares = (N @ T**2).sum() + (B * (times(B) - penalty * B - 2 * XT)).sum()
    intercept = target_centre - centre @ B
    solution = LeastSquaresSolution(B, intercept, max(float(squares) / 2, 0.0), "conjugate gradients", len(B), np.nan)
    return solution, found
