"""``policy-sim lists counties``: lists that only counties sell, on people counted by hand."""

import pytest
from small_people import cells, one_line, rows


@pytest.fixture
def arizona(tmp_path):
    """The people of Ohio's two counties moved to two of Arizona, where in 2008 counties sold the lists."""
    ohio = cells()[cells()["state"] == "OH"]
    moved = ohio.assign(state="AZ", county=ohio["county"].map({"39001": "04001", "39003": "04003"}))
    path = tmp_path / "arizona.csv"
    moved.to_csv(path, index=False)
    words = ("--lists", "2008", "--policy", "birth=year+geography=county")
    return ("lists", "counties", "AZ", "--population", path, *words)


def test_each_county_costs_its_price_per_person_named(arizona):
    found = rows(*arizona, "--usd-per-county", 50)
    assert {row["county"] for row in found} == {"04001", "04003"}
    for row in found:
        assert row["price_usd"] == 50
        assert row["usd_per_reidentification"] == pytest.approx(50 / row["total_risk"])


def test_the_cheapest_set_reaches_what_is_wanted(arizona):
    least = min(row["total_risk"] for row in rows(*arizona, "--usd-per-county", 50))
    assert len(rows(*arizona, "--usd-per-county", 50, "--target", least / 2)) == 1
    assert len(rows(*arizona, "--usd-per-county", 50, "--target", 1.5 * least)) == 2


def test_what_has_no_answer_is_one_line(arizona):
    assert "--released needs --target" in one_line(*arizona, "--released")
    one_line(*arizona, "--usd-per-county", 50, "--target", 10**6)
    one_line("lists", "counties", "Atlantis")
    one_line(*arizona, "--usd-per-county", 50, "--target", "nan")
