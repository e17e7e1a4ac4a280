"""Every decision and weight of the perceptron has the bits of the plain loop, whatever the kernel does to be fast."""

import numpy as np
import pytest
import reference
import scipy.sparse as sp

from discriminant import _core
from discriminant.learners.perceptron_start import start_of
from discriminant.places.choose import place_of
from discriminant.solvers.perceptron import Plan, Run

KIND = "perceptron: presentations with the bits of the plain loop"


def problem(kind, n, d, classes, seed):
    """Rows of one kind and labels that a linear function nearly tells."""
    rng = np.random.default_rng([seed, n, d, classes])
    X = rng.standard_normal((n, d))
    if kind == "whole numbers":
        X = np.round(2 * X)  # nets at the threshold are common
    elif kind == "far from zero":
        X += 1e4
    elif kind == "unequal columns":
        X *= np.logspace(-6, 6, d)
    elif kind == "tiny":
        X *= 1e-160
    noise = 0.0 if kind == "whole numbers" else 0.3
    codes = (X @ rng.standard_normal((d, classes)) + noise * rng.gumbel(size=(n, classes))).argmax(axis=1)
    codes[:classes] = np.arange(classes)
    return X, codes.astype(np.int32)


def compare(X, codes, classes, count_cases, *, order="cyclic", weights=None, rows=None, **rule):
    """The kernel, with and without a trace, against the plain loop over the orders that the run took."""
    plan = Plan(rule.get("rate", 1.0), rule.get("threshold", 0.0), rule.get("zero", "undecided"), order, 0,
                rule.get("keep", "average"), rule.get("stop", "epoch"), 0.0, 3, rule.get("intercept", True), False,
                np.random.default_rng(5))
    shape = (1 if classes == 2 else classes, X.shape[1])
    start = start_of(rule.get("init", "zeros"), shape, np.random.default_rng(6))
    run = Run(place_of(X if rows is None else rows, codes, weights), plan, classes, start)
    epochs, orders = [], run._orders

    def watched():
        for each in orders:
            epochs.append(np.arange(len(X)).tolist() if each is None else each.tolist())
            yield each

    run._orders = watched()
    outcome = run.learn()
    loop = reference.PlainPerceptron(X.astype(np.float64), codes, classes, rate=plan.rate, threshold=plan.threshold,
                                     zero=plan.zero, intercept=plan.intercept, w=weights, start=start)
    for epoch in epochs:
        for i in epoch:
            loop.present(i)
            if plan.stop == "all-right" and loop.wrong() == 0:
                break
    last, average, trace = loop.last(), loop.average(), loop.trace
    mistakes = sum(changed for _, _, changed, *_ in trace)
    assert np.array_equal(outcome.last[0], last[0]) and np.array_equal(outcome.last[1], last[1])
    assert outcome.mistakes == mistakes and outcome.presented == len(trace)
    if plan.keep == "average":
        scale = np.abs(average[0]).max() + np.abs(last[0]).max()
        assert np.allclose(outcome.kept[0], average[0], rtol=1e-12, atol=1e-12 * scale)
    count_cases(KIND, len(trace))
    return trace


KINDS = ["plain", "whole numbers", "far from zero", "unequal columns", "tiny"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "Fortran", "sparse", "sparse float32"])
def test_bits_of_every_kind_of_rows(kind, classes, dtype, count_cases):
    for d in (1, 2, 5, 8, 9, 16, 23, 40):
        X, codes = problem(kind, 61, d, classes, 0)
        if kind in ("tiny", "unequal columns") and dtype in ("float32", "int8", "sparse float32"):
            continue
        if dtype == "int8":
            X = np.clip(np.round(3 * X), -120, 120).astype(np.int8)
        if "float32" in dtype:
            X = X.astype(np.float32)
        rows = np.asfortranarray(X) if dtype == "Fortran" else None
        if "sparse" in dtype:
            X = np.where(np.random.default_rng(d).random(X.shape) < 0.05, X, 0).astype(X.dtype)
            rows = sp.csr_array(X)
        compare(X, codes, classes, count_cases, rows=rows)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("rule", [
    {}, {"zero": "positive"}, {"zero": "negative"}, {"rate": 0.3}, {"intercept": False}, {"init": "random"},
    {"threshold": 0.7}, {"stop": "all-right"}, {"keep": "pocket"}, {"keep": "last"},
], ids=str)
def test_bits_of_every_rule(classes, order, dtype, rule, count_cases):
    if classes > 2 and rule.get("threshold"):
        return
    for kind in ("plain", "whole numbers"):
        X, codes = problem(kind, 57, 6, classes, 1)
        compare(X.astype(dtype), codes, classes, count_cases, order=order, **rule)
        weights = np.random.default_rng(2).integers(0, 3, 57) * 0.7
        weights[:classes] = 1.0
        compare(X.astype(dtype), codes, classes, count_cases, order=order, weights=weights, **rule)


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_bits_on_every_instruction_set(isa, count_cases):
    active, names = _core.isa(), _core.runnable_isas()
    if isa not in names:
        pytest.skip(f"this machine does not run {isa}")
    _core.use_isa(isa)
    try:
        for classes in (2, 4):
            for d in (3, 16, 33):
                X, codes = problem("plain", 300, d, classes, 3)
                compare(X, codes, classes, count_cases)
                compare(X.astype(np.float32), codes, classes, count_cases)
    finally:
        _core.use_isa(active)


def test_long_rows_and_many_mistakes(count_cases):
    """Bounds on the weights are refreshed now and then, and rows in doubt are told by the plain loop."""
    for dtype in ("float64", "float32"):
        X, codes = problem("plain", 700, 120, 2, 4)
        codes = np.where(np.random.default_rng(0).random(700) < 0.2, 1 - codes, codes).astype(np.int32)
        trace = compare(X.astype(dtype), codes, 2, count_cases)
        assert sum(changed for _, _, changed, *_ in trace) > 300


def test_nets_within_rounding_of_the_threshold(count_cases):
    """Rows whose net is zero but for rounding: the fast sum cannot tell their sign, the plain one must."""
    rng = np.random.default_rng(7)
    base = rng.standard_normal((40, 12))
    X = np.repeat(base, 3, axis=0) * np.tile([1.0, -1.0, 1.0 + 1e-15], 40)[:, None]
    codes = rng.integers(0, 2, len(X)).astype(np.int32)
    for dtype in ("float64", "float32"):
        compare(X.astype(dtype), codes, 2, count_cases)
        compare(X.astype(dtype), codes, 2, count_cases, zero="negative", rate=0.1)
