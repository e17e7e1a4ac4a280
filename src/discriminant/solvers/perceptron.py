"""The perceptron's run: epoch after epoch until a stop rule holds, or the same weights come back.

The rows are presented by the kernel (cpp/include/discriminant/perceptron.hpp); here is what happens between epochs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from discriminant import _core
from discriminant.blocks.functions import LinearFunctions
from discriminant.blocks.walk import Recorded, Walk, Weights
from discriminant.errors import InputError
from discriminant.passes.lengths import Lengths
from discriminant.passes.mistakes import Mistakes
from discriminant.places.place import Place
from discriminant.result import Status
from discriminant.solvers.exact_sums import sums_are_exact
from discriminant.solvers.measure import refuse_not_finite

Floats = NDArray[np.float64]
Functions = tuple[Floats, Floats]  # coef (F, d), intercept (F,)

_TRACE_NUMBERS = 1 << 25  # 256 MB

ZERO = {"undecided": _core.NetOfZero.undecided, "positive": _core.NetOfZero.positive,
        "negative": _core.NetOfZero.negative}


@dataclass(frozen=True)
class Plan:
    """How a run goes; the words are those of `Perceptron`'s parameters."""

    rate: float
    threshold: float
    zero: str
    order: str
    first_row: int
    keep: str
    stop: str
    tolerance: float
    max_epochs: int
    intercept: bool
    trace: bool
    generator: np.random.Generator


@dataclass(frozen=True)
class Outcome:
    """`kept` is what the learner shows, `last` what a further run starts from."""

    kept: Functions
    last: Functions
    moved: Functions | None
    presented: int
    epochs: int
    mistakes: int
    status: Status
    exact: bool | None  # whether all sums of a run that came back were exact, which makes it a proof
    trace: list[list[Recorded]]  # by epoch


def lengths_of(place: Place) -> Floats:
    out = np.empty(place.shape[0])
    if place.fold(Lengths(out)).row >= 0:
        refuse_not_finite(place)
    return out


def outputs_of(nets: Floats, threshold: float, zero: str) -> NDArray[np.int8]:
    """-1, 0 or 1 for each net."""
    if zero == "undecided":
        return (nets > threshold).astype(np.int8) - (nets < -threshold).astype(np.int8)
    return np.where(nets >= 0 if zero == "positive" else nets > 0, 1, -1).astype(np.int8)


def epoch_orders(place: Place, plan: Plan) -> Iterator[NDArray[np.int64] | None]:
    """The order of each epoch; None: one row after another. Rows without weight are not presented."""
    n = place.shape[0]
    alive = np.arange(n) if place.weights is None else np.flatnonzero(place.weights > 0)
    turned = np.roll(alive, -int(np.searchsorted(alive, plan.first_row)))
    cyclic = None if len(alive) == n and plan.first_row == 0 else turned
    while True:
        if plan.order == "shuffle":
            yield plan.generator.permutation(alive)
        elif plan.order == "random":
            yield alive[plan.generator.integers(0, len(alive), len(alive))]
        else:
            yield cyclic


def digest(coef: Floats, intercept: Floats) -> bytes:
    """256 bits that tell weights apart."""
    found = sha256(np.ascontiguousarray(coef).data)
    found.update(np.ascontiguousarray(intercept).data)
    return found.digest()


def rule_of(plan: Plan, *, together: bool) -> _core.PerceptronRule:
    return _core.PerceptronRule(rate=plan.rate, threshold=plan.threshold, zero=ZERO[plan.zero],
                                intercept=plan.intercept, together=together, stop_when_right=plan.stop == "all-right")


class Run:
    """One function for two classes, or one for each of several, on the rows of `place`."""

    def __init__(self, place: Place, plan: Plan, classes: int, start: Functions,
                 before: tuple[Functions, int] | None = None) -> None:
        self.place, self.plan, self.classes = place, plan, classes
        self.start, together = start, classes > 2
        self.weights = Weights(*start, together=together, averaged=plan.keep == "average", runs=plan.keep == "pocket")
        if before is not None and plan.keep == "average":
            self.weights.go_on(*before)
        rule = rule_of(plan, together=together)
        positives = np.array([1] if classes == 2 else np.arange(classes), np.int32)
        self.walk = Walk(self.weights, rule, positives, lengths_of(place))
        self._orders = epoch_orders(place, plan)
        self._seen = {self._state()}
        self._pocket: tuple[float, Functions] | None = None

    def learn(self) -> Outcome:
        """Epochs until a stop rule holds or there were enough."""
        trace: list[list[Recorded]] = []
        status, epoch = Status.MAX_ITERATIONS, 0
        while status is Status.MAX_ITERATIONS and epoch < self.plan.max_epochs:
            epoch += 1
            status = self._epoch(trace)
        mistakes, exact = self._mistakes(), None
        if status is Status.CYCLING:
            exact = sums_are_exact(self.place, self.plan.rate, np.concatenate([part.ravel() for part in self.start]),
                                   mistakes)
        return Outcome(self._kept(), self.weights.last(), self.weights.moved() if self.plan.keep == "average" else None,
                       self.weights.presented, epoch, mistakes, status, exact, trace)

    def _mistakes(self) -> int:
        return int(self.weights.mistakes.sum())

    def _epoch(self, trace: list[list[Recorded]]) -> Status:
        """One epoch; MAX_ITERATIONS where another is to follow."""
        before = self._mistakes()
        if self.plan.trace:
            self._refuse_a_longer_trace(len(trace))
            self.walk.trace = []
        self._present(self.walk, next(self._orders))
        if self.walk.trace is not None:
            trace.append(self.walk.trace)
        self._fill_pocket()
        if self.walk.all_right:
            return Status.CONVERGED
        if self._mistakes() == before and self._nothing_is_wrong():
            return Status.CONVERGED
        if self.plan.stop == "criterion":
            return self._by_criterion()
        return self._unless_it_came_back()

    def _refuse_a_longer_trace(self, epochs: int) -> None:
        n, d = self.place.shape
        numbers = n * len(self.walk.positives) * (d + 2)
        if (epochs + 1) * numbers > _TRACE_NUMBERS:
            raise InputError(f"trace=True keeps {numbers} numbers an epoch, and the run has not ended after {epochs}: "
                             f"a trace may hold {_TRACE_NUMBERS}. Set max_epochs={max(1, epochs)}, or trace fewer "
                             "rows.")

    def _present(self, walk: Walk, order: NDArray[np.int64] | None) -> None:
        for block in self.place.in_order():
            block.walk(walk, order)

    def _nothing_is_wrong(self) -> bool:
        """After an epoch without a mistake. Rows drawn at random may have left some out, which are tried now."""
        if self.plan.order != "random":
            return True
        trial = Weights(*self.weights.last(), together=self.classes > 2, averaged=False, runs=False)
        everyone = np.arange(self.place.shape[0])
        alive = None if self.place.weights is None else everyone[self.place.weights > 0]
        self._present(Walk(trial, self.walk.rule, self.walk.positives, self.walk.lengths), alive)
        return int(trial.mistakes.sum()) == 0

    def _judged(self, candidates: list[Functions]) -> Floats:
        """Mistakes and criterion of each candidate."""
        functions = LinearFunctions.of(np.vstack([coef for coef, _ in candidates]),
                                       np.concatenate([intercept for _, intercept in candidates]))
        ties_right = np.zeros(self.classes, bool)
        if self.plan.zero != "undecided" and self.classes == 2:
            ties_right[1 if self.plan.zero == "positive" else 0] = True
        return self.place.fold(Mistakes(functions, self.classes, self.plan.threshold, ties_right))

    def _by_criterion(self) -> Status:
        wrong, criterion = self._judged([self.weights.last()])[0]
        if wrong == 0:
            return Status.CONVERGED
        # It is 0 in spite of mistakes where all of these have a net of 0, as at w = 0: no success.
        return Status.TOLERANCE if 0 < criterion <= self.plan.tolerance else Status.MAX_ITERATIONS

    def _fill_pocket(self) -> None:
        if self.plan.keep != "pocket":
            return
        candidates = [self.weights.last()]
        longest = self.weights.longest_run()
        if longest is not None:
            candidates.append(longest)
        for functions, (wrong, _) in zip(candidates, self._judged(candidates), strict=True):
            if self._pocket is None or wrong < self._pocket[0]:
                self._pocket = float(wrong), functions

    def _kept(self) -> Functions:
        if self.plan.keep == "average":
            return self.weights.average()
        if self._pocket is not None:
            return self._pocket[1]
        return self.weights.last()

    def _state(self) -> bytes:
        return digest(*self.weights.last())

    def _unless_it_came_back(self) -> Status:
        if self.plan.order != "cyclic":
            return Status.MAX_ITERATIONS
        state = self._state()
        if state in self._seen:
            return Status.CYCLING
        self._seen.add(state)
        return Status.MAX_ITERATIONS
