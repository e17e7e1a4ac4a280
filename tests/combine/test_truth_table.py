"""Networks made of truth tables: every Boolean function of few inputs, the gates, and what is no truth table."""

from itertools import product

import numpy as np
import pytest
from combine.networks import assert_without_mistakes, hidden, inputs

import discriminant as dc
from discriminant.combine.threshold_network import ThresholdNetwork
from discriminant.errors import ParameterError

GATES = ("and", "or", "nand", "nor", "xor", "xnor", "not")
CODINGS = ("binary", "bipolar")


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("m, single", [(1, 4), (2, 14), (3, 104)])
def test_every_function_of_up_to_three_inputs(m, single, coding, count_cases):
    X, units = inputs(m, coding), []
    for y in product((0, 1), repeat=2**m):
        network = ThresholdNetwork.from_truth_table(y, coding=coding)
        assert_without_mistakes(network, X, y)
        for layer in network.layers_:
            assert np.array_equal(layer.weights, np.rint(layer.weights)) and np.abs(layer.weights).max() <= 3
        units.append((len(network.layers_), hidden(network)))
    assert units.count((1, 0)) == single
    assert max(units) <= (2, m)  # no more units than parity takes
    count_cases("Boolean functions as networks", len(units))


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("name", GATES)
def test_gates_by_name_by_outputs_and_by_table(name, coding):
    for targets in CODINGS:
        X, y = dc.datasets.gate(name, coding, targets=targets)
        by_name = ThresholdNetwork.from_truth_table(name, coding=coding, targets=targets)
        by_outputs = ThresholdNetwork.from_truth_table(y.tolist(), coding=coding)
        by_table = ThresholdNetwork.from_truth_table(X[::-1], y[::-1])
        for network in (by_name, by_outputs, by_table):
            assert_without_mistakes(network, X, y)
            assert hidden(network) == (2 if name in ("xor", "xnor") else 0)


def test_the_classic_units():
    def rule(name, **options):
        return ThresholdNetwork.from_truth_table(name, **options).explain().splitlines()[0]

    assert rule("and") == "output = [x1 + x2 > 1.5]"
    assert rule("or") == "output = [x1 + x2 > 0.5]"
    assert rule("not") == "output = [-x1 > -0.5]"
    assert rule("nand") == "output = [-x1 - x2 > -1.5]"
    assert rule("and", coding="bipolar") == "output = [x1 + x2 > 1]"
    assert ThresholdNetwork.from_truth_table("XOR", targets="binary").explain().splitlines() == [
        "h1 = [x1 + x2 > 0.5]", "h2 = [x1 + x2 > 1.5]", "output = [h1 - h2 > 0.5]",
        "class 1 where output = 1, else 0"]
    assert repr(ThresholdNetwork.from_truth_table("or").layers_) == "[Layer(weights=[[1, 1]], bias=[-0.5])]"


def test_a_layer_by_itself():
    layer = ThresholdNetwork.from_truth_table("and", coding="bipolar").layers_[0]
    X = np.array([[1.0, 1.0], [0.5, 0.5], [-1.0, 1.0]])  # the second lies on the boundary
    assert layer.nets(X).tolist() == [[1.0], [0.0], [-1.0]]
    assert layer.outputs(X).tolist() == [[1.0], [0.0], [0.0]]


@pytest.mark.parametrize("m", [4, 6, 8])
def test_larger_functions(m):
    X = inputs(m)
    parity, majority = X.sum(axis=1) % 2, X.sum(axis=1) > m / 2
    assert_without_mistakes(network := ThresholdNetwork.from_truth_table(parity), X, parity)
    assert hidden(network) == m
    assert_without_mistakes(network := ThresholdNetwork.from_truth_table(majority), X, majority)
    assert hidden(network) == 0
    y = np.random.default_rng(m).integers(0, 2, 2**m)
    assert_without_mistakes(network := ThresholdNetwork.from_truth_table(y), X, y)
    assert hidden(network) < min(y.sum(), (1 - y).sum())  # fewer than one for each true, or each false, input


def test_inputs_left_out_are_free():
    network = ThresholdNetwork.from_truth_table([[0, 0], [1, 1], [1, 0]], ["no", "no", "yes"])
    assert hidden(network) == 0
    assert network.predict([[0, 0], [1, 1], [1, 0]]).tolist() == ["no", "no", "yes"]


@pytest.mark.parametrize("given, classes", [([0, 0], [0, 1]), ([1, 1], [0, 1]), ([-1] * 4, [-1, 1]),
                                            ([True, True], [False, True])])
def test_constants(given, classes):
    network = ThresholdNetwork.from_truth_table(given)
    assert network.classes_.tolist() == classes
    assert network.predict(inputs(len(given) // 2)).tolist() == given
    assert network.explain().startswith("output = [0 > ")
    assert ThresholdNetwork.from_truth_table([1, 1], coding="bipolar").classes_.tolist() == [-1, 1]


@pytest.mark.parametrize("given, message", [
    (("nan",), "name of a gate"), (([0, 1, 1],), "2, 4, 8"), (([1],), "2, 4, 8"), (([[0, 1], [1, 0]],), "of shape"),
    (([0, 1, 2, 1],), "3 different outputs"), (([5, 5],), "5 only"), ((["a", "a"],), "'a' only"),
    (([[0, 2], [1, 1]], [0, 1]), "row 0, column 1 is 2"), (([[-1, 0], [1, 1]], [0, 1]), "row 0, column 1 is 0"),
    (([[0, 1], [0, 1]], [0, 1]), "equal"), (([[0, 1], [1, 1]], [0]), "inconsistent numbers of samples"),
])
def test_bad_tables(given, message):
    with pytest.raises(ValueError, match=message):
        ThresholdNetwork.from_truth_table(*given)


@pytest.mark.parametrize("option", ["coding", "targets"])
def test_bad_codings(option):
    with pytest.raises(ParameterError, match=f"{option} must be 'binary', 'bipolar'; got 'ternary'"):
        ThresholdNetwork.from_truth_table("and", **{option: "ternary"})
