"""What blocks present to a perceptron, and the weights that learn from it, laid out as the kernel wants them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant import _core
from discriminant.blocks.functions import padded

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_CACHE_LINE = 64
_CALL_CELLS = 1 << 25  # an interrupt waits for the call in hand: some tens of milliseconds at most


def _zeros(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Zeros that begin at a cache line, so that no vector of a row of weights lies across two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + _CACHE_LINE, np.uint8)
    start = -room.ctypes.data % _CACHE_LINE
    return np.asarray(room[start : start + size].view(dtype).reshape(shape))


class Weights:
    """The functions w_f'x + b_f while they learn, with what is counted on the way."""

    def __init__(self, coef: Floats, intercept: Floats, *, together: bool, averaged: bool, runs: bool) -> None:
        functions, self.columns = coef.shape
        wide = (functions, padded(self.columns))
        self._coef, self._shadow = _zeros(wide, np.float64), _zeros(wide, np.float32)
        self._coef[:, : self.columns] = coef
        with np.errstate(over="ignore"):
            self._shadow[:] = self._coef
        self._intercept = intercept.astype(np.float64)
        self.mistakes = np.zeros(1 if together else functions, np.int64)
        self._moved = _zeros(wide, np.float64) if averaged else None
        self._moved_intercept = np.zeros(functions) if averaged else None
        self._runs = np.zeros(2, np.int64) if runs else None
        self._longest = _zeros(wide, np.float64) if runs else None
        self._longest_intercept = np.zeros(functions) if runs else None
        self.kernel = _core.PerceptronState(
            weights=self._coef, bias=self._intercept, shadow=self._shadow, mistakes=self.mistakes, moved=self._moved,
            moved_bias=self._moved_intercept, runs=self._runs, longest=self._longest,
            longest_bias=self._longest_intercept)

    @property
    def presented(self) -> int:
        return int(self.kernel.presented)

    def only(self, functions: NDArray[np.intp]) -> Weights:
        """Some of functions that learn apart, as they are now."""
        coef, intercept = self.last()
        some = Weights(coef[functions], intercept[functions], together=False, averaged=self._moved is not None,
                       runs=False)
        some.mistakes[:] = self.mistakes[functions]
        some.kernel.presented = self.kernel.presented
        if self._moved is not None:
            moved, moved_intercept = self.moved()
            some.go_on((moved[functions], moved_intercept[functions]), self.presented)
        return some

    def last(self) -> tuple[Floats, Floats]:
        return self._coef[:, : self.columns].copy(), self._intercept.copy()

    def average(self) -> tuple[Floats, Floats]:
        """The mean of the weights after every presentation so far.

        A change made at presentation t of T is part of the last T - t + 1 weights; so with u = sum (t - 1) change the
        mean is w - u / T.
        """
        assert self._moved is not None and self._moved_intercept is not None
        times = max(1, self.presented)
        coef, intercept = self.last()
        return coef - self._moved[:, : self.columns] / times, intercept - self._moved_intercept / times

    def longest_run(self) -> tuple[Floats, Floats] | None:
        """The weights that made the longest run of right rows since the last call, if one has ended."""
        assert self._runs is not None and self._longest is not None and self._longest_intercept is not None
        if self._runs[1] == 0:
            return None
        self._runs[1] = 0
        return self._longest[:, : self.columns].copy(), self._longest_intercept.copy()

    def go_on(self, moved: tuple[Floats, Floats], presented: int) -> None:
        """Take over the average of an earlier run."""
        assert self._moved is not None and self._moved_intercept is not None
        self._moved[:, : self.columns], self._moved_intercept[:] = moved
        self.kernel.presented = float(presented)

    def moved(self) -> tuple[Floats, Floats]:
        assert self._moved is not None and self._moved_intercept is not None
        return self._moved[:, : self.columns].copy(), self._moved_intercept.copy()


@dataclass
class Recorded:
    """Some presentations in a row: the rows' numbers, plain nets (n, F), whether weights changed (n,), and the weights
    after each, intercept last (n, F, d + 1)."""

    rows: NDArray[np.int64]
    nets: Floats
    changed: NDArray[np.int8]
    after: Floats


@dataclass
class Walk:
    """How rows are presented to `weights`.

    Functions learn apart, function f telling class positives[f] from all others, or together. `lengths` holds
    sqrt(|x|^2 + 1) of every row of the place.
    """

    weights: Weights
    rule: _core.PerceptronRule
    positives: Codes
    lengths: Floats
    trace: list[Recorded] | None = None
    all_right: bool = field(default=False, init=False)

    def present(self, rows: Any, row_cells: int, start: int, codes: Codes, steps: Floats | None,
                order: NDArray[np.int64] | None, numbers: NDArray[np.int64] | None = None) -> None:
        """Present `rows`, which are rows start, start + 1, ... of the place or, where given, those `numbers`.

        A row has about `row_cells` cells. `order` picks among the rows, else they come one after another.
        """
        lengths = self.lengths[start : start + len(codes)] if numbers is None else self.lengths[numbers]
        labels = _core.PerceptronLabels(codes=codes, steps=steps, lengths=lengths, positives=self.positives)
        count = len(codes) if order is None else len(order)
        functions, wide = len(self.positives), self.weights.columns
        at_once = max(64, _CALL_CELLS // (functions * max(1, row_cells)))
        for first in range(0, count, at_once):
            n = min(at_once, count - first)
            record, kept = None, None
            if self.trace is not None:
                picked = np.arange(first, first + n) if order is None else order[first : first + n]
                kept = Recorded(start + picked if numbers is None else numbers[picked], np.empty((n, functions)),
                                np.empty(n, np.int8), np.empty((n, functions * (wide + 1))))
                record = _core.PerceptronTrace(nets=kept.nets, changed=kept.changed, after=kept.after)
            done, self.all_right = _core.perceptron(rows, labels, order, first, n, self.rule, self.weights.kernel,
                                                    record)
            self.weights.kernel.presented += done
            if kept is not None and self.trace is not None:
                self.trace.append(Recorded(kept.rows[:done], kept.nets[:done], kept.changed[:done],
                                           kept.after[:done].reshape(done, functions, wide + 1)))
            if self.all_right:
                return
