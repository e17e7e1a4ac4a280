"""What a fitted model says about rows, by every method it has, and whether two models say the same."""

from contextlib import suppress

import numpy as np

from discriminant.errors import DegenerateError

METHODS = ("decision_function", "predict_log_proba", "predict_proba", "log_density", "transform", "predict")


def answers(model, X):
    """{method: array}, for the methods that this model has; rows without a density have no `log_density`."""
    out = {}
    for name in METHODS:
        if hasattr(model, name):
            with suppress(DegenerateError):
                out[name] = np.asarray(getattr(model, name)(X))
    return out


def assert_same_answers(found, wanted, *, rtol, case=""):
    """Arrays agree relative to the largest entry of each row; labels agree wherever the scores are not a tie."""
    assert found.keys() == wanted.keys(), f"{case}: methods {sorted(found)} against {sorted(wanted)}"
    for name in wanted:
        if name != "predict":
            assert_close(found[name], wanted[name], rtol=rtol, case=f"{case}: {name}")
    unlike = found["predict"] != wanted["predict"]
    if unlike.any():
        clear = ~is_tie(wanted["decision_function"], rtol)
        assert not (unlike & clear).any(), (
            f"{case}: predict differs in row {np.flatnonzero(unlike & clear)[0]}, which is not a tie")


def assert_close(found, wanted, *, rtol, case=""):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape, f"{case}: shape {found.shape} against {wanted.shape}"
    both_infinite = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    if both_infinite.all():
        return
    wide = wanted[:, None] if wanted.ndim == 1 else wanted
    finite = np.where(np.isfinite(wide), np.abs(wide), 0.0)
    scale = np.maximum(finite.max(axis=-1, keepdims=True), np.median(finite.max(axis=-1)))
    scale = scale[:, 0] if wanted.ndim == 1 else scale
    with np.errstate(invalid="ignore"):
        wrong = ~(both_infinite | (np.abs(found - wanted) <= rtol * scale))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        worst = np.max(np.where(wrong, np.abs(found - wanted) / np.where(scale > 0, scale, 1.0), 0.0))
        raise AssertionError(f"{case}: {int(wrong.sum())} of {wrong.size} entries differ, first at {at}: "
                             f"{found[at]!r} against {wanted[at]!r}; largest relative difference {worst:.2g}, "
                             f"allowed {rtol:.2g}")


def is_tie(scores, rtol):
    """Rows whose two best scores are equal to rounding."""
    if scores.ndim == 1:
        return np.abs(scores) <= rtol * max(np.abs(scores).max(), 1e-300)
    best = np.sort(scores, axis=1)
    return best[:, -1] - best[:, -2] <= rtol * np.abs(best).max()
