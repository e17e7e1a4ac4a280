"""What every pass must keep: merge = whole, the same bits from any number of threads, one answer for any kind of rows.

The passes are found in the package; arguments.py says what to give them, and what they should find.
"""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from answers import assert_close
from contract import registry
from contract.arguments import ARGUMENTS, CLASSES, Rows, given

import discriminant as dc
from discriminant.places import memory

every_pass = pytest.mark.parametrize("cls", registry.passes(), ids=lambda cls: cls.__name__)
KIND = "runs of passes"


@pytest.fixture(autouse=True)
def threads_as_before():
    yield
    dc.set_threads(None)


def rows(kind="dense", n=130, d=5, K=3, *, weighted=False):
    """The same cells in every kind: sparse enough to stay sparse."""
    rng = np.random.default_rng([n, d, K])
    X = np.round(rng.standard_normal((n, d)) + rng.standard_normal((K, d))[np.arange(n) % K], 3)
    if kind.startswith("few"):
        X = np.where(rng.random(X.shape) < 0.06, X, 0.0)
        X[np.arange(K * d) % n, np.arange(K * d) % d] += 1.0 * (n > 4 * K * d)  # no class without a cell
    codes = (np.arange(n) % K).astype(np.int32)
    w = rng.integers(1, 4, n).astype(float) if weighted else None
    make = {"dense": np.asarray, "float32": lambda X: X.astype(np.float32), "Fortran": np.asfortranarray,
            "integers": lambda X: np.round(9 * X).astype(np.int16), "csr": sp.csr_array, "few, csr": sp.csr_array,
            "few, dense": np.asarray}
    made = Rows(make[kind](X), codes, w, K)
    assert made.place.is_sparse == (kind == "few, csr")
    return made


def all_rows(cls, *kinds, **options):
    """Rows of each kind, with as many classes as the pass takes."""
    for kind in kinds:
        for K in CLASSES.get(cls.__name__, (3,)):
            yield kind, rows(kind, K=K, **options)


def runs_of(cls):
    """Every run over weighted dense rows, with those rows."""
    return [(run, data) for _, data in all_rows(cls, "dense", weighted=True) for run in given(cls, data)]


def assert_same_values(found, wanted, case, rtol=1e-9):
    assert found.keys() >= wanted.keys(), f"{case}: {sorted(found)} against {sorted(wanted)}"
    for name, value in wanted.items():
        a, b = np.atleast_1d(found[name]), np.atleast_1d(value)
        if np.issubdtype(np.asarray(b).dtype, np.integer):
            assert np.array_equal(a, b), f"{case}: {name} differs"
        else:
            flat = b.reshape(len(b), -1) if b.ndim > 1 else b[None]
            assert_close(a.reshape(flat.shape), flat, rtol=rtol, case=f"{case}: {name}")


def clean(run, n):
    """Forget what the last run filled in."""
    for array in run.filled.values():
        array[...] = -7
    return run


def pieces(run, data, cuts):
    """One value for each stretch of rows between `cuts`."""
    whole = data.place
    values = []
    for start, stop in zip([0, *cuts], [*cuts, len(data.codes)], strict=True):
        value = run.task.begin()
        if stop > start:
            run.task.block(whole._block(start, stop), value)
        values.append(value)
    return values


@every_pass
def test_it_finds_what_it_should(cls, count_cases):
    kinds = ("dense", "Fortran", "integers", "csr", "few, csr", "few, dense")
    for weighted in (False, True):
        for kind, data in all_rows(cls, *kinds, weighted=weighted):
            for run in given(cls, data):
                if run.expected is not None and all(each is not None for each in run.expected.values()):
                    assert_same_values(run.fold(data), run.expected, f"{run.name}, {kind}, weighted: {weighted}", 1e-8)
                    count_cases(KIND)


@every_pass
def test_merge_is_the_whole(cls, count_cases):
    rng = np.random.default_rng(0)
    for kind, data in all_rows(cls, "dense", "few, csr", "float32", "integers", weighted=True):
        n = len(data.codes)
        for run in given(cls, data):
            (whole,) = pieces(clean(run, n), data, [])
            wanted = {name: value.copy() for name, value in run.values(whole).items()}
            anywhere = [np.sort(rng.integers(0, n, k)).tolist() for k in (2, 3, 5, 9)]
            for cuts in ([0], [n], [1], [n - 1], [n // 2], [64, 128], [7, 7, 8], *anywhere):
                case = f"{run.name}, {kind}, cut at {cuts}"
                parts = pieces(clean(run, n), data, cuts)
                total = parts[0]
                for part in parts[1:]:
                    total = run.task.merge(total, part)
                rtol = 1e-4 if kind == "float32" else 1e-9
                assert_same_values(run.values(total), wanted, case, rtol)
                parts = pieces(clean(run, n), data, cuts)
                total = parts[-1]
                for part in parts[-2::-1]:
                    total = run.task.merge(part, total)
                assert_same_values(run.values(total), wanted, f"{case}, from the end", rtol)
                count_cases(KIND, 2)


@every_pass
def test_no_rows_add_nothing(cls, count_cases):
    for run, data in runs_of(cls):
        (value,) = pieces(run, data, [])
        wanted = {name: each.copy() for name, each in run.values(value).items()}
        assert_same_values(run.values(run.task.merge(value, run.task.begin())), wanted, f"{run.name}, nothing after", 0)
        (value,) = pieces(run, data, [])
        joined = run.values(run.task.merge(run.task.begin(), value))
        assert_same_values(joined, wanted, f"{run.name}, nothing before", 1e-12)
        one, other = run.task.begin(), run.task.begin()
        run.task.block(data.place._block(0, 50), one)
        fresh = run.values(run.task.begin()) if not run.filled else None
        if fresh is not None:
            assert_same_values(run.values(other), fresh, f"{run.name}, values share memory", 0)
        count_cases(KIND, 3)


@pytest.fixture
def many_strands(monkeypatch):
    """Blocks and strands so small that a few thousand rows make many of each."""
    for name, value in {"_BLOCK_BYTES": 4096, "_STRAND_BYTES": 2048, "_STRAND_FLOPS": 1e4}.items():
        monkeypatch.setattr(memory, name, value)


def counted(task, monkeypatch):
    """A list that grows by one whenever the pass merges."""
    merges, merge = [], task.merge

    def merging(into, other):
        merges.append(1)
        return merge(into, other)

    monkeypatch.setattr(task, "merge", merging)
    return merges


@every_pass
def test_the_number_of_threads_changes_no_bit(cls, many_strands, count_cases, monkeypatch):
    kinds = ("dense", "float32", "Fortran", "integers", "few, csr", "csr")
    for kind, data in all_rows(cls, *kinds, n=9000, weighted=True):
        for run in given(cls, data):
            merges = counted(run.task, monkeypatch)
            monkeypatch.setattr(run.task, "least_rows", 200, raising=False)
            found = []
            for threads in (1, 2, 3, 8):
                dc.set_threads(threads)
                found.append({name: each.copy() for name, each in clean(run, 9000).fold(data).items()})
            assert len(merges) >= 12, f"{run.name}, {kind}: merged {len(merges)} times, so nothing was shared out"
            for threads, each in zip((2, 3, 8), found[1:], strict=True):
                for name, value in each.items():
                    assert np.array_equal(value, found[0][name], equal_nan=value.dtype.kind == "f"), (
                        f"{run.name}, {kind}: {name} has other bits with {threads} threads than with 1")
            (whole,) = pieces(clean(run, 9000), data, [])
            rtol = 3e-4 if kind == "float32" else 1e-8
            assert_same_values(found[0], run.values(whole), f"{run.name}, {kind}, one block against many", rtol)
            count_cases(KIND, 4)


@every_pass
def test_dense_is_sparse(cls, count_cases):
    for weighted in (False, True):
        for one, other in (("few, dense", "few, csr"), ("dense", "csr")):
            both = zip(all_rows(cls, one, weighted=weighted), all_rows(cls, other, weighted=weighted), strict=True)
            runs = [(run, a, again, b) for (_, a), (_, b) in both
                    for run, again in zip(given(cls, a), given(cls, b), strict=True)]
            for run, a, again, b in runs:
                assert_same_values(again.fold(b), run.fold(a), f"{run.name}, {other} against {one}", 1e-8)
                count_cases(KIND)


@every_pass
def test_float32_is_nearly_float64(cls, count_cases):
    both = zip(all_rows(cls, "dense"), all_rows(cls, "float32"), strict=True)
    runs = [(run, a, again, b) for (_, a), (_, b) in both
            for run, again in zip(given(cls, a), given(cls, b), strict=True)]
    for run, a, again, b in runs:
        found, wanted = again.fold(b), run.fold(a)
        inexact = {name: value for name, value in wanted.items() if name not in ("winners", "hits")}
        if cls.__name__.startswith("LeftOut"):
            inexact = {name: value for name, value in inexact.items() if name != "value"}
            hits = "value" if "value" in wanted else "hits"
            assert np.abs(found[hits] - wanted[hits]).max() <= 2
        assert_same_values(found, inexact, f"{run.name}, float32", 2e-5)
        count_cases(KIND)


@every_pass
def test_the_order_of_rows_does_not_matter(cls, count_cases):
    order = np.random.default_rng(5).permutation(130)
    for kind, data in all_rows(cls, "dense", "few, csr", weighted=True):
        moved = data.taken(order)
        for run, again in zip(given(cls, data), given(cls, moved), strict=True):
            found, wanted = again.fold(moved), dict(run.fold(data))
            for name in run.filled:
                wanted[name] = wanted[name][order]
            for name in run.in_order:
                wanted.pop(name)
            assert_same_values(found, wanted, f"{run.name}, {kind}", 1e-8)
            count_cases(KIND)


@every_pass
def test_weights_are_repetitions(cls, count_cases):
    for kind, data in all_rows(cls, "dense", "few, csr", weighted=True):
        often = np.repeat(np.arange(130), data.weights.astype(int))
        repeated = Rows(data.X[often], data.codes[often], None, data.classes)
        ones = Rows(repeated.X, repeated.codes, np.ones(len(often)), data.classes)
        for run, again, third in zip(given(cls, data), given(cls, repeated), given(cls, ones), strict=True):
            wanted = again.fold(repeated)
            assert_same_values(third.fold(ones), wanted, f"{run.name}, {kind}, weights of 1", 1e-10)
            if run.counts_repetitions:
                sums = {name: value for name, value in wanted.items() if name not in run.filled}
                assert_same_values(run.fold(data), sums, f"{run.name}, {kind}", 1e-8)
            count_cases(KIND, 2)


def bytes_of(value):
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_of, value))
    return sum(map(bytes_of, vars(value).values())) if hasattr(value, "__dict__") else 8


@every_pass
def test_what_a_pass_says_of_its_costs(cls, count_cases):
    """A place cuts strands and blocks by these; a value said to be small must not be large."""
    K = CLASSES.get(cls.__name__, (3,))[0]
    narrow, broad = rows(d=5, K=K), rows(d=90, n=400, K=K)
    for small, large in zip(given(cls, narrow), given(cls, broad), strict=True):
        for run, data in ((small, narrow), (large, broad)):
            (value,) = pieces(run, data, [])
            said, actual = run.task.value_bytes(), bytes_of(value)
            assert isinstance(said, int) and said >= 0
            assert actual <= 4 * said + (1 << 16), f"{run.name}: a value of {actual} bytes is said to take {said}"
            assert said <= 4 * actual + (1 << 16), f"{run.name}: a value of {actual} bytes is said to take {said}"
            flops = run.task.flops_per_row()
            assert isinstance(flops, int) and 0 <= flops < 1e9
            assert run.task.least_rows >= 1
            count_cases(KIND)
        assert large.task.flops_per_row() >= small.task.flops_per_row()
        assert large.task.value_bytes() >= small.task.value_bytes()


@every_pass
def test_passes_and_values_travel_between_processes(cls, count_cases):
    for run, data in runs_of(cls):
        task = pickle.loads(pickle.dumps(run.task))
        value = task.begin()
        task.block(data.place._block(0, 130), value)
        value = pickle.loads(pickle.dumps(value))
        wanted = {name: each.copy() for name, each in run.fold(data).items()}
        found = run.values(run.task.merge(run.task.begin(), value))
        assert_same_values(found, wanted, run.name, 1e-12)
        count_cases(KIND)


@pytest.mark.parametrize("kind", ["dense", "csr", "few, csr", "float32", "Fortran"])
def test_the_first_cell_that_is_not_finite(kind, many_strands, count_cases):
    (cls,) = [cls for cls in registry.passes() if cls.__name__ == "FirstNotFinite"]
    for value in (np.nan, np.inf, -np.inf):
        for row, column in ((0, 0), (1, 4), (64, 2), (2999, 4)):
            data = rows("dense", n=3000)
            X = data.dense
            if kind.startswith("few"):
                X = np.where(np.arange(X.size).reshape(X.shape) % 14 == 0, X, 0)
            X[row, column] = value
            X[min(row + 700, 2999), 4] = np.nan if row < 2299 else X[2999, 4]
            X[min(row + 1, 2999), 0] = np.inf if row < 2298 else X[2999, 0]
            make = {"dense": np.asarray, "Fortran": np.asfortranarray, "float32": np.float32}.get(kind, sp.csr_array)
            bad = Rows(make(X), data.codes, None, 3)
            for threads in (1, 3):
                dc.set_threads(threads)
                (run,) = given(cls, bad)
                found = run.fold(bad)
                assert (found["row"], found["column"]) == (row, column)
                assert str(float(found["value"])) == str(value)
                count_cases(KIND)


def test_every_pass_has_arguments_and_every_argument_a_pass():
    names = {cls.__name__ for cls in registry.passes()}
    assert names <= set(ARGUMENTS), (f"add arguments for {sorted(names - set(ARGUMENTS))} to ARGUMENTS in "
                                     "tests/contract/arguments.py")
    assert set(ARGUMENTS) <= names, f"ARGUMENTS in tests/contract/arguments.py names {sorted(set(ARGUMENTS) - names)}"
