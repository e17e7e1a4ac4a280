"""The command: `python -m benchmarks [--quick] [--only WORD]`, in the environment that benchmarks/Makefile makes."""

from __future__ import annotations

import argparse
import gc
import json
import warnings
from pathlib import Path
from textwrap import fill

import discriminant as dc
from benchmarks import machine, report, runner
from benchmarks.contest import Scale, Work
from benchmarks.limits import Limits
from benchmarks.quiet import Quiet
from benchmarks.works import every_work

_PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    asked = _arguments()
    scale, limits, load = Scale(asked.quick, asked.patience), Limits(), machine.load()
    described = machine.describe()
    gc.freeze()  # what the imports left behind need not be searched before every sample
    print(fill(", ".join(f"{name} {what}" for name, what in described.items()), 100))
    print(f"load average {load:.1f}{', so others are at work: expect noise' if load > 0.5 else ''}")
    runs = [run for work in every_work() if asked.only.lower() in work.name.lower()
            for run in _hold(work, scale, limits)]
    print(f"\nlimits: {limits.bandwidth / 1e9:.1f} GB/s, "
          + ", ".join(f"{peak / 1e9:.0f} GFLOP/s in {dtype}" for dtype, peak in limits.peak.items()))
    report.print_verdicts(report.verdicts(runs, limits), quick=asked.quick)
    if asked.quick or asked.only:
        return
    _PAGE.write_text(report.page(runs, limits, described, load))
    _PAGE.with_suffix(".json").write_text(json.dumps(report.numbers(runs, limits, described, load), indent=1) + "\n")
    print("\nwritten to docs/benchmarks.md and docs/benchmarks.json")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description="The project beside its peers.")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rows, three rounds")
    parser.add_argument("--only", default="", metavar="WORD", help="the works whose name holds WORD")
    parser.add_argument("--patience", type=float, metavar="SECONDS",
                        help="how long a contest may wait for others to leave the machine alone (30, quick: 1)")
    asked = parser.parse_args()
    if asked.patience is None:
        asked.patience = 1.0 if asked.quick else 30.0
    return asked


def _hold(work: Work, scale: Scale, limits: Limits) -> list[report.Run]:
    report.print_work(work)
    if work.needs and not hasattr(dc, work.needs):
        print(f"  SKIPPED: this discriminant has no {work.needs}")
        return []
    runs = []
    for case in work.cases:
        contest = work.prepare(case, scale)
        if contest.cost:
            limits.measure(Quiet(scale.patience))
        figures = runner.run(contest, scale)
        runs.append(report.Run(work, case, figures, contest.cost, contest.allowance))
        del contest  # with its data, before the next is made
        report.print_run(runs[-1], limits)
    return runs


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # peers warn about collinear columns and the like; quality is judged here
    main()
