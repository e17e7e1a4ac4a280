"""Writes docs/supported.md: the learners, the places they run in, and what a place cannot honestly do.

Everything is derived from the package; a test holds the page to what this prints.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import discriminant as dc
from discriminant.learners.linear import Learner
from discriminant.places.place import Place
from discriminant.places.unsupported import markers


def page() -> str:
    for module in pkgutil.walk_packages(dc.__path__, "discriminant."):
        importlib.import_module(module.name)
    places = Place.__subclasses__()
    public = {name: getattr(dc, name) for name in dc.__all__}
    learners = [name for name, each in public.items() if isinstance(each, type) and issubclass(each, Learner)]
    lines = ["# What runs where", "", "Written by docs/supported.py from the package itself.", ""]
    lines += ["| learner | " + " | ".join((place.__doc__ or "").split(".")[0] for place in places) + " |"]
    lines += ["|---|" + "---|" * len(places)]
    lines += [f"| `{name}` |" + " yes |" * len(places) for name in learners]
    lines += ["", "What is not available, why, and what to do instead:", ""]
    lines += [f"- **{marker.what}** {marker.where}: {marker.why}. Instead: {marker.use}." for marker in markers]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page())
