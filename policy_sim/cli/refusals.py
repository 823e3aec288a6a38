"""What a refusal adds, so that its reader can type the next command: the option, an example, what is allowed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import click

from policy_sim.words.errors import PolicySimError, UnknownNameError

_CLICKS_KINDS = {  # what click calls a number that is none
    "is not a valid integer range": "is not a whole number",
    "is not a valid integer": "is not a whole number",
    "is not a valid float range": "is not a number",
    "is not a valid float": "is not a number",
}


def with_option(error: PolicySimError, words: Sequence[str], command: click.Command | None = None) -> str:
    """Return the text of an error, preceded by the option that gave the value it is about, where the text names none.

    ``words`` are those of the command line, ``command`` what they call.

    >>> error = UnknownNameError("county of OH", "Lucsa", ["Lucas"])
    >>> with_option(error, ["compare", "OH", "--in-file", "100", "--from", "Lucsa"])
    "--from: county of OH 'Lucsa' is not known. Did you mean 'Lucas'? Known: Lucas."
    """
    if not isinstance(error, UnknownNameError):
        text = str(error)
        option = "" if "\n" in text else _option_quoted(text, words, command)
        return f"{option}: {text}" if option else text
    option = _option_of(error.text, words, command) if error.text else _option_quoted(str(error), words, command)
    if option and error.kind == option.lstrip("-"):
        text = f"--{error}"  # --policy 'x' is not known
    else:
        text = str(error) if option in str(error) else f"{option}: {error}"
    return f"{text}{_of_several(error, option, words, command)}"


def _option_of(text: str, words: Sequence[str], command: click.Command | None) -> str:
    """Return the option whose value has the text between marks such as commas, or nothing."""
    for before, word in itertools.pairwise(["", *words]):
        option, _, value = word.partition("=") if word.startswith("--") else (before, "", word)
        if option.startswith("-") and text and text in _pieces(value) and not _is_flag(option, command):
            return option
    return ""


def _option_quoted(text: str, words: Sequence[str], command: click.Command | None) -> str:
    """Return the only option whose value a text quotes or begins with; nothing where the text names an option."""
    if re.search(r"(?<![\w-])--[a-z]", text):
        return ""
    given: list[tuple[str, str]] = []
    for before, word in itertools.pairwise(["", *words]):
        option, _, value = word.partition("=") if word.startswith("--") else (before, "", word)
        is_value = word == value or "=" in word  # the word of an option itself is none
        if is_value and option.startswith("-") and not value.startswith("-") and not _is_flag(option, command):
            given.append((option, value))
    if empty := {option for option, value in given if not value}:
        return empty.pop() if len(empty) == 1 else ""
    named = {option for option, value in given if any(_is_about(text, piece) for piece in _pieces(value))}
    return named.pop() if len(named) == 1 else ""


def _pieces(value: str) -> list[str]:
    return [value, *(piece.strip() for piece in re.split(r"[,;=+:]", value))]


def _is_about(text: str, value: str) -> bool:
    """Tell whether a text quotes a value, begins with it, or has it as an address."""
    return bool(value) and (
        repr(value) in text or text.startswith((f"{value}:", f"{value} ")) or f"///{value}:" in text
    )


def _of_several(error: UnknownNameError, option: str, words: Sequence[str], command: click.Command | None) -> str:
    """Say that an option is repeated, where several names were written as one or after it."""
    pieces = [piece for piece in re.split(r"[,;+\s]+", error.text) if piece]
    parameter = _parameter(option, command)
    if parameter is not None and parameter.multiple and len(pieces) > 1 and set(pieces) <= set(error.choices):
        return f" Give several one by one: {' '.join(f'{option} {piece}' for piece in pieces)}."
    stray = _option_before(error.text, words, command)
    if error.kind == "state" and stray is not None and "Did you mean" not in str(error) and stray.multiple:
        return f" If it is not a state, repeat the option: {stray.opts[0]} {error.text}."
    return ""


def _options(command: click.Command | None) -> Iterator[click.Option]:
    yield from (parameter for parameter in (command.params if command else ()) if isinstance(parameter, click.Option))


def _parameter(name: str, command: click.Command | None) -> click.Option | None:
    return next((option for option in _options(command) if name in option.opts), None)


def _is_flag(name: str, command: click.Command | None) -> bool:
    option = _parameter(name, command)
    return option is not None and option.is_flag


def _option_before(word: str, words: Sequence[str], command: click.Command | None) -> click.Option | None:
    """Return the option whose value comes right before a word that is no value of an option."""
    for name, value, after in zip(words, words[1:], words[2:], strict=False):
        if after == word and name.startswith("--") and "=" not in name and not value.startswith("-"):
            return None if _is_flag(name, command) else _parameter(name, command)
    return None


def of_usage(error: click.UsageError, words: Sequence[str]) -> str:
    """Return what a wrong command line is answered with: click's line, what to add, and where the help is."""
    path = error.ctx.command_path if error.ctx else "policy-sim"
    line = " ".join(error.format_message().split())  # click puts each choice on a line
    for theirs, ours in _CLICKS_KINDS.items():
        line = line.replace(theirs, ours)
    line += "" if line.endswith((".", "?", "?)")) else "."
    more = _what_is_missing(error) or _what_is_taken(error, words) or _what_there_is(error)
    return f"{line}{more} See '{path} --help'."


def _what_is_missing(error: click.UsageError) -> str:
    """Say how an option that must be given is written, and what it is; of an argument, show a whole command."""
    if error.ctx is None or not isinstance(error, click.BadParameter):
        return ""
    parameter = error.param
    if isinstance(parameter, click.Argument):
        wrong_place = isinstance(parameter.type, click.Path) and not isinstance(error, click.MissingParameter)
        return _example(error.ctx.command) if wrong_place or isinstance(error, click.MissingParameter) else ""
    if not isinstance(error, click.MissingParameter) or not isinstance(parameter, click.Option):
        return ""
    add = f" Add {parameter.opts[0]} {parameter.make_metavar(error.ctx)}"
    more = sum(option.required for option in _options(error.ctx.command)) > 1  # click names the first alone
    return (
        f"{add}{f': {parameter.help}' if parameter.help else ''}".rstrip(".") + "." + _example(error.ctx.command) * more
    )


def _example(command: click.Command) -> str:
    """Return the first example of a command's help."""
    found = re.search(r"^\s*Examples?:\s*\n\s*(policy-sim .*\S)", command.help or "", re.MULTILINE)
    return f" An example: {found[1]}." if found else ""


def _what_is_taken(error: click.UsageError, words: Sequence[str]) -> str:
    """Say how many words a command takes, where there were too many."""
    extra = re.search(r"unexpected extra arguments? \((.*)\)", error.message)
    if error.ctx is None or extra is None:
        return ""
    takes = {parameter.name or "": parameter for parameter in error.ctx.command.params}
    option = _option_before(extra[1].split(" ")[0], words, error.ctx.command)
    if option is not None and "comma" in (option.help or ""):
        return f" Separate the values of {option.opts[0]} by commas, without blanks."
    if option is not None and option.multiple:
        return f" Give several one by one: {option.opts[0]} {extra[1].split(' ')[0]}."
    if not any(isinstance(parameter, click.Argument) for parameter in takes.values()):
        return " Write the name of an option before it."
    state = takes.get("state")
    if not isinstance(state, click.Argument) or state.nargs != 1:
        return " Put quotes around a name that has blanks."
    more = " Add others with --against." if "against" in takes else ""
    return f" It takes one state; put quotes around a name that has blanks.{more}"


def _what_there_is(error: click.UsageError) -> str:
    """Say which commands a group has, where the one asked for is none of them."""
    group = error.ctx.command if error.ctx else None
    if error.ctx is None or not isinstance(group, click.Group) or not error.message.startswith("No such command"):
        return ""
    return f" Known: {', '.join(group.list_commands(error.ctx))}."
