"""One rule for states: a command on one state takes it as an argument, a command on several as ``--state``.

``policy-sim curve OH`` is about Ohio; ``policy-sim compare --state OH --state WY`` is about each state named. The
error for the other form names the right one.
"""

from __future__ import annotations

import click

__all__ = ["other_form"]


def other_form(error: click.UsageError) -> str | None:
    """Return a line that names the correct form, if the error comes from the other form.

    Parameters
    ----------
    error : Click's error about the command line.
    """
    if error.ctx is None:
        return None
    path, parameters = error.ctx.command_path, error.ctx.command.params
    if isinstance(error, click.NoSuchOption):
        takes_one = any(isinstance(parameter, click.Argument) and parameter.name == "state" for parameter in parameters)
        if takes_one and error.option_name == "--state":
            return f"{path} takes one state as an argument: '{path} OH', not '--state OH'."
    elif error.message.startswith("Got unexpected extra argument"):
        takes_many = any("--state" in parameter.opts for parameter in parameters)
        if takes_many:
            return f"{path} takes states as an option: '--state OH'; repeat for more."
    return None
