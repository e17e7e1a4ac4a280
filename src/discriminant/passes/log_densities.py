"""offset_k - D_k(x) / 2 for every row and class, D_k a squared distance: Gaussian log densities, or their winners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass
from discriminant.passes.distances import Distances
from discriminant.passes.scores import FirstBad

Floats = NDArray[np.float64]


class LogDensities(Pass[FirstBad]):
    """Fills `out` (n, K) and `winners` (n,), either of which may be None; among equals the first class wins."""

    def __init__(self, distances: Distances, offset: Floats, out: Floats | None = None,
                 winners: NDArray[np.int32] | None = None) -> None:
        self.distances, self.offset, self.out, self.winners = distances, offset, out, winners

    def begin(self) -> FirstBad:
        return FirstBad()

    def block(self, block: Block, into: FirstBad) -> None:
        start = block.start
        with np.errstate(over="ignore", invalid="ignore"):
            for _, _, Y in block.centred(self.distances.origin, self.distances.scale):
                bad = self._piece(Y, slice(start, start + len(Y)))
                if bad >= 0 and into.row < 0:
                    into.row = bad
                start += len(Y)

    def _piece(self, Y: Floats, rows: slice) -> int:
        """Returns the first row without a finite density, or -1."""
        scores = self.distances.of(Y)
        scores *= -0.5
        scores += self.offset
        if self.out is not None:
            self.out[rows] = scores
        if self.winners is not None:
            self.winners[rows] = scores.argmax(axis=1)
        finite = np.isfinite(scores)
        return -1 if finite.all() else rows.start + int(np.argmin(finite.all(axis=1)))

    def merge(self, into: FirstBad, other: FirstBad) -> FirstBad:
        return into if into.row >= 0 else other

    def flops_per_row(self) -> int:
        return self.distances.flops_per_row
