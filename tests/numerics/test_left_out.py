"""Exact leave-one-out against brute force: the fit is made again without each row.

The passes only count hits, so what they decide by is compared in two ways: the products from which they make the
scores, caught on their way, and the scores themselves, found by moving the priors until the decision turns.
"""

from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp

from discriminant import FisherDiscriminant, LeastSquaresClassifier
from discriminant.passes import left_out
from discriminant.passes.left_out import LeftOutHits
from discriminant.places.memory import MemoryPlace
from discriminant.solvers.choose import coordinates_of

GAMMAS = np.array([0.0, 1e-4, 1e-2, 0.1, 0.5, 0.9, 1.0])
ALPHAS = [1e-6, 1e-2, 1.0, 30.0, 1e4]


def rows(classes, *, n=45, d=4, seed=0, spread=1.5):
    rng = np.random.default_rng([seed, classes, d])
    y = (np.arange(n) % classes).astype(np.int32)
    return spread * rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0, y, rng


def covariance_without(X, y, w, i):
    """Class weights and means, and the pooled covariance, of all rows but the i-th."""
    keep = np.arange(len(X)) != i
    X, y, w = X[keep], y[keep], w[keep]
    weight = np.bincount(y, w)
    mean = np.stack([w[y == k] @ X[y == k] / weight[k] for k in range(len(weight))])
    Z = X - mean[y]
    return weight, mean, (Z.T * w) @ Z / w.sum()


def distances_without(X, y, w, i, gammas):
    """The squared distance of row i from every class (G, K) in the metric of every shrunk covariance, i left out."""
    _, mean, S = covariance_without(X, y, w, i)
    v = X[i] - mean
    out = np.empty((len(gammas), len(mean)))
    for g, gamma in enumerate(gammas):
        shrunk = (1 - gamma) * S + gamma * np.trace(S) / len(S) * np.eye(len(S))
        out[g] = (v * np.linalg.solve(shrunk, v.T).T).sum(axis=1)
    return out


# What the scores are made of


@contextmanager
def caught():
    """The arguments of every decision, with the task and the coordinates and weights of its rows."""
    found, original = [], left_out._Chunk._right

    def spy(self, k, mine, gammas, q, near, far):
        found.append((self.task, k, self.Z[mine], self.weights[mine], np.array(gammas), q.copy(), near.copy(),
                      far.copy()))
        return original(self, k, mine, gammas, q, near, far)

    left_out._Chunk._right = spy
    try:
        yield found
    finally:
        left_out._Chunk._right = original


def share_left(record):
    """1 - c'q (rows, G): what the row leaves of the scatter in its own direction."""
    task, k, _, w, gammas, q, *_ = record
    N = task.weight[k]
    return 1 - (w * N / (N - w))[:, None] * (1 - gammas) * q


def left_out_distances(record):
    """(rows, K, G) by Sherman & Morrison's formula, from q = z'Bz, z'B(z + u) and (z + u)'Bu with u = m_k - m_j."""
    task, k, _, w, gammas, q, near, far = record
    N, n, keep = task.weight[k], task.total, share_left(record)
    c = (w * N / (N - w))[:, None] * (1 - gammas)
    D = np.insert(near + far + c[:, None] * near**2 / keep[:, None], k, (N / (N - w))[:, None] ** 2 * q / keep, axis=1)
    return D * (n - w)[:, None, None]


def worst_share(X, y, w, place_rows=None, gammas=GAMMAS):
    """The largest error of a left-out distance, relative where it is above 1, and how many were compared.

    A row that alone makes most of the scatter in a direction takes digits with it when it goes: what is left of that
    direction is the share 1 - c'q, and errors count times (1e4 of) that share where it is below 1e-4.
    """
    place = MemoryPlace(X if place_rows is None else place_rows, y, w)
    coordinates = coordinates_of(place, int(y.max()) + 1, one_unit=True)
    task = LeftOutHits(coordinates.moments, gammas, None, coordinates.columns)
    with caught() as records:
        coordinates.place.fold(task)
    Z = (coordinates.place.whole().rows() - task.centre) @ task.turn
    weights = np.ones(len(X)) if w is None else w
    wanted = {}
    worst, count = 0.0, 0
    for record in records:
        task, k, z, _, some, *_ = record
        D = left_out_distances(record)
        share = np.minimum(1.0, 1e4 * share_left(record))
        for row in range(len(z)):
            i = int((np.abs(Z - task.means[k] - z[row]).sum(axis=1) + 1e300 * (y != k)).argmin())
            if i not in wanted:
                wanted[i] = distances_without(X, y, weights, i, gammas)
            truth = wanted[i][np.searchsorted(gammas, some)].T
            worst = max(worst, float((np.abs(D[row] - truth) / np.maximum(truth, 1.0) * share[row]).max()))
            count += truth.size
    return worst, count


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 4, 5])
@pytest.mark.parametrize("d", [1, 2, 6])
def test_left_out_distances(classes, d, weighted, count_cases):
    X, y, rng = rows(classes, d=d)
    worst, count = worst_share(X, y, rng.uniform(0.2, 3.0, len(X)) if weighted else None)
    assert count == len(X) * classes * len(GAMMAS)
    assert worst <= 1e-10
    count_cases("numerics: left-out distances against refits", count)


@pytest.mark.parametrize("classes", [2, 4])
def test_left_out_distances_with_more_columns_than_rows(classes, count_cases):
    X, y, _ = rows(classes, n=20, d=35)
    worst, count = worst_share(X, y, None, gammas=GAMMAS[1:])
    assert worst <= 1e-10
    count_cases("numerics: left-out distances against refits", count)


def test_left_out_distances_of_sparse_rows(count_cases):
    X, y, rng = rows(3, n=60)
    X[rng.random(X.shape) < 0.6] = 0.0
    worst, count = worst_share(X, y, None, sp.csr_array(X))
    assert worst <= 1e-10
    count_cases("numerics: left-out distances against refits", count)


def test_left_out_distances_of_float32_rows(count_cases):
    """The scatter went through float32."""
    X, y, _ = rows(3)
    X = X.astype(np.float32)
    worst, count = worst_share(X.astype(np.float64), y, None, X)
    assert worst <= 1e-4
    count_cases("numerics: left-out distances against refits", count)


@pytest.mark.parametrize("far", [5.0, 50.0, 1e3, 1e5])
def test_left_out_distances_with_outlying_rows(far, count_cases):
    """Rows whose part in the trace is large: no expansion reaches them, they are divided out."""
    X, y, _ = rows(3)
    X[[3, 17]] *= far
    worst, count = worst_share(X, y, None)
    assert worst <= 1e-10 + 1e-15 * far**2  # the condition of the scatter, as long as one such row is in it
    count_cases("numerics: left-out distances against refits", count)
    found = FisherDiscriminant(shrinkage=GAMMAS.tolist()).fit(X, y)
    wanted, tie = brute_force(X, y, np.ones(len(X)), GAMMAS)
    assert found.path_["score"][~tie] == pytest.approx(wanted[~tie], abs=1e-12)


def test_left_out_distances_with_two_rows_a_class(count_cases):
    """Without the row its class is one other row."""
    X, y, _ = rows(5, n=10, d=2)
    worst, count = worst_share(X, y, None, gammas=GAMMAS[1:])
    assert worst <= 1e-10
    count_cases("numerics: left-out distances against refits", count)


def test_every_number_of_powers_is_reached(monkeypatch):
    """From one power to the most, and the division, all with the same answer."""
    powers, used = left_out._Chunk._powers, set()

    def spy(self, H):
        found = powers(self, H)
        used.update(found.tolist())
        return found

    monkeypatch.setattr(left_out._Chunk, "_powers", spy)
    for n, d, spread in ((30, 3, 1.0), (300, 3, 1.0), (3000, 8, 1.0), (300, 40, 1.0)):
        X, y, _ = rows(3, n=n, d=d, spread=spread)
        coordinates = coordinates_of(MemoryPlace(X, y), 3, one_unit=True)
        coordinates.place.fold(LeftOutHits(coordinates.moments, np.logspace(-8, 0, 60), None, d))
    most = left_out._MOST_POWERS
    assert set(range(2, most + 2)) <= used


@pytest.mark.parametrize("n, d", [(30, 3), (300, 3), (1500, 8), (100, 40)])
def test_the_division_and_the_expansion_agree(n, d, monkeypatch):
    """The same rows with every expansion forbidden: the same hits, and the same products to 1e-10."""
    X, y, rng = rows(4, n=n, d=d)
    weights = rng.uniform(0.5, 2.0, n)
    coordinates = coordinates_of(MemoryPlace(X, y, weights), 4, one_unit=True)
    gammas = np.logspace(-6, 0, 15)
    answers = []
    for most in (left_out._MOST_POWERS, 0):
        monkeypatch.setattr(left_out, "_MOST_POWERS", most)
        with caught() as records:
            hits = coordinates.place.fold(LeftOutHits(coordinates.moments, gammas, None, d))
        found = {}
        for record in records:
            for row, z in enumerate(record[2]):
                for g, D in zip(record[4], left_out_distances(record)[row].T, strict=True):
                    found[z.tobytes(), g] = D
        answers.append((hits, found))
    (hits, expanded), (other_hits, divided) = answers
    assert hits == pytest.approx(other_hits, rel=1e-12)
    assert expanded.keys() == divided.keys()
    assert max(np.abs(expanded[at] / divided[at] - 1).max() for at in divided) <= 1e-10


# The scores themselves


@pytest.mark.parametrize("classes, weighted", [(2, False), (3, True), (5, False)])
def test_left_out_scores_by_the_priors_that_turn_the_decision(classes, weighted, count_cases):
    """A row stays in its class o against j exactly where log prior_o - log prior_j > (D_o - D_j) / 2."""
    X, y, rng = rows(classes, n=30, d=3)
    w = rng.uniform(0.5, 2.0, len(X)) if weighted else np.ones(len(X))
    coordinates = coordinates_of(MemoryPlace(X, y, w), classes, one_unit=True)
    gammas = np.array([1e-3, 0.4])
    for i in range(0, 30, 6):
        wanted = distances_without(X, y, w, i, gammas)
        row = MemoryPlace(X[i : i + 1], y[i : i + 1], w[i : i + 1])
        for j in set(range(classes)) - {y[i]}:
            for g, gamma in enumerate(gammas):
                def stays(handicap, j=j, gamma=gamma, i=i, row=row):
                    log_priors = np.full(classes, -1e9)
                    log_priors[[y[i], j]] = handicap, 0.0
                    task = LeftOutHits(coordinates.moments, np.array([gamma]), log_priors, coordinates.columns)
                    return row.fold(task)[0] > 0

                low, high = -1e5, 1e5
                while high - low > 1e-11 * max(1.0, abs(low)):
                    middle = (low + high) / 2
                    low, high = (low, middle) if stays(middle) else (middle, high)
                turning = (wanted[g, y[i]] - wanted[g, j]) / 2
                assert low == pytest.approx(turning, abs=1e-10 * max(1.0, wanted[g].max()))
                count_cases("numerics: left-out scores against refits")


# Accuracies


def brute_force(X, y, w, gammas, *, priors=None, rule="bayes"):
    """The weight of the rows put right when left out, over all (G,), and whether a decision was near a tie (G,)."""
    hits, tie = np.zeros(len(gammas)), np.zeros(len(gammas), bool)
    for i in range(len(X)):
        rest = w.copy()
        rest[i] = 0.0
        if not rest[y == y[i]].any():
            continue
        weight = np.bincount(y, rest)
        shares = weight if priors is None else priors
        offset = np.log(shares) if rule == "bayes" else np.zeros(len(shares))
        scores = offset - 0.5 * distances_without(X, y, w, i, gammas)
        best = np.sort(scores, axis=1)
        tie |= best[:, -1] - best[:, -2] < 1e-9 * np.abs(best).max(axis=1)
        hits += w[i] * (scores.argmax(axis=1) == y[i])
    return hits / w.sum(), tie


@pytest.mark.parametrize("rule", ["bayes", "midpoint"])
@pytest.mark.parametrize("given", ["own", "priors"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 4, 5])
def test_path_of_shrinkages(classes, weighted, given, rule, count_cases):
    X, y, rng = rows(classes, spread=1.0, seed=7)
    w = rng.integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    priors = None if given == "own" else rng.dirichlet(np.full(classes, 3.0))
    found = FisherDiscriminant(shrinkage=GAMMAS.tolist(), priors=priors, rule=rule)
    found.fit(X, y, sample_weight=w if weighted else None)
    wanted, tie = brute_force(X, y, w, GAMMAS, priors=priors, rule=rule)
    assert found.path_["score"][~tie] == pytest.approx(wanted[~tie], abs=1e-12)
    assert tie.sum() <= 1
    assert found.shrinkage_ == GAMMAS[np.flatnonzero(found.path_["score"] >= found.path_["score"].max() - 1e-12)].max()
    count_cases("numerics: leave-one-out paths against brute force", int((~tie).sum()))


@pytest.mark.parametrize("n, d", [(12, 20), (20, 21), (30, 100)])
def test_path_of_shrinkages_with_more_columns_than_rows(n, d, count_cases):
    X, y, _ = rows(3, n=n, d=d, spread=0.5)
    found = FisherDiscriminant(shrinkage=GAMMAS[1:].tolist()).fit(X, y)
    wanted, tie = brute_force(X, y, np.ones(n), GAMMAS[1:])
    assert found.path_["score"][~tie] == pytest.approx(wanted[~tie], abs=1e-12)
    count_cases("numerics: leave-one-out paths against brute force", int((~tie).sum()))


@pytest.mark.parametrize("kind", [np.float32, sp.csr_array, sp.csc_array, np.asfortranarray, np.int64])
def test_path_of_shrinkages_of_other_kinds_of_rows(kind, count_cases):
    X, y, rng = rows(3, spread=1.0, seed=3)
    X = np.round(X * 4)  # every kind holds the same numbers
    X[rng.random(X.shape) < 0.3] = 0.0
    same = X.astype(kind) if isinstance(kind, type) and issubclass(kind, np.generic) else kind(X)
    found = FisherDiscriminant(shrinkage=GAMMAS.tolist()).fit(same, y)
    wanted, tie = brute_force(X, y, np.ones(len(X)), GAMMAS)
    assert found.path_["score"][~tie] == pytest.approx(wanted[~tie], abs=1e-12)
    count_cases("numerics: leave-one-out paths against brute force", int((~tie).sum()))


def test_rows_that_leave_no_class_behind_count_as_wrong():
    X, y, _ = rows(3, n=31)
    y[30] = 3
    found = FisherDiscriminant(shrinkage=GAMMAS.tolist()).fit(X, y)
    wanted, tie = brute_force(X, y, np.ones(31), GAMMAS)
    assert found.path_["score"][~tie] == pytest.approx(wanted[~tie], abs=1e-12)


# Ridge


def ridge_without(X, y, w, i, alpha, targets, fit_intercept):
    """The class given to row i, and its squared error against one-of-k targets, by a fit without it."""
    rest = np.arange(len(X)) != i
    model = LeastSquaresClassifier(alpha=alpha, targets=targets, fit_intercept=fit_intercept)
    label = model.fit(X[rest], y[rest], sample_weight=w[rest]).predict(X[i : i + 1])[0]
    A = np.hstack([np.ones((len(X), 1)), X]) if fit_intercept else X
    T, roots = np.eye(y.max() + 1)[y], np.sqrt(w[rest])[:, None]
    penalty = np.sqrt(alpha) * np.eye(A.shape[1])[int(fit_intercept) :]
    B = np.linalg.lstsq(np.vstack([roots * A[rest], penalty]),
                        np.vstack([roots * T[rest], np.zeros((len(penalty), T.shape[1]))]), rcond=1e-15)[0]
    return label, ((A[i] @ B - T[i]) ** 2).sum()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes, targets", [(2, "one-of-k"), (2, "bipolar"), (2, "fisher"), (3, "one-of-k"),
                                              (4, "bipolar")])
def test_path_of_penalties(classes, targets, weighted, fit_intercept, count_cases):
    X, y, rng = rows(classes, n=30, d=3, spread=1.0)
    y[:6] = 0  # unequal classes, which is where the codings differ
    w = rng.uniform(0.5, 3.0, len(X)) if weighted else np.ones(len(X))
    found = LeastSquaresClassifier(alpha=ALPHAS, targets=targets, fit_intercept=fit_intercept)
    found.fit(X, y, sample_weight=w if weighted else None)
    for g, alpha in enumerate(ALPHAS):
        left = [ridge_without(X, y, w, i, alpha, targets, fit_intercept) for i in range(len(X))]
        hits = w @ (np.array([label for label, _ in left]) == y)
        squares = w @ [square for _, square in left]
        assert found.path_["score"][g] == pytest.approx(hits / w.sum(), abs=1e-12)
        assert found.path_["squared_error"][g] == pytest.approx(squares / w.sum(), rel=1e-10)
        count_cases("numerics: leave-one-out paths against brute force")
    assert found.loo_score_ == found.path_["score"].max()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, np.float32])
@pytest.mark.parametrize("n, d", [(30, 3), (14, 25)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_path_of_penalties_of_other_kinds_of_rows(n, d, fit_intercept, kind, count_cases):
    X, y, _ = rows(3, n=n, d=d, spread=1.0)
    X = np.round(X * 4) / 4
    found = LeastSquaresClassifier(alpha=ALPHAS, fit_intercept=fit_intercept).fit(kind(X), y)
    for g, alpha in enumerate(ALPHAS):
        if n < d and alpha < 1e-3:
            continue  # test_small_penalties_with_more_columns_than_rows
        left = [ridge_without(X, y, np.ones(n), i, alpha, "one-of-k", fit_intercept) for i in range(n)]
        assert found.path_["score"][g] == pytest.approx(np.mean([a for a, _ in left] == y))
        squares = np.mean([square for _, square in left])
        assert found.path_["squared_error"][g] == pytest.approx(squares, rel=1e-4 if kind is np.float32 else 1e-8)
        count_cases("numerics: leave-one-out paths against brute force")


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_path_of_penalties_with_an_outlying_row(fit_intercept):
    """Leverage near 1, so that 1 - h has lost digits."""
    X, y, _ = rows(3, n=30, d=3)
    X[4] *= 1e4
    found = LeastSquaresClassifier(alpha=ALPHAS, fit_intercept=fit_intercept).fit(X, y)
    for g, alpha in enumerate(ALPHAS):
        left = [ridge_without(X, y, np.ones(30), i, alpha, "one-of-k", fit_intercept) for i in range(30)]
        squares = np.mean([square for _, square in left])
        assert found.path_["squared_error"][g] == pytest.approx(squares, rel=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_small_penalties_with_more_columns_than_rows(fit_intercept):
    """The leverage h of every row is 1 - O(alpha)."""
    X, y, _ = rows(3, n=14, d=25, spread=1.0)
    for alpha in (1e-6, 1e-9, 1e-11):
        found = LeastSquaresClassifier(alpha=[alpha], fit_intercept=fit_intercept).fit(X, y)
        left = [ridge_without(X, y, np.ones(14), i, alpha, "one-of-k", fit_intercept) for i in range(14)]
        squares = np.mean([square for _, square in left])
        assert found.path_["score"][0] == pytest.approx(np.mean([a for a, _ in left] == y))
        assert found.path_["squared_error"][0] == pytest.approx(squares, rel=1e-8)


def test_penalties_and_a_row_that_leaves_no_class_behind():
    y = np.arange(31) % 3
    y[30] = 3
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(31, 3))
        model = LeastSquaresClassifier(alpha=[0.01], fit_intercept=False).fit(X, y)
        hits = sum(ridge_without(X, y, np.ones(31), i, 0.01, "one-of-k", False)[0] == y[i] for i in range(31))
        assert model.path_["score"][0] == pytest.approx(hits / 31)
