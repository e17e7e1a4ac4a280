"""Compare the learners on the Palmer penguins: three species by four measurements, in ten folds."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_validate

import discriminant as dc

CONTESTANTS: dict[str, Any] = {
    "always the largest class": DummyClassifier(),
    "Fisher": dc.FisherDiscriminant(),
    "Fisher, shrinkage by leave-one-out": dc.FisherDiscriminant(shrinkage="loo"),
    "Gaussian, one covariance a class": dc.GaussianDiscriminant(covariance="full"),
    "Gaussian, independent columns": dc.GaussianDiscriminant(covariance="diagonal"),
    "least squares": dc.LeastSquaresClassifier(),
    "least squares, ridge by leave-one-out": dc.LeastSquaresClassifier(alpha="loo"),
}


def row(learner: Any, X: Any, y: Any) -> list[str]:
    """Accuracy over the folds with its standard error, log loss where there are probabilities, time of one fit."""
    has_probabilities = hasattr(learner, "predict_proba")
    scoring = ["accuracy", "neg_log_loss"] if has_probabilities else ["accuracy"]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    found = cross_validate(learner, X, y, cv=folds, scoring=scoring)
    accuracy = found["test_accuracy"]
    loss = f"{-found['test_neg_log_loss'].mean():.3f}" if has_probabilities else "-"
    started = perf_counter()
    learner.fit(X, y)
    milliseconds = 1e3 * (perf_counter() - started)
    spread = accuracy.std(ddof=1) / np.sqrt(len(accuracy))
    return [f"{accuracy.mean():.3f} ± {spread:.3f}", loss, f"{milliseconds:.1f}"]


def main() -> None:
    X, y, names = dc.datasets.penguins()
    table = Table(title=f"{len(X)} penguins, {len(set(y))} species, {len(names)} measurements")
    table.add_column("learner")
    for heading in ("accuracy", "log loss", "fit, ms"):
        table.add_column(heading, justify="right")
    for name, learner in CONTESTANTS.items():
        table.add_row(name, *row(learner, X, y))
    console = Console(width=100)
    console.print(table)
    console.print("Accuracy and log loss are means over ten held-out folds; ± is the standard error of the mean.")


if __name__ == "__main__":
    main()
