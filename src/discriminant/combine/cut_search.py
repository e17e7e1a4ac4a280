"""Directions along which many rows of one class lie beyond all other rows.

The most rows that one half-space can cut off are hard to find (a form of the densest hemisphere problem, Johnson and
Preparata 1978), so directions are grown: those rows that a direction cuts off, and about as many again that come next,
are to be separated from all other classes; the direction that comes of it is grown in turn. The separating is done by
squared hinge losses, heavy on the other classes, a few Newton steps each (Keerthi and DeCoste 2005), and where nearly a
whole class is cut off by a linear programme, which misses no hyperplane that exists.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_PROTECT = 100.0  # the weight of the other classes beside that of the wanted rows: rows must not be cut off by mistake
_PENALTY = 1e-6
_GROWTHS, _NEWTON_STEPS = 12, 8
_NEARLY = 0.7  # the share of a class from which on the linear programme is worth its time
_LARGEST = 1_000_000  # cells of a linear programme: beyond, it takes many seconds, in which Ctrl-C has to wait


def best_direction(Z: Floats, own: Mask, starts: list[Floats]) -> tuple[int, Floats]:
    """The number of own rows that the best direction (r,) found from `starts` cuts off, and that direction.

    `Z` (n, r) are the rows that remain, `own` (n,) those of the class to be cut off. The direction cuts off one row
    at least whenever one of the starts does, but for rounding.
    """
    A = np.hstack([Z, np.ones((len(Z), 1))])
    found = max((_grow(A, own, np.append(start, 0.0)) for start in starts), key=lambda each: each[0])
    count, v = found[0], found[1][:-1]
    if _NEARLY * own.sum() <= count < own.sum():
        exact = separating(Z, own)
        if exact is not None and (whole := beyond(Z, own, exact)) > count:
            return whole, exact
    return count, v


def beyond(A: Floats, own: Mask, v: Floats) -> int:
    """How many own rows lie further along v than all others."""
    scores = A @ v
    return int((scores[own] > scores[~own].max() + 1e-12 * np.abs(scores).max()).sum())


def separating(Z: Floats, own: Mask) -> Floats | None:
    """The direction of a hyperplane with the own rows on one side and the others on the other, or None.

    Of all hyperplanes it has the least sum of |v_j| for a gap of 2 between the sides, so on truth tables the weights
    come out as small numbers, most often whole ones. None also where the rows are too many for this to be tried.
    """
    n, r = Z.shape
    if Z.size > _LARGEST:
        return None
    y = np.where(own, 1.0, -1.0)[:, None]
    solved = linprog(np.append(np.ones(2 * r), 0.0), A_ub=-y * np.hstack([Z, -Z, np.ones((n, 1))]), b_ub=-np.ones(n),
                     bounds=[(0, None)] * (2 * r) + [(None, None)], method="highs-ds")
    return None if solved.status or solved.x is None else np.asarray(solved.x[:r] - solved.x[r : 2 * r])


def _grow(A: Floats, own: Mask, w: Floats) -> tuple[int, Floats]:
    """Grow the direction w (r + 1,) until it cuts off no more."""
    mine, others = np.flatnonzero(own), np.flatnonzero(~own)
    best, factor = (beyond(A, own, w), w), 2.0
    for _ in range(_GROWTHS):
        count, w = best
        wanted = min(len(mine), max(int(factor * count), count + max(1, int((factor - 1) * A.shape[1]))))
        chosen = mine[np.argsort(-(A[mine] @ w), kind="stable")[:wanted]]
        rows = np.concatenate([chosen, others])
        for v in _squared_hinge(A[rows], np.arange(len(rows)) < wanted):
            reached = beyond(A, own, v)
            if reached > best[0]:
                best = (reached, v)
        if best[0] == len(mine):
            break
        if best[0] == count:
            factor = 1 + (factor - 1) / 3
            if wanted == count + 1 or factor < 1.05:
                break
    return best


def _squared_hinge(A: Floats, own: Mask) -> Iterator[Floats]:
    """The iterates of Newton's method on sum c_i max(0, 1 - y_i a_i'w)^2 / 2 + a small penalty; first least squares."""
    y = np.where(own, 1.0, -1.0)
    c = np.where(own, 1.0 / own.sum(), _PROTECT / (~own).sum())
    penalty = np.full(A.shape[1], _PENALTY)
    penalty[-1] *= 1e-3

    def objective(w: Floats) -> tuple[float, Mask]:
        slack = 1 - y * (A @ w)
        return float(c @ np.maximum(slack, 0) ** 2 + penalty @ w**2), slack > 0

    w, value, active = np.zeros(A.shape[1]), np.inf, np.ones(len(A), bool)
    for _ in range(_NEWTON_STEPS):
        B, weights = A[active], c[active]
        target = np.linalg.solve((B.T * weights) @ B + np.diag(penalty), B.T @ (weights * y[active]))
        for step in (1.0, 0.5, 0.25, 0.125):
            moved = w + step * (target - w)
            reached, violated = objective(moved)
            if reached < value:
                break
        yield moved
        if not reached < (1 - 1e-4) * value or not violated.any() or np.array_equal(violated, active):
            return
        w, value, active = moved, reached, violated
