"""A perceptron that reads 'a' and 'b': two of its 10,000 images, the weights it learned, and how it learned them.

Where a pixel's weight is positive, ink there speaks for 'b'; where it is negative, for 'a'.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import discriminant as dc

EPOCHS = 30


def main() -> None:
    X, y = dc.datasets.letters("ab", 12_000, noise=0.3, random_state=0)
    X, y, unseen, truth = X[:10_000], y[:10_000], X[10_000:], y[10_000:]
    model = dc.Perceptron(keep="average", max_epochs=EPOCHS).fit(X, y)
    steps = dc.Perceptron(keep="average", order="shuffle", random_state=0)
    mistakes, scores = [], []
    for _ in range(EPOCHS):
        before = steps.n_mistakes_ if mistakes else 0
        steps.partial_fit(X, y, classes=["a", "b"])
        mistakes.append(steps.n_mistakes_ - before)
        scores.append(steps.score(unseen, truth))
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
    for panel, letter in zip(axes[:2], "ab", strict=True):
        panel.imshow(X[np.flatnonzero(y == letter)[0]].reshape(20, 20), cmap="gray_r")
        panel.set(title=f"an image of '{letter}'", xticks=[], yticks=[])
    weights = model.coef_[0].reshape(20, 20)
    largest = np.abs(weights).max()
    shown = axes[2].imshow(weights, cmap="RdBu_r", vmin=-largest, vmax=largest)
    axes[2].set(title=f"weights, averaged over {model.n_epochs_} epochs\n{100 * model.score(unseen, truth):.1f} % of "
                      f"{len(unseen)} unseen images right", xticks=[], yticks=[])
    figure.colorbar(shown, ax=axes[2], label="for 'a'          for 'b'")
    axes[3].plot(range(1, EPOCHS + 1), mistakes, color="#d55e00", label="mistakes in the epoch")
    axes[3].set(xlabel="epoch, in a new order each", ylabel="mistakes", title="learning")
    axes[3].set_yscale("symlog", linthresh=1)
    right = axes[3].twinx()
    right.plot(range(1, EPOCHS + 1), 100 * np.array(scores), color="#0072b2", label="unseen images right")
    right.set(ylabel="% right", ylim=(99, 100))
    axes[3].legend(handles=[*axes[3].get_lines(), *right.get_lines()], loc="upper right", fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
