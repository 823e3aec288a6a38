"""Sentences on what a match is worth: each number is correct, and luck is distinguished from certainty."""

from __future__ import annotations

import pandas as pd

from policy_sim.render.match_words import match_sentences


def rows(attacker: str, claims: float | None, correct: float | None, in_file: float = 1.0) -> pd.DataFrame:
    precision = None if not claims else correct / claims
    figures = [
        ("total-risk", None, 421.0, 0.421),
        ("g-distinct", 1, correct, 0.059),
        ("claims", None, claims, None),
        ("correct-claims", None, correct, None),
        ("precision", None, None, precision),
    ]
    frame = pd.DataFrame(figures, columns=["measure", "g", "people", "share"])
    kinds = {"g": "Int64", "people": "Float64", "share": "Float64"}
    return frame.astype(kinds).assign(state="OH", policy="limited-dataset", attacker=attacker, in_file=in_file)


def test_an_attacker_who_knows_everyone_is_certain_of_some():
    (line,) = match_sentences(rows("general", 59, 59))
    assert line == (
        "OH, Limited data set, GENERAL: right for 421 (42.1%) if it guesses within equal groups; 59 are certain."
    )
    assert match_sentences(rows("general", 1, 1))[0].endswith("; 1 is certain.")


def test_one_with_a_partial_list_claims_and_is_sometimes_wrong():
    (line,) = match_sentences(rows("voter", 80, 60))
    assert line.endswith("; it claims 80, and is right in 75% of them.")


def test_nobody_is_nobody():
    (line,) = match_sentences(rows("voter", 0, 0))
    assert line.endswith("; nobody is certain.")


def test_a_file_says_how_many_are_in_it():
    (line,) = match_sentences(rows("general", 59, 59, in_file=0.01))
    assert "right for 421 of the 1,000 in the file (42.1%)" in line


def test_without_a_list_there_is_no_sentence():
    assert match_sentences(rows("voter", 0, 0).assign(people=pd.NA, share=pd.NA)) == []


def test_where_the_list_is_not_known_both_ends_are_told():
    frame = rows("voter", 80, 60)
    high = {"total-risk": (500.0, 0.5), "claims": (100.0, None), "correct-claims": (70.0, None)}
    frame["people_high"] = [high.get(name, (None, None))[0] for name in frame["measure"]]
    frame["share_high"] = [high.get(name, (None, None))[1] for name in frame["measure"]]
    (line,) = match_sentences(frame)
    assert line == (
        "OH, Limited data set, VOTER: right for 421 to 500 (42.1% to 50%) if it guesses within equal groups; what "
        "it claims is right for 60 to 70."
    )
    frame.loc[frame["measure"].isin(["total-risk", "correct-claims"]), "people"] = 0.0
    (line,) = match_sentences(frame)
    assert "right for at most 500 (50%)" in line
    assert line.endswith("what it claims is right for at most 70.")
