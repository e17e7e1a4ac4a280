"""What a work is: contestants that do the same on the same data, and what the project must show against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

OURS = "discriminant"


@dataclass(frozen=True)
class Contestant:
    """`run` is timed; `quality` judges what it returned, untimed. With `measures`, what it returns is the figure."""

    name: str
    run: Callable[[], Any]
    quality: Callable[[Any], float] | None = None
    measures: bool = False


@dataclass(frozen=True)
class Cost:
    """The least that the work can cost: bytes read and written, and operations in a type of float."""

    bytes: float
    flops: float
    dtype: str = "float64"


@dataclass(frozen=True)
class Contest:
    """One work on one case of its data."""

    contestants: Sequence[Contestant]  # ours first
    cost: Cost | None = None
    calls: int = 1  # in one sample of the time
    waits: bool = True  # for others to leave the machine alone: figures other than times need not
    rounds: int | None = None  # None: as many as the runner finds right
    allowance: float = 0.0  # what `within_allowance` compares with, in the unit of the work


@dataclass(frozen=True)
class Figures:
    """What a contestant reached in one contest: seconds, or what it measures."""

    samples: Sequence[float]
    quality: float | None

    @property
    def best(self) -> float:
        return min(self.samples)

    @property
    def median(self) -> float:
        return sorted(self.samples)[len(self.samples) // 2]

    @property
    def spread(self) -> float:
        """How far the median lies above the best, as a share of the best: how noisy the machine was."""
        return self.median / self.best - 1.0 if self.best > 0 else 0.0


@dataclass(frozen=True)
class Outcome:
    """All figures of one contest, with its limit in seconds (0 where none is stated)."""

    figures: Mapping[str, Figures]
    limit: float
    allowance: float

    @property
    def ours(self) -> Figures:
        """The project's own entry, which stands first."""
        return next(iter(self.figures.values()))

    def best(self, *names: str) -> float:
        return min(self.figures[name].best for name in names)


@dataclass(frozen=True)
class Must:
    """`value(outcome)` has to be at least `bound`, or with `at_most` at most, in every case."""

    text: str
    value: Callable[[Outcome], float]
    bound: float
    at_most: bool = False
    form: str = "{:.2f} x"

    def kept(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound


@dataclass(frozen=True)
class Work:
    """`prepare(case, scale)` makes the data of one case, and the contest on it."""

    name: str
    cases: Sequence[str]
    prepare: Callable[[str, Scale], Contest]
    musts: Sequence[Must]
    quality: str = ""  # what the column says
    quality_form: str = "{:.1f}"
    unit: str = "ms"
    needs: str | None = None  # a name of the project without which there is nothing to run
    notes: str = ""  # who runs at which setting


@dataclass(frozen=True)
class Scale:
    """Full size, or a twentieth of the rows to see whether everything runs; and the seconds that a contest may spend
    on waiting for others to leave the machine alone."""

    quick: bool = False
    patience: float = 0.0

    def rows(self, n: int) -> int:
        return max(1000, n // 20) if self.quick else n


def faster(times: float, than: Sequence[str], text: str, ours: str = OURS) -> Must:
    """Against the fastest of `than`."""
    return Must(f"≥ {times:g} x faster than {text}", lambda o: o.best(*than) / o.best(ours), times)


def takes(share: float, than: Sequence[str], text: str, ours: str = OURS) -> Must:
    """Against the fastest of `than`, the other way round: the share of its time."""
    return Must(f"≤ {share:g} x the time of {text}", lambda o: o.best(ours) / o.best(*than), share, at_most=True)


def near_limit(times: float, ours: str = OURS) -> Must:
    return Must(f"≤ {times:g} x the limit", lambda o: o.best(ours) / o.limit, times, at_most=True)


def agrees(digits: float, ours: str = OURS) -> Must:
    return Must(f"≥ {digits:g} digits right", lambda o: _quality(o, ours), digits, form="{:.1f}")


def within_allowance(ours: str, text: str) -> Must:
    return Must(f"{ours} {text}", lambda o: max(o.figures[ours].samples) / o.allowance, 1.0, at_most=True,
                form="{:.2f} of it")


def _quality(outcome: Outcome, name: str) -> float:
    found = outcome.figures[name].quality
    return float("nan") if found is None else found
