"""compare with several populations: the change in risk by state, as rows, table and figure."""

from __future__ import annotations

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.people.by_name import load_population

POLICIES = ("safe-harbor-without-zip", "limited-dataset-without-zip")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare") / "out"
    names = [word for year in (2000, 2010) for word in ("--population", f"us-{year}")]
    done = CliRunner().invoke(
        cli, ["compare", *names, "--state", "DE", "--state", "WV", "--g", "1", "--out", str(folder)]
    )
    assert done.exit_code == 0, done.output
    return folder, done.output


@pytest.mark.slow
def test_differences_are_those_of_the_profiles(out):
    folder, _ = out
    change, profiles = pd.read_csv(folder / "change.csv"), pd.read_csv(folder / "profiles.csv")
    assert set(change["before"]) == {"us-2000"}
    assert set(change["after"]) == {"us-2010"}
    keys = ["state", "policy", "attacker", "measure", "g"]
    share = profiles.set_index([*keys, "population"])["share"]
    for row in change.dropna(subset="difference").itertuples():
        key = tuple(getattr(row, name) for name in keys)
        assert row.difference == pytest.approx(share[*key, row.after] - share[*key, row.before], abs=1e-15)
    assert len(change) == 2 * 2 * 2 * 2


@pytest.mark.slow
def test_each_policy_and_attacker_has_a_figure(out):
    folder, _ = out
    drawn = {path.name for path in folder.glob("change-*.png")}
    assert drawn == {f"change-{p}-{a}.png" for p in POLICIES for a in ("general", "voter")}


@pytest.mark.slow
def test_the_table_gives_points_since_the_first(out):
    _, printed = out
    assert "change in total risk since the first population" in printed
    table = printed.partition("\npopulation:")[0]
    assert max(map(len, table.splitlines())) <= 120


@pytest.mark.slow
def test_populations_of_which_one_has_no_zip_codes_are_compared_by_the_same_places(out):
    """Risk by ZIP code in 2010 beside risk by county in 2000 would be a change of places, not of people."""
    folder, printed = out
    keys = pd.read_csv(folder / "profiles.csv").groupby(["state", "policy", "attacker"])["linkage_key"].nunique()
    assert (keys == 1).all()
    assert "ZIP codes: left out, because one of the populations has none" in printed


@pytest.mark.slow
def test_one_population_has_no_change_and_three_have_two():
    for count, points in ((1, 0), (3, 2)):
        names = [word for year in (2000, 2010, 2020)[:count] for word in ("--population", f"us-{year}")]
        done = CliRunner().invoke(cli, ["compare", *names, "--state", "DE", "--attacker", "general"])
        assert done.exit_code == 0, done.output
        lines = done.stdout.partition("change in total risk")[2].splitlines()
        assert len([line for line in lines if line.startswith("DE")]) == min(points, 1)
        if points:
            row = next(line for line in lines if line.startswith("DE"))
            assert row.count("+") + row.count("−") == 2 * points  # two policies


@pytest.mark.slow
def test_by_county_compares_areas_of_the_same_borders(tmp_path):
    # Clifton Forge (51560) became part of Alleghany County (51005) in 2001.
    names = ["--population", "us-2000", "--population", "us-2010", "--state", "VA", "--attacker", "general"]
    done = CliRunner().invoke(cli, ["compare", "--by", "county", *names, "--g", "1", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "51005 +1" in done.stdout
    rows = pd.read_csv(tmp_path / "out" / "change-by-county.csv", dtype={"area": str})
    assert "51005 51560" in set(rows["counties"])
    assert not rows["area"].isin(["51560"]).any()
    people = {name: load_population(name).people_by_state()["VA"] for name in ("us-2000", "us-2010")}
    once = rows[(rows["measure"] == "total-risk") & (rows["policy"] == "safe-harbor-without-zip")]
    assert once["members_before"].sum() == people["us-2000"]  # nobody is lost, nobody counted twice
    assert once["members_after"].sum() == people["us-2010"]
