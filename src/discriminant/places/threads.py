"""Runs a handful of tasks in threads of this call.

The threads end with the call: nothing is left that a later fork could inherit half-way. The calling thread only waits,
so that Ctrl-C reaches it at once; the others stop before their next block.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """Raised inside a worker whose call was interrupted."""


class Crew(Generic[T]):
    """`run` does tasks 0 .. count-1 and gives their answers in that order; tasks call `check` between blocks."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._next = 0
        self._error: BaseException | None = None

    def check(self) -> None:
        if self._stop.is_set():
            raise Stopped

    def run(self, task: Callable[[int], T], count: int) -> list[T]:
        answers: dict[int, T] = {}
        workers = [threading.Thread(target=self._work, args=(task, count, answers), daemon=True)
                   for _ in range(min(self._threads, count))]
        try:
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        except BaseException:  # an interrupt: tell the workers, wait for the blocks in hand, and pass it on
            self._stop.set()
            for worker in workers:
                if worker.ident is not None:
                    worker.join()
            raise
        if self._error is not None:
            raise self._error
        return [answers[i] for i in range(count)]

    def _work(self, task: Callable[[int], T], count: int, answers: dict[int, T]) -> None:
        while not self._stop.is_set():
            with self._lock:
                mine, self._next = self._next, self._next + 1
            if mine >= count:
                return
            try:
                answers[mine] = task(mine)
            except Stopped:
                return
            except BaseException as error:  # the first error of any worker is the error of the call
                self._error = self._error or error
                self._stop.set()
                return
