"""Labels to class codes: the sorted classes, and for every row the number of its class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import InputError

Codes = NDArray[np.int32]


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Classes in sorted order, and codes. `y` is one-dimensional."""
    kind = y.dtype.kind
    if kind == "b":
        return _encode_integers(y.view(np.uint8), y.dtype)
    if kind in "iu":
        return _encode_integers(y, y.dtype)
    if kind == "f":
        return _encode_floats(y)
    if kind in "OUSTMm":
        return _encode_words(y)
    raise InputError(f"y holds values of type {y.dtype}; labels must be numbers, strings or dates.")


def _encode_integers(y: NDArray[Any], dtype: np.dtype[Any]) -> tuple[NDArray[Any], Codes]:
    """A table look-up where the labels span a small range; a sort elsewhere."""
    low, high = int(y.min()), int(y.max())
    span = high - low + 1
    if span > max(1 << 16, 4 * len(y)):
        classes, codes = np.unique(y, return_inverse=True)
        return classes.astype(dtype), codes.astype(np.int32)
    offsets = y - y.dtype.type(low) if y.dtype.kind == "u" else np.subtract(y, low, dtype=np.int64)
    seen = np.zeros(span, bool)
    seen[offsets] = True
    table = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    present = np.flatnonzero(seen)
    return np.array([low + int(offset) for offset in present]).astype(dtype), table.take(offsets)


def _encode_floats(y: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    if not np.isfinite(y).all():
        row = int(np.argmin(np.isfinite(y)))
        raise InputError(f"Input y contains NaN or infinity (row {row}); every row needs a label.")
    fractions = y != np.trunc(y)
    if fractions.any():
        raise InputError(
            f"Unknown label type: continuous. y holds numbers that are not whole (such as "
            f"{float(y[np.argmax(fractions)]):g}); a classifier needs labels. Cut y into classes first."
        )
    if np.abs(y.astype(np.float64)).max() > 2**53:
        raise InputError("y holds numbers beyond 2**53, where float labels run into each other; use integers or "
                         "strings.")
    classes, codes = _encode_integers(y.astype(np.int64), np.dtype(np.int64))
    return classes.astype(y.dtype), codes


def _encode_words(y: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """By a dictionary, which is several times faster than sorting strings."""
    index: dict[Any, int] = {}
    try:
        codes = np.fromiter((index.setdefault(label, len(index)) for label in y.tolist()), np.int32, len(y))
    except TypeError as error:
        raise InputError(f"y holds a label that cannot be compared with the others: {error}.") from None
    found = list(index)
    if any(_is_missing(label) for label in found):
        raise InputError("Input y contains NaN, infinity or None; every row needs a label.")
    if y.dtype.kind == "O" and any(isinstance(label, (float, np.floating)) and label != np.trunc(label)
                                   for label in found):
        raise InputError("Unknown label type: continuous. y holds numbers that are not whole.")
    try:
        order = sorted(range(len(found)), key=found.__getitem__)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in found})
        raise InputError(
            f"Unknown label type: y mixes labels of types {', '.join(kinds)}, which have no common order; "
            "make them all strings."
        ) from None
    rank = np.empty(len(found), np.int32)
    rank[order] = np.arange(len(found), dtype=np.int32)
    if y.dtype.kind == "O":
        classes = np.empty(len(found), object)
        classes[:] = [found[i] for i in order]
    else:
        classes = np.array([found[i] for i in order], dtype=y.dtype)
    return classes, rank[codes]


def _is_missing(label: Any) -> bool:
    """None, infinity, or one that does not equal itself, as NaN of any type and pandas' NaT."""
    try:
        return label is None or bool(label != label) or label in (np.inf, -np.inf)
    except (TypeError, ArithmeticError):
        return True  # such as pandas' NA, and the signalling NaN of decimals
