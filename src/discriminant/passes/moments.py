"""Class weights, class means and within-class scatter in one read.

With y = (x - centre_k) / unit (blocks/origin.py), a block adds up N_k = sum w, s_k = sum w y and S = sum w y y'. Then
    mean_k = centre_k + unit s_k / N_k,        W = S - sum_k s_k s_k' / N_k,
and two parts merge by  W = Wa + Wb + sum_k (Na Nb / N) d d',  d = mean_b - mean_a  (Chan, Golub & LeVeque 1983).
X'X minus n mean mean' is never formed: it loses twice the digits that the mean takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.functions import padded
from discriminant.blocks.origin import Origin
from discriminant.passes.a_pass import Pass

Floats = NDArray[np.float64]


class Spread(Enum):
    """Which second moments are kept: one matrix for all classes, one for each, or only its diagonal for each."""

    POOLED = "pooled"
    BY_CLASS = "by class"
    DIAGONAL = "diagonal"


@dataclass(frozen=True)
class Moments:
    """Weights N_k, means and within-class scatter, the scatter in units of `unit` (powers of two).

    Shapes: weight (K,), mean (K, d), unit (d,); scatter (1, d, d), (K, d, d) or (K, d), as `spread` says.
    """

    spread: Spread
    weight: Floats
    mean: Floats
    unit: Floats
    scatter: Floats
    precision: float  # the rounding unit of the arithmetic that the scatter went through

    @property
    def total(self) -> float:
        return float(self.weight.sum())

    @property
    def pooled(self) -> Floats:
        """The scatter within all classes together (d, d)."""
        return np.asarray(self.scatter[0] if len(self.scatter) == 1 else self.scatter.sum(axis=0))

    @property
    def overall_mean(self) -> Floats:
        """Measured from one of the class means, so that a column that is constant keeps its very value."""
        first = self.mean[int(self.weight.argmax())]
        return np.asarray(first + (self.weight / self.total) @ (self.mean - first))

    def is_finite(self) -> bool:
        """Whether every cell that went in was finite and no square overflowed: the diagonal alone proves it."""
        if self.spread is Spread.DIAGONAL:
            return bool(np.isfinite(self.scatter).all() and np.isfinite(self.mean).all())
        diagonals = np.diagonal(self.scatter, axis1=1, axis2=2)
        return bool(np.isfinite(diagonals).all() and np.isfinite(self.mean).all())

    def in_units(self, unit: Floats) -> Moments:
        """The same moments with the scatter in other units; exact, the ratios being powers of two."""
        with np.errstate(over="ignore", under="ignore"):
            ratio = self.unit / unit
            both = ratio if self.spread is Spread.DIAGONAL else ratio[:, None]
            # A column without spread may be of any size beside the unit: its zeros stay zeros.
            first = np.multiply(self.scatter, both, out=np.zeros_like(self.scatter), where=self.scatter != 0)
            both = both if self.spread is Spread.DIAGONAL else ratio
            scaled = np.multiply(first, both, out=np.zeros_like(first), where=first != 0)
        return replace(self, unit=unit, scatter=scaled)

    def common_unit(self, *, centred: bool = True) -> float:
        """A power of two near the largest deviation of a column, or its largest root mean square."""
        squares = self.scatter.sum(axis=0) if self.spread is Spread.DIAGONAL else np.diagonal(self.pooled)
        offset = (self.mean - self.overall_mean if centred else self.mean) / self.unit
        with np.errstate(divide="ignore"):
            exponents = np.log2(squares + self.weight @ offset**2) / 2 + np.log2(self.unit)
        largest = float(exponents.max())
        return float(np.ldexp(1.0, int(np.clip(largest, -1000, 1000)))) if np.isfinite(largest) else 1.0

    def with_classes(self, at: NDArray[np.intp], classes: int) -> Moments:
        """The same moments among `classes` classes, class k of these becoming class at[k] of those."""
        weight = np.zeros(classes)
        mean = np.zeros((classes, self.mean.shape[1]))
        weight[at], mean[at] = self.weight, self.mean
        scatter = self.scatter
        if self.spread is not Spread.POOLED:
            scatter = np.zeros((classes, *self.scatter.shape[1:]))
            scatter[at] = self.scatter
        return replace(self, weight=weight, mean=mean, scatter=scatter)

    def of_classes(self, at: NDArray[np.intp]) -> Moments:
        """The moments of the classes `at`; the others must have no weight."""
        scatter = self.scatter if self.spread is Spread.POOLED else self.scatter[at]
        return replace(self, weight=self.weight[at], mean=self.mean[at], scatter=scatter)

    def merged(self, other: Moments) -> Moments:
        """The moments of both sets of rows; the classes must be the same."""
        unit = np.maximum(self.unit, other.unit)
        a, b = self.in_units(unit), other.in_units(unit)
        weight = a.weight + b.weight
        share = np.divide(b.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        step = np.where((a.weight > 0)[:, None] & (b.weight > 0)[:, None], b.mean - a.mean, 0.0)
        mean = np.where((a.weight > 0)[:, None], a.mean + share[:, None] * step, b.mean)
        step = step / unit * np.sqrt(a.weight * share)[:, None]
        scatter = a.scatter + b.scatter
        if a.spread is Spread.POOLED:
            scatter += step.T @ step
        elif a.spread is Spread.BY_CLASS:
            scatter += step[:, :, None] * step[:, None, :]
        else:
            scatter += step * step
        return Moments(a.spread, weight, mean, unit, scatter, max(a.precision, b.precision))


@dataclass
class Sums:
    """What a block adds to, in units of the origin and padded to whole vectors."""

    totals: Floats
    sums: Floats
    scatter: Floats


class MomentSums(Pass[Sums]):
    """The pass; `finish` turns its value into `Moments`."""

    def __init__(self, origin: Origin, columns: int, spread: Spread) -> None:
        self.origin, self.columns, self.spread = origin, columns, spread

    def begin(self) -> Sums:
        classes, wide = self.origin.classes, padded(self.columns)
        shape = {
            Spread.POOLED: (1, wide, wide),
            Spread.BY_CLASS: (classes, wide, wide),
            Spread.DIAGONAL: (classes, wide),
        }[self.spread]
        return Sums(np.zeros(classes), np.zeros((classes, wide)), np.zeros(shape))

    def block(self, block: Block, into: Sums) -> None:
        if self.spread is Spread.DIAGONAL:
            block.add_squares(self.origin, into.totals, into.sums, into.scatter)
        elif self.spread is Spread.POOLED:
            block.add_gram(self.origin, into.totals, into.sums, into.scatter[0], None)
        else:
            for k in range(self.origin.classes):
                block.add_gram(self.origin.of_class(k), into.totals[k : k + 1], into.sums[k : k + 1],
                               into.scatter[k], k)

    def merge(self, into: Sums, other: Sums) -> Sums:
        into.totals += other.totals
        into.sums += other.sums
        into.scatter += other.scatter
        return into

    def value_bytes(self) -> int:
        matrices = self.origin.classes if self.spread is Spread.BY_CLASS else 1
        return 8 * padded(self.columns) * (self.origin.classes + matrices * padded(self.columns))

    def flops_per_row(self) -> int:
        return self.columns * (self.columns + 1)

    def finish(self, value: Sums) -> Moments:
        """W = S - sum s s'/N; a diagonal cell that is rounding noise becomes exactly zero, with its row and column."""
        d = self.columns
        sums = value.sums[:, :d]
        weight = value.totals
        safe = np.where(weight > 0, weight, 1.0)
        rooted = sums / np.sqrt(safe)[:, None]
        precision = float(np.finfo(self.origin.dtype).eps)
        mean = self.origin.centre[:, :d].astype(np.float64) + self.origin.unit * (sums / safe[:, None])
        if self.spread is Spread.DIAGONAL:
            squares = value.scatter[:, :d]
            scatter = squares - rooted**2
            scatter[scatter <= 8 * precision * squares] = 0.0
        else:
            parts = [rooted] if self.spread is Spread.POOLED else list(rooted[:, None, :])
            scatter = np.stack([_within(S[:d, :d], s, precision) for S, s in zip(value.scatter, parts, strict=True)])
        return Moments(self.spread, weight, mean, self.origin.unit, scatter, precision)


def _within(upper: Floats, rooted: Floats, precision: float) -> Floats:
    """Symmetric W from the upper triangle of S."""
    W = np.triu(upper)
    W += np.triu(W, 1).T
    raw = np.diagonal(W).copy()
    W -= rooted.T @ rooted
    noise = np.diagonal(W) <= 8 * precision * raw
    W[noise, :] = 0.0
    W[:, noise] = 0.0
    return W


