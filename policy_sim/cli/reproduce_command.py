"""``policy-sim reproduce``: every printed figure of a paper next to ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from policy_sim.cli.options import FilePath, format_option, out_option

if TYPE_CHECKING:
    from policy_sim.reproduction import Reproduction

__all__ = ["reproduce"]

PAPERS = ("benitez-malin-2010", "golle-2006", "dankar-2010", "dankar-2012", "field-trials")


@click.command()
@click.argument("paper", type=click.Choice(PAPERS), metavar="PAPER")
@click.option(
    "--data",
    type=FilePath(exists=True, path_type=Path),
    metavar="FILE|DIR",
    help="Your copy of adult.csv, or the folder it is in, for dankar-2010.",
)
@format_option()
@out_option("Also write reproduction.csv and .json, the figures in the paper's form, and index.html.")
def reproduce(paper: str, data: Path | None, form: str, out: Path | None) -> None:
    """Compare every printed figure of a paper with ours, with a verdict and a reason.

    PAPER is benitez-malin-2010, golle-2006, dankar-2010, dankar-2012 or field-trials. The last compares published
    attacks with the model's predictions and states the assumptions.

    The verdict says that a figure agrees, is within the stated tolerance for the modeled population, differs, or that
    the paper contradicts itself. If a figure cannot be computed, the reason says what is missing.

    \b
    Examples:
      policy-sim reproduce benitez-malin-2010
      policy-sim reproduce benitez-malin-2010 --out reproduction
      policy-sim reproduce field-trials
      policy-sim reproduce dankar-2010 --data adult.csv --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.cli.progress import Progress
    from policy_sim.errors import InputError
    from policy_sim.render.reproduction_text import reproduction_table
    from policy_sim.reproduction import reproduce as reproduce_paper

    if data is not None and paper != "dankar-2010":
        raise InputError(f"--data is for dankar-2010: {paper} takes no file.")
    with Progress() as progress:
        answer = reproduce_paper(paper, data, progress)
    if out is not None:
        _write(answer, out)
    print_rows(answer.rows, form, answer.notes, lambda: reproduction_table(answer.rows))
    if out is not None:
        click.echo(f"Written to {out}: reproduction.csv, reproduction.json, index.html, figures.", err=True)


def _write(answer: Reproduction, out: Path) -> None:
    from policy_sim.cli.output import output_folder, write_rows
    from policy_sim.cli.progress import Progress
    from policy_sim.render.reproduction_page import reproduction_page
    from policy_sim.render.save import save_figure

    with Progress() as progress, output_folder(out, answer.manifest()) as folder:
        for ending in ("csv", "json"):
            write_rows(answer.rows, folder / f"reproduction.{ending}")
        images = {}
        for name, caption, figure in answer.figures():
            progress(f"drawing {caption}")
            save_figure(figure, folder / name)
            images[caption] = (folder / f"{name}.png").read_bytes()
        tolerances = [(t.name, t.share, t.why) for t in answer.paper.tolerances.values()]
        page = reproduction_page(answer.rows, answer.paper.title, tolerances, images, answer.notes)
        (folder / "index.html").write_text(page, encoding="utf-8")
