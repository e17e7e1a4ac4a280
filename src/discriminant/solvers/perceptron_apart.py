"""Several classes, each told from the rest by a perceptron of its own, in one walk over the rows.

A row is read once for all functions that still make mistakes. Each has the bits of a run of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.walk import Walk, Weights
from discriminant.places.place import Place
from discriminant.result import Status
from discriminant.solvers.exact_sums import sums_are_exact
from discriminant.solvers.perceptron import Outcome, Plan, digest, epoch_orders, rule_of

Floats = NDArray[np.float64]


def can_learn_apart(plan: Plan) -> bool:
    """Whether what happens between epochs is no more than to see who is done."""
    return plan.stop == "epoch" and plan.order != "random" and plan.keep != "pocket" and not plan.trace


def learn_apart(place: Place, plan: Plan, positives: NDArray[np.int32], lengths: Floats) -> list[Outcome]:
    """A run from zero for each class in `positives` against all others, in that order."""
    functions, d = len(positives), place.shape[1]
    outcomes: dict[int, Outcome] = {}
    left = np.arange(functions)
    weights = Weights(np.zeros((functions, d)), np.zeros(functions), together=False, averaged=plan.keep == "average",
                      runs=False)
    seen = [{state} for state in _states(weights)]
    for epoch, order in enumerate(epoch_orders(place, plan), start=1):
        before = weights.mistakes.copy()
        walk = Walk(weights, rule_of(plan, together=False), positives[left], lengths)
        for block in place.in_order():
            block.walk(walk, order)
        stays = np.ones(len(left), bool)
        for at, state in enumerate(_states(weights)):
            f, status = int(left[at]), Status.MAX_ITERATIONS
            if weights.mistakes[at] == before[at]:
                status = Status.CONVERGED
            elif plan.order == "cyclic" and state in seen[f]:
                status = Status.CYCLING
            seen[f].add(state)
            if status is not Status.MAX_ITERATIONS or epoch == plan.max_epochs:
                stays[at] = False
                outcomes[f] = _outcome(place, plan, weights.only(np.array([at])), epoch, status)
        if not stays.any():
            break
        if not stays.all():
            left, weights = left[stays], weights.only(np.flatnonzero(stays))
    return [outcomes[f] for f in range(functions)]


def _states(weights: Weights) -> list[bytes]:
    coef, intercept = weights.last()
    return [digest(coef[f : f + 1], intercept[f : f + 1]) for f in range(len(coef))]


def _outcome(place: Place, plan: Plan, weights: Weights, epochs: int, status: Status) -> Outcome:
    mistakes, averaged = int(weights.mistakes[0]), plan.keep == "average"
    exact = sums_are_exact(place, plan.rate, np.zeros(1), mistakes) if status is Status.CYCLING else None
    return Outcome(weights.average() if averaged else weights.last(), weights.last(),
                   weights.moved() if averaged else None, weights.presented, epochs, mistakes, status, exact, [])
