"""Least squares on class targets for many penalties, each judged by exact leave-one-out."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.passes.left_out_ridge import LeftOutRidge
from discriminant.passes.moments import Moments
from discriminant.places.place import Place
from discriminant.solvers.normal_equations import NormalEquations

Floats = NDArray[np.float64]


def ridge_grid(moments: Moments, columns: int, *, constant: bool) -> Floats:
    """Penalties from far below to far above the mean variance of a column: what "loo" tries."""
    S = NormalEquations.of(moments, np.eye(len(moments.weight)), constant=constant).S
    with np.errstate(over="ignore", under="ignore"):
        level = (np.diagonal(S) * moments.unit * moments.unit).sum() / columns
    return np.asarray((level if S.any() else 1.0) * np.logspace(-8, 1, 28))


def leave_one_out(place: Place, moments: Moments, alphas: Floats, *, constant: bool, by_share: bool
                  ) -> tuple[Floats, Floats]:
    """The leave-one-out accuracy and the mean squared left-out error of every alpha.

    `moments` in one unit for all columns. `by_share` divides a class's prediction by its weight, as the coding
    N/N_1 against -N/N_0 does.
    """
    indicators = np.eye(len(moments.weight))
    equations = NormalEquations.of(moments, indicators, constant=constant)
    values, vectors = la.eigh(equations.S, check_finite=False)
    unit = equations.unit[0]
    with np.errstate(over="ignore"):
        raised = np.maximum(values, 0.0)[:, None] + np.minimum(alphas / unit / unit, 1e290)
    least = len(values) * equations.precision * max(values[-1], 0.0)
    full = values > least
    exact = int(full.sum()) == place.shape[0] - constant
    if exact:  # leave-one-out is then about directions in which the rows do lie
        raised = raised * np.maximum(values, 0.0)[:, None]
        known = np.broadcast_to(full[:, None], raised.shape)
    else:
        known = raised > least
    inverse = np.divide(1.0, raised, out=np.zeros_like(raised), where=known)
    task = LeftOutRidge(equations.centre, vectors / unit, inverse, vectors.T @ equations.XT, moments.weight,
                        constant=constant, by_share=by_share, exact=exact)
    found = place.fold(task)
    return found.hits / moments.total, found.squares / moments.total


def best_of(alphas: Floats, scores: Floats) -> float:
    """The alpha of the best score; among equals the largest, which is the steadiest model."""
    return float(alphas[scores >= scores.max() - 1e-12].max())
