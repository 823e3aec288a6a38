"""``policy-sim reproduce``: every printed figure of a paper beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from policy_sim.cli.options import format_option, out_option

if TYPE_CHECKING:
    from policy_sim.cli.reproduced import Reproduced

__all__ = ["reproduce"]

PAPERS = ("benitez-malin-2010", "golle-2006", "dankar-2010", "dankar-2012")


@click.command()
@click.argument("paper", type=click.Choice(PAPERS), metavar="PAPER")
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE|DIR",
    help="Your copy of adult.csv, or the folder it is in, for dankar-2010.",
)
@format_option()
@out_option("Also write reproduction.csv and .json, the figures in the paper's form, and index.html.")
def reproduce(paper: str, data: Path | None, form: str, out: Path | None) -> None:
    """Every printed figure of a paper beside ours, with a verdict and a reason.

    PAPER is benitez-malin-2010, golle-2006, dankar-2010 or dankar-2012.

    A figure agrees, lies within the error of the modelled population (the tolerance is stated), differs,
    or the paper contradicts itself there. What cannot be computed says what it would need.

    \b
    Examples:
      policy-sim reproduce benitez-malin-2010
      policy-sim reproduce benitez-malin-2010 --out reproduction
      policy-sim reproduce dankar-2010 --data adult.csv --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.cli.reproduced import reproduced
    from policy_sim.render.reproduction import reproduction_table

    found = reproduced(paper, data)
    if out is not None:
        _write(found, out)
    print_rows(found.rows, form, found.notes, lambda: reproduction_table(found.rows))
    if out is not None:
        click.echo(f"Written to {out}: reproduction.csv, reproduction.json, index.html, figures.", err=True)


def _write(found: Reproduced, out: Path) -> None:
    from policy_sim.cli.output import output_folder, write_rows
    from policy_sim.cli.progress import Progress
    from policy_sim.render.reproduction_page import reproduction_page
    from policy_sim.render.save import save_figure

    with Progress() as progress, output_folder(out, found.manifest()) as folder:
        for ending in ("csv", "json"):
            write_rows(found.rows, folder / f"reproduction.{ending}")
        images = {}
        for name, caption, figure in found.figures():
            progress(f"drawing {caption}")
            save_figure(figure, folder / name)
            images[caption] = (folder / f"{name}.png").read_bytes()
        tolerances = [(t.name, t.share, t.why) for t in found.paper.tolerances.values()]
        page = reproduction_page(found.rows, found.paper.title, tolerances, images, found.notes)
        (folder / "index.html").write_text(page, encoding="utf-8")
