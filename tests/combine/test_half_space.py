"""Half-spaces stay clear of rounding, and turn into units that say the same."""

import numpy as np
import pytest

from discriminant.combine.decision_list import layers_of
from discriminant.combine.half_space import Rows


@pytest.mark.parametrize("above", [0, 1])
def test_a_half_space_as_a_unit_where_no_number_lies_between(above):
    """The threshold is one of the two rows, whichever class lies above it."""
    X, codes = np.array([[1.0], [np.nextafter(1.0, 2.0)]]), np.array([1 - above, above], np.int32)
    found = Rows(X, codes).cut(np.array([1.0]), above, np.ones(2, bool))
    (unit,) = layers_of([found], last=1 - above, classes=2, inputs=1)
    np.testing.assert_array_equal(unit.outputs(X)[:, 0], codes)


def test_the_threshold_keeps_clear_of_rows_that_no_longer_count():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [5.0, 0.0], [0.9, 0.1]])
    codes, remaining = np.array([0, 1, 1, 0], np.int32), np.array([True, True, True, False])
    found = Rows(X, codes).cut(np.array([1.0, 1.0]), 1, remaining)
    assert found.cut.tolist() == [False, True, True, False]
    assert found.threshold == pytest.approx(2.5)  # in the middle of the wider gap, from 1 to 4
    assert Rows(X, codes).cut(np.array([1.0, 1.0]), 0, remaining) is None


def test_rows_within_rounding_are_not_cut_apart():
    X = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.0, 0.0, 0.0]])
    rows, everything = Rows(X, np.array([1, 0, 0], np.int32)), np.ones(3, bool)
    assert sum(X[0]) > sum(X[1])  # in floating point; their sums are the same
    assert rows.cut(np.ones(3), 1, everything) is None
    assert rows.cut(-np.ones(3), 1, everything) is None
    assert rows.cut(np.array([-1.0, 0.0, 1.0]), 1, everything).cut.tolist() == [True, False, False]
