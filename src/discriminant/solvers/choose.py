"""In which coordinates a problem is solved: chosen by the shape and kind of the rows."""

from __future__ import annotations

import numpy as np

from discriminant.passes.moments import Spread
from discriminant.places.place import Place
from discriminant.solvers.coordinates import Coordinates, InUnits
from discriminant.solvers.implicit import Unformed
from discriminant.solvers.measure import measure
from discriminant.solvers.span import DenseSpan, SparseSpan

_FORMED = 4096  # a d x d matrix of sparse rows is formed up to here: it takes 128 MB, several times over


def coordinates_of(place: Place, classes: int, *, one_unit: bool, centred: bool = True,
                   spread: Spread = Spread.POOLED) -> Coordinates:
    """Measure the moments of `place`, in its rows' span where that is smaller than its columns.

    With `one_unit` lengths are those of the user's columns (shrinkage towards the identity depends on them). A spread
    for each class is always measured in the columns.
    """
    if place.shape[1] > place.shape[0] and spread is Spread.POOLED:
        if place.weights is not None and not place.weights.all():  # rows without weight span nothing
            place = place.subset(np.flatnonzero(place.weights))
        span = SparseSpan if place.is_sparse else DenseSpan
        return span(place, classes, standardise=not one_unit, centred=centred)
    if place.is_sparse and place.shape[1] > _FORMED and spread is Spread.POOLED:
        unformed = Unformed(measure(place, classes, Spread.DIAGONAL), place)
        return unformed.in_one_unit(centred=centred) if one_unit else unformed
    columns = InUnits(measure(place, classes, spread), place)
    return columns.in_one_unit(centred=centred) if one_unit else columns
