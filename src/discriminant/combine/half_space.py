"""Half-spaces that cut rows of one class off from the rest, for certain, whatever the order of the arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.combine.cut_search import separating
from discriminant.errors import OUT_OF_RANGE, ScaleError

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_WIDEST, _NARROWEST = 1e140, 1e-140  # of columns: beyond, products of weights and cells leave the range
_MULTIPLES = 16  # tried to make weights small integers


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """The rows with w'x > threshold, and those among them that it was made for, all of class `code`.

    All other rows have w'x < ceiling. Both are the same number, unless there is none between the rows of both sides.
    """

    w: Floats
    threshold: float
    ceiling: float
    code: int
    cut: Mask  # (n,)
    side: Mask  # (n,): all rows with w'x > threshold


class Rows:
    """Distinct rows: X (n, d) in the user's units, and Z (n, r), the same centred and scaled, for searching in."""

    def __init__(self, X: Floats, codes: NDArray[np.int32]) -> None:
        self.X, self.codes = X, codes
        self._magnitudes = np.abs(X)
        low, high = X.min(axis=0), X.max(axis=0)
        centre, half = low / 2 + high / 2, high / 2 - low / 2
        moving = half > 0
        if moving.any() and not (half[moving].min() > _NARROWEST and self._magnitudes[:, moving].max() < _WIDEST):
            raise ScaleError(OUT_OF_RANGE)
        self.are_small_integers = bool(self._magnitudes.max() <= _MULTIPLES and (np.rint(X) == X).all())
        self._scale = np.where(moving, half, np.inf)  # a constant column tells nothing, and gets weight 0
        Z = (X - centre) / self._scale
        spread = Z.std(axis=0)
        self._scale = self._scale * np.where(spread > 0, spread, 1.0)
        Z = (X - centre) / self._scale
        self._turn = None
        if Z.shape[1] > len(Z):  # all directions that matter lie in the span of the rows
            self._turn = np.linalg.qr(Z.T)[0]
            Z = Z @ self._turn
        self.Z = Z

    def in_units(self, v: Floats) -> Floats:
        """A direction of Z as weights of X; the largest is 1 or -1."""
        w = (v if self._turn is None else self._turn @ v) / self._scale
        return np.asarray(w / max(np.abs(w).max(), np.finfo(float).tiny))

    def project(self, w: Floats) -> tuple[Floats, Floats]:
        """w'x and a bound of its rounding errors together with those of adding a threshold, in whatever order (n,).

        The bound is that of Higham (2002, Accuracy and Stability of Numerical Algorithms, section 3.1), twice. One
        weight of size 1 makes no errors: w'x is a cell.
        """
        products = self.X @ w
        if np.count_nonzero(w) == 1 and np.abs(w).max() == 1:
            return products, np.zeros(len(products))
        return products, 2 * (len(w) + 4) * np.finfo(float).eps * (self._magnitudes @ np.abs(w))

    def cut(self, w: Floats, code: int, remaining: Mask) -> HalfSpace | None:
        """The half-space along w that cuts off most rows of class `code`, and no other of those that remain.

        The threshold keeps clear, by more than rounding errors, of every row, also of those that no longer count.
        None where there is no such threshold.
        """
        products, errors = self.project(w)
        lower, upper = products - errors, products + errors
        mine = self.codes == code
        low = upper[remaining & ~mine].max()
        cut = remaining & mine & (lower > low)
        if not cut.any():
            return None
        high = lower[cut].min()
        between = np.flatnonzero((upper > low) & (lower < high))
        between = between[np.argsort(lower[between], kind="stable")]
        begins = np.maximum.accumulate(np.concatenate([[low], upper[between]]))
        ends = np.concatenate([lower[between], [high]])
        widest = int(np.argmax(ends - begins))
        begin, end = float(begins[widest]), float(ends[widest])
        if not begin < end:
            return None
        middle = begin + (end - begin) / 2
        threshold, ceiling = (middle, middle) if begin < middle < end else (begin, end)
        return HalfSpace(w, threshold, ceiling, code, cut, products > threshold)

    def in_small_integers(self, found: HalfSpace, remaining: Mask) -> HalfSpace:
        """The same or a better cut with weights that are small integers, where rows are small integers as well."""
        if not self.are_small_integers:
            return found
        rows = found.cut | (remaining & (self.codes != found.code))
        shortest = separating(self.X[rows], found.cut[rows])
        for w in (found.w,) if shortest is None else (shortest, found.w):
            for multiple in range(1, _MULTIPLES + 1):
                rounded = self.cut(np.rint(multiple * w / np.abs(w).max()), found.code, remaining)
                if rounded is not None and rounded.cut.sum() >= found.cut.sum():
                    return rounded
        return found
