"""Many separators of the same rows: every start and every order ends at another. And a dead zone between two lines."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import discriminant as dc

COLOURS = ("#0072b2", "#d55e00")


def line(axes: Axes, w: np.ndarray, b: float, **style: object) -> None:
    """Where w'x + b = 0, within the axes."""
    x = np.array(axes.get_xlim())
    axes.plot(x, -(b + w[0] * x) / w[1], **style)


def rows(axes: Axes, X: np.ndarray, y: np.ndarray) -> None:
    for k, colour in enumerate(COLOURS):
        axes.plot(*X[y == np.unique(y)[k]].T, "o", color=colour, markersize=5)
    low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="$x_1$", ylabel="$x_2$")


def main() -> None:
    X, y = dc.datasets.separable(60, 2, 0.6, random_state=4)
    figure, (starts, orders, zone) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for axes, title, settings in (
        (starts, "20 random starts", [{"init": "random", "random_state": seed} for seed in range(20)]),
        (orders, "20 random orders, from zero", [{"order": "shuffle", "random_state": seed} for seed in range(20)]),
    ):
        rows(axes, X, y)
        updates = []
        for setting in settings:
            model = dc.Perceptron(**setting).fit(X, y)
            line(axes, model.coef_[0], model.intercept_[0], color="grey", linewidth=0.8)
            updates.append(model.n_mistakes_)
        axes.set(title=f"{title}\n{min(updates)} to {max(updates)} updates")
    gate, target = dc.datasets.gate("and")
    model = dc.Perceptron(threshold=0.2).fit(gate, target)
    rows(zone, gate, target)
    w, b = model.coef_[0], model.intercept_[0]
    line(zone, w, b, color="black", linewidth=0.8, linestyle=":")
    for side in (-0.2, 0.2):
        line(zone, w, b + side, color="black", linewidth=1.0)
    zone.set(title=f"AND with a dead zone of 0.2 on either side of\n{w[0]:g} $x_1$ + {w[1]:g} $x_2$ - {-b:g} = 0, "
                   f"after {model.n_mistakes_} updates")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
