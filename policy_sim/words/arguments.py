"""Arguments of the Python doors, checked where they come in: each helper returns the value or says what is allowed."""

from __future__ import annotations

import datetime as dt
import functools
import inspect
import math
from collections.abc import Callable, Iterable
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, TypeVar

from policy_sim.words.errors import InputError, UnknownNameError

_Kind = TypeVar("_Kind")
_LONGEST = 1_000  # characters of a name
_MOST = 1_000  # of several; more is a mistake, and an endless iterator never ends


def names_its_arguments(door: type[_Kind]) -> type[_Kind]:
    """Make a class and its public methods answer an argument that they do not have with the one that was meant.

    >>> @names_its_arguments
    ... class Door:
    ...     def compare(self, states): ...
    >>> Door().compare(state="OH")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    policy_sim.words.errors.UnknownNameError: argument of compare() 'state' is not known. Did you mean 'states'? ...
    """
    for name in dir(door):
        static = inspect.getattr_static(door, name)
        if name == "__init__" and inspect.isfunction(static):
            setattr(door, name, _naming_arguments(door.__name__, static))
        elif name.startswith("_"):
            continue
        elif inspect.isfunction(static):
            setattr(door, name, _naming_arguments(name, static))
        elif isinstance(static, classmethod | staticmethod):
            setattr(door, name, type(static)(_naming_arguments(f"{door.__name__}.{name}", static.__func__)))
    return door


def _naming_arguments(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*values: Any, **options: Any) -> Any:
        try:
            return method(*values, **options)
        except TypeError as error:
            taken = [one for one in inspect.signature(method).parameters if one not in ("self", "cls")]
            for option in options.keys() - set(taken):
                if f"{method.__name__}() got an unexpected keyword argument {option!r}" in str(error):
                    raise UnknownNameError(f"argument of {name}()", option, taken) from None
            raise

    return call


def several(
    argument: str, value: object, kinds: type[_Kind] | tuple[type[_Kind], ...], example: str
) -> tuple[Any, ...]:
    """Return one value of the kinds, or an iterable of them that is not empty, as a tuple; a blank text is none."""
    if isinstance(value, kinds):
        values: tuple[Any, ...] = (value,)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes | dict):
        values = tuple(item for item, _ in zip(value, range(_MOST + 1), strict=False))
    else:
        values = ()
    if not 0 < len(values) <= _MOST or not all(_is(item, kinds) for item in values):
        raise InputError(f"{argument} = {short(value)}: give one or several, such as {example}.")
    return values


def _is(value: object, kinds: Any) -> bool:
    return isinstance(value, kinds) and not (isinstance(value, str) and not value.strip())


def name_of(argument: str, value: object, example: str) -> str:
    """Return a name or the path of a file as text."""
    name = str(value) if isinstance(value, str | Path) else ""
    if not name.strip() or len(name) > _LONGEST or len(name.splitlines()) > 1:
        raise InputError(f"{argument} = {short(value)}: give a name or the path of a file, such as {example}.")
    return name


def one_state(value: object) -> str:
    """Return the postal code of one state from its code or name, in any case."""
    from policy_sim.words.states import State, find_state

    if isinstance(value, State):
        return value.postal
    return find_state(name_of("state", value, "'OH' or 'Ohio'")).postal


def one_place(value: object) -> str:
    """Return the postal code of a state; the first division of another country is named as its population names it."""
    from policy_sim.words.states import State

    name = value.postal if isinstance(value, State) else name_of("state", value, "'OH' or 'Ohio'")
    try:
        return one_state(name)
    except UnknownNameError:
        return name


def whole_number(argument: str, value: object, least: int, most: int) -> int:
    """Return a whole number from ``least`` to ``most``.

    >>> whole_number("runs", 20, 2, 100)
    20
    """
    try:
        count = index(value) if not isinstance(value, bool) else None  # type: ignore[arg-type]
    except TypeError:
        count = None
    if count is None or not least <= count <= most:
        raise InputError(f"{argument} = {short(value)}: give a whole number from {least:,} to {most:,}.")
    return count


def number(argument: str, value: object, least: float, most: float, *, above: bool = False) -> float:
    """Return a number from ``least`` to ``most``; with ``above``, more than ``least``.

    >>> number("days_per_year", 365, 1, 1000)
    365.0
    """
    is_number = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    amount = float(value) if is_number else math.nan  # type: ignore[arg-type]
    if not (least < amount if above else least <= amount) or amount > most:
        begin = f"above {least:g}" if above else f"from {least:g}"
        raise InputError(f"{argument} = {short(value)}: give a number {begin} to {most:,.10g}.")
    return amount


def choice(argument: str, value: object, allowed: Iterable[str]) -> str:
    """Return one of a few names."""
    names = tuple(allowed)
    if not isinstance(value, str) or value not in names:
        raise UnknownNameError(argument, str(value), names)
    return value


def switch(argument: str, value: object) -> bool:
    """Return True or False; no other value stands for either."""
    if not isinstance(value, bool):
        raise InputError(f"{argument} = {short(value)}: give True or False.")
    return value


def text(argument: str, value: object) -> str:
    """Return a text, which may be empty."""
    if not isinstance(value, str):
        raise InputError(f"{argument} = {short(value)}: give a text.")
    return value


def of_kind(argument: str, value: object, kinds: type[_Kind] | tuple[type[_Kind], ...], example: str) -> _Kind:
    """Return a value that must be of one of a few kinds.

    >>> of_kind("price", 5, int, "a Price, such as Price('free')")
    5
    """
    if not isinstance(value, kinds):
        raise InputError(f"{argument} = {short(value)}: give {example}.")
    return value


def one_path(argument: str, value: object) -> Path:
    """Return the path of a file."""
    return Path(name_of(argument, value, "'counts.csv'"))


def function_of(argument: str, value: Any, arguments: int) -> Any:
    """Return a function that takes so many arguments, or None where none is given."""
    try:
        if value is not None:
            inspect.signature(value).bind(*[None] * arguments)
    except (TypeError, ValueError) as error:
        raise InputError(f"{argument} = {short(value)}: give a function of {arguments} arguments.") from error
    return value


def day(argument: str, value: object) -> dt.date:
    """Return a day from a date, a moment or a text such as ``2008-01-01``.

    >>> day("as_of", "2008-01-01")
    datetime.date(2008, 1, 1)
    """
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    try:
        return dt.date.fromisoformat(value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise InputError(f"{argument} = {short(value)}: give a day, such as '2008-01-01'.") from error


def short(value: object) -> str:
    """Return a value as a message may show it: text and numbers as they are, everything else by its kind.

    >>> short("OH"), short([1, None]), short(object())
    ("'OH'", '[1, None]', 'a object')
    """
    if isinstance(value, str | int | float | dt.date | Path) or value is None:
        text = repr(str(value) if isinstance(value, Path) else value)
        return text if len(text) <= 60 else f"{text[:57]}..."
    if isinstance(value, list | tuple) and len(value) <= 5:
        inside = ", ".join(short(item) for item in value)
        return f"[{inside}]" if len(inside) <= 60 else f"a {type(value).__name__}"
    return f"a {type(value).__name__}"
