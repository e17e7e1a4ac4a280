"""Fisher's directions and the linear functions of Gaussian classes with one covariance.

With R R' = S^-1, the whitened class means R'(m_k - m) times sqrt(prior_k) have the singular value decomposition
U diag(s) V'; the columns of R U maximise between- over within-class variance one after another, s^2 being the ratios
they reach, and give within-class covariance I. The functions are
    f_k(x) = (m_k - m)'S^-1 (x - m) - (m_k - m)'S^-1 (m_k - m) / 2 + log prior_k,
with S^-1 restricted to the directions kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from discriminant.errors import OUT_OF_RANGE, ScaleError
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.factor import Factor

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Discriminants:
    """In the coordinates of the means given: directions (d, L), their ratios (L,), functions (K, d) and (K,)."""

    centre: Floats
    directions: Floats
    ratios: Floats
    coef: Floats
    intercept: Floats

    def functions_in(self, coordinates: Coordinates) -> tuple[Floats, Floats]:
        """The functions in the user's columns, when the means were in `coordinates`: (K, d) and (K,)."""
        return coordinates.lift(self.coef), self.intercept + coordinates.lift_offset(self.coef)


def discriminants(mean: Floats, priors: Floats, factor: Factor, *, components: int | None,
                  with_priors: bool) -> Discriminants:
    """`components` keeps the first directions only; `with_priors` adds log prior_k to the functions."""
    centre = priors @ mean
    offset = mean - centre
    white = factor.whiten(offset.T) * np.sqrt(priors)
    if not np.isfinite(white).all():
        raise ScaleError(OUT_OF_RANGE)
    U, s, _ = la.svd(white, full_matrices=False, check_finite=False)
    most = min(len(mean) - 1, int((s > 1e-12 * s[0]).sum()) if len(s) else 0)
    directions = factor.colour(U[:, :most])
    used = directions[:, :components]
    projected = offset @ used
    coef = projected @ used.T
    intercept = -0.5 * (projected**2).sum(axis=1) - coef @ centre
    if with_priors:
        intercept = intercept + np.log(priors)
    return Discriminants(centre, directions, s[:most] ** 2, coef, intercept)
