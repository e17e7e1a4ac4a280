"""Squared distances (x - m_k)' S_k^-1 (x - m_k) of dense rows from every class.

Each kind works with y = (x - origin) * scale, which a block hands out piece by piece, and subtracts a class mean before
anything is squared: expanding the square would lose the digits that distant means take.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.dense import DenseBlock
from discriminant.blocks.functions import LinearFunctions

Floats = NDArray[np.float64]


class Distances(ABC):
    """What a piece of rows becomes (rows, K)."""

    origin: Floats  # (d,)
    scale: Floats  # (d,)
    flops_per_row: int  # about

    @abstractmethod
    def of(self, Y: Floats) -> Floats:
        """The squared distances of rows Y."""


class OneMetric(Distances):
    """|R'(y - m_k)|^2, one R (d, r) for all classes.

    Where the rows were spanned by a basis Q (d, m), R is (m, r) and acts on Q'y; what of y is outside of the basis adds
    its squared length divided by `variance_beyond`.
    """

    def __init__(self, origin: Floats, scale: Floats, whitened_mean: Floats, R: Floats,
                 basis: Floats | None = None, variance_beyond: float = 1.0) -> None:
        self.origin, self.scale, self.mean = origin, scale, whitened_mean
        self._whiten = LinearFunctions.of_columns(R)
        self._into = None if basis is None else LinearFunctions.of_columns(basis)
        self._back = None if basis is None else LinearFunctions.of_columns(basis.T)
        self._beyond = variance_beyond
        self.flops_per_row = 2 * R.size + 3 * whitened_mean.size + (0 if basis is None else 4 * basis.size)

    def of(self, Y: Floats) -> Floats:
        outside = np.zeros(len(Y))
        if self._into is not None and self._back is not None:
            inside = functions_of(Y, self._into)
            rest = Y - functions_of(inside, self._back)
            outside, Y = np.einsum("ij,ij->i", rest, rest) / self._beyond, inside
        Z = functions_of(Y, self._whiten)
        out = np.empty((len(Y), len(self.mean)))
        step = np.empty_like(Z)
        for k, mean in enumerate(self.mean):
            np.subtract(Z, mean, out=step)
            out[:, k] = np.einsum("ij,ij->i", step, step)
        out += outside[:, None]
        return out


class MetricByClass(Distances):
    """|R_k'(y - m_k)|^2 with R (K, d, d)."""

    def __init__(self, scale: Floats, mean: Floats, R: Floats) -> None:
        self.origin, self.scale, self.mean = np.zeros_like(scale), scale, mean
        self._whiten = [LinearFunctions.of_columns(each) for each in R]
        self.flops_per_row = 2 * R.size + 3 * mean.size

    def of(self, Y: Floats) -> Floats:
        out = np.empty((len(Y), len(self.mean)))
        step = np.empty_like(Y)
        for k, mean in enumerate(self.mean):
            np.subtract(Y, mean, out=step)
            Z = functions_of(step, self._whiten[k])
            out[:, k] = np.einsum("ij,ij->i", Z, Z)
        return out


class DeviationByClass(Distances):
    """sum_j ((y_j - m_kj) / s_kj)^2; `deviation` is (K, d), or (K, 1) where all columns share one."""

    def __init__(self, scale: Floats, mean: Floats, deviation: Floats) -> None:
        self.origin, self.scale, self.mean = np.zeros_like(scale), scale, mean
        self._inverse = 1.0 / deviation
        self.flops_per_row = 4 * mean.size

    def of(self, Y: Floats) -> Floats:
        out = np.empty((len(Y), len(self.mean)))
        step = np.empty_like(Y)
        for k, mean in enumerate(self.mean):
            np.subtract(Y, mean, out=step)
            np.multiply(step, self._inverse[k], out=step)
            out[:, k] = np.einsum("ij,ij->i", step, step)
        return out


def functions_of(Y: Floats, functions: LinearFunctions) -> Floats:
    """The functions' values (rows, count)."""
    out = np.empty((len(Y), functions.count))
    DenseBlock(Y, 0, np.zeros(len(Y), np.int32), None).scores(functions, out, None)
    return out
