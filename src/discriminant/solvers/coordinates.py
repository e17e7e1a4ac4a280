"""The coordinates a problem is solved in, and the way back to the user's columns.

Either the columns themselves in units that are powers of two, or, where there are more columns than rows, an
orthonormal basis of the rows' span: everything a linear learner can know lies in that span, so d shrinks to n.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.passes.moments import Moments, Spread
from discriminant.places.memory import MemoryPlace
from discriminant.places.place import Place
from discriminant.solvers.measure import measure, refuse_not_finite

Floats = NDArray[np.float64]


class Coordinates(ABC):
    """`moments` measured in these coordinates, `place` holding the rows in them."""

    moments: Moments
    place: Place | None
    columns: int  # how many columns the user has
    keeps_columns: bool  # whether each coordinate is one of them

    @property
    def mean(self) -> Floats:
        """Class means in these coordinates (K, m)."""
        return self.moments.mean / self.moments.unit

    @abstractmethod
    def original_means(self) -> Floats:
        """Class means in the user's columns (K, d)."""

    @abstractmethod
    def lift(self, coef: Floats) -> Floats:
        """Coefficients of functions in these coordinates (K, m), as coefficients in the user's columns (K, d)."""

    @abstractmethod
    def lift_offset(self, coef: Floats) -> Floats:
        """What to add to the intercept of those functions (K,)."""


class InUnits(Coordinates):
    """The user's own columns, each divided by its unit."""

    keeps_columns = True

    def __init__(self, moments: Moments, place: Place | None) -> None:
        self.moments, self.place = moments, place
        self.columns = len(moments.unit)

    def original_means(self) -> Floats:
        return self.moments.mean

    def lift(self, coef: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(coef / self.moments.unit)

    def lift_offset(self, coef: Floats) -> Floats:
        return np.zeros(len(coef))

    def in_one_unit(self) -> InUnits:
        """All columns in the largest unit, so that lengths mean what they mean to the user."""
        return InUnits(self.moments.in_units(np.full_like(self.moments.unit, self.moments.unit.max())), self.place)


class Spanned(Coordinates):
    """x = mean + scale * (Q z): Q an orthonormal basis (d, m) of the centred, scaled rows."""

    keeps_columns = False

    def __init__(self, place: Place, classes: int, *, standardise: bool) -> None:
        self.columns = place.shape[1]
        X = np.array(place.take(np.arange(place.shape[0])), dtype=np.float64)
        self._mean = np.average(X, axis=0, weights=place.weights)
        X -= self._mean
        if not np.isfinite(X).all():
            refuse_not_finite(place)
        self._scale = _deviations(X, place, classes) if standardise else np.full(X.shape[1], _power(np.abs(X).max()))
        X /= self._scale
        self._basis, R = la.qr(X.T, mode="economic", overwrite_a=True, check_finite=False)
        self.place = MemoryPlace(np.ascontiguousarray(R.T), place.codes, place.weights)
        moments = measure(self.place, classes)
        self.moments = moments.in_units(np.ones_like(moments.unit))

    def original_means(self) -> Floats:
        return np.asarray(self._mean + self.moments.mean @ self._basis.T * self._scale)

    def lift(self, coef: Floats) -> Floats:
        return np.asarray(coef @ self._basis.T / self._scale)

    def lift_offset(self, coef: Floats) -> Floats:
        return np.asarray(-self.lift(coef) @ self._mean)


def _deviations(X: Floats, place: Place, classes: int) -> Floats:
    """The deviation of each column within classes; 1 for a column that has none."""
    moments = measure(MemoryPlace(X, place.codes, place.weights), classes, Spread.DIAGONAL)
    deviation = np.sqrt(moments.scatter.sum(axis=0) / moments.total) * moments.unit
    return np.where(deviation > 0, deviation, 1.0)


def _power(value: float) -> float:
    return float(np.ldexp(1.0, int(np.frexp(value)[1]))) if value > 0 else 1.0


def coordinates_of(place: Place, classes: int, *, one_unit: bool) -> Coordinates:
    """Measure the moments of `place`, in its rows' span where that is smaller than its columns.

    With `one_unit` lengths are those of the user's columns (shrinkage towards the identity depends on them).
    """
    if place.shape[1] > place.shape[0]:
        return Spanned(place, classes, standardise=not one_unit)
    columns = InUnits(measure(place, classes), place)
    return columns.in_one_unit() if one_unit else columns


def from_moments(moments: Moments, *, one_unit: bool) -> Coordinates:
    """The same for moments that were gathered before, as `partial_fit` does."""
    columns = InUnits(replace(moments), None)
    return columns.in_one_unit() if one_unit else columns
