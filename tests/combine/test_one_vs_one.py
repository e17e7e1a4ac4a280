"""A vote of all pairs: scikit-learn's members, votes and winners, ties by the stated rule, ambiguous regions."""

import pickle
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from problems import blobs
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import discriminant as dc
from discriminant.combine import one_vs_one
from discriminant.combine.one_vs_one import OneVsOne
from discriminant.combine.unbeaten import BEATEN, Unbeaten
from discriminant.combine.votes import Pairs
from discriminant.errors import InputError, ParameterError
from discriminant.learners.linear import fill
from discriminant.places.choose import place_of

MEMBERS = [dc.LeastSquaresClassifier(), dc.LeastSquaresClassifier(alpha=0.5, targets="fisher"),
           dc.FisherDiscriminant(), dc.FisherDiscriminant(shrinkage=0.2), dc.GaussianDiscriminant(covariance="full"),
           RidgeClassifier(), LogisticRegression(), Perceptron(random_state=0), SVC(), SVC(kernel="linear"),
           make_pipeline(StandardScaler(), LogisticRegression()), FixedThresholdClassifier(SVC(), threshold=0.3)]
NAMES = ["ape", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibex", "jay"]


def words(n=300, d=4, K=5):
    return blobs(n, d, K, labels=NAMES[:K])


def probes(d=4, n=400):
    return np.random.default_rng(1).normal(size=(n, d)) * 2


def votes_by_hand(predictions, K):
    """(n, K) from what the members of the pairs (0, 1), (0, 2), ... predict, counted one by one."""
    votes = np.zeros((len(predictions[0]), K), int)
    for said, (i, j) in zip(predictions, combinations(range(K), 2), strict=True):
        for row, second in enumerate(said):
            votes[row, j if second else i] += 1
    return votes


@pytest.mark.parametrize("K", [2, 3, 5, 10])
@pytest.mark.parametrize("member", MEMBERS, ids=repr)
def test_it_agrees_with_scikit_learn(member, K):
    problem, rows = words(K=K), probes()
    ours = OneVsOne(member).fit(problem.X, problem.y)
    theirs = OneVsOneClassifier(member).fit(problem.X, problem.y)
    assert len(ours.estimators_) == len(theirs.estimators_) == len(ours.pairs_) == K * (K - 1) // 2
    said = [each.predict(rows) for each in theirs.estimators_]
    for mine, wanted in zip(ours.estimators_, said, strict=True):
        assert type(mine) is type(member) and mine.classes_.tolist() == [0, 1]
        np.testing.assert_array_equal(mine.predict(rows), wanted)
    np.testing.assert_array_equal(ours.claims(rows), np.column_stack(said) == 1)
    votes = votes_by_hand(said, K)
    np.testing.assert_array_equal(ours.votes(rows), votes)
    wanted = theirs.predict(rows)
    if K == 2:  # theirs takes the sign of votes and scores together, which is not the vote of a moved threshold
        wanted = np.where(said[0] == 1, "bee", "ape")
    np.testing.assert_array_equal(ours.predict(rows), wanted)
    best = votes.max(axis=1)
    np.testing.assert_array_equal(ours.ambiguous(rows), (votes == best[:, None]).sum(axis=1) > 1)
    if K > 2:
        np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), rtol=1e-8, atol=1e-9)
    else:
        score = ours.decision_function(rows)
        np.testing.assert_allclose(score, theirs.estimators_[0].decision_function(rows), rtol=1e-9, atol=1e-10)
        assert not ours.ambiguous(rows).any()


@pytest.mark.parametrize("member", [GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)], ids=repr)
def test_members_with_probabilities_only(member):
    """Votes are scikit-learn's. Ties are broken by p - 1/2: p itself favours the last classes."""
    problem, rows = words(), probes()
    ours = OneVsOne(member).fit(problem.X, problem.y)
    theirs = OneVsOneClassifier(member).fit(problem.X, problem.y)
    votes = votes_by_hand([each.predict(rows) for each in theirs.estimators_], 5)
    np.testing.assert_array_equal(ours.votes(rows), votes)
    sums = np.zeros((len(rows), 5))
    for each, (i, j) in zip(theirs.estimators_, combinations(range(5), 2), strict=True):
        chance = each.predict_proba(rows)[:, 1]
        sums[:, j] += chance - 0.5
        sums[:, i] -= chance - 0.5
    np.testing.assert_allclose(ours.decision_function(rows), votes + sums / (3 * np.abs(sums) + 3), rtol=1e-12)
    clear = ~ours.ambiguous(rows)
    np.testing.assert_array_equal(ours.predict(rows)[clear], theirs.predict(rows)[clear])


@pytest.mark.parametrize("separation", [0.1, 1.0])
@pytest.mark.parametrize("kind", [np.asarray, np.float32, np.asfortranarray, sp.csr_array, lambda X: np.round(9 * X)],
                         ids=["dense", "float32", "Fortran", "csr", "whole"])
def test_winners_found_early_are_those_of_the_full_count(kind, separation, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, 1500)
    X = kind(separation * rng.normal(size=(12, 6))[y] + rng.normal(size=(1500, 6)))
    model = OneVsOne(dc.LeastSquaresClassifier()).fit(X, y)
    found = model.predict(X)
    np.testing.assert_array_equal(found, model.decision_function(X).argmax(axis=1))
    monkeypatch.setattr(one_vs_one, "_ROWS_AT_A_TIME", 100)
    np.testing.assert_array_equal(model.predict(X), found)
    np.testing.assert_array_equal(np.r_[model.predict(X[:9]), model.predict(X[9:10])], found[:10])
    out = np.empty(len(y), np.int32)
    fill(place_of(X), Unbeaten(Pairs(12), model.coef_, model.intercept_, out))
    assert 0 < (out == BEATEN).mean() < 1  # so that both ways are taken


def test_scores_of_exactly_zero_vote_for_the_first_class_on_both_ways():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-1, 2, (2000, 5)).astype(float), rng.integers(0, 9, 2000)
    model = OneVsOne(dc.LeastSquaresClassifier()).fit(X, y)
    model.coef_, model.intercept_ = rng.integers(-1, 2, (36, 5)).astype(float), np.zeros(36)
    scores = X @ model.coef_.T
    assert (scores == 0).mean() > 0.2
    np.testing.assert_array_equal(model.claims(X), scores > 0)
    np.testing.assert_array_equal(model.votes(X), votes_by_hand((scores > 0).T, 9))
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_votes_leave_a_region_to_nobody():
    """Lectures, B2: between three classes each may win one pair."""
    X = np.array([[0, 0], [1, 0], [0, 1], [8, 0], [9, 0], [8, 3], [0, 8], [2, 9], [1, 8]], float)
    model = OneVsOne(dc.LeastSquaresClassifier()).fit(X, np.repeat(["a", "b", "c"], 3))
    grid = np.stack(np.meshgrid(np.linspace(-4, 12, 161), np.linspace(-4, 12, 161)), axis=-1).reshape(-1, 2)
    votes, ambiguous = model.votes(grid), model.ambiguous(grid)
    assert ambiguous.any()
    assert set(map(tuple, votes[ambiguous])) == {(1, 1, 1)}
    scores = np.abs(grid @ model.coef_.T + model.intercept_)
    assert scores[ambiguous].max() < scores.max() / 4  # a small triangle between the three boundaries
    signed = grid @ model.coef_.T + model.intercept_
    sums = np.column_stack([-signed[:, 0] - signed[:, 1], signed[:, 0] - signed[:, 2], signed[:, 1] + signed[:, 2]])
    np.testing.assert_array_equal(model.predict(grid)[ambiguous], model.classes_[sums.argmax(axis=1)][ambiguous])


def test_equal_votes_and_equal_sums_go_to_the_first_class():
    X = np.vstack([np.eye(3), np.eye(3)])
    model = OneVsOne(dc.LeastSquaresClassifier(fit_intercept=False)).fit(X, ["a", "b", "c"] * 2)
    zero = np.zeros((1, 3))  # every pair scores 0, and votes for its first class
    assert model.votes(zero).tolist() == [[2, 1, 0]] and model.predict(zero).tolist() == ["a"]
    assert not model.claims(zero).any()


@pytest.mark.parametrize("member", [dc.FisherDiscriminant(), SVC(), GaussianNB()], ids=repr)
def test_of_two_classes_there_is_one_pair(member):
    problem = words(K=2)
    model = OneVsOne(member).fit(problem.X, problem.y)
    score = model.decision_function(problem.probes)
    assert score.shape == (len(problem.probes),)
    np.testing.assert_array_equal(model.predict(problem.probes), np.where(score > 0, "bee", "ape"))
    np.testing.assert_array_equal(model.votes(problem.probes), np.column_stack([score <= 0, score > 0]))


@pytest.mark.parametrize("member", [dc.LeastSquaresClassifier(), dc.FisherDiscriminant(),
                                    dc.GaussianDiscriminant(covariance="full")], ids=repr)
def test_weights_are_repetitions(member):
    problem = words()
    w = np.random.default_rng(1).integers(0, 4, len(problem.y))
    weighted = OneVsOne(member).fit(problem.X, problem.y, sample_weight=w)
    repeated = OneVsOne(member).fit(np.repeat(problem.X, w, axis=0), np.repeat(problem.y, w))
    np.testing.assert_allclose(weighted.decision_function(probes()), repeated.decision_function(probes()), rtol=1e-8)


@pytest.mark.parametrize("member", [dc.LeastSquaresClassifier(alpha=1.0), dc.GaussianDiscriminant(covariance="full"),
                                    LogisticRegression(), SVC(), GaussianNB()], ids=repr)
def test_threads_copies_and_kinds_of_rows_change_nothing(member):
    problem, rows = words(), probes()
    model = OneVsOne(member).fit(problem.X, problem.y)
    wanted = model.decision_function(rows)
    threaded = OneVsOne(member, n_jobs=2).fit(problem.X, problem.y)
    for same in (threaded, clone(model).fit(problem.X, problem.y), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.decision_function(rows), wanted)
    if not isinstance(member, GaussianNB):
        sparse = OneVsOne(member).fit(sp.csr_array(problem.X), problem.y)
        np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(rows)), wanted, rtol=1e-3, atol=1e-3)


def test_members_are_reached_by_searches():
    problem = words()
    model = OneVsOne(dc.FisherDiscriminant())
    assert "estimator__shrinkage" in model.get_params()
    search = GridSearchCV(model, {"estimator__shrinkage": [None, 0.5, "oas"]}, cv=3, error_score="raise")
    assert search.fit(problem.X, problem.y).best_score_ > 0.5
    assert model.set_params(estimator__shrinkage=0.5).fit(problem.X, problem.y).estimators_[0].shrinkage_ == 0.5


def test_an_error_leaves_the_model_as_it_was_and_names_the_true_row():
    problem = words()
    for member in (SVC(), dc.LeastSquaresClassifier(), dc.LeastSquaresClassifier(class_weight="balanced")):
        model = OneVsOne(member).fit(problem.X, problem.y)
        wanted, bad = model.predict(problem.probes), problem.X.copy()
        bad[170, 2] = np.inf
        with pytest.raises(InputError, match=r"infinity \(row 170, column 2\)"):
            model.fit(bad, problem.y)
        np.testing.assert_array_equal(model.predict(problem.probes), wanted)
    with pytest.raises(ValueError, match="'C' parameter of SVC") as error:
        OneVsOne(SVC(C=-1.0)).fit(problem.X, problem.y)
    assert error.value.__notes__ == ["This came from the member for class 'bee' (1) against class 'ape' (0)."]


@pytest.mark.parametrize(("made", "message"), [
    ({"estimator": dc.LeastSquaresClassifier}, "estimator must be a classifier (an instance, not its class)"),
    ({"estimator": LinearRegression()}, "with decision_function or predict_proba; got LinearRegression()"),
    ({"estimator": SVC(), "n_jobs": 1.5}, "n_jobs must be None, a number of threads, or -1"),
])
def test_bad_parameters(made, message):
    problem = words()
    with pytest.raises(ParameterError) as error:
        OneVsOne(**made).fit(problem.X, problem.y)
    assert message in str(error.value) and "OneVsOne" in str(error.value)


def test_bad_rows_and_weights():
    problem = words()
    model = OneVsOne(dc.LeastSquaresClassifier())
    assert not hasattr(model, "predict_proba")
    with pytest.raises(ValueError, match="OneVsOne needs rows of at least two classes; y holds one class only: 'ape'"):
        model.fit(problem.X, np.repeat("ape", len(problem.y)))
    with pytest.raises(ValueError, match="All rows of class 'bee' have weight 0"):
        model.fit(problem.X, problem.y, sample_weight=(problem.y != "bee").astype(float))
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no sample_weight"):
        OneVsOne(KNeighborsClassifier()).fit(problem.X, problem.y, sample_weight=np.ones(len(problem.y)))
    for name in ("predict", "decision_function", "claims", "votes", "ambiguous"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(clone(model), name)(problem.X)
    model.fit(problem.X, problem.y)
    for name in ("predict", "decision_function", "claims", "votes", "ambiguous"):
        with pytest.raises(ValueError, match="3 features, but OneVsOne is expecting 4"):
            getattr(model, name)(problem.X[:, :3])
        with pytest.raises(InputError, match=r"NaN \(row 1, column 0\)"):
            getattr(model, name)(np.array([[0.0, 0, 0, 0], [np.nan, 0, 0, 0]]))
