"""Fisher's direction beside the line between the means: the picture of the README.

Both histograms show the same rows, projected. The line between the means ignores how the columns vary together;
Fisher's direction weighs it.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import discriminant as dc

COLOURS = ("#0072b2", "#d55e00")


def main() -> None:
    X, y = dc.datasets.overlapping(600, 2, separation=4.0, random_state=3)
    fisher = dc.FisherDiscriminant().fit(X, y)
    means = fisher.means_
    directions = {
        "projected on the line between the means": means[1] - means[0],
        "projected on Fisher's direction": fisher.coef_[0],
    }
    figure, (plane, *histograms) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for k, colour in enumerate(COLOURS):
        plane.plot(*X[y == k].T, ".", color=colour, markersize=4, alpha=0.7, label=f"class {k}")
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    (w1, w2), b = fisher.coef_[0], fisher.intercept_[0]
    ends = np.array([low[0], high[0]])
    plane.plot(ends, -(b + w1 * ends) / w2, color="black", label="Fisher's boundary")
    plane.plot(*means.T, "--", color="grey", marker="o", label="line between the means")
    plane.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="$x_1$", ylabel="$x_2$", aspect="equal",
              title=f"{len(X)} rows, two classes")
    plane.legend(loc="best", fontsize=8)
    for axes, (title, w) in zip(histograms, directions.items(), strict=True):
        z = X @ (w / np.linalg.norm(w))
        bins = np.linspace(z.min(), z.max(), 41)
        for k, colour in enumerate(COLOURS):
            axes.hist(z[y == k], bins, color=colour, alpha=0.6)
        centre = [z[y == k].mean() for k in (0, 1)]
        wrong = min(np.mean((z > np.mean(centre)) != (y == 1)), np.mean((z > np.mean(centre)) == (y == 1)))
        axes.set(title=f"{title}\n{100 * wrong:.1f} % wrong at the midpoint", xlabel="projection", ylabel="rows")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
