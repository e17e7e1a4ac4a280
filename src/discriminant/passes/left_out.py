"""How many rows each shrinkage gets right when the row itself was left out of the fit: exact, at about one fit.

Let W be the scatter within classes, z = x_i - m_o the row from the mean of its own class o, w its weight, N_k the
classes' weights, n their sum, and c = w N_o / (N_o - w). Without the row, W becomes W - c zz' and m_o moves by
-w z / (N_o - w). Shrinkage g makes of that, up to the factor n - w,
    G - c' zz',   G = (1 - g) W + g t I,   t = (tr W - c |z|^2) / d,   c' = (1 - g) c.
With B = G^-1, q = z'Bz, and v = x_i - m_k for another class k (Sherman & Morrison 1950),
    D_o = (N_o / (N_o - w))^2 q / (1 - c'q),        D_k = v'Bv + c' (z'Bv)^2 / (1 - c'q),
and the row goes to the largest of -(n - w) D_k / 2 + log prior_k.

In W's eigenvectors B is diagonal: 1 / (h_j + e_i), where h_j belongs to the shrinkage and e_i, the row's part in the
trace, is tiny. Expanded in powers of e_i / h_j, all of q, z'Bv and v'Bv for many rows and shrinkages are matrix
products. Rows are sorted by length, so that those of one product have nearly the same e_i and two or three powers
reach 1e-12; rows for which they do not are divided out one by one.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.blocks.block import Block
from discriminant.blocks.dense import product
from discriminant.passes.a_pass import Pass
from discriminant.passes.moments import Moments

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_CHUNK_ROWS = 512
_MOST_POWERS = 6
_TRUNCATION = 1e-12
_TABLE_CELLS = 1 << 20


class LeftOutHits(Pass[Floats]):
    """The weight of the rows put right by each shrinkage (G,).

    `moments` in one unit for all columns; `log_priors` (K,) if fixed, else None for the classes' own shares, which the
    left-out row changes; zeros make all classes equal. `whitening` R with R'W R = I serves a shrinkage of 0, for which
    units do not matter and eigenvectors would lose columns that are small beside others.
    """

    least_rows = 4096  # the more rows are sorted together, the more alike they are in a chunk

    def __init__(self, moments: Moments, gammas: Floats, log_priors: Floats | None, dimension: int, *,
                 whitening: Floats | None = None) -> None:
        if whitening is None:
            values, vectors = la.eigh(moments.pooled, check_finite=False)
            # In this unit tr W / d is 1, and no power of it leaves the range of floating point.
            unit = np.sqrt(float(np.trace(moments.pooled)) / dimension) or 1.0
            self.values, turn = np.maximum(values, 0.0) / unit**2, vectors / unit
        else:
            self.values, turn = np.ones(whitening.shape[1]), whitening
        self.turn = turn / moments.unit[:, None]
        self.centre = moments.overall_mean
        self.means = (moments.mean - self.centre) @ self.turn
        self.weight, self.total = moments.weight, moments.total
        self.gammas, self.log_priors = gammas, log_priors
        self.dimension = dimension

    def begin(self) -> Floats:
        return np.zeros(len(self.gammas))

    def merge(self, into: Floats, other: Floats) -> Floats:
        into += other
        return into

    def flops_per_row(self) -> int:
        return 2 * len(self.values) * (self.dimension + 3 * len(self.gammas) * (len(self.weight) + 1))

    def block(self, block: Block, into: Floats) -> None:
        weights = np.ones(block.shape[0]) if block.weights is None else block.weights
        rows = np.flatnonzero((weights > 0) & (self.weight[block.codes] > weights))  # others leave no class behind
        Z = np.empty((len(rows), len(self.values)))
        for start in range(0, len(rows), _CHUNK_ROWS):
            part = rows[start : start + _CHUNK_ROWS]
            Z[start : start + _CHUNK_ROWS] = product(block.rows(part) - self.centre, self.turn)
        codes, weights = block.codes[rows], weights[rows]
        Z -= self.means[codes]
        own = self.weight[codes]
        part_in_trace = weights * own / (own - weights) * np.einsum("ij,ij->i", Z, Z) / self.dimension
        order = np.argsort(part_in_trace)
        for start in range(0, len(rows), _CHUNK_ROWS):
            chunk = order[start : start + _CHUNK_ROWS]
            chunk = chunk[np.argsort(codes[chunk], kind="stable")]
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # at distances beyond numbers: wrong
                into += _Chunk(self, Z[chunk], codes[chunk], weights[chunk], part_in_trace[chunk]).hits()


class _Chunk:
    """Rows of nearly the same length, in order of their classes."""

    def __init__(self, task: LeftOutHits, Z: Floats, codes: Codes, weights: Floats, part: Floats) -> None:
        self.task, self.Z, self.weights = task, Z, weights
        self.middle = (part.min() + part.max()) / 2
        self.deviation = part - self.middle
        present = np.unique(codes)
        ends = np.searchsorted(codes, present, side="right")
        self.classes = [(int(k), slice(a, b)) for k, a, b in zip(present, [0, *ends[:-1]], ends, strict=True)]

    def hits(self) -> Floats:
        """The weight of the rows that each shrinkage puts right; NaN where the covariance itself is singular."""
        gammas = self.task.gammas
        H = (1 - gammas) * self.task.values[:, None] + gammas * (1.0 - self.middle)
        powers = self._powers(H)
        out = np.full(len(gammas), np.nan)
        for i in np.flatnonzero(powers > _MOST_POWERS):
            out[i] = self._divided(gammas[i : i + 1], H[:, i : i + 1])[0]
        near = np.flatnonzero((powers > 0) & (powers <= _MOST_POWERS))
        most = int(powers[near].max(initial=1))
        at_once = max(1, _TABLE_CELLS // (most * len(self.Z) * len(self.task.weight)))
        for start in range(0, len(near), at_once):
            some = near[start : start + at_once]
            out[some] = self._expanded(gammas[some], H[:, some], most)
        return out

    def _powers(self, H: Floats) -> NDArray[np.intp]:
        """How many powers of e / h reach the truncation, for each shrinkage; 0 where nothing is invertible."""
        gammas, least = self.task.gammas, H.min(axis=0)
        singular = (gammas == 0) & (least <= 1e-13 * self.task.values.max(initial=0.0))
        reach = gammas * float(np.abs(self.deviation).max())
        ratio = np.divide(reach, least, out=np.ones_like(least), where=least > 0)
        far = ratio >= 0.1
        counts = np.ceil(np.log(_TRUNCATION) / np.log(np.clip(ratio, 1e-300, 0.1))).astype(np.intp)
        return np.where(singular, 0, np.where(far, _MOST_POWERS + 1, counts))

    def _expanded(self, gammas: Floats, H: Floats, powers: int) -> Floats:
        """Hits by expansion, all these shrinkages at once."""
        task, rows, count = self.task, len(self.Z), len(gammas)
        inverse = (1.0 / H)[:, None, :] ** np.arange(1.0, powers + 1)[:, None]  # (m, powers, G)
        flat = inverse.reshape(len(H), -1)
        squares = product(self.Z * self.Z, flat).reshape(rows, powers, count)
        table = inverse[:, :, None, :] * task.means.T[:, None, :, None]
        crosses = product(self.Z, table.reshape(len(H), -1)).reshape(rows, powers, -1, count)
        out = np.zeros(count)
        for k, mine in self.classes:
            between = (((task.means[k] - task.means) ** 2) @ flat).reshape(-1, powers, count)
            e = self.deviation[mine, None] * gammas
            q, P, t, factor = squares[mine, 0], crosses[mine, 0], between[None, :, 0], e
            for power in range(1, powers):
                q = q + factor * squares[mine, power]
                P = P + factor[:, None] * crosses[mine, power]
                t = t + factor[:, None] * between[:, power]
                factor = factor * e
            out += self._right(k, mine, gammas, q, P, t)
        return out

    def _divided(self, gamma: Floats, h: Floats) -> Floats:
        """Hits of one shrinkage by a division for each row and direction."""
        means, out = self.task.means, np.zeros(1)
        for k, mine in self.classes:
            inverse = 1.0 / (h[:, 0] - gamma * self.deviation[mine, None])
            ZB = self.Z[mine] * inverse
            q = np.einsum("ij,ij->i", ZB, self.Z[mine])[:, None]
            t = (inverse @ ((means[k] - means) ** 2).T)[:, :, None]
            out += self._right(k, mine, gamma, q, (ZB @ means.T)[:, :, None], t)
        return out

    def _right(self, k: int, mine: slice, gammas: Floats, q: Floats, P: Floats, t: Floats) -> Floats:
        """The weight of the rows of class k that stay in it, from q = z'Bz (rows, G) and, (rows, K, G),
        P = z'B m_j and t = (m_k - m_j)'B(m_k - m_j)."""
        weights, own = self.weights[mine], self.task.weight[k]
        c = (1 - gammas) * (weights * own / (own - weights))[:, None]
        keep = np.maximum(1 - c * q, np.finfo(float).tiny)
        step = P[:, k : k + 1] - P  # z'B(m_k - m_j)
        across = step + q[:, None]  # z'Bv
        step += across
        step += t  # v'Bv
        across *= across
        across *= (c / keep)[:, None]
        step += across
        handicaps = self._handicaps(k, weights)
        step += handicaps[:, :, None]
        stretch = (own / (own - weights)) ** 2  # of z, as the row's own mean moves away from it
        mine_is = stretch[:, None] * q / keep + handicaps[:, k : k + 1]
        step[:, k] = mine_is
        stays = (step[:, :k] > mine_is[:, None]).all(axis=1) & (step[:, k:] >= mine_is[:, None]).all(axis=1)
        return np.asarray(weights @ stays)

    def _handicaps(self, k: int, weights: Floats) -> Floats:
        """-2 log prior_j / (n - w) for rows of class k (rows, K): added to distances, they make them comparable."""
        task = self.task
        if task.log_priors is not None:
            log_priors = np.tile(task.log_priors, (len(weights), 1))
        else:
            log_priors = np.tile(np.log(task.weight), (len(weights), 1))
            log_priors[:, k] = np.log(task.weight[k] - weights)
        return np.asarray(-2.0 * log_priors / (task.total - weights)[:, None])
