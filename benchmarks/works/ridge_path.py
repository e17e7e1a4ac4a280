"""The ridge path by exact leave-one-out; and whether its accuracy is the one that n refits give."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeClassifierCV

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Scale, Work, agrees, faster
from benchmarks.families import FAMILIES, table

D, K = 200, 5
ALPHAS = np.logspace(-3, 6, 50)
BY_ERROR, BY_ACCURACY = "RidgeClassifierCV", "RidgeClassifierCV by accuracy"
NUMPY = "NumPy, one eigendecomposition"


def plain_path(X: np.ndarray, y: np.ndarray, alphas: np.ndarray = ALPHAS) -> np.ndarray:
    """Leave-one-out accuracy of every penalty, from residuals over 1 - leverage."""
    T = np.eye(y.max() + 1)[y]
    centred, offset = X - X.mean(axis=0), T - T.mean(axis=0)
    values, V = np.linalg.eigh(centred.T @ centred)
    Z, C = centred @ V, V.T @ (centred.T @ offset)
    return np.array([_right(Z, C, T, y, 1 / (values + alpha)) for alpha in alphas])


def _right(Z: np.ndarray, C: np.ndarray, T: np.ndarray, y: np.ndarray, inverse: np.ndarray) -> float:
    leverage = (Z * Z) @ inverse + 1 / len(Z)
    residual = T - T.mean(axis=0) - Z @ (inverse[:, None] * C)
    return float(((T - residual / (1 - leverage)[:, None]).argmax(axis=1) == y).mean())


def _prepare(case: str, scale: Scale) -> Contest:
    X, y = table(case, scale.rows(20_000), D, K)
    right = plain_path(X, y)

    def ours(model: dc.LeastSquaresClassifier) -> float:
        return _digits(np.abs(model.path_["score"] - right).max())

    def theirs(model: RidgeClassifierCV) -> float:
        return _digits(abs(model.best_score_ - right[np.searchsorted(ALPHAS, model.alpha_)]))

    return Contest(
        [Contestant(OURS, lambda: dc.LeastSquaresClassifier(alpha=ALPHAS.tolist()).fit(X, y), ours),
         Contestant(BY_ERROR, lambda: RidgeClassifierCV(ALPHAS).fit(X, y)),
         Contestant(BY_ACCURACY, lambda: RidgeClassifierCV(ALPHAS, scoring="accuracy").fit(X, y), theirs),
         Contestant(NUMPY, lambda: plain_path(X, y), lambda score: _digits(np.abs(score - right).max()))],
    )


def _digits(error: float) -> float:
    return float(-np.log10(max(error, 1e-16)))


def _two_classes(case: str, scale: Scale) -> Contest:
    X, y = table(case, 300, 10, 2)
    alphas = ALPHAS[20:45:5]
    right = np.array([_refits(X, y, alpha) for alpha in alphas])

    def ours(model: dc.LeastSquaresClassifier) -> float:
        return _digits(np.abs(model.path_["score"] - right).max())

    def theirs(model: RidgeClassifierCV) -> float:
        return _digits(abs(model.best_score_ - right[np.searchsorted(alphas, model.alpha_)]))

    return Contest(
        [Contestant(OURS, lambda: dc.LeastSquaresClassifier(alpha=alphas.tolist()).fit(X, y), ours),
         Contestant(BY_ACCURACY, lambda: RidgeClassifierCV(alphas, scoring="accuracy").fit(X, y), theirs)],
    )


def _refits(X: np.ndarray, y: np.ndarray, alpha: float) -> float:
    """Leave-one-out accuracy the long way: a fit for every row."""
    hits = 0
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        mean, T = X[kept].mean(axis=0), 2.0 * y[kept] - 1
        Z = X[kept] - mean
        w = np.linalg.solve(Z.T @ Z + alpha * np.eye(X.shape[1]), Z.T @ T)
        hits += int((X[i] - mean) @ w + T.mean() > 0) == y[i]
    return hits / len(X)


WORKS = [
    Work(
        "Ridge path, 50 penalties by exact leave-one-out, 20k x 200, K = 5", FAMILIES, _prepare,
        [faster(15, [BY_ERROR], "RidgeClassifierCV"), agrees(10)],
        quality="digits of the leave-one-out accuracies that are right",
        needs="LeastSquaresClassifier",
        notes="RidgeClassifierCV chooses by squared error unless told otherwise, which takes it less time.",
    ),
    Work(
        "Leave-one-out accuracy of two classes, 300 x 10, against a refit for every row", FAMILIES, _two_classes,
        [agrees(10)],
        quality="digits of the leave-one-out accuracies that are right",
        needs="LeastSquaresClassifier",
    ),
]
