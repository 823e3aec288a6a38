"""Fields, how finely each is shown, and the meet of two views.

A policy, a resource and a linkage key are all the same thing: a granularity for each field. What an
attacker can link on is the field-by-field *meet*: the finest granularity that both sides can still
produce. Granularities are a partial order: a three-digit ZIP area and a county do not nest, and
their meet is the state. Areas made of whole ZIP codes (``area:20000``, ``area:FILE``) follow from ZIP codes and
nest in the state only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType

from policy_sim.words.errors import IncompatibleError, InputError, UnknownNameError


class Field(StrEnum):
    """What a record shows of a person, in the order of labels. ``gender`` is the identifier of sex."""

    GENDER = "gender"
    RACE = "race"
    ETHNICITY = "ethnicity"
    BIRTH = "birth"
    GEOGRAPHY = "geography"


def field_word(name: str) -> str:
    """Return what texts for readers call a field: "sex" for ``gender``, its name for any other."""
    return "sex" if name == Field.GENDER else str(name)


def fields_title(fields: object) -> str:
    """Return a linkage key, or a policy of one line, as readers write it.

    >>> fields_title("gender+birth=year"), fields_title("race gender"), fields_title("by-gender")
    ('sex+birth=year', 'race sex', 'by-gender')
    """
    return re.sub(r"(?<![^+ ])gender(?![^+ ])", field_word(Field.GENDER), str(fields))


# For each field, each granularity and those just coarser than it; the first is the coarsest.
GRANULARITIES: Mapping[Field, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        Field.GENDER: {"none": (), "value": ("none",)},
        # broad: white, black, every other race together. five_races: Asians and Pacific Islanders as one class, other
        # and several races as one, as HCUP codes race. As one answer to one question, Hispanics of any race are a class
        # of their own beside the races of all others: hcup is HCUP's six codes.
        Field.RACE: {
            "none": (),
            "broad": ("none",),
            "five_races": ("broad",),
            "value": ("five_races",),
            "broad_race_ethnicity": ("none",),
            "hcup": ("broad_race_ethnicity",),
            "race_ethnicity": ("hcup",),
        },
        Field.ETHNICITY: {"none": (), "value": ("none",)},
        Field.BIRTH: {
            "none": (),
            "twenty_years": ("none",),
            "fifteen_years": ("none",),
            "decade": ("twenty_years",),
            "five_years": ("decade", "fifteen_years"),
            "four_years": ("twenty_years",),
            "three_years": ("fifteen_years",),
            "two_years": ("four_years", "decade"),
            "year": ("two_years", "three_years", "five_years"),
            "quarter": ("year",),
            "month": ("quarter",),
            "date": ("month",),
        },
        Field.GEOGRAPHY: {
            "nation": (),
            "state": ("nation",),
            "county": ("state",),
            "tract": ("county",),
            "zip3": ("state",),
            "zip5": ("zip3",),
            # County and ZIP code overlap; both together give the part they share.
            "county_zip3": ("county", "zip3"),
            "county_zip5": ("zip5", "county_zip3"),
        },
    }
)

# Areas that are unions of whole ZIP codes: a shipped size, or a file. There are as many granularities as files.
_AREA = re.compile(r"area:(?!\s)[^\x00-\x1f\x7f]*(?<!\s)(?<!:)")
OF_AN_AREA = "state"  # just coarser than an area
MAKES_AREAS = "zip5"  # from which every area follows


def is_area(place: str) -> bool:
    """Tell whether a granularity of geography is areas made of ZIP codes.

    >>> is_area("area:20000"), is_area("area:ohio areas/areas.csv"), is_area("zip5"), is_area("area:")
    (True, True, False, False)
    """
    return _AREA.fullmatch(place) is not None


def area_name(place: str) -> str:
    """Return the size or file of a granularity by areas."""
    return place.partition(":")[2]


# Years that one value of birth spans, where it spans at least one.
YEARS_IN_A_CLASS: Mapping[str, int] = MappingProxyType(
    {
        "twenty_years": 20,
        "fifteen_years": 15,
        "decade": 10,
        "five_years": 5,
        "four_years": 4,
        "three_years": 3,
        "two_years": 2,
        "year": 1,
    }
)

_Names = tuple[str, ...]  # a view of some fields together: a granularity for each

# Race and ethnicity tell of each other where race is asked with Hispanic as one of the answers: for what both show,
# that which is just coarser. A pair that is not here shows what its race shows by itself.
_RACE_AND_ETHNICITY: Mapping[_Names, tuple[_Names, ...]] = MappingProxyType(
    {
        ("none", "none"): (),
        ("none", "value"): (("none", "none"),),
        ("broad", "none"): (("none", "none"),),
        ("five_races", "none"): (("broad", "none"),),
        ("value", "none"): (("five_races", "none"),),
        ("broad_race_ethnicity", "none"): (("none", "value"),),
        ("hcup", "none"): (("broad_race_ethnicity", "none"),),
        ("race_ethnicity", "none"): (("hcup", "none"),),
        ("broad", "value"): (("broad", "none"), ("broad_race_ethnicity", "none")),
        ("five_races", "value"): (("five_races", "none"), ("broad", "value"), ("hcup", "none")),
        ("value", "value"): (("value", "none"), ("five_races", "value"), ("race_ethnicity", "none")),
    }
)


@dataclass(frozen=True)
class CensusView:
    """What a granularity shows of a column of a population: each value, or ``classes`` and all other values as one.

    People with the value ``apart`` of another column, a pair of both names, are one class whatever the column says.
    """

    column: str
    classes: tuple[tuple[str, ...], ...] = ()
    apart: tuple[str, str] | tuple[()] = ()

    def class_of(self, values: Iterable[str]) -> dict[str, int]:
        """Return the class of each value that is not one of the others, of all values of the column."""
        classes = self.classes or tuple((value,) for value in values)
        return {value: number for number, together in enumerate(classes) for value in together}

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the view reads."""
        return (self.column, *self.apart[:1])


# The races of a race that has Hispanic as one of its answers.
RACE_ALONE: Mapping[str, str] = MappingProxyType(
    {"broad_race_ethnicity": "broad", "hcup": "five_races", "race_ethnicity": "value"}
)
_BROAD = (("white",), ("black",))
_FIVE = (*_BROAD, ("asian", "nhpi"), ("aian",))
_HISPANIC = ("ethnicity", "hispanic")


# The fields that a census counts people by, besides the age and the place: what each granularity shows of which column.
# Whatever merges people, in memory, in an engine or in the page, goes over this table.
CENSUS_FIELDS: Mapping[Field, Mapping[str, CensusView]] = MappingProxyType(
    {
        Field.GENDER: {"value": CensusView("sex")},
        Field.RACE: {
            "broad": CensusView("race", _BROAD),
            "five_races": CensusView("race", _FIVE),
            "value": CensusView("race"),
            "broad_race_ethnicity": CensusView("race", _BROAD, _HISPANIC),
            "hcup": CensusView("race", _FIVE, _HISPANIC),
            "race_ethnicity": CensusView("race", apart=_HISPANIC),
        },
        Field.ETHNICITY: {"value": CensusView("ethnicity")},
    }
)


@dataclass(frozen=True)
class RaceComparison:
    """How a linkage key compares race where a release and a list ask it in two ways: the view of each."""

    released: str
    listed: str

    @property
    def views(self) -> tuple[CensusView, CensusView]:
        """What the release shows of people, and what the list does."""
        views = CENSUS_FIELDS[Field.RACE]
        return views[self.released], views[self.listed]


# Granularities of race that a linkage key alone can have. One side has race alone and the other Hispanic as one of the
# answers: what both show does not divide the people into classes. A record of a class of the release is compared with
# whoever the list may show of its people: of race alone, with the list's people of that race who are not Hispanic and
# all its Hispanics; of race with Hispanic as an answer, with everyone of that race, and a Hispanic with everyone.
COMPARED: Mapping[str, RaceComparison] = MappingProxyType(
    {
        "race_to_race_ethnicity": RaceComparison("value", "race_ethnicity"),
        "five_races_to_hcup": RaceComparison("five_races", "hcup"),
        "broad_to_broad_race_ethnicity": RaceComparison("broad", "broad_race_ethnicity"),
        "race_ethnicity_to_race": RaceComparison("race_ethnicity", "value"),
        "hcup_to_five_races": RaceComparison("hcup", "five_races"),
        "broad_race_ethnicity_to_broad": RaceComparison("broad_race_ethnicity", "broad"),
    }
)


def race_comparison(key: Granularities) -> RaceComparison | None:
    """Return how a linkage key compares race, where release and list ask it in two ways; None where it has classes."""
    return COMPARED.get(key[Field.RACE])


def listed_view(key: Granularities) -> Granularities:
    """Return the classes into which a key puts the people of the list.

    >>> str(listed_view(Granularities(race="value").compared(Granularities(race="race_ethnicity"))))
    'race=race_ethnicity'
    """
    comparison = race_comparison(key)
    return key if comparison is None else key.replace(race=comparison.listed)


def census_views(key: Granularities) -> dict[Field, CensusView]:
    """Return what a key shows of the columns of a population besides the age and the place, field by field.

    Of a race that is compared in two ways (:data:`COMPARED`) there is no view, and the key is refused.

    >>> census_views(Granularities(race="broad", birth="year"))
    {<Field.RACE: 'race'>: CensusView(column='race', classes=(('white',), ('black',)), apart=())}
    """
    _check_classes(key)
    return {field: views[key[field]] for field, views in CENSUS_FIELDS.items() if key[field] in views}


def _check_classes(key: Granularities) -> None:
    """Refuse a key whose race has no classes."""
    if race_comparison(key) is not None:
        raise IncompatibleError(
            f"{key}: only one of the release and the list asks race with Hispanic as one of the answers, so that "
            "people do not fall into classes by race. Choose a policy that asks race as the list does, or none."
        )


# The fields that are told together, each with the order of its views.
ORDERS: Mapping[tuple[Field, ...], Mapping[_Names, tuple[_Names, ...]]] = MappingProxyType(
    {
        **{
            (field,): {(name,): tuple((coarser,) for coarser in above) for name, above in granularities.items()}
            for field, granularities in GRANULARITIES.items()
        },
        (Field.RACE, Field.ETHNICITY): _RACE_AND_ETHNICITY,
    }
)
# Every field once, in the order of labels, those that are told together as one.
AXES = ((Field.GENDER,), (Field.RACE, Field.ETHNICITY), (Field.BIRTH,), (Field.GEOGRAPHY,))


def shows_ethnicity(key: Granularities) -> bool:
    """Tell whether a key shows ethnicity, by itself or as an answer to race."""
    return race_comparison(key) is not None or any("ethnicity" in view.columns for view in census_views(key).values())


@cache
def _coarser_or_equal(fields: tuple[Field, ...], view: _Names) -> frozenset[_Names]:
    coarser = ((OF_AN_AREA,),) if is_area(view[0]) else ORDERS[fields][view]
    return frozenset({view}).union(*(_coarser_or_equal(fields, above) for above in coarser))


def _produced(fields: tuple[Field, ...], view: _Names, other: _Names) -> frozenset[_Names]:
    """Return the views that one can produce; ``other``: areas that follow from it if it has ZIP codes."""
    views = _coarser_or_equal(fields, view)
    return views | {other} if is_area(other[0]) and (MAKES_AREAS,) in views else views


def _check(field: Field, granularity: str) -> str:
    if field is Field.GEOGRAPHY and is_area(granularity):
        return granularity
    if granularity not in GRANULARITIES[field]:
        areas = {"allowed": f"{', '.join(GRANULARITIES[field])}, area:20000 or area:FILE.csv."}
        allowed = areas if field is Field.GEOGRAPHY and granularity.startswith("area") else {}
        raise UnknownNameError(f"granularity of {field}", granularity, GRANULARITIES[field], **allowed)
    return granularity


@cache
def _meet(fields: tuple[Field, ...], a: _Names, b: _Names) -> _Names:
    shared = _produced(fields, a, b) & _produced(fields, b, a)
    return max(shared, key=lambda view: len(_coarser_or_equal(fields, view)))


@cache
def _join(fields: tuple[Field, ...], a: _Names, b: _Names) -> _Names:
    views = dict.fromkeys([*ORDERS[fields], a, b])
    finer = [view for view in views if {a, b} <= _produced(fields, view, a) | _produced(fields, view, b)]
    if not finer:
        both = " and as ".join("+".join(view) for view in (a, b))
        raise IncompatibleError(f"{fields[0]} as {both} together are finer than any granularity of {fields[0]}.")
    return min(finer, key=lambda view: len(_coarser_or_equal(fields, view)))


def is_coarser_or_equal(field: Field, a: str, b: str) -> bool:
    """Tell whether ``a`` can be computed from ``b``: every value of ``b`` lies in one of ``a``."""
    return (_check(field, a),) in _produced((field,), (_check(field, b),), (a,))


def meet(field: Field, a: str, b: str) -> str:
    """Return the finest granularity that both ``a`` and ``b`` can produce.

    >>> meet(Field.GEOGRAPHY, "area:20000", "county_zip5"), meet(Field.GEOGRAPHY, "area:20000", "county")
    ('area:20000', 'state')
    """
    return _meet((field,), (_check(field, a),), (_check(field, b),))[0]


# What people call a field, and how it is written.
_MEANT = {
    "zip": "geography=zip5 or geography=zip3",
    "zip5": "geography=zip5",
    "zip3": "geography=zip3",
    "county": "geography=county",
    "area": "geography=area:20000 or geography=area:FILE.csv",
    "state": "geography=state",
    "age": "birth=year",
    "dob": "birth=date",
    "birth_date": "birth=date",
    "year_of_birth": "birth=year",
}
_PLACE = {field: place for place, field in enumerate(Field)}
_COARSEST: dict[Field, str] = {field: next(iter(GRANULARITIES[field])) for field in Field}


class Granularities(Mapping[Field, str]):
    """A granularity for each field: immutable, hashable, ordered as :class:`Field`.

    A field that is left out is at its coarsest (``none``, or ``nation`` for geography). A race that has Hispanic as one
    of its answers tells the ethnicity, which then stays ``none``: what is shown has one form.

    >>> lists = Granularities(birth="year", geography="county")
    >>> policy = Granularities(gender="value", race="value", birth="date", geography="county")
    >>> str(policy.meet(lists))
    'birth=year+geography=county'
    """

    __slots__ = ("_names",)

    def __init__(self, mapping: Mapping[str, str] | None = None, /, **named: str) -> None:
        granularities: Mapping[str, str] = {**(mapping or {}), **named}
        if unknown := granularities.keys() - _COARSEST.keys():
            word = min(unknown)
            meant = f"Write {_MEANT[word.casefold()]}." if word.casefold() in _MEANT else ""
            raise UnknownNameError("field", word, [field.value for field in Field], allowed=meant)
        names = tuple([_check(field, granularities.get(field, name)) for field, name in _COARSEST.items()])
        race, ethnicity = _PLACE[Field.RACE], _PLACE[Field.ETHNICITY]
        tells_twice = (names[race], names[ethnicity]) not in _RACE_AND_ETHNICITY
        self._names = (*names[:ethnicity], "none", *names[ethnicity + 1 :]) if tells_twice else names

    def __getitem__(self, field: Field) -> str:
        return self._names[_PLACE[field]]

    def __iter__(self) -> Iterator[Field]:
        return iter(Field)

    def __len__(self) -> int:
        return len(self._names)

    def __hash__(self) -> int:
        return hash(self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Granularities) and self._names == other._names

    def __repr__(self) -> str:
        return f"Granularities({str(self)!r})"

    def __str__(self) -> str:
        parts = [
            field.value if name == "value" else f"{field.value}={name}"
            for field, name in self.items()
            if name != _COARSEST[field]
        ]
        return "+".join(parts) or "nothing"

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, text: str) -> Granularities:
        """Read the form that ``str`` writes; ``sex`` is ``gender``, and ``race_ethnicity`` alone a granularity of race.

        >>> Granularities.parse("gender+birth=year")[Field.BIRTH]
        'year'
        """
        named: dict[str, str] = {}
        for part in text.split("+") if text not in ("", "nothing") else []:
            word, _, name = part.strip().partition("=")
            field = Field.GENDER.value if word == "sex" else word
            if not name:
                field, name = (Field.RACE.value, word) if word in RACE_ALONE else (field, "value")
            if field in named:
                raise InputError(f"field {field!r} appears twice in {text!r}. Name each field once.")
            named[field] = name
        return cls(named)

    def meet(self, other: Granularities) -> Granularities:
        """Field by field, the finest view that both can produce (the linkage key).

        >>> combined, apart = Granularities.parse("race_ethnicity"), Granularities.parse("race+ethnicity")
        >>> str(combined.meet(apart)), str(combined.meet(Granularities(ethnicity="value")))
        ('race=race_ethnicity', 'ethnicity')
        """
        return self._with(other, _meet)

    def compared(self, other: Granularities) -> Granularities:
        """Return the linkage key of a release with a list: this view of the people and the ``other``.

        It is the meet, but where one has race alone and the other race with Hispanic as one of the answers. These two
        have no common classes, and their race is compared record by record (:data:`COMPARED`).

        >>> release, listed = Granularities.parse("race+birth=year"), Granularities.parse("race_ethnicity+birth=date")
        >>> str(release.compared(listed)), str(release.meet(listed))
        ('race=race_to_race_ethnicity+birth=year', 'birth=year')
        """
        key, races = self.meet(other), (self[Field.RACE], other[Field.RACE])
        combined = [race in RACE_ALONE for race in races]
        alone = other if combined[0] else self
        if combined[0] == combined[1] or alone[Field.RACE] == "none" or alone[Field.ETHNICITY] != "none":
            return key
        race = meet(Field.RACE, *(RACE_ALONE.get(name, name) for name in races))
        both = next(name for name, plain in RACE_ALONE.items() if plain == race)
        between = RaceComparison(both, race) if combined[0] else RaceComparison(race, both)
        return key._at(Field.RACE, next(name for name, comparison in COMPARED.items() if comparison == between))

    def join(self, other: Granularities) -> Granularities:
        """Field by field, the coarsest view from which both can be computed: what two resources hold together.

        >>> str(Granularities(birth="decade", geography="county").join(Granularities.parse("birth=fifteen_years")))
        'birth=five_years+geography=county'
        """
        return self._with(other, _join)

    def _with(
        self, other: Granularities, put_together: Callable[[tuple[Field, ...], _Names, _Names], _Names]
    ) -> Granularities:
        for view in (self, other):
            _check_classes(view)
        names = (put_together(axis, self._of(axis), other._of(axis)) for axis in AXES)
        together = zip(AXES, names, strict=True)
        return Granularities({field.value: name for axis, of in together for field, name in zip(axis, of, strict=True)})

    def _of(self, axis: tuple[Field, ...]) -> _Names:
        return tuple([self[field] for field in axis])

    def replace(self, **changes: str) -> Granularities:
        """Return a copy with some fields at another granularity."""
        names: dict[str, str] = dict(zip(Field, self._names, strict=True))
        if names[Field.RACE] in COMPARED:
            del names[Field.RACE]
        changed = Granularities({**names, **changes})
        return changed if Field.RACE in names or Field.RACE in changes else changed._at(Field.RACE, self[Field.RACE])

    def _at(self, field: Field, granularity: str) -> Granularities:
        """Return a copy with one field at a granularity that only a linkage key can have."""
        key = Granularities()
        key._names = tuple(granularity if name is field else self[name] for name in Field)
        return key

    def is_coarser_or_equal(self, other: Granularities) -> bool:
        """Tell whether this view can be computed from the other, field by field."""
        for view in (self, other):
            _check_classes(view)
        return all(self._of(axis) in _produced(axis, other._of(axis), self._of(axis)) for axis in AXES)
