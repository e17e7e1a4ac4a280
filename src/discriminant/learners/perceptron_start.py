"""The weights that a perceptron starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import ParameterError

Floats = NDArray[np.float64]


def start_of(init: Any, shape: tuple[int, int], generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Coefficients of `shape` (F, d) and F intercepts, from what the user gave."""
    if isinstance(init, str):
        if init == "random":
            return generator.standard_normal(shape), generator.standard_normal(shape[0])
        return np.zeros(shape), np.zeros(shape[0])
    coef, intercept = init if _is_pair(init) else (init, None)
    return _numbers(coef, shape, "coef"), _numbers(0.0 if intercept is None else intercept, shape[:1], "intercept")


def _is_pair(init: Any) -> bool:
    """Whether a pair (coef, intercept) is meant: a tuple of two whose first is an array or list."""
    return isinstance(init, tuple) and len(init) == 2 and np.ndim(init[0]) > 0


def _numbers(given: Any, shape: tuple[int, ...], what: str) -> Floats:
    try:
        if np.asarray(given).dtype.kind not in "fbiuO":
            raise ValueError
        numbers = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"init: {what} must hold numbers; got {given!r}.") from None
    flat = numbers.ndim == 0 or (numbers.ndim < len(shape) and shape[0] == 1)
    wanted = np.broadcast_to(numbers, shape) if flat and numbers.shape in ((), shape[1:]) else numbers
    if wanted.shape != shape:
        raise ParameterError(f"init: {what} must be shaped like {what}_, {shape}"
                             f"{f' or {shape[1:]}' if len(shape) == 2 and shape[0] == 1 else ''}; got {numbers.shape}.")
    if not np.isfinite(wanted).all():
        raise ParameterError(f"init: {what} must hold finite numbers; got {given!r}.")
    return np.array(wanted)
