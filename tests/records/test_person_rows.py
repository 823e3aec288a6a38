"""Scores of people with several rows, against every lookup of each person made one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations

import numpy as np
import pytest
from said import numbers
from small_people import list_of, population_of

from policy_sim.attackers import GENERAL, voter
from policy_sim.formulas.known_rows import KNOWN
from policy_sim.records.classes import Classes
from policy_sim.records.engines.engine import records_and_person
from policy_sim.records.person_classes import PersonClasses
from policy_sim.records.person_rows import PersonRows
from policy_sim.records.score import score_against_census
from policy_sim.study.record_file import RecordFile
from policy_sim.study.study import Study
from policy_sim.words.errors import NotEstimableError

FIELDS = ("age", "sex", "county")
COUNTIES = ("39001", "39003", "39005")


def people_of_ohio(rng):
    """Few people of few ages."""
    cells = [
        ("OH", county, sex, age, 1, int(rng.integers(1, 5)))
        for county in COUNTIES
        for age in (30, 31, 32)
        for sex in "FM"
        if rng.random() < 0.8
    ]
    return population_of(cells or [("OH", COUNTIES[0], "F", 30, 1, 1)], date="2020-04-01")


def visits(rng, people=12):
    rows = []
    for person in range(people):
        sex, age, county = rng.choice(list("FM")), int(rng.integers(30, 32)), rng.choice(COUNTIES)
        for _ in range(int(rng.integers(1, 5))):
            row = [str(age + int(rng.random() < 0.3)), str(sex), str(county if rng.random() < 0.7 else COUNTIES[0])]
            row = [value if rng.random() < 0.8 else "" for value in row]
            rows.append((f"p{person}" if person else "", *row))
    return rows


def lookups(own, known):
    """Every row by which a person can be looked up, by what is known of the rows."""
    found = set(own)
    if known == "2":
        for one, other in permutations(own, 2):
            found.add(tuple(a or b for a, b in zip(one, other, strict=True)))
    if known == "all":
        only = [held.pop() if len(held := {row[at] for row in own} - {""}) == 1 else "" for at in range(3)]
        found = {tuple(value or only[at] for at, value in enumerate(row)) for row in own}
    return sorted(found)


def by_hand(rows, population, known, seen):
    """Matches, people and people beyond those of a group, where an attacker sees some of the fields."""
    everyone = Counter()
    there = set()
    for cell in population.cells.to_dict("records"):
        values = (str(cell["age"]), cell["sex"], cell["county"])
        everyone[tuple(values[at] for at in seen)] += int(cell["people"])
        there.add(values)
    own = defaultdict(list)
    for at, (person, *row) in enumerate(rows):
        own[person or f"row {at}"].append(tuple(row))
    counted = Counter()
    for rows_of_person in own.values():
        keys = [(row, tuple(row[at] for at in seen)) for row in lookups(rows_of_person, known) if row in there]
        if keys:
            counted[min(keys, key=lambda pair: (everyone[pair[1]], pair[0]))[1]] += 1
    matches = sum(min(number, everyone[key]) / everyone[key] for key, number in counted.items())
    return matches, counted.total(), sum(max(number - everyone[key], 0) for key, number in counted.items())


def scored(path, population, known, attackers, **options):
    file = RecordFile(path, list(FIELDS), person="id", known=known, **options)
    with file.opened() as engine:
        grouped = engine.group(records_and_person(file.records), rows=True)
        return score_against_census(
            grouped, file.records.mapping, population, attackers, (), most=1000, known=known, complete=file.complete
        )


def write(path, rows):
    path.write_text("\n".join(["id,age,sex,county", *map(",".join, rows)]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_of_every_lookup_of_every_person(tmp_path, seed, known):
    rng = np.random.default_rng([seed, 7])
    population, rows = people_of_ohio(rng), visits(rng)
    write(tmp_path / "f.csv", rows)
    lists = {"OH": list_of("OH", rest="withheld", birth="year", geography="state")}
    general, listed = scored(tmp_path / "f.csv", population, known, (GENERAL, voter(lists, "2020"))).scores
    for score, seen in ((general, (0, 1, 2)), (listed, (0,))):
        matches, people, surplus = by_hand(rows, population, known, seen)
        assert score.expected.high == pytest.approx(matches)
        assert (score.records, score.surplus) == (people, surplus)


@pytest.mark.parametrize("known", KNOWN)
def test_no_order_of_the_rows_changes_a_score(tmp_path, known):
    rng = np.random.default_rng(3)
    population, rows = people_of_ohio(rng), visits(rng, 20)
    found = []
    for order in range(10):
        write(tmp_path / "f.csv", [rows[at] for at in np.random.default_rng(order).permutation(len(rows))])
        file = scored(tmp_path / "f.csv", population, known, (GENERAL,))
        found.append((file.scores, file.notes[0], file.placed.riskiest(9).to_csv(), len(file.outside)))
    assert all(one == found[0] for one in found)


def test_who_knows_more_rows_matches_no_fewer_people(tmp_path):
    """Rows of 30 without sex, and of a woman without age, in one county: together they find a woman of 30."""
    population = population_of(
        [("OH", "39001", "F", 30, 1, 1), ("OH", "39001", "M", 30, 1, 4), ("OH", "39003", "F", 30, 1, 2)],
        date="2020-04-01",
    )
    rows = [("a", "30", "", "39001"), ("a", "", "F", "39001"), ("b", "30", "M", "39001"), ("c", "30", "F", "")]
    write(tmp_path / "f.csv", rows)
    found = {known: scored(tmp_path / "f.csv", population, known, (GENERAL,)) for known in KNOWN}
    assert [file.scores[0].expected.high for file in found.values()] == [0.25, 1.25, 1.25]
    assert [len(file.outside) for file in found.values()] == [3, 1, 1]
    assert numbers(found["1"].notes[0])[:2] == ["4", "3"]  # rows and people
    assert "'id'" in found["1"].notes[0]
    assert [word in found[known].notes[0] for known, word in (("1", "any one"), ("2", "any two"), ("all", "all of"))]
    left = scored(tmp_path / "f.csv", population, "all", (GENERAL,), missing="exclude")
    assert (left.scores[0].records, left.outside) == (2, ())


@pytest.mark.parametrize("known", KNOWN)
def test_every_output_says_what_is_known(tmp_path, known):
    write(tmp_path / "f.csv", [("a", "30", "F", "39001"), ("a", "31", "F", "39001"), ("b", "30", "M", "39001")])
    file = RecordFile(tmp_path / "f.csv", list(FIELDS), person="id", known=known)
    results = [file.profile(), file.score(Study(people_of_ohio(np.random.default_rng(1))), "general")]
    results += [file.estimate(100)] if known == "all" else []
    for result in results:
        assert (result.options["person"], result.options["known"]) == ("id", known)
        assert [numbers(note)[:2] for note in result.notes if note.startswith("people are counted")] == [["3", "2"]]
    assert "known" not in RecordFile(tmp_path / "f.csv", list(FIELDS)).profile().options


def test_a_person_of_two_states_counts_where_they_are_found_best(tmp_path):
    population = population_of(
        [("OH", "39001", "F", 30, 1, 5), ("KY", "21001", "F", 30, 1, 2), ("KY", "21003", "F", 30, 1, 9)],
        date="2020-04-01",
    )
    write(tmp_path / "f.csv", [("a", "30", "F", county) for county in ("39001", "21001", "21003")])
    (score,) = scored(tmp_path / "f.csv", population, "all", (GENERAL,)).scores
    assert (score.state, score.records, score.expected.high) == ("KY", 1, 0.5)


def test_a_third_row_that_contradicts_fills_nothing():
    """With 40 and 41 in the others, all rows leave the age open; any two rows fill it with either."""
    rows = [(None, "F", "a"), ("40", "F", "a"), ("41", None, "a"), ("40", "M", None)]
    classes = Classes.of_rows(rows, ("age", "sex", "person"))

    def codes(known, **more):
        found = PersonRows.of(PersonClasses.of(classes, known), **more)
        return sorted(found.classes.codes[found.entry_class].tolist())

    assert codes("1") == [[0, 1], [1, 1], [1, 2], [2, 0]]
    assert codes("all") == [[0, 1], [1, 1], [1, 2], [2, 1]]
    assert codes("all", complete=True) == [[1, 1], [1, 2], [2, 1]]
    assert codes("2") == [[0, 1], [1, 1], [1, 1], [1, 2], [2, 0], [2, 1], [2, 1], [2, 1]]
    with pytest.raises(NotEstimableError, match="make 4 pairs, more than the 3"):
        codes("2", most=3)


def test_people_are_named_by_the_rows_they_were_made_of():
    rows = [("F", "a"), ("F", None), ("F", None), ("M", None), ("M", "b"), ("F", "b")]
    classes = Classes.of_rows(rows, ("sex", "person"))
    people = PersonClasses.of(classes)
    owner = people.of_classes(classes)
    for at, (sex, person) in enumerate(classes.codes.tolist()):
        entries = people.entry_class[people.person == owner[at]]
        assert sex in people.classes.codes[entries, 0]
        assert (len(entries) == 1) == (person != 2)
    assert len(set(owner.tolist())) == 4
