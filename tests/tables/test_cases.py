"""Plans for counties: what they need, and which fields a week's counts allow."""

from __future__ import annotations

import pandas as pd
import pytest
from small_people import people_of

from policy_sim.tables.cases import ReleasedFields, allowed_fields, county_counts, plan
from policy_sim.tables.files import Layout, read_cells
from policy_sim.words.errors import PolicySimError


@pytest.fixture
def people():
    rows = [
        {"state": "WA", "county": county, "sex": sex, "race": race, "ethnicity": origin, "age": age, "age_width": 1}
        | {"people": number}
        for county, number in (("53001", 40), ("53003", 2))
        for sex in "FM"
        for race in ("white", "asian")
        for origin in ("hispanic", "not_hispanic")
        for age in (30, 70)
    ]
    return people_of(pd.DataFrame(rows), "2020")


def test_a_county_whose_groups_are_fewer_than_k_never_gets_there(people):
    rows = plan(people, "WA", "sex,age60,race").set_index("county")
    assert rows.loc["53001", "status"] == "ok"
    assert rows.loc["53001", "cases_by_mean"] <= rows.loc["53001", "cases_by_percentile"] <= 640
    assert (rows.loc["53003", "status"], rows.loc["53003", "groups"]) == ("never", 8)


def test_every_way_is_compared_and_a_finer_one_is_never_allowed_alone(people):
    rows = allowed_fields(people, {"53001": 90}, "WA")
    allowed = dict(zip(rows["fields"], rows["allowed"], strict=True))
    assert len(allowed) == 96
    assert allowed["county only"]
    for shown in ReleasedFields.every():
        assert not allowed[str(shown)] or all(allowed[str(coarser)] for coarser in shown.coarser)
    assert (rows["allowed_by_mean"] | ~rows["allowed"]).all()


def _counts(folder, *lines, state=""):
    (folder / "counts.csv").write_text("\n".join(["county,cases", *lines, ""]), encoding="utf-8")
    return county_counts(read_cells(folder / "counts.csv", Layout("cases", ("county",))), state)


@pytest.mark.parametrize("lines", [["King,3"], ["53033,few"], ["53033,1", "53033,2"], ["1001,1", "01001,2"]])
def test_counts_that_are_not_understood_are_refused(tmp_path, lines):
    with pytest.raises(PolicySimError, match=r"no county code|neither a whole number|twice"):
        _counts(tmp_path, *lines)


def test_a_county_is_known_by_its_name_in_a_state(tmp_path):
    lines = ["King,3", "Pierce County,4", "53001,"]
    assert _counts(tmp_path, *lines, state="WA") == {"53033": 3, "53053": 4}
    with pytest.raises(PolicySimError, match=r"'Kong' is no county code .* and no county of WA"):
        _counts(tmp_path, "Kong,3", state="WA")


def test_fields_that_are_not_known_are_refused():
    with pytest.raises(PolicySimError, match="age5"):
        ReleasedFields.of("age6")
