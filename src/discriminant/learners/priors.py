"""The share of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import ParameterError

Floats = NDArray[np.float64]


def prior_of(given: Any, class_weights: Floats) -> Floats:
    """The priors the user gave, or the classes' shares of the training weight."""
    if given is None:
        return np.asarray(class_weights / class_weights.sum())
    try:
        if np.iscomplexobj(given):
            raise TypeError
        priors = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"priors must be one positive number for each class; got {given!r}.") from None
    if priors.shape != class_weights.shape:
        raise ParameterError(f"priors must have one number for each of the {len(class_weights)} classes; got shape "
                             f"{priors.shape}.")
    if not (np.isfinite(priors) & (priors > 0)).all():
        raise ParameterError(f"priors must be positive; got {given!r}. Leave a class that cannot occur out of y.")
    with np.errstate(over="ignore"):
        total = float(priors.sum())
    if abs(total - 1) > 1e-6:
        raise ParameterError(f"priors must sum to 1; these sum to {total:g}. Divide them by their sum.")
    return np.asarray(priors / total)
