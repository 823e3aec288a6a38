"""``policy-sim resources``: other identified files that an attacker may have."""

from __future__ import annotations

import click

from policy_sim.cli.options import format_option

__all__ = ["resources"]


@click.group()
def resources() -> None:
    """Show other files that an attacker can have: birth indexes, driver records, brokers' lists, property rolls.

    A resource is one TOML file. Use its name, or the file, wherever a command takes an attacker: --attacker NAME|FILE.

    \b
    Examples:
      policy-sim resources list
      policy-sim resources show texas-birth-index
      policy-sim resources template > my-birth-index.toml
      policy-sim compare --state TX --attacker texas-birth-index
    """


@resources.command("list")
@format_option()
def list_(form: str) -> None:
    """List the resources that come with the program: states, fields, people, price and buyers.

    \b
    Examples:
      policy-sim resources list
      policy-sim resources list --format csv
    """
    from policy_sim.attackers.resource_files import list_resources, load_resource
    from policy_sim.attackers.resource_tables import BUILT_IN, resources_frame
    from policy_sim.cli.output import print_rows
    from policy_sim.show.summary import resource_list_text

    frame = resources_frame(load_resource(name) for name in list_resources())
    print_rows(frame, form, BUILT_IN, lambda: resource_list_text(frame))


@resources.command()
@click.argument("name", metavar="NAME|FILE")
@format_option()
def show(name: str, form: str) -> None:
    """Show one resource, shipped or your own: every fact with its date, confidence and source.

    The command reports every problem of a file at once. 'general' shows what the attacker who knows everyone has.
    'policy-sim lists show' shows voter lists.

    \b
    Examples:
      policy-sim resources show texas-birth-index
      policy-sim resources show my-birth-index.toml --format json
    """
    from policy_sim.attackers import GENERAL, VOTER
    from policy_sim.attackers.resource_files import load_resource
    from policy_sim.attackers.resource_tables import everyone_facts_frame, resource_facts_frame
    from policy_sim.cli.output import print_rows
    from policy_sim.show.summary import resource_text
    from policy_sim.words.errors import InputError

    if name.casefold() == VOTER:
        raise InputError("voter stands for each state's voter list: 'policy-sim lists show OH' shows Ohio's.")
    is_everyone = name.casefold() == GENERAL.name
    frame = everyone_facts_frame() if is_everyone else resource_facts_frame(load_resource(name))
    print_rows(frame, form, table=lambda: resource_text(frame))


@resources.command()
def template() -> None:
    """Print a resource file to start from, with every key explained.

    \b
    Example:
      policy-sim resources template > my-birth-index.toml
    """
    from policy_sim.attackers.resource_files import resource_template

    click.echo(resource_template(), nl=False)
