"""The perceptron: weights learned from mistakes, one row after another."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from discriminant import door
from discriminant.datasets.random_state import RandomState, generator
from discriminant.errors import InputError, ParameterError
from discriminant.learners.linear import LinearLearner, all_or_nothing, learning
from discriminant.learners.perceptron_start import start_of
from discriminant.learners.perceptron_summary import summary_of, verdict_of
from discriminant.learners.perceptron_trace import Trace, trace_of
from discriminant.parameters import Allowed, Integer, Mapped, OneOf, Real
from discriminant.parameters import ArrayLike as Array
from discriminant.places.place import Place
from discriminant.result import Result
from discriminant.solvers.perceptron import Functions, Outcome, Plan, Run, lengths_of, outputs_of
from discriminant.solvers.perceptron_apart import can_learn_apart, learn_apart

Floats = NDArray[np.float64]


class Perceptron(LinearLearner):
    """Rosenblatt's perceptron: on a mistake, w += rate t x and b += rate t.

    The net of a row is w'x + b. With targets t of -1 for `classes_[0]` and +1 for `classes_[1]` the output is +1 if
    net > threshold, -1 if net < -threshold, and 0 between; a row is a mistake where output != t. With K > 2 classes one
    model learns K functions together: where another class scores at least as much as the row's own, that class loses
    rate x and the row's own gains it. Weights are exactly those of the plain loop over the rows in float64, whatever
    the kernel does to be fast.

    Parameters
    ----------
    learning_rate : number > 0
    threshold : number >= 0
        The dead zone: nets from -threshold to threshold decide nothing, and are mistakes. For two classes.
    zero : "undecided", "positive" or "negative"
        What a net of zero is: no output, or +1, or -1. For K classes a tie is always a mistake, or is won by the last
        of the tied classes, or by the first.
    order : "cyclic", "shuffle" or "random"
        Rows one after another; in a new order each epoch; or drawn one by one, n to the epoch.
    first_row : int
        The row that a cyclic epoch begins with.
    init : "zeros", "random", array or pair (coef, intercept)
        The weights to start from; an array is shaped like `coef_`, and the intercept starts at 0.
    keep : "last", "average" or "pocket"
        The weights that predict: the last; the mean of those after every presentation; or those with the fewest
        mistakes on the training rows, of the weights at the end and of the longest run of each epoch.
    stop : "epoch", "all-right" or "criterion"
        End after an epoch without a mistake; as soon as all rows are right, tried after each presentation; or when the
        perceptron criterion, the sum of threshold - t net over the mistakes, is above 0 and at most `tolerance`.
    tolerance : number >= 0
    max_epochs : int
    fit_intercept : bool
    class_weight : None, "balanced" or dict
        A row's weight scales its steps, as `sample_weight` does.
    trace : bool
        Keep every presentation in `trace_`: for few rows.
    random_state : int, Generator, RandomState or None
        For shuffles, draws and a random start.
    warm_start : bool
        `fit` goes on from the weights of the last fit.

    Attributes
    ----------
    coef_, intercept_ : the linear functions, (1 or K, d) and (1 or K,).
    n_epochs_ : epochs begun, the unchanged one included.
    n_mistakes_ : updates made.
    trace_ : with `trace=True` a table with a row for each presentation.
    result_ : CONVERGED, CYCLING (the same weights came back), TOLERANCE or MAX_ITERATIONS; stats hold epochs, mistakes,
        the verdict on separability, `margin_bound` (no hyperplane has a larger margin, measured with the constant 1 as
        one more column) and `radius`, the length of the longest row with that constant.

    Examples
    --------
    >>> import discriminant as dc
    >>> X, y = dc.datasets.gate("and")
    >>> model = dc.Perceptron(threshold=0.2).fit(X, y)
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.n_mistakes_, model.n_epochs_
    ([[2.0, 3.0]], [-4.0], 22, 10)
    >>> model.output(X).tolist()
    [1, -1, -1, -1]
    """

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {
        "learning_rate": [Real(0, open_low=True)],
        "threshold": [Real(0)],
        "zero": [OneOf("undecided", "positive", "negative")],
        "order": [OneOf("cyclic", "shuffle", "random")],
        "first_row": [Integer(0)],
        "init": [OneOf("zeros", "random"), Array("an array shaped like coef_, or a pair (coef, intercept)")],
        "keep": [OneOf("last", "average", "pocket")],
        "stop": [OneOf("epoch", "all-right", "criterion")],
        "tolerance": [Real(0)],
        "max_epochs": [Integer(1)],
        "fit_intercept": [OneOf(True, False)],
        "class_weight": [OneOf(None, "balanced"), Mapped("a dict from labels to weights")],
        "trace": [OneOf(True, False)],
        "warm_start": [OneOf(True, False)],
    }

    n_epochs_: int
    n_mistakes_: int
    trace_: Trace
    _walked: tuple[Functions, Functions | None, int]  # the last weights, and what the average goes on from

    def __init__(self, *, learning_rate: float = 1.0, threshold: float = 0.0, zero: str = "undecided",
                 order: str = "cyclic", first_row: int = 0, init: str | ArrayLike = "zeros", keep: str = "last",
                 stop: str = "epoch", tolerance: float = 0.0, max_epochs: int = 1000, fit_intercept: bool = True,
                 class_weight: Any = None, trace: bool = False, random_state: RandomState = None,
                 warm_start: bool = False) -> None:
        self.learning_rate = learning_rate
        self.threshold = threshold
        self.zero = zero
        self.order = order
        self.first_row = first_row
        self.init = init
        self.keep = keep
        self.stop = stop
        self.tolerance = tolerance
        self.max_epochs = max_epochs
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.trace = trace
        self.random_state = random_state
        self.warm_start = warm_start

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d) with labels y (n,)."""
        self._check_parameters()
        goes_on = bool(self.warm_start) and "classes_" in self.__dict__
        training = door.training(self, X, y, sample_weight, class_weight=self.class_weight, reset=not goes_on)
        door.refuse_one_class(training, type(self).__name__)
        if goes_on and not np.array_equal(training.classes, self.classes_):
            raise InputError(f"warm_start goes on with the classes {self.classes_.tolist()}; y holds "
                             f"{training.classes.tolist()}. Set warm_start=False to start anew.")
        self._learn(training.place, training.classes, goes_on=goes_on, max_epochs=int(self.max_epochs))
        if self.keep == "last":  # the other weights are made for rows that no hyperplane separates
            self._tell()
        return self

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Present more rows once. The first call names all `classes`, unless its rows hold them all."""
        self._check_parameters()
        goes_on = "classes_" in self.__dict__
        training = door.training(self, X, y, sample_weight, reset=not goes_on)
        if isinstance(self.class_weight, str):
            raise ParameterError("class_weight='balanced' needs all rows at once: use fit, or give partial_fit a dict.")
        given = None if classes is None else door.announced_classes(classes)
        known = self.classes_ if goes_on else training.classes if given is None else given
        if goes_on and given is not None and not np.array_equal(given, known):
            raise InputError(f"classes={given.tolist()} is not the same as in the first call: {known.tolist()}.")
        if len(known) < 2:
            raise InputError(f"Perceptron needs at least two classes; this first call knows one class only: "
                             f"{known.tolist()[0]!r}. Name all of them: partial_fit(X, y, classes=[...]).")
        place = door.among_classes(training, known, self.class_weight)
        epochs, mistakes = (self.n_epochs_, self.n_mistakes_) if goes_on else (0, 0)
        self._learn(place, known, goes_on=goes_on, max_epochs=1)
        self.n_epochs_, self.n_mistakes_ = self.n_epochs_ + epochs, self.n_mistakes_ + mistakes
        return self

    def _learn(self, place: Place, classes: NDArray[Any], *, goes_on: bool, max_epochs: int) -> None:
        started = perf_counter()
        self._check_together(len(classes), place.shape[0])
        plan = self._plan(max_epochs)
        shape = (1 if len(classes) == 2 else len(classes), place.shape[1])
        start = self._walked[0] if goes_on else start_of(self.init, shape, plan.generator)
        average = (self._walked[1], self._walked[2]) if goes_on and self._walked[1] is not None else None
        with learning(place.shape[1]):
            run = Run(place, plan, len(classes), start, average)
            outcome = run.learn()
        self._take(outcome, plan, place, classes, run.start, float(run.walk.lengths.max()))
        self.__dict__.pop("trace_", None)
        if plan.trace:
            self.trace_ = trace_of(outcome.trace, place, plan, classes, self.__dict__.get("feature_names_in_"))
        self.result_.stats.update(passes=place.passes_made, seconds=perf_counter() - started)

    def _take(self, outcome: Outcome, plan: Plan, place: Place, classes: NDArray[Any], start: Functions,
              radius: float) -> None:
        self._keep(*outcome.kept)
        self.classes_, self._walked = classes, (outcome.last, outcome.moved, outcome.presented)
        self.n_epochs_, self.n_mistakes_ = outcome.epochs, outcome.mistakes
        self.result_ = Result(self.coef_, outcome.status, {
            "epochs": outcome.epochs, "presentations": outcome.presented, "mistakes": outcome.mistakes,
            **verdict_of(outcome, plan, start, place.weights, radius)})

    def _fit_apart(self, training: door.Training, classes: NDArray[np.intp]) -> list[Self] | None:
        """For `OneVsRest`: a model of each of `classes` against all others, learned in one walk over the rows."""
        self._check_parameters()
        self._check_together(2, training.place.shape[0])
        plan, place = self._plan(int(self.max_epochs)), training.place
        from_zero = isinstance(self.init, str) and self.init == "zeros"
        if not (can_learn_apart(plan) and from_zero and self.class_weight is None):
            return None
        with learning(place.shape[1]):
            lengths = lengths_of(place)
            outcomes = learn_apart(place, plan, classes.astype(np.int32), lengths)
        members = []
        for outcome in outcomes:
            member = clone(self)
            member.n_features_in_ = place.shape[1]
            start = np.zeros((1, place.shape[1])), np.zeros(1)
            member._take(outcome, plan, place, np.arange(2), start, float(lengths.max()))
            if self.keep == "last":
                member._tell()
            members.append(member)
        return members

    def _check_together(self, classes: int, rows: int) -> None:
        """What the table of ranges cannot say: parameters against the data and each other."""
        if self.threshold > 0 and classes > 2:
            raise ParameterError(f"threshold={self.threshold!r} is a dead zone between two classes; y has {classes}. "
                                 "Use threshold=0.")
        if self.threshold > 0 and self.zero != "undecided":
            raise ParameterError(f"zero={self.zero!r} gives a net of zero an output, which "
                                 f"threshold={self.threshold!r} leaves open; use zero='undecided', or threshold=0.")
        if self.first_row >= rows:
            raise ParameterError(f"first_row={self.first_row} is not a row of X, which has {rows}.")

    def _plan(self, max_epochs: int) -> Plan:
        return Plan(float(self.learning_rate), float(self.threshold), self.zero, self.order, int(self.first_row),
                    self.keep, self.stop, float(self.tolerance), max_epochs, bool(self.fit_intercept),
                    bool(self.trace), generator(type(self).__name__, self.random_state))

    def output(self, X: Any) -> NDArray[np.int8]:
        """-1, 0 or 1 for every row, by the rule of training (n,). For two classes."""
        self._require_fitted()
        if len(self.classes_) > 2:
            raise InputError(f"output is that of one threshold unit, for two classes; this model has "
                             f"{len(self.classes_)}. Use predict, or decision_function for their scores.")
        return outputs_of(self._scored(X, winners=False)[:, 0], float(self.threshold), self.zero)

    def summary(self, separator: Any = None, X: Any = None, y: Any = None) -> str:
        """The run in words; with a fitted linear `separator` of the rows X, y also Novikoff's bound on the mistakes."""
        self._require_fitted()
        return summary_of(self, separator, X, y)
