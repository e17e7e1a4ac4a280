"""Overlapping classes: the covariance, the distances and the error that the docstring states."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discriminant import datasets

MANY = 200_000


def means_and_covariance(X, y):
    means = np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])
    return means, np.cov((X - means[y]).T)


@pytest.mark.parametrize(("n_classes", "d"), [(2, 2), (3, 2), (5, 4)])
def test_neighbouring_means_are_the_separation_apart(n_classes, d):
    X, y = datasets.overlapping(MANY, d, n_classes=n_classes, separation=1.5, random_state=3)
    means, covariance = means_and_covariance(X, y)
    steps = np.roll(means, -1, axis=0) - means
    squared = np.einsum("ki,ki->k", steps, np.linalg.solve(covariance, steps.T).T)
    np.testing.assert_allclose(np.sqrt(squared), 1.5, atol=0.03)


def test_every_class_has_the_one_covariance():
    X, y = datasets.overlapping(MANY, 3, random_state=1)
    for k in (0, 1):
        np.testing.assert_allclose(np.linalg.eigvalsh(np.cov(X[y == k].T)), [1, 1, 9], rtol=0.03)
    np.testing.assert_allclose(np.cov(X[y == 0].T), np.cov(X[y == 1].T), atol=0.15)


@pytest.mark.parametrize("separation", [1.0, 2.0, 4.0])
def test_error_of_the_best_rule_and_of_the_line_between_the_means(separation):
    X, y = datasets.overlapping(MANY, 4, separation=separation, random_state=2)
    means, _ = means_and_covariance(X, y)
    w = means[1] - means[0]
    between_means = (X - means.mean(axis=0)) @ w > 0
    assert 1 - LinearDiscriminantAnalysis().fit(X, y).score(X, y) == pytest.approx(norm.cdf(-separation / 2), abs=4e-3)
    assert np.mean(between_means != y) == pytest.approx(norm.cdf(-5 / np.sqrt(41) * separation / 2), abs=4e-3)


def test_one_column():
    X, y = datasets.overlapping(MANY, 1, random_state=4)
    threshold = (X[y == 0].mean() + X[y == 1].mean()) / 2
    error = np.mean((X[:, 0] > threshold) != y)
    assert min(error, 1 - error) == pytest.approx(norm.cdf(-1), abs=4e-3)


def test_shapes_types_and_even_classes():
    X, y = datasets.overlapping(20, 6, n_classes=3, random_state=0)
    assert X.shape == (20, 6)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert sorted(np.bincount(y)) == [6, 7, 7]


@pytest.mark.parametrize(("given", "named"), [
    ({"n": 1}, "n must be a whole number >= 2; got 1"),
    ({"d": "two"}, "d must be a whole number >= 1; got 'two'"),
    ({"d": 1, "n_classes": 4}, "d must be a whole number >= 2; got 1"),
    ({"n_classes": True}, "n_classes must be a whole number >= 2; got True"),
    ({"separation": -1.0}, "separation must be a finite number >= 0; got -1.0"),
])
def test_bad_arguments_are_named(given, named):
    with pytest.raises(ValueError, match=f"overlapping: {named}"):
        datasets.overlapping(**{"n": 10, "d": 2, **given})
