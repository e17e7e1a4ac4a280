"""A symmetric positive semidefinite matrix, factored once and solved with often.

The matrix is equilibrated to a unit diagonal, so that the units of the columns do not matter. Cholesky serves while its
condition estimate allows; otherwise the eigenvectors, with directions below rank dropped: solutions are then the
shortest in equilibrated coordinates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.errors import OUT_OF_RANGE, ScaleError

Floats = NDArray[np.float64]

_ROUNDINGS = 16  # exactly singular moments of few columns were seen with eigenvalues up to 8 units of rounding


class Factor(ABC):
    """R with R R' = A^-1 (or the pseudo-inverse of A, of rank `rank`)."""

    route: str
    rank: int
    condition: float  # of the equilibrated matrix, estimated, before any direction was dropped
    kept_condition: float  # the same over the directions kept
    null: Floats  # (d, d - rank): a basis of the directions dropped, in the coordinates of A

    @abstractmethod
    def whiten(self, B: Floats) -> Floats:
        """R'B: (rank, m) from (d, m)."""

    @abstractmethod
    def colour(self, Z: Floats) -> Floats:
        """R Z: (d, m) from (rank, m)."""

    @property
    @abstractmethod
    def log_determinant(self) -> float:
        """log det A, over the directions that were kept."""

    def solve(self, B: Floats) -> Floats:
        return self.colour(self.whiten(B))


def factor(A: Floats, precision: float, *, equilibrate: bool = True) -> Factor:
    """`precision` is the rounding unit of the arithmetic that made A: directions below that times max(16, d) are noise.

    Without `equilibrate` lengths are taken as they are, and dropped directions are those short in A itself.
    """
    if not np.isfinite(A).all():
        raise ScaleError(OUT_OF_RANGE)
    diagonal = np.diagonal(A)
    live = np.flatnonzero(diagonal > 0)
    scale = np.zeros(len(A))
    scale[live] = 1.0 / np.sqrt(diagonal[live] if equilibrate else diagonal.max())
    B = A[np.ix_(live, live)] * scale[live] * scale[live][:, None]
    tolerance = max(_ROUNDINGS, len(A)) * precision
    if len(live) == len(A):
        cholesky = _cholesky(B)
        if cholesky is not None and cholesky[1] > tolerance:
            return CholeskyFactor(cholesky[0], scale, 1.0 / cholesky[1])
    return SpectralFactor(B, live, scale, tolerance)


def _cholesky(B: Floats) -> tuple[Floats, float] | None:
    """The lower factor and the reciprocal condition number, or None where B is not positive definite."""
    lower, fault = la.lapack.dpotrf(B, lower=1)
    if fault != 0 or not len(B):
        return None
    reciprocal, _ = la.lapack.dpocon(lower, float(np.abs(B).sum(axis=0).max()), uplo="L")
    return lower, float(reciprocal)


class CholeskyFactor(Factor):
    """diag(s) A diag(s) = L L', R = diag(s) L^-T."""

    route = "cholesky"

    def __init__(self, lower: Floats, scale: Floats, condition: float) -> None:
        self._lower, self._scale = lower, scale
        self.condition = self.kept_condition = condition
        self.rank = len(lower)
        self.null = np.zeros((len(lower), 0))

    def whiten(self, B: Floats) -> Floats:
        # dtrsm and not LAPACK's dtrtrs, which wakes all BLAS threads even for a handful of numbers.
        return np.asarray(la.blas.dtrsm(1.0, self._lower, self._scale[:, None] * B, lower=1))

    def colour(self, Z: Floats) -> Floats:
        return np.asarray(self._scale[:, None] * la.blas.dtrsm(1.0, self._lower, Z, lower=1, trans_a=1))

    @property
    def log_determinant(self) -> float:
        return float(2 * np.log(np.diagonal(self._lower)).sum() - 2 * np.log(self._scale).sum())


class SpectralFactor(Factor):
    """diag(s) A diag(s) = V diag(e) V' over the columns that are not constant; R = diag(s) V diag(e)^-1/2."""

    route = "eigenvectors"

    def __init__(self, B: Floats, live: NDArray[np.intp], scale: Floats, tolerance: float) -> None:
        values, vectors = la.eigh(B, check_finite=False) if len(B) else (np.zeros(0), np.zeros((0, 0)))
        largest = values[-1] if len(values) else 0.0
        kept = values > tolerance * largest
        self.rank = int(kept.sum())
        self.condition = float(largest / max(values[0], 0.0)) if len(values) and values[0] > 0 else np.inf
        self.kept_condition = float(largest / values[kept][0]) if self.rank else 1.0
        self._values, self._live_scale = values[kept], scale[live]
        constant = np.eye(len(scale))[:, scale == 0]
        among_live = np.zeros((len(scale), len(live) - self.rank))
        among_live[live] = scale[live][:, None] * vectors[:, ~kept]
        self.null = np.hstack([among_live, constant])
        self._roots = np.zeros((len(scale), self.rank))
        self._roots[live] = scale[live][:, None] * vectors[:, kept] / np.sqrt(values[kept])

    def whiten(self, B: Floats) -> Floats:
        return self._roots.T @ B

    def colour(self, Z: Floats) -> Floats:
        return self._roots @ Z

    @property
    def log_determinant(self) -> float:
        return float(np.log(self._values).sum() - 2 * np.log(self._live_scale).sum())
