"""Every loss: its gradient and curvature are the derivatives of its value, and it is convex."""

import inspect

import numpy as np
import pytest
from contract import registry

LOSSES = registry.losses()
every_loss = pytest.mark.parametrize("cls", LOSSES, ids=lambda cls: cls.__name__)


def made(cls):
    """The loss, with a width where it takes one."""
    return cls(0.7) if "width" in inspect.signature(cls).parameters else cls()


def scores(cls, n=400):
    """Scores (n, K) and codes; corners of a loss are kept away from by more than a step of the differences."""
    rng = np.random.default_rng(0)
    many = cls.__name__ == "Softmax"
    z = 3 * rng.standard_normal((n, 4 if many else 1))
    codes = rng.integers(0, 4 if many else 2, n).astype(np.int32)
    return z[np.abs(np.abs(z) - 1).min(axis=1) > 1e-3], codes[np.abs(np.abs(z) - 1).min(axis=1) > 1e-3]


def test_there_are_losses():
    assert len(LOSSES) >= 5


@every_loss
def test_the_gradient_is_the_derivative(cls, count_cases):
    loss, (z, codes), h = made(cls), scores(cls), 1e-5
    for k in range(z.shape[1]):
        step = h * np.eye(z.shape[1])[k]
        slope = (loss.value(z + step, codes) - loss.value(z - step, codes)) / (2 * h)
        assert loss.gradient(z, codes)[:, k] == pytest.approx(slope, abs=1e-8, rel=1e-8)
        bend = (loss.gradient(z + step, codes) - loss.gradient(z - step, codes))[:, k] / (2 * h)
        assert loss.curvature(z, codes)[:, k] == pytest.approx(bend, abs=1e-7, rel=1e-7)
    count_cases("derivatives of losses", z.size)


@every_loss
def test_it_is_convex_and_not_negative(cls):
    loss, (z, codes) = made(cls), scores(cls)
    other = z[::-1]
    assert (loss.value(z, codes) >= 0).all()
    assert (loss.curvature(z, codes) >= 0).all()
    middle = loss.value((z + other) / 2, codes)
    assert (middle <= (loss.value(z, codes) + loss.value(other, codes)) / 2 + 1e-12).all()


@every_loss
def test_scores_of_any_size(cls):
    """Nothing overflows that need not: a row right by far costs nothing, one wrong by far costs its distance."""
    loss = made(cls)
    K = 4 if cls.__name__ == "Softmax" else 1
    for size in (1e2, 1e3, 1e100):
        z = np.zeros((2, K))
        z[:, -1] = size
        codes = np.array([K - 1 if K > 1 else 1, 0], np.int32)
        with np.errstate(all="raise", under="ignore"):
            right, wrong = loss.value(z, codes)
            gradient, curvature = loss.gradient(z, codes), loss.curvature(z, codes)
        assert right < 1e-20 or cls.__name__ == "Squared"
        assert wrong >= size * 0.99
        assert np.isfinite(gradient).all() and np.isfinite(curvature).all()
