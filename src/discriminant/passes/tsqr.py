"""The triangular factor R of all rows [1, (x - centre) * scale, targets], each times sqrt(w): QR by blocks.

Two factors merge into that of their stack, so no more than a block of rows is ever in hand (Demmel, Grigori, Hoemmen &
Langou 2012). R'R is the Gram matrix, but R keeps twice its digits.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


class TriangularFactor(Pass[list[Floats]]):
    """The value is a list of at most one R (p, p), with fewer rows where there were fewer.

    p = 1 + d + m; without `constant` there is no column of ones.
    """

    def __init__(self, centre: Floats, scale: Floats, targets: Floats, *, constant: bool) -> None:
        self.centre, self.scale, self.targets, self.constant = centre, scale, targets, constant
        self.width: int = int(constant) + len(centre) + targets.shape[1]

    def begin(self) -> list[Floats]:
        return []

    def block(self, block: Block, into: list[Floats]) -> None:
        for codes, weights, Y in block.centred(self.centre, self.scale):
            rows = np.hstack([np.ones((len(Y), int(self.constant))), Y, self.targets[codes]])
            if weights is not None:
                rows *= np.sqrt(weights)[:, None]
            self._add(into, rows)

    def merge(self, into: list[Floats], other: list[Floats]) -> list[Floats]:
        for R in other:
            self._add(into, R)
        return into

    def value_bytes(self) -> int:
        return 8 * self.width**2

    def flops_per_row(self) -> int:
        return 4 * self.width**2

    def _add(self, into: list[Floats], rows: Floats) -> None:
        (R,) = la.qr(np.vstack([*into, rows]), mode="r", overwrite_a=True, check_finite=False)
        into[:] = [np.asarray(R[: self.width], np.float64)]
