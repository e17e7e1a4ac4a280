"""What a report of a problem should carry: versions, threads, instruction set."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from discriminant import _core, settings

VERSION = "0.1.0"


def show_versions() -> None:
    """Print the versions of the library and of all it can use, and how it runs on this machine.

    Examples
    --------
    >>> import discriminant as dc
    >>> dc.show_versions()  # doctest: +ELLIPSIS
    discriminant ...
    """
    print(f"discriminant {_version('discriminant')}")
    print(f"  python           {sys.version.split()[0]} on {platform.platform()}")
    print(f"  instruction set  {_core.isa()} (of {', '.join(_core.runnable_isas())}; DISCRIMINANT_ISA forces one)")
    print(f"  threads          {settings.threads()}")
    for name in _dependencies():
        print(f"  {name:<16} {_version(name)}")


def _dependencies() -> list[str]:
    """The required packages and those of the extras, from the package's own metadata."""
    names = []
    for line in requires("discriminant") or []:
        name = line.split(";")[0].split("[")[0]
        for sign in "<>=!~ ":
            name = name.split(sign)[0]
        if name != "discriminant" and name not in names:
            names.append(name)
    return names


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
