"""The one door for user data: everything that comes in is checked here, once.

Rows become a place, labels become codes, weights become one weight a row. Whether every cell is finite is not checked
by a read of its own: the first pass proves it (a Gram matrix with a finite diagonal, finite scores), and only where
that fails are the rows searched for the cell at fault.
"""

from __future__ import annotations

import reprlib
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from discriminant import frames
from discriminant.errors import InputError
from discriminant.labels import encode
from discriminant.places.choose import place_of
from discriminant.places.place import Place
from discriminant.weights import row_weights, with_class_weight


@dataclass(frozen=True)
class Training:
    """Rows, labels and weights, checked: what a learner fits on."""

    place: Place
    classes: NDArray[Any]
    class_weights: NDArray[np.float64]  # the weight of all rows of each class


def training(learner: Any, X: Any, y: Any, sample_weight: Any = None, *, class_weight: Any = None,
             reset: bool = True) -> Training:
    """Check what `fit` was given, and note the columns in the learner.

    `reset=False` compares the columns with those of an earlier fit.
    """
    name = type(learner).__name__
    if y is None:
        raise InputError(f"{name} requires y to be passed, but the target y is None.")
    rows = as_rows(X, name)
    validate_data(learner, X=_named(X, rows), reset=reset, skip_check_array=True)
    labels = _as_labels(y)
    if len(labels) != rows.shape[0]:
        raise InputError(f"Found input variables with inconsistent numbers of samples: X has {rows.shape[0]} rows, "
                         f"y has {len(labels)} labels.")
    classes, codes = encode(labels)
    weights = row_weights(sample_weight, rows.shape[0])
    weights = with_class_weight(class_weight, classes, codes, weights)
    held = np.bincount(codes, weights, minlength=len(classes)).astype(np.float64)
    return Training(place_of(rows, codes, weights), classes, held)


def announced_classes(classes: Any) -> NDArray[Any]:
    """The `classes` of partial_fit, sorted, each once."""
    given = frames.column_as_array(classes) if frames.is_column(classes) else _as_array(classes, "classes", "label")
    if given.ndim != 1 or len(given) == 0:
        raise InputError(f"classes must be a list of labels; got {reprlib.repr(classes)}.")
    try:
        return encode(given)[0]
    except InputError as error:
        raise InputError(f"classes must be a list of labels: {str(error).replace('y holds', 'it holds')}") from None


def among_classes(training: Training, classes: NDArray[Any], class_weight: Any = None) -> Place:
    """The rows with codes among all `classes`, of which they need not hold each."""
    strangers = np.setdiff1d(training.classes, classes)
    if len(strangers):
        raise InputError(f"y holds the class {strangers.tolist()[0]!r}, which is not among the classes "
                         f"{classes.tolist()}; the first call of partial_fit names all of them.")
    place = training.place
    codes = np.searchsorted(classes, training.classes).astype(np.int32)[place.codes]
    return place.labelled(codes, with_class_weight(class_weight, classes, codes, place.weights))


def refuse_one_class(training: Training, name: str) -> None:
    """Discriminating takes two classes, each with some weight."""
    if len(training.classes) < 2:
        raise InputError(f"{name} needs rows of at least two classes; y holds one class only: "
                         f"{training.classes.tolist()[0]!r} (n_samples={training.place.shape[0]}).")
    empty = np.flatnonzero(training.class_weights <= 0)
    if len(empty):
        raise InputError(f"All rows of class {training.classes.tolist()[empty[0]]!r} have weight 0; leave the class "
                         "out of y, or give one of its rows a weight.")


def rows_to_score(learner: Any, X: Any) -> Place:
    """The rows given to `predict` and its kin, with the columns compared with those of `fit`."""
    known = type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "fd" and len(X) > 0
    if known and X.shape[1] == learner.n_features_in_ and not hasattr(learner, "feature_names_in_"):
        return place_of(X)
    rows = as_rows(X, type(learner).__name__)
    validate_data(learner, X=_named(X, rows), reset=False, skip_check_array=True)
    return place_of(rows)


def as_rows(X: Any, name: str) -> Any:
    """A two-dimensional NumPy array of numbers, or a CSR array of floats; never a copy of what is already one."""
    if sp.issparse(X):
        return _as_csr(X)
    if isinstance(X, np.matrix):
        raise TypeError("np.matrix is not supported. Convert X with np.asarray.")
    given = type(X).__name__
    if not isinstance(X, np.ndarray):
        X = frames.as_array(X, name) if frames.is_frame(X) else _as_array(X, "X", "row")
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    X = np.asarray(X)
    _refuse_shape(X.shape, X.ndim, given)
    return _as_numbers(X)


def _as_array(given: Any, name: str, what: str) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise InputError(f"{name} is ragged: its entries differ in length. Every {what} needs the same.") from None


def _named(X: Any, rows: Any) -> Any:
    """What scikit-learn reads column names and counts from: a frame itself, else the rows."""
    return X if frames.is_frame(X) else rows


def _refuse_shape(shape: tuple[int, ...], dimensions: int, given: str = "") -> None:
    if dimensions == 0:
        raise InputError(f"Expected 2D array for X, got {given} instead. Give rows and columns: a NumPy array, a frame "
                         "(collect a lazy one first), a sparse matrix or a list of rows.")
    if dimensions != 2:
        hint = "" if dimensions > 2 else (
            " Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample.")
        raise InputError(f"Expected 2D array, got {dimensions}D array instead.{hint}")
    for count, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if count == 0:
            raise InputError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")


def _as_numbers(X: NDArray[Any]) -> NDArray[Any]:
    kind = X.dtype.kind
    if kind == "c":
        raise InputError("Complex data not supported: X holds complex numbers. Give their real and imaginary parts "
                         "as columns.")
    if (kind == "f" and X.dtype.itemsize <= 8) or kind in "biu":
        return X
    if kind not in "fOUS":
        raise InputError(f"X holds values of type {X.dtype}; turn them into numbers first.")
    try:
        with np.errstate(over="ignore"):  # what leaves the range becomes infinite, and is refused as that
            return X.astype(np.float64)
    except TypeError as error:
        raise TypeError(f"X holds objects that are not numbers: {error}. {_ENCODE}") from None
    except OverflowError as error:
        raise InputError(f"X holds a whole number beyond the range of floating point: {error}.") from None
    except ValueError as error:
        raise InputError(f"X holds text that is not a number: {error}. {_ENCODE}") from None


_ENCODE = ("Encode such columns first, for example with sklearn.preprocessing.OneHotEncoder, or give the table to "
           "discriminant.TableClassifier.")


def _as_csr(X: Any) -> Any:
    _refuse_shape(X.shape, X.ndim)
    if X.dtype.kind == "c":
        raise InputError("Complex data not supported: X holds complex numbers.")
    if X.dtype.kind not in "fbiu":
        raise InputError(f"Sparse X holds values of type {X.dtype}; turn them into numbers first.")
    X = sp.csr_array(X)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _as_labels(y: Any) -> NDArray[Any]:
    labels = frames.column_as_array(y) if frames.is_column(y) else _as_array(y, "y", "label")
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        raise InputError("Input y contains NaN or missing cells (it is masked); every row needs a label.")
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples,), for example using ravel().", DataConversionWarning, stacklevel=4)
        labels = labels.ravel()
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if len(labels) == 0:
        raise InputError("y is empty: it needs a label for every row of X.")
    return labels
