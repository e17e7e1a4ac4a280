"""Classes that hyperplanes separate, with a margin known by construction."""

from __future__ import annotations

from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from discriminant.datasets.layout import check_sizes, directions, plane
from discriminant.datasets.random_state import RandomState, generator
from discriminant.parameters import OneOf, Real, check

Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int64]
Separator: TypeAlias = tuple[Floats, float | Floats]


@overload
def separable(n: int, d: int, margin: float, *, n_classes: int = 2, random_state: RandomState = None,
              return_separator: Literal[False] = False) -> tuple[Floats, Labels]: ...
@overload
def separable(n: int, d: int, margin: float, *, n_classes: int = 2, random_state: RandomState = None,
              return_separator: Literal[True]) -> tuple[Floats, Labels, Separator]: ...


def separable(n: int, d: int, margin: float, *, n_classes: int = 2, random_state: RandomState = None,
              return_separator: bool = False) -> tuple[Floats, Labels] | tuple[Floats, Labels, Separator]:
    """Linearly separable classes whose largest margin is the given one.

    A normal cloud is cut through its middle, and the parts are moved apart.

    Parameters
    ----------
    n : int
        Rows, spread evenly over the classes.
    d : int
        Columns; at least 2 for more than two classes.
    margin : float
        Distance from the best separating hyperplane to the closest row on either side. For more than two classes,
        the smallest of these distances over all pairs of classes.
    n_classes : int
        Number of classes.
    random_state : int, Generator, RandomState or None
        The same number gives the same data.
    return_separator : bool
        Return the weights of the separator with the largest margin as well.

    Returns
    -------
    X : ndarray of shape (n, d)
        The rows, in random order.
    y : ndarray of int of shape (n,)
        The classes, 0 to n_classes - 1.
    (w, b) : only if `return_separator`
        Two classes: w of shape (d,) with length 1, b a number; X w + b is the distance from the boundary, positive
        for class 1. K classes: w of shape (K, d), b of shape (K,); the largest column of X w' + b is the class, and
        its lead over a neighbouring class is the distance from the boundary between the two.

    Notes
    -----
    Let c_k be unit vectors at equal angles in a plane. A normal row z lies in the cone of the class k with the
    largest c_k'z, and becomes x = z + s c_k. The boundary between k and j has the normal c_k - c_j, and for a row of k

        (c_k - c_j)'x / |c_k - c_j|  >=  s (1 - c_k'c_j) / |c_k - c_j|  =  s |c_k - c_j| / 2,

    while the tips s c_k and s c_j of the two cones, which are rows of the data too, lie s |c_k - c_j| apart: no
    hyperplane has a larger margin for this pair. With s = 2 margin / |c_1 - c_0| the closest pairs, the neighbours
    on the circle, have the margin asked for, to rounding. All rows are then shifted by one random vector, so that the
    boundary needs an intercept.

    With three classes or more each pair is separable, and all together by K linear functions, yet one class against
    the rest is in general not.

    Examples
    --------
    >>> from discriminant import datasets
    >>> X, y, (w, b) = datasets.separable(100, 3, 0.5, random_state=0, return_separator=True)
    >>> distance = X @ w + b
    >>> print(f"{distance[y == 1].min():.3f} {distance[y == 0].max():.3f}")
    0.500 -0.500
    """
    check_sizes("separable", n, d, n_classes)
    check("separable", {"margin": [Real(0, open_low=True)], "return_separator": [OneOf(True, False)]},
          {"margin": margin, "return_separator": return_separator})
    rng = generator("separable", random_state)
    centres, y = directions(n_classes, plane(d, rng)), np.arange(n, dtype=np.int64) % n_classes
    gap = np.linalg.norm(centres[1] - centres[0])
    origin = rng.standard_normal(d)
    X = _into_cones(rng.standard_normal((n, d)), centres, y) + 2 * margin / gap * centres[y] + origin
    order = rng.permutation(n)
    if not return_separator:
        return X[order], y[order]
    w = centres[1] if n_classes == 2 else centres / gap
    return X[order], y[order], (w, -(w @ origin))


def _into_cones(Z: Floats, centres: Floats, y: Labels) -> Floats:
    """Reflect each row from the cone it fell in to the cone of its class; the first row of a class becomes the tip.

    A reflection that swaps two of the evenly spaced directions maps the whole set of cones to itself.
    """
    Z[: len(centres)] = 0
    mirror = centres[(Z @ centres.T).argmax(axis=1)] - centres[y]
    squared = np.einsum("ij,ij->i", mirror, mirror)
    times = 2 * np.einsum("ij,ij->i", Z, mirror) / np.where(squared > 0, squared, 1)
    reflected: Floats = Z - times[:, None] * mirror
    return reflected
