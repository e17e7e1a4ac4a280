"""The residuals of linear functions and their products with the rows, with about twice the digits of the arithmetic.

With y = x * scale, not centred, and R_i = t_i - b - y_i'B: the sums over rows of w R, w y R' and w R^2.
Each factor of a product is cut into slices of so few bits that products of slices, summed over some rows, do not round
(Ozaki, Ogita, Oishi & Rump 2012); what they give is added up in pairs high + low (Knuth's two-sum). Rows enter as they
are, nothing of them is rounded, and so refinement with these sums converges to the solution for the very numbers given,
even where residuals are much larger than what the columns explain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.dense import DenseBlock
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]

_SLICES = 4  # of about 20 bits: the last ends 2^-80 below a column's largest cell
_ROWS = 1024


class Pair:
    """The sum high + low of two arrays: low holds what the additions to high have rounded away."""

    def __init__(self, high: Floats, low: Floats) -> None:
        self.high, self.low = high, low

    def add(self, other: Floats) -> None:
        total = self.high + other
        part = total - self.high
        self.low += (self.high - (total - part)) + (other - part)
        self.high = total

    def join(self, other: Pair) -> None:
        self.add(other.high)
        self.low += other.low

    def rounded(self) -> Floats:
        return self.high + self.low

    def settled(self) -> Pair:
        """The same sum with low below the last bit of high again, should high have cancelled."""
        out = Pair(self.high, np.zeros_like(self.low))
        out.add(self.low)
        return out

    def times(self, factor: Floats) -> Pair:
        """By an array that broadcasts with this one: the high part as Dekker's product."""
        high = self.high * factor
        (a, c), (b, d) = _halves(self.high), _halves(factor)
        return Pair(high, (((a * b - high) + a * d + c * b) + c * d) + self.low * factor)


@dataclass
class ExactSums:
    """The sums of w R (m,), of w y R' (d, m) and of w R^2 (m,)."""

    sums: Pair
    products: Pair
    squares: Floats

    def gradient(self, centre: Floats) -> Floats:
        """The sums of w (y - centre) R' (d, m), rounded once."""
        moved = self.sums.times(centre[:, None])
        return (self.products.high - moved.high) + (self.products.low - moved.low)


class ExactResiduals(Pass[ExactSums]):
    """`targets` (K, m) holds the target of each class; `scale` (d,) are powers of two."""

    def __init__(self, scale: Floats, B: Floats, b: Floats, targets: Floats) -> None:
        self.scale, self.B, self.b, self.targets = scale, B, b, targets

    def begin(self) -> ExactSums:
        d, m = self.B.shape
        return ExactSums(Pair(np.zeros(m), np.zeros(m)), Pair(np.zeros((d, m)), np.zeros((d, m))), np.zeros(m))

    def block(self, block: Block, into: ExactSums) -> None:
        for codes, weights, Y in block.centred(np.zeros_like(self.scale), self.scale):
            for start in range(0, len(Y), _ROWS):
                rows = slice(start, start + _ROWS)
                self._add(Y[rows], codes[rows], None if weights is None else weights[rows, None], into)

    def _add(self, Y: Floats, codes: NDArray[np.int32], weights: Floats | None, into: ExactSums) -> None:
        bits = (53 - max(Y.shape).bit_length()) // 2
        rows, stretch = _slices(Y, bits)
        slopes, lengths = _slices(self.B * stretch[:, None], bits)
        R = Pair(self.targets[codes], np.zeros((len(Y), len(self.b))))
        R.add(-self.b)
        for part in _products(rows, slopes):
            R.add(part * -lengths)
        R = R.settled()
        squares = R.high * R.high
        into.squares += (squares if weights is None else squares * weights).sum(axis=0)
        if weights is not None:
            R = R.times(weights)
        residuals, lengths = _slices(R.high, bits, R.low)
        for part in residuals:
            into.sums.add(part.sum(axis=0) * lengths)
        for part in _products([np.ascontiguousarray(part.T) for part in rows], residuals):
            into.products.add(part * stretch[:, None] * lengths)

    def merge(self, into: ExactSums, other: ExactSums) -> ExactSums:
        into.sums.join(other.sums)
        into.products.join(other.products)
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
    while len(slices) < _SLICES and (not slices or below is not None or rest.any()):
        part = (rest + grid) - grid
        rest = rest - part
        slices.append(part)
        grid *= 2.0**-bits
        if len(slices) == 2 and below is not None:  # rest has lost enough bits to take in those of `low`
            rest, below = rest + below, None
    return slices, length


def _products(A: list[Floats], B: list[Floats]) -> Iterator[Floats]:
    """The products of slices that reach above 2^(-_SLICES bits); each is exact."""
    for i, part in enumerate(A):
        right = B[: _SLICES - i]
        both = DenseBlock(part, 0, np.zeros(len(part), np.int32), None).times(np.hstack(right))
        yield from np.split(both, len(right), axis=1)


def _halves(A: Floats) -> tuple[Floats, Floats]:
    """A as the sum of two numbers of 26 bits (Veltkamp)."""
    wide = A * (2.0**27 + 1)
    high = wide - (wide - A)
    return high, A - high

