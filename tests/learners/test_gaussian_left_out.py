"""Leave-one-out over shrinkages of a covariance for each class, against fitting without each row."""

import numpy as np
import pytest

import discriminant as dc
from discriminant.errors import DegenerateError, InputError
from discriminant.passes.left_out_full import LeftOutFullHits

GAMMAS = [0.0, 1e-3, 0.1, 0.6, 1.0]


def problem(n, d, K, seed=0):
    random = np.random.default_rng([n, d, K, seed])
    y = np.arange(n) % K
    X = random.normal(size=(n, d)) * random.uniform(0.3, 3, size=(K, d))[y] + 1.2 * random.normal(size=(K, d))[y]
    return X, y, random.uniform(0.2, 3, n)


def left_out_scores(X, y, w, gammas, priors):
    """log prior_k - log det S_k / 2 - D_k / 2 (n, G, K), every row scored by the densities fitted without it."""
    n, d = X.shape
    out = np.empty((n, len(gammas), y.max() + 1))
    for i, k in np.ndindex(n, y.max() + 1):
        mine = (y == k) & (np.arange(n) != i)
        N = w[mine].sum()
        Z = X[mine] - w[mine] @ X[mine] / N
        S, z = (Z.T * w[mine]) @ Z / N, X[i] - w[mine] @ X[mine] / N
        for g, gamma in enumerate(gammas):
            shrunk = (1 - gamma) * S + gamma * np.trace(S) / d * np.eye(d)
            prior = N if priors is None else priors[k]
            out[i, g, k] = np.log(prior) - np.linalg.slogdet(shrunk)[1] / 2 - z @ np.linalg.solve(shrunk, z) / 2
    return out


@pytest.fixture
def scores_seen(monkeypatch):
    """What the pass computed: [(shrinkages, scores (n, G, K))]."""
    seen, compute = [], LeftOutFullHits.scores

    def scores(self, Y, codes, weights):
        out = compute(self, Y, codes, weights)
        seen.append((self.gammas, out))
        return out

    monkeypatch.setattr(LeftOutFullHits, "scores", scores)
    return seen


@pytest.mark.parametrize("priors", [None, "given"])
@pytest.mark.parametrize(("n", "d", "K"), [(40, 3, 2), (45, 2, 3), (60, 6, 4), (30, 1, 2), (900, 2, 2)])
def test_equal_to_fitting_without_each_row(n, d, K, priors, scores_seen):
    X, y, w = problem(n, d, K)
    priors = None if priors is None else np.arange(1, K + 1) / np.arange(1, K + 1).sum()
    model = dc.GaussianDiscriminant(covariance="full", shrinkage=GAMMAS, priors=priors).fit(X, y, w)
    wanted = left_out_scores(X, y, w, GAMMAS, priors)
    assert sorted(gamma for gammas, _ in scores_seen for gamma in gammas) == GAMMAS
    for gammas, found in scores_seen:
        here = wanted[:, [GAMMAS.index(gamma) for gamma in gammas]]
        found, here = found - found[..., :1], here - here[..., :1]  # a term common to all classes is left out
        np.testing.assert_allclose(found, here, rtol=1e-10, atol=1e-10)
    right = w @ (wanted.argmax(axis=2) == y[:, None]) / w.sum()
    np.testing.assert_allclose(model.path_["score"], right, rtol=1e-12)
    best = np.flatnonzero(right >= right.max() - 1e-12).max()
    assert model.shrinkage_ == GAMMAS[best]


def test_both_ways_of_taking_out_a_row_agree(monkeypatch, scores_seen):
    """Rows near their mean are expanded in a series, the others divided out; here every row goes both ways."""
    X, y, _ = problem(60, 3, 2)
    for near in (1e-3, 0.0):
        monkeypatch.setattr("discriminant.passes.left_out_full._NEAR", near)
        dc.GaussianDiscriminant(covariance="full", shrinkage=[1e-3, 0.1, 1.0]).fit(np.tile(X, (40, 1)), np.tile(y, 40))
    half = len(scores_seen) // 2
    for (_, one), (_, two) in zip(scores_seen[:half], scores_seen[half:], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12)


def test_shrinkages_that_leave_a_class_singular_are_not_chosen():
    X, y, _ = problem(40, 5, 4)
    keep = np.r_[np.flatnonzero(y != 2), np.flatnonzero(y == 2)[:3]]
    X, y = X[keep], y[keep]
    model = dc.GaussianDiscriminant(covariance="full", shrinkage=[0.0, 1e-300, 0.2]).fit(X, y)
    assert np.isnan(model.path_["score"]).tolist() == [True, True, False]
    assert model.shrinkage_ == 0.2
    with pytest.raises(InputError, match="offer shrinkages above 0"):
        dc.GaussianDiscriminant(covariance="full", shrinkage=[0.0]).fit(X, y)


def test_a_row_that_its_class_cannot_do_without_counts_as_wrong():
    X, y, _ = problem(40, 2, 2)
    pair = np.flatnonzero(y == 1)[:2]  # without either, class 1 is one row, which has no density
    keep = np.r_[np.flatnonzero(y == 0), pair]
    model = dc.GaussianDiscriminant(covariance="full", shrinkage=[0.5]).fit(X[keep], y[keep])
    assert model.path_["score"][0] <= 20 / 22
    with pytest.raises(DegenerateError, match="Class 1 .* all its rows are equal"):
        dc.GaussianDiscriminant(covariance="full", shrinkage="loo").fit(X[keep[:-1]], y[keep[:-1]])


def test_the_path_is_the_same_in_any_unit():
    X, y, w = problem(120, 3, 3)
    plain, tiny = (dc.GaussianDiscriminant(covariance="full", shrinkage="loo").fit(rows, y, w)
                   for rows in (X, X * 2.0**-500))
    np.testing.assert_allclose(tiny.path_["score"], plain.path_["score"], rtol=1e-12)
    assert len(plain.path_["shrinkage"]) == 20
