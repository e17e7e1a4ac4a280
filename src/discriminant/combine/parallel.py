"""Parallel half-spaces: all along one direction, as many as the class changes along it.

Parity and the other functions of a weighted count of the inputs are made of few such slabs; so are rows of one column.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from discriminant.combine.half_space import HalfSpace, Rows

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_STEPS = {1: 1, 2: 2, 3: 2, 4: 2, 5: 1, 6: 1, 7: 1, 8: 1}  # columns of small integers: weights of up to that size


def parallel(rows: Rows, most: int | None) -> tuple[list[HalfSpace], Mask] | None:
    """The fewest parallel half-spaces found, in the order in which they cut, and the rows of the last class.

    None where the candidates take more than `most`, or rows of two classes lie at one place along each of them.
    """
    directions = _directions(rows)
    changes = np.array([_changes(rows, w) for w in directions])
    best = int(np.argmin(changes))
    limit = len(rows.codes) if most is None else most
    return _cut_along(rows, directions[best]) if changes[best] <= limit else None


def _directions(rows: Rows) -> list[Floats]:
    d = rows.X.shape[1]
    if rows.are_small_integers and d in _STEPS:
        sizes = range(-_STEPS[d], _STEPS[d] + 1)
        grid = [np.array(w, dtype=np.float64) for w in product(sizes, repeat=d) if any(w)]
        return sorted(grid, key=lambda w: (np.abs(w).sum(), -w.sum()))
    axes = list(np.eye(d))
    if rows.are_small_integers:
        return [np.ones(d), *axes]
    first = rows.codes == rows.codes[0]
    between = rows.Z[first].mean(axis=0) - rows.Z[~first].mean(axis=0)
    least_squares = np.linalg.lstsq(rows.Z, first - first.mean())[0]
    return [*axes, rows.in_units(between), rows.in_units(least_squares)]


def _changes(rows: Rows, w: Floats) -> float:
    """How often the class changes along w; infinite where rows of two classes lie at one place."""
    products, errors = rows.project(w)
    by_class = np.argsort(rows.codes, kind="stable")
    order = by_class[np.argsort(products[by_class], kind="stable")]
    differ = np.diff(rows.codes[order]) != 0
    apart = (products - errors)[order][1:] > (products + errors)[order][:-1]
    return float(differ.sum()) if (apart | ~differ).all() else np.inf


def _cut_along(rows: Rows, w: Floats) -> tuple[list[HalfSpace], Mask] | None:
    products, _ = rows.project(w)
    remaining, cuts = np.ones(len(products), bool), []
    while np.ptp(rows.codes[remaining]) > 0:
        outermost = int(np.argmax(np.where(remaining, products, -np.inf)))
        found = rows.cut(w, int(rows.codes[outermost]), remaining)
        if found is None:
            return None
        cuts.append(found)
        remaining = remaining & ~found.cut
    return cuts, remaining
