"""The sentences of an explanation: intervals, no figure, several counties."""

from __future__ import annotations

from said import numbers

from policy_sim.show.document.markup import text_document
from policy_sim.show.explanation_document import explanation_document

FACTS = {
    "state": "OH",
    "policy": "limited-dataset",
    "attacker": "voter",
    "population": "us-2010",
    "linkage_key": "birth=date+geography=zip5",
    "status": "interval",
    "reason": "it is unknown whether the list has sex",
    "people": 1000,
    "in_file": 1.0,
    "figures": {
        "total-risk": {"people": [100.0, 200.0], "share": [0.1, 0.2]},
        "1-distinct": {"people": [10.0, 10.0], "share": [0.01, 0.01]},
        "claims": {"people": [12.0, 12.0], "share": [0.012, 0.012]},
    },
    "precision": [10 / 12, 10 / 12],
    "linked": [{"field": "gender", "released": "value", "held": "none or value", "linked": "none or value"}],
    "groups": {"groups": 12, "people": 900, "middle": 75.0},
    "worked": {
        "shown": {"age": "40"},
        "parts": [
            {"county": "39001", "people": 80, "share": 0.5, "linked": 0.5, "classes": 0},
            {"county": "39003", "people": 70, "share": 0.25, "linked": 0.5, "classes": 0},
        ],
        "trials": 57.5,
        "stale": 0.0,
        "people": 57.5,
        "values": 365.0,
        "linked": 0.5,
        "released": 1.0,
        "correct": 28.1,
        "alone": 0.004,
    },
    "inputs": [
        {"item": "people", "value": "us-2010", "source": "Bureau", "date": "2010", "age_years": 16.0, "confidence": ""}
    ],
    "changes": [],
    "no_changes": "by ZIP code it is not computed",
    "notes": ["population: us-2010"],
}


def told(**facts):
    return " ".join(text_document(explanation_document({**FACTS, **facts})).split())


def test_two_ends_and_two_counties_and_a_match_is_certain_only_where_the_list_misses_nobody():
    text = told()
    for words in (
        "right for 100–200 people: 10–20% of the 1,000 people",
        "Why two figures: ",
        "N = 80 people of county 39001",
        "b (1 - product of (1 - c p/b)^N) = 28.10",
        "p = 0.5.",
        "= 0.004 people",
        "Not computed: by ZIP code",
        "shares a group with 74 others",
        "10 people are listed and alone",
    ):
        assert words in text, words
    assert {"12", "83.3%"} <= {*numbers(text)}
    assert "certain" not in text
    assert "certain to be matched" in told(precision=[1.0, 1.0])


def _figures(low, high, risk=(100.0, 200.0)):
    ends = {"people": [low, high], "share": [low / 1000, high / 1000]}
    total = {"people": list(risk), "share": [end / 1000 for end in risk]}
    return {"total-risk": total, "1-distinct": ends, "claims": ends}


def test_no_claim_and_claims_of_unknown_worth():
    assert "It never finds exactly one person" in told(figures=_figures(0.0, 0.2), precision=None)
    unknown = told(figures=_figures(0.0, 170.0), precision=None)
    assert "At most 170 people" in unknown
    assert "too few to say" in unknown
    assert "0–170" not in unknown
    nobody = told(figures=_figures(10.0, 10.0, risk=(0.0, 200.0)))
    assert {"200", "20%", "1,000"} <= {*numbers(nobody)}


def test_words_for_places_and_titles():
    row = {"field": "geography", "released": "county_zip5", "held": "zip5", "linked": "zip3"}
    text = told(linked=[row])
    for words in ("place", "county and ZIP code", "three-digit ZIP code", "VOTER"):
        assert words in text
    assert "zip5" not in text.replace(FACTS["linkage_key"], "")


def test_no_figure():
    text = told(figures={}, groups=None, worked=None, status="county_only", reason="Counties sell theirs.")
    assert "There is no figure" in text
    assert "Counties sell theirs." in text
    assert "One group" not in text


def test_one_group_of_records_of_two_races_and_of_people_whom_nothing_tells_apart():
    worked = FACTS["worked"]
    assert "80% have the same race" in told(worked={**worked, "released": 0.8})
    assert "the same race" not in told()
    part = {"county": "", "people": 50, "share": 1.0, "linked": 1.0, "classes": 0}
    alike = {"parts": [part], "values": 1.0, "linked": 1.0, "trials": 50, "correct": 1.0, "alone": 0.0}
    text = told(worked={**worked, **alike})
    assert "with chance 1/50" in text
    assert "Alone with their values: 0.00 people." in text
