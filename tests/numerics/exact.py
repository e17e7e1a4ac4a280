"""Least squares in rational numbers: no rounding at all until the answer is turned into floats."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Exact:
    """Coefficients (d, m), intercept (m,), sum of squared residuals (m,), and the inverse of the normal matrix."""

    coef: list
    intercept: list
    squares: list
    inverse: list

    def arrays(self):
        """`coef` and `intercept` rounded to float64."""
        return np.array([[float(b) for b in row] for row in self.coef]), np.array([float(b) for b in self.intercept])


def least_squares(X, T, weights=None, *, alpha=0, constant=True):
    """minimise sum w |x'B + b - t|^2 + alpha |B|^2 for rows X (n, d) and targets T (n, m): numbers of any kind."""
    rows = [[Fraction(1)] * constant + [Fraction(x) for x in row] for row in _plain(X)]
    targets = [[Fraction(t) for t in row] for row in _plain(T)]
    w = [Fraction(1)] * len(rows) if weights is None else [Fraction(x) for x in _plain(weights)]
    p, m = len(rows[0]), len(targets[0])
    weighted = [[wi * x for x in row] for wi, row in zip(w, rows, strict=True)]
    normal = [[_dot(a, b) for b in zip(*rows, strict=True)] for a in zip(*weighted, strict=True)]
    for j in range(constant, p):
        normal[j][j] += Fraction(alpha)
    right = [[_dot(a, t) for t in zip(*targets, strict=True)] for a in zip(*weighted, strict=True)]
    unit = [[Fraction(int(i == j)) for j in range(p)] for i in range(p)]
    solved = _solve(normal, [r + u for r, u in zip(right, unit, strict=True)])
    B, inverse = [row[:m] for row in solved], [row[m:] for row in solved]
    left = [[t - _dot(row, b) for t, b in zip(ts, zip(*B, strict=True), strict=True)]
            for row, ts in zip(rows, targets, strict=True)]
    squares = [sum(wi * r[k] ** 2 for wi, r in zip(w, left, strict=True)) for k in range(m)]
    return Exact(B[constant:], B[0] if constant else [Fraction(0)] * m, squares, inverse)


def _plain(A):
    return A.tolist() if isinstance(A, np.ndarray) else A


def _dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _solve(A, B):
    """A^-1 B by Gauss-Jordan elimination."""
    rows = [a + b for a, b in zip(A, B, strict=True)]
    n = len(A)
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                factor = rows[r][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[n:] for row in rows]
