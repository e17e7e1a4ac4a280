"""Truth tables as a user may give them: a gate's name, a list of outputs, or inputs with their outputs."""

from __future__ import annotations

import reprlib
from itertools import product
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from discriminant.datasets.gate import TRUTH, Coding, gate
from discriminant.errors import InputError, ParameterError
from discriminant.parameters import OneOf, check

_OWNER = "ThresholdNetwork.from_truth_table"
_MOST_INPUTS = 16


def inputs_and_outputs(table: Any, outputs: Any, coding: Coding, targets: Coding) -> tuple[Any, Any]:
    """The rows (n, m) and their outputs (n,), which still have to pass the door."""
    words = [OneOf(*get_args(Coding))]
    check(_OWNER, {"coding": words, "targets": words}, {"coding": coding, "targets": targets})
    if outputs is not None:
        return table, outputs
    if isinstance(table, str):
        if table.lower() not in TRUTH:
            raise ParameterError(f"{_OWNER}: table must be the name of a gate ({', '.join(TRUTH)}), the outputs for "
                                 f"all inputs, or inputs with their outputs as a second argument; got {table!r}.")
        return gate(table, coding, targets=targets)
    y = np.asarray(table)
    inputs = len(y).bit_length() - 1 if y.ndim == 1 else 0
    if y.ndim != 1 or len(y) != 2**inputs or not 1 <= inputs <= _MOST_INPUTS:
        raise InputError(f"{_OWNER}: outputs must be a list for all 2^m inputs, from (1, ..., 1) down to (0, ..., 0), "
                         f"so 2, 4, 8, ... of them, up to 2^{_MOST_INPUTS}; got {_described(y)}. For a part of a table "
                         "give the inputs (n, m) first and their outputs second.")
    low = 0.0 if coding == "binary" else -1.0
    return np.array(list(product((1.0, low), repeat=inputs))), y


def _described(y: NDArray[Any]) -> str:
    return f"{len(y)} outputs" if y.ndim == 1 else f"{reprlib.repr(y.tolist())}, of shape {y.shape}"


def refuse_other_cells(X: NDArray[np.float64]) -> None:
    """Inputs of truth tables are 0 and 1 throughout, or -1 and 1."""
    low = -1.0 if (X == -1).any() else 0.0
    wrong = (low != X) & (X != 1)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise InputError(f"{_OWNER}: inputs must be 0 and 1 throughout, or -1 and 1 throughout; row {row}, column "
                         f"{column} is {X[row, column]:g}. For other rows use ThresholdNetwork().fit(X, y).")


def both_outputs(found: NDArray[Any], coding: Coding) -> NDArray[Any]:
    """The two classes of a table; where only one occurs, the other is the one that goes with it.

    Parameters
    ----------
    found : array (1,) or (2,) of the outputs that occur, sorted.
    coding : what a lone 1 is the high value of.
    """
    if len(found) == 2:
        return found
    lone = found.tolist()[0]
    if len(found) == 1 and found.dtype.kind in "biuf" and lone in (-1, 0, 1):
        low = -1 if lone == -1 or (lone == 1 and coding == "bipolar" and found.dtype.kind in "if") else 0
        return np.array([low, 1], found.dtype)
    what = f"{lone!r} only" if len(found) == 1 else f"{len(found)} different outputs"
    raise InputError(f"{_OWNER}: a truth table has two outputs, such as 0 and 1; got {what}. For more classes use "
                     "ThresholdNetwork().fit(X, y).")
