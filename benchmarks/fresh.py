"""Measurements that need a process of their own: how long an import takes, how much memory a fit takes.

`python -m benchmarks.fresh CLASS PARAMETERS ROWS COLUMNS DTYPE` is such a process: it prints the megabytes.
"""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.families import table

_ROOT = Path(__file__).parent.parent


def import_seconds(module: str) -> float:
    code = f"from time import perf_counter as now; t = now(); import {module}; print(now() - t)"
    with tempfile.TemporaryDirectory() as elsewhere:
        return float(_output([sys.executable, "-c", code], elsewhere))


def fit_megabytes(learner: str, parameters: dict[str, Any], n: int, d: int, dtype: str) -> float:
    """The peak memory of a process that fits, above what it held before and the data; `learner` is module:class."""
    arguments = [learner, json.dumps(parameters), str(n), str(d), dtype]
    return float(_output([sys.executable, "-m", "benchmarks.fresh", *arguments], _ROOT))


def _output(command: list[str], folder: Path | str) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def _held_bytes(most: str) -> int:
    """What this process holds ("VmRSS"), or the most it ever held ("VmHWM"). Not ru_maxrss, which a process inherits:
    that of a child begins at the peak of the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(most)).split()[1]) * 1024


def _main(learner: str, parameters: str, n: str, d: str, dtype: str) -> None:
    model = pkgutil.resolve_name(learner)(**json.loads(parameters))
    bare = _held_bytes("VmRSS")
    X, y = table("gaussian", int(n), int(d), 5, dtype)
    model.fit(X, y)
    print((_held_bytes("VmHWM") - bare - X.nbytes - y.nbytes) / 1e6)


if __name__ == "__main__":
    _main(*sys.argv[1:])
