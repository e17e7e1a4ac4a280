"""Dense rows: an array of any layout and numeric type, handed to the kernels piece by piece.

A piece that is already C-contiguous, aligned, native float32 or float64 is a view. Anything else (integers, float16,
strided, big-endian, Fortran order) is converted about a megabyte at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant import _core
from discriminant.blocks.block import Block, Codes, Floats
from discriminant.blocks.functions import LinearFunctions
from discriminant.blocks.origin import Origin
from discriminant.blocks.walk import Walk
from discriminant.losses import Loss

_PIECE_BYTES = 1 << 20


def float_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which rows of `dtype` are read: float32 where that holds every value, else float64."""
    return np.dtype(np.float32) if dtype.newbyteorder("=") in (np.float32, np.float16) else np.dtype(np.float64)


def is_ready(X: NDArray[Any]) -> bool:
    """Whether the kernels can read X where it lies."""
    flags = X.flags
    return bool(flags.c_contiguous and flags.aligned and X.dtype.isnative and X.dtype.char in "fd")


class DenseBlock(Block):
    """A slice of a two-dimensional array."""

    def __init__(self, X: NDArray[Any], start: int, codes: Codes, weights: Floats | None) -> None:
        super().__init__(start, codes, weights)
        self.X = X

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape[0], self.X.shape[1]

    def _pieces(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        if is_ready(self.X):
            yield slice(0, len(self.X)), self.X
            return
        for part in self._parts():
            yield part, self._ready(self.X[part])

    @staticmethod
    def _ready(X: NDArray[Any]) -> NDArray[Any]:
        return np.require(X, dtype=float_type(X.dtype), requirements=["C", "A"])

    def add_gram(self, origin: Origin, totals: Floats, sums: Floats, scatter: Floats, rows_of: int | None) -> None:
        for piece, X in self._pieces():
            codes, order = self.codes[piece], None
            if rows_of is not None:
                order = np.flatnonzero(codes == rows_of)
            weights = None if self.weights is None else self.weights[piece]
            _core.gram(X, order, None if rows_of is not None else codes, weights, origin.centre, origin.scale,
                       totals, sums, scatter)

    def add_squares(self, origin: Origin, totals: Floats, sums: Floats, squares: Floats) -> None:
        d = self.shape[1]
        for k in np.unique(self.codes):
            for piece, X in self._pieces():
                mine = self.codes[piece] == k
                Y = (X[mine].astype(np.float64) - origin.centre[k, :d]) * origin.scale[:d]
                w = np.ones(len(Y)) if self.weights is None else self.weights[piece][mine]
                totals[k] += w.sum()
                sums[k, :d] += w @ Y
                squares[k, :d] += w @ (Y * Y)

    def scores(self, functions: LinearFunctions, out: Floats | None, winners: Codes | None) -> int:
        first = -1
        for piece, X in self._pieces():
            bad: int = _core.scores(X, functions.weights, functions.bias, functions.count,
                                    None if out is None else out[piece],
                                    None if winners is None else winners[piece])
            if bad >= 0 and first < 0:
                first = piece.start + bad
        return first

    def add_loss(self, functions: LinearFunctions, loss: Loss, gradient: Floats, intercept_gradient: Floats,
                 scores: Floats | None, curvature: Floats | None) -> tuple[float, int]:
        total, first = 0.0, -1
        for piece, X in self._pieces():
            value, bad = _core.loss(
                X, self.codes[piece], None if self.weights is None else self.weights[piece], functions.weights,
                functions.bias, loss.kernel, loss.width, gradient, intercept_gradient,
                None if scores is None else scores[piece], None if curvature is None else curvature[piece])
            total += value
            if bad >= 0 and first < 0:
                first = piece.start + bad
        return total, first

    def times(self, V: Floats) -> Floats:
        out = np.empty((self.shape[0], V.shape[1]))
        self.scores(LinearFunctions.of_columns(V), out, None)
        return out

    def transpose_times(self, R: Floats) -> Floats:
        out = np.zeros((self.shape[1], R.shape[1]))
        for piece, X in self._pieces():
            out += X.T @ R[piece]
        return out

    def outer(self, scale: Floats) -> Floats:
        Y = self._ready(self.X) * scale
        return np.asarray(Y @ Y.T)

    def _parts(self, count: int | None = None) -> Iterator[slice]:
        """Slices of all rows (or `count` of them) of about a megabyte, for work that makes a copy."""
        step, count = max(1, _PIECE_BYTES // (8 * self.shape[1])), self.shape[0] if count is None else count
        for begin in range(0, count, step):
            yield slice(begin, min(begin + step, count))

    def centred(self, centre: Floats, scale: Floats) -> Iterator[tuple[Codes, Floats | None, Floats]]:
        for part in self._parts():
            weights = None if self.weights is None else self.weights[part]
            yield self.codes[part], weights, (self._ready(self.X[part]) - centre) * scale

    def squared_distances(self, centre: Floats, scale: Floats) -> Floats:
        out = np.empty(self.shape[0])
        for part in self._parts():
            codes = self.codes[part]
            Z = (self._ready(self.X[part]) - centre[codes]) * scale[codes]
            out[part] = np.einsum("ij,ij->i", Z, Z)
        return out

    def lengths(self, out: Floats) -> None:
        for piece, X in self._pieces():
            _core.lengths(X, out[piece])

    def walk(self, walk: Walk, order: NDArray[np.int64] | None) -> None:
        if is_ready(self.X) or walk.rule.stop_when_right:  # which looks at all rows again and again
            walk.present(self._ready(self.X), self.shape[1], self.start, self.codes, self.weights, order)
            return
        for part in self._parts(len(self.X) if order is None else len(order)):
            numbers = np.arange(part.start, part.stop) if order is None else order[part]
            weights = None if self.weights is None else self.weights[numbers]
            walk.present(self.rows(numbers), self.shape[1], 0, self.codes[numbers], weights, None, self.start + numbers)

    def rows(self, order: NDArray[np.int64] | None = None) -> NDArray[Any]:
        # `take`, unlike an index, leaves the GIL to other threads.
        return self._ready(self.X if order is None else self.X.take(order, axis=0))

    def largest(self) -> Floats:
        out = np.zeros(self.shape[1])
        for _, X in self._pieces():
            with np.errstate(invalid="ignore"):
                np.maximum(out, np.abs(X).max(axis=0), out=out)
        return out

    def first_not_finite(self) -> tuple[int, int, float] | None:
        for piece, X in self._pieces():
            finite = np.isfinite(X)
            if not finite.all():
                row, column = (int(i) for i in np.argwhere(~finite)[0])
                return piece.start + row, column, float(X[row, column])
        return None


def product(A: Floats, B: Floats) -> Floats:
    """A B by the scores kernel, for workers: BLAS would wake threads of its own there."""
    return DenseBlock(A, 0, np.zeros(len(A), np.int32), None).times(B)
