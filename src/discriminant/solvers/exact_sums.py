"""Whether a perceptron's run was made without a single rounding.

Numbers that are whole multiples of a power of two, and below 2^53 of it, add without rounding. So it suffices to bound
the weights that a run can have reached and to find the powers of two in which rows, steps and start are whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.places.place import Place

_EXACT = 2.0**53
_MOST_CELLS = 1 << 26  # of rows that are looked at; more count as not exact


def grain(numbers: NDArray[np.float64]) -> float:
    """The largest power of two of which all numbers are multiples (inf where all are zero)."""
    some = np.abs(numbers[numbers != 0])
    if not len(some):
        return float("inf")
    mantissa, exponent = np.frexp(some)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64))
    return float(np.ldexp(1.0, int((exponent - 53 + lowest).min())))


def sums_are_exact(place: Place, rate: float, start: NDArray[np.float64], mistakes: int) -> bool:
    """Of a run that began with the weights `start` and made so many mistakes."""
    n, d = place.shape
    if n * d > _MOST_CELLS:
        return False
    X = np.abs(place.take(np.arange(n)).astype(np.float64))
    steps = np.array([rate]) if place.weights is None else rate * place.weights
    cells, step = grain(X), grain(steps)
    weight = min(step * min(cells, 1.0), grain(start))
    largest_cell, largest_step = float(X.max()), float(steps.max())
    largest = float(np.abs(start).max()) + mistakes * largest_step * max(largest_cell, 1.0)
    return bool(largest_step * largest_cell <= _EXACT * step * cells and largest <= _EXACT * weight
                and (d * largest_cell + 1.0) * largest <= _EXACT * weight * min(cells, 1.0))
