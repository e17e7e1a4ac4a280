"""Truth tables."""

import numpy as np
import pytest

from discriminant import datasets

RULES = {
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "xor": lambda a, b: a != b,
    "nand": lambda a, b: not (a and b), "nor": lambda a, b: not (a or b), "xnor": lambda a, b: a == b,
}


@pytest.mark.parametrize("name", RULES)
def test_outputs_follow_the_rule_in_the_order_of_the_hand_worked_table(name):
    X, y = datasets.gate(name, targets="binary")
    assert X.tolist() == [[1, 1], [1, 0], [0, 1], [0, 0]]
    assert y.tolist() == [int(RULES[name](bool(a), bool(b))) for a, b in X]


def test_not_has_one_input():
    X, y = datasets.gate("not")
    assert X.tolist() == [[1], [0]]
    assert y.tolist() == [-1, 1]


@pytest.mark.parametrize("coding", ["binary", "bipolar"])
@pytest.mark.parametrize("targets", ["binary", "bipolar"])
def test_codings_of_inputs_and_targets_are_independent(coding, targets):
    X, y = datasets.gate("and", coding, targets=targets)
    low = {"binary": 0, "bipolar": -1}
    assert X.tolist() == [[1, 1], [1, low[coding]], [low[coding], 1], [low[coding]] * 2]
    assert y.tolist() == [1] + [low[targets]] * 3
    assert X.dtype == np.float64
    assert y.dtype == np.int64


def test_targets_are_bipolar_and_inputs_binary_unless_said_otherwise():
    X, y = datasets.gate("or")
    assert set(X.ravel()) == {0, 1}
    assert set(y) == {-1, 1}


def test_names_in_any_case():
    for name in ("XOR", "Xor", "xor"):
        assert datasets.gate(name)[1].tolist() == [-1, 1, 1, -1]


@pytest.mark.parametrize(("given", "named"), [
    ({"name": "maybe"}, "name must be 'and'.*got 'maybe'"),
    ({"name": 3}, "name must be.*got 3"),
    ({"name": "and", "coding": "ternary"}, "coding must be 'binary', 'bipolar'; got 'ternary'"),
    ({"name": "and", "targets": 0}, "targets must be 'binary', 'bipolar'; got 0"),
])
def test_bad_arguments_are_named(given, named):
    with pytest.raises(ValueError, match=f"gate: {named}"):
        datasets.gate(**given)
