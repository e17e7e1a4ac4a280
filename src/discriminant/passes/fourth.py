"""Sum of w |z|^4 over the rows of each class, z = (x - mean_k) * scale_k: what Ledoit-Wolf shrinkage asks for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


class FourthMoments(Pass[Floats]):
    """One number for each class (K,); `scale` is (K, d) or one row for all classes (1, d)."""

    def __init__(self, mean: Floats, scale: Floats) -> None:
        self.mean, self.scale = mean, np.broadcast_to(scale, mean.shape)

    def begin(self) -> Floats:
        return np.zeros(len(self.mean))

    def block(self, block: Block, into: Floats) -> None:
        fourth = block.squared_distances(self.mean, self.scale) ** 2
        if block.weights is not None:
            fourth *= block.weights
        into += np.bincount(block.codes, fourth, minlength=len(into))

    def merge(self, into: Floats, other: Floats) -> Floats:
        into += other
        return into
