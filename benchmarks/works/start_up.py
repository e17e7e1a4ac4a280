"""How long the import takes, in fresh processes."""

from __future__ import annotations

from benchmarks.contest import OURS, Contest, Contestant, Must, Scale, Work
from benchmarks.fresh import import_seconds

BASE = "sklearn.base"


def _prepare(case: str, scale: Scale) -> Contest:
    return Contest([Contestant(module, lambda name=module: import_seconds(name), measures=True)
                    for module in (OURS, BASE)], rounds=3 if scale.quick else 15)


WORKS = [
    Work(
        "Import", ["fresh process"], _prepare,
        [Must("≤ sklearn.base + 50 ms", lambda o: 1e3 * (o.best(OURS) - o.best(BASE)), 50, at_most=True,
              form="{:+.0f} ms")],
    ),
]
