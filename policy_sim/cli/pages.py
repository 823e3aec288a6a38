"""Commands that write pages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import policy_sim
from policy_sim.cli.commands import command
from policy_sim.cli.inputs import INPUT, RECORDS
from policy_sim.cli.lists_files import which_lists_options
from policy_sim.cli.options import (
    DAY,
    FILE,
    FOLDER,
    ask,
    brief_file_option,
    hipaa_option,
    lists_option,
    many_states_option,
    option,
    policies_option,
    population_option,
    states_asked,
    study_options,
)
from policy_sim.cli.output import Progress
from policy_sim.files.writing import replace_file
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_state

if TYPE_CHECKING:
    from policy_sim.attackers.in_file import InFile
    from policy_sim.briefs import Brief


def _paper_of(path: Path, study: policy_sim.Study, stated: dict[str, Any], state: str, progress: Progress) -> Brief:
    """Return the paper about the file of a project."""
    from policy_sim.release.door import Release
    from policy_sim.release.paper import columns_released, paper_of_project

    project, released = Release(path).project, columns_released(path)
    return paper_of_project(project, study, stated=stated, written=released, state=state, progress=progress)


@command()
@click.argument("state", required=False)
@option("--against", metavar="STATE|US", help="Add this state to the table of neighboring states.")
@brief_file_option
@policies_option("Policies, two or more; the last one is what is proposed, and the others are shown for comparison.")
@option(
    "--file",
    "records_file",
    type=RECORDS,
    metavar="FILE",
    help="Instead of --in-file and --from: count the people, and the counties or ZIP codes they live in, in this file "
    "of records. Their age, sex and race stay those of the census.",
)
@option("--mapping", type=INPUT, metavar="TOML", help="With --file: which column is which, and who is one person.")
@option(
    "--project",
    type=INPUT,
    metavar="TOML",
    help="Instead of --file and --policies: the file of this project of 'release', with its person, rule and columns.",
)
@option("--what", metavar="TEXT", help="What the file contains, such as 'discharge records'. [default: health records]")
@option("--period", metavar="TEXT", help="The period of the records, such as 2024.")
@option("--to", "recipient", metavar="TEXT", help="Who would receive the file, and for which use.")
@option("--bill", multiple=True, metavar="ITEM=VALUE", help="One page on a change of list law, such as birth=year.")
@option("--before", metavar="VINTAGE", help="One page on what changed since the list of this year or scenario.")
@hipaa_option(
    "Use the HIPAA rules as written, or as Benitez & Malin (2010) simplify them.",
    default="regulation",
)
@population_option
@which_lists_options
@option("--date", type=DAY, help="Date of the brief; the age of each fact is counted to this date. [default: today]")
@option(
    "--format",
    "form",
    type=("html", "docx", "pdf", "md"),
    help="Format. [default: from the ending of --out, else html]",
)
@option("--out", type=FILE, metavar="FILE", help="File to write. [default: brief-STATE.html here]")
def brief(
    state: str | None,
    against: str | None,
    in_file: float | InFile | None,
    records_file: str | None,
    mapping: Path | None,
    project: Path | None,
    bill: tuple[str, ...],
    before: str | None,
    form: str | None,
    out: Path | None,
    **options: Any,
) -> None:
    """Write two or three pages about a release in one STATE, or one about the nation (US), and an annex.

    A file of several states, by --from or as --file has them, has one paper: the whole and a row for each state.

    Page one says what is proposed, how many people could be named, what the law asks, how that compares with limits in
    use, and how sure it is. Page two says what would lower the figure, what the voter list costs and what is assumed.
    For a limited data set, page three has what the agreement must contain, what is sent but is in no figure, and words
    for the minutes. The last page says when to review it, and has lines to sign. It is background for a decision, not
    a determination. The annex, next to it (ohio-annex.pdf), has every number with its formula and source. With --bill,
    the brief is a page on a change in list law; with --before, on the state or the nation under an earlier list and
    under that of --lists.

    \b
    Examples:
      policy-sim brief OH
      policy-sim brief OH --in-file 18000 --what "discharge records" --to "State University" --out ohio.pdf
      policy-sim brief OH --in-file 18000 --from "Allen,Auglaize,Lucas=40%" --out ohio.pdf
      policy-sim brief --in-file 4200 --from "OH: Lucas=60%, Wood; MI: Monroe" --out border.pdf
      policy-sim brief OH --file visits.csv --mapping visits.toml --out ohio.pdf
      policy-sim brief --project release.toml --out paper.pdf
      policy-sim brief OH --bill birth=year --format docx
      policy-sim brief VA --before 2020
      policy-sim brief US
    """
    nation, stated_file = state is not None and state.strip().upper() == "US", bool(records_file or project)
    named = () if state is None and stated_file else states_asked(state, in_file)
    postal = () if nation else tuple(find_state(name).postal for name in named)
    called = "us" if nation else "-".join(postal).lower() or "file"
    path = out or Path(f"brief-{called}.{form or 'html'}")
    if form is not None and path.suffix != f".{form}":
        path = path.with_suffix(f".{form}")
    with Progress() as progress:
        from policy_sim import briefs
        from policy_sim.records.engines.file_questions import counted_file
        from policy_sim.records.engines.sent_fields import sent_fields
        from policy_sim.show.document import check_format
        from policy_sim.voter_lists.changes import parse_changes

        check_format(path)
        progress("computing every state")
        stated: dict[str, Any] = {
            name: words for name in ("what", "period", "recipient") if (words := options.pop(name))
        }
        shared: dict[str, Any] = {name: options.pop(name) or None for name in ("policies", "rules", "date")}
        study = policy_sim.Study(**options)
        other = nation or before or bill
        if nation and (against or in_file or bill):
            raise InputError("a national brief does not take --against, --in-file or --bill: name a state to use them.")
        if other and not nation and (state is None or len(states_of_file(in_file, postal)) > 1):
            raise InputError("a page on a bill covers one state: name that state, and places in it alone.")
        if before and (bill or against):
            raise InputError("--before writes a page by itself: remove --bill and --against.")
        if stated and other:
            raise InputError("--what, --period and --to are for the paper on a release in one state.")
        if mapping is not None and records_file is None:
            raise InputError("--mapping needs --file: the file of records that it describes.")
        if records_file is not None and in_file is not None:
            raise InputError("--file counts the people itself: remove --in-file, --records and --from.")
        if records_file is not None and other:
            raise InputError("--file is for the paper on a release in one state.")
        if records_file is not None:
            counted = counted_file(records_file, next(iter(postal), None), study.counted, mapping)
            in_file, stated["counted"] = counted.in_file, counted.measured
            stated["sent"] = sent_fields(records_file, mapping)
        if project is not None:
            if other or in_file is not None or records_file is not None or shared["policies"]:
                raise InputError("--project has the file, its places and the rule itself: remove what else says them.")
            pages = _paper_of(project, study, stated, next(iter(postal), ""), progress)
        elif nation and before:
            pages = briefs.nation_vintage_brief(study, before, **shared)
        elif nation:
            pages = briefs.nation_brief(study, **shared)
        elif before:
            pages = briefs.vintage_brief(study, str(state), before, in_file=in_file, **shared)
        elif bill:
            pages = briefs.bill_brief(study, str(state), parse_changes(bill), in_file=in_file, **shared)
        else:
            proposal = briefs.Proposal(**stated)
            pages = briefs.state_brief(study, state, against=against, in_file=in_file, proposal=proposal, **shared)
        catchment = getattr(in_file, "catchment", None)
        other_states = catchment.shared_names(postal) if catchment and not stated_file else ""
        progress(f"writing {path.name}")
        pages.write(path)
    if other_states:
        click.echo(other_states, err=True)
    click.echo(f"Written to {path}, with an annex in {pages.annex_of(path)}.")


def states_of_file(in_file: float | InFile | None, states: Sequence[str]) -> Sequence[str]:
    """Return the states of a file: those asked about, and those that its places name."""
    catchment = getattr(in_file, "catchment", None)
    return states if catchment is None else catchment.states_with(states)


@command()
@many_states_option
@population_option
@lists_option
@option("--date", type=DAY, help="Date of the atlas; the age of each fact is counted to this date. [default: today]")
@option("--out", type=FOLDER, metavar="FOLDER", required=True, help="Write the pages into this folder, such as site.")
def atlas(states: tuple[str, ...], population: str | None, lists: str | None, date: dt.date | None, out: Path) -> None:
    """Write an atlas: linked pages on every state, policy and voter list, in a folder that needs no server.

    Each state has a page with its answer for a file of 1% of its people, its voter list with sources, and what a law on
    the list would change, with the data as CSV and JSON. With --state, only these states have a page. An atlas that is
    in the folder gives way to the new one when that is complete.

    \b
    Examples:
      policy-sim atlas --out site
      policy-sim atlas --state OH --state KY --out site
    """
    from policy_sim.atlas.site import check_folder, write_atlas
    from policy_sim.show.numbers import with_decimals

    check_folder(out)
    codes = tuple(dict.fromkeys(find_state(state).postal for state in states))
    with Progress() as progress:
        size = write_atlas(policy_sim.Study(population, lists), out, codes, date=date, report=progress)
    click.echo(
        f"Written to {out}: {with_decimals(size / 1e6, 1)} MB. "
        f"Open {out / 'index.html'} in a browser; it needs no network."
    )


@command()
@option("--population", metavar="NAME", help="The population to put into the page. [default: the newest]")
@lists_option
@option("--days-per-year", type=float, default=365.0, help="Number of equally likely birthdays in a year.")
@option("--out", type=FILE, metavar="FILE", required=True, help="Write the page to this file, such as explorer.html.")
def explorer(population: str | None, lists: str | None, days_per_year: float, out: Path) -> None:
    """Write one HTML page on which readers can explore every state, policy and attacker.

    The page contains the population of every county, the facts of every voter list and the formulas. It computes in the
    browser and needs no server and no network.

    \b
    Examples:
      policy-sim explorer --out explorer.html
      policy-sim explorer --population us-2010 --lists 2026 --out explorer-2010.html
    """
    if out.suffix.casefold() not in (".html", ".htm"):  # a browser shows another name as text
        raise InputError(f"--out {out}: the name of the page must end in .html.")
    with Progress("packing people, lists and maps into one page"):
        page = policy_sim.Study(population, lists, days_per_year).explorer().encode()
    replace_file(out, page)
    click.echo(f"{out}: {len(page):,} bytes. Open it in a browser; it needs no network.", err=True)


@command()
@study_options()
@option("--out", type=FILE, default=Path("policy-sim.xlsx"), metavar="FILE", help="The workbook to write.")
def workbook(out: Path, **options: Any) -> None:
    """Write the comparison as an Excel workbook with risk, trust, cost, list facts and sources.

    Trust and cost are live formulas: if you change a price, the cost changes too.

    \b
    Examples:
      policy-sim model workbook --out states.xlsx
      policy-sim model workbook --state OH --state WA --in-file 11000 --out two.xlsx
    """
    from policy_sim.briefs.workbook import study_workbook

    if out.suffix.casefold() != ".xlsx":
        raise InputError(f"--out {out}: the name of a workbook must end in .xlsx.")
    with Progress("measuring the states") as progress:
        studies = ask(**options)
        study = studies.only_study
        content = study_workbook(study, study.answer(studies.question))
        progress(f"writing {out.name}")
        replace_file(out, content)
    click.echo(f"Written to {out}.")
