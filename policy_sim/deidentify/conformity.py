"""Make a file conform to a policy: a column leaves only where the policy covers it, or a person said so.

A policy sets what is released of sex, race, ages, dates and places. Other dates about a person follow its rule for
birth dates, as 45 CFR 164.514(b)(2)(i)(C) requires. Clinical codes are none of the eighteen identifiers. Every other
column is left out, unless a person gave that column a role and a reason.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace

from policy_sim.deidentify.treatments import UNDECIDED, Variable, left_out
from policy_sim.errors import InputError
from policy_sim.granularity import Field
from policy_sim.policies.policy import Policy

__all__ = ["Conformity", "conform"]

_DATE_LEVELS = {
    "date": "day",
    "month": "month",
    "year": "year",
    "five_years": "five years",
    "decade": "ten years",
    "none": "nothing",
}
_AGE_WIDTHS = {"two_years": 2, "three_years": 3, "four_years": 4, "five_years": 5, "decade": 10, "twenty_years": 20}
_WHOLE_AGES = ("date", "month", "quarter", "year")
_ZIP_LEVELS = {
    "zip5": "five digits",
    "county_zip5": "five digits",
    "zip3": "three digits",
    "county_zip3": "three digits",
}
_COUNTY = ("county", "county_zip5", "county_zip3")
_TOWNS = ("county_zip5",)  # the limited data set, which may show a town: 45 CFR 164.514(e)(2)(ii)
_AGES = ("age", "age_months", "age_days")


@dataclass(frozen=True)
class Conformity:
    """The variables of a file under a policy.

    Parameters
    ----------
    policy : The policy.
    variables : The variables, each with the only level that the policy allows.
    oldest_year : Births in this year and before are one class; None if the policy has no oldest age.
    says : One sentence per variable: what the policy does to it, and why.
    """

    policy: Policy
    variables: tuple[Variable, ...]
    oldest_year: int | None
    says: Mapping[str, str]


def conform(variables: tuple[Variable, ...], policy: Policy, day: dt.date) -> Conformity:
    """Return the variables as a policy releases them.

    Parameters
    ----------
    variables : Every column of the file; those that nobody decided on are dropped.
    policy : The policy.
    day : The day on which ages are taken, for the oldest age.

    Raises
    ------
    InputError : a granularity that a column of that kind cannot have, or a pseudonym, which no policy covers.

    Examples
    --------
    >>> from policy_sim.granularity import Granularities
    >>> policy = Policy("years", "Years", Granularities({"birth": "year"}, geography="state"), "an example")
    >>> born = Variable("born", "key", "neighbors know it", "birth_date")
    >>> conform((born,), policy, dt.date(2026, 1, 1)).variables[0].levels
    ('year',)
    """
    top = policy.conditions.top_age  # some people born in the year of the cut already have that age
    oldest_year = None if top is None else day.year - top
    treated = [_treated(variable, policy, top, oldest_year) for variable in variables]
    says = {variable.name: why for variable, why in treated if why}
    return Conformity(policy, tuple(variable for variable, _ in treated), oldest_year, says)


def _treated(variable: Variable, policy: Policy, top: int | None, oldest_year: int | None) -> tuple[Variable, str]:
    """Return a variable under the policy, and what changes; empty if the policy does not cover it."""
    if variable.role == UNDECIDED:
        return variable, f"left out: {variable.reason}"
    if variable.treatment == "pseudonym" and policy.releases[Field.GEOGRAPHY] not in _TOWNS:
        raise InputError(
            f"{variable.name}: a pseudonym is made from a value, and 45 CFR 164.514(c)(1) does not allow a code that "
            f"is derived from information about the person, so the file would not conform to {policy.name}. Give the "
            "column the treatment drop, or let the release aim at a risk."
        )
    if variable.kind == "clinical":
        return variable, "released as the file has it: clinical codes are none of the identifiers"
    if variable.kind == "text" and variable.treatment != "drop":
        return replace(variable, treatment="drop", levels=()), "dropped: free text may hold any identifier"
    if variable.treatment == "drop":
        return variable, "dropped"
    place, birth = policy.releases[Field.GEOGRAPHY], policy.releases[Field.BIRTH]
    if variable.kind in ("sex", "race", "ethnicity"):
        granularity = policy.releases[Field.GENDER if variable.kind == "sex" else Field.RACE]
        if granularity == "broad":
            raise InputError(
                f"{variable.name}: {policy.name} releases race in broad classes; give a hierarchy with them."
            )
        return _at(variable, "value" if granularity == "value" else "nothing")
    if variable.kind in ("date", "birth_date"):
        if variable.treatment == "shift":
            variable = replace(variable, role="key", treatment="generalize")
        if birth not in _DATE_LEVELS:
            raise InputError(f"{variable.name}: dates cannot be brought to {birth!r}, which {policy.name} releases.")
        return _at(variable, _DATE_LEVELS[birth])
    if variable.kind in (*_AGES, "year"):
        return _age(variable, birth, top, oldest_year)
    if variable.kind == "zip":
        return _at(variable, _ZIP_LEVELS.get(place, "nothing"))
    if variable.kind == "zip3":
        return _at(variable, "three digits" if place in _ZIP_LEVELS else "nothing")
    if variable.kind == "place":
        return _at(variable, "nothing")
    if variable.kind == "town":
        return _at(variable, "value" if place in _TOWNS else "nothing")
    if variable.kind == "county":
        return _at(variable, "value" if place in _COUNTY else "nothing")
    if variable.kind == "state":
        return _at(variable, "nothing" if place == "nation" else "value")
    if variable.accepted:
        return left_out(variable.name, "nobody has decided on this column", variable.kind), "left out: nobody decided"
    return variable, ""


def _age(variable: Variable, birth: str, top: int | None, oldest_year: int | None) -> tuple[Variable, str]:
    cut = variable.top if variable.top is not None and (top is None or variable.top < top) else top
    if variable.kind == "year":  # it may be a year of birth; no other released year is so long ago
        cut, cuts = variable.top, [year for year in (variable.bottom, oldest_year) if year is not None]
        variable = replace(variable, bottom=max(cuts, default=None))
    if birth == "none":
        return _at(variable, "nothing")
    width = 1 if birth in _WHOLE_AGES else _AGE_WIDTHS.get(birth)
    if width is None:
        raise InputError(f"{variable.name}: ages cannot be brought to {birth!r}. Give a policy by other years.")
    return _at(
        replace(variable, top=cut, widths=() if width == 1 else (width,)), "value" if width == 1 else f"{width} wide"
    )


def _at(variable: Variable, level: str) -> tuple[Variable, str]:
    """Return a variable with one level, at which it is released whatever its role."""
    role = "key" if variable.role != "key" else variable.role
    if level == "nothing":
        return replace(variable, treatment="drop", levels=()), "dropped"
    in_words = {"value": "the file has it", "day": "dates"}.get(level, level)
    if variable.kind in ("age_months", "age_days"):
        in_words = "whole years"
    remark = f"released as {in_words}" + (f", {variable.top} and over in one class" if variable.top is not None else "")
    return replace(variable, role=role, treatment="generalize", levels=(level,)), remark
