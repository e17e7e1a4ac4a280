"""X' diag(w h) X V without forming the Gram matrix: what wide sparse problems multiply with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


class GramProducts(Pass[Floats]):
    """The value is (d, m); w are the rows' weights and h, where given, further factors (n,)."""

    def __init__(self, V: Floats, factors: Floats | None = None) -> None:
        self.V, self.factors = V, factors

    def begin(self) -> Floats:
        return np.zeros_like(self.V)

    def block(self, block: Block, into: Floats) -> None:
        R = block.times(self.V)
        if block.weights is not None:
            R *= block.weights[:, None]
        if self.factors is not None:
            R *= self.factors[block.start : block.start + block.shape[0], None]
        into += block.transpose_times(R)

    def merge(self, into: Floats, other: Floats) -> Floats:
        into += other
        return into

    def value_bytes(self) -> int:
        return 8 * self.V.size

    def flops_per_row(self) -> int:
        return 4 * self.V.size
