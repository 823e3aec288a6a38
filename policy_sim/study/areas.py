"""The door to areas of at least N people, and to what a release that shows them risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from policy_sim.attackers import GENERAL
from policy_sim.attackers.in_file import InFile, InFileLike, without_places
from policy_sim.people.zips import COMPOSED, PeopleByZip
from policy_sim.study.question import Setting
from policy_sim.words.arguments import choice, of_kind, one_state, several, switch, text, whole_number
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.areas.areas import Areas


SIZES = (5_000, 10_000, 20_000, 50_000, 100_000)  # people of areas that are compared


def make_areas(
    study: Setting,  # noqa: ARG001  areas are of one census, whatever the study has
    states: str | list[str],
    least: int = 20_000,
    *,
    lines: str = "county",
    compact: bool = False,
    counts: str = "2020",
    keep: Mapping[str, str] | None = None,
) -> Areas:
    """Return areas of at least ``least`` people in some states, unions of whole ZIP code areas of 2020.

    ``lines``: ``county``, or ``none`` to ignore county lines. ``compact``: prefer shape to number. ``counts``: people
    of ``2020``, or the ``fewest`` of 2010, 2020 and 2022, so that areas hold in all three. ``keep``: for each ZIP code
    a district whose border no area crosses. The areas have ``to_frame()`` and ``to_geo_frame()``.

    >>> from policy_sim import Study
    >>> len(Study().areas("RI", 100_000))
    8
    """
    from policy_sim.areas.areas import PEOPLE, Areas
    from policy_sim.areas.county_rule import LINES
    from policy_sim.areas.zip_areas import COUNTS

    named, size = several("states", states, str, "'OH'"), whole_number("least", least, *PEOPLE)
    if keep is not None:
        of_kind("keep", keep, Mapping, "{'43604': 'north'}")
    return Areas.make(
        named,
        size,
        lines=choice("lines", lines, LINES),
        compact=switch("compact", compact),
        counts=choice("counts", counts, COUNTS),
        keep=None if keep is None else {text("keep", code): text("keep", name) for code, name in keep.items()},
    )


def area_risk(study: Setting, areas: Areas) -> pd.DataFrame:
    """Return the risk of a release that shows each kind of place, at the same fields, by state and attacker.

    Three-digit ZIP codes as under Safe Harbor, counties, these areas and ZIP codes; someone who knows everyone,
    and someone with the voter list. Columns as :func:`~policy_sim.areas.risk.risk_frame` says.
    """
    from policy_sim.areas.risk import risk_frame

    people = _people(study, areas)
    return risk_frame([areas], people, [GENERAL, study.voter], days_per_year=study.days_per_year)


def compare_places(
    study: Setting, state: str, leasts: Sequence[int] = SIZES, *, in_file: InFileLike = None
) -> pd.DataFrame:
    """Return the risk of each kind of place in one state, at the same fields: areas of several sizes among them.

    Columns as :func:`~policy_sim.areas.risk.risk_frame` says, and a row of a limited data set for each attacker.
    ``in_file``: the attacker knows who is in the file.
    """
    import pandas as pd

    from policy_sim.areas.risk import limited_frame, risk_frame

    made = _of_sizes(state, leasts)
    people = _people(study, made[0])
    file, attackers = InFile.of(in_file), [GENERAL, study.voter]
    without_places(file, "a comparison of places")
    frame = risk_frame(made, people, attackers, days_per_year=study.days_per_year, in_file=file)
    (postal,) = made[0].states
    limited = limited_frame(postal, people, attackers, days_per_year=study.days_per_year, in_file=file)
    return pd.concat([frame, limited], ignore_index=True)


def compare_places_by_race(study: Setting, state: str, leasts: Sequence[int] = SIZES) -> pd.DataFrame:
    """Return the share of each race matched by someone who knows everyone, by kind of place, where race is shown.

    Everyone is released with sex, race and ages in five years or years; columns as
    :func:`~policy_sim.areas.risk.risk_by_race` says.
    """
    from policy_sim.areas.risk import risk_by_race

    made = _of_sizes(state, leasts)
    fields = ["sex, race, five-year ages", "sex, race, year of birth"]
    return risk_by_race(made, _people(study, made[0]), GENERAL, fields, every_place=True)


def _of_sizes(state: str, leasts: Sequence[int]) -> list[Areas]:
    """Return the areas of each size of one state."""
    from policy_sim.areas.areas import PEOPLE, Areas

    sizes = several("leasts", leasts, int, "20000 or [20000, 100000]")
    return [Areas.make(one_state(state), whole_number("leasts", least, *PEOPLE)) for least in sizes]


def area_risk_by_race(study: Setting, areas: Areas) -> pd.DataFrame:
    """Return the share of each race matched, with sex, race and five-year ages, by someone who knows everyone."""
    from policy_sim.areas.risk import risk_by_race

    people = _people(study, areas)
    return risk_by_race([areas], people, GENERAL, ["sex, race, five-year ages"])


def people_without_area(study: Setting, areas: Areas) -> dict[str, int]:
    """Return how many people of each state live in ZIP codes that are mostly in another state, without an area."""
    from policy_sim.areas import risk

    return risk.people_without_area(areas, _people(study, areas))


def _people(study: Setting, areas: Areas) -> PeopleByZip:
    """Return the people of the states of some areas, who live in ZIP code areas."""
    from policy_sim.areas.areas import Areas

    of_kind("areas", areas, Areas, "areas, such as Study().areas('OH')")
    people = study._counted_by_zip
    if study.counted.name.removesuffix(COMPOSED) != "us-2020" or not isinstance(people, PeopleByZip):
        raise InputError(
            f"population {study.counted.name}: areas are made of the ZIP code areas of 2020. Use population us-2020."
        )
    by_share = replace(people, zips=replace(people.zips, composition=None))
    return by_share.in_states(areas.states)


class AreaVerbs:
    """Areas that a study makes and judges."""

    areas = make_areas
    area_risk = area_risk
    area_risk_by_race = area_risk_by_race
    compare_places = compare_places
    compare_places_by_race = compare_places_by_race
    people_without_area = people_without_area
