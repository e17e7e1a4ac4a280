"""Frames and columns of any library narwhals knows (pandas, polars, pyarrow, ...), as NumPy arrays."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discriminant.errors import InputError


def is_frame(X: Any) -> bool:
    """Whether X is a table held in memory; known without importing any frame library."""
    return not isinstance(X, (np.ndarray, list, tuple)) and (
        nw.dependencies.is_into_dataframe(X) or isinstance(X, nw.DataFrame)
    )


def is_column(y: Any) -> bool:
    return not isinstance(y, (np.ndarray, list, tuple)) and (
        nw.dependencies.is_into_series(y) or isinstance(y, nw.Series)
    )


def as_array(X: Any, name: str) -> NDArray[Any]:
    """The cells as float32 where every column is, else float64; a missing cell becomes NaN."""
    try:
        columns = list(nw.from_native(X, eager_only=True).iter_columns())
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"X has several columns of one name: {error}. Give every column a name of its own.") from None
    for series in columns:
        dtype = series.dtype
        if not (dtype.is_numeric() or dtype == nw.Boolean or dtype == nw.Object):
            raise InputError(
                f"Column {series.name!r} of X holds {dtype} values, and {name} takes numbers only. Encode it first, "
                "for example with sklearn.preprocessing.OneHotEncoder, or give the table to "
                "discriminant.TableClassifier."
            )
    single = all(series.dtype == nw.Float32 for series in columns)
    out = np.empty((len(columns[0]) if columns else len(X), len(columns)), np.float32 if single else np.float64)
    for j, series in enumerate(columns):
        out[:, j] = _numbers(series)
    return out


def _numbers(series: Any) -> NDArray[Any]:
    if series.dtype == nw.Object:
        cells = [np.nan if cell is None else cell for cell in series.to_list()]
        try:
            return np.array(cells, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"Column {series.name!r} of X holds objects that are not numbers: {error}. Encode it "
                             "first, or give the table to discriminant.TableClassifier.") from None
    if series.null_count() > 0:
        series = series.cast(nw.Float64)
    return np.asarray(series.to_numpy(), dtype=np.float64)


def column_as_array(y: Any) -> NDArray[Any]:
    """Labels or weights. Categories and strings become objects, so that a missing one can be told."""
    series = nw.from_native(y, series_only=True)
    if series.null_count() > 0:
        raise InputError("Input y contains NaN or missing cells; every row needs a label.")
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return np.asarray(series.to_numpy())
    out = np.empty(len(series), object)
    out[:] = series.to_list()
    return out
