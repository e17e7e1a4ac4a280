"""Every block kind gives the answers of a dense float64 block, in every method that blocks have."""

import numpy as np
import pytest
import scipy.sparse as sp
from answers import assert_close
from contract import registry

from discriminant import _core, losses
from discriminant.blocks.block import Block
from discriminant.blocks.dense import DenseBlock
from discriminant.blocks.functions import LinearFunctions, padded
from discriminant.blocks.origin import Origin
from discriminant.blocks.walk import Walk, Weights

# How each kind is made of a dense matrix. A new kind needs an entry, by the name of its class: {case: X -> rows}.
MAKERS = {
    "DenseBlock": {
        "contiguous": np.ascontiguousarray, "Fortran": np.asfortranarray, "float32": np.float32,
        "float16": np.float16, "strided": lambda X: np.repeat(np.repeat(X, 2, 0), 3, 1)[::2, ::3],
        "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1], "big-endian": lambda X: X.astype(">f8"),
        "int8": lambda X: X.astype(np.int8), "uint64": lambda X: np.abs(X).astype(np.uint64),
        "bool": lambda X: X.astype(bool), "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    },
    "SparseBlock": {
        "float64": sp.csr_array, "float32": lambda X: sp.csr_array(X.astype(np.float32)),
        "64-bit indices": lambda X: _with_indices(sp.csr_array(X), np.int64),
        "a slice": lambda X: sp.vstack([sp.csr_array(X), sp.csr_array(X)]).tocsr()[: len(X)],
        "stored zeros": lambda X: _with_zeros(X), "no cell": lambda X: sp.csr_array(X.shape),
    },
}


def _with_indices(X, index):
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


def _with_zeros(X):
    out = sp.csr_array(X)
    out.data[::4] = 0.0
    return out


CASES = [(cls, name) for cls in registry.blocks() for name in MAKERS.get(cls.__name__, {"(none)": None})]


def cells(n=90, d=7, K=3):
    """Small whole numbers, which every kind holds exactly."""
    rng = np.random.default_rng(n)
    X = rng.integers(-3, 4, (n, d)).astype(float)
    codes = rng.integers(0, K, n).astype(np.int32)
    return X, codes, rng.integers(0, 3, n).astype(float)


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def weighted(request):
    return request.param


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].__name__}, {case[1]}")
def pair(request, weighted):
    """A block, and the dense float64 block of the same rows."""
    cls, name = request.param
    assert cls.__name__ in MAKERS, f"say in MAKERS of {__file__} how a {cls.__name__} is made of a dense matrix"
    X, codes, weights = cells()
    rows = MAKERS[cls.__name__][name](X)
    w = weights if weighted else None
    plain = np.asarray(rows.toarray() if sp.issparse(rows) else rows).astype(np.float64)
    return cls(rows, 10, codes, w), DenseBlock(np.ascontiguousarray(plain), 10, codes, w)


def origin_for(block, K, centred):
    d = block.shape[1]
    rows = block.rows()
    centre = np.stack([rows[k] for k in range(K)]) if centred else np.zeros((K, d))
    return Origin.of(centre, np.linspace(0.1, 9, d), rows.dtype)


def functions(block, K):
    rng = np.random.default_rng(K)
    return LinearFunctions.of(rng.standard_normal((K, block.shape[1])), rng.standard_normal(K))


def gram(block):
    out = {}
    d, K = block.shape[1], 3
    for rows_of in (None, 0, 2):
        origin = origin_for(block, K, False)
        origin = origin if rows_of is None else origin.of_class(rows_of)
        totals, sums = np.zeros(origin.classes), np.zeros((origin.classes, padded(d)))
        scatter = np.zeros((padded(d), padded(d)))
        block.add_gram(origin, totals, sums, scatter, rows_of)
        out |= {f"totals {rows_of}": totals, f"sums {rows_of}": sums, f"scatter {rows_of}": np.triu(scatter)}
    return out


def squares(block):
    d = block.shape[1]
    totals, sums, out = np.zeros(3), np.zeros((3, padded(d))), np.zeros((3, padded(d)))
    block.add_squares(origin_for(block, 3, False), totals, sums, out)
    return {"totals": totals, "sums": sums, "squares": out}


def scores(block):
    out = {}
    for K in (1, 2, 4, 33):
        values, winners = np.empty((block.shape[0], K)), np.empty(block.shape[0], np.int32)
        assert block.scores(functions(block, K), values, winners) == -1
        out |= {f"scores {K}": values, f"winners {K}": winners}
        only = np.empty(block.shape[0], np.int32)
        block.scores(functions(block, K), None, only)
        assert np.array_equal(only, winners)
    return out


def loss(block):
    out = {}
    block = type(block)(block.X, block.start, (block.codes > 0).astype(np.int32), block.weights)
    for each in (losses.Logistic(), losses.SquaredHinge(), losses.HuberHinge(0.5), losses.Squared(), losses.Softmax()):
        K = 2 if isinstance(each, losses.Softmax) else 1
        gradient, intercepts = np.zeros((K, padded(block.shape[1]))), np.zeros(K)
        values = np.empty((block.shape[0], K))
        curvature = np.empty(block.shape[0]) if K == 1 else None
        total, bad = block.add_loss(functions(block, K), each, gradient, intercepts, values, curvature)
        name = type(each).__name__
        out |= {f"{name}, loss": total, f"{name}, gradient": gradient, f"{name}, intercepts": intercepts,
                f"{name}, scores": values, f"{name}, bad": bad}
        out |= {} if curvature is None else {f"{name}, curvature": curvature}
    return out


def centred(block):
    rng = np.random.default_rng(0)
    centre, scale = rng.standard_normal(block.shape[1]), np.ldexp(1.0, rng.integers(-3, 3, block.shape[1]))
    codes, weights, rows = zip(*block.centred(centre, scale), strict=True)
    kept = [np.ones(len(c)) if w is None else w for c, w in zip(codes, weights, strict=True)]
    return {"codes": np.concatenate(codes), "weights": np.concatenate(kept), "rows": np.concatenate(rows)}


def distances(block):
    rng = np.random.default_rng(0)
    centre, scale = rng.standard_normal((3, block.shape[1])), rng.random((3, block.shape[1]))
    return {"distances": block.squared_distances(centre, scale)}


def lengths(block):
    out = np.empty(block.shape[0])
    block.lengths(out)
    return {"lengths": out}


def walked(block):
    """What a perceptron learns, of one function and of three, in the order of the rows and in another."""
    out, d = {}, block.shape[1]
    for classes, order in ((2, None), (2, np.arange(block.shape[0])[::-2].copy()), (3, None)):
        block.codes = np.minimum(block.codes, classes - 1)
        F = 1 if classes == 2 else classes
        weights = Weights(np.zeros((F, d)), np.zeros(F), together=F > 1, averaged=True, runs=True)
        rule = _core.PerceptronRule(rate=0.5, threshold=0.0, zero=_core.NetOfZero.undecided, intercept=True,
                                    together=F > 1, stop_when_right=False)
        all_lengths = np.ones(block.start + block.shape[0])
        block.lengths(all_lengths[block.start :])
        positives = np.array([1] if F == 1 else np.arange(F), np.int32)
        walk = Walk(weights, rule, positives, all_lengths, trace=[])
        block.walk(walk, order)
        assert weights.mistakes.sum() > 0
        name = f"{classes} classes, {'in order' if order is None else 'ordered'}"
        coef, intercept = weights.last()
        out |= {f"{name}, coef": coef, f"{name}, intercept": intercept, f"{name}, mistakes": weights.mistakes,
                f"{name}, average": weights.average()[0],
                f"{name}, rows": np.concatenate([part.rows for part in walk.trace]),
                f"{name}, nets": np.concatenate([part.nets for part in walk.trace])}
    return out


def matrix(columns, rows):
    return np.random.default_rng(columns).standard_normal((rows, columns))


# What each method is asked, by its name: a function of the block that gives {name: array}.
QUESTIONS = {
    "shape": lambda block: {"shape": np.array(block.shape)},
    "add_gram": gram, "add_squares": squares, "scores": scores, "add_loss": loss, "centred": centred,
    "squared_distances": distances, "lengths": lengths, "walk": walked,
    "times": lambda block: {f"times {m}": block.times(matrix(m, block.shape[1])) for m in (1, 2, 9, 40)},
    "transpose_times": lambda block: {f"times {m}": block.transpose_times(matrix(m, block.shape[0])) for m in (1, 20)},
    "outer": lambda block: {"outer": block.outer(np.linspace(0.5, 2, block.shape[1]))},
    "rows": lambda block: {"all": block.rows(), "some": block.rows(np.array([5, 3, 3, 0])),
                           "none": block.rows(np.array([], np.int64))},
    "largest": lambda block: {"largest": block.largest()},
    "first_not_finite": lambda block: {"cell": np.array(block.first_not_finite() is None)},
}


@pytest.mark.parametrize("method", sorted(Block.__abstractmethods__))
def test_a_block_says_what_the_dense_one_says(pair, method, count_cases):
    assert method in QUESTIONS, f"say in QUESTIONS of {__file__} what Block.{method} is to be asked"
    block, dense = pair
    found, wanted = QUESTIONS[method](block), QUESTIONS[method](dense)
    single = getattr(block.X, "dtype", np.dtype(float)).itemsize in (2, 4) and block.X.dtype.kind == "f"
    for name, value in wanted.items():
        a, b = np.atleast_1d(np.asarray(found[name])), np.atleast_1d(np.asarray(value))
        assert_close(a.astype(float), b.astype(float), rtol=1e-5 if single else 1e-12, case=f"{method}, {name}")
        count_cases("questions to blocks")


def test_centres_that_occur_in_the_rows_make_constant_columns_vanish():
    X, codes, w = cells()
    X[:, 2] = 7.1
    X[:, 4] = codes + 0.3
    block = DenseBlock(X, 0, codes, w)
    origin = Origin.of(np.stack([X[np.flatnonzero(codes == k)[0]] for k in range(3)]), np.abs(X).max(axis=0), X.dtype)
    d = padded(7)
    totals, sums, scatter = np.zeros(3), np.zeros((3, d)), np.zeros((d, d))
    block.add_gram(origin, totals, sums, scatter, None)
    assert (scatter[2, :7] == 0).all() and (scatter[:7, 2] == 0).all()
    assert (scatter[4, :7] == 0).all() and (scatter[:7, 4] == 0).all()
    assert (sums[:, [2, 4]] == 0).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("cls", registry.blocks(), ids=lambda cls: cls.__name__)
def test_cells_that_are_not_finite_are_found(cls, value):
    for row, column in ((0, 0), (0, 6), (45, 3), (89, 6)):
        X, codes, _ = cells()
        X[row, column] = value
        X[min(row + 1, 89), 0] = value
        for dtype in (np.float64, np.float32):
            rows = X.astype(dtype)
            block = cls(sp.csr_array(rows) if cls.__name__ == "SparseBlock" else rows, 3, codes, None)
            at = block.first_not_finite()
            assert at[:2] == ((row, column) if row + 1 < 90 else (89, 0)), f"{dtype.__name__}: {at}"
            assert block.scores(functions(block, 3), np.empty((90, 3)), None) == row
            assert not np.isfinite(block.largest()[column])
