"""A column that repeats another one, which a release leaves out or changes, is found by its values alone."""

from __future__ import annotations

import datetime as dt
import random
import re

import numpy as np
import pandas as pd
import pytest

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release import Release
from policy_sim.release.before_search import as_written
from policy_sim.release.copies import FEW, People, repeated
from policy_sim.release.deidentified import Treatment
from policy_sim.release.shifts import attack_shifts
from policy_sim.release.treatments import Variable
from policy_sim.words.errors import InputError

ROWS = 400
RNG = random.Random(5)
MRNS = [f"{number:07d}" for number in RNG.sample(range(10**6, 10**7), ROWS)]
FIRST, LAST = ["Ana", "Bob", "Cleo", "Dora", "Emil", "Fay"], [f"Lastname{at}" for at in range(ROWS)]
NAMES = [f"{RNG.choice(FIRST)} {last}" for last in LAST]
BORN = [dt.date(1930, 1, 1) + dt.timedelta(RNG.randrange(30_000)) for _ in range(ROWS)]
OTHER = [f"{number:07d}" for number in RNG.sample(range(10**6, 10**7), ROWS)]


INITIALS = [(RNG.choice("ABCDEFGH") + "na", f"{RNG.choice('JKLMNOPQ')}o{at}", BORN[at]) for at in range(ROWS)]


def says(sent, hidden, people=None, *, identifies=True, shown=None):
    """What the attack says of two columns."""
    whose = People(np.arange(len(sent)) if people is None else np.array(people))
    ours, theirs = (as_written(n, CodedColumn.of(texts)) for n, texts in (("sent", sent), ("hidden", hidden)))
    rows = whose.is_few(ours) & whose.is_few(theirs)
    return repeated(ours, theirs, rows, shown, is_identifier=identifies)


@pytest.mark.parametrize(
    ("sent", "hidden"),
    [
        (MRNS, MRNS),
        ([f"MRN-{m[:3]}.{m[3:]}" for m in MRNS], MRNS),
        ([f"see {m} for more" for m in MRNS], MRNS),
        ([m[::-1] for m in MRNS], MRNS),
        ([m if at % 10 == 0 else "" for at, m in enumerate(MRNS)], MRNS),
        ([m if at % 10 == 0 else f"note {at}" for at, m in enumerate(MRNS)], MRNS),
        ([name.upper() for name in NAMES], NAMES),
        ([", ".join(reversed(name.split())) for name in NAMES], NAMES),
        ([f"{day:%m/%d/%Y}" for day in BORN], [day.isoformat() for day in BORN]),
    ],
)
def test_a_copy_is_found_in_any_form(sent, hidden):
    assert says(sent, hidden).startswith("contains hidden in ")


@pytest.mark.parametrize(
    ("sent", "hidden"),
    [
        ([m[-4:] for m in MRNS], MRNS),
        ([f"x{m[:5]}" for m in MRNS], MRNS),
        ([name.split()[1] for name in NAMES], NAMES),
        ([f"{first[0]}{last[0]}{day.year}" for first, last, day in INITIALS], [f"{a} {b}" for a, b, _ in INITIALS]),
    ],
)
def test_a_part_is_found(sent, hidden):
    assert says(sent, hidden).startswith("contains a part of hidden in ")


def test_numbers_by_a_sum_or_a_multiple_are_found():
    for sent in (
        [str(int(m) + 4711) for m in MRNS],
        [str(3 * int(m) - 8) for m in MRNS],
        [str(day.toordinal()) for day in BORN],
        [(day + dt.timedelta(100)).isoformat() for day in BORN],
    ):
        hidden = MRNS if len(sent[0]) > 6 and "-" not in sent[0] else [day.isoformat() for day in BORN]
        assert says(sent, hidden).endswith("by a sum or a multiple")


def test_another_number_of_the_same_people_is_found_where_they_have_several_rows():
    people = [at for at in range(ROWS) for _ in range(3)]
    hidden, sent = [MRNS[at] for at in people], [OTHER[at] for at in people]
    assert says(sent, hidden, people).startswith("goes with hidden one to one")
    assert not says(sent, hidden, people, identifies=False)
    mixed = [OTHER[at % ROWS] for at in range(len(people))]
    assert not says(mixed, hidden, people)


@pytest.mark.parametrize(
    ("sent", "hidden"),
    [
        (OTHER, MRNS),  # unlike numbers, each of one person: one to one means nothing
        ([str(RNG.randrange(1, 15)) for _ in MRNS], MRNS),  # a length of stay
        ([f"{RNG.randrange(10**6):05x}{RNG.choice(['', '9e30'])}" for _ in MRNS], MRNS),  # codes, some like 9e30
        ([RNG.choice("FM") for _ in MRNS], MRNS),
        ([f"{RNG.gauss(98, 20):.1f}" for _ in MRNS], MRNS),
        ([f"{RNG.gauss(98, 20):.1f}" for _ in MRNS], [f"{RNG.gauss(98, 20):.1f}" for _ in MRNS]),
        ([str(RNG.randrange(1, 60)) for _ in MRNS], [str(RNG.randrange(20, 90)) for _ in MRNS]),  # a stay, an age
        ([(day + dt.timedelta(RNG.randrange(9000))).isoformat() for day in BORN], [day.isoformat() for day in BORN]),
        ([RNG.choice(["I10", "E11.9", "J45.0"]) for _ in NAMES], NAMES),
    ],
)
def test_columns_that_have_nothing_to_do_with_each_other_are_not(sent, hidden):
    assert not says(sent, hidden)


@pytest.mark.parametrize("values", ["FM", "YN", "ABCDE"])
def test_a_copy_of_a_column_of_few_values_is_none(values):
    """A value that many have tells nobody apart, whatever the copy is called."""
    column = [RNG.choice(values) for _ in MRNS]
    assert not says(column, column)
    assert not says([f"g{text}" for text in column], column)


def test_only_values_of_few_people_count():
    """400 rows: of groups of eleven people nobody is singled out, of groups of ten everybody is."""
    for size, expected in ((FEW, False), (FEW - 1, True)):
        column = [f"group {at // size:03d}" for at in range(size * (ROWS // size))]
        assert bool(says(column, column)) is expected


def test_a_copy_of_a_part_that_the_release_shows_anyway_is_none():
    days = [day.isoformat() for day in BORN]
    years = [text[:4] for text in days]
    assert says(years, days).startswith("contains a part of hidden in all rows")
    assert not says(years, days, shown=years)


AGES = [str((dt.date(2025, 6, 1) - day).days // 365) for day in BORN]


def _project(folder, columns, roles, **settings):
    pd.DataFrame(columns).to_csv(folder / "v.csv", index=False)
    made = Release.new(folder / "v.csv", folder / "p.toml", edition="ihe-2026-draft")
    for column, (role, more) in roles.items():
        made.classify(column, role, "looked at", by="A. Officer", **more)
    made.set("target", aim="risk", threshold="k=3")
    made.set("settings", key_file="p.key", **settings)
    return made


IS_NOT = ["identifying numbers in texts", "long numbers"]
SEXES = [RNG.choice("FM") for _ in MRNS]


@pytest.mark.parametrize("treatment", ["drop", "pseudonym"])
def test_a_number_that_is_left_out_and_sent_under_another_name_is_refused(tmp_path, treatment):
    columns = {"mrn": MRNS, "sex": SEXES, "orig": [f"id {m}" for m in MRNS]}
    roles = {"mrn": ("direct", {"treatment": treatment}), "sex": ("key", {}), "orig": ("other", {"is_not": IS_NOT})}
    made = _project(tmp_path, columns, roles)
    done = {"drop": "leaves out", "pseudonym": "replaces by a pseudonym"}[treatment]
    with pytest.raises(InputError, match=f"^orig: orig contains mrn .*which the release {done}"):
        made.run(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_under_a_policy_the_verdict_is_not_met(tmp_path):
    made = _project(tmp_path, {"mrn": MRNS, "sex": SEXES, "orig": [f"a{m[:5]}" for m in MRNS]}, {
        "mrn": ("direct", {}), "sex": ("key", {}), "orig": ("other", {"is_not": IS_NOT})
    })  # fmt: skip
    made.set("target", aim="policy", policy="safe-harbor", threshold="")
    result = made.run(tmp_path / "out")
    assert str(result.verdict).startswith("NOT MET: orig")
    assert result["identifiability"]["after"]["level"] == "Identified"
    assert not (tmp_path / "out" / "send").exists()


def test_a_key_field_that_was_made_coarser_and_is_sent_as_it_was_is_found(tmp_path):
    places = [f"Village {at // 8}" for at in range(ROWS)]
    columns = {"village": places, "sex": SEXES, "seat": [f"({place.upper()})" for place in places]}
    made = _project(
        tmp_path, columns, {"village": ("key", {"kind": "category"}), "sex": ("key", {}), "seat": ("other", {})}
    )
    made.set("target", aim="risk", threshold="k=11")
    made.set("settings", recoding="one-level")
    try:
        said = str(made.run(tmp_path / "out").verdict)
    except InputError as error:
        said = str(error)
    assert "seat" in said
    assert "village as the original file has it" in said


# Shifted dates.


def _shifting():
    form = {"kind": "date", "treatment": "shift"}
    variables = [
        Variable("mrn", "direct", "a number", treatment="pseudonym"),
        Variable("onset", "sensitive", "known to the hospital", **form),
        Variable("tested", "sensitive", "known to the hospital", **form),
        Variable("death", "other", "on somebody's word", kind="date"),
        Variable("born", "other", "on somebody's word", kind="date"),
    ]
    return Treatment(variables=tuple(variables), target=None, person="mrn", shift_days=180)


def _dated(onset, tested, death):
    columns = {"mrn": MRNS, "onset": onset, "tested": tested, "death": death, "born": BORN}
    texts = {name: [v if isinstance(v, str) else v.isoformat() for v in values] for name, values in columns.items()}
    return CodedTable({name: CodedColumn.of(values) for name, values in texts.items()})


def _shift_findings(change=lambda at, day: day, names=("death", "born")):
    rng = random.Random(7)
    onset = [dt.date(2024, 6, 1) + dt.timedelta(rng.randrange(200)) for _ in MRNS]
    tested = [day + dt.timedelta(rng.randrange(5)) for day in onset]
    death = [day + dt.timedelta(rng.randrange(1, 40)) for day in onset]
    moves = [rng.choice([n for n in range(-180, 181) if n]) for _ in MRNS]
    moved = [[day + dt.timedelta(n) for day, n in zip(days, moves, strict=True)] for days in (onset, tested)]
    moved[1] = [change(at, day) for at, day in enumerate(moved[1])]
    original, written = _dated(onset, tested, death), _dated(*moved, death)
    turned = sum(day > end for day, end in zip(moved[0], death, strict=True))
    return list(attack_shifts(original, written, _shifting(), names, np.arange(ROWS))), turned


def test_a_date_that_did_not_move_shows_the_shift_and_the_wrong_order():
    """The death is within 40 days of the onset: of 360 shifts about 40 are left, and many onsets are after it."""
    findings, turned = _shift_findings()
    assert {finding.columns for finding in findings} == {("death",)}  # a birth, decades before, shows nothing
    assert turned > 100
    assert f"{turned:,} rows have the two dates" in str(findings[0])


def test_one_date_of_a_person_that_moved_by_other_days_is_found():
    findings, _ = _shift_findings(lambda at, day: day + dt.timedelta(30) if at == 3 else day, names=())
    (finding,) = findings
    assert str(finding).startswith("onset and tested: the dates of 1 person")


def test_dates_that_all_moved_together_are_not():
    assert _shift_findings(names=("born",))[0] == []


def test_ages_of_another_name_beside_births_that_were_left_out_count_as_a_key_field(tmp_path):
    columns = {"born": [day.isoformat() for day in BORN], "sex": SEXES, "x": AGES}
    roles = {"born": ("direct", {"kind": "birth_date"}), "sex": ("key", {}), "x": ("other", {})}
    verdict = str(_project(tmp_path, columns, roles).run(tmp_path / "out").verdict)
    assert "against the program's guess: x (key: " in verdict
    assert re.search("with x as a key .* has 1 of at least 3", verdict)
