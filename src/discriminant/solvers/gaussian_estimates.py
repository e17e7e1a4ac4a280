"""Gaussian class densities from moments: covariances of maximum likelihood, shrunk as the user asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import DegenerateError
from discriminant.passes.fourth import FourthMoments
from discriminant.passes.moments import Moments
from discriminant.places.place import Place
from discriminant.result import Status
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.factor import factor
from discriminant.solvers.gaussian_densities import (
    DiagonalDensities,
    FullDensities,
    GaussianDensities,
    SharedDensities,
    UnformedDensities,
)
from discriminant.solvers.shrinkage import ledoit_wolf, oas, shrunk
from discriminant.solvers.shrinkage_path import best_of, leave_one_out_by_class
from discriminant.solvers.within import Within, is_chosen, offered, refuse_without_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Densities, and how they came about; `gamma` is one number, one for each class, or None without shrinkage."""

    densities: GaussianDensities
    gamma: Any
    path: dict[str, Any] | None
    status: Status
    stats: dict[str, Any] = field(default_factory=dict)


def shared(within: Within) -> Estimate:
    """One covariance, as `within_of` made it."""
    coordinates = within.coordinates
    if not coordinates.has_scatter:
        unformed = UnformedDensities(coordinates.original_means())
        return Estimate(unformed, within.gamma, within.path, within.status, within.stats)
    level = float(np.trace(coordinates.moments.pooled)) / coordinates.moments.total / coordinates.columns
    densities = SharedDensities(coordinates, within.covariance, within.factor, (within.gamma or 0.0) * level)
    return Estimate(densities, within.gamma, within.path, within.status, within.stats)


def full(coordinates: Coordinates, rows: Place | None, rule: Any, left_out_log_priors: Floats | None,
         names: list[Any]) -> Estimate:
    """One covariance for each class; `rows` and `left_out_log_priors` as in `within_of`, `names` for messages."""
    moments = coordinates.moments
    if rows is None:
        refuse_without_rows(rule)
    S = moments.scatter / moments.weight[:, None, None]
    for k, each in enumerate(S):
        if np.trace(each) <= 0:
            _refuse_matrix(names[k], each, 0, 0.0)
    gamma, path = _intensities(rule, S, moments, rows, left_out_log_priors)
    each_gamma = np.broadcast_to(gamma, len(S))
    covariance = np.stack([shrunk(each, g, len(each)) for each, g in zip(S, each_gamma, strict=True)])
    factors = [factor(each, moments.precision) for each in covariance]
    for k, made in enumerate(factors):
        if made.rank < len(S[k]):
            _refuse_matrix(names[k], S[k], made.rank, float(each_gamma[k]))
    densities = FullDensities(moments.unit, moments.mean, covariance, factors)
    worst = max(factors, key=lambda made: made.condition)
    stats = {"route": worst.route, "rank": worst.rank, "condition": worst.condition}
    return Estimate(densities, None if rule is None else gamma, path, Status.CONVERGED, stats)


def _intensities(rule: Any, S: Floats, moments: Moments, rows: Place | None, left_out_log_priors: Floats | None
                 ) -> tuple[Any, dict[str, Any] | None]:
    """The shrinkage of every class, one number or one for each (K,); and the path, where it was chosen from many."""
    if is_chosen(rule):
        assert rows is not None
        gammas = offered(rule)
        scores = leave_one_out_by_class(moments, rows, gammas, left_out_log_priors)
        return best_of(gammas, scores), {"shrinkage": gammas, "score": scores}
    if not isinstance(rule, str):
        return 0.0 if rule is None else float(rule), None
    if rule == "oas":
        return np.array([oas(each, n, len(each)) for each, n in zip(S, moments.weight, strict=True)]), None
    assert rows is not None
    fourth = rows.fold(FourthMoments(moments.mean, 1.0 / moments.unit[None, :]))
    return np.array([ledoit_wolf(each, float(f), n, len(each))
                     for each, f, n in zip(S, fourth, moments.weight, strict=True)]), None


def diagonal(coordinates: Coordinates, rule: Any, names: list[Any]) -> Estimate:
    """A variance for each class and column; `rule` is None or a number."""
    moments = coordinates.moments
    gamma = 0.0 if rule is None else float(rule)
    variance = moments.scatter / moments.weight[:, None]
    variance = (1 - gamma) * variance + gamma * variance.mean(axis=1, keepdims=True)
    if (variance <= 0).any():
        k, column = (int(at) for at in np.argwhere(variance <= 0)[0])
        what = "all its rows are equal" if gamma else f"column {column} is constant in it"
        cure = "covariance='shared'" if gamma else "shrinkage > 0, or covariance='shared' or 'spherical'"
        raise DegenerateError(f"Class {names[k]!r} has no density with covariance='diagonal': {what}. Use {cure}.")
    densities = DiagonalDensities(moments.unit, moments.mean, variance)
    return Estimate(densities, None if rule is None else gamma, None, Status.CONVERGED, _variances(moments))


def spherical(coordinates: Coordinates, names: list[Any]) -> Estimate:
    """One variance for each class, tr S_k / d."""
    moments = coordinates.moments
    variance = (moments.scatter / moments.weight[:, None]).mean(axis=1, keepdims=True)
    if (variance <= 0).any():
        k = int(np.argmin(variance))
        raise DegenerateError(f"Class {names[k]!r} has no density with covariance='spherical': all its rows are "
                              "equal. Use covariance='shared'.")
    densities = DiagonalDensities(moments.unit, moments.mean, variance, spherical=True)
    return Estimate(densities, None, None, Status.CONVERGED, _variances(moments))


def _variances(moments: Moments) -> dict[str, Any]:
    return {"route": "variances", "rank": len(moments.unit), "condition": 1.0}


def _refuse_matrix(name: Any, S: Floats, rank: int, gamma: float) -> None:
    cure = f"shrinkage > {gamma:g}, or covariance='shared' or 'spherical'"
    constant = np.flatnonzero(np.diagonal(S) <= 0)
    if len(constant) == len(S):
        what, cure = "all its rows are equal", "covariance='shared'"
    elif len(constant):
        what = f"column {constant[0]} is constant in it"
    else:
        what = f"its rows spread in {rank} of {len(S)} directions only"
    raise DegenerateError(f"Class {name!r} has no density with covariance='full': {what}. Use {cure}.")
