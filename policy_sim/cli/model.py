"""Commands that check the model: explain, sensitivity, simulate and reproduce."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import FilePath, format_option, g_option, out_option, study_options

if TYPE_CHECKING:
    from policy_sim.study.reproduction import Reproduction

__all__ = ["explain", "reproduce", "sensitivity", "simulate"]


# ``policy-sim explain``: where one figure comes from.


@click.command()
@click.argument("state")
@study_options(without="states")
@click.option(
    "--date",
    "on",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DAY",
    help="Count the age of each fact to this date. [default: today]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "html", "json")),
    default="text",
    show_default=True,
    help="How it is written.",
)
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Write it to this file.")
def explain(state: str, on: dt.datetime | None, form: str, out: Path | None, **options: Any) -> None:
    """Explain the figure of one STATE under one policy, by one attacker.

    The explanation has the values that link the release to the attacker's list, the groups of people who share them,
    the arithmetic for one group, the source and age of each input, and what would change the answer.

    \b
    Examples:
      policy-sim explain OH
      policy-sim explain OH --policy limited-dataset --attacker voter --format html --out ohio.html
      policy-sim explain WY --policy safe-harbor --attacker general --format json
    """
    from policy_sim.attackers import VOTER
    from policy_sim.cli.options import ask
    from policy_sim.cli.output import Progress, put
    from policy_sim.files.writing import replace_file

    chosen = {
        "policies": options["policies"] or ("limited-dataset",),
        "attackers": options["attackers"] or (VOTER,),
        "states": (state,),
    }
    studies = ask(**{**options, **chosen})
    question = studies.question
    with Progress() as progress:
        progress("changing one assumption at a time")
        answer = studies.only_study.explain(
            (question.states or ())[0],
            _only("policy", question.policies),
            _only("attacker", question.attackers),
            rules=question.rules,
            in_file=question.in_file,
            on=None if on is None else on.date(),
        )
    if form == "json":
        content = json.dumps(answer.to_dict(), indent=1) + "\n"
    else:
        content = answer.html() if form == "html" else answer.text() + "\n"
    if out is None:
        put(content)
        return
    replace_file(out, content.encode())
    click.echo(f"Written to {out}.", err=True)


def _only(kind: str, choices: tuple[Any, ...]) -> Any:
    from policy_sim.words.errors import InputError

    if len(choices) != 1:
        raise InputError(f"explain takes one {kind}, not {len(choices)}.")
    return choices[0]


# ``policy-sim sensitivity``: how much each assumption changes the answer.


_NOT_MEASURED = (
    "the errors of the population and of its noise are measured for some linkage keys only; for other keys they are "
    "unknown"
)


@click.command()
@click.argument("state", required=False)
@study_options(without="states")
@g_option()
@format_option()
@out_option("Also write sensitivity.csv, the tornado figure (of one state) and manifest.json into this folder.")
def sensitivity(state: str | None, form: str, out: Path | None, **options: Any) -> None:
    """Change one assumption at a time in one STATE, or in every state, and rank the changes.

    The assumptions are the form of the rules, who is on the list, how many people are in the file, birthdays, years of
    birth, unknown fields, one class for the oldest, another census, and the measured errors of the population and its
    noise. The table omits assumptions that do not change a figure.

    \b
    Examples:
      policy-sim sensitivity OH
      policy-sim sensitivity OH --as benitez-malin-2010 --out ohio
      policy-sim sensitivity TX --policy safe-harbor --attacker voter --format csv
      policy-sim sensitivity --format csv > states.csv
    """
    from policy_sim.cli.options import ask
    from policy_sim.cli.output import Progress, output_folder, print_rows, write_rows
    from policy_sim.show.tornado import sensitivity_table, tornado_figure

    studies = ask(**options | {"states": (state,) if state else ()})
    origin, question = studies.provenance("sensitivity"), studies.question
    notes = [*origin.notes, _NOT_MEASURED]
    with Progress() as progress:
        progress("changing one assumption at a time")
        answer = studies.only_study.sensitivity(
            question.states,
            question.policies,
            question.attackers,
            question.g,
            rules=question.rules,
            in_file=question.in_file,
            tell=lambda changed: progress(f"changing one assumption at a time: {changed} changed"),
        )
    rows = answer.to_frame()
    if out is not None:
        from policy_sim.show.save import save_figure

        with output_folder(out, origin.manifest()) as folder:
            write_rows(rows, folder / "sensitivity.csv")
            if state:
                save_figure(tornado_figure(rows, [*origin.figure_notes, _NOT_MEASURED]), folder / "tornado")
    print_rows(rows, form, notes, lambda: sensitivity_table(rows))
    if out is not None:
        figures = ", tornado.png, tornado.svg" if state else ""
        click.echo(f"Written to {out}: sensitivity.csv{figures} and manifest.json.", err=True)


# ``policy-sim simulate``: an attack on synthetic people, compared with the formulas.


@click.command()
@click.argument("state")
@study_options(without="states")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="The same seed gives the same people and links.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=2, max=100_000),
    default=20,
    show_default=True,
    help="Number of simulated attacks.",
)
@click.option(
    "--release",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=1.0,
    show_default=True,
    help="Share of the people in the release.",
)
@format_option()
@out_option("Write simulate.csv and manifest.json into this folder.")
def simulate(state: str, form: str, out: Path | None, seed: int, runs: int, release: float, **options: Any) -> None:
    """Check the formulas by simulation: create synthetic people, link them at random, count.

    In each run everyone in one state gets a birthday and a home in a ZIP code area of their county, and the released
    records are linked at random within groups of people with the same key. The command counts correct links and
    unique people. The formula's figure should be within the 99% interval of the mean.

    \b
    Examples:
      policy-sim simulate DE --seed 1
      policy-sim simulate WY --policy limited-dataset --release 0.1 --format json
      policy-sim simulate DE --attacker voter+births.toml --policy limited-dataset
    """
    from policy_sim.attackers.attacker import ASSUMED_PEOPLE
    from policy_sim.cli.options import ask
    from policy_sim.cli.output import Progress, print_rows, write_frames
    from policy_sim.model.simulation.linking import without_list

    studies = ask(**options, states=(state,))
    question = studies.question
    (place,) = question.states or ()
    with Progress() as progress:
        attacks = studies.only_study.simulate(
            place,
            question.policies,
            question.attackers,
            rules=question.rules,
            in_file=question.in_file,
            runs=runs,
            release=release,
            seed=seed,
            tell=lambda run: progress(f"run {run} of {runs}"),
        )
    frame, origin = attacks.to_frame(), studies.provenance("simulate")
    if out is not None:
        write_frames(out, origin.manifest(seed=seed, runs=runs, release=release), simulate=frame)
    assumed = [ASSUMED_PEOPLE] if frame["assumed_people"].notna().any() else []
    left_out = without_list([studies.study.voter], place) if studies.question.has_lists else []
    print_rows(
        frame,
        form,
        [
            *origin.notes,
            *assumed,
            *left_out,
            f"{runs} simulated populations from seed {seed}; {release:.0%} of the people are released",
        ],
    )


# ``policy-sim reproduce``: every printed figure of a paper next to ours.


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
    from policy_sim.cli.output import Progress, print_rows
    from policy_sim.show.reproduction_text import reproduction_table
    from policy_sim.study.reproduction import reproduce as reproduce_paper
    from policy_sim.words.errors import InputError

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
    from policy_sim.cli.output import Progress, output_folder, write_rows
    from policy_sim.show.reproduction_text import reproduction_page
    from policy_sim.show.save import save_figure

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
