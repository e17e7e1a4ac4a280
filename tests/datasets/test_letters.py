"""Images of characters."""

import string
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from discriminant import datasets

needs_matplotlib = pytest.mark.skipif(find_spec("matplotlib") is None,
                                      reason="matplotlib, whose font letters draws with, is not installed")


def clean(which, n=None, **more):
    X, y = datasets.letters(which, n or len(which), **{"noise": 0.0, "shift": 0, "random_state": 0, **more})
    return {str(label): image for label, image in zip(y, X.reshape(-1, 20, 20), strict=True)}


@needs_matplotlib
def test_shapes_types_and_even_labels():
    X, y = datasets.letters(n=101, random_state=0)
    assert X.shape == (101, 400)
    assert X.dtype == np.float32
    assert X.flags.c_contiguous
    assert X.min() >= 0
    assert X.max() <= 1
    labels, counts = np.unique(y, return_counts=True)
    assert labels.tolist() == ["a", "b"]
    assert sorted(counts) == [50, 51]


@needs_matplotlib
def test_ink_is_centred_and_has_smooth_edges():
    for label, image in clean(string.ascii_letters).items():
        for occupied in (image.any(axis=1), image.any(axis=0)):
            before, after = np.argmax(occupied), np.argmax(occupied[::-1])
            assert abs(before - after) <= 1, label
            assert min(before, after) >= 1, label
        assert ((image > 0) & (image < 1)).sum() > 5, label
        assert image.max() > 0.7, label  # a thin stem may fall half on one pixel, half on the next


@needs_matplotlib
def test_letters_have_their_features():
    images = clean("abioqpd")
    rows = {label: image.sum(axis=1) for label, image in images.items()}
    columns = {label: image.sum(axis=0) for label, image in images.items()}
    assert np.count_nonzero(rows["b"]) > np.count_nonzero(rows["a"])     # an ascender
    inked = np.flatnonzero(rows["i"])
    assert np.count_nonzero(rows["i"]) < inked[-1] - inked[0] + 1        # the gap under the dot
    assert images["o"][9:11, 9:11].max() == 0                            # a hole
    assert np.argmax(columns["b"]) < 10 < np.argmax(columns["d"])        # the stem, left or right
    np.testing.assert_allclose(images["b"], images["q"][::-1, ::-1], atol=0.2)
    np.testing.assert_allclose(images["o"], images["o"][::-1], atol=0.2)


@needs_matplotlib
def test_all_characters_differ():
    images = list(clean(string.ascii_lowercase).values())
    assert len(images) == 26
    for i, image in enumerate(images):
        assert all(np.abs(image - other).sum() > 1 for other in images[:i])


@needs_matplotlib
def test_shift_moves_the_whole_letter_and_reaches_every_place():
    original = clean("a")["a"]
    X, _ = datasets.letters("a", 500, noise=0.0, shift=2, random_state=0)
    places = {np.roll(original, (down, right), axis=(0, 1)).tobytes()
              for down in range(-2, 3) for right in range(-2, 3)}
    assert {image.tobytes() for image in X} == places


@needs_matplotlib
def test_noise_has_the_standard_deviation_before_clipping():
    X, _ = datasets.letters("a", 2000, noise=0.2, shift=0, random_state=0)
    original = clean("a")["a"].ravel()
    blank = X[:, original == 0]
    assert np.sqrt((blank**2).mean() * 2) == pytest.approx(0.2, rel=0.02)  # half of the noise is clipped at paper
    assert (blank == 0).mean() == pytest.approx(0.5, abs=0.01)


@needs_matplotlib
def test_a_shift_larger_than_the_image_is_allowed():
    X, _ = datasets.letters("ab", 200, noise=0.0, shift=25, random_state=0)
    assert X.shape == (200, 400)
    assert (X.sum(axis=1) == 0).any()
    assert (X.sum(axis=1) > 0).any()


@needs_matplotlib
@pytest.mark.parametrize(("given", "named"), [
    ({"which": ""}, "which must be a string of characters, each of them once; got ''"),
    ({"which": "aba"}, "which must be a string of characters, each of them once; got 'aba'"),
    ({"which": 7}, "which must be a string of characters, each of them once; got 7"),
    ({"which": "a "}, "which must be characters that DejaVu Sans can draw on 20 x 20 pixels; got ' '"),
    ({"which": "\u4e2d"}, "which must be characters that DejaVu Sans can draw"),
    ({"n": 1}, "n must be a whole number >= 2; got 1"),
    ({"noise": -0.1}, "noise must be a finite number >= 0; got -0.1"),
    ({"shift": 0.5}, "shift must be a whole number >= 0; got 0.5"),
])
def test_bad_arguments_are_named(given, named):
    with pytest.raises(ValueError, match=f"letters: {named}"):
        datasets.letters(**{"which": "ab", "n": 4, **given})


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.ft2font", None)
    with pytest.raises(ImportError, match=r"pip install discriminant\[plot\]"):
        datasets.letters("ab", 4)
