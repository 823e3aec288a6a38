"""What the paper states about the lists of 2008: decided by hand-made profiles, and no constraint is passed over."""

import csv
from dataclasses import replace

import pytest

from policy_sim.analyses.reproduction.list_statements import ListStatements
from policy_sim.analyses.reproduction.printed_figure import STATEMENT, Verdict
from policy_sim.attackers import voter
from policy_sim.io.published import load_paper
from policy_sim.reproduction import reproduce
from policy_sim.results import Cost, RiskProfile, Status
from policy_sim.study import Study
from policy_sim.voter_lists.list_field import ListField


def _profile(state: str, key: str, status: Status = Status.OK, reason: str = "") -> RiskProfile:
    return RiskProfile(state, "limited-dataset-paper", "voter", "made up", "2008", key, status, reason, 1_000)


STATEMENTS = ListStatements(
    {
        "OH": _profile("OH", "birth=year+geography=county"),
        "AL": _profile(
            "AL", "geography=state[+birth=date]", Status.INTERVAL, "it is unknown whether the list has birth"
        ),
        "AZ": _profile("AZ", "", Status.COUNTY_ONLY),
    },
    {"PA": 5.0, "OH": 2.0, "MO": 7.0},
    [
        Cost(_profile("OH", ""), 0.0, Status.FREE),
        Cost(_profile("PA", ""), 20.0, Status.OK),
        Cost(_profile("TX", ""), None, Status.UNKNOWN),
    ],
)


@pytest.mark.parametrize(
    ("ask", "value"),
    [
        ({"says": "shows", "state": "OH", "key": "birth=year+geography=county"}, 1.0),
        ({"says": "shows", "state": "OH", "key": "birth=date+geography=county"}, 0.0),
        ({"says": "shows-any", "state": "OH", "fields": ["race", "birth"]}, 1.0),
        ({"says": "shows-any", "state": "OH", "fields": ["race", "gender"]}, 0.0),
        ({"says": "shows-any", "state": "AL", "fields": ["birth"]}, None),  # a field that no source mentions
        ({"says": "status", "state": "AZ", "status": "county_only"}, 1.0),
        ({"says": "status", "state": "OH", "status": "county_only"}, 0.0),
        ({"says": "none-above", "states": ["OH"], "than": "PA"}, 1.0),
        ({"says": "none-above", "states": ["OH", "MO"], "than": "PA"}, 0.0),
        ({"says": "none-above", "states": ["OH", "GA"], "than": "PA"}, None),
        ({"says": "none-above", "states": ["MO", "GA"], "than": "PA"}, 0.0),  # one that is there decides
        ({"says": "none-free", "states": ["PA"]}, 1.0),
        ({"says": "none-free", "states": ["PA", "TX"]}, None),
        ({"says": "none-free", "states": ["OH", "TX"]}, 0.0),
    ],
)
def test_a_statement_holds_does_not_hold_or_cannot_be_decided(ask, value):
    answer = STATEMENTS.answer(ask)
    assert answer.value == value
    assert answer.reason


def test_what_is_not_known_is_named():
    assert "GA" in STATEMENTS.answer({"says": "none-above", "states": ["OH", "GA"], "than": "PA"}).reason
    assert "TX" in STATEMENTS.answer({"says": "none-free", "states": ["PA", "TX"]}).reason


@pytest.fixture(scope="module")
def rows():
    answer = reproduce("benitez-malin-2010")
    return answer.to_frame().set_index("id")


def test_what_the_lists_of_2008_give(rows):
    stated = rows[rows["unit"] == STATEMENT]["verdict"].to_dict()
    open_ = dict.fromkeys(("left-out-trust", "left-out-free", "left-out-alabama"), Verdict.MISSING.value)
    assert stated == dict.fromkeys(("ohio-list", "texas-list", "arizona-list"), Verdict.AGREES.value) | open_


# The figures that each constraint of paper_2008_constraints.csv is about, beside the rows of Tables 1 and 2.
_TEXT = {
    "OH": ["ohio-list"],
    "TX": ["texas-list", "texas-same"],
    "AZ": ["arizona-list"],
    "AK": ["alaska-orders"],
    "VA": ["virginia-slight"],
    "KY": ["kentucky-1", "kentucky-10"],
    "all": ["states-10-voter-min", "states-10-voter-max", "states-10-voter-median"],
}
_LEFT_OUT = {
    "labels MO, VA, PA": [f"t1-voter-{state}-rank" for state in ("mo", "va", "pa")],
    "labels HI, ND, AZ": [f"t1-voter-{state}-rank" for state in ("hi", "nd", "az")],
    "GA FL IL IN KY MI TN OH NC WI": ["left-out-trust"],
    "CA FL IL IN KY MI PA TN TX": ["left-out-free"],
    "AL": ["left-out-alabama"],
}


def _figures(where: str, state: str) -> list[str]:
    if where == "Text":
        return _TEXT[state]
    if state in _LEFT_OUT:
        return _LEFT_OUT[state]
    if where == "Table 1 VOTER":
        return [f"t1-voter-{state.removeprefix('printed ').lower()}-{part}" for part in ("limited", "trust")]
    table, policy = where.split(" ")[1:]
    return [f"t{table}-{policy.lower()}-{state.lower()}-{part}" for part in ("risk", "price")]


def test_every_constraint_on_the_lists_of_2008_is_a_printed_figure(rows, shared):
    with (shared / "voter_policies" / "paper_2008_constraints.csv").open(encoding="utf-8", newline="") as file:
        researched = list(csv.DictReader(file))
    assert len(researched) == 31
    quoted = [row for row in researched if row["where"].startswith("Dankar")]
    figures = {name for row in researched if row not in quoted for name in _figures(row["where"], row["state"])}
    assert figures <= set(rows.index)
    assert len(quoted) == 1
    prices = {figure.id for figure in load_paper("dankar-2012").figures if figure.ask["kind"] == "price"}
    assert prices == {f"price-{state}" for state in ("al", "la", "nh", "wi", "wv")}


def test_a_wrong_list_is_caught():
    """With a full date of birth Ohio would no longer be what the paper says it is."""
    study = Study("us-2000", "2008", coverage="everyone")
    ohio = study.voter.voter_list("OH")
    wrong = replace(ohio, fields={**ohio.fields, "birth": ListField("included", "date")})
    lists = {**study.voter.voter_lists.lists, "OH": wrong}
    profile = study.compare("limited-dataset-paper", voter(lists, "2008"), "OH", 1, rules="paper")[0]
    ask = {"says": "shows", "state": "OH", "key": "birth=year+geography=county"}
    assert ListStatements({"OH": profile}, {}, ()).answer(ask).value == 0
