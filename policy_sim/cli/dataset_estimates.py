"""Commands that estimate and score a file of records."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from policy_sim.cli.lists_files import which_lists_options
from policy_sim.cli.options import (
    DAYS,
    FilePath,
    attackers_option,
    format_option,
    many_states_option,
    out_option,
    population_option,
)

if TYPE_CHECKING:
    from policy_sim.records.sampling_study import Simulation
    from policy_sim.records.tables import FileResult
    from policy_sim.study.record_file import RecordFile

__all__ = ["estimate", "file_manifest", "file_options", "print_result", "score", "simulate"]


# The options that all commands on a file of records share, and how they write results.


_Command = TypeVar("_Command", bound=Callable[..., Any])
# These options have the names of RecordFile's parameters.
_NAMES = ("fields", "mapping", "table", "sheet", "person", "missing", "engine", "memory", "max_classes")


def file_options(rules: tuple[str, ...] = ("own", "exclude")) -> Callable[[_Command], _Command]:
    """Add FILE and the options for reading it; the command receives ``file``, a ``RecordFile``."""

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_file(**settings: Any) -> Any:
            options = {name: settings.pop(name) for name in _NAMES}
            file = _record_file(settings.pop("file"), settings.pop("missing_code"), options)
            return command(file=file, **settings)

        wrapped: Any = with_file
        for option in reversed(_options(rules)):
            wrapped = option(wrapped)
        result: _Command = wrapped
        return result

    return add


def _record_file(location: str, codes: Sequence[str], options: Mapping[str, Any]) -> RecordFile:
    from policy_sim.cli.output import Progress
    from policy_sim.study.record_file import RecordFile

    progress = click.get_current_context().with_resource(Progress())
    return RecordFile(location, missing_codes=codes, progress=progress, **options)


def file_manifest(result: FileResult[Any]) -> dict[str, Any]:
    """Return the manifest of a result: its options, its notes, and the sha256 of every local file."""
    from policy_sim.files.manifest import run_manifest
    from policy_sim.files.writing import sha256_of

    inputs = {name: sha256_of(path) if path else "not computed" for name, path in result.files.items()}
    return run_manifest(f"dataset {result.question}", result.options, inputs) | {"notes": list(result.notes)}


def print_result(
    result: FileResult[Any], form: str, out: Path | None, text: Callable[[], str], notes: Sequence[str] = ()
) -> None:
    """Write every table into ``out``, if given, and print the main one with the notes."""
    from policy_sim.cli.output import print_rows, write_frames

    if out is not None:
        write_frames(out, file_manifest(result), **result.tables)
    print_rows(result.to_frame(), form, [*result.notes, *notes], lambda: text() + "\n")


def _options(rules: tuple[str, ...]) -> tuple[Callable[[Any], Any], ...]:
    return (
        click.argument("file"),
        click.option("--fields", required=True, metavar="A,B,...", help="Key fields, separated by commas."),
        click.option(
            "--mapping",
            type=FilePath(dir_okay=False, path_type=Path),
            metavar="TOML",
            help="A file that says which column is which field, and what the codes mean (docs/datasets.md).",
        ),
        click.option("--table", help="Name of the table, if FILE is the URL of a database."),
        click.option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several."),
        click.option(
            "--person",
            default="",
            metavar="COLUMN",
            help="The column that identifies the person: people are counted, each once, and not rows.",
        ),
        click.option(
            "--missing",
            type=click.Choice(rules),
            default="own",
            show_default=True,
            help="How to treat a missing value: as a value of its own, "
            + ("a wildcard, " if "wildcard" in rules else "")
            + "or as a reason to leave the record out.",
        ),
        click.option(
            "--missing-code",
            multiple=True,
            metavar="TEXT",
            help="A code for a missing value, such as '?'; repeat for more. An empty cell is always missing.",
        ),
        click.option(
            "--engine",
            default="duckdb",
            show_default=True,
            metavar="NAME|URL",
            help="Where to process the file: duckdb, local (Spark on this machine), spark://host:port or "
            "sc://host:port (docs/cluster.md).",
        ),
        click.option(
            "--memory", default="2GB", show_default=True, help="Memory that DuckDB may use before it writes to disk."
        ),
        click.option(
            "--max-classes",
            type=click.IntRange(min=1),
            help="Largest number of classes to keep in memory. [default: 8,000,000]",
        ),
    )


# ``policy-sim dataset estimate``: what the file alone says about its population.


_SCORE = (
    "The census knows these fields: 'policy-sim dataset score' reads from it how many people share each record's "
    "values, and gives the share of the records that an attacker matches correctly."
)


@click.command()
@file_options()
@click.option(
    "--population-size",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="Number of people in the population that the records come from.",
)
@click.option("--log-linear/--no-log-linear", default=True, show_default=True, help="Also fit the log-linear model.")
@click.option(
    "--intervals",
    is_flag=True,
    help="Also give the sampling error of each model (95% of bootstrap samples), without the error of the model.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap.")
@format_option()
@out_option("Write estimates.csv and manifest.json into this folder.")
def estimate(
    file: RecordFile, population_size: int, log_linear: bool, intervals: bool, seed: int, form: str, out: Path | None
) -> None:
    """Estimate population uniques and marketer risk from FILE alone.

    Population uniques are people whose values nobody else in the population has. Marketer risk is the expected share of
    records that an attacker would match correctly. The first lines give each as a range, and say what it promises: a
    range tested on public files (docs/estimators.md), only the range of the models, or that this sample cannot
    tell. Each estimator then has its own row, with a reason if it has no answer.

    \b
    Examples:
      policy-sim dataset estimate visits.csv --fields age,sex,race --population-size 11536504
      policy-sim dataset estimate visits.csv --fields age,sex --population-size 100000 --intervals
    """
    from policy_sim.estimators import Bootstrap, estimator_names, model_spread
    from policy_sim.records.census_values import KNOWN_FIELDS, known_field
    from policy_sim.release.verdict_text import verdict_text
    from policy_sim.show.record_text import estimates_text, spread_note

    bootstrap = Bootstrap(seed=seed) if intervals else None
    result = file.estimate(population_size, models=estimator_names(classes=log_linear), bootstrap=bootstrap)
    spread = spread_note(*(model_spread(result.answer[1:], measure) for measure in ("uniqueness", "marketer_risk")))
    in_census = all(known_field(name) in KNOWN_FIELDS for name in file.records.fields)
    first = verdict_text(result.answer[0], population_size, _SCORE if in_census else "")
    notes = [spread] if form == "table" else [first, spread]
    print_result(result, form, out, lambda: f"{first}\n\n{estimates_text(result.to_frame())}", notes)


# ``policy-sim dataset score``: a file compared with the census and voter lists, or with a second file.


@click.command()
@file_options()
@population_option()
@which_lists_options
@attackers_option()
@many_states_option()
@click.option("--buyer", metavar="CLASS", help="Use the price of the list for this kind of buyer, such as scholar.")
@click.option(
    "--days-per-year",
    type=DAYS,
    default=365.0,
    show_default=True,
    help="Number of equally likely birthdays in a year.",
)
@click.option(
    "--against", metavar="FILE", help="Compare with a second file of identified people instead of the census."
)
@click.option(
    "--against-mapping",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="TOML",
    help="The mapping of the second file. [default: that of the first]",
)
@click.option("--against-table", metavar="TABLE", help="Name of the second file's table, if it is a database.")
@click.option(
    "--top", type=click.IntRange(min=0), default=5, show_default=True, help="How many of the riskiest groups to show."
)
@click.option(
    "--name-groups",
    is_flag=True,
    help="Also show the values of the riskiest groups. These are values from your records.",
)
@click.option(
    "--records",
    "list_records",
    is_flag=True,
    help="With --out, also write records.csv: for each row, each attacker's chance of a correct match.",
)
@format_option()
@out_option(
    "Write CSV files of scores, groups and unmatched rows (row numbers and reasons), and manifest.json, "
    "into this folder."
)
def score(file: RecordFile, against: str | None, form: str, out: Path | None, **options: Any) -> None:
    """Measure the risk of FILE if an attacker links it to identified people.

    With the census, the command computes each record's chance of a correct match, for the attackers GENERAL (knows
    everyone) and VOTER (has the voter list) or those that --attacker names. It adds them up by state and gives the
    price per re-identification. The fields are sex, race, age or birth_year or birth_date, and state, county or a
    smaller place; a mapping says which column is which. With --against, the command computes exact journalist and
    marketer risk from a second file.

    \b
    Examples:
      policy-sim dataset score visits.csv --fields age,sex,race,county --population us-2010 --state OH
      policy-sim dataset score visits.csv --fields birth_date,sex --state OH --mapping visits.toml --out ohio
      policy-sim dataset score visits.csv --fields birth_date,sex --state TX --attacker texas-birth-index
      policy-sim dataset score visits.csv --fields age,sex,zip --against voters.csv
    """
    from policy_sim.attackers import ATTACKERS
    from policy_sim.show.record_text import census_text, figures_text
    from policy_sim.study.study import Study
    from policy_sim.words.errors import InputError

    if options["list_records"] and out is None:
        raise InputError("--records needs --out: it writes one row per record into that folder.")
    _refuse_unheeded("--against" if against is not None else "the census")
    if against is not None:
        linked = file.against(_second(file, against, options))
        print_result(linked, form, out, lambda: figures_text(linked.to_frame()))
        return
    names = ("population", "lists", "days_per_year", "database", "as_of")
    result = file.score(
        Study(**{name: options[name] for name in names}),
        options["attackers"] or ATTACKERS,
        states=options["states"] or None,
        buyer=options["buyer"],
        top=options["top"],
        name_groups=options["name_groups"],
        list_records=options["list_records"],
    )
    print_result(result, form, out, lambda: census_text(result.tables["scores"], result.tables["groups"]))


def _second(file: RecordFile, location: str, options: Mapping[str, Any]) -> RecordFile:
    """Open the identified file; without its own mapping it uses the mapping and codes of the first file."""
    mapping, table = options["against_mapping"], options["against_table"]
    if mapping is None:
        own = replace(file.records.mapping, person="", sheet="")
        return replace(file, location=location, table=table, mapping=own, person="", sheet="")
    return replace(file, location=location, table=table, mapping=mapping, missing_codes=())


# Options that only one of the two scores heeds.
_OF_A_FILE = ("against_mapping", "against_table")
_OF_THE_CENSUS = (
    "population",
    "lists",
    "attackers",
    "states",
    "buyer",
    "days_per_year",
    "as_of",
    "database",
    "top",
    "name_groups",
    "list_records",
)


def _refuse_unheeded(scored: str) -> None:
    """Refuse options that would have no effect here."""
    from click.core import ParameterSource

    from policy_sim.words.errors import InputError

    command = click.get_current_context()
    unheeded = _OF_THE_CENSUS if scored == "--against" else _OF_A_FILE
    for name in unheeded:
        if command.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(parameter.opts[0] for parameter in command.command.params if parameter.name == name)
            other = "without --against" if scored == "--against" else "with --against"
            raise InputError(f"{option} works only {other}: leave it out.")


# ``policy-sim dataset simulate``: the error of each estimator on this file.


_MEASURES = ("uniqueness", "marketer_risk")


@click.command()
@file_options()
@click.option(
    "--fractions",
    default=".01,.05,.1,.3,.5,.7,.9",
    show_default=True,
    metavar="P,P,...",
    help="Sampling fractions, each between 0 and 1.",
)
@click.option("--runs", type=click.IntRange(min=1), default=1000, show_default=True, help="Samples per fraction.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the draws.")
@click.option(
    "--log-linear/--no-log-linear",
    default=True,
    show_default=True,
    help="Also fit the log-linear model to the first samples. It is hundreds of times slower.",
)
@click.option(
    "--log-linear-runs",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Samples per fraction for the log-linear model.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Number of processes. [default: one per core]")
@format_option()
@out_option("Write summary.csv, trust.csv, errors.parquet, the trees and box figures, and manifest.json.")
def simulate(
    file: RecordFile,
    fractions: str,
    runs: int,
    seed: int,
    log_linear: bool,
    log_linear_runs: int,
    workers: int | None,
    form: str,
    out: Path | None,
) -> None:
    """Measure the error of each estimator on FILE by simulation, as the papers do.

    The command treats FILE as a whole population, draws samples from it, and gives each estimator only the sample. It
    prints the median relative error and the quartiles by measure, sampling fraction and estimator.

    \b
    Examples:
      policy-sim dataset simulate visits.csv --fields age,sex,race --runs 100
      policy-sim dataset simulate visits.csv --fields age,sex,race --out simulation
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.estimators import estimator_names
    from policy_sim.records.sampling_study import LEAST_SHARE_ANSWERED
    from policy_sim.show.record_text import summary_text

    models = estimator_names(classes=log_linear)
    cores = workers or os.cpu_count() or 1
    slow = log_linear_runs if log_linear else None
    result = file.sampling_study(_fractions(fractions), runs, seed=seed, models=models, slow_runs=slow, workers=cores)
    if out is not None:
        _write(result, out)
    summary, best = result.tables["summary"], result.tables["trust"]
    print_rows(summary, form, result.notes, lambda: summary_text(summary, best, LEAST_SHARE_ANSWERED) + "\n")


def _fractions(text: str) -> list[float]:
    from policy_sim.words.errors import InputError

    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(f"--fractions {text!r}: give numbers separated by commas, such as .01,.1,.5.") from None


def _write(result: FileResult[Simulation], out: Path) -> None:
    from policy_sim.cli.output import output_folder, write_rows
    from policy_sim.records.sampling_study import error_tree
    from policy_sim.show.panels import error_boxes
    from policy_sim.show.save import save_figure
    from policy_sim.words.errors import InputError

    summary = result.tables["summary"]
    with output_folder(out, file_manifest(result)) as folder:
        write_rows(summary, folder / "summary.csv")
        write_rows(result.tables["trust"], folder / "trust.csv")
        write_rows(result.tables["errors"], folder / "errors.parquet")
        for measure in _MEASURES:
            if summary.loc[summary["measure"] == measure, "median"].notna().any():
                save_figure(error_boxes(summary, measure, result.notes), folder / f"boxes-{measure.replace('_', '-')}")
            try:
                lines = error_tree(result.answer, measure).lines()
            except InputError as why:  # no error to split, or scikit-learn is not installed
                lines = [f"no tree: {why}"]
            text = "\n".join(lines) + "\n"
            (folder / f"tree-{measure.replace('_', '-')}.txt").write_text(text, encoding="utf-8")
