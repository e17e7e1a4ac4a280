"""Least squares from R of the rows' QR decomposition.

A direction is dropped where the rows are no longer along it than rounding alone could have made them: with E_j the
length of the rounding in column j, those right singular vectors of R diag(1/E) whose singular value is at most 1.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Triangle:
    """R (d, d) of the centred columns, with Q'T (d, m) beside it; `noise` (d,) is E, `penalty` (d,) is added to R'R.

    `solution` (d, m) minimises |R B - Q'T|^2 + penalty |B|^2; `null` (d, d - rank) spans the directions dropped.
    """

    def __init__(self, R: Floats, right: Floats, noise: Floats, penalty: Floats) -> None:
        d = R.shape[1]
        if penalty.any():
            below = np.hstack([np.diag(np.sqrt(penalty)), np.zeros((d, right.shape[1]))])
            (both,) = la.qr(np.vstack([np.hstack([R, right]), below]), mode="r", check_finite=False)
            R, right = both[:d, :d], both[:d, d:]
        self.condition = _condition(R)
        noise = np.where(noise > 0, noise, 1.0)
        U, values, Vt = la.svd(R / noise, check_finite=False)
        self.rank = int((values > 1.0).sum())
        self.null = Vt[self.rank :].T / noise[:, None]
        if self.rank == d:
            self._roots = None
            self._R = R
            self.solution = np.asarray(la.solve_triangular(R, right, check_finite=False))
        else:
            self._roots = Vt[: self.rank].T / noise[:, None] / values[: self.rank]
            self.solution = self._roots @ (U[:, : self.rank].T @ right)

    def solve(self, G: Floats) -> Floats:
        """(R'R)^-1 G, over the directions kept."""
        if self._roots is not None:
            return self._roots @ (self._roots.T @ G)
        half = la.solve_triangular(self._R, G, trans="T", check_finite=False)
        return np.asarray(la.solve_triangular(self._R, half, check_finite=False))


def _condition(R: Floats) -> float:
    """Of R with columns of length 1."""
    lengths = np.sqrt((R**2).sum(axis=0))
    values = la.svdvals(R[:, lengths > 0] / lengths[lengths > 0], check_finite=False)
    return float(values[0] / values[-1]) if len(values) and values[-1] > 0 else float("inf")
