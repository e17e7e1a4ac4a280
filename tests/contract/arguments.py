"""What the contract tests give to each pass: arguments, how to read its value, and what the value should be.

A new pass needs an entry in ARGUMENTS, by the name of its class: a function of `Rows` that gives a list of `Given`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
import reference
import scipy.sparse as sp
from scipy.stats import multivariate_normal

from discriminant import losses
from discriminant.blocks.functions import LinearFunctions
from discriminant.blocks.origin import Origin
from discriminant.combine import votes as count
from discriminant.combine.unbeaten import BEATEN, Unbeaten
from discriminant.combine.votes import Pairs, PairVotes
from discriminant.passes.distances import DeviationByClass, MetricByClass, OneMetric
from discriminant.passes.exact_residuals import ExactResiduals
from discriminant.passes.finite import FirstNotFinite
from discriminant.passes.fourth import FourthMoments
from discriminant.passes.largest import Largest
from discriminant.passes.left_out import LeftOutHits
from discriminant.passes.left_out_full import Basis, LeftOutFullHits
from discriminant.passes.left_out_ridge import LeftOutRidge
from discriminant.passes.lengths import Lengths
from discriminant.passes.log_densities import LogDensities
from discriminant.passes.loss import LossAndGradient
from discriminant.passes.mistakes import Mistakes
from discriminant.passes.moments import MomentSums, Spread
from discriminant.passes.products import GramProducts
from discriminant.passes.residuals import Residuals
from discriminant.passes.scores import Scores
from discriminant.passes.tsqr import TriangularFactor
from discriminant.places.memory import MemoryPlace
from discriminant.solvers.measure import measure


@dataclass(frozen=True)
class Rows:
    """Rows X (n, d) in any form, class codes, weights or None, and the number of classes."""

    X: Any
    codes: np.ndarray
    weights: np.ndarray | None
    classes: int

    @property
    def dense(self):
        return np.asarray(self.X.toarray() if sp.issparse(self.X) else self.X, np.float64)

    @property
    def w(self):
        return np.ones(len(self.codes)) if self.weights is None else self.weights

    @property
    def place(self):
        return MemoryPlace(self.X, self.codes, self.weights)

    def taken(self, order):
        weights = None if self.weights is None else self.weights[order]
        return Rows(self.X[order], self.codes[order], weights, self.classes)


@dataclass
class Given:
    """A pass ready to run. `filled` are arrays (n, ...) that it fills; `read` makes comparable arrays of its value."""

    name: str
    task: Any
    expected: dict[str, np.ndarray] | None = None
    filled: dict[str, np.ndarray] = field(default_factory=dict)
    read: Callable[[Any], dict[str, np.ndarray]] = None
    counts_repetitions: bool = True  # whether a row of weight 2 is two rows
    in_order: tuple[str, ...] = ()  # parts of the value that depend on the order of rows

    def values(self, value):
        """All that the pass found: {name: array}."""
        found = (self.read or arrays_of)(value)
        return {**{name: np.asarray(each) for name, each in found.items()}, **self.filled}

    def fold(self, rows):
        return self.values(rows.place.fold(self.task))


def arrays_of(value):
    """{name: array} of a value that is an array or a dataclass of arrays and numbers."""
    if is_dataclass(value):
        return {each.name: np.asarray(getattr(value, each.name)) for each in fields(value)}
    return {"value": np.asarray(value)}


# How values are read


def of_moments(task):
    def read(value):
        moments = task.finish(value)
        S = moments.in_units(np.ones_like(moments.unit)).scatter
        return {"weight": moments.weight, "mean": moments.mean, "scatter": S}
    return read


def of_triangle(value):
    return {"gram": sum((R.T @ R for R in value), np.zeros(()))}


def of_pairs(value):
    return {"sums": value.sums.high + value.sums.low, "products": value.products.high + value.products.low,
            "squares": value.squares}


# Arguments


def moment_sums(rows):
    d = rows.X.shape[1]
    wanted = reference.class_moments(rows.dense, rows.codes, rows.w, rows.classes)
    scatters = {Spread.POOLED: wanted.pooled[None], Spread.BY_CLASS: wanted.scatter,
                Spread.DIAGONAL: np.diagonal(wanted.scatter, axis1=1, axis2=2)}
    out = []
    for spread, scatter in scatters.items():
        task = MomentSums(origin_of(rows), d, spread)
        out.append(Given(f"MomentSums, {spread.value}", task, {"weight": wanted.weight, "mean": wanted.mean,
                                                               "scatter": scatter}, read=of_moments(task)))
    return out


def origin_of(rows):
    place = rows.place
    centre = np.zeros((rows.classes, rows.X.shape[1]))
    if not place.is_sparse:
        for k in range(rows.classes):
            centre[k] = rows.dense[np.flatnonzero(rows.codes == k)[0]]
    return Origin.of(centre, np.abs(rows.dense).max(axis=0), place.dtype)


def functions(rows, K):
    rng = np.random.default_rng(K)
    return LinearFunctions.of(rng.standard_normal((K, rows.X.shape[1])), rng.standard_normal(K))


def scores(rows):
    out = []
    for K in (1, 2, 3, 5, 17, 40):
        f = functions(rows, K)
        Z = rows.dense @ f.coef.T + f.intercept
        wins = (Z[:, 0] > 0).astype(np.int32) if K == 1 else Z.argmax(axis=1)
        both = {"out": np.full(Z.shape, np.nan), "winners": np.full(len(Z), -1, np.int32)}
        out.append(Given(f"Scores, {K} functions", Scores(f, **both), {"row": -1, "out": Z, "winners": wins}, both))
        only = {"winners": np.full(len(Z), -1, np.int32)}
        out.append(Given(f"Scores, winners of {K}", Scores(f, **only), {"row": -1, "winners": wins}, only))
    return out


def first_not_finite(rows):
    return [Given("FirstNotFinite", FirstNotFinite(), {"row": -1, "column": -1, "value": 0.0})]


def fourth_moments(rows):
    m = reference.class_moments(rows.dense, rows.codes, rows.w, rows.classes)
    scales = {"one scale": np.full((1, rows.X.shape[1]), 0.5),
              "a scale for each class": np.linspace(0.5, 2, m.mean.size).reshape(m.mean.shape)}
    out = []
    for name, scale in scales.items():
        Z = (rows.dense - m.mean[rows.codes]) * np.broadcast_to(scale, m.mean.shape)[rows.codes]
        wanted = np.bincount(rows.codes, rows.w * (Z**2).sum(axis=1) ** 2, minlength=rows.classes)
        out.append(Given(f"FourthMoments, {name}", FourthMoments(m.mean, scale), {"value": wanted}))
    return out


def largest(rows):
    return [Given("Largest", Largest(rows.X.shape[1]), {"value": np.abs(rows.dense).max(axis=0)})]


def lengths(rows):
    filled = {"lengths": np.full(len(rows.codes), np.nan)}
    wanted = np.sqrt((rows.dense**2).sum(axis=1) + 1)
    return [Given("Lengths", Lengths(filled["lengths"]), {"row": -1, "lengths": wanted}, filled)]


def mistakes(rows):
    """Two candidates, of one function for two classes and of one for each of several."""
    K = rows.classes
    each, out = (1 if K == 2 else K), []
    f = functions(rows, 2 * each)
    Z, own = rows.dense @ f.coef.T + f.intercept, rows.codes[:, None]
    for threshold in (0.0, 0.5):
        wanted = np.zeros((2, 2))
        for c in range(2):
            z = Z[:, c * each : (c + 1) * each]
            if K == 2:
                margin = np.where(rows.codes == 1, z[:, 0], -z[:, 0])
            else:
                others = np.where(np.arange(K) == own, -np.inf, z).max(axis=1)
                margin = np.take_along_axis(z, own, axis=1)[:, 0] - others
            wrong = margin <= threshold
            wanted[c] = rows.w @ wrong, rows.w @ np.where(wrong, threshold - margin, 0.0)
        out.append(Given(f"Mistakes, threshold={threshold}", Mistakes(f, K, threshold, np.zeros(K, bool)),
                         {"value": wanted}))
    return out


def residuals(rows):
    rng = np.random.default_rng(1)
    d, m = rows.X.shape[1], 2
    centre, scale = rng.standard_normal(d), np.ldexp(1.0, rng.integers(-2, 3, d))
    B, targets = rng.standard_normal((d, m)), rng.standard_normal((rows.classes, m))
    R = targets[rows.codes] - (rows.dense - centre) * scale @ B
    return [Given("Residuals", Residuals(centre, scale, B, targets), {"value": rows.w @ R**2})]


def exact_residuals(rows):
    rng = np.random.default_rng(2)
    d, m = rows.X.shape[1], 2
    scale, B, b = np.ldexp(1.0, rng.integers(-2, 3, d)), rng.standard_normal((d, m)), rng.standard_normal(m)
    targets = rng.standard_normal((rows.classes, m))
    Y, w = rows.dense.astype(np.longdouble) * scale, rows.w.astype(np.longdouble)
    R = targets[rows.codes] - b - Y @ B
    wanted = {"sums": w @ R, "products": (w[:, None] * Y).T @ R, "squares": w @ R**2}
    return [Given("ExactResiduals", ExactResiduals(scale, B, b, targets),
                  {name: each.astype(float) for name, each in wanted.items()}, read=of_pairs)]


def gram_products(rows):
    rng = np.random.default_rng(3)
    V, h = rng.standard_normal((rows.X.shape[1], 3)), rng.random(len(rows.codes))
    X = rows.dense
    out = [Given("GramProducts", GramProducts(V), {"value": X.T @ (rows.w[:, None] * (X @ V))})]
    factors = rows.w * h
    return [*out, Given("GramProducts with factors", GramProducts(V, h), {"value": X.T @ (factors[:, None] * (X @ V))},
                        counts_repetitions=False, in_order=("value",))]


def triangular_factor(rows):
    rng = np.random.default_rng(4)
    d = rows.X.shape[1]
    centre, scale, targets = rng.standard_normal(d), np.ldexp(1.0, rng.integers(-2, 3, d)), np.eye(rows.classes)
    out = []
    for constant in (True, False):
        A = np.hstack([np.ones((len(rows.codes), int(constant))), (rows.dense - centre) * scale, targets[rows.codes]])
        task = TriangularFactor(centre, scale, targets, constant=constant)
        out.append(Given(f"TriangularFactor, constant={constant}", task, {"gram": A.T @ (rows.w[:, None] * A)},
                         read=of_triangle))
    return out


def loss_and_gradient(rows):
    out = []
    for cls in (each for each in vars(losses).values() if isinstance(each, type) and issubclass(each, losses.Loss)
                and each is not losses.Loss):
        loss = cls(0.7) if cls is losses.HuberHinge else cls()
        K = rows.classes if cls is losses.Softmax else 1
        if K == 1 and rows.classes != 2:
            continue
        f = functions(rows, K)
        z = rows.dense @ f.coef.T + f.intercept
        r = rows.w[:, None] * loss.gradient(z, rows.codes)
        filled = {"scores": np.full(z.shape, np.nan)}
        wanted = {"loss": rows.w @ loss.value(z, rows.codes), "gradient": r.T @ rows.dense,
                  "intercept_gradient": r.sum(axis=0), "bad": -1, "scores": z}
        if K == 1:
            filled["curvature"] = np.full(len(z), np.nan)
            wanted["curvature"] = rows.w * loss.curvature(z, rows.codes)[:, 0]
        out.append(Given(f"LossAndGradient, {cls.__name__}", LossAndGradient(f, loss, **filled), wanted, filled,
                         read=lambda value: {**arrays_of(value), "gradient": value.gradient[:, : rows.X.shape[1]]}))
    return out


def log_densities(rows):
    m = reference.class_moments(rows.dense, rows.codes, rows.w, rows.classes)
    S = (m.scatter + np.eye(rows.X.shape[1])) / m.weight[:, None, None]
    scale = np.ldexp(1.0, np.arange(rows.X.shape[1]) % 4 - 1)
    pooled, variance = S.mean(axis=0), np.diagonal(S, axis1=1, axis2=2)
    kinds = {
        "one metric": (OneMetric(np.ones_like(scale), scale, (m.mean - 1.0) * scale @ whitener(pooled * outer(scale)),
                                 whitener(pooled * outer(scale))), np.repeat(pooled[None], rows.classes, axis=0)),
        "a metric for each class": (MetricByClass(scale, m.mean * scale, np.stack(
            [whitener(each * outer(scale)) for each in S])), S),
        "deviations for each class": (DeviationByClass(scale, m.mean * scale, np.sqrt(variance) * scale),
                                      np.stack([np.diag(each) for each in variance])),
    }
    out = []
    for name, (distances, covariance) in kinds.items():
        normal = [multivariate_normal(mean, each) for mean, each in zip(m.mean, covariance, strict=True)]
        wanted = np.column_stack([each.logpdf(rows.dense) for each in normal])
        d = rows.X.shape[1]
        offset = np.array([-0.5 * np.linalg.slogdet(each)[1] - 0.5 * d * np.log(2 * np.pi) for each in covariance])
        both = {"out": np.full(wanted.shape, np.nan), "winners": np.full(len(wanted), -1, np.int32)}
        out.append(Given(f"LogDensities, {name}", LogDensities(distances, offset, **both),
                         {"row": -1, "out": wanted, "winners": wanted.argmax(axis=1)}, both))
    return out


def outer(scale):
    return scale * scale[:, None]


def whitener(S):
    """R with R R' = S^-1."""
    values, vectors = np.linalg.eigh(S)
    return vectors / np.sqrt(values)


def moments_of(rows, spread):
    moments = measure(rows.place, rows.classes, spread)
    return moments.in_units(np.full_like(moments.unit, moments.unit.max()))


GAMMAS = np.array([0.05, 0.3, 0.9])


def left_out_hits(rows):
    moments = moments_of(rows, Spread.POOLED)
    wanted = _left_out(rows, lambda gamma: lambda X, codes, w, probes: _fisher(X, codes, w, probes, gamma))
    return [Given("LeftOutHits", LeftOutHits(moments, GAMMAS, None, rows.X.shape[1]), {"value": wanted},
                  counts_repetitions=False)]


def left_out_full_hits(rows):
    moments = moments_of(rows, Spread.BY_CLASS)
    d = rows.X.shape[1]
    bases = []
    for W in moments.scatter:
        level = np.trace(W) / d
        values, vectors = np.linalg.eigh(W / level)
        h = (1 - GAMMAS)[:, None] * values + GAMMAS[:, None]
        bases.append(Basis(vectors / np.sqrt(level), h, (np.log(h) + np.log(level)).sum(axis=1)))
    wanted = _left_out(rows, lambda gamma: lambda X, codes, w, probes: reference.log_densities(
        X, codes, w, probes, "full", gamma) + np.log(np.bincount(codes, w)))
    return [Given("LeftOutFullHits", LeftOutFullHits(moments, GAMMAS, bases, None), {"value": wanted},
                  counts_repetitions=False)]


def left_out_ridge(rows):
    X, w, T = rows.dense, rows.w, np.eye(rows.classes)[rows.codes]
    centre, alphas = w @ X / w.sum(), np.array([0.1, 10.0])
    values, vectors = np.linalg.eigh((X - centre).T @ (w[:, None] * (X - centre)))
    cross = vectors.T @ (X - centre).T @ (w[:, None] * T)
    task = LeftOutRidge(centre, vectors, 1.0 / (values[:, None] + alphas), cross, np.bincount(rows.codes, w),
                        constant=True, by_share=False, exact=False)
    hits, squares = np.zeros(2), np.zeros(2)
    for g, alpha in enumerate(alphas):
        for i in _some(rows):
            rest = np.arange(len(X)) != i
            B, b = reference.least_squares(X[rest], T[rest], w[rest], alpha)
            left = X[i] @ B + b
            hits[g] += w[i] * (left.argmax() == rows.codes[i])
            squares[g] += w[i] * ((left - T[i]) ** 2).sum()
    wanted = {"hits": hits, "squares": squares} if len(X) <= _FEW else None
    return [Given("LeftOutRidge", task, wanted, counts_repetitions=False)]


_FEW = 150  # rows that can each be left out of a fit made by hand


def _some(rows):
    return range(len(rows.codes)) if len(rows.codes) <= _FEW else ()


def _left_out(rows, scores_with):
    if len(rows.codes) > _FEW:
        return None
    found = [reference.left_out_accuracy(scores_with(gamma), rows.dense, rows.codes, rows.w) for gamma in GAMMAS]
    return np.array(found) * rows.w.sum()


def _fisher(X, codes, w, probes, gamma):
    coef, constant = reference.fisher_functions(X, codes, w, shrinkage=gamma)
    return probes @ coef.T + constant


def pair_votes(rows):
    out = []
    for K in (2, 3, 9):
        pairs, f, wanted = votes_of_pairs(rows, K)
        for answer in (count.wins, count.votes, count.sums, count.grades, count.winners):
            name = answer.__name__
            filled = {name: np.full(wanted[name].shape, -7, wanted[name].dtype)}
            task = PairVotes(pairs, f.coef, f.intercept, answer, filled[name])
            out.append(Given(f"PairVotes, {name}, {K} classes", task, {"row": -1, name: wanted[name]}, filled))
    return out


def unbeaten(rows):
    out = []
    for K in (3, 9):
        pairs, f, wanted = votes_of_pairs(rows, K)
        candidates = wanted["sums"].argmax(axis=1)
        alone = wanted["votes"][np.arange(len(candidates)), candidates] == K - 1
        filled = {"winners": np.full(len(candidates), -7, np.int32)}
        task = Unbeaten(pairs, f.coef, f.intercept, filled["winners"])
        out.append(Given(f"Unbeaten, {K} classes", task, {"row": -1, "winners": np.where(alone, candidates, BEATEN)},
                         filled))
    return out


def votes_of_pairs(rows, K):
    """The pairs of K classes, a function for each, and what they say of the rows, counted one by one."""
    pairs, f = Pairs(K), functions(rows, K * (K - 1) // 2)
    Z = rows.dense @ f.coef.T + f.intercept
    votes, sums = np.zeros((len(Z), K)), np.zeros((len(Z), K))
    for p, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        votes[np.arange(len(Z)), np.where(Z[:, p] > 0, j, i)] += 1
        sums[:, i] -= Z[:, p]
        sums[:, j] += Z[:, p]
    grades = votes + sums / (3 * (np.abs(sums) + 1))
    return pairs, f, {"wins": (Z > 0).astype(np.int8), "votes": votes, "sums": sums, "grades": grades,
                      "winners": grades.argmax(axis=1)}


ARGUMENTS = {
    "ExactResiduals": exact_residuals, "FirstNotFinite": first_not_finite, "FourthMoments": fourth_moments,
    "GramProducts": gram_products, "Largest": largest, "LeftOutFullHits": left_out_full_hits,
    "LeftOutHits": left_out_hits, "LeftOutRidge": left_out_ridge, "Lengths": lengths, "LogDensities": log_densities,
    "LossAndGradient": loss_and_gradient, "Mistakes": mistakes, "MomentSums": moment_sums,
    "PairVotes": pair_votes, "Residuals": residuals, "Scores": scores, "TriangularFactor": triangular_factor,
    "Unbeaten": unbeaten,
}


# How many classes the rows must have for a pass, where three do not serve: losses of one function take two.
CLASSES = {"LossAndGradient": (2, 3), "Mistakes": (2, 3)}


def given(cls, rows):
    """The runs of the pass `cls` over `rows`."""
    assert cls.__name__ in ARGUMENTS, (
        f"{cls.__module__}.{cls.__name__} is a pass without arguments for its contract tests: add an entry "
        f"{cls.__name__!r} to ARGUMENTS in {__file__}")
    return ARGUMENTS[cls.__name__](rows)
