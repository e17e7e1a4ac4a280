"""What all random data sets keep, and what importing the room loads."""

import subprocess
import sys

import numpy as np
import pytest

from discriminant import datasets

MAKERS = {
    "separable": lambda seed: datasets.separable(40, 3, 0.5, n_classes=3, random_state=seed),
    "overlapping": lambda seed: datasets.overlapping(40, 3, random_state=seed),
    "outliers": lambda seed: datasets.outliers(40, 3, random_state=seed),
    "letters": lambda seed: datasets.letters("xyz", 40, random_state=seed),
}


@pytest.fixture(params=MAKERS)
def make(request):
    if request.param == "letters":
        pytest.importorskip("matplotlib", reason="matplotlib, whose font letters draws with, is not installed")
    return MAKERS[request.param]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_the_same_number_gives_the_same_data_and_another_number_other_data(make):
    assert same(make(7), make(7))
    assert not same(make(7), make(8))
    assert not same(make(None), make(None))


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
def test_a_generator_gives_the_same_data_from_the_same_state_and_moves_on(make, source):
    one, other = source(3), source(3)
    first = make(one)
    assert same(first, make(other))
    assert not same(first, make(one))


def test_a_number_and_a_generator_seeded_with_it_give_the_same_data(make):
    assert same(make(5), make(np.random.default_rng(5)))
    assert same(make(5), make(np.int64(5)))


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", True])
def test_a_bad_random_state_is_named(make, bad):
    with pytest.raises(ValueError, match=f"random_state must be a whole number >= 0, .*; got {bad!r}"):
        make(bad)


def test_numpys_global_state_is_left_alone(make):
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - that state is the point
    make(0)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_public_names_are_all_there_and_importing_them_loads_no_matplotlib():
    assert all(callable(getattr(datasets, name)) for name in datasets.__all__)
    code = "import sys, discriminant.datasets; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
