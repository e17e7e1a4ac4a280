"""Least squares on one-of-K targets."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearnex.linear_model import LinearRegression

import discriminant as dc
from benchmarks.contest import OURS, Contest, Contestant, Cost, Scale, Work, agrees, faster
from benchmarks.families import FAMILIES, table
from benchmarks.quality import digits

D, K = 100, 5
INTELEX, RIDGE, NUMPY = "intelex LinearRegression", "RidgeClassifier", "NumPy, rows centred"


def _numpy(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    T = np.eye(K)[y]
    Z = X - X.mean(axis=0)
    return np.linalg.solve(Z.T @ Z, Z.T @ T).T


def _prepare(case: str, scale: Scale) -> Contest:
    X, y = table(case, scale.rows(200_000), D, K)
    T = np.eye(K)[y]
    right = np.linalg.lstsq(X - X.mean(axis=0), T - T.mean(axis=0))[0].T
    return Contest(
        [
            Contestant(OURS, lambda: dc.LeastSquaresClassifier().fit(X, y), lambda m: digits(m.coef_, right)),
            Contestant(INTELEX, lambda: LinearRegression().fit(X, T), lambda m: digits(m.coef_, right)),
            # Its targets are -1 and 1, twice as far apart.
            Contestant(RIDGE, lambda: RidgeClassifier(alpha=0).fit(X, y), lambda m: digits(m.coef_ / 2, right)),
            Contestant(NUMPY, lambda: _numpy(X, y), lambda coef: digits(coef, right)),
        ],
        Cost(X.nbytes, len(X) * D * (D + 1)),
    )


WORKS = [
    Work(
        "Least squares, 200k x 100 float64, one of K = 5", FAMILIES, _prepare,
        [faster(1.5, [INTELEX], "scikit-learn-intelex LinearRegression"), faster(12, [RIDGE], "RidgeClassifier"),
         agrees(8)],
        quality="digits of the coefficients that agree with an orthogonal solution (lstsq of centred rows)",
        needs="LeastSquaresClassifier",
        notes="LinearRegression is given the targets ready made, outside the time.",
    ),
]
