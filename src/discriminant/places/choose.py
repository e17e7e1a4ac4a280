"""The place of rows, by their type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.places.memory import MemoryPlace
from discriminant.places.place import Place


def place_of(
    rows: Any, codes: NDArray[np.int32] | None = None, weights: NDArray[np.float64] | None = None
) -> Place:
    """The place that holds `rows`, as they came through the door."""
    return MemoryPlace(rows, codes, weights)
