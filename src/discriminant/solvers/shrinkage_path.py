"""Shrinkage chosen by exact leave-one-out accuracy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import InputError
from discriminant.passes.left_out import LeftOutHits
from discriminant.solvers.coordinates import Coordinates

Floats = NDArray[np.float64]


def leave_one_out(coordinates: Coordinates, gammas: Floats, log_priors: Floats | None) -> Floats:
    """The leave-one-out accuracy of every shrinkage; NaN where the covariance without shrinkage is singular."""
    assert coordinates.place is not None
    task = LeftOutHits(coordinates.moments, gammas, log_priors, coordinates.columns)
    return np.asarray(coordinates.place.fold(task) / coordinates.moments.total)


def best_of(gammas: Floats, scores: Floats) -> float:
    """The shrinkage of the best score; among equals the strongest, which is the steadiest model."""
    if np.isnan(scores).all():
        raise InputError("Without shrinkage the covariance within classes is singular; offer shrinkages above 0.")
    best = np.nanmax(scores)
    return float(gammas[scores >= best - 1e-12].max())
