"""The decision stage against the rule worked out by hand, and what it refuses."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import discriminant as dc
from discriminant.combine.bayes_decision import BayesDecision
from discriminant.errors import ParameterError


class Told(ClassifierMixin, BaseEstimator):
    """Posteriors that stand in the rows themselves."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def told(classes, **parameters):
    """A decision over posteriors that are given row by row."""
    return BayesDecision(Told(), **parameters).fit(np.eye(len(classes)), np.asarray(classes))


def blobs(n=300, K=3, labels=None, seed=0):
    random = np.random.default_rng(seed)
    codes = np.arange(n) % K
    X = random.normal(size=(n, 3)) + 1.2 * random.normal(size=(K, 3))[codes]
    return X, codes if labels is None else np.asarray(labels)[codes]


@parametrize_with_checks([BayesDecision(LogisticRegression()), BayesDecision(LogisticRegression(), loss=None,
                                                                             reject=1.0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_a_missed_cancer_costs_a_thousand_false_alarms():
    doctor = told(["healthy", "ill"], loss=[[0, 1], [1000, 0]])
    P = np.array([[0.9995, 0.0005], [0.9985, 0.0015], [0.5, 0.5]])
    np.testing.assert_allclose(doctor.expected_loss(P), [[0.5, 0.9995], [1.5, 0.9985], [500, 0.5]])
    assert doctor.predict(P).tolist() == ["healthy", "ill", "ill"]
    # The threshold is p(ill) = 1 / 1001.
    near = np.array([[1 - p, p] for p in (0.99 / 1001, 1.01 / 1001)])
    assert doctor.predict(near).tolist() == ["healthy", "ill"]


def test_the_rule_class_by_class():
    random = np.random.default_rng(1)
    L, P = random.uniform(-1, 5, size=(4, 4)), random.dirichlet(np.ones(4), size=200)
    model = told(list("abcd"), loss=L, reject=1.5)
    for p, losses, decided in zip(P, model.expected_loss(P), model.predict(P), strict=True):
        by_hand = [sum(L[i, j] * p[i] for i in range(4)) for j in range(4)]
        np.testing.assert_allclose(losses, by_hand, rtol=1e-12, atol=1e-12)
        assert decided == ("reject" if min(by_hand) > 1.5 else "abcd"[int(np.argmin(by_hand))])
    decisions = model.predict(P)
    assert 0 < (decisions == "reject").sum() < len(P)


def test_ties_go_to_the_first_class():
    model = told([3, 5, 7], loss=[[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    assert model.predict([[0.0, 0.5, 0.5], [0.5, 0.25, 0.25]]).tolist() == [5, 3]
    assert told([3, 5]).predict([[0.5, 0.5]]).tolist() == [3]


@pytest.mark.parametrize("estimator", [dc.GaussianDiscriminant(covariance="full"), dc.FisherDiscriminant(),
                                       LogisticRegression(), KNeighborsClassifier()], ids=lambda e: type(e).__name__)
def test_without_losses_it_is_the_largest_posterior(estimator):
    X, y = blobs(labels=["ape", "bee", "cat"])
    model, alone = BayesDecision(estimator).fit(X, y), clone(estimator).fit(X, y)
    P = alone.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), P)
    np.testing.assert_array_equal(model.predict(X), alone.classes_[P.argmax(axis=1)])
    np.testing.assert_allclose(model.expected_loss(X), 1 - P, rtol=1e-12)
    explicit = BayesDecision(estimator, loss=1 - np.eye(3)).fit(X, y)
    np.testing.assert_allclose(explicit.expected_loss(X), 1 - P, atol=1e-12)
    rejecting = BayesDecision(estimator, reject=0.3).fit(X, y).predict(X)
    np.testing.assert_array_equal(rejecting == "reject", 1 - P.max(axis=1) > 0.3)
    assert 0 < (rejecting == "reject").sum() < len(X)


def test_posteriors_that_only_just_differ_near_zero():
    """1 - p is the same number for both, p is not."""
    P = np.array([[1e-20, 2e-20]])
    assert told([0, 1]).predict(P).tolist() == [1]


def test_rejecting_exactly_where_the_least_loss_exceeds_reject():
    model = told([0, 1], reject=0.25)
    assert model.predict([[0.75, 0.25], [0.7, 0.3], [0.2, 0.8]]).tolist() == [0, -1, 1]
    never = told([0, 1], reject=0)
    assert never.predict([[1.0, 0.0], [0.9, 0.1]]).tolist() == [0, -1]


KINDS = [
    (["a", "b"], None, "reject", "U"), (np.array(["a", "b"], object), None, "reject", "O"), ([0, 1], None, -1, "i"),
    ([-1, 1], None, 0, "i"), ([0.0, 1.0], None, -1, "f"), ([False, True], None, -1, "i"),
    (np.array([1, 2], np.uint8), None, -1, "i"), (np.array([1, 2], np.int8), 1000, 1000, "i"), ([0, 1], "?", "?", "O"),
    (["a", "b"], -1, -1, "O"), (np.array([0, 2**63 + 1], np.uint64), None, -1, "O"), (["a", "b"], "no", "no", "U"),
    (np.array([0, 2**60 + 1]), 0.5, 0.5, "O"),
]


@pytest.mark.parametrize("classes, given, label, kind", KINDS)
def test_predictions_hold_the_label_of_rejected_rows(classes, given, label, kind):
    model = told(classes, reject=0.2, reject_label=given)
    assert model.reject_label_ == label
    P = [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]
    decided = model.predict(P)
    first, second = model.classes_.tolist()
    assert decided.tolist() == [first, label, second]
    assert decided.dtype.kind == kind
    assert model.predict(P[:1]).dtype == decided.dtype  # the type does not depend on the rows
    assert told(classes).predict(P).dtype == np.asarray(classes).dtype


def test_rejected_rows_among_dates():
    days = np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")
    decided = told(days, reject=0.2).predict([[0.9, 0.1], [0.5, 0.5]])
    assert decided.dtype == days.dtype
    assert np.isnat(decided).tolist() == [False, True]


@pytest.mark.parametrize("classes, given", [(["a", "reject"], None), ([-1, 0, 1], None), ([0, 1], 1), ([0, 1], 1.0),
                                            (["a", "b"], "b"), ([False, True], 1)])
def test_a_label_that_is_a_class_is_refused(classes, given):
    with pytest.raises(ParameterError, match="reject_label.* one of the classes"):
        told(classes, reject=0.2, reject_label=given)
    assert told(classes, reject_label=given).reject_label_ is None  # without rejecting it does not matter


@pytest.mark.parametrize("parameters, message", [
    ({"loss": np.ones((2, 2))}, r"loss must have shape \(3, 3\).*got shape \(2, 2\)"),
    ({"loss": [1, 2, 3]}, r"loss must have shape \(3, 3\)"),
    ({"loss": [[0, 1], [1]]}, r"loss must be an array of numbers of shape \(3, 3\)"),
    ({"loss": [[0, 1, 1], [1, 0, np.inf], [1, 1, 0]]}, r"loss must hold finite numbers; loss\[1, 2\] is inf"),
    ({"loss": [[0, 1, 1], [np.nan, 0, 1], [1, 1, 0]]}, r"loss must hold finite numbers; loss\[1, 0\] is nan"),
    ({"loss": "0/1"}, "loss must be None, or an array"),
    ({"reject": -0.1}, "reject must be None, or a finite number >= 0; got -0.1"),
    ({"reject": np.nan}, "reject must be None"), ({"reject": "no"}, "reject must be None"),
    ({"reject": 0.1, "reject_label": [1]}, "reject_label must be None, or a label"),
])
def test_bad_parameters(parameters, message):
    X, y = blobs()
    with pytest.raises(ParameterError, match=f"BayesDecision: {message}"):
        BayesDecision(dc.GaussianDiscriminant(), **parameters).fit(X, y)


@pytest.mark.parametrize("estimator", [LinearRegression(), dc.GaussianDiscriminant, "gaussian", None])
def test_what_is_no_classifier(estimator):
    with pytest.raises(ParameterError, match="estimator must be a classifier with predict_proba"):
        BayesDecision(estimator).fit(*blobs())


@pytest.mark.parametrize("estimator", [RidgeClassifier(), dc.LeastSquaresClassifier()], ids=lambda e: type(e).__name__)
def test_without_posteriors_the_error_names_the_remedy_and_the_remedy_works(estimator):
    X, y = blobs()
    with pytest.raises(ParameterError, match=r"sklearn\.calibration\.CalibratedClassifierCV"):
        BayesDecision(estimator).fit(X, y)
    model = BayesDecision(CalibratedClassifierCV(estimator), reject=0.5).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.5


def test_weights_reach_the_estimator():
    X, y = blobs()
    w = np.random.default_rng(2).uniform(0.1, 3, len(y))
    alone = dc.GaussianDiscriminant().fit(X, y, sample_weight=w)
    model = BayesDecision(dc.GaussianDiscriminant()).fit(X, y, sample_weight=w)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
    with config_context(enable_metadata_routing=True):
        routed = BayesDecision(dc.GaussianDiscriminant().set_fit_request(sample_weight=True)).fit(X, y, sample_weight=w)
        np.testing.assert_array_equal(routed.predict_proba(X), alone.predict_proba(X))
        pipeline = make_pipeline(StandardScaler(), LogisticRegression().set_fit_request(sample_weight=True))
        pipeline[0].set_fit_request(sample_weight=False)
        inside = BayesDecision(pipeline).fit(X, y, sample_weight=w)
        np.testing.assert_array_equal(inside.predict_proba(X),
                                      clone(pipeline).fit(X, y, sample_weight=w).predict_proba(X))
    with pytest.raises(ParameterError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        BayesDecision(KNeighborsClassifier()).fit(X, y, sample_weight=w)
    stepwise = BayesDecision(make_pipeline(StandardScaler(), LogisticRegression()))
    stepwise.fit(X, y, logisticregression__sample_weight=w)
    np.testing.assert_allclose(stepwise.predict_proba(X), inside.predict_proba(X), atol=0.05)


def test_frames_pickles_clones_and_searches():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = blobs(labels=["ape", "bee", "cat"])
    frame = pd.DataFrame(X, columns=list("abc"))
    given = dc.GaussianDiscriminant()
    model = BayesDecision(given, loss=[[0, 1, 2], [1, 0, 1], [9, 9, 0]], reject=0.9).fit(frame, y)
    assert not hasattr(given, "classes_")
    assert (model.n_features_in_, model.feature_names_in_.tolist()) == (3, list("abc"))
    assert model.result_.status is dc.Status.CONVERGED
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))
    np.testing.assert_array_equal(clone(model).fit(frame, y).predict(frame), model.predict(frame))
    one, two = (cross_val_score(BayesDecision(given), X, y, n_jobs=jobs) for jobs in (None, 2))
    np.testing.assert_array_equal(one, two)
    search = GridSearchCV(BayesDecision(given), {"estimator__covariance": ["shared", "full"], "reject": [None, 0.9]})
    assert search.fit(X, y).best_score_ > 0.5


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y = blobs()
    model = BayesDecision(dc.GaussianDiscriminant()).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ParameterError):
        model.set_params(loss=np.eye(2)).fit(X, y)
    np.testing.assert_array_equal(model.set_params(loss=None).predict(X), before)
