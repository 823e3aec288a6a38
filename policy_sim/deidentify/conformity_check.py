"""Check from its texts alone whether a released file conforms to a policy."""

from __future__ import annotations

import re
from collections.abc import Mapping

from policy_sim.deidentify.coded_columns import CodedTable
from policy_sim.deidentify.treatments import Variable

__all__ = ["conformity_problems"]

# What a released value of each level looks like.
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "month": re.compile(r"\d{4}-\d{2}|\d{4} or before"),
    "year": re.compile(r"\d{4}( or before)?"),
    "five years": re.compile(r"\d{4}-\d{4}|\d{4} or before"),
    "ten years": re.compile(r"\d{4}-\d{4}|\d{4} or before"),
    "three digits": re.compile(r"\d{3}"),
    "2 letters": re.compile(r"\d{2}"),
}
_AGE = re.compile(r"(\d+)(\+|-\d+)?")


def conformity_problems(
    table: CodedTable,
    variables: tuple[Variable, ...],
    small_zip3: frozenset[str] = frozenset(),
    oldest_year: int | None = None,
) -> list[str]:
    """Return the problems of a released file that does not conform: one line per problem, without a value.

    Parameters
    ----------
    table : The released file.
    variables : The variables under the policy (:func:`policy_sim.deidentify.conformity.conform`).
    small_zip3 : ZIP code prefixes that must be written as 000.
    oldest_year : Last year of birth in the class of the oldest people.

    Examples
    --------
    >>> from policy_sim.deidentify.coded_columns import CodedColumn
    >>> zip_code = Variable("zip", "key", "known", "zip", levels=("three digits",))
    >>> conformity_problems(CodedTable({"zip": CodedColumn.of(["43215", "432"])}), (zip_code,))
    ['zip: 1 value is not released as three digits']
    """
    problems = []
    for variable in variables:
        if variable.treatment == "drop":
            if variable.name in table.names:
                problems.append(f"{variable.name} is released, and must be dropped")
            continue
        values = table[variable.name].values
        if shape := _SHAPES.get(variable.levels[0] if variable.levels else ""):
            problems += _counted(
                variable.name,
                sum(shape.fullmatch(value) is None for value in values),
                f"not released as {variable.levels[0]}",
            )
        if variable.kind in ("zip", "zip3"):
            problems += _counted(variable.name, sum(value[:3] in small_zip3 for value in values), "of a small area")
        if variable.kind == "age" and variable.top is not None:
            ages = [m for value in values if (m := _AGE.fullmatch(value)) and not value.endswith("+")]
            problems += _counted(variable.name, sum(int(m[1]) >= variable.top for m in ages), "above the oldest age")
        if variable.kind == "year" and variable.bottom is not None:
            years = [m for value in values if (m := _AGE.fullmatch(value))]
            problems += _counted(variable.name, sum(int(m[1]) <= variable.bottom for m in years), "of the oldest years")
        if variable.kind == "birth_date" and oldest_year is not None:
            last = [int(value[5:9] if value[4:5] == "-" and len(value) == 9 else value[:4]) for value in values]
            old = [
                year
                for year, value in zip(last, values, strict=True)
                if year <= oldest_year and not value.endswith("before")
            ]
            problems += _counted(variable.name, len(old), "of the oldest years")
    return problems


def _counted(name: str, number: int, what: str) -> list[str]:
    return [f"{name}: {number:,} value{'s are' if number > 1 else ' is'} {what}"] if number else []
