"""Commands that measure a file of records."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

import policy_sim
from policy_sim.cli.commands import group
from policy_sim.cli.inputs import INPUT, RECORDS
from policy_sim.cli.lists_files import which_lists_options
from policy_sim.cli.options import (
    FILE,
    attackers_option,
    days_option,
    many_states_option,
    option,
    out_options,
    population_option,
    together,
)
from policy_sim.cli.output import Output, Progress, meaning, print_rows, write_frames
from policy_sim.files.writing import replace_file
from policy_sim.formulas.known_rows import KNOWN
from policy_sim.words.errors import InputError, OutputError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.records.check import CheckedColumn
    from policy_sim.records.sampling_study import Simulation
    from policy_sim.records.tables import FileResult


_Command = TypeVar("_Command", bound=Callable[..., Any])
TABLE = option("--table", help="Name of the table, if FILE is the URL of a database.")
SHEET = option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several.")
MISSING_CODES = option(
    "--missing-code",
    "missing_codes",
    multiple=True,
    metavar="TEXT",
    help="A code for a missing value, such as '?'; repeat for more. An empty cell is always missing.",
)
MEMORY = option("--memory", default="2GB", help="Memory that DuckDB may use before it writes to disk.")
# These options have the names of RecordFile's parameters.
_NAMES = ("fields", "mapping", "table", "sheet", "person", "known", "missing", "engine", "memory", "max_classes")


@group()
def dataset() -> None:
    """Measure the risk of a file of records: by itself, against the census, or estimated from the file alone.

    \b
    Examples:
      policy-sim dataset check visits.csv
      policy-sim dataset profile visits.csv --fields age,sex,race,county
      policy-sim dataset score visits.csv --fields age,sex,race,county --population us-2010 --state OH
      policy-sim dataset estimate visits.csv --fields age,sex,race --population-size 11799448
    """


def file_options(rules: tuple[str, ...] = ("own", "exclude")) -> Callable[[_Command], _Command]:
    """Add FILE and the options for reading it; the command receives ``file``, a ``RecordFile``."""

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_file(**settings: Any) -> Any:
            options = {name: settings.pop(name) for name in _NAMES}

            progress = click.get_current_context().with_resource(Progress())
            codes = settings.pop("missing_codes")
            file = policy_sim.RecordFile(settings.pop("file"), missing_codes=codes, progress=progress, **options)
            return command(file=file, **settings)

        return cast(_Command, together(*_options(rules))(with_file))

    return add


def print_result(result: FileResult[Any], output: Output, text: Callable[[], str], notes: Sequence[str] = ()) -> None:
    """Write every table into the folder, if there is one, and print the main one with the notes."""
    if output.folder is not None:
        files = {f"{name}.csv": rows for name, rows in result.tables.items()}
        write_frames(output.folder, result.provenance.manifest(), files)
    print_rows(result.to_frame(), output.form, [*result.notes, *notes], lambda _: text() + "\n")


def _options(rules: tuple[str, ...]) -> tuple[Callable[[Any], Any], ...]:
    return (
        click.argument("file", type=RECORDS),
        option("--fields", required=True, metavar="A,B,...", help="Key fields, separated by commas."),
        option(
            "--mapping",
            type=INPUT,
            metavar="TOML",
            help="A file that says which column is which field, and what the codes mean (docs/datasets.md).",
        ),
        TABLE,
        SHEET,
        option(
            "--person",
            default="",
            metavar="COLUMN",
            help="The column that identifies the person: the command then counts people, each with all their rows.",
        ),
        option(
            "--known",
            type=click.Choice(list(KNOWN)),
            default="all",
            help="With --person: how many rows of a person an attacker knows, for a profile, an estimate or a score.",
        ),
        option(
            "--missing",
            type=click.Choice(rules),
            default="own",
            help="How to treat a missing value: as a separate value, "
            + ("a wildcard, " if "wildcard" in rules else "")
            + "or as a reason to leave the record out.",
        ),
        MISSING_CODES,
        option(
            "--engine",
            default="duckdb",
            metavar="NAME|URL",
            help="Where to process the file: duckdb, local (Spark on this machine), spark://host:port or "
            "sc://host:port (docs/cluster.md).",
        ),
        MEMORY,
        option(
            "--max-classes",
            type=click.IntRange(min=1),
            help="Largest number of classes to keep in memory. [default: 8,000,000]",
        ),
    )


_SCORE = (
    "The census knows these fields: 'policy-sim dataset score' reads from it how many people share each record's "
    "values, and gives the share of the records that an attacker matches correctly."
)


@dataset.command()
@file_options()
@option(
    "--population-size",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="Number of people in the population that the records come from.",
)
@option("--log-linear/--no-log-linear", default=True, help="Also fit the log-linear model.")
@option(
    "--intervals",
    is_flag=True,
    help="Also give the sampling error of each model (95% of bootstrap samples), without the error of the model.",
)
@option("--seed", type=click.IntRange(min=0), default=0, help="Seed of the bootstrap.")
@out_options("Write estimates.csv and manifest.json into this folder.")
def estimate(
    file: policy_sim.RecordFile,
    population_size: int,
    log_linear: bool,
    intervals: bool,
    seed: int,
    output: Output,
) -> None:
    """Estimate population uniques and marketer risk from FILE alone.

    Population uniques are people whose values nobody else in the population has. Marketer risk is the expected share of
    records that an attacker would match correctly. The first lines give each as a range, and say what it promises: a
    range tested on public files (docs/estimator-ranges.md), only the range of the models, or that this sample cannot
    tell. Each estimator then has its own row, with a reason if it has no answer.

    \b
    Examples:
      policy-sim dataset estimate visits.csv --fields age,sex,race --population-size 11536504
      policy-sim dataset estimate visits.csv --fields age,sex --population-size 100000 --intervals
    """
    from policy_sim.estimators import Bootstrap, estimator_names, model_spread
    from policy_sim.records.census_values import KNOWN_FIELDS, known_field
    from policy_sim.show.record_text import estimates_text, spread_note, verdict_text

    bootstrap = Bootstrap(seed=seed) if intervals else None
    result = file.estimate(population_size, models=estimator_names(classes=log_linear), bootstrap=bootstrap)
    spread = spread_note(*(model_spread(result.answer[1:], measure) for measure in ("uniqueness", "marketer_risk")))
    in_census = all(known_field(name) in KNOWN_FIELDS for name in file.records.fields)
    first = verdict_text(result.answer[0], population_size, _SCORE if in_census else "")
    notes = [spread] if output.form == "text" else [first, spread]
    print_result(result, output, lambda: f"{first}\n\n{estimates_text(result.to_frame())}", notes)


@dataset.command()
@file_options()
@population_option
@which_lists_options
@attackers_option
@many_states_option
@option("--buyer", metavar="CLASS", help="Use the price of the list for this kind of buyer, such as scholar.")
@days_option
@option(
    "--against",
    type=RECORDS,
    metavar="FILE",
    help="Compare with a second file of identified people instead of the census.",
)
@option(
    "--against-mapping", type=INPUT, metavar="TOML", help="The mapping of the second file. [default: that of the first]"
)
@option("--against-table", metavar="TABLE", help="Name of the second file's table, if it is a database.")
@option("--top", type=click.IntRange(min=0), default=5, help="How many of the riskiest groups to show.")
@option(
    "--name-groups",
    is_flag=True,
    help="Also show the values of the riskiest groups. These are values from your records.",
)
@option(
    "--records",
    "list_records",
    is_flag=True,
    help="With --out, also write records.csv: for each row, each attacker's chance of a correct match.",
)
@out_options(
    "Write CSV files of scores, their distribution, groups and unmatched rows (row numbers and reasons), and "
    "manifest.json, into this folder."
)
@meaning("How many records an attacker is expected to match to the right person.")
def score(file: policy_sim.RecordFile, against: str | None, output: Output, **options: Any) -> None:
    """Measure the risk of FILE if an attacker links it to identified people.

    With the census, the command computes each record's chance of a correct match, for the attackers GENERAL (knows
    everyone) and VOTER (has the voter list) or those that --attacker names. It adds them up by state and gives the
    price per re-identification. The fields are sex, race and ethnicity (or race_ethnicity: both in one column), age or
    birth_year or birth_date, and state, county or a smaller place; a mapping says which column is which. The table
    also has the mean and the 95th percentile of people's own chances, by race, sex and age. With
    --against, the command computes exact journalist and marketer risk from a second file.

    \b
    Examples:
      policy-sim dataset score visits.csv --fields age,sex,race,county --population us-2010 --state OH
      policy-sim dataset score visits.csv --fields birth_date,sex --state OH --mapping visits.toml --out ohio
      policy-sim dataset score visits.csv --fields birth_date,sex --state TX --attacker texas-birth-index
      policy-sim dataset score visits.csv --fields age,sex,zip --against voters.csv
    """
    from policy_sim.attackers import ATTACKERS
    from policy_sim.show.record_text import census_text, figures_text

    if options["list_records"] and output.folder is None:
        raise InputError("--records needs --out: it writes one row per record into that folder.")
    _refuse_unheeded("--against" if against is not None else "the census")
    if against is not None:
        linked = file.against(_second(file, against, options))
        print_result(linked, output, lambda: figures_text(linked.to_frame()))
        return
    study = policy_sim.Study(**{name: options[name] for name in _OF_THE_STUDY})
    more = {name: options[name] for name in ("buyer", "top", "name_groups", "list_records")}
    result = file.score(study, options["attackers"] or ATTACKERS, states=options["states"] or None, **more)
    scores, groups, distribution = (result.tables[name] for name in ("scores", "groups", "distribution"))
    print_result(result, output, lambda: census_text(scores, groups, distribution, result.beside))


def _second(file: policy_sim.RecordFile, location: str, options: Mapping[str, Any]) -> policy_sim.RecordFile:
    """Open the identified file; without its own mapping it uses the mapping and codes of the first file."""
    mapping, table = options["against_mapping"], options["against_table"]
    if mapping is None:
        own = replace(file.records.mapping, person="", sheet="")
        return replace(file, location=location, table=table, mapping=own, person="", sheet="")
    return replace(file, location=location, table=table, mapping=mapping, missing_codes=())


# Options that only one of the two scores heeds.
_OF_A_FILE = ("against_mapping", "against_table")
_OF_THE_STUDY = ("population", "lists", "days_per_year", "database", "as_of")
_OF_THE_CENSUS = (*_OF_THE_STUDY, "attackers", "states", "buyer", "top", "name_groups", "list_records")


def _refuse_unheeded(scored: str) -> None:
    """Refuse options that would have no effect here."""
    from click.core import ParameterSource

    command = click.get_current_context()
    unheeded = _OF_THE_CENSUS if scored == "--against" else _OF_A_FILE
    for name in unheeded:
        if command.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(parameter.opts[0] for parameter in command.command.params if parameter.name == name)
            other = "without --against" if scored == "--against" else "with --against"
            raise InputError(f"{option} works only {other}: remove it.")


_MEASURES = ("uniqueness", "marketer_risk")


@dataset.command()
@file_options()
@option(
    "--fractions", default=".01,.05,.1,.3,.5,.7,.9", metavar="P,P,...", help="Sampling fractions, each between 0 and 1."
)
@option("--runs", type=click.IntRange(min=1), default=1000, help="Samples per fraction.")
@option("--seed", type=click.IntRange(min=0), default=0, help="Seed of the draws.")
@option(
    "--log-linear/--no-log-linear",
    default=True,
    help="Also fit the log-linear model to the first samples. It is hundreds of times slower.",
)
@option(
    "--log-linear-runs", type=click.IntRange(min=1), default=20, help="Samples per fraction for the log-linear model."
)
@option("--workers", type=click.IntRange(min=1), help="Number of processes. [default: one per core]")
@out_options("Write summary.csv, trust.csv, errors.parquet, the trees and box figures, and manifest.json.")
@meaning("The error of each estimator when it sees only a sample of this file; 0% is exact.")
def simulate(
    file: policy_sim.RecordFile,
    fractions: str,
    log_linear: bool,
    log_linear_runs: int,
    workers: int | None,
    output: Output,
    **options: Any,
) -> None:
    """Measure the error of each estimator on FILE by simulation, as the papers do.

    The command treats FILE as a whole population, draws samples from it, and gives each estimator only the sample. It
    prints the median relative error and the quartiles by measure, sampling fraction and estimator.

    \b
    Examples:
      policy-sim model simulate-file visits.csv --fields age,sex,race --runs 100
      policy-sim model simulate-file visits.csv --fields age,sex,race --out simulation
    """
    from policy_sim.estimators import estimator_names
    from policy_sim.records.sampling_study import LEAST_SHARE_ANSWERED
    from policy_sim.show.record_text import summary_text

    models = estimator_names(classes=log_linear)
    cores = workers or os.cpu_count() or 1
    slow = log_linear_runs if log_linear else None
    result = file.sampling_study(_fractions(fractions), models=models, slow_runs=slow, workers=cores, **options)
    if output.folder is not None:
        tables = {"summary.csv": "summary", "trust.csv": "trust", "errors.parquet": "errors"}
        files = {name: result.tables[table] for name, table in tables.items()} | _trees(result)
        write_frames(output.folder, result.provenance.manifest(), files, lambda: _boxes(result))
    summary, best = result.tables["summary"], result.tables["trust"]
    print_rows(summary, output.form, result.notes, lambda rows: summary_text(rows, best, LEAST_SHARE_ANSWERED) + "\n")


def _fractions(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(f"--fractions {text!r}: give numbers separated by commas, such as .01,.1,.5.") from None


def _boxes(result: FileResult[Simulation]) -> Iterator[tuple[str, Figure]]:
    from policy_sim.show.panels import error_boxes

    summary = result.tables["summary"]
    for measure in _MEASURES:
        if summary.loc[summary["measure"] == measure, "median"].notna().any():
            yield f"boxes-{measure.replace('_', '-')}", error_boxes(summary, measure, result.notes)


def _trees(result: FileResult[Simulation]) -> dict[str, str]:
    """Split each measure's error by a tree, as text by file name."""
    from policy_sim.records.sampling_study import error_tree

    trees = {}
    for measure in _MEASURES:
        try:
            lines = error_tree(result.answer, measure).lines()
        except InputError as why:  # no error to split, or scikit-learn is not installed
            lines = [f"no tree: {why}"]
        trees[f"tree-{measure.replace('_', '-')}.txt"] = "\n".join(lines) + "\n"
    return trees


@dataset.command()
@click.argument("file", type=RECORDS)
@TABLE
@SHEET
@MISSING_CODES
@MEMORY
@option(
    "--write-mapping",
    type=FILE,
    metavar="TOML",
    help="Write a mapping file that says which column is which field, to edit and pass to other commands as --mapping.",
)
@out_options("Write columns.csv, findings.csv and manifest.json into this folder.")
def check(file: str, write_mapping: Path | None, output: Output, **options: Any) -> None:
    """Check FILE first: what Safe Harbor asks of it, what each column seems to be, and what to fix.

    The first lines say what Safe Harbor would remove or change. Then the command says whether each column looks like
    a direct identifier, a key field, a date, a code or free text, and why. It lists similar spellings, lost leading
    zeros, unreadable dates, codes for missing values, and people with several records, and names the next command. It
    never prints a value from a record.

    Exit status: 0 the file was read; 3 columns that share a name were not read, so there is no verdict.

    \b
    Examples:
      policy-sim dataset check visits.csv
      policy-sim dataset check visits.csv --write-mapping visits.toml
      policy-sim dataset check sqlite:///clinic.db --table visits --format json
    """
    from policy_sim.records.check import mapping_text
    from policy_sim.show.record_text import check_text

    if write_mapping is not None and write_mapping.exists():
        raise OutputError(f"{write_mapping} already exists. Choose another name.")
    with Progress() as progress:
        result = policy_sim.RecordFile.check(file, progress=progress, **options)
    if write_mapping is not None:
        replace_file(write_mapping, mapping_text(result.answer, options["sheet"]).encode())
    tables, twice = result.tables, result.options["named_twice"]
    print_result(result, output, lambda: check_text(tables["columns"], tables["findings"], twice))
    if twice:
        raise SystemExit(3)
    if output.form == "text":
        click.echo("\n".join(_next(file, write_mapping, result.answer, options)), err=True)


def _next(file: str, mapping: Path | None, columns: Sequence[CheckedColumn], options: Mapping[str, Any]) -> list[str]:
    """Say which commands come next, ready to be copied; a password is for the reader to fill in."""
    from policy_sim.records.engines.file_questions import scored_place

    of_database = f" --table {shlex.quote(options['table'])}" if options["table"] else ""
    name = f"{shlex.quote(mask_credentials(file))}{of_database}"
    hidden = ["(write the full address again instead of …)"] if mask_credentials(file) != file else []
    if mapping is None:
        sheet = f" --sheet {shlex.quote(options['sheet'])}" if options["sheet"] else ""
        return [f"next: policy-sim dataset check {name}{sheet} --write-mapping mapping.toml", *hidden]
    written, present = shlex.quote(str(mapping)), {column.kind.field for column in columns}
    births, races = ("birth_date", "birth_month", "birth_year", "age"), ("race_ethnicity", "race")
    choices = (births, ("sex",), races, ("ethnicity",), ("county", "zip5", "state"))
    fields = [next((field for field in group if field in present), "") for group in choices]
    if fields[2] == "race_ethnicity":
        fields[3] = ""
    lines = [f"Mapping written to {mapping}. Edit it, then use it with --mapping."]
    if any(fields):
        measured_fields = ",".join(filter(None, fields))
        lines.append(
            f"next, to measure: policy-sim dataset profile {name} --fields {measured_fields} --mapping {written}"
        )
    place = scored_place(columns)
    if place and any(fields[:4]):
        scored_fields = ",".join([*filter(None, fields[:4]), *place.fields])
        more = "".join(f" --{option} {value}" for option, value in place.options.items())
        lines.append(
            f"next, to compare with the census: policy-sim dataset score {name} --fields {scored_fields} --mapping "
            f"{written}{more}"
        )
    if of_database:  # a brief and a release are made from a file
        return [*lines, *hidden]
    if "zip5" in present or (place and "county" in place.fields):
        state = f"{place.options['state']} " if place and "state" in place.options else ""  # else the file has several
        lines.append(
            f"next, for two pages about the file: policy-sim brief {state}--file {name} --mapping {written} --out "
            "brief.pdf"
        )
    return [*lines, f"next, to release: policy-sim release new {name} release.toml --mapping {written}", *hidden]


@dataset.command()
@file_options(("own", "wildcard", "exclude"))
@option(
    "--threshold",
    default="0.09",
    metavar="RISK",
    help="Count the records with more risk than this: 0.09, 1/11 or k=11. All three are compared as class sizes.",
)
@option(
    "--cutoff",
    default="0.5",
    metavar="RISK",
    help="For the strict average: the largest risk of one record that an average may hide, 0.5 or 0.33.",
)
@option(
    "--sampling-fraction",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    help="Share of the population that is in the file, for the match probabilities in scores.csv.",
)
@option("--suda/--no-suda", default=True, help="Also measure combinations of fields.")
@option(
    "--max-combinations",
    type=click.IntRange(min=1),
    help="Largest number of combinations to measure; n fields have 2^n - 1. [default: 4,095]",
)
@option("--weight", metavar="COLUMN", help="Survey weights: how many people each record represents.")
@option(
    "--records",
    "list_records",
    is_flag=True,
    help="With --out, also write records.csv: the row number, class size, risk and scores of each record.",
)
@out_options("Write CSV files of figures, fields, combinations, sizes and scores, and manifest.json, into this folder.")
@meaning(
    "How many records share their key values. The risk of a record is the chance that an attacker who knows that its "
    "target is in the file finds the right record."
)
def profile(
    file: policy_sim.RecordFile,
    suda: bool,
    max_combinations: int | None,
    list_records: bool,
    output: Output,
    **options: Any,
) -> None:
    """Measure how unique the records of FILE are, and which fields cause it.

    A class is a set of records with the same key values. Prosecutor risk is the chance of a correct match for an
    attacker who knows that its target is in the file: 1 divided by the class size. FILE is CSV (also .gz), Parquet, a
    folder of either, or the URL of a database with --table. The command compares values as text, or as --mapping reads
    them. It never prints a value from a record.

    \b
    Examples:
      policy-sim dataset profile visits.csv --fields age,sex,race,county
      policy-sim dataset profile visits.parquet --fields age,sex --missing wildcard --missing-code '?'
      policy-sim dataset profile visits.csv --fields age,sex,zip --records --out review
      policy-sim dataset profile postgresql+psycopg://me@host/clinic --table visits --fields age,sex
    """
    from policy_sim.show.record_text import profile_text, profile_verdict
    from policy_sim.show.text_table import wrapped

    if list_records and output.folder is None:
        raise InputError("--records needs --out: it writes one row per record into that folder.")
    combined = max_combinations if suda else 0
    result = file.profile(**options, max_combinations=combined, list_records=list_records)
    figures, fields, combinations = (result.tables[name] for name in ("figures", "fields", "combinations"))
    without = [(field.name, field.without.average if field.without else None) for field in result.answer.by_field]
    counted = "people" if file.records.mapping.person else "records"
    verdict = "\n".join(wrapped(profile_verdict(result.answer.risk, without, counted).splitlines()))
    print_result(result, output, lambda: f"{verdict}\n\n{profile_text(figures, fields, combinations, ())}")
