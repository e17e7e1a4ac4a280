"""What the machine could do at best: bytes a second out of memory, operations a second in registers.

Both are measured between the contests, again and again, and the best of the run counts: the harshest limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from benchmarks.contest import Cost
from benchmarks.quiet import Quiet
from discriminant.blocks.dense import DenseBlock
from discriminant.blocks.functions import padded
from discriminant.blocks.origin import Origin

_READ = 32_000_000  # float64: 256 MB, well beyond the caches
_ROWS, _COLUMNS = 192, 512  # 768 kB of float64, inside a core's second-level cache
_REPEATS = 8  # of the kernel in one try
_GEMM = 768
_TRIES = 10  # short ones: in a busy machine some of them fall into a gap


@dataclass
class Limits:
    """The best rates seen so far: bandwidth in bytes a second, peak in operations a second by type of float."""

    bandwidth: float = 0.0
    peak: dict[str, float] = field(default_factory=lambda: {"float64": 0.0, "float32": 0.0})
    threads: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))

    def __post_init__(self) -> None:
        self._pool = ThreadPoolExecutor(self.threads)
        self._rows = np.ones(_READ)

    def seconds(self, cost: Cost | None) -> float:
        """The larger of bytes over bandwidth and operations over peak; 0 where no cost is stated."""
        return 0.0 if cost is None else max(cost.bytes / self.bandwidth, cost.flops / self.peak[cost.dtype])

    def measure(self, quiet: Quiet) -> None:
        quiet.wait()
        parts = np.array_split(self._rows, self.threads)
        for read in (np.sum, _squares):
            seconds = self._best(lambda read=read: self._all(read, parts))
            self.bandwidth = max(self.bandwidth, self._rows.nbytes / seconds)
        for dtype in self.peak:
            self.peak[dtype] = max(self.peak[dtype], self._gram(dtype), self._gemm(dtype))

    def _all(self, call: Callable, arguments: list) -> None:
        list(self._pool.map(call, arguments))

    @staticmethod
    def _best(call: Callable[[], None]) -> float:
        times = []
        for _ in range(_TRIES):
            started = perf_counter()
            call()
            times.append(perf_counter() - started)
        return min(times)

    def _gram(self, dtype: str) -> float:
        """The project's own kernel on rows that stay in cache: n d (d + 1) operations for one triangle."""
        kernels = [_GramInCache(dtype) for _ in range(self.threads)]
        seconds = self._best(lambda: self._all(_GramInCache.__call__, kernels))
        return self.threads * _REPEATS * _ROWS * _COLUMNS * (_COLUMNS + 1) / seconds

    def _gemm(self, dtype: str) -> float:
        A = np.ones((_GEMM, _GEMM), dtype)
        return 2 * _GEMM**3 / self._best(lambda: A @ A)


def _squares(x: np.ndarray) -> float:
    return float(np.dot(x, x))  # reads faster than a sum, which has to wait for its additions


class _GramInCache:
    def __init__(self, dtype: str) -> None:
        kind, wide = np.dtype(dtype), padded(_COLUMNS)
        self._block = DenseBlock(np.ones((_ROWS, _COLUMNS), kind), 0, np.zeros(_ROWS, np.int32), None)
        self._origin = Origin.of(np.zeros((1, _COLUMNS), kind), np.ones(_COLUMNS), kind)
        self._sums = np.zeros(1), np.zeros((1, wide)), np.zeros((wide, wide))

    def __call__(self) -> None:
        for _ in range(_REPEATS):
            self._block.add_gram(self._origin, *self._sums, None)
