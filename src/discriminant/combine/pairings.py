"""Problems of two classes, made from one of several: a class against the rest, or against another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Pairing:
    """Rows of the class `positive` are 1; those of `negative` are 0, where None means all other rows."""

    positive: int
    negative: int | None = None

    def sides(self, classes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The classes that are 0 and those that are 1."""
        others = np.delete(np.arange(classes), self.positive) if self.negative is None else np.array([self.negative])
        return others, np.array([self.positive])


def rows_of_pairings(codes: NDArray[np.int32], classes: int, pairings: Sequence[Pairing]
                     ) -> list[NDArray[np.int64] | None]:
    """The rows of each pairing in their order; None where they are all rows, which then need no copy."""
    if all(pairing.negative is None for pairing in pairings) or classes == 2:
        return [None] * len(pairings)
    ends = np.cumsum(np.bincount(codes, minlength=classes))[:-1]
    of_class = np.split(np.argsort(codes, kind="stable"), ends)
    out: list[NDArray[np.int64] | None] = []
    for pairing in pairings:
        negative, positive = pairing.sides(classes)
        out.append(np.sort(np.concatenate([of_class[k] for k in (*negative, *positive)])))
    return out
