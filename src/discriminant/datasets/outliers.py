"""Separable classes with rows that are 'too correct': far from the boundary, on the right side of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.datasets.random_state import RandomState, generator
from discriminant.datasets.separable import separable
from discriminant.parameters import Integer, Real, check

MARGIN = 1.0


def outliers(n: int, d: int, *, fraction: float = 0.05, distance: float = 30.0,
             random_state: RandomState = None) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two separable classes, some rows of class 1 far out on their own side.

    The boundary with the largest margin, 1, is the same with these rows as without them. Least squares, which
    punishes a row for being too far on the right side, moves its boundary towards them and makes mistakes; logistic
    regression makes none.

    Parameters
    ----------
    n : int
        Rows, half of them in each class.
    d : int
        Columns.
    fraction : float
        Share of all rows that is moved out, below one half; one row of class 1 always stays.
    distance : float
        How much farther from the boundary these rows lie than they otherwise would.
    random_state : int, Generator, RandomState or None
        The same number gives the same data.

    Returns
    -------
    X : ndarray of shape (n, d)
        The rows, in random order.
    y : ndarray of int of shape (n,)
        The classes, 0 and 1.

    Notes
    -----
    With as many rows in one class as in the other, the boundary of least squares passes through the mean of all rows
    (its targets sum to zero). The outliers carry that mean about fraction times distance into class 1: 1.5 for the
    defaults, beyond the closest rows at 1.

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant import datasets
    >>> X, y = datasets.outliers(200, 2, random_state=0)
    >>> A, t = np.column_stack([X, np.ones(200)]), 2 * y - 1
    >>> scores = A @ np.linalg.lstsq(A, t, rcond=None)[0]
    >>> int((scores * t < 0).sum()) > 10
    True
    """
    check("outliers", {"n": [Integer(2)], "d": [Integer(1)], "fraction": [Real(0, 0.5, open_high=True)],
                       "distance": [Real(0)]}, {"n": n, "d": d, "fraction": fraction, "distance": distance})
    rng = generator("outliers", random_state)
    X, y, (w, b) = separable(n, d, MARGIN, random_state=rng, return_separator=True)
    own = np.flatnonzero(y == 1)
    # The closest row stays where it is: the margin rests on it.
    movable = np.delete(own, np.argmin(X[own] @ w + b))
    moved = rng.choice(movable, min(round(fraction * n), len(movable)), replace=False)
    X[moved] += distance * w
    return X, y
