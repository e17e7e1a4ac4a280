"""Exact leave-one-out predictions of ridge regression on class targets, for many penalties at once.

In the eigenvectors of S + a I (S the weighted scatter of all rows), row i with coordinates z has leverage
    h = w (1/N + sum_j z_j^2 / (e_j + a)),
and leaving it out turns its residual r into r / (1 - h), for every target and weight (Allen 1974). So the leverages
for all penalties are one product with z^2 and the fits one product with z. Targets are the indicators of the classes;
the row goes to the class of the largest left-out prediction, divided, where the coding asks for it, by the class's
weight without the row.

Where there are as many coordinates as rows can fill, the fit without penalty is exact, and 1 - h and r are differences
of nearly equal numbers. They are then taken for what they are,
    1 - h = a w sum_j z_j^2 / (e_j (e_j + a)),      r = a sum_j z_j (Z'T)_j / (e_j (e_j + a)),
whose common factor a drops out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.dense import product
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]

_ROWS = 1024
_DETERMINED = 1e-10  # 1 - h below this: without the row its direction is unknown, and the row counts as wrong


@dataclass
class LeftOut:
    """For each penalty the weight of the rows put right, and the sum of squared left-out errors."""

    hits: Floats
    squares: Floats


class LeftOutRidge(Pass[LeftOut]):
    """`turn` (d, r) leads from x - centre to coordinates; `inverse` (r, G) holds 1 / (e + a); `cross` (r, K) = Z'T.

    With `exact` the fit without penalty is exact, and `inverse` holds 1 / (e (e + a)).
    """

    def __init__(self, centre: Floats, turn: Floats, inverse: Floats, cross: Floats, class_weight: Floats, *,
                 constant: bool, by_share: bool, exact: bool) -> None:
        self.centre, self.turn, self.inverse = centre, turn, inverse
        self.class_weight, self.constant, self.by_share, self.exact = class_weight, constant, by_share, exact
        penalties, classes = inverse.shape[1], cross.shape[1]
        self.fits = (inverse[:, :, None] * cross[:, None, :]).reshape(len(inverse), penalties * classes)

    def begin(self) -> LeftOut:
        return LeftOut(np.zeros(self.inverse.shape[1]), np.zeros(self.inverse.shape[1]))

    def merge(self, into: LeftOut, other: LeftOut) -> LeftOut:
        into.hits += other.hits
        into.squares += other.squares
        return into

    def flops_per_row(self) -> int:
        return 2 * (self.turn.size + self.fits.size + self.inverse.size)

    def block(self, block: Block, into: LeftOut) -> None:
        for start in range(0, block.shape[0], _ROWS):
            rows = np.arange(start, min(start + _ROWS, block.shape[0]))
            weights = np.ones(len(rows)) if block.weights is None else block.weights[rows]
            Z = product(block.rows(rows) - self.centre, self.turn)
            self._add(Z, block.codes[rows], weights, into)

    def _add(self, Z: Floats, codes: NDArray[np.int32], weights: Floats, into: LeftOut) -> None:
        total, classes = self.class_weight.sum(), len(self.class_weight)
        target = np.zeros((len(Z), 1, classes))
        target[np.arange(len(Z)), 0, codes] = 1.0
        leverage = weights[:, None] * product(Z * Z, self.inverse)  # (rows, penalties)
        fits = product(Z, self.fits).reshape(len(Z), -1, classes)
        if self.exact:
            keep, residual, known = leverage, fits, leverage > 0
        else:
            if self.constant:
                leverage += weights[:, None] / total
                fits += self.class_weight / total
            keep, residual = 1.0 - leverage, target - fits
            known = keep > _DETERMINED
        known &= (self.class_weight[codes] > weights)[:, None]  # others leave no class behind
        left_out = target - residual / np.where(known, keep, 1.0)[:, :, None]
        into.squares += weights @ ((left_out - target) ** 2).sum(axis=2)
        if self.by_share:
            share = np.tile(self.class_weight, (len(Z), 1))
            share[np.arange(len(Z)), codes] -= weights
            left_out /= np.maximum(share, np.finfo(float).tiny)[:, None, :]
        into.hits += weights @ (known & (left_out.argmax(axis=2) == codes[:, None]))
