"""``policy-sim explore``: the risk and utility of every policy, and which policies are better."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import (
    MOST_G,
    FilePath,
    days_option,
    format_option,
    in_file_option,
    many_states_option,
    option,
    out_option,
    population_option,
    zip3_option,
)
from policy_sim.cli.output import deliver, place_note
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.study.exploration import ExplorationAnswer


@click.command()
@many_states_option
@population_option
@option(
    "--than",
    metavar="NAME|FILE",
    default="safe-harbor",
    help="The policy to beat: find policies that release more detail at no more risk.",
)
@option(
    "--rules",
    type=("paper", "regulation"),
    default="regulation",
    help="Which form of a HIPAA rule --than means: as written, with ZIP codes, or as the paper simplifies it.",
)
@zip3_option
@option(
    "--g", type=click.IntRange(min=1, max=MOST_G), help="Measure risk by g-distinct with this g instead of total risk."
)
@option(
    "--keep",
    multiple=True,
    metavar="FIELD[=HOW]",
    help="A field that must be released at least this finely: sex, race, race=broad, birth=five_years, "
    "geography=county; repeat for more.",
)
@option(
    "--weights",
    type=FilePath(path_type=Path),
    metavar="FILE.toml",
    help="A file of weights per field, such as 'race = 2'. [default: utility is the entropy of the release]",
)
@option(
    "--age-classes", is_flag=True, help="Also consider every way to divide ages into classes, and find the best one."
)
@in_file_option
@option(
    "--risk-between",
    nargs=2,
    type=float,
    metavar="LOW HIGH",
    help="Keep only policies whose risk, as a share of the state's people (0 to 1), is in this range.",
)
@option(
    "--rows",
    "subset",
    type=("all", "frontier", "better"),
    help="Which policies to show: all, those on the frontier, or those better than --than. [default: better in a "
    "table, else all]",
)
@days_option
@format_option
@out_option("Write policies.csv, best.csv, the frontier of each state, the map of the best policy and manifest.json.")
def explore(states: tuple[str, ...], form: str, out: Path | None, subset: str | None, **options: Any) -> None:
    """Search all policies for those that release more detail at no more risk.

    A policy says how finely a release shows sex, race, birth and place; the command tries every combination. Utility is
    the share of the information that is left: the entropy of the released values, divided by that of the finest policy.

    \b
    Examples:
      policy-sim explore --state OH
      policy-sim explore --state OH --risk-between 0.0001 0.001 --rows frontier
      policy-sim explore --state WA --keep sex --keep race --age-classes
      policy-sim explore --state OH --in-file 0.01
      policy-sim explore --format csv > policies.csv
      policy-sim explore --state OH --population us-2010-zip --out ohio
    """
    answer, chosen = _search(states=states, **options)
    subset = subset or ("better" if form == "table" else "all")
    rows = answer.to_frame()
    rows = rows if subset == "all" else rows[rows[subset]]
    origin = answer.provenance
    notes = [*place_note(origin.study, origin.question), *origin.notes, *_own_release(answer)]
    if subset == "better" and rows.empty:
        notes.append("nothing better: keep fewer fields, or see with --rows frontier what comes closest")
    deliver(
        rows,
        form,
        out,
        answer.provenance,
        lambda: _table(answer, rows, subset),
        files={"policies.csv": answer.rows, "best.csv": answer.best()} if out is not None else {},
        figures=lambda: _figures(answer),
        notes=notes,
        written="tables, figures and manifest.json",
        **chosen,
    )


def _search(
    states: tuple[str, ...],
    population: str | None,
    than: str,
    rules: str,
    zip3: str,
    g: int | None,
    risk_between: tuple[float, float] | None,
    days_per_year: float,
    **options: Any,
) -> tuple[ExplorationAnswer, dict[str, Any]]:
    """Search the policies; also return the options that the answer's provenance lacks."""
    from policy_sim.study.study import Study

    study = Study(population, days_per_year=days_per_year, zip3=zip3)
    risk = "total_risk" if g is None else f"distinct_{g}"
    answer = study.explore(states or None, than, risk, g or None, rules=rules, **options)
    if risk_between:
        answer = answer.within(*risk_between)
    return answer, {"risk_between": list(risk_between) if risk_between else None}


def _table(answer: ExplorationAnswer, rows: pd.DataFrame, subset: str) -> str:
    """Return the chosen policies of one state, or the best policy of each of several states."""
    from policy_sim.show.frontier_figure import best_table, policies_table

    if len(answer.baseline) > 1:
        return best_table(answer.best(), answer.than, answer.risk)
    return policies_table(rows, answer.baseline, subset, answer.risk)


def _own_release(answer: ExplorationAnswer) -> list[str]:
    """Describe the state's own release, if the search is about one state and its file can be measured."""
    from policy_sim.show.list_text import own_release_line
    from policy_sim.study.lists import own_release

    study = answer.provenance.study
    if len(answer.baseline) != 1:
        return []
    before = answer.baseline.iloc[0]
    g = int(answer.risk.removeprefix("distinct_")) if answer.risk.startswith("distinct_") else None
    try:
        policy, profile = own_release(study, str(before["state"]), g)
    except InputError as error:
        return [f"the state's own release was not measured: {error}"]
    measure = "total-risk" if g is None else f"{g}-distinct"
    terms = policy.remarks if profile.status.has_figure else ()
    return [own_release_line(policy, profile, measure, float(before[answer.risk])), *terms]


def _figures(answer: ExplorationAnswer) -> Iterator[tuple[str, Figure]]:
    from policy_sim.show.frontier_figure import best_policy_map, frontier_figure

    notes = answer.provenance.figure_notes
    for state, rows in answer.rows.groupby("state", sort=False, observed=True):
        marks = answer.marks[answer.marks["state"] == state]
        yield f"frontier-{state}", frontier_figure(rows, marks, answer.risk, notes)
    if len(answer.baseline) > 1:
        yield "best-policy", best_policy_map(answer.best(), answer.than, answer.risk, notes)
