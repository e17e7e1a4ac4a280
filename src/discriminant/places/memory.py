"""Rows in the memory of this process, dense or sparse.

The rows are cut into strands, each strand into blocks. Threads take strands; within a strand blocks are taken in order
into one value; the values are merged in order of the strands. Both cuts depend on the rows and the pass alone, so the
answer has the same bits for any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from discriminant import settings
from discriminant.blocks.block import Block
from discriminant.blocks.dense import DenseBlock, float_type
from discriminant.blocks.sparse import SparseBlock
from discriminant.passes.a_pass import Pass
from discriminant.places.place import Place
from discriminant.places.threads import Crew

T = TypeVar("T")

_SPARSE_FILL = 0.1  # fuller matrices are handed out as dense blocks: faster, and centred
_BLOCK_BYTES = 8 << 20  # large enough that the work in Python around a block is small beside it
_BLOCK_FLOPS = 2e9  # an interrupt waits for the block in hand: this is some tens of milliseconds
_STRAND_BYTES, _STRAND_FLOPS = 4 << 20, 1e8  # either takes a few times as long as starting threads
_FEW_STRANDS = 8  # of rows that are worth threads at all; each value costs a beginning and a merge
_STRAND_VALUES_BYTES = 24 << 20  # all values of a pass together, while there are more than four


class MemoryPlace(Place):
    """A two-dimensional NumPy array of numbers, or a CSR array of floats."""

    def __init__(
        self, X: Any, codes: NDArray[np.int32] | None = None, weights: NDArray[np.float64] | None = None
    ) -> None:
        self.X = X
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self.is_sparse = not isinstance(X, np.ndarray) and X.nnz < _SPARSE_FILL * X.shape[0] * X.shape[1]
        self.dtype = float_type(X.dtype)
        self.codes = np.zeros(self.shape[0], np.int32) if codes is None else codes
        self.weights = weights
        self.passes_made = 0
        self._all: Block | None = None

    def labelled(self, codes: NDArray[np.int32], weights: NDArray[np.float64] | None) -> MemoryPlace:
        return MemoryPlace(self.X, codes, weights)

    def subset(self, order: NDArray[np.int64]) -> MemoryPlace:
        weights = None if self.weights is None else self.weights[order]
        return MemoryPlace(self.X[order], self.codes[order], weights)

    def take(self, order: NDArray[np.int64]) -> NDArray[Any]:
        return self.whole().rows(order)

    def whole(self) -> Block:
        return self._block(0, self.shape[0])

    def in_order(self) -> Iterator[Block]:
        self.passes_made += 1
        if self._all is None:
            self._all = self.whole()
        yield self._all

    def fold(self, task: Pass[T]) -> T:
        self.passes_made += 1
        n = self.shape[0]
        strands = self._strands(task)
        step = self._block_rows(task)
        if strands == 1 and n <= step:
            value = task.begin()
            task.block(self._block(0, n), value)
            return value
        crew: Crew[T] = Crew(settings.threads())

        def strand(i: int) -> T:
            value = task.begin()
            stop = n * (i + 1) // strands
            for start in range(n * i // strands, stop, step):
                crew.check()
                task.block(self._block(start, min(start + step, stop)), value)
            return value

        return reduce(task.merge, crew.run(strand, strands))

    def _block(self, start: int, stop: int) -> Block:
        rows = slice(start, stop)
        weights = None if self.weights is None else self.weights[rows]
        if self.is_sparse:
            return SparseBlock(_rows_of(self.X, start, stop), start, self.codes[rows], weights)
        X = self.X[rows] if isinstance(self.X, np.ndarray) else _rows_of(self.X, start, stop).toarray()
        return DenseBlock(X, start, self.codes[rows], weights)

    def _row_bytes(self) -> int:
        cells = self.X.nnz // max(1, self.shape[0]) + 1 if self.is_sparse else self.shape[1]
        return 8 * max(1, int(cells))

    def _block_rows(self, task: Pass[Any]) -> int:
        by_bytes = _BLOCK_BYTES // self._row_bytes()
        by_flops = int(_BLOCK_FLOPS / max(1, task.flops_per_row()))
        return max(64, min(by_bytes, by_flops))

    def _strands(self, task: Pass[Any]) -> int:
        n = self.shape[0]
        work = max(n * self._row_bytes() / _STRAND_BYTES, n * task.flops_per_row() / _STRAND_FLOPS)
        if work < 1:
            return 1
        most = min(64, max(4, _STRAND_VALUES_BYTES // max(1, task.value_bytes())))
        return max(1, min(most, max(_FEW_STRANDS, int(work / 2)), n // task.least_rows))


def _rows_of(X: Any, start: int, stop: int) -> Any:
    """Rows of a canonical CSR array as views; SciPy's own slices are copies."""
    starts = X.indptr[start : stop + 1]
    cells = slice(int(starts[0]), int(starts[-1]))
    part = sp.csr_array((X.data[cells], X.indices[cells], starts - starts[0]), shape=(stop - start, X.shape[1]))
    part.has_canonical_format = True
    return part
