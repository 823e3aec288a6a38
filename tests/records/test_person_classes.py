"""Profiles of people with several rows, against every part of each person's rows counted; no order changes a figure."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from pinned import pinned

from benchmarks.releases import people_sizes
from policy_sim.formulas.known_rows import KNOWN
from policy_sim.records.classes import Classes
from policy_sim.records.person_classes import PersonClasses
from policy_sim.study.record_file import RecordFile
from policy_sim.words.errors import InputError, NotEstimableError

FIELDS = ("age", "sex", "part")


def visits(seed, people=30):
    rng = np.random.default_rng(seed)
    whose = np.repeat(np.arange(people), rng.integers(1, 5, people))
    sex, age = rng.choice(list("FM"), people), rng.integers(3, 6, people)
    rows = [(str(age[w] + rng.integers(0, 2)), sex[w], rng.choice(["north", "south", ""])) for w in whose]
    return pd.DataFrame(
        [(f"p{w}" if w else "", *row) for w, row in zip(whose, rows, strict=True)], columns=["id", *FIELDS]
    )


def by_hand(frame, fields, known):
    """The size of each person on some fields; a row without a person is one of its own."""
    whose = frame["id"].where(frame["id"] != "", [f"row {at}" for at in frame.index])
    return sorted(people_sizes(frame[list(fields)].apply(tuple, axis=1), whose, known).values())


@pytest.mark.parametrize("known", KNOWN)
def test_every_combination_of_fields_counts_people(tmp_path, known):
    for seed in range(3):
        frame = visits(seed)
        frame.to_csv(tmp_path / "f.csv", index=False)
        profile = RecordFile(tmp_path / "f.csv", list(FIELDS), person="id", known=known).profile().answer
        sizes = by_hand(frame, FIELDS, known)
        risk = profile.risk
        assert (risk.records, risk.smallest, risk.uniques) == (len(sizes), sizes[0], sizes.count(1))
        assert risk.average == pytest.approx(np.mean(1 / np.array(sizes)))
        for found in profile.combinations:
            own = by_hand(frame, found.fields, known)
            assert (found.uniques, found.average) == (own.count(1), pytest.approx(np.mean(1 / np.array(own))))
        for found in profile.by_field:
            assert found.alone.uniques == by_hand(frame, [found.name], known).count(1)
            others = [name for name in FIELDS if name != found.name]
            assert found.without.uniques == by_hand(frame, others, known).count(1)
        assert sum(found.minimal > 0 for found in profile.combinations if len(found.fields) == 1) <= 3
        parts = {found.fields: found.uniques for found in profile.combinations}
        assert all(parts[a] <= parts[b] for b in parts for n in (1, 2) for a in combinations(b, n) if a in parts)


def tables_of(path, engine="duckdb"):
    """Everything that is printed of a file, by what is known of its people."""
    text = []
    for known in KNOWN:
        file = RecordFile(path, list(FIELDS), person="id", known=known, engine=engine)
        text += [table.to_csv() for table in file.profile().tables.values()]
    text.append(file.estimate(500).to_frame().to_csv())
    text += [str(file.classes().sizes.tolist()), str(file.classes().codes.tolist())]
    return text


def test_other_orders_of_the_rows_have_the_same_figures(tmp_path):
    frame = visits(5)
    found = []
    for seed in range(pinned(3, 10)):
        frame.sample(frac=1, random_state=seed).to_csv(tmp_path / "f.csv", index=False)
        found.append(tables_of(tmp_path / "f.csv"))
    assert all(one == found[0] for one in found)


def test_the_row_that_counts_is_the_rarest_complete_one_whatever_the_order(tmp_path):
    """Person a has F twice and M once, and M is of two people: the row counted is F, of a alone."""
    rows = ["a,40,F", "a,40,F", "a,40,M", "b,40,M", "c,,M", "c,40,M"]
    found = set()
    for order in (rows, rows[::-1], rows[3:] + rows[:3]):
        (tmp_path / "f.csv").write_text("\n".join(["id,age,sex", *order]))
        file = RecordFile(tmp_path / "f.csv", "age,sex", person="id")
        found.add((*file.classes().sizes.tolist(), *file.score("OH").to_frame()["total_risk"].tolist()))
    assert len(found) == 1
    assert sorted(found.pop()[:2]) == [1, 2]


def test_models_that_need_fields_answer_where_everyone_has_one_row(tmp_path):
    frame = visits(2)
    for part, lacks in ((frame, True), (frame.drop_duplicates("id"), False)):
        part.to_csv(tmp_path / "f.csv", index=False)
        notes = RecordFile(tmp_path / "f.csv", list(FIELDS), person="id").estimate(500).notes
        assert any("have different values in a field" in note for note in notes) == lacks
    frame.to_csv(tmp_path / "f.csv", index=False)
    of_one_row = RecordFile(tmp_path / "f.csv", list(FIELDS), person="id", known="1")
    with pytest.raises(NotEstimableError, match="form no classes where one or two"):
        of_one_row.estimate(500)


def test_rows_that_miss_a_field_are_left_out_and_wildcards_are_refused():
    rows = [("F", "1", "a"), (None, "1", "a"), ("F", "1", "b"), (None, "2", "c")]
    classes = Classes.of_rows(rows, ("sex", "part", "person"))
    assert PersonClasses.of(classes).sizes_on(("sex", "part")).size.tolist() == [1]
    left = PersonClasses.of(classes, rule="exclude")
    assert (left.people, left.excluded, left.missing) == (2, 1, (0, 0))
    assert left.sizes_on(("sex", "part")).size.tolist() == [2]
    assert replace(left, known="1").sizes_on(("part",)).classes is None
    with pytest.raises(InputError, match="choose the rule own or exclude"):
        PersonClasses.of(classes, rule="wildcard")
