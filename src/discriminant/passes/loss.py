"""The weighted loss of linear functions and its gradient, in one read, for any loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.functions import LinearFunctions, padded
from discriminant.losses import Loss
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


@dataclass
class LossSums:
    """The loss, its gradient by the weights (K, padded(d)) and by the intercepts (K,), and the first bad row or -1."""

    loss: float
    gradient: Floats
    intercept_gradient: Floats
    bad: int = -1


class LossAndGradient(Pass[LossSums]):
    """`scores` (n, K) and `curvature` (n,), each row's weight times l'' of a single function, are filled if given.

    The curvature is what a Newton step weighs the rows with: the moments of the place labelled with it are the Hessian.
    """

    def __init__(self, functions: LinearFunctions, loss: Loss, *, scores: Floats | None = None,
                 curvature: Floats | None = None) -> None:
        self.functions, self.loss, self.scores, self.curvature = functions, loss, scores, curvature

    def begin(self) -> LossSums:
        functions, columns = self.functions.coef.shape
        return LossSums(0.0, np.zeros((functions, padded(columns))), np.zeros(functions))

    def block(self, block: Block, into: LossSums) -> None:
        rows = slice(block.start, block.start + block.shape[0])
        loss, bad = block.add_loss(
            self.functions,
            self.loss,
            into.gradient,
            into.intercept_gradient,
            None if self.scores is None else self.scores[rows],
            None if self.curvature is None else self.curvature[rows],
        )
        into.loss += loss
        if bad >= 0 and into.bad < 0:
            into.bad = block.start + bad

    def merge(self, into: LossSums, other: LossSums) -> LossSums:
        into.loss += other.loss
        into.gradient += other.gradient
        into.intercept_gradient += other.intercept_gradient
        into.bad = into.bad if into.bad >= 0 else other.bad
        return into

    def value_bytes(self) -> int:
        return 8 * self.functions.coef.size

    def flops_per_row(self) -> int:
        return int(4 * self.functions.coef.size)
