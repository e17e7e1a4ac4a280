"""Small classification problems that every learner must cope with, by name."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Problem:
    """Rows X (n, d), labels y (n,), other rows to judge, and weights or None."""

    name: str
    X: np.ndarray
    y: np.ndarray
    probes: np.ndarray
    weights: np.ndarray | None = None

    @property
    def classes(self):
        return np.unique(self.y)

    @property
    def codes(self):
        return np.searchsorted(self.classes, self.y).astype(np.int32)

    def weighted(self, seed=0):
        weights = np.random.default_rng(seed).integers(1, 5, len(self.y)).astype(float)
        return replace(self, name=f"{self.name}, weighted", weights=weights)


def blobs(n=48, d=4, classes=3, *, seed=0, labels=None, name=None):
    """Gaussian classes of different means and one crooked covariance."""
    rng = np.random.default_rng([n, d, classes, seed])
    turn = rng.standard_normal((d, d)) + 2 * np.eye(d)
    means = 1.2 * rng.standard_normal((classes, d))
    codes = np.sort(np.arange(n) % classes)
    rng.shuffle(codes)
    X = means[codes] + rng.standard_normal((n, d)) @ turn / np.sqrt(d)
    probes = means[np.arange(25) % classes] + rng.standard_normal((25, d)) @ turn / np.sqrt(d)
    y = codes if labels is None else np.asarray(labels)[codes]
    return Problem(name or f"{n} x {d}, {classes} classes", X, y, probes)


def two():
    return blobs(40, 3, 2, labels=[-1, 1])


def three():
    return blobs(48, 4, 3, labels=["ape", "bee", "cat"])


def five():
    return blobs(90, 6, 5)


def in_other_units():
    """Columns as unlike as metres and micrograms, far from zero."""
    plain = three()
    factor, offset = np.array([1e-4, 1.0, 1e3, 1e5]), np.array([0.1, 0.0, -7e3, 2e6])
    X, probes = (part * factor + offset for part in (plain.X, plain.probes))
    return replace(plain, name="columns in other units", X=X, probes=probes)


def wide(classes=3):
    """More columns than rows."""
    return blobs(21, 40, classes)
