"""Fisher's linear discriminant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from discriminant import door
from discriminant.blocks.functions import LinearFunctions
from discriminant.errors import ParameterError
from discriminant.learners.linear import scores_of
from discriminant.learners.moment_learner import MomentLearner
from discriminant.parameters import Allowed, Integer, ListOf, OneOf, Real
from discriminant.parameters import ArrayLike as Array
from discriminant.passes.moments import Spread
from discriminant.places.place import Place
from discriminant.result import Result
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.discriminants import Discriminants, discriminants
from discriminant.solvers.within import takes_one_unit, within_of

Floats = NDArray[np.float64]


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MomentLearner):  # type: ignore[misc]
    """Fisher's linear discriminant: the directions that set the classes apart most, measured by their own spread.

    With class means m_k and the scatter S_W within classes, the directions w maximise J(w) = (w'S_B w) / (w'S_W w).
    Rows are assigned by the linear functions of Gaussian classes that share one covariance S = S_W / n.

    Parameters
    ----------
    n_components : int or None
        How many directions `transform` gives and `predict` uses; None: all min(K - 1, d).
    shrinkage : None, "ledoit-wolf", "oas", "auto", number in [0, 1], "loo" or list of numbers
        S is replaced by (1 - g) S + g (tr S / d) I. A list (or "loo", a list of our own) is chosen from by exact
        leave-one-out accuracy, see `path_`. "auto" is scikit-learn's rule of that name: Ledoit-Wolf in each class
        on standardised columns.
    priors : array of shape (K,) or None
        The share of each class; None: as in the training rows.
    rule : "bayes", "midpoint" or number
        Where two classes are parted: least error under the priors; half-way between the means; or, for two classes,
        where the projection x'coef_ passes the number.

    Attributes
    ----------
    coef_, intercept_ : the linear functions, (1 or K, d) and (1 or K,).
    scalings_ : (d, L) the directions, with within-class covariance I.
    means_, priors_ : (K, d) and (K,).
    criterion_ : J. For two classes (w'S_B w) / (w'S_W w) with S_B = (m_1 - m_0)(m_1 - m_0)'; for more the trace of
        (V'S_W V)^-1 V'S_B V over the directions V, with S_B = sum N_k (m_k - m)(m_k - m)'.
    explained_variance_ratio_ : (L,) each direction's part of the between-class variance.
    shrinkage_ : the shrinkage used.
    path_ : dict of arrays `shrinkage` and `score` (exact leave-one-out accuracy), where shrinkage was chosen from many.
    result_ : how the fit went: route, rank, condition, passes over the data, seconds.

    Examples
    --------
    >>> import discriminant as dc
    >>> X = [[4.0, 2.0], [2.0, 4.0], [2.0, 3.0], [9.0, 10.0], [6.0, 8.0], [9.0, 5.0]]
    >>> fisher = dc.FisherDiscriminant().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> fisher.predict([[3.0, 3.0], [8.0, 8.0]]).tolist()
    ['a', 'b']
    """

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {
        "n_components": [OneOf(None), Integer(1)],
        "shrinkage": [OneOf(None, "ledoit-wolf", "oas", "auto", "loo"), Real(0, 1), ListOf(Real(0, 1))],
        "priors": [OneOf(None), Array("an array of one positive number for each class")],
        "rule": [OneOf("bayes", "midpoint"), Real()],
    }

    def __init__(self, *, n_components: int | None = None, shrinkage: Any = None, priors: ArrayLike | None = None,
                 rule: Any = "bayes") -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.priors = priors
        self.rule = rule

    def _moments_needed(self) -> tuple[Spread, bool]:
        return Spread.POOLED, takes_one_unit(self.shrinkage)

    def _check_together(self, classes: int, columns: int) -> None:
        most = min(classes - 1, columns)
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(f"n_components cannot be larger than min(n_features, n_classes - 1) = {most}; got "
                                 f"{self.n_components}.")
        if not isinstance(self.rule, str) and classes != 2:
            raise ParameterError(f"rule={self.rule!r} is a threshold between two classes; y has {classes}. Use 'bayes' "
                                 "or 'midpoint'.")
        chosen = np.ndim(self.shrinkage) == 1 or (isinstance(self.shrinkage, str) and self.shrinkage == "loo")
        if chosen and not isinstance(self.rule, str):
            raise ParameterError("shrinkage is chosen by leave-one-out for rule='bayes' or 'midpoint' only; give one "
                                 f"shrinkage with rule={self.rule!r}.")
        if chosen and self.n_components is not None and self.n_components < most:
            raise ParameterError(f"shrinkage is chosen by leave-one-out for all {most} components only; give one "
                                 f"shrinkage with n_components={self.n_components}.")

    def _learn(self, coordinates: Coordinates, rows: Place | None, classes: NDArray[Any], priors: Floats) -> None:
        bayes = isinstance(self.rule, str) and self.rule == "bayes"
        fixed = np.zeros(len(priors)) if not bayes else None if self.priors is None else np.log(priors)
        within = within_of(coordinates, rows, self.shrinkage, priors, fixed)
        coordinates = within.coordinates
        found = discriminants(coordinates.mean, priors, within.factor, components=self.n_components, with_priors=bayes)
        self._keep(*found.functions_in(coordinates))
        if not isinstance(self.rule, str):
            self.intercept_ = np.array([-float(self.rule)])
        self.priors_, self.means_ = priors, coordinates.original_means()
        scalings = coordinates.lift(found.directions.T).T
        signs = _signs(scalings)
        self.scalings_ = scalings * signs
        self._projected_centre = signs * (
            found.centre @ found.directions - coordinates.lift_offset(found.directions.T))
        total = found.ratios.sum()
        self.explained_variance_ratio_ = (found.ratios / total if total > 0 else found.ratios)[: self.n_components]
        self._n_features_out = len(self.explained_variance_ratio_)
        self.criterion_ = criterion(coordinates, found)
        self.shrinkage_ = within.gamma
        if within.path is not None:
            self.path_ = within.path
        else:
            self.__dict__.pop("path_", None)
        self.result_ = Result(self.coef_, within.status, within.stats)

    def transform(self, X: Any) -> Floats:
        """The rows projected on the directions, measured from the overall mean: (n, n_components)."""
        self._require_fitted()
        count, place = self._n_features_out, door.rows_to_score(self, X)
        if count == 0:  # all class means are equal: there is no direction
            return np.empty((place.shape[0], 0))
        projection = LinearFunctions.of(self.scalings_[:, :count].T, -self._projected_centre[:count])
        return scores_of(place, projection)


def _signs(directions: Floats) -> Floats:
    """Signs that make the largest entry of each direction positive, so that every fit shows the same picture.

    Of entries equal but for rounding the first counts.
    """
    if not directions.size:
        return np.ones(directions.shape[1])
    size = np.abs(directions)
    first = (size >= (1 - 1e-6) * size.max(axis=0)).argmax(axis=0)
    return np.where(directions[first, np.arange(directions.shape[1])] < 0, -1.0, 1.0)


def criterion(coordinates: Coordinates, found: Discriminants) -> float:
    """J at the directions found, from undivided scatter (see `FisherDiscriminant`); inf where classes do not spread."""
    mean, V = coordinates.mean, found.directions
    if len(mean) == 2:
        V, between = V[:, :1], np.ones(2)
        offset = mean - mean[:1]
        between[0] = 0.0
    else:
        weight = coordinates.moments.weight
        offset, between = mean - weight @ mean / weight.sum(), weight
    projected = offset @ V
    top = (projected.T * between) @ projected
    bottom = V.T @ coordinates.scatter_times(V)
    if not V.size or not np.diagonal(bottom).all():
        return float("inf") if V.size else 0.0
    return float(np.trace(np.linalg.pinv(bottom, hermitian=True) @ top))
