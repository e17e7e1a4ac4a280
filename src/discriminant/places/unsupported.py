"""What cannot honestly run in a place, said once.

A marker raises the error, names the alternative, and is listed in `markers`, from which the table learner x place in
the documentation is generated and which the contract tests expect.
"""

from __future__ import annotations

from typing import NoReturn

from discriminant.errors import UnsupportedHere

markers: list[Unsupported] = []


class Unsupported:
    """`what` has no meaning `where`, because `why`; `use` says what to do instead."""

    def __init__(self, what: str, where: str, why: str, use: str) -> None:
        self.what, self.where, self.why, self.use = what, where, why, use
        markers.append(self)

    def __str__(self) -> str:
        return f"{self.what} is not available {self.where}: {self.why}. Instead: {self.use}."

    def refuse(self) -> NoReturn:
        raise UnsupportedHere(str(self))
