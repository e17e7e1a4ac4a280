"""How many rows a perceptron's functions get wrong, and by how much: the perceptron criterion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.functions import LinearFunctions
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


class Mistakes(Pass[Floats]):
    """For each of several candidates the weight of its wrong rows and the criterion (candidates, 2).

    A candidate is a single function, for two classes, or one for each class. With t = +-1 and net f(x) a row of two
    classes is wrong where t f(x) <= threshold, and adds threshold - t f(x) to the criterion; a row of several where
    another class scores at least as much as its own, and adds the difference. `ties_right` says whether a net at the
    threshold, or a tie, is right: of the classes listed (K,).
    """

    def __init__(self, functions: LinearFunctions, classes: int, threshold: float,
                 ties_right: NDArray[np.bool_]) -> None:
        self.functions, self.classes, self.threshold, self.ties_right = functions, classes, threshold, ties_right
        self.each = 1 if classes == 2 else classes

    def begin(self) -> Floats:
        return np.zeros((self.functions.count // self.each, 2))

    def merge(self, into: Floats, other: Floats) -> Floats:
        into += other
        return into

    def flops_per_row(self) -> int:
        return int(2 * self.functions.coef.size)

    def block(self, block: Block, into: Floats) -> None:
        scores = np.empty((block.shape[0], self.functions.count))
        block.scores(self.functions, scores, None)
        weights = np.ones(len(scores)) if block.weights is None else block.weights
        for candidate in range(len(into)):
            margin = self._margins(scores[:, candidate * self.each : (candidate + 1) * self.each], block.codes)
            wrong = (margin < self.threshold) | ((margin == self.threshold) & ~self.ties_right[block.codes])
            into[candidate] += weights @ wrong, weights @ (wrong * (self.threshold - margin))

    def _margins(self, scores: Floats, codes: NDArray[np.int32]) -> Floats:
        if self.each == 1:
            return np.where(codes == 1, scores[:, 0], -scores[:, 0])
        at = np.arange(len(codes))
        own, others = scores[at, codes], scores.copy()
        others[at, codes] = -np.inf
        return np.asarray(own - others.max(axis=1))
