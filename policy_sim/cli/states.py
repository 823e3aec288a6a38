"""Commands that compare states, and every policy in one state."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import policy_sim
from policy_sim.cli.commands import command
from policy_sim.cli.inputs import INPUT
from policy_sim.cli.options import (
    MOST_G,
    answer_to,
    ask,
    days_option,
    engine_option,
    g_option,
    hipaa_option,
    in_file_option,
    interval_option,
    many_states_option,
    option,
    out_options,
    population_option,
    released_option,
    stakes_options,
    states_asked,
    study_option,
    study_options,
    zip3_option,
)
from policy_sim.cli.output import Output, Progress, meaning, print_rows, write_rows
from policy_sim.words.errors import InputError
from policy_sim.words.states import is_whole

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.show.save import Drawers
    from policy_sim.study.compare import Studies
    from policy_sim.study.explore import ExplorationAnswer


@command()
@many_states_option
@population_option
@option(
    "--than",
    metavar="NAME|FILE",
    default="safe-harbor",
    help="The policy to beat: find policies that release more detail at no more risk.",
)
@hipaa_option(
    "Which form of a HIPAA rule --than means: as written, with ZIP codes, or as the paper simplifies it.",
    default="regulation",
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
    type=INPUT,
    metavar="FILE.toml",
    help="A file of weights per field, such as 'race = 2'. [default: utility is the entropy of the release]",
)
@option(
    "--age-classes", is_flag=True, help="Also consider every way to divide ages into classes, and find the best one."
)
@option(
    "--shift",
    multiple=True,
    type=click.IntRange(min=1, max=182),
    metavar="DAYS",
    help="Also search dates of birth that are shifted by up to this many days; repeat for more.",
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
@out_options("Write policies.csv, best.csv, the frontier of each state, the map of the best policy and manifest.json.")
@meaning(
    "Each policy's risk (people that an attacker who knows everyone is expected to match correctly) and its utility "
    "(share of the information that the release keeps)."
)
def explore(
    population: str | None,
    g: int | None,
    risk_between: tuple[float, float] | None,
    subset: str | None,
    output: Output,
    **options: Any,
) -> None:
    """Search all policies for those that release more detail at no more risk.

    A policy says how finely a release shows sex, race, birth and place; the command tries every combination. Utility is
    the share of the information that is left: the entropy of the released values, divided by that of the finest policy.

    \b
    Examples:
      policy-sim policy explore --state OH
      policy-sim policy explore --state OH --risk-between 0.0001 0.001 --rows frontier
      policy-sim policy explore --state WA --keep sex --keep race --age-classes
      policy-sim policy explore --state OH --in-file 0.01
      policy-sim policy explore --state OH --shift 30 --shift 180
      policy-sim policy explore --format csv > policies.csv
      policy-sim policy explore --state OH --population us-2010-zip --out ohio
    """
    options |= {"populations": (population,), "g": g, "risk": f"distinct_{g}" if g else "total_risk"}
    answer = answer_to(policy_sim.Study.explore, **options)
    if risk_between:
        answer = answer.within(*risk_between)
    subset = subset or ("better" if output.form == "text" else "all")
    rows = answer.to_frame()
    rows = rows if subset == "all" else rows[rows[subset]]
    closest = "nothing better: keep fewer fields, or see with --rows frontier what comes closest"
    output.deliver(
        answer,
        lambda rows: _frontier_table(answer, rows, subset),
        rows=rows,
        files={"policies.csv": answer.rows, "best.csv": answer.best()} if output.folder else {},
        figures=lambda: _frontier_figures(answer),
        first=[closest] if subset == "better" and rows.empty else [],
        last=_own_release(answer),
        written="tables, figures and manifest.json",
        risk_between=list(risk_between) if risk_between else None,
    )


def _frontier_table(answer: ExplorationAnswer, rows: pd.DataFrame, subset: str) -> str:
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


def _frontier_figures(answer: ExplorationAnswer) -> Iterator[tuple[str, Figure]]:
    for state in answer.rows["state"].unique():
        yield f"frontier-{state}", answer.plot(state)
    if len(answer.baseline) > 1:
        yield "best-policy", answer.map()


_G_MAX = 1_000  # of a state's curve; ``policy-sim model curve`` draws more
_FEW = 2  # states, each with a sentence for every policy and attacker


def _is_one_state(rows: pd.DataFrame) -> bool:
    """Tell whether rows are the comparison of one state on one population, and no breakdown of it."""
    whole = {"state", "population", "small_file_share"} <= set(rows)
    return whole and len(rows["state"].unique()) == len(rows["population"].unique()) == 1


def _compared(rows: pd.DataFrame) -> str:
    """Say what the numbers mean above a table; one state begins with its sentences and says it below."""
    return "" if _is_one_state(rows) else _meant(rows)


def _meant(rows: pd.DataFrame) -> str:
    """Say what the numbers of a comparison mean, and who the attackers are that it has."""
    from policy_sim.attackers.attacker import GENERAL, VOTER

    words = (
        "People that an attacker is expected to match to the right person, and their share of everyone in the file "
        "(%), under each release policy."
    )
    attackers = set(rows["attacker"]) if "attacker" in rows else set()
    have = {GENERAL.name: "GENERAL knows everyone.", VOTER: "VOTER has the state's voter list."}
    return " ".join([words, *(who for name, who in have.items() if name in attackers)])


@command()
@study_options()
@engine_option
@g_option
@interval_option
@option(
    "--by",
    type=("race", "ethnicity", "age", "sex", "county", "county-size"),
    help="Break every result down by race, ethnicity, age, sex or county. With --out, also draw bars or county maps.",
)
@option(
    "--release",
    "releases",
    multiple=True,
    metavar="newest|STATE:YEAR",
    help="Also measure the hospital data that states release: each state's newest file, or one such as NC:2016; "
    "repeat for more.",
)
@out_options("Also write the tables (csv, summary.txt), maps, figures and manifest.json into this folder.")
@meaning(_compared)
def compare(output: Output, by: str | None, **options: Any) -> None:
    """Compare the risk in every state under each policy and attacker.

    Total risk is the expected number of records that the attacker matches to the right person. G-distinct is the number
    of people who share their released values with fewer than g others. If a field of a voter list is unknown, the
    command gives the lowest and the highest figure. With several populations, it also shows how each state's risk
    changed since the first. With one state, --out draws its counties, its curve and its rank among the states.

    \b
    Examples:
      policy-sim compare
      policy-sim compare --as benitez-malin-2010 --out out
      policy-sim compare --state OH --state TX --g 1 --g 5 --format csv
      policy-sim compare --release newest --out releases
      policy-sim compare --by race --state OH
      policy-sim compare --by county --state OH --out ohio
      policy-sim compare --population us-2000 --population us-2010 --population us-2020 --out change
    """
    if by is not None:
        _compare_by(by, output, **options)
        return
    from policy_sim.show.save import Drawers

    # the helpers start while the figures are computed; one state has three quick pictures
    with Drawers(0 if output.folder is None or len(options["states"]) == 1 else None) as drawers:
        # the table of a published study is the study's own
        display = {"worth": options["preset"] is None, "g": options["g"] or ()}
        if output.folder is None and output.form == "text":
            options["g"] = options["g"] or (1,)  # a text shows no other size unless it was asked for
        studies = ask(**options)
        frames = comparison_frames(studies)
        if output.folder is not None:
            write_comparison(output.folder, studies, frames, display, drawers)
    notes = output.notes(studies.provenance("compare"))
    print_rows(frames["profiles"], output.form, notes, lambda _: _summary(frames, display))
    if output.folder is not None:
        output.say_written(f"tables, pictures, manifest.json. {output.folder / 'index.html'} shows them")


def comparison_frames(studies: Studies) -> dict[str, pd.DataFrame]:
    """Return the tables of a comparison by name."""
    return {
        "profiles": studies.to_frame(),
        "trust": studies.trust().to_frame(),
        "cost": studies.costs().to_frame(),
        "change": studies.changes().to_frame(),
    }


def write_comparison(
    out: Path,
    studies: Studies,
    frames: dict[str, pd.DataFrame],
    display: dict[str, Any],
    drawers: Drawers,
    only: Collection[str] = (),
) -> None:
    """Write the tables, their summary, maps and figures (``only`` these, if any are named), and what made them."""
    from policy_sim.files.output_folder import output_folder
    from policy_sim.show.change_figure import change_figures
    from policy_sim.show.distribution import comparison_drawings
    from policy_sim.show.document.markup import folder_page
    from policy_sim.show.opening import page_opening
    from policy_sim.show.save import save_figures
    from policy_sim.show.text_table import WIDTH

    origin = studies.provenance("compare")
    with Progress("drawing maps and figures"), output_folder(out, origin.manifest()) as folder:
        profiles, trust, cost, _ = frames.values()
        summary = [_summary(frames, display, WIDTH), *origin.notes]
        (folder / "summary.txt").write_text("\n".join(summary) + "\n", encoding="utf-8")
        for name, frame in frames.items():
            if len(frame) or name != "change":
                write_rows(frame, folder / f"{name}.csv")
        notes, restricted = origin.figure_notes, origin.restricted_states
        profiles, trust, cost = (rows[~rows["state"].map(is_whole).astype(bool)] for rows in (profiles, trust, cost))
        if len(studies.question.states or ()) == 1:
            save_figures(one_state_figures(studies), folder)
        else:
            drawings = comparison_drawings(profiles, trust, cost, notes, restricted)
            drawers.save([drawing for drawing in drawings if not only or drawing[0] in only], folder)
        save_figures(change_figures(profiles, notes), folder)
        names = [*sorted(path.name for path in folder.iterdir()), "manifest.json"]
        (folder / "index.html").write_text(folder_page(summary[0], names, *page_opening(profiles)), encoding="utf-8")


def _summary(frames: dict[str, pd.DataFrame], display: dict[str, Any], width: int | None = None) -> str:
    """Return the tables, as wide as the terminal or ``width`` columns; for a few states also in sentences."""
    from policy_sim.show.summary import state_table, summary_table
    from policy_sim.show.text_table import interval_table, match_sentences

    profiles, trust, cost, change = frames.values()
    if width is None and display["worth"] and _is_one_state(profiles):
        text = state_table(profiles, trust, cost, match_sentences(profiles), _meant(profiles), g=display["g"])
        return "\n\n".join([text, *([interval_table(profiles)] if "people_from" in profiles else [])])
    few = display["worth"] and len(profiles["state"].unique()) <= _FEW and len(profiles["population"].unique()) == 1
    tables = [
        summary_table(profiles, trust, cost, width, match_sentences(profiles) if few else (), **display),
    ]
    if len(change):
        from policy_sim.show.change_figure import change_table

        tables.append(change_table(change, width=width))
    if "people_from" in profiles:
        tables.append(interval_table(profiles, width))
    return "\n\n".join(tables)


def _compare_by(by: str, output: Output, **options: Any) -> None:
    """Break every measure down by who people are or where they live; print it, and write it with ``--out``.

    The printed table adds the states together; by county, each county has a row. With several populations, the command
    shows how each county's risk changed since the first, over areas with the same borders.
    """
    from policy_sim.show.change_figure import area_change_table, breakdown_table
    from policy_sim.study.answers import Answer

    studies = ask(**options)
    if studies.study.spread:
        raise InputError("--by and --interval do not work together: use one of them.")
    origin = studies.provenance("compare")
    if by == "county" and len(studies.studies) > 1:
        rows, notes = studies.county_changes()
        output.deliver(
            Answer(rows, "Changes by county", provenance=origin),
            area_change_table,
            files={"change-by-county.csv": rows},
            first=notes,
            written="change-by-county.csv and manifest.json",
            more={"by": by},
        )
        return
    # the text and the pictures show total risk and the chances of people
    distinct = output.folder is not None or output.form != "text"
    answer = replace(studies.breakdown(by, distinct=distinct), provenance=origin)
    output.deliver(
        answer,
        lambda rows: f"{_added_up(rows, by)}{breakdown_table(answer.together())}",
        files={f"by-{by}.csv": answer.to_frame()},
        figures=lambda: answer.figures().items(),
        written=f"by-{by}.csv, figures and manifest.json",
        more={"by": by},
    )


def _added_up(rows: pd.DataFrame, by: str) -> str:
    states = len(rows["state"].unique())
    return f"{states} states added up, as far as they have a figure\n" if states > 1 and by != "county" else ""


def one_state_figures(studies: Studies) -> Iterator[tuple[str, Figure]]:
    """Draw one state's counties, curve and rank in every population; yield each figure with its file name."""
    several = len(studies.studies) > 1
    for study in studies.studies:
        name = study.counted.name
        notes = [*([f"figure of: {name}"] if several else []), *studies.provenance().figure_notes]
        for stem, figure in _figures(studies, study, notes):
            yield f"{stem}-{name}" if several else stem, figure


def _figures(studies: Studies, study: policy_sim.Study, notes: list[str]) -> Iterator[tuple[str, Figure]]:

    from policy_sim.people.population import Population
    from policy_sim.show.change_figure import breakdown_figures
    from policy_sim.show.curves import curve_figure
    from policy_sim.show.distribution import place_figure
    from policy_sim.study.compare import total_risk, total_risk_by

    question = studies.question
    (state,) = question.states or ()
    people = study.counted
    from_places = question.in_file is not None and question.in_file.catchment is not None
    if len(people.states) > 1 and not from_places:  # other states have no such places
        nation = total_risk(study, replace(question, states=None), ranges=True)
        yield "place", place_figure(nation.to_frame(), state, notes)
    curves = replace(studies, studies=(study,)).curves(_G_MAX)
    yield "curve", curve_figure(curves.to_frame(), notes)
    if isinstance(people, Population) and "county" in people.cells and not from_places:
        parts = total_risk_by(study, "county", question)  # what the maps show
        yield from breakdown_figures(parts, notes)


@command()
@study_options()
@engine_option
@g_option
@option("--numerator", metavar="NAME|FILE", help="The policy in the numerator. [default: the last --policy]")
@option("--denominator", metavar="NAME|FILE", help="The policy in the denominator. [default: the first --policy]")
@interval_option
@out_options("Write trust.csv and manifest.json into this folder.")
@meaning(
    "How many times as many people are at risk under the numerator policy as under the denominator policy (ratio). "
    "total-risk counts the people that the attacker is expected to match correctly; g-distinct counts those who share "
    "their released values with fewer than g others. Undefined: nobody is at risk under the denominator. A range "
    "divides end by end, with one voter list above and below."
)
def trust(output: Output, numerator: str | None, denominator: str | None, **options: Any) -> None:
    """Divide the risk under one policy by the risk under another (the trust differential).

    Both risks use the same people, attacker and measure. If the denominator is 0, the status is 'undefined'.

    \b
    Examples:
      policy-sim model trust --state OH
      policy-sim model trust --numerator limited-dataset --denominator safe-harbor --g 5 --format csv
    """
    from policy_sim.show.text_table import trust_table

    policies = options["policies"] or ask(**options).question.policies
    below, above = denominator or str(policies[0]), numerator or str(policies[-1])
    studies = ask(**options | {"policies": (below, above)})
    if len(set(studies.question.names)) < len(studies.question.names):
        other = "--denominator safe-harbor" if "safe-harbor" not in (above, below) else "--numerator limited-dataset"
        raise InputError(f"policy {above!r} is both numerator and denominator: name two policies, such as {other}.")
    output.deliver(studies.trust(), trust_table)


@command()
@click.argument("state", required=False)
@study_options(without="states")
@engine_option
@option("--g-max", type=click.IntRange(min=1, max=1_000_000), default=20_000, help="Largest g.")
@out_options("Write curve.csv, trust.csv, the figures and manifest.json into this folder.")
@meaning(
    "Share of the people whose released values belong to g people or fewer. At g = 1, a person is unique. $ for each: "
    "the price of the voter list over these people."
)
def curve(state: str | None, g_max: int, output: Output, **options: Any) -> None:
    """Show the share of people who are g-distinct in one STATE, for g = 1, 2, ... --g-max.

    A person is g-distinct if fewer than g others share the released values. The table shows round values of g; other
    formats and the files have every value. The trust differential is the ratio between two policies.

    \b
    Examples:
      policy-sim model curve OH --as benitez-malin-2010 --out ohio
      policy-sim model curve OH --g-max 1000 --format csv > ohio.csv
      policy-sim model curve --in-file 4200 --from "OH: Lucas=60%, Wood; MI: Monroe" --g-max 100
    """
    from policy_sim.model.compare import with_trust
    from policy_sim.show.curves import curve_figures
    from policy_sim.show.text_table import curve_table

    studies = ask(**options, states=states_asked(state, options["in_file"]))
    answer = studies.curves(g_max, round_sizes=output.form == "text" and output.folder is None)
    curves, trust = answer.to_frame(), studies.curve_trust(answer)
    output.deliver(
        answer,
        curve_table,
        rows=with_trust(curves, trust),
        files={"curve.csv": curves, "trust.csv": trust},
        figures=lambda: curve_figures(curves, trust, answer.provenance.figure_notes),
    )


@command()
@option(
    "--at",
    "moments",
    multiple=True,
    metavar="POPULATION:LISTS",
    help="A date, as population:lists, such as us-2000:2008; repeat, oldest first. [default: us-2010:2008, "
    "us-2020:2020, us-2022:2026]",
)
@released_option
@many_states_option
@study_option("rules")
@study_option("coverage")
@in_file_option
@stakes_options("gain", "cost_per_attempt")
@out_options("Also write trends.csv, trends-changes.csv, the figure and manifest.json into this folder.")
@meaning(
    "Share of the people matched correctly, price of the voter list, and profit of the best attack at each date; then "
    "what changed them. A field of a list that no source mentions counts as withheld."
)
def trends(moments: tuple[str, ...], states: tuple[str, ...], output: Output, **options: Any) -> None:
    """Show risk, price and profit of an attack with the voter list at several dates, and what changed them.

    The command splits each change into the effects of people, list law, better sources on the list, and price, averaged
    over every order of the changes. Rules and coverage are those of compare. Where the people of one date have no ZIP
    codes (us-2000), every date is measured without them, and --hipaa regulation is refused.

    \b
    Examples:
      policy-sim econ trends --state OH --state VA
      policy-sim econ trends --at us-2000:2008 --at us-2020:2026 --out trends
      policy-sim econ trends --at us-2020:2020 --at us-2020:2026 --coverage everyone
    """
    from policy_sim.show.curves import trend_table
    from policy_sim.study.money import MOMENTS
    from policy_sim.study.money import trends as ask_trends

    pairs = [(population, lists) for population, _, lists in (moment.partition(":") for moment in moments)]
    if not all(population and lists for population, lists in pairs):
        raise InputError("--at takes a population and a vintage of lists, such as us-2000:2008.")
    chosen = {name: value for name, value in options.items() if value is not None}
    with Progress() as progress:
        answer = ask_trends(pairs or MOMENTS, states=states or None, tell=progress, **chosen)
    changes = answer.changes
    output.deliver(
        answer,
        lambda rows: trend_table(rows, changes),
        files={"trends.csv": answer.to_frame(), "trends-changes.csv": changes},
        figures=lambda: [("trends", answer.plot())],
    )
