"""Keys stay hidden, and pseudonyms are HMAC-SHA-256."""

from __future__ import annotations

import copy
import datetime as dt
import hashlib
import hmac
import pickle
import stat
import traceback

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policy_sim.records.formats import CodedColumn
from policy_sim.release.deidentified import (
    SecretKey,
    can_be_listed,
    days_of_people,
    make_key,
    pseudonym_column,
    read_key,
    shifted_dates,
)
from policy_sim.words.errors import InputError, OutputError, SourceError

BYTES = bytes(range(32))


def test_a_pseudonym_is_the_hmac_of_purpose_and_value():
    column = pseudonym_column(CodedColumn.of(["ab"]), SecretKey(BYTES), "mrn")
    expected = hmac.new(BYTES, b"3:mrn:ab", hashlib.sha256).hexdigest()[:32]
    assert column.values == (expected,)


def test_purposes_keys_and_values_are_apart():
    key, other = SecretKey(BYTES), SecretKey(bytes(32))
    every = {
        key.digest("a", "bc"), key.digest("ab", "c"), key.digest("a", "bd"), other.digest("a", "bc"),
        key.digest("a:b", "c"), key.digest("a", "b:c"),
    }  # fmt: skip
    assert len(every) == 6


def test_the_key_is_in_no_text_and_no_traceback():
    key = SecretKey(BYTES)
    try:
        int(str(key))
    except ValueError:
        said = traceback.format_exc()
    for text in (repr(key), str(key), f"{key!r}", said, key.fingerprint):
        assert BYTES.hex() not in text
        assert repr(BYTES) not in text
    for way in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="not copied"):
            way(key)


def test_new_keys_differ_and_wrong_ones_are_refused(tmp_path):
    assert make_key(tmp_path / "a").fingerprint != make_key(tmp_path / "b").fingerprint
    with pytest.raises(InputError, match="32 bytes"):
        SecretKey(b"short")


def test_values_that_can_be_tried_one_by_one():
    for values in (["123-45-6789"], ["(614) 555-0100"], ["A17", "B2"]):
        assert can_be_listed(values) is True
    for values in (["12345678901234"], ["Maria Lopez"], []):
        assert can_be_listed(values) is False


# Dates shifted by person.


KEY = SecretKey(bytes(32))


def test_intervals_of_a_person_stay():
    people = ["a", "a", "b"]
    dates = CodedColumn.of(["2024-01-01", "2024-02-10", "2024-02-10"])
    shifted = [
        dt.date.fromisoformat(text) for text in shifted_dates("d", dates, days_of_people(people, KEY, 90)).texts()
    ]
    assert (shifted[1] - shifted[0]).days == 40
    assert shifted[1] != shifted[2]


def test_days_are_spread_evenly_without_a_day_of_none():
    days = days_of_people([str(number) for number in range(20_000)], KEY, 5)
    numbers, counts = np.unique(days, return_counts=True)
    assert numbers.tolist() == [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]
    assert abs(counts - 2000).max() < 5 * np.sqrt(2000 * 0.9)  # five standard deviations of a binomial


def test_what_cannot_be_shifted():
    for most in (0, -1, 4000):
        with pytest.raises(InputError, match="days = "):
            days_of_people(["a"], KEY, most)
    with pytest.raises(InputError, match="1 distinct values are not dates"):
        shifted_dates("d", CodedColumn.of(["soon"]), np.array([1]))
    for date, days in (("9999-12-30", 5), ("0001-01-02", -5)):
        with pytest.raises(InputError, match="outside the calendar"):
            shifted_dates("d", CodedColumn.of([date]), np.array([days]))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.none() | st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), st.integers(-3650, 3650))))
@example([(None, 3), (dt.date(2024, 1, 1), 3)])
def test_each_date_is_shifted_by_its_days_and_missing_ones_stay_missing(rows):
    dates = CodedColumn.of([date.isoformat() if date else "" for date, _ in rows])
    shifted = shifted_dates("d", dates, np.array([days for _, days in rows], dtype=np.int64))
    expected = [(date + dt.timedelta(days)).isoformat() if date else "" for date, days in rows]
    assert shifted.texts().tolist() == expected


# Keys in files of their own.


def test_a_new_key_is_read_by_its_owner_alone(tmp_path):
    path = tmp_path / "release.key"
    key = make_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(OutputError, match="File exists"):  # no key is overwritten
        make_key(path)
    assert read_key(path).fingerprint == key.fingerprint
    assert [each.name for each in tmp_path.iterdir()] == ["release.key"]
    path.chmod(0o640)
    with pytest.raises(InputError, match="mode to 600"):
        read_key(path)


@pytest.mark.parametrize("content", ["", "secret", "ab" * 31, "zz" * 32])
def test_what_is_no_key_is_refused_and_not_quoted(tmp_path, content):
    path = tmp_path / "release.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(InputError, match="64 hexadecimal digits") as raised:
        read_key(path)
    assert not content or content not in str(raised.value)


def test_missing_and_unreadable_keys(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        read_key(tmp_path / "none")
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff")
    path.chmod(0o600)
    with pytest.raises(SourceError, match="not text"):
        read_key(path)
    with pytest.raises(OutputError, match="cannot be written"):
        make_key(tmp_path / "no" / "folder")
