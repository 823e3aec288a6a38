"""Words and lists of values that ship as data, and the form in which texts are compared with them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache, partial

from policy_sim.files.toml import shipped_table
from policy_sim.words.states import STATES

# What programs write for a missing value; none is a value of a field that a census knows.
MARKS = ("?", "NA", "N/A", "#N/A", ".", "*", "-", "--", "NULL", "null", "None", "none", "NaN", "nan", "<NA>")

CLEAR_MARKS = frozenset({"?", "NA", "N/A", "#N/A", "NULL", "null", "NaN", "nan", "<NA>"})
"""Those of the marks that are no answer of a person, as ``none`` is, and no sign among words."""

_BETWEEN_WORDS = re.compile(r"[\W_]+")


@lru_cache(1 << 16)  # columns of a wide file share their values, and each is looked at several times
def plain(text: str) -> str:
    """Return a text without case, accents, punctuation and repeated blanks, as vocabularies hold it."""
    folded = text.lower()
    if not text.isascii():
        folded = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text).casefold())
    return " ".join(_BETWEEN_WORDS.sub(" ", folded).split())


@cache
def vocabulary(name: str) -> frozenset[str]:
    """Return a shipped list of texts in lower case: by the name of its file, such as ``first_names`` or ``towns``."""
    import gzip

    from policy_sim.files.paths import data_dir

    packed = (data_dir() / "vocabularies" / f"{name}.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().splitlines())


_tables = cache(partial(shipped_table, "vocabularies/words.toml"))


@cache
def words(table: str, name: str) -> frozenset[str]:
    """Return words of ``data/vocabularies/words.toml``: by table.

    >>> "gender" in words("names", "sex"), "african american" in words("census", "black")
    (True, True)
    """
    text = _tables()[table].get(name, "")
    parts = text.replace("\n", "|").split("|") if table in ("values", "census") else text.split()
    return frozenset(part.strip() for part in parts if part.strip())


@cache
def is_ordinary(word: str) -> bool:
    """Tell whether a word of a list of names is one of English, or of columns and texts about patients, as well.

    >>> is_ordinary("stage"), is_ordinary("gleason"), is_ordinary("okafor"), is_ordinary("smith")
    (True, True, False, False)
    """
    if word in words("people", "still_names"):
        return False
    return word in vocabulary("ordinary_words") or word in _words_of_columns()


@cache
def _words_of_columns() -> frozenset[str]:
    """Every word of ``data/vocabularies/words.toml`` that occurs in names or values of columns."""
    return frozenset(word for table in _tables().values() for text in table.values() for word in text.split())


STATE_WORDS = frozenset(
    {state.postal.casefold() for state in STATES.values()}
    | {plain(state.name) for state in STATES.values()}
    | {"gu", "vi", "as", "mp", "guam", "virgin islands", "us virgin islands", "american samoa"}
    | {"washington dc", "unknown", "unk", "xx", "zz", "foreign", "fc", "other"}
)


def is_town(text: str) -> bool:
    """Tell whether a text is a town or county of the United States, with or without its state."""
    name, _, state = text.partition(",")
    name = re.sub(r"\s+(county|parish|borough|city|twp\.?|township|cnty|co\.?)$", "", name.strip().casefold())
    towns = vocabulary("towns")
    return (name in towns or name.replace("saint ", "st ") in towns) and (not state or plain(state) in STATE_WORDS)


@cache
def name_words(name: str) -> str:
    """Return the words of a column's name in lower case, without accents: ``PatientDOB_1`` is ``patient dob 1``."""
    return plain(re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name))


_WORDS_FOR_MISSING = {"unknown", "unk", "missing", "not available", "not reported", "refused", "blank", "n a"}
_LONGEST_MARK = 24


def is_mark(text: str) -> bool:
    """Return whether a text is one that people and programs write for a missing value."""
    if len(text) > _LONGEST_MARK or text[:1].isdigit():  # no mark begins with a digit
        return False
    return text.strip() in MARKS or plain(text) in _WORDS_FOR_MISSING


def known_zip(text: str) -> bool:
    """Return whether a ZIP code of five digits, or of nine, is one of the census's.

    >>> known_zip("43215"), known_zip("43215-1234"), known_zip("432151234"), known_zip("000001234")
    (True, True, True, False)
    """
    code = text.strip().split(".")[0].split("-")[0]
    return (code[:-4] if len(code) in (8, 9) else code).zfill(5) in zip_codes()


@cache
def county_codes() -> frozenset[str]:
    """Return the FIPS code of every county that an area of a ZIP code reaches."""
    import pyarrow.parquet as pq

    from policy_sim.files.paths import data_dir

    table = pq.read_table(data_dir() / "zip" / "zcta_county_2020.parquet", columns=["county"])
    return frozenset(str(code).zfill(5) for code in table.column("county").to_pylist())


@cache
def zip_codes() -> frozenset[str]:
    """Return every ZIP code that the census has an area of."""
    import pyarrow.parquet as pq

    from policy_sim.files.paths import data_dir

    table = pq.read_table(data_dir() / "zip" / "zcta_county_2020.parquet", columns=["zip5"])
    return frozenset(map(str, table.column("zip5").to_pylist()))


@cache
def ms_drg_numbers() -> frozenset[int]:
    """Return the numbers of MS-DRG: those in force, and those that a file of earlier years may have.

    >>> 470 in ms_drg_numbers(), 999 in ms_drg_numbers(), 104 in ms_drg_numbers(), 9 in ms_drg_numbers()
    (True, True, False, False)
    """
    table = shipped_table("vocabularies/ms_drg.toml")
    spans = [part.partition("-") for part in f"{table['numbers']} {table['retired']}".split()]
    return frozenset(n for low, _, high in spans for n in range(int(low), int(high or low) + 1))


@cache
def phrases(table: str) -> frozenset[str]:
    """Return every phrase of a table of ``data/vocabularies/words.toml``."""
    return frozenset(phrase for name in _tables()[table] for phrase in words(table, name))
