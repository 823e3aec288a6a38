"""The command that opens the program's pages in the browser of this machine."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.commands import command
from policy_sim.cli.inputs import INPUT
from policy_sim.cli.options import option
from policy_sim.words.errors import MissingPackageError

_MINUTES = 60


@command()
@click.argument("file", type=INPUT, required=False)
@option("--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@option(
    "--idle",
    type=click.IntRange(min=1, max=10_000),
    metavar="MINUTES",
    default=_MINUTES,
    help="Stop after this many minutes without use and without work going on.",
)
def app(file: Path | None, no_browser: bool, idle: int) -> None:
    """Open the program in your browser: choose a file, decide, and take the result. Nothing leaves this machine.

    FILE, if you name one, is the file of records, the table of counts or the project to begin with. The pages are
    served to this machine alone, to one browser, until you stop them.

    \b
    Examples:
      policy-sim app
      policy-sim app visits.csv
      policy-sim app release.toml --no-browser
    """
    try:
        from policy_sim.app.server import serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "anyio"):
            raise
        raise MissingPackageError("policy-sim app", error.name, "app") from error
    serve(file, browser=not no_browser, idle=60 * idle, say=lambda text: click.echo(text))
