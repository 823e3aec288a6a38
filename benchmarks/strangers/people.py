"""Invented people: names from syllables and from common American ones, real places, births, and stays in a hospital."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

FIRST = """
James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica
Thomas Sarah Charles Karen Christopher Lisa Daniel Nancy Matthew Betty Anthony Margaret Mark Sandra Donald Ashley
Steven Kimberly Paul Emily Andrew Donna Joshua Michelle Kenneth Carol Kevin Amanda Brian Dorothy George Melissa
Rosa Luis Carmen Aaliyah Darnell Mei Hiroshi Priya Omar Fatima Anneliese Jürgen Zoë José Inés
""".split()
LAST = """
Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson
Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker
Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell
Carter Roberts O'Brien Núñez Müller Washington-Reed Patel Kim Begay Kealoha St.Clair
""".split()
START = "Ba Bre Cal Da Del Dre Ef Fa Gal Har Ib Jo Ka Kor Lu Mar Ne Or Pel Quin Ro Sa Tav Ul Va Wen Ya Zel".split()
END = "bert den dra fin gren ha kins la lou man mira na nel rick ro ska son ton van ver wick zig".split()


@dataclass(frozen=True)
class Place:
    """A town with what stands around it; two digits behind ``zip_code[:3]`` are drawn per person."""

    town: str
    county: str
    state: str
    state_name: str
    zip_code: str
    fips: str
    latitude: float
    longitude: float


PLACES = tuple(
    Place(*row.split("|")[:6], *(float(x) for x in row.split("|")[6:]))  # type: ignore[arg-type]
    for row in """Lansing|Ingham|MI|Michigan|48912|26065|42.7325|-84.5555
Flagstaff|Coconino|AZ|Arizona|86001|04005|35.1983|-111.6513
Macon|Bibb|GA|Georgia|31201|13021|32.8407|-83.6324
Duluth|St. Louis|MN|Minnesota|55802|27137|46.7867|-92.1005
Grand Marais|Cook|MN|Minnesota|55604|27031|47.7504|-90.3343
Valentine|Cherry|NE|Nebraska|69201|31031|42.8728|-100.5510
Ely|White Pine|NV|Nevada|89301|32033|39.2472|-114.8886
Socorro|Socorro|NM|New Mexico|87801|35053|34.0584|-106.8914
Boise|Ada|ID|Idaho|83702|16001|43.6150|-116.2023
Chattanooga|Hamilton|TN|Tennessee|37402|47065|35.0456|-85.3097
Bangor|Penobscot|ME|Maine|04401|23019|44.8016|-68.7712
Lowell|Middlesex|MA|Massachusetts|01850|25017|42.6334|-71.3162
Yonkers|Westchester|NY|New York|10701|36119|40.9312|-73.8988
Trenton|Mercer|NJ|New Jersey|08608|34021|40.2206|-74.7597
Allentown|Lehigh|PA|Pennsylvania|18101|42077|40.6084|-75.4902
Durham|Durham|NC|North Carolina|27701|37063|35.9940|-78.8986
Mobile|Mobile|AL|Alabama|36602|01097|30.6954|-88.0399
Lafayette|Lafayette Parish|LA|Louisiana|70501|22055|30.2241|-92.0198
Waco|McLennan|TX|Texas|76701|48309|31.5493|-97.1467
Fresno|Fresno|CA|California|93721|06019|36.7378|-119.7871
Eugene|Lane|OR|Oregon|97401|41039|44.0521|-123.0868
Spokane|Spokane|WA|Washington|99201|53063|47.6588|-117.4260
Peoria|Peoria|IL|Illinois|61602|17143|40.6936|-89.5890
Racine|Racine|WI|Wisconsin|53403|55101|42.7261|-87.7829""".splitlines()
)
ANCHOR = date(2026, 1, 1)  # births and ages are counted back from here, so that the files stay the same
STREETS = "Oak Maple Cedar Pine Lake Hill Sunset Washington Lincoln Church Mill River Spring Park Walnut".split()
SUFFIXES = "St Ave Rd Dr Ln Blvd Ct Street Avenue Road".split()


@dataclass(frozen=True)
class Person:
    """One patient and one stay; what is told of a person agrees with itself."""

    first: str
    last: str
    middle: str
    sex: str
    race: str
    born: date
    admitted: date
    place: Place
    zip_code: str
    street: str
    serial: int

    def age(self, on: date) -> int:
        return on.year - self.born.year - ((on.month, on.day) < (self.born.month, self.born.day))


def _name(rng: random.Random, common: list[str]) -> str:
    return rng.choice(common) if rng.random() < 0.6 else rng.choice(START) + rng.choice(END)


def person(rng: random.Random, serial: int, old: float = 0.08) -> Person:
    """One person; a share ``old`` is between 91 and 104 years old at the anchor."""
    place = rng.choice(PLACES)
    years = rng.randint(91, 104) if rng.random() < old else int(rng.triangular(0, 88, 45))
    return Person(
        first=_name(rng, FIRST),
        last=_name(rng, LAST),
        middle=rng.choice("ABCDEFGHJKLMNPRSTW"),
        sex=rng.choice("MF"),
        race=rng.choices(RACES, (60, 14, 8, 2, 1, 8))[0],
        born=date(ANCHOR.year - years - 1, 12, 31) - timedelta(days=rng.randint(0, 364)),
        admitted=date(2024, 1, 1) + timedelta(days=rng.randint(0, 640)),
        place=place,
        zip_code=f"{place.zip_code[:3]}{rng.randint(1, 60):02d}",
        street=f"{rng.randint(1, 9899)} {rng.choice(STREETS)} {rng.choice(SUFFIXES)}",
        serial=serial,
    )


RACES = ("White", "Black or African American", "Asian", "American Indian or Alaska Native",
         "Native Hawaiian or Other Pacific Islander", "Other")  # fmt: skip


def people(rng: random.Random, rows: int, per_person: int) -> list[Person]:
    """People in ``rows`` rows, each in up to ``per_person`` of them; at least one is over 90."""
    number = max(1, -(-rows // per_person))
    made = [person(rng, rng.randint(10**5, 10**6 - 1), 1.0 if at == 0 else 0.08) for at in range(number)]
    return [made[at % number] for at in range(rows)]
