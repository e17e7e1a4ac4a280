"""Shrinkage chosen by exact leave-one-out accuracy."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.errors import InputError, ScaleError
from discriminant.passes.left_out import LeftOutHits
from discriminant.passes.left_out_full import Basis, LeftOutFullHits
from discriminant.passes.moments import Moments
from discriminant.places.place import Place
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.factor import factor

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def leave_one_out(coordinates: Coordinates, gammas: Floats, log_priors: Floats | None) -> Floats:
    """The leave-one-out accuracy of every shrinkage; NaN where the covariance without shrinkage is singular."""
    moments, scores = coordinates.moments, np.full(len(gammas), np.nan)
    whole = factor(moments.pooled, moments.precision, equilibrate=coordinates.keeps_columns)
    if whole.rank == len(moments.pooled):
        whitening = whole.colour(np.eye(whole.rank))
        scores[gammas == 0] = _scores(coordinates, gammas[gammas == 0], log_priors, whitening)
    scores[gammas > 0] = _scores(coordinates, gammas[gammas > 0], log_priors, None)
    return scores


def _scores(coordinates: Coordinates, gammas: Floats, log_priors: Floats | None, whitening: Floats | None) -> Floats:
    if not len(gammas):
        return np.zeros(0)
    task = LeftOutHits(coordinates.moments, gammas, log_priors, coordinates.columns, whitening=whitening)
    if not np.isfinite(task.turn).all():
        raise ScaleError("X holds numbers so small that 1 / deviation leaves the range of floating point; multiply X "
                         "by a constant, so that its values are nearer to 1.")
    assert coordinates.place is not None
    return np.asarray(coordinates.place.fold(task) / coordinates.moments.total)


def leave_one_out_by_class(moments: Moments, rows: Place, gammas: Floats, log_priors: Floats | None) -> Floats:
    """The same where each class has its own covariance; `moments` by class, in one unit for all columns."""
    scores = np.full(len(gammas), np.nan)
    for at, bases in (_whitened(moments, gammas), _turned(moments, gammas)):
        if at.any():
            scores[at] = rows.fold(LeftOutFullHits(moments, gammas[at], bases, log_priors)) / moments.total
    return scores


def _turned(moments: Moments, gammas: Floats) -> tuple[Bools, list[Basis]]:
    """The shrinkages above 0 that leave no class singular, and eigenvectors, in units that make tr W / d = 1."""
    at, spectra = gammas > 0, []
    for W in moments.scatter:
        level = float(np.trace(W)) / len(W)
        values, vectors = la.eigh(W / level, check_finite=False)
        h = (1 - gammas)[:, None] * np.maximum(values, 0.0) + gammas[:, None]
        at &= h.min(axis=1) > len(W) * moments.precision * h.max(axis=1)
        spectra.append((vectors / np.sqrt(level), h, level))
    return at, [Basis(turn, h[at], (np.log(h[at]) + np.log(level)).sum(axis=1)) for turn, h, level in spectra]


def _whitened(moments: Moments, gammas: Floats) -> tuple[Bools, list[Basis]]:
    """The shrinkages that are 0, if no class is singular. Columns of any scale keep their digits here."""
    at = gammas == 0
    factors = [factor(W, moments.precision) for W in moments.scatter]
    if any(made.rank < len(moments.unit) for made in factors):
        return np.zeros_like(at), []
    ones = np.ones((int(at.sum()), len(moments.unit)))
    return at, [Basis(made.colour(np.eye(made.rank)), ones, np.full(len(ones), made.log_determinant))
                for made in factors]


def best_of(gammas: Floats, scores: Floats) -> float:
    """The shrinkage of the best score; among equals the strongest, which is the steadiest model."""
    if np.isnan(scores).all():
        raise InputError("Without shrinkage the covariance within classes is singular; offer shrinkages above 0.")
    best = np.nanmax(scores)
    return float(gammas[scores >= best - 1e-12].max())
