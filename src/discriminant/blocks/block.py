"""What every kind of block can do. A pass calls these and never asks which kind it holds.

X is the block's n x d matrix, k_i the class of row i and w_i >= 0 its weight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.functions import LinearFunctions
from discriminant.blocks.origin import Origin
from discriminant.blocks.walk import Walk
from discriminant.losses import Loss

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class Block(ABC):
    """Rows `start .. start + n - 1` of a place, with their classes and weights."""

    def __init__(self, start: int, codes: Codes, weights: Floats | None) -> None:
        self.start, self.codes, self.weights = start, codes, weights

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]: ...

    @abstractmethod
    def add_gram(self, origin: Origin, totals: Floats, sums: Floats, scatter: Floats, rows_of: int | None) -> None:
        """With y_i = (x_i - centre_k) * scale: totals[k] += w_i, sums[k] += w_i y_i, scatter += w_i y_i y_i'.

        `rows_of` restricts this to the rows of one class, whose entry of `totals` and `sums` is then the only one.
        Only the upper triangle of `scatter` is filled. All buffers are padded to whole vectors.
        """

    @abstractmethod
    def add_squares(self, origin: Origin, totals: Floats, sums: Floats, squares: Floats) -> None:
        """As `add_gram`, with squares[k] += w_i y_i * y_i (K, padded(d)) in place of the scatter."""

    @abstractmethod
    def scores(self, functions: LinearFunctions, out: Floats | None, winners: Codes | None) -> int:
        """out = X W' + b, and the index of each row's largest. Returns the first row that is not finite, or -1."""

    @abstractmethod
    def add_loss(self, functions: LinearFunctions, loss: Loss, gradient: Floats, intercept_gradient: Floats,
                 scores: Floats | None, curvature: Floats | None) -> tuple[float, int]:
        """The weighted loss and the first row whose scores are not finite, or -1.

        Adds sum_i w_i l'_ik x_i to gradient (K, padded(d)) and sum_i w_i l'_ik to intercept_gradient (K,); fills scores
        (n, K) and, of one function, curvature_i = w_i l''_i (n,), where given.
        """

    @abstractmethod
    def times(self, V: Floats) -> Floats:
        """X V, for V of shape (d, m)."""

    @abstractmethod
    def transpose_times(self, R: Floats) -> Floats:
        """X'R, for R of shape (n, m): the answer has shape (d, m)."""

    @abstractmethod
    def outer(self, scale: Floats) -> Floats:
        """Y Y' (n, n) for Y = X * scale, scale (d,)."""

    @abstractmethod
    def centred(self, centre: Floats, scale: Floats) -> Iterator[tuple[Codes, Floats | None, Floats]]:
        """Codes, weights and dense rows (x - centre) * scale, about a megabyte at a time; centre and scale are (d,)."""

    @abstractmethod
    def squared_distances(self, centre: Floats, scale: Floats) -> Floats:
        """|(x_i - centre_k) * scale_k|^2 for every row i of class k (n,); centre and scale are (K, d)."""

    @abstractmethod
    def lengths(self, out: Floats) -> None:
        """out_i = sqrt(|x_i|^2 + 1): the length of the row with the constant that the intercept multiplies."""

    @abstractmethod
    def walk(self, walk: Walk, order: NDArray[np.int64] | None) -> None:
        """Present the rows to a perceptron one after another, or those numbered in `order`."""

    @abstractmethod
    def rows(self, order: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """The rows (or those numbered in `order`) as a dense C-contiguous float array."""

    @abstractmethod
    def largest(self) -> Floats:
        """max_i |x_ij| for every column j; NaN and inf stay what they are."""

    @abstractmethod
    def first_not_finite(self) -> tuple[int, int, float] | None:
        """Row, column and value of the first cell that is NaN or infinite."""
