"""The span of the rows, where they are fewer than the columns.

x = mean + scale * (Q z), Q an orthonormal basis (d, m): everything a linear learner can know lies in that span, so the
same program runs on m <= n coordinates. Dense rows get Q from their QR decomposition. Sparse rows are never made dense:
with X_c the centred, scaled rows and X_c X_c' = U diag(e) U', Q = X_c'U diag(e)^-1/2 is applied and not formed, which
sees directions down to 1e-8 of the longest.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.passes.moments import Spread
from discriminant.places.memory import MemoryPlace
from discriminant.places.place import Place
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.measure import measure, refuse_not_finite

Floats = NDArray[np.float64]


class Span(Coordinates):
    """`standardise` scales by the deviation within classes; otherwise all columns by one power of two."""

    keeps_columns = False

    def __init__(self, place: Place, classes: int, *, standardise: bool, centred: bool) -> None:
        self.columns = place.shape[1]
        moments = measure(place, classes, Spread.DIAGONAL)
        self.centre = moments.overall_mean if centred else np.zeros(self.columns)
        self.unit = np.full(self.columns, moments.common_unit(centred=centred))
        if standardise:
            deviation = np.sqrt(moments.scatter.sum(axis=0) / moments.total) * moments.unit
            self.unit = np.where(deviation > 0, deviation, 1.0)
        # Centring rounds at the size of the means; a column that is constant is centred exactly, whatever its size.
        varies = (moments.scatter > 0).any(axis=0) | (np.ptp(moments.mean, axis=0) > 0)
        self._shift = np.where(varies, self.centre, 0.0) / self.unit
        self.stretch = float(self.unit[0])
        self.place = MemoryPlace(self._coordinates(place), place.codes, place.weights)
        here = measure(self.place, classes)
        self.moments = here.in_units(np.ones_like(here.unit))

    @property
    def basis(self) -> Floats:
        return self._through(np.eye(self.moments.mean.shape[1])).T

    @property
    def mean_from_centre(self) -> Floats:
        return self.moments.mean

    @abstractmethod
    def _coordinates(self, place: Place) -> Floats:
        """Z (n, m), keeping what `_through` needs."""

    @abstractmethod
    def _through(self, Z: Floats) -> Floats:
        """Z Q' (k, d)."""

    def original_means(self) -> Floats:
        return np.asarray(self.centre + self._through(self.moments.mean) * self.unit)

    def lift(self, coef: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(self._through(coef) / self.unit)

    def lift_offset(self, coef: Floats) -> Floats:
        return np.asarray(-self._through(coef) @ self._shift)


class DenseSpan(Span):
    """Q by the QR decomposition of the rows."""

    def _coordinates(self, place: Place) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            X = (place.take(np.arange(place.shape[0])) - self.centre) / self.unit
        if not np.isfinite(X).all():
            refuse_not_finite(place)
        Q, R = la.qr(X.T, mode="economic", overwrite_a=True, check_finite=False)
        # Pivoting R alone tells the rank as well as pivoting all of X would, at a fraction of the cost.
        turn, R, order = la.qr(R, pivoting=True, check_finite=False)
        lengths = np.abs(np.diagonal(R))
        reach = max(lengths[0], float(np.linalg.norm(self._shift)))
        kept = max(1, int((lengths > len(R) * np.finfo(float).eps * reach).sum()))
        self._basis = Q @ turn[:, :kept]
        Z = np.empty((len(X), kept))
        Z[order] = R[:kept].T
        return Z

    @property
    def basis(self) -> Floats:
        return self._basis

    def _through(self, Z: Floats) -> Floats:
        return np.asarray(Z @ self._basis.T)


class SparseSpan(Span):
    """Q by the eigenvectors of the rows' inner products."""

    def _coordinates(self, place: Place) -> Floats:
        self._rows = place.whole()
        G = self._rows.outer(1.0 / self.unit)
        shift = self.centre / self.unit
        reach = np.diagonal(G).max()
        across = self._rows.times((shift / self.unit)[:, None])
        G += shift @ shift - across - across.T
        values, vectors = la.eigh(G, check_finite=False)
        kept = values > len(G) * np.finfo(float).eps * max(values[-1], reach)
        kept[-1] = True
        roots = np.sqrt(np.maximum(values[kept], np.finfo(float).tiny))
        self._turn = vectors[:, kept] / roots
        return np.ascontiguousarray(vectors[:, kept] * roots)

    def _through(self, Z: Floats) -> Floats:
        A = self._turn @ Z.T
        X_A = self._rows.transpose_times(A) / self.unit[:, None]
        return np.asarray((X_A - (self.centre / self.unit)[:, None] * A.sum(axis=0)).T)
