"""The moments of a place, measured from a well chosen origin.

A few hundred rows, evenly spaced, give each class a centre (the middle cell of every column) and each column its unit.
Should they mislead (a column whose other rows are larger or smaller by a hundred orders of magnitude), the largest
magnitude of every column is read and the pass is made again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.origin import Origin
from discriminant.errors import InputError, ScaleError
from discriminant.passes.finite import FirstNotFinite
from discriminant.passes.largest import Largest
from discriminant.passes.moments import Moments, MomentSums, Spread
from discriminant.places.place import Place

_SAMPLE_ROWS = 512


def measure(place: Place, classes: int, spread: Spread = Spread.POOLED) -> Moments:
    """One read of the rows (two when the sample misled)."""
    order = _evenly(place.shape[0])
    sample = place.take(order)
    if not np.isfinite(sample).all():
        refuse_not_finite(place)
    if place.is_sparse:
        centre, largest = np.zeros((classes, place.shape[1])), place.fold(Largest(place.shape[1]))
    else:
        centre = class_middles(sample, place.codes[order], classes)
        largest = np.abs(sample).max(axis=0).astype(np.float64)
    if ((largest > 0) & (largest < np.finfo(sample.dtype).tiny)).any():
        raise ScaleError("X holds a column of numbers so small that they have lost digits (below "
                         f"{np.finfo(sample.dtype).tiny:.0e}); multiply it by a constant.")
    moments, misled = _read(place, Origin.of(centre, largest, place.dtype), spread)
    if misled:
        largest = place.fold(Largest(place.shape[1]))
        moments, _ = _read(place, Origin.of(centre, largest, place.dtype), spread)
    if not moments.is_finite():
        refuse_not_finite(place)
    return moments


def _read(place: Place, origin: Origin, spread: Spread) -> tuple[Moments, bool]:
    """The moments, and whether squares overflowed or vanished."""
    task = MomentSums(origin, place.shape[1], spread)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        moments = task.finish(place.fold(task))
    if not moments.is_finite():
        return moments, True
    squares = moments.scatter if spread is Spread.DIAGONAL else np.diagonal(moments.scatter, axis1=1, axis2=2)
    moved = (moments.mean != origin.centre[:, : place.shape[1]]).any(axis=0)
    smallest = float(np.finfo(origin.dtype).tiny) / float(np.finfo(origin.dtype).eps)
    return moments, bool((moved & (squares.max(axis=0) < smallest)).any() and _unit_was_guessed(origin))


def _unit_was_guessed(origin: Origin) -> bool:
    return bool((origin.unit == 1.0).any())


def _evenly(n: int) -> NDArray[np.int64]:
    count = min(n, _SAMPLE_ROWS)
    return np.arange(count) * (n - 1) // max(1, count - 1)


def class_middles(sample: NDArray[Any], codes: NDArray[np.int32], classes: int) -> NDArray[Any]:
    """The middle cell of each column in each class; classes outside the sample get that of all rows."""
    middles = np.repeat(_middle(sample)[None, :], classes, axis=0)
    for k in np.unique(codes):
        middles[k] = _middle(sample[codes == k])
    return middles


def _middle(rows: NDArray[Any]) -> NDArray[Any]:
    half = len(rows) // 2
    return np.asarray(np.partition(rows, half, axis=0)[half])


def refuse_not_finite(place: Place) -> None:
    """Raise the error for rows whose sums are not finite: the cell at fault, or a scale that overflows."""
    cell = place.fold(FirstNotFinite())
    if cell.row < 0:
        raise ScaleError(
            "X holds finite numbers so large, or so different in scale, that their sums leave the range of floating "
            "point; divide the largest columns by a constant."
        )
    kind = "NaN" if np.isnan(cell.value) else "infinity"
    hint = (
        "Fill missing cells first, for example with sklearn.impute.SimpleImputer"
        if kind == "NaN"
        else "Replace or drop such rows first"
    )
    raise InputError(f"Input X contains {kind} (row {cell.row}, column {cell.column}). {hint}.")
