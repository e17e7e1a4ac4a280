"""Votes of all pairs of K classes: who wins how many, and how clearly.

Pair p = (i, j), i < j, votes for j where its score s_p > 0 and for i elsewhere. With C (pairs, K) holding -1 at (p, i)
and 1 at (p, j), and b_p the win (0 or 1) of j,
    votes_k = K - 1 - k + sum_p b_p C_pk,        sums_k = sum_p s_p C_pk,
so that votes are one product, and for linear members sums_k is one linear function more for each class, C'W.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.dense import DenseBlock, product
from discriminant.blocks.functions import LinearFunctions
from discriminant.passes.a_pass import Pass
from discriminant.passes.scores import FirstBad

Floats = NDArray[np.float64]

_SCORE = 15_000  # operations that a score counts for, so that a block's scores of all pairs take about a megabyte


class Pairs:
    """All pairs of `classes` classes, `first` before `second`, in lexical order."""

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self.first, self.second = np.triu_indices(classes, 1)
        self.count = len(self.first)
        self.signs = np.zeros((self.count, classes))
        self.signs[np.arange(self.count), self.first] = -1.0
        self.signs[np.arange(self.count), self.second] = 1.0
        self._votes = LinearFunctions.of(self.signs.T, np.arange(classes - 1.0, -1.0, -1.0))

    def votes(self, wins: NDArray[np.bool_]) -> Floats:
        """(n, K) from the wins (n, pairs) of the second classes."""
        counted = np.empty((len(wins), self.classes))
        DenseBlock(wins.astype(np.float32), 0, np.zeros(len(wins), np.int32), None).scores(self._votes, counted, None)
        return counted

    def sums(self, scores: Floats) -> Floats:
        """(n, K) from the scores (n, pairs)."""
        return product(np.ascontiguousarray(scores, np.float64), self.signs)

    def sum_functions(self, coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """The functions whose scores are the sums, (K, d) and (K,), for linear members."""
        both = self.sums(np.column_stack([coef, intercept]).T).T
        return both[:, :-1], both[:, -1]


Answer = Callable[[Pairs, NDArray[np.bool_], Floats], NDArray[np.generic]]


def wins(pairs: Pairs, wins: NDArray[np.bool_], sums: Floats) -> NDArray[np.generic]:
    """Whether each pair votes for its second class (n, pairs)."""
    return wins


def votes(pairs: Pairs, wins: NDArray[np.bool_], sums: Floats) -> NDArray[np.generic]:
    """(n, K)."""
    return pairs.votes(wins)


def sums(pairs: Pairs, wins: NDArray[np.bool_], sums: Floats) -> NDArray[np.generic]:
    """The scores in favour of each class, added up (n, K)."""
    return sums


def grades(pairs: Pairs, wins: NDArray[np.bool_], sums: Floats) -> Floats:
    """Votes plus c / (3 |c| + 3), where c are the sums: less than a third, so that no vote is outweighed (n, K)."""
    return np.asarray(pairs.votes(wins) + sums / (3 * (np.abs(sums) + 1)))


def winners(pairs: Pairs, wins: NDArray[np.bool_], sums: Floats) -> NDArray[np.generic]:
    """The class of the best grade, the first of several (n,)."""
    return np.asarray(grades(pairs, wins, sums).argmax(axis=1))


class PairVotes(Pass[FirstBad]):
    """Fills `out`, one entry or row for each row, with what `answer` makes of the pairs' scores."""

    least_rows = 512

    def __init__(self, pairs: Pairs, coef: Floats, intercept: Floats, answer: Answer, out: NDArray[np.generic]) -> None:
        more, constants = pairs.sum_functions(coef, intercept)
        self.functions = LinearFunctions.of(np.vstack([coef, more]), np.concatenate([intercept, constants]))
        self.pairs, self.answer, self.out = pairs, answer, out

    def begin(self) -> FirstBad:
        return FirstBad()

    def block(self, block: Block, into: FirstBad) -> None:
        scores = np.empty((block.shape[0], self.functions.count))
        bad = block.scores(self.functions, scores, None)
        if bad >= 0:
            into.row = block.start + bad if into.row < 0 else into.row
            return
        won, sums = scores[:, : self.pairs.count] > 0, scores[:, self.pairs.count :]
        self.out[block.start : block.start + len(scores)] = self.answer(self.pairs, won, sums)

    def merge(self, into: FirstBad, other: FirstBad) -> FirstBad:
        return into if into.row >= 0 else other

    def flops_per_row(self) -> int:
        return int(self.functions.count * max(_SCORE, 2 * self.functions.coef.shape[1]))
