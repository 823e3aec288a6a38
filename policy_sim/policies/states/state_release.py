"""The hospital records that a state releases, on what terms, and the policy that they make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from policy_sim.files.evidence import NO_EVIDENCE, Evidence, Source
from policy_sim.files.toml import shipped_table
from policy_sim.policies.policy import Policy, PolicyByState
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES


@dataclass(frozen=True)
class ReleaseElement:
    """One element of a released file: its key in the files, what it tells, and the group of what it is about."""

    name: str
    title: str
    group: str

    @property
    def measured(self) -> bool:
        """Whether the element is part of the policy that is measured."""
        return self.group in ("birth", "sex", "race", "place")


RELEASE_ELEMENTS: Mapping[str, ReleaseElement] = MappingProxyType(
    {
        name: ReleaseElement(name, title, group)
        for group, elements in shipped_table("vocabularies/release_elements.toml").items()
        for name, title in elements.items()
    }
)


# The hospital records that one state releases: a file, its years, and what it tells in each.


SETTINGS = ("inpatient", "emergency")
RELEASE_PRICE_KINDS = ("flat", "free", "unknown")


@dataclass(frozen=True)
class Agreement:
    """What a recipient must sign.

    ``required`` is None where no source says. ``forbids`` is in our words; ``citation`` names law and rule.
    """

    name: str = ""
    required: bool | None = None
    forbids: str = ""
    citation: str = ""
    evidence: Evidence = NO_EVIDENCE

    def describe(self) -> str:
        """Return the agreement in a line.

        >>> Agreement().describe()
        'unknown whether an agreement is required'
        """
        if self.required is None:
            return "unknown whether an agreement is required"
        if not self.required:
            return "no agreement is required"
        return f"{self.name or 'an agreement'}, which forbids {self.forbids}" if self.forbids else self.name


@dataclass(frozen=True)
class ReleasePrice:
    """What a file costs, in US dollars; ``usd`` is None where no source says."""

    kind: str = "unknown"
    usd: float | None = None
    per: str = ""
    date: str = ""
    note: str = ""
    evidence: Evidence = NO_EVIDENCE

    def describe(self) -> str:
        """Return the price in a line.

        >>> ReleasePrice("flat", 50, "one year").describe(), ReleasePrice().describe()
        ('$50.00 for one year', 'unknown')
        """
        if self.kind == "free":
            return "free"
        if self.usd is None:
            return f"unknown ({self.note})" if self.note else "unknown"
        return f"${self.usd:,.2f}" + (f" for {self.per}" if self.per else "")


@dataclass(frozen=True)
class Program:
    """Who releases a file, to whom, on what terms and at what price.

    A release refers to it by its ``id``. ``setting`` is the care that the file is about, one of :data:`SETTINGS`,
    ``buyers`` those of :data:`policy_sim.voter_lists.list_field.BUYERS` who can have it, None where no source says;
    ``caveats`` hold for every file of the program.
    """

    id: str
    title: str
    holder: str
    setting: str
    buyers: tuple[str, ...] | None = None
    agreement: Agreement = Agreement()
    price: ReleasePrice = ReleasePrice()
    caveats: tuple[str, ...] = ()
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Finding:
    """What a survey counts over many states, in one sentence."""

    id: str
    year: int
    says: str
    counted: int | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class StateRelease:
    """A file that a state releases, year by year.

    ``shows``, ``withholds`` and ``unknown`` have the years of which a source says so, by element. Where the source is
    ``complete``, one that no table names is withheld, and unknown where it is not. The file of the years in
    ``two_files`` comes in two parts, with the same elements in both. ``sources`` are those of release and program.

    Examples
    --------
    >>> program = Program("p", "A file", "Somebody", "inpatient")
    >>> made = StateRelease("NC", "inpatient", program, (2019, 2020), shows={"zip5": frozenset({2020})})
    >>> made.availability("zip5", 2020), made.availability("zip5", 2019), made.availability("race", 2020)
    ('shown', 'withheld', 'withheld')
    """

    state: str
    id: str
    program: Program
    years: tuple[int, ...]
    shows: Mapping[str, frozenset[int]] = field(default_factory=dict)
    withholds: Mapping[str, frozenset[int]] = field(default_factory=dict)
    unknown: Mapping[str, frozenset[int]] = field(default_factory=dict)
    complete: bool = True
    two_files: tuple[int, ...] = ()
    caveats: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check years and elements once."""
        if not self.years:
            raise InputError(f"release {self.id} of {self.state} has no year.")
        seen: set[tuple[str, int]] = set()
        for name in ("shows", "withholds", "unknown"):
            table = getattr(self, name)
            for element, years in table.items():
                if element not in RELEASE_ELEMENTS:
                    raise UnknownNameError("element of a release", element, RELEASE_ELEMENTS)
                if extra := sorted(years - set(self.years)):
                    raise InputError(f"{name}.{element}: {extra[0]} is not a year of the release.")
                if twice := sorted(year for year in years if (element, year) in seen):
                    raise InputError(f"{name}.{element}: {twice[0]} is also in another table. Keep one.")
                seen |= {(element, year) for year in years}
            object.__setattr__(self, name, MappingProxyType(dict(table)))

    def availability(self, element: str, year: int) -> str:
        """Return ``shown``, ``withheld`` or ``unknown`` for an element in a year of the release."""
        self.check_year(year)
        for word, table in (("shown", self.shows), ("withheld", self.withholds), ("unknown", self.unknown)):
            if year in table.get(element, ()):
                return word
        return "withheld" if self.complete else "unknown"

    def check_year(self, year: int) -> None:
        """Raise an UnknownNameError where the release has no such year."""
        if year not in self.years:
            raise UnknownNameError(f"year of release {self.id} of {self.state}", str(year), map(str, self.years))

    def elements(self, year: int) -> tuple[str, ...]:
        """Return the elements that the file of a year shows, in the order of the vocabulary."""
        return tuple(name for name in RELEASE_ELEMENTS if self.availability(name, year) == "shown")

    @property
    def files(self) -> int:
        """Files of the release: one per year, two for a year in two parts."""
        return len(self.years) + len(self.two_files)


# Years as text and back: ``2000-2008, 2010``.


_RANGE = re.compile(r"(\d{4})(?:-(\d{4}))?")
YEARS_WORDS = 'years such as "2015", "2000-2020" or "2000-2008, 2010-2020"'


def years_of(text: str) -> frozenset[int]:
    """Return the years of a text such as ``2000-2008, 2010``.

    >>> sorted(years_of("2008, 2010-2012"))
    [2008, 2010, 2011, 2012]
    """
    years: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"= {text[:40]!r} is not {YEARS_WORDS}.")
        first = int(match[1])
        last = int(match[2] or first)
        if last < first or (years and first <= years[-1]):
            raise ValueError(f"= {text[:40]!r}: write years from the earliest to the latest, each once.")
        years += range(first, last + 1)
    return frozenset(years)


def year_ranges(years: Iterable[int]) -> str:
    """Return years as the shortest text that :func:`years_of` reads; empty for none.

    >>> year_ranges([2012, 2008, 2010, 2011])
    '2008, 2010-2012'
    """
    parts: list[list[int]] = []
    for year in sorted(set(years)):
        if parts and parts[-1][-1] == year - 1:
            parts[-1].append(year)
        else:
            parts.append([year])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


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


def policies_of(release: StateRelease, year: int) -> tuple[Policy, Policy]:
    """Return the file of a year as two policies: what it surely shows, and the most that it may show."""
    name = release_name(release, year)
    title = f"{STATES[release.state].name}, {release.id} file of {year}"
    low, high = (
        Policy(name, title, view, release.program.title, remarks=terms(release)) for view in views_of(release, year)
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
