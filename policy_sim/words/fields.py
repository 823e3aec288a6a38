"""Fields, how finely each is shown, and the meet of two views.

A policy, a resource and a linkage key are all the same thing: a granularity for each field. What an
attacker can link on is the field-by-field *meet*: the finest granularity that both sides can still
produce. Granularities are a partial order: a three-digit ZIP area and a county do not nest, and
their meet is the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from policy_sim.words.errors import IncompatibleError, InputError, UnknownNameError


class Field(StrEnum):
    """What a record shows of a person, in the order of labels. ``gender`` is the identifier of sex."""

    GENDER = "gender"
    RACE = "race"
    BIRTH = "birth"
    GEOGRAPHY = "geography"


def field_word(name: str) -> str:
    """Return what texts for readers call a field: "sex" for ``gender``, its name for any other."""
    return "sex" if name == Field.GENDER else str(name)


# For each field, each granularity and those just coarser than it; the first is the coarsest.
GRANULARITIES: Mapping[Field, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        Field.GENDER: {"none": (), "value": ("none",)},
        # broad: white, black, every other race together
        Field.RACE: {"none": (), "broad": ("none",), "value": ("broad",)},
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


@dataclass(frozen=True)
class CensusView:
    """What a granularity shows of a column of a population: each value, or those of ``kept`` and all others as one."""

    column: str
    kept: tuple[str, ...] = ()


# The fields that a census counts people by, besides the age and the place: what each granularity shows of which column.
# Whatever merges people, in memory, in an engine or in the page, goes over this table.
CENSUS_FIELDS: Mapping[Field, Mapping[str, CensusView]] = MappingProxyType(
    {
        Field.GENDER: {"value": CensusView("sex")},
        Field.RACE: {"broad": CensusView("race", kept=("white", "black")), "value": CensusView("race")},
    }
)


def census_views(key: Granularities) -> dict[Field, CensusView]:
    """Return what a key shows of the columns of a population besides the age and the place, field by field.

    >>> census_views(Granularities(race="broad", birth="year"))
    {<Field.RACE: 'race'>: CensusView(column='race', kept=('white', 'black'))}
    """
    return {field: views[key[field]] for field, views in CENSUS_FIELDS.items() if key[field] in views}


@cache
def _coarser_or_equal(field: Field, granularity: str) -> frozenset[str]:
    above = GRANULARITIES[field][granularity]
    return frozenset({granularity}).union(*(_coarser_or_equal(field, name) for name in above))


def _check(field: Field, granularity: str) -> str:
    if granularity not in GRANULARITIES[field]:
        raise UnknownNameError(f"granularity of {field}", granularity, GRANULARITIES[field])
    return granularity


def is_coarser_or_equal(field: Field, a: str, b: str) -> bool:
    """Tell whether ``a`` can be computed from ``b``: every value of ``b`` lies in one of ``a``."""
    return _check(field, a) in _coarser_or_equal(field, _check(field, b))


def meet(field: Field, a: str, b: str) -> str:
    """Return the finest granularity that both ``a`` and ``b`` can produce."""
    shared = _coarser_or_equal(field, _check(field, a)) & _coarser_or_equal(field, _check(field, b))
    return max(shared, key=lambda name: len(_coarser_or_equal(field, name)))


def join(field: Field, a: str, b: str) -> str:
    """Return the coarsest granularity from which both ``a`` and ``b`` can be computed.

    >>> join(Field.BIRTH, "decade", "fifteen_years")
    'five_years'
    >>> join(Field.GEOGRAPHY, "county", "zip3")
    'county_zip3'
    """
    both = {_check(field, a), _check(field, b)}
    finer = [name for name in GRANULARITIES[field] if both <= _coarser_or_equal(field, name)]
    if not finer:
        raise IncompatibleError(f"{field} as {a} and as {b} together are finer than any granularity of {field}.")
    return min(finer, key=lambda name: len(_coarser_or_equal(field, name)))


class Granularities(Mapping[Field, str]):
    """A granularity for each field: immutable, hashable, ordered as :class:`Field`.

    A field that is left out is at its coarsest (``none``, or ``nation`` for geography).

    Examples
    --------
    >>> lists = Granularities(birth="year", geography="county")
    >>> policy = Granularities(gender="value", race="value", birth="date", geography="county")
    >>> str(policy.meet(lists))
    'birth=year+geography=county'
    """

    __slots__ = ("_names",)

    def __init__(self, mapping: Mapping[str, str] | None = None, /, **named: str) -> None:
        granularities = {**(mapping or {}), **named}
        unknown = sorted(set(granularities) - {field.value for field in Field})
        if unknown:
            raise UnknownNameError("field", unknown[0], [field.value for field in Field])
        self._names = tuple(
            _check(field, granularities.get(field.value, next(iter(GRANULARITIES[field])))) for field in Field
        )

    def __getitem__(self, field: Field) -> str:
        return self._names[list(Field).index(Field(field))]

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
            if name != next(iter(GRANULARITIES[field]))
        ]
        return "+".join(parts) or "nothing"

    @classmethod
    def parse(cls, text: str) -> Granularities:
        """Read the form that ``str`` writes.

        >>> Granularities.parse("gender+birth=year")[Field.BIRTH]
        'year'
        """
        named: dict[str, str] = {}
        for part in text.split("+") if text not in ("", "nothing") else []:
            field, _, name = part.strip().partition("=")
            if field in named:
                raise InputError(f"field {field!r} appears twice in {text!r}. Name each field once.")
            named[field] = name or "value"
        return cls(named)

    def meet(self, other: Granularities) -> Granularities:
        """Field by field, the finest view that both can produce (the linkage key)."""
        return Granularities({field.value: meet(field, self[field], other[field]) for field in Field})

    def join(self, other: Granularities) -> Granularities:
        """Field by field, the coarsest view from which both can be computed: what two resources hold together."""
        return Granularities({field.value: join(field, self[field], other[field]) for field in Field})

    def replace(self, **changes: str) -> Granularities:
        """Return a copy with some fields at another granularity."""
        return Granularities({**{field.value: name for field, name in self.items()}, **changes})

    def is_coarser_or_equal(self, other: Granularities) -> bool:
        """Tell whether this view can be computed from the other, field by field."""
        return all(is_coarser_or_equal(field, self[field], other[field]) for field in Field)
