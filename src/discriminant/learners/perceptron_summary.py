"""What a perceptron's run proves, and the run in words.

With a start at zero and steps of one size a, M mistakes leave w_M = a sum t x. A unit vector v that has every row on
its side by a margin g gains at least a g from each, so a M g <= v'w_M <= |w_M|: no margin is larger than |w_M| / (a M).
As a mistake on a net of at most 0 adds at most a^2 R^2 to |w|^2, Novikoff's (1962) M <= (R / g)^2 follows. Here w and x
hold the intercept and the constant 1 as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import InputError
from discriminant.result import Status
from discriminant.solvers.perceptron import Functions, Outcome, Plan

VERDICTS = {Status.CONVERGED: "separable"}


def verdict_of(outcome: Outcome, plan: Plan, start: Functions, weights: NDArray[np.float64] | None,
               radius: float) -> dict[str, Any]:
    """What is added to the stats."""
    verdict = VERDICTS.get(outcome.status, "undecided")
    if outcome.status is Status.CYCLING and outcome.exact:
        verdict = "not strictly separable"
    facts: dict[str, Any] = {"verdict": verdict, "radius": radius}
    if outcome.exact is not None:
        facts["exact"] = outcome.exact
    coef, intercept = outcome.last
    from_zero = not start[0].any() and not start[1].any()
    if len(coef) == 1 and from_zero and weights is None and outcome.mistakes:
        length = float(np.sqrt((coef**2).sum() + (intercept**2).sum()))
        facts["margin_bound"] = length / (plan.rate * outcome.mistakes)
    return facts


def summary_of(model: Any, separator: Any, X: Any, y: Any) -> str:
    stats = model.result_.stats
    lines = [f"Perceptron: {model.result_.status.name.lower().replace('_', ' ')} after {model.n_epochs_} epochs",
             f"  presentations {stats['presentations']}, mistakes {model.n_mistakes_}",
             f"  verdict       {stats['verdict']}: {model.result_.status.advice}"]
    if "margin_bound" in stats:
        lines.append(f"  margin        at most {stats['margin_bound']:.6g}, which is |w| / (rate x mistakes)")
    if separator is not None:
        radius, margin = radius_and_margin(model, separator, X, y)
        lines.append(f"  Novikoff      at most (R / margin)^2 = ({radius:.6g} / {margin:.6g})^2 = "
                     f"{(radius / margin) ** 2:.6g} mistakes with threshold 0; {model.n_mistakes_} were made")
    return "\n".join(lines)


def radius_and_margin(model: Any, separator: Any, X: Any, y: Any) -> tuple[float, float]:
    """R, and the margin of the separator, both with the constant 1 as one more column where an intercept is learned."""
    if X is None or y is None:
        raise InputError("summary: give the rows too, which the separator is measured on: summary(separator, X, y).")
    if len(model.classes_) != 2 or np.shape(separator.coef_)[0] != 1:
        raise InputError("summary: Novikoff's bound is for two classes.")
    w, b = np.ravel(separator.coef_), float(np.ravel(separator.intercept_)[0])
    constant = float(model.fit_intercept)
    rows = np.asarray(X, dtype=np.float64)
    signs = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    margins = signs * (rows @ w + b) / np.sqrt(w @ w + b * b * constant)
    if margins.min() <= 0:
        raise InputError(f"summary: the separator has row {int(margins.argmin())} on the wrong side, so there is no "
                         "margin.")
    return float(np.sqrt((rows**2).sum(axis=1) + constant).max()), float(margins.min())
