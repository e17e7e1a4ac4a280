"""One classifier for each pair of classes: prediction by 435 functions."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Must, Outcome, Scale, Work, faster

THEIRS = "OneVsOneClassifier"
N, D, K = 10_000, 100, 30
SPREADS = {"classes well apart": 1.0, "overlapping": 0.35, "near noise": 0.05}


def _prepare(case: str, scale: Scale) -> Contest:
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, N)
    X = SPREADS[case] * rng.standard_normal((K, D))[y] + rng.standard_normal((N, D))
    ours = dc.OneVsOne(RidgeClassifier()).fit(X, y)
    theirs = OneVsOneClassifier(RidgeClassifier()).fit(X, y)
    wanted = theirs.predict(X)

    def same(found: np.ndarray) -> float:
        return float((found == wanted).mean())

    return Contest([Contestant(OURS, lambda: ours.predict(X), same),
                    Contestant(THEIRS, lambda: theirs.predict(X), same)])


def _agreement(o: Outcome) -> float:
    found = o.figures[OURS].quality
    return float("nan") if found is None else found


WORKS = [
    Work("One versus one, K = 30, predict 10k x 100", list(SPREADS), _prepare,
         [faster(50, [THEIRS], "scikit-learn"), Must("the same answers", _agreement, 1.0, form="{:.4f}")],
         quality="share of rows with scikit-learn's answer", quality_form="{:.4f}"),
]
