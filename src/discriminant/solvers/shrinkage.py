"""How strongly to shrink the within-class covariance S towards a multiple of the identity:

    S_gamma = (1 - gamma) S + gamma (tr S / d) I.

Everything is invariant under rotation, so it may be computed in any orthonormal coordinates that hold the rows, with
`dimension`, the number of columns the user has, in place of d.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discriminant.errors import ScaleError
from discriminant.passes.fourth import FourthMoments
from discriminant.passes.moments import Moments
from discriminant.places.place import Place

Floats = NDArray[np.float64]


def shrunk(S: Floats, gamma: float, dimension: int) -> Floats:
    """S_gamma."""
    out = (1.0 - gamma) * S
    out[np.diag_indices(len(S))] += gamma * np.trace(S) / dimension
    return np.asarray(out)


def oas(S: Floats, n: float, dimension: int) -> float:
    """Oracle approximating shrinkage, from tr S and |S|_F^2 alone (Chen, Wiesel, Eldar & Hero 2010)."""
    spread = float((S * S).sum()) / dimension**2
    level = (float(np.trace(S)) / dimension) ** 2
    below = (n + 1) * (spread - level / dimension)
    return 1.0 if below <= 0 else min(1.0, (spread + level) / below)


def ledoit_wolf(S: Floats, fourth: float, n: float, dimension: int) -> float:
    """Ledoit & Wolf (2004): `fourth` is the sum over rows of |z|^4, z measured from its class mean."""
    squares = float((S * S).sum())
    level = float(np.trace(S)) / dimension
    noise = (fourth / n - squares) / (dimension * n)
    distance = (squares - dimension * level**2) / dimension
    return 0.0 if noise <= 0 or distance <= 0 else min(1.0, noise / distance)


def intensity(rule: str, moments: Moments, place: Place | None, dimension: int) -> float:
    """gamma by the named rule for the pooled covariance; `moments` are in one unit for all columns."""
    S = moments.pooled / moments.total
    if rule == "oas":
        return oas(S, moments.total, dimension)
    assert place is not None
    fourth = place.fold(FourthMoments(moments.mean, 1.0 / moments.unit[None, :]))
    return ledoit_wolf(S, float(fourth.sum()), moments.total, dimension)


def standardised(moments: Moments, place: Place, priors: Floats) -> Floats:
    """scikit-learn's 'auto': Ledoit-Wolf within each class on standardised columns, averaged with the priors.

    `moments` hold one scatter matrix for each class; the covariance returned is in their units.
    """
    squares = np.diagonal(moments.scatter, axis1=1, axis2=2)
    deviation = np.sqrt(squares / moments.weight[:, None])
    pooled = np.sqrt(squares.sum(axis=0) / moments.total)
    # A column that is constant in a class is standardised by its spread in the others.
    deviation = np.where(deviation > 0, deviation, np.where(pooled > 0, pooled, 1.0))
    with np.errstate(over="ignore", divide="ignore"):
        scale = 1.0 / (deviation * moments.unit)
        representable = np.isfinite(scale).all() and np.isfinite(deviation**2).all() and (deviation**2).all()
    if not representable:
        raise ScaleError("X holds columns so small or so different in scale that their deviations leave the range of "
                         "floating point; multiply them by constants, so that their values are nearer to 1.")
    fourth = place.fold(FourthMoments(moments.mean, scale))
    total = np.zeros(moments.scatter.shape[1:])
    for k, n in enumerate(moments.weight):
        both = deviation[k] * deviation[k][:, None]
        S = moments.scatter[k] / n / both
        total += priors[k] * shrunk(S, ledoit_wolf(S, float(fourth[k]), n, len(S)), len(S)) * both
    return total
