"""Whole files: people and their dates, samples, what use is left; keys stay hidden, pseudonyms are HMAC-SHA-256."""

from __future__ import annotations

import copy
import datetime as dt
import hashlib
import hmac
import itertools
import pickle
import stat
import traceback
from collections import defaultdict

import numpy as np
import pytest
from coded import coded
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policy_sim.records.formats import CodedColumn
from policy_sim.release.deidentified import (
    SecretKey,
    Treatment,
    can_be_listed,
    days_of_people,
    deidentify,
    make_key,
    pseudonym_column,
    read_key,
    shifted_dates,
)
from policy_sim.release.linkable import people_of_rows
from policy_sim.release.targets import RiskTarget
from policy_sim.release.treatments import Variable
from policy_sim.release.use import (
    UserAnalysis,
    distance_of,
    entropy_loss,
    lost_at_random,
    missingness,
    model_scores,
    moved_pairs,
)
from policy_sim.words.errors import InputError, OutputError, SourceError

KEY = SecretKey(bytes(32))
VARIABLES = (
    Variable("mrn", "direct", "a number", treatment="pseudonym"),
    Variable("name", "direct", "a name"),
    Variable("age", "key", "known", "age", top=90),
    Variable("sex", "key", "known", "sex"),
    Variable("seen", "sensitive", "known to the hospital", "date", "shift"),
    Variable("illness", "sensitive", "not known", "code"),
)


def treated(target, **more):
    return Treatment(**{"target": target, "variables": VARIABLES, "person": "mrn"} | more)


def hospital(seed, rows=240, people=150):
    rng = np.random.default_rng(seed)
    who = rng.integers(0, people, rows)
    age, sex = rng.integers(18, 99, people), rng.choice(list("FM"), people)
    days = [f"2024-{month:02d}-{day:02d}" for month, day in rng.integers(1, 28, (rows, 2)) % [12, 28] + 1]
    return coded(
        mrn=[f"{1000 + each}" for each in who],
        name=[f"Person {each}" for each in who],
        age=[str(age[each]) for each in who],
        sex=sex[who],
        seen=days,
        illness=rng.choice(["E11.9", "I10", "J45.0"], rows),
    )


def test_all_rows_of_a_person_are_treated_alike():
    file = hospital(1)
    found = deidentify(file, treated(RiskTarget.parse("maximum", "k=5"), limit=0.1), KEY)
    assert any("values of mrn can be listed" in note for note in found.notes)
    who = file["mrn"].texts()
    assert not set(who[found.rows]) & set(who[~found.rows])
    order = np.flatnonzero(found.rows)
    days = np.array(file["seen"].texts(), dtype="datetime64[D]")[order]
    shifted = np.array(found.table["seen"].texts(), dtype="datetime64[D]")
    moved = defaultdict(set)
    for person, difference in zip(who[order], (shifted - days).astype(int), strict=True):
        moved[person].add(int(difference))
    assert {len(each) for each in moved.values()} == {1}
    assert len(set.union(*moved.values())) > 20


def test_a_sample_is_of_whole_people_and_its_population_is_the_file():
    file = hospital(2, rows=2000, people=1500)
    target = RiskTarget.parse("maximum", "k=10", sizes="population")
    found = deidentify(file, treated(target, sample=0.3, seed=7), KEY)
    who = file["mrn"].texts()
    assert not set(who[found.drawn]) & set(who[~found.drawn])
    assert len(set(who[found.drawn])) == round(0.3 * len(set(who)))
    again = deidentify(file, treated(target, sample=0.3, seed=7), KEY)
    np.testing.assert_array_equal(found.rows, again.rows)
    file_alone = deidentify(file, treated(RiskTarget.parse("maximum", "k=10"), sample=0.3, seed=7), KEY)
    assert found.search.loss <= file_alone.search.loss  # the people of the file hide its sample


def test_nothing_is_classified_in_silence():
    with pytest.raises(InputError, match="not classified: illness"):
        deidentify(hospital(1), treated(None, variables=VARIABLES[:-1]), KEY)
    with pytest.raises(InputError, match="no column shoe"):
        deidentify(hospital(1), treated(None, variables=(*VARIABLES, Variable("shoe", "other", "x"))), KEY)


def test_what_a_treatment_cannot_be():
    target = RiskTarget.parse("maximum", "k=5")
    with pytest.raises(InputError, match="by person"):
        treated(target, person="")
    with pytest.raises(InputError, match="sample = 0"):
        treated(target, sample=0)
    with pytest.raises(InputError, match='recoding = "local" needs a target'):
        treated(None, recoding="local")
    with pytest.raises(InputError, match="each row is a person"):
        treated(target, local=True)
    with pytest.raises(InputError, match="need a secret key"):
        deidentify(hospital(1), treated(target))


def test_rows_that_name_no_person_are_people_of_their_own():
    visits = coded(mrn=["", "8", "", "8"])
    assert len(set(people_of_rows(visits, "mrn", released=False).tolist())) == 3
    assert people_of_rows(visits, "", released=False).tolist() == [0, 1, 2, 3]


def test_missing_values_of_the_hundred_records():
    """El Emam and Arbuckle 2013, chapter 2: 2% of records and 1.5% of cells."""
    first = ["" if at in (3, 5, 7) else "x" for at in range(1, 101)]
    second = ["" if at in (5, 10, 18) else "y" for at in range(1, 101)]
    before, after = coded(a=first, b=["y"] * 100), coded(a=first, b=second)
    lost = missingness(before, after, np.ones(100, dtype=bool), ["a", "b"])
    assert (lost["records_before"], lost["records_after"]) == (0.03, 0.05)
    assert (lost["cells_before"], lost["cells_after"]) == (0.015, 0.03)
    assert lost["records_lost"] == pytest.approx(0.02)
    assert lost["cells_lost"] == pytest.approx(0.015)


@pytest.mark.parametrize(("fields", "share", "printed", "digits"), [(10, 0.02, 0.183, 3), (5, 0.1, 0.41, 2)])
def test_what_complete_cases_lose_if_values_are_missing_at_random(fields, share, printed, digits):
    """El Emam and Arbuckle 2013, chapter 2: 18.3% and 41%; and by counting all patterns of missing values."""
    assert round(lost_at_random(np.full(fields, share)), digits) == printed
    patterns = np.array([*itertools.product([0, 1], repeat=fields)])
    chance = np.where(patterns, share, 1 - share).prod(axis=1)
    assert lost_at_random(np.full(fields, share)) == pytest.approx(chance[patterns.any(axis=1)].sum(), rel=1e-12)


def test_complete_cases_of_a_file_are_those_at_random_where_fields_are_crossed():
    """One value in five of one field and one in two of the other, in every combination: 1 - 4/5 of 1/2."""
    first, second = zip(*itertools.product(["", *"xxxx"], ["", "y"]), strict=True)
    table = coded(a=list(first), b=list(second))
    lost = missingness(table, table, np.ones(10, dtype=bool), ["a", "b"])
    assert lost["records_after"] == 0.6
    assert lost["at_random"] == pytest.approx(0.6, rel=1e-12)
    together = coded(a=["", *"xxxx"], b=["", *"yyyy"])
    lost = missingness(together, together, np.ones(5, dtype=bool), ["a", "b"])
    assert (lost["records_after"], lost["at_random"]) == (0.2, pytest.approx(0.36, rel=1e-12))


def test_records_that_are_gone_and_fields_that_are_gone_miss_everything():
    before = coded(a=list("xxxx"), b=list("yyyy"))
    lost = missingness(before, coded(a=list("xxx")), np.array([True, True, True, False]), ["a", "b"])
    assert (lost["records_after"], lost["cells_after"]) == (1.0, 5 / 8)


def test_entropy_by_hand():
    before = coded(age=["1", "1", "2", "3"], sex=list("FFMM"))
    whole = 4 * np.log2(4) - 2 * np.log2(2) + 4 * np.log2(4) - 2 * 2 * np.log2(2)
    assert entropy_loss(before, before, ["age", "sex"]) == 0
    assert entropy_loss(before, coded(other=list("xxxx")), ["age", "sex"]) == 1
    halves = coded(age=["1-2", "1-2", "1-2", "3"], sex=list("FFMM"))
    assert entropy_loss(before, halves, ["age", "sex"]) == pytest.approx((3 * np.log2(3) - 2 * np.log2(2)) / whole)
    constant = coded(age=list("1111"))
    assert entropy_loss(constant, constant, ["age"]) is None
    suppressed = coded(age=["1", "2", "", "2"])  # does not count as generalized
    assert entropy_loss(coded(age=["1", "2", "1", "2"]), suppressed, ["age"]) == 0


def test_distances():
    assert distance_of(CodedColumn.of(["1", "2", "3", "4"]), CodedColumn.of(["1", "2"])) == (0.5, (2.5, 1.5))
    assert distance_of(CodedColumn.of(["F", "F", "M", "M"]), CodedColumn.of(["F", "F"])) == (0.5, None)
    assert distance_of(CodedColumn.of(["a"]), CodedColumn.of([""])) == (None, None)


# A label counts in equal parts as the values that it stands for.


def test_pairs_move_by_hand():
    """30 to 33, one record each; 30-31 counts as half of each, and the record of 33 is suppressed."""
    before = coded(age=["30", "31", "32", "33"], sex=["F", "M", "F", "M"])
    after = coded(age=["30-31", "30-31", "32"], sex=["F", "M", "F"])
    rows = np.array([True, True, True, False])
    moved = {
        (pair["one"], pair["other"]): pair["distance"] for pair in moved_pairs(before, after, rows, ["age", "sex"])
    }
    # ages a third each of three, where they were a quarter each of four; sexes 2/3 and 1/3, where they were halves
    assert moved["age", "age"] == pytest.approx(1 / 4)
    assert moved["sex", "sex"] == pytest.approx(1 / 6)
    # 30 F 1/6, 30 M 1/6, 31 F 1/6, 31 M 1/6, 32 F 1/3, where 30 F, 31 M, 32 F, 33 M were 1/4 each
    assert moved["age", "sex"] == pytest.approx((1 / 12 + 1 / 6 + 1 / 6 + 1 / 12 + 1 / 12 + 1 / 4) / 2)
    assert moved_pairs(before, before, np.ones(4, dtype=bool), ["age", "sex"])[1]["distance"] == 0


def test_a_model_learns_as_much_as_the_release_tells():
    """The outcome follows the age: the file tells it, one label for all ages does not."""
    rng = np.random.default_rng(5)
    ages = rng.integers(20, 60, 900)
    file = coded(age=list(map(str, ages)), ill=list(np.where(ages > 40, "y", "n")))
    every = np.ones(900, dtype=bool)
    analysis = UserAnalysis("illness", "model", "ill", value="y")
    assert model_scores(analysis, file, file, every, ["age"]) == (1.0, 1.0, "")
    star = file.with_columns({"age": CodedColumn.of(["*"] * 900)})
    assert model_scores(analysis, file, star, every, ["age"]) == (1.0, 0.5, "")
    hidden = file.with_columns({"ill": CodedColumn.of(["*"] * 900)})
    assert model_scores(analysis, file, hidden, every, ["age"])[2] == "ill is not released as it is"
    assert "have one value" in model_scores(analysis, file, file, ages <= 40, ["age"])[2]


# Pseudonyms, and the keys that they are made with.


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


def test_cut_ends_leave_every_shift_possible():
    """What stays is at least the largest shift from both ends, and each date there is its true one, moved."""
    rng = np.random.default_rng(5)
    true = rng.integers(0, 200, 3_000)
    moved = rng.integers(-15, 16, 3_000)
    first = dt.date(2024, 1, 1)
    column = CodedColumn.of([(first + dt.timedelta(int(day))).isoformat() for day in true])
    texts = shifted_dates("d", column, moved, cut=15).texts().tolist()
    for day, shift, text in zip(true, moved, texts, strict=True):
        released = int(day + shift)
        expected = (first + dt.timedelta(released)).isoformat() if 15 <= released <= 199 - 15 else ""
        assert text == expected
    assert 0 < texts.count("") < 600


def test_a_shift_says_what_undoes_it():
    file = hospital(1)
    target = RiskTarget.parse("maximum", "k=5")
    kept, cut = (
        deidentify(file, treated(target, limit=0.1, shift_days=30, shift_ends=ends), KEY) for ends in ("keep", "cut")
    )
    assert any("60 possible days (5.9 bits hidden)" in note and "two known dates" in note for note in kept.notes)
    assert any("are left blank" in note for note in cut.notes)
    assert cut.table["seen"].missing > kept.table["seen"].missing


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
