"""The perceptron on rows of any scale, and on rows that hold little: an answer or a named error, and never a hang."""

import numpy as np
import pytest
from reliability.checks import Cases

import discriminant as dc
from discriminant import Status
from discriminant.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore:Perceptron. MAX_ITERATIONS:sklearn.exceptions.ConvergenceWarning")


def rows(n=40, d=3, classes=2, seed=0):
    return dc.datasets.overlapping(n, d, n_classes=classes, random_state=seed)


@pytest.mark.parametrize("keep", ["last", "average", "pocket"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_power_of_two_only_scales_the_weights(keep, classes, count_cases):
    """Without an intercept a run on s X is the run on X with weights times s, bit for bit."""
    cases = Cases(count_cases, "scales of columns and means")
    X, y = rows(classes=classes)
    parameters = {"keep": keep, "fit_intercept": False, "max_epochs": 20}
    plain = dc.Perceptron(**parameters).fit(X, y)
    for exponent in range(-480, 481, 24):
        with cases.case(f"Perceptron, keep={keep}, 2^{exponent}"):
            scaled = dc.Perceptron(**parameters).fit(np.ldexp(X, exponent), y)
            assert np.array_equal(scaled.coef_, np.ldexp(plain.coef_, exponent))
            assert scaled.n_mistakes_ == plain.n_mistakes_
    cases.finish(41)


def test_any_scale_is_an_answer_or_a_named_error(count_cases):
    cases = Cases(count_cases, "scales of columns and means")
    X, y = rows()
    for exponent in range(-1080, 1030, 30):
        for column in (None, 1):
            for dtype in (np.float64, np.float32):
                with cases.case(f"Perceptron, {np.dtype(dtype)}, 2^{exponent}, column {column}"):
                    scaled = X.copy()
                    with np.errstate(over="ignore", under="ignore"):
                        scaled[:, slice(None) if column is None else column] *= np.ldexp(1.0, exponent)
                        scaled = scaled.astype(dtype)
                    model, refused = dc.Perceptron(max_epochs=5), ""
                    try:
                        model.fit(scaled, y)
                    except InputError as error:
                        refused = str(error)
                    if refused:
                        assert "range of floating point" in refused or "infinity" in refused
                    else:
                        assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    cases.finish(280)


DEGENERATE = {
    "two rows": ([[0.0], [1.0]], [0, 1]),
    "all zero": (np.zeros((6, 3)), [0, 1] * 3),
    "equal rows of both classes": (np.ones((6, 2)), [0, 1] * 3),
    "a constant column": (np.column_stack([np.ones(8), np.arange(8)]), [0] * 4 + [1] * 4),
    "twice the same column": (np.repeat(np.arange(8.0)[:, None], 2, axis=1), [0] * 4 + [1] * 4),
    "more columns than rows": (np.eye(4, 20), [0, 1, 2, 3]),
    "a class for each row": (np.arange(7.0)[:, None], np.arange(7)),
    "one row of a class": (np.arange(9.0)[:, None], [0] * 8 + [1]),
    "integers": (np.arange(24).reshape(8, 3), [0, 1] * 4),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_rows_that_hold_little(name, count_cases):
    X, y = np.asarray(DEGENERATE[name][0]), np.asarray(DEGENERATE[name][1])
    cases = Cases(count_cases, "degenerate rows")
    for keep in ("last", "average", "pocket"):
        for order in ("cyclic", "shuffle", "random"):
            for stop in ("epoch", "all-right", "criterion"):
                for zero in ("undecided", "positive", "negative"):
                    with cases.case(f"{name}, {keep}, {order}, {stop}, {zero}"):
                        model = dc.Perceptron(keep=keep, order=order, stop=stop, zero=zero, max_epochs=50,
                                              random_state=0).fit(X, y)
                        assert np.isfinite(model.coef_).all()
                        if model.result_.status is Status.CONVERGED and keep == "last" and zero == "undecided":
                            assert model.score(X, y) == 1
    cases.finish(81)
