"""Learners of Gaussian classes: all they read of the rows are moments, so rows may come bit by bit."""

from __future__ import annotations

from abc import abstractmethod
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from discriminant import door
from discriminant.errors import DegenerateError, ParameterError
from discriminant.learners.linear import LinearLearner, all_or_nothing, learning, log_posteriors
from discriminant.learners.priors import prior_of
from discriminant.learners.stream import MomentStream
from discriminant.passes.moments import Spread
from discriminant.places.place import Place
from discriminant.solvers.choose import coordinates_of
from discriminant.solvers.coordinates import Coordinates, from_moments

Floats = NDArray[np.float64]


class MomentLearner(LinearLearner):
    """`fit`, `partial_fit` and posteriors; a learner says which moments it needs and what it makes of them."""

    priors: Any
    _missing = ""  # what keeps the rows of `partial_fit` from making a model

    @abstractmethod
    def _moments_needed(self) -> tuple[Spread, bool]:
        """Which second moments, and whether all columns are to be measured in one unit."""

    @abstractmethod
    def _check_together(self, classes: int, columns: int) -> None:
        """What the table of ranges cannot say: parameters against the data and each other."""

    @abstractmethod
    def _learn(self, coordinates: Coordinates, rows: Place | None, classes: NDArray[Any], priors: Floats) -> None:
        """Set all that is learned but `classes_`; `rows` is None where only the moments are at hand."""

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d) with labels y (n,)."""
        self._check_parameters()
        started = perf_counter()
        training = door.training(self, X, y, sample_weight)
        door.refuse_one_class(training, type(self).__name__)
        place, classes = training.place, training.classes
        priors = prior_of(self.priors, training.class_weights)
        self._check_together(len(classes), place.shape[1])
        spread, one_unit = self._moments_needed()
        with learning(place.shape[1]):
            coordinates = coordinates_of(place, len(classes), one_unit=one_unit, spread=spread)
            self._learn(coordinates, place, classes, priors)
        self.classes_ = classes
        self._missing = ""
        self.__dict__.pop("_stream", None)
        self.result_.stats.update(passes=place.passes_made, seconds=perf_counter() - started)
        self._tell()
        return self

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows: the model is that of `fit` on all rows so far. Classes may come later.

        `classes`, where given, names all classes that may come, so that a wrong label is an error. Rows that do not
        make a model yet are kept; until others have come, using the learner says what is missing.
        """
        self._check_parameters()
        spread, one_unit = self._moments_needed()
        stream = self.__dict__.get("_stream") or MomentStream(spread)
        if stream.spread is not spread:
            raise ParameterError(f"{type(self).__name__}: the rows so far were gathered under other parameters; start "
                                 "again with fit, or with a new learner.")
        training = door.training(self, X, y, sample_weight, reset=stream.is_new)
        stream = stream.extended(training, classes)
        names, moments = stream.present()
        self._missing = self._still_missing(stream, len(names))
        if not self._missing:
            priors = prior_of(self.priors, moments.weight)
            expected = len(names) if stream.announced is None else len(stream.announced)
            self._check_together(expected, training.place.shape[1])
            try:
                with learning(training.place.shape[1]):
                    self._learn(from_moments(moments, one_unit=one_unit), None, names, priors)
            except DegenerateError as error:
                self._missing = str(error)
        if self._missing:
            self.__dict__.pop("classes_", None)
        else:
            self.classes_ = names
        self._stream = stream
        return self

    def _still_missing(self, stream: MomentStream, classes: int) -> str:
        """What `_missing` is to say, as far as it can be told before learning."""
        if classes < 2:
            return f"rows of two classes are needed, and so far there are those of {classes}."
        if stream.announced is not None and self.priors is not None and classes < np.size(self.priors):
            return f"priors has {np.size(self.priors)} numbers, and so far there are rows of {classes} classes."
        return ""

    def _require_fitted(self) -> None:
        if "classes_" not in self.__dict__ and self._missing:
            raise NotFittedError(f"This {type(self).__name__} needs more rows by partial_fit: {self._missing}")
        super()._require_fitted()

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the posteriors (n, K)."""
        return log_posteriors(self._scored(X, winners=False))

    def predict_proba(self, X: Any) -> Floats:
        """Posteriors by Bayes' rule for Gaussian classes (n, K)."""
        return np.exp(self.predict_log_proba(X))
