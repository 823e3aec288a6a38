"""Commands that check the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import policy_sim
from policy_sim.cli.commands import command
from policy_sim.cli.inputs import FILE_OR_FOLDER
from policy_sim.cli.options import (
    DAY,
    FILE,
    MOST_G,
    answer_to,
    g_option,
    option,
    out_options,
    study_options,
)
from policy_sim.cli.output import Output, Progress, meaning, print_rows, put, write_rows
from policy_sim.files.writing import replace_file
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_state

if TYPE_CHECKING:
    from policy_sim.study.reproduction import Reproduction


@command()
@click.argument("state")
@study_options(without="states")
@option("--date", "on", type=DAY, metavar="DAY", help="Count the age of each fact to this date. [default: today]")
@option("--format", "form", type=("text", "html", "json"), default="text", help="How it is written.")
@option("--out", type=FILE, metavar="FILE", help="Write it to this file.")
def explain(state: str, form: str, out: Path | None, **options: Any) -> None:
    """Explain the figure of one STATE under one policy, by one attacker.

    The explanation has the values that link the release to the attacker's list, the groups of people who share them,
    the arithmetic for one group, the source and age of each input, and what would change the answer.

    \b
    Examples:
      policy-sim model explain OH
      policy-sim model explain OH --policy limited-dataset --attacker voter --format html --out ohio.html
      policy-sim model explain WY --policy safe-harbor --attacker general --format json
    """
    from policy_sim.attackers import VOTER

    policy = _only("policy", options.pop("policies") or ("limited-dataset",))
    attacker = _only("attacker", options.pop("attackers") or (VOTER,))
    with Progress("changing one assumption at a time"):
        answer = answer_to(policy_sim.Study.explain, state=state, policy=policy, attacker=attacker, **options)
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
    if len(choices) != 1:
        raise InputError(f"explain takes one {kind}, not {len(choices)}.")
    return choices[0]


_NOT_MEASURED = (
    "the errors of the population and of its noise are measured for some linkage keys only; for other keys they are "
    "unknown"
)


@command()
@click.argument("state", required=False)
@study_options(without="states")
@g_option
@out_options("Also write sensitivity.csv, the tornado figure (of one state) and manifest.json into this folder.")
@meaning("How much the total risk changes if one assumption changes and the others stay the same.")
def sensitivity(state: str | None, output: Output, **options: Any) -> None:
    """Change one assumption at a time in one STATE, or in every state, and rank the changes.

    The assumptions are the form of the rules, who is on the list, how many people are in the file, birthdays, years of
    birth, unknown fields, one class for the oldest, another census, people whom the census missed or counted twice, and
    the measured errors of the population and its noise. The table omits assumptions that do not change a figure.

    \b
    Examples:
      policy-sim model sensitivity OH
      policy-sim model sensitivity OH --as benitez-malin-2010 --out ohio
      policy-sim model sensitivity TX --policy safe-harbor --attacker voter --format csv
      policy-sim model sensitivity --format csv > states.csv
    """
    from policy_sim.show.change_figure import sensitivity_table, tornado_figure

    with Progress("changing one assumption at a time") as progress:
        answer = answer_to(
            policy_sim.Study.sensitivity,
            states=state,
            tell=lambda changed: progress(f"changing one assumption at a time: {changed} changed"),
            **options,
        )
    notes = [*answer.provenance.figure_notes, _NOT_MEASURED]
    output.deliver(
        answer,
        sensitivity_table,
        figures=lambda: [("tornado", tornado_figure(answer.to_frame(), notes))] if state else [],
        last=[_NOT_MEASURED],
        written=f"sensitivity.csv{', tornado.png, tornado.svg' if state else ''} and manifest.json",
    )


@command()
@click.argument("state")
@study_options(without="states")
@option("--seed", type=click.IntRange(min=0), default=1, help="The same seed gives the same people and links.")
@option("--runs", type=click.IntRange(min=2, max=100_000), default=20, help="Number of simulated attacks.")
@option(
    "--release",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=1.0,
    help="Share of the people in the release.",
)
@out_options("Write simulate.csv and manifest.json into this folder.")
@meaning(
    "Correct matches, unique people and claims in simulated attacks (mean over the runs and its 99% interval), next to "
    "the figure of the formula."
)
def simulate(state: str, output: Output, **options: Any) -> None:
    """Check the formulas by simulation: create synthetic people, link them at random, count.

    In each run everyone in one state gets a birthday and a home in a ZIP code area of their county, and the released
    records are linked at random within groups of people with the same key. The command counts correct links and
    unique people. The formula's figure should be within the 99% interval of the mean.

    \b
    Examples:
      policy-sim model simulate DE --seed 1
      policy-sim model simulate WY --policy limited-dataset --release 0.1 --format json
      policy-sim model simulate DE --attacker voter+births.toml --policy limited-dataset
    """
    from policy_sim.attackers.attacker import ASSUMED_PEOPLE
    from policy_sim.model.simulation.linking import without_list
    from policy_sim.show.numbers import percent

    seed, runs, release = options["seed"], options["runs"], options["release"]
    with Progress() as progress:
        answer = answer_to(
            policy_sim.Study.simulate, state=state, tell=lambda run: progress(f"run {run} of {runs}"), **options
        )
    origin = answer.provenance
    assumed = [ASSUMED_PEOPLE] if answer.to_frame()["assumed_people"].notna().any() else []
    left_out = without_list([origin.study.voter], find_state(state).postal) if origin.question.has_lists else []
    drawn = f"{runs} simulated populations from seed {seed}; {percent(release)} of the people are released"
    output.deliver(answer, first=[*left_out, *assumed], last=[drawn])


@command()
@click.argument("state")
@study_options(without="states policies rules zip3 in_file")
@option(
    "--fields",
    multiple=True,
    metavar="FIELDS",
    help="What a token is made of: last,first-initial,sex,birth or a design in use (initial, soundex, full, zip3, "
    "letters); repeat it for records with several tokens. [default: initial and soundex]",
)
@option("--clear", default="zip3,sex,birth=year", metavar="FIELDS", help="What is shown in the clear next to a token.")
@option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(min=2, max=MOST_G),
    help="People in the file; repeat for more. [default: powers of ten from 10,000, and everyone]",
)
@out_options("Also write token.csv and manifest.json into this folder.")
@meaning(
    "People in the file whom an attacker without the key is expected to name by tokens that several people share: if "
    "the attacker knows who is in the file, and if not."
)
def token(state: str, output: Output, **options: Any) -> None:
    """Estimate how many people linkage tokens let an attacker name, in one STATE or the nation (US).

    A token is a keyed hash of fields such as last name, first initial, sex and birth date. The attacker has a roster of
    names, but not the key: GENERAL a roster of everyone, VOTER the state's voter list. Fields of a token are last,
    last-soundex, first, first-soundex, first-3, first-initial, sex, birth, birth=year and zip3.

    \b
    Examples:
      policy-sim model token OH --fields last,first-initial,sex,birth --clear zip3,sex,birth=year
      policy-sim model token OH --fields initial --fields soundex --size 1000000
      policy-sim model token US --attacker general --size 250000000
    """
    from policy_sim.show.token_text import token_table
    from policy_sim.study.tokens import PAIR

    fields = options.pop("fields") or PAIR
    with Progress("counting tokens") as progress:
        answer = answer_to(
            policy_sim.Study.tokens,
            states=state,
            fields=fields,
            tell=lambda rows: progress(f"counting tokens: {rows} rows"),
            **options,
        )
    output.deliver(answer, token_table, written="token.csv and manifest.json")


PAPERS = ("benitez-malin-2010", "golle-2006", "dankar-2010", "dankar-2012", "guides", "field-trials")


@command()
@click.argument("paper", type=click.Choice(PAPERS), metavar="PAPER")
@option(
    "--data",
    type=FILE_OR_FOLDER,
    metavar="FILE|DIR",
    help="Your copy of adult.csv, or the folder it is in, for dankar-2010.",
)
@out_options("Also write reproduction.csv and .json, the figures in the paper's form, and index.html.")
@meaning("Each figure that the paper prints, next to ours.")
def reproduce(paper: str, data: Path | None, output: Output) -> None:
    """Compare every printed figure of a paper with ours, with a verdict and a reason.

    PAPER is benitez-malin-2010, golle-2006, dankar-2010, dankar-2012, guides or field-trials. The guides are
    El Emam and Arbuckle's chapter, Ontario's and IHE's; field-trials compares published attacks with the model's
    predictions and states the assumptions.

    The verdict says that a figure agrees, is within the stated tolerance for the modeled population, differs, or that
    the paper contradicts itself. If a figure cannot be computed, the reason says what is missing.

    \b
    Examples:
      policy-sim model reproduce benitez-malin-2010
      policy-sim model reproduce benitez-malin-2010 --out reproduction
      policy-sim model reproduce field-trials
      policy-sim model reproduce dankar-2010 --data adult.csv --format csv
    """
    from policy_sim.show.reproduction_text import reproduction_table
    from policy_sim.study.reproduction import reproduce as reproduce_paper

    if data is not None and paper != "dankar-2010":
        raise InputError(f"--data is for dankar-2010: {paper} takes no file.")
    with Progress() as progress:
        answer = reproduce_paper(paper, data, progress)
    if output.folder is not None:
        _write(answer, output.folder)
    print_rows(answer.rows, output.form, answer.notes, reproduction_table)
    output.say_written("reproduction.csv, reproduction.json, index.html, figures")


def _write(answer: Reproduction, out: Path) -> None:
    from policy_sim.files.output_folder import output_folder
    from policy_sim.show.reproduction_text import reproduction_page
    from policy_sim.show.save import save_figure

    with Progress() as progress, output_folder(out, answer.provenance.manifest()) as folder:
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
