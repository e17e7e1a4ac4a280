"""Symmetric matrices too large to form: scatter of wide sparse rows, solved with by conjugate gradients.

The scatter within classes is X'DX - sum_k N_k m_k m_k', so a product with it is one read of the rows. All right-hand
sides go together, each with its own step lengths, preconditioned by the diagonal (Hestenes & Stiefel 1952).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.passes.products import GramProducts
from discriminant.places.place import Place
from discriminant.places.unsupported import Unsupported
from discriminant.solvers.coordinates import InUnits
from discriminant.solvers.factor import Factor

Floats = NDArray[np.float64]

_TOLERANCE = 1e-10
_MOST_STEPS = 1000


WIDE_SPARSE = Unsupported(
    "a rule that needs the scatter matrix or its eigenvectors",
    "for sparse rows of more than 4096 columns and no fewer rows",
    "that matrix has as many rows and columns as X has columns, and is never formed",
    "give one number (shrinkage or alpha), or fewer columns (sklearn.feature_selection, sklearn.random_projection)",
)


class Unformed(InUnits):
    """The user's columns, with moments of spread DIAGONAL: the scatter matrix is only multiplied with."""

    has_scatter = False
    place: Place

    def scatter_times(self, V: Floats) -> Floats:
        unit = self.moments.unit[:, None]
        raw = self.place.fold(GramProducts(V / unit)) / unit
        return np.asarray(raw - (self.mean.T * self.moments.weight) @ (self.mean @ V))


@dataclass(frozen=True)
class Iterated:
    """A^-1 B, the steps taken, and the largest residual relative to its right-hand side."""

    value: Floats
    steps: int
    residual: float

    @property
    def stats(self) -> dict[str, float]:
        return {"steps": self.steps, "residual": self.residual}

    @property
    def converged(self) -> bool:
        return self.residual <= _TOLERANCE


def solve(times: Callable[[Floats], Floats], diagonal: Floats, B: Floats) -> Iterated:
    """Solve A X = B for the matrix A that `times` multiplies with."""
    inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)[:, None]
    goal = np.linalg.norm(B, axis=0)
    goal[goal == 0] = 1.0
    X, R = np.zeros_like(B), B.copy()
    Z = inverse * R
    P, power = Z, (R * Z).sum(axis=0)
    steps, residual = 0, float((np.linalg.norm(R, axis=0) / goal).max(initial=0.0))
    while residual > _TOLERANCE and steps < _MOST_STEPS:
        AP = times(P)
        curvature = (P * AP).sum(axis=0)
        length = np.divide(power, curvature, out=np.zeros_like(power), where=curvature > 0)
        X, R = X + length * P, R - length * AP
        Z = inverse * R
        before, power = power, (R * Z).sum(axis=0)
        P = Z + np.divide(power, before, out=np.zeros_like(power), where=before > 0) * P
        steps, residual = steps + 1, float((np.linalg.norm(R, axis=0) / goal).max())
    return Iterated(X, steps, residual)


class ImplicitFactor(Factor):
    """A^-1 on the span of given right-hand sides B: with C = A^-1 B and G = B'C, R = C G^-1/2 has R R'B = C."""

    route = "conjugate gradients"
    condition = kept_condition = np.nan  # never estimated

    def __init__(self, solution: Iterated, B: Floats) -> None:
        values, vectors = la.eigh(B.T @ solution.value, check_finite=False)
        kept = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0)
        self._roots = solution.value @ (vectors[:, kept] / np.sqrt(values[kept]))
        self.solution, self.rank = solution, len(B)
        self.null = np.zeros((len(B), 0))

    def whiten(self, B: Floats) -> Floats:
        return np.asarray(self._roots.T @ B)

    def colour(self, Z: Floats) -> Floats:
        return np.asarray(self._roots @ Z)

    @property
    def log_determinant(self) -> float:
        raise NotImplementedError("a determinant takes the matrix itself")
