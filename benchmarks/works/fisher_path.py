"""Fisher's discriminant over many shrinkages, each judged by exact leave-one-out."""

from __future__ import annotations

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Scale, Work, takes
from benchmarks.families import FAMILIES, table
from benchmarks.quality import accuracy

D, K = 200, 5
SHRINKAGES = np.linspace(0.0, 0.98, 50).tolist()
LDA = "one LDA svd, no path"


def _prepare(case: str, scale: Scale) -> Contest:
    n = scale.rows(20_000)
    X, y = table(case, 2 * n, D, K)
    X, y, unseen, truth = X[:n], y[:n], X[n:], y[n:]

    def judged(model: LinearDiscriminantAnalysis | dc.FisherDiscriminant) -> float:
        return accuracy(model.predict(unseen), truth)

    return Contest(
        [Contestant(OURS, lambda: dc.FisherDiscriminant(shrinkage=SHRINKAGES).fit(X, y), judged),
         Contestant(LDA, lambda: LinearDiscriminantAnalysis().fit(X, y), judged)],
    )


WORKS = [
    Work(
        "Fisher, 50 shrinkages by exact leave-one-out, 20k x 200, K = 5", FAMILIES, _prepare,
        [takes(0.7, [LDA], "scikit-learn's default fit")],
        quality="share of 20k unseen rows put right", quality_form="{:.4f}",
        notes="scikit-learn would fit n x 50 times for the same answer; beside it stands its one fit without any path.",
    ),
]
