"""Commands about what is released and what attackers have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import policy_sim
from policy_sim.cli.commands import group
from policy_sim.cli.inputs import INPUT_FOLDER, NAME_OR_FILE
from policy_sim.cli.options import FILE, format_option, many_states_option, option, zip3_option
from policy_sim.cli.output import print_rows
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError
from policy_sim.words.states import STATES, find_states

if TYPE_CHECKING:
    from policy_sim.policies.states.state_release import StateRelease


@group()
def policy() -> None:
    """List, show, check and write policies.

    A policy says what a release shows of each person: how finely it gives sex, race, ethnicity, birth and geography.

    \b
    Examples:
      policy-sim policy list
      policy-sim policy show safe-harbor
      policy-sim policy new ours.toml
      policy-sim policy check ours.toml --population us-2010 --state OH
    """


@policy.command("list")
@format_option
def list_shipped(form: str) -> None:
    """List the policies that come with the program: what each releases, and its source.

    \b
    Examples:
      policy-sim policy list
      policy-sim policy list --format csv
    """
    from policy_sim.policies.files import list_policies, load_policy
    from policy_sim.policies.policy import policy_frame
    from policy_sim.show.summary import list_text

    print_rows(policy_frame(load_policy(name) for name in list_policies()), form, table=list_text)


@policy.command("show")
@click.argument("name", type=NAME_OR_FILE, metavar="NAME|FILE")
@format_option
def show_policy(name: str, form: str) -> None:
    """Show one policy: its fields, its conditions, and each rule with its citation.

    \b
    Examples:
      policy-sim policy show safe-harbor
      policy-sim policy show limited-dataset --format json
    """
    from policy_sim.people.names import load_zip3_lists
    from policy_sim.policies.files import load_policy
    from policy_sim.policies.policy import rule_frame, same_in_every_state
    from policy_sim.show.summary import policy_text

    policy = same_in_every_state(load_policy(name))
    lists = {listed.citation: sorted(listed.prefixes) for listed in load_zip3_lists().values()}
    print_rows(rule_frame(policy), form, table=lambda _: policy_text(policy, lists))


@policy.command("check")
@click.argument("name", type=NAME_OR_FILE, metavar="NAME|FILE")
@option("--population", metavar="NAME|FILE", help="Also apply the release checks to the people of this population.")
@many_states_option
@zip3_option
@format_option
def check_policy(name: str, population: str | None, states: tuple[str, ...], zip3: str, form: str) -> None:
    """Check a policy file, and report every problem in it at once.

    With --population, also print the share of cells and of people that the CMS cell size rule (11) and California's
    publication scoring would withhold if everyone in the state were in the table.

    \b
    Examples:
      policy-sim policy check ours.toml
      policy-sim policy check safe-harbor-without-zip --population us-2010 --state OH --state WY
    """
    from policy_sim.policies.files import load_policy
    from policy_sim.policies.policy import same_in_every_state

    policy = same_in_every_state(load_policy(name))
    if population is None:
        conditions = str(policy.conditions) or "no conditions"
        click.echo(f"{name} is a valid policy. It releases {policy.releases} ({conditions}).")
        return
    from policy_sim.show.summary import checked_text

    study = policy_sim.Study(population, zip3=zip3)
    frame = study.check_release(policy, [*states] or None).to_frame()
    notes = [
        f"population: {study.people.provenance.describe([state.postal for state in find_states(states)])}",
        "This assumes that everyone in the state is in the table.",
    ]
    print_rows(frame, form, notes, lambda _: checked_text(frame, policy.name))


@policy.command()
@click.argument("file", type=FILE)
@option(
    "--from",
    "start",
    metavar="NAME|FILE|TEXT",
    help="Start from this policy, or from a line that 'policy explore' prints.",
)
def new(file: Path, start: str | None) -> None:
    """Write a policy file to start from, with every key explained. It never overwrites a file.

    \b
    Examples:
      policy-sim policy new ours.toml
      policy-sim policy new ours.toml --from "birth=month+geography=state (age<90)"
    """
    from policy_sim.policies.files import load_policy, new_policy_file
    from policy_sim.policies.policy import same_in_every_state

    new_policy_file(file, None if start is None else same_in_every_state(load_policy(start)))
    click.echo(f"Wrote {file}. Edit it, then run: policy-sim policy check {file}")


_FILE = option("--file", "file_id", metavar="NAME", default="inpatient", help="Which file.")
_SETTING = option(
    "--setting", type=("inpatient", "emergency"), default="inpatient", help="Which kind of care the files are about."
)
_YEAR = option("--year", type=int, help="Show files of this year. [default: each state's newest]")


@group()
def releases() -> None:
    """Show which hospital records states release, year by year.

    Each fact has a source. You can measure each file like a policy: 'compare --release newest', 'compare --release
    NC:2016'.

    \b
    Examples:
      policy-sim policy releases list
      policy-sim policy releases show NC
      policy-sim policy releases diff CA 2011 2020
    """


@releases.command("list")
@_SETTING
@_YEAR
@format_option
def list_releases(setting: str, year: int | None, form: str) -> None:
    """List one file per state: what it shows of sex, race, birth and place, and on which terms.

    \b
    Examples:
      policy-sim policy releases list
      policy-sim policy releases list --year 1998 --format csv
    """
    from policy_sim.policies.states.files import newest_releases, releases_frame
    from policy_sim.policies.states.state_release import terms
    from policy_sim.show.list_text import releases_text

    chosen = [*newest_releases(setting, year).values()]
    notes = list(dict.fromkeys(text for release, _ in chosen for text in terms(release)))
    frame = releases_frame(chosen)
    print_rows(frame, form, table=lambda _: releases_text(frame, notes))


@releases.command()
@_SETTING
@_YEAR
@format_option
def counts(setting: str, year: int | None, form: str) -> None:
    """Count how many states' files show each element.

    \b
    Examples:
      policy-sim policy releases counts
      policy-sim policy releases counts --year 1998
    """
    from policy_sim.policies.states.files import element_counts_frame, newest_releases
    from policy_sim.show.list_text import counts_text

    print_rows(element_counts_frame(newest_releases(setting, year).values()), form, table=counts_text)


@releases.command("show")
@click.argument("state")
@option("--year", type=int, help="Show only what the files of this year show. [default: every year]")
@format_option
def show_releases(state: str, year: int | None, form: str) -> None:
    """Show every file of one state: years, elements, agreement, price, caveats and sources.

    STATE is a postal code, FIPS code or name. US shows surveys of all states.

    \b
    Examples:
      policy-sim policy releases show NC
      policy-sim policy releases show MA --year 2020
      policy-sim policy releases show WA --format json
    """
    from policy_sim.policies.states.files import elements_frame, findings_frame, releases_of
    from policy_sim.show.list_text import findings_text, release_text

    file = releases_of(state)
    if file.findings:
        if year is not None:
            raise click.UsageError(f"{state} is a survey of all states: --year is for the files of one state.")
        frame = findings_frame(file.findings)
        print_rows(frame, form, table=lambda _: findings_text(file.findings, file.sources))
        return
    name = STATES[file.jurisdiction].name
    chosen = file.releases if year is None else file.releases_in(year)
    texts = (release_text(release, name, elements_frame([release], year)) for release in chosen)
    print_rows(elements_frame(chosen, year), form, table=lambda _: "\n\n".join(texts))


@releases.command()
@click.argument("state")
@_FILE
@format_option
def history(state: str, file_id: str, form: str) -> None:
    """Show one file of a state year by year: which elements were added or dropped.

    \b
    Examples:
      policy-sim policy releases history CA
      policy-sim policy releases history NC --file emergency --format csv
    """
    from policy_sim.policies.states.files import release_history_frame

    print_rows(release_history_frame(_release(state, file_id)), form)


@releases.command()
@click.argument("state")
@click.argument("before", type=int)
@click.argument("after", type=int)
@_FILE
@format_option
def diff(state: str, before: int, after: int, file_id: str, form: str) -> None:
    """Show the elements that a file has in one of two years but not in the other.

    \b
    Example:
      policy-sim policy releases diff CA 2011 2020
    """
    from policy_sim.policies.states.files import release_diff_frame

    print_rows(release_diff_frame(_release(state, file_id), before, after), form)


@releases.command("check")
@click.argument("folder", required=False, type=INPUT_FOLDER)
@format_option
def check_releases(folder: str | None, form: str) -> None:
    """Check the release files: report every problem at once, then what is recorded and what is unknown.

    FOLDER contains your own release files; the default is the shipped files. A malformed file gives exit status 2.

    \b
    Example:
      policy-sim policy releases check
    """
    from policy_sim.policies.states.files import RELEASE_FOLDER, programs_frame

    files, problems = RELEASE_FOLDER.scan(Path(folder) if folder else None)
    if problems:
        raise SchemaError.together(problems)
    print_rows(programs_frame(release for file in files.values() for release in file.releases), form)


def _release(state: str, file_id: str) -> StateRelease:
    from policy_sim.policies.states.files import releases_of

    file = releases_of(state)
    for release in file.releases:
        if release.id == file_id:
            return release
    raise UnknownNameError(f"file of {file.jurisdiction}", file_id, [release.id for release in file.releases])


@group()
def resources() -> None:
    """Show other files that an attacker can have: birth indexes, driver records, brokers' lists, property rolls.

    A resource is one TOML file. Use its name, or the file, wherever a command takes an attacker: --attacker NAME|FILE.

    \b
    Examples:
      policy-sim lists resources list
      policy-sim lists resources show texas-birth-index
      policy-sim lists resources template > my-birth-index.toml
      policy-sim compare --state TX --attacker texas-birth-index
    """


@resources.command("list")
@format_option
def list_shipped_resources(form: str) -> None:
    """List the resources that come with the program: states, fields, people, price and buyers.

    \b
    Examples:
      policy-sim lists resources list
      policy-sim lists resources list --format csv
    """
    from policy_sim.attackers.files import BUILT_IN, list_resources, load_resource, resources_frame
    from policy_sim.show.summary import resource_list_text

    print_rows(resources_frame(load_resource(name) for name in list_resources()), form, BUILT_IN, resource_list_text)


@resources.command("show")
@click.argument("name", type=NAME_OR_FILE, metavar="NAME|FILE")
@format_option
def show_resource(name: str, form: str) -> None:
    """Show one resource, shipped or your own: every fact with its date, confidence and source.

    The command reports every problem of a file at once. 'general' shows what the attacker who knows everyone has.
    'policy-sim lists show' shows voter lists.

    \b
    Examples:
      policy-sim lists resources show texas-birth-index
      policy-sim lists resources show my-birth-index.toml --format json
    """
    from policy_sim.attackers import GENERAL, VOTER
    from policy_sim.attackers.files import everyone_facts_frame, load_resource, resource_facts_frame
    from policy_sim.show.summary import resource_text

    if name.casefold() == VOTER:
        raise InputError("voter means each state's voter list: 'policy-sim lists show OH' shows Ohio's.")
    is_everyone = name.casefold() == GENERAL.name
    frame = everyone_facts_frame() if is_everyone else resource_facts_frame(load_resource(name))
    print_rows(frame, form, table=resource_text)


@resources.command()
def template() -> None:
    """Print a resource file to start from, with every key explained.

    \b
    Example:
      policy-sim lists resources template > my-birth-index.toml
    """
    from policy_sim.attackers.files import resource_template

    click.echo(resource_template(), nl=False)
