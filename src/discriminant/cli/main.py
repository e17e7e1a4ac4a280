"""The command `discriminant`, as a table of its commands."""

from __future__ import annotations

import sys

import click

from discriminant.cli.trace import trace
from discriminant.versions import VERSION


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="discriminant")
def commands() -> None:
    """Linear discriminant classifiers. Data goes to stdout, talk to stderr."""


commands.add_command(trace)


def main() -> None:
    """Exit codes: 0, 1 for a failure that is named, 2 for a wrong call, 130 for an interrupt."""
    try:
        sys.exit(commands.main(prog_name="discriminant", standalone_mode=False) or 0)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except (ValueError, OSError) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
