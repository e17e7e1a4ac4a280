"""Gaussian class densities N(m_k, S_k): what scoring, sampling and looking at them take.

    log p(x | C_k) = -(x - m_k)' S_k^-1 (x - m_k) / 2 - log det S_k / 2 - d log(2 pi) / 2

Covariances are kept in units that are powers of two, one for each column, so that columns of any scale can be squared;
log det S_k takes twice the logarithms of the units in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.errors import OUT_OF_RANGE, ScaleError
from discriminant.passes.distances import DeviationByClass, Distances, MetricByClass, OneMetric
from discriminant.places.unsupported import Unsupported
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.factor import Factor

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

UNFORMED = Unsupported(
    "a density, a sample or the covariance itself",
    "for covariance='shared' on sparse rows of more than 4096 columns and no fewer rows",
    "the covariance has as many rows and columns as X has columns, and is never formed",
    "covariance='diagonal' or 'spherical', or fewer columns (sklearn.feature_selection, sklearn.random_projection)",
)


class GaussianDensities(ABC):
    """K densities in d columns."""

    mean: Floats  # (K, d) in the user's columns
    log_normaliser: Floats  # (K,): what log p(x | C_k) adds to half the squared distance; NaN where p does not exist

    @abstractmethod
    def distances(self) -> Distances:
        """Squared distances of rows from the class means."""

    @abstractmethod
    def covariance(self) -> Floats:
        """In the user's columns; inf or 0 where the number is too large or too small for floating point."""

    @abstractmethod
    def deviations(self, noise: Floats, codes: Codes) -> Floats:
        """Rows x - m_k, k in `codes`, from standard normal `noise` (n, d)."""

    def rows(self, noise: Floats, codes: Codes) -> Floats:
        """Rows of the classes in `codes`."""
        return np.asarray(self.mean[codes] + self.deviations(noise, codes))


class SharedDensities(GaussianDensities):
    """One covariance for all classes, (m, m) in the `coordinates`, with `factor`.

    Where the rows are spanned by fewer coordinates than columns, `beyond` is the variance along all that is orthogonal
    to them. The density does not exist where the covariance is singular; sampling does.
    """

    def __init__(self, coordinates: Coordinates, covariance: Floats, factor: Factor, beyond: float) -> None:
        self.mean, self.centre, self.unit = coordinates.original_means(), coordinates.centre, coordinates.unit
        self._span: Coordinates | None = None  # its basis is made when it is asked for: it is as large as the rows
        if not coordinates.keeps_columns:
            self._span = copy(coordinates)
            self._span.place = None
        self._covariance, self._beyond = covariance, beyond
        self.rank = factor.rank if covariance.any() else 0
        inner, outer = len(covariance), coordinates.columns - len(covariance)
        self.exists = self.rank == inner and (outer == 0 or beyond > 0)
        log_det = np.nan
        if self.exists:
            self._R = factor.colour(np.eye(inner))
            self._whitened_mean = coordinates.mean_from_centre @ self._R
            log_det = factor.log_determinant + (outer * np.log(beyond) if outer else 0.0)
        self.log_normaliser = np.full(len(self.mean), _log_normaliser(log_det, self.unit))

    @property
    def _basis(self) -> Floats | None:
        return None if self._span is None else self._span.basis

    def distances(self) -> Distances:
        return OneMetric(self.centre, 1.0 / self.unit, self._whitened_mean, self._R, self._basis, self._beyond)

    def covariance(self) -> Floats:
        S, Q = self._covariance, self._basis
        if Q is not None:
            S = Q @ S @ Q.T + self._beyond * (np.eye(len(Q)) - Q @ Q.T)
        return _in_columns(S, self.unit)

    def deviations(self, noise: Floats, codes: Codes) -> Floats:
        L, Q = square_root(self._covariance), self._basis
        if Q is None:
            return np.asarray(noise @ L.T * self.unit)
        inside = noise @ Q
        rest = noise - inside @ Q.T
        return np.asarray((inside @ L.T @ Q.T + np.sqrt(self._beyond) * rest) * self.unit)


class UnformedDensities(GaussianDensities):
    """Classes with one covariance too large to form: their means are known, and their linear functions elsewhere."""

    def __init__(self, mean: Floats) -> None:
        self.mean, self.log_normaliser = mean, np.full(len(mean), np.nan)

    def distances(self) -> Distances:
        UNFORMED.refuse()

    def covariance(self) -> Floats:
        UNFORMED.refuse()

    def deviations(self, noise: Floats, codes: Codes) -> Floats:
        UNFORMED.refuse()


class FullDensities(GaussianDensities):
    """A covariance for each class, (K, d, d) in `unit`; every factor has full rank."""

    def __init__(self, unit: Floats, mean: Floats, covariance: Floats, factors: Sequence[Factor]) -> None:
        self.unit, self.mean, self._covariance = unit, mean, covariance
        eye = np.eye(len(unit))
        self._R = np.stack([factor.colour(eye) for factor in factors])
        self.log_normaliser = np.array([_log_normaliser(factor.log_determinant, unit) for factor in factors])

    def distances(self) -> Distances:
        return MetricByClass(1.0 / self.unit, self.mean / self.unit, self._R)

    def covariance(self) -> Floats:
        return _in_columns(self._covariance, self.unit)

    def deviations(self, noise: Floats, codes: Codes) -> Floats:
        out = np.empty_like(noise)
        for k, S in enumerate(self._covariance):
            mine = codes == k
            out[mine] = noise[mine] @ square_root(S).T * self.unit
        return out


class DiagonalDensities(GaussianDensities):
    """Columns independent within a class: variances (K, d) in `unit`; `spherical`: (K, 1), the same for all columns."""

    def __init__(self, unit: Floats, mean: Floats, variance: Floats, *, spherical: bool = False) -> None:
        self.unit, self.mean, self._variance, self.spherical = unit, mean, variance, spherical
        if not np.isfinite(mean / unit).all():
            raise ScaleError(OUT_OF_RANGE)
        log_det = np.log(np.broadcast_to(variance, mean.shape)).sum(axis=1)
        self.log_normaliser = np.array([_log_normaliser(each, unit) for each in log_det])

    def distances(self) -> Distances:
        return DeviationByClass(1.0 / self.unit, self.mean / self.unit, np.sqrt(self._variance))

    def covariance(self) -> Floats:
        """(K, d), or (K,) for one variance a class."""
        with np.errstate(over="ignore", under="ignore"):
            out = self._variance * self.unit * self.unit
        return np.asarray(out[:, 0] if self.spherical else out)

    def deviations(self, noise: Floats, codes: Codes) -> Floats:
        return np.asarray(noise * np.sqrt(self._variance)[codes] * self.unit)


def square_root(A: Floats) -> Floats:
    """L (d, d) with L L' = A, for singular A too; columns of any scale keep their digits."""
    deviation = np.sqrt(np.diagonal(A))
    safe = np.where(deviation > 0, deviation, 1.0)
    values, vectors = la.eigh(A / safe / safe[:, None], check_finite=False)
    return np.asarray(deviation[:, None] * vectors * np.sqrt(np.maximum(values, 0.0)))


def _log_normaliser(log_det: float, unit: Floats) -> float:
    return float(-0.5 * log_det - np.log(unit).sum() - 0.5 * len(unit) * np.log(2 * np.pi))


def _in_columns(S: Floats, unit: Floats) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(S * unit * unit[:, None])
