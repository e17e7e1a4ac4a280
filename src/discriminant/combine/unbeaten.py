"""The winner of all pairs' votes without counting them all.

A class that wins all its K - 1 pairs has the most votes, alone: whatever the other pairs say. So each row is given a
candidate, the class with the largest sum of scores in its favour (K functions), and the candidate meets its K - 1
opponents only. Against candidate c, let f_j be the score in favour of j, and f_c = 0: c is unbeaten where f_c is the
largest. The first of equal ones is meant, which is also how a pair decides a score of 0. That is 2 K products a row in
place of K (K - 1) / 2; the rows whose candidate is beaten, few in most data, are left to a full count. (Letting the
victor be the next candidate finds few more, for the time it takes.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.dense import DenseBlock
from discriminant.blocks.functions import LinearFunctions
from discriminant.combine.votes import Pairs
from discriminant.passes.a_pass import Pass
from discriminant.passes.scores import FirstBad

Floats = NDArray[np.float64]

BEATEN = -1


class Unbeaten(Pass[FirstBad]):
    """Fills `out` (n,) with the candidate's code where it is unbeaten, else with `BEATEN`."""

    least_rows = 4096  # each block meets the functions of all candidates, so it should hold many rows of each

    def __init__(self, pairs: Pairs, coef: Floats, intercept: Floats, out: NDArray[np.int32]) -> None:
        self.pairs, self.coef, self.intercept, self.out = pairs, coef, intercept, out
        self.sums = LinearFunctions.of(*pairs.sum_functions(coef, intercept))
        self._opponents: dict[int, LinearFunctions] = {}

    def begin(self) -> FirstBad:
        return FirstBad()

    def block(self, block: Block, into: FirstBad) -> None:
        candidates = self.out[block.start : block.start + block.shape[0]]
        bad = block.scores(self.sums, None, candidates)
        if bad >= 0:
            into.row = block.start + bad if into.row < 0 else into.row
            return
        order = np.argsort(candidates, kind="stable")
        ends = np.cumsum(np.bincount(candidates, minlength=self.pairs.classes))
        for c, mine in enumerate(np.split(order, ends[:-1])):
            if len(mine):
                best = np.empty(len(mine), np.int32)
                DenseBlock(block.rows(mine), 0, best, None).scores(self._against(c), None, best)
                candidates[mine] = np.where(best == c, c, BEATEN)

    def _against(self, c: int) -> LinearFunctions:
        """The functions f_j of all opponents, and 0 for c itself."""
        if c not in self._opponents:
            self._opponents[c] = self._made_against(c)
        return self._opponents[c]

    def _made_against(self, c: int) -> LinearFunctions:
        pairs = self.pairs
        coef, intercept = np.zeros((pairs.classes, self.coef.shape[1])), np.zeros(pairs.classes)
        after, before = pairs.first == c, pairs.second == c
        coef[c + 1 :], intercept[c + 1 :] = self.coef[after], self.intercept[after]
        coef[:c], intercept[:c] = -self.coef[before], -self.intercept[before]
        return LinearFunctions.of(coef, intercept)

    def merge(self, into: FirstBad, other: FirstBad) -> FirstBad:
        return into if into.row >= 0 else other

    def flops_per_row(self) -> int:
        return int(4 * self.sums.coef.size)
