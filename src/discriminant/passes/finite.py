"""The first cell that is NaN or infinite. Run only when another pass has found that there must be one."""

from __future__ import annotations

from dataclasses import dataclass

from discriminant.blocks.block import Block
from discriminant.passes.a_pass import Pass


@dataclass
class Cell:
    """Where the cell is and what it holds; `row` is -1 while none was found."""

    row: int = -1
    column: int = -1
    value: float = 0.0


class FirstNotFinite(Pass[Cell]):
    """The first such cell in row order."""

    def begin(self) -> Cell:
        return Cell()

    def block(self, block: Block, into: Cell) -> None:
        found = block.first_not_finite() if into.row < 0 else None
        if found is not None:
            into.row, into.column, into.value = block.start + found[0], found[1], found[2]

    def merge(self, into: Cell, other: Cell) -> Cell:
        return into if into.row >= 0 else other
