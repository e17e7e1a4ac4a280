"""A classifier of several classes made of classifiers of two: what one-versus-rest and one-versus-one share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from discriminant import door
from discriminant.combine.members import Jobs, TwoClassClassifier, fit_members, stacked
from discriminant.combine.pairings import Pairing
from discriminant.learners.linear import Learner, all_or_nothing
from discriminant.parameters import Allowed
from discriminant.result import Result, Status

Floats = NDArray[np.float64]


class Combiner(Learner):
    """`fit` of all members; a combiner says which pairings it needs and what it makes of the members' scores."""

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {"estimator": [TwoClassClassifier()], "n_jobs": [Jobs()]}

    estimator: Any
    n_jobs: int | None
    estimators_: list[Any]

    @abstractmethod
    def _pairings(self, classes: NDArray[Any]) -> list[Pairing]:
        """The problems of two classes, one for each member."""

    @abstractmethod
    def _arrange(self, functions: tuple[Floats, Floats] | None) -> tuple[Floats, Floats] | None:
        """`coef_` and `intercept_` from the members' functions; None where members are not all linear."""

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a clone of `estimator` for every member on rows X (n, d) with labels y (n,)."""
        self._check_parameters()
        started = perf_counter()
        training = door.training(self, X, y, sample_weight)
        door.refuse_one_class(training, type(self).__name__)
        pairings = self._pairings(training.classes)
        rows = door.as_rows(X, type(self).__name__)
        members, route = fit_members(self.estimator, training, rows, pairings, self.n_jobs)
        self.classes_, self.estimators_ = training.classes, members
        functions = self._arrange(stacked(members, rows))
        for name in ("coef_", "intercept_"):
            self.__dict__.pop(name, None)
        if functions is not None:
            self.coef_, self.intercept_ = functions
        results = [member.result_ for member in members if isinstance(getattr(member, "result_", None), Result)]
        stats = {"route": route, "members": len(members), **_passes(results, training.place.passes_made),
                 "seconds": perf_counter() - started}
        self.result_ = Result(None if functions is None else self.coef_, _status(results), stats)
        return self

    @property
    def _is_linear(self) -> bool:
        return "coef_" in self.__dict__

    def _rows(self, X: Any) -> Any:
        """Rows as members take them, compared with those of `fit`."""
        door.rows_to_score(self, X)
        return door.as_rows(X, type(self).__name__)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            theirs = get_tags(self.estimator).input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = theirs.sparse, theirs.allow_nan
        return tags


# From what spoils a prediction most to what spoils nothing; a status not named here counts as worse than all.
_WORST_FIRST = (Status.MAX_ITERATIONS, Status.CYCLING, Status.INSEPARABLE, Status.TOLERANCE, Status.RANK_DEFICIENT,
                Status.CONVERGED, Status.SEPARABLE)


def _status(results: Sequence[Result]) -> Status:
    """The worst of the members'; members of other libraries tell theirs by warnings."""
    found = [result.status for result in results]
    ranked = sorted(found, key=lambda status: _WORST_FIRST.index(status) if status in _WORST_FIRST else -1)
    return ranked[0] if ranked else Status.CONVERGED


def _passes(results: Sequence[Result], shared: int) -> dict[str, int]:
    """The passes of all members together, where they say."""
    counted = [result.stats["passes"] for result in results if "passes" in result.stats]
    return {"passes": shared + sum(counted)} if counted else {}
