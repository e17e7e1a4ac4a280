"""scikit-learn's own checks over every learner in its main configurations, strictly, and what its tools expect."""

import pickle

import joblib
import numpy as np
import problems
import pytest
from answers import answers, assert_same_answers
from contract import registry
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

import discriminant as dc

PROBLEM = problems.three()


def main_configurations():
    """All that do not depend on the data's classes: by default, with one parameter changed, and named pairs."""
    out = []
    for learner in registry.learners():
        configurations = registry.one_at_a_time(learner, PROBLEM.classes, data_free=True)
        out += [learner(**c) for c in registry.accepted(learner, configurations, PROBLEM.X, PROBLEM.y)]
    return out


ESTIMATORS = [*main_configurations(), *registry.combiners(PROBLEM.X, PROBLEM.y)]


def is_chosen(value):
    """Whether a parameter value asks for the best of many, by leave-one-out."""
    return np.ndim(value) == 1 or (isinstance(value, str) and value == "loo")


EQUIVALENCE = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


def expected_failures(estimator):
    """Checks that ask for what a configuration says it cannot do, each with the reason."""
    given, out = estimator.get_params(), {}
    shrinkage = given.get("shrinkage")
    if hasattr(estimator, "partial_fit") and (is_chosen(shrinkage) or shrinkage in ("ledoit-wolf", "auto")):
        for check in ("check_fit_score_takes_y", "check_n_features_in_after_fitting",
                      "check_estimators_partial_fit_n_features"):
            out[check] = "the check calls partial_fit, which this shrinkage refuses, as it needs all rows at once"
    if "n_components" in given and is_chosen(shrinkage):
        for check in ("check_dont_overwrite_parameters", "check_methods_sample_order_invariance",
                      "check_methods_subset_invariance", "check_fit2d_predict1d"):
            out[check] = "the check sets n_components=1, which goes with one shrinkage only, and the error says so"
    if is_chosen(shrinkage) or registry.same_value(given.get("alpha"), "loo"):  # few alphas: the choice is the same
        for check in EQUIVALENCE:
            out[check] = "leaving one out takes a whole row away: two copies of a row are two rows, weight 2 is one"
    if given.get("n_components") == 1:
        for check in ("check_classifiers_train", "check_classifiers_train(readonly_memmap=True)",
                      "check_classifiers_train(readonly_memmap=True,X_dtype=float32)"):
            out[check] = "three classes on one direction, which predict respects, stay below the accuracy asked for"
    kind = given.get("covariance", "shared")
    if kind != "shared":
        for check in EQUIVALENCE:
            out[check] = "the check leaves a class one row with weight, which has no density, and the error says so"
    if kind in ("full", "diagonal") and shrinkage is None:
        for check in ("check_sample_weights_shape", "check_sample_weights_not_overwritten"):
            out[check] = "the check's columns are constant within classes, which have no density, and the error says so"
    if isinstance(estimator, dc.Perceptron):
        out |= perceptron_failures(given)
    if given.get("fit_intercept") is False:
        out["check_class_weight_classifiers"] = "functions through the origin cannot give every row to one class"
    return out


def perceptron_failures(given):
    out = dict.fromkeys(EQUIVALENCE, "a weight scales the step; a row repeated is presented again")
    if given["order"] != "random":
        out["check_class_weight_classifiers"] = "long steps put a class right; they do not give it the others' rows"
    if given["class_weight"] == "balanced":
        for check in ("check_fit_score_takes_y", "check_n_features_in_after_fitting",
                      "check_estimators_partial_fit_n_features"):
            out[check] = "the check calls partial_fit, for which 'balanced' has no meaning, and the error says so"
    if given["warm_start"]:
        out["check_supervised_y_2d"] = "the check fits twice and expects the same: a warm start goes on"
    return out


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning",
                            "ignore::discriminant.errors.DegenerateWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_check_estimator(estimator, check, count_cases):
    check(estimator)
    count_cases("scikit-learn's checks")


@pytest.fixture(params=ESTIMATORS, ids=repr)
def estimator(request):
    return clone(request.param)


def test_string_labels(estimator):
    model = estimator.fit(PROBLEM.X, PROBLEM.y)
    assert model.classes_.tolist() == ["ape", "bee", "cat"]
    assert set(model.predict(PROBLEM.probes)) <= {"ape", "bee", "cat"}
    assert model.score(PROBLEM.X, PROBLEM.y) > 0.6
    numbered = clone(estimator).fit(PROBLEM.X, PROBLEM.codes)
    assert np.array_equal(model.classes_[numbered.predict(PROBLEM.probes)], model.predict(PROBLEM.probes))


def test_two_string_labels_are_scored_for_the_second(estimator):
    problem = problems.blobs(40, 3, 2, labels=["no", "yes"])
    model = estimator.fit(problem.X, problem.y)
    if not hasattr(model, "decision_function"):
        assert set(model.predict(problem.probes)) == {"no", "yes"}
        return
    score = model.decision_function(problem.probes)
    assert np.array_equal(model.predict(problem.probes), np.where(score > 0, "yes", "no"))


def test_clones_and_pickles_say_the_same(estimator):
    model = estimator.fit(PROBLEM.X, PROBLEM.y)
    wanted = answers(model, PROBLEM.probes)
    again = clone(model).fit(PROBLEM.X, PROBLEM.y)
    assert_same_answers(answers(again, PROBLEM.probes), wanted, rtol=0)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(model, protocol))
        assert_same_answers(answers(copy, PROBLEM.probes), wanted, rtol=0, case=f"pickle protocol {protocol}")
    assert copy.get_params().keys() == model.get_params().keys()


def test_a_pickle_of_another_version_warns(estimator):
    packed = pickle.dumps(estimator.fit(PROBLEM.X, PROBLEM.y))
    ours = dc.__version__.encode()
    other = b"9" * len(ours)
    assert packed.count(ours) == 1
    with pytest.warns(UserWarning, match=f"{other.decode()}, and this is {dc.__version__}"):
        model = pickle.loads(packed.replace(ours, other))
    assert_same_answers(answers(model, PROBLEM.probes), answers(estimator, PROBLEM.probes), rtol=0)


def test_set_output_gives_frames(estimator):
    if not hasattr(estimator, "transform"):
        assert not hasattr(estimator, "set_output")
        return
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(PROBLEM.X, columns=list("abcd"), index=np.arange(len(PROBLEM.X)) + 100)
    model = estimator.set_output(transform="pandas").fit(frame, PROBLEM.y)
    out = model.transform(frame)
    assert out.index.tolist() == frame.index.tolist()
    assert out.columns.tolist() == model.get_feature_names_out().tolist()
    assert_same_answers({"predict": model.predict(frame), "decision_function": model.decision_function(frame)},
                        {"predict": model.predict(frame.copy()), "decision_function": model.decision_function(frame)},
                        rtol=0)
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert isinstance(model.set_output(transform="polars").transform(frame), polars.DataFrame)
    assert isinstance(model.set_output(transform="default").transform(frame), np.ndarray)


def test_feature_names_are_kept_and_compared(estimator):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(PROBLEM.X, columns=list("abcd"))
    model = estimator.fit(frame, PROBLEM.y)
    assert model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(PROBLEM.X)


def test_weights_are_routed_through_a_pipeline(estimator):
    if not has_fit_parameter(estimator, "sample_weight"):
        assert isinstance(estimator, dc.ThresholdNetwork)  # without mistakes there is nothing to weigh
        return
    weights = PROBLEM.weighted().weights
    with config_context(enable_metadata_routing=True):
        learner = estimator.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        if registry.needs_arguments(type(learner)):
            learner.estimator.set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, learner).fit(PROBLEM.X, PROBLEM.y, sample_weight=weights)
        scaled = StandardScaler().fit_transform(PROBLEM.X)
        alone = clone(estimator).fit(scaled, PROBLEM.y, sample_weight=weights)
        assert_same_answers(answers(pipeline[-1], scaled), answers(alone, scaled), rtol=0)
        unweighted, weighted = (answers(model, scaled) for model in (clone(estimator).fit(scaled, PROBLEM.y), alone))
        assert any(np.abs(unweighted[name] - weighted[name]).max() > 1e-6 for name in weighted if name != "predict")


@pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
def test_weights_are_routed_through_searches_and_processes(learner):
    weights = PROBLEM.weighted().weights
    name, values = next((name, values) for name, values in
                        registry.choices(learner, PROBLEM.classes, data_free=True).items() if len(values) > 2)
    with config_context(enable_metadata_routing=True):
        routed = learner().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(routed, {name: values[:3]}, cv=3, error_score="raise")
        search.fit(PROBLEM.X, PROBLEM.y, sample_weight=weights)
        assert search.best_score_ > 0.5
        assert search.predict(PROBLEM.probes).shape == (len(PROBLEM.probes),)
        one, two = (cross_val_score(routed, PROBLEM.X, PROBLEM.y, params={"sample_weight": weights}, n_jobs=jobs,
                                    cv=4, error_score="raise") for jobs in (None, 2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
def test_values_from_numpy_arrays_are_parameters_too(learner):
    """`GridSearchCV` over `np.array(["oas", "ledoit-wolf"])` hands out `np.str_`."""
    for name, values in registry.choices(learner, PROBLEM.classes, data_free=True).items():
        for value in values:
            if isinstance(value, (str, bool, int, float)):
                (as_numpy,) = np.array([value])
                given = registry.seeded(learner, {name: value})
                configurations = registry.accepted(learner, [given], PROBLEM.X, PROBLEM.y)
                for configuration in configurations:
                    wanted = learner(**configuration).fit(PROBLEM.X, PROBLEM.y)
                    found = learner(**{**configuration, name: as_numpy}).fit(PROBLEM.X, PROBLEM.y)
                    assert_same_answers(answers(found, PROBLEM.probes), answers(wanted, PROBLEM.probes), rtol=0,
                                        case=f"{name}={as_numpy!r}")


@pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)
def test_predictions_out_of_fold_in_two_processes(learner):
    one, two = (cross_val_predict(learner(), PROBLEM.X, PROBLEM.y, cv=3, n_jobs=jobs) for jobs in (None, 2))
    assert np.array_equal(one, two)
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


def test_shown_in_a_notebook(estimator):
    page = estimator._repr_html_()
    assert type(estimator).__name__ in page
    assert type(estimator).__name__ in repr(estimator)
    fitted = estimator.fit(PROBLEM.X, PROBLEM.y)._repr_html_()
    assert "fitted" in fitted and "NotFitted" not in fitted
    if registry.needs_arguments(type(estimator)):
        assert type(estimator.estimator).__name__ in page
        return
    changed = [name for name, value in registry.choices(type(estimator), PROBLEM.classes).items()
               if not registry.same_value(getattr(estimator, name), value[0])]
    assert all(name in repr(estimator) for name in changed)
