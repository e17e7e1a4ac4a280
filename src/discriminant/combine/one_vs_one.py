"""One function for each pair of classes, and a vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant import door
from discriminant.combine import votes as count
from discriminant.combine.combiner import Combiner
from discriminant.combine.members import scores_of_members
from discriminant.combine.pairings import Pairing
from discriminant.combine.unbeaten import BEATEN, Unbeaten
from discriminant.learners.linear import fill
from discriminant.places.place import Place

Floats = NDArray[np.float64]

_MANY_CLASSES, _ROWS_OF_EACH = 8, 8  # from here on, looking for unbeaten candidates first is worth its overhead
_ROWS_AT_A_TIME = 1 << 16  # rows are copied for the full count


class OneVsOne(Combiner):
    """K classes by K (K - 1) / 2 classifiers, one for each pair; each gives a vote, and most votes decide.

    Votes leave ambiguous regions, where several classes share the most: `ambiguous` lists their rows. `predict` decides
    them by the scores that all members give in favour of a class, added up, and if those are equal for the first class.
    That is scikit-learn's rule.

    Parameters
    ----------
    estimator : classifier of two classes, of this library or scikit-learn
        Members are clones of it, fitted to the rows of two classes i < j with labels 0 for i and 1 for j. Their score
        is `decision_function`, or else the probability of 1 less 1/2. Linear members vote by the sign of the score,
        others by what they predict.
    n_jobs : int or None
        How many members are fitted at a time, in threads; None is one, -1 one on each processor.

    Attributes
    ----------
    estimators_ : the members, for the pairs (0, 1), (0, 2), ..., (K - 2, K - 1).
    pairs_ : (pairs, 2) the codes of both classes of each member.
    classes_ : (K,) the labels.
    coef_, intercept_ : the members' functions, (pairs, d) and (pairs,), where they are linear. Positive means the
        second class of the pair.
    result_ : the worst status of the members; `route` says whether they were fitted from "shared moments" (one read of
        the rows, for least squares and Fisher) or "one by one".

    Examples
    --------
    >>> from discriminant import OneVsOne
    >>> from discriminant.learners.least_squares import LeastSquaresClassifier
    >>> X = [[0.0, 0.0], [0.5, 0.0], [4.0, 0.0], [4.0, 0.5], [0.0, 4.0], [0.5, 4.0]]
    >>> model = OneVsOne(LeastSquaresClassifier()).fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict([[0.0, 1.0], [3.0, 0.0]]).tolist()
    ['a', 'b']
    >>> model.votes([[0.0, 1.0], [3.0, 0.0]]).tolist()
    [[2, 0, 1], [1, 2, 0]]
    """

    def __init__(self, estimator: Any, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    def _pairings(self, classes: NDArray[Any]) -> list[Pairing]:
        pairs = count.Pairs(len(classes))
        self.pairs_ = np.column_stack([pairs.first, pairs.second])
        return [Pairing(positive=int(j), negative=int(i)) for i, j in self.pairs_]

    def _arrange(self, functions: tuple[Floats, Floats] | None) -> tuple[Floats, Floats] | None:
        return functions

    def _counted(self, X: Any, answer: count.Answer, dtype: type, columns: int | None = None) -> NDArray[Any]:
        """What `answer` makes of the members' scores: an entry, or a row of `columns`, for each row."""
        pairs = count.Pairs(len(self.classes_))
        if self._is_linear:
            place = door.rows_to_score(self, X)
            out: NDArray[Any] = np.empty((place.shape[0],) if columns is None else (place.shape[0], columns), dtype)
            fill(place, count.PairVotes(pairs, self.coef_, self.intercept_, answer, out))
            return out
        rows = self._rows(X)
        scores = scores_of_members(self.estimators_, rows)
        wins = np.column_stack([np.asarray(member.predict(rows)) == 1 for member in self.estimators_])
        return answer(pairs, wins, pairs.sums(scores)).astype(dtype, copy=False)

    def _winners(self, place: Place) -> NDArray[np.int32]:
        """The code of every row's class; votes are counted only where the first candidate is beaten."""
        pairs, out = count.Pairs(len(self.classes_)), np.empty(place.shape[0], np.int32)
        if place.is_sparse or place.shape[0] < _ROWS_OF_EACH * len(self.classes_):
            fill(place, count.PairVotes(pairs, self.coef_, self.intercept_, count.winners, out))
            return out
        fill(place, Unbeaten(pairs, self.coef_, self.intercept_, out))
        left = np.flatnonzero(out == BEATEN)
        for start in range(0, len(left), _ROWS_AT_A_TIME):
            part = left[start : start + _ROWS_AT_A_TIME]
            winners = np.empty(len(part), np.int32)
            fill(place.subset(part), count.PairVotes(pairs, self.coef_, self.intercept_, count.winners, winners))
            out[part] = winners
        return out

    def decision_function(self, X: Any) -> Floats:
        """Votes, and c / (3 |c| + 3) to order equal ones, c the scores in favour of a class (n, K).

        Of two classes the score of the one member, positive for `classes_[1]` (n,).
        """
        self._require_fitted()
        if len(self.classes_) == 2:
            return np.asarray(self._counted(X, count.sums, np.float64, 2)[:, 1])
        return self._counted(X, count.grades, np.float64, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes; of several the one with the largest sum of scores, then the first."""
        self._require_fitted()
        if self._is_linear and len(self.classes_) >= _MANY_CLASSES:
            return np.asarray(self.classes_[self._winners(door.rows_to_score(self, X))])
        return np.asarray(self.classes_[self._counted(X, count.winners, np.intp)])

    def claims(self, X: Any) -> NDArray[np.bool_]:
        """Whether each member votes for the second class of its pair, see `pairs_` (n, pairs)."""
        self._require_fitted()
        return self._counted(X, count.wins, np.bool_, len(self.pairs_))

    def votes(self, X: Any) -> NDArray[np.int64]:
        """How many members vote for each class (n, K)."""
        self._require_fitted()
        return self._counted(X, count.votes, np.int64, len(self.classes_))

    def ambiguous(self, X: Any) -> NDArray[np.bool_]:
        """Whether two or more classes share the most votes (n,)."""
        votes = self.votes(X)
        return np.asarray((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1)
