"""Invented people: everything that one of the 18 kinds of 45 CFR 164.514(b)(2)(i) could say about them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from random import Random

FIRST = (
    "Maria James Okon Priya Wei Fatima Jürgen Søren Chloé Dmitri Aaliyah Kenji Rosa Thabo Eilidh Mateo Ngozi "
    "Hana Viktor Leilani Ahmed Ines Tomasz Xiomara Nguyet Caleb Delphine Rufus Marisol Esperanza Bartholomew "
    "Guadalupe Yaw Siobhan"
).split()
LAST = (
    "Okafor Ramirez Lindqvist Nakamura Featherstone Villanueva Brzezinski Oyelaran Castellanos Vandermeer "
    "Abernathy Haddad Kowalczyk Montgomery Pettigrew Thibodeaux Zielinska Quispe Rasmussen Ferreira Delacroix "
    "Hutchinson Ishikawa Jovanovic Kariuki Lombardi McAllister Nwosu Obradovic Papadakis Rutherford Szymanski "
    "Trevino Underwood Wojcik"
).split()
STREETS = "Maple,Birchwood,Van Buren,Old Mill,Cemetery,Sugar Creek,Delaware,Harding,Wapakoneta,Spencerville".split(",")
# ZIP code, county, FIPS code, state, town.
PLACES = (
    ("44503", "Mahoning", "39099", "OH", "Youngstown"),
    ("45805", "Allen", "39003", "OH", "Lima"),
    ("43215", "Franklin", "39049", "OH", "Columbus"),
    ("48104", "Washtenaw", "26161", "MI", "Ann Arbor"),
    ("15213", "Allegheny", "42003", "PA", "Pittsburgh"),
    ("40507", "Fayette", "21067", "KY", "Lexington"),
    ("46204", "Marion", "18097", "IN", "Indianapolis"),
    ("26505", "Monongalia", "54061", "WV", "Morgantown"),
)
SMALL_AREAS = ("03601", "05901", "69201", "82101", "87801", "87901", "89301")
TODAY = dt.date(2026, 1, 1)


@dataclass(frozen=True)
class Person:
    """One invented person; ``number`` is different for each person of a file."""

    first: str
    last: str
    sex: str
    race: str
    born: dt.date
    seen: dt.date
    place: tuple[str, str, str, str, str]
    number: int
    at: int

    @property
    def age(self) -> int:
        """Age in whole years on ``TODAY``."""
        return TODAY.year - self.born.year - ((self.born.month, self.born.day) > (TODAY.month, TODAY.day))


def draw_people(rng: Random, count: int, *, oldest: int = 96) -> list[Person]:
    """Draw ``count`` people with different numbers, births spread over 18 to ``oldest`` years."""
    numbers = rng.sample(range(1_000_000, 9_999_999), count)
    return [
        Person(
            rng.choice(FIRST),
            rng.choice(LAST),
            rng.choice("MF"),
            rng.choice(("White", "Black", "Asian", "White", "Black")),
            TODAY - dt.timedelta(days=rng.randrange(18 * 365, oldest * 365)),
            dt.date(2018, 1, 1) + dt.timedelta(days=rng.randrange(7 * 365)),
            rng.choice(PLACES),
            numbers[at],
            at,
        )
        for at in range(count)
    ]
