"""Where synthetic classes lie: evenly around a circle in a random plane of the input space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.parameters import Integer, check


def check_sizes(owner: str, n: int, d: int, n_classes: int) -> None:
    """At least two classes, a row for each, and a plane to hold the circle when there are more than two."""
    check(owner, {"n_classes": [Integer(2)]}, {"n_classes": n_classes})
    least = {"n": [Integer(n_classes)], "d": [Integer(1 if n_classes == 2 else 2)]}
    check(owner, least, {"n": n, "d": d})


def plane(d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Two orthonormal columns of random direction, shape (d, 2); the line itself, (1, 1), when d is 1."""
    return np.linalg.qr(rng.standard_normal((d, min(d, 2))))[0]


def directions(n_classes: int, basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors (n_classes, d) at equal angles in the plane of `basis`; opposite ones for two classes."""
    angles = 2 * np.pi * np.arange(n_classes) / n_classes
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    return circle[:, : basis.shape[1]] @ basis.T
