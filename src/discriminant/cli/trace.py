"""`discriminant trace`: a perceptron's run as the lecture's table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import narwhals as nw

from discriminant.datasets.gate import TRUTH, gate
from discriminant.errors import InputError
from discriminant.learners.perceptron import Perceptron


@click.command()
@click.argument("table", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--target", "-t", metavar="COL", help="The column of TABLE that holds the labels.")
@click.option("--gate", "gate_name", type=click.Choice(list(TRUTH)), help="A gate's truth table in place of TABLE.")
@click.option("--coding", type=click.Choice(["binary", "bipolar"]), default="binary", help="Of the gate's inputs.")
@click.option("--theta", type=float, default=0.0, help="The dead zone.", show_default=True)
@click.option("--rate", type=float, default=1.0, help="The learning rate.", show_default=True)
@click.option("--zero", type=click.Choice(["undecided", "positive", "negative"]), default="undecided",
              help="What a net of zero is.", show_default=True)
@click.option("--order", type=click.Choice(["cyclic", "shuffle", "random"]), default="cyclic", show_default=True)
@click.option("--seed", type=int, default=0, help="For shuffled and random orders.", show_default=True)
@click.option("--stop", type=click.Choice(["epoch", "all-right"]), default="epoch", show_default=True)
@click.option("--max-epochs", type=int, default=100, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="A JSON object for each presentation, one a line.")
def trace(table: str | None, target: str | None, gate_name: str | None, coding: Any, theta: float, rate: float,
          zero: str, order: str, seed: int, stop: str, max_epochs: int, as_json: bool) -> None:
    """Every presentation of a perceptron's run: inputs, net, output, target, weights.

    \b
    discriminant trace --gate and --theta 0.2
    discriminant trace table.csv -t label --json
    """
    if (table is None) == (gate_name is None):
        raise click.UsageError("Give a TABLE with --target, or --gate.")
    if gate_name is not None:
        X, y = gate(gate_name, coding)
    else:
        X, y = _read(str(table), target)
    model = Perceptron(threshold=theta, learning_rate=rate, zero=zero, order=order, random_state=seed, stop=stop,
                       max_epochs=max_epochs, trace=True, keep="last")
    model.fit(X, y)
    if as_json:
        for row in model.trace_:
            click.echo(json.dumps(row))
    else:
        for line in model.trace_.lines():
            click.echo(line)
    click.echo(model.summary(), err=True)


def _read(path: str, target: str | None) -> tuple[Any, Any]:
    """The numbers of a CSV file, and its label column."""
    if target is None:
        raise click.UsageError("Say with --target which column holds the labels.")
    if Path(path).suffix != ".csv":
        raise click.UsageError(f"{path} is not a CSV file.")
    try:
        frame = nw.read_csv(path, backend="pandas")
    except ModuleNotFoundError:
        raise InputError("Reading a table takes pandas: pip install 'discriminant[table]'.") from None
    if target not in frame.columns:
        raise InputError(f"{path} has no column {target!r}; its columns are {', '.join(frame.columns)}.")
    return frame.drop(target).to_native(), frame[target].to_native()
