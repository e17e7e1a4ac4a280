"""The coordinates a problem is solved in, and the way back to the user's columns.

Either the columns themselves in units that are powers of two, or the span of the rows (span.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from discriminant.passes.moments import Moments
from discriminant.places.place import Place

Floats = NDArray[np.float64]


class Coordinates(ABC):
    """`moments` measured in these coordinates, `place` holding the rows in them."""

    moments: Moments
    place: Place | None
    columns: int  # how many columns the user has
    keeps_columns: bool  # whether each coordinate is one of them
    stretch: float  # the length, in the user's columns, of a step of length 1 in the rows of `place`
    centre: Floats  # (d,) a point among the rows, in the user's columns
    unit: Floats  # (d,) a step of length 1 along each of the user's columns

    has_scatter = True  # whether `moments` hold the scatter matrix; if not, it is only multiplied with

    def scatter_times(self, V: Floats) -> Floats:
        """W V for the scatter W within classes, in these coordinates."""
        return self.moments.pooled @ V

    @property
    @abstractmethod
    def basis(self) -> Floats | None:
        """Q (d, m) orthonormal, where the rows are spanned: x = centre + unit * (Q z); None for the columns."""

    @property
    def mean(self) -> Floats:
        """Class means in these coordinates (K, m)."""
        return self.moments.mean / self.moments.unit

    @property
    @abstractmethod
    def mean_from_centre(self) -> Floats:
        """Class means in these coordinates, measured from `centre` (K, m)."""

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
    stretch = 1.0

    def __init__(self, moments: Moments, place: Place | None) -> None:
        self.moments, self.place = moments, place
        self.columns = len(moments.unit)
        self.centre, self.unit = moments.overall_mean, moments.unit

    @property
    def basis(self) -> None:
        return None

    @property
    def mean_from_centre(self) -> Floats:
        return np.asarray((self.moments.mean - self.centre) / self.unit)

    def original_means(self) -> Floats:
        return self.moments.mean

    def lift(self, coef: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(coef / self.moments.unit)

    def lift_offset(self, coef: Floats) -> Floats:
        return np.zeros(len(coef))

    def in_one_unit(self, *, centred: bool = True) -> Self:
        """All columns in one unit, so that lengths mean what they mean to the user."""
        unit = np.full_like(self.moments.unit, self.moments.common_unit(centred=centred))
        return type(self)(self.moments.in_units(unit), self.place)


def from_moments(moments: Moments, *, one_unit: bool) -> Coordinates:
    """The user's columns, for moments that were gathered before, as `partial_fit` does."""
    columns = InUnits(moments, None)
    return columns.in_one_unit() if one_unit else columns
