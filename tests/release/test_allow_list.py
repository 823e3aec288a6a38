"""A column that nobody vouched for leaves only if each of its values is one that the rule covers."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from benchmarks.strangers.commands import check, trip
from benchmarks.strangers.eyes import SMALL_ZIP3, STATES
from benchmarks.strangers.ordinary import LOINC
from benchmarks.strangers.people import FIRST, LAST, RACES

pytestmark = pytest.mark.slow

ROWS = 24
MISLEADING = (
    "x1",
    "patient",
    "v07",
    "state_id",
    "mental_state",
    "sex_partner",
    "race_bib",
    "Essex",
    "year_no",
    "agent",
)
HEADERS = st.sampled_from(MISLEADING) | st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20
)
NAMES = st.builds(
    lambda last, comma, first, write: write(last + comma + first),
    st.sampled_from(LAST),
    st.sampled_from((", ", " ", "^", "; ")),
    st.sampled_from(FIRST),
    st.sampled_from((str, str.upper, str.lower)),
)
PATTERNS = ("%Y-%m-%d", "%d%b%Y", "%m/%d/%y", "%Y%m%d", "%B", "%Y-%m", "%A", "%b %Y", "%d.%m.%Y", "%m/%d")
DAYS = st.builds(lambda day, pattern: day.strftime(pattern), st.dates(), st.sampled_from(PATTERNS))
DIGITS = st.text("0123456789", min_size=4, max_size=16)
CODES = st.from_regex(r"[A-Z]{1,3}[-/ ]?[0-9]{3,9}[A-Z]?", fullmatch=True)
FREE = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=40)
COLUMNS = st.one_of(*(st.lists(kind, min_size=ROWS, max_size=ROWS) for kind in (NAMES, DAYS, DIGITS, CODES, FREE)))
CLINICAL = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?|\d{1,5}-\d")
COVERED = (
    STATES | {race.casefold() for race in RACES} | {"m", "f", "male", "female"} | {code.casefold() for code in LOINC}
)


def covered(cell: str) -> bool:
    """Whether Safe Harbor covers this value by itself: a sex, race, state, clinical code, year, age, or ZIP3."""
    text = cell.strip()
    number = int(text) if re.fullmatch(r"[0-9]{1,4}", text) else None
    return (
        text.casefold() in COVERED
        or (number is not None and (number <= 89 or 1936 <= number <= 2100))
        or bool(re.fullmatch(r"[0-9]{3}", text) and text not in SMALL_ZIP3)
        or bool(CLINICAL.fullmatch(text))
        or bool(re.search(r"90\+|or (before|less|earlier)$", text))
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(header=HEADERS, values=COLUMNS)
def test_nothing_of_a_column_that_no_rule_covers_leaves(header, values):
    assume(header.strip().casefold() not in {"sex", "age", "state", ""})
    frame = pd.DataFrame({"sex": ["M", "F"] * 12, "age": [str(40 + at % 4) for at in range(ROWS)], header: values})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.csv"
        frame.to_csv(path, index=False)
        check(path)
        done = trip(path, "safe-harbor")
    assert done.status in (0, 1) or done.refused, done.said[-800:]
    if done.release is None:
        return
    left = {
        cell for column in done.release if column not in ("sex", "age") for cell in done.release[column] if cell.strip()
    }
    assert {cell for cell in left if not covered(cell)} == set()
    long = {value for value in values if len(value) > 8}
    assert not long & set(done.release[["sex", "age"]].to_numpy().ravel())
