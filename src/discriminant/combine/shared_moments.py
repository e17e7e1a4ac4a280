"""Members that are made from moments, all from one read of the rows.

The rows of a pairing are groups of classes. With N_k, m_k and the scatter S_k of each class at hand, a group G has
    N = sum N_k,   m = sum N_k m_k / N,   S = sum S_k + N_k (m_k - m)(m_k - m)'   over k in G,
which are the moments that a fit on the rows of the pairing would have measured. Against the rest, the scatter of all
classes together is enough; a pair of classes needs that of each.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from discriminant.combine.pairings import Pairing, rows_of_pairings
from discriminant.door import Training
from discriminant.learners.fisher import FisherDiscriminant
from discriminant.learners.least_squares import LeastSquaresClassifier
from discriminant.learners.linear import Learner, learning
from discriminant.learners.priors import prior_of
from discriminant.passes.moments import Moments, Spread
from discriminant.places.place import Place
from discriminant.solvers.coordinates import InUnits, from_moments
from discriminant.solvers.measure import measure

_MOST_COLUMNS = 2048  # factors take longer than reading rows beyond this, and they are not shared
_MOST_CELLS = 1 << 25  # of the matrices of all classes together: 256 MB


def from_shared_moments(estimator: Any, training: Training, pairings: Sequence[Pairing]) -> list[Any] | None:
    """Members equal to separate fits, but for rounding; None where the estimator needs more than moments."""
    make = _MAKERS.get(type(estimator))
    if make is None:
        return None
    estimator._check_parameters()
    if not _moments_are_all(estimator):
        return None
    place, classes = training.place, len(training.classes)
    against_rest = all(pairing.negative is None for pairing in pairings) or classes == 2
    if not _worth_sharing(place, classes, against_rest):
        return None
    orders = rows_of_pairings(place.codes, classes, pairings)
    with learning(place.shape[1]):
        moments = measure(place, classes, Spread.POOLED if against_rest else Spread.BY_CLASS)
        return [_made(make, estimator, moments, place, pairing, order)
                for pairing, order in zip(pairings, orders, strict=True)]


def _moments_are_all(estimator: Any) -> bool:
    """Whether the configuration asks for nothing but the moments of two classes (and rows to refine on)."""
    if isinstance(estimator, LeastSquaresClassifier):
        return isinstance(estimator.alpha, numbers.Real) and estimator.class_weight is None
    rule = estimator.shrinkage
    return rule is None or isinstance(rule, numbers.Real) or (isinstance(rule, str) and rule == "oas")


def _worth_sharing(place: Place, classes: int, against_rest: bool) -> bool:
    n, d = place.shape
    if d > _MOST_COLUMNS:
        return False
    if against_rest:
        return d <= n  # with fewer rows a fit works in the span of its rows
    two_smallest = np.sort(np.bincount(place.codes, minlength=classes))[:2].sum()
    return bool(d <= two_smallest and classes * d * d <= _MOST_CELLS)


def regrouped(moments: Moments, groups: Sequence[NDArray[np.intp]]) -> Moments:
    """The moments of groups of classes, pooled. Groups may leave classes out where each has its own scatter."""
    used = np.concatenate(groups)
    scatter = moments.pooled.copy() if moments.spread is Spread.POOLED else moments.scatter[used].sum(axis=0)
    weight, mean = np.empty(len(groups)), np.empty((len(groups), len(moments.unit)))
    for g, group in enumerate(groups):
        share, means = moments.weight[group], moments.mean[group]
        weight[g] = share.sum()
        first = means[int(share.argmax())]  # measured from one of them, a constant column keeps its very value
        mean[g] = first + (share / weight[g]) @ (means - first)
        step = (means - mean[g]) / moments.unit * np.sqrt(share)[:, None]
        scatter += step.T @ step
    return Moments(Spread.POOLED, weight, mean, moments.unit, scatter[None], moments.precision)


Maker = Callable[[Any, Moments, Callable[[], Place]], None]


def _made(make: Maker, estimator: Learner, moments: Moments, place: Place, pairing: Pairing,
          order: NDArray[np.int64] | None) -> Learner:
    started, member = perf_counter(), clone(estimator)

    def rows() -> Place:
        part = place if order is None else place.subset(order)
        return part.labelled((part.codes == pairing.positive).astype(np.int32), part.weights)

    make(member, regrouped(moments, pairing.sides(len(moments.weight))), rows)
    member.classes_ = np.array([0, 1])
    member.n_features_in_ = place.shape[1]
    member.result_.stats.setdefault("passes", 0)
    member.result_.stats["seconds"] = perf_counter() - started
    return member  # type: ignore[no-any-return]


def _least_squares(member: LeastSquaresClassifier, moments: Moments, rows: Callable[[], Place]) -> None:
    place = rows()
    member._fit_formed(InUnits(moments, place), member._target_table(moments.weight))
    member.result_.stats["passes"] = place.passes_made


def _fisher(member: FisherDiscriminant, moments: Moments, rows: Callable[[], Place]) -> None:
    member._check_together(2, len(moments.unit))
    _, one_unit = member._moments_needed()
    priors = prior_of(member.priors, moments.weight)
    member._learn(from_moments(moments, one_unit=one_unit), None, np.array([0, 1]), priors)
    member._missing = ""


_MAKERS: dict[type, Maker] = {LeastSquaresClassifier: _least_squares, FisherDiscriminant: _fisher}
