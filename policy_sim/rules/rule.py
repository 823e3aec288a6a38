"""A disclosure rule: which counts it hides, and the points of a scoring table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from policy_sim.files.evidence import NO_EVIDENCE, Evidence, Source
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.words.arguments import short
from policy_sim.words.errors import InputError, UnknownNameError

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


@dataclass(frozen=True)
class PopulationFloor:
    """The fewest people in the population of a count, the denominator: a population ``below`` it meets the rule.

    ``joins``: ``and`` (small counts are hidden only there), ``or`` (all counts there are hidden too), ``alone``.
    """

    below: int
    joins: str = "alone"


@dataclass(frozen=True)
class Difference:
    """A count is hidden where the population minus the count is from ``least`` to ``largest``."""

    largest: int
    least: int = 0


@dataclass(frozen=True)
class RateLimits:
    """Largest counts whose rate the rule ``hides`` and ``marks`` as unreliable; None where it does not."""

    hides: int | None = None
    marks: int | None = None


@dataclass(frozen=True)
class RuleExample:
    """A case that the rule's text decides: a count, maybe of a population, and whether it is hidden."""

    count: int
    hidden: bool
    population: int | None = None


@dataclass(frozen=True)
class DisclosureRule:
    """One rule of one body.

    ``largest`` is the largest count that is hidden (11 is not 10): None where the rule is not on counts, or where no
    source establishes the number. ``hides`` says in our words what is hidden, ``quote`` in the rule's own.
    ``called`` is the name by which ``policy check`` prints the rule.

    Examples
    --------
    >>> rule = DisclosureRule("a-10", "A", "state", "d", "2020", "counts", "cases", "counts of 1 to 10", "shown", 10)
    >>> rule.why_hidden(10), rule.why_hidden(11), rule.why_hidden(0)
    ('1 to 10', '', '')
    """

    id: str
    body: str
    level: str
    document: str
    date: str
    kind: str
    unit: str
    hides: str
    zeros: str
    largest: int | None = None
    population: PopulationFloor | None = None
    difference: Difference | None = None
    rates: RateLimits = RateLimits()
    complement: str = "unknown"
    complement_note: str = ""
    quote: str = ""
    called: str = ""
    notes: tuple[str, ...] = ()
    examples: tuple[RuleExample, ...] = ()
    established: bool = True
    evidence: Evidence = NO_EVIDENCE
    sources: Mapping[str, Source] = field(default_factory=dict)

    @property
    def confidence(self) -> str:
        """How sure the rule is: high, medium or low."""
        return self.evidence.confidence

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

    def why_hidden(self, count: int, population: int | None = None) -> str:
        """Return why the rule hides a count; an empty text where it is shown.

        ``population``: the people whom the count is of, the denominator. Where the rule needs it and it is missing,
        that is an InputError: the rule decides nothing then.
        """
        if not self.judges_counts:
            raise InputError(f"rule {self.id} does not decide by a count ({self.kind}).")
        if self.needs_population and population is None:
            raise InputError(f"rule {self.id} needs the population of each count: give the denominators.")
        least = 0 if self.zeros in ("hidden", "in_class") else 1
        small = self.largest is not None and least <= count <= self.largest
        reason = f"{least} to {self.largest}" if small else ""
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
        if isinstance(value, int) and not isinstance(value, bool) and self.steps:
            if value < 0:
                raise InputError(f"{self.name} = {value}: give 0 or more.")
            for largest, points in self.steps:
                if value <= largest or not largest:
                    return points
            raise InputError(f"{self.name} = {value}: the guidelines give no points above {self.steps[-1][0]:,}.")
        if not isinstance(value, str) or value not in self.named:
            choices = [*self.named, *(["a whole number"] if self.steps else [])]
            raise UnknownNameError(f"value of {self.name}", value if isinstance(value, str) else short(value), choices)
        points_of_name = self.named[value]
        if points_of_name is None:
            raise InputError(f"{self.name} = {value!r}: the guidelines give no points. Small counts are hidden.")
        return points_of_name


@cache
def scored_variables() -> Mapping[str, ScoredVariable]:
    """Return the variables of the guidelines by name.

    >>> scored_variables()["events"].points(10), scored_variables()["events"].points(11)
    (7, 5)
    """
    table = shipped_table(_FILE)
    with damaged_if_wrong(data_dir() / _FILE):
        return {variable["name"]: _variable(variable) for variable in table["variable"]}


def printed_sums() -> tuple[tuple[str, int, Mapping[str, int | str]], ...]:
    """Return the sums that appendix I of the guidelines prints: of what, the sum, and the value of each variable."""
    return tuple((entry.pop("of"), entry.pop("sum"), entry) for entry in shipped_table(_FILE)["printed"])


def score(values: Mapping[str, int | str]) -> int:
    """Return the sum of the points of a table; more than :data:`MOST_POINTS` hides its counts of 1 to 10.

    Examples
    --------
    Fewer than 11 events in one year in a county of 10,000 people: 7, 0 and 5.

    >>> score({"events": 10, "time": "1 year", "residence-geography": 10_000})
    12
    """
    variables = scored_variables()
    for name in values:
        if name not in variables:
            raise UnknownNameError("scored variable", name, variables)
    return sum(variables[name].points(value) for name, value in values.items())


def _variable(table: Mapping[str, object]) -> ScoredVariable:
    lines: list[Mapping[str, int | str]] = list(table["points"])  # type: ignore[call-overload]
    steps = tuple((int(line["most"]), int(line["points"])) for line in lines if "most" in line)
    named = {str(line["name"]): int(line["points"]) if "points" in line else None for line in lines if "name" in line}
    return ScoredVariable(str(table["name"]), steps, named)
