"""The squared residuals of linear functions against targets: sum of w (t - y'B)^2 for each function (m,).

Rows are centred before they are multiplied, y = (x - centre) * scale, so that a mean much larger than the deviation
costs no digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.dense import DenseBlock
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


class Residuals(Pass[Floats]):
    """`targets` (K, m) holds the target of each class."""

    def __init__(self, centre: Floats, scale: Floats, B: Floats, targets: Floats) -> None:
        self.centre, self.scale, self.B, self.targets = centre, scale, B, targets

    def begin(self) -> Floats:
        return np.zeros(self.B.shape[1])

    def block(self, block: Block, into: Floats) -> None:
        for codes, weights, Y in block.centred(self.centre, self.scale):
            R = self.targets[codes] - DenseBlock(Y, 0, codes, None).times(self.B)
            R *= R
            into += R.sum(axis=0) if weights is None else weights @ R

    def merge(self, into: Floats, other: Floats) -> Floats:
        into += other
        return into

    def flops_per_row(self) -> int:
        return 2 * self.B.size
