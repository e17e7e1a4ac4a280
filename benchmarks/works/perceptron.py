"""The perceptron: the same rows in the same order, the same number of epochs, no early stop on either side."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Must, Outcome, Scale, Work, faster
from benchmarks.families import FAMILIES, table
from benchmarks.quality import accuracy

THEIRS, APART = "scikit-learn", "discriminant, one versus rest"
EPOCHS, SEEDS = 20, 5
_UNSEEN = 0.1


def _quietly(run: Callable[[], Any]) -> Callable[[], Any]:
    """All contestants warn that the epochs did not suffice, which was asked for."""
    def quiet() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run()

    return quiet


def _binary(dtype: str, noise: float) -> Callable[[str, Scale], Contest]:
    def prepare(case: str, scale: Scale) -> Contest:
        n = scale.rows(200_000)
        X, _ = table(case, int(n * (1 + _UNSEEN)), 50, 2, dtype)
        rng = np.random.default_rng(0)
        centred = (X - X[:1000].mean(axis=0)) / (X[:1000].std(axis=0) + 1e-3)
        truth = (centred @ rng.standard_normal(50) > 0).astype(int)
        y = np.where(rng.random(len(truth)) < noise, 1 - truth, truth)
        ours = dc.Perceptron(max_epochs=EPOCHS)
        theirs = Perceptron(max_iter=EPOCHS, tol=None, shuffle=False)

        def judged(model: Any) -> float:
            return accuracy(model.predict(X[n:]), truth[n:])

        return Contest([Contestant(OURS, _quietly(lambda: ours.fit(X[:n], y[:n])), judged),
                        Contestant(THEIRS, _quietly(lambda: theirs.fit(X[:n], y[:n])), judged)])

    return prepare


def _several(case: str, scale: Scale) -> Contest:
    n = scale.rows(60_000)
    X, y = table(case, int(n * (1 + _UNSEEN)), 784, 10, "float32")

    def ours(seed: int) -> Any:
        return dc.Perceptron(max_epochs=5, order="shuffle", random_state=seed).fit(X[:n], y[:n])

    def apart(seed: int) -> Any:
        return dc.OneVsRest(dc.Perceptron(max_epochs=5, order="shuffle", random_state=seed)).fit(X[:n], y[:n])

    def theirs(seed: int) -> Any:
        return Perceptron(max_iter=5, tol=None, random_state=seed, n_jobs=1).fit(X[:n], y[:n])

    def mean_of(fit: Callable[[int], Any]) -> Callable[[Any], float]:
        def judged(first: Any) -> float:
            models = [first, *(_quietly(lambda seed=seed: fit(seed))() for seed in range(1, SEEDS))]
            return float(np.mean([accuracy(model.predict(X[n:]), y[n:]) for model in models]))

        return judged

    return Contest([Contestant(name, _quietly(lambda fit=fit: fit(0)), mean_of(fit))
                    for name, fit in ((OURS, ours), (APART, apart), (THEIRS, theirs))])


def _sparse(case: str, scale: Scale) -> Contest:
    n, d, each = scale.rows(100_000), 100_000, 50
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, d, (n, each)), axis=1).ravel().astype(np.int32)
    X = sp.csr_array((rng.standard_normal(n * each), columns, np.arange(n + 1, dtype=np.int32) * each),
                     shape=(n, d))
    X.sum_duplicates()
    y = (X @ rng.standard_normal(d) > 0).astype(int)
    matrix = sp.csr_matrix(X)
    ours, theirs = dc.Perceptron(max_epochs=10), Perceptron(max_iter=10, tol=None, shuffle=False)

    def judged(model: Any) -> float:
        return accuracy(model.predict(matrix), y)

    return Contest([Contestant(OURS, _quietly(lambda: ours.fit(X, y)), judged),
                    Contestant(THEIRS, _quietly(lambda: theirs.fit(matrix, y)), judged)])


def _not_less_accurate(o: Outcome) -> float:
    found, theirs = o.figures[OURS].quality, o.figures[THEIRS].quality
    return float("nan") if found is None or theirs is None else found - theirs


_RIGHT = {"quality": "share of unseen rows put right", "quality_form": "{:.4f}"}

WORKS = [
    Work("Perceptron, 20 epochs, 200k x 50 float64, 5 % noise", FAMILIES, _binary("float64", 0.05),
         [faster(2.2, [THEIRS], "scikit-learn")], **_RIGHT),
    Work("Perceptron, 20 epochs, 200k x 50 float32, 5 % noise", FAMILIES, _binary("float32", 0.05),
         [faster(3.3, [THEIRS], "scikit-learn")], **_RIGHT),
    Work("Perceptron, 20 epochs, 200k x 50 float32, separable", FAMILIES, _binary("float32", 0.0),
         [faster(6, [THEIRS], "scikit-learn")], **_RIGHT),
    Work("Perceptron, 5 epochs, 60k x 784 float32, K = 10", ["gaussian", "one-hot mix"], _several,
         [faster(20, [THEIRS], "scikit-learn, one versus all"),
          faster(12, [THEIRS], "scikit-learn, one versus all", APART),
          Must("accuracy not lower", _not_less_accurate, 0.0, form="{:+.4f}")],
         quality="share of unseen rows put right, mean of five seeds", quality_form="{:.4f}",
         notes="One model of ten functions, ten models in one walk, and scikit-learn's ten models with n_jobs=1."),
    Work("Perceptron, 10 epochs, sparse 100k x 100k, 50 a row", ["uniform columns"], _sparse,
         [faster(2, [THEIRS], "scikit-learn")], quality="share of the training rows put right", quality_form="{:.4f}"),
]
