"""Commands on records of cases: whether a file may be published, and from how many cases on a county may be shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import FILE, FOLDER, format_option, many_states_option, option
from policy_sim.cli.output import Progress, print_rows, write_frames, write_rows
from policy_sim.words.errors import InputError


@click.group()
def cases() -> None:
    """Check records of cases before they are published, and plan from how many cases on a county may be shown.

    \b
    Examples:
      policy-sim cases check cases.csv
      policy-sim cases plan WA --fields age5,sex
    """


@cases.command("check")
@click.argument("file", type=FILE)
@option("--mapping", type=FILE, metavar="TOML", help="Which column is which field, and what its codes mean.")
@many_states_option
@option(
    "--absent",
    default="",
    metavar="A,B,...",
    help="Fields of the ten rules that the file does not have: "
    "month, state, county, state_code, county_code, age, sex, race, ethnicity, death.",
)
@option("--k", type=click.IntRange(2, 1000), default=11, help="Records that must share all values.")
@option("--population", metavar="NAME|FILE", default="us-2020", help="The population that the cases are compared with.")
@option(
    "--combinations",
    "values",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="CSV",
    help="Write the values that break each rule here, readable by you alone. Never publish it.",
)
@format_option
def check_file(
    file: Path,
    mapping: Path | None,
    absent: str,
    values: Path | None,
    states: tuple[str, ...],
    form: str,
    **options: Any,
) -> None:
    """Test a file of one record per case against CDC's ten rules for public case records.

    FILE is CSV, Excel or Parquet. Name the STATE if no column shows it. Where CDC's program and its text differ, both
    readings are tested. The table names counties and states; it shows no record and no other value. Exit status: 0 all
    ten hold, or some could not be tested (the first line says so); 1 a rule fails.

    \b
    Examples:
      policy-sim cases check cases.csv
      policy-sim cases check cases.xlsx --mapping cases.toml --state WA --absent death,month
    """
    from policy_sim.people.by_name import load_population
    from policy_sim.records.mapping import load_mapping
    from policy_sim.show.rule_text import case_check_text
    from policy_sim.tables.case_rules import check_cases, read_cases

    if len(states) > 1:
        raise InputError("records of several states need a column of their states: name one state, or none.")
    if values is not None and values.exists():
        raise InputError(f"{values} already exists. Choose another name.")
    names = [name.strip() for name in absent.split(",") if name.strip()]
    with Progress() as progress:
        progress("reading the records")
        read = read_cases(file, load_mapping(mapping) if mapping else None, names, *states)
        progress("counting people and records")
        answer = check_cases(read, load_population(options["population"]), options["k"])
    frame = answer.to_frame()
    print_rows(frame, form, answer.notes, lambda: case_check_text(frame), answer.verdict)
    if values is not None:
        values.touch(mode=0o600)
        write_rows(answer.combinations, values)
        click.echo(f"Written to {values}: values that break a rule. Keep it with the records.", err=True)
    if answer.having("fails"):
        raise click.exceptions.Exit(1)


@cases.command("plan")
@click.argument("state")
@option(
    "--fields",
    required=True,
    metavar="A,B,...",
    help="What the records show: one of age60, age30, age15, age5 "
    "and age; one of race2, race4 and race; sex; ethnicity. 'every' compares all 96 ways and needs --counts.",
)
@option("--k", type=click.IntRange(2, 200), default=11, help="Smallest group of cases that exposes nobody.")
@option("--at-most", type=click.FloatRange(0, 1), default=0.01, help="Share of the cases in smaller groups.")
@option(
    "--counts", type=FILE, metavar="CSV", help="Cases of each county: columns county (FIPS code, or name) and cases."
)
@option("--population", metavar="NAME|FILE", default="us-2020", help="The population that the cases are drawn from.")
@option("--out", type=FOLDER, metavar="DIR", help="With 'every': write allowed.csv, finest.csv, a map, manifest.json.")
@format_option
def plan_cases(
    state: str, fields: str, k: int, at_most: float, counts: Path | None, population: str, out: Path | None, form: str
) -> None:
    """Print how many cases each county of STATE needs before you may publish records with these fields.

    One number keeps the expected share of cases in groups of fewer than k cases below the limit, the other its 97.5th
    percentile. The percentile is the rule of Brown et al. (2022) and stricter: use it. With '--fields every', STATE may
    be US; the table has the finest ways that each county's count allows, and the other formats have all 96.

    \b
    Examples:
      policy-sim cases plan WA --fields age5,sex --k 11 --at-most .01
      policy-sim cases plan US --fields every --counts week.csv --out week
    """
    from policy_sim.files.manifest import run_manifest
    from policy_sim.files.writing import sha256_of
    from policy_sim.people.by_name import load_population
    from policy_sim.show.maps.figure import case_plan_map
    from policy_sim.show.text_table import text_table
    from policy_sim.tables.cases import allowed_fields, county_counts, finest_allowed, plan
    from policy_sim.tables.files import Layout, read_cells
    from policy_sim.words.states import find_state

    every, postal = fields == "every", "US" if state.strip().upper() == "US" else find_state(state).postal
    case_counts = None
    if counts is not None:
        file = read_cells(counts, Layout("cases", ("county",)))
        case_counts = county_counts(file, "" if postal == "US" else postal)
    if every and case_counts is None:
        raise InputError("--fields every needs --counts: the cases of each county.")
    if not every and (out is not None or postal == "US"):
        raise InputError("US and --out go with --fields every, which needs --counts.")
    with Progress() as progress:
        progress("counting the people of each group")
        people = load_population(population)
        if every:
            rows = allowed_fields(people, case_counts or {}, None if postal == "US" else postal, k, at_most)
        else:
            rows = plan(people, postal, fields, k, at_most, case_counts)
    notes = [
        f"population: {people.provenance.describe([] if postal == 'US' else [postal])}",
        f"k = {k}, at most {at_most:g} of the cases in groups of fewer. The percentile is computed, not drawn: exact, "
        "or by a normal limit where many exposed cases are allowed"
        + ("." if every else "; it holds at every larger count of a grid with steps of 5%."),
        "This assumes that everyone in the county is as likely to be a case.",
    ]
    left_out = sorted(set(case_counts or {}) - set(rows["county"]))
    if left_out:
        first_codes = ", ".join(left_out[:5]) + ", ..." * (len(left_out) > 5)
        notes.append(
            f"No row for {len(left_out)} counties of {counts} that are not in {postal}, or whose count is 0 or more "
            f"than their people: {first_codes}"
        )
    finest = finest_allowed(rows) if every else rows
    if out is not None and counts is not None:
        options = {"state": postal, "fields": fields, "k": k, "at_most": at_most, "population": people.provenance.name}
        manifest = run_manifest("cases plan", options, {counts.name: sha256_of(counts)})
        figures = {"map-allowed": case_plan_map(finest, notes[:2])}
        write_frames(out, manifest, {"allowed.csv": rows, "finest.csv": finest}, figures.items)
    print_rows(rows, form, notes, lambda: text_table(finest))
    if out is not None:
        click.echo(f"Written to {out}: finest.csv, allowed.csv and map-allowed.", err=True)
