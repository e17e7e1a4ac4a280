"""The scores f_k(x) = w_k'x + b_k of every row, written out, or only the index of the largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.functions import LinearFunctions
from discriminant.passes.a_pass import Pass


@dataclass
class FirstBad:
    """The first row whose scores are not finite, or -1. Finite scores prove that the row was finite."""

    row: int = -1


class Scores(Pass[FirstBad]):
    """Fills `out` (n, K) and `winners` (n,), either of which may be None; of one function the winner is 1 where > 0."""

    def __init__(
        self,
        functions: LinearFunctions,
        out: NDArray[np.float64] | None = None,
        winners: NDArray[np.int32] | None = None,
    ) -> None:
        self.functions, self.out, self.winners = functions, out, winners

    def begin(self) -> FirstBad:
        return FirstBad()

    def block(self, block: Block, into: FirstBad) -> None:
        rows = slice(block.start, block.start + block.shape[0])
        bad = block.scores(
            self.functions,
            None if self.out is None else self.out[rows],
            None if self.winners is None else self.winners[rows],
        )
        if bad >= 0 and into.row < 0:
            into.row = block.start + bad

    def merge(self, into: FirstBad, other: FirstBad) -> FirstBad:
        return into if into.row >= 0 else other

    def flops_per_row(self) -> int:
        return int(2 * self.functions.coef.size)
