"""How many rows each shrinkage gets right when the row itself was left out, with a covariance for each class: exact.

Let W be the scatter of class o, N its weight, z = x - m_o a row of it of weight w, and c = w N / (N - w). Without the
row the mean moves by -w z / (N - w), the scatter is W - c zz', and shrinkage g makes of that, up to the factor N - w,
    G - c' zz',   G = (1 - g) W + g t I,   t = (tr W - c |z|^2) / d,   c' = (1 - g) c.
With q = z'G^-1 z (Sherman & Morrison 1950), the row's distance from its own mean and the determinant become
    D_o = (N^2 / (N - w)) q / (1 - c'q),      log det = log det G + log(1 - c'q) - d log(N - w).
The other classes do not know the row. In the eigenvectors of W, G is diagonal: h_j - e, where e = g c |z|^2 / d is the
row's part in the trace. For almost every row e is far below all h_j, and so is the rest of five terms of
    1 / (h - e) = 1/h + e/h^2 + e^2/h^3 + ...      log(h - e) = log h - e/h - (e/h)^2 / 2 - ...,
which make all rows and shrinkages matrix products; the other rows are divided out. A row without which its class has no
density counts as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.functions import LinearFunctions
from discriminant.passes.a_pass import Pass
from discriminant.passes.distances import functions_of
from discriminant.passes.moments import Moments

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_CHUNK_ROWS = 1024
_TERMS, _NEAR = 5, 1e-3  # e / h below _NEAR leaves terms of 1e-15 out
_TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Basis:
    """Coordinates u = turn'(y - m_k) of class k in which H = (1 - g) W + g (tr W / d) I is diagonal for some g.

    turn (d, d), a multiple of an orthogonal matrix where a g is above 0; h (g, d) the diagonals, 1 on average, so that
    their powers stay in range; log_det (g,) is log det H in the units of y.
    """

    turn: Floats
    h: Floats
    log_det: Floats


class LeftOutFullHits(Pass[Floats]):
    """The weight of the rows put right by each shrinkage (G,).

    `moments` by class in one unit for all columns; `bases` one for each class, for the shrinkages `gammas`;
    `log_priors` (K,) if fixed, else None for the classes' own shares, which the left-out row changes.
    """

    least_rows = 4 * _CHUNK_ROWS

    def __init__(self, moments: Moments, gammas: Floats, bases: Sequence[Basis], log_priors: Floats | None) -> None:
        self.unit, self.mean = moments.unit, moments.mean / moments.unit
        self.weight, self.columns = moments.weight, len(moments.unit)
        self.gammas, self.bases, self.log_priors = gammas, bases, log_priors
        self._turns = [LinearFunctions.of_columns(basis.turn) for basis in bases]
        powers = [[basis.h**-r for r in range(1, _TERMS + 1)] for basis in bases]  # (class) (term) (G, d)
        self._inverses = [LinearFunctions.of_columns(of[0].T) for of in powers]
        self._powers = [LinearFunctions.of_columns(np.concatenate(of).T) for of in powers]
        self._power_sums = [[power.sum(axis=1) for power in of] for of in powers]
        self._steepest = [float((gammas / basis.h.min(axis=1)).max()) for basis in bases]

    def begin(self) -> Floats:
        return np.zeros(len(self.gammas))

    def merge(self, into: Floats, other: Floats) -> Floats:
        into += other
        return into

    def flops_per_row(self) -> int:
        return 2 * self.columns * (len(self.weight) * (self.columns + len(self.gammas)) + 3 * len(self.gammas))

    def block(self, block: Block, into: Floats) -> None:
        for codes, weights, Y in block.centred(np.zeros(self.columns), 1.0 / self.unit):
            for start in range(0, len(Y), _CHUNK_ROWS):
                part = slice(start, start + _CHUNK_ROWS)
                w = np.ones(len(Y[part])) if weights is None else weights[part]
                used = (w > 0) & (self.weight[codes[part]] > w)  # others leave no class behind
                with np.errstate(over="ignore"):
                    scores = self.scores(Y[part][used], codes[part][used], w[used])
                into += w[used] @ (scores.argmax(axis=2) == codes[part][used, None])

    def scores(self, Y: Floats, codes: Codes, weights: Floats) -> Floats:
        """The log joint densities (rows, G, K), up to a term common to all classes."""
        out = np.empty((len(Y), len(self.gammas), len(self.weight)))
        for k, basis in enumerate(self.bases):
            squares = functions_of(Y - self.mean[k], self._turns[k]) ** 2
            log_prior, N = self._log_prior(k), self.weight[k]
            out[:, :, k] = log_prior - 0.5 * (basis.log_det - self.columns * np.log(N)
                                              + N * functions_of(squares, self._inverses[k]))
            mine = codes == k
            out[mine, :, k] = self._own(k, squares[mine], weights[mine])
        return out

    def _log_prior(self, k: int) -> float:
        """The common term log(n - w) is left out."""
        return float(np.log(self.weight[k]) if self.log_priors is None else self.log_priors[k])

    def _own(self, k: int, squares: Floats, weights: Floats) -> Floats:
        """The scores (rows, G) of rows of class k for k itself, each row left out."""
        N = self.weight[k]
        rest = N - weights
        c = weights * N / rest
        part = c * squares.sum(axis=1) / self.columns
        q, log_det = np.empty((len(squares), len(self.gammas))), np.empty((len(squares), len(self.gammas)))
        near = part * self._steepest[k] <= _NEAR
        for rows, way in ((near, self._expanded), (~near, self._divided)):
            q[rows], log_det[rows] = way(k, squares[rows], part[rows, None] * self.gammas)
        keep = np.maximum(1.0 - c[:, None] * (1.0 - self.gammas) * q, _TINY)
        log_det += np.log(keep) - self.columns * np.log(rest)[:, None]
        log_prior = np.log(rest)[:, None] if self.log_priors is None else self.log_priors[k]
        return np.asarray(log_prior - 0.5 * (log_det + (N * N / rest)[:, None] * (q / keep)))

    def _expanded(self, k: int, squares: Floats, e: Floats) -> tuple[Floats, Floats]:
        """q and log det G (rows, G)."""
        terms = functions_of(squares, self._powers[k]).reshape(len(squares), _TERMS, len(self.gammas))
        q, log_det, power = np.zeros_like(e), np.tile(self.bases[k].log_det, (len(e), 1)), np.ones_like(e)
        for r in range(_TERMS):
            q += power * terms[:, r]
            power *= e
            log_det -= power * (self._power_sums[k][r] / (r + 1))
        return q, log_det

    def _divided(self, k: int, squares: Floats, e: Floats) -> tuple[Floats, Floats]:
        """The same by one division for each row, shrinkage and direction."""
        basis = self.bases[k]
        q, log_det = np.empty_like(e), np.empty_like(e)
        for i, h in enumerate(basis.h):
            left = np.maximum(h - e[:, i : i + 1], _TINY)
            q[:, i] = (squares / left).sum(axis=1)
            log_det[:, i] = basis.log_det[i] + np.log(left / h).sum(axis=1)
        return q, log_det
