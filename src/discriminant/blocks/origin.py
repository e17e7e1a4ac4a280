"""Where rows are measured from and in which unit, while they are summed.

Sums of squares of raw cells lose the digits that a large mean takes, and overflow or vanish for very large or small
columns. So a pass over moments measures y = (x - centre_k) / unit: a centre for each class, which is a cell that occurs
in the data (a column constant in its class becomes exactly zero), and a power of two for each column, so that scaling
is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.functions import padded

Floats = NDArray[np.float64]

# Units stay where both 2**e and 2**-e are normal numbers of the type, with room for a sum of squares.
_EXPONENTS = {np.dtype(np.float32): 100, np.dtype(np.float64): 900}


@dataclass(frozen=True)
class Origin:
    """Class centres (K, d) in the rows' own float type, and one power of two for each column (d,)."""

    centre: NDArray[Any]  # (K, padded(d)), float32 or float64
    scale: NDArray[Any]  # (padded(d),), 1 / unit in the same type
    unit: Floats  # (d,)

    @classmethod
    def of(cls, centre: NDArray[Any], largest: Floats, dtype: np.dtype[Any]) -> Origin:
        """`largest` is about the largest magnitude of each column; where it is 0 the unit is 1."""
        classes, columns = centre.shape
        _, exponents = np.frexp(np.where(np.isfinite(largest) & (largest > 0), largest, 1.0))
        limit = _EXPONENTS[np.dtype(dtype)]
        exponents = np.clip(exponents - 1, -limit, limit)
        padded_centre = np.zeros((classes, padded(columns)), dtype)
        padded_centre[:, :columns] = centre
        scale = np.zeros(padded(columns), dtype)
        scale[:columns] = np.ldexp(1.0, -exponents)
        return cls(padded_centre, scale, np.ldexp(1.0, exponents))

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.scale.dtype

    @property
    def classes(self) -> int:
        return int(self.centre.shape[0])

    def of_class(self, k: int) -> Origin:
        return Origin(self.centre[k : k + 1], self.scale, self.unit)
