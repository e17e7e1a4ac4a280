"""All that comes after fitting, written once: every linear learner keeps `coef_`, `intercept_`, `classes_`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from discriminant import door, parameters
from discriminant.blocks.functions import LinearFunctions
from discriminant.errors import OUT_OF_RANGE, ScaleError, VersionWarning
from discriminant.passes.a_pass import Pass
from discriminant.passes.scores import FirstBad, Scores
from discriminant.places.place import Place
from discriminant.places.threads import calm_blas
from discriminant.result import Result, Status
from discriminant.solvers.measure import refuse_not_finite
from discriminant.versions import VERSION

Floats = NDArray[np.float64]


def all_or_nothing(method: Callable[..., Any]) -> Callable[..., Any]:
    """For `fit` and its kin: an error or Ctrl-C leaves the learner as it was, never half-way.

    The method works on a copy; what it has learned becomes the learner's in one assignment.
    """

    @wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        method(copy, *args, **kwargs)
        self.__dict__ = copy.__dict__
        return self

    return run


class _NoProbabilities:
    """What a learner without a model of probability has for `predict_proba`: nothing, and advice where to get it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, learner: Any, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} has no {self._name}, as it has no model of probability. Wrap it in "
                             "sklearn.calibration.CalibratedClassifierCV, which learns one from its scores.")


class Learner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose parameters are declared in a table of ranges."""

    parameters: ClassVar[Mapping[str, list[parameters.Allowed]]] = {}

    classes_: NDArray[Any]
    n_features_in_: int
    result_: Result
    predict_proba: Any = _NoProbabilities()
    predict_log_proba: Any = _NoProbabilities()

    def _check_parameters(self) -> None:
        parameters.check(type(self).__name__, self.parameters, vars(self))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_discriminant_version": VERSION}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made_by = state.pop("_discriminant_version", "unknown")
        if made_by != VERSION:
            warnings.warn(f"This {type(self).__name__} was pickled by discriminant {made_by}, and this is {VERSION}: "
                          "it may not work, or not give the same answers. Fit it again, or install that version.",
                          VersionWarning, stacklevel=2)
        super().__setstate__(state)

    def _tell(self) -> None:
        """Warn of a solution that was not reached: nobody looks at a status unasked."""
        if self.result_.status is Status.MAX_ITERATIONS:
            warnings.warn(f"{type(self).__name__}: {self.result_}", ConvergenceWarning, stacklevel=4)

    def _require_fitted(self) -> None:
        if "classes_" not in self.__dict__:
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet. Call 'fit' with training rows before "
                                 "using it.")

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearLearner(Learner):
    """A learner whose decision is the largest of K linear functions, or the sign of one."""

    coef_: Floats  # (1 or K, d)
    intercept_: Floats  # (1 or K,)
    _functions: LinearFunctions

    def _keep(self, coef: Floats, intercept: Floats) -> None:
        """Store the K functions; two classes are kept as one function, the second's less the first's."""
        if len(coef) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ScaleError(OUT_OF_RANGE)
        self.coef_, self.intercept_ = np.ascontiguousarray(coef), np.ascontiguousarray(intercept)

    def _scored(self, X: Any, *, winners: bool) -> NDArray[Any]:
        """Scores (n, 1 or K), or for each row the code of its class."""
        self._require_fitted()
        place = door.rows_to_score(self, X)
        functions = LinearFunctions.of(self.coef_, self.intercept_)
        return winners_of(place, functions) if winners else scores_of(place, functions)

    def decision_function(self, X: Any) -> Floats:
        """The score of every class (n, K); for two classes one score, positive for `classes_[1]` (n,)."""
        scores = self._scored(X, winners=False)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row: the largest score; for two classes `classes_[1]` where the score is > 0."""
        codes = self._scored(X, winners=True)
        return np.asarray(self.classes_[codes])


@contextmanager
def learning(columns: int) -> Iterator[None]:
    """Around all arithmetic of a fit, of matrices with so many columns.

    What leaves the range of floating point shows in the result, which is checked, not in warnings.
    """
    with calm_blas(columns), np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        yield


def scores_of(place: Place, functions: LinearFunctions) -> Floats:
    out = np.empty((place.shape[0], functions.count))
    fill(place, Scores(functions, out=out))
    return out


def winners_of(place: Place, functions: LinearFunctions) -> NDArray[np.int32]:
    winners = np.empty(place.shape[0], np.int32)
    fill(place, Scores(functions, winners=winners))
    return winners


def fill(place: Place, task: Pass[FirstBad]) -> None:
    """Run a pass that writes scores, and refuse rows whose scores are not finite."""
    if place.fold(task).row >= 0:
        refuse_not_finite(place)


def log_posteriors(scores: Floats) -> Floats:
    """Logarithms of class shares from scores: softmax, or for one score the logistic function."""
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    return np.asarray(log_softmax(scores, axis=1))
