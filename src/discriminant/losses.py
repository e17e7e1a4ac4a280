"""The losses of linear functions, one class each: value, gradient and curvature with respect to the scores z.

For one function the target of a row is s = 1 where its class code is 1, else -1, and z has shape (n, 1); for softmax z
is (n, K). These formulas serve sparse rows; for dense rows the loss kernel computes the same in the read of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from discriminant import _core

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class Loss(ABC):
    """A loss, and what the kernel calls it."""

    kernel: Any  # a member of _core.Loss
    width: float = 1.0  # the kernel's mu, where the loss has one

    @abstractmethod
    def value(self, z: Floats, codes: Codes) -> Floats:
        """l(z) for every row (n,)."""

    @abstractmethod
    def gradient(self, z: Floats, codes: Codes) -> Floats:
        """dl/dz, shaped like z."""

    @abstractmethod
    def curvature(self, z: Floats, codes: Codes) -> Floats:
        """The diagonal of d2l/dz2, shaped like z."""


def _sign(codes: Codes) -> Floats:
    return np.where(codes == 1, 1.0, -1.0)[:, None]


class Logistic(Loss):
    """l = log(1 + exp(-s z)); l' = -s p, l'' = p (1 - p) with p = 1 / (1 + exp(s z))."""

    kernel = _core.Loss.logistic

    def value(self, z: Floats, codes: Codes) -> Floats:
        return np.asarray(np.logaddexp(0.0, -_sign(codes) * z)[:, 0])

    def gradient(self, z: Floats, codes: Codes) -> Floats:
        s = _sign(codes)
        return np.asarray(-s * expit(-s * z))

    def curvature(self, z: Floats, codes: Codes) -> Floats:
        return np.asarray(expit(z) * expit(-z))


class Squared(Loss):
    """l = (z - s)^2 / 2; l' = z - s, l'' = 1."""

    kernel = _core.Loss.squared

    def value(self, z: Floats, codes: Codes) -> Floats:
        return np.asarray(0.5 * ((z - _sign(codes)) ** 2)[:, 0])

    def gradient(self, z: Floats, codes: Codes) -> Floats:
        return z - _sign(codes)

    def curvature(self, z: Floats, codes: Codes) -> Floats:
        return np.ones_like(z)


class SquaredHinge(Loss):
    """l = max(0, 1 - s z)^2; l' = -2 s max(0, 1 - s z), l'' = 2 where s z < 1, else 0."""

    kernel = _core.Loss.squared_hinge

    def value(self, z: Floats, codes: Codes) -> Floats:
        return np.asarray((np.maximum(0.0, 1 - _sign(codes) * z) ** 2)[:, 0])

    def gradient(self, z: Floats, codes: Codes) -> Floats:
        s = _sign(codes)
        return np.asarray(-2 * s * np.maximum(0.0, 1 - s * z))

    def curvature(self, z: Floats, codes: Codes) -> Floats:
        return np.where(_sign(codes) * z < 1, 2.0, 0.0)


class HuberHinge(Loss):
    """The hinge max(0, 1 - s z), its corner rounded over `width` mu; with u = 1 - s z:

    l = 0 for u <= 0, u^2 / 2 mu for 0 <= u <= mu, u - mu / 2 beyond; l' = -s clip(u / mu, 0, 1), l'' = 1 / mu between.
    """

    kernel = _core.Loss.huber_hinge

    def __init__(self, width: float) -> None:
        self.width = width

    def value(self, z: Floats, codes: Codes) -> Floats:
        u = 1 - _sign(codes) * z
        inside = np.clip(u, 0.0, self.width)
        return np.asarray((inside**2 / (2 * self.width) + np.maximum(u - self.width, 0.0))[:, 0])

    def gradient(self, z: Floats, codes: Codes) -> Floats:
        s = _sign(codes)
        return np.asarray(-s * np.clip((1 - s * z) / self.width, 0.0, 1.0))

    def curvature(self, z: Floats, codes: Codes) -> Floats:
        u = 1 - _sign(codes) * z
        return np.where((u > 0) & (u < self.width), 1 / self.width, 0.0)


class Softmax(Loss):
    """l = log(sum_k exp z_k) - z_y; l' = p - [k = y], the diagonal of l'' is p (1 - p), p = exp(z) / sum exp(z)."""

    kernel = _core.Loss.softmax

    def value(self, z: Floats, codes: Codes) -> Floats:
        return np.asarray(logsumexp(z, axis=1) - z[np.arange(len(z)), codes])

    def gradient(self, z: Floats, codes: Codes) -> Floats:
        p = _shares(z)
        p[np.arange(len(z)), codes] -= 1.0
        return p

    def curvature(self, z: Floats, codes: Codes) -> Floats:
        p = _shares(z)
        return p * (1 - p)


def _shares(z: Floats) -> Floats:
    return np.asarray(np.exp(z - logsumexp(z, axis=1, keepdims=True)))
