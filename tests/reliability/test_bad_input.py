"""Whatever is wrong with rows, labels, weights or parameters, the error says which and how; nothing else happens."""

import datetime
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import problems
import pytest
import reference
import scipy.sparse as sp
from answers import METHODS, answers, assert_same_answers
from contract import registry
from reliability.checks import Cases, assert_refused

import discriminant as dc

PROBLEM = problems.three()
KIND = "named errors for bad arguments and input"
LEARNERS = registry.learners()
by_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.__name__)


def configurations(learner):
    offered = registry.one_at_a_time(learner, PROBLEM.classes, data_free=True)
    return registry.accepted(learner, offered, PROBLEM.X, PROBLEM.y)


# Rows


def with_cell(X, value, row=5, column=2, dtype=None):
    out = np.array(X, dtype=dtype)
    out[row, column] = value
    return out


def object_rows(X, value):
    return with_cell(X, value, dtype=object)


def bad_rows(X):
    """{name: (rows, words of which the message holds one)}; n x d as X where the shape is not what is wrong."""
    n = len(X)
    out = {}
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        for row, column in ((0, 0), (n // 2, 1), (n - 1, X.shape[1] - 1)):
            bad = with_cell(X, value, row, column)
            words = (f"{word} (row {row}, column {column})",)
            at = f"{value} at {row}, {column}"
            out |= {
                at: (bad, words), f"{at}, float32": (bad.astype(np.float32), words),
                f"{at}, float16": (bad.astype(np.float16), words), f"{at}, Fortran": (np.asfortranarray(bad), words),
                f"{at}, big-endian": (bad.astype(">f8"), words),
                f"{at}, strided": (np.repeat(bad, 2, 1)[:, ::2], words),
                f"{at}, list": (bad.tolist(), words), f"{at}, objects": (bad.astype(object), words),
                f"{at}, long double": (bad.astype(np.longdouble), words), f"{at}, CSR": (sp.csr_array(bad), words),
                f"{at}, CSC matrix": (sp.csc_matrix(bad), words), f"{at}, COO": (sp.coo_array(bad), words),
            }
    sparse = np.where(np.arange(X.size).reshape(X.shape) % 13 == 0, X, 0.0)
    out["NaN in a CSR with few cells"] = (sp.csr_array(with_cell(sparse, np.nan)), ("NaN (row 5, column 2)",))
    out["infinity in a CSC with few cells"] = (sp.csc_array(with_cell(sparse, np.inf)), ("infinity (row 5, column 2)",))
    words = ("objects", "object", "text")
    for name, value in {"text": "abc", "None as text": "None", "a list": [1], "a dict": {}, "an object": object(),
                        "a date": datetime.date(2020, 1, 1), "a complex number": 1j, "an empty text": ""}.items():
        out[f"objects, one {name}"] = (object_rows(X, value), (*words, "complex", "sequence"))
    out |= {
        "objects, one None": (object_rows(X, None), ("NaN",)),
        "objects, one huge integer": (object_rows(X, 10**400), ("too large", "objects", "range")),
        "a list with a huge integer": ([[10**400, *row[1:]] for row in X.tolist()], ("too large", "objects", "range")),
        "long double beyond float64": (X * np.longdouble("1e400"), ("infinity", "large", "range")),
        "text": (np.full(X.shape, "abc"), ("text",)),
        "bytes": (np.full(X.shape, b"abc"), ("text",)),
        "dates": (np.zeros(X.shape, "M8[s]"), ("datetime64",)),
        "times": (np.zeros(X.shape, "m8[s]"), ("timedelta64",)),
        "structured": (np.zeros(X.shape, "f8,f8"), ("f8",)),
        "complex": (X + 0j, ("omplex",)),
        "complex64": ((X + 1j).astype(np.complex64), ("omplex",)),
        "complex list": ((X + 1j).tolist(), ("omplex",)),
        "complex objects": ((X + 1j).astype(object), ("omplex",)),
        "complex CSR": (sp.csr_array(X + 1j), ("omplex",)),
        "ragged": ([[1.0, 2.0], [3.0]] * (n // 2), ("length", "ragged", "inhomogeneous", "rectangular")),
        "ragged deeper": ([[1.0, [2.0]]] * n, ("length", "ragged", "inhomogeneous", "rectangular", "sequence")),
        "1-D": (X[:, 0], ("1D",)), "1-D list": (X[:, 0].tolist(), ("1D",)), "3-D": (X[None], ("3D",)),
        "4-D": (X[None, None], ("4D",)), "number": (3.5, ("0D", "float")), "None": (None, ("0D", "None")),
        "text alone": ("abc", ("0D", "str")), "dict": ({"a": 1}, ("0D", "dict")), "set": ({1, 2}, ("0D", "set")),
        "generator": ((row for row in X), ("0D", "generator")), "object": (object(), ("0D", "object")),
        "no rows": (X[:0], ("0 sample",)), "no columns": (X[:, :0], ("0 feature",)),
        "no rows, CSR": (sp.csr_array((0, X.shape[1])), ("0 sample",)),
        "no columns, CSR": (sp.csr_array((n, 0)), ("0 feature",)),
        "empty list": ([], ("1D", "0 sample")), "list of empty lists": ([[]] * n, ("0 feature",)),
        "1-D sparse": (sp.coo_array(X[:, 0]), ("1D",)),
        "matrix": (X.view(np.matrix), ("matrix",)),
        "masked cells": (np.ma.masked_array(X, mask=X > 1), ("NaN", "mask")),
        "masked integers": (np.ma.masked_array((X * 9).astype(int), mask=X > 1), ("NaN", "mask")),
    }
    return out


def bad_frames(X):
    """The same for frames."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    names = [f"c{j}" for j in range(X.shape[1])]
    frame, polar = pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)
    missing = frame.astype("Float64")
    missing.iloc[5, 1] = pd.NA
    arrow = pa.table({name: X[:, j] for j, name in enumerate(names)})
    none = pl.when(pl.arange(pl.len()) == 5).then(None).otherwise(pl.col("c1")).alias("c1")
    columns = [pa.array(X[:, j]) for j in range(X.shape[1])]
    return {
        "pandas, text": (frame.assign(c1="abc"), ("'c1'",)),
        "pandas, categories": (frame.assign(c1=pd.Categorical(["a", "b"] * (len(X) // 2))), ("'c1'",)),
        "pandas, dates": (frame.assign(c1=pd.Timestamp("2020-01-01")), ("'c1'",)),
        "pandas, objects": (frame.assign(c1=[object()] * len(X)), ("'c1'",)),
        "pandas, complex": (frame.assign(c1=1j), ("'c1'", "omplex")),
        "pandas, NA": (missing, ("NaN (row 5, column 1)",)),
        "pandas, NaN": (frame.where(frame < 1), ("NaN",)),
        "pandas, infinity": (frame.replace(frame.iloc[5, 1], np.inf), ("infinity (row 5, column 1)",)),
        "pandas, arrow with null": (missing.astype("double[pyarrow]"), ("NaN (row 5, column 1)",)),
        "pandas, names twice": (frame.set_axis(["c0", "c0", *names[2:]], axis=1), ("c0",)),
        "pandas, mixed names": (frame.set_axis(["c0", 1, *names[2:]], axis=1), ("names",)),
        "pandas, no columns": (frame[[]], ("0 feature",)),
        "pandas, no rows": (frame.iloc[:0], ("0 sample",)),
        "pandas, a column": (frame["c0"], ("1D",)),
        "polars, text": (polar.with_columns(c1=pl.lit("abc")), ("'c1'",)),
        "polars, list": (polar.with_columns(c1=pl.lit([1])), ("'c1'",)),
        "polars, null": (polar.with_columns(none), ("NaN (row 5, column 1)",)),
        "polars, only null": (polar.with_columns(c1=pl.lit(None)), ("'c1'",)),
        "polars, categories": (polar.with_columns(c1=pl.lit("abc").cast(pl.Categorical)), ("'c1'",)),
        "polars, a date": (polar.with_columns(c1=pl.lit(datetime.date(2020, 1, 1))), ("'c1'",)),
        "polars, lazy": (polar.lazy(), ("collect",)),
        "polars, a column": (polar["c0"], ("1D",)),
        "arrow, null": (arrow.set_column(1, "c1", pa.array([None, *X[1:, 1]])), ("NaN (row 0, column 1)",)),
        "arrow, text": (arrow.set_column(1, "c1", pa.array(["abc"] * len(X))), ("'c1'",)),
        "arrow, names twice": (pa.Table.from_arrays(columns, names=["c0", "c0", *names[2:]]), ("c0",)),
    }


ROWS = ("X", "array", "Column", "column", "np.matrix")  # how messages call the rows


@by_learner
def test_rows_for_fit(learner, count_cases):
    cases = Cases(count_cases, KIND)
    bad = bad_rows(PROBLEM.X) | bad_frames(PROBLEM.X)
    for configuration in configurations(learner):
        for name, (X, came) in bad.items():
            if name == "generator":
                X = (row for row in PROBLEM.X)
            with cases.case(f"{registry.name_of(learner, configuration)}.fit, {name}"):
                assert_refused(ROWS, came, learner(**configuration).fit, X, PROBLEM.y)
    cases.finish(500)


@by_learner
def test_rows_for_fit_of_a_fitted_model_leave_it_as_it_was(learner, count_cases):
    cases = Cases(count_cases, KIND)
    model = learner().fit(PROBLEM.X, PROBLEM.y)
    wanted = answers(model, PROBLEM.probes)
    narrow = bad_rows(PROBLEM.X[:, :3]) | {"one class": (PROBLEM.X[:, :3], ())}
    for name, (X, came) in narrow.items():
        y = np.zeros(len(PROBLEM.y)) if name == "one class" else PROBLEM.y
        for method in ("fit", "partial_fit"):
            if method == "partial_fit" and (not hasattr(learner, method) or name == "one class"):
                continue
            with cases.case(f"{learner.__name__}.{method} after fit, {name}"):
                assert_refused((*ROWS, "class"), came if method == "fit" else (), getattr(model, method), X, y)
                assert_same_answers(answers(model, PROBLEM.probes), wanted, rtol=0)
    cases.finish(100)


@by_learner
def test_rows_for_each_method(learner, count_cases):
    cases = Cases(count_cases, KIND)
    bad = bad_rows(PROBLEM.X) | bad_frames(PROBLEM.X)
    bad |= {"a column less": (PROBLEM.X[:, :3], ("3 features",)),
            "a column more": (np.hstack([PROBLEM.X, PROBLEM.X[:, :1]]), ("5 features",)),
            "a column less, CSR": (sp.csr_array(PROBLEM.X[:, :3]), ("3 features",))}
    del bad["objects, one None"], bad["generator"]
    for configuration in ({}, *configurations(learner)[1:4]):
        model = learner(**configuration).fit(PROBLEM.X, PROBLEM.y)
        for method in (name for name in METHODS if hasattr(model, name)):
            for name, (X, came) in bad.items():
                with cases.case(f"{registry.name_of(learner, configuration)}.{method}, {name}"):
                    assert_refused(ROWS, came, getattr(model, method), X)
    cases.finish(500)


@by_learner
def test_one_bad_cell_among_many_rows(learner, count_cases):
    """In rows of which only a few are looked at before the first read."""
    cases = Cases(count_cases, KIND)
    large = problems.blobs(20_000, 5, 3)
    few = np.where(np.random.default_rng(0).random(large.X.shape) < 0.06, large.X, 0.0)
    model = learner().fit(large.X, large.y)
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        for row, column in ((0, 4), (1, 0), (13_333, 2), (19_998, 3), (19_999, 4)):
            rows = {"dense": with_cell(large.X, value, row, column),
                    "sparse": sp.csr_array(with_cell(few, value, row, column)),
                    "float32": with_cell(large.X, value, row, column, np.float32),
                    "float16": with_cell(large.X, value, row, column, np.float16),
                    "Fortran": np.asfortranarray(with_cell(large.X, value, row, column)),
                    "sparse, full": sp.csc_array(with_cell(large.X, value, row, column))}
            for kind, X in rows.items():
                came = (f"{word} (row {row}, column {column})",)
                for configuration in configurations(learner)[:: 1 if kind in ("dense", "sparse") else 20]:
                    with cases.case(f"{registry.name_of(learner, configuration)}, {value} in row {row} of {kind} rows"):
                        assert_refused(ROWS, came, learner(**configuration).fit, X, large.y)
                for method in (name for name in METHODS if hasattr(model, name)):
                    with cases.case(f"{learner.__name__}.{method}, {value} in row {row} of {kind} rows"):
                        assert_refused(ROWS, came, getattr(model, method), X)
    cases.finish(200)


@by_learner
def test_rows_for_partial_fit_leave_the_stream_as_it_was(learner, count_cases):
    if not hasattr(learner, "partial_fit"):
        return
    cases = Cases(count_cases, KIND)
    half = len(PROBLEM.y) // 2
    wanted = answers(learner().partial_fit(PROBLEM.X[:half], PROBLEM.y[:half])
                     .partial_fit(PROBLEM.X[half:], PROBLEM.y[half:]), PROBLEM.probes)
    for name, (X, came) in bad_rows(PROBLEM.X[half:]).items():
        with cases.case(f"{learner.__name__}.partial_fit, {name}"):
            model = learner().partial_fit(PROBLEM.X[:half], PROBLEM.y[:half])
            assert_refused(ROWS, came, model.partial_fit, X, PROBLEM.y[half:])
            assert_same_answers(answers(model.partial_fit(PROBLEM.X[half:], PROBLEM.y[half:]), PROBLEM.probes), wanted,
                                rtol=0)
    cases.finish(50)


# Labels


def objects(values):
    out = np.empty(len(values), object)
    out[:] = values
    return out


def bad_labels(codes):
    n = len(codes)
    numbers = codes.astype(float)
    some = codes == 2
    return {
        "None": (None, ("None",)), "a number": (1, ("shape ()", "int")), "a text": ("abc", ("shape ()", "str")),
        "a set": ({0, 1}, ("shape ()", "set")), "a dict": ({0: 1}, ("shape ()", "dict")),
        "too few": (codes[:-1], (f"{n - 1}",)), "too many": (np.append(codes, 0), (f"{n + 1}",)),
        "none": (codes[:0], ("0", "empty")), "2-D": (np.column_stack([codes, codes]), (f"({n}, 2)",)),
        "one-hot": (np.eye(3)[codes], (f"({n}, 3)",)), "3-D": (codes[:, None, None], (f"({n}, 1, 1)",)),
        "NaN": (np.where(some, np.nan, numbers), ("NaN",)),
        "infinity": (np.where(some, np.inf, numbers), ("infinity",)),
        "NaN, float32": (np.where(some, np.nan, numbers).astype(np.float32), ("NaN",)),
        "NaN, float16": (np.where(some, np.nan, numbers).astype(np.float16), ("NaN",)),
        "NaN, list": (np.where(some, np.nan, numbers).tolist(), ("NaN",)),
        "NaN, objects": (np.where(some, np.nan, numbers).astype(object), ("NaN",)),
        "infinity, objects": (np.where(some, np.inf, numbers).astype(object), ("infinity", "not whole")),
        "NaN among float32 objects": (objects([np.float32("nan"), *map(np.float32, numbers[1:])]), ("NaN",)),
        "NaN among decimals": (objects([Decimal("NaN"), *(Decimal(int(k)) for k in codes[1:])]), ("NaN",)),
        "None among texts": (objects([None, *codes[1:].astype(str)]), ("None", "missing")),
        "NaN among texts": (objects([float("nan"), *codes[1:].astype(str)]), ("NaN", "missing")),
        "no time": (np.where(some, np.datetime64("NaT"), np.datetime64("2020-01-01")), ("NaN", "None", "NaT")),
        "halves": (numbers / 2, ("continuous",)),
        "halves, float16": ((numbers / 2).astype(np.float16), ("continuous",)),
        "halves, objects": ((numbers / 2).astype(object), ("continuous",)),
        "measurements": (PROBLEM.X[:, 0], ("continuous",)), "huge measurements": (PROBLEM.X[:, 0] * 1e300, ("label",)),
        "complex": (codes * 1j, ("complex",)), "structured": (np.zeros(n, "i4,i4"), ("i4",)),
        "texts and numbers": (objects(["a", *codes[1:].tolist()]), ("str", "int")),
        "tuples and numbers": (objects([(1,), *codes[1:].tolist()]), ("tuple", "int")),
        "dicts": (objects([{1: 2}] * n), ("dict",)), "lists": (objects([[1]] * n), ("list",)),
        "ragged": ([[1, 2], [3]] * (n // 2), ("length", "ragged", "inhomogeneous", "one label")),
        "one class": (np.zeros(n), ("one class",)), "one text": (np.full(n, "ape"), ("one class",)),
        "only True": (np.ones(n, bool), ("one class",)), "sparse": (sp.csr_array(np.eye(n)), ("shape", "sparse")),
        "masked": (np.ma.masked_array(codes, codes == 2), ("mask", "NaN", "missing")),
    }


def bad_label_columns(codes):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    texts = codes.astype(str).astype(object)
    holed = np.where(codes == 2, None, texts)
    return {
        "pandas, Int64 with NA": (pd.Series(codes, dtype="Int64").where(codes < 2), ("NaN", "missing")),
        "pandas, NaN": (pd.Series(codes, dtype=float).where(codes < 2), ("NaN", "missing")),
        "pandas, text with None": (pd.Series(holed), ("NaN", "missing", "None")),
        "pandas, categories with NA": (pd.Series(holed).astype("category"), ("NaN", "missing")),
        "pandas, no time": (pd.Series(pd.to_datetime(["NaT"] * len(codes))), ("NaN", "missing")),
        "pandas, halves": (pd.Series(codes / 2), ("continuous",)),
        "pandas, a frame": (pd.DataFrame({"a": codes, "b": codes}), ("shape", "frame")),
        "polars, null": (pl.Series([None, *codes[1:].tolist()]), ("NaN", "missing")),
        "polars, text with null": (pl.Series(holed.tolist()), ("NaN", "missing")),
    }


LABELS = ("y", "label", "Unknown label type")


@by_learner
def test_labels(learner, count_cases):
    cases = Cases(count_cases, KIND)
    bad = bad_labels(PROBLEM.codes) | bad_label_columns(PROBLEM.codes)
    for configuration in configurations(learner):
        for method in ("fit", "partial_fit"):
            if not hasattr(learner, method):
                continue
            for name, (y, came) in bad.items():
                if method == "partial_fit" and (name.startswith("one ") or name == "only True"):
                    continue  # other classes may come later
                with cases.case(f"{registry.name_of(learner, configuration)}.{method}, labels: {name}"):
                    assert_refused(LABELS, came, getattr(learner(**configuration), method), PROBLEM.X, y)
    cases.finish(200)


@by_learner
def test_classes_of_partial_fit(learner, count_cases):
    if not hasattr(learner, "partial_fit"):
        return
    cases = Cases(count_cases, KIND)
    X, codes, n = PROBLEM.X, PROBLEM.codes, len(PROBLEM.y)
    first = {"a class less": [0, 1], "texts": ["a", "b", "c"], "ragged": [[0, 1], [2]], "2-D": [[0, 1, 2]],
             "NaN": [0, 1, 2, np.nan], "none": [], "a number": 3, "complex": [1j, 0, 1, 2], "mixed": ["a", 0, 1, 2]}
    for name, classes in first.items():
        with cases.case(f"{learner.__name__}.partial_fit, classes: {name}"):
            assert_refused(("classes",), (), learner().partial_fit, X, codes, classes=classes)
    for name, later in {"texts after numbers": codes.astype(str), "dates after numbers": codes.astype("M8[D]"),
                        "objects after numbers": objects(["a", "b"] * (n // 2))}.items():
        with cases.case(f"{learner.__name__}.partial_fit, {name}"):
            model = learner().partial_fit(X, codes)
            assert_refused(("y", "class", "label"), (), model.partial_fit, X, later)
    cases.finish(10)


# Weights


def bad_weights(n, codes):
    ones = np.ones(n)
    return {
        "too few": (ones[:-1], (f"{n - 1}",)), "too many": (np.ones(n + 1), (f"{n + 1}",)), "none": ([], ("(0,)",)),
        "2-D": (ones[:, None], (f"({n}, 1)",)), "NaN": (np.where(codes == 2, np.nan, 1.0), ("NaN",)),
        "infinity": (np.where(codes == 2, np.inf, 1.0), ("infinity",)),
        "negative": (np.where(codes == 2, -1.0, 1.0), ("negative",)), "all 0": (0 * ones, ("zero",)),
        "a class of 0": (np.where(codes == 2, 0.0, 1.0), ("weight 0",)),
        "texts": (["a"] * n, ("a",)), "Nones": ([None] * n, ("None", "NaN")), "objects": ([object()] * n, ("object",)),
        "dicts": ([{}] * n, ("{}", "dict")), "a dict": ({}, ("dict", "{}")), "a text": ("heavy", ("heavy",)),
        "ragged": ([[1], [1, 2]] + [1] * (n - 2), ("[1]",)),
        "complex": (1j * ones, ("omplex", "+1.j")), "complex list": ([1j] * n, ("omplex", "1j")),
        "huge": (1e200 * ones, ("1e+200",)), "tiny": (1e-200 * ones, ("1e-200",)),
        "negative number": (-1.0, ("negative",)), "NaN number": (np.nan, ("NaN",)),
        "a set": ({1, 2}, ("set", "{1, 2}")),
        "dates": (np.zeros(n, "M8[D]"), ("datetime64", "1970")), "structured": (np.zeros(n, "f8,f8"), ("f8", "void")),
        "sparse": (sp.csr_array(ones[None, :]), ("sparse", "csr", "shape")), "float128": (
            np.full(n, np.longdouble("1e400")), ("infinity", "1e+400")),
        "a huge integer": ([10**400] * n, ("1000",)),
    }


@by_learner
def test_weights(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for configuration in configurations(learner):
        for name, (weights, came) in bad_weights(len(PROBLEM.y), PROBLEM.codes).items():
            for method in ("fit", "partial_fit"):
                if not hasattr(learner, method) or (method != "fit" and name == "a class of 0"):
                    continue
                with cases.case(f"{registry.name_of(learner, configuration)}.{method}, weights: {name}"):
                    model = learner(**configuration)
                    assert_refused(("weight",), came, getattr(model, method), PROBLEM.X, PROBLEM.y,
                                   sample_weight=weights)
    cases.finish(200)


# Parameters


class Shapeless:
    """Refuses to be compared or counted."""

    def __eq__(self, other):
        raise RuntimeError("do not compare")

    def __len__(self):
        raise RuntimeError("do not count")

    __hash__ = None


VALUES = {
    "None": None, "True": True, "False": False, "numpy True": np.True_, "0": 0, "1": 1, "-1": -1, "2": 2, "0.5": 0.5,
    "-0.1": -0.1, "1.5": 1.5, "NaN": np.nan, "inf": np.inf, "-inf": -np.inf, "1e400 as an integer": 10**400,
    "-1e400 as an integer": -(10**400), "a huge fraction": Fraction(10**400), "Decimal": Decimal("0.5"), "1j": 1j,
    "numpy NaN": np.float32("nan"), "an empty text": "", "a text": "nonsense", "a near miss": "LOO", "bytes": b"loo",
    "an empty list": [], "a list of NaN": [np.nan], "a list of inf": [0.1, np.inf], "a negative list": [-0.5, -0.1],
    "a list of texts": ["a", "b"], "a list of None": [None], "a list of True": [True], "nested": [[0.1, 0.2]],
    "ragged": [[0.1], [0.1, 0.2]], "a huge list": [10**400], "an empty tuple": (), "an empty array": np.array([]),
    "a 2-D array": np.full((2, 2), 0.1), "a 0-D array": np.array(0.5), "a complex array": np.array([0.1j, 0.2]),
    "an array of NaN": np.array([np.nan, 0.5]), "an array of texts": np.array(["a", "b"]), "a set": {0.1, 0.2},
    "a dict": {0: 1.0}, "an object": object(), "a class": dict, "a function": len, "a generator": (x for x in [0.1]),
    "a range": range(2), "a slice": slice(0, 1), "a shapeless object": Shapeless(),
    "a date": np.datetime64("2020-01-01"),
    "a frame": sp.csr_array(np.eye(2)), "not implemented": NotImplemented, "ellipsis": ...,
}


@by_learner
def test_parameters_out_of_their_ranges(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for parameter, ways in learner.parameters.items():
        for name, value in VALUES.items():
            if any(reference.allows(way, value) for way in ways):
                continue
            for method in ("fit", "partial_fit"):
                if not hasattr(learner, method):
                    continue
                with cases.case(f"{learner.__name__}.{method}, {parameter}: {name}"):
                    model = learner(**{parameter: value})
                    assert_refused((parameter,), (repr(value)[:20],), getattr(model, method), PROBLEM.X, PROBLEM.y)
    cases.finish(80)


@by_learner
def test_parameters_within_their_ranges_are_taken_or_named(learner, count_cases):
    """The table allows these; the data or another parameter may still refuse them, by name."""
    cases = Cases(count_cases, KIND)
    for parameter, ways in learner.parameters.items():
        for name, value in VALUES.items():
            if not any(reference.allows(way, value) for way in ways):
                continue
            with cases.case(f"{learner.__name__}, {parameter}: {name}"), warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", "Perceptron: MAX_ITERATIONS")
                refused = parameter
                try:
                    learner(**{parameter: value}).fit(PROBLEM.X, PROBLEM.y)
                except ValueError as error:
                    refused = str(error)
                assert parameter in refused, f"the message does not name {parameter}: {refused}"
    cases.finish(5)


@by_learner
def test_combinations_that_do_not_go_together(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for configuration in registry.all_together(learner, PROBLEM.classes):
        if configuration in registry.accepted(learner, [configuration], PROBLEM.X, PROBLEM.y):
            continue
        with cases.case(registry.name_of(learner, configuration)):
            assert_refused(tuple(configuration), (), learner(**configuration).fit, PROBLEM.X, PROBLEM.y)
    cases.finish(0)


ARRAYS = {
    "init": {"another shape": np.zeros((2, 2)), "too many": [0.0] * 99, "NaN": np.full((3, 4), np.nan),
             "inf": np.full((3, 4), np.inf), "texts": ["a"] * 4, "None": [None] * 4, "ragged": [[0.2], 0.3],
             "empty": [], "complex": np.full((3, 4), 0.2j), "objects": [object()] * 4, "huge": [10**400] * 4,
             "dicts": [{}] * 4,
             "a pair of another shape": (np.zeros((3, 4)), np.zeros(2)), "dates": np.zeros((3, 4), "M8[D]"),
             "a pair with NaN": (np.zeros((3, 4)), [0.0, np.nan, 0.0])},
    "priors": {"too few": [0.5, 0.5], "too many": [0.25] * 4, "not 1 together": [0.5, 0.5, 0.5], "a 0": [0.5, 0.5, 0.0],
               "negative": [1.0, 0.5, -0.5], "NaN": [np.nan, 0.5, 0.5], "inf": [np.inf, 0.5, 0.5], "texts": ["a"] * 3,
               "None": [None] * 3, "2-D": [[0.2, 0.3, 0.5]], "ragged": [[0.2], 0.3, 0.5], "empty": [],
               "complex": np.array([0.2j, 0.3, 0.5]), "objects": [object()] * 3, "all 0": [0, 0, 0],
               "huge": [10**400, 1, 1], "1e308": [1e308, 1e308, 1e308], "dicts": [{}, {}, {}],
               "dates": np.zeros(3, "M8[D]"), "denormal": [5e-324, 5e-324, 5e-324]},
    "class_weight": {"texts": {"ape": "a"}, "None": {"ape": None}, "a list": {"ape": [1]}, "NaN": {"ape": np.nan},
                     "inf": {"ape": np.inf}, "negative": {"ape": -1}, "a stranger": {"dog": 1}, "complex": {"ape": 1j},
                     "a number as a class": {0: 1.0}, "huge": {"ape": 10**400}, "an array": {"ape": np.ones(2)},
                     "None as a class": {None: 1.0}, "all 0": {"ape": 0, "bee": 0, "cat": 0}, "one 0": {"ape": 0},
                     "1e308": {"ape": 1e308, "bee": 1e308, "cat": 1e308}, "a date": {"ape": np.datetime64("2020")},
                     "denormal": {"ape": 5e-324, "bee": 5e-324, "cat": 5e-324}, "object": {"ape": object()}},
}


@by_learner
def test_arrays_and_dictionaries(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for parameter, ways in learner.parameters.items():
        if not any(registry.depends_on_data(way) for way in ways):
            continue
        assert parameter in ARRAYS, f"add bad examples of the parameter {parameter!r} to ARRAYS in {__file__}"
        for name, value in ARRAYS[parameter].items():
            for weights in (None, np.ones(len(PROBLEM.y))):
                with cases.case(f"{learner.__name__}, {parameter}: {name}"):
                    words = (parameter, "have weight 0")
                    assert_refused(words, (), learner(**{parameter: value}).fit, PROBLEM.X, PROBLEM.y, weights)
    cases.finish(0)


def test_the_number_of_threads(count_cases):
    cases = Cases(count_cases, KIND)
    for name, value in VALUES.items():
        if value is None or (type(value) is int and value > 0):
            continue
        with cases.case(f"set_threads: {name}"):
            assert_refused(("n must be",), (repr(value)[:20],), dc.set_threads, value)
    cases.finish(30)


@by_learner
def test_using_a_learner_before_it_was_fitted(learner, count_cases):
    cases = Cases(count_cases, KIND)
    for configuration in configurations(learner):
        for method in (*METHODS, "score"):
            if not hasattr(learner, method):
                continue
            with cases.case(f"{registry.name_of(learner, configuration)}.{method}"):
                given = (PROBLEM.X, PROBLEM.y) if method == "score" else (PROBLEM.X,)
                assert_refused((learner.__name__,), ("fit",), getattr(learner(**configuration), method), *given)
    cases.finish(10)
