"""A policy: what a custodian releases, as a granularity for each field and conditions on values; the lattice of all."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING

from policy_sim.words.arguments import name_of, of_kind, one_place, text
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import GRANULARITIES, Field, Granularities, census_views, is_coarser_or_equal

if TYPE_CHECKING:
    import pandas as pd

_PLACES = tuple(name for name in GRANULARITIES[Field.GEOGRAPHY] if name not in ("nation", "state"))


# What every output says of a release that shows areas, whatever the rule's name.
AREA_RULE = (
    "a release that shows areas is not under Safe Harbor (45 CFR 164.514(b)(2)), as they are smaller than a state and "
    "are not three-digit ZIP codes; it needs an expert's determination under 164.514(b)(1), or is a limited data set "
    "under a data use agreement with its recipient (164.514(e))"
)


@dataclass(frozen=True)
class SmallPlaces:
    """Places whose people share one value within their state, as ``000`` for three-digit ZIP codes.

    ``place``: the kind of place, a granularity of geography finer than the state. ``most``: a place of this many people
    or fewer is small; one person more and it is shown. ``listed``: the small places where a list names them; ``None``:
    those found by counting the population that is studied.
    """

    place: str
    most: int
    listed: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.place not in _PLACES:
            raise UnknownNameError("place of a condition", self.place, _PLACES)
        if self.most < 0:
            raise InputError(f"most = {self.most} people must be 0 or more.")


MOST_SHIFT = 182  # days: a window of both directions has at most a year
WITHIN_A_YEAR = ("quarter", "month", "date")


@dataclass(frozen=True)
class Conditions:
    """What a policy shows less finely than its granularities say.

    ``top_age`` puts everyone of that age and older into one class, of which no year, month or day of
    birth is seen either. ``small_places`` hides places by size. ``shift_days``: dates of birth are moved by up
    to so many days in either direction, all dates of a person by the same.
    """

    top_age: int | None = None
    small_places: SmallPlaces | None = None
    shift_days: int | None = None

    def __post_init__(self) -> None:
        if self.shift_days is not None and not 1 <= self.shift_days <= MOST_SHIFT:
            raise InputError(f"shift_days = {self.shift_days}: dates are shifted by 1 to {MOST_SHIFT} days here.")
        if self.top_age is not None and self.top_age < 1:
            raise InputError(f"top_age = {self.top_age} years must be 1 or more.")

    def on(self, key: Granularities, *, listed: bool = False) -> Conditions:
        """Return the conditions that change anything on a linkage key.

        ``listed``: the attacker links to a list. It cannot hide small places in a list that does not tell them: with a
        list of counties, the people of small tracts stay among their county's people, and a record whose tract is
        hidden counts as linked within its county. That is the most it can be worth: the record may show no more than
        its state, where more people are alike.
        """
        place, small = key[Field.GEOGRAPHY], self.small_places
        untold = listed and small is not None and not is_coarser_or_equal(Field.GEOGRAPHY, small.place, place)
        return replace(
            self,
            top_age=None if key[Field.BIRTH] == "none" else self.top_age,
            small_places=None if place in ("nation", "state") or untold else small,
            shift_days=self.shift_days if key[Field.BIRTH] in WITHIN_A_YEAR else None,
        )

    def __str__(self) -> str:
        parts = [] if self.top_age is None else [f"age<{self.top_age}"]
        if self.small_places is not None:
            parts.append(f"{self.small_places.place}>{self.small_places.most}")
        if self.shift_days is not None:
            parts.append(f"shift{self.shift_days}")
        return "+".join(parts)


NO_CONDITIONS = Conditions()


@dataclass(frozen=True)
class Rule:
    """One rule of a policy, in a sentence, and the paragraph that it is read from."""

    says: str
    citation: str


@dataclass(frozen=True)
class Policy:
    """What a release shows of each person, and the rules that say so.

    ``releases`` is the granularity of each field; a field left out is not released. ``conditions``
    make exceptions for the oldest people and for small places. ``paper_form`` names the policy to which
    Benitez & Malin 2010 simplify this rule, where they do. ``remarks`` are what every output must say of it, such
    as the agreement under which a release is available. ``left_out`` says what a population could not show of it;
    it is the reason of every row.

    >>> policy = Policy("year", "Year of birth", Granularities(birth="year", geography="state"), "")
    >>> str(policy.releases)
    'birth=year+geography=state'
    """

    name: str
    title: str
    releases: Granularities
    citation: str
    conditions: Conditions = NO_CONDITIONS
    rules: tuple[Rule, ...] = ()
    paper_form: str = ""
    remarks: tuple[str, ...] = ()
    left_out: str = ""

    def __post_init__(self) -> None:
        name_of("name", self.name, "'ours'")
        text("title", self.title)
        text("citation", self.citation)
        of_kind(
            "releases", self.releases, Granularities, "a granularity per field, such as Granularities(birth='year')"
        )
        of_kind("conditions", self.conditions, Conditions, "Conditions")
        text("paper_form", self.paper_form)
        text("left_out", self.left_out)
        for argument, kind in (("rules", Rule), ("remarks", str)):
            if not all(
                isinstance(entry, kind) for entry in of_kind(argument, getattr(self, argument), tuple, "a tuple")
            ):
                raise InputError(f"{argument}: give a tuple of {kind.__name__}.")

    def in_state(self, state: str) -> tuple[Policy, Policy] | None:
        """Return what is surely shown in a state and what is shown at most: this policy, both times.

        ``state``: postal code, FIPS code or name. Returns two policies; the same one twice where every state has the
        same rule.

        >>> policy = Policy("year", "Year of birth", Granularities(birth="year"), "")
        >>> policy.in_state("OH") == (policy, policy)
        True
        """
        one_place(state)  # the same policy in every state
        return self, self


# A policy that differs by state, such as what each state's own release shows.


@dataclass(frozen=True)
class PolicyByState(Policy):
    """One policy per state under a common name. Make one with :meth:`of`.

    ``by_state`` has two policies per state: what the release surely shows, and the most that it may show where
    some field is unknown. They are equal where everything is known. ``releases`` has, for each field, the finest
    granularity of all states.
    """

    by_state: Mapping[str, tuple[Policy, Policy]] = field(default_factory=dict, hash=False)
    why_not: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        citation: str,
        by_state: Mapping[str, tuple[Policy, Policy]],
        why_not: str,
        remarks: tuple[str, ...] = (),
    ) -> PolicyByState:
        """Return the policy of what is surely shown, and what is shown at most, by postal code.

        >>> one = Policy("x", "x", Granularities(birth="month", geography="county"), "x")
        >>> two = Policy("x", "x", Granularities(birth="year", geography="zip5"), "x")
        >>> made = PolicyByState.of("x", "x", "x", {"NC": (one, one), "AZ": (two, two)}, "nothing is recorded")
        >>> str(made.releases), made.in_state("OH")
        ('birth=month+geography=county_zip5', None)
        """
        if not by_state:
            raise InputError(f"policy {name}: no state has one.")
        widest = reduce(Granularities.join, (policy.releases for ends in by_state.values() for policy in ends))
        named = {state: (replace(low, name=name), replace(high, name=name)) for state, (low, high) in by_state.items()}
        return cls(name, title, widest, citation, remarks=remarks, by_state=MappingProxyType(named), why_not=why_not)

    def __getstate__(self) -> dict[str, object]:
        """Return what goes to another process, to which a mapping that nobody can change does not go."""
        return {**self.__dict__, "by_state": dict(self.by_state)}

    def in_state(self, state: str) -> tuple[Policy, Policy] | None:
        """Return what the state surely shows and shows at most; None for a state without a release."""
        return self.by_state.get(state)

    def mapped(self, change: Callable[[Policy], Policy]) -> PolicyByState:
        """Return the policy with a change made to that of every state."""
        changed = {state: (change(low), change(high)) for state, (low, high) in self.by_state.items()}
        return PolicyByState.of(self.name, self.title, self.citation, changed, self.why_not, self.remarks)


def for_states(policy: Policy, states: Sequence[str] | None) -> Policy:
    """Return the policy as it is in the one state that a question is about; any other as it is.

    A policy with two ends stays one that differs by state.
    """
    if not isinstance(policy, PolicyByState) or states is None or len(states) != 1:
        return policy
    low, high = policy.in_state(states[0]) or (None, policy)
    return high if low == high else policy


def same_in_every_state(policy: Policy) -> Policy:
    """Return a policy that is one for all states."""
    if isinstance(policy, PolicyByState):
        raise InputError(
            f"policy {policy.name} differs by state or is partly unknown, but this question needs one known policy: "
            f"name one release, such as release:NC:2016, or compare."
        )
    return policy


# The lattice of policies over the fields: every combination of granularities and conditions. Each axis lists the ways
# in which one field can be shown; the lattice is their product.


# The ways in which the lattice shows who people are, an axis for the fields that are told together.
_PEOPLE = tuple(tuple(map(Granularities.parse, ways)) for ways in (("", "sex"), ("", "race=broad", "race")))
# The further ways where ethnicity is asked for, as HCUP codes both and as the census does. Each multiplies the search,
# and the largest table has twice the cells; ethnicity alone, and HCUP's races without it, are left out.
_WITH_ETHNICITY = tuple(
    map(Granularities.parse, ("race=hcup", "race_ethnicity", "race=five_races+ethnicity", "race+ethnicity"))
)
TOP_AGES = (None, 90, 85, 80)
# For each kind of place the sizes up to which it may be hidden; None hides no place.
PLACE_SIZES: dict[str, tuple[int | None, ...]] = {
    "county": (None, 20_000, 100_000),
    "zip3": (None, 20_000),
    "zip5": (None, 20_000),
    "county_zip3": (None,),
    "county_zip5": (None,),
}


@dataclass(frozen=True)
class BirthView:
    """A granularity of birth, the age from which everyone is in one class, and the days by which dates are shifted."""

    granularity: str
    top_age: int | None = None
    shift_days: int | None = None


@dataclass(frozen=True)
class PlaceView:
    """A granularity of geography and which small places of that kind are hidden."""

    granularity: str
    small: SmallPlaces | None = None


# What is shown of who people are, of birth and of the place.
Point = tuple[Granularities, BirthView, PlaceView]


@dataclass(frozen=True)
class Lattice:
    """The ways to show each field, in any order; a field shown in one way only does not vary.

    ``people`` has an axis for each field that a census counts (:data:`~policy_sim.words.fields.CENSUS_FIELDS`).
    """

    people: tuple[tuple[Granularities, ...], ...]
    birth: tuple[BirthView, ...]
    place: tuple[PlaceView, ...]

    def __len__(self) -> int:
        return prod(map(len, (*self.people, self.birth, self.place)))

    def points(self) -> Iterator[tuple[Point, Policy]]:
        """Yield every point with its policy, place by place, then the fields of people, and birth."""
        ways = [shown_together(views) for views in product(*self.people)]
        for place, people, birth in product(self.place, ways, self.birth):
            yield (people, birth, place), policy_of(people, birth, place)


def shown_together(views: Iterable[Granularities]) -> Granularities:
    """Return what views of different axes show together."""
    return reduce(Granularities.join, views, Granularities())


def policy_of(people: Granularities, birth: BirthView, place: PlaceView) -> Policy:
    """Return the policy at one point of the lattice, named by what it shows."""
    releases = people.replace(birth=birth.granularity, geography=place.granularity)
    conditions = Conditions(birth.top_age, place.small, birth.shift_days)
    name = f"{releases} ({conditions})" if str(conditions) else str(releases)
    return Policy(name, name, releases, "a point of the lattice of policies", conditions)


def lattice_for(
    columns: Collection[str],
    places: tuple[str, ...],
    small_zip3: frozenset[str] | None = None,
    *,
    ethnicity: bool = False,
    shifts: Sequence[int] = (),
) -> Lattice:
    """Return the lattice of all policies that a population with these columns and places can be measured under.

    Small three-digit ZIP areas are those of a list, or by default those counted in the population. ``ethnicity``: race
    is also shown with ethnicity, as one field and as two. ``shifts``: dates of birth are also shown shifted by so many
    days.
    """
    births = [BirthView("none")]
    births += [BirthView(name, top) for name in GRANULARITIES[Field.BIRTH] if name != "none" for top in TOP_AGES]
    births += [BirthView("date", top, days) for days in dict.fromkeys(shifts) for top in TOP_AGES]
    place_views = [PlaceView("state")]
    for place in places:
        for most in PLACE_SIZES.get(place, (None,)):
            listed = small_zip3 if place == "zip3" else None
            place_views.append(PlaceView(place, None if most is None else SmallPlaces(place, most, listed)))
    people = tuple(
        tuple(view for view in ways if all({*seen.columns} <= {*columns} for seen in census_views(view).values()))
        for ways in (_PEOPLE[0], (*_PEOPLE[1], *(_WITH_ETHNICITY if ethnicity else ())))
    )
    return Lattice(people, tuple(births), tuple(place_views))


_EXAMPLE = "such as 'gender+birth=month+geography=county (age<90+county>20000)'"
AREAS_IN_TEXT = re.compile(r"=area:[^+()<>\x00-\x1f]*[^+()<>\s\x00-\x1f]")  # a file may have any name
_WHOLE = re.compile(r"(?P<fields>[a-z0-9_=+]+)(?: \((?P<conditions>[a-z0-9_<>+]+)\))?")
_TOP_AGE = re.compile(r"age<(\d{1,3})")
_SHIFT = re.compile(r"shift(\d{1,3})")
_SHIFTED_BIRTH = re.compile(r"\bbirth=shift:(\d{1,3})\b")
_SMALL = re.compile(r"([a-z0-9_]+)>(\d{1,9})")


def policy_from_text(text: str) -> Policy:
    """Return the policy that a line such as a row of ``policy explore`` names.

    It has fields with their granularity, joined by ``+`` (a field alone is shown by value; ``sex`` is ``gender``, and
    ``race_ethnicity`` race asked with Hispanic as one of the answers), and in brackets the age from which all are one
    class, the size that a place must exceed, and the days by which dates are shifted. ``birth=shift:30`` is a date of
    birth shifted by up to 30 days.

    >>> policy_from_text("birth=shift:30+geography=state").name
    'birth=date+geography=state (shift30)'
    >>> policy_from_text("birth=month+geography=state (age<90)").conditions.top_age
    90
    >>> policy_from_text("sex+geography=county").releases == policy_from_text("gender+geography=county").releases
    True
    """
    text = _with_shift(text.strip())
    match = _WHOLE.fullmatch(AREAS_IN_TEXT.sub("=area", text))
    if match is None:
        raise InputError(f"policy {text!r} is not fields with granularities and conditions, {_EXAMPLE}.")
    granularities = Granularities.parse(text.partition(" (")[0])
    conditions = _conditions(text, match["conditions"] or "")
    small = conditions.small_places
    nested = small is None or is_coarser_or_equal(Field.GEOGRAPHY, small.place, granularities[Field.GEOGRAPHY])
    if not nested or conditions.on(granularities) != conditions:
        raise InputError(f"policy {text!r} has a condition on what it does not release: release it or drop that.")
    if granularities == Granularities():
        raise InputError(f"policy {text!r} releases nothing: give at least one of {', '.join(GRANULARITIES)}.")
    birth = BirthView(granularities[Field.BIRTH], conditions.top_age, conditions.shift_days)
    return policy_of(granularities, birth, PlaceView(granularities[Field.GEOGRAPHY], small))


def _with_shift(text: str) -> str:
    """Write a granularity ``birth=shift:30`` as a date of birth and a condition on it."""
    found = _SHIFTED_BIRTH.search(text)
    if found is None:
        return text
    fields, _, conditions = _SHIFTED_BIRTH.sub("birth=date", text).partition(" (")
    return f"{fields} ({'+'.join(filter(None, (conditions.removesuffix(')'), f'shift{found[1]}')))})"


def _conditions(text: str, words: str) -> Conditions:
    top_age, small, shift = None, None, None
    for word in filter(None, words.split("+")):
        if (age := _TOP_AGE.fullmatch(word)) and top_age is None:
            top_age = int(age[1])
        elif (place := _SMALL.fullmatch(word)) and small is None:
            small = SmallPlaces(place[1], int(place[2]))
        elif (days := _SHIFT.fullmatch(word)) and shift is None:
            shift = int(days[1])
        else:
            raise InputError(f"policy {text!r}: {word!r} is not a condition, or appears twice, {_EXAMPLE}.")
    return Conditions(top_age, small, shift)


# Policies and their rules as tidy tables.


def policy_columns(policy: Policy) -> dict[str, object]:
    """Return what a policy shows: a column per field, and one per condition, missing where there is none."""
    import pandas as pd

    small, shift = policy.conditions.small_places, policy.conditions.shift_days
    fields = {name.value: str(policy.releases[name]) for name in Field}
    return {
        "policy": policy.name,
        **(fields if shift is None else fields | {"birth": f"shift:{shift}"}),
        "top_age": pd.NA if policy.conditions.top_age is None else policy.conditions.top_age,
        "place_above": pd.NA if small is None else small.most,
    }


def policy_frame(policies: Iterable[Policy]) -> pd.DataFrame:
    """Return one row per policy: what it shows, its title, and where it is from."""
    import pandas as pd

    rows = [
        policy_columns(p) | {"title": p.title, "citation": p.citation, "paper_form": p.paper_form} for p in policies
    ]
    return pd.DataFrame(rows).astype({"top_age": "Int64", "place_above": "Int64"})


def rule_frame(policy: Policy) -> pd.DataFrame:
    """Return one row per rule; a policy without rules has one row, with its citation."""
    import pandas as pd

    rules = [(rule.says, rule.citation) for rule in policy.rules] or [(policy.title, policy.citation)]
    frame = pd.DataFrame([policy_columns(policy)] * len(rules)).astype({"top_age": "Int64", "place_above": "Int64"})
    return frame.assign(says=[says for says, _ in rules], citation=[citation for _, citation in rules])
