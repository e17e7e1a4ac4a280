"""How many rows each shrinkage gets right when the row itself was left out, with a covariance for each class: exact.

Let W be the scatter of class o, N its weight, z = x - m_o a row of it of weight w, and c = w N / (N - w). Without the
row the mean moves by -w z / (N - w), the scatter is W - c zz', and shrinkage g makes of that, up to the factor N - w,
    G - c' zz',   G = (1 - g) W + g t I,   t = (tr W - c |z|^2) / d,   c' = (1 - g) c.
With q = z'G^-1 z (Sherman & Morrison 1950), the row's distance from its own mean and the determinant become
    D_o = (N^2 / (N - w)) q / (1 - c'q),      log det = log det G + log(1 - c'q) - d log(N - w).
The other classes do not know the row. In the eigenvectors of W, G is diagonal: h_j, less the row's part g c |z|^2 / d
in the trace. A row without which its class has no density counts as wrong.
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
_TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Basis:
    """Coordinates turn'(y - m_k) of class k in which the scatter, under each of some shrinkages g, is diagonal.

    turn (d, d); h (g, d) the diagonals of (1 - g) W + g (tr W / d) I; log_det (g,) their log determinants, in the units
    of y. Where a g is above 0 the turn is orthogonal.
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
        self._inverses = [LinearFunctions.of_columns(1.0 / basis.h.T) for basis in bases]

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
            step = Y - self.mean[k]
            squares = functions_of(step, self._turns[k]) ** 2
            log_prior, N = self._log_prior(k), self.weight[k]
            out[:, :, k] = log_prior - 0.5 * (basis.log_det - self.columns * np.log(N)
                                              + N * functions_of(squares, self._inverses[k]))
            mine = codes == k
            length = np.einsum("ij,ij->i", step[mine], step[mine])
            out[mine, :, k] = self._own(k, squares[mine], length, weights[mine])
        return out

    def _log_prior(self, k: int) -> float:
        """The common term log(n - w) is left out."""
        return float(np.log(self.weight[k]) if self.log_priors is None else self.log_priors[k])

    def _own(self, k: int, squares: Floats, length: Floats, weights: Floats) -> Floats:
        """The scores (rows, G) of rows of class k for k itself, each row left out."""
        basis, N = self.bases[k], self.weight[k]
        rest = N - weights
        c = weights * N / rest
        out = np.empty((len(squares), len(self.gammas)))
        for i, gamma in enumerate(self.gammas):
            h = np.maximum(basis.h[i] - (gamma * c * length / self.columns)[:, None], _TINY)
            q = (squares / h).sum(axis=1)
            keep = np.maximum(1.0 - (1.0 - gamma) * c * q, _TINY)
            log_det = basis.log_det[i] + _log_product(h / basis.h[i]) + np.log(keep) - self.columns * np.log(rest)
            out[:, i] = -0.5 * (log_det + N * N / rest * (q / keep))
        out += np.log(rest)[:, None] if self.log_priors is None else self.log_priors[k]
        return out


def _log_product(ratios: Floats) -> Floats:
    """sum_j log r_ij for 0 < r_ij <= 1, by one logarithm a row unless their product might vanish."""
    if ratios.size and ratios.min() ** ratios.shape[1] > 1e-300:
        return np.asarray(np.log(np.multiply.reduce(ratios, axis=1)))
    return np.asarray(np.log(ratios).sum(axis=1))
