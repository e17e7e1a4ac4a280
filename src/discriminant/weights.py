"""Row weights, as the user gave them for rows and for classes."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant import frames
from discriminant.errors import InputError, ParameterError
from discriminant.parameters import Real

Floats = NDArray[np.float64]

_FACTOR = Real(0, 1e30)
_HEAVIEST, _LIGHTEST = 1e30, 1e-30  # a sum of weights stays well inside float32 between these


def row_weights(sample_weight: Any, n: int) -> Floats | None:
    """One finite weight >= 0 for each of the n rows, or None."""
    if sample_weight is None:
        return None
    try:
        given = frames.column_as_array(sample_weight) if frames.is_column(sample_weight) else np.asarray(sample_weight)
        if given.dtype.kind not in "biufO":
            raise ValueError
        with np.errstate(over="ignore"):
            each = np.full(n, given) if given.ndim == 0 else given
            weights = np.require(each, np.float64, ["C", "A"])
    except (TypeError, ValueError, OverflowError):
        raise InputError("sample_weight must hold one number for every row of X; got "
                         f"{reprlib.repr(sample_weight)}.") from None
    if weights.shape != (n,):
        raise InputError(f"Sample weights must be 1D, one for each of the {n} rows of X: sample_weight.shape == "
                         f"{weights.shape}, expected {(n,)}!")
    if not np.isfinite(weights).all():
        raise InputError("Input sample_weight contains NaN or infinity; every row needs a finite weight.")
    if (weights < 0).any():
        raise InputError(f"sample_weight must not be negative; row {int(np.argmax(weights < 0))} has "
                         f"{weights.min():g}.")
    return _in_range(weights, "sample_weight")


def _in_range(weights: Floats, name: str) -> Floats:
    heaviest = weights.max()
    if not _LIGHTEST < heaviest < _HEAVIEST:
        raise InputError(f"{name} is zero for every row." if heaviest == 0 else
                         f"{name} goes up to {heaviest:g}; divide all weights by a constant, so that the largest is "
                         "near 1.")
    return weights


def with_class_weight(class_weight: Any, classes: NDArray[Any], codes: NDArray[np.int32], weights: Floats | None
                      ) -> Floats | None:
    """Row weights times the weight of the row's class."""
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        names = classes.tolist()
        strangers = [label for label in class_weight if label not in names]
        if strangers:
            raise ParameterError(f"class_weight names {strangers[0]!r}, which is not a class of y; the classes are "
                                 f"{', '.join(map(repr, names[:10]))}.")
        for label, factor in class_weight.items():
            if not _FACTOR.accepts(factor):
                raise ParameterError(f"class_weight must map labels to {_FACTOR}; {label!r} has {factor!r}.")
        factors = np.array([float(class_weight.get(label, 1.0)) for label in names])
    else:
        held = np.bincount(codes, weights, minlength=len(classes))
        factors = held.sum() / (len(classes) * np.where(held > 0, held, 1.0))
    return _in_range(factors[codes] if weights is None else weights * factors[codes], "class_weight")
