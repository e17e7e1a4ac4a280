"""The length of every row, sqrt(|x|^2 + 1): with it a perceptron bounds the rounding of its nets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass
from discriminant.passes.scores import FirstBad


class Lengths(Pass[FirstBad]):
    """Fills `out` (n,); the value is the first row whose length is not finite. Finite lengths prove finite rows."""

    def __init__(self, out: NDArray[np.float64]) -> None:
        self.out = out

    def begin(self) -> FirstBad:
        return FirstBad()

    def block(self, block: Block, into: FirstBad) -> None:
        mine = self.out[block.start : block.start + block.shape[0]]
        block.lengths(mine)
        finite = np.isfinite(mine)
        if into.row < 0 and not finite.all():
            into.row = block.start + int(np.argmin(finite))

    def merge(self, into: FirstBad, other: FirstBad) -> FirstBad:
        return into if into.row >= 0 else other
