"""The generative model: a Gaussian density for each class, a share for each class, and Bayes' rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from discriminant import door, parameters
from discriminant.datasets.random_state import RandomState, generator
from discriminant.errors import DegenerateError, ParameterError
from discriminant.learners.linear import fill
from discriminant.learners.moment_learner import MomentLearner
from discriminant.parameters import Allowed, Integer, ListOf, OneOf, Real
from discriminant.parameters import ArrayLike as Array
from discriminant.passes.log_densities import LogDensities
from discriminant.passes.moments import Spread
from discriminant.places.place import Place
from discriminant.result import Result
from discriminant.solvers import gaussian_estimates as estimates
from discriminant.solvers.coordinates import Coordinates
from discriminant.solvers.discriminants import discriminants
from discriminant.solvers.gaussian_densities import GaussianDensities, SharedDensities
from discriminant.solvers.within import takes_one_unit, within_of

Floats = NDArray[np.float64]

_SPREAD = {"shared": Spread.POOLED, "full": Spread.BY_CLASS, "diagonal": Spread.DIAGONAL, "spherical": Spread.DIAGONAL}


class GaussianDiscriminant(MomentLearner):
    """Gaussian class densities p(x | C_k) = N(m_k, S_k) and priors: classes by Bayes' rule, densities, new rows.

    The covariances are those of maximum likelihood, divided by the weight of the rows that they are made of. With one
    covariance for all classes the functions are linear, and those of `FisherDiscriminant`; otherwise quadratic.

    Parameters
    ----------
    covariance : "shared", "full", "diagonal" or "spherical"
        One matrix for all classes; one for each class; one diagonal for each class (columns independent within a
        class, 'naive Bayes'); or s_k^2 I for each class.
    shrinkage : None, "ledoit-wolf", "oas", "auto", number in [0, 1], "loo" or list of numbers
        S is replaced by (1 - g) S + g (tr S / d) I. A list (or "loo", a list of our own) is chosen from by exact
        leave-one-out accuracy, see `path_`. "shared" takes all of them, as in `FisherDiscriminant`; "full" all but
        "auto", "ledoit-wolf" and "oas" giving each class its own g; "diagonal" a number; "spherical" None.
    priors : array of shape (K,) or None
        The share of each class; None: as in the training rows.

    Attributes
    ----------
    means_, priors_ : (K, d) and (K,).
    covariance_ : (d, d) for "shared", (K, d, d) for "full", (K, d) for "diagonal", (K,) for "spherical".
    coef_, intercept_ : the linear functions, (1 or K, d) and (1 or K,), for "shared" only.
    n_parameters_ : how many free numbers the model has: K - 1 priors, K d means, and d (d + 1) / 2, K d (d + 1) / 2,
        K d or K of the covariances. The discriminative model with the same boundaries as "shared" has (K - 1) (d + 1).
    shrinkage_ : the shrinkage used; an array (K,) where each class has its own.
    path_ : dict of arrays `shrinkage` and `score` (exact leave-one-out accuracy), where shrinkage was chosen from many.
    result_ : how the fit went: route, rank, condition, passes over the data, seconds.

    Examples
    --------
    >>> import discriminant as dc
    >>> X = [[4.0, 2.0], [2.0, 4.0], [2.0, 3.0], [9.0, 10.0], [6.0, 8.0], [9.0, 5.0]]
    >>> model = dc.GaussianDiscriminant(covariance="full").fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[3.0, 3.0], [8.0, 8.0]]).tolist()
    ['a', 'b']
    >>> model.log_density([[3.0, 3.0]]).round(4).tolist()
    [-1.8262]
    >>> rows, labels = model.sample(5, random_state=0)
    >>> rows.shape, model.n_parameters_
    ((5, 2), 11)
    """

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {
        "covariance": [OneOf(*_SPREAD)],
        "shrinkage": [OneOf(None, "ledoit-wolf", "oas", "auto", "loo"), Real(0, 1), ListOf(Real(0, 1))],
        "priors": [OneOf(None), Array("an array of one positive number for each class")],
    }

    _densities: GaussianDensities

    def __init__(self, *, covariance: str = "shared", shrinkage: Any = None, priors: ArrayLike | None = None) -> None:
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.priors = priors

    def _moments_needed(self) -> tuple[Spread, bool]:
        kind, rule = self.covariance, self.shrinkage
        if kind != "shared" and np.ndim(rule) == 0 and rule == 0:  # nothing is shrunk, so columns keep their units
            rule = None
        return _SPREAD[kind], kind == "spherical" or takes_one_unit(rule)

    def _check_together(self, classes: int, columns: int) -> None:
        kind, rule = self.covariance, self.shrinkage
        plain = rule is None or not (isinstance(rule, str) or np.ndim(rule))
        if kind == "full" and isinstance(rule, str) and rule == "auto":
            raise ParameterError("shrinkage='auto' goes with covariance='shared' only; covariance='full' takes None, "
                                 "'ledoit-wolf', 'oas', a number, 'loo' or a list.")
        if kind == "diagonal" and not plain:
            raise ParameterError("covariance='diagonal' takes shrinkage=None or a number, by which each variance moves "
                                 f"towards the mean variance of its class; got shrinkage={rule!r}.")
        if kind == "spherical" and rule is not None:
            raise ParameterError("covariance='spherical' takes shrinkage=None only: it is what shrinkage leads to; got "
                                 f"shrinkage={rule!r}.")

    def _learn(self, coordinates: Coordinates, rows: Place | None, classes: NDArray[Any], priors: Floats) -> None:
        made, functions = self._estimate(coordinates, rows, classes.tolist(), priors)
        for name in ("coef_", "intercept_", "path_"):
            self.__dict__.pop(name, None)
        if functions is not None:
            self._keep(*functions)
        if made.path is not None:
            self.path_ = made.path
        self._densities, self.shrinkage_ = made.densities, made.gamma
        self.means_, self.priors_ = made.densities.mean, priors
        self.n_parameters_ = len(priors) - 1 + self.means_.size + self._covariance_numbers(*self.means_.shape)
        self.result_ = Result(made.densities if functions is None else self.coef_, made.status, made.stats)

    def _estimate(self, coordinates: Coordinates, rows: Place | None, names: list[Any],
                  priors: Floats) -> tuple[estimates.Estimate, tuple[Floats, Floats] | None]:
        """The densities and, where they are linear, the functions (K, d) and (K,)."""
        fixed = None if self.priors is None else np.log(priors)
        if self.covariance == "full":
            return estimates.full(coordinates, rows, self.shrinkage, fixed, names), None
        if self.covariance == "diagonal":
            return estimates.diagonal(coordinates, self.shrinkage, names), None
        if self.covariance == "spherical":
            return estimates.spherical(coordinates, names), None
        within = within_of(coordinates, rows, self.shrinkage, priors, fixed)
        found = discriminants(within.coordinates.mean, priors, within.factor, components=None, with_priors=True)
        return estimates.shared(within), found.functions_in(within.coordinates)

    def _covariance_numbers(self, classes: int, columns: int) -> int:
        matrix = columns * (columns + 1) // 2
        return {"shared": matrix, "full": classes * matrix, "diagonal": classes * columns,
                "spherical": classes}[self.covariance]

    @property
    def covariance_(self) -> Floats:
        """In the units of the columns; made when asked for, since it may be larger than all the rows."""
        self._require_fitted()
        return self._densities.covariance()

    def _scored(self, X: Any, *, winners: bool) -> NDArray[Any]:
        self._require_fitted()
        if "coef_" in self.__dict__:
            return super()._scored(X, winners=winners)
        place = door.rows_to_score(self, X)
        offset = self._densities.log_normaliser + np.log(self.priors_)
        if winners:
            codes = np.empty(place.shape[0], np.int32)
            fill(place, LogDensities(self._densities.distances(), offset, winners=codes))
            return codes
        joint = self._log_densities(place, offset)
        return joint if joint.shape[1] > 2 else joint[:, 1:] - joint[:, :1]

    def _log_densities(self, place: Place, offset: Floats) -> Floats:
        out = np.empty((place.shape[0], len(offset)))
        fill(place, LogDensities(self._densities.distances(), offset, out=out))
        return out

    def log_density(self, X: Any, by_class: bool = False) -> Floats:
        """log p(x) of the whole model (n,), or with `by_class` log p(x | C_k) of every class (n, K)."""
        self._require_fitted()
        densities = self._densities
        if isinstance(densities, SharedDensities) and not densities.exists:
            raise DegenerateError(f"The rows have no density with covariance='shared': within classes they spread in "
                                  f"{densities.rank} of {len(densities.unit)} directions only. Use shrinkage > 0.")
        log_prior = 0.0 if by_class else np.log(self.priors_)
        logs = self._log_densities(door.rows_to_score(self, X), densities.log_normaliser + log_prior)
        return logs if by_class else np.asarray(logsumexp(logs, axis=1))

    def sample(self, n: int, random_state: RandomState = None, *, label: Any = None) -> tuple[Floats, NDArray[Any]]:
        """Draw `n` rows and their labels from the model: X (n, d) and y (n,), in random order.

        With `label` all rows are of that class.
        """
        self._require_fitted()
        owner, names = f"{type(self).__name__}.sample", self.classes_.tolist()
        parameters.check(owner, {"n": [Integer(1)]}, {"n": n})
        if label is not None and label not in names:
            raise ParameterError(f"{owner}: label must be one of {', '.join(map(repr, names[:10]))}; got {label!r}.")
        random = generator(owner, random_state)
        if label is None:
            codes = random.choice(len(names), size=n, p=self.priors_).astype(np.int32)
        else:
            codes = np.full(n, names.index(label), np.int32)
        noise = random.standard_normal((n, self.means_.shape[1]))
        return self._densities.rows(noise, codes), np.asarray(self.classes_[codes])
