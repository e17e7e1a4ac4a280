"""The residuals of linear functions against targets, and what they say of the gradient, in one read.

With y = (x - centre) * scale and R_i = t_i - (y_i'B + b): the sums over rows of w y R' (d, m), w R (m,) and w R^2 (m,).
Rows are centred before they are multiplied, so that a mean much larger than the deviation costs no digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


@dataclass
class ResidualSums:
    gradient: Floats
    sums: Floats
    squares: Floats


class Residuals(Pass[ResidualSums]):
    """`targets` (K, m) holds the target of each class."""

    def __init__(self, centre: Floats, scale: Floats, B: Floats, b: Floats, targets: Floats) -> None:
        self.centre, self.scale, self.B, self.b, self.targets = centre, scale, B, b, targets

    def begin(self) -> ResidualSums:
        d, m = self.B.shape
        return ResidualSums(np.zeros((d, m)), np.zeros(m), np.zeros(m))

    def block(self, block: Block, into: ResidualSums) -> None:
        for codes, weights, Y in block.centred(self.centre, self.scale):
            R = self.targets[codes] - (Y @ self.B + self.b)
            weighted = R if weights is None else R * weights[:, None]
            into.gradient += Y.T @ weighted
            into.sums += weighted.sum(axis=0)
            into.squares += (weighted * R).sum(axis=0)

    def merge(self, into: ResidualSums, other: ResidualSums) -> ResidualSums:
        into.gradient += other.gradient
        into.sums += other.sums
        into.squares += other.squares
        return into

    def value_bytes(self) -> int:
        return 8 * self.B.size

    def flops_per_row(self) -> int:
        return 4 * self.B.size
