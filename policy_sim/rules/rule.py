"""A disclosure rule, as its file has it: which counts it hides; and the points of a scoring table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import Field

from policy_sim.files.evidence import Source
from policy_sim.files.paths import data_dir
from policy_sim.files.schema import CitingTable, Flag, StrictTable, Text, Words, word
from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.words.arguments import choice
from policy_sim.words.errors import InputError

LEVELS = ("federal", "state", "local", "research", "abroad", "paper")
KINDS = (
    *("counts", "counts and rates", "counts and rounding", "counts over time", "case records", "complementary"),
    *("denominator", "score", "reliability", "geography", "rounding", "format", "calendar", "words"),
)
ZEROS = {
    "shown": "0 is shown",
    "hidden": "0 is hidden like a small count",
    "in_class": "0 is in one class with the smallest counts",
    "unknown": "no source says what happens to 0",
    "none": "the rule is not on counts",
}
COMPLEMENTS = {
    "no_derivation": "no hidden count may follow from what is published",
    "two_per_line": "two or more hidden cells in each line",
    "none_needed": "made so that no complementary cell is needed",
    "none": "no complementary rule",
    "unknown": "no source gives a complementary rule",
}
JOINS = {"and": "only where", "or": "also where", "alone": "where"}


_Id = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description='small letters, digits and hyphens such as "wa-doh-10"'),
]
_Count = Annotated[int, Field(ge=0, description="a whole number of 0 or more, without quotes")]
_Quote = Annotated[str, Field(pattern=r"^\s*(\S+\s*){0,25}$", description="a text of at most 25 words")]


class PopulationFloor(StrictTable):
    """The fewest people in the population of a count, the denominator: a population ``below`` it meets the rule.

    ``joins``: ``and`` (small counts are hidden only there), ``or`` (all counts there are hidden too), ``alone``.
    """

    below: _Count
    joins: word(JOINS) = "alone"  # type: ignore[valid-type]


class Difference(StrictTable):
    """A count is hidden where the population minus the count is from ``least`` to ``largest``."""

    largest: _Count
    least: _Count = 0


class RateLimits(StrictTable):
    """Largest counts whose rate the rule ``hides`` and ``marks`` as unreliable; None where it does not."""

    hides: _Count | None = None
    marks: _Count | None = None


class RuleTable(CitingTable):
    """``[[rule]]``.

    ``largest`` is the largest count that is hidden (11 is not 10): None where the rule is not on counts, or where no
    source establishes the number. ``hides`` says in our words what is hidden, ``quote`` in the rule's own.
    ``called`` is the name by which ``policy check`` prints the rule.
    """

    id: _Id
    document: Text
    date: Text
    kind: word(KINDS)  # type: ignore[valid-type]
    unit: Text = ""
    hides: Text
    zeros: word(ZEROS) = "none"  # type: ignore[valid-type]
    largest: _Count | None = None
    population: PopulationFloor | None = None
    difference: Difference | None = None
    rates: RateLimits = RateLimits()
    complement: word(COMPLEMENTS) = "unknown"  # type: ignore[valid-type]
    complement_note: Text = ""
    quote: _Quote = ""
    called: Text = ""
    notes: Words = ()
    established: Flag = True


class DisclosureRule(RuleTable):
    """One rule of one body, with the documents that it rests on.

    >>> facts = {"id": "a-10", "body": "A", "level": "state", "document": "d", "date": "2020", "kind": "counts"}
    >>> rule = DisclosureRule(**facts, hides="counts of 1 to 10", zeros="shown", largest=10)
    >>> rule.why_hidden(10), rule.why_hidden(11), rule.why_hidden(0)
    ('1 to 10', '', '')
    """

    body: str
    level: str
    documents: tuple[Source, ...] = ()

    @property
    def origin(self) -> str:
        """Which rule it is, whose, and where it stands."""
        return f"{self.id}, {self.body}, {self.document} ({self.date})"

    @property
    def judges_counts(self) -> bool:
        """Whether the rule decides by a count, its population or their difference whether the count is hidden."""
        own = self.kind in ("counts", "counts and rates", "counts and rounding", "denominator")
        return own and self.established and (self.largest is not None or self.difference is not None)

    @property
    def needs_population(self) -> bool:
        """Whether a count alone does not decide."""
        return self.population is not None or self.difference is not None

    @property
    def _least(self) -> int:
        return 0 if self.zeros in ("hidden", "in_class") else 1

    def why_hidden(self, count: int, population: int | None = None) -> str:
        """Return why the rule hides a count; an empty text where it is shown.

        ``population``: the people whom the count is of, the denominator. Where the rule needs it and it is missing,
        that is an InputError: the rule decides nothing then.
        """
        if not self.judges_counts:
            raise InputError(f"rule {self.id} does not decide by a count ({self.kind}).")
        if self.needs_population and population is None:
            raise InputError(f"rule {self.id} needs the population of each count: give the denominators.")
        small = self.largest is not None and self._least <= count <= self.largest
        reason = f"{self._least} to {self.largest}" if small else ""
        if population is not None and self.population is not None:
            below = population < self.population.below
            if self.population.joins == "and":
                reason = f"{reason} of fewer than {self.population.below:,} people" if reason and below else ""
            elif below:
                reason = reason or f"population below {self.population.below:,}"
        if population is not None and self.difference is not None and not reason:
            rest = population - count
            if rest < 0:
                raise InputError(f"rule {self.id}: a count of {count:,} in a population of {population:,}.")
            if self.difference.least <= rest <= self.difference.largest:
                reason = f"population minus count is {self.difference.least} to {self.difference.largest}"
        return reason

    def ends(self, count: int, population: int | None = None) -> tuple[int, int | None]:
        """Return the least and greatest count that a reader holds possible who knows why the rule hides this one."""
        if self.largest is not None and self._least <= count <= self.largest:
            return self._least, self.largest if population is None else min(self.largest, population)
        rest = self.difference
        if rest is not None and population is not None and rest.least <= population - count <= rest.largest:
            return max(population - rest.largest, 0), population - rest.least
        return 0, population


_FILE = "disclosure_rules/scores/calhhs-ddg2.toml"
MOST_POINTS = 12  # of a table whose small counts need not be hidden

# Largest value of a step, and its points; 0 stands for no largest value.
Steps = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ScoredVariable:
    """Points of one variable: by the size of a number (``steps``), by a name (``named``), or by either."""

    name: str
    steps: Steps
    named: Mapping[str, int | None]

    def points(self, value: int | str) -> int:
        """Return the points of a number or a name; an InputError where the guidelines give none."""
        if isinstance(value, str) or not self.steps:
            points = self.named[choice(f"value of {self.name}", value, self.named)]
        else:
            steps = (points for largest, points in self.steps if not largest or value <= largest)
            points = next(steps, None) if value >= 0 else None
        if points is None:
            raise InputError(f"{self.name} = {value!r}: the guidelines give no points. Small counts are hidden.")
        return points


@cache
def scored_variables() -> Mapping[str, ScoredVariable]:
    """Return the variables of the guidelines by name."""
    variables = {}
    with damaged_if_wrong(data_dir() / _FILE):
        for table in shipped_table(_FILE)["variable"]:
            steps = tuple((line["most"], line["points"]) for line in table["points"] if "most" in line)
            named = {line["name"]: line.get("points") for line in table["points"] if "name" in line}
            variables[table["name"]] = ScoredVariable(table["name"], steps, named)
    return variables


def score(values: Mapping[str, int | str]) -> int:
    """Return the sum of the points of a table; more than :data:`MOST_POINTS` hides its counts of 1 to 10.

    Fewer than 11 events in one year in a county of 10,000 people: 7, 0 and 5.

    >>> score({"events": 10, "time": "1 year", "residence-geography": 10_000})
    12
    """
    variables = scored_variables()
    return sum(variables[choice("scored variable", name, variables)].points(value) for name, value in values.items())
