"""The publication scoring criteria of CalHHS: points for what a table tells, added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from policy_sim.files.paths import data_dir
from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.words.arguments import short
from policy_sim.words.errors import InputError, UnknownNameError

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
