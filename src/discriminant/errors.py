"""The errors of the library. Each names what was wrong, what came, and what to do."""

from __future__ import annotations


class ParameterError(ValueError):
    """A parameter is outside its range, or does not go with another."""


class InputError(ValueError):
    """The data given to a learner cannot be used as it is."""


class ScaleError(InputError):
    """Finite numbers whose squares, products or quotients leave the range of floating point."""


class UnsupportedHere(NotImplementedError):
    """A pass has no honest meaning in a place. Raised only by the markers of `places/unsupported.py`."""
