"""From a release to a policy: how finely the file of a year shows sex, race, Hispanic origin, birth and place.

Elements of one field are read together: month and year of birth are ``month``; an age in years stands for the
year of birth, as everywhere in policy_sim; Hispanic origin next to race with Hispanic among the races is both, because
HCUP's HISPANIC has the races of Hispanic people. Where it is unknown whether a file shows an element, or how wide its
age classes are, the release has two ends.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from policy_sim.policies.policy import Policy, PolicyByState
from policy_sim.policies.states.state_release import RELEASE_ELEMENTS, StateRelease
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES

NEWEST = "newest"
# From this year on, a county that is taken from the ZIP code is that of the ZIP code's center for everyone.
_COUNTY_OF_CENTER = 2019
# The narrowest that age classes of unknown width are taken to be.
LEAST_CLASS = "five_years"


def views_of(release: StateRelease, year: int) -> tuple[Granularities, Granularities]:
    """Return what the file of a year surely shows, and the most that it may show.

    The first can be computed from the second; they are equal where everything is known. An unknown element is taken as
    withheld for the first. For the second, unknown sex, race, Hispanic origin, ZIP code and county are taken as shown;
    an unknown element of birth is not, where an age or a part of the date of birth is shown.

    Examples
    --------
    >>> from policy_sim.policies.states.state_release import Program
    >>> program, years = Program("p", "A file", "Somebody", "inpatient"), frozenset({2020})
    >>> shows = {"sex": years, "age_class": years, "zip5": years, "county": years}
    >>> [str(view) for view in views_of(StateRelease("NC", "inpatient", program, (2020,), shows), 2020)]
    ['gender+geography=county_zip5', 'gender+birth=five_years+geography=county_zip5']
    """
    availability = {name: release.availability(name, year) for name in RELEASE_ELEMENTS}
    if year >= _COUNTY_OF_CENTER and availability["zip5"] == "shown":  # whoever knows the ZIP code knows that county
        availability["county_from_zip"] = "withheld"
    shown_elements = {name for name, word in availability.items() if word == "shown"}
    possible = shown_elements | {name for name, word in availability.items() if word == "unknown"}
    least, most = _birth(shown_elements, shown_elements if _tells_birth(shown_elements) else possible)
    low, high = (
        Granularities(_race(elements), gender=_value("sex", elements), birth=birth, geography=_place(elements))
        for elements, birth in ((shown_elements, least), (possible, most))
    )
    return low, high


def policies_of(release: StateRelease, year: int, name: str = "") -> tuple[Policy, Policy]:
    """Return the file of a year as two policies: what it surely shows, and the most that it may show.

    ``name``: the name of the policies; ``release:NC:2016`` by default.
    """
    called = name or release_name(release, year)
    title = f"{STATES[release.state].name}, {release.id} file of {year}"
    low, high = (
        Policy(called, title, view, release.program.title, remarks=terms(release)) for view in views_of(release, year)
    )
    return low, high


def release_name(release: StateRelease, year: int) -> str:
    """Return how a release of a year is written as a policy.

    >>> from policy_sim.policies.states.state_release import Program
    >>> program = Program("p", "A file", "Somebody", "emergency")
    >>> release_name(StateRelease("NC", "emergency", program, (2016,)), 2016)
    'release:NC:2016:emergency'
    """
    ending = "" if release.id == "inpatient" else f":{release.id}"
    return f"release:{release.state}:{year}{ending}"


def newest_policy(releases: Mapping[str, tuple[StateRelease, int]]) -> PolicyByState:
    """Return the policy of every state's own newest release, by postal code with its year."""
    years = sorted({year for _, year in releases.values()})
    remarks = dict.fromkeys(text for release, _ in releases.values() for text in terms(release))
    return PolicyByState.of(
        f"release:{NEWEST}",
        f"each state's own newest inpatient file ({years[0]} to {years[-1]})" if years else "",
        "data/releases",
        {state: policies_of(release, year) for state, (release, year) in releases.items()},
        "no release of the state is recorded, or no source says what it shows",
        tuple(remarks),
    )


def one_release_policy(release: StateRelease, year: int) -> Policy:
    """Return the policy of one file, for any state; where not everything is known, it has two ends in every state."""
    low, high = policies_of(release, year)
    if low == high:
        return high
    everywhere = dict.fromkeys(STATES, (low, high))
    return PolicyByState.of(high.name, high.title, high.citation, everywhere, "", high.remarks)


def terms(release: StateRelease) -> tuple[str, ...]:
    """Return what every output must say: the agreement and the price of the program."""
    program = release.program
    return (f"{program.title}: {program.agreement.describe()}; price: {program.price.describe()}",)


def _value(name: str, elements: Collection[str]) -> str:
    return "value" if name in elements else "none"


def _race(elements: Collection[str]) -> Mapping[str, str]:
    """Return how the distributor's race codes show people: any two of the elements tell the race of Hispanics too.

    Asians and Pacific Islanders are one class, and so are people of other and of several races.
    """
    held = {"race", "race_ethnicity", "hispanic_origin"} & set(elements)
    if len(held) > 1:
        return {"race": "five_races", "ethnicity": "value"}
    alone = {"race": "five_races", "race_ethnicity": "hcup"}
    return {"race": next(map(alone.get, held), None) or "none", "ethnicity": _value("hispanic_origin", held)}


def _tells_birth(elements: Collection[str]) -> bool:
    return any(RELEASE_ELEMENTS[name].group == "birth" and not name.startswith("infant") for name in elements)


def _birth(elements: Collection[str], possible: Collection[str]) -> tuple[str, str]:
    """Return how finely birth is surely shown, and at most."""
    least, most = _birth_of(elements), _birth_of(possible)
    if most == "none" and "age_class" in possible:
        most = LEAST_CLASS
    return least, most


def _birth_of(elements: Collection[str]) -> str:
    if "birth_date" in elements:
        return "date"
    # With the month of birth, an age and the month of care give the year, but in the month of the birthday.
    if "age_in_months" in elements or ("birth_month" in elements and {"birth_year", "age"} & set(elements)):
        return "month"
    return "year" if {"birth_year", "age"} & set(elements) else "none"


def _place(elements: Collection[str]) -> str:
    """Return the place: a county and a ZIP code, or three digits of it, show the part that they share."""
    county = bool({"county", "county_from_zip"} & set(elements))
    if "zip5" in elements:
        return "county_zip5" if county else "zip5"
    if "zip3" in elements:
        return "county_zip3" if county else "zip3"
    return "county" if county else "state"
