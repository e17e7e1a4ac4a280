"""The normal equations of least squares on class targets, from the moments of the classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.passes.moments import Moments

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NormalEquations:
    """S (d, d) and X'T (d, m) about `centre`, with columns in `unit`; `tt` is the targets' own scatter (m,).

    `noise` (d,) says how long, in units, the rounding in each column may be: about two bits in the last place of the
    cells (they came rounded), and a bit more for every column in sums that went through float64. A column that is no
    longer than that, measured from its mean, is constant.
    """

    S: Floats
    XT: Floats
    tt: Floats
    centre: Floats
    target_centre: Floats
    unit: Floats
    noise: Floats
    total: float
    constant: bool
    precision: float

    @classmethod
    def of(cls, moments: Moments, targets: Floats, *, constant: bool) -> NormalEquations:
        """From class moments; without `constant` nothing is centred, and no intercept is fitted."""
        N, unit, total = moments.weight, moments.unit, moments.total
        mean = moments.mean / unit
        # Measured from one of the class means, so that equal means have exactly that centre.
        centre = mean[0] + N / total @ (mean - mean[0]) if constant else np.zeros_like(unit)
        target_centre = N @ targets / total if constant else np.zeros(targets.shape[1])
        offset, T = mean - centre, targets - target_centre
        S = moments.pooled + (offset.T * N) @ offset
        XT = (offset.T * N) @ T
        length = np.sqrt(np.diagonal(S))
        cells = np.hypot(length, np.sqrt(total) * centre)
        noise = np.maximum(2 * moments.precision * cells, len(S) * np.finfo(float).eps * length)
        still = length <= noise
        S[still, :] = S[:, still] = XT[still] = 0.0
        return cls(S, XT, N @ T**2, centre * unit, target_centre, unit, noise, total, constant, moments.precision)

    def intercept(self, B: Floats) -> Floats:
        """The best intercept (m,) beside the coefficients B (d, m) of columns in units."""
        return np.asarray(self.target_centre - (self.centre / self.unit) @ B)

    def squares(self, B: Floats) -> float:
        """The sum of squared residuals (with the best intercept)."""
        return float(self.tt.sum() + (B * (self.S @ B - 2 * self.XT)).sum())
