"""A perceptron's run as the table that lectures work through: one row for each presentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discriminant.blocks.walk import Recorded
from discriminant.places.place import Place
from discriminant.solvers.perceptron import Plan, outputs_of

_SHOWN = 200  # rows that print shows


class Trace:
    """Columns of equal length: `epoch`, `row`, the inputs, `net`, `output`, `target`, `changed`, the weights after it.

    `len` counts presentations; iteration gives each as a dict; `trace["net"]` is a column; `to_pandas` and `to_polars`
    make frames; printing shows the table. For two classes output and target are -1, 0 or 1, the weights w1, w2, ...
    and b. For K classes there are K nets and K sets of weights, and output and target are labels (None where a tie is
    undecided).
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self._columns = dict(columns)

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self._columns[column]

    def __len__(self) -> int:
        return len(self._columns["epoch"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lists = [column.tolist() for column in self._columns.values()]
        for cells in zip(*lists, strict=True):
            yield dict(zip(self._columns, cells, strict=True))

    def to_dict(self) -> dict[str, NDArray[Any]]:
        return dict(self._columns)

    def to_pandas(self) -> Any:
        return self._frame("pandas")

    def to_polars(self) -> Any:
        return self._frame("polars")

    def _frame(self, library: Literal["pandas", "polars"]) -> Any:
        columns = {name: column.tolist() for name, column in self._columns.items()}
        return nw.from_dict(columns, backend=library).to_native()

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} presentations in {int(self['epoch'].max(initial=0))} epochs; print it>"

    def lines(self) -> Iterator[str]:
        """The table as text, a line between epochs."""
        names = [name for name in self._columns if name != "row"]
        cells = [[_shown(value) for value in self._columns[name][:_SHOWN].tolist()] for name in names]
        wide = [max(len(name), *map(len, column)) if column else len(name)
                for name, column in zip(names, cells, strict=True)]
        yield "  ".join(name.rjust(width) for name, width in zip(names, wide, strict=True))
        epoch = ""
        for row in zip(*cells, strict=True):
            if row[0] != epoch:
                epoch = row[0]
                yield "-" * (sum(wide) + 2 * (len(wide) - 1))
            yield "  ".join(cell.rjust(width) for cell, width in zip(row, wide, strict=True))
        if len(self) > _SHOWN:
            yield f"... {len(self) - _SHOWN} more presentations"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def inputs(names: NDArray[Any] | None, X: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The columns of X by their names, or x1, x2, ..."""
    known = [f"x{j + 1}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]
    return {name: X[:, j].astype(np.float64) for j, name in enumerate(known)}


def trace_of(epochs: list[list[Recorded]], place: Place, plan: Plan, classes: NDArray[Any],
             names: NDArray[Any] | None) -> Trace:
    """The table of what the kernel recorded."""
    records = [(epoch, part) for epoch, parts in enumerate(epochs, start=1) for part in parts]
    rows = np.concatenate([part.rows for _, part in records])
    nets = np.concatenate([part.nets for _, part in records])
    after = np.concatenate([part.after for _, part in records])
    codes = place.codes[rows]
    columns: dict[str, NDArray[Any]] = {
        "epoch": np.concatenate([np.full(len(part.rows), epoch) for epoch, part in records]), "row": rows,
        **inputs(names, place.take(rows))}
    changed = np.concatenate([part.changed for _, part in records]).astype(bool)
    if len(classes) == 2:
        columns |= {"net": nets[:, 0], "output": outputs_of(nets[:, 0], plan.threshold, plan.zero).astype(np.int64),
                    "target": np.where(codes == 1, 1, -1), "changed": changed, **_weights(after[:, 0], "")}
        return Trace(columns)
    labels = classes.astype(object)
    columns |= {f"net_{label}": nets[:, k] for k, label in enumerate(classes)}
    columns |= {"output": _winners(nets, plan.zero, labels), "target": labels[codes], "changed": changed}
    for k, label in enumerate(classes):
        columns |= _weights(after[:, k], f"_{label}")
    return Trace(columns)


def _weights(after: NDArray[np.float64], suffix: str) -> dict[str, NDArray[Any]]:
    last = after.shape[1] - 1
    return {**{f"w{j + 1}{suffix}": after[:, j] for j in range(last)}, f"b{suffix}": after[:, last]}


def _winners(nets: NDArray[np.float64], zero: str, labels: NDArray[Any]) -> NDArray[Any]:
    first, last = nets.argmax(axis=1), nets.shape[1] - 1 - nets[:, ::-1].argmax(axis=1)
    winners: NDArray[Any] = labels[last if zero == "positive" else first]
    if zero == "undecided":
        winners[first != last] = None
    return winners
