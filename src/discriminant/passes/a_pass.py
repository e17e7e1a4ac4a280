"""What a pass is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from discriminant.blocks.block import Block

T = TypeVar("T")


class Pass(ABC, Generic[T]):
    """One read of the rows: a value that starts empty, takes in blocks, and merges with another of its kind.

    A place gives blocks to values in any number of threads or processes, and merges the values in an order that
    depends on the rows alone. So a pass never asks which place it runs in, or which kind of block it holds.
    """

    least_rows = 256  # a thread's share of the rows is not cut smaller than this

    @abstractmethod
    def begin(self) -> T:
        """The value of no rows."""

    @abstractmethod
    def block(self, block: Block, into: T) -> None:
        """Take the rows of `block` into `into`."""

    @abstractmethod
    def merge(self, into: T, other: T) -> T:
        """The value of both; `into` may be changed and returned."""

    def value_bytes(self) -> int:
        """About how large one value is: a place keeps few large values at a time."""
        return 0

    def flops_per_row(self) -> int:
        """About how many operations a row takes: a place cuts blocks so that an interrupt is answered soon."""
        return 0
