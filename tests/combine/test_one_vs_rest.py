"""One function for each class: scikit-learn's members and answers, the regions that signs leave open, distances."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from problems import blobs
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import discriminant as dc
from discriminant.combine.one_vs_rest import OneVsRest
from discriminant.errors import DegenerateError, InputError, ParameterError

MEMBERS = [dc.LeastSquaresClassifier(), dc.LeastSquaresClassifier(alpha=0.5, targets="bipolar"),
           dc.FisherDiscriminant(), dc.FisherDiscriminant(shrinkage=0.2), dc.GaussianDiscriminant(covariance="full"),
           RidgeClassifier(), LogisticRegression(), SVC(), SVC(kernel="linear"), GaussianNB(),
           make_pipeline(StandardScaler(), LogisticRegression()), DecisionTreeClassifier(max_depth=3, random_state=0)]
NAMES = ["ape", "bee", "cat", "dog", "eel"]


class Fixed(ClassifierMixin, BaseEstimator):
    """A member that gives every row the same score."""

    def __init__(self, score=1.0):
        self.score = score

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.full(len(X), self.score)


def words(n=150, d=4, K=4):
    return blobs(n, d, K, labels=NAMES[:K])


def corners(reference=None, scores="raw"):
    """Three classes at the corners of a triangle, by functions that are easy to draw."""
    X = np.array([[0, 0], [1, 0], [0, 1], [8, 0], [9, 0], [8, 1], [0, 8], [0, 9], [1, 8]], float)
    model = OneVsRest(RidgeClassifier(alpha=1e-3), reference=reference, scores=scores)
    return model.fit(X, np.repeat(["a", "b", "c"], 3))


def grid():
    return np.stack(np.meshgrid(np.linspace(-4, 12, 33), np.linspace(-4, 12, 33)), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("member", MEMBERS, ids=repr)
def test_it_agrees_with_scikit_learn(member, K):
    problem = words(K=K)
    ours = OneVsRest(member).fit(problem.X, problem.y)
    theirs = OneVsRestClassifier(member).fit(problem.X, problem.y)
    assert len(ours.estimators_) == len(theirs.estimators_) == (1 if K == 2 else K)
    for mine, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert type(mine) is type(member) and mine.classes_.tolist() == other.classes_.tolist() == [0, 1]
        np.testing.assert_array_equal(mine.predict(problem.probes), other.predict(problem.probes))
    found = ours.decision_function(problem.probes)
    if hasattr(member, "decision_function"):
        wanted = theirs.decision_function(problem.probes)
    else:
        wanted = np.column_stack([each.predict_proba(problem.probes)[:, 1] for each in theirs.estimators_]) - 0.5
        wanted = wanted[:, 0] if K == 2 else wanted
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-10)
    clear = np.ones(len(found), bool) if K == 2 else np.diff(np.sort(found, axis=1)[:, -2:])[:, 0] > 1e-9
    np.testing.assert_array_equal(ours.predict(problem.probes)[clear], theirs.predict(problem.probes)[clear])
    assert clear.sum() > 5


@pytest.mark.parametrize("reference", [None, "ape", "cat", "dog"])
@pytest.mark.parametrize("member", [dc.LeastSquaresClassifier(), SVC()], ids=repr)
def test_claims_votes_and_ambiguous_rows_by_hand(member, reference):
    problem = words()
    probes = np.random.default_rng(0).normal(size=(300, 4)) * 2
    model = OneVsRest(member, reference=reference).fit(problem.X, problem.y)
    functions = [k for k in range(4) if NAMES[k] != reference]
    assert len(model.estimators_) == len(functions)
    scores = np.column_stack([clone(member).fit(problem.X, problem.y == NAMES[k]).decision_function(probes)
                              for k in functions])
    claims = scores > 0
    np.testing.assert_array_equal(model.claims(probes), claims)
    wanted = np.zeros((len(claims), 4), int)
    wanted[:, functions] = claims
    ambiguous = claims.sum(axis=1) != 1
    if reference is not None:
        wanted[:, NAMES.index(reference)] = ~claims.any(axis=1)
        ambiguous = claims.sum(axis=1) > 1
    np.testing.assert_array_equal(model.votes(probes), wanted)
    np.testing.assert_array_equal(model.ambiguous(probes), ambiguous)
    assert ambiguous.any() and not ambiguous.all()
    full = np.zeros((len(claims), 4))
    full[:, functions] = scores
    np.testing.assert_allclose(model.decision_function(probes), full, rtol=1e-9, atol=1e-10)
    best = [reference if reference is not None and row.max() <= 0 else NAMES[row.argmax()] for row in full]
    assert model.predict(probes).tolist() == best
    one_claim = claims.sum(axis=1) == 1
    winner = np.array(NAMES)[np.array(functions)[claims.argmax(axis=1)]]
    np.testing.assert_array_equal(model.predict(probes)[one_claim], winner[one_claim])


def test_signs_of_k_functions_leave_rows_to_nobody_and_to_several():
    """Lectures, B1: K by sign."""
    model = corners()
    votes = model.votes(grid()).sum(axis=1)
    assert set(votes) >= {0, 1, 2}
    np.testing.assert_array_equal(model.ambiguous(grid()), votes != 1)
    assert set(model.predict(grid())) == {"a", "b", "c"}  # the largest score decides everywhere


def test_signs_of_one_function_less_leave_rows_to_several():
    """Lectures, B1: K - 1 by sign; rows that nobody claims are those of the reference."""
    model = corners(reference="a")
    claims = model.claims(grid())
    assert claims.shape == (len(grid()), 2) and set(claims.sum(axis=1)) == {0, 1, 2}
    np.testing.assert_array_equal(model.ambiguous(grid()), claims.all(axis=1))
    np.testing.assert_array_equal(model.predict(grid()) == "a", ~claims.any(axis=1))
    assert model.coef_.shape == (3, 2) and not model.coef_[0].any() and model.intercept_[0] == 0
    np.testing.assert_array_equal(model.decision_function(grid())[:, 0], 0)


def test_distances_are_distances_and_raw_scores_are_not():
    """Lectures, B4."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(50, 2)) * s + m for s, m in [(0.3, (0, 0)), (2.0, (9, 0)), (0.5, (0, 4))]])
    y = np.repeat(["a", "b", "c"], 50)
    raw = OneVsRest(LogisticRegression(C=100)).fit(X, y)
    deep = OneVsRest(LogisticRegression(C=100), scores="distance").fit(X, y)
    probes = np.vstack([grid(), X])
    norm = np.linalg.norm(raw.coef_, axis=1)
    np.testing.assert_allclose(deep.decision_function(probes), raw.decision_function(probes) / norm, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(deep.coef_, axis=1), 1)
    foot = probes - deep.decision_function(probes)[:, :1] * deep.coef_[0]  # on the boundary of the first class
    np.testing.assert_allclose(foot @ raw.coef_[0] + raw.intercept_[0], 0, atol=1e-9)
    np.testing.assert_array_equal(deep.claims(probes), raw.claims(probes))
    unlike = deep.predict(probes) != raw.predict(probes)
    assert unlike.any() and (raw.ambiguous(probes)[unlike]).all()  # where one class claims a row there is no doubt


def test_raw_scores_and_distances_disagree_on_a_row_worked_by_hand():
    class Given(Fixed):
        """w = 10 (1, 0) for the class of the first row's label, w = (0, 1) for the others."""

        def fit(self, X, y):
            super().fit(X, y)
            self.coef_ = np.array([[10.0, 0.0]]) if y[0] else np.array([[0.0, 1.0]])
            self.intercept_ = np.zeros(1)
            return self

        def decision_function(self, X):
            return (X @ self.coef_.T + self.intercept_)[:, 0]

    X, y, row = np.eye(3, 2), ["a", "b", "c"], [[1.0, 3.0]]
    assert OneVsRest(Given()).fit(X, y).predict(row).tolist() == ["a"]  # 10 against 3
    assert OneVsRest(Given(), scores="distance").fit(X, y).predict(row).tolist() == ["b"]  # 1 against 3


def test_ties_go_to_the_first_class_and_a_score_of_zero_to_the_reference():
    X, y = np.zeros((3, 1)), ["a", "b", "c"]
    for score in (-1.0, 0.0, 1.0):
        assert OneVsRest(Fixed(score)).fit(X, y).predict(X).tolist() == ["a"] * 3
        wanted = "b" if score <= 0 else "a"
        assert OneVsRest(Fixed(score), reference="b").fit(X, y).predict(X).tolist() == [wanted] * 3
    linear = OneVsRest(dc.LeastSquaresClassifier(fit_intercept=False), reference="c").fit(np.eye(3), y)
    assert linear.predict([[0.0, 0.0, 0.0]]).tolist() == ["c"]


@pytest.mark.parametrize("reference", [None, "ape", "bee"])
@pytest.mark.parametrize("member", [dc.FisherDiscriminant(), SVC(), GaussianNB()], ids=repr)
def test_of_two_classes_one_function_is_enough(member, reference):
    problem = words(K=2)
    model = OneVsRest(member, reference=reference).fit(problem.X, problem.y)
    alone = clone(member).fit(problem.X, (problem.y == "bee").astype(int))
    score = model.decision_function(problem.probes)
    assert len(model.estimators_) == 1 and score.shape == (len(problem.probes),)
    np.testing.assert_array_equal(model.predict(problem.probes), np.where(score > 0, "bee", "ape"))
    np.testing.assert_array_equal(score > 0, alone.predict(problem.probes) == 1)
    assert not model.ambiguous(problem.probes).any()
    np.testing.assert_array_equal(model.votes(problem.probes), np.column_stack([score <= 0, score > 0]))
    wanted = {None: [score <= 0, score > 0], "ape": [score > 0], "bee": [score <= 0]}[reference]
    np.testing.assert_array_equal(model.claims(problem.probes), np.column_stack(wanted))


@pytest.mark.parametrize("member", [dc.LeastSquaresClassifier(), dc.GaussianDiscriminant(covariance="full"),
                                    LogisticRegression(tol=1e-10, max_iter=1000)], ids=repr)
def test_weights_are_repetitions(member):
    problem = words()
    w = np.random.default_rng(1).integers(0, 4, len(problem.y))
    weighted = OneVsRest(member).fit(problem.X, problem.y, sample_weight=w)
    repeated = OneVsRest(member).fit(np.repeat(problem.X, w, axis=0), np.repeat(problem.y, w))
    np.testing.assert_allclose(weighted.decision_function(problem.probes), repeated.decision_function(problem.probes),
                               rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("member", [dc.LeastSquaresClassifier(alpha=1.0), dc.GaussianDiscriminant(covariance="full"),
                                    LogisticRegression(), SVC(), GaussianNB()], ids=repr)
def test_threads_copies_and_kinds_of_rows_change_nothing(member):
    problem = words()
    model = OneVsRest(member).fit(problem.X, problem.y)
    wanted = model.decision_function(problem.probes)
    threaded = OneVsRest(member, n_jobs=2).fit(problem.X, problem.y)
    for same in (threaded, clone(model).fit(problem.X, problem.y), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.decision_function(problem.probes), wanted)
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(problem.X, columns=list("abcd"))
    named = OneVsRest(member).fit(frame, pd.Series(problem.y))
    assert named.feature_names_in_.tolist() == list("abcd")
    found = named.decision_function(pd.DataFrame(problem.probes, columns=list("abcd")))
    np.testing.assert_array_equal(found, wanted)
    if not isinstance(member, GaussianNB):
        sparse = OneVsRest(member).fit(sp.csr_array(problem.X), problem.y)
        found = sparse.decision_function(sp.csr_matrix(problem.probes))
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_members_are_reached_by_searches():
    problem = words()
    model = OneVsRest(dc.LeastSquaresClassifier(alpha=2.0))
    assert model.get_params()["estimator__alpha"] == 2.0
    assert model.set_params(estimator__alpha=3.0).fit(problem.X, problem.y).estimators_[0].alpha_ == 3.0
    grid_of = {"estimator__alpha": [0.1, 1e6], "scores": ["raw", "distance"], "reference": [None, "bee"]}
    search = GridSearchCV(model, grid_of, cv=3, error_score="raise").fit(problem.X, problem.y)
    assert search.best_score_ > 0.5
    assert cross_val_score(make_pipeline(StandardScaler(), model), problem.X, problem.y, cv=3).min() > 0.4


def test_an_error_leaves_the_model_as_it_was():
    problem = words()
    model = OneVsRest(SVC()).fit(problem.X, problem.y)
    wanted, bad = model.predict(problem.probes), problem.X.copy()
    bad[70, 2] = np.nan
    with pytest.raises(InputError, match=r"NaN \(row 70, column 2\)"):
        model.fit(bad, problem.y)
    model.set_params(estimator__C=-1.0)
    with pytest.raises(ValueError, match="'C' parameter of SVC") as error:
        model.fit(problem.X, problem.y)
    assert error.value.__notes__ == ["This came from the member for class 'ape' (1) against the rest."]
    np.testing.assert_array_equal(model.predict(problem.probes), wanted)


def test_a_fit_forgets_the_one_before():
    problem = words()
    model = OneVsRest(dc.LeastSquaresClassifier()).fit(problem.X, problem.y)
    model.set_params(estimator=SVC()).fit(problem.X, problem.y)
    assert not hasattr(model, "coef_") and model.result_.stats["route"] == "one by one"
    np.testing.assert_array_equal(model.predict(problem.probes),
                                  OneVsRest(SVC()).fit(problem.X, problem.y).predict(problem.probes))


def test_there_are_no_probabilities():
    problem = words()
    model = OneVsRest(LogisticRegression()).fit(problem.X, problem.y)
    assert not hasattr(model, "predict_proba")


def test_a_learner_may_fit_its_members_together():
    class Together(dc.LeastSquaresClassifier):
        def _fit_apart(self, training, classes):
            if self.alpha > 1:
                return None
            made = [clone(self).fit(training.place.X, training.place.codes == k) for k in classes]
            return [member.set_params(class_weight={"seen": 1}) for member in made]

    problem = words()
    model = OneVsRest(Together(), reference="cat").fit(problem.X, problem.y)
    assert model.result_.stats["route"] == "together" and len(model.estimators_) == 3
    assert all(member.class_weight == {"seen": 1} for member in model.estimators_)
    plain = OneVsRest(dc.LeastSquaresClassifier(), reference="cat").fit(problem.X, problem.y)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9, atol=1e-12)
    assert OneVsRest(Together(alpha=2.0)).fit(problem.X, problem.y).result_.stats["route"] == "one by one"


@pytest.mark.parametrize(("made", "message"), [
    ({"estimator": dc.LeastSquaresClassifier}, "estimator must be a classifier (an instance, not its class)"),
    ({"estimator": LinearRegression()}, "with decision_function or predict_proba; got LinearRegression()"),
    ({"estimator": "svm"}, "got 'svm'"),
    ({"estimator": SVC(), "n_jobs": 0}, "n_jobs must be None, a number of threads, or -1"),
    ({"estimator": SVC(), "scores": "depth"}, "scores must be 'raw', 'distance'; got 'depth'"),
    ({"estimator": SVC(), "reference": "yak"}, "reference must be None or a class of y, which are 'ape', 'bee'"),
    ({"estimator": SVC(), "reference": ["ape"]}, "reference must be None or a class of y"),
    ({"estimator": SVC(), "scores": "distance"}, "SVC has none that are linear; use scores='raw'"),
])
def test_bad_parameters(made, message):
    problem = words()
    with pytest.raises(ParameterError) as error:
        OneVsRest(**made).fit(problem.X, problem.y)
    assert message in str(error.value) and "OneVsRest" in str(error.value)


def test_bad_rows_and_weights():
    problem = words()
    model = OneVsRest(dc.LeastSquaresClassifier())
    with pytest.raises(ValueError, match="OneVsRest needs rows of at least two classes; y holds one class only: 'ape'"):
        model.fit(problem.X, np.repeat("ape", len(problem.y)))
    with pytest.raises(ValueError, match="All rows of class 'bee' have weight 0"):
        model.fit(problem.X, problem.y, sample_weight=(problem.y != "bee").astype(float))
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no sample_weight"):
        OneVsRest(KNeighborsClassifier()).fit(problem.X, problem.y, sample_weight=np.ones(len(problem.y)))
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(problem.X)
    model.fit(problem.X, problem.y)
    for name in ("predict", "decision_function", "claims", "votes", "ambiguous"):
        with pytest.raises(ValueError, match="3 features, but OneVsRest is expecting 4"):
            getattr(model, name)(problem.X[:, :3])
    with pytest.raises(InputError, match="NaN"):
        model.predict(np.full((2, 4), np.nan))


def test_a_constant_function_has_no_distances():
    X = np.array([[0.0], [1.0], [0.0], [1.0], [2.0], [3.0]])
    y = ["a", "a", "b", "b", "c", "c"]
    with pytest.raises(DegenerateError, match="function of class 'a' is constant"):
        OneVsRest(dc.LeastSquaresClassifier(alpha=1e300), scores="distance").fit(0 * X, y)


def test_missing_cells_go_to_members_that_take_them():
    problem = words()
    X = problem.X.copy()
    X[::7, 1] = np.nan
    tree = DecisionTreeClassifier(random_state=0)
    ours, theirs = OneVsRest(tree).fit(X, problem.y), OneVsRestClassifier(tree).fit(X, problem.y)
    chances = np.column_stack([member.predict_proba(X)[:, 1] for member in theirs.estimators_])
    np.testing.assert_array_equal(ours.decision_function(X), chances - 0.5)
