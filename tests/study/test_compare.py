"""Policies of a comparison by their names."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.words.errors import InputError, OutputError, UnknownNameError


def test_under_the_paper_s_rules_the_form_of_the_paper_is_found_by_either_name():
    answer = Study("us-2020", 2026).compare(attackers="general", states="DE", g=1, rules="paper")
    for name in ("safe-harbor", "safe-harbor-paper"):
        assert answer.profile("DE", name, "general").policy == "safe-harbor-paper"
    both = [answer.trust("limited-dataset", "safe-harbor"), answer.trust("limited-dataset-paper", "safe-harbor-paper")]
    assert both[0][0].ratio == both[1][0].ratio


@pytest.mark.slow
def test_another_policy_is_not_found():
    answer = Study("us-2020", 2026).compare("safe-harbor", "general", "DE", 1)
    for name in ("county", "nothing", "safe-harbor-paper"):
        with pytest.raises(UnknownNameError):
            answer.profile("DE", name, "general")


@pytest.mark.slow
def test_a_range_has_no_rank_and_does_not_stand_by_its_lower_end():
    """Of Alabama's and Illinois's lists one field is not known, and Hawaii's counties sell their own."""
    answer = Study("us-2020", 2026).compare("limited-dataset", "voter", ["AL", "HI", "IL", "OH", "WY"], 1)
    ranking = answer.ranking()
    kinds = [str(status) for status in ranking["status"]]
    first = [place for place, kind in enumerate(kinds) if kind == "ok"]
    ranges = [place for place, kind in enumerate(kinds) if kind == "interval"]
    none = [place for place in range(5) if place not in first + ranges]
    assert first + ranges + none == list(range(5))
    assert ranges
    assert ranking["rank"].tolist()[: len(first)] == list(range(1, len(first) + 1))
    assert ranking["rank"].iloc[len(first) :].isna().all()
    shares = ranking["share"].iloc[first].tolist()
    assert shares == sorted(shares, reverse=True)
    middle = ((ranking["share"] + ranking["share_high"]) / 2).iloc[ranges].tolist()
    assert middle == sorted(middle, reverse=True)


def test_shapes_stand_beside_every_row_and_are_as_large_as_the_states():
    """Square miles of land and water, as the census of 2010 prints them; to 2%, because borders are drawn coarsely."""
    places = Study("us-2010", 2026).compare("county", "general", ["CO", "WY"], 1).to_geo_frame()
    risk = places[places["measure"] == "total-risk"].set_index("state")
    assert len(places) == 10
    assert places.crs.to_epsg() == 5070
    miles = risk.area / 2.589988e6
    for state, printed in (("CO", 104_094), ("WY", 97_813)):
        assert miles[state] == pytest.approx(printed, rel=0.02)


def test_counties_have_shapes_that_add_up_to_their_state():
    study = Study("us-2010", 2026)
    parts = study.break_down("county", "county", "general", "DE", 1).to_geo_frame()
    (state,) = study.compare("county", "general", "DE", 1).to_geo_frame().query("measure == 'total-risk'").geometry
    assert parts[parts["measure"] == "total-risk"].area.sum() == pytest.approx(state.area, rel=1e-3)
    with pytest.raises(InputError, match="only a breakdown by county has shapes"):
        study.break_down("sex", "county", "general", "DE", 1).to_geo_frame()


def test_a_table_goes_to_csv_as_the_command_writes_it(tmp_path):
    answer = Study("us-2010", 2026).compare("county", "general", "DE", 1)
    answer.to_csv(tmp_path / "de.csv")
    assert pd.read_csv(tmp_path / "de.csv")["state"].tolist() == ["DE"] * 5
    with pytest.raises(OutputError, match="folder that exists"):
        answer.to_csv(tmp_path / "nowhere" / "de.csv")


@pytest.mark.slow
def test_us_is_every_state():
    study = Study("us-2010", 2026)
    nation, all_states = (study.compare("county", "general", states, 1).to_frame() for states in ("US", None))
    assert nation.equals(all_states)


@pytest.mark.slow
def test_one_state_prints_the_sentences_that_the_command_line_prints():
    from click.testing import CliRunner

    from policy_sim.cli.main import cli

    said = str(Study("us-2010", 2026).compare(states="DE")).splitlines()[1:]
    done = CliRunner().invoke(cli, ["compare", "DE", "--population", "us-2010", "--lists", "2026"])
    printed = " ".join(done.stdout.split())
    assert len(said) == 4
    for sentence in said:
        assert " ".join(sentence.split()) in printed


def test_several_states_print_their_first_rows():
    answer = Study("us-2010", 2026).compare("safe-harbor", "general", ["DE", "RI"], 1, rules="paper")
    assert str(answer) == repr(answer)


# Every group size at once: the same people as a comparison has, for the same form and file.


@pytest.mark.parametrize("in_file", [None, 0.01])
@pytest.mark.parametrize("rules", ["paper", "regulation"])
def test_a_curve_goes_through_the_figures_of_a_comparison(in_file, rules):
    study = Study("us-2010", 2026)
    asked = {"rules": rules, "in_file": in_file}
    curves = study.curves("DE", "limited-dataset", ["general", "voter"], 5, **asked)
    compared = study.compare("limited-dataset", ["general", "voter"], "DE", [1, 5], **asked)
    for curve in curves:
        profile = compared.profile("DE", curve.policy, curve.attacker)
        assert curve.linkage_key == profile.linkage_key
        for g in (1, 5):
            assert curve.low[g - 1] == pytest.approx(profile.share(f"{g}-distinct").low, rel=1e-9)


@pytest.mark.slow
def test_a_form_with_zip_codes_is_swept_by_zip_code():
    answer = Study("us-2020", 2026).curves("DE", g_max=3)
    assert {curve.linkage_key.split("geography=")[-1] for curve in answer if curve.attacker == "general"} == {
        "zip3 (age<90+zip3>20000)",
        "county_zip5",
    }
    assert not any("not by ZIP code" in note for note in answer.provenance.notes)
