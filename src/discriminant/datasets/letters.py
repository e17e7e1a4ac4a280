"""Images of characters, drawn from the font that matplotlib ships."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discriminant.datasets.random_state import RandomState, generator
from discriminant.errors import ParameterError
from discriminant.parameters import Integer, Real, check

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

SIDE = 20   # pixels
EM = 16     # pixels: the tallest letters then keep two rows free above and below
FINE = 8    # each pixel is the mean of FINE x FINE, so that edges are smooth and the ink is centred to 1/16 pixel


def letters(which: str = "ab", n: int = 1000, *, noise: float = 0.1, shift: int = 2,
            random_state: RandomState = None) -> tuple[NDArray[np.float32], NDArray[np.str_]]:
    """Images of characters, 20 x 20 pixels, moved about and noisy.

    Needs matplotlib, for its font DejaVu Sans: `pip install discriminant[plot]`.

    Parameters
    ----------
    which : str
        The characters, each once: `string.ascii_lowercase` for all 26.
    n : int
        Images, spread evenly over the characters.
    noise : float
        Standard deviation of normal noise on each pixel; the result is clipped to [0, 1].
    shift : int
        Each image is moved by up to this many pixels up or down and left or right. Beyond 2, large characters lose
        some of their edge.
    random_state : int, Generator, RandomState or None
        The same number gives the same data.

    Returns
    -------
    X : float32 ndarray of shape (n, 400)
        The images, rows of pixels one after the other, 0 for paper and 1 for ink.
    y : ndarray of str of shape (n,)
        The characters.

    Examples
    --------
    >>> from discriminant import datasets
    >>> X, y = datasets.letters("ab", 10, random_state=0)
    >>> X.shape, sorted(y.tolist())
    ((10, 400), ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'b'])
    >>> image = X[0].reshape(20, 20)
    """
    if not isinstance(which, str) or not which or len(set(which)) < len(which):
        raise ParameterError(f"letters: which must be a string of characters, each of them once; got {which!r}.")
    check("letters", {"n": [Integer(len(which))], "noise": [Real(0)], "shift": [Integer(0)]},
          {"n": n, "noise": noise, "shift": shift})
    rng = generator("letters", random_state)
    font = _font()
    images = np.stack([_image(font, character) for character in which])
    codes = rng.permutation(np.arange(n) % len(which))
    X = _moved(images, codes, shift, rng).reshape(n, SIDE * SIDE)
    if noise > 0:
        X += np.float32(noise) * rng.standard_normal(X.shape, dtype=np.float32)
    return X.clip(0, 1, out=X), np.array(list(which))[codes]


def _font() -> FT2Font:
    """DejaVu Sans in a size in which an em has EM * FINE fine pixels."""
    try:
        from matplotlib import get_data_path
        from matplotlib.ft2font import FT2Font
    except ImportError as error:
        raise ImportError("letters draws with the font that matplotlib ships, and matplotlib is missing: "
                          "pip install discriminant[plot]") from error
    font = FT2Font(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf")
    font.set_size(EM * FINE, 72)  # 72 dots per inch: a point is a dot
    return font


def _image(font: FT2Font, character: str) -> NDArray[np.float32]:
    """One character, its ink in the centre, shape (SIDE, SIDE), from 0 to 1."""
    ink = np.zeros((0, 0))
    if font.get_char_index(ord(character)):
        font.set_text(character, 0.0)
        font.draw_glyphs_to_bitmap(antialiased=True)
        ink = _cropped(np.asarray(font.get_image()) / 255)
    full = SIDE * FINE
    if ink.size == 0 or max(ink.shape) > full:
        raise ParameterError(f"letters: which must be characters that DejaVu Sans can draw on {SIDE} x {SIDE} pixels; "
                             f"got {character!r}.")
    top, left = (full - ink.shape[0]) // 2, (full - ink.shape[1]) // 2
    fine = np.zeros((full, full), dtype=np.float32)
    fine[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    image: NDArray[np.float32] = fine.reshape(SIDE, FINE, SIDE, FINE).mean(axis=(1, 3))
    return image


def _cropped(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smallest rectangle that holds all ink; empty when there is none."""
    down, right = np.nonzero(drawn)
    if down.size == 0:
        return np.zeros((0, 0))
    return drawn[down.min() : down.max() + 1, right.min() : right.max() + 1]


def _moved(images: NDArray[np.float32], codes: NDArray[np.int64], shift: int,
           rng: np.random.Generator) -> NDArray[np.float32]:
    """The image of each code, cut out of its padded original at a random place, shape (n, SIDE, SIDE)."""
    padded = np.pad(images, ((0, 0), (shift, shift), (shift, shift)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE), axis=(1, 2))
    down, right = rng.integers(0, 2 * shift, size=(2, len(codes)), endpoint=True)
    moved: NDArray[np.float32] = windows[codes, down, right]
    return moved
