"""Shrinkage chosen by exact leave-one-out accuracy."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.errors import InputError
from discriminant.passes.left_out import LeftOutHits
from discriminant.passes.left_out_full import Basis, LeftOutFullHits
from discriminant.passes.moments import Moments
from discriminant.places.place import Place
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.factor import factor

Floats = NDArray[np.float64]


def leave_one_out(coordinates: Coordinates, gammas: Floats, log_priors: Floats | None) -> Floats:
    """The leave-one-out accuracy of every shrinkage; NaN where the covariance without shrinkage is singular."""
    assert coordinates.place is not None
    task = LeftOutHits(coordinates.moments, gammas, log_priors, coordinates.columns)
    return np.asarray(coordinates.place.fold(task) / coordinates.moments.total)


def leave_one_out_by_class(moments: Moments, rows: Place, gammas: Floats, log_priors: Floats | None) -> Floats:
    """The same where each class has its own covariance; `moments` by class, in one unit for all columns."""
    scores = np.full(len(gammas), np.nan)
    for at, bases_of in ((gammas > 0, _eigenvectors), (gammas == 0, _whitening)):
        bases = [bases_of(W, gammas[at], moments.precision) for W in moments.scatter] if at.any() else []
        usable = [basis for basis in bases if basis is not None]
        if usable and len(usable) == len(bases):
            scores[at] = rows.fold(LeftOutFullHits(moments, gammas[at], usable, log_priors)) / moments.total
    return scores


def _eigenvectors(W: Floats, gammas: Floats, precision: float) -> Basis | None:
    """None for a class without any spread."""
    values, vectors = la.eigh(W, check_finite=False)
    values = np.maximum(values, 0.0)
    h = (1 - gammas)[:, None] * values + (gammas * values.mean())[:, None]
    return Basis(vectors, h, np.log(h).sum(axis=1)) if values.any() else None


def _whitening(W: Floats, gammas: Floats, precision: float) -> Basis | None:
    """Without shrinkage; None for a singular scatter. Columns of any scale keep their digits, unlike in eigenvectors."""
    made = factor(W, precision)
    if made.rank < len(W):
        return None
    turn, ones = made.colour(np.eye(len(W))), np.ones((len(gammas), len(W)))
    return Basis(turn, ones, np.full(len(gammas), made.log_determinant))


def best_of(gammas: Floats, scores: Floats) -> float:
    """The shrinkage of the best score; among equals the strongest, which is the steadiest model."""
    if np.isnan(scores).all():
        raise InputError("Without shrinkage the covariance within classes is singular; offer shrinkages above 0.")
    best = np.nanmax(scores)
    return float(gammas[scores >= best - 1e-12].max())
