"""Whole files: people and their dates, samples, and what use is left."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from coded import coded

from policy_sim.records.formats import CodedColumn
from policy_sim.release.deidentified import SecretKey, Treatment, deidentify, people_of_rows
from policy_sim.release.targets import RiskTarget
from policy_sim.release.treatments import Variable
from policy_sim.release.use import UserAnalysis, distance_of, entropy_loss, missingness, model_scores, moved_pairs
from policy_sim.words.errors import InputError

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
    with pytest.raises(InputError, match="each row is a person"):
        treated(target, local=True)
    with pytest.raises(InputError, match="need a secret key"):
        deidentify(hospital(1), treated(target))


def test_rows_that_name_no_person_are_people_of_their_own():
    visits = coded(mrn=["", "8", "", "8"])
    assert len(set(people_of_rows(visits, "mrn").tolist())) == 3
    assert people_of_rows(visits, "").tolist() == [0, 1, 2, 3]


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
    assert (
        model_scores(analysis, file, file, ages <= 40, ["age"])[2] == "ill or the fields have one value among the rows"
    )
