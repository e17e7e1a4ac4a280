"""The residuals of linear functions and their products with the rows, with about twice the digits of the arithmetic.

With y = x * scale, not centred, and R_i = t_i - b - y_i'B: the sums over rows of w R (m,), w y R' (d, m) and w R^2 (m,).
Each factor of a product is cut into slices of so few bits that products of slices, summed over a piece of rows, do not
round (Ozaki, Ogita, Oishi & Rump 2012); what they give is added up in pairs high + low (Knuth's two-sum). Rows enter as
they are: nothing of them is rounded, and so refinement with these sums converges to the solution for the very numbers
given, even where residuals are much larger than what the columns explain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]

_SLICES = 4  # of about 20 bits: the last ends 2^-80 below a column's largest cell


class Pair:
    """The unrounded sum high + low of two arrays, low below the last bit of high."""

    def __init__(self, high: Floats, low: Floats) -> None:
        self.high, self.low = high, low

    def add(self, other: Floats) -> None:
        total = self.high + other
        part = total - self.high
        self.low += (self.high - (total - part)) + (other - part)
        self.high = total

    def rounded(self) -> Floats:
        return self.high + self.low


@dataclass
class ExactSums:
    """`products` (1 + d, m): the sums of w R above those of w y R'; `squares` (m,)."""

    products: Pair
    squares: Floats


class ExactResiduals(Pass[ExactSums]):
    """`targets` (K, m) holds the target of each class; `scale` (d,) are powers of two."""

    def __init__(self, scale: Floats, B: Floats, b: Floats, targets: Floats) -> None:
        self.scale, self.B, self.b, self.targets = scale, B, b, targets

    def begin(self) -> ExactSums:
        d, m = self.B.shape
        return ExactSums(Pair(np.zeros((1 + d, m)), np.zeros((1 + d, m))), np.zeros(m))

    def block(self, block: Block, into: ExactSums) -> None:
        for codes, weights, Y in block.centred(np.zeros_like(self.scale), self.scale):
            bits = (53 - max(Y.shape).bit_length()) // 2
            rows, stretch = _slices(Y, bits)
            R = Pair(self.targets[codes], np.zeros((len(Y), len(self.b))))
            R.add(-self.b)
            slopes, lengths = _slices(self.B * stretch[:, None], bits)
            for part in _products(rows, slopes):
                R.add(part * -lengths)
            into.squares += ((R.high if weights is None else R.high * weights[:, None]) * R.high).sum(axis=0)
            if weights is not None:
                R = _times(R, weights[:, None])
            residuals, lengths = _slices(R.high, bits, R.low)
            for part in residuals:
                into.products.add(_below_ones(part.sum(axis=0) * lengths, np.zeros_like(self.B)))
            for part in _products([rows_part.T for rows_part in rows], residuals):
                into.products.add(_below_ones(np.zeros_like(self.b), part * stretch[:, None] * lengths))

    def merge(self, into: ExactSums, other: ExactSums) -> ExactSums:
        into.products.add(other.products.high)
        into.products.low += other.products.low
        into.squares += other.squares
        return into

    def value_bytes(self) -> int:
        return 16 * self.B.size

    def flops_per_row(self) -> int:
        return 4 * self.B.size * _SLICES * (_SLICES + 1) // 2


def _slices(A: Floats, bits: int, low: Floats | None = None) -> tuple[list[Floats], Floats]:
    """A (+ low) as the sum of slices, each times a power of two for each column; slice k is a multiple of 2^-k bits."""
    largest = np.abs(A).max(axis=0, initial=0.0)
    length = np.ldexp(1.0, np.frexp(largest)[1])
    rest, below = A / length, None if low is None else low / length
    slices: list[Floats] = []
    grid = 0.75 * 2.0 ** (53 - bits)  # what is added to it and taken away again is rounded to its last bit
    while len(slices) < _SLICES and (not slices or rest.any()):
        part = (rest + grid) - grid
        rest = rest - part
        slices.append(part)
        grid *= 2.0**-bits
        if len(slices) == 2 and below is not None:  # rest has lost enough bits to take in those of `low`
            rest = rest + below
    return slices, length


def _products(A: list[Floats], B: list[Floats]) -> Iterator[Floats]:
    """The products of slices that reach above 2^(-_SLICES bits); each is exact."""
    for i, part in enumerate(A):
        right = B[: _SLICES - i]
        both = part @ np.hstack(right)
        yield from np.split(both, len(right), axis=1)


def _times(R: Pair, weights: Floats) -> Pair:
    """R times weights: the high part by Dekker's product."""
    high = R.high * weights
    (a, c), (b, d) = _halves(R.high), _halves(np.broadcast_to(weights, high.shape))
    return Pair(high, (((a * b - high) + a * d + c * b) + c * d) + R.low * weights)


def _halves(A: Floats) -> tuple[Floats, Floats]:
    """A as the sum of two numbers of 26 bits (Veltkamp)."""
    wide = A * (2.0**27 + 1)
    high = wide - (wide - A)
    return high, A - high


def _below_ones(first: Floats, others: Floats) -> Floats:
    return np.vstack([first, others])
