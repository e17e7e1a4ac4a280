"""The works, one file each, with a list `WORKS`; this finds them all."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from benchmarks.contest import Work


def every_work() -> list[Work]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [work for name in names for work in import_module(f"{__name__}.{name}").WORKS]
