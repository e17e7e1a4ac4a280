"""Sums with twice the digits, against rational arithmetic; and R of the rows, however they are cut."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.passes import exact_residuals
from discriminant.passes.exact_residuals import ExactResiduals, Pair
from discriminant.passes.residuals import Residuals
from discriminant.passes.tsqr import TriangularFactor
from discriminant.places.memory import MemoryPlace

EPS = np.finfo(float).eps


def problem(n=60, d=4, m=3, classes=5, *, seed=0, spread=0.0):
    """Rows, codes, scale, B, b, targets; `spread` is how many decades cells and coefficients span."""
    rng = np.random.default_rng([seed, n, d, m])

    def numbers(*shape):
        return rng.normal(size=shape) * 10.0 ** rng.uniform(-spread, spread, shape)

    scale, codes = 2.0 ** rng.integers(-3, 4, d), rng.integers(0, classes, n).astype(np.int32)
    return numbers(n, d), codes, scale, numbers(d, m), numbers(m), numbers(classes, m)


def in_rationals(X, codes, weights, scale, B, b, T):
    """The sums, and the sums of magnitudes that set their scale."""
    X = [[Fraction(x) * Fraction(s) for x, s in zip(row, scale.tolist(), strict=True)] for row in X.tolist()]
    weights = [Fraction(1)] * len(X) if weights is None else [Fraction(w) for w in weights.tolist()]
    columns = [[Fraction(x) for x in column] for column in B.T.tolist()]
    R = [[Fraction(T[k, j]) - Fraction(b[j]) - sum(map(_times, row, columns[j])) for j in range(len(b))]
         for k, row in zip(codes, X, strict=True)]
    sums = [sum(w * r[j] for w, r in zip(weights, R, strict=True)) for j in range(len(b))]
    squares = [sum(w * r[j] ** 2 for w, r in zip(weights, R, strict=True)) for j in range(len(b))]
    products = [[sum(w * x[i] * r[j] for w, x, r in zip(weights, X, R, strict=True)) for j in range(len(b))]
                for i in range(len(scale))]
    return sums, products, squares


def _times(x, y):
    return x * y


def error(pair, wanted, scale):
    """The largest error of a pair as a share of `scale`."""
    high, low = np.ravel(pair.high), np.ravel(pair.low)
    flat = [x for row in wanted for x in row] if isinstance(wanted[0], list) else wanted
    return max(float(abs(Fraction(h) + Fraction(v) - x)) for h, v, x in zip(high, low, flat, strict=True)) / scale


def magnitude(X, scale, B, b, T):
    """What the largest residual would be, were nothing to cancel."""
    return np.abs(X * scale).max(axis=0) @ np.abs(B).max(axis=1) + np.abs(b).max() + np.abs(T).max()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("spread", [0.0, 3.0, 8.0])
@pytest.mark.parametrize("kind", [np.asarray, np.float32, sp.csr_array])
def test_sums_have_twice_the_digits(kind, spread, weighted, count_cases):
    for seed in range(3):
        X, codes, *linear = problem(seed=seed, spread=spread)
        rows = kind(X)
        X = rows.toarray() if sp.issparse(rows) else np.asarray(rows, float)
        weights = np.random.default_rng(seed).uniform(0, 5, len(X)) if weighted else None
        found = MemoryPlace(rows, codes, weights).fold(ExactResiduals(*linear))
        sums, products, squares = in_rationals(X, codes, weights, *linear)
        largest = 5 * len(X) * magnitude(X, *linear)
        cells = np.abs(X * linear[0]).max()
        assert error(found.sums, sums, largest) <= 2.0**-75
        assert error(found.products, products, largest * cells) <= 2.0**-75
        assert found.squares == pytest.approx([float(s) for s in squares], rel=1e-13)
        count_cases("numerics: sums with twice the digits")


def test_residuals_that_cancel_keep_their_digits():
    """Rows that a function meets to the last bit: all that double arithmetic would say of it is noise."""
    X, codes, scale, B, _, _ = problem()
    T = X[:5] * scale @ B
    codes = np.arange(5, dtype=np.int32)
    found = MemoryPlace(X[:5], codes).fold(ExactResiduals(scale, B, np.zeros(3), T))
    sums, products, _ = in_rationals(X[:5], codes, None, scale, B, np.zeros(3), T)
    assert 0 < max(abs(float(s)) for s in sums) < 64 * EPS
    assert error(found.sums, sums, EPS) <= 1e-6
    assert error(found.products, products, EPS) <= 1e-6


@pytest.mark.parametrize("fit", [2.0**-60, 2.0**60, 1 + 2.0**-52, -1.0])
def test_what_was_rounded_away_is_kept(fit):
    """Residuals whose high part is short, or nothing, so that the low part is most of what there is."""
    X, B = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 1.0]]), np.array([[fit], [2.0**-58], [-1.0]])
    T = np.array([[1.0], [2.0**-59]])
    codes = np.arange(2, dtype=np.int32)
    found = MemoryPlace(X, codes).fold(ExactResiduals(np.ones(3), B, np.zeros(1), T))
    sums, products, _ = in_rationals(X, codes, None, np.ones(3), B, np.zeros(1), T)
    assert error(found.sums, sums, abs(fit)) <= 2.0**-78
    assert error(found.products, products, abs(fit)) <= 2.0**-78


def test_gradient_about_a_centre():
    """Far from zero the products, and what the centre takes from them, are 1e12 times what they leave."""
    X, codes, scale, B, b, T = problem()
    X = X + 1e6
    centre = X.mean(axis=0) * scale
    b = b - centre @ B  # so that residuals are near the targets, but their sum is not zero
    found = MemoryPlace(X, codes).fold(ExactResiduals(scale, B, b, T)).gradient(centre)
    sums, products, _ = in_rationals(X, codes, None, scale, B, b, T)
    wanted = [[float(p - Fraction(c) * s) for p, s in zip(row, sums, strict=True)]
              for row, c in zip(products, centre.tolist(), strict=True)]
    assert np.allclose(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n, d, m", [(5000, 3, 1), (5000, 40, 2), (1, 1, 1), (7, 300, 2), (20000, 2, 4)])
def test_many_pieces_and_shapes(n, d, m):
    """Whole numbers, of which double arithmetic adds up nothing wrong."""
    rng = np.random.default_rng(n)
    X, codes = rng.integers(-50, 51, (n, d)).astype(float), rng.integers(0, 3, n).astype(np.int32)
    B, b, T = (rng.integers(-9, 10, shape).astype(float) for shape in ((d, m), m, (3, m)))
    weights = rng.integers(0, 4, n).astype(float)
    found = MemoryPlace(X, codes, weights).fold(ExactResiduals(np.ones(d), B, b, T))
    R = T[codes] - X @ B - b
    assert np.array_equal(found.sums.rounded(), weights @ R)
    assert np.array_equal(found.products.rounded(), X.T @ (R * weights[:, None]))
    assert np.array_equal(found.squares, weights @ R**2)


def test_merging_is_adding():
    X, codes, *linear = problem(n=400)
    task = ExactResiduals(*linear)
    whole = MemoryPlace(X, codes).fold(task)
    parts = [MemoryPlace(X[part], codes[part]).fold(task) for part in (slice(0, 130), slice(130, 131), slice(131, 400))]
    merged = task.merge(task.merge(parts[0], parts[1]), parts[2])
    for one, other in ((merged.sums, whole.sums), (merged.products, whole.products)):
        assert np.allclose(one.rounded(), other.rounded(), rtol=1e-15, atol=1e-13)
        assert np.abs((one.high - other.high) + (one.low - other.low)).max() <= 2.0**-75 * 400 * 5 * 20


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e150, 1e150, allow_subnormal=False), min_size=1, max_size=30))
def test_pairs_add_up_with_twice_the_digits(numbers):
    """To twice the digits of the largest partial sum."""
    total = Pair(np.zeros(1), np.zeros(1))
    reach, exact = 0.0, Fraction(0)
    for number in numbers:
        total.add(np.array([number]))
        exact += Fraction(number)
        reach = max(reach, abs(float(exact)), abs(number))
    wrong = abs(Fraction(total.high[0]) + Fraction(total.low[0]) - exact)
    assert wrong <= Fraction(reach) * len(numbers) ** 2 * Fraction(2) ** -104


@settings(max_examples=100, deadline=None)
@given(st.floats(-1e100, 1e100, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-100),
       st.floats(-1e100, 1e100, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-100))
def test_pairs_multiply_without_rounding(x, y):
    found = Pair(np.array([x]), np.zeros(1)).times(np.array([y]))
    assert Fraction(found.high[0]) + Fraction(found.low[0]) == Fraction(x) * Fraction(y)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=1, max_size=20), st.integers(8, 26))
def test_slices_are_short_and_add_up(numbers, bits):
    A = np.array(numbers)[:, None]
    slices, length = exact_residuals._slices(A, bits)
    assert np.log2(length[0]) == np.round(np.log2(length[0]))
    for k, part in enumerate(slices, start=1):
        whole = part * 2.0 ** (k * bits)
        assert np.array_equal(whole, np.round(whole))
        assert np.abs(part).max() <= 2.0 ** (-(k - 1) * bits)
    left = np.abs(A / length - np.sum(slices, axis=0)).max()
    assert left <= max(2.0 ** (-len(slices) * bits), EPS)
    assert len(slices) == exact_residuals._SLICES or left <= EPS


def test_numbers_of_few_bits_need_few_slices():
    """Half-precision rows, counts and dummies cost a quarter."""
    rng = np.random.default_rng(0)
    assert len(exact_residuals._slices(rng.integers(0, 2, (50, 3)).astype(float), 20)[0]) == 1
    assert len(exact_residuals._slices(rng.normal(size=(50, 3)).astype(np.float32).astype(float), 24)[0]) == 2


# R of the rows, and plain residuals


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("cuts", [[], [20], [1, 2, 3], [10, 20, 30, 40, 50]])
def test_factors_of_parts_merge_to_that_of_the_whole(cuts, constant):
    X, codes, scale, _, _, T = problem()
    weights = np.random.default_rng(1).uniform(0, 3, len(X))
    task = TriangularFactor(X.mean(axis=0), scale, T, constant=constant)
    value = task.begin()
    for part in np.split(np.arange(len(X)), cuts):
        value = task.merge(value, MemoryPlace(X[part], codes[part], weights[part]).fold(task))
    rows = np.hstack([np.ones((len(X), int(constant))), (X - X.mean(axis=0)) * scale, T[codes]])
    gram = (rows.T * weights) @ rows
    (R,) = value
    assert R.shape == (rows.shape[1], rows.shape[1])
    assert np.array_equal(R, np.triu(R))
    assert np.allclose(R.T @ R, gram, rtol=1e-12, atol=1e-12 * gram.max())


def test_a_factor_of_few_rows_has_few_rows():
    X, codes, scale, _, _, T = problem(n=3)
    (R,) = MemoryPlace(X, codes).fold(TriangularFactor(np.zeros(4), scale, T, constant=True))
    assert R.shape == (3, 8)


@pytest.mark.parametrize("weighted", [False, True])
def test_plain_residuals(weighted):
    X, codes, scale, B, _, T = problem(n=3000)
    weights = np.random.default_rng(1).uniform(0, 3, len(X)) if weighted else None
    found = MemoryPlace(X, codes, weights).fold(Residuals(X.mean(axis=0), scale, B, T))
    R = T[codes] - (X - X.mean(axis=0)) * scale @ B
    assert found == pytest.approx((np.ones(len(X)) if weights is None else weights) @ R**2, rel=1e-12)
