"""Columns whose mean is much larger than their deviation.

Rows are multiples of 2^-12 below 8 and are moved by whole numbers near 2^20 (and by -3e5 and the like), which float64
does without rounding: the moved rows are the exact twins of the others, so every digit in which their models differ is
one that the mean has cost. Six are allowed: a class mean near 1e6 is rounded to 2^20 EPS of a deviation.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numerics import exact

from discriminant import FisherDiscriminant, GaussianDiscriminant, LeastSquaresClassifier

FISHERS = {
    "no shrinkage": FisherDiscriminant(),
    "one component": FisherDiscriminant(n_components=1),
    "midpoint": FisherDiscriminant(rule="midpoint"),
    "shrinkage 0.3": FisherDiscriminant(shrinkage=0.3),
    "oas": FisherDiscriminant(shrinkage="oas"),
    "ledoit-wolf": FisherDiscriminant(shrinkage="ledoit-wolf"),
    "auto": FisherDiscriminant(shrinkage="auto"),
    "loo": FisherDiscriminant(shrinkage="loo"),
}
SQUARES = {
    "one-of-k": LeastSquaresClassifier(),
    "ridge": LeastSquaresClassifier(alpha=2.5),
    "loo": LeastSquaresClassifier(alpha=[0.1, 1.0, 10.0]),
}
LINEAR = {f"Fisher, {name}": model for name, model in FISHERS.items()}
LINEAR |= {f"least squares, {name}": model for name, model in SQUARES.items()}

EPS = np.finfo(float).eps
SIX_DIGITS = 2**20 * EPS


def twins(n=120, d=4, classes=3, *, seed=0, bits=12, move=2**20):
    """Rows around zero, the same rows moved, the move, and labels."""
    rng = np.random.default_rng([seed, n, d])
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d)) @ (rng.normal(size=(d, d)) / d + np.eye(d))
    X = np.round(X * 2.0**bits) / 2.0**bits
    shift = rng.choice([move, -move, move // 3, 3 * (move // 4)], d).astype(float)
    moved = X + shift
    assert np.array_equal(moved - shift, X)
    return X, moved, shift, y


def share(found, wanted):
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def fitted(model, X, y, **given):
    return type(model)(**model.get_params()).fit(X, y, **given)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n, d", [(120, 4), (20, 30)])
@pytest.mark.parametrize("name", LINEAR)
def test_moving_the_rows_moves_nothing_else(name, n, d, weighted, count_cases):
    """With more columns than rows the condition, in the tens, counts as well."""
    for seed in range(4):
        X, moved, _, y = twins(n, d, seed=seed)
        weights = np.random.default_rng(seed).integers(1, 4, n).astype(float) if weighted else None
        here = fitted(LINEAR[name], X, y, sample_weight=weights)
        there = fitted(LINEAR[name], moved, y, sample_weight=weights)
        assert share(there.coef_, here.coef_) <= SIX_DIGITS * (1 if n > d else 16)
        assert share(there.decision_function(moved), here.decision_function(X)) <= SIX_DIGITS
        assert here.result_.stats["rank"] == there.result_.stats["rank"]
        if "loo" in name:
            assert np.allclose(here.path_["score"], there.path_["score"], rtol=0, atol=1e-12, equal_nan=True)
        count_cases("scale: mean 1e6 times the deviation")


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_squares_against_rational_arithmetic(fit_intercept, count_cases):
    """Without an intercept the mean matters, and columns far from zero nearly depend on each other."""
    for seed in range(4):
        _, moved, _, y = twins(40, seed=seed)
        model = LeastSquaresClassifier(fit_intercept=fit_intercept).fit(moved, y)
        coef, intercept = exact.least_squares(moved, np.eye(3)[y], constant=fit_intercept).arrays()
        assert share(model.coef_, coef.T) <= SIX_DIGITS
        assert share(model.intercept_, intercept) <= SIX_DIGITS if fit_intercept else not model.intercept_.any()
        count_cases("scale: mean 1e6 times the deviation")


@pytest.mark.parametrize("columns", [2, 5])
def test_least_squares_of_rounded_rows(columns, count_cases):
    """Rows that are not multiples of anything: rounded once when they are moved, they are what they are."""
    rng = np.random.default_rng(columns)
    X = rng.normal(size=(50, columns)) + 1e6 * rng.normal(size=columns)
    y = np.arange(50) % 3
    model = LeastSquaresClassifier().fit(X, y)
    coef, intercept = exact.least_squares(X, np.eye(3)[y]).arrays()
    assert share(model.coef_, coef.T) <= 2 * SIX_DIGITS
    assert share(model.intercept_, intercept) <= 2 * SIX_DIGITS
    count_cases("scale: mean 1e6 times the deviation")


@pytest.mark.parametrize("covariance", ["shared", "full", "diagonal", "spherical"])
def test_gaussian_classes(covariance, count_cases):
    X, moved, _, y = twins()
    here = GaussianDiscriminant(covariance=covariance).fit(X, y)
    there = GaussianDiscriminant(covariance=covariance).fit(moved, y)
    assert share(there.predict_log_proba(moved), here.predict_log_proba(X)) <= 4 * SIX_DIGITS
    assert share(there.log_density(moved), here.log_density(X)) <= 4 * SIX_DIGITS
    count_cases("scale: mean 1e6 times the deviation")


def test_partial_fit_of_moved_rows(count_cases):
    X, moved, _, y = twins()
    here = FisherDiscriminant().fit(X, y)
    there = FisherDiscriminant()
    for part in np.array_split(np.argsort(y, kind="stable"), 7):
        there.partial_fit(moved[part], y[part])
    assert share(there.coef_, here.coef_) <= SIX_DIGITS
    count_cases("scale: mean 1e6 times the deviation")


def test_a_first_batch_that_lies_elsewhere(count_cases):
    """The origin is taken from rows that are not like the others."""
    X, moved, _, y = twins(300)
    X[:30] -= 512.0
    moved[:30] -= 512.0
    here, there = FisherDiscriminant().fit(X, y), FisherDiscriminant()
    there.partial_fit(moved[:30], y[:30]).partial_fit(moved[30:], y[30:])
    assert share(there.coef_, here.coef_) <= 4 * SIX_DIGITS
    count_cases("scale: mean 1e6 times the deviation")


def test_full_sparse_rows(count_cases):
    X, moved, _, y = twins()
    here, there = FisherDiscriminant().fit(X, y), FisherDiscriminant().fit(sp.csr_array(moved), y)
    assert share(there.coef_, here.coef_) <= SIX_DIGITS
    count_cases("scale: mean 1e6 times the deviation")


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**40), st.integers(0, 10**6), st.sampled_from(["Fisher, no shrinkage", "least squares, ridge",
                                                                      "least squares, one-of-k", "Fisher, oas"]))
def test_any_whole_move(move, seed, name):
    """Up to 2^40 and 12 bits behind the point every cell is exact: class means lose what the move's bits take."""
    X, moved, _, y = twins(60, 3, seed=seed, move=move)
    here, there = fitted(LINEAR[name], X, y), fitted(LINEAR[name], moved, y)
    assert share(there.coef_, here.coef_) <= 1e-12 + 16 * EPS * move


# float32


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("move, bits", [(0, 12), (2**8, 12), (2**14, 6), (2**19, 3)])
def test_float32_rows(name, move, bits, count_cases):
    """Moved without rounding in float32: the moved rows' model has the digits of the others."""
    X, moved, _, y = twins(400, bits=bits, move=move)
    rows = moved.astype(np.float32)
    assert np.array_equal(rows, moved)
    here, there = fitted(LINEAR[name], X, y), fitted(LINEAR[name], rows, y)
    assert share(there.coef_, here.coef_) <= 2e-5
    assert (there.predict(rows) == here.predict(X)).mean() >= 0.99
    count_cases("scale: mean much larger than the deviation, float32")


def test_float32_rows_rounded_where_they_lie(count_cases):
    """A mean of 1e5 deviations: a cell's rounding is some thousandths of a deviation, and so is the model's."""
    rng = np.random.default_rng(3)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 3)) + 1.5 * y[:, None]
    rows = (X + 1e5).astype(np.float32)
    for model in (FisherDiscriminant(), LeastSquaresClassifier()):
        here, there = fitted(model, X, y), fitted(model, rows, y)
        same = fitted(model, rows.astype(np.float64), y)
        assert share(there.coef_, same.coef_) <= 1e-5
        assert share(there.coef_, here.coef_) <= 1e-2
        assert there.score(rows, y) >= here.score(X, y) - 0.01
        count_cases("scale: mean much larger than the deviation, float32")


def test_float32_cells_that_no_longer_tell_rows_apart(count_cases):
    """A mean of 1e9 deviations: in float32 the column is one number, and no more is made of it."""
    rng = np.random.default_rng(4)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 2)) + y[:, None]
    rows = np.c_[X[:, 0] + 1e9, X[:, 1]].astype(np.float32)
    assert len(np.unique(rows[:, 0])) == 1
    for model in (FisherDiscriminant(), LeastSquaresClassifier()):
        found = fitted(model, rows, y)
        alone = fitted(model, rows[:, 1:], y)
        assert not found.coef_[:, 0].any()
        assert share(found.coef_[:, 1:], alone.coef_) <= 1e-5
        count_cases("scale: mean much larger than the deviation, float32")
