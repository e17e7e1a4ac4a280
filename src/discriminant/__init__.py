"""Linear discriminant classifiers: fast, exact, visible."""

from discriminant.learners.fisher import FisherDiscriminant
from discriminant.settings import set_threads

__all__ = ["FisherDiscriminant", "set_threads"]
