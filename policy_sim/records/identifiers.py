"""What identifies a person, recognized by the values of a column: the eighteen kinds of 45 CFR 164.514(b)(2)(i).

Two kinds of evidence. A text may be an identifier by its own form (an e-mail address); one such value is enough. Or
the column may hold one (nine digits may be a Social Security number, or an invoice); then most of its values must fit,
and a person decides. A written file is searched for both again.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.covered_values import MARKS, plain, reads, vocabulary, word_set


@dataclass(frozen=True)
class Hit:
    """Identifiers that a column holds: what they are called, in the plural, and in how many values and records.

    ``letter`` is the paragraph of 45 CFR 164.514(b)(2)(i) that removes them. They are ``certain`` where the form of the
    values tells: a person cannot mean something else by them.
    """

    called: str
    letter: str
    values: int
    records: int
    certain: bool

    def __str__(self) -> str:
        """Say what was found, and in how many records; never a value."""
        return f"{self.called} ({self.records:,} record{'s' if self.records != 1 else ''})"


class _Shapes(dict[int, str]):
    """What stands for a letter in a shape: A, a or 9; every other character is itself."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = (
            "9" if character.isdecimal() else "A" if character.isupper() else "a" if character.isalpha() else character
        )
        return self[code]


_OF_LETTER = _Shapes()


def shape(text: str) -> str:
    """Return a text with A for each capital letter, a for each other letter and 9 for each digit."""
    return text.translate(_OF_LETTER)


def shapes(texts: Sequence[str], records: NDArray[np.int64], most: int = 3) -> tuple[str, ...]:
    """Return the commonest shapes of values, with letters shortened, so that no value can be read from them."""
    whole: Counter[str] = Counter()
    for text, number in zip(texts, records.tolist(), strict=True):
        whole[shape(text[:60]).strip()] += number
    count: Counter[str] = Counter()
    for text, number in whole.items():
        short = re.sub(r"([Aa])\1+", r"\1\1", text)
        words = short.count(" ") + 1
        short = re.sub(r"Aa+", "Aa", re.sub(r"aa+", "aa", short))
        count[short if words <= 4 and len(short) <= 24 else f"text of {'some' if words < 10 else 'many'} words"] += (
            number
        )
    return tuple(text for text, _ in count.most_common(most))


_STREET = (
    r"st|street|ave?|avenue|rd|road|blvd|boulevard|dr|drive|lane|ln|court|place|hwy|highway|pkwy|parkway|terrace|circle|"
    r"pike|trail"
)
# By the form of one value: called, letter, pattern. A pattern is tried only on shapes that its second part allows.
_FORMS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (called, letter, re.compile(pattern, re.IGNORECASE))
    for called, letter, pattern in (
        ("e-mail addresses", "F", r"[^@\s]+\s*(?:@|\[at\]|\(at\))\s*[^@\s]+\.[a-z]{2,}"),
        ("Social Security numbers", "G", r"(?<!\d)(?!000|666)\d{3}[-–. ]\d{2}[-–. ]\d{4}(?!\d)"),
        ("telephone numbers", "D", r"(?<!\d)(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[.\- ]|\d{3}/)\d{3}[.\- ]\d{4}(?!\d)"),
        ("telephone numbers", "D", r"(?<!\w)\+\d{1,3}[ .-]?\d(?:[ .-]?\d){6,12}(?!\d)"),
        (
            "web addresses",
            "N",
            r"(?:https?|ftp)://|(?<!\w)www\.\w|(?<![\w@.])\w[\w-]*\.(?:com|org|net|gov|edu|io)(?:/|\b)",
        ),
        ("IP addresses", "O", r"(?<![\d.])(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?![\d.])"),
        (
            "hardware addresses",
            "M",
            r"(?<![\w:])[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?![\w:])|(?<!\w)[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?!\w)",
        ),
        ("names of accounts on the Internet", "R", r"(?<![\w.])@[a-z_]\w{2,}"),
        (
            "street addresses",
            "B",
            rf"(?<!\d)\d{{1,6}}[a-z]? +(?:[nsew]\.? +)?[\w.'-]+(?: +[\w.'-]+){{0,3}} +(?:{_STREET})\.?\s*"
            r"(?:$|,|#|apt|unit|suite|\d)",
        ),
        (
            "street addresses",
            "B",
            r"\bp\.? ?o\.? ?box \d+|\b(?:rue|calle|avenida|rua|via|strada)\b.{3,}\d|\w(?:straße|strasse|str\.) \d+",
        ),
        ("coordinates", "B", r"-?\d{1,2}\.\d{3,}\s*[,; /]\s*-?\d{1,3}\.\d{3,}|\b\d{1,3}°\s*\d+|POINT ?\("),
        ("coordinates", "B", r"(?<!\w)[23456789CFGHJMPQRVWX]{4,8}\+[23456789CFGHJMPQRVWX]{2,3}(?!\w)"),
        ("names of pictures or recordings", "Q", r"\w\.(?:jpe?g|png|gif|bmp|tiff?|dcm|wav|mp3|mp4|mov|heic)\b"),
        ("unique codes (UUID)", "R", r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
        ("codes as a hash gives them", "R", r"(?<!\w)(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}(?!\w)"),
        ("device identifiers (UDI)", "M", r"\(01\)\s?\d{14}|(?<!\d)01\d{14}(?:1[17]\d{6}|10\w|21\w)"),
        (
            "Medicare numbers (MBI)",
            "I",
            r"(?<!\w)[1-9][ac-hj-km-np-rt-y][ac-hj-km-np-rt-y\d]\d-?[ac-hj-km-np-rt-y][ac-hj-km-np-rt-y\d]\d-?[ac-hj-km-np-rt-y]{2}\d{2}(?!\w)",
        ),
        ("card numbers", "J", r"(?<!\d)\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{3,4}(?!\d)"),
        ("record numbers", "H", r"\b(?:mrn|ssn|dob|acct|member id|patient id|medical record)\b\W{0,3}\w*\d"),
    )
)


def _without_lookaround(pattern: str) -> str:
    """Return a pattern that matches whatever a pattern matches, and is one for the fast search of Arrow."""
    return re.sub(r"\(\?<?[!=](?:[^()\[]|\[[^\]]*\])*\)", "", pattern)


_FAST = tuple(_without_lookaround(pattern.pattern) for _, _, pattern in _FORMS)


def _candidates(texts: Sequence[str]) -> Iterator[list[int]]:
    """Return for each form the places of the values that may have it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = pa.array(texts, pa.string())
    sample = pc.match_substring_regex(array, "|".join(f"(?:{pattern})" for pattern in _FAST), ignore_case=True)
    places = np.flatnonzero(sample.to_numpy(zero_copy_only=False))
    part = array.take(pa.array(places))
    for pattern in _FAST:
        if not len(places):
            yield []
            continue
        matched = pc.match_substring_regex(part, pattern, ignore_case=True).to_numpy(zero_copy_only=False)
        yield places[matched].tolist()


def identifiers_in(texts: Sequence[str], records: NDArray[np.int64]) -> tuple[Hit, ...]:
    """Return the identifiers that a column's values, each in some records, are or may be; the certain ones first."""
    texts = [text.strip() for text in texts]
    hits: list[Hit] = []
    for (called, letter, pattern), candidates in zip(_FORMS, _candidates(texts), strict=True):
        places = [at for at in candidates if pattern.search(texts[at])]
        hits += _hit(called, letter, places, records, certain=True)
    places = [at for at, text in enumerate(texts) if text.count(":") > 1 and _is_ip6(text)]
    hits += _hit("IP addresses", "O", places, records, certain=True)
    hits += _whole_columns(texts, records)
    hits += names_in(texts, records)
    merged: dict[str, Hit] = {}
    for hit in hits:
        merged.setdefault(hit.called, hit)
    return tuple(sorted(merged.values(), key=lambda hit: (not hit.certain, -hit.records)))


def _hit(called: str, letter: str, at: Sequence[int], records: NDArray[np.int64], *, certain: bool) -> list[Hit]:
    return [Hit(called, letter, len(at), int(records[list(at)].sum()), certain)] if len(at) else []


def _is_ip6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text.split("%")[0]).version == 6
    except ValueError:
        return False


# By most values of a column: called, letter, the whole form, a further test, and whether the form is certain.
_DIGITS = re.compile(r"\d+(?:[.]0+)?")
_MOST = 0.8


def _number(text: str) -> str:
    return text.split(".")[0] if _DIGITS.fullmatch(text) else re.sub(r"[ -]", "", text)


def _valid(name: str) -> Callable[[str], bool]:
    """Return a test of numbers by python-stdnum."""
    from importlib import import_module

    module = import_module(f"stdnum.{name}")
    return lambda text: bool(module.is_valid(text))


def _npi(text: str) -> bool:
    return len(text) == 10 and text[:1] in "12" and _valid("luhn")("80840" + text)


def _phone(text: str) -> bool:
    import phonenumbers

    try:
        return bool(phonenumbers.is_valid_number(phonenumbers.parse(text, "US")))
    except phonenumbers.NumberParseException:
        return False


def _vin(text: str) -> bool:
    """Tell whether the ninth of the seventeen characters is the check digit of a vehicle identification number."""
    if not re.fullmatch(r"[A-HJ-NPR-Z0-9]{17}", text):
        return False
    letters = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    rest = sum(w * (int(c) if c.isdigit() else letters[c]) for c, w in zip(text, weights, strict=True)) % 11
    return text[8] == ("X" if rest == 10 else str(rest))


_COLUMNS: tuple[tuple[str, str, str, Callable[[str], bool] | None], ...] = (
    ("device numbers (IMEI)", "M", r"\d{15}", lambda text: _valid("imei")(text)),
    ("card or account numbers", "J", r"\d{13,19}", lambda text: _valid("luhn")(text)),
    ("account numbers (IBAN)", "J", r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", lambda text: _valid("iban")(text)),
    ("vehicle identification numbers", "L", r"[A-HJ-NPR-Z0-9]{17}", _vin),
    ("numbers of providers (NPI)", "K", r"\d{10}", _npi),
    ("Social Security or taxpayer numbers", "G", r"\d{9}", None),
    ("telephone numbers", "D", r"1?\d{10}", _phone),
    ("places as a geohash gives them", "B", r"(?=.*\d)(?=.*[a-z])[0-9b-hjkmnp-z]{5,12}", None),
    ("license or plate numbers", "K", r"(?=.*\d)(?=.*[A-Z])[A-Z0-9]{1,4}[- ]?[A-Z0-9]{2,9}", None),
    ("codes as a hash gives them", "R", r"(?=.*\d)(?=.*[a-zA-Z])[\w+/-]{20,}={0,2}", None),
    ("long numbers", "R", r"\d{6,}", None),
)
_MOST_TESTED = 2_000  # values of one form that a slow test reads; the form itself is looked for in all


def _whole_columns(texts: Sequence[str], records: NDArray[np.int64]) -> list[Hit]:
    hits: list[Hit] = []
    if len(texts) < 2:
        return hits
    sample = [_number(text) for text in texts[:: max(len(texts) // 100, 1)]]
    forms = [(entry, re.compile(entry[2])) for entry in _COLUMNS]
    forms = [
        (entry, form) for entry, form in forms if sum(map(bool, map(form.fullmatch, sample))) >= _HALF * len(sample)
    ]
    numbers = [_number(text) for text in texts] if forms else []
    for (called, letter, _, test), form in forms:
        at = [place for place, text in enumerate(numbers) if form.fullmatch(text)]
        if len(at) < _MOST * len(texts):
            continue
        tried = at[:: max(len(at) // _MOST_TESTED, 1)]
        if test is not None and sum(test(numbers[place]) for place in tried) < _MOST * len(tried):
            continue
        hits += _hit(called, letter, at, records, certain=False)
        break
    return hits


_COMMA_NAME = re.compile(r"[^\W\d][\w'’.-]*(?: [\w'’.-]+){0,2}, ?[^\W\d][\w'’.-]*(?: [\w'’.-]+){0,2}")
_WORDS = re.compile(r"[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,3}")
_HALF, _FEW, _RARE = 0.5, 0.1, 2
RARE_NAMES = "names of people in rare values"
# What so many harmless columns may be too that it makes no column an identifier.
MERELY_POSSIBLE = (RARE_NAMES, "long numbers", "license or plate numbers", "places as a geohash gives them")
# Answers to a question that are family or first names too: where a column has nothing else, each in several records.
_ANSWERS = word_set(
    "good fair poor best bad well low high strong weak mild sharp little small large short long big left right "
    "never early late young old first last red yellow green blue black white brown gray grey pink orange violet gold "
    "silver spring summer autumn fall winter north south east west january february march april may june july august "
    "september october november december monday tuesday wednesday thursday friday saturday sunday day week month year "
    "english french german spanish portuguese russian korean"
)
_TITLES = word_set("mr mrs ms dr miss prof rev sr jr ii iii iv md rn do np pa esq")


def names_in(texts: Sequence[str], records: NDArray[np.int64]) -> list[Hit]:
    """Return whether values of a column are names of people, by the Census Bureau's lists of frequent names.

    A family name, a comma and a first name, or a first and a family name in either order, count by themselves where
    most values of several words are such. Single words may be names where most of them are on a list, unless all
    of them answer a question and repeat, such as Good, Fair and Poor.
    """
    sample = texts[:: max(len(texts) // 100, 1)]
    if len(texts) > _MOST_TESTED and not any(text[:1].isalpha() for text in sample):  # numbers name nobody
        return []
    first, last = vocabulary("first_names"), vocabulary("last_names")
    full, single, several, alone, answers = [], [], 0, 0, 0
    for at, text in enumerate(texts):
        if not _COMMA_NAME.fullmatch(text) and not _WORDS.fullmatch(text):
            continue
        if text.split("-")[0] in MARKS:  # NA-code names nobody
            continue
        words = [word for word in plain(text.replace("'", "").replace("’", "")).split() if word not in _TITLES]
        if len(words) == 1:
            alone += 1
            answers += words[0] in _ANSWERS and records[at] > 1
            if words[0] in first or words[0] in last:
                single.append(at)
        elif words:
            several += 1
            long = [word for word in words if len(word) > 1]
            is_first = sum(word in first for word in long)
            is_last = sum(word in last for word in long)
            if (long and len(long) <= 3 and is_first and is_last == len(long)) or (
                "," in text and is_first and is_last
            ):
                full.append(at)
    hits = []
    in_full = int(records[full].sum()) if full else 0
    if len(full) > _HALF * max(several, 1) and in_full > _FEW * int(records.sum()):
        hits += _hit("names of people", "A", full, records, certain=len(full) >= 3)
    else:
        hits += _hit(RARE_NAMES, "A", [at for at in full if records[at] <= _RARE], records, certain=False)
    if alone >= 3 and answers < alone and len(single) > _MOST * alone and alone + several > _HALF * len(texts):
        hits += _hit("first or last names", "A", single, records, certain=False)
    return hits


# The identifiers of Safe Harbor that the name of a column shows: words of the name, what it suggests, the letter.
_BY_NAME: tuple[tuple[str, str, str], ...] = (
    (r"ssn|social security|itin|\btin\b|tax ?(id|no|num\w*|payer)|soc ?sec", "a Social Security or tax number", "G"),
    (r"\bmrn\b|medical record|chart (no|num\w*|id)|\bempi\b|\bmpi\b|\bmrno\b", "a medical record number", "H"),
    (r"e ?mail|correo|courriel", "an e-mail address", "F"),
    (r"phone|\bmobile|\bcell$|telefono?|telephone|telefon|\btel\b|\bcelular|\bhandy", "a telephone number", "D"),
    (r"\bfax", "a fax number", "E"),
    (
        r"(first|last|middle|maiden|sur|given|family|full|patient|person|member|next|nick|pref\w*|fore|pt|client) ?name"
        r"|^names?$|surname|(^| )[fl]names?$|\binitials?\b|next of kin|guarantor|nombre|"
        r"apellidos?|prenom|vorname|nachname"
        r"|^nom$|^nome$|cognome|sobrenome|emergency contact|\bspouse|\bmother|\bfather|guardian|attending|physician",
        "a name",
        "A",
    ),
    (r"street|address|\baddr\w*\b|direccion|adresse|endereco|indirizzo|strasse", "a street address", "B"),
    (
        r"account|\bacct|policy (no|num\w*|id)|beneficiary|member ?(id|no|num\w*)|subscriber|\bhicn?\b|\bmbi\b|"
        r"medicare (id|no)|medicaid (id|no)|plan (id|no|num\w*)|insured id|\bcard\b",
        "an account or plan number",
        "I",
    ),
    (r"licen[cs]e|certificate|passport|\bnpi\b|\bdea\b", "a license or certificate number", "K"),
    (r"\bvin$|\bplate( |$)|vehicle", "a vehicle number", "L"),
    (r"device|\bserial|implant|\budi\b|\bimei\b|\bmac( addr\w*)?$", "a device number", "M"),
    (r"^url$|web ?(page|site)|\blinks?$", "a web address", "N"),
    (r"^ip$|ip addr\w*", "an IP address", "O"),
    (r"finger ?print|biometric|voice ?print|retina|\biris\b", "a biometric identifier", "P"),
    (r"\bphotos?\b|photograph|^face\b|facial|\bimages?\b|picture", "a picture", "Q"),
    (
        r"(patient|person|subject|client|resident|case|record|encounter|visit|claim|episode|study|pt|participant|"
        r"admission|accession|specimen|order) ?(id|no|nr|num\w*|key|code|uid)$|^u?id$|\buuid\b|\bguid\b|\bpid\b|"
        r"patnum|identifier|(^| )id$|\bhash",
        "a number of a person or record",
        "R",
    ),
    (r"employer|occupation of|workplace|school name", "an employer", "A"),
)


def identifiers_by_name(words: str) -> Hit | None:
    """Return what the words of a column's name suggest; None where they suggest no identifier."""
    for pattern, called, letter in _BY_NAME:
        if re.search(pattern, words):
            return Hit(called, letter, 0, 0, certain=False)
    return None


def towns_in(texts: Sequence[str], records: NDArray[np.int64]) -> list[Hit]:
    """Return whether most values of a column are towns or counties."""
    sample = texts[:: max(len(texts) // 100, 1)]
    if sum(reads("town", sample)) < _HALF * len(sample):
        return []
    lettered = [at for at, text in enumerate(texts) if re.search(r"[^\W\d]{3}", text)]
    towns = [at for at, is_town in zip(lettered, reads("town", [texts[at] for at in lettered]), strict=True) if is_town]
    enough = len(towns) >= 3 and len(towns) >= _MOST * len(texts)
    return _hit("towns or counties", "B", towns, records, certain=False) if enough else []
