"""``policy-sim releases``: the hospital records that states release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from policy_sim.cli.options import FilePath, format_option

if TYPE_CHECKING:
    from policy_sim.policies.states.state_release import StateRelease

__all__ = ["releases"]


_FILE = click.option("--file", "file_id", metavar="NAME", default="inpatient", show_default=True, help="Which file.")
_SETTING = click.option(
    "--setting",
    type=click.Choice(("inpatient", "emergency")),
    default="inpatient",
    show_default=True,
    help="Which kind of care the files are about.",
)
_YEAR = click.option("--year", type=int, help="Show files of this year. [default: each state's newest]")


@click.group()
def releases() -> None:
    """Show which hospital records states release, year by year.

    Each fact has a source. You can measure each file like a policy: 'compare --release newest', 'compare --release
    NC:2016'.

    \b
    Examples:
      policy-sim releases list
      policy-sim releases show NC
      policy-sim releases diff CA 2011 2020
    """


@releases.command("list")
@_SETTING
@_YEAR
@format_option()
def list_(setting: str, year: int | None, form: str) -> None:
    """List one file per state: what it shows of sex, race, birth and place, and on which terms.

    \b
    Examples:
      policy-sim releases list
      policy-sim releases list --year 1998 --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.states.files import newest_releases
    from policy_sim.policies.states.policy import terms
    from policy_sim.policies.states.tables import releases_frame
    from policy_sim.show.list_text import releases_text

    chosen = [*newest_releases(setting, year).values()]
    notes = list(dict.fromkeys(text for release, _ in chosen for text in terms(release)))
    frame = releases_frame(chosen)
    print_rows(frame, form, (), lambda: releases_text(frame, notes))


@releases.command()
@_SETTING
@_YEAR
@format_option()
def counts(setting: str, year: int | None, form: str) -> None:
    """Count how many states' files show each element.

    \b
    Examples:
      policy-sim releases counts
      policy-sim releases counts --year 1998
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.states.files import newest_releases
    from policy_sim.policies.states.tables import element_counts_frame
    from policy_sim.show.list_text import counts_text

    frame = element_counts_frame(newest_releases(setting, year).values())
    print_rows(frame, form, (), lambda: counts_text(frame))


@releases.command()
@click.argument("state")
@click.option("--year", type=int, help="Show only what the files of this year show. [default: every year]")
@format_option()
def show(state: str, year: int | None, form: str) -> None:
    """Show every file of one state: years, elements, agreement, price, caveats and sources.

    STATE is a postal code, FIPS code or name. US shows surveys of all states.

    \b
    Examples:
      policy-sim releases show NC
      policy-sim releases show MA --year 2020
      policy-sim releases show WA --format json
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.states.files import releases_of
    from policy_sim.policies.states.tables import elements_frame, findings_frame
    from policy_sim.show.list_text import findings_text, release_text
    from policy_sim.words.states import STATES

    file = releases_of(state)
    if file.findings:
        if year is not None:
            raise click.UsageError(f"{state} is a survey of all states: --year is for the files of one state.")
        frame = findings_frame(file.findings)
        print_rows(frame, form, (), lambda: findings_text(file.findings, file.sources))
        return
    name = STATES[file.jurisdiction].name
    chosen = file.releases if year is None else file.releases_in(year)
    texts = (release_text(release, name, elements_frame([release], year)) for release in chosen)
    print_rows(elements_frame(chosen, year), form, (), lambda: "\n\n".join(texts))


@releases.command()
@click.argument("state")
@_FILE
@format_option()
def history(state: str, file_id: str, form: str) -> None:
    """Show one file of a state year by year: which elements were added or dropped.

    \b
    Examples:
      policy-sim releases history CA
      policy-sim releases history NC --file emergency --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.states.tables import release_history_frame

    print_rows(release_history_frame(_release(state, file_id)), form)


@releases.command()
@click.argument("state")
@click.argument("before", type=int)
@click.argument("after", type=int)
@_FILE
@format_option()
def diff(state: str, before: int, after: int, file_id: str, form: str) -> None:
    """Show the elements that a file has in one of two years but not in the other.

    \b
    Example:
      policy-sim releases diff CA 2011 2020
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.states.tables import release_diff_frame

    print_rows(release_diff_frame(_release(state, file_id), before, after), form)


@releases.command()
@click.argument("folder", required=False, type=FilePath(exists=True, file_okay=False))
@format_option()
def check(folder: str | None, form: str) -> None:
    """Check the release files: report every problem at once, then what is recorded and what is unknown.

    FOLDER contains your own release files; the default is the shipped files. A malformed file gives exit status 2.

    \b
    Example:
      policy-sim releases check
    """
    from pathlib import Path

    from policy_sim.cli.output import print_rows
    from policy_sim.policies.states.files import scan_release_files
    from policy_sim.policies.states.tables import programs_frame
    from policy_sim.words.errors import SchemaError

    files, problems = scan_release_files(Path(folder) if folder else None)
    if problems:
        raise SchemaError.together(problems)
    print_rows(programs_frame(release for file in files.values() for release in file.releases), form)


def _release(state: str, file_id: str) -> StateRelease:
    from policy_sim.policies.states.files import releases_of
    from policy_sim.words.errors import UnknownNameError

    file = releases_of(state)
    for release in file.releases:
        if release.id == file_id:
            return release
    raise UnknownNameError(f"file of {file.jurisdiction}", file_id, [release.id for release in file.releases])
