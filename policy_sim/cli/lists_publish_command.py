"""``policy-sim lists publish``: the lists as a data set that people can cite."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import FilePath

__all__ = ["publish"]


@click.command()
@click.argument("folder", type=FilePath(file_okay=False, path_type=Path), metavar="DIR")
def publish(folder: Path) -> None:
    """Write the lists into DIR as a data set: tables, codebook, method, references and checksums.

    The tables are CSV, described by datapackage.json (Frictionless). The same lists give the same bytes. DIR is
    new, empty, or an earlier publication, which is replaced.

    \b
    Example:
      policy-sim lists publish voter-lists
    """
    from policy_sim.io.publication.publish import publish as write
    from policy_sim.io.voter_lists.state_files import described_lists

    names = write(described_lists(), folder)
    click.echo(f"Written to {folder}: {', '.join(names)}.")
