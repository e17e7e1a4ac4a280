"""Moments that grow from one `partial_fit` to the next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant import door
from discriminant.errors import InputError
from discriminant.passes.moments import Moments, Spread
from discriminant.solvers.measure import measure


@dataclass(frozen=True)
class MomentStream:
    """All rows so far, as moments of the classes seen so far."""

    spread: Spread = Spread.POOLED
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    moments: Moments | None = None
    announced: NDArray[Any] | None = None  # the classes the user named in the first call

    @property
    def is_new(self) -> bool:
        return self.moments is None

    def present(self) -> tuple[NDArray[Any], Moments]:
        """The classes whose rows have some weight, and their moments."""
        assert self.moments is not None
        at = np.flatnonzero(self.moments.weight > 0)
        return self.classes[at], self.moments if len(at) == len(self.classes) else self.moments.of_classes(at)

    def extended(self, training: door.Training, announced: Any = None) -> MomentStream:
        """This stream and the rows of `training`; classes that are new find their place among the old."""
        announced = self.announced if announced is None else door.announced_classes(announced)
        for known in (self.classes, announced):
            _refuse_other_kind(training.classes, known)
        if announced is not None:
            strangers = np.setdiff1d(training.classes, announced)
            if len(strangers):
                raise InputError(f"y holds the class {strangers.tolist()[0]!r}, which `classes` does not name.")
        moments = measure(training.place, len(training.classes), self.spread)
        if self.moments is None:
            return replace(self, classes=training.classes, moments=moments, announced=announced)
        classes = np.union1d(self.classes, training.classes)
        old = self.moments.with_classes(np.searchsorted(classes, self.classes), len(classes))
        new = moments.with_classes(np.searchsorted(classes, training.classes), len(classes))
        return replace(self, classes=classes, moments=old.merged(new), announced=announced)


def _refuse_other_kind(classes: NDArray[Any], known: NDArray[Any] | None) -> None:
    """Numbers and words have no common order, and NumPy would turn one into the other."""
    if known is None or not len(known):
        return
    if (classes.dtype.kind in "biuf") != (known.dtype.kind in "biuf"):
        raise InputError(f"y holds labels like {classes.tolist()[0]!r}, but the classes so far are like "
                         f"{known.tolist()[0]!r}; use labels of one kind.")
