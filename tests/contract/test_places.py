"""Every place hands out the same rows, whichever way it holds them, and says what it cannot do."""

import numpy as np
import pytest
import scipy.sparse as sp
from answers import assert_close
from contract import registry
from contract.arguments import CLASSES, Rows, given

import discriminant as dc
from discriminant.errors import UnsupportedHere
from discriminant.passes.a_pass import Pass
from discriminant.places import memory, unsupported
from discriminant.places.choose import place_of
from discriminant.places.place import Place

# How each place is made of dense rows. A new place needs an entry, by the name of its class: {case: function}.
MAKERS = {
    "MemoryPlace": {
        "dense": lambda X, codes, w: memory.MemoryPlace(X, codes, w),
        "Fortran": lambda X, codes, w: memory.MemoryPlace(np.asfortranarray(X), codes, w),
        "sparse": lambda X, codes, w: memory.MemoryPlace(sp.csr_array(X), codes, w),
        "chosen, dense": lambda X, codes, w: place_of(X, codes, w),
        "chosen, sparse": lambda X, codes, w: place_of(sp.csr_array(X), codes, w),
    },
}
CASES = [(cls, name) for cls in registry.places() for name in MAKERS.get(cls.__name__, {"(none)": None})]


def data(n=500, d=6, K=3, fill=1.0):
    rng = np.random.default_rng(n)
    X = np.where(rng.random((n, d)) < fill, rng.standard_normal((n, d)), 0.0)
    return X, rng.integers(0, K, n).astype(np.int32), rng.integers(1, 4, n).astype(float)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].__name__}, {case[1]}")
def make(request):
    cls, name = request.param
    assert cls.__name__ in MAKERS, f"say in MAKERS of {__file__} how a {cls.__name__} is made of dense rows"
    return MAKERS[cls.__name__][name]


@pytest.fixture(autouse=True)
def threads_as_before():
    yield
    dc.set_threads(None)


class Seen(Pass[list]):
    """Which rows were handed out, with what beside them."""

    def begin(self):
        return []

    def block(self, block, into):
        weights = np.ones(block.shape[0]) if block.weights is None else block.weights
        into.append((block.start, block.rows().copy(), block.codes.copy(), weights.copy()))

    def merge(self, into, other):
        return into + other


@pytest.mark.parametrize("fill", [1.0, 0.05])
@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 500, 5000])
def test_every_row_is_handed_out_once_and_in_order(make, n, fill, monkeypatch):
    monkeypatch.setattr(memory, "_BLOCK_BYTES", 4096)
    monkeypatch.setattr(memory, "_STRAND_BYTES", 2048)
    X, codes, w = data(n, fill=fill)
    for weights in (None, w):
        for threads in (1, 3):
            dc.set_threads(threads)
            place = make(X, codes, weights)
            found = place.fold(Seen())
            starts, rows, labels, given_weights = zip(*found, strict=True)
            assert list(starts) == np.cumsum([0, *map(len, rows)])[:-1].tolist()
            assert np.array_equal(np.vstack(rows), X)
            assert np.array_equal(np.concatenate(labels), codes)
            assert np.array_equal(np.concatenate(given_weights), np.ones(n) if weights is None else w)
            assert len(found) > 4 or n < 5000


def test_what_a_place_says_of_itself(make):
    X, codes, w = data()
    place = make(X, codes, w)
    assert isinstance(place, Place)
    assert place.shape == X.shape
    assert place.dtype == np.float64
    assert np.array_equal(place.codes, codes) and np.array_equal(place.weights, w)
    assert place.passes_made == 0
    place.fold(Seen())
    assert place.passes_made == 1


def test_taking_and_relabelling_rows(make):
    X, codes, w = data()
    place = make(X, codes, w)
    order = np.array([499, 0, 3, 3, 17])
    assert np.array_equal(place.take(order), X[order])
    assert np.array_equal(place.whole().rows(), X)
    few = place.subset(order)
    assert np.array_equal(few.whole().rows(), X[order]) and np.array_equal(few.codes, codes[order])
    assert np.array_equal(few.weights, w[order])
    other = place.labelled(codes[::-1].copy(), None)
    assert np.array_equal(other.codes, codes[::-1]) and other.weights is None
    assert np.array_equal(other.whole().rows(), X) and np.array_equal(place.codes, codes)


@pytest.mark.parametrize("cls", registry.passes(), ids=lambda cls: cls.__name__)
def test_a_pass_finds_the_same_in_every_place(make, cls, count_cases):
    for K in CLASSES.get(cls.__name__, (3,)):
        X, codes, w = data(300, K=K)
        rows = Rows(X, codes, w, K)
        for run in given(cls, rows):
            wanted = {name: value.copy() for name, value in run.fold(rows).items()}
            found = run.values(make(X, codes, w).fold(run.task))
            for name, value in wanted.items():
                assert_close(np.ravel(found[name]).astype(float), np.ravel(value).astype(float), rtol=1e-8,
                             case=f"{run.name}, {name}")
            count_cases("passes in places")


def test_an_error_in_a_block_is_the_error_of_the_fold(make, monkeypatch):
    monkeypatch.setattr(memory, "_BLOCK_BYTES", 4096)
    monkeypatch.setattr(memory, "_STRAND_BYTES", 2048)

    class Fails(Seen):
        def block(self, block, into):
            if block.start >= 2000:
                raise ZeroDivisionError(f"at {block.start}")

    place = make(*data(5000))
    for threads in (1, 2, 8):
        dc.set_threads(threads)
        with pytest.raises(ZeroDivisionError, match="at "):
            place.fold(Fails())
        assert sum(len(rows) for _, rows, _, _ in place.fold(Seen())) == 5000


def test_markers_refuse_and_name_the_alternative():
    mark = unsupported.Unsupported("epoch", "across partitions", "row order has no meaning there", "fit in memory")
    try:
        with pytest.raises(UnsupportedHere, match=r"epoch is not available across partitions: .* Instead: fit in mem"):
            mark.refuse()
        assert mark in unsupported.markers
    finally:
        unsupported.markers.remove(mark)
    for each in unsupported.markers:
        assert all((each.what, each.where, each.why, each.use)), f"{each!s} leaves something unsaid"
