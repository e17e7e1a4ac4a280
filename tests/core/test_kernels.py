"""The kernels as Python calls them, on every instruction set that runs here, against the same formulas in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, softmax

from discriminant import _core

BINARY = [_core.Loss.logistic, _core.Loss.squared, _core.Loss.squared_hinge, _core.Loss.huber_hinge]
SHAPES = [(1, 1), (2, 3), (50, 8), (193, 17), (300, 40), (40, 100)]


@pytest.fixture(autouse=True, params=_core.runnable_isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _core.isa()
    assert _core.use_isa(request.param)
    yield request.param
    assert _core.use_isa(before)


def padded(count: int) -> int:
    return -(-count // _core.LANE_COLUMNS) * _core.LANE_COLUMNS


def rows(rng: np.random.Generator, n: int, d: int, dtype: type) -> NDArray[Any]:
    return rng.standard_normal((n, d)).astype(dtype)


def laid_out(W: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """K x d weights and K biases as the kernels read them; cells that only pad are not numbers."""
    count, d = W.shape
    bias = np.full(padded(count), np.nan)
    bias[:count] = b
    if count <= _core.NARROW_FUNCTIONS:
        return np.ascontiguousarray(W), bias
    weights = np.full((d, padded(count)), np.nan)
    weights[:, :count] = W.T
    return weights, bias


class Loss:
    """One call of the loss kernel, and what it filled."""

    def __init__(self, X: NDArray[Any], codes: NDArray[Any], v: NDArray[Any] | None, W: NDArray[Any], b: NDArray[Any],
                 kind: Any, mu: float = 0.5) -> None:
        (n, d), count = X.shape, len(W)
        gradient = np.zeros((count, padded(d)))
        self.bias_gradient = np.zeros(count)
        self.scores = np.empty((n, count))
        self.curvature = np.empty(n) if count == 1 else None
        self.value, self.bad = _core.loss(X, codes, v, *laid_out(W, b), kind, mu, gradient, self.bias_gradient,
                                          self.scores, self.curvature)
        assert not gradient[:, d:].any()
        self.gradient = gradient[:, :d]


def binary_twin(kind: Any, z: NDArray[Any], s: NDArray[Any], mu: float) -> tuple[NDArray[Any], ...]:
    """Value, slope and curvature of a loss of one function."""
    gap = np.maximum(0, 1 - s * z)
    part = np.minimum(gap / mu, 1)
    if kind == _core.Loss.logistic:
        return np.logaddexp(0, -s * z), -s * expit(-s * z), expit(z) * expit(-z)
    if kind == _core.Loss.squared:
        return (z - s) ** 2 / 2, z - s, np.ones_like(z)
    if kind == _core.Loss.squared_hinge:
        return gap**2, -2 * s * gap, 2.0 * (gap > 0)
    return part * (gap - mu * part / 2), -s * part, ((part > 0) & (part < 1)) / mu


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_gram_is_the_centred_weighted_product(shape: tuple[int, int], dtype: type, weighted: bool) -> None:
    (n, d), classes = shape, 3
    rng = np.random.default_rng(n)
    X, codes = rows(rng, n, d, dtype), rng.integers(0, classes, n).astype(np.int32)
    v = rng.integers(0, 4, n) / 2.0 if weighted else None
    order = rng.permutation(n)[: (n + 1) // 2]
    centre, scale = np.zeros((classes, padded(d)), dtype), np.zeros(padded(d), dtype)
    centre[:, :d], scale[:d] = rows(rng, classes, d, dtype), rng.uniform(0.5, 2, d)
    totals, sums, scatter = np.zeros(classes), np.zeros((classes, padded(d))), np.zeros((padded(d), padded(d)))
    _core.gram(X, order, codes, v, centre, scale, totals, sums, scatter)

    Y = (X.astype(float) - centre[codes, :d])[order] * scale[:d]
    w, Z = np.ones(len(order)) if v is None else v[order], np.eye(classes)[codes[order]]
    tolerance = 2e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(totals, w @ Z)
    np.testing.assert_allclose(sums[:, :d], (Z * w[:, None]).T @ Y, rtol=0, atol=tolerance * n)
    np.testing.assert_allclose(np.triu(scatter[:d, :d]), np.triu((Y * w[:, None]).T @ Y), rtol=0, atol=tolerance * n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 17])
def test_scores_and_winners(shape: tuple[int, int], dtype: type, count: int) -> None:
    rng = np.random.default_rng(count)
    X, W, b = rows(rng, *shape, dtype), rng.standard_normal((count, shape[1])), rng.standard_normal(count)
    out, winners = np.empty((shape[0], count)), np.empty(shape[0], np.int32)
    assert _core.scores(X, *laid_out(W, b), count, out, winners) == -1
    np.testing.assert_allclose(out, X.astype(float) @ W.T + b, rtol=0, atol=1e-12 * shape[1])
    np.testing.assert_array_equal(winners, out[:, 0] > 0 if count == 1 else out.argmax(axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", BINARY)
def test_loss_of_one_function(shape: tuple[int, int], dtype: type, kind: Any) -> None:
    rng = np.random.default_rng(7)
    X, codes, v = rows(rng, *shape, dtype), rng.integers(0, 2, shape[0]).astype(np.int32), rng.uniform(0, 2, shape[0])
    W, b = rng.standard_normal((1, shape[1])), rng.standard_normal(1)
    got = Loss(X, codes, v, W, b, kind)
    z = X.astype(float) @ W[0] + b
    value, slope, curve = binary_twin(kind, z, 2.0 * codes - 1, 0.5)
    assert got.bad == -1
    near = partial(np.testing.assert_allclose, rtol=1e-11, atol=1e-11)
    near(got.scores[:, 0], z)
    near(got.value, v @ value)
    near(got.gradient[0], (v * slope) @ X.astype(float))
    near(got.bias_gradient, v @ slope)
    near(got.curvature, v * curve)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [2, 3, 4, 17])
def test_softmax(shape: tuple[int, int], dtype: type, count: int) -> None:
    rng = np.random.default_rng(9)
    X, W, b = rows(rng, *shape, dtype), rng.standard_normal((count, shape[1])), rng.standard_normal(count)
    codes = rng.integers(0, count, shape[0]).astype(np.int32)
    got = Loss(X, codes, None, W, b, _core.Loss.softmax)
    z, Y = X.astype(float) @ W.T + b, np.eye(count)[codes]
    R = softmax(z, axis=1) - Y
    np.testing.assert_allclose(got.value, -(log_softmax(z, axis=1) * Y).sum(), rtol=1e-11)
    np.testing.assert_allclose(got.gradient, R.T @ X.astype(float), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(got.bias_gradient, R.sum(axis=0), rtol=1e-11, atol=1e-11)


def test_sums_are_added_to_what_is_there() -> None:
    X, codes, w = np.ones((3, 2)), np.zeros(3, np.int32), np.zeros((1, 2))
    gradient, bias_gradient = np.full((1, 16), 10.0), np.full(1, 20.0)
    value, _ = _core.loss(X, codes, None, w, np.zeros(16), _core.Loss.squared, 1, gradient, bias_gradient, None, None)
    assert value == 1.5
    assert gradient.tolist() == [[13.0, 13.0] + [10.0] * 14]
    assert bias_gradient.tolist() == [23.0]


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("cell", [np.nan, np.inf, -np.inf])
def test_the_first_row_that_is_not_finite_is_named(count: int, cell: float) -> None:
    rng = np.random.default_rng(3)
    X, W, b = rows(rng, 60, 7, np.float64), rng.standard_normal((count, 7)), np.zeros(count)
    X[[31, 50], 4] = cell
    W[:, 4] = 0
    assert _core.scores(X, *laid_out(W, b), count, None, None) == 31
    kinds = BINARY if count == 1 else [_core.Loss.softmax]
    for kind in kinds:
        got = Loss(X, np.zeros(60, np.int32), np.zeros(60), W, b, kind)
        assert got.bad == 31
        assert np.isnan(got.value)


def test_a_loss_too_large_is_no_fault_of_the_rows() -> None:
    got = Loss(np.array([[1e200]]), np.zeros(1, np.int32), None, np.ones((1, 1)), np.zeros(1), _core.Loss.squared)
    assert (got.value, got.bad) == (np.inf, -1)


def loss_arguments(**changed: Any) -> list[Any]:
    arguments = {
        "rows": np.ones((4, 3)), "codes": np.zeros(4, np.int32), "row_weights": np.ones(4), "weights": np.ones((1, 3)),
        "bias": np.zeros(16), "loss": _core.Loss.huber_hinge, "mu": 1.0, "gradient": np.zeros((1, 16)),
        "bias_gradient": np.zeros(1), "scores": np.zeros((4, 1)), "curvature": np.zeros(4),
    }
    return list((arguments | changed).values())


@pytest.mark.parametrize(("name", "value"), [
    ("codes", np.zeros(3, np.int32)),
    ("codes", np.array([0, 1, 2, 0], np.int32)),
    ("codes", np.array([0, 1, -1, 0], np.int32)),
    ("row_weights", np.ones(5)),
    ("weights", np.ones((3, 1))),
    ("bias", np.zeros(1)),
    ("loss", _core.Loss.softmax),
    ("mu", 0.0),
    ("mu", np.nan),
    ("gradient", np.zeros((1, 3))),
    ("bias_gradient", np.zeros(2)),
    ("scores", np.zeros((4, 2))),
    ("curvature", np.zeros(3)),
    ("rows", np.frombuffer(bytes(97), offset=1).reshape(4, 3)),
])
def test_a_buffer_that_does_not_fit_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"aligned" if name == "rows" else rf"^{name}:|^bias_gradient:"):
        _core.loss(*loss_arguments(**{name: value}))


@pytest.mark.parametrize(("name", "value"), [
    ("scores", np.zeros((4, 1), np.float32)),  # a converted copy would be filled, and lost
    ("scores", np.zeros((8, 1))[::2]),
    ("gradient", np.zeros((16, 1)).T[:, ::-1]),
    ("codes", np.zeros(4, np.int64)),
    ("rows", np.ones((4, 3), np.int64)),
])
def test_no_array_is_converted_behind_the_callers_back(name: str, value: Any) -> None:
    with pytest.raises(TypeError):
        _core.loss(*loss_arguments(**{name: value}))


def test_only_rows_that_exist_are_visited() -> None:
    X, codes = np.ones((4, 3)), np.zeros(4, np.int32)
    buffers = [np.zeros((1, 16)), np.ones(16), np.zeros(1), np.zeros((1, 16)), None]
    for order in ([4], [-1]):
        with pytest.raises(ValueError, match="order"):
            _core.gram(X, np.array(order), codes, None, *buffers)
    with pytest.raises(ValueError, match="codes"):
        _core.gram(X, None, codes + 1, None, *buffers)


def test_one_of_the_runnable_instruction_sets_is_in_use(isa: str) -> None:
    assert _core.isa() == isa
    assert _core.runnable_isas()[-1] == "baseline"
    assert not _core.use_isa("abacus")
    assert _core.isa() == isa
