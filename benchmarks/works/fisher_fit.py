"""Fisher's discriminant on a tall table, in both widths."""

from __future__ import annotations

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Cost, Scale, Work, agrees, faster, near_limit
from benchmarks.families import FAMILIES, table
from benchmarks.quality import digits

D, K = 100, 5
SOLVERS = ("svd", "lsqr", "eigen")
FLOAT64, FLOAT32 = OURS, "discriminant, float32"


def centred_rows(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Four lines of NumPy that are careful: rows are centred before they are multiplied."""
    M = np.stack([X[y == k].mean(axis=0) for k in range(K)])
    Z = X - M[y].astype(X.dtype)
    S = Z.T @ Z / len(X)
    return np.linalg.solve(S, M.T).T


def raw_products(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Four lines that are fast: the product of the raw rows, from which the means are taken off."""
    T = np.eye(K, dtype=X.dtype)[y]
    N, M = T.sum(axis=0), T.T @ X / T.sum(axis=0)[:, None]
    S = (X.T @ X - (M.T * N) @ M) / len(X)
    return np.linalg.solve(S, M.T).T


NUMPY = {"NumPy, rows centred": centred_rows, "NumPy, raw products": raw_products}


def _fit(case: str, scale: Scale) -> Contest:
    X, y = table(case, scale.rows(200_000), D, K)
    right = LinearDiscriminantAnalysis(solver="svd").fit(X, y).coef_

    def agreement(model: LinearDiscriminantAnalysis | dc.FisherDiscriminant) -> float:
        return digits(model.coef_, right)

    peers = [Contestant(f"LDA {solver}", lambda s=solver: LinearDiscriminantAnalysis(solver=s).fit(X, y), agreement)
             for solver in SOLVERS]
    plain = [Contestant(name, lambda f=lines: f(X, y), lambda coef: digits(coef, right))
             for name, lines in NUMPY.items()]
    ours = Contestant(OURS, lambda: dc.FisherDiscriminant().fit(X, y), agreement)
    return Contest([ours, *peers, *plain], Cost(X.nbytes, len(X) * D * (D + 1)))


def _narrow(case: str, scale: Scale) -> Contest:
    X32, y = table(case, scale.rows(200_000), D, K, "float32")
    X = X32.astype(np.float64)
    right = LinearDiscriminantAnalysis(solver="svd").fit(X, y).coef_

    def ours(name: str, rows: np.ndarray) -> Contestant:
        return Contestant(name, lambda: dc.FisherDiscriminant().fit(rows, y), lambda model: digits(model.coef_, right))

    plain = [Contestant(name, lambda f=lines: f(X32, y), lambda coef: digits(coef, right))
             for name, lines in NUMPY.items()]
    return Contest([ours(FLOAT32, X32), ours(FLOAT64, X), *plain], Cost(X32.nbytes, len(X) * D * (D + 1), "float32"))


WORKS = [
    Work(
        "Fisher fit, 200k x 100 float64, K = 5", FAMILIES, _fit,
        [faster(12, [f"LDA {solver}" for solver in SOLVERS], "scikit-learn's fastest LDA solver"),
         faster(2, list(NUMPY), "four lines of NumPy"), near_limit(3), agrees(8)],
        quality="digits of the coefficients that agree with LDA svd in float64",
    ),
    Work(
        "Fisher fit, 200k x 100 float32, K = 5", FAMILIES, _narrow,
        [faster(1.7, [FLOAT64], "in float64", ours=FLOAT32)],
        quality="digits of the coefficients that agree with LDA svd in float64 on the same, rounded cells",
    ),
]
