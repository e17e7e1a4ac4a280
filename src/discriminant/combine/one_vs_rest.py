"""One function for each class, against all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discriminant import door
from discriminant.blocks.functions import LinearFunctions
from discriminant.combine.combiner import Combiner
from discriminant.combine.members import scores_of_members
from discriminant.combine.pairings import Pairing
from discriminant.errors import DegenerateError, ParameterError
from discriminant.learners.linear import scores_of, winners_of
from discriminant.parameters import Allowed, OneOf

Floats = NDArray[np.float64]


class OneVsRest(Combiner):
    """K classes by K functions, each trained to tell one class from the rest; the largest score decides.

    Taken by their signs alone, the functions leave ambiguous regions: rows that no class claims, and rows that several
    do. `ambiguous` lists them; `predict` decides them all the same, by the largest score. Of equal scores the first
    class wins. For two classes one function is enough: that of `classes_[1]`, and its negative for `classes_[0]`.

    Parameters
    ----------
    estimator : classifier of two classes, of this library or scikit-learn
        Members are clones of it, fitted to labels 0 and 1. Their score is `decision_function`, or else the probability
        of 1 less 1/2 (not its logarithm, which is infinite where a member is sure).
    n_jobs : int or None
        How many members are fitted at a time, in threads; None is one, -1 one on each processor.
    reference : a class label, or None
        A class without a function of its own, which leaves K - 1: its score is 0, so it gets the rows that no other
        class claims. Of two classes one has no function anyway.
    scores : "raw" or "distance"
        With "distance" each function is divided by norm(w_k), so that scores are distances from the boundaries and can
        be compared; raw scores are not depths. For linear members.

    Attributes
    ----------
    estimators_ : the members, in order of the classes that have a function.
    classes_ : (K,) the labels.
    coef_, intercept_ : the functions that decide, (1 or K, d) and (1 or K,), where members are linear. The row of
        the reference class is zero; with "distance" each row has norm 1.
    result_ : the worst status of the members; `route` says whether they were fitted from "shared moments" (one read of
        the rows, for least squares and Fisher), "together" by the estimator, or "one by one".

    Examples
    --------
    >>> from discriminant import OneVsRest
    >>> from discriminant.learners.least_squares import LeastSquaresClassifier
    >>> X = [[0.0, 0.0], [0.5, 0.0], [4.0, 0.0], [4.0, 0.5], [0.0, 4.0], [0.5, 4.0]]
    >>> model = OneVsRest(LeastSquaresClassifier()).fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict([[0.0, 1.0], [3.0, 0.0], [1.0, 3.0]]).tolist()
    ['a', 'b', 'c']
    >>> model.ambiguous([[0.0, 1.0], [1.6, 1.6]]).tolist()
    [False, True]
    """

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {**Combiner.parameters, "scores": [OneOf("raw", "distance")]}

    def __init__(self, estimator: Any, *, n_jobs: int | None = None, reference: Any = None, scores: str = "raw"
                 ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.reference = reference
        self.scores = scores

    def _pairings(self, classes: NDArray[Any]) -> list[Pairing]:
        self._reference = _code_of(self.reference, classes)
        self._functions_of = np.array([1]) if len(classes) == 2 else np.array(
            [k for k in range(len(classes)) if k != self._reference])
        return [Pairing(int(k)) for k in self._functions_of]

    def _arrange(self, functions: tuple[Floats, Floats] | None) -> tuple[Floats, Floats] | None:
        if functions is None:
            if self.scores == "distance":
                raise ParameterError(f"OneVsRest: scores='distance' divides functions by norm(w), and "
                                     f"{type(self.estimator).__name__} has none that are linear; use scores='raw'.")
            return None
        coef, intercept = self._as_distances(*functions) if self.scores == "distance" else functions
        if len(self.classes_) == 2:
            return coef, intercept
        all_coef, all_intercepts = np.zeros((len(self.classes_), coef.shape[1])), np.zeros(len(self.classes_))
        all_coef[self._functions_of], all_intercepts[self._functions_of] = coef, intercept
        return all_coef, all_intercepts

    def _as_distances(self, coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        largest = np.abs(coef).max(axis=1)
        if not largest.all():
            label = self.classes_.tolist()[self._functions_of[int(np.argmin(largest))]]
            raise DegenerateError(f"OneVsRest: the function of class {label!r} is constant (w = 0), so it has no "
                                  "boundary to measure distances from; use scores='raw'.")
        coef, intercept = coef / largest[:, None], intercept / largest  # so that no square overflows
        norm = np.linalg.norm(coef, axis=1)
        return coef / norm[:, None], intercept / norm

    def _scores(self, X: Any) -> Floats:
        """(n, 1 or K)."""
        self._require_fitted()
        if self._is_linear:
            return scores_of(door.rows_to_score(self, X), LinearFunctions.of(self.coef_, self.intercept_))
        scores = scores_of_members(self.estimators_, self._rows(X))
        if len(self.classes_) == 2:
            return scores
        every = np.zeros((len(scores), len(self.classes_)))
        every[:, self._functions_of] = scores
        return every

    @property
    def _order(self) -> NDArray[np.intp]:
        """In which order classes win ties: the reference wins a score of 0, which claims nothing."""
        order = np.arange(len(self.classes_))
        return order if self._reference is None else np.r_[self._reference, np.delete(order, self._reference)]

    def decision_function(self, X: Any) -> Floats:
        """The score of every class (n, K), 0 for the reference; of two classes that of `classes_[1]` (n,)."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest score; of two classes `classes_[1]` where its score is > 0."""
        self._require_fitted()
        if self._is_linear:
            place = door.rows_to_score(self, X)
            order = np.arange(2) if len(self.coef_) == 1 else self._order
            rows = slice(None) if len(self.coef_) == 1 else order
            codes = order[winners_of(place, LinearFunctions.of(self.coef_[rows], self.intercept_[rows]))]
            return np.asarray(self.classes_[codes])
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return np.asarray(self.classes_[(scores[:, 0] > 0).astype(int)])
        return np.asarray(self.classes_[self._order[scores[:, self._order].argmax(axis=1)]])

    def claims(self, X: Any) -> NDArray[np.bool_]:
        """Which classes claim each row, by a score > 0: (n, K), or (n, K - 1) without the reference.

        Of two classes the first claims what the second does not.
        """
        scores = self._scores(X)
        claimed = scores > 0 if scores.shape[1] > 1 else np.hstack([~(scores > 0), scores > 0])
        return claimed if self._reference is None else np.delete(claimed, self._reference, axis=1)

    def votes(self, X: Any) -> NDArray[np.int64]:
        """The claims as numbers (n, K): 1 where a class claims the row, for the reference where no other does."""
        votes = self.claims(X).astype(np.int64)
        return votes if self._reference is None else np.insert(votes, self._reference, ~votes.any(axis=1), axis=1)

    def ambiguous(self, X: Any) -> NDArray[np.bool_]:
        """Whether the signs alone leave the row's class open: several classes claim it, or none does (n,).

        With a reference, rows that no class claims are the reference's and not ambiguous.
        """
        return np.asarray(self.votes(X).sum(axis=1) != 1)


def _code_of(reference: Any, classes: NDArray[Any]) -> int | None:
    if reference is None:
        return None
    names = classes.tolist()
    if np.ndim(reference) == 0 and reference in names:
        return int(names.index(reference))
    raise ParameterError(f"OneVsRest: reference must be None or a class of y, which are "
                         f"{', '.join(map(repr, names[:10]))}; got {reference!r}.")
