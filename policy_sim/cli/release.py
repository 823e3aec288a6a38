"""Commands that de-identify a file of records, step by step."""

from __future__ import annotations

import csv
import datetime as dt
import json
import shlex
from collections.abc import Sequence
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import policy_sim
from policy_sim.cli.commands import group
from policy_sim.cli.inputs import FILE_OR_FOLDER, INPUT, RECORDS
from policy_sim.cli.options import DAY, FILE, FOLDER, Form, format_option, option
from policy_sim.cli.output import Progress, print_rows, put
from policy_sim.cli.release_answers import as_json, columns_lines
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.telling import telling

if TYPE_CHECKING:
    from policy_sim.release.results import ReleaseResult

_NEW_PROJECT = click.argument("project", type=FILE)
_PROJECT = click.argument("project", type=INPUT)
_PROJECT_OR_RELEASE = click.argument("project", type=FILE_OR_FOLDER)
_format = option(
    "--format", "form", type=Form(("text", "json")), default="text", help="A report for people, or as JSON."
)
_FOLDER = option("--out", required=True, type=FOLDER, metavar="DIR", help="The folder of the release.")


@group()
def release() -> None:
    """De-identify a file step by step: questions, verdict, de-identification, dossier.

    \b
    Examples:
      policy-sim release new visits.csv release.toml
      policy-sim release status release.toml
      policy-sim release step release.toml threshold --answer invasion=medium --by 'A. Officer'
      policy-sim release frontier release.toml
      policy-sim release run release.toml --out released
      policy-sim release recheck release.toml --out released --population us-2022
    """


@release.command()
@click.argument("file", type=RECORDS)
@_NEW_PROJECT
@option("--title", default="", help="Title of the release. [default: the file's name]")
@option(
    "--edition",
    type=("ipc-2016", "ipc-2025", "ihe-2026-draft"),
    default="ipc-2016",
    help="Which guidelines to follow: Ontario's nine steps of 2016 or twelve of 2025, or the seven of IHE's draft.",
)
@option(
    "--mapping",
    type=INPUT,
    metavar="TOML",
    help="A mapping file, as 'dataset check' writes it: what the columns and codes mean.",
)
@option(
    "--policy",
    default="",
    metavar="NAME|FILE",
    help="A policy that the released file must conform to, such as safe-harbor. [default: aim at a threshold of risk]",
)
@option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several.")
def new(file: Path, project: Path, **options: Any) -> None:
    """Write a PROJECT file for FILE: every column is undecided, with a note on what it looks like.

    \b
    Examples:
      policy-sim release new visits.csv release.toml
      policy-sim release new visits.csv release.toml --policy safe-harbor
      policy-sim release new visits.csv release.toml --edition ipc-2025 --title 'Visits of 2025'
      policy-sim release new visits.csv release.toml --mapping visits.toml
    """
    with Progress("reading the file") as progress, telling(progress):
        created = policy_sim.Release.new(file, project, **options)
    looks = created.project.looks
    guesses = sum(bool(look.guess) for look in looks.values())
    click.echo(
        f"Wrote {project}: {guesses:,} of {len(looks):,} columns {'has' if guesses == 1 else 'have'} a guess that you "
        "can accept; the others are left out of the release unless you decide on them.",
        err=True,
    )
    if codes := ", ".join(filter(None, created.project.file.missing)):
        click.echo(f"taken for a missing value: {codes}. Where one is an answer, delete it from 'missing'.", err=True)
    click.echo(f"next: {_next(created, project)}", err=True)


@release.command()
@_PROJECT
@format_option
def status(project: Path, form: str) -> None:
    """Show which steps of PROJECT are done, and what is missing.

    \b
    Examples:
      policy-sim release status release.toml
      policy-sim release status release.toml --format json
    """
    import pandas as pd

    opened = policy_sim.Release(project)
    rows = [
        (number, state.step.id, "done" if state.is_done else "open", ", ".join(state.missing), state.step.citation)
        for number, state in enumerate(opened.status(), 1)
    ]
    frame = pd.DataFrame(rows, columns=["number", "step", "state", "missing", "source"])
    if form == "text":  # one table on a page: the sources are in the other forms and in the dossier
        frame = frame.drop(columns="source")
    print_rows(frame, form, [f"guidelines: {opened.project.edition.title}", f"next: {_next(opened, project)}"])


def _left(opened: policy_sim.Release) -> list[str]:
    """Return what is missing in all steps, each thing once."""
    every = list(dict.fromkeys(name for state in opened.status() for name in state.missing))
    return [name for name in every if name.removeprefix("answer to ") == name or name[len("answer to ") :] not in every]


def _next(opened: policy_sim.Release, project: Path | str) -> str:
    """Say which command comes next."""
    from policy_sim.release.project import NOT_RUN

    project = shlex.quote(str(project))
    guessed = any(opened.project.looks[column].guess for column in opened.project.undecided)
    if guessed and opened.project.missing_for_run:
        return f"accept the guesses: policy-sim release step {project} variables --accept-guesses --by 'YOUR NAME'"
    optional = opened.project.target.aim == "policy" and not opened.project.missing_for_run
    if set(_left(opened)) - {NOT_RUN} and not optional:
        return f"answer what is missing: policy-sim release step {project}"
    if NOT_RUN not in _left(opened):
        return f"check later whether the verdict is still true: policy-sim release recheck {project} --out FOLDER"
    return f"make the release: policy-sim release run {project} --out released"


@release.command()
@_PROJECT
@click.argument("step", required=False)
@option(
    "--answer",
    "answers",
    multiple=True,
    metavar="NAME=VALUE",
    help="An answer, as NAME=VALUE; repeat for more. [default: ask at the terminal]",
)
@option(
    "--role",
    "roles",
    multiple=True,
    metavar="COLUMNS=ROLE",
    help="Roles of columns: direct, key, sensitive or other, such as 'Sex,Race=key'; --evidence gives the reason.",
)
@option(
    "--accept-guesses",
    is_flag=True,
    help="Accept the guess about each undecided column for which the project file has one.",
)
@option(
    "--youngest",
    multiple=True,
    metavar="COLUMNS=AGE",
    help="The youngest that anyone can be at the date in a column, such as medicare_start=65; --evidence says why.",
)
@option(
    "--is-not",
    multiple=True,
    metavar="COLUMN=WHAT",
    help="What the values of a column only look like, in the words of the verdict; --evidence says what they are.",
)
@option(
    "--pseudonym",
    "pseudonyms",
    multiple=True,
    metavar="COLUMN",
    help="Replace an identifier by a keyed pseudonym, which joins the rows of a person; repeat for more.",
)
@option(
    "--keep",
    multiple=True,
    metavar="FIELDS=TIMES",
    help="How many times the loss of key fields counts in the search, such as age=3; 1 is usual. Repeat for more.",
)
@option("--treatment", default="", metavar="HOW", help="What becomes of the columns of --role, such as drop.")
@option("--kind", default="", metavar="KIND", help="What the columns of --role are read as, such as date.")
@option("--form", default="", metavar="FORM", help="Form of their dates, such as %d/%m/%Y, or of states: fips or ssa.")
@option(
    "--code",
    "codes",
    multiple=True,
    type=click.Tuple([str, str, str]),
    metavar="COLUMN VALUE MEANING",
    help="What a value of a column means, such as sex Femle F; empty: a missing value; the value itself: none. Repeat.",
)
@option(
    "--set",
    "settings",
    multiple=True,
    metavar="TABLE.KEY=VALUE",
    help="A key of the table file, about, target, population or settings, such as file.person=mrn; repeat for more.",
)
@option("--by", default="", help="Name of the person who answers.")
@option("--evidence", default="", help="Evidence for the answers: a document, or a source with its date.")
@option(
    "--on",
    type=DAY,
    metavar="DAY",
    help="Date of the answers. [default: today]",
)
def step(
    project: Path,
    step: str | None,
    answers: tuple[str, ...],
    roles: tuple[str, ...],
    accept_guesses: bool,
    youngest: tuple[str, ...],
    is_not: tuple[str, ...],
    pseudonyms: tuple[str, ...],
    keep: tuple[str, ...],
    treatment: str,
    kind: str,
    form: str,
    codes: tuple[tuple[str, str, str], ...],
    settings: tuple[str, ...],
    by: str,
    evidence: str,
    on: dt.date | None,
) -> None:
    """Answer the questions of PROJECT, or of one STEP, at the terminal or with --answer and --role.

    The command saves each answer immediately. You can answer a step again; the new answer replaces the old one.

    \b
    Examples:
      policy-sim release step release.toml
      policy-sim release step release.toml variables --accept-guesses --by 'A. Officer'
      policy-sim release step release.toml variables --role Sex,Race=key --evidence 'neighbors know them' --by A.Officer
      policy-sim release step release.toml variables --youngest medicare_start=65 --evidence 'the law' --by A.Officer
      policy-sim release step release.toml variables --is-not 'bill=seconds since 1970' --evidence bills --by A.Officer
      policy-sim release step release.toml variables --pseudonym mrn --by 'A. Officer'
      policy-sim release step release.toml variables --keep age=3 --keep sex=2
      policy-sim release step release.toml variables --code sex Femle F --code sex '?' ''
      policy-sim release step release.toml --set target.aim=risk --set target.threshold=k=11 --set file.person=mrn
      policy-sim release step release.toml context-risk --answer controls=high --answer motives=low --by 'A. Officer'
    """
    from policy_sim.cli.release_settings import map_codes, write_settings

    opened = policy_sim.Release(project)
    steps = [item.id for item in opened.project.edition.steps]
    if step is not None and step not in steps:
        raise UnknownNameError("step", step, steps)
    day = on or dt.date.today()
    if (treatment or kind or form) and not roles:
        raise InputError("--treatment, --kind and --form are of the columns of --role: give it too, such as zip=key.")
    write_settings(opened, settings)
    map_codes(opened, codes)
    for answer in answers:
        name, sign, value = answer.partition("=")
        if not sign:
            raise InputError(f"--answer {answer!r}: write it as NAME=VALUE, such as invasion=medium.")
        opened.answer(name, value, by=by, evidence=evidence, on=day)
    more = {name: text for name, text in (("treatment", treatment), ("kind", kind), ("format", form)) if text}
    give_roles(opened, roles, by, evidence, day, **more)
    for text in youngest:
        columns, _, age = text.rpartition("=")
        if not columns or not (age.isascii() and age.isdigit()):
            raise InputError(f"--youngest {text!r}: write it as COLUMN=AGE, such as medicare_start=65.")
        for column in [columns] if columns in opened.columns else _names_in(columns):
            opened.state_youngest(column, int(age), by=by, evidence=evidence, on=day)
    for text in is_not:
        columns, _, what = text.rpartition("=")
        if not columns or not what:
            raise InputError(f"--is-not {text!r}: write it as COLUMN=WHAT, such as 'bill=long numbers'.")
        for column in [columns] if columns in opened.columns else _names_in(columns):
            opened.state_is_not(column, what, by=by, evidence=evidence, on=day)
    for column in pseudonyms:
        changed = opened.pseudonym(column, reason=evidence, by=by, on=day)
        who = f"; rows with the same {changed.file.person} belong to one person" if changed.file.person else ""
        click.echo(f"{column}: keyed pseudonym, key in {changed.settings.key_file}{who}", err=True)
    if accept_guesses:
        if not by:
            raise InputError("accepted guesses need a name: give it with --by, such as 'A. Officer'.")
        for column in opened.accept_guesses(by=by, on=day):
            click.echo(f"{column}: {opened.project.role_of(column)} ({opened.project.looks[column].text})", err=True)
    for text in keep:
        columns, _, times = text.rpartition("=")
        opened.weigh(**dict.fromkeys(_names_in(columns), _times(text, times)))
    if not any((answers, roles, accept_guesses, youngest, is_not, pseudonyms, keep, codes, settings)):
        by = by or click.prompt("Name of the person who answers", err=True)
        if step in (None, "variables"):
            ask_roles(opened, by, day)
        _ask(opened, step or "", by, day)
    click.echo(f"{project}: {_where(opened)}", err=True)
    if _left(opened):
        click.echo(f"next: {_next(opened, project)}", err=True)


def _times(text: str, times: str) -> float:
    try:
        return float(times)
    except ValueError:
        raise InputError(f"--keep {text!r}: write it as FIELDS=TIMES, such as age=3.") from None


def _where(opened: policy_sim.Release) -> str:
    """Say what a project still lacks: for its run, or, once it can run, for its dossier."""
    from policy_sim.release.project import NOT_RUN

    left = _left(opened)
    if not left:
        return "every step is done"
    if opened.project.missing_for_run:
        return f"missing: {', '.join(left)}"
    open_names = [name for name in left if name != NOT_RUN]
    return "; ".join(
        [
            "ready to run",
            *([f"not answered yet (you can run it without): {', '.join(open_names)}"] if open_names else []),
        ]
    )


def _ask(opened: policy_sim.Release, step: str, by: str, on: dt.date) -> None:
    """Ask every question of a step, or all open questions, and save each answer immediately."""
    asked_ids: set[str] = set()
    while True:
        edition, known_answers = opened.project.edition, opened.project.answers
        waiting = edition.asked(known_answers, step) if step else edition.open(known_answers)
        question = next((question_item for question_item in waiting if question_item.id not in asked_ids), None)
        if question is None:
            return
        asked_ids.add(question.id)
        click.echo(f"\n{question.asks}\n  ({question.citation})", err=True)
        for question_item in question.consider:
            click.echo(f"  - {question_item}", err=True)
        for value, meaning in question.choices.items():
            click.echo(f"  {value}: {meaning}", err=True)
        before = known_answers[question.id].value if question.id in known_answers else question.usual or None
        while True:
            value = click.prompt(question.id, default=before, err=True)
            try:
                question.check(str(value))
                break
            except InputError as error:
                click.echo(str(error), err=True)
        evidence = click.prompt("What is the evidence?", default="", show_default=False, err=True)
        opened.answer(question.id, str(value), by=by, evidence=evidence, on=on)


@release.command()
@_PROJECT_OR_RELEASE
@_FOLDER
@option(
    "--file",
    type=FILE_OR_FOLDER,
    metavar="FILE",
    help="The file of records, if it is not where the project says.",
)
@option("--node", default="", metavar="NODE", help="A node of 'release frontier', such as 2-0-1, or local.")
@option("--threshold", default="", metavar="K", help="A threshold or policy instead of the project's.")
@option(
    "--as",
    "written_as",
    type=("csv", "xlsx", "parquet"),
    help="Format of the released file. [default: as the file of records, Parquet or else CSV]",
)
@option(
    "--next-to",
    multiple=True,
    metavar="PLACES",
    help="What is out already, or will be, next to a release by areas: county, zip3, state, a file of areas, or the "
    "folder of a release. The release is refused where few people are in an area and in such a place at once; repeat.",
)
@option("--keep-order", is_flag=True, help="Keep the order of the file's rows. [default: draw an order]")
@_format
def run(project: Path, out: Path, file: Path | None, form: str, written_as: str | None, **options: Any) -> None:
    """De-identify the file of PROJECT, measure the result, attack the written file, and write the dossier.

    DIR/send has what may be sent: the released file and its dictionary. DIR/keep has what stays: the project, the
    dossier and the figures. PROJECT may also be the folder of a release, which gives the same file again, or its
    dossier, which gives the same rows in another order.

    Exit status: 0 the verdict is MET; 1 NOT MET; 3 NOT TESTED. DIR/send exists only if the verdict is MET.

    \b
    Examples:
      policy-sim release run release.toml --out released
      policy-sim release run release.toml --out released --as xlsx
      policy-sim release run released --out again
      policy-sim release run dossier.html --file visits.csv --out again
      policy-sim release run release.toml --next-to county --next-to before/areas.csv --out released
      policy-sim release run release.toml --threshold k=11 --node 2-0-1 --out eleven
    """
    from policy_sim.cli.release_groups import undecided_lines
    from policy_sim.release.recheck import project_of

    with Progress() as progress, project_of(project) as path:
        opened = policy_sim.Release(path)
        if opened.project.nothing_to_release:
            for line in undecided_lines(opened, project):
                click.echo(line, err=True)
        result = opened.run(out, file=file, form=written_as or "", progress=progress, **options)
    if form == "json":
        put(json.dumps(as_json(result), indent=2, ensure_ascii=False, default=methodcaller("item")) + "\n")
    else:
        _say(result, out, project)
    if not result.verdict.is_met:
        raise SystemExit(result.verdict.exit_status)


@release.command()
@_PROJECT
@option("--threshold", "thresholds", multiple=True, metavar="K", help="Such as k=11 or safe-harbor; repeat.")
@option("--out", type=FOLDER, metavar="DIR", help="A folder for the picture and the table as CSV.")
@format_option
def frontier(project: Path, thresholds: tuple[str, ...], out: Path | None, form: str) -> None:
    """Show what a release of PROJECT loses at each threshold; 'release run' takes the node of each point.

    \b
    Examples:
      policy-sim release frontier release.toml
      policy-sim release frontier release.toml --threshold k=5 --threshold k=11 --out frontier
    """
    from policy_sim.release.run import weights_of
    from policy_sim.release.search import weights_text

    opened = policy_sim.Release(project)
    with Progress() as progress:
        rows = opened.frontier(*filter(None, [thresholds]), progress=progress)
    weights = weights_of(opened.project)
    weighed = f"weighted loss: the same, counting {weights_text(weights)}; the search makes it small" if weights else ""
    notes = [
        "loss: the mean over records and key fields of (m - 1) / (D - 1); a suppressed record loses 1",
        *filter(None, [weighed]),
        "to make a point's file: policy-sim release run PROJECT --threshold K --node NODE --out DIR",
    ]
    print_rows(rows, form, notes)
    if out is not None:
        from policy_sim.show.frontier_figure import release_frontier_figure
        from policy_sim.show.save import save_figure

        out.mkdir(parents=True, exist_ok=True)
        rows.to_csv(out / "frontier.csv", index=False)
        save_figure(release_frontier_figure(rows), out / "frontier")


def _say(figures: ReleaseResult, out: Path, project: Path) -> None:
    from policy_sim.cli.release_groups import left_out_lines
    from policy_sim.release.costs import departure_text
    from policy_sim.release.dossier import population_text, recoding_text
    from policy_sim.release.identifiability import level_line
    from policy_sim.release.written import ReleaseFolder
    from policy_sim.show.numbers import percent

    assessment, search = figures["assessment"], figures["search"]
    lines = [*columns_lines(figures), f"aim: {figures['aim']}", str(figures.verdict)]
    if assessment is not None:
        lines.append(f"before: {assessment['before']['why']}")
        lines += [f"after: {assessment['after']['why']}"] if figures.verdict.is_met else []
    else:
        for when in ("before", "after"):
            risk = figures[when]
            average = "" if risk["average"] is None else f"; average risk {percent(risk['average'])}"
            people = "people" if figures["people"] else "rows"
            lines.append(f"{when}: {risk['uniques']:,} of {risk['records']:,} {people} are unique{average}")
        lines.append("average risk: the chance that someone who knows who is in the file finds the right person")
    if (found := figures["identifiability"]) is not None:
        lines.append(level_line(found))
    if search is not None:
        levels = ", ".join(f"{field}: {level}" for field, level in search["levels"].items())
        blanked = f", {search['blanked']:,} released without some of their cells" if search["blanked"] else ""
        lines.append(f"levels: {levels}; {search['suppressed']:,} of {search['drawn']:,} rows suppressed{blanked}")
        lines += filter(None, (recoding_text(search), departure_text(search), population_text(figures)))
    if figures.verdict.is_met:
        lines += [*figures["notes"], f"sha256 of {figures['output']['name']}: {figures['output']['sha256']}"]
    click.echo("\n".join([*lines, *left_out_lines(figures, project)]))
    click.echo(f"Written to {out}: {', '.join(ReleaseFolder.find(out).files)}.", err=True)


@release.command()
@_PROJECT
@_FOLDER
def report(project: Path, out: Path) -> None:
    """Write the dossier of PROJECT again from the figures in the release's folder.

    \b
    Examples:
      policy-sim release report release.toml --out released
    """
    click.echo(str(policy_sim.Release(project).report(out)))


@release.command()
@_FOLDER
@format_option
def stages(out: Path, form: str) -> None:
    """Show the stages of a release by IHE's handbook: what each does, who does it, and how identifiable the data are.

    Only a release of the edition ihe-2026-draft has levels. The same table is in its dossier.

    \b
    Examples:
      policy-sim release stages --out released
      policy-sim release stages --out released --format csv
    """
    from policy_sim.cli.release_answers import print_stages

    print_stages(out, form)


@release.command()
@_PROJECT
@_FOLDER
@option("--population", default="", metavar="NAME|FILE", help="Measure the release against this newer population.")
@option("--overlap", type=INPUT, help="Another release about the same people.")
@option("--on", "overlap_on", default="", metavar="COLUMN", help="The column that both releases share.")
@format_option
def recheck(project: Path, out: Path, form: str, **options: Any) -> None:
    """Attack a release of PROJECT again, and check whether its verdict is still true, and if not, why.

    Exit status: 0 the verdict is MET; 1 NOT MET; 3 NOT TESTED, also if it is unknown whether a check passes.

    \b
    Examples:
      policy-sim release recheck release.toml --out released
      policy-sim release recheck release.toml --out released --population us-2022
      policy-sim release recheck release.toml --out released --overlap other/send/release.csv --on patient
    """
    from policy_sim.release.written import ReleaseFolder

    checked = policy_sim.Release(project).recheck(out, **options)
    if form == "json":
        answer = checked.verdict.as_json() | {"checks": list(checked)}
        put(json.dumps(answer, indent=2, ensure_ascii=False) + "\n")
    else:
        print_rows(checked.to_frame(), form, ReleaseFolder.find(out).notes, verdict=str(checked.verdict))
    if not checked.verdict.is_met:
        raise SystemExit(checked.verdict.exit_status)


def give_roles(
    opened: policy_sim.Release, texts: Sequence[str], by: str, reason: str, on: dt.date, **more: str
) -> None:
    """Write the roles that options give, each for one column or several with commas."""
    from policy_sim.records.census_values import alike_name
    from policy_sim.release.treatments import ROLES

    columns_known = opened.columns
    for text in texts:
        names, sign, role = text.rpartition("=")
        columns = [names] if names in columns_known else _names_in(names)
        columns = [alike_name(column, columns_known) or column for column in columns]
        if not sign or not all(columns):
            raise InputError(f"--role {text!r}: write it as COLUMN=ROLE, such as 'Sex,Race=key'.")
        if not reason:
            raise InputError("a role needs a reason: give it with --evidence, such as 'neighbors know it'.")
        if role not in ROLES:
            raise UnknownNameError("role of a column", role, ROLES)
        for column in columns:
            if column not in columns_known:
                raise UnknownNameError("column of the project", column, columns_known)
        looks = [opened.project.looks[column].text for column in columns]
        opened.classify(columns, role, reason, by=by, on=on, **more)
        for column, look in zip(columns, looks, strict=True):
            if look:
                click.echo(f"{column}: {role}. It looks like: {look}", err=True)


def _names_in(text: str) -> list[str]:
    """Return names with commas between them; one with a comma of its own stands in double quotes, as in CSV."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def ask_roles(opened: policy_sim.Release, by: str, on: dt.date) -> None:
    """Ask for the role of each undecided group or column and for the reason, and save each answer immediately."""
    from policy_sim.cli.release_groups import without_groups
    from policy_sim.release.treatments import ROLES

    columns = without_groups(opened, by, on)
    if columns:
        click.echo(f"\nWhat is each of {len(columns):,} columns? (docs/release.md, variables)", err=True)
        for role, meaning in ROLES.items():
            click.echo(f"  {role}: {meaning}", err=True)
    for column in columns:
        look = opened.project.looks[column]
        click.echo(f"\n{column}: {look.text or 'nothing is known about it'}", err=True)
        role = click.prompt("role", type=click.Choice(list(ROLES)), default=look.guess or None, err=True)
        reason = click.prompt("Why?", err=True)
        opened.classify(column, role, reason, by=by, on=on)
