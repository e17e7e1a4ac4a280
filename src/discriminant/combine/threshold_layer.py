"""A layer of threshold units, and how a unit reads as a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SHOWN = 12  # units or inputs: larger layers are named by their size


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """Threshold units side by side: unit u gives 1 where w_u'x + b_u > 0, else 0.

    `weights` is (units, inputs), `bias` (units,).
    """

    weights: Floats
    bias: Floats

    def nets(self, X: Floats) -> Floats:
        """w_u'x + b_u of every row and unit (n, units)."""
        return np.asarray(X @ self.weights.T + self.bias)

    def outputs(self, X: Floats) -> Floats:
        """1 where the net is positive, else 0 (n, units)."""
        return (self.nets(X) > 0).astype(np.float64)

    def rule(self, unit: int, names: Sequence[str]) -> str:
        """Unit number `unit` as text, such as "[x1 - 2 x2 > 0.5]"."""
        return f"[{_sum_of(self.weights[unit], names)} > {_plain(-self.bias[unit])}]"

    def net_rule(self, unit: int, names: Sequence[str]) -> str:
        """The net of unit number `unit` as text, such as "x1 - 2 x2 - 0.5"."""
        text, bias = _sum_of(self.weights[unit], names), float(self.bias[unit])
        if bias == 0:
            return text
        return _plain(bias) if text == "0" else f"{text} {'-' if bias < 0 else '+'} {_plain(abs(bias))}"

    def __repr__(self) -> str:
        units, inputs = self.weights.shape
        if max(units, inputs) > _SHOWN:
            return f"Layer({inputs} inputs -> {units} units)"
        return f"Layer(weights={_nested(self.weights)}, bias={_nested(self.bias)})"


def _plain(number: float) -> str:
    return f"{number + 0.0:.4g}"  # + 0.0: never "-0"


def _nested(array: Floats) -> str:
    if array.ndim == 1:
        return f"[{', '.join(_plain(float(number)) for number in array)}]"
    return f"[{', '.join(_nested(row) for row in array)}]"


def _sum_of(weights: Floats, names: Sequence[str]) -> str:
    """ "x1 - 2 x2" of the weights that are not 0; "0" where all are."""
    text = ""
    for weight, name in zip(weights.tolist(), names, strict=True):
        if weight == 0:
            continue
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        factor = "" if abs(weight) == 1 else f"{_plain(abs(weight))} "
        text += f"{sign}{factor}{name}"
    return text or "0"


def explained(layers: Sequence[Layer], names: Sequence[str], classes: Sequence[object]) -> str:
    """The whole network as text, a line for each unit."""
    lines, inputs = [], list(names)
    for letter, layer in zip("hg", layers[:-1], strict=False):
        units = [f"{letter}{u + 1}" for u in range(len(layer.bias))]
        lines += [f"{unit} = {layer.rule(u, inputs)}" for u, unit in enumerate(units)]
        inputs = units
    output = layers[-1]
    if len(output.bias) == 1:
        lines += [f"output = {output.rule(0, inputs)}", f"class {classes[1]!r} where output = 1, else {classes[0]!r}"]
    else:
        lines += [f"net of {label!r} = {output.net_rule(k, inputs)}" for k, label in enumerate(classes)]
        lines.append("the class of the largest net")
    return "\n".join(lines)
