"""What the tests ask of threshold networks."""

from fractions import Fraction
from itertools import product

import numpy as np

import discriminant as dc


def inputs(m, coding="binary"):
    return np.array(list(product((1, 0 if coding == "binary" else -1), repeat=m)), float)


def outputs_by_hand(network, X):
    """The classes by exact arithmetic, unit by unit, from the public layers."""
    rows = [[Fraction(float(x)) for x in row] for row in X]
    for layer in network.layers_:
        units = [([Fraction(w) for w in weights], Fraction(b))
                 for weights, b in zip(layer.weights.tolist(), layer.bias.tolist(), strict=True)]
        nets = [[sum((w * x for w, x in zip(weights, row, strict=True)), b) for weights, b in units] for row in rows]
        rows = [[Fraction(int(net > 0)) for net in row] for row in nets]
    codes = [int(net[0] > 0) if len(net) == 1 else net.index(max(net)) for net in nets]
    return network.classes_[codes]


def assert_without_mistakes(network, X, y):
    np.testing.assert_array_equal(network.predict(X), y)
    np.testing.assert_array_equal(outputs_by_hand(network, X), y)
    assert network.result_.status is dc.Status.CONVERGED
    assert network.result_.stats["mistakes"] == 0


def hidden(network):
    return network.result_.stats["hidden_units"]
