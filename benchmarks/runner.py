"""Times contestants in turn, so that whatever else the machine does strikes all of them alike."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from time import perf_counter

from benchmarks.contest import Contest, Contestant, Figures, Scale
from benchmarks.quiet import Quiet

_LEAST, _LEAST_LONG, _MOST = 5, 3, 25  # rounds
_LONG = 4.0  # s of a round; longer ones need be made three times only
_BUDGET, _MOST_TIME = 5.0, 40.0  # s of a contest: enough, and too much
_SETTLED = 0.05  # how closely a contestant's two best times agree when neither was disturbed


def run(contest: Contest, scale: Scale) -> dict[str, Figures]:
    """The figures of every contestant, in the order given. The first, untimed call is judged for quality."""
    entries = list(contest.contestants)
    quality = {entry.name: _judged(entry) for entry in entries}
    samples: dict[str, list[float]] = {entry.name: [] for entry in entries}
    quiet = Quiet(scale.patience if contest.waits else 0.0)
    started, done = perf_counter(), 0
    while not _enough(contest, scale.quick, done, perf_counter() - started - quiet.waited, samples.values()):
        turn = done % len(entries)  # nobody always follows the same one
        for entry in entries[turn:] + entries[:turn]:
            gc.collect()
            quiet.wait()
            samples[entry.name].append(_sample(entry, contest.calls))
        done += 1
    return {name: Figures(tuple(times), quality[name]) for name, times in samples.items()}


def _enough(contest: Contest, quick: bool, done: int, seconds: float, samples: Iterable[list[float]]) -> bool:
    if contest.rounds or quick:
        return done >= (contest.rounds or 3)
    if done < _LEAST_LONG or (done < _LEAST and seconds < _LONG * done):
        return False
    return done >= _MOST or seconds > _MOST_TIME or (seconds > _BUDGET and all(map(_settled, samples)))


def _settled(times: list[float]) -> bool:
    best, second = sorted(times)[:2]
    return second <= best * (1 + _SETTLED)


def _judged(entry: Contestant) -> float | None:
    result = entry.run()
    return None if entry.quality is None else float(entry.quality(result))


def _sample(entry: Contestant, calls: int) -> float:
    if entry.measures:
        return float(entry.run())
    run = entry.run
    started = perf_counter()
    for _ in range(calls):
        run()
    return (perf_counter() - started) / calls
