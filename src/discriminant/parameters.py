"""Parameters declared in a table of ranges, and the errors made from that table.

A learner writes `parameters = {"alpha": [Real(0, None), OneOf("loo")], ...}`; `check` compares what the user gave with
the table and raises one `ParameterError` that names the parameter, what it may be, and what came.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from discriminant.errors import ParameterError


class Allowed(ABC):
    """One way in which a parameter may be given."""

    @abstractmethod
    def accepts(self, value: Any) -> bool: ...

    @abstractmethod
    def __str__(self) -> str: ...


class Real(Allowed):
    """A number from `low` to `high`; None leaves that side open, `open_low` leaves `low` itself out."""

    def __init__(self, low: float | None = None, high: float | None = None, *, open_low: bool = False,
                 open_high: bool = False, infinite: bool = False) -> None:
        self.low, self.high, self.open_low, self.open_high = low, high, open_low, open_high
        self.infinite = infinite

    def accepts(self, value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        if not np.isfinite(number):
            return self.infinite and number == np.inf
        above = self.low is None or (number > self.low if self.open_low else number >= self.low)
        below = self.high is None or (number < self.high if self.open_high else number <= self.high)
        return above and below

    def __str__(self) -> str:
        text = "a finite number" if not self.infinite else "a number or inf"
        if self.low is not None:
            text += f" {'>' if self.open_low else '>='} {self.low:g}"
        if self.high is not None:
            text += f"{' and' if self.low is not None else ''} {'<' if self.open_high else '<='} {self.high:g}"
        return text


class Integer(Allowed):
    """A whole number, at least `low`."""

    def __init__(self, low: int) -> None:
        self.low = low

    def accepts(self, value: Any) -> bool:
        whole = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
        return whole and value >= self.low

    def __str__(self) -> str:
        return f"a whole number >= {self.low}"


class OneOf(Allowed):
    """One of a few words, or None, True, False."""

    def __init__(self, *choices: str | bool | None) -> None:
        self.choices = choices

    def accepts(self, value: Any) -> bool:
        if isinstance(value, np.bool_):
            value = bool(value)
        plain = value is None or isinstance(value, (str, bool))
        return plain and any(isinstance(value, type(choice)) and value == choice for choice in self.choices)

    def __str__(self) -> str:
        return ", ".join(repr(choice) for choice in self.choices)


class ListOf(Allowed):
    """A non-empty list, tuple or one-dimensional array of what `each` allows."""

    def __init__(self, each: Allowed) -> None:
        self.each = each

    def accepts(self, value: Any) -> bool:
        values = value.tolist() if isinstance(value, np.ndarray) else value
        if not isinstance(values, (list, tuple)) or not values:
            return False
        return all(self.each.accepts(one) for one in values)

    def __str__(self) -> str:
        return f"a list, each of it {self.each}"


class ArrayLike(Allowed):
    """Something that is checked later, when the data is known."""

    def __init__(self, meaning: str) -> None:
        self.meaning = meaning

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (list, tuple, np.ndarray))

    def __str__(self) -> str:
        return self.meaning


class Mapped(Allowed):
    """A dictionary."""

    def __init__(self, meaning: str) -> None:
        self.meaning = meaning

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def __str__(self) -> str:
        return self.meaning


Table = Mapping[str, Iterable[Allowed]]


def check(owner: str, table: Table, given: Mapping[str, Any]) -> None:
    """Raise a `ParameterError` for the first parameter that the table does not allow."""
    for name, ways in table.items():
        value = given[name]
        if not any(way.accepts(value) for way in ways):
            allowed = ", or ".join(str(way) for way in ways)
            raise ParameterError(f"{owner}: {name} must be {allowed}; got {value!r}.")
