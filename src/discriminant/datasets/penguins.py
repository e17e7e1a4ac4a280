"""The Palmer penguins: a small real table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MEASUREMENTS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")


class Penguins(NamedTuple):
    """Measurements `X` (n, 4), species `y` (n,), and the names of the columns of X."""

    X: NDArray[np.float64]
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]


def penguins_path() -> Path:
    """Path of the whole table as CSV: 344 rows, 8 columns, with missing cells written NA.

    Examples
    --------
    >>> from discriminant import datasets
    >>> with open(datasets.penguins_path()) as file:
    ...     file.readline().rstrip()
    'species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year'
    """
    return Path(__file__).parent / "tables" / "penguins.csv"


def penguins() -> Penguins:
    """Four measurements of 342 penguins of three species, Adelie, Chinstrap and Gentoo.

    Two of the 344 rows have no measurements and are left out here; `penguins_path` leads to the table as it is.

    Returns
    -------
    Penguins
        A named tuple `X, y, feature_names`.

    References
    ----------
    Horst, Hill and Gorman (2020), palmerpenguins: Palmer Archipelago (Antarctica) penguin data.

    Gorman, Williams and Fraser (2014), Ecological sexual dimorphism and environmental variability within a community
    of Antarctic penguins (genus Pygoscelis), PLoS ONE 9(3): e90081.

    Examples
    --------
    >>> from discriminant import datasets
    >>> X, y, feature_names = datasets.penguins()
    >>> X.shape, sorted(set(y.tolist())), feature_names[0]
    ((342, 4), ['Adelie', 'Chinstrap', 'Gentoo'], 'bill_length_mm')
    """
    with open(penguins_path(), newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if all(row[name] != "NA" for name in MEASUREMENTS)]
    X = np.array([[float(row[name]) for name in MEASUREMENTS] for row in rows])
    return Penguins(X, np.array([row["species"] for row in rows]), MEASUREMENTS)
