"""Moments that grow from one `partial_fit` to the next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.door import Training
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

    @property
    def is_ready(self) -> bool:
        """Whether there are two classes to tell apart."""
        return len(self.classes) > 1

    def extended(self, training: Training, announced: Any = None) -> MomentStream:
        """This stream and the rows of `training`; classes that are new find their place among the old."""
        announced = self.announced if announced is None else np.unique(np.asarray(announced))
        if announced is not None:
            strangers = np.setdiff1d(training.classes, announced)
            if len(strangers):
                raise InputError(f"y holds the class {strangers[0]!r}, which `classes` does not name.")
        moments = measure(training.place, len(training.classes), self.spread)
        if self.moments is None:
            return replace(self, classes=training.classes, moments=moments, announced=announced)
        classes = np.union1d(self.classes, training.classes)
        old = self.moments.with_classes(np.searchsorted(classes, self.classes), len(classes))
        new = moments.with_classes(np.searchsorted(classes, training.classes), len(classes))
        return replace(self, classes=classes, moments=old.merged(new), announced=announced)
