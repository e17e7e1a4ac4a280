"""Data to learn on: gates, synthetic classes, images of characters, and one real table."""

from discriminant.datasets.gate import gate
from discriminant.datasets.letters import letters
from discriminant.datasets.outliers import outliers
from discriminant.datasets.overlapping import overlapping
from discriminant.datasets.penguins import Penguins, penguins, penguins_path
from discriminant.datasets.separable import separable

__all__ = ["Penguins", "gate", "letters", "outliers", "overlapping", "penguins", "penguins_path", "separable"]
