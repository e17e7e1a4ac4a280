"""What came out: on the terminal while it runs, then as a page for the docs and as numbers for a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from benchmarks.contest import Cost, Figures, Must, Outcome, Work
from benchmarks.limits import Limits

LIMIT = "the limit"
_UNITS = {"ms": ("ms", 1e3), "us": ("µs", 1e6), "MB": ("MB", 1.0)}
_WIDTH = 100


@dataclass(frozen=True)
class Run:
    """One contest that was held, without its data."""

    work: Work
    case: str
    figures: Mapping[str, Figures]
    cost: Cost | None
    allowance: float

    def outcome(self, limits: Limits) -> Outcome:
        return Outcome(self.figures, limits.seconds(self.cost), self.allowance)


@dataclass(frozen=True)
class Verdict:
    """A must with its worst case."""

    work: Work
    must: Must
    value: float
    case: str

    @property
    def kept(self) -> bool:
        return self.must.kept(self.value)

    @property
    def measured(self) -> str:
        return self.must.form.format(self.value)


def verdicts(runs: Iterable[Run], limits: Limits) -> list[Verdict]:
    """In the order of the works; of all cases the worst counts."""
    by_work: dict[str, list[Run]] = {}
    for run in runs:
        by_work.setdefault(run.work.name, []).append(run)
    found = []
    for held in by_work.values():
        for must in held[0].work.musts:
            values = [(must.value(run.outcome(limits)), run.case) for run in held]
            worst = (max if must.at_most else min)(values)
            found.append(Verdict(held[0].work, must, *worst))
    return found


def rows(run: Run, limits: Limits) -> Iterator[tuple[str, str, str, str, str]]:
    """Contestant, figure, spread, ratio to ours, quality; in the last row the limit, if one is stated."""
    outcome = run.outcome(limits)
    unit, factor = _UNITS[run.work.unit]
    ours = outcome.ours.best
    for name, figures in run.figures.items():
        quality = "" if figures.quality is None else run.work.quality_form.format(figures.quality)
        yield (name, f"{_short(figures.best * factor)} {unit}", f"+{100 * figures.spread:.0f} %",
               f"{figures.best / ours:.2f}", quality)
    if outcome.limit:
        yield LIMIT, f"{_short(outcome.limit * factor)} {unit}", "", f"{outcome.limit / ours:.2f}", ""


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def print_work(work: Work) -> None:
    print(f"\n{work.name}")
    for text in (work.quality and f"quality: {work.quality}", work.notes):
        if text:
            print(fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  "))


def print_run(run: Run, limits: Limits) -> None:
    print(f"  {run.case:<36}{'best':>14}{'median':>10}{'x ours':>10}{'quality':>10}")
    for name, best, spread, ratio, quality in rows(run, limits):
        print(f"    {name:<34}{best:>14}{spread:>10}{ratio:>10}{quality:>10}", flush=True)


def print_verdicts(found: Sequence[Verdict], *, quick: bool) -> None:
    print(f"\nWhat must hold, in the worst case{' (at full size: this was a smoke run)' if quick else ''}")
    print(f"  {'':<59}{'measured':>12}  {'worst case':<18} kept")
    last = ""
    for verdict in found:
        if verdict.work.name != last:
            last = verdict.work.name
            print(f"  {last}")
        kept = "yes" if verdict.kept else "NO"
        print(f"    {verdict.must.text:<57}{verdict.measured:>12}  {verdict.case:<18} {kept}")
    print(f"  {sum(v.kept for v in found)} of {len(found)} kept")


def page(runs: Sequence[Run], limits: Limits, machine: Mapping[str, str], load: float) -> str:
    """The page for the docs."""
    named = [f"{name} {what}" for name, what in machine.items() if name not in ("cores", "instruction set")]
    parts = [_HEAD.format(
        versions=", ".join(named),
        cores=machine["cores"], isa=machine["instruction set"], load=load, bandwidth=limits.bandwidth / 1e9,
        double=limits.peak["float64"] / 1e9, single=limits.peak["float32"] / 1e9,
    )]
    found = verdicts(runs, limits)
    parts.append("## What must hold\n\nOf all cases the worst.\n\n" + _table(
        ("work", "must", "measured", "worst case", "kept"),
        ((v.work.name, v.must.text, v.measured, v.case, "yes" if v.kept else "**no**") for v in found)))
    for work in dict.fromkeys(run.work.name for run in runs):
        held = [run for run in runs if run.work.name == work]
        parts.append(_section(held, limits))
    return "\n".join(parts)


def _section(held: Sequence[Run], limits: Limits) -> str:
    work = held[0].work
    text = " ".join(filter(None, (work.quality and f"Quality: {work.quality}.", work.notes)))
    lines = ((run.case if i == 0 else "", *row) for run in held for i, row in enumerate(rows(run, limits)))
    body = _table(("case", "", "best", "median", "x ours", "quality"), lines)
    return f"## {work.name}\n\n{text}\n\n{body}" if text else f"## {work.name}\n\n{body}"


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    ruled = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in ruled)


def numbers(runs: Sequence[Run], limits: Limits, machine: Mapping[str, str], load: float) -> dict[str, Any]:
    """The same for a program, in seconds or megabytes."""
    return {
        "machine": dict(machine), "load": load,
        "limits": {"bandwidth": _rounded(limits.bandwidth), "peak": {k: _rounded(v) for k, v in limits.peak.items()}},
        "musts": [{"work": v.work.name, "must": v.must.text, "value": _rounded(v.value), "bound": v.must.bound,
                   "case": v.case, "kept": v.kept} for v in verdicts(runs, limits)],
        "runs": [{"work": run.work.name, "case": run.case, "limit": _rounded(run.outcome(limits).limit),
                  "contestants": {name: {"best": _rounded(f.best), "median": _rounded(f.median),
                                         "rounds": len(f.samples), "quality": f.quality and _rounded(f.quality)}
                                  for name, f in run.figures.items()}} for run in runs],
    }


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


_HEAD = """\
<!-- Written by `make bench`. Do not edit. -->

# Benchmarks

All contestants of a work ran in one process, on the same arrays, taking turns; each made one call before its time was
taken, and each was at the setting that suits it best. Threads were left as each library has them. The figure is the
best of at least three turns; beside it, how far the median lay above it, which tells how quiet the machine was. *x
ours* is the time over the project's own. *The limit* is what the machine would need at best: the larger of bytes over
bandwidth and operations over peak, where a Gram matrix of n rows takes n d (d + 1) operations.

{cores} cores, instruction set {isa}. Bandwidth {bandwidth:.1f} GB/s (a read in all threads); peak {double:.0f} GFLOP/s
in float64, {single:.0f} in float32 (the faster of NumPy's matrix product and the project's own kernel on rows in
cache); both measured between the works of this run, the best counting. Load average before the run: {load:.1f}.
{versions}.

Rows come from four families: Gaussian; a decaying spectrum (condition 1e6) with means ten deviations from zero; a mix
of numbers and one-hot categories with rare levels; heavy tails (Student's t with 3 degrees of freedom).
"""
