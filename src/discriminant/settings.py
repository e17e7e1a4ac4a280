"""How many threads a pass may use, and which instruction set its kernels run on."""

from __future__ import annotations

import ctypes
import os
import warnings

import joblib
from threadpoolctl import LibController, register

from discriminant import _core
from discriminant.errors import ParameterError

_threads: int | None = None  # what set_threads was given


def set_threads(n: int | None) -> None:
    """Let every later fit and prediction use at most `n` threads; None goes back to what the machine offers.

    Examples
    --------
    >>> import discriminant as dc
    >>> dc.set_threads(2)
    >>> dc.set_threads(None)
    """
    global _threads
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise ParameterError(f"set_threads: n must be a whole number >= 1, or None; got {n!r}.")
    _threads = n


def threads() -> int:
    """The threads a pass may use now: the smallest of the limits that anybody set.

    They are `set_threads`, threadpoolctl, the environment's OMP_NUM_THREADS (which joblib sets in its workers), and
    what joblib counts: the processor affinity, the container's quota and LOKY_MAX_CPU_COUNT.
    """
    limits = [_machine_threads() if _threads is None else _threads]
    limits += [limit for limit in (_core.get_thread_limit(), _from_environment()) if limit > 0]
    return min(limits)


def _from_environment() -> int:
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(text) if text.isdigit() else 0


_counted: tuple[int, int] | None = None  # the process that counted, and what it found


def _machine_threads() -> int:
    """joblib's count, asked once a process: it reads the container's files each time."""
    global _counted
    if _counted is None or _counted[0] != os.getpid():
        _counted = (os.getpid(), joblib.cpu_count())
    return _counted[1]


class _ThreadLimit(LibController):  # type: ignore[misc]
    """Lets `threadpoolctl.threadpool_limits` reach this library as it reaches BLAS."""

    user_api = "discriminant"
    internal_api = "discriminant"
    filename_prefixes = ("_core",)
    check_symbols = ("discriminant_get_thread_limit", "discriminant_set_thread_limit")

    def get_num_threads(self) -> int | None:
        """None while there is no limit: threadpoolctl gives it back to `set_num_threads`, which then leaves none."""
        return int(self.dynlib.discriminant_get_thread_limit()) or None

    def set_num_threads(self, num_threads: int | None) -> None:
        self.dynlib.discriminant_set_thread_limit(ctypes.c_int(num_threads or 0))

    def get_version(self) -> None:
        return None

    def set_additional_attributes(self) -> None:
        self.isa = _core.isa()


def _force_instruction_set() -> None:
    wanted = os.environ.get("DISCRIMINANT_ISA")
    if wanted and not _core.use_isa(wanted):
        warnings.warn(
            f"DISCRIMINANT_ISA={wanted} cannot run here; this machine runs {', '.join(_core.runnable_isas())}. "
            f"Using {_core.isa()}.",
            RuntimeWarning,
            stacklevel=2,
        )


register(_ThreadLimit)
_force_instruction_set()
