"""Notations of the 18 kinds of identifiers, and the shapes that make a number look like a code, an age or a year."""

from __future__ import annotations

import datetime as dt
import hashlib
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.planted.people import SMALL_AREAS, STREETS, Person

Make = Callable[[Person, Random], str]
ALL, STRICT = ("safe-harbor", "limited-dataset", "k=11"), ("safe-harbor", "k=11")
LETTERS = {
    "A": "names",
    "B": "places below a state",
    "C": "dates, ages over 89",
    "D": "telephone",
    "E": "fax",
    "F": "e-mail",
    "G": "Social Security numbers",
    "H": "medical record numbers",
    "I": "health plan numbers",
    "J": "account numbers",
    "K": "certificates, licenses",
    "L": "vehicles",
    "M": "devices",
    "N": "URLs",
    "O": "IP addresses",
    "P": "biometrics",
    "Q": "photographs",
    "R": "any other unique number",
}


@dataclass(frozen=True)
class Notation:
    """One way to write a kind of identifier, and the aims under which it must not be released."""

    letter: str
    name: str
    make: Make
    forbidden: tuple[str, ...] = ALL
    dates: bool = False  # the year alone may be released


def digits(rng: Random, pattern: str) -> str:
    """Fill each ``#`` of the pattern with a digit (the first is not 0), each ``@`` with a capital letter."""
    drawn = {"#": string.digits, "@": "BCDFGHJKLMNP"}
    filled = "".join(rng.choice(drawn.get(c, c)) for c in pattern)
    return "1" + filled[1:] if filled.startswith("0") and pattern.startswith("#") else filled


def number(pattern: str) -> Make:
    """Write the person's own number in the pattern: the last digits of the number fill it from the right."""

    def make(person: Person, rng: Random) -> str:
        left = list(str(person.number))
        own = (
            (left.pop() if left else str(rng.randrange(1, 10))) if c == "#" else digits(rng, c) for c in pattern[::-1]
        )
        return "".join(own)[::-1]

    return make


def luhn(text: str) -> str:
    """Return the check digit that LOINC, HL7's M10 and bank cards share."""
    total = sum(d if at % 2 else d * 2 - 9 * (d > 4) for at, d in enumerate(map(int, reversed(text))))
    return str(-total % 10)


def _loinc_like(person: Person, _: Random) -> str:
    stem = str(person.number)[-5:].lstrip("0") or "7"
    return f"{stem}-{luhn(stem)}"


def _digest(person: Person, _: Random) -> str:
    return hashlib.md5(f"{person.last}{person.born}{person.number}".encode()).hexdigest()


def day(style: str, what: str = "seen") -> Make:
    """Write a date of the person, of birth or of care, in a style of strftime."""
    return lambda person, rng: getattr(person, what).strftime(style)


def _serial(person: Person, _: Random) -> str:
    return str((person.born - dt.date(1899, 12, 30)).days)


def _decimal_year(person: Person, _: Random) -> str:
    return f"{person.born.year + (person.born.timetuple().tm_yday - 1) / 365:.3f}"


def _n(letter: str, name: str, make: Make, forbidden: tuple[str, ...] = ALL, *, dates: bool = False) -> Notation:
    return Notation(letter, name, make, forbidden, dates)


NATIVE = (
    _n("A", "Last, First", lambda p, r: f"{p.last}, {p.first}"),
    _n("A", "First Last", lambda p, r: f"{p.first} {p.last}"),
    _n("A", "LAST FIRST M", lambda p, r: f"{p.last.upper()} {p.first.upper()} {r.choice('ABCDEJKLM')}"),
    _n("A", "last", lambda p, r: p.last),
    _n("A", "first", lambda p, r: p.first),
    _n("A", "Dr. Last", lambda p, r: f"Dr. {p.last}"),
    _n("B", "street", lambda p, r: f"{p.number % 9000 + 12} {r.choice(STREETS)} {r.choice(('St', 'Ave', 'Rd'))}"),
    _n("B", "town", lambda p, r: p.place[4], STRICT),
    _n("B", "county", lambda p, r: f"{p.place[1]} County", STRICT),
    _n("B", "FIPS", lambda p, r: p.place[2], STRICT),
    _n("B", "ZIP", lambda p, r: f"{p.place[0][:3]}{r.randrange(100):02d}", STRICT),
    _n("B", "ZIP+4", lambda p, r: f"{p.place[0]}-{p.number % 9000 + 1000}", STRICT),
    _n("B", "tract", lambda p, r: f"{p.place[2]}{r.randrange(100, 9999):06d}", STRICT),
    _n("B", "coordinates", lambda p, r: f"{39 + p.number % 999983 / 999983:.5f}, -{81 + r.random():.5f}"),
    _n("C", "ISO birth", day("%Y-%m-%d", "born"), STRICT, dates=True),
    _n("C", "US birth", day("%m/%d/%Y", "born"), STRICT, dates=True),
    _n("C", "SAS birth", day("%d%b%Y", "born"), STRICT, dates=True),
    _n("C", "ISO care", day("%Y-%m-%d"), STRICT, dates=True),
    _n("C", "care with time", day("%Y-%m-%dT08:%M:%S"), STRICT, dates=True),
    _n("C", "compact care", day("%Y%m%d"), STRICT, dates=True),
    _n("C", "words", day("%B %d, %Y"), STRICT, dates=True),
    _n("C", "month of birth", day("%Y-%m", "born"), STRICT, dates=True),
    _n("C", "month and day", day("%b %d", "born"), STRICT),
    _n("C", "age over 89", lambda p, r: str(90 + p.number % 15), STRICT),
    _n("D", "dashes", lambda p, r: f"330-{p.number % 800 + 200}-{digits(r, '####')}"),
    _n("D", "brackets", lambda p, r: f"({p.number % 800 + 200}) 555-{digits(r, '####')}"),
    _n("D", "international", lambda p, r: f"+1{p.number % 800 + 200}555{digits(r, '####')}"),
    _n("D", "bare", lambda p, r: f"614{p.number}"),
    _n("E", "dots", lambda p, r: f"614.{p.number % 800 + 200}.{digits(r, '####')}"),
    _n("E", "fax and extension", lambda p, r: f"{p.number % 800 + 200}-555-{digits(r, '####')} x{digits(r, '##')}"),
    _n("F", "name at", lambda p, r: f"{p.first[0].lower()}.{p.last.lower()}{p.number % 1000}@example.org"),
    _n("F", "number at", lambda p, r: f"pt{p.number}@mail.example.net"),
    _n("F", "spelled", lambda p, r: f"{p.last.lower()}{p.number % 1000} (at) example (dot) com"),
    _n("G", "dashes", number("###-##-####")),
    _n("G", "bare", number("#########")),
    _n("G", "last four", lambda p, r: f"{p.number * 7919 % 9000 + 1000}"),
    _n("H", "bare", number("#######")),
    _n("H", "prefix", number("MRN#######")),
    _n("H", "zeros", number("000#######")),
    _n("H", "letters", number("@@-######")),
    _n("H", "M10", _loinc_like),
    _n("I", "Medicare", number("1@#0-@@#-@@##")),
    _n("I", "member", number("XQB#########")),
    _n("J", "account", number("##########-#")),
    _n("J", "card", lambda p, r: (s := f"4{p.number}{digits(r, '#######')}") + luhn(s)),
    _n("K", "driver", number("@@######")),
    _n("K", "NPI", number("1#########")),
    _n("L", "VIN", number("1HGCM82633A######")),
    _n("L", "plate", number("@@@ ####")),
    _n("M", "serial", number("SN-@@####-####")),
    _n("M", "UDI", number("(01)00844588######(21)A#######")),
    _n("N", "URL", lambda p, r: f"https://portal.example.org/p/{p.number}"),
    _n("N", "handle", lambda p, r: f"@{p.first.lower()}{p.number % 10000}"),
    _n("O", "IPv4", lambda p, r: f"10.{p.number % 251}.{p.number // 251 % 251}.{r.randrange(2, 250)}"),
    _n("O", "IPv6", lambda p, r: f"2001:db8::{p.number:x}:{r.randrange(4096):x}"),
    _n("P", "template", lambda p, r: hashlib.sha1(str(p.number).encode()).hexdigest()),
    _n("P", "base64", lambda p, r: "FMR" + hashlib.sha256(str(p.number).encode()).hexdigest()[:20].upper() + "=="),
    _n("Q", "file", lambda p, r: f"IMG_{p.number}.jpg"),
    _n("Q", "path", lambda p, r: f"scans/{p.last.lower()}_{p.number % 1000:03d}.dcm"),
    _n("R", "study", number("S-@####"), STRICT),
    _n("R", "UUID", lambda p, r: str(uuid.UUID(_digest(p, r))), STRICT),
    _n("R", "digest", _digest, STRICT),
    _n("R", "initials and birth", lambda p, r: f"{p.first[0]}{p.last[0]}{p.born:%m%d%y}", STRICT),
    _n("R", "running", lambda p, r: str(1001 + p.at), STRICT),
)  # fmt: skip

# What a number becomes so that it looks like a value of the family; the letter says whose number it is.
NUMBERED = "DGHIJKLMR"
SHAPES: dict[str, tuple[tuple[str, Make], ...]] = {
    "loinc": (("digits and check digit", _loinc_like),),
    "cpt": (
        ("five digits", number("#####")),
        ("HCPCS shape", number("@####")),
        ("category III shape", number("####T")),
        ("code and modifiers", number("#####-##-##")),
    ),
    "drg": (("three digits", number("###")),),
    "dx": (
        ("category shape", number("@##")),
        ("code shape", number("@##.###")),
        ("shape without dot", number("@#####")),
    ),
    "year": (("1940 to 2015", lambda p, r: str(1940 + p.at % 76)),),
    "age": (("18 to 89", lambda p, r: str(18 + p.at % 72)),),
    "week": (("1 to 366", lambda p, r: str(1 + p.number % 366)),),
    "place": (("five digits", number("#####")), ("three digits", number("###"))),
    "lab": (("decimals", number("####.##")), ("whole", number("#####"))),
    "scale": (("two digits", number("##")),),
    "money": (("dollars and cents", number("#####.##")), ("dollars", number("#######.00"))),
    "stay": (("whole", number("#####")),),
    "flag": (("zeros and ones", lambda p, r: f"{p.number:b}"),),
    "cryptic": (("six digits", number("######")), ("letter and digits", number("@#####"))),
    "omop": (("concept shape", number("#######")),),
}
DATE_SHAPES: dict[str, tuple[tuple[str, Make], ...]] = {
    "cpt": (("day serial", _serial), ("year and day of year", lambda p, r: p.seen.strftime("%y%j"))),
    "drg": (("day of the year", lambda p, r: p.born.strftime("%j")),),
    "year": (("decimal year", _decimal_year), ("month and day", lambda p, r: p.born.strftime("%m%d"))),
    "lab": (("decimal year", _decimal_year), ("day serial", lambda p, r: f"{_serial(p, r)}.0")),
    "stay": (("day serial", _serial),),
    "money": (("day serial", lambda p, r: f"{_serial(p, r)}.00"),),
    "week": (("day of the year", lambda p, r: str(p.born.timetuple().tm_yday)),),
    "omop": (("compact", day("%Y%m%d", "born")),),
    "cryptic": (("seconds", lambda p, r: str((p.seen - dt.date(1970, 1, 1)).days * 86400)),),
}
PLACE_SHAPES: dict[str, tuple[tuple[str, Make], ...]] = {
    "cpt": (("ZIP", lambda p, r: f"{p.place[0][:3]}{r.randrange(100):02d}"),),
    "drg": (("small ZIP3", lambda p, r: SMALL_AREAS[p.at % 7][:3]),),
    "lab": (("latitude", lambda p, r: f"{39 + p.number % 99991 / 99991:.4f}"),),
    "place": (("small ZIP", lambda p, r: SMALL_AREAS[p.at % 7]),),
    "dx": (("ZIP behind a letter", lambda p, r: f"Z{p.place[0]}"),),
    "omop": (("FIPS", lambda p, r: p.place[2]),),
}


def notations(letter: str, family: str) -> list[Notation]:
    """List what can be planted of a kind under a header of a family: its notations, and those shaped for the family."""
    shaped: tuple[tuple[str, Make], ...] = ()
    if letter in NUMBERED:
        shaped = SHAPES.get(family, ())
    elif letter in "BC":
        shaped = (DATE_SHAPES if letter == "C" else PLACE_SHAPES).get(family, ())
    forbidden = STRICT if letter in "BCR" else ALL
    own = [Notation(letter, f"{name} ({family})", make, forbidden) for name, make in shaped]
    return [*own, *own, *(notation for notation in NATIVE if notation.letter == letter)]
