"""The data families of every work. Gaussian rows flatter most methods, so there are three less kind ones.

Rows are filled in place, a few thousand at a time, so that making them takes no memory above what they need.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FAMILIES = ("gaussian", "decaying spectrum", "one-hot mix", "heavy tails")

_STEP_CELLS = 1 << 16
_DECAY = 1.5  # the j-th deviation is j^-1.5: the covariance of 100 columns has condition 1e6
_OFFSET = 10.0  # means, in deviations of the column
_FREEDOM = 3  # of Student's t: the variance exists, the fourth moment does not
_SIGNAL = 3.0

Maker = Callable[[np.random.Generator, int], np.ndarray]


def table(family: str, n: int, d: int, classes: int, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
    """Rows X (n, d) and labels y (n,) in 0 .. classes - 1 that depend on linear functions of the row, with noise."""
    rng = np.random.default_rng([FAMILIES.index(family), n, d, classes])
    make = _MAKERS[family](rng, d)
    slopes = rng.standard_normal((d, classes)) * _SIGNAL / np.sqrt(d)
    X, y = np.empty((n, d), dtype), np.empty(n, np.int64)
    step = max(64, _STEP_CELLS // d)
    first = make(rng, step)
    mean, deviation = first.mean(axis=0), first.std(axis=0) + 1e-3
    for start in range(0, n, step):
        rows = make(rng, min(step, n - start))
        scores = (rows - mean) / deviation @ slopes + rng.gumbel(size=(len(rows), classes))
        X[start : start + step], y[start : start + step] = rows, scores.argmax(axis=1)
    return X, y


def _gaussian(rng: np.random.Generator, d: int) -> Maker:
    return lambda rng, n: rng.standard_normal((n, d))


def _spectrum(rng: np.random.Generator, d: int) -> Maker:
    """Deviations that fall off along directions that are no columns, and means far from zero."""
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0] * np.arange(1.0, d + 1) ** -_DECAY
    mean = _OFFSET * np.sqrt((turn**2).sum(axis=1)) * rng.choice([-1.0, 1.0], d)
    return lambda rng, n: rng.standard_normal((n, d)) @ turn.T + mean


def _one_hot(rng: np.random.Generator, d: int) -> Maker:
    """A fifth of the columns are numbers; the others code categories, most levels rare, the commonest left out."""
    numbers = d // 5
    groups, left = [], d - numbers
    while left > 0:
        groups.append(min(left, int(rng.choice([1, 3, 7, 15]))))
        left -= groups[-1]

    def make(rng: np.random.Generator, n: int) -> np.ndarray:
        rows = np.zeros((n, d))
        rows[:, :numbers] = rng.standard_normal((n, numbers))
        at = numbers
        for levels in groups:
            share = 1.0 / np.arange(1, levels + 2)
            level = rng.choice(levels + 1, n, p=share / share.sum())
            named = np.flatnonzero(level)
            rows[named, at + level[named] - 1] = 1.0
            at += levels
        return rows

    return make


def _heavy(rng: np.random.Generator, d: int) -> Maker:
    return lambda rng, n: rng.standard_t(_FREEDOM, (n, d))


_MAKERS = dict(zip(FAMILIES, (_gaussian, _spectrum, _one_hot, _heavy), strict=True))
