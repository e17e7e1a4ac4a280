"""Runs a handful of tasks in threads of this call.

The threads end with the call: nothing is left that a later fork could inherit half-way. The calling thread only waits,
so that Ctrl-C reaches it at once; the others stop before their next block.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import cache
from typing import Any, Generic, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")


class Stopped(Exception):
    """Raised inside a worker whose call was interrupted."""


class _OneBlasThread:
    """Holds BLAS to one thread while crews run: its threads would spin against ours, for tens of times the time.

    Users of the limit may overlap; the first takes it and the last gives it back.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: set[object] = set()
        self._limit: Any = None

    def forget(self) -> None:
        """In a forked child: the parent's crews are not here, and one of them may have held the lock.

        A limit in force stays: giving it back takes a lock of BLAS, which the fork may have caught as well.
        """
        self.__init__()  # type: ignore[misc]

    def hold(self, user: object) -> None:
        with self._lock:
            if self._limit is None:
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._users.add(user)

    def release(self, user: object) -> None:
        """Also right after a `hold` that an interrupt cut short."""
        with self._lock:
            self._users.discard(user)
            if not self._users and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of NumPy and SciPy; finding them takes a millisecond."""
    return ThreadpoolController()


_one_blas_thread = _OneBlasThread()
os.register_at_fork(after_in_child=_one_blas_thread.forget)

_FEW_COLUMNS = 512  # up to here a second thread gains the factors of a matrix a millisecond or two


@contextmanager
def calm_blas(columns: int) -> Iterator[None]:
    """Between passes too, unless matrices are large: after a threaded call OpenBLAS spins for 100 ms on our cores."""
    if columns > _FEW_COLUMNS:
        yield
        return
    user = object()
    try:
        _one_blas_thread.hold(user)
        yield
    finally:
        _one_blas_thread.release(user)


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
        ends = [threading.Event() for _ in range(min(self._threads, count))]
        # Each worker runs in a copy of the caller's context, where NumPy keeps how it treats floating-point errors.
        workers = [threading.Thread(target=copy_context().run, args=(self._work, task, count, answers, end))
                   for end in ends]
        try:
            _one_blas_thread.hold(self)
            for worker in workers:
                worker.start()
            for end in ends:
                end.wait()
        except BaseException:  # an interrupt: tell the workers, wait for the blocks in hand, and pass it on
            self._stop.set()
            for worker, end in zip(workers, ends, strict=True):
                _wait_whatever_comes(worker, end)
            raise
        finally:
            _one_blas_thread.release(self)
        if self._error is not None:
            raise self._error
        return [answers[i] for i in range(count)]

    def _work(self, task: Callable[[int], T], count: int, answers: dict[int, T], end: threading.Event) -> None:
        try:
            self._take_tasks(task, count, answers)
        finally:
            end.set()

    def _take_tasks(self, task: Callable[[int], T], count: int, answers: dict[int, T]) -> None:
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


def _wait_whatever_comes(worker: threading.Thread, end: threading.Event) -> None:
    """Wait for a worker that was told to stop, through any further Ctrl-C.

    Not by `join` alone: interrupted once, it takes a thread that still runs for one that has ended. A worker without a
    number was not started, or the interrupt came while it was starting; it is given a moment.
    """
    if worker.ident is None:
        with suppress(KeyboardInterrupt):
            end.wait(0.05)
    while worker.ident is not None and not end.is_set():
        with suppress(KeyboardInterrupt):
            end.wait()
    while worker.ident is not None and worker.is_alive():
        with suppress(KeyboardInterrupt):
            worker.join()
