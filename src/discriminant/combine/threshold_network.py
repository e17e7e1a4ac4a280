"""Networks of threshold units: of a truth table, or built unit by unit until no mistake is left."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discriminant import door
from discriminant.combine.decision_list import constant, layers_of
from discriminant.combine.distinct_rows import as_floats, distinct, nearest_of_two_classes, refuse_sparse
from discriminant.combine.half_space import Rows
from discriminant.combine.sequential import TooNear, classes_left, construct
from discriminant.combine.threshold_layer import Layer, explained
from discriminant.combine.truth_table import both_outputs, inputs_and_outputs, refuse_other_cells
from discriminant.datasets.gate import Coding
from discriminant.datasets.random_state import RandomState, generator
from discriminant.learners.linear import Learner, all_or_nothing, learning
from discriminant.parameters import Allowed, Integer, OneOf
from discriminant.places.place import Place
from discriminant.result import Result, Status
from discriminant.solvers.measure import refuse_not_finite

Floats = NDArray[np.float64]

_PIECE_CELLS = 1 << 20  # of outputs of a layer at a time, in prediction


class ThresholdNetwork(Learner):
    """Threshold units in layers: as many as it takes to leave no mistake on rows that are consistent.

    A unit gives 1 where w'x + b > 0, else 0. The first layer looks at the columns of X, each other layer at the one
    before it, and the last gives the class: one unit for two classes (1 is `classes_[1]`), else one for each class, of
    which the largest net takes the row.

    `fit` cuts off rows of one class by a half-space, sets them aside, and goes on until rows of one class are left
    (sequential construction: Marchand, Golea and Rujan 1990). This ends with no mistake for any distinct rows, with
    fewer units than rows, and in practice with far fewer. `from_truth_table` makes networks of Boolean functions.

    Parameters
    ----------
    max_units : int or None
        The most units in the first layer when it is hidden. Where they do not suffice, the rest of the rows gets its
        most frequent class, and a `ConvergenceWarning` counts the mistakes. None: as many as it takes.
    random_state : int, Generator, RandomState or None
        Of the directions from which the search for half-spaces starts. The same seed makes the same network.

    Attributes
    ----------
    layers_ : list of layers, each with `weights` (units, inputs) and `bias` (units,).
    classes_ : the labels, sorted.
    result_ : status, and in `stats` the mistakes on the training rows, hidden_units, layers and seconds.

    Notes
    -----
    Training rows come out as they should whatever the order of the arithmetic: thresholds keep clear of rounding
    errors. Where rows of different labels differ by no more than those, in such a way that no half-space tells them
    apart, the error names two of them. The learner memorises every row; on noisy rows it does not generalise well.

    Examples
    --------
    >>> from discriminant import ThresholdNetwork
    >>> print(ThresholdNetwork.from_truth_table("xor").explain())
    h1 = [x1 + x2 > 0.5]
    h2 = [x1 + x2 > 1.5]
    output = [h1 - h2 > 0.5]
    class 1 where output = 1, else -1
    >>> X, y = [[0.0, 0.2], [1.0, 1.1], [0.9, 0.0], [0.1, 1.0], [0.5, 0.5]], ["a", "a", "b", "b", "c"]
    >>> ThresholdNetwork(random_state=0).fit(X, y).predict(X).tolist()
    ['a', 'a', 'b', 'b', 'c']
    """

    parameters: ClassVar[Mapping[str, list[Allowed]]] = {"max_units": [OneOf(None), Integer(1)]}

    layers_: list[Layer]

    def __init__(self, *, max_units: int | None = None, random_state: RandomState = None) -> None:
        self.max_units = max_units
        self.random_state = random_state

    @classmethod
    def from_truth_table(cls, table: Any, outputs: Any = None, *, coding: Coding = "binary",
                         targets: Coding = "bipolar") -> Self:
        """The network of a Boolean function: one unit where one suffices, else few hidden ones.

        Weights are small whole numbers, or nearly always so beyond eight inputs.

        Parameters
        ----------
        table : str, sequence or array (n, m)
            The name of a gate ("and", "or", "nand", "nor", "xor", "xnor", "not"): the table of
            `datasets.gate(table, coding, targets=targets)`. Or the outputs for all 2^m inputs, in the order of those
            tables: from (1, ..., 1) down to (0, ..., 0), the last input changing fastest. Or, with `outputs`, the
            inputs themselves, in any order; those left out are free.
        outputs : sequence (n,)
            The outputs for the inputs in `table`: two labels.
        coding : {"binary", "bipolar"}
            Inputs are 0 and 1, or -1 and 1. Inputs that are given are taken as they are.
        targets : {"binary", "bipolar"}
            Outputs of a gate given by name are 0 and 1, or -1 and 1.

        Examples
        --------
        >>> from discriminant import ThresholdNetwork
        >>> majority = ThresholdNetwork.from_truth_table([1, 1, 1, 0, 1, 0, 0, 0], coding="bipolar")
        >>> majority.layers_
        [Layer(weights=[[1, 1, 1]], bias=[0])]
        >>> majority.predict([[1, -1, 1], [-1, -1, 1]]).tolist()
        [1, 0]
        """
        X, y = inputs_and_outputs(table, outputs, coding, targets)
        network = cls(random_state=0)
        started = perf_counter()
        training = door.training(network, X, y)
        cells = as_floats(training.place)
        refuse_other_cells(cells)
        classes = both_outputs(training.classes, coding)
        codes = np.searchsorted(classes, training.classes)[training.place.codes].astype(np.int32)
        place = training.place.labelled(codes, None)
        with learning(cells.shape[1]):
            network._build(place, cells, classes)
        network._note(place, started)
        return network

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Build the network from rows X (n, d) with labels y (n,). Equal rows must have equal labels."""
        self._check_parameters()
        started = perf_counter()
        refuse_sparse(X)
        training = door.training(self, X, y)
        door.refuse_one_class(training, type(self).__name__)
        with learning(training.place.shape[1]):
            self._build(training.place, as_floats(training.place), training.classes)
        self._note(training.place, started)
        self._tell()
        return self

    def _build(self, place: Place, X: Floats, classes: NDArray[Any]) -> None:
        """Set `layers_` and `classes_`."""
        K, d = len(classes), X.shape[1]
        first = distinct(X, place.codes, classes)
        codes = place.codes[first]
        if (codes == codes[0]).all():
            self.layers_ = [constant(int(codes[0]), K, d)]
        else:
            rows = Rows(X[first], codes)
            try:
                cuts, left = construct(rows, generator(type(self).__name__, self.random_state), self.max_units)
            except TooNear as error:
                raise nearest_of_two_classes(X, first[error.left], place.codes, classes) from None
            self.layers_ = layers_of(cuts, int(classes_left(rows, left).argmax()), K, d)
        self.classes_ = classes

    def _note(self, place: Place, started: float) -> None:
        """Count the mistakes on the training rows by the network itself, and set `result_`."""
        mistakes = int((self._codes(place) != place.codes).sum())
        status = Status.CONVERGED if mistakes == 0 else Status.MAX_ITERATIONS
        self.result_ = Result(self.layers_, status, {
            "mistakes": mistakes, "hidden_units": sum(len(layer.bias) for layer in self.layers_[:-1]),
            "layers": len(self.layers_), "seconds": perf_counter() - started})

    def _rows(self, X: Any) -> Place:
        self._require_fitted()
        refuse_sparse(X)
        return door.rows_to_score(self, X)

    def _nets(self, place: Place) -> Floats:
        """The nets of the last layer (n, 1 or K)."""
        first, *others = self.layers_
        out = np.empty((place.shape[0], len(self.layers_[-1].bias)))
        step = max(1, _PIECE_CELLS // max(place.shape[1], len(first.bias)))
        with learning(place.shape[1]):
            for begin in range(0, len(out), step):
                piece = np.arange(begin, min(begin + step, len(out)))
                nets = first.nets(place.take(piece).astype(np.float64, copy=False))
                if not np.isfinite(nets).all():
                    refuse_not_finite(place)
                for layer in others:
                    nets = layer.nets((nets > 0).astype(np.float64))
                out[piece] = nets
        return out

    def _codes(self, place: Place) -> NDArray[np.intp]:
        nets = self._nets(place)
        return (nets[:, 0] > 0).astype(np.intp) if nets.shape[1] == 1 else nets.argmax(axis=1)

    def decision_function(self, X: Any) -> Floats:
        """The nets of the last layer: (n, K), or for two classes one, positive for `classes_[1]` (n,)."""
        nets = self._nets(self._rows(X))
        return nets[:, 0] if nets.shape[1] == 1 else nets

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row (n,)."""
        codes = self._codes(self._rows(X))
        return np.asarray(self.classes_[codes])

    def explain(self) -> str:
        """Every unit as a rule, a line for each; "[...]" is 1 where what it holds is true, else 0."""
        self._require_fitted()
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{j + 1}" for j in range(self.n_features_in_)]
        return explained(self.layers_, list(names), self.classes_.tolist())
