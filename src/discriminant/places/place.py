"""What a place offers to solvers and learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass

T = TypeVar("T")


class Place(ABC):
    """Rows with a class code and, where given, a weight each."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]  # float32 or float64: the type in which rows are read
    codes: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    is_sparse: bool
    passes_made: int

    @abstractmethod
    def fold(self, task: Pass[T]) -> T:
        """The value of `task` over all rows, the same bits whatever number of threads makes it."""

    @abstractmethod
    def in_order(self) -> Iterator[Block]:
        """Blocks one after another, in the order of the rows: for what must meet the rows so, in one thread."""

    @abstractmethod
    def take(self, order: NDArray[np.int64]) -> NDArray[Any]:
        """The rows numbered in `order`, dense."""

    @abstractmethod
    def whole(self) -> Block:
        """All rows as one block: for few rows only."""

    @abstractmethod
    def subset(self, order: NDArray[np.int64]) -> Place:
        """The rows numbered in `order` as a place of their own: for few rows only."""

    @abstractmethod
    def labelled(self, codes: NDArray[np.int32], weights: NDArray[np.float64] | None) -> Place:
        """The same rows under other classes and weights; nothing is copied."""
