"""Prediction: very many rows, and one."""

from __future__ import annotations

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Cost, Scale, Work, faster, near_limit
from benchmarks.families import FAMILIES, table
from benchmarks.quality import accuracy

D, K = 100, 10
LDA, PRODUCT = "LDA", "NumPy, X @ W.T alone"


def _contest(X: np.ndarray, y: np.ndarray, asked: np.ndarray, truth: np.ndarray, calls: int) -> Contest:
    ours = dc.FisherDiscriminant().fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    W, b = theirs.coef_.T, theirs.intercept_
    return Contest(
        [Contestant(OURS, lambda: ours.predict(asked), lambda found: accuracy(found, truth)),
         Contestant(LDA, lambda: theirs.predict(asked), lambda found: accuracy(found, truth)),
         Contestant(PRODUCT, lambda: asked @ W, lambda scores: accuracy((scores + b).argmax(axis=1), truth))],
        Cost(asked.nbytes + 8 * len(asked), 2 * asked.size * K) if calls == 1 else None, calls=calls,
    )


def _many(case: str, scale: Scale) -> Contest:
    n = scale.rows(1_000_000)
    X, y = table(case, n, D, K)
    return _contest(X[: n // 20], y[: n // 20], X, y, 1)


def _one(case: str, scale: Scale) -> Contest:
    X, y = table(case, 20_000, D, K)
    return _contest(X, y, X[:1], y[:1], 200 if scale.quick else 2000)


WORKS = [
    Work(
        "Predict 1M x 100 float64, K = 10", FAMILIES, _many,
        [faster(3, [LDA], "scikit-learn"), near_limit(2)],
        quality="share of the rows put right", quality_form="{:.4f}",
        notes="The bare product has neither intercepts nor a search for the largest score.",
    ),
    Work(
        "Predict one row of 100, K = 10", ["gaussian"], _one,
        [faster(6, [LDA], "scikit-learn")],
        quality="whether it was put right", quality_form="{:.0f}", unit="us",
    ),
]
