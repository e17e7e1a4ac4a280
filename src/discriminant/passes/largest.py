"""The largest magnitude in every column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


class Largest(Pass[Floats]):
    """max_i |x_ij| for every column j."""

    def __init__(self, columns: int) -> None:
        self.columns = columns

    def begin(self) -> Floats:
        return np.zeros(self.columns)

    def block(self, block: Block, into: Floats) -> None:
        np.maximum(into, block.largest(), out=into)

    def merge(self, into: Floats, other: Floats) -> Floats:
        return np.maximum(into, other, out=into)
