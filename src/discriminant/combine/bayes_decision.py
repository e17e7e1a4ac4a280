"""The decision stage: given posteriors, what to decide when mistakes differ in price, and when not to decide at all."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from discriminant.combine.reject_label import LabelGiven, joined, label_of_rejected
from discriminant.errors import ParameterError
from discriminant.learners.linear import Learner, all_or_nothing
from discriminant.parameters import Allowed, OneOf, Real
from discriminant.parameters import ArrayLike as Array
from discriminant.result import Result, Status

Floats = NDArray[np.float64]


class ClassifierGiven(Allowed):
    """A classifier that can be fitted. Whether it has posteriors is asked in `fit`, with an error of its own."""

    def accepts(self, value: Any) -> bool:
        return not isinstance(value, type) and hasattr(value, "fit") and is_classifier(value)

    def __str__(self) -> str:
        return "a classifier with predict_proba, of this library or scikit-learn's"


class BayesDecision(Learner):
    """Decide so that the expected loss under the posteriors of a classifier is least, or reject.

    With posteriors p(C_i | x) and the loss L_ij of deciding j where i is true, class j costs sum_i L_ij p(C_i | x) in
    expectation. The cheapest class is decided, the first of several; where even that costs more than `reject`, none.

    Parameters
    ----------
    estimator : classifier with predict_proba
        Gives the posteriors. It is cloned, so that it stays as it is.
    loss : array of shape (K, K) or None
        `loss[i, j]` is the loss of deciding class j when class i is true, in the order of `classes_`. None: 1 for every
        mistake and 0 for what is right, so that the expected loss is the chance of a mistake.
    reject : number >= 0 or None
        The loss of rejecting a row: rows whose least expected loss exceeds it get `reject_label`. Without `loss` these
        are the rows with 1 - max_k p(C_k | x) > reject. None: never.
    reject_label : label or None
        What `predict` returns for rejected rows. None: "reject" where the classes are strings (or other objects), -1
        where they are numbers or booleans (0 where -1 is a class), NaT where they are dates. It must not be one of the
        classes. The predictions are of the smallest type that holds the classes and this label, whether or not a row is
        rejected: booleans become integers, short strings longer ones; strings and numbers together become objects.

    Attributes
    ----------
    estimator_ : the fitted clone.
    classes_ : its classes.
    loss_ : the loss matrix (K, K) in force.
    reject_label_ : the label of rejected rows, or None where none are.
    result_ : status and seconds.

    Notes
    -----
    `score` is the share of rows with the right label, so a rejected row counts as one that is not right.

    Examples
    --------
    A cancer that is missed costs a thousand times what a false alarm costs:

    >>> import discriminant as dc
    >>> from discriminant import BayesDecision
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["healthy", "healthy", "ill", "healthy", "ill", "ill"]
    >>> gaussian = dc.GaussianDiscriminant()
    >>> gaussian.fit(X, y).predict([[1.0], [4.0]]).tolist()
    ['healthy', 'ill']
    >>> dear = BayesDecision(gaussian, loss=[[0, 1], [1000, 0]]).fit(X, y)
    >>> dear.predict([[1.0], [4.0]]).tolist()
    ['ill', 'ill']
    >>> careful = BayesDecision(gaussian, reject=0.2).fit(X, y)
    >>> careful.predict([[0.0], [2.6], [5.0]]).tolist()
    ['healthy', 'reject', 'ill']
    """

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {
        "estimator": [ClassifierGiven()],
        "loss": [OneOf(None), Array("an array of shape (K, K) of finite numbers")],
        "reject": [OneOf(None), Real(0, None)],
        "reject_label": [OneOf(None), LabelGiven()],
    }

    def __init__(self, estimator: Any, *, loss: ArrayLike | None = None, reject: float | None = None,
                 reject_label: Any = None) -> None:
        self.estimator = estimator
        self.loss = loss
        self.reject = reject
        self.reject_label = reject_label

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit a clone of the estimator on X and y; all else is handed on to its `fit`.

        With scikit-learn's metadata routing enabled, what is handed on is what the estimator requests.
        """
        self._check_parameters()
        self._require_posteriors()
        started = perf_counter()
        given = fit_params if sample_weight is None else {"sample_weight": sample_weight, **fit_params}
        self.estimator_ = clone(self.estimator).fit(X, y, **self._routed(given))
        classes = np.asarray(self.estimator_.classes_)
        self.loss_ = _loss_matrix(self.loss, classes)
        self.reject_label_ = None if self.reject is None else label_of_rejected(self.reject_label, classes)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        self.classes_ = classes
        self.result_ = Result(self.loss_, Status.CONVERGED, {"seconds": perf_counter() - started})
        return self

    def _require_posteriors(self) -> None:
        if not hasattr(self.estimator, "predict_proba"):
            name = type(self.estimator).__name__
            raise ParameterError(f"BayesDecision: estimator must have predict_proba, and {name} has none. Wrap it: "
                                 f"sklearn.calibration.CalibratedClassifierCV({name}(...)) makes posteriors of scores.")

    def _routed(self, given: dict[str, Any]) -> dict[str, Any]:
        """What of `given` the estimator's `fit` is to get."""
        if not given:
            return {}
        if not get_config()["enable_metadata_routing"]:
            if "sample_weight" in given and not has_fit_parameter(self.estimator, "sample_weight"):
                raise ParameterError(f"BayesDecision: {type(self.estimator).__name__}.fit takes no sample_weight. "
                                     "Leave it out, or, for a pipeline, give it by the name of the step "
                                     "(step__sample_weight) or by metadata routing.")
            return given
        return dict(process_routing(self, "fit", **given)["estimator"]["fit"])

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata goes where, as scikit-learn's routing asks."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=mapping)

    def predict_proba(self, X: Any) -> Floats:
        """The posteriors (n, K), as the estimator gives them."""
        self._require_fitted()
        return np.asarray(self.estimator_.predict_proba(X))

    def expected_loss(self, X: Any) -> Floats:
        """The expected loss (n, K) of deciding each class: sum_i p(C_i | x) L_ij."""
        return np.asarray(self._losses(self.predict_proba(X)))

    def _losses(self, P: Floats) -> Floats:
        return 1.0 - P if self.loss is None else np.asarray(P @ self.loss_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of least expected loss of every row, or `reject_label_` where that exceeds `reject`."""
        P = self.predict_proba(X)
        losses = self._losses(P)
        # 1 - p rounds, so that near zero unequal posteriors become equal losses: without a matrix p itself is compared.
        codes = P.argmax(axis=1) if self.loss is None else losses.argmin(axis=1)
        decided = self.classes_[codes]
        if self.reject is None:
            return np.asarray(decided)
        rejected = losses[np.arange(len(losses)), codes] > self.reject
        return joined(decided, rejected, self.reject_label_, self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags


def _loss_matrix(loss: ArrayLike | None, classes: NDArray[Any]) -> Floats:
    """The matrix given, checked, or 1 for every mistake."""
    K = len(classes)
    if loss is None:
        return np.ones((K, K)) - np.eye(K)
    try:
        matrix = np.array(loss, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"BayesDecision: loss must be an array of numbers of shape ({K}, {K}), a row for each "
                             f"true class and a column for each decision; got {loss!r}.") from None
    if matrix.shape != (K, K):
        raise ParameterError(f"BayesDecision: loss must have shape ({K}, {K}), a row for each true class and a column "
                             f"for each decision, in the order of classes_ {classes.tolist()[:10]!r}; got shape "
                             f"{matrix.shape}.")
    if not np.isfinite(matrix).all():
        i, j = (int(k) for k in np.argwhere(~np.isfinite(matrix))[0])
        raise ParameterError(f"BayesDecision: loss must hold finite numbers; loss[{i}, {j}] is {matrix[i, j]}. For a "
                             "mistake never to be made give a number large beside the others.")
    return matrix
