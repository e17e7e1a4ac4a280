"""Iterative refinement of a least-squares solution.

The residuals of the solution in hand, and their products with the rows, are summed with twice the digits
(passes/exact_residuals.py); the normal equations, solved with whatever factor made the solution, say how to step. A
factor that is right to a share `loss` leaves that share of the error at each step (Bjorck 1996, section 2.9). Nothing
of the rows was rounded, so what remains in the end is the rounding u of the coefficients themselves, or (u k)^2 where
their condition k is above 1e8: rounded coefficients leave a gradient of u, which the equations magnify by k^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.passes.exact_residuals import ExactResiduals
from discriminant.places.place import Place
from discriminant.solvers.normal_equations import NormalEquations

Floats = NDArray[np.float64]

_MOST_STEPS = 12
_CAUTION = 16  # the factor may be this much worse than its condition says
_ROUNDING = 1e-12  # steps that stop shrinking at this share of the coefficients do so by rounding


@dataclass(frozen=True)
class Refined:
    """Coefficients (d, m), the intercept for rows not centred (m,), and the sum of squared residuals."""

    coef: Floats
    intercept: Floats
    squares: float
    settled: bool  # False where steps did not shrink: the factor is too far from the rows


def refine(place: Place, targets: Floats, equations: NormalEquations, penalty: Floats,
           solve: Callable[[Floats], Floats], start: Floats, loss: float, enough: float) -> Refined:
    """Refine the coefficients `start` (d, m) until each is right to the share `enough`, or to rounding.

    `solve` gives an approximate (S + penalty)^-1 G.
    """
    centre = equations.centre / equations.unit
    B, b = start, equations.intercept(start)
    before, settled = np.inf, False
    for _ in range(_MOST_STEPS):
        sums = place.fold(ExactResiduals(1.0 / equations.unit, B, b, targets))
        gradient = sums.gradient(centre)
        step = solve(gradient - penalty[:, None] * B)
        size = float(np.abs(step).max(initial=0.0))
        if size > before / 4:  # rounding, or a factor that does not fit the rows
            settled = before <= _ROUNDING * float(np.abs(B).max(initial=0.0))
            break
        squares = float((sums.squares - (step * (2 * gradient - equations.S @ step)).sum(axis=0)).sum())
        B = B + step
        if equations.constant:
            mean = sums.sums.rounded() / equations.total
            squares -= float(equations.total * (mean**2).sum())
            b = b + (mean - centre @ step)
        settled = bool((np.abs(step) * min(1.0, _CAUTION * loss) <= enough * np.abs(B)).all())
        if settled:
            break
        before = size
    return Refined(B, b, squares, settled)
