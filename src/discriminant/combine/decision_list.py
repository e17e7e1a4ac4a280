"""The layers above half-spaces that cut one after another: the first that holds a row decides its class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.combine.half_space import HalfSpace
from discriminant.combine.threshold_layer import Layer

Floats = NDArray[np.float64]

_LARGEST_WEIGHT = 2.0**50  # sums of whole numbers and halves are exact below 2^52


def layers_of(cuts: list[HalfSpace], last: int, classes: int, inputs: int, *,
              largest: float = _LARGEST_WEIGHT) -> list[Layer]:
    """The network that gives every row that was cut off its class, and class `last` to the rows that were left.

    A single half-space between two classes is the whole network. Otherwise the half-spaces are the first layer, the
    one that came last in front, and the last layer has a unit for each class, or one unit for two classes, which is 1
    for the second. Where the weights between them would grow too large, a layer comes in between.
    """
    if len(cuts) == 1 and classes == 2 and cuts[0].code != last:
        w = cuts[0].w[None, :]
        return [Layer(w, np.array([-cuts[0].threshold])) if cuts[0].code == 1 else
                Layer(-w, np.array([cuts[0].ceiling]))]
    votes = _votes(cuts, last, classes)
    if votes.max(initial=0.0) > largest:
        between, votes = [_first_only(len(cuts))], np.ones(len(cuts))
    else:
        needed = votes > 0
        cuts = [cut for cut, keep in zip(cuts, needed, strict=True) if keep]
        between, votes = [], votes[needed]
    if not cuts:
        return [constant(last, classes, inputs)]
    cuts = cuts[::-1]
    hidden = Layer(np.array([cut.w for cut in cuts]), np.array([-cut.threshold for cut in cuts]))
    return [hidden, *between, _output(cuts, votes[::-1], last, classes, len(cuts))]


def constant(code: int, classes: int, inputs: int) -> Layer:
    """Units that look at nothing and give class `code` to every row."""
    return _output([], np.zeros(0), code, classes, inputs)


def _votes(cuts: list[HalfSpace], last: int, classes: int) -> Floats:
    """The weight of each half-space for its class: the least whole number for which its rows come out right.

    From the last to the first: the rows that a half-space cut off lie in none before it, so their nets are those of the
    half-spaces after it and its own vote. 0 where it is not needed.
    """
    nets = np.zeros((len(cuts[0].cut) if cuts else 0, classes))
    nets[:, last] = 0.5
    votes = np.zeros(len(cuts))
    for i in range(len(cuts) - 1, -1, -1):
        code, mine = cuts[i].code, cuts[i].cut
        others = np.delete(nets[mine], code, axis=1).max(axis=1)
        votes[i] = max(0.0, np.ceil((others - nets[mine, code]).max() + 0.5))
        nets[cuts[i].side, code] += votes[i]
    return votes


def _first_only(units: int) -> Layer:
    """Unit u is 1 where half-space u holds the row and none that cut before it does; weights 1 and -1 only.

    The half-spaces come in the order of the first layer, those that cut first at the end.
    """
    return Layer(np.eye(units) - np.triu(np.ones((units, units)), 1), np.full(units, -0.5))


def _output(cuts: list[HalfSpace], votes: Floats, last: int, classes: int, inputs: int) -> Layer:
    weights, bias = np.zeros((classes, inputs)), np.zeros(classes)
    for u, cut in enumerate(cuts):
        weights[cut.code, u] = votes[u]
    bias[last] = 0.5
    if classes == 2:
        return Layer(weights[1:] - weights[:1], bias[1:] - bias[:1])
    return Layer(weights, bias)
