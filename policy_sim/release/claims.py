"""What a release claims of its written file, by its rule or target and by what persons said: what is attacked."""

from __future__ import annotations

from collections.abc import Mapping

from policy_sim.policies.policy import Policy
from policy_sim.records.identifiers import LONE_NAMES
from policy_sim.release.attack.report import Claim, Word
from policy_sim.release.conformity import Conformity
from policy_sim.release.deidentified import Treatment
from policy_sim.release.project import Project
from policy_sim.release.targets import RiskTarget
from policy_sim.release.treatments import Variable
from policy_sim.words.fields import Field

_EVERY_LETTER = "ABCDEFGHIJKLMNOPQR"
_LIMITED = "ADEFGHIJKLMNOPQ"  # what 45 CFR 164.514(e)(2) removes: all but places and dates, and codes of other kinds
_PLACES: Mapping[str, tuple[str, ...]] = {
    "nation": (),
    "zip3": ("zip3",),
    "zip5": ("zip3", "zip5"),
    "county": ("county",),
    "county_zip3": ("county", "zip3"),
    "county_zip5": ("county", "zip3", "zip5", "town"),
}
_WORDS = ("names of people", LONE_NAMES, "towns or counties")
_DATES = {"none": "none", "date": "day", "month": "month", "quarter": "month"}


def claim_of(
    project: Project,
    treatment: Treatment,
    conformity: Conformity | None,
    coined: Mapping[str, tuple[str, ...]],
    sets: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> Claim:
    """Return what a release says of its file.

    By column, ``coined`` are texts that it made and no record had, and ``sets`` those that name several values.
    """
    released = [variable for variable in treatment.variables if variable.treatment != "drop"]
    who = {name.casefold(): says.split(",")[0] for name, says in project.classified.items()}
    claim = Claim(
        day=project.file.day,
        pseudonyms=tuple(variable.name for variable in released if variable.treatment == "pseudonym"),
        shifted=tuple(variable.name for variable in released if variable.treatment == "shift"),
        person=treatment.person,
        known_rows=treatment.known or "1",
        words={
            variable.name: Word(
                who.get(variable.name.casefold(), "a person"),
                _settled(variable),
                variable.youngest,
                _stronger_guess(project, variable),
            )
            for variable in released
            if not variable.accepted and variable.treatment != "pseudonym"
        },
        coined=coined,
        sets=sets,
    )
    if conformity is not None:
        return _by_rule(claim, conformity.policy, treatment)
    return claim if treatment.target is None else _by_classes(claim, treatment.target, treatment)


def _stronger_guess(project: Project, variable: Variable) -> str:
    """Return the role that the program guessed for a column, where the person's lets it leave as it is."""
    own = variable.name.casefold()
    guess = next((look.guess for name, look in project.looks.items() if name.casefold() == own), "")
    return guess if variable.role in ("other", "sensitive") and guess in ("direct", "key") else ""


def _settled(variable: Variable) -> tuple[str, ...]:
    """Return what a column's values are not: its role settles words, and numbers need an answer of their own."""
    by_role = [what for what in variable.may_be if what in _WORDS]
    return tuple(dict.fromkeys([*by_role, *variable.is_not]))


def _by_rule(claim: Claim, policy: Policy, treatment: Treatment) -> Claim:
    place = policy.releases[Field.GEOGRAPHY]
    return claim.but(
        rule=policy.name,
        dates=_DATES.get(policy.releases[Field.BIRTH], "year"),
        places=("state", *_PLACES.get(place, ())) if place != "nation" else (),
        letters=_EVERY_LETTER if policy.conditions.top_age is not None else _LIMITED,
        oldest=policy.conditions.top_age,
        small=tuple(sorted(treatment.small_zip3)),
    )


def _by_classes(claim: Claim, target: RiskTarget, treatment: Treatment) -> Claim:
    """Return the claim of a target: classes of a size, as far as the file shows them."""
    uncounted = [condition.describe() for condition in target.conditions]
    if target.measure != "maximum":
        uncounted.append("the mean of the risks")
    in_file = target.sizes == "file"
    if not in_file:
        uncounted.append(f"the people of the population: {target.describe()}")
    return claim.but(
        k=target.least if in_file else 1,
        keys=tuple(variable.name for variable in treatment.searched),
        uncounted=tuple(uncounted),
    )
