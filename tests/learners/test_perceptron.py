"""The perceptron's worked numbers, stop rules, verdicts, trace and unhappy paths."""

import csv
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import discriminant as dc
from discriminant import Status
from discriminant.errors import InputError, ParameterError
from discriminant.solvers import perceptron as solver

# Weights after each of the 40 presentations of AND with binary inputs, rate 1, dead zone 0.2: w1, w2, b.
AND_WEIGHTS = """
1 1 1, 0 1 0, 0 0 -1, 0 0 -1; 1 1 0, 0 1 -1, 0 0 -2, 0 0 -2; 1 1 -1, 0 1 -2, 0 1 -2, 0 1 -2;
1 2 -1, 0 2 -2, 0 1 -3, 0 1 -3; 1 2 -2, 1 2 -2, 1 1 -3, 1 1 -3; 2 2 -2, 1 2 -3, 1 2 -3, 1 2 -3;
2 3 -2, 1 3 -3, 1 2 -4, 1 2 -4; 2 3 -3, 2 3 -3, 2 2 -4, 2 2 -4; 2 3 -3, 2 3 -3, 2 2 -4, 2 2 -4;
2 3 -3, 2 3 -3, 2 2 -4, 2 2 -4
"""


def fitted(gate, coding="binary", **parameters):
    return dc.Perceptron(**parameters).fit(*dc.datasets.gate(gate, coding))


def facts(model):
    return (model.coef_[0].tolist(), model.intercept_.item(), model.n_mistakes_, model.n_epochs_)


@pytest.mark.parametrize("gate, coding, parameters, wanted", [
    ("and", "binary", {"threshold": 0.2}, ([2, 3], -4, 22, 10)),
    ("and", "binary", {"threshold": 0.0}, ([2, 3], -4, 22, 10)),
    ("and", "binary", {"threshold": 2.0}, ([6, 7], -10, 54, 23)),
    ("and", "binary", {"zero": "positive"}, ([1, 2], -3, 15, 8)),
    ("and", "binary", {"zero": "negative"}, ([1, 2], -2, 12, 6)),
    ("and", "bipolar", {"threshold": 0.2}, ([1, 1], -1, 3, 2)),
    ("or", "binary", {"threshold": 0.2}, ([2, 2], -1, 7, 5)),
])
def test_gates(gate, coding, parameters, wanted):
    model = fitted(gate, coding, **parameters)
    assert facts(model) == wanted
    assert model.result_.status is Status.CONVERGED and model.result_.stats["verdict"] == "separable"


def test_xor_comes_back_to_zero_after_every_epoch():
    model = fitted("xor")
    assert not model.coef_.any() and not model.intercept_.any()
    assert model.result_.status is Status.CYCLING
    assert model.result_.stats["exact"] and model.result_.stats["verdict"] == "not strictly separable"


def test_xor_with_the_product_of_its_inputs():
    X, y = dc.datasets.gate("xor")
    model = dc.Perceptron().fit(np.column_stack([X, X[:, 0] * X[:, 1]]), y)
    assert facts(model) == ([2, 2, -4], -1, 25, 10)


FOUR = np.array([[0.6, 0.5], [-0.3, -0.2], [-0.1, -0.6], [-0.5, 0.3]])
FOUR_Y = [-1, 1, -1, 1]


@pytest.mark.parametrize("stop, presentations", [("epoch", 8), ("all-right", 3)])
def test_four_rows_without_an_intercept(stop, presentations):
    model = dc.Perceptron(zero="positive", fit_intercept=False, init=[-0.3, 0.6], stop=stop, trace=True)
    trace = model.fit(FOUR, FOUR_Y).trace_
    assert len(trace) == model.result_.stats["presentations"] == presentations
    assert trace["net"][:3] == pytest.approx([0.12, 0.25, 0.03])
    assert trace["changed"][:3].tolist() == [True, False, True]
    assert trace["w1"][:3] == pytest.approx([-0.9, -0.9, -0.8]) and trace["w2"][:3] == pytest.approx([0.1, 0.1, 0.7])
    if stop == "epoch":
        assert trace["net"][3:5] == pytest.approx([0.61, -0.13])
    assert model.intercept_.item() == 0 and model.score(FOUR, FOUR_Y) == 1


def test_rows_that_were_right_become_wrong():
    model = dc.Perceptron(zero="negative", init=(np.array([[0.0, 1.0]]), [-5.0]), trace=True)
    trace = model.fit([[5.0, 7.0], [2.0, 6.0]], [1, -1]).trace_
    assert facts(model) == ([7, -2], -6, 7, 5)
    assert trace["net"][:3].tolist() == [2, 1, -51]
    assert [trace[name][1] for name in ("b", "w1", "w2")] == [-6, -2, -5]


def test_touching_rows_without_an_intercept_cycle():
    """Separable under >= 0, but not strictly: no theorem. 0.3 and 0.1 make no exact sums, 0.5 and 0.25 do."""
    for start, exact in (((0.3, 0.1), False), ((0.5, 0.25), True)):
        model = dc.Perceptron(zero="positive", fit_intercept=False, init=list(start))
        model.fit([[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0]], [1, 1, -1])
        assert model.result_.status is Status.CYCLING and model.result_.stats["exact"] is exact
        assert model.result_.stats["verdict"] == ("not strictly separable" if exact else "undecided")


@pytest.mark.parametrize("rate", [0.25, 3.0])
def test_the_rate_only_rescales_without_a_dead_zone(rate):
    plain, scaled = fitted("and"), fitted("and", learning_rate=rate)
    assert np.array_equal(scaled.coef_, rate * plain.coef_) and scaled.n_mistakes_ == plain.n_mistakes_
    zone = fitted("and", threshold=2.0)
    both = fitted("and", threshold=2.0 * rate, learning_rate=rate)
    assert np.array_equal(both.coef_, rate * zone.coef_) and both.n_epochs_ == zone.n_epochs_


# The trace


def test_the_trace_of_and_is_the_lecture_s():
    wanted = [[int(cell) for cell in row.split()] for row in AND_WEIGHTS.replace(";", ",").split(",")]
    trace = fitted("and", threshold=0.2, trace=True).trace_
    found = np.column_stack([trace["w1"], trace["w2"], trace["b"]])
    assert len(wanted) == len(trace) == 40
    changed = np.diff(found, axis=0, prepend=0).any(axis=1)
    assert np.array_equal(changed, trace["changed"])
    assert found[-1].tolist() == [2, 3, -4] and changed.sum() == 22


def test_a_trace_is_a_table(tmp_path):
    trace = fitted("and", trace=True).trace_
    assert trace.columns == ["epoch", "row", "x1", "x2", "net", "output", "target", "changed", "w1", "w2", "b"]
    frame = trace.to_pandas()
    assert frame.shape == (40, 11) and frame["epoch"].iloc[-1] == 10
    rows = list(trace)
    assert rows[0] == {"epoch": 1, "row": 0, "x1": 1.0, "x2": 1.0, "net": 0.0, "output": 0, "target": 1,
                       "changed": True, "w1": 1.0, "w2": 1.0, "b": 1.0}
    with (tmp_path / "trace.csv").open("w") as file:
        writer = csv.DictWriter(file, trace.columns)
        writer.writeheader()
        writer.writerows(rows)
    assert str(trace).splitlines()[0].split() == [name for name in trace.columns if name != "row"]
    assert "40 presentations" in repr(trace)


def test_a_trace_of_several_classes_names_them():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]])
    model = dc.Perceptron(trace=True).fit(X, ["a", "b", "c"])
    assert {"net_a", "net_b", "net_c", "w1_a", "b_c"} <= set(model.trace_.columns)
    assert model.trace_["output"][0] is None and model.trace_["target"][0] == "a"  # all nets are 0 at the start
    assert model.trace_["output"][-3:].tolist() == ["a", "b", "c"]


def test_a_trace_too_long_says_how_to_bound_it(monkeypatch):
    monkeypatch.setattr(solver, "_TRACE_NUMBERS", 100)
    with pytest.raises(InputError, match="Set max_epochs="):
        fitted("and", trace=True)
    assert len(fitted("and", trace=True, max_epochs=5).trace_) == 20


# Order, start, what is kept


def overlapping(n=400, d=4, classes=2, seed=0):
    return dc.datasets.overlapping(n, d, n_classes=classes, random_state=seed)


def test_first_row_turns_the_cycle():
    X, y = overlapping(30)
    turned = dc.Perceptron(first_row=7, max_epochs=3).fit(X, y)
    rolled = dc.Perceptron(max_epochs=3).fit(np.roll(X, -7, axis=0), np.roll(y, -7))
    assert np.array_equal(turned.coef_, rolled.coef_)


@pytest.mark.parametrize("order", ["shuffle", "random"])
def test_orders_come_from_the_seed(order):
    X, y = overlapping(100)
    a, b, c = (dc.Perceptron(order=order, random_state=seed, max_epochs=3).fit(X, y) for seed in (0, 0, 1))
    assert np.array_equal(a.coef_, b.coef_) and not np.array_equal(a.coef_, c.coef_)


def test_an_unchanged_epoch_of_random_draws_is_no_proof():
    """Drawn with replacement, an epoch may leave the one wrong row out; the run ends only when all are right."""
    for seed in range(40):
        model = dc.Perceptron(order="random", random_state=seed).fit([[0.0], [1.0], [1.2]], [0, 0, 1])
        assert model.result_.status is Status.CONVERGED and model.score([[0.0], [1.0], [1.2]], [0, 0, 1]) == 1


def test_the_pocket_keeps_the_best():
    X, y = overlapping(300)
    last, pocket = (dc.Perceptron(keep=keep, max_epochs=30).fit(X, y) for keep in ("last", "pocket"))
    assert pocket.score(X, y) >= last.score(X, y)
    shorter = dc.Perceptron(keep="pocket", max_epochs=5).fit(X, y)
    assert pocket.score(X, y) >= shorter.score(X, y)  # it never gives back what it had


def test_criterion_zero_at_zero_weights_is_no_success():
    X, y = dc.datasets.gate("and")
    model = dc.Perceptron(stop="criterion").fit(X, y)
    assert model.coef_.any() and model.score(X, y) == 1
    rough = dc.Perceptron(stop="criterion", tolerance=5000.0).fit(*overlapping(200))
    assert rough.result_.status is Status.TOLERANCE and rough.n_epochs_ < 1000


def test_two_of_several_classes_learn_as_one_function_at_twice_the_rate():
    """B5: w1 - w2 equals a two-class run at 2 eta. Here a third class starts so low that it never wins."""
    X, y = overlapping(60, 3)
    start = np.zeros((3, 3)), [0.0, 0.0, -1e9]
    several = dc.Perceptron(keep="average", init=start).partial_fit(X, y, classes=[0, 1, 2])
    binary = dc.Perceptron(keep="average", learning_rate=2.0).partial_fit(X, y)
    assert np.allclose(several.coef_[1] - several.coef_[0], binary.coef_[0], rtol=1e-12)
    assert several.n_mistakes_ == binary.n_mistakes_ and not several.coef_[2].any()


# partial_fit, weights, warm start


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("keep", ["last", "average"])
def test_partial_fit_goes_on_where_it_was(classes, keep):
    X, y = overlapping(90, classes=classes)
    whole = dc.Perceptron(keep=keep, max_epochs=1).fit(X, y)
    parts = dc.Perceptron(keep=keep)
    for part in np.array_split(np.arange(90), 4):
        parts.partial_fit(X[part], y[part], classes=np.unique(y))
    assert np.allclose(parts.coef_, whole.coef_, rtol=1e-12) and parts.n_mistakes_ == whole.n_mistakes_


def test_partial_fit_takes_chunks_without_some_class_and_refuses_strangers():
    model = dc.Perceptron().partial_fit([[0.0, 1.0]], ["b"], classes=["a", "b", "c"])
    model.partial_fit([[1.0, 1.0], [2.0, 0.0]], ["c", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"] and model.coef_.shape == (3, 2)
    with pytest.raises(InputError, match="'d'.*not among the classes"):
        model.partial_fit([[1.0, 1.0]], ["d"])
    with pytest.raises(InputError, match="not the same as in the first call"):
        model.partial_fit([[1.0, 1.0]], ["a"], classes=["a", "b"])
    with pytest.raises(InputError, match="Name all of them"):
        dc.Perceptron().partial_fit([[1.0]], [0])
    with pytest.raises(ParameterError, match="balanced"):
        dc.Perceptron(class_weight="balanced").partial_fit([[1.0], [2.0]], [0, 1])


def test_warm_start_goes_on():
    X, y = overlapping(80)
    model = dc.Perceptron(warm_start=True, max_epochs=2)
    twice = model.fit(X, y).fit(X, y)
    assert np.array_equal(twice.coef_, dc.Perceptron(max_epochs=4).fit(X, y).coef_)
    with pytest.raises(InputError, match="warm_start"):
        model.fit(X, np.where(y == 0, 5, 6))


def test_a_weight_scales_the_step_and_zero_leaves_the_row_out():
    X, y = overlapping(50)
    weights = np.where(np.arange(50) % 5 == 0, 0.0, 2.0)
    weighted = dc.Perceptron(max_epochs=4).fit(X, y, sample_weight=weights)
    without = dc.Perceptron(max_epochs=4, learning_rate=2.0).fit(X[weights > 0], y[weights > 0])
    assert np.array_equal(weighted.coef_, without.coef_) and weighted.n_mistakes_ == without.n_mistakes_
    by_class = dc.Perceptron(max_epochs=4, class_weight={0: 3.0}).fit(X, y)
    assert np.array_equal(by_class.coef_, dc.Perceptron(max_epochs=4).fit(X, y, np.where(y == 0, 3.0, 1.0)).coef_)


# What a run proves


def test_no_margin_is_above_the_bound_and_no_run_longer_than_novikoff_s():
    for seed in range(30):
        X, y = dc.datasets.separable(60, 3, 0.3, random_state=seed)
        model = dc.Perceptron().fit(X, y)
        w, b = model.coef_[0], model.intercept_.item()
        margin = (np.where(y == model.classes_[1], 1, -1) * (X @ w + b)).min() / np.sqrt(w @ w + b * b)
        stats = model.result_.stats
        assert 0 < margin <= stats["margin_bound"] * (1 + 1e-12)
        assert model.n_mistakes_ <= (stats["radius"] / margin) ** 2
        assert "Novikoff" in model.summary(model, X, y) and "Novikoff" not in model.summary()


def test_output_follows_the_rule_of_training():
    model = fitted("and", threshold=2.0)
    nets = np.array([[0.0, 10 / 7], [0.0, 12 / 7], [0.0, 8 / 7]])
    assert model.output(nets).tolist() == [0, 0, 0] or model.output([[1, 1], [0, 0], [0, 1.5]]).tolist() == [1, -1, 0]
    with pytest.raises(InputError, match="two classes"):
        dc.Perceptron(max_epochs=2).fit(*overlapping(60, classes=3)).output(np.zeros((1, 4)))


def test_a_run_without_end_warns_unless_weights_are_kept_for_it(recwarn):
    X, y = overlapping(100)
    with pytest.warns(ConvergenceWarning, match="max_epochs|limit on iterations"):
        dc.Perceptron(max_epochs=2).fit(X, y)
    recwarn.clear()
    dc.Perceptron(max_epochs=2, keep="average").fit(X, y)
    assert not recwarn.list


# Unhappy paths


@pytest.mark.parametrize("parameters, words", [
    ({"threshold": -0.1}, "threshold must be a finite number >= 0"),
    ({"learning_rate": 0.0}, "learning_rate must be"),
    ({"zero": "maybe"}, "zero must be"),
    ({"order": "backwards"}, "order must be"),
    ({"max_epochs": 0}, "max_epochs must be"),
    ({"threshold": 0.5, "zero": "positive"}, "leaves open"),
    ({"first_row": 50}, "first_row=50 is not a row"),
    ({"init": np.zeros(3)}, "shaped like coef_"),
    ({"init": np.zeros((2, 4))}, "shaped like coef_"),
    ({"init": (np.zeros(4), [0.0, 1.0])}, "intercept must be shaped like"),
    ({"init": [np.nan] * 4}, "finite"),
    ({"init": ["a"] * 4}, "numbers"),
])
def test_parameters_out_of_range(parameters, words):
    X, y = overlapping(50)
    with pytest.raises(ParameterError, match=words):
        dc.Perceptron(**parameters).fit(X, y)


def test_a_dead_zone_is_for_two_classes():
    with pytest.raises(ParameterError, match="dead zone between two classes"):
        dc.Perceptron(threshold=0.5).fit(*overlapping(60, classes=3))


def test_no_probabilities_but_advice():
    model = fitted("and")
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="CalibratedClassifierCV"):
        model.predict_proba([[1.0, 1.0]])


def test_a_perceptron_pickles_with_its_average():
    X, y = overlapping(60)
    model = dc.Perceptron(keep="average").partial_fit(X[:30], y[:30], classes=[0, 1])
    again = pickle.loads(pickle.dumps(model)).partial_fit(X[30:], y[30:])
    assert np.array_equal(again.coef_, model.partial_fit(X[30:], y[30:]).coef_)


def test_sparse_rows_learn_the_same():
    X, y = overlapping(200, 40)
    X[np.random.default_rng(0).random(X.shape) < 0.95] = 0.0
    for rows in (sp.csr_array(X), sp.csc_matrix(X)):
        for keep in ("last", "average", "pocket"):
            sparse, dense = (dc.Perceptron(keep=keep, max_epochs=5).fit(each, y) for each in (rows, X))
            assert np.allclose(sparse.coef_, dense.coef_, rtol=1e-12) and sparse.n_mistakes_ == dense.n_mistakes_


@pytest.mark.parametrize("parameters", [
    {}, {"keep": "average"}, {"order": "shuffle", "random_state": 3}, {"threshold": 0.5}, {"zero": "positive"},
    {"fit_intercept": False, "learning_rate": 0.3}, {"first_row": 5},
    {"keep": "pocket"}, {"order": "random", "random_state": 3}, {"stop": "all-right"},  # not in one walk
], ids=str)
def test_members_of_one_versus_rest_have_the_bits_of_fits_of_their_own(parameters):
    rng = np.random.default_rng(0)
    X, y = overlapping(120, 3, classes=4)
    X[y == 2] += 30.0  # one class ends early, others go on
    for rows in (X, X.astype(np.float32), sp.csr_array(np.where(rng.random(X.shape) < 0.05, X, 0.0))):
        for weights in (None, rng.integers(0, 3, len(X)).astype(float)):
            learner = dc.Perceptron(max_epochs=15, **parameters)
            together = dc.OneVsRest(learner).fit(rows, y, sample_weight=weights)
            for k, member in enumerate(together.estimators_):
                alone = dc.Perceptron(max_epochs=15, **parameters).fit(rows, (y == k).astype(int), weights)
                assert np.array_equal(member.coef_, alone.coef_) and np.array_equal(member.intercept_, alone.intercept_)
                assert (member.n_mistakes_, member.n_epochs_) == (alone.n_mistakes_, alone.n_epochs_)
                assert member.result_.status is alone.result_.status
