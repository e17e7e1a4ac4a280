"""Networks of threshold units: no mistakes on any consistent rows, and what is refused."""

import pickle
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from combine.networks import assert_without_mistakes, hidden, inputs
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import discriminant as dc
from discriminant.combine import threshold_network
from discriminant.combine.decision_list import layers_of
from discriminant.combine.threshold_network import ThresholdNetwork
from discriminant.errors import InputError, ParameterError


@parametrize_with_checks([ThresholdNetwork(), ThresholdNetwork(random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("coding", ["binary", "bipolar"])
@pytest.mark.parametrize("m, single", [(2, 12), (3, 102)])
def test_every_function_of_up_to_three_inputs_is_learned(m, single, coding, count_cases):
    """Constants are not among them: rows of one class are refused, as by every learner."""
    X, units = inputs(m, coding), []
    for y in product((0, 1), repeat=2**m):
        if len(set(y)) == 2:
            network = ThresholdNetwork(random_state=0).fit(X, y)
            assert_without_mistakes(network, X, y)
            units.append((len(network.layers_), hidden(network)))
    assert units.count((1, 0)) == single
    assert max(units) <= (2, m)
    count_cases("Boolean functions learned", len(units))


def rows_of(kind, random):
    n, d = int(random.integers(5, 60)), int(random.integers(1, 6))
    X = random.normal(size=(n, d))
    if kind == "grid":
        X = random.integers(0, 3, size=(n, d)).astype(float)
    elif kind == "units":
        X = X * 10.0 ** random.integers(-20, 20, size=d)
    elif kind == "far away":
        X = X + 1e9
    elif kind == "in threes":
        X = np.repeat(X[: n // 3 + 1], 3, axis=0) + 1e-8 * random.normal(size=(3 * (n // 3 + 1), d))
    elif kind == "neighbouring numbers":
        X = (1 + np.finfo(float).eps * np.arange(n))[:, None]
    elif kind == "dependent":
        X = np.hstack([X, 2 * X[:, :1], np.ones((n, 1))])
    elif kind == "wide":
        X = random.normal(size=(n, 100))
    return np.unique(X, axis=0)


@pytest.mark.parametrize("kind", ["normal", "grid", "units", "far away", "in threes", "neighbouring numbers",
                                  "dependent", "wide"])
def test_random_labels_are_learned_without_mistakes(kind, count_cases):
    random = np.random.default_rng(len(kind))
    for case in range(12):
        X = random.permutation(rows_of(kind, random))
        y = np.arange(len(X)) % random.integers(2, 5)
        y = random.permutation(y)
        network = ThresholdNetwork(random_state=case).fit(X, y)
        assert_without_mistakes(network, X, y)
        assert hidden(network) < len(X)
    count_cases("random labels learned", 12)


@pytest.mark.parametrize("kind", ["normal", "grid", "in threes"])
def test_the_layer_between_where_weights_would_grow(kind, monkeypatch):
    """Weights that the output could not hold are replaced by one more layer, of weights 1 and -1."""
    monkeypatch.setattr(threshold_network, "layers_of", lambda *given: layers_of(*given, largest=0.0))
    random = np.random.default_rng(1)
    for classes in (2, 3):
        X = rows_of(kind, random)
        y = random.permutation(np.arange(len(X)) % classes)
        network = ThresholdNetwork(random_state=0).fit(X, y)
        assert len(network.layers_) == 3
        assert set(np.unique(network.layers_[1].weights)) <= {-1, 0, 1}
        assert "g1 = [h1" in network.explain()
        assert_without_mistakes(network, X, y)


def test_few_units_where_few_suffice():
    random = np.random.default_rng(3)
    X = 0.3 * random.normal(size=(200, 2)) + 2 * random.integers(0, 2, (200, 2))
    y = (X[:, 0] > 1) ^ (X[:, 1] > 1)
    assert_without_mistakes(network := ThresholdNetwork(random_state=0).fit(X, y), X, y)
    assert hidden(network) == 2
    X = random.normal(size=(300, 5))
    y = X @ [1, 2, -1, 0.5, 0] > 0.3
    assert_without_mistakes(network := ThresholdNetwork(random_state=0).fit(X, y), X, y)
    assert hidden(network) == 0
    line = np.arange(12.0)[:, None]
    y = np.array(list("aabbbcaaccbb"))
    assert_without_mistakes(network := ThresholdNetwork(random_state=0).fit(line, y), line, y)
    assert hidden(network) == 5  # as often as the class changes
    X = random.normal(size=(200, 5))
    y = random.integers(0, 2, 200)
    assert_without_mistakes(network := ThresholdNetwork(random_state=0).fit(X, y), X, y)
    assert hidden(network) < 30


def test_noisy_rows_and_no_mistake():
    random = np.random.default_rng(4)
    X = random.normal(size=(1500, 20)).astype(np.float32)
    y = np.where(X[:, 0] + 0.5 * random.normal(size=1500) > 0, "yes", "no")
    network = ThresholdNetwork(random_state=0).fit(X, y)
    assert network.result_.stats["mistakes"] == 0
    assert (network.predict(X) == y).all()
    assert hidden(network) < 60
    scores = network.decision_function(X)
    np.testing.assert_array_equal(scores > 0, y == "yes")
    assert (np.abs(scores) >= 0.5).all()


def test_the_score_of_several_classes():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(60, 2)), np.array(list("abc") * 20)
    network = ThresholdNetwork(random_state=1).fit(X, y)
    scores = network.decision_function(X)
    assert scores.shape == (60, 3)
    np.testing.assert_array_equal(network.classes_[scores.argmax(axis=1)], y)
    assert (np.diff(np.sort(scores, axis=1), axis=1)[:, -1] >= 0.5).all()
    assert "net of 'b' = " in network.explain() and network.explain().endswith("the class of the largest net")


def test_a_limit_on_units():
    random = np.random.default_rng(6)
    X, y = random.normal(size=(100, 3)), random.integers(0, 3, 100)
    needed = hidden(ThresholdNetwork(random_state=0).fit(X, y))
    before = 100
    for most in (1, 5, needed // 2):
        with pytest.warns(ConvergenceWarning, match="mistakes="):
            network = ThresholdNetwork(max_units=most, random_state=0).fit(X, y)
        stats = network.result_.stats
        assert network.result_.status is dc.Status.MAX_ITERATIONS
        assert stats["mistakes"] == (network.predict(X) != y).sum() < before
        assert stats["hidden_units"] <= most
        before = stats["mistakes"]
    assert_without_mistakes(ThresholdNetwork(max_units=needed, random_state=0).fit(X, y), X, y)
    assert_without_mistakes(ThresholdNetwork(max_units=1).fit(*dc.datasets.gate("and")), *dc.datasets.gate("and"))
    with pytest.warns(ConvergenceWarning, match="mistakes=1"):
        assert hidden(ThresholdNetwork(max_units=1).fit(*dc.datasets.gate("xor"))) <= 1


def test_the_same_seed_makes_the_same_network():
    random = np.random.default_rng(7)
    X, y = random.normal(size=(80, 3)), random.integers(0, 2, 80)
    one, same, other = (ThresholdNetwork(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    for first, second in zip(one.layers_, same.layers_, strict=True):
        np.testing.assert_array_equal(first.weights, second.weights)
        np.testing.assert_array_equal(first.bias, second.bias)
    assert one.explain() != other.explain()
    assert_without_mistakes(ThresholdNetwork(random_state=np.random.RandomState(3)).fit(X, y), X, y)


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [2.0, 5.0]])
def test_labels_pickles_and_clones(labels):
    X, codes = dc.datasets.gate("xor", targets="binary")
    y = np.array(labels)[codes]
    network = ThresholdNetwork(random_state=0).fit(X, y)
    assert network.predict(X).dtype == y.dtype
    again = pickle.loads(pickle.dumps(network))
    for model in (network, again, clone(network).fit(X, y)):
        assert_without_mistakes(model, X, y)
        assert model.explain() == network.explain()
    assert network.score(X, y) == 1
    assert network.n_features_in_ == 2


def test_columns_have_names():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = dc.datasets.gate("or", targets="binary")
    frame = pd.DataFrame(X, columns=["rain", "snow"])
    for network in (ThresholdNetwork(random_state=0).fit(frame, y), ThresholdNetwork.from_truth_table(frame, y)):
        assert network.explain().splitlines()[0] == "output = [rain + snow > 0.5]"
        assert network.predict(frame).tolist() == y.tolist()
        with pytest.raises(ValueError, match="feature names"):
            network.predict(frame[["snow", "rain"]])


def test_contradicting_rows_are_named():
    X, y = np.random.default_rng(8).normal(size=(20, 3)), np.array(["a", "b"] * 10)
    X[[4, 13]] = X[11], X[2]  # 4 and 11 differ in label, and so do 2 and 13
    X[2, 0] = X[13, 0] = 0.0
    X[13, 0] = -0.0
    with pytest.raises(InputError, match=r"Rows (4 \('a'\) and 11 \('b'\)|2 \('a'\) and 13 \('b'\)) of X are equal"):
        ThresholdNetwork().fit(X, y)
    X, y = np.vstack([X, X]), np.tile(np.arange(20), 2)
    X[[4, 24, 13, 33]] += 1
    assert_without_mistakes(ThresholdNetwork(random_state=0).fit(X, y), X, y)  # equal rows of one label are no trouble


def test_rows_nearer_than_rounding_are_named():
    """Neighbouring numbers in two columns that no half-space tells apart: ever so small a square, as XOR."""
    eps = np.finfo(float).eps
    X = 1 + eps * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    with pytest.raises(InputError, match=r"Rows \d \([01]\) and \d \([01]\) of X have different labels, and differ"):
        ThresholdNetwork().fit(X, [0, 1, 1, 0])


def test_neighbouring_numbers_are_told_apart():
    """Between them lies no threshold, and sums of columns would round."""
    after = np.nextafter(1.0, 2.0)
    X, y = [[1.0, 1.0], [after, 1.0], [1.0, after]], [0, 1, 1]
    assert_without_mistakes(ThresholdNetwork(random_state=0).fit(X, y), X, y)


@pytest.mark.parametrize("X, y, message", [
    (np.array([[1.0], [np.nan]]), [0, 1], "NaN"), (np.array([[1.0], [np.inf]]), [0, 1], "infinity"),
    (np.zeros((3, 2)), [1, 1, 1], "one class"), (sp.csr_array(np.eye(3)), [0, 1, 1], "sparse"),
    (np.zeros((0, 2)), [], "0 sample"), ([[1.0], [2.0]], [0], "inconsistent numbers of samples"),
    ([[1e200], [-1e200]], [0, 1], "leaves the range"), ([[1e-200], [-1e-200]], [0, 1], "leaves the range"),
])
def test_bad_rows(X, y, message):
    with pytest.raises(InputError, match=message):
        ThresholdNetwork().fit(X, y)


@pytest.mark.parametrize("parameters, message", [
    ({"max_units": 0}, "max_units must be None, or a whole number >= 1; got 0"),
    ({"max_units": 2.5}, "max_units"), ({"random_state": -1}, "random_state must be a whole number"),
    ({"random_state": "dice"}, "random_state"),
])
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=f"ThresholdNetwork: {message}"):
        ThresholdNetwork(**parameters).fit(*dc.datasets.gate("and"))


def test_using_it():
    network = ThresholdNetwork.from_truth_table("and")
    with pytest.raises(InputError, match="NaN"):
        network.predict([[np.nan, 1.0]])
    with pytest.raises(InputError, match="sparse"):
        network.predict(sp.csr_array(np.eye(2)))
    with pytest.raises(ValueError, match="3 features"):
        network.predict(np.zeros((1, 3)))
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(ThresholdNetwork(), method)([[1.0, 2.0]])
    with pytest.raises(NotFittedError):
        ThresholdNetwork().explain()
