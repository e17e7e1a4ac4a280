"""Fisher's discriminant against scikit-learn's solvers, and with more columns than rows against explicit matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discriminant import FisherDiscriminant

# scikit-learn's svd solver divides the scatter within classes by n since 1.9, by n - K before.
DIVIDES_BY_N = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


def classes_of_rows(seed, *, most_columns=15, rows=(40, 300)):
    """Rows of 2 to 6 Gaussian classes with a crooked common covariance of moderate condition, away from zero."""
    rng = np.random.default_rng(seed)
    classes, d, n = int(rng.integers(2, 7)), int(rng.integers(1, most_columns)), int(rng.integers(*rows))
    y = rng.permutation(np.arange(n) % classes)
    means = 2 * rng.normal(size=(classes, d)) + 10 * rng.normal(size=d)
    X = means[y] + rng.normal(size=(n, d)) @ (rng.normal(size=(d, d)) + 2 * np.eye(d))
    return X, y, rng


def share(found, wanted):
    """The largest difference as a share of the largest entry."""
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def without_common_part(coef):
    """Functions less their mean: what is common to all decides nothing."""
    return coef if len(coef) == 1 else coef - coef.mean(axis=0)


# Well-conditioned rows


@pytest.mark.parametrize("seed", range(80))
def test_svd_solver(seed, count_cases):
    """Coefficients and intercepts to 1e-8; every second set with weights (scikit-learn gets repetitions), every third
    with priors."""
    X, y, rng = classes_of_rows(seed)
    n, classes = len(X), y.max() + 1
    weights = rng.integers(1, 4, n) if seed % 2 else np.ones(n, int)
    priors = rng.dirichlet(np.full(classes, 5.0)) if seed % 3 == 0 else None
    ours = FisherDiscriminant(priors=priors).fit(X, y, sample_weight=weights if seed % 2 else None)
    theirs = LinearDiscriminantAnalysis(priors=priors).fit(X.repeat(weights, axis=0), y.repeat(weights))
    total = weights.sum()
    scale = 1.0 if DIVIDES_BY_N else total / (total - classes)
    assert share(ours.coef_, scale * theirs.coef_) <= 1e-8
    if DIVIDES_BY_N:
        assert share(ours.intercept_, theirs.intercept_) <= 1e-8
    assert share(ours.priors_, theirs.priors_) <= 1e-14
    assert share(ours.means_, theirs.means_) <= 1e-13
    ratios = theirs.explained_variance_ratio_
    assert ours.explained_variance_ratio_ == pytest.approx(ratios[: len(ours.explained_variance_ratio_)], abs=1e-8)
    count_cases("numerics: Fisher against scikit-learn")


@pytest.mark.parametrize("seed", range(20))
def test_directions_of_the_svd_solver(seed, count_cases):
    X, y, _ = classes_of_rows(seed)
    ours = FisherDiscriminant().fit(X, y)
    theirs = LinearDiscriminantAnalysis().fit(X, y)
    wanted = theirs.transform(X)[:, : ours.scalings_.shape[1]] * (1 if DIVIDES_BY_N else
                                                                  np.sqrt(len(X) / (len(X) - y.max() - 1)))
    found = ours.transform(X)
    signs = np.sign((found * wanted).sum(axis=0))
    ratios = theirs.explained_variance_ratio_
    apart = np.abs(ratios[:, None] - ratios) + np.eye(len(ratios))
    clear = (apart.min(axis=1) > 1e-3)[: found.shape[1]]  # others turn by more than the rounding
    assert share(found[:, clear] * signs[clear], wanted[:, clear]) <= 1e-8
    count_cases("numerics: Fisher against scikit-learn")


@pytest.mark.parametrize("shrinkage", [0.0, 0.1, 0.5, 1.0, "auto"])
@pytest.mark.parametrize("seed", range(15))
def test_lsqr_solver(seed, shrinkage, count_cases):
    """lsqr leaves its functions uncentred, so differences between classes are compared. With "auto" priors weigh the
    covariances of the classes in scikit-learn and here alike."""
    X, y, rng = classes_of_rows(seed, most_columns=30)
    priors = rng.dirichlet(np.full(y.max() + 1, 5.0)) if shrinkage == "auto" and seed % 2 else None
    ours = FisherDiscriminant(shrinkage=shrinkage, priors=priors).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage, priors=priors).fit(X, y)
    assert share(without_common_part(ours.coef_), without_common_part(theirs.coef_)) <= 1e-8
    scores, wanted = ours.decision_function(X), theirs.decision_function(X)
    if scores.ndim == 2:
        scores, wanted = (S - S.mean(axis=1, keepdims=True) for S in (scores, wanted))
    assert share(scores, wanted) <= 1e-8
    count_cases("numerics: Fisher against scikit-learn")


@pytest.mark.parametrize("seed", range(10))
def test_weights_under_shrinkage_are_repetitions(seed, count_cases):
    X, y, rng = classes_of_rows(seed)
    weights = rng.integers(0, 4, len(X))
    weights[: 2 * (y.max() + 1)] = 1
    X, y, weights = X[np.argsort(y)], np.sort(y), weights[np.argsort(y)]
    weights[np.unique(y, return_index=True)[1]] = 2
    for shrinkage in (0.3, "auto", "oas", "ledoit-wolf"):
        weighted = FisherDiscriminant(shrinkage=shrinkage).fit(X, y, sample_weight=weights)
        repeated = FisherDiscriminant(shrinkage=shrinkage).fit(X.repeat(weights, axis=0), y.repeat(weights))
        assert share(weighted.coef_, repeated.coef_) <= 1e-11
        if shrinkage in (0.3, "auto"):
            theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
            theirs.fit(X.repeat(weights, axis=0), y.repeat(weights))
            assert share(without_common_part(weighted.coef_), without_common_part(theirs.coef_)) <= 1e-8
        count_cases("numerics: Fisher against scikit-learn")


@pytest.mark.parametrize("seed", range(10))
def test_columns_of_any_scale(seed, count_cases):
    """scikit-learn's svd solver standardises too, so units a million times apart leave both alone."""
    X, y, rng = classes_of_rows(seed)
    scales = 10.0 ** rng.uniform(-6, 6, X.shape[1])
    ours = FisherDiscriminant().fit(X * scales, y).coef_ * scales
    theirs = LinearDiscriminantAnalysis().fit(X, y)
    factor = 1.0 if DIVIDES_BY_N else len(X) / (len(X) - y.max() - 1)
    assert share(ours, factor * theirs.coef_) <= 1e-8
    count_cases("numerics: Fisher against scikit-learn")


@pytest.mark.parametrize("seed", range(10))
def test_float32_rows(seed, count_cases):
    """The scatter is summed in float32 within a block of rows, so six digits are what there is."""
    X, y, _ = classes_of_rows(seed)
    X = X.astype(np.float32)
    theirs = LinearDiscriminantAnalysis().fit(X.astype(np.float64), y)
    factor = 1.0 if DIVIDES_BY_N else len(X) / (len(X) - y.max() - 1)
    ours = FisherDiscriminant().fit(X, y)
    assert share(ours.coef_, factor * theirs.coef_) <= 1e-6 * ours.result_.stats["condition"]
    count_cases("numerics: Fisher against scikit-learn")


@pytest.mark.parametrize("seed", range(10))
def test_sparse_rows(seed, count_cases):
    X, y, rng = classes_of_rows(seed, most_columns=10, rows=(200, 400))
    X[rng.random(X.shape) < 0.95] = 0.0
    dense, sparse = FisherDiscriminant().fit(X, y), FisherDiscriminant().fit(sp.csr_array(X), y)
    assert share(sparse.coef_, dense.coef_) <= 1e-10
    assert share(sparse.intercept_, dense.intercept_) <= 1e-10
    count_cases("numerics: Fisher against scikit-learn")


# More columns than rows


def explicit(X, y, weights, priors):
    """Functions (K, d) and (K,) through the pseudo-inverse of the covariance of columns standardised within classes."""
    codes = np.unique(y, return_inverse=True)[1]
    N = np.bincount(codes, weights)
    means = np.stack([np.average(X[codes == k], axis=0, weights=weights[codes == k]) for k in range(len(N))])
    Z = X - means[codes]
    deviation = np.sqrt(weights @ Z**2 / weights.sum())
    A = np.sqrt(weights / weights.sum())[:, None] * (Z / deviation)
    P = np.linalg.pinv(A, rcond=1e-9)
    offset = means - priors @ means
    coef = offset / deviation @ P @ P.T / deviation
    constant = -0.5 * (coef * offset).sum(axis=1) - coef @ (priors @ means) + np.log(priors)
    return coef, constant


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_more_columns_than_rows(seed, weighted, count_cases):
    rng = np.random.default_rng([seed, 1])
    classes, n, d = int(rng.integers(2, 5)), int(rng.integers(12, 30)), int(rng.integers(31, 90))
    y = np.arange(n) % classes
    X = rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d))
    X = X * 10.0 ** rng.uniform(-3, 3, d) + rng.normal(size=d)
    weights = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    priors = rng.dirichlet(np.full(classes, 5.0)) if seed % 2 else np.bincount(y, weights) / weights.sum()
    ours = FisherDiscriminant(priors=priors if seed % 2 else None)
    ours.fit(X, y, sample_weight=weights if weighted else None)
    coef, constant = explicit(X, y, weights, priors)
    if classes == 2:
        coef, constant = coef[1:] - coef[:1], constant[1:] - constant[:1]
    scale = X.std(axis=0)  # columns differ in scale, so coefficients are compared in deviations
    assert share(ours.coef_ * scale, coef * scale) <= 1e-9
    assert share(ours.intercept_, constant) <= 1e-9
    assert ours.result_.stats["rank"] == n - classes
    count_cases("numerics: Fisher with more columns than rows")


@pytest.mark.parametrize("seed", range(10))
def test_shrinkage_with_more_columns_than_rows(seed, count_cases):
    """Here the shrunk matrix has an inverse, which scikit-learn's lsqr forms in full."""
    rng = np.random.default_rng([seed, 2])
    classes, n, d = int(rng.integers(2, 5)), 24, 60
    y = np.arange(n) % classes
    X = rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d))
    for shrinkage in (0.05, 0.5, "auto"):
        ours = FisherDiscriminant(shrinkage=shrinkage).fit(X, y)
        theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
        assert share(without_common_part(ours.coef_), without_common_part(theirs.coef_)) <= 1e-8
        sparse = FisherDiscriminant(shrinkage=shrinkage).fit(sp.csr_array(X), y)
        assert share(sparse.coef_, ours.coef_) <= 1e-8
        count_cases("numerics: Fisher with more columns than rows")
