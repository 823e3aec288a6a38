"""Options that several commands share, so that they look and work the same."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from policy_sim.cli.inputs import NAME_OR_FILE, FilePath
from policy_sim.files.paths import DEFAULT_POPULATION
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from policy_sim.attackers.in_file import InFile
    from policy_sim.records.engines.engine import Engine
    from policy_sim.study.compare import Studies
    from policy_sim.study.study import Study

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Answer = TypeVar("_Answer")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")
_STATES = "policy_sim.words.states"  # what a context remembers of the states that are arguments
MOST_G = 1_000_000_000  # more than the people of any state
FORMATS = ("text", "csv", "json", "parquet")
RULES = ("regulation", "paper")


class _InFile(click.ParamType[float]):
    """How many people are in a file: a share of the people above 0 and up to 1, or a whole number of people."""

    name = "share or people"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | int:
        """Return the share, or the number of people."""
        text = str(value).strip()
        if _THOUSANDS.fullmatch(text):
            text = text.replace(",", "")
        try:
            number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf or (number > 1 and (text.endswith("%") or not number.is_integer())):
            self.fail(
                f"{value!r} is not a size of a file: give a share of the people above 0 and up to 1, such as 0.01 or "
                "1%, or a whole number of people, such as 11000.",
                param,
                ctx,
            )
        return int(number) if number > 1 else number


class _Days(click.FloatRange):
    """A number of days in a year: finite, and small enough to draw from."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        days = super().convert(value, param, ctx)
        if math.isnan(days):
            self.fail(f"{value} is not a number, such as 365.25.", param, ctx)
        return days


class _Day(click.DateTime):
    """A date without a time."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx).date()
        except click.BadParameter:
            self.fail(f"{value!r} is not a date. Write year, month and day, such as 2015-06-01.", param, ctx)


class Form(click.Choice[str]):
    """A form of output. ``table``, the old name of ``text``, is still taken, with one line on standard error."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the form by its name of today."""
        if value == "table":
            click.echo("now: --format text", err=True)
            return "text"
        return super().convert(value, param, ctx)


IN_FILE = _InFile()
DAYS = _Days(min=1, max=1_000_000)
DAY = _Day(["%Y-%m-%d"])
FILE = FilePath(dir_okay=False, path_type=Path)
FOLDER = FilePath(file_okay=False, path_type=Path)


def together(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Add several options, in the order of --help."""

    def add(command: _Command) -> _Command:
        return functools.reduce(lambda wrapped, add_option: add_option(wrapped), reversed(options), command)

    return add


def option(*names: str, help: str, **settings: Any) -> Callable[[_Command], _Command]:  # noqa: A002  (click's word)
    """Add an option as click does; a tuple as ``type`` is a choice, and the help says a default that is not empty."""
    if isinstance(settings.get("type"), tuple):
        settings["type"] = click.Choice(settings["type"])
    if "NAME|FILE" in settings.get("metavar", ""):
        settings.setdefault("type", NAME_OR_FILE)
    settings.setdefault("show_default", settings.get("default") not in (None, "") and "[default:" not in help)
    return click.option(*names, help=help, **settings)


def hipaa_option(help: str, default: str | None = None) -> Callable[[_Command], _Command]:  # noqa: A002
    """Add ``--hipaa``: the form of the HIPAA rules. ``--rules``, its old name, is still taken, with one line."""

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def run(*arguments: Any, was_rules: str | None, **options: Any) -> Any:
            if was_rules:
                source = click.get_current_context().get_parameter_source("rules")
                if source is ParameterSource.COMMANDLINE:
                    raise click.UsageError("--rules is the old name of --hipaa: give --hipaa alone.")
                click.echo(f"now: --hipaa {was_rules}", err=True)
                options["rules"] = was_rules
            return command(*arguments, **options)

        former = option("--rules", "was_rules", type=RULES, hidden=True, help="The old name of --hipaa.")
        return cast(_Command, option("--hipaa", "rules", type=RULES, default=default, help=help)(former(run)))

    return add


format_option = option(
    "--format",
    "form",
    type=Form(FORMATS),
    default="text",
    help="Output format. Parquet output must go to a file or a pipe.",
)
g_option = option(
    "--g",
    multiple=True,
    type=click.IntRange(min=1, max=MOST_G),
    help="Group size of g-distinct; repeat for more. [default: 1, 3, 5 and 10]",
)
interval_option = option(
    "--interval",
    "spread",
    is_flag=True,
    help="Also give an interval of each figure: 95% over the chance of birthdays and the attacker's random picks. "
    "Where people are modeled, it is widened by the largest error that was measured; that part has no known level.",
)
engine_option = option(
    "--engine",
    metavar="NAME|URL",
    help="Process --population FILE.parquet without reading it into memory: duckdb, local (Spark on this "
    "machine), spark://host:port or sc://host:port (docs/cluster.md). [default: read it into memory]",
)
as_of_option = option(
    "--as-of", type=DAY, metavar="DAY", help="Use the voter lists as they were on this date, such as 2015-06-01."
)
_IN_FILE_HELP = (
    "The attacker knows that its target is in the file. The file has this share of each state's people (0.01) or this "
    "many people (11000). [default: everyone is in the file]"
)


def _in_file_options(text: str = _IN_FILE_HELP) -> Callable[[_Command], _Command]:
    """Add ``--in-file``, or ``--records`` in its place, and ``--from``; the command gets one ``in_file``."""
    options = (
        option("--in-file", type=IN_FILE, metavar="SHARE|PEOPLE", help=text),
        option(
            "--from",
            "places",
            metavar="PLACES",
            help="Where the people of the file come from, such as 'Allen,Lucas=40%' or 'OH: Lucas=60%, Wood; MI: "
            "Monroe': counties by name or FIPS code, or three-digit ZIP codes, of one state or several. Places without "
            "a share divide the rest by population. [default: the whole state]",
        ),
        option(
            "--records",
            type=click.IntRange(min=2),
            metavar="NUMBER",
            help="Instead of --in-file: how many records the file has.",
        ),
        option(
            "--per-person",
            type=click.FloatRange(min=1),
            metavar="NUMBER",
            help="With --records: how many records each person has. [default: 1]",
        ),
    )

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_file(
            in_file: float | None, places: str | None, records: int | None, per_person: float | None, **options: Any
        ) -> Any:
            return command(in_file=_file_of(in_file, places, records, per_person), **options)

        return cast(_Command, together(*options)(with_file))

    return add


def _file_of(
    in_file: float | None, places: str | None, records: int | None, per_person: float | None
) -> float | InFile | None:
    """Return the file that the options describe; a number where ``--in-file`` alone says it."""
    if in_file is not None and records is not None:
        raise InputError("--in-file counts people and --records counts records: use one of them.")
    if per_person is not None and records is None:
        raise InputError("--per-person needs --records: how many records the file has.")
    if places is None and records is None:
        return in_file
    from policy_sim.attackers.in_file import InFile

    if records is not None:
        return InFile.of_records(records, per_person, places)
    if in_file is None:
        raise InputError("--from needs --in-file (or --records): how many people are in the file.")
    return InFile.of(in_file, places)


def states_asked(state: str | None, in_file: float | InFile | None) -> tuple[str, ...]:
    """Return the state of an argument that is optional where the places of a file name their states."""
    if state is not None:
        return (state,)
    if getattr(in_file, "catchment", None) is None:
        raise click.UsageError("Missing argument 'STATE': name a state, or the places of a file with their states.")
    return ()


in_file_option = _in_file_options()
brief_file_option = _in_file_options(
    "How many people are in the file: a share (0.01) or a number (11000). [default: 0.01]"
)
attackers_option = option(
    "--attacker",
    "attackers",
    multiple=True,
    metavar="NAME|FILE",
    help="Who attacks: general (knows everyone), voter (has the voter list), a resource such as texas-birth-index "
    "('policy-sim lists resources list'), or your own resource file; repeat for more. [default: general and voter; for "
    "cost voter]",
)
_POPULATION: dict[str, Any] = {
    "metavar": "NAME|FILE",
    "help": "The census population to use ('policy-sim model population list'), or your own file. "
    f"[default: {DEFAULT_POPULATION}]",
}
population_option = option("--population", **_POPULATION)
lists_option = option("--lists", metavar="VINTAGE", help="Year of the voter lists. [default: the newest]")
released_option = option("--policy", default="limited-dataset", metavar="NAME|FILE", help="What is released.")
zip3_option = option(
    "--zip3",
    type=("computed", "hhs2000", "union"),
    default="computed",
    help="Which list of three-digit ZIP codes with too few people to use.",
)
days_option = option("--days-per-year", type=DAYS, default=365.0, help="Number of equally likely birthdays in a year.")


def policies_option(text: str) -> Callable[[_Command], _Command]:
    """``--policy``, repeatable."""
    return option("--policy", "policies", multiple=True, metavar="NAME|FILE", help=text)


def out_options(text: str) -> Callable[[_Command], _Command]:
    """``--format`` and ``--out``, as one ``output``: no other run writes into its folder meanwhile."""

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def alone(form: str, out: Path | None, **options: Any) -> Any:
            from policy_sim.cli.output import Output
            from policy_sim.files.output_folder import held_for_output

            with held_for_output(out):
                return command(output=Output(form, out), **options)

        out_option = option("--out", type=FOLDER, metavar="DIR", help=text)
        return cast(_Command, together(format_option, out_option)(alone))

    return add


def many_states_option(command: _Command) -> _Command:
    """``--state``, repeatable, or the states as the last arguments."""

    def listed(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(part for text in texts for part in text.split(","))

    states = option(
        "--state",
        "states",
        multiple=True,
        metavar="STATE",
        callback=lambda context, _option, texts: (*listed(texts), *context.meta.get(_STATES, ())),
        help="A state by postal code, FIPS code or name; repeat for more, or write OH,WY. The option's name can be "
        "left out. [default: all]",
    )
    arguments = click.argument(
        "more_states",
        metavar="[STATE]...",
        nargs=-1,
        expose_value=False,
        is_eager=True,
        callback=lambda context, _argument, texts: context.meta.update({_STATES: listed(texts)}),
    )
    return arguments(states(command))


# Which people, lists, policies and attackers are studied, in the order of --help, by the parameter's name.
_STUDY: Mapping[str, Callable[[Any], Any]] = {
    "populations": option("--population", "populations", multiple=True, **_POPULATION),
    "lists": option(
        "--lists", metavar="VINTAGE", help="Year of the voter lists, such as 2008 or 2026. [default: the newest]"
    ),
    "as_of": as_of_option,
    "preset": option(
        "--as",
        "preset",
        metavar="PRESET",
        help="Use the population, lists, rules and measures of a published study: benitez-malin-2010.",
    ),
    "policies": policies_option(
        "The policy: what a release shows of each person; repeat for more. [default: safe-harbor and limited-dataset]"
    ),
    "rules": hipaa_option(
        "Use Safe Harbor and the limited data set as 45 CFR 164.514 states them, with ZIP codes, or as Benitez "
        "and Malin simplify them, without ZIP codes; tables then name safe-harbor-paper and limited-dataset-paper. "
        "[default: regulation]",
    ),
    "zip3": option(
        "--zip3",
        type=("computed", "hhs2000", "union"),
        help="Which three-digit ZIP codes have too few people to be shown: those computed from the census, those "
        "printed in 2002, or both. [default: computed]",
    ),
    "in_file": in_file_option,
    "attackers": attackers_option,
    "adversary": option(
        "--adversary",
        metavar="NAME|FILE",
        help="What limits VOTER: academic, journalist, marketer, party, unconstrained, or your own profile. A list "
        "that this attacker cannot get shows the reason. [default: nothing]",
    ),
    "coverage": option(
        "--coverage",
        type=("registered", "registered-with-errors", "survey", "adults", "everyone"),
        help="Who is assumed to be on the voter list: registered adults by county and age, with records of people who "
        "left; the same, with values that differ between release and list for some; the share of a state's adults who "
        "say in a survey that they are registered; all adults; or everyone, as "
        "in the paper. [default: registered]",
    ),
    "database": option(
        "--database",
        metavar="URL|own",
        help="Read the voter lists from a database instead of the files ('own' is yours, with the lists you imported).",
    ),
    "states": many_states_option,
    "days_per_year": option(
        "--days-per-year", type=DAYS, help="Number of equally likely birthdays in a year. [default: 365]"
    ),
}


def study_option(name: str) -> Callable[[_Command], _Command]:
    """One of the options of a study by itself."""
    return _STUDY[name]


def study_options(without: str = "") -> Callable[[_Command], _Command]:
    """Add the options of a study, except those (``without``, between blanks) that the command sets itself or lacks."""
    return together(*(add for name, add in _STUDY.items() if name not in without.split()))


_STAKES: Mapping[str, Mapping[str, Any]] = {
    "gain": {
        "metavar": "USD|NAME",
        "default": "wan-2015",
        "help": "Value of a correct match to the attacker: dollars, or a name from 'policy-sim econ sources'.",
    },
    "cost_per_attempt": {
        "metavar": "USD|NAME",
        "default": "attempt-wan-2015",
        "help": "Cost of attacking one record, right or wrong: dollars, or a name from 'policy-sim econ sources'.",
    },
    "loss_per_wrong": {
        "type": click.FloatRange(min=0),
        "default": 0.0,
        "help": "Dollars that the attacker loses for each record matched to the wrong person.",
    },
    "penalty": {
        "metavar": "USD|NAME",
        "default": "0",
        "help": "Fine for each person re-identified if the attacker is caught: dollars, or a name from 'policy-sim "
        "economics'.",
    },
    "chance_caught": {
        "type": click.FloatRange(0, 1),
        "default": 0.0,
        "help": "Chance (0 to 1) that the attacker is caught and fined. An assumption: no source gives it.",
    },
}


def stakes_options(*names: str, **defaults: Any) -> Callable[[_Command], _Command]:
    """Add the options on an attack's gains and costs, ``--gain``, ``--cost-per-attempt`` and so on.

    ``names``: which of them; all by default. ``defaults``: other values where an option is not given.
    """
    chosen = {name: {**_STAKES[name]} for name in names or _STAKES}
    for name, default in defaults.items():
        chosen[name]["default"] = default
    return together(*(option(f"--{name.replace('_', '-')}", **settings) for name, settings in chosen.items()))


# What is asked of a study, by who takes it: each may have a value in the preset, and its own default elsewhere.
_OF_STUDY = ("lists", "days_per_year", "zip3", "adversary", "coverage", "spread", "database", "as_of", "engine")
_OF_QUESTION = ("policies", "attackers", "states", "g", "rules", "in_file")


def _studies_of(options: dict[str, Any]) -> tuple[tuple[Study, ...], dict[str, Any]]:
    """Take studies and the parts of a question out of options; a preset fills in what is missing."""
    from policy_sim.policies.files import load_preset
    from policy_sim.study.study import Study

    preset, releases = options.pop("preset", None), options.pop("releases", ())
    base = dict(vars(load_preset(preset))) if preset else {}
    if options.get("as_of"):
        base.pop("lists", None)
    names = options.pop("populations", ()) or (base.get("population"),)
    chosen = {name: options.pop(name, None) or base.get(name) for name in (*_OF_STUDY, *_OF_QUESTION)}
    chosen["policies"] = with_releases(chosen["policies"], releases)
    if chosen["engine"]:
        chosen["engine"] = _opened(chosen["engine"])
    parts = {name: value for name, value in chosen.items() if value}
    settings = {name: parts.pop(name) for name in _OF_STUDY if name in parts}
    return tuple(Study(name, **settings) for name in names), parts


def ask(**options: Any) -> Studies:
    """Turn options into studies and a question."""
    from policy_sim.study.compare import Studies
    from policy_sim.study.question import Question

    studies, parts = _studies_of(options)
    return Studies(studies, Question.of(**parts, **options))


def answer_to(verb: Callable[..., _Answer], **options: Any) -> _Answer:
    """Ask a verb of the one study what the options say; those that not every question has are the verb's own."""
    studies, parts = _studies_of(options)
    if len(studies) > 1:
        raise InputError("this question takes one population at a time.")
    takes = inspect.signature(verb).parameters  # of a preset, what this question has
    return verb(studies[0], **{name: part for name, part in parts.items() if name in takes}, **options)


def with_releases(policies: tuple[str, ...] | None, releases: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the policies plus the states' own releases; the textbook policies if none is named."""
    from policy_sim.study.question import POLICIES

    if not releases:
        return policies
    return (*(policies or POLICIES), *(f"release:{name.removeprefix('release:')}" for name in releases))


def _opened(name: str) -> Engine:
    """Open an engine until the command ends, and show progress if it takes long."""
    from policy_sim.cli.output import Progress
    from policy_sim.records.engines.readable_file import open_engine

    command = click.get_current_context()
    return command.with_resource(open_engine(name, progress=command.with_resource(Progress())))
