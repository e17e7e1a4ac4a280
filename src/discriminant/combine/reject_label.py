"""The label of rejected rows: which one, that it is no class, and in which type predictions hold it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import ParameterError
from discriminant.parameters import Allowed


class LabelGiven(Allowed):
    """Anything that can stand among labels: one number, boolean, string or date."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (str, bool, Real, np.generic, date, datetime, timedelta))

    def __str__(self) -> str:
        return "a label: a string, a number or a date"


def label_of_rejected(given: Any, classes: NDArray[Any]) -> Any:
    """The label given, or the one that goes with the kind of the classes."""
    label = _by_kind(classes) if given is None else given
    if any(_is_same(label, known) for known in classes.tolist()):
        came = "reject_label=None means" if given is None else "reject_label is"
        raise ParameterError(f"BayesDecision: {came} {label!r} here, which is one of the classes "
                             f"{classes.tolist()[:10]!r}. Choose a label that is none of them.")
    return label


def _by_kind(classes: NDArray[Any]) -> Any:
    kind = classes.dtype.kind
    if kind in "mM":
        return np.array("NaT", classes.dtype)[()]
    if kind in "biuf" or all(isinstance(label, Real) for label in classes.tolist()):
        return 0 if -1 in classes.tolist() else -1
    return "reject"


def _is_same(label: Any, known: Any) -> bool:
    try:
        return bool(label == known)
    except (TypeError, ValueError):
        return False


def joined(decided: NDArray[Any], rejected: NDArray[np.bool_], label: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """The classes decided, with `label` where rejected, in a type that depends on the labels only, not on the rows."""
    out = decided.astype(_type_of_both(classes, label))
    out[rejected] = label
    return out


def _type_of_both(classes: NDArray[Any], label: Any) -> np.dtype[Any]:
    """The smallest type that holds all labels as they are; objects for labels of unlike kinds."""
    dtype, other = classes.dtype, np.asarray(label).dtype
    if dtype.kind in "iu" and other.kind == "i":
        other = np.min_scalar_type(label)
    alike = any(dtype.kind in kinds and other.kind in kinds for kinds in ("biuf", "U", "S", "m", "M"))
    both = np.promote_types(dtype, other) if alike else np.dtype(object)
    return both if classes.astype(both).tolist() == classes.tolist() else np.dtype(object)
