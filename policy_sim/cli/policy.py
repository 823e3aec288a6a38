"""``policy-sim policy``: policies as data."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import format_option, many_states_option

__all__ = ["policy"]


@click.group()
def policy() -> None:
    """Policies as data: list, show, check, and start your own.

    \b
    Examples:
      policy-sim policy list
      policy-sim policy show safe-harbor-regulation
      policy-sim policy new ours.toml
      policy-sim policy check ours.toml --population us-2010 --state OH
    """


@policy.command("list")
@format_option()
def list_(form: str) -> None:
    """List the policies that ship: what each releases, and where it is from.

    \b
    Examples:
      policy-sim policy list
      policy-sim policy list --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.frame import policy_frame
    from policy_sim.render.policies import list_text
    from policy_sim.sources.policies import list_policies, load_policy

    frame = policy_frame(load_policy(name) for name in list_policies())
    print_rows(frame, form, table=lambda: list_text(frame))


@policy.command()
@click.argument("name", metavar="NAME|FILE")
@format_option()
def show(name: str, form: str) -> None:
    """Show a policy: its fields, conditions, and each rule with its paragraph.

    \b
    Examples:
      policy-sim policy show safe-harbor-regulation
      policy-sim policy show limited-dataset --format json
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.frame import rule_frame
    from policy_sim.render.policies import policy_text
    from policy_sim.sources.policies import load_policy
    from policy_sim.sources.zip_lists import load_zip3_lists

    found = load_policy(name)
    lists = {listed.citation: sorted(listed.prefixes) for listed in load_zip3_lists().values()}
    print_rows(rule_frame(found), form, table=lambda: policy_text(found, lists))


@policy.command()
@click.argument("name", metavar="NAME|FILE")
@click.option("--population", metavar="NAME|FILE", help="Also apply the release checks, to the people of this census.")
@many_states_option()
@click.option(
    "--zip3",
    type=click.Choice(("computed", "hhs2000", "union")),
    default="computed",
    show_default=True,
    help="Which three-digit ZIP codes hold too few people to be shown.",
)
@format_option()
def check(name: str, population: str | None, states: tuple[str, ...], zip3: str, form: str) -> None:
    """Check a policy file, and say everything that is wrong with it at once.

    With --population, also say which share of the cells, and of the people, would have to be withheld
    under CMS's cell size of 11 and California's publication scoring, were everyone in the table.

    \b
    Examples:
      policy-sim policy check ours.toml
      policy-sim policy check safe-harbor --population us-2010 --state OH --state WY
    """
    from policy_sim.sources.policies import load_policy

    found = load_policy(name)
    if population is None:
        click.echo(f"{name}: is a policy; it releases {found.releases} ({str(found.conditions) or 'no conditions'}).")
        return
    from policy_sim.api import Study
    from policy_sim.cli.output import print_rows
    from policy_sim.policies.frame import checked_frame
    from policy_sim.render.policies import checked_text

    study = Study(population, zip3=zip3)
    frame = checked_frame(study.check_release(found, [*states] or None))
    notes = [f"population: {study.people.provenance.describe()}", "everyone of the state is taken to be in the table"]
    print_rows(frame, form, notes, lambda: checked_text(frame, found.name))


@policy.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--from", "start", metavar="NAME|FILE|TEXT", help="Start from this policy, or from a row of 'explore'.")
def new(file: Path, start: str | None) -> None:
    """Write a policy file to start from, every key explained; never over one that is there.

    \b
    Examples:
      policy-sim policy new ours.toml
      policy-sim policy new ours.toml --from "birth=month+geography=state (age<90)"
    """
    from policy_sim.sources.policies import load_policy, new_policy_file

    new_policy_file(file, None if start is None else load_policy(start))
    click.echo(f"Written: {file}. Edit it, then: policy-sim policy check {file}")
