"""Normal classes of equal covariance: the model under which Fisher's discriminant is the best there is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.datasets.layout import check_sizes, directions, plane
from discriminant.datasets.random_state import RandomState, generator
from discriminant.parameters import Real, check

STRETCH = 3.0


def overlapping(n: int, d: int, *, n_classes: int = 2, separation: float = 2.0,
                random_state: RandomState = None) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Normal classes with one covariance matrix, as far apart as asked.

    Parameters
    ----------
    n : int
        Rows, spread evenly over the classes.
    d : int
        Columns; at least 2 for more than two classes.
    n_classes : int
        Number of classes.
    separation : float
        Mahalanobis distance between the means of neighbouring classes. For two classes no classifier can have a
        smaller probability of error than Phi(-separation / 2), 15.9 % for the default.
    random_state : int, Generator, RandomState or None
        The same number gives the same data.

    Returns
    -------
    X : ndarray of shape (n, d)
        The rows, in random order.
    y : ndarray of int of shape (n,)
        The classes, 0 to n_classes - 1.

    Notes
    -----
    The means lie evenly on a circle among spherical classes. Then space is stretched to three times its width along
    one direction u, at 45 degrees to the first mean: the covariance is I + 8 uu', distances in its measure are what
    they were, but the line between the means is no longer the best direction to project on. For two classes in two
    or more dimensions, cutting that line at its middle errs with probability Phi(-0.39 separation).

    Examples
    --------
    >>> from discriminant import datasets
    >>> X, y = datasets.overlapping(300, 2, n_classes=3, random_state=0)
    >>> X.shape, [int((y == k).sum()) for k in range(3)]
    ((300, 2), [100, 100, 100])
    """
    check_sizes("overlapping", n, d, n_classes)
    check("overlapping", {"separation": [Real(0)]}, {"separation": separation})
    rng = generator("overlapping", random_state)
    basis = plane(d, rng)
    centres, y = directions(n_classes, basis), rng.permutation(np.arange(n, dtype=np.int64) % n_classes)
    means = separation / np.linalg.norm(centres[1] - centres[0]) * centres
    u = basis.sum(axis=1) / np.sqrt(basis.shape[1])
    Z = rng.standard_normal((n, d)) + means[y]
    return Z + (STRETCH - 1) * np.outer(Z @ u, u) + rng.standard_normal(d), y
