"""How often records of one person agree in a release and in a list: values typed wrong, races asked twice, moves."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from types import MappingProxyType

from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.words.fields import Field, Granularities, field_word

AGREEMENT_FILE = Path("field_agreement.toml")
_WHOLE = ("none", "nation")  # a field that is not shown, and a place that everyone shares
# The rate of each granularity of geography that has no rate: that of the finest place in it. Areas are of ZIP codes.
_FINEST = MappingProxyType({"tract": "zip5", "county_zip5": "zip5", "county_zip3": "county"})
_AREA = "zip5"


def agreement(view: Granularities) -> float:
    """Return the chance (0..1) that release and list have the same values for one person in all fields of a key.

    Fields are taken as independent of each other: the product of their rates (``data/field_agreement.toml``). Race and
    origin, which were measured as one answer, count once.

    >>> round(agreement(Granularities(gender="value", birth="date", geography="zip5")), 4)
    0.914
    """
    fields, places = _rates()
    shown = {field for field, granularity in view.items() if granularity not in _WHOLE}
    if Field.ETHNICITY in shown:
        shown = shown - {Field.ETHNICITY} | {Field.RACE}
    chance = math.prod(fields[field] for field in shown - {Field.GEOGRAPHY})
    if Field.GEOGRAPHY in shown:
        place = view[Field.GEOGRAPHY]
        chance *= places[_FINEST.get(place, place if place in places else _AREA)]
    return chance


def errors_note() -> str:
    """Say what is done with records whose values differ, and where the rates are from, in one line."""
    with damaged_if_wrong(AGREEMENT_FILE):
        facts = shipped_table(AGREEMENT_FILE)
        sources = [f"{field_word(name)}: {entry['source']}" for name, entry in facts["fields"].items()]
        sources.append(f"place: {facts['places']['source']}")
    return (
        "errors: a listed person is found if all values of the key agree in the release and on the list; the other "
        "records of listed people count as those of people who left. The rates were measured on other files "
        f"({'; '.join(sources)})"
    )


@cache
def _rates() -> tuple[dict[Field, float], dict[str, float]]:
    with damaged_if_wrong(AGREEMENT_FILE):
        facts = shipped_table(AGREEMENT_FILE)
        places = {name: float(value) for name, value in facts["places"].items() if not isinstance(value, str)}
        return {Field(name): float(entry["agree"]) for name, entry in facts["fields"].items()}, places
