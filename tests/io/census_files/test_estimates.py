import shutil

import pandas as pd
import pytest

from policy_sim.errors import SchemaError
from policy_sim.io.census_files.estimates import read_estimates
from policy_sim.io.census_files.load import load_files
from policy_sim.io.populations.kept import load_kept


@pytest.fixture
def delaware(shared, tmp_path):
    """The first 21 lines of Delaware's official file: Kent County at the estimates base of 2000."""
    path = tmp_path / "co-est00int-alldata-10.csv"
    shutil.copyfile(shared / "census" / "official_samples" / "co-est00int-alldata-10_head21.csv", path)
    path.chmod(0o600)
    return path


def test_delaware_adds_up_to_its_own_totals(delaware, cache):
    entry = load_files(str(delaware), "co-est00int", cache=cache, partial=True)
    population = load_kept(entry.name, cache)
    official = pd.read_csv(delaware)
    total = official[official["AGEGRP"] == 99].iloc[0]
    cells = population.cells
    assert population.people == total["TOT_POP"] == 126_771
    for sex, word in (("M", "MALE"), ("F", "FEMALE")):
        for race, stem in (("white", "WA"), ("black", "BA"), ("nhpi", "NA"), ("multiple", "TOM")):
            there = cells[(cells["sex"] == sex) & (cells["race"] == race)]
            assert there["people"].sum() == total[f"{stem}_{word}"]
    newborn = cells[cells["age"] == 0]
    assert (newborn["age_width"] == 1).all()
    assert newborn["people"].sum() == 1_873
    assert entry.date == "2000-04-01"
    assert (entry.counted, entry.estimated) == (0.0, 1.0)
    assert "1 of 3 counties are present" in entry.checks
    assert set(cells["age_width"]) == {1, 4, 5, 15}


def test_missing_counties_are_named_unless_they_are_meant(delaware):
    with pytest.raises(SchemaError, match=r"counties are missing \(set partial .*\): 10003, 10005"):
        read_estimates(delaware, "co-est00int")


@pytest.mark.parametrize(
    ("line", "change", "said"),
    [
        (2, ("10,001,", "aa,001,"), r"line 2: STATE = 'aa' is not a whole number"),
        (2, (",1873,959,", ",1874,959,"), "sexes do not add up"),
        (2, (",649,603,", ",648,603,"), "races do not add up to TOT_MALE"),
        (3, (",1,1,", ",1,77,"), "age groups 0 to 99 do not appear once each"),
        (21, (",126771,", ",126772,"), "age groups do not add up to the total"),
        (2, ("050,10,001", "050,10,002"), "not of this vintage: 10002"),
    ],
)
def test_damage_is_named(line, change, said, delaware):
    lines = delaware.read_text().splitlines()
    assert change[0] in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(*change, 1)
    delaware.write_text("\n".join(lines) + "\n")
    with pytest.raises(SchemaError, match=said):
        read_estimates(delaware, "co-est00int", partial=True)


def test_several_dates_need_a_choice(delaware):
    lines = delaware.read_text().splitlines()
    lines += [line.replace("Kent County,1,", "Kent County,2,") for line in lines[1:]]
    delaware.write_text("\n".join(lines) + "\n")
    with pytest.raises(SchemaError, match="YEAR codes 1, 2: choose one of them as the year"):
        read_estimates(delaware, "co-est00int", partial=True)
    assert read_estimates(delaware, "co-est00int", 2, partial=True).date == "2000-07-01"
    with pytest.raises(SchemaError, match="has no rows of YEAR 7"):
        read_estimates(delaware, "co-est00int", 7, partial=True)


def test_a_file_of_totals_only_is_refused_and_its_damaged_cell_found(shared, tmp_path):
    sample = shared / "census" / "official_samples" / "cc-est2019-alldata_year12_agegrp0_all_counties.csv.gz"
    with pytest.raises(SchemaError, match=r"STATE = 'aa' is not a whole number"):
        read_estimates(sample, "cc-est")
    mended = pd.read_csv(sample, dtype=str, encoding="latin-1").replace({"STATE": {"aa": "1"}})
    mended.to_csv(tmp_path / "cc-est2019-alldata.csv", index=False, encoding="latin-1")
    with pytest.raises(SchemaError, match="age groups 0 to 18 do not appear once each: 01001") as caught:
        read_estimates(tmp_path / "cc-est2019-alldata.csv", "cc-est")
    # Its races, sexes and 3,142 counties are sound: no other problem is reported.
    assert len(caught.value.problems) == 1


def test_postcensal_codes_and_dates(delaware, tmp_path):
    """The same county with the other file's age groups: 0 is the total and 1 is 0 to 4."""
    table = pd.read_csv(delaware, dtype=str)
    counts = [name for name in table.columns if table.columns.get_loc(name) >= table.columns.get_loc("TOT_POP")]
    numbers = table[counts].astype(int)
    young = table[table["AGEGRP"].isin(["0", "1"])].index
    numbers.loc[young[1]] += numbers.loc[young[0]]
    numbers.loc[young[0]] = numbers.loc[table.index[-1]]
    table[counts] = numbers.astype(str)
    table = table.iloc[:-1].assign(YEAR="12")
    path = tmp_path / "cc-est2019-alldata-10.csv"
    table.to_csv(path, index=False)
    found = read_estimates(path, "cc-est", partial=True)
    assert found.date == "2019-07-01"
    assert found.cells["people"].sum() == 126_771
    assert found.cells[found.cells["age"] == 0]["people"].sum() == 1_873 + 7_268
    with pytest.raises(SchemaError, match="name must contain its vintage"):
        read_estimates(path.rename(tmp_path / "cc.csv"), "cc-est", partial=True)


def test_what_is_not_an_estimates_file(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SchemaError, match="is not an estimates file"):
        read_estimates(tmp_path / "x.csv", "cc-est")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SchemaError, match=r"has no \.csv file"):
        read_estimates(tmp_path / "empty", "cc-est")
