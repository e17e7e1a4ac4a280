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
from discriminant.blocks.dense import DenseBlock
from discriminant.passes.a_pass import Pass
from discriminant.passes.moments import Moments

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_CHUNK_ROWS = 1024
_MOST_POWERS = 6
_TRUNCATION = 1e-12
_TABLE_CELLS = 1 << 21


class LeftOutHits(Pass[Floats]):
    """The weight of the rows put right by each shrinkage (G,).

    `moments` in one unit for all columns; `log_priors` (K,) if fixed, else None for the classes' own shares, which the
    left-out row changes; zeros make all classes equal.
    """

    least_rows = 4 * _CHUNK_ROWS

    def __init__(self, moments: Moments, gammas: Floats, log_priors: Floats | None, dimension: int) -> None:
        values, vectors = la.eigh(moments.pooled, check_finite=False)
        self.level = 1.0  # tr W / d, by the choice of unit
        unit = np.sqrt(float(np.trace(moments.pooled)) / dimension) or 1.0
        self.values = np.maximum(values, 0.0) / unit**2
        self.turn = vectors / unit / moments.unit[:, None]
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
            Z[start : start + _CHUNK_ROWS] = _product(block.rows(part) - self.centre, self.turn)
        codes, weights = block.codes[rows], weights[rows]
        Z -= self.means[codes]
        own = self.weight[codes]
        part_in_trace = weights * own / (own - weights) * np.einsum("ij,ij->i", Z, Z) / self.dimension
        order = np.argsort(part_in_trace)
        for start in range(0, len(rows), _CHUNK_ROWS):
            chunk = order[start : start + _CHUNK_ROWS]
            into += _Chunk(self, Z[chunk], codes[chunk], weights[chunk], part_in_trace[chunk]).hits()


class _Chunk:
    """Rows of nearly the same length."""

    def __init__(self, task: LeftOutHits, Z: Floats, codes: Codes, weights: Floats, part: Floats) -> None:
        self.task, self.Z, self.codes, self.weights = task, Z, codes, weights
        self.middle = (part[0] + part[-1]) / 2
        self.deviation = part - self.middle
        own = task.weight[codes]
        self.c = weights * own / (own - weights)
        self.own_stretch = (own / (own - weights)) ** 2
        self.rest = task.total - weights
        self.offset = self._log_priors()

    def _log_priors(self) -> Floats:
        """(rows, K); the common term log(n - w) is left out."""
        task, rows = self.task, len(self.codes)
        if task.log_priors is not None:
            return np.broadcast_to(task.log_priors, (rows, len(task.weight)))
        out = np.tile(np.log(task.weight), (rows, 1))
        out[np.arange(rows), self.codes] = np.log(task.weight[self.codes] - self.weights)
        return out

    def hits(self) -> Floats:
        task = self.task
        out = np.empty(len(task.gammas))
        powers = [self._powers(g) for g in task.gammas]
        group: list[int] = []
        for i, count in enumerate(powers):
            if count == 0:
                out[i] = np.nan
            elif count > _MOST_POWERS:
                out[i] = self._hits(task.gammas[i], *self._direct(task.gammas[i]))
            else:
                group.append(i)
        columns = len(self.Z) * (1 + len(task.weight))
        while group:
            many, cells = 0, 0
            while many < len(group) and (many == 0 or cells + powers[group[many]] * columns <= _TABLE_CELLS):
                cells += powers[group[many]] * columns
                many += 1
            for i, products in zip(group[:many], self._expanded(group[:many], powers), strict=True):
                out[i] = self._hits(task.gammas[i], *products)
            group = group[many:]
        return out

    def _h(self, gamma: float) -> Floats:
        return np.asarray((1 - gamma) * self.task.values + gamma * (self.task.level - self.middle))

    def _powers(self, gamma: float) -> int:
        """How many powers reach the truncation; 0 where the matrix itself is singular."""
        least = self._h(gamma).min()
        if least <= (0.0 if gamma > 0 else 1e-13 * self.task.values.max()):
            return 0 if gamma == 0 else _MOST_POWERS + 1
        ratio = gamma * float(np.abs(self.deviation).max()) / least
        if ratio == 0:
            return 1
        return int(np.ceil(np.log(_TRUNCATION) / np.log(ratio))) if ratio < 0.1 else _MOST_POWERS + 1

    def _expanded(self, group: list[int], powers: list[int]) -> list[tuple[Floats, Floats, Floats]]:
        """q (rows,), z'B m_k (rows, K) and (m_o - m_k)'B(m_o - m_k) (rows, K) for each shrinkage of the group."""
        task, classes = self.task, len(self.task.weight)
        inverses = [self._h(task.gammas[i])[:, None] ** -np.arange(1.0, powers[i] + 1) for i in group]
        table = np.hstack(inverses)
        squares = _product(self.Z * self.Z, table)
        crosses = _product(self.Z, (task.means.T[:, None, :] * table[:, :, None]).reshape(len(table), -1))
        crosses = crosses.reshape(len(self.Z), -1, classes)
        between = ((task.means[:, None, :] - task.means[None, :, :]) ** 2) @ table  # (K, K, columns)
        out, at = [], 0
        for i, inverse in zip(group, inverses, strict=True):
            count = inverse.shape[1]
            e = task.gammas[i] * self.deviation  # minus the row's own e_i
            q, p = squares[:, at].copy(), crosses[:, at].copy()
            t = between[:, :, at][self.codes]
            factor = np.ones_like(e)
            for power in range(1, count):
                factor = factor * e
                q += factor * squares[:, at + power]
                p += factor[:, None] * crosses[:, at + power]
                t += factor[:, None] * between[:, :, at + power][self.codes]
            out.append((q, p, t))
            at += count
        return out

    def _direct(self, gamma: float) -> tuple[Floats, Floats, Floats]:
        """The same by one division for each row and direction."""
        means = self.task.means
        inverse = 1.0 / (self._h(gamma) - gamma * self.deviation[:, None])
        ZB = self.Z * inverse
        t = np.empty((len(self.Z), len(means)))
        for k in np.unique(self.codes):
            mine = self.codes == k
            t[mine] = inverse[mine] @ ((means[k] - means) ** 2).T
        return np.einsum("ij,ij->i", ZB, self.Z), ZB @ means.T, t

    def _hits(self, gamma: float, q: Floats, p: Floats, t: Floats) -> float:
        """The weight of rows whose own class has the largest score."""
        rows = np.arange(len(q))
        c = (1 - gamma) * self.c
        keep = np.maximum(1 - c * q, np.finfo(float).tiny)
        p -= p[rows, self.codes][:, None]  # now -z'B(m_o - m_k)
        across = q[:, None] - p  # z'Bv
        D = across - p + t
        across *= across
        across *= (c / keep)[:, None]
        D += across
        D[rows, self.codes] = self.own_stretch * q / keep
        D *= (-0.5 * self.rest)[:, None]
        D += self.offset
        return float(self.weights @ (D.argmax(axis=1) == self.codes))


def _product(A: Floats, B: Floats) -> Floats:
    return DenseBlock(A, 0, np.zeros(len(A), np.int32), None).times(B)
