"""The command set: errors as one line, states with and without an option, names of before."""

from __future__ import annotations

import difflib
import errno
import gc
import io
import itertools
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from policy_sim.cli.commands import Commands
from policy_sim.cli.names import COMMANDS, IN_SIGHT, children, current_name
from policy_sim.cli.refusals import of_usage, with_option
from policy_sim.words.asking import as_options
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, UnknownNameError
from policy_sim.words.text import mask_credentials

EXPECTED, UNEXPECTED = 2, 1
_NEW_OBJECTS = 400_000  # before garbage is looked for: a command is short, and few of its objects are in cycles
_NO_ROOM = {getattr(errno, name, None) for name in ("ENOSPC", "EFBIG", "EDQUOT")} - {None}

# Names of other projects' errors, so that none of them is imported here. The first that fits gives the line. Their
# own texts are left out: they quote rows, statements and addresses.
_OUTSIDE: tuple[tuple[str, str, str], ...] = (
    ("duckdb", "OutOfMemoryException", "DuckDB ran out of memory. Raise --memory, or use fewer key fields."),
    ("builtins", "MemoryError", "Not enough memory. Use fewer states, policies or key fields."),
    ("builtins", "RecursionError", "The input is nested too deeply. Write it with fewer nested levels."),
    ("duckdb", "Error", "DuckDB could not read or count the file ({kind}). Check that its rows agree with its header."),
    ("sqlalchemy", "NoSuchModuleError", "The database address names an unknown kind of database."),
    (
        "sqlalchemy",
        "ArgumentError",
        "The database address is not valid. It looks like postgresql+psycopg://user@host/name.",
    ),
    (
        "sqlalchemy",
        "SQLAlchemyError",
        "The database refused ({kind}). Check its address, your permissions and its tables.",
    ),
    ("csv", "Error", "A CSV file cannot be read. Check its separator, its quotes and the length of its fields."),
    ("pandas", "ParserError", "A CSV file cannot be read. Check that every row has as many fields as the header."),
    ("pandas", "EmptyDataError", "A table is empty. Check that its file has a header and rows."),
    ("pyarrow", "ArrowException", "A table cannot be read or written as Parquet ({kind}). Create its file again."),
    ("pyspark", "PySparkException", "Spark failed ({kind}). Check the server's address and its log."),
    ("py4j", "Py4JError", "Spark failed ({kind}). Check the server's address and its log."),
    ("grpc", "RpcError", "The server cannot be reached ({kind}). Check its address and its log."),
    ("requests", "RequestException", "The service cannot be reached ({kind}). Check the network and try again."),
    ("zipfile", "BadZipFile", "A zip file is damaged. Download it again."),
    ("zlib", "error", "A compressed file is damaged. Download it again."),
    ("builtins", "UnicodeError", "A text is not in UTF-8. Save the file as UTF-8."),
)


class _OneLine(click.ClickException):
    """One line, as click prints it."""

    exit_code = EXPECTED


def reason_of(error: BaseException) -> str | None:
    """Return the line for an error that the user can correct; None for a fault of the program."""
    if isinstance(error, PolicySimError):
        return str(error)
    kinds = {(kind.__module__.split(".")[0], kind.__name__) for kind in type(error).__mro__}
    kinds |= {(module.removeprefix("_"), name) for module, name in kinds}
    for module, name, text in _OUTSIDE:
        if (module, name) in kinds:
            return text.format(kind=type(error).__name__)
    return _of_the_system(error) if isinstance(error, OSError) else None


def _of_the_system(error: OSError) -> str:
    """Return what the operating system refused, and for which file."""
    named = error.filename if isinstance(error.filename, str | bytes) else None
    if error.errno in _NO_ROOM:
        where = os.fsdecode(named) if named else "standard output"
        return f"{where}: {error.strerror}. The output is incomplete: free some space and run the command again."
    where = f"{os.fsdecode(named)}: " if named else ""
    return f"{where}{error.strerror or type(error).__name__}. Check the name, your permissions and the disk."


def _printable(text: str, *, lines: bool) -> str:
    """Mask secrets, and escape control characters, which a terminal would act on; ``lines`` keeps line ends."""
    masked = mask_credentials(text)
    return "".join(
        letter if letter.isprintable() or (lines and letter == "\n") else letter.encode("unicode_escape").decode()
        for letter in masked
    )


@contextmanager
def one_line(words: Sequence[str] = (), command: click.Command | None = None) -> Iterator[None]:
    """Turn wrong options and our own errors into one line that click prints (for a broken file, one per problem)."""
    try:
        yield
    except PolicySimError as error:
        text = with_option(error, words, command)
        raise _OneLine(_printable(text, lines=isinstance(error, SchemaError))) from error
    except (click.exceptions.NoArgsIsHelpError, _OneLine):
        raise
    except click.UsageError as error:
        raise _OneLine(_printable(of_usage(error, words), lines=False)) from error
    except click.ClickException as error:
        raise _OneLine(_printable(error.format_message(), lines=False)) from error
    except EOFError as error:  # click would treat it as a stop from the keyboard
        raise _OneLine("A compressed file is cut short. Download it again.") from error


@contextmanager
def guarded(command: Callable[[], str], *, debug: bool) -> Iterator[None]:
    """Print one line for any error."""
    try:
        try:
            yield
        except SystemExit:
            if sys.stdout:
                sys.stdout.flush()  # here, and not when Python ends: a full disk must be reported
            raise
    except Exception as error:
        _leave_standard_output()
        if isinstance(error, BrokenPipeError):  # the reader has read enough
            sys.exit(UNEXPECTED)
        if debug:
            click.echo(mask_credentials("".join(traceback.format_exception(error))), err=True, nl=False)
        reason = reason_of(error)
        line = reason if reason is not None else _fault(error, command())
        click.echo(f"Error: {_printable(line, lines=isinstance(error, SchemaError))}", err=True)
        sys.exit(UNEXPECTED if reason is None else EXPECTED)


def _leave_standard_output() -> None:
    """Drop what is still buffered if it cannot be written: Python would try once more when it ends."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fault(error: BaseException, command: str) -> str:
    from importlib.metadata import version

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "policy_sim" in frame.filename] or frames
    place = f" in {_module(ours[-1].filename)}, line {ours[-1].lineno}" if ours else ""
    return (
        f"'{command}' of policy-sim {version('policy-sim')} failed: {type(error).__name__}{place}. "
        f"This is a bug in the program: please report this line. "
        f"'{command.replace('policy-sim', 'policy-sim --debug', 1)}' also prints the traceback, which may quote data."
    )


def _module(filename: str) -> str:
    """Return a file's path from its package on, without the folders of this machine."""
    parts = filename.replace("\\", "/").split("/")
    first = max((place for place, part in enumerate(parts) if part == "policy_sim"), default=len(parts) - 1)
    return "/".join(parts[first:])


# One rule for states: every command that takes one accepts ``OH`` and ``--state OH``.
#
# A command on one state declares it as its first argument, and ``--state`` moves there. A command on several declares
# ``--state``, and :func:`~policy_sim.cli.options.many_states_option` collects the arguments beside it.


def state_first(command: click.Command, words: Sequence[str]) -> list[str]:
    """Return the words after a command's name, with what ``--state`` names first, if the command takes one state."""
    options = {name for parameter in command.params for name in parameter.opts}
    if "state" not in options or "--state" in options:
        return list(words)
    states: list[str] = []
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others += [word, *rest]
        elif word == "--state":
            state = next(rest, None)
            if state is None:
                raise click.BadOptionUsage("--state", "Option '--state' requires an argument.")
            states.append(state)
        elif word.startswith("--state="):
            states.append(word.removeprefix("--state="))
        else:
            others.append(word)
    return [*states, *others]


class _Root(Commands):
    """The command set: it prints our own errors as one line, and takes the names that commands had before."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        in_sight = list(children("").items())[:IN_SIGHT]
        with formatter.section("Commands"):
            formatter.write_dl([(name, named.help) for name, named in in_sight])
        with formatter.section("More commands, in groups"):
            groups = {f"policy-sim {name}": named.help for name, named in children("").items() if not named.where}
            formatter.write_dl(list(groups.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in children("") and not args[0].startswith("-"):
            names = {name.split()[-1]: name for name in [*COMMANDS][::-1]}
            near = difflib.get_close_matches(args[0], names, 1)
            hint = f"Did you mean '{names[near[0]]}'?" if near else ""
            allowed = f"{hint} 'policy-sim help all' lists every command.".strip()
            raise UnknownNameError("command", args[0], (), allowed=allowed)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with one_line(args):
            if any("\0" in word for word in args):
                raise InputError("the command line contains a null character. Remove it.")
            _, command, words = self._path(args)
            ctx.meta["policy_sim.words"] = list(args)
            return super().parse_args(ctx, [*args[:words], *state_first(command, args[words:])])

    def invoke(self, ctx: click.Context) -> Any:
        words = ctx.meta.get("policy_sim.words", ())
        with one_line(words, self._path(words)[1]):
            return super().invoke(ctx)

    def main(self, args: Sequence[str] | None = None, *more: Any, **named: Any) -> Any:
        arguments = _renamed(sys.argv[1:] if args is None else args)
        options = itertools.takewhile(lambda word: word.startswith("-"), arguments)
        with as_options(), guarded(lambda: self._path(arguments)[0], debug="--debug" in options):
            return super().main(arguments, *more, **named)

    def _path(self, args: Sequence[str]) -> tuple[str, click.Command, int]:
        """Return the command of a command line, by name and itself, and how many words come before its own."""
        name, words = "policy-sim", 0
        last: click.Command = self
        for at, word in enumerate(args, start=1):
            if not isinstance(last, click.Group):
                break
            command = last.get_command(click.Context(last), word)
            if command is not None:
                name, last, words = f"{name} {word}", command, at
        return name, last, words


def _renamed(arguments: Sequence[str]) -> list[str]:
    """Return a command line with the name that its command has now, and say it; old names end with version 2.0.

    An empty one starts.
    """
    if not arguments:
        return ["start"]
    first = sum(1 for _ in itertools.takewhile(lambda word: word.startswith("-"), arguments))
    name, many = current_name(arguments[first:])
    if not many:
        return list(arguments)
    click.echo(f"now: policy-sim {name}", err=True)
    return [*arguments[:first], *name.split(), *arguments[first + many :]]


@click.group(
    cls=_Root,
    name="",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command: policy-sim help all. A sample file to try: policy-sim example visits.csv.",
)
@click.version_option(package_name="policy-sim", prog_name="policy-sim")
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    help="If the program has a bug, also print the traceback. It may contain data from your file.",
)
def cli() -> None:
    """Estimate how many people an attacker could name in a release of health records.

    The program compares release policies, such as HIPAA Safe Harbor and the limited data set, in every US state. It
    considers an attacker who knows everyone and one who has the state's voter list, and gives the price of each correct
    match.

    \b
    Examples:
      policy-sim compare OH
      policy-sim brief OH --in-file 18000 --from "Allen,Lucas" --out ohio.pdf
      policy-sim dataset check visits.csv
      policy-sim table check weekly.csv --rule cms-11
    """


def main() -> None:
    """Run the command set (the ``policy-sim`` script)."""
    # A stop from outside unwinds like an error, so that no hidden folder of unfinished files is left.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup asks to be left alone
            signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    _buffer_standard_output()
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    cli(prog_name="policy-sim")


def _buffer_standard_output() -> None:
    """Add a buffer to an unbuffered stream: a write to a full disk may write only a part and report no error."""
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=sys.stdout.encoding, errors=sys.stdout.errors, line_buffering=True
        )


if __name__ == "__main__":
    main()
