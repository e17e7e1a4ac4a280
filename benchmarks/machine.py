"""What the run ran on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

from discriminant import _core

_LIBRARIES = ("scikit-learn", "scikit-learn-intelex", "numpy", "scipy")


def describe() -> dict[str, str]:
    return {
        "cores": str(len(os.sched_getaffinity(0))),
        "instruction set": _core.isa(),
        "Python": platform.python_version(),
        "discriminant": version("discriminant"),
        **{name: version(name) for name in _LIBRARIES},
    }


def load() -> float:
    """How many processes wanted a core on average in the last minute: above 0.5 before a run, others were at work."""
    return os.getloadavg()[0]
