"""The shipped table."""

import csv

import numpy as np

from discriminant import datasets


def test_the_whole_table_is_there_with_its_licence():
    path = datasets.penguins_path()
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 344
    assert list(rows[0]) == ["species", "island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm",
                             "body_mass_g", "sex", "year"]
    assert sum(row["sex"] == "NA" for row in rows) == 11
    licence = path.with_name("penguins.LICENSE.md").read_text(encoding="utf-8")
    assert all(word in licence for word in ("CC0 1.0", "Gorman", "Horst", "Palmer Station"))


def test_measurements_species_and_names():
    X, y, names = datasets.penguins()
    assert X.shape == (342, 4)
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    labels, counts = np.unique(y, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == {"Adelie": 151, "Chinstrap": 68, "Gentoo": 123}
    assert names == ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
    assert X[0].tolist() == [39.1, 18.7, 181.0, 3750.0]


def test_means_of_the_species_are_the_published_ones():
    table = datasets.penguins()
    means = {str(label): table.X[table.y == label].mean(axis=0).round(1).tolist() for label in np.unique(table.y)}
    assert means == {"Adelie": [38.8, 18.3, 190.0, 3700.7], "Chinstrap": [48.8, 18.4, 195.8, 3733.1],
                     "Gentoo": [47.5, 15.0, 217.2, 5076.0]}
