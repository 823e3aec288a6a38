"""What an outsider computes from released columns, or sees in their order, to join the rows of a person."""

from __future__ import annotations

import csv
import datetime as dt
from collections import Counter

import numpy as np
import pytest

from policy_sim import Release
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.derived import derived, joined_of
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.release.linkable import people_of_rows, spelled_twice
from policy_sim.release.written import PEOPLE

PEOPLE_OF_TWO, ROWS = 60, 120
WHOSE = np.arange(ROWS) % PEOPLE_OF_TWO
VISIT = WHOSE // 2 * 7 + np.arange(ROWS) // PEOPLE_OF_TWO * (11 + WHOSE % 5)  # days since the person entered


def column(name, texts):
    texts = list(map(str, texts))
    place = {text: at for at, text in enumerate(dict.fromkeys(filter(None, texts)), 1)} | {"": 0}
    return WrittenColumn(name, tuple(text for text in place if text), np.array([place[text] for text in texts]))


def dates(days):
    return [(dt.date(2025, 1, 1) + dt.timedelta(int(day))).isoformat() for day in days]


def times(day, minute):
    return [f"{text} 10:{at:02d}" for text, at in zip(dates(day), minute, strict=True)]


SEEN = times(np.arange(ROWS) * 3, WHOSE % 60)
JOINING = {
    "day minus since": (column("day", dates(WHOSE * 31 + VISIT)), column("since", VISIT)),
    "day plus left": (column("day", 1000 + WHOSE * 31 + VISIT), column("left", 500 - VISIT)),
    "dose divided by weight": (
        column("dose", [f"{dose:,}" for dose in (50 + VISIT) * (1000 + WHOSE)]),
        column("weight", 50 + VISIT),
    ),
    "hours times rate": (column("rate", (500 + WHOSE) / (2.0 ** (VISIT % 23))), column("hours", 2 ** (VISIT % 23))),
    "the beginning of sample": (column("sample", [f"S{who:02d}-{row // 60}" for row, who in enumerate(WHOSE)]),),
    "the beginning of serial": (column("serial", 70_000 + WHOSE * 10 + np.arange(ROWS) // PEOPLE_OF_TWO),),
    "the end of sample": (column("sample", [f"{row // 60}.{who:02d}" for row, who in enumerate(WHOSE)]),),
    "the chain of before and seen": (column("seen", SEEN), column("before", [""] * 60 + SEEN[:60])),
}


@pytest.mark.parametrize("name", JOINING)
def test_what_two_columns_or_the_parts_of_one_say_joins_the_rows(name):
    joined = joined_of(JOINING[name], WHOSE, in_order=False)
    assert (joined.columns, joined.people, joined.several) == ((name,), 60, 60)
    assert str(joined) == f"{name} joins the rows of 60 of the 60 people who have several"


SYSTOLIC, DIASTOLIC = np.random.default_rng(9).integers((100, 60), (160, 95), (ROWS, 2)).T
PAID = np.random.default_rng(10).integers(100, 9_999, ROWS) / 100
BEFORE = [("", "")] * 60 + [*zip(SYSTOLIC, DIASTOLIC, strict=True)][:60]
OWED = np.round(np.tile(WHOSE[:60] * 517.31, 2) - np.r_[np.zeros(60), PAID[60:]], 2)
CHAINS = {
    "the chain through last_sys, sys, last_dia and dia": (
        column("sys", SYSTOLIC),
        column("dia", DIASTOLIC),
        column("last_sys", [one for one, _ in BEFORE]),
        column("last_dia", [other for _, other in BEFORE]),
    ),
    "the chain through balance and payment": (column("balance", OWED), column("payment", PAID)),
}


@pytest.mark.parametrize("name", CHAINS)
def test_several_columns_or_a_sum_lead_from_row_to_row(name):
    joined = joined_of(CHAINS[name], WHOSE, in_order=False)
    assert sorted(joined.columns[0].replace(",", "").split()) == sorted(name.replace(",", "").split())
    assert joined.people >= 57  # of 60; two rows may have one pair of pressures by chance
    assert derived(CHAINS[name], np.random.default_rng(1).permutation(WHOSE)) == {}


@pytest.mark.parametrize("name", JOINING)
def test_nothing_is_computed_for_rows_that_are_not_of_one_person(name):
    strangers = np.random.default_rng(1).permutation(WHOSE)
    assert derived(JOINING[name], strangers) == {}
    assert derived(JOINING[name], np.arange(ROWS)) == {}  # each row is a person


WEIGHT = np.random.default_rng(6).integers(500, 1000, ROWS) / 10
ROUNDED = {
    "weight divided by bmi (rounded)": (
        column("weight", [f"{kg:.1f}" for kg in WEIGHT]),
        column("bmi", [f"{kg / (1.5 + who / 120) ** 2:.1f}" for kg, who in zip(WEIGHT, WHOSE, strict=True)]),
    ),
    "day minus 7 times week (rounded)": (
        column("day", dates(VISIT * 5)),
        column("week", (VISIT * 5 + WHOSE * 31) // 7),
    ),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_rounded_numbers_join_the_rows_of_some(name):
    joined = joined_of(ROUNDED[name], WHOSE, in_order=False)
    assert joined.columns == (name,)
    assert joined.counts
    assert derived(ROUNDED[name], np.random.default_rng(1).permutation(WHOSE)) == {}


def test_blood_pressures_join_nobody():
    rng = np.random.default_rng(4)
    upper = rng.integers(100, 170, ROWS) + WHOSE % 20
    pressures = (column("upper", upper), column("lower", (upper * 0.6 + rng.integers(0, 20, ROWS)).astype(int)))
    assert derived(pressures, WHOSE) == {}


def test_a_difference_joins_the_rows_of_those_without_a_blank():
    day, _ = JOINING["day minus since"]
    blank = column("since", ["" if row % 4 == 0 else days for row, days in enumerate(VISIT)])  # 45 people without
    assert joined_of((day, blank), WHOSE, in_order=False).people == 45


def test_zeros_blanks_and_remarks_hide_no_quotient():
    dose, weight = JOINING["dose divided by weight"]
    said = {1: "0", 2: "", 3: ">100"}  # of 6 people each, in both rows
    some = column("dose", [said.get(row % 10, dose.texts[dose.codes[row] - 1]) for row in range(ROWS)])
    joined = joined_of((some, weight), WHOSE, in_order=False)
    assert (joined.columns, joined.people) == (("dose divided by weight",), 42)


def test_a_drawn_order_does_not_join_the_rows():
    columns = (column("score", np.arange(ROWS) % 7),)
    assert joined_of(columns, np.sort(WHOSE), in_order=True).columns == ("the order of the rows",)
    assert not joined_of(columns, np.sort(WHOSE), in_order=False).counts
    assert not joined_of(columns, np.random.default_rng(2).permutation(WHOSE), in_order=True).counts


def patients(folder, **settings):
    """Sixty people with one to three visits, row by row as they were admitted."""
    with (folder / "visits.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["mrn", "sex", "age", "score"])
        for who in range(60):
            for visit in range(1 + who % 3):
                out.writerow([f"{412 + who}-{7003 + 61 * who}", "MF"[who % 2], 30 + who // 2 % 10, (who + visit) % 4])
    made = Release.new(folder / "visits.csv", folder / "visits.toml")
    word = {"by": "A. Officer"}
    made.classify("mrn", "direct", "a number", **word)
    made.classify("sex", "key", "seen", kind="sex", **word)
    made.classify("age", "key", "seen", kind="age", **word)
    made.classify("score", "other", "a test", **word)
    made.set("file", person="mrn")
    made.set("target", aim="risk", threshold="k=3", sizes="file")
    made.set("settings", limit=0.5, **settings)
    return made


def under_three(out):
    """Count the people under three by all of their rows, from the released file and the list of whose they are."""
    with (out / "send" / "release.csv").open(newline="") as file:
        rows = [(row["sex"], row["age"]) for row in csv.DictReader(file)]
    whose = (out / "keep" / PEOPLE).read_text().split()[1:]
    every = {who: tuple(sorted(r for r, w in zip(rows, whose, strict=True) if w == who)) for who in whose}
    return sum(number for number in Counter(every.values()).values() if number < 3)


def test_a_verdict_by_one_row_says_what_was_tried_to_join_rows(tmp_path):
    made = patients(tmp_path)
    verdict = made.run(tmp_path / "out").verdict
    joins = "chains of columns and the order of the rows join the rows of 0 of the 40 people who have several"
    assert f"{joins}; no other way to join rows was tried" in str(verdict)
    assert "quotients of each two" in " ".join(verdict.report.tried)
    assert "other ways to join the rows of one person" in dict(verdict.report.not_tried)
    assert str(made.recheck(tmp_path / "out").verdict) == str(verdict)


def test_a_kept_order_of_person_by_person_counts_all_rows(tmp_path):
    made = patients(tmp_path, keep_order=True)
    result = made.run(tmp_path / "out")
    assert result["people"]["known"] == "all"
    assert "the order of the rows joins the rows of 40 of the 40" in result["people"]["why"]
    assert under_three(tmp_path / "out") == 0
    assert str(made.recheck(tmp_path / "out").verdict) == str(result.verdict)


def test_the_project_may_say_otherwise_and_the_verdict_names_the_order(tmp_path):
    made = patients(tmp_path, keep_order=True)
    made.set("target", aim="risk", threshold="k=3", sizes="file", known="1")
    assert "but the order of the rows joins the rows of 40 of the 40" in str(made.run(tmp_path / "out").verdict)
    assert under_three(tmp_path / "out") > 0


def numbered(numbers, sexes, zips):
    """Return a table with two rows of each number."""
    columns = {"id": numbers, "sex": sexes, "zip": zips, "score": range(len(numbers))}
    return CodedTable({name: CodedColumn.of([*map(str, values)] * 2) for name, values in columns.items()})


def test_numbers_alike_but_for_zeros_are_two_people_where_their_rows_say_so():
    at = np.arange(40)
    numbers = [*(f"{100 + n}" for n in at), *(f"0{100 + n}" for n in at)]
    households = numbered(numbers, [*"MF" * 20, *"FM" * 20], [*at % 7, *(at + 3) % 7])
    assert len(set(people_of_rows(households, "id", released=False).tolist())) == 80
    assert "they count as two" in spelled_twice(households, "id", released=False)[0]
    same = numbered(numbers, [*"MF" * 40], [*at % 7, *at % 7])
    assert len(set(people_of_rows(same, "id", released=False).tolist())) == 40
    assert "they count as one person. If some are two people" in spelled_twice(same, "id", released=False)[0]


def test_who_moved_stays_one_person():
    at = np.arange(40)
    numbers = [*(f"{100 + n}" for n in at), *(f"0{100 + n}" for n in at)]
    moved = numbered(numbers, [*"MF" * 40], [*at % 7, *(at + 3) % 7])
    assert len(set(people_of_rows(moved, "id", released=False).tolist())) == 40


def test_another_source_with_other_words_does_not_make_two_people_of_one():
    at = np.arange(40)
    order = np.random.default_rng(3).permutation(80)
    numbers = np.array([*(f"{100 + n}" for n in at), *(f"0{100 + n}" for n in at)])[order]
    words = np.array([*["M", "F"] * 20, *["Male", "Female"] * 20])[order]
    sources = numbered(numbers, words, np.r_[at % 7, at % 7][order])
    assert len(set(people_of_rows(sources, "id", released=False).tolist())) == 40
