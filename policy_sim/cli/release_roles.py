"""The roles of columns, on the command line: several at once, or one after the other at the terminal."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from policy_sim.release import Release

__all__ = ["ask_roles", "give_roles"]


def give_roles(opened: Release, texts: Sequence[str], by: str, reason: str, on: dt.date) -> None:
    """Write the roles that options give, each for one column or several with commas.

    Raises
    ------
    InputError : no ``=``, or no reason.
    UnknownNameError : no such column or role.
    """
    from policy_sim.deidentify.treatments import ROLES
    from policy_sim.errors import InputError, UnknownNameError
    from policy_sim.release_project.project import Look

    columns_known = opened.columns
    by_folded = {column.casefold(): column for column in columns_known}  # a name in another case is meant too
    for text in texts:
        names, sign, role = text.rpartition("=")
        columns = [names] if names in columns_known else [name.strip() for name in names.split(",")]
        columns = [
            column if column in columns_known else by_folded.get(column.casefold(), column) for column in columns
        ]
        if not sign or not all(columns):
            raise InputError(f"--role {text!r}: write it as COLUMN=ROLE, such as 'Sex,Race=key'.")
        if not reason:
            raise InputError("a role needs a reason: give it with --evidence, such as 'neighbors know it'.")
        if role not in ROLES:
            raise UnknownNameError("role of a column", role, ROLES)
        for column in columns:
            if column not in columns_known:
                raise UnknownNameError("column of the project", column, columns_known)
        for column in columns:
            look = opened.project.looks.get(column, Look())
            opened.classify(column, role, reason, by=by, on=on)
            if look.text:
                click.echo(f"{column}: {role}. It looks like: {look.text}", err=True)


def ask_roles(opened: Release, by: str, on: dt.date) -> None:
    """Ask for the role of each undecided column and for the reason, and save each answer immediately."""
    from policy_sim.deidentify.treatments import ROLES
    from policy_sim.release_project.project import Look

    columns = opened.project.undecided
    if columns:
        click.echo(f"\nWhat is each of {len(columns):,} columns? (docs/release.md, variables)", err=True)
        for role, meaning in ROLES.items():
            click.echo(f"  {role}: {meaning}", err=True)
    for column in columns:
        look = opened.project.looks.get(column, Look())
        click.echo(f"\n{column}: {look.text or 'nothing is known of it'}", err=True)
        role = click.prompt("role", type=click.Choice(list(ROLES)), default=look.guess or None, err=True)
        reason = click.prompt("Why?", err=True)
        opened.classify(column, role, reason, by=by, on=on)
