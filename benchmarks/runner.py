"""Times contestants in turn, so that whatever else the machine does strikes all of them alike."""

from __future__ import annotations

import gc
from time import perf_counter, sleep

from benchmarks.contest import Contest, Contestant, Figures

_PAUSE = 0.05  # s; threads of a linear algebra library spin on for some 20 ms after a call, on the next one's cores
_BUDGET = 6.0  # s of a contest, after which there are only the rounds that are needed
_LEAST, _MOST = 5, 25
_LONG = 4.0  # s; a round longer than this is repeated three times only


def run(contest: Contest, *, quick: bool) -> dict[str, Figures]:
    """The figures of every contestant, in the order given. The first, untimed call is judged for quality."""
    entries = list(contest.contestants)
    quality = {entry.name: _judged(entry) for entry in entries}
    samples: dict[str, list[float]] = {entry.name: [] for entry in entries}
    started, done = perf_counter(), 0
    while True:
        turn = done % len(entries)  # nobody always follows the same one
        for entry in entries[turn:] + entries[:turn]:
            samples[entry.name].append(_sample(entry, contest.calls))
        done += 1
        elapsed = perf_counter() - started
        least = 3 if quick or elapsed / done > _LONG else _LEAST
        if done >= (contest.rounds or least) and (contest.rounds or quick or elapsed > _BUDGET or done >= _MOST):
            return {name: Figures(tuple(times), quality[name]) for name, times in samples.items()}


def _judged(entry: Contestant) -> float | None:
    result = entry.run()
    return None if entry.quality is None else float(entry.quality(result))


def _sample(entry: Contestant, calls: int) -> float:
    gc.collect()
    sleep(_PAUSE)
    if entry.measures:
        return float(entry.run())
    run = entry.run
    started = perf_counter()
    for _ in range(calls):
        run()
    return (perf_counter() - started) / calls
