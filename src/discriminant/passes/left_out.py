"""How many rows each shrinkage gets right when the row itself was left out of the fit: exact, at about one fit.

Let W be the scatter within classes, z = x_i - m_o the row from the mean of its own class o, w its weight, N_k the
classes' weights, n their sum, and c = w N_o / (N_o - w). Without the row, W becomes W - c zz' and m_o moves by
-w z / (N_o - w). Shrinkage g makes of that, up to the factor n - w,
    G - c' zz',   G = (1 - g) W + g t I,   t = (tr W - c |z|^2) / d,   c' = (1 - g) c.
With B = G^-1, q = z'Bz, and v = x_i - m_k for another class k (Sherman & Morrison 1950),
    D_o = (N_o / (N_o - w))^2 q / (1 - c'q),        D_k = v'Bv + c' (z'Bv)^2 / (1 - c'q),
and the row goes to the largest of -(n - w) D_k / 2 + log prior_k.

In W's eigenvectors B is diagonal: 1 / (h_j - g e_i), where h_j belongs to the shrinkage and e_i, the row's part in the
trace, is tiny. Rows are sorted by length, so that those of a chunk have nearly the same e_i; that is put into h_j, and
what is left is expanded in powers of g e_i / h_j, of which two or three reach 1e-12. All these powers, over all
shrinkages, are smooth functions of W's eigenvalue: a basis of some thirty functions spans them to rounding. So a row
meets only the basis, in one product, and a small product makes of that z'Bz, z'B(m_o - m_k) and the rest for every
shrinkage. Rows and shrinkages for which powers or basis do not suffice are divided out one by one.
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

_PIECE_ROWS = 1024
_CHUNK_ROWS = 2048
_MOST_POWERS = 6
_TRUNCATION = 1e-12
_SPAN_ERROR = 1e-11  # of 1 / h in the basis


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
        self.span = _Span(self.spectra(1.0))
        self.spanned_means = (self.means.T[:, :, None] * self.span.basis[:, None]).reshape(len(self.values), -1)

    def spectra(self, level: float) -> Floats:
        """h_j of every shrinkage (m, G), where the rows' part in the trace leaves `level` of it."""
        return np.asarray((1 - self.gammas) * self.values[:, None] + self.gammas * level)

    def begin(self) -> Floats:
        return np.zeros(len(self.gammas))

    def merge(self, into: Floats, other: Floats) -> Floats:
        into += other
        return into

    def flops_per_row(self) -> int:
        functions = int(self.span.basis.shape[1])
        return 2 * (len(self.values) * (self.dimension + functions * (len(self.weight) + 1))
                    + 6 * functions * len(self.gammas) * len(self.weight))

    def block(self, block: Block, into: Floats) -> None:
        weights = np.ones(block.shape[0]) if block.weights is None else block.weights
        rows = np.flatnonzero((weights > 0) & (self.weight[block.codes] > weights))  # others leave no class behind
        codes, weights = block.codes[rows], weights[rows]
        Z = np.empty((len(rows), len(self.values)))
        for start in range(0, len(rows), _PIECE_ROWS):
            piece = slice(start, start + _PIECE_ROWS)
            turned = product(block.rows(rows[piece]) - self.centre, self.turn)
            np.subtract(turned, self.means.take(codes[piece], axis=0), out=Z[piece])
        own = self.weight[codes]
        part_in_trace = weights * own / (own - weights) * np.einsum("ij,ij->i", Z, Z) / self.dimension
        order = np.argsort(part_in_trace)
        for start in range(0, len(rows), _CHUNK_ROWS):
            chunk = order[start : start + _CHUNK_ROWS]
            chunk = chunk[np.argsort(codes[chunk], kind="stable")]
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # at distances beyond numbers: wrong
                into += _Chunk(self, Z.take(chunk, axis=0), codes[chunk], weights[chunk], part_in_trace[chunk]).hits()


class _Span:
    """Functions of the eigenvalue that span 1 / h and its square, and so nearly its powers, for all shrinkages."""

    def __init__(self, H: Floats) -> None:
        inverse = 1.0 / H[:, H.min(axis=0) > 0]
        self._scale = 1.0 / np.median(inverse, axis=1, keepdims=True) if inverse.size else np.ones((len(H), 1))
        functions = np.hstack([inverse, inverse**2]) * self._scale
        turn, triangle, _ = la.qr(functions / functions.max(axis=0), mode="economic", pivoting=True)
        size = np.abs(np.diagonal(triangle))
        self._turn = turn[:, : int((size > np.finfo(float).eps * size.max(initial=0.0)).sum())]
        self.basis = self._turn / self._scale

    def weights(self, functions: Floats) -> Floats:
        """The basis times these (r, G) are the functions (m, G), as nearly as can be."""
        return np.asarray(self._turn.T @ (functions * self._scale))


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
        H = self.task.spectra(1.0 - self.middle)
        powers = self._powers(H)
        out = np.full(len(gammas), np.nan)
        for i in np.flatnonzero(powers > _MOST_POWERS):
            out[i] = self._divided(gammas[i : i + 1], H[:, i : i + 1])[0]
        near = np.flatnonzero((powers > 0) & (powers <= _MOST_POWERS))
        if len(near):
            out[near] = self._expanded(gammas[near], H[:, near], int(powers[near].max()))
        return out

    def _powers(self, H: Floats) -> NDArray[np.intp]:
        """How many powers of e / h reach the truncation, for each shrinkage; 0 where nothing is invertible."""
        gammas, least = self.task.gammas, H.min(axis=0)
        singular = (gammas == 0) & (least <= 1e-13 * self.task.values.max(initial=0.0))
        reach = gammas * float(np.abs(self.deviation).max())
        ratio = np.divide(reach, least, out=np.ones_like(least), where=least > 0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            missed = np.abs(H * (self.task.span.basis @ self.task.span.weights(1.0 / H)) - 1.0).max(axis=0)
        far = (ratio >= 0.1) | ~(missed <= _SPAN_ERROR)
        counts = np.ceil(np.log(_TRUNCATION) / np.log(np.clip(ratio, 1e-300, 0.1))).astype(np.intp)
        return np.where(singular, 0, np.where(far, _MOST_POWERS + 1, counts))

    def _expanded(self, gammas: Floats, H: Floats, powers: int) -> Floats:
        """Hits by expansion, all these shrinkages at once."""
        task, rows, span = self.task, len(self.Z), self.task.span
        # (powers r, G): what makes values at every shrinkage of values in the basis times powers of e.
        spread = np.vstack([span.weights(gammas**p / H ** (p + 1)) for p in range(powers)])
        squares = product(self.Z * self.Z, span.basis)[:, None]
        crosses = product(self.Z, task.spanned_means).reshape(rows, len(task.weight), -1)
        factors = self.deviation[:, None] ** np.arange(powers)

        def at_shrinkages(values: Floats, mine: slice) -> Floats:
            raised = values[:, :, None] * factors[mine, None, :, None]
            return product(raised.reshape(-1, len(spread)), spread).reshape(*values.shape[:2], -1)

        out = np.zeros(len(gammas))
        for k, mine in self.classes:
            others = np.arange(len(task.weight)) != k
            across = crosses[mine, k : k + 1] - crosses[mine, others]  # z'B(m_k - m_j), in the basis
            between = (task.means[k] - task.means[others]) ** 2 @ span.basis
            out += self._right(k, mine, gammas, at_shrinkages(squares[mine], mine)[:, 0],
                               at_shrinkages(across + squares[mine], mine), at_shrinkages(across + between, mine))
        return out

    def _divided(self, gamma: Floats, h: Floats) -> Floats:
        """Hits of one shrinkage by a division for each row and direction."""
        means, out = self.task.means, np.zeros(1)
        for k, mine in self.classes:
            apart = np.delete(means[k] - means, k, axis=0)
            inverse = 1.0 / (h[:, 0] - gamma * self.deviation[mine, None])
            ZB = self.Z[mine] * inverse
            q, S = np.einsum("ij,ij->i", ZB, self.Z[mine]), ZB @ apart.T
            out += self._right(k, mine, gamma, q[:, None], (q[:, None] + S)[:, :, None],
                               (S + inverse @ (apart**2).T)[:, :, None])
        return out

    def _right(self, k: int, mine: slice, gammas: Floats, q: Floats, near: Floats, far: Floats) -> Floats:
        """The weight of the rows of class k that stay in it.

        With u = m_k - m_j for every other class j, from q = z'Bz (rows, G) and, (rows, K - 1, G), near = z'B(z + u) and
        far = (z + u)'Bu; both arrays are overwritten.
        """
        weights, own = self.weights[mine], self.task.weight[k]
        c = (1 - gammas) * (weights * own / (own - weights))[:, None]
        keep = np.maximum(1 - c * q, np.finfo(float).tiny)
        distance = far
        distance += near  # v'Bv with v = z + u
        near *= near
        near *= (c / keep)[:, None]
        distance += near
        handicap, others = self._handicaps(k, weights)
        distance += others[:, :, None]
        stretch = (own / (own - weights)) ** 2  # of z, as the row's own mean moves away from it
        mine_is = (stretch[:, None] * q / keep + handicap[:, None])[:, None]
        # Of equal distances the first class wins.
        stays = (distance[:, :k] > mine_is).all(axis=1) & (distance[:, k:] >= mine_is).all(axis=1)
        return np.asarray(weights @ stays)

    def _handicaps(self, k: int, weights: Floats) -> tuple[Floats, Floats]:
        """-2 log prior / (n - w) for rows of class k, of their own class (rows,) and the others (rows, K - 1): added to
        distances, they make them comparable."""
        task = self.task
        if task.log_priors is not None:
            own, others = np.full(len(weights), task.log_priors[k]), np.delete(task.log_priors, k)
        else:
            own, others = np.log(task.weight[k] - weights), np.log(np.delete(task.weight, k))
        scale = -2.0 / (task.total - weights)
        return own * scale, scale[:, None] * others
