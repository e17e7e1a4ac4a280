"""Linear functions laid out as the kernels read them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant import _core


def padded(columns: int) -> int:
    """The columns of a kernel's buffer: `columns` rounded up to whole vectors."""
    lanes: int = _core.LANE_COLUMNS
    return -(-columns // lanes) * lanes


@dataclass(frozen=True)
class LinearFunctions:
    """The K functions f_k(x) = w_k'x + b_k, with the layout that the scores kernel wants prepared once.

    A few functions are stored row by row (K, d); many lie along the vector, (d, padded(K)).
    """

    coef: NDArray[np.float64]  # (K, d)
    intercept: NDArray[np.float64]  # (K,)
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    @classmethod
    def of(cls, coef: NDArray[np.float64], intercept: NDArray[np.float64]) -> LinearFunctions:
        coef = np.ascontiguousarray(coef, dtype=np.float64)
        functions, columns = coef.shape
        bias = np.zeros(padded(functions))
        bias[:functions] = intercept
        weights = coef
        if functions > _core.NARROW_FUNCTIONS:
            weights = np.zeros((columns, padded(functions)))
            weights[:, :functions] = coef.T
        return cls(coef, np.asarray(intercept, dtype=np.float64), weights, bias)

    @classmethod
    def of_columns(cls, V: NDArray[np.float64]) -> LinearFunctions:
        """The functions x'v for every column v of V (d, K)."""
        return cls.of(V.T, np.zeros(V.shape[1]))

    @property
    def count(self) -> int:
        return int(self.coef.shape[0])
