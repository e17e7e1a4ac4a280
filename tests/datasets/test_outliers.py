"""Rows that are too correct: they hurt least squares, and neither logistic regression nor the margin."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC

from discriminant import datasets


def mistakes_of_least_squares(X, y):
    return int(((LinearRegression().fit(X, y).predict(X) > 0.5) != y).sum())


@pytest.mark.parametrize("d", [1, 2, 10])
@pytest.mark.parametrize("seed", range(3))
def test_least_squares_errs_where_logistic_regression_does_not(d, seed):
    X, y = datasets.outliers(200, d, random_state=seed)
    assert mistakes_of_least_squares(X, y) > 10
    assert LogisticRegression(max_iter=1000).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("nothing", [{"fraction": 0.0}, {"distance": 0.0}])
def test_without_outliers_least_squares_makes_no_mistake(nothing):
    X, y = datasets.outliers(200, 2, random_state=0, **nothing)
    assert mistakes_of_least_squares(X, y) == 0


def test_the_share_of_rows_that_lies_far_out():
    X, y = datasets.outliers(200, 3, fraction=0.1, distance=50.0, random_state=0)
    normal = SVC(C=1e6, kernel="linear").fit(X, y).coef_[0]
    along = X @ normal / np.linalg.norm(normal)
    far = along > np.median(along[y == 0]) + 40
    assert far.sum() == 20
    assert (y[far] == 1).all()


@pytest.mark.parametrize("n", [2, 3, 5, 40])
@pytest.mark.parametrize("fraction", [0.05, 0.49])
def test_the_margin_is_one_with_the_outliers_too(n, fraction):
    X, y = datasets.outliers(n, 2, fraction=fraction, random_state=n)
    machine = SVC(C=1e6, kernel="linear", tol=1e-8).fit(X, y)
    assert 1 / np.linalg.norm(machine.coef_) == pytest.approx(1, rel=1e-4)
    assert machine.score(X, y) == 1.0


@pytest.mark.parametrize(("given", "named"), [
    ({"n": 0}, "n must be a whole number >= 2; got 0"),
    ({"d": None}, "d must be a whole number >= 1; got None"),
    ({"fraction": 0.5}, "fraction must be a finite number >= 0 and < 0.5; got 0.5"),
    ({"distance": -3}, "distance must be a finite number >= 0; got -3"),
])
def test_bad_arguments_are_named(given, named):
    with pytest.raises(ValueError, match=f"outliers: {named}"):
        datasets.outliers(**{"n": 10, "d": 2, **given})
