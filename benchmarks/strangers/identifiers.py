"""The identifiers of 45 CFR 164.514(b)(2)(i), (A) to (R): under which headers they stand, and what they look like.

``rule`` says what may be left of one under Safe Harbor: nothing; the ``year``; the year of a ``birth`` that tells no
age over 89; an ``age`` up to 89; of a ``zip`` three digits; of a ``mixed`` column what has no blank in it. ``limited``
says that 164.514(e)(2) removes it too.
"""

from __future__ import annotations

import base64
import hashlib
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.strangers.dates import PARTS, WHOLE
from benchmarks.strangers.digits import digits, geohash, gtin, luhn, ssn, vin
from benchmarks.strangers.headers import HEADERS
from benchmarks.strangers.people import ANCHOR, Person

Maker = Callable[[Person, random.Random], str]


CODES = ("I10", "E11.9", "J45.909", "N18.3", "K21.9")


@dataclass(frozen=True)
class Kind:
    """A kind of identifier: its letter, the headers it hides under, and how one of its values is written."""

    letter: str
    name: str
    headers: tuple[str, ...]
    write: Maker
    rule: str = "nothing"
    limited: bool = True


def _spot(p: Person, r: random.Random) -> tuple[float, float]:
    return p.place.latitude + r.uniform(-0.04, 0.04), p.place.longitude + r.uniform(-0.04, 0.04)


def _pair(p: Person, r: random.Random) -> str:
    return "{:.5f}, {:.5f}".format(*_spot(p, r))


def _phone(r: random.Random) -> tuple[str, str, str]:
    return str(r.choice((517, 906, 614, 478, 928, 207, 978))), str(r.randint(220, 989)), digits(r, "####")


def _phones(pattern: str) -> Maker:
    def write(_: Person, r: random.Random) -> str:
        area, office, line = _phone(r)
        return pattern.format(a=area, o=office, l=line)

    return write


def _mail(p: Person, r: random.Random) -> str:
    return f"{p.first}.{p.last}{r.randint(1, 99)}@{r.choice(('gmail.com', 'example.org', 'mail.test'))}".lower()


def _pattern(pattern: str) -> Maker:
    return lambda _, r: digits(r, pattern)


def _hashed(algorithm: str, length: int | None = None) -> Maker:
    return lambda _, r: hashlib.new(algorithm, ssn(r).encode()).hexdigest()[:length]


def _grouped(text: str, *at: int, sep: str = "-") -> str:
    return sep.join(text[a:b] for a, b in pairwise((0, *at, len(text))))


NAMES = (
    Kind("A", "Last, First", HEADERS["NAME"], lambda p, r: f"{p.last}, {p.first}"),
    Kind("A", "First Last", HEADERS["NAME"], lambda p, r: f"{p.first} {p.last}"),
    Kind("A", "LAST FIRST M", HEADERS["NAME"], lambda p, r: f"{p.last} {p.first} {p.middle}".upper()),
    Kind("A", "first last, small", HEADERS["NAME"], lambda p, r: f"{p.first} {p.last}".lower()),
    Kind("A", "LAST^FIRST", HEADERS["NAME"], lambda p, r: f"{p.last}^{p.first}^{p.middle}".upper()),
    Kind("A", "F. Last", HEADERS["NAME"], lambda p, r: f"{p.first[0]}. {p.last}"),
    Kind("A", "Mr. or Ms. Last", HEADERS["NAME"], lambda p, r: f"{'Ms.' if p.sex == 'F' else 'Mr.'} {p.last}"),
    Kind("A", "first name", HEADERS["FIRST"], lambda p, r: p.first),
    Kind("A", "FIRST NAME", HEADERS["FIRST"], lambda p, r: p.first.upper()),
    Kind("A", "last name", HEADERS["LAST"], lambda p, r: p.last),
    Kind("A", "last name, small", HEADERS["LAST"], lambda p, r: p.last.lower()),
    Kind(
        "A",
        "initials",
        ("init", "ini", "Kürzel", "inic", "monogram", "who2", "sigle"),
        lambda p, r: p.first[0] + p.middle + p.last[0],
    ),
    Kind(
        "A",
        "initials with dots",
        ("init", "Kürzel", "iniciales", "initiales"),
        lambda p, r: f"{p.first[0]}.{p.last[0]}.",
    ),
    Kind(
        "A",
        "employer",
        ("work", "firm", "Arbeitgeber", "empresa", "employeur", "occup_place", "job_at"),
        lambda p, r: f"{p.last} {r.choice(('& Sons', 'Trucking', 'Dairy', 'Law Office', 'Hardware'))}",
    ),
    Kind(
        "A",
        "a name in free text",
        (
            "note",
            "remark",
            "obs",
            "Bemerkung",
            "commentaire",
            "triage",
            "sexual_history",
            "mental_state",
            "race_other_specify",
        ),
        lambda p, r: (
            f"{r.choice(('Spoke with', 'Daughter', 'Pt brought in by', 'Per'))} {p.first} {p.last}, "
            f"{r.choice(('will call back', 'denies pain', 'lives alone', 'wants a second opinion'))}."
        ),
    ),
)
PLACES = (
    Kind("B", "county", HEADERS["PLACE"], lambda p, r: p.place.county, limited=False),
    Kind("B", "County, in capitals", HEADERS["PLACE"], lambda p, r: f"{p.place.county} COUNTY".upper(), limited=False),
    Kind("B", "county, five digits", HEADERS["PLACE"], lambda p, r: p.place.fips, limited=False),
    Kind("B", "county, three digits", HEADERS["PLACE"], lambda p, r: p.place.fips[2:], limited=False),
    Kind("B", "town", HEADERS["TOWN"], lambda p, r: p.place.town, limited=False),
    Kind(
        "B",
        "Town, ST",
        (*HEADERS["TOWN"], "State of residence and city"),
        lambda p, r: f"{p.place.town}, {p.place.state}",
        limited=False,
    ),
    Kind(
        "B",
        "ST and ZIP code",
        ("st_zip", "state", "Staat", "estado"),
        lambda p, r: f"{p.place.state} {p.zip_code}",
        limited=False,
    ),
    Kind("B", "street", HEADERS["ADDRESS"], lambda p, r: p.street),
    Kind(
        "B",
        "address in a line",
        HEADERS["ADDRESS"],
        lambda p, r: f"{p.street}, {p.place.town}, {p.place.state} {p.zip_code}",
    ),
    Kind("B", "street under city", ("city", "town", "ciudad", "Stadt"), lambda p, r: f"{p.street}, {p.place.town}"),
    Kind("B", "PO box", HEADERS["ADDRESS"], lambda p, r: f"PO Box {r.randint(10, 9999)}"),
    Kind("B", "ZIP code", HEADERS["ZIP"], lambda p, r: p.zip_code, "zip", limited=False),
    Kind("B", "ZIP code, lost zero", HEADERS["ZIP"], lambda p, r: str(int(p.zip_code)), "zip", limited=False),
    Kind(
        "B", "ZIP code as a number with .0", HEADERS["ZIP"], lambda p, r: f"{int(p.zip_code)}.0", "zip", limited=False
    ),
    Kind("B", "ZIP+4", HEADERS["ZIP"], lambda p, r: f"{p.zip_code}-{r.randint(1, 9999):04d}", "zip", limited=False),
    Kind(
        "B",
        "three digits of any ZIP code",
        ("z3", "zip3", "zip_3", "plz3"),
        lambda p, r: p.zip_code[:3],
        "zip",
        limited=False,
    ),
    Kind("B", "tract", ("trct", "geoid", "tract10", "GEOID11", "ct"), lambda p, r: p.place.fips + digits(r, "######")),
    Kind(
        "B",
        "block group",
        ("bg", "blk", "Block", "geo12"),
        lambda p, r: p.place.fips + digits(r, "######") + r.choice("1234"),
    ),
    Kind(
        "B",
        "precinct",
        ("pct", "ward_no", "Bezirk", "precinto", "sector"),
        lambda p, r: f"{p.place.town[:3].upper()}-{r.randint(1, 60):02d}",
    ),
    Kind("B", "latitude", ("lat", "y", "Breite", "latitud", "coord_n", "yy_wgs"), lambda p, r: f"{_spot(p, r)[0]:.5f}"),
    Kind("B", "longitude", ("lon", "x", "Länge", "longitud", "lng", "xx_wgs"), lambda p, r: f"{_spot(p, r)[1]:.6f}"),
    Kind("B", "a pair of coordinates", ("geo", "loc", "gps", "pos", "ubicación"), _pair),
    Kind("B", "geohash", ("gh", "loc_code", "cell7", "area_code"), lambda p, r: geohash(*_spot(p, r))),
    Kind(
        "B",
        "coordinates in WKT",
        ("geom", "shape", "pt_geom"),
        lambda p, r: "POINT ({1:.5f} {0:.5f})".format(*_spot(p, r)),
    ),
)


def _dates() -> tuple[Kind, ...]:
    kinds = [
        Kind("C", name, HEADERS["DAY"], lambda p, r, w=w: w(p.admitted, r), "year", False) for name, w in WHOLE.items()
    ]  # type: ignore[misc]
    kinds += [
        Kind("C", name, HEADERS["PART"], lambda p, r, w=w: w(p.admitted, r), "year", False) for name, w in PARTS.items()
    ]  # type: ignore[misc]
    born = (
        "ISO",
        "US",
        "US, year of two digits",
        "SAS DATE9",
        "SAS number",
        "Excel number",
        "YYYYMMDD",
        "day first, dots",
        "MMDDYYYY",
        "Oracle",
        "German words",
    )
    return (
        *kinds,
        *(
            Kind("C", f"birth, {n}", HEADERS["BIRTH"], lambda p, r, w=WHOLE[n]: w(p.born, r), "birth", False)
            for n in born
        ),
    )  # type: ignore[misc]


AGES = (
    Kind("C", "age", HEADERS["AGE"], lambda p, r: str(p.age(ANCHOR)), "age", False),
    Kind("C", "age with .0", HEADERS["AGE"], lambda p, r: f"{p.age(ANCHOR)}.0", "age", False),
    Kind(
        "C",
        "age with a unit",
        HEADERS["AGE"],
        lambda p, r: f"{p.age(ANCHOR)}{r.choice(('y', ' y', 'yo'))}",
        "age",
        False,
    ),
    Kind("C", "age, Spanish", ("edad", "edad_paciente"), lambda p, r: f"{p.age(ANCHOR)} años", "age", False),
    Kind("C", "age, German", ("alter", "Patientenalter"), lambda p, r: f"{p.age(ANCHOR)} Jahre", "age", False),
    Kind(
        "C",
        "age in months",
        ("age_mo", "mos", "edad_meses", "alter_monate", "agem"),
        lambda p, r: str(p.age(ANCHOR) * 12 + r.randint(0, 11)),
        "age months",
        False,
    ),
    Kind(
        "C",
        "age in days",
        ("age_d", "edad_dias", "age_at_visit_days", "dage"),
        lambda p, r: str((ANCHOR - p.born).days),
        "age days",
        False,
    ),
    Kind(
        "C",
        "year of birth",
        ("byr", "yob", "annee_naiss", "Jahrgang", "año_nac", "anno", "v_yr", "year0"),
        lambda p, r: str(p.born.year),
        "birth",
        False,
    ),
    Kind(
        "C",
        "year of birth, two digits",
        ("yob2", "birth_yr", "byy"),
        lambda p, r: f"{p.born.year % 100:02d}",
        "birth two",
        False,
    ),
    Kind(
        "C",
        "cohort of birth",
        ("coh", "cohort5", "Generation", "cohorte"),
        lambda p, r: f"{p.born.year // 5 * 5}-{p.born.year // 5 * 5 + 4}",
        "birth",
        False,
    ),
)
CONTACTS = (
    Kind("D", "(614) 555-0142", HEADERS["PHONE"], _phones("({a}) {o}-{l}")),
    Kind("D", "614-555-0142", HEADERS["PHONE"], _phones("{a}-{o}-{l}")),
    Kind("D", "6145550142", HEADERS["PHONE"], _phones("{a}{o}{l}")),
    Kind("D", "+1 614 555 0142", HEADERS["PHONE"], _phones("+1 {a} {o} {l}")),
    Kind("D", "614.555.0142 x3", HEADERS["PHONE"], _phones("{a}.{o}.{l} x3")),
    Kind("D", "6145550142.0", HEADERS["PHONE"], _phones("{a}{o}{l}.0")),
    Kind("D", "seven digits", HEADERS["PHONE"], _phones("{o}-{l}")),
    Kind("D", "+49 30 1234567", HEADERS["PHONE"], _pattern("+49 30 #######")),
    Kind("E", "(614) 555-0142", HEADERS["FAX"], _phones("({a}) {o}-{l}")),
    Kind("E", "16145550142", HEADERS["FAX"], _phones("1{a}{o}{l}")),
    Kind("E", "614 555 0142", HEADERS["FAX"], _phones("{a} {o} {l}")),
    Kind("F", "e-mail", HEADERS["MAIL"], _mail),
    Kind("F", "e-mail in a part", HEADERS["MAIL"], lambda p, r: _mail(p, r) if p.serial % 5 else "declined"),
    Kind("F", "name and e-mail", HEADERS["MAIL"], lambda p, r: f"{p.first} {p.last} <{_mail(p, r)}>"),
    Kind(
        "F",
        "phone or e-mail",
        HEADERS["MAIL"],
        lambda p, r: _mail(p, r) if p.serial % 2 else _phones("{a}-{o}-{l}")(p, r),
    ),
)
NUMBERS = (
    Kind("G", "SSN", HEADERS["SOCIAL"], lambda p, r: _grouped(ssn(r), 3, 5)),
    Kind("G", "SSN plain", (*HEADERS["SOCIAL"], *HEADERS["CRYPTIC"][:6]), lambda p, r: ssn(r)),
    Kind("G", "SSN with blanks", HEADERS["SOCIAL"], lambda p, r: _grouped(ssn(r), 3, 5, sep=" ")),
    Kind("G", "SSN as 123456789.0", (*HEADERS["SOCIAL"], *HEADERS["CRYPTIC"][:6]), lambda p, r: f"{ssn(r)}.0"),
    Kind("G", "ITIN", HEADERS["SOCIAL"], lambda p, r: f"9{digits(r, '##')}-7{r.randint(0, 9)}-{digits(r, '####')}"),
    Kind("G", "last four of an SSN", ("last4", "ss4", "soc_l4"), lambda p, r: ssn(r)[5:]),
    Kind("G", "SHA-256 of an SSN", ("h", "token", "link_hash", "key"), _hashed("sha256")),
    Kind("G", "MD5 of an SSN", ("h", "md", "anon", "key"), _hashed("md5")),
    Kind("G", "16 digits of a SHA-1 of an SSN", ("h", "link_key"), _hashed("sha1", 16)),
    Kind("H", "six digits", HEADERS["RECORD"], lambda p, r: str(p.serial)),
    Kind("H", "six digits with .0", HEADERS["RECORD"], lambda p, r: f"{p.serial}.0"),
    Kind("H", "MRN and digits", HEADERS["RECORD"], lambda p, r: f"MRN{p.serial:08d}"),
    Kind("H", "with zeros", HEADERS["RECORD"], lambda p, r: f"{p.serial:010d}"),
    Kind("H", "year and number", HEADERS["RECORD"], lambda p, r: f"{p.admitted.year}-{p.serial}"),
    Kind("H", "letters and digits", HEADERS["RECORD"], _pattern("@@#####")),
    Kind("I", "MBI", HEADERS["PLAN"], _pattern("#@?#@?#@@##")),
    Kind("I", "MBI with hyphens", HEADERS["PLAN"], lambda p, r: _grouped(digits(r, "#@?#@?#@@##"), 4, 7)),
    Kind("I", "member number", HEADERS["PLAN"], _pattern("@@@########")),
    Kind("I", "digits", HEADERS["PLAN"], _pattern("##########")),
    Kind("I", "SSN and letter", HEADERS["PLAN"], lambda p, r: ssn(r) + r.choice("ABCD")),
    Kind("J", "account", HEADERS["ACCOUNT"], _pattern("########")),
    Kind("J", "card", HEADERS["ACCOUNT"], lambda p, r: luhn("4" + digits(r, "0#############"))),
    Kind(
        "J",
        "card with blanks",
        HEADERS["ACCOUNT"],
        lambda p, r: _grouped(luhn("5" + digits(r, "1#############")), 4, 8, 12, sep=" "),
    ),
    Kind("J", "IBAN", HEADERS["ACCOUNT"], _pattern("DE## #### #### #### #### ##")),
    Kind("J", "guarantor account", HEADERS["ACCOUNT"], _pattern("G-######")),
    Kind("K", "driver's license", HEADERS["LICENSE"], _pattern("@###########")),
    Kind("K", "two letters and six digits", HEADERS["LICENSE"], _pattern("@@######")),
    Kind("K", "NPI", HEADERS["LICENSE"], lambda p, r: luhn("80840" + "1" + digits(r, "########"))[5:]),
    Kind("K", "DEA number", HEADERS["LICENSE"], _pattern("B@#######")),
    Kind("L", "VIN", HEADERS["VEHICLE"], lambda p, r: vin(r)),
    Kind("L", "plate", HEADERS["VEHICLE"], _pattern("@@@ ####")),
    Kind("L", "plate of two parts", HEADERS["VEHICLE"], _pattern("#@@@###")),
    Kind("M", "IMEI", HEADERS["DEVICE"], lambda p, r: luhn("35" + digits(r, "############"))),
    Kind("M", "MAC", HEADERS["DEVICE"], lambda p, r: ":".join(f"{r.randint(0, 255):02x}" for _ in range(6))),
    Kind(
        "M", "MAC without colons", HEADERS["DEVICE"], lambda p, r: "".join(f"{r.randint(0, 255):02X}" for _ in range(6))
    ),
    Kind(
        "M",
        "UDI",
        HEADERS["DEVICE"],
        lambda p, r: f"(01){gtin('00812345' + digits(r, '#####'))}(21){digits(r, '########')}",
    ),
    Kind("M", "serial number", HEADERS["DEVICE"], _pattern("SN-@@####-##")),
)
REST = (
    Kind(
        "N", "URL", HEADERS["LINK"], lambda p, r: f"https://portal.example.org/u/{p.first}-{p.last}-{p.serial}".lower()
    ),
    Kind("N", "www", HEADERS["LINK"], lambda p, r: f"www.{p.last}-family{p.serial % 100}.net".lower()),
    Kind("N", "handle", HEADERS["LINK"], lambda p, r: f"@{p.first}_{p.last}{r.randint(1, 99)}".lower()),
    Kind(
        "N",
        "host and path",
        HEADERS["LINK"],
        lambda p, r: f"facebook.com/{p.first}.{p.last}.{r.randint(1, 99)}".lower(),
    ),
    Kind("O", "IPv4", HEADERS["NET"], lambda p, r: ".".join(str(r.randint(1, 254)) for _ in range(4))),
    Kind(
        "O", "IPv6", HEADERS["NET"], lambda p, r: "2001:db8:" + ":".join(f"{r.randint(1, 65535):x}" for _ in range(6))
    ),
    Kind("O", "IPv6, short", HEADERS["NET"], lambda p, r: f"fe80::{r.randint(1, 65535):x}:{r.randint(1, 65535):x}"),
    Kind(
        "O",
        "IPv4 with a port",
        HEADERS["NET"],
        lambda p, r: f"10.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 254)}:{r.randint(1024, 65535)}",
    ),
    Kind("P", "template", HEADERS["BODY"], lambda p, r: base64.b64encode(r.randbytes(36)).decode()),
    Kind("P", "recording", HEADERS["BODY"], lambda p, r: f"voice/{p.serial}_{r.randint(1, 3)}.wav"),
    Kind("P", "finger code", HEADERS["BODY"], lambda p, r: r.randbytes(16).hex()),
    Kind("Q", "file", HEADERS["PHOTO"], lambda p, r: f"IMG_{p.serial}.jpg"),
    Kind("Q", "path", HEADERS["PHOTO"], lambda p, r: f"\\\\pacs\\faces\\{p.last}_{p.serial % 1000}.png"),
    Kind(
        "Q",
        "picture in base64",
        HEADERS["PHOTO"],
        lambda p, r: "data:image/png;base64,iVBORw0KGgo" + base64.b64encode(r.randbytes(24)).decode(),
    ),
    Kind("R", "UUID", HEADERS["OTHER"], lambda p, r: str(uuid.UUID(int=r.getrandbits(128), version=4)), limited=False),
    Kind(
        "R",
        "initials and birth",
        HEADERS["OTHER"],
        lambda p, r: f"{p.first[0]}{p.last[0]}{p.born:%m%d%Y}",
        limited=False,
    ),
    Kind("R", "passport", HEADERS["OTHER"], _pattern("@########"), limited=False),
    Kind("R", "accession number", HEADERS["OTHER"], _pattern("A##-#####"), limited=False),
    Kind("R", "study number", HEADERS["OTHER"], lambda p, r: f"S{p.serial % 100:02d}-{p.serial // 100}", limited=False),
    Kind(
        "R",
        "hash of a record number",
        HEADERS["OTHER"],
        lambda p, r: hashlib.sha256(str(p.serial).encode()).hexdigest()[:20],
        limited=False,
    ),
)


def _now_and_then(usual: Maker, odd: Maker) -> Maker:
    """What a column usually shows, and in every eighth person or so something that does not belong there."""
    return lambda p, r: odd(p, r) if p.serial % 8 == 0 else usual(p, r)


def _name_at(p: Person, _: random.Random) -> str:
    return f"{p.last}, {p.first}"


def _age_and_birth(p: Person, _: random.Random) -> str:
    return f"{min(p.age(ANCHOR), 89)} (born {p.born:%m/%d/%Y})"


MIXED = (
    Kind("A", "sex, or a name", ("sex", "gender", "Sex"), _now_and_then(lambda p, r: p.sex, _name_at), "mixed"),
    Kind(
        "A", "code, or a name", ("dx", "icd10", "diag"), _now_and_then(lambda p, r: r.choice(CODES), _name_at), "mixed"
    ),
    Kind(
        "A",
        "a name in a text of race",
        ("race", "ethnicity"),
        _now_and_then(lambda p, r: "White", lambda p, r: f"Other: child of {p.first} {p.last}"),
        "mixed",
    ),
    Kind("A", "a name under a known header", ("sex", "race", "state", "age_grp", "gender", "dx"), _name_at),
    Kind(
        "B",
        "state, or a town",
        ("state", "State", "st"),
        _now_and_then(lambda p, r: p.place.state, lambda p, r: f"{p.place.town} {p.place.state}"),
        "mixed",
        False,
    ),
    Kind(
        "C",
        "age, or a birth date",
        ("age", "Age"),
        _now_and_then(lambda p, r: str(min(p.age(ANCHOR), 89)), _age_and_birth),
        "mixed",
        False,
    ),
    Kind(
        "C",
        "year, or a day",
        ("year", "adm_year"),
        _now_and_then(lambda p, r: str(p.admitted.year), lambda p, r: f"{p.admitted:%b %d %Y}"),
        "mixed",
        False,
    ),
    Kind("H", "record number of HL7", HEADERS["RECORD"], lambda p, r: f"{p.serial}^^^HOSP^MR"),
    Kind("R", "EIN", HEADERS["SOCIAL"], _pattern("##-#######"), limited=False),
)
KINDS: tuple[Kind, ...] = (*NAMES, *PLACES, *_dates(), *AGES, *CONTACTS, *NUMBERS, *REST, *MIXED)
LETTERS = "ABCDEFGHIJKLMNOPQR"
