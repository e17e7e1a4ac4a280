"""The command: `python -m benchmarks [--quick] [--only WORD]`, in the environment that benchmarks/Makefile makes."""

from __future__ import annotations

import argparse
import gc
import json
import warnings
from pathlib import Path

import discriminant as dc
from benchmarks import machine, report, runner
from benchmarks.contest import Scale, Work
from benchmarks.limits import Limits
from benchmarks.works import every_work

_PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    asked = _arguments()
    scale, limits, load = Scale(asked.quick), Limits(), machine.load()
    described = machine.describe()
    gc.freeze()  # what the imports left behind need not be searched before every sample
    print("  ".join(f"{name} {what}" for name, what in described.items()))
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
    return parser.parse_args()


def _hold(work: Work, scale: Scale, limits: Limits) -> list[report.Run]:
    report.print_work(work)
    if work.needs and not hasattr(dc, work.needs):
        print(f"  SKIPPED: this discriminant has no {work.needs}")
        return []
    runs = []
    for case in work.cases:
        limits.measure()
        contest = work.prepare(case, scale)
        figures = runner.run(contest, quick=scale.quick)
        runs.append(report.Run(work, case, figures, contest.cost, contest.allowance))
        del contest  # with its data, before the next is made
        report.print_run(runs[-1], limits)
    return runs


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # peers warn about collinear columns and the like; quality is judged here
    main()
