"""Fitting the members of a combination: one classifier of two classes for each pairing.

A learner that can fit all one-versus-rest members in one go offers a method

    _fit_apart(self, training: door.Training, classes: NDArray[np.intp]) -> list[Self] | None

which gives, for each code in `classes`, what a clone of the learner would be after `fit` on the same rows and weights
with the labels `(codes == k).astype(int)`; None where this configuration cannot. Members need `classes_` (0 and 1),
`n_features_in_` and `result_` like any fitted learner. Learners that need no more than moments are served by
shared_moments.py; all others are fitted one by one.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from discriminant.combine.pairings import Pairing, rows_of_pairings
from discriminant.combine.shared_moments import from_shared_moments
from discriminant.door import Training
from discriminant.errors import ParameterError
from discriminant.learners.linear import LinearLearner
from discriminant.parameters import Allowed
from discriminant.passes.finite import FirstNotFinite
from discriminant.solvers.measure import refuse_not_finite

Floats = NDArray[np.float64]


class TwoClassClassifier(Allowed):
    """A classifier, not fitted, whose scores can be asked for."""

    def accepts(self, value: Any) -> bool:
        if inspect.isclass(value) or not hasattr(value, "__sklearn_tags__") or not is_classifier(value):
            return False
        return hasattr(value, "decision_function") or hasattr(value, "predict_proba")

    def __str__(self) -> str:
        return "a classifier (an instance, not its class) with decision_function or predict_proba"


class Jobs(Allowed):
    """How many members are fitted at a time."""

    def accepts(self, value: Any) -> bool:
        if value is None:
            return True
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value != 0

    def __str__(self) -> str:
        return "None, a number of threads, or -1 for one on each processor"


def fit_members(estimator: Any, training: Training, rows: Any, pairings: Sequence[Pairing], n_jobs: int | None
                ) -> tuple[list[Any], str]:
    """The members in the order of `pairings`, and the route by which they were fitted."""
    members = _fitted_together(estimator, training, pairings)
    if members is not None:
        return members, "together"
    members = from_shared_moments(estimator, training, pairings)
    if members is not None:
        return members, "shared moments"
    return _fitted_one_by_one(estimator, training, rows, pairings, n_jobs), "one by one"


def _fitted_together(estimator: Any, training: Training, pairings: Sequence[Pairing]) -> list[Any] | None:
    if not hasattr(type(estimator), "_fit_apart") or any(pairing.negative is not None for pairing in pairings):
        return None
    classes = np.array([pairing.positive for pairing in pairings])
    members: list[Any] | None = clone(estimator)._fit_apart(training, classes)
    return members


def _fitted_one_by_one(estimator: Any, training: Training, rows: Any, pairings: Sequence[Pairing],
                       n_jobs: int | None) -> list[Any]:
    place = training.place
    if place.weights is not None and not _takes_weights(estimator):
        raise ParameterError(f"{type(estimator).__name__} takes no sample_weight; leave the weights out, or give an "
                             "estimator that takes them.")
    # A member sees some of the rows, so its error would name the wrong one.
    if not get_tags(estimator).input_tags.allow_nan and place.fold(FirstNotFinite()).row >= 0:
        refuse_not_finite(place)
    orders = rows_of_pairings(place.codes, len(training.classes), pairings)
    members: list[Any] = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_fitted)(estimator, training, rows, pairing, order)
        for pairing, order in zip(pairings, orders, strict=True))
    return members


def _takes_weights(estimator: Any) -> bool:
    arguments = inspect.signature(estimator.fit).parameters
    return "sample_weight" in arguments or any(each.kind is each.VAR_KEYWORD for each in arguments.values())


def _fitted(estimator: Any, training: Training, rows: Any, pairing: Pairing, order: NDArray[np.int64] | None) -> Any:
    codes, weights = training.place.codes, training.place.weights
    if order is not None:
        rows, codes = rows[order], codes[order]
        weights = None if weights is None else weights[order]
    given = {} if weights is None else {"sample_weight": weights}
    try:
        return clone(estimator).fit(rows, (codes == pairing.positive).astype(int), **given)
    except Exception as error:
        names = training.classes.tolist()
        against = "the rest" if pairing.negative is None else f"class {names[pairing.negative]!r} (0)"
        error.add_note(f"This came from the member for class {names[pairing.positive]!r} (1) against {against}.")
        raise


def scores_of_members(members: Sequence[Any], rows: Any) -> Floats:
    """The score of every member for every row (n, m): `decision_function`, else the probability of 1, less 1/2."""
    out = np.empty((rows.shape[0], len(members)))
    for k, member in enumerate(members):
        if hasattr(member, "decision_function"):
            out[:, k] = np.ravel(member.decision_function(rows))
        else:
            out[:, k] = member.predict_proba(rows)[:, 1] - 0.5
    return out


def stacked(members: Sequence[Any], rows: Any) -> tuple[Floats, Floats] | None:
    """The members' functions as one matrix (m, d) and one vector (m,); None unless all are linear.

    A few of the training `rows` tell whether a member's scores are what its coefficients say.
    """
    few = rows[np.linspace(0, rows.shape[0] - 1, min(8, rows.shape[0])).astype(int)]
    functions = [_linear_function(member, few) for member in members]
    found = [function for function in functions if function is not None]
    if len(found) < len(members):
        return None
    return np.stack([coef for coef, _ in found]), np.array([intercept for _, intercept in found])


def _linear_function(member: Any, rows: Any) -> tuple[Floats, float] | None:
    coef, intercept = getattr(member, "coef_", None), getattr(member, "intercept_", None)
    if not isinstance(coef, np.ndarray) or intercept is None or not hasattr(member, "decision_function"):
        return None
    if coef.size != rows.shape[1] or np.size(intercept) != 1:
        return None
    w, b = coef.ravel().astype(np.float64), float(np.ravel(intercept)[0])
    if not isinstance(member, LinearLearner):
        said = np.ravel(member.decision_function(rows))
        allowed = 1e-5 * (abs(rows) @ np.abs(w) + abs(b))  # a member may compute in float32
        if not (np.abs(said - (rows @ w + b)) <= allowed).all():
            return None
    return w, b
