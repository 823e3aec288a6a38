"""The page on the areas of one state: what they are and are not, a map, what a release that shows them risks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from policy_sim.areas.areas import Areas
from policy_sim.areas.drawing import area_map
from policy_sim.attackers.attacker import VOTER
from policy_sim.show import theme
from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Notice, Paragraph, Picture
from policy_sim.show.numbers import percent, whole_people, with_decimals
from policy_sim.show.save import png_bytes
from policy_sim.words.states import STATES

_NOT = (
    "These areas are not Safe Harbor. Safe Harbor (45 CFR 164.514(b)(2)) allows no place smaller than a state but "
    "three digits of a ZIP code. A release that shows these areas needs an expert's determination under "
    "164.514(b)(1), or is a limited data set with a data use agreement. The figures below are background for that "
    "decision."
)
_SHORT = {"three-digit ZIP codes": "ZIP3", "counties": "counties", "ZIP codes": "ZIP5"}


def area_page(
    areas: Areas, state: str, risk: pd.DataFrame, by_race: pd.DataFrame, sources: Sequence[str], outside: int = 0
) -> Document:
    """Return the page; ``risk``, ``by_race``: as :mod:`policy_sim.areas.risk` makes them, rows of other states too.

    ``outside``: people of the state who are in no area.
    """
    facts, name = areas.by_state[state], STATES[state].name
    title = f"{name}: {whole_people(facts.number)} areas of at least {whole_people(areas.least)} people"
    blocks: list[Block] = [
        Paragraph(_first(areas, state)),
        Notice("What these areas are not", _NOT),
        Picture(png_bytes(area_map(areas, state)), f"Map of the areas of {name}", "", width=1.0),
        Heading("What a release that shows them risks"),
        Paragraph(
            "Everyone in the state is released with the fields of a row and one kind of place; the rules on age 90 and "
            "on three-digit ZIP codes of few people are those of Safe Harbor. A cell is the share of the people whom "
            "an attacker matches rightly, lucky guesses included. ZIP3: three digits of the ZIP code, as Safe Harbor "
            "allows; ZIP5: five. The number is how many there are. Compare within a row: the fields are the same."
        ),
    ]
    of_state = risk[risk["state"] == state]
    for attacker in of_state["attacker"].unique():
        rows = of_state[of_state["attacker"] == attacker]
        if rows["share"].notna().any():
            blocks.append(_table(rows, "share", f"Matched by someone who {_who(str(attacker))}"))
    everyone = of_state[of_state["attacker"] == of_state["attacker"].iloc[0]]
    blocks.append(_table(everyone, "in_small_groups", _FEW))
    blocks += [*_race(by_race[by_race["state"] == state]), *_made(areas, state, sources, outside)]
    footer = f"policy_sim · people and ZIP code areas of the {areas.vintage} census · {_NOT.split('.')[0]}."
    return Document(title, "Places finer than three digits of a ZIP code, with what they risk", tuple(blocks), footer)


_FEW = "People in groups of ten or fewer, of everyone in the state"


def _first(areas: Areas, state: str) -> str:
    facts = areas.by_state[state]
    people = areas.people[areas.zips.loc[areas.zips["state"] == state, "area"].unique()]
    most = (
        "the most that these neighbors allow"
        if facts.proved
        else f"these neighbors allow no more than {whole_people(facts.bound)}"
    )
    return (
        f"An area is a group of neighboring ZIP code areas with at least {whole_people(areas.least)} people. "
        f"{STATES[state].name} has {whole_people(facts.number)} of them ({most}); they have from "
        f"{whole_people(people.min())} to {whole_people(people.max())} people, {whole_people(people.median())} in the "
        f"middle. People live {with_decimals(facts.spread, 1)} km from the center of their area (root mean square). "
        f"{_cut(areas, state)}"
    )


def _cut(areas: Areas, state: str) -> str:
    if areas.lines != "county":
        return "County lines were ignored."
    counties = areas.zips.loc[areas.zips["state"] == state, "county"].nunique()
    whole = areas.whole_counties["county"].str.startswith(STATES[state].fips).sum()
    many, verb = whole_people(whole) if whole else "None", "is" if whole <= 1 else "are"
    others = "; the others are cut" if whole < counties else ""
    return (
        f"{many} of the {whole_people(counties)} counties {verb} whole in one area{others}. A ZIP code belongs to the "
        "county of most of its people, so that areas are counties by ZIP codes: a few people live on the other side of "
        "a county line."
    )


def _who(attacker: str) -> str:
    return "knows everyone in the state" if attacker != VOTER else "has the voter list"


def _table(rows: pd.DataFrame, column: str, caption: str) -> DocumentTable:
    """Return fields by places."""
    places = list(dict.fromkeys(rows["place"]))
    number = dict(zip(rows["place"], rows["places"], strict=True))
    cells = rows.set_index(["fields", "place"])[column]

    def written(fields: str, place: str) -> str:
        value = cells.get((fields, place))
        if value is None or pd.isna(value):
            return "–"
        return percent(float(value)) if column == "share" else whole_people(float(value))

    lines = tuple((fields, *(written(fields, place) for place in places)) for fields in dict.fromkeys(rows["fields"]))
    heads = ("fields", *(f"{_SHORT.get(place, 'areas')}: {whole_people(number[place])}" for place in places))
    return DocumentTable(heads, lines, caption, numbers=frozenset(range(1, len(heads))))


def _race(by_race: pd.DataFrame) -> Iterator[Block]:
    if by_race.empty:
        return
    places = list(dict.fromkeys(by_race["place"]))
    shares = by_race.set_index(["race", "place"])["share"]
    people = by_race.drop_duplicates("race").set_index("race")["people"]
    lines = tuple(
        (
            theme.TEXTS["people"].get(race, race),
            whole_people(float(people[race])),
            *(percent(float(shares[race, place])) for place in places),
        )
        for race in people.index
    )
    yield Heading("Who is at risk where race is shown")
    yield Paragraph("Sex, race, five-year ages and place; someone who knows everyone in the state.")
    yield DocumentTable(
        ("race", "people", *places), lines, "Share matched, by race", numbers=frozenset(range(1, 2 + len(places)))
    )


def _made(areas: Areas, state: str, sources: Sequence[str], outside: int) -> Iterator[Block]:
    facts = areas.by_state[state]
    rules = [
        "Every ZIP code area of the state is in one area, and state lines are kept. ZIP codes without an area, such as "
        "post office boxes, are in no area: take that of the town's ZIP code, or leave them out and count them.",
        "Areas are connected: two ZIP code areas are neighbors where their approximate shapes have 200 m of border.",
        "First as many areas as possible, then areas as compact as possible; the same input gives the same areas.",
    ]
    if outside:
        rules.append(
            f"{whole_people(outside)} people of {STATES[state].name} live in ZIP codes that are mostly in another "
            "state: they are in no area here, and counted as one place above."
        )
    if facts.by_water:
        pairs = ", ".join(f"{one} and {other}" for one, other in facts.by_water)
        rules.append(f"Joined by water: {pairs}.")
    yield Heading("How they are made")
    yield Bullets(tuple(rules))
    yield Heading("Sources, and how to cite")
    yield Bullets(
        (*sources, f"Cite as: policy_sim, areas of {areas.least:,} people in {STATES[state].name}, {areas.vintage}.")
    )
