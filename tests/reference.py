"""Slow, obvious twins: the formulas of the textbook by explicit matrices, in whole arrays, without a thought for speed.

Every twin takes rows X (n, d), class codes (n,) and weights w (n,), and works in float64, moments in long double.
"""

import numbers
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.linalg as la
from scipy.special import log_softmax, logsumexp
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf as sklearn_ledoit_wolf
from sklearn.covariance import oas as sklearn_oas

from discriminant import parameters

LOO_SHRINKAGES = (0.0, *np.logspace(-4, -1, 10), *np.linspace(0.15, 0.95, 9))


# Parameters


def allows(way, value):
    """Whether one way of a table of ranges allows a value: the twin of `Allowed.accepts`."""
    plain = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    if isinstance(way, parameters.OneOf):
        return any(value is choice or (isinstance(choice, str) and isinstance(value, str) and value == choice)
                   or (isinstance(choice, bool) and isinstance(value, np.bool_) and value == choice)
                   for choice in way.choices)
    if isinstance(way, parameters.Integer):
        return plain and isinstance(value, numbers.Integral) and value >= way.low
    if isinstance(way, parameters.Real):
        return plain and _in_range(way, value)
    if isinstance(way, parameters.ListOf):
        if isinstance(value, np.ndarray) and value.ndim != 1:
            return False
        return isinstance(value, (list, tuple, np.ndarray)) and len(value) > 0 and all(
            allows(way.each, one) for one in value)
    if isinstance(way, parameters.ArrayLike):
        return isinstance(value, (list, tuple, np.ndarray))
    if isinstance(way, parameters.Mapped):
        return isinstance(value, dict)
    raise AssertionError(f"say in {__file__} which values {type(way).__name__} allows")


def _in_range(way, value):
    if value != value or value in (np.inf, -np.inf):
        return way.infinite and value == np.inf
    if not -float(np.finfo(float).max) <= value <= float(np.finfo(float).max):
        return False
    exact = Fraction(value) if isinstance(value, (int, Fraction)) else Fraction(float(value))
    low_ok = way.low is None or exact > Fraction(way.low) or (exact == Fraction(way.low) and not way.open_low)
    high_ok = way.high is None or exact < Fraction(way.high) or (exact == Fraction(way.high) and not way.open_high)
    return low_ok and high_ok


# Moments


@dataclass
class ClassMoments:
    """weight (K,), mean (K, d), scatter (K, d, d) of every class, and the pooled scatter (d, d)."""

    weight: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray

    @property
    def pooled(self):
        return self.scatter.sum(axis=0)

    @property
    def total(self):
        return self.weight.sum()

    @property
    def overall_mean(self):
        return self.weight @ self.mean / self.total


def class_moments(X, codes, w=None, classes=None):
    """Two passes in long double: first the means, then the products of what is left."""
    X = np.asarray(X).astype(np.longdouble)
    w = np.ones(len(X)) if w is None else w
    w = np.asarray(w, np.longdouble)
    classes = int(codes.max()) + 1 if classes is None else classes
    weight, mean, scatter = [], [], []
    for k in range(classes):
        mine = (codes == k) & (w > 0)
        N = w[mine].sum()
        m = (w[mine][:, None] * X[mine]).sum(axis=0) / N if N > 0 else np.zeros(X.shape[1], np.longdouble)
        Z = X[mine] - m
        weight.append(N)
        mean.append(m)
        scatter.append((w[mine][:, None] * Z).T @ Z)
    return ClassMoments(*(np.array(part).astype(np.float64) for part in (weight, mean, scatter)))


# Shrinkage


def shrunk(S, gamma):
    return (1 - gamma) * S + gamma * np.trace(S) / len(S) * np.eye(len(S))


def oas(S, n):
    """Chen, Wiesel, Eldar & Hero (2010), as scikit-learn writes it; `n` may be a sum of weights."""
    d = len(S)
    alpha, mu = np.mean(S**2), np.trace(S) / d
    num, den = alpha + mu**2, (n + 1) * (alpha - mu**2 / d)
    return 1.0 if den <= 0 else min(num / den, 1.0)


def ledoit_wolf(Z, w):
    """Ledoit & Wolf (2004) on centred rows, with weights that count repetitions."""
    n, d = w.sum(), Z.shape[1]
    S = (w[:, None] * Z).T @ Z / n
    mu = np.trace(S) / d
    distance = ((S - mu * np.eye(d)) ** 2).sum() / d
    noise = sum(wi * ((np.outer(z, z) - S) ** 2).sum() for wi, z in zip(w, Z, strict=True)) / n**2 / d
    return 0.0 if distance <= 0 else min(noise, distance) / distance


def shrinkages_of_sklearn(Z):
    """(Ledoit-Wolf, OAS) of centred rows by scikit-learn."""
    return sklearn_ledoit_wolf(Z, assume_centered=True)[1], sklearn_oas(Z, assume_centered=True)[1]


# Fisher and Gaussian classes


def pinv_in_own_units(S):
    """The pseudo-inverse of S after scaling to a unit diagonal: units of columns do not matter."""
    d = np.sqrt(np.diagonal(S))
    d = np.where(d > 0, d, 1.0)
    return np.linalg.pinv(S / d / d[:, None], rcond=1e-10, hermitian=True) / d / d[:, None]


def within(X, codes, w, shrinkage, priors):
    """The pooled covariance, shrunk by a rule other than a choice among many; and its inverse."""
    m = class_moments(X, codes, w)
    Z = X - m.mean[codes]
    S = m.pooled / m.total
    if shrinkage is None or (not isinstance(shrinkage, str) and shrinkage == 0):
        return S, pinv_in_own_units(S)
    if shrinkage == "auto":
        S = np.zeros_like(S)
        for k, prior in enumerate(priors):
            mine = codes == k
            deviation = np.sqrt(np.diagonal(m.scatter[k]) / m.weight[k])
            deviation = np.where(deviation > 0, deviation, 1.0)
            U = Z[mine] / deviation
            own = (w[mine][:, None] * U).T @ U / m.weight[k]
            S += prior * shrunk(own, ledoit_wolf(U, w[mine])) * deviation * deviation[:, None]
        return S, pinv_in_own_units(S)
    gamma = shrinkage
    if shrinkage == "oas":
        gamma = oas(S, m.total)
    elif shrinkage == "ledoit-wolf":
        gamma = ledoit_wolf(Z, w)
    S = shrunk(S, gamma)
    return S, np.linalg.pinv(S, rcond=1e-10, hermitian=True)


def fisher_functions(X, codes, w, *, shrinkage=None, priors=None, bayes=True, n_components=None):
    """Functions (K, d) and (K,) of Gaussian classes with one covariance, on the first directions of Fisher.

    The directions are the eigenvectors of pinv(S) B, B the scatter between classes, found without symmetry.
    """
    m = class_moments(X, codes, w)
    shares = m.weight / m.total if priors is None else np.asarray(priors, float)
    S, P = within(X, codes, w, shrinkage, shares)
    centre = shares @ m.mean
    offset = m.mean - centre
    if n_components is not None and n_components < min(len(shares) - 1, X.shape[1]):
        values, V = la.eig(P @ (offset.T * shares) @ offset)
        V = np.real(V[:, np.argsort(-np.real(values))[:n_components]])
        V = V / np.sqrt(np.einsum("ij,ik,kj->j", V, S, V))
        P = V @ V.T
    coef = offset @ P
    constant = -0.5 * np.einsum("kj,kj->k", coef, offset) - coef @ centre
    return coef, constant + (np.log(shares) if bayes else 0.0)


def criterion(X, codes, w):
    """J with undivided scatters: for two classes by the difference of the means, for more by the trace."""
    m = class_moments(X, codes, w)
    P = pinv_in_own_units(m.pooled)
    if len(m.weight) == 2:
        step = m.mean[1] - m.mean[0]
        return step @ P @ step
    offset = m.mean - m.overall_mean
    return np.trace(P @ (offset.T * m.weight) @ offset)


def log_densities(X, codes, w, probes, covariance, shrinkage=None, priors=None):
    """log p(x | C_k) of every probe and class (n, K), by scipy."""
    m = class_moments(X, codes, w)
    shares = m.weight / m.total if priors is None else np.asarray(priors, float)
    S = m.scatter / m.weight[:, None, None]
    if covariance == "shared":
        S = np.repeat(within(X, codes, w, shrinkage, shares)[0][None], len(S), axis=0)
    elif covariance == "diagonal":
        S = np.stack([shrunk(np.diag(np.diagonal(each)), shrinkage or 0.0) for each in S])
    elif covariance == "spherical":
        S = np.stack([np.eye(len(each)) * np.trace(each) / len(each) for each in S])
    else:
        S = np.stack([shrunk(each, _own_gamma(X, codes, w, m, k, shrinkage)) for k, each in enumerate(S)])
    units = np.sqrt(np.diagonal(S.mean(axis=0)))
    normal = [multivariate_normal(mean / units, each / units / units[:, None])
              for mean, each in zip(m.mean, S, strict=True)]
    return np.column_stack([each.logpdf(probes / units).reshape(len(probes)) for each in normal]) - np.log(units).sum()


def _own_gamma(X, codes, w, m, k, shrinkage):
    mine = codes == k
    if shrinkage == "oas":
        return oas(m.scatter[k] / m.weight[k], m.weight[k])
    if shrinkage == "ledoit-wolf":
        return ledoit_wolf(X[mine] - m.mean[k], w[mine])
    return shrinkage or 0.0


# Least squares


def target_table(class_weight, kind):
    """The target of every class (K, m)."""
    classes = len(class_weight)
    if kind == "one-of-k":
        return np.eye(classes)
    if kind == "bipolar":
        return 2 * np.eye(classes) - 1 if classes > 2 else np.array([[-1.0], [1.0]])
    N = class_weight.sum()
    return np.array([[-N / class_weight[0]], [N / class_weight[1]]])


def least_squares(X, T, w, alpha=0.0, *, constant=True):
    """B (d, m) and b (m,): rows weighted, the shortest B among equals, b not penalised."""
    centre = w @ X / w.sum() if constant else np.zeros(X.shape[1])
    T_centre = w @ T / w.sum() if constant else np.zeros(T.shape[1])
    roots = np.sqrt(w)[:, None]
    A, C = roots * (X - centre), roots * (T - T_centre)
    if alpha > 0:
        A = np.vstack([A, np.sqrt(alpha) * np.eye(X.shape[1])])
        C = np.vstack([C, np.zeros((X.shape[1], T.shape[1]))])
    B = np.linalg.lstsq(A, C, rcond=1e-12)[0]
    return B, T_centre - centre @ B


# Exact leave-one-out: fit again without each row


def left_out_accuracy(fit_scores, X, codes, w):
    """The weight of the rows that `fit_scores(X, codes, w, probes) -> (n, K)` gets right without them, over all."""
    hits = 0.0
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        if w[i] == 0 or not (w[rest] @ (codes[rest] == codes[i]) > 0):
            continue
        scores = fit_scores(X[rest], codes[rest], w[rest], X[i : i + 1])
        hits += w[i] * (scores[0].argmax() == codes[i])
    return hits / w.sum()


# What learners say, by their names


def decision(scores):
    """Scores (n, K) or (n, 1) as `decision_function` gives them."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def log_posteriors(scores):
    return log_softmax(scores, axis=1)


def twin_FisherDiscriminant(X, codes, w, probes, *, n_components=None, shrinkage=None, priors=None, rule="bayes"):
    """{method: array} of a fit."""
    def scores(X, codes, w, probes, gamma):
        coef, constant = fisher_functions(X, codes, w, shrinkage=gamma, priors=priors, bayes=rule == "bayes",
                                          n_components=n_components)
        return probes @ coef.T + constant

    gamma = best_shrinkage(scores, X, codes, w, shrinkage)
    found = scores(X, codes, w, probes, gamma)
    if not isinstance(rule, str):
        coef, _ = fisher_functions(X, codes, w, shrinkage=gamma, priors=priors)
        found = np.column_stack([np.zeros(len(probes)), probes @ (coef[1] - coef[0]) - rule])
    return {"decision_function": decision(found), "predict_log_proba": log_posteriors(found)}


def twin_GaussianDiscriminant(X, codes, w, probes, *, covariance="shared", shrinkage=None, priors=None):
    """With one covariance the functions are linear: what all classes have in common is left out."""
    def joint(X, codes, w, probes, gamma):
        shares = np.bincount(codes, w) / w.sum() if priors is None else np.asarray(priors)
        return log_densities(X, codes, w, probes, covariance, gamma, priors) + np.log(shares)

    def linear(X, codes, w, probes, gamma):
        coef, constant = fisher_functions(X, codes, w, shrinkage=gamma, priors=priors)
        return probes @ coef.T + constant

    scores = linear if covariance == "shared" else joint
    gamma = best_shrinkage(scores, X, codes, w, shrinkage)
    found = scores(X, codes, w, probes, gamma)
    out = {"decision_function": decision(found), "predict_log_proba": log_posteriors(found)}
    if covariance != "shared" or gamma or X.shape[1] < len(X) // 2:
        out["log_density"] = logsumexp(joint(X, codes, w, probes, gamma), axis=1)
    return out


def twin_LeastSquaresClassifier(X, codes, w, probes, *, alpha=0.0, targets="one-of-k", fit_intercept=True,
                                class_weight=None):
    counts = np.bincount(codes, w)
    if isinstance(class_weight, str):
        w = w * (counts.sum() / (len(counts) * counts))[codes]
    elif class_weight is not None:
        w = w * np.array(list(class_weight.values()))[codes]
    counts = np.bincount(codes, w)

    def scores(X, codes, w, probes, penalty):
        table = target_table(np.bincount(codes, w, minlength=len(counts)), targets)
        B, b = least_squares(X, table[codes], w, penalty, constant=fit_intercept)
        return probes @ B + b

    def as_classes(*given):
        found = scores(*given)
        return np.column_stack([-found, found]) if found.shape[1] == 1 else found

    if np.ndim(alpha) == 1:
        scored = [left_out_accuracy(lambda *given, a=a: as_classes(*given, a), X, codes, w) for a in alpha]
        alpha = max(a for a, s in zip(alpha, scored, strict=True) if s >= max(scored) - 1e-12)
    return {"decision_function": decision(scores(X, codes, w, probes, alpha))}


def best_shrinkage(scores, X, codes, w, shrinkage):
    """Of many, the one with the best left-out accuracy, among equals the strongest."""
    if not (np.ndim(shrinkage) == 1 or (isinstance(shrinkage, str) and shrinkage == "loo")):
        return shrinkage
    offered = LOO_SHRINKAGES if isinstance(shrinkage, str) else shrinkage
    scored = [left_out_accuracy(lambda *given, g=g: scores(*given, g), X, codes, w) for g in offered]
    return max(g for g, s in zip(offered, scored, strict=True) if s >= max(scored) - 1e-12)


def twin_of(model, X, codes, w, probes):
    """{method: array} that `model`, fitted on these rows, should give for `probes`."""
    name = f"twin_{type(model).__name__}"
    assert name in globals(), f"write {name}, a slow twin of the learner, in {__file__}"
    w = np.ones(len(X)) if w is None else w
    return globals()[name](np.asarray(X, float), codes, w, np.asarray(probes, float), **model.get_params())


# Perceptron


def plain_net(x, w, b):
    """From left to right, every product and sum rounded, the intercept last."""
    net = 0.0
    for cell, weight in zip(x, w, strict=True):
        net += cell * weight
    return net + b


class PlainPerceptron:
    """The plain loop: one function for two classes, or one for each of several. Every presentation is kept in `trace`
    as (row, nets, changed, coef, intercept)."""

    def __init__(self, X, codes, classes, *, rate=1.0, threshold=0.0, zero="undecided", intercept=True, w=None,
                 start=None):
        self.X, self.codes, self.w = np.asarray(X, np.float64).tolist(), codes, w
        self.rate, self.threshold, self.zero, self.intercept = rate, threshold, zero, intercept
        self.F, d = (1 if classes == 2 else classes), len(self.X[0])
        self.W = [[0.0] * d for _ in range(self.F)] if start is None else [list(map(float, row)) for row in start[0]]
        self.B = [0.0] * self.F if start is None else list(map(float, start[1]))
        self.trace = []

    def verdict(self, i):
        """The nets of row i, and the changes that it asks for: [(function, sign)]."""
        nets = [plain_net(self.X[i], self.W[f], self.B[f]) for f in range(self.F)]
        own, zero = int(self.codes[i]), self.zero
        if self.F == 1:
            target, net = 2 * own - 1, nets[0]
            if zero == "undecided":
                output = 1 if net > self.threshold else -1 if net < -self.threshold else 0
            else:
                output = 1 if (net >= 0 if zero == "positive" else net > 0) else -1
            return nets, ([] if output == target else [(0, target)])
        best = max((k for k in range(self.F) if k != own), key=lambda k: (nets[k], k if zero == "positive" else -k))
        right = nets[own] > nets[best]
        if nets[own] == nets[best] and zero != "undecided":
            right = own > best if zero == "positive" else own < best
        return nets, ([] if right else [(best, -1), (own, 1)])

    def present(self, i):
        nets, changes = self.verdict(i)
        for f, sign in changes:
            c = self.rate * (1.0 if self.w is None else float(self.w[i])) * sign
            self.W[f] = [weight + c * cell for weight, cell in zip(self.W[f], self.X[i], strict=True)]
            self.B[f] = self.B[f] + c if self.intercept else self.B[f]
        self.trace.append((i, nets, bool(changes), np.array(self.W), np.array(self.B)))
        return bool(changes)

    def wrong(self):
        """The weight of the rows that are wrong now."""
        return sum(1.0 if self.w is None else self.w[i] for i in range(len(self.X))
                   if (self.w is None or self.w[i] > 0) and self.verdict(i)[1])

    def last(self):
        return np.array(self.W), np.array(self.B)

    def average(self):
        return tuple(np.mean([row[part] for row in self.trace], axis=0) for part in (3, 4))


_TWIN_EPOCHS = 12  # longer runs say nothing here: the battery of bits follows them


def twin_Perceptron(X, codes, w, probes, *, learning_rate=1.0, threshold=0.0, zero="undecided", order="cyclic",
                    first_row=0, init="zeros", keep="last", stop="epoch", tolerance=0.0, max_epochs=1000,
                    fit_intercept=True, class_weight=None, trace=False, random_state=None, warm_start=False):
    K, n = int(codes.max()) + 1, len(X)
    counts = np.bincount(codes, w)
    if isinstance(class_weight, str):
        w = w * (counts.sum() / (K * counts))[codes]
    elif class_weight is not None:
        w = w * np.array(list(class_weight.values()))[codes]
    shape, rng = (1 if K == 2 else K, X.shape[1]), np.random.default_rng(random_state)
    start = np.zeros(shape), np.zeros(shape[0])
    if isinstance(init, str) and init == "random":
        start = rng.standard_normal(shape), rng.standard_normal(shape[0])
    elif not isinstance(init, str):
        start = np.broadcast_to(init, shape), np.zeros(shape[0])
    loop = PlainPerceptron(X, codes, K, rate=learning_rate, threshold=threshold, zero=zero, intercept=fit_intercept,
                           w=w, start=start)
    alive, run, pocket, seen = np.flatnonzero(w > 0), 0, (np.inf, None), {str(loop.last())}
    for epoch in range(1, max_epochs + 1):
        if epoch > _TWIN_EPOCHS:
            return {}
        rows = {"cyclic": lambda: np.roll(alive, -np.searchsorted(alive, first_row)),
                "shuffle": lambda: rng.permutation(alive),
                "random": lambda: alive[rng.integers(0, len(alive), len(alive))]}[order]()
        changed, longest, ended = False, (0, None), False
        for i in rows:
            before = loop.last()
            if loop.present(i):
                longest = (run, before) if run > longest[0] else longest
                changed, run = True, 0
            else:
                run += 1
            if stop == "all-right" and loop.wrong() == 0:
                ended = True
                break
        at_end = loop.last()
        for W, B in [at_end, longest[1]] if longest[1] is not None else [at_end]:
            loop.W, loop.B = W.tolist(), B.tolist()
            pocket = min(pocket, (loop.wrong(), (W, B)), key=lambda each: each[0])
        loop.W, loop.B = at_end[0].tolist(), at_end[1].tolist()
        if ended or (not changed and (order != "random" or loop.wrong() == 0)):
            break
        if stop == "criterion":
            nets = X @ at_end[0].T + at_end[1]
            margin = np.where(codes == 1, nets[:, 0], -nets[:, 0]) if K == 2 else nets[np.arange(n), codes] - np.where(
                np.arange(K) == codes[:, None], -np.inf, nets).max(axis=1)
            wrong = margin <= threshold
            if loop.wrong() == 0 or 0 < w @ np.where(wrong, threshold - margin, 0.0) <= tolerance:
                break
        elif order == "cyclic":
            if str(at_end) in seen:
                break
            seen.add(str(at_end))
    coef, intercept = {"last": loop.last, "average": loop.average, "pocket": lambda: pocket[1]}[keep]()
    scores = probes @ coef.T + intercept
    return {"decision_function": scores[:, 0] if K == 2 else scores}
