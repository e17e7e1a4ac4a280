"""Separable classes: the margin is recomputed by an optimiser that knows nothing of the construction."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from discriminant import datasets


def largest_margin(A, B):
    """Half the distance between the convex hulls of the rows of A and of B, from the hard-margin problem itself."""
    X, t = np.vstack([A, B]), np.r_[np.ones(len(A)), -np.ones(len(B))]
    rows = t[:, None] * np.column_stack([X - X.mean(axis=0), np.ones(len(X))])
    start = linprog(np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(rows)), bounds=(None, None))
    assert start.status == 0
    found = minimize(lambda v: v[:-1] @ v[:-1] / 2, start.x, jac=lambda v: np.r_[v[:-1], 0.0], method="SLSQP",
                     constraints={"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows},
                     options={"ftol": 1e-14, "maxiter": 1000})
    assert found.success
    return 1 / np.linalg.norm(found.x[:-1])


@pytest.mark.parametrize(("n", "d", "margin"), [(2, 1, 1.0), (30, 1, 0.25), (40, 2, 0.5), (41, 3, 2.0), (60, 5, 0.1)])
def test_two_classes_have_exactly_the_margin(n, d, margin):
    X, y = datasets.separable(n, d, margin, random_state=n)
    assert largest_margin(X[y == 1], X[y == 0]) == pytest.approx(margin, rel=1e-6)


@pytest.mark.parametrize(("n_classes", "d"), [(3, 2), (4, 3), (6, 2)])
def test_each_pair_of_classes_has_at_least_the_margin_and_the_closest_has_it(n_classes, d):
    X, y = datasets.separable(12 * n_classes, d, 0.4, n_classes=n_classes, random_state=5)
    margins = [largest_margin(X[y == k], X[y == j]) for k, j in combinations(range(n_classes), 2)]
    assert min(margins) == pytest.approx(0.4, rel=1e-6)


@settings(deadline=None)
@given(n=st.integers(2, 80), d=st.integers(1, 30), margin=st.floats(1e-3, 1e3), seed=st.integers(0, 2**32))
def test_the_separator_of_two_classes_attains_the_margin_on_both_sides(n, d, margin, seed):
    X, y, (w, b) = datasets.separable(n, d, margin, random_state=seed, return_separator=True)
    distance = X @ w + b
    assert w.shape == (d,)
    assert np.linalg.norm(w) == pytest.approx(1)
    assert distance[y == 1].min() == pytest.approx(margin, rel=1e-9)
    assert distance[y == 0].max() == pytest.approx(-margin, rel=1e-9)


@settings(deadline=None)
@given(n_classes=st.integers(3, 9), d=st.integers(2, 12), margin=st.floats(1e-2, 1e2), seed=st.integers(0, 2**32))
def test_the_separator_of_many_classes_keeps_every_row_its_distance(n_classes, d, margin, seed):
    X, y, (w, b) = datasets.separable(50, d, margin, n_classes=n_classes, random_state=seed, return_separator=True)
    scores = X @ w.T + b
    assert w.shape == (n_classes, d)
    assert b.shape == (n_classes,)
    for k, j in combinations(range(n_classes), 2):
        length = np.linalg.norm(w[k] - w[j])
        for row_class, sign in ((k, 1), (j, -1)):
            distance = sign * (scores[:, k] - scores[:, j])[y == row_class] / length
            assert distance.min() >= margin * (1 - 1e-9)
    assert np.linalg.norm(w[1] - w[0]) == pytest.approx(1)


def test_three_classes_need_more_than_one_against_the_rest():
    X, y = datasets.separable(400, 4, 0.2, n_classes=3, random_state=0)
    rows = np.column_stack([X, np.ones(len(X))])
    for k in range(3):
        signed = np.where(y == k, 1, -1)[:, None] * rows
        assert linprog(np.zeros(5), A_ub=-signed, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 2


def test_shapes_types_and_even_classes():
    X, y = datasets.separable(101, 4, 1.0, n_classes=3, random_state=0)
    assert X.shape == (101, 4)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert sorted(np.bincount(y)) == [33, 34, 34]
    assert (np.diff(y) != 0).any()
    assert (np.diff(y) < 0).sum() > 10


@pytest.mark.parametrize(("given", "named"), [
    ({"n": 1}, "n must be a whole number >= 2; got 1"),
    ({"n": 2, "n_classes": 3}, "n must be a whole number >= 3; got 2"),
    ({"d": 0}, "d must be a whole number >= 1; got 0"),
    ({"d": 1, "n_classes": 3}, "d must be a whole number >= 2; got 1"),
    ({"d": 2.0}, "d must be a whole number >= 1; got 2.0"),
    ({"margin": 0}, "margin must be a finite number > 0; got 0"),
    ({"margin": float("inf")}, "margin must be a finite number > 0; got inf"),
    ({"n_classes": 1}, "n_classes must be a whole number >= 2; got 1"),
    ({"return_separator": "yes"}, "return_separator must be True, False; got 'yes'"),
])
def test_bad_arguments_are_named(given, named):
    with pytest.raises(ValueError, match=f"separable: {named}"):
        datasets.separable(**{"n": 10, "d": 2, "margin": 1.0, **given})
