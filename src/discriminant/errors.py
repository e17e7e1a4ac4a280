"""The errors of the library. Each names what was wrong, what came, and what to do."""

from __future__ import annotations


class ParameterError(ValueError):
    """A parameter is outside its range, or does not go with another."""


class InputError(ValueError):
    """The data given to a learner cannot be used as it is."""


class ScaleError(InputError):
    """Finite numbers whose squares, products or quotients leave the range of floating point."""


class DegenerateError(InputError):
    """A class whose rows do not spread in every direction, so that it has no density."""


OUT_OF_RANGE = (
    "X holds numbers so large, so small or so different in scale that what is computed from them leaves the range of "
    "floating point; multiply its columns by constants, so that their values are nearer to 1."
)


class UnsupportedHere(NotImplementedError):
    """A pass has no honest meaning in a place. Raised only by the markers of `places/unsupported.py`."""


class VersionWarning(UserWarning):
    """A pickled learner comes from another version of the library."""


class DegenerateWarning(UserWarning):
    """The data leaves open, or decides trivially, something that the user would want to know."""
