"""``policy-sim policy``: list, show, check and write policies."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import FilePath, format_option, many_states_option

__all__ = ["policy"]


@click.group()
def policy() -> None:
    """List, show, check and write policies.

    A policy says what a release shows of each person: how finely it gives sex, race, birth and geography.

    \b
    Examples:
      policy-sim policy list
      policy-sim policy show safe-harbor
      policy-sim policy new ours.toml
      policy-sim policy check ours.toml --population us-2010 --state OH
    """


@policy.command("list")
@format_option()
def list_(form: str) -> None:
    """List the policies that come with the program: what each releases, and its source.

    \b
    Examples:
      policy-sim policy list
      policy-sim policy list --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.files import list_policies, load_policy
    from policy_sim.policies.tables import policy_frame
    from policy_sim.show.summary import list_text

    frame = policy_frame(load_policy(name) for name in list_policies())
    print_rows(frame, form, table=lambda: list_text(frame))


@policy.command()
@click.argument("name", metavar="NAME|FILE")
@format_option()
def show(name: str, form: str) -> None:
    """Show one policy: its fields, its conditions, and each rule with its citation.

    \b
    Examples:
      policy-sim policy show safe-harbor
      policy-sim policy show limited-dataset --format json
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.people.names import load_zip3_lists
    from policy_sim.policies.files import load_policy
    from policy_sim.policies.policy import same_in_every_state
    from policy_sim.policies.tables import rule_frame
    from policy_sim.show.summary import policy_text

    policy = same_in_every_state(load_policy(name))
    lists = {listed.citation: sorted(listed.prefixes) for listed in load_zip3_lists().values()}
    print_rows(rule_frame(policy), form, table=lambda: policy_text(policy, lists))


@policy.command()
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--population", metavar="NAME|FILE", help="Also apply the release checks to the people of this population."
)
@many_states_option()
@click.option(
    "--zip3",
    type=click.Choice(("computed", "hhs2000", "union")),
    default="computed",
    show_default=True,
    help="Which list of three-digit ZIP codes with too few people to use.",
)
@format_option()
def check(name: str, population: str | None, states: tuple[str, ...], zip3: str, form: str) -> None:
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
    from policy_sim.cli.output import print_rows
    from policy_sim.show.summary import checked_text
    from policy_sim.study.study import Study
    from policy_sim.words.states import find_states

    study = Study(population, zip3=zip3)
    frame = study.check_release(policy, [*states] or None).to_frame()
    notes = [
        f"population: {study.people.provenance.describe([state.postal for state in find_states(states)])}",
        "This assumes that everyone in the state is in the table.",
    ]
    print_rows(frame, form, notes, lambda: checked_text(frame, policy.name))


@policy.command()
@click.argument("file", type=FilePath(dir_okay=False, path_type=Path))
@click.option(
    "--from", "start", metavar="NAME|FILE|TEXT", help="Start from this policy, or from a line that 'explore' prints."
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
