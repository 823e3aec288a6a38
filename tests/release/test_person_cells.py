"""People with several rows at every node of small lattices, against every part of each person's rows counted."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from coded import coded

from benchmarks.releases import people_sizes
from policy_sim.release.conditions import ClassCondition, SensitiveColumn
from policy_sim.release.deidentified import Treatment, deidentify
from policy_sim.release.ladders import flat_ladder, number_ladder
from policy_sim.release.linkable import check_persons, known_of_rows, target_of_people
from policy_sim.release.person_cells import CELLS_OF
from policy_sim.release.targets import RiskTarget, recounted
from policy_sim.release.treatments import Variable, left_out
from policy_sim.words.errors import InputError, NotEstimableError

KEYS = (Variable("age", "key", "known", "age", widths=(5, 20)), Variable("sex", "key", "seen", "sex"))
PERSON = Variable("id", "direct", "a number", treatment="pseudonym")


def visits(seed, people=24, rows=50):
    rng = np.random.default_rng(seed)
    person = np.concatenate([np.arange(people), rng.integers(0, people, rows - people)])
    sex, age = rng.choice(list("FM"), people), rng.integers(30, 50, people)
    ages = age[person] + rng.integers(0, 2, rows)
    numbers, ill = [f"p{number:02}" for number in person], rng.choice(list("abc"), rows)
    return coded(age=list(map(str, ages)), sex=sex[person], ill=ill, id=numbers), person


def cells_of(table, person, known):
    ladders = [number_ladder("age", table["age"].values, (5, 20)), flat_ladder("sex", table["sex"].values)]
    return CELLS_OF[known].of_people(table, ladders, person)


def stay_by_hand(keys, person, known, k):
    """Leave out whoever is among fewer than k people, until nobody is."""
    rows = pd.DataFrame({"key": keys, "who": person})
    while len(rows):
        sizes = people_sizes(rows["key"], rows["who"], known)
        small = {who for who, size in sizes.items() if size < k}
        if not small:
            break
        rows = rows[~rows["who"].isin(small)]
    return set(rows["who"])


@pytest.mark.parametrize("known", CELLS_OF)
def test_who_stays_at_each_node_is_who_stays_by_hand(known):
    for seed, k in product(range(4), (2, 3, 5)):
        table, person = visits(seed)
        cells, target = cells_of(table, person, known), RiskTarget.parse("maximum", f"k={k}")
        for node in product(range(4), range(2)):
            levels = zip(cells.ladders, node, strict=True)
            texts = [table[x.field].relabeled(x.texts(level)).texts().tolist() for x, level in levels]
            stay = stay_by_hand(list(zip(*texts, strict=True)), person.tolist(), known, k)
            gone = cells.suppressed_rows(node, target)
            assert set(person[~gone].tolist()) == stay
            assert set(person[gone].tolist()) == set(range(24)) - stay
            lost = cells.suppression(cells.classes(node, cells.classes((0, 0))), target)
            assert (lost.units, lost.rows.sum()) == (24 - len(stay), gone.sum())


@pytest.mark.parametrize("known", CELLS_OF)
@pytest.mark.parametrize("recoding", ["one-level", "local"])
def test_nobody_is_among_fewer_and_means_are_of_people(known, recoding):
    for seed, (measure, limit) in enumerate([("maximum", "k=3"), ("average", "0.3"), ("strict-average", "0.3")]):
        table, person = visits(seed, people=60, rows=110)
        target = RiskTarget.parse(measure, limit, "0.5" if measure == "strict-average" else None)
        settings = {"known": known, "recoding": recoding, "limit": 0.4, "person": "id"}
        ill = Variable("ill", "sensitive", "not known")
        plain = Variable("id", "other", "a number")
        variables = (*KEYS, ill, plain)
        made = deidentify(table, Treatment(target=target_of_people(target, known), variables=variables, **settings))
        keys = pd.Series(list(zip(made.table["age"].texts(), made.table["sex"].texts(), strict=True)))
        sizes = list(people_sizes(keys, pd.Series(made.table["id"].texts()), known).values())
        assert min(sizes) >= target.least
        risk = recounted(made.table, ["age", "sex"], person[made.rows], known=known)
        assert risk.risk(target) == pytest.approx(
            1 / min(sizes) if measure == "maximum" else np.mean(1 / np.array(sizes))
        )
        assert measure == "maximum" or risk.risk(target) <= 0.3 + 1e-12
        assert risk.meets(target_of_people(target, known))


def test_values_of_people_with_equal_rows_are_counted_once_each():
    """Two people with the same ages: one has a twice, the other a and b; everybody has a, so b is no second value."""
    table = coded(age=["30", "30", "30", "30"], sex=["F"] * 4, ill=["a", "a", "a", "b"])
    cells = cells_of(table, np.array([0, 0, 1, 1]), "all")
    cells = type(cells)(**{**vars(cells), "sensitive": {"ill": SensitiveColumn.of(table["ill"])}})
    condition = ClassCondition("distinct", "ill", l=2)
    target = RiskTarget.parse("maximum", "k=2")
    assert not cells.suppressed_rows((0, 0), target).any()
    two = RiskTarget("maximum", target.threshold, conditions=(condition,))
    assert cells.suppressed_rows((0, 0), two).all()
    assert cells.suppression(cells.classes((1, 0), cells.classes((0, 0))), two).units == 2


def test_all_rows_are_assumed_known_where_the_release_joins_them():
    table, person = visits(1)
    known = known_of_rows(table, (*KEYS, PERSON), "id", person)
    assert known[0] == "all"
    assert known[1].startswith("id is released")
    dropped = Variable("id", "direct", "a number")
    assert known_of_rows(table, (*KEYS, dropped), "id", person)[0] == "1"
    assert known_of_rows(table, (*KEYS, PERSON), "id", person, "1") == ("1", "the project says so")
    assert known_of_rows(table, (*KEYS, dropped), "", np.arange(50)) == ("", "")
    named = coded(age=["30", "30", "41"], sex=["F", "F", "M"], ill=["a", "b", "c"], id=["x", "x", "y"])
    known = known_of_rows(named, (*KEYS, dropped), "id", np.array([0, 0, 1]))
    assert known[1].startswith("age, sex are the same in all")


def test_what_two_known_rows_cannot_be_counted_with_is_refused():
    target = RiskTarget("maximum", RiskTarget.parse("maximum", "k=2").threshold, sizes="population")
    assert target_of_people(target, "all").sizes == "file"
    diverse = RiskTarget("maximum", target.threshold, conditions=(ClassCondition("distinct", "ill", l=2),))
    with pytest.raises(InputError, match="with two known rows no condition"):
        target_of_people(diverse, "2")


def test_a_person_of_too_many_pairs_has_no_count():
    table = coded(age=[str(age) for age in range(20, 90)] * 100, sex=["F"] * 7000)
    cells = cells_of(table, np.zeros(7000, dtype=np.int64), "2")
    assert cells.risk().sizes.max() == 1
    wide = coded(age=[str(age) for age in range(7000)], sex=["F"] * 7000)
    with pytest.raises(NotEstimableError, match="more than the 20,000,000"):
        CELLS_OF["2"].of_people(wide, [flat_ladder("age", wide["age"].values)], np.zeros(7000, dtype=np.int64)).risk()


@pytest.mark.parametrize(
    ("role", "treatment", "rows", "asked"),
    [
        ("direct", "pseudonym", ["30,F,x", "41,M,x"], True),  # whatever it names, it joins rows
        ("direct", "drop", ["30,F,x", "30,F,x", "41,M,y"], True),
        ("direct", "drop", ["30,F,x", "31,F,x", "41,M,y"], False),  # a name that two people have, or a provider
        ("undecided", "drop", ["30,F,x", "30,F,x", "41,M,y"], True),
        ("undecided", "drop", ["30,F,x", "30,F,x", "30,F,y", "41,M,z"], False),  # a town
        ("direct", "drop", ["30,F,x", "30,F,y", "41,M,z"], False),
    ],
)
def test_rows_that_seem_to_be_of_one_person_are_asked_about(role, treatment, rows, asked):
    age, sex, number = zip(*(row.split(",") for row in rows), strict=True)
    table = coded(age=age, sex=sex, id=number)
    column = (
        left_out("id", "nobody decided")
        if role == "undecided"
        else Variable("id", role, "a number", treatment=treatment)
    )
    if asked:
        with pytest.raises(InputError, match='add person = "id"'):
            check_persons(table, (*KEYS, column))
    else:
        check_persons(table, (*KEYS, column))
