"""Sparse rows (CSR). Centring stays implicit, so that zeros stay zeros.

The centre of every class is the origin itself. That loses no digits worth naming: a column that is zero in most rows
has a mean below a third of its deviation once fewer than a tenth of its cells are filled, and fuller matrices are
handed out as dense blocks (places/memory.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from discriminant import _core
from discriminant.blocks.block import Block, Codes, Floats
from discriminant.blocks.functions import LinearFunctions
from discriminant.blocks.origin import Origin
from discriminant.blocks.walk import Walk
from discriminant.losses import Loss


class SparseBlock(Block):
    """A slice of rows of a float32 or float64 CSR array."""

    def __init__(self, X: Any, start: int, codes: Codes, weights: Floats | None) -> None:
        super().__init__(start, codes, weights)
        self.X = X
        self._for_kernel: Any = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape[0], self.X.shape[1]

    def _membership(self, classes: int) -> tuple[Any, Floats]:
        """The K x n matrix with w_i at (k_i, i), and the weights."""
        n = self.shape[0]
        weights = np.ones(n) if self.weights is None else self.weights
        members = sp.csc_array((weights, self.codes, np.arange(n + 1)), shape=(classes, n))
        return members, weights

    def _scaled(self, scale: NDArray[Any]) -> Any:
        X = self.X
        cells = X.data.astype(np.float64) * scale[: self.shape[1]].astype(np.float64)[X.indices]
        return sp.csr_array((cells, X.indices, X.indptr), shape=X.shape)

    def add_gram(self, origin: Origin, totals: Floats, sums: Floats, scatter: Floats, rows_of: int | None) -> None:
        if rows_of is not None:
            mine = np.flatnonzero(self.codes == rows_of)
            weights = None if self.weights is None else self.weights[mine]
            only = SparseBlock(self.X[mine], 0, np.zeros(len(mine), np.int32), weights)
            only.add_gram(origin, totals, sums, scatter, None)
            return
        d = self.shape[1]
        Y = self._scaled(origin.scale)
        members, weights = self._membership(origin.classes)
        totals += np.bincount(self.codes, weights, minlength=origin.classes)
        sums[:, :d] += (members @ Y).toarray()
        product = (Y.T @ (sp.diags_array(weights) @ Y)).tocoo()
        scatter[product.coords[0], product.coords[1]] += product.data

    def add_squares(self, origin: Origin, totals: Floats, sums: Floats, squares: Floats) -> None:
        d = self.shape[1]
        Y = self._scaled(origin.scale)
        members, weights = self._membership(origin.classes)
        totals += np.bincount(self.codes, weights, minlength=origin.classes)
        sums[:, :d] += (members @ Y).toarray()
        squares[:, :d] += (members @ Y.multiply(Y)).toarray()

    def scores(self, functions: LinearFunctions, out: Floats | None, winners: Codes | None) -> int:
        Z = self.X @ functions.coef.T + functions.intercept
        if out is not None:
            out[:] = Z
        if winners is not None:
            winners[:] = Z[:, 0] > 0 if functions.count == 1 else Z.argmax(axis=1)
        finite = np.isfinite(Z).all(axis=1)
        return -1 if finite.all() else int(np.argmin(finite))

    def add_loss(self, functions: LinearFunctions, loss: Loss, gradient: Floats, intercept_gradient: Floats,
                 scores: Floats | None, curvature: Floats | None) -> tuple[float, int]:
        Z = np.empty((self.shape[0], functions.count)) if scores is None else scores
        bad = self.scores(functions, Z, None)
        weights = 1.0 if self.weights is None else self.weights[:, None]
        R = weights * loss.gradient(Z, self.codes)
        gradient[:, : self.shape[1]] += self.transpose_times(R).T
        intercept_gradient += R.sum(axis=0)
        if curvature is not None:
            curvature[:] = (weights * loss.curvature(Z, self.codes))[:, 0]
        return float((weights * loss.value(Z, self.codes)[:, None]).sum()), bad

    def times(self, V: Floats) -> Floats:
        return np.asarray(self.X @ V)

    def transpose_times(self, R: Floats) -> Floats:
        return np.asarray(self.X.T @ R)

    def outer(self, scale: Floats) -> Floats:
        Y = self._scaled(scale)
        return np.asarray((Y @ Y.T).toarray())

    def centred(self, centre: Floats, scale: Floats) -> Iterator[tuple[Codes, Floats | None, Floats]]:
        step = max(1, (1 << 20) // (8 * self.shape[1]))
        for begin in range(0, self.shape[0], step):
            part = slice(begin, begin + step)
            weights = None if self.weights is None else self.weights[part]
            yield self.codes[part], weights, (self.X[part].toarray() - centre) * scale

    def squared_distances(self, centre: Floats, scale: Floats) -> Floats:
        out = np.empty(self.shape[0])
        for k in np.unique(self.codes):
            mine = self.codes == k
            Y, c = SparseBlock(self.X[mine], 0, self.codes[mine], None)._scaled(scale[k]), centre[k] * scale[k]
            out[mine] = Y.multiply(Y).sum(axis=1) - 2 * (Y @ c) + c @ c
        return np.maximum(out, 0.0)

    def lengths(self, out: Floats) -> None:
        _core.lengths(self._kernel_rows(), out)

    def walk(self, walk: Walk, order: NDArray[np.int64] | None) -> None:
        cells = self.X.nnz // max(1, self.shape[0]) + 1
        walk.present(self._kernel_rows(), cells, self.start, self.codes, self.weights, order)

    def _kernel_rows(self) -> Any:
        """The rows as the kernel reads them; made, and checked there, once."""
        if self._for_kernel is None:
            X = self.X if self.X.has_sorted_indices else self.X.sorted_indices()
            kind = _core.SparseRowsFloat32 if X.dtype == np.float32 else _core.SparseRowsFloat64
            self._for_kernel = kind(np.ascontiguousarray(X.data), np.ascontiguousarray(X.indices, np.int32),
                                    np.ascontiguousarray(X.indptr, np.int64), self.shape[1])
        return self._for_kernel

    def rows(self, order: NDArray[np.int64] | None = None) -> NDArray[Any]:
        return np.asarray((self.X if order is None else self.X[order]).toarray(order="C"))

    def largest(self) -> Floats:
        out = np.zeros(self.shape[1])
        with np.errstate(invalid="ignore"):
            np.maximum.at(out, self.X.indices, np.abs(self.X.data))
        return out

    def first_not_finite(self) -> tuple[int, int, float] | None:
        finite = np.isfinite(self.X.data)
        if finite.all():
            return None
        at = int(np.argmin(finite))
        row = int(np.searchsorted(self.X.indptr, at, side="right")) - 1
        return row, int(self.X.indices[at]), float(self.X.data[at])
