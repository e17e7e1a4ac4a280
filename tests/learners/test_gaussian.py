"""The generative model against scikit-learn, SciPy and plain formulas; what it refuses, and how it says so."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf, oas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import discriminant as dc
from discriminant.errors import DegenerateError

KINDS = ("shared", "full", "diagonal", "spherical")


def classes_of_their_own(n=240, d=4, K=3, seed=0):
    """Gaussian classes that differ in mean and covariance, unequal in number."""
    random = np.random.default_rng([n, d, K, seed])
    y = np.sort(random.choice(K, n, p=np.arange(1, K + 1) / np.arange(1, K + 1).sum()))
    random.shuffle(y)
    turn, mean = random.normal(size=(K, d, d)) + np.eye(d), 2 * random.normal(size=(K, d))
    X = np.einsum("nij,nj->ni", turn[y], random.normal(size=(n, d))) + mean[y]
    return X, y


def matrices(model):
    """The covariance of every class as a matrix (K, d, d), from the public attribute."""
    K, d = model.means_.shape
    given = model.covariance_
    if model.covariance == "shared":
        return np.stack([given] * K)
    if model.covariance == "full":
        return given
    return np.stack([np.eye(d) * given[k] for k in range(K)])


def densities(model, X):
    """log p(x | C_k) by SciPy, from the public attributes."""
    pairs = zip(model.means_, matrices(model), strict=True)
    return np.stack([multivariate_normal(m, S).logpdf(X) for m, S in pairs], axis=1)


def maximum_likelihood(X, y, kind, w=None):
    """(K, d, d) by the plain formulas."""
    w = np.ones(len(y)) if w is None else w
    weight = np.bincount(y, w)
    means = np.stack([w[y == k] @ X[y == k] / weight[k] for k in range(len(weight))])
    Z = X - means[y]
    scatter = np.stack([(Z[y == k].T * w[y == k]) @ Z[y == k] for k in range(len(weight))])
    if kind == "shared":
        return np.stack([scatter.sum(axis=0) / w.sum()] * len(weight))
    S = scatter / weight[:, None, None]
    if kind == "full":
        return S
    variance = np.diagonal(S, axis1=1, axis2=2)
    variance = variance if kind == "diagonal" else np.broadcast_to(variance.mean(axis=1, keepdims=True), variance.shape)
    return variance[:, :, None] * np.eye(X.shape[1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 7, 20])
def test_covariances_densities_and_posteriors(kind, d):
    X, y = classes_of_their_own(400, d)
    w = np.random.default_rng(d).uniform(0.5, 3, len(y))
    model = dc.GaussianDiscriminant(covariance=kind).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(matrices(model), maximum_likelihood(X, y, kind, w), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.priors_, np.bincount(y, w) / w.sum(), rtol=1e-12)
    expected = densities(model, X)
    joint = expected + np.log(model.priors_)
    np.testing.assert_allclose(model.log_density(X, by_class=True), expected, rtol=1e-9)
    np.testing.assert_allclose(model.log_density(X), logsumexp(joint, axis=1), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), softmax(joint, axis=1), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), joint.argmax(axis=1))
    if kind != "shared":
        np.testing.assert_allclose(model.decision_function(X), joint, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_two_classes_have_one_score_positive_for_the_second(kind):
    X, y = classes_of_their_own(K=2)
    model = dc.GaussianDiscriminant(covariance=kind).fit(X, np.array(["no", "yes"])[y])
    score = model.decision_function(X)
    joint = densities(model, X) + np.log(model.priors_)
    np.testing.assert_allclose(score, joint[:, 1] - joint[:, 0], rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), np.where(score > 0, "yes", "no"))


@pytest.mark.parametrize("K", [2, 3])
def test_shared_is_fisher_and_linear_discriminant_analysis(K):
    X, y = classes_of_their_own(K=K)
    for shrinkage in (None, 0.2, "oas", "ledoit-wolf", "auto", "loo", [0.0, 0.1]):
        model, fisher = (learner(shrinkage=shrinkage).fit(X, y) for learner in
                         (dc.GaussianDiscriminant, dc.FisherDiscriminant))
        np.testing.assert_array_equal(model.coef_, fisher.coef_)
        np.testing.assert_array_equal(model.intercept_, fisher.intercept_)
        assert model.shrinkage_ == fisher.shrinkage_
    model, peer = dc.GaussianDiscriminant().fit(X, y), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    found, wanted = (np.diff(each.coef_, axis=0) if K > 2 else each.coef_ for each in (model, peer))
    np.testing.assert_allclose(found, wanted, rtol=1e-8)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-8, atol=1e-12)


def test_full_is_quadratic_discriminant_analysis():
    X, y = classes_of_their_own()
    model = dc.GaussianDiscriminant(covariance="full", priors=[0.2, 0.3, 0.5]).fit(X, y)
    peer = QuadraticDiscriminantAnalysis(priors=[0.2, 0.3, 0.5], store_covariance=True).fit(X, y)
    for k, n in enumerate(np.bincount(y)):  # up to scikit-learn 1.7 these are divided by n - 1
        ratio = peer.covariance_[k] / model.covariance_[k]
        assert np.ptp(ratio) < 1e-9
        assert np.isclose(ratio.mean(), [1, n / (n - 1)], rtol=1e-9).any()
    if np.allclose(peer.covariance_, model.covariance_, rtol=1e-9):
        constant = X.shape[1] / 2 * np.log(2 * np.pi)
        np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X) - constant, rtol=1e-9)
        np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def test_diagonal_is_gaussian_naive_bayes():
    X, y = classes_of_their_own()
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = dc.GaussianDiscriminant(covariance="diagonal").fit(X, y, w)
    peer = GaussianNB(var_smoothing=0).fit(X, y, w)
    np.testing.assert_allclose(model.covariance_, peer.var_, rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), peer.predict_joint_log_proba(X), rtol=1e-11)


def test_shrinkage_of_each_class():
    X, y = classes_of_their_own()
    for rule, estimate in (("oas", oas), ("ledoit-wolf", ledoit_wolf)):
        model = dc.GaussianDiscriminant(covariance="full", shrinkage=rule).fit(X, y)
        for k in range(3):
            S, gamma = estimate(X[y == k])
            np.testing.assert_allclose(model.covariance_[k], S, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(model.shrinkage_[k], gamma, rtol=1e-9)
    for kind in ("full", "diagonal"):
        S = maximum_likelihood(X, y, kind)
        shrunk = 0.7 * S + 0.3 * np.trace(S, axis1=1, axis2=2)[:, None, None] / 4 * np.eye(4)
        model = dc.GaussianDiscriminant(covariance=kind, shrinkage=0.3).fit(X, y)
        np.testing.assert_allclose(matrices(model), shrunk, rtol=1e-10)
        np.testing.assert_allclose(model.log_density(X, by_class=True), densities(model, X), rtol=1e-9)


@pytest.mark.parametrize("rows", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shrinkage", [0.3, 1.0, "oas", "loo"])
def test_more_columns_than_rows(rows, shrinkage):
    X, y = classes_of_their_own(30, 70)
    model = dc.GaussianDiscriminant(shrinkage=shrinkage).fit(rows(X), y)
    S = maximum_likelihood(X, y, "shared")[0]
    wanted = (1 - model.shrinkage_) * S + model.shrinkage_ * np.trace(S) / 70 * np.eye(70)
    np.testing.assert_allclose(model.covariance_, wanted, rtol=1e-9, atol=1e-9)
    elsewhere = np.vstack([X, 5 * np.random.default_rng(0).normal(size=(9, 70))])  # outside of the span of the rows
    found = model.log_density(rows(elsewhere), by_class=True)
    np.testing.assert_allclose(found, densities(model, elsewhere), rtol=1e-9)


@pytest.mark.parametrize(("kind", "numbers"), [("shared", 10), ("full", 30), ("diagonal", 12), ("spherical", 3)])
def test_parameters_are_counted(kind, numbers):
    X, y = classes_of_their_own(d=4, K=3)
    assert dc.GaussianDiscriminant(covariance=kind).fit(X, y).n_parameters_ == 2 + 3 * 4 + numbers


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_has_the_moments_of_the_model(kind):
    X, y = classes_of_their_own(n=90)
    model = dc.GaussianDiscriminant(covariance=kind).fit(X, np.array(["a", "b", "c"])[y])
    rows, labels = model.sample(200_000, random_state=1)
    again, _ = model.sample(200_000, random_state=1)
    np.testing.assert_array_equal(rows, again)
    np.testing.assert_allclose(np.unique(labels, return_counts=True)[1] / 200_000, model.priors_, atol=5e-3)
    assert len(np.unique(labels[:50])) == 3
    codes = np.searchsorted(model.classes_, labels)
    only_b, named_b = model.sample(20_000, random_state=1, label="b")
    assert set(named_b) == {"b"}
    np.testing.assert_allclose(only_b.mean(axis=0), model.means_[1], atol=0.1 * np.abs(only_b).max())
    for k, S in enumerate(matrices(model)):
        mine = rows[codes == k]
        size = np.sqrt(np.diagonal(S))
        np.testing.assert_allclose(mine.mean(axis=0) / size, model.means_[k] / size, atol=0.03)
        np.testing.assert_allclose(np.cov(mine.T) / size / size[:, None], S / size / size[:, None], atol=0.03)


def test_samples_of_a_singular_shared_covariance_stay_on_its_plane():
    X, y = classes_of_their_own()
    X = np.column_stack([X, X[:, 0] + X[:, 1], 10 * (y == 0) + 1.0])
    with pytest.warns(UserWarning, match="Column 5 of X is constant within each class"):
        model = dc.GaussianDiscriminant().fit(X, y)
    rows, labels = model.sample(500, random_state=0)
    np.testing.assert_allclose(rows[:, 4], rows[:, 0] + rows[:, 1], atol=1e-6)
    np.testing.assert_allclose(rows[:, 5], 10 * (labels == 0) + 1.0, atol=1e-12)
    assert model.score(X, y) > 0.5
    with pytest.raises(DegenerateError, match="spread in 4 of 6 directions only. Use shrinkage > 0"):
        model.log_density(X)
    wide = dc.GaussianDiscriminant().fit(X[:5], [0, 0, 0, 1, 1])
    assert wide.sample(7, random_state=0)[0].shape == (7, 6)


@pytest.mark.parametrize(("kind", "shrinkage"), [("shared", None), ("full", None), ("full", "oas"), ("full", 0.2),
                                                 ("full", "ledoit-wolf"), ("diagonal", 0.1), ("spherical", None)])
def test_weights_are_repetitions(kind, shrinkage):
    X, y = classes_of_their_own(80)
    w = np.random.default_rng(3).integers(0, 4, len(y))
    make = dc.GaussianDiscriminant(covariance=kind, shrinkage=shrinkage)
    weighted, repeated = (pickle.loads(pickle.dumps(make.fit(*given))) for given in
                          ((X, y, w), (np.repeat(X, w, axis=0), np.repeat(y, w))))
    np.testing.assert_allclose(weighted.covariance_, repeated.covariance_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-9, atol=1e-9)
