"""The last door: every error of a command becomes one line, without record values and without secrets.

::

    what went wrong                                        status   line says
    PolicySimError, wrong options                          2        the error's own text
    memory, recursion, operating system, database, tables  2        what failed, and what to do
    anything else: a fault of the program                  1        where, and how to report it
    a stop from the keyboard                               1        nothing but "Aborted!"
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

from policy_sim.words.errors import PolicySimError, SchemaError
from policy_sim.words.text import mask_credentials

EXPECTED, UNEXPECTED = 2, 1
_NO_ROOM = {getattr(errno, name, None) for name in ("ENOSPC", "EFBIG", "EDQUOT")} - {None}

# Names of other projects' errors, so that none of them is imported here. The first that fits gives the line. Their
# own texts are left out: they quote rows, statements and addresses.
_OUTSIDE: tuple[tuple[str, str, str], ...] = (
    ("duckdb", "OutOfMemoryException", "DuckDB ran out of memory. Raise --memory, or use fewer key fields."),
    ("numpy", "_ArrayMemoryError", "Not enough memory. Use fewer states, policies or key fields."),
    ("pyarrow", "ArrowMemoryError", "Not enough memory. Use fewer states, policies or key fields."),
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
def one_line() -> Iterator[None]:
    """Turn wrong options and our own errors into one line that click prints (for a broken file, one per problem)."""
    try:
        yield
    except PolicySimError as error:
        raise _OneLine(_printable(str(error), lines=isinstance(error, SchemaError))) from error
    except (click.exceptions.NoArgsIsHelpError, _OneLine):
        raise
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "policy-sim"
        line = " ".join(error.format_message().split())  # click puts each choice on a line
        raise _OneLine(_printable(f"{line} See '{path} --help'.", lines=False)) from error
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
