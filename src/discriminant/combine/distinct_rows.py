"""Rows that differ, each once; and what is said where equal rows, or all but equal ones, have different labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from discriminant.errors import InputError
from discriminant.places.place import Place
from discriminant.solvers.measure import refuse_not_finite

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


def refuse_sparse(X: Any) -> None:
    if sp.issparse(X):
        raise InputError("ThresholdNetwork takes dense rows only, and X is sparse. Give X.toarray().")


def as_floats(place: Place) -> Floats:
    """All rows as a dense matrix of finite float64 (n, d)."""
    X = place.take(np.arange(place.shape[0])).astype(np.float64)
    if not np.isfinite(X).all():
        refuse_not_finite(place)
    return X


def distinct(X: Floats, codes: NDArray[np.int32], classes: NDArray[Any]) -> Numbers:
    """The numbers of the first of all equal rows, in order."""
    order = np.lexsort(X.T[::-1])  # stable, so that equal rows stay in order
    equal = (X[order[1:]] == X[order[:-1]]).all(axis=1)
    differ = equal & (codes[order[1:]] != codes[order[:-1]])
    if differ.any():
        at = int(np.argmax(differ))
        raise InputError(f"{_pair(order[at], order[at + 1], codes, classes)} are equal, but have different labels: no "
                         "network can get both right. Drop one, or use a learner that allows for mistakes.")
    return np.sort(order[np.concatenate([[True], ~equal])])


def nearest_of_two_classes(X: Floats, left: Numbers, codes: NDArray[np.int32], classes: NDArray[Any]) -> InputError:
    """The error for rows that differ by less than rounding errors: it names two neighbours along the first column."""
    order = left[np.lexsort(X[left].T[::-1])]
    at = int(np.argmax(codes[order[1:]] != codes[order[:-1]]))
    return InputError(f"{_pair(order[at], order[at + 1], codes, classes)} have different labels, and differ from each "
                      "other or from more such rows by no more than the rounding of floating point. Subtract a "
                      "constant from the columns (such as their mean) before they are rounded, or drop such rows.")


def _pair(one: np.int64, other: np.int64, codes: NDArray[np.int32], classes: NDArray[Any]) -> str:
    first, second = sorted((int(one), int(other)))
    names = classes.tolist()
    return f"Rows {first} ({names[codes[first]]!r}) and {second} ({names[codes[second]]!r}) of X"
