"""Waits until nobody else uses the machine; for a while, then one measures in the noise."""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep

_PAUSE = 0.05  # s; threads of a linear algebra library spin on for some 20 ms after a call, on the next one's cores
_BUSY = 0.15  # of the machine's time


class Quiet:
    """`wait` before every sample. Its patience is for all of a contest."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self.waited = 0.0

    def wait(self) -> None:
        while True:
            before = _busy_seconds()
            sleep(_PAUSE)
            busy = (_busy_seconds() - before) / (_PAUSE * (os.cpu_count() or 1))
            if busy <= _BUSY or self.waited >= self._patience:
                return
            self.waited += _PAUSE


def _busy_seconds() -> float:
    """What all processes together have used of all cores; 0 where the system does not tell."""
    source = Path("/proc/stat")
    if not source.exists():
        return 0.0
    user, nice, system, _idle, _waiting, *interrupts = source.read_text().split("\n", 1)[0].split()[1:]
    return sum(map(int, (user, nice, system, *interrupts[:3]))) / os.sysconf("SC_CLK_TCK")
