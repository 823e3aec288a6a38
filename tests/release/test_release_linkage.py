"""Released files linked with the census and lists."""

from __future__ import annotations

import csv

import pytest

from policy_sim.deidentify.treatments import Variable
from policy_sim.release import Release
from policy_sim.release.release_linkage import released_fields


def variable(name, kind, **settings):
    return Variable(name, "key", "known", kind, **settings)


@pytest.mark.parametrize(
    ("kind", "level", "field"),
    [
        ("sex", "value", "sex"),
        ("county", "2 letters", "state"),
        ("zip", "three digits", "zip3"),
        ("birth_date", "month", "birth_month"),
        ("birth_date", "year", "birth_year"),
        ("age", "10 wide", "age"),
    ],
)
def test_levels_that_a_census_knows(kind, level, field):
    fields, left_out = released_fields((variable("x", kind),), {"x": level})
    assert (list(fields), fields[field].column, left_out) == ([field], "x", [])


def test_what_is_not_released_is_not_known_and_what_no_census_has_is_named():
    variables = (variable("sex", "sex"), variable("dx", "code"), variable("born", "birth_date"))
    fields, left_out = released_fields(variables, {"sex": "nothing", "dx": "3 letters", "born": "five years"})
    assert (fields, left_out) == ({}, ["dx", "born"])


def test_a_release_is_scored_as_any_file_is(tmp_path):
    from policy_sim import RecordFile, Study

    people = Study().synthesize("DE", people=500, seed=5)
    with (tmp_path / "f.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sex", "race", "county"])
        writer.writerows(people[["sex", "race", "county"]].itertuples(index=False))
    kinds = ("sex", "race", "county")
    variables = "".join(f'[variables.{kind}]\nrole = "key"\nkind = "{kind}"\nreason = "known"\n' for kind in kinds)
    (tmp_path / "p.toml").write_text(
        f'title = "x"\n[file]\nlocation = "f.csv"\n{variables}[target]\naim = "risk"\nthreshold = "k=2"\n'
        '[population]\nsource = "census"\nstates = ["DE"]\n[answers.release-model]\nvalue = "public"\n'
        '[answers.attacker-knows]\nvalue = "yes"\n[answers.invasion]\nvalue = "low"\n'
    )
    release = Release(tmp_path / "p.toml")
    figures = release.run(tmp_path / "out")
    shown = [name for name, level in figures["search"]["levels"].items() if level == "value"]
    frame = RecordFile(tmp_path / "out" / "release.csv", shown).score(Study(), states="DE").to_frame()
    assert [row["attacker"] for row in figures["linkage"]["rows"]] == frame["attacker"].tolist()
    assert [row["total_risk"] for row in figures["linkage"]["rows"]] == frame["total_risk"].tolist()
    assert "Linked with the census and voter lists" in (tmp_path / "out" / "dossier.html").read_text()
    again = {row["check"]: row for row in release.recheck(tmp_path / "out")}
    assert again["linked by general in DE"]["holds"] == "yes"
    assert again["linked by general in DE"]["before"] == again["linked by general in DE"]["now"]


def test_without_a_census_there_is_no_linkage(plain, tmp_path):
    assert plain.run(tmp_path / "out")["linkage"] is None
