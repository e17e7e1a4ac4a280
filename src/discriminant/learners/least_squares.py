"""Least squares on class targets."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discriminant import door
from discriminant.errors import ParameterError, ScaleError
from discriminant.learners.linear import LinearLearner, all_or_nothing, learning
from discriminant.parameters import Allowed, ListOf, Mapped, OneOf, Real
from discriminant.places.place import Place
from discriminant.result import Result, Status
from discriminant.solvers.choose import coordinates_of
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.implicit import WIDE_SPARSE, Unformed
from discriminant.solvers.implicit_least_squares import implicit_least_squares
from discriminant.solvers.least_squares import LeastSquaresSolution, least_squares
from discriminant.solvers.ridge_path import best_of, leave_one_out, ridge_grid

Floats = NDArray[np.float64]


class LeastSquaresClassifier(LinearLearner):
    """Linear functions fitted to class targets by least squares, W = pinv(X) T, with a ridge penalty where asked.

    Minimises the weighted sum of |x_i'W + b - t_i|^2 plus alpha |W|^2; the intercept is not penalised. Rows far on the
    right side of a boundary count as errors too, which logistic regression does not do to them.

    Parameters
    ----------
    alpha : number >= 0, "loo" or list of numbers
        The penalty. A list (or "loo", a list of our own) is chosen from by exact leave-one-out accuracy, see `path_`.
    targets : "one-of-k", "bipolar" or "fisher"
        1 for the row's class and 0 for the others; 1 and -1; or, for two classes, N/N_1 for `classes_[1]` and -N/N_0
        for the other, which gives Fisher's direction and the boundary through the overall mean.
    fit_intercept : bool
    class_weight : None, "balanced" or dict
        Factors for the weights of the rows of each class.

    Attributes
    ----------
    coef_, intercept_ : the linear functions, (1 or K, d) and (1 or K,). For two classes in one-of-k coding the
        function of `classes_[1]` less that of the other.
    error_ : the sum-of-squares error 1/2 Tr{(XW - T)'(XW - T)}, rows weighted.
    alpha_ : the penalty used.
    path_ : dict of arrays `alpha`, `score` (exact leave-one-out accuracy) and `squared_error` (mean over rows of the
        left-out |x'W - t|^2, one-of-k), where alpha was chosen from many.
    loo_score_ : the exact leave-one-out accuracy of `alpha_`, where it was chosen from many.
    result_ : how the fit went: the route (see solvers/least_squares.py), rank, condition, passes, seconds.

    Examples
    --------
    >>> import discriminant as dc
    >>> X, y = dc.datasets.gate("and")
    >>> model = dc.LeastSquaresClassifier(targets="bipolar").fit(X, y)
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[1.0, 1.0]], [-1.5])
    """

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {
        "alpha": [Real(0), OneOf("loo"), ListOf(Real(0))],
        "targets": [OneOf("one-of-k", "bipolar", "fisher")],
        "fit_intercept": [OneOf(True, False)],
        "class_weight": [OneOf(None, "balanced"), Mapped("a dict from labels to weights")],
    }

    def __init__(self, *, alpha: Any = 0.0, targets: str = "one-of-k", fit_intercept: bool = True,
                 class_weight: Any = None) -> None:
        self.alpha = alpha
        self.targets = targets
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d) with labels y (n,)."""
        self._check_parameters()
        started = perf_counter()
        training = door.training(self, X, y, sample_weight, class_weight=self.class_weight)
        door.refuse_one_class(training, type(self).__name__)
        targets = self._target_table(training.class_weights)
        constant = bool(self.fit_intercept)
        wide = training.place.shape[1] > training.place.shape[0]
        with learning(training.place.shape[1]):
            # Lengths in the user's columns matter to a choice among penalties, and to the shortest of many solutions.
            coordinates = coordinates_of(training.place, len(training.classes), centred=constant,
                                         one_unit=wide or self._is_chosen())
            if isinstance(coordinates, Unformed):
                self._fit_unformed(coordinates, targets)
            else:
                self._fit_formed(coordinates, targets)
        self.classes_ = training.classes
        self.result_.stats.update(passes=training.place.passes_made, seconds=perf_counter() - started)
        self._tell()
        return self

    def _fit_formed(self, coordinates: Coordinates, targets: Floats) -> None:
        place, constant = coordinates.place, bool(self.fit_intercept)
        assert place is not None
        alpha = self._choose(place, coordinates) if self._is_chosen() else float(self.alpha)
        penalty = float(np.float64(alpha) / coordinates.stretch / coordinates.stretch)
        solution = least_squares(place, coordinates.moments, targets, penalty, constant=constant)
        full = solution.rank == coordinates.columns
        status = Status.CONVERGED if full or alpha > 0 else Status.RANK_DEFICIENT
        stats = {"route": solution.route, "rank": solution.rank, "condition": solution.condition}
        self._store(coordinates, solution, alpha, status, stats)

    def _fit_unformed(self, columns: Unformed, targets: Floats) -> None:
        if self._is_chosen():
            WIDE_SPARSE.refuse()
        alpha = float(self.alpha)
        solution, found = implicit_least_squares(columns, targets, alpha, constant=bool(self.fit_intercept))
        status = Status.CONVERGED if found.converged else Status.MAX_ITERATIONS
        self._store(columns, solution, alpha, status, {"route": solution.route, **found.stats})

    def _is_chosen(self) -> bool:
        """Whether alpha is to be chosen from many."""
        return np.ndim(self.alpha) == 1 or isinstance(self.alpha, str)

    def _target_table(self, class_weight: Floats) -> Floats:
        """The target of each class (K, m)."""
        classes = len(class_weight)
        if self.targets == "one-of-k":
            return np.eye(classes)
        if self.targets == "bipolar":
            return np.array([[-1.0], [1.0]]) if classes == 2 else 2 * np.eye(classes) - 1
        if classes != 2:
            raise ParameterError(f"targets='fisher' codes two classes; y has {classes}. Use 'one-of-k'.")
        return np.asarray(class_weight.sum() * np.array([[-1.0], [1.0]]) / class_weight[:, None])

    def _choose(self, place: Place, coordinates: Coordinates) -> float:
        constant, moments, stretch = bool(self.fit_intercept), coordinates.moments, coordinates.stretch
        if isinstance(self.alpha, str):
            penalties = ridge_grid(moments, coordinates.columns, constant=constant)
            alphas = penalties * stretch * stretch
        else:
            alphas = np.array(self.alpha, dtype=np.float64)
            penalties = alphas / stretch / stretch
        if isinstance(self.alpha, str) and not ((alphas > 1e-300) & np.isfinite(alphas)).all():
            raise ScaleError("The squares of X leave the range of floating point, and with them the penalties to "
                             "choose from; divide X by a constant, so that its values are nearer to 1.")
        scores, squares = leave_one_out(place, moments, penalties, constant=constant,
                                        by_share=self.targets == "fisher")
        self.path_ = {"alpha": alphas, "score": scores, "squared_error": squares}
        self.loo_score_ = float(scores.max())
        return best_of(alphas, scores)

    def _store(self, coordinates: Coordinates, solution: LeastSquaresSolution, alpha: float, status: Status,
               stats: dict[str, Any]) -> None:
        coef = coordinates.lift(solution.coef.T)
        self._keep(coef, solution.intercept + coordinates.lift_offset(solution.coef.T))
        self.error_, self.alpha_ = solution.error, alpha
        if not self._is_chosen():
            for name in ("path_", "loo_score_"):
                self.__dict__.pop(name, None)
        self.result_ = Result(self.coef_, status, stats)
