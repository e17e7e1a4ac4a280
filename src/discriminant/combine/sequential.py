"""Sequential construction: half-spaces that cut off rows of one class, one after another, until one class is left.

Each half-space holds rows of one class and none other of those that remain; its rows are set aside (Marchand, Golea and
Rujan 1990, "A convergence theorem for sequential learning in two-layer perceptrons").

It ends on all rows that are consistent, for any number of classes. Let c be any point and a the row farthest from c.
For every other row b, (a - c)'(a - b) = (|a - c|^2 - |b - c|^2 + |a - b|^2) / 2 >= |a - b|^2 / 2 > 0, so the half-space
along a - c holds a alone if the threshold is high enough: each unit cuts off one row at least, and n - 1 units suffice.
The search does far better; the bound is what remains where it does not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from discriminant.combine.cut_search import best_direction, separating
from discriminant.combine.half_space import HalfSpace, Rows
from discriminant.combine.parallel import parallel

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Cuts = tuple[list[HalfSpace], Mask]  # in the order in which they cut, and the rows that they leave

_RANDOM_STARTS = 3
_LAST_RESORTS = 50  # random directions and random centres, tried before rows are said to be too near to each other
_TRIES, _CELLS, _CUTS = 4, 20_000, 300  # few rows with few half-spaces are tried many times over, for fewer of them


class TooNear(Exception):
    """No half-space can be told apart from rounding; `left` are the rows that remained (n,)."""

    def __init__(self, left: Mask) -> None:
        super().__init__()
        self.left = left


def construct(rows: Rows, random: np.random.Generator, most: int | None) -> Cuts:
    """Half-spaces, `most` of them at most; the rows left are of one class unless `most` came too early."""
    whole = _single(rows)
    if whole is not None:
        return [whole], ~whole.cut
    best = parallel(rows, most)
    if best is not None and rows.Z.shape[1] == 1:  # every change of class along a line takes a threshold
        return best
    # One half-space would have been found; each class but the last takes one.
    classes, tries, fewest = int(rows.codes.max()) + 1, 0, max(2, int(rows.codes.max()))
    while True:
        limit = _limit(rows, best, most)
        if best is not None and limit is not None and limit < fewest:
            return best
        found = _one_after_another(rows, random, limit)
        best, tries = found if best is None else _better(rows, best, found), tries + 1
        if tries >= min(_TRIES, _CELLS // rows.Z.size, _CUTS // (classes * len(found[0]))):
            return best


def classes_left(rows: Rows, left: Mask) -> NDArray[np.int64]:
    """How many of the rows left are of each class (K,)."""
    return np.bincount(rows.codes[left], minlength=int(rows.codes.max()) + 1)


def _wrong(rows: Rows, cuts: Cuts) -> int:
    counts = classes_left(rows, cuts[1])
    return int(counts.sum() - counts.max())


def _better(rows: Rows, best: Cuts, other: Cuts) -> Cuts:
    """The one with fewer rows left in the wrong class, then fewer half-spaces; `best` where both are alike."""
    return min(best, other, key=lambda each: (_wrong(rows, each), len(each[0])))


def _limit(rows: Rows, best: Cuts | None, most: int | None) -> int | None:
    """How many half-spaces another construction may have and still be the better one."""
    if best is None or _wrong(rows, best) > 0:
        return most
    return len(best[0]) - 1


def _single(rows: Rows) -> HalfSpace | None:
    """One half-space that holds one of two classes, and nothing of the other."""
    if rows.codes.max() != 1:
        return None
    own, everything = rows.codes == 1, np.ones(len(rows.codes), bool)
    v = separating(rows.X if rows.are_small_integers else rows.Z, own)
    if v is None:
        return None
    found = rows.cut(v if rows.are_small_integers else rows.in_units(v), 1, everything)
    if found is None or found.cut.sum() < own.sum():
        return None
    return rows.in_small_integers(found, everything)


def _one_after_another(rows: Rows, random: np.random.Generator, most: int | None) -> Cuts:
    cuts: list[HalfSpace] = []
    remaining = np.ones(len(rows.codes), bool)
    known: dict[int, Floats] = {}  # the last direction of each class, while it has all its rows
    while np.count_nonzero(classes_left(rows, remaining)) > 1 and (most is None or len(cuts) < most):
        found = _largest_cut(rows, remaining, known, random) or _any_cut(rows, remaining, random)
        if found is None:
            raise TooNear(remaining)
        found = rows.in_small_integers(found, remaining)
        cuts.append(found)
        remaining = remaining & ~found.cut
        known.pop(found.code, None)
    return cuts, remaining


def _largest_cut(rows: Rows, remaining: Mask, known: dict[int, Floats], random: np.random.Generator
                 ) -> HalfSpace | None:
    """The half-space that cuts off most rows, of any class.

    A direction of `known` cuts off as many rows as before, or more, now that there are fewer others.
    """
    Z, codes = rows.Z[remaining], rows.codes[remaining]
    found = []
    for code in np.flatnonzero(classes_left(rows, remaining)).tolist():
        own = codes == code
        starts = [known[code], random.standard_normal(Z.shape[1])] if code in known else _starts(Z, own, random)
        _, known[code] = best_direction(Z, own, starts)
        cut = rows.cut(rows.in_units(known[code]), code, remaining)
        if cut is not None:
            found.append(cut)
    return max(found, key=lambda each: int(each.cut.sum()), default=None)


def _starts(Z: Floats, own: Mask, random: np.random.Generator) -> list[Floats]:
    """From the other classes to this one; towards its farthest row; anywhere."""
    away = (Z - Z.mean(axis=0))[own]
    farthest = away[np.argmax(np.einsum("ij,ij->i", away, away))]
    between = Z[own].mean(axis=0) - Z[~own].mean(axis=0)
    return [between, farthest, *random.standard_normal((_RANDOM_STARTS, Z.shape[1]))]


def _any_cut(rows: Rows, remaining: Mask, random: np.random.Generator) -> HalfSpace | None:
    """A half-space that cuts off at least one row, where the search came so near to rounding that it has none."""
    for w in _last_resorts(rows, remaining, random):
        outermost = int(np.argmax(np.where(remaining, rows.project(w)[0], -np.inf)))
        found = rows.cut(w, int(rows.codes[outermost]), remaining)
        if found is not None:
            return found
    return None


def _last_resorts(rows: Rows, remaining: Mask, random: np.random.Generator) -> Iterator[Floats]:
    """Away from centres, as in the proof; anywhere; along one column, where products do not round at all."""
    Z = rows.Z[remaining]
    for _ in range(_LAST_RESORTS):
        centre = random.dirichlet(np.ones(len(Z))) @ Z
        away = Z - centre
        yield rows.in_units(away[np.argmax(np.einsum("ij,ij->i", away, away))])
        yield rows.in_units(random.standard_normal(Z.shape[1]))
    for column in range(rows.X.shape[1]):
        for sign in (1.0, -1.0):
            w = np.zeros(rows.X.shape[1])
            w[column] = sign
            yield w
