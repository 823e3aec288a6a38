"""Whom to notify after a breach: the scenario of the paper by hand, and every mistake in one line."""

from __future__ import annotations

import re

import pytest
from small_people import one_line, run

from policy_sim.model.money.breach import Notice, NoticeCosts, breach_decision
from policy_sim.words.errors import InputError

LETTER = NoticeCosts(letter=2.0, linking=500.0, per_record=0.5)


def test_the_scenario_of_the_paper():
    """A tenth of the records got out: with letters to all, 90% of them go to people who were not affected."""
    found = breach_decision(1_000, 10_000, 0.98, LETTER)
    everyone, linked = found.notices
    assert everyone.needless / everyone.letters == pytest.approx(0.9)
    assert (everyone.usd, linked.usd) == (20_000, 500 + 500 + 2_000)
    assert linked.missed == pytest.approx(20)
    assert linked.needless == pytest.approx(20)
    assert found.choice is linked
    assert breach_decision(1_000, 10_000, 0.2, LETTER).choice.notify == "everyone"


def test_linking_pays_up_to_the_letters_that_it_saves():
    limit = breach_decision(1_000, 10_000, 1.0, LETTER).linking_pays_up_to
    for linking, choice in ((limit - 0.01, "linked"), (limit + 0.01, "everyone")):
        assert breach_decision(1_000, 10_000, 1.0, NoticeCosts(2.0, linking)).choice.notify == choice


def test_a_letter_to_all_candidates_reaches_everyone():
    found = breach_decision(100, 10_000, 0.3, LETTER, candidates=400)
    assert found.choice.notify == "candidates"
    assert (found.choice.usd, found.choice.reached) == (500 + 50 + 800, 1)
    assert Notice.table(found.notices)["choice"].tolist() == [False, False, True]


@pytest.mark.parametrize(("exposed", "at_once", "media"), [(499, False, False), (500, True, False), (501, True, True)])
def test_five_hundred_people(exposed, at_once, media):
    secretary, newspapers = breach_decision(exposed, 1_000, 1.0, LETTER).duties
    assert ("164.408(b)" in secretary) is at_once
    assert newspapers.startswith("more than 500") is media


@pytest.mark.parametrize("wrong", [{"exposed": 11}, {"exposed": 0}, {"match_rate": 1.1}, {"candidates": 3}])
def test_numbers_that_cannot_be(wrong):
    with pytest.raises(InputError):
        breach_decision(**{"exposed": 5, "people": 10, "match_rate": 0.5, "costs": LETTER} | wrong)


def test_the_command_with_numbers_and_with_files(tmp_path):
    numbers = ["--exposed", 1000, "--people", 10000, "--match-rate", 0.97, "--letter", 1.5, "--linking", 2000]
    done = run("model", "breach", *numbers)
    assert re.search("Link the records .* 97.0% of the people", done.stdout)
    people = [f"{age},{sex}" for age in range(20, 30) for sex in "MF"] + ["20,M"] * 4
    (tmp_path / "all.csv").write_text("\n".join(["age,sex", *people]) + "\n")
    (tmp_path / "lost.csv").write_text("age,sex\n20,M\n21,F\n")
    files = [str(tmp_path / "lost.csv"), "--against", str(tmp_path / "all.csv"), "--fields", "age,sex"]
    told = run("model", "breach", *files, "--letter", "1", "--format", "csv").stdout.splitlines()
    assert told[0] == "notify,letters,reached,missed,needless,usd,choice"
    assert told[1].startswith("everyone,24,1")
    assert told[2].startswith("linked,2,0.6,")  # one of five and one of one
    assert told[3].startswith("candidates,6,1")


def test_what_is_missing_is_named():
    assert "give --people and --match-rate" in one_line("model", "breach", "--exposed", 5, "--letter", 1)
    assert "--against and --fields" in one_line("model", "breach", __file__, "--letter", "1")
