"""Truth tables of the logic gates."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from discriminant.parameters import OneOf, check

Coding = Literal["binary", "bipolar"]

# Outputs for the inputs (1, 1), (1, 0), (0, 1), (0, 0); of NOT for 1, 0.
TRUTH = {
    "and": (1, 0, 0, 0), "or": (1, 1, 1, 0), "xor": (0, 1, 1, 0),
    "nand": (0, 1, 1, 1), "nor": (0, 0, 0, 1), "xnor": (1, 0, 0, 1),
    "not": (0, 1),
}


def gate(name: str, coding: Coding = "binary", *,
         targets: Coding = "bipolar") -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Truth table of a logic gate, in the order in which it is worked through by hand.

    Parameters
    ----------
    name : {"and", "or", "nand", "nor", "xor", "xnor", "not"}
        The gate, in small or capital letters.
    coding : {"binary", "bipolar"}
        Inputs are 0 and 1, or -1 and 1.
    targets : {"binary", "bipolar"}
        Outputs are 0 and 1, or -1 and 1. Bipolar by default, whatever the inputs are.

    Returns
    -------
    X : ndarray of shape (4, 2), or (2, 1) for "not"
        The inputs, rows (1, 1), (1, 0), (0, 1), (0, 0) with 0 standing for the coding's low value.
    y : ndarray of int
        The outputs.

    Examples
    --------
    >>> from discriminant import datasets
    >>> X, y = datasets.gate("and")
    >>> X.tolist(), y.tolist()
    ([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [1, -1, -1, -1])
    """
    words = [OneOf("binary", "bipolar")]
    given = {"name": name.lower() if isinstance(name, str) else name, "coding": coding, "targets": targets}
    check("gate", {"name": [OneOf(*TRUTH)], "coding": words, "targets": words}, given)
    outputs = TRUTH[name.lower()]
    inputs = [(1, 1), (1, 0), (0, 1), (0, 0)] if len(outputs) == 4 else [(1,), (0,)]
    X, y = np.array(inputs, dtype=np.float64), np.array(outputs, dtype=np.int64)
    return 2 * X - 1 if coding == "bipolar" else X, 2 * y - 1 if targets == "bipolar" else y
