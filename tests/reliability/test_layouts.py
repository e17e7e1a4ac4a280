"""However the cells lie in memory and whatever holds them, the answer is that for a contiguous copy."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from answers import answers, assert_same_answers
from contract import registry
from numpy.lib.stride_tricks import as_strided
from reliability.checks import Cases

from discriminant.places import memory

KIND = "layouts of rows, labels and weights"
PROBLEM = problems.three()
by_learner = pytest.mark.parametrize("learner", registry.learners(), ids=lambda learner: learner.__name__)


class OnlyAnArray:
    """Anything with `__array__`."""

    def __init__(self, X):
        self._X = X

    def __array__(self, dtype=None, copy=None):
        return self._X


class OnlyAnInterface:
    def __init__(self, X):
        self._X, self.__array_interface__ = X, X.__array_interface__


class Subclass(np.ndarray):
    """Would get in the way: its products are elementwise nonsense."""

    def __matmul__(self, other):
        raise RuntimeError("not an ordinary array")

    __mul__ = __rmul__ = __sub__ = __matmul__


def unaligned(X):
    buffer = np.zeros(X.nbytes + 1, np.uint8)
    out = buffer[1:].view(X.dtype).reshape(X.shape)
    out[...] = X
    assert not out.flags.aligned or X.itemsize == 1
    return out


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def stretched(X, rows, columns):
    """X as every so-many-th cell of something larger, filled with NaN in between."""
    big = np.full((len(X) * abs(rows), X.shape[1] * abs(columns)), np.nan if X.dtype.kind == "f" else 0, X.dtype)
    view = big[::rows, ::columns]
    view[...] = X
    return view


def odd_strides(X):
    """Rows that overlap nothing but are not a whole number of cells apart from one another's starts."""
    step = X.shape[1] * X.itemsize + X.itemsize // 2 if X.itemsize > 1 else X.shape[1] + 3
    buffer = np.zeros(len(X) * step + X.nbytes, np.uint8)
    view = as_strided(buffer.view(np.uint8)[: X.itemsize].view(X.dtype), X.shape, (step, X.itemsize))
    view[...] = X
    return view


LAYOUTS = {
    "C order": np.ascontiguousarray, "Fortran order": np.asfortranarray, "transposed": lambda X: X.T.copy().T,
    "every second row": lambda X: stretched(X, 2, 1), "every third column": lambda X: stretched(X, 1, 3),
    "every second row and column": lambda X: stretched(X, 2, 2), "rows backwards": lambda X: X[::-1].copy()[::-1],
    "columns backwards": lambda X: X[:, ::-1].copy()[:, ::-1],
    "all backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "backwards and strided": lambda X: stretched(X, -2, -3), "Fortran, strided": lambda X: stretched(X.T, 2, 2).T,
    "Fortran, backwards": lambda X: X.T[::-1].copy()[::-1].T, "odd strides": odd_strides,
    "unaligned": unaligned, "unaligned, Fortran": lambda X: unaligned(X.T.copy()).T,
    "read-only": read_only, "read-only, Fortran": lambda X: read_only(X.T).T,
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "big-endian, Fortran": lambda X: np.asfortranarray(X.astype(X.dtype.newbyteorder(">"))),
    "big-endian, unaligned": lambda X: unaligned(X.astype(X.dtype.newbyteorder(">"))),
    "big-endian, strided": lambda X: stretched(X.astype(X.dtype.newbyteorder(">")), 2, 2),
    "big-endian, read-only": lambda X: read_only(X.astype(X.dtype.newbyteorder(">"))),
    "subclass": lambda X: X.view(Subclass),
    "inside 3-D": lambda X: np.stack([X, X], axis=2)[:, :, 1],
    "with an empty axis": lambda X: X[None][0], "__array__": OnlyAnArray, "__array_interface__": OnlyAnInterface,
    "a list of arrays": list, "a tuple of arrays": lambda X: tuple(X), "a buffer": lambda X: memoryview(X.copy()),
}
LISTS = {"lists": lambda X: X.tolist(), "tuples": lambda X: tuple(map(tuple, X.tolist())),
         "objects": lambda X: X.astype(object), "without a mask": np.ma.masked_array,
         "texts of numbers": lambda X: X.astype(str)}
DTYPES = ("float64", "float32", "float16", "longdouble", "int8", "int16", "int32", "int64", "uint8", "uint16",
          "uint32", "uint64", "bool")


def cells(dtype, X):
    """X in a type that cannot hold all of it."""
    if dtype == "bool":
        return X > 0
    if np.dtype(dtype).kind == "f":
        return X.astype(dtype)
    return np.round(10 * (X - X.min())).astype(dtype)


def plain(X):
    """The contiguous copy, in the type that holds every cell and in which rows are read."""
    return np.ascontiguousarray(X, np.float32 if X.dtype.kind == "f" and X.dtype.itemsize <= 4 else np.float64)


def check(cases, learner, configuration, name, given, wanted_rows, rtol=1e-12):
    """Fit on `given` and on `wanted_rows`, score both by both."""
    y = PROBLEM.y[: len(wanted_rows)]
    with cases.case(f"{registry.name_of(learner, configuration)}, {name}"):
        wanted_model = learner(**configuration).fit(wanted_rows, y)
        wanted = answers(wanted_model, wanted_rows)
        model = learner(**configuration).fit(given, y)
        assert_same_answers(answers(model, wanted_rows), wanted, rtol=rtol, case="fit")
        assert_same_answers(answers(wanted_model, given), wanted, rtol=rtol, case="score")


def some_configurations(learner):
    """The default and the last of each parameter's values: enough to reach every pass."""
    table = registry.choices(learner, PROBLEM.classes, data_free=True)
    offered = [{}, *(registry.seeded(learner, {name: value}) for name, values in table.items() for value in values[1:])]
    return registry.accepted(learner, offered, PROBLEM.X, PROBLEM.y)


@by_learner
def test_arrays(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for dtype in DTYPES:
        X = cells(dtype, PROBLEM.X)
        for name, lay in LAYOUTS.items():
            check(cases, learner, {}, f"{dtype}, {name}", lay(X), plain(X))
    cases.finish(300)


@by_learner
def test_configurations(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for configuration in some_configurations(learner)[1:]:
        for dtype in ("float64", "float32", "int16"):
            X = cells(dtype, PROBLEM.X)
            for name in ("Fortran order", "backwards and strided", "unaligned", "big-endian, strided", "read-only"):
                check(cases, learner, configuration, f"{dtype}, {name}", LAYOUTS[name](X), plain(X))
    cases.finish(50)


@by_learner
def test_rows_of_many_blocks(learner, count_cases):
    """Converted piece by piece, in several threads."""
    cases = Cases(count_cases, KIND)
    large = problems.blobs(60_000, 20, 3)
    for dtype in ("float64", "float32", "float16", "int8", "uint16", "bool"):
        X = cells(dtype, large.X)
        wanted = answers(learner(**registry.short(learner)).fit(plain(X), large.y), plain(X)[::100])
        for name in ("Fortran order", "backwards and strided", "unaligned", "big-endian, strided", "inside 3-D"):
            given = LAYOUTS[name](X)
            with cases.case(f"{learner.__name__}, 60,000 rows, {dtype}, {name}"):
                model = learner(**registry.short(learner)).fit(given, large.y)
                assert_same_answers(answers(model, plain(X)[::100]), wanted, rtol=1e-4 if "float" in dtype else 1e-6)
                everywhere = answers(model, given)
                assert_same_answers({name: value[::100] for name, value in everywhere.items()},
                                    answers(model, plain(X)[::100]), rtol=1e-9)
    cases.finish(30)


@by_learner
def test_lists_and_objects(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for dtype in ("float64", "int64", "bool"):
        X = cells(dtype, PROBLEM.X)
        for name, lay in LISTS.items():
            if not (dtype == "bool" and name == "texts of numbers"):
                check(cases, learner, {}, f"{dtype}, {name}", lay(X), X.astype(float))
    cases.finish(10)


@by_learner
def test_one_row_and_one_column(learner, count_cases):
    """NumPy calls such arrays contiguous whatever their strides."""
    cases = Cases(count_cases, KIND)
    model = learner(**registry.short(learner)).fit(PROBLEM.X, PROBLEM.y)
    wanted = answers(model, PROBLEM.X[7:8].copy())
    for name, lay in LAYOUTS.items():
        with cases.case(f"{learner.__name__}, one row, {name}"):
            assert_same_answers(answers(model, lay(PROBLEM.X)[7:8] if name in KEEP else lay(PROBLEM.X[7:8])), wanted,
                                rtol=1e-12)
    for strides in ((8, 8), (0, 8), (-8, 8), (12345, 8), (3, 8)):
        with cases.case(f"{learner.__name__}, one row, strides {strides}"):
            row = as_strided(PROBLEM.X[7:8].copy(), (1, 4), strides)
            assert_same_answers(answers(model, row), wanted, rtol=1e-12)
    column = PROBLEM.X[:, :1]
    for name, lay in LAYOUTS.items():
        check(cases, learner, {}, f"one column, {name}", lay(column), column.copy())
    cases.finish(50)


KEEP = [name for name in LAYOUTS if not name.startswith(("__", "a "))]


@by_learner
def test_the_same_row_many_times(learner, count_cases):
    """A broadcast array has strides of 0."""
    cases = Cases(count_cases, KIND)
    model = learner(**registry.short(learner)).fit(PROBLEM.X, PROBLEM.y)
    for rows in (1, 2, 1000):
        for columns in (False, True):
            row = np.full((1, 1), 0.25) if columns else PROBLEM.X[:1]
            spread = np.broadcast_to(row, (rows, 4))
            with cases.case(f"{learner.__name__}, {rows} rows, one cell: {columns}"):
                assert_same_answers(answers(model, spread), answers(model, spread.copy()), rtol=1e-12)
    cases.finish(6)


@by_learner
def test_memory_maps(learner, count_cases, tmp_path):
    cases = Cases(count_cases, KIND)
    for dtype in ("float64", "float32", "int8", ">f8", "float16"):
        for order in "CF":
            X = np.asarray(PROBLEM.X.astype(dtype), order=order)
            path = tmp_path / f"{dtype.replace('>', 'big')}{order}.npy"
            np.save(path, X)
            raw = tmp_path / "raw"
            raw.write_bytes(b"xyz" + X.tobytes(order=order))
            maps = {mode: np.load(path, mmap_mode=mode) for mode in ("r", "r+", "c")}
            maps["with an odd offset"] = np.memmap(raw, X.dtype, "r", offset=3, shape=X.shape, order=order)
            for name, given in maps.items():
                check(cases, learner, {}, f"memory map, {dtype}, {order}, {name}", given, plain(X))
    cases.finish(40)


@by_learner
def test_frames(learner, count_cases):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    nw = pytest.importorskip("narwhals")
    cases = Cases(count_cases, KIND)
    names = list("abcd")
    for dtype in DTYPES:
        if dtype == "longdouble":
            continue
        X = cells(dtype, PROBLEM.X)
        columns = {name: X[:, j] for j, name in enumerate(names)}
        frame = pd.DataFrame(X, columns=names)
        pandas = {"plain": frame, "a block of Fortran order": pd.DataFrame(np.asfortranarray(X), columns=names),
                  "one block a column": pd.DataFrame(columns), "another index": frame.set_index(frame.index[::-1]),
                  "sliced": pd.concat([frame, frame])[: len(X)], "names from a range": pd.DataFrame(X),
                  "numbers as names": pd.DataFrame(X, columns=[3, 1, 2, 0]), "objects": frame.astype(object)}
        others = {"polars": pl.DataFrame(columns), "polars, chunks": pl.concat(
                      [pl.DataFrame(columns)[:20], pl.DataFrame(columns)[20:]], rechunk=False),
                  "narwhals": nw.from_native(pl.DataFrame(columns)), "narwhals of pandas": nw.from_native(frame),
                  "arrow": pa.table(columns), "arrow, chunks": pa.concat_tables(
                      [pa.table(columns)[:20], pa.table(columns)[20:]]),
                  "arrow batch": pa.RecordBatch.from_pydict(columns)}
        if dtype != "float16":
            pandas["nullable"] = frame.convert_dtypes()
            pandas["arrow"] = frame.convert_dtypes(dtype_backend="pyarrow")
        for name, given in {**{f"pandas, {name}": given for name, given in pandas.items()}, **others}.items():
            single = name not in ("pandas, objects",) and not (name.endswith(("nullable", "arrow")) and dtype == "x")
            wanted = plain(X) if single else np.ascontiguousarray(X, np.float64)
            check_frame(cases, learner, f"{dtype}, {name}", given, wanted)
    for name, frame in {
        "mixed": pd.DataFrame({"a": PROBLEM.X[:, 0], "b": PROBLEM.X[:, 1].astype(np.float32),
                               "c": (9 * PROBLEM.X[:, 2]).astype(int), "d": PROBLEM.X[:, 3] > 0}),
        "mixed, nullable": pd.DataFrame({"a": PROBLEM.X[:, 0], "d": PROBLEM.X[:, 3] > 0}).convert_dtypes(),
        "decimals": pl.DataFrame(np.round(PROBLEM.X, 3), schema=names).cast(pl.Decimal(20, 3)),
    }.items():
        check_frame(cases, learner, name, frame, np.array(frame.to_numpy(), float))
    cases.finish(100)


def check_frame(cases, learner, name, given, wanted_rows):
    """Frames have column names, so each model is asked about the kind of rows it was fitted on."""
    with cases.case(f"{learner.__name__}, {name}"):
        wanted = answers(learner(**registry.short(learner)).fit(wanted_rows, PROBLEM.y), wanted_rows)
        found = answers(learner(**registry.short(learner)).fit(given, PROBLEM.y), given)
        rtol = 1e-12 if wanted_rows.dtype == np.float64 else 1e-4  # float16 columns become float64 in a frame
        assert_same_answers(found, wanted, rtol=rtol)


FORMATS = ("csr", "csc", "coo", "bsr", "dok", "lil", "dia")


def sparse_rows(fill):
    """So few cells that the rows stay sparse inside, or so many that they do not."""
    problem = problems.blobs(240, 8, 3)
    X = np.where(np.random.default_rng(3).random(problem.X.shape) < fill, problem.X, 0.0)
    assert memory.MemoryPlace(sp.csr_array(X)).is_sparse == (fill < 0.1)
    return X, problem.y


def with_index_type(X, index):
    """The same matrix with 32- or 64-bit indices, where the format has any."""
    for name in ("indices", "indptr", "row", "col", "offsets"):
        if hasattr(X, name) and not callable(getattr(X, name)):
            try:
                setattr(X, name, getattr(X, name).astype(index))
            except AttributeError:
                X.coords = tuple(each.astype(index) for each in X.coords)
    return X


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning",
                            "ignore::discriminant.errors.DegenerateWarning")
@by_learner
def test_sparse_matrices(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for fill in (0.06, 0.5):
        dense, y = sparse_rows(fill)
        for dtype in ("float64", "float32", "int32", "bool", "uint8", "longdouble"):
            X = cells(dtype, dense) if dtype not in ("int32", "uint8") else np.abs(np.round(9 * dense)).astype(dtype)
            wanted_rows = plain(X)
            for form in FORMATS:
                for kind in ("array", "matrix"):
                    for index in (np.int32, np.int64):
                        given = with_index_type(getattr(sp, f"{form}_{kind}")(X), index)
                        check_sparse(cases, learner, {}, f"{fill}, {dtype}, {form}_{kind}, {index.__name__}", given,
                                     wanted_rows, y, 1e-9 if wanted_rows.dtype == np.float64 else 1e-4)
    cases.finish(200)


@pytest.mark.filterwarnings("ignore::discriminant.errors.DegenerateWarning")
@by_learner
def test_sparse_oddities(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for fill in (0.06, 0.5):
        dense, y = sparse_rows(fill)
        csr = sp.csr_array(dense)
        backwards = csr.copy()
        for i in range(len(dense)):
            part = slice(csr.indptr[i], csr.indptr[i + 1])
            backwards.indices[part], backwards.data[part] = csr.indices[part][::-1], csr.data[part][::-1]
        backwards.has_sorted_indices = False
        halves = sp.coo_array((np.tile(csr.tocoo().data / 2, 2), np.tile(np.stack(csr.tocoo().coords), 2)), dense.shape)
        twice = sp.csr_array((np.repeat(csr.data / 2, 2), np.repeat(csr.indices, 2), 2 * csr.indptr), shape=dense.shape)
        zeros = csr.copy()
        zeros.data = zeros.data.copy()
        zeros.data[::3] = 0
        read = csr.copy()
        for part in (read.data, read.indices, read.indptr):
            part.flags.writeable = False
        slack = sp.csr_array((np.append(csr.data, np.nan), np.append(csr.indices, 0), csr.indptr), shape=dense.shape)
        odd = {"unsorted": (backwards, dense), "halves in COO": (halves, dense), "halves in CSR": (twice, dense),
               "stored zeros": (zeros, zeros.toarray()), "read-only": (read, dense), "room at the end": (slack, dense),
               "sliced": (sp.vstack([csr, csr]).tocsr()[: len(dense)], dense),
               "transposed": (sp.csr_array(dense.T.copy()).T, dense),
               "data strided": (sp.csr_array((np.repeat(csr.data, 2)[::2], csr.indices, csr.indptr), shape=dense.shape),
                                dense)}
        for configuration in some_configurations(learner):
            for name, (given, wanted_rows) in odd.items():
                check_sparse(cases, learner, configuration, f"{fill}, {name}", given, wanted_rows, y, 1e-8)
    cases.finish(100)


def check_sparse(cases, learner, configuration, name, given, wanted_rows, y, rtol):
    with cases.case(f"{registry.name_of(learner, configuration)}, {name}"):
        before = given.copy()
        try:
            wanted_model = learner(**configuration).fit(wanted_rows, y)
        except ValueError as error:
            with pytest.raises(type(error)):
                learner(**configuration).fit(given, y)
            return
        wanted = answers(wanted_model, wanted_rows)
        model = learner(**configuration).fit(given, y)
        assert_same_answers(answers(model, wanted_rows), wanted, rtol=rtol, case="fit")
        assert_same_answers(answers(wanted_model, given), wanted, rtol=rtol, case="score")
        assert given.dtype == before.dtype and given.nnz == before.nnz, "the user's matrix was changed"


Y_LAYOUTS = {
    "list": list, "tuple": tuple, "strided": lambda v: np.repeat(v, 3)[::3],
    "backwards": lambda v: v[::-1].copy()[::-1],
    "big-endian": lambda v: v.astype(v.dtype.newbyteorder(">")), "read-only": read_only, "unaligned": unaligned,
    "objects": lambda v: v.astype(object), "subclass": lambda v: v.view(Subclass), "a column of a matrix":
    lambda v: np.column_stack([v, v])[:, 1], "__array__": OnlyAnArray,
}


@by_learner
def test_labels_and_weights(learner, count_cases):
    cases = Cases(count_cases, KIND)
    weights = PROBLEM.weighted().weights
    labels = {"int8": np.int8, "int64": np.int64, "uint16": np.uint16, "uint64": np.uint64, "float64": np.float64,
              "float32": np.float32, "float16": np.float16, "text": str, "bytes": "S5", "object": object,
              "longdouble": np.longdouble, "int32": np.int32, "dates": "M8[D]", "times": "m8[s]"}
    base = answers(learner(**registry.short(learner)).fit(PROBLEM.X, PROBLEM.codes, weights), PROBLEM.probes)
    for name, dtype in labels.items():
        y = PROBLEM.codes.astype(dtype)
        for how, lay in Y_LAYOUTS.items():
            if name in ("object", "bytes") and how in ("unaligned", "big-endian"):
                continue
            with cases.case(f"{learner.__name__}, labels: {name}, {how}"):
                model = learner(**registry.short(learner)).fit(PROBLEM.X, lay(y), weights)
                found = answers(model, PROBLEM.probes)
                assert model.classes_.tolist() == sorted(set(y.tolist()))
                found["predict"] = np.searchsorted(model.classes_, found["predict"])
                assert_same_answers(found, base, rtol=0)
    for dtype in ("float64", "float32", "float16", "int8", "int64", "uint8", "uint64", "longdouble"):
        for how, lay in Y_LAYOUTS.items():
            with cases.case(f"{learner.__name__}, weights: {dtype}, {how}"):
                model = learner(**registry.short(learner)).fit(PROBLEM.X, PROBLEM.codes, lay(weights.astype(dtype)))
                assert_same_answers(answers(model, PROBLEM.probes), base, rtol=0)
    cases.finish(150)


@by_learner
def test_columns_of_frames_as_labels_and_weights(learner, count_cases):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    cases = Cases(count_cases, KIND)
    base = answers(learner(**registry.short(learner)).fit(PROBLEM.X, PROBLEM.codes), PROBLEM.probes)
    numbers, texts = PROBLEM.codes, PROBLEM.y
    columns = {
        "pandas": pd.Series(numbers), "pandas, another index": pd.Series(numbers, index=np.arange(48)[::-1]),
        "pandas Int64": pd.Series(numbers, dtype="Int64"), "pandas text": pd.Series(texts),
        "pandas categories": pd.Series(texts).astype("category"),
        "pandas arrow": pd.Series(texts, dtype="string[pyarrow]"),
        "pandas categories that do not occur": pd.Series(pd.Categorical(texts, ["eel", "cat", "bee", "ape"])),
        "pandas ordered categories": pd.Series(pd.Categorical(texts, ["ape", "bee", "cat"], ordered=True)),
        "pandas index": pd.Index(texts), "pandas array": pd.array(texts), "pandas Categorical": pd.Categorical(texts),
        "polars": pl.Series(numbers), "polars text": pl.Series(texts.tolist()),
        "polars categories": pl.Series(texts.tolist()).cast(pl.Categorical),
        "polars enum": pl.Series(texts.tolist()).cast(pl.Enum(["cat", "bee", "ape"])), "arrow": pa.array(numbers),
        "arrow text": pa.array(texts.tolist()),
        "arrow chunks": pa.chunked_array([texts[:20].tolist(), texts[20:].tolist()]),
        "arrow dictionary": pa.array(texts.tolist()).dictionary_encode(),
    }
    for name, y in columns.items():
        with cases.case(f"{learner.__name__}, labels: {name}"):
            model = learner(**registry.short(learner)).fit(PROBLEM.X, y)
            found = answers(model, PROBLEM.probes)
            found["predict"] = np.searchsorted(model.classes_, found["predict"])
            assert_same_answers(found, base, rtol=0)
    weights = PROBLEM.weighted().weights
    base = answers(learner(**registry.short(learner)).fit(PROBLEM.X, numbers, weights), PROBLEM.probes)
    for name, given in {"pandas": pd.Series(weights), "pandas Int64": pd.Series(weights.astype(int), dtype="Int64"),
                        "polars": pl.Series(weights), "arrow": pa.array(weights),
                        "pandas, another index": pd.Series(weights, index=np.arange(48)[::-1])}.items():
        with cases.case(f"{learner.__name__}, weights: {name}"):
            model = learner(**registry.short(learner)).fit(PROBLEM.X, numbers, given)
            assert_same_answers(answers(model, PROBLEM.probes), base, rtol=0)
    cases.finish(20)


@by_learner
def test_data_are_never_changed(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for configuration in some_configurations(learner):
        for order in "CF":
            for dtype in (np.float64, np.float32, np.int64):
                X = np.array(cells(np.dtype(dtype).name, PROBLEM.X), order=order)
                y, w = PROBLEM.codes.copy(), PROBLEM.weighted().weights
                kept = X.copy(), y.copy(), w.copy()
                with cases.case(f"{registry.name_of(learner, configuration)}, {order}, {np.dtype(dtype).name}"):
                    answers(learner(**configuration).fit(X, y, w), X)
                    assert all(np.array_equal(a, b) for a, b in zip(kept, (X, y, w), strict=True))
    cases.finish(20)
