"""A voter list counted by hand, drawn from the model, and with values that no output may have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from drawn_lives import years_to_death

from policy_sim import InputError, RecordFile, Study
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.list_day import ListDayCoverage
from policy_sim.cli.main import cli

BY_HAND = """dob,gender,home,zip
1950-02-03,1,New Castle,19801-1234
1950-02-03,2,New Castle,19801
1950-02-03,2,New Castle,19801
1950-05-09,2,Kent,19901
1961-05-09,1,Kent,
,1,Kent,19901
1990-13-40,1,Kent,19902
"""
MAPPING = """
[fields.birth_date]
column = "dob"
[fields.sex]
column = "gender"
codes = { "1" = "M", "2" = "F" }
[fields.county]
column = "home"
[fields.zip5]
column = "zip"
"""


@pytest.fixture
def by_hand(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "list.csv").write_text(BY_HAND)
    (tmp_path / "list.toml").write_text(MAPPING)
    return tmp_path / "list.csv", tmp_path / "list.toml"


def rows_of(location: Path, mapping: Path, fields: str, state: str = "DE") -> pd.DataFrame:
    return RecordFile(location, fields, mapping).measure_list(state, Study("us-2020")).to_frame().set_index("key")


def test_by_hand_records_are_counted_by_every_key_and_those_without_its_values_left_out(by_hand):
    rows = rows_of(*by_hand, "birth_date,sex,county,zip5")
    assert len(rows) == 5 * 3 * 2  # places, births, with sex and without
    counts = {key: (row["records"], row["alone"], row["small"], row["values"]) for key, row in rows.iterrows()}
    assert counts["birth=date+geography=state"] == (5, 2, 5, 3)
    assert counts["gender+birth=date+geography=state"] == (5, 3, 5, 4)
    assert counts["birth=month+geography=county"] == (5, 2, 5, 3)
    assert counts["birth=year+geography=state"] == (5, 1, 5, 2)  # four born in 1950, in two counties
    assert counts["birth=year+geography=county"] == (5, 2, 5, 3)
    assert counts["gender+birth=date+geography=zip5"] == (4, 2, 4, 3)  # one has no ZIP code; ZIP+4 is its first five
    assert counts["birth=date+geography=zip3"] == (4, 1, 4, 2)


def test_what_to_send_back_is_at_most_ten_counts(by_hand):
    records = RecordFile(by_hand[0], "birth_date,sex,county,zip5", by_hand[1])
    ten = records.measure_list("DE", Study("us-2020")).tables["ten"]
    assert len(ten) == 10
    assert ten["counted"].tolist()[:3] == [5, 2, 3]
    assert set(ten) == {"key", "count_of", "counted", "expected", "low", "high"}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Path:
    """Delaware's list, drawn from the model: who is listed, when they were born, and records of people who left."""
    rng = np.random.default_rng(20)
    people = Study("us-2020", 2026).people.in_states(["DE"])
    cells = people.without_ethnicity.cells
    cells = cells[(cells["age"] >= 13) & (cells["people"] > 0)]
    day = ListDayCoverage.at(load_coverage("registered", "2026"))
    coverage, years = day.of(people), day.years_in(people)
    cell = np.repeat(np.arange(len(cells)), cells["people"].to_numpy())
    lower, width = (cells[name].to_numpy()[cell] for name in ("age", "age_width"))
    county, sex = (cells[name].astype(str).to_numpy()[cell] for name in ("county", "sex"))
    exact = np.minimum(lower + rng.random(len(cell)) * width, 119.99)
    died = years_to_death(rng, exact)
    row = pd.Index(coverage.county).get_indexer(county)
    of_age = np.searchsorted(coverage.shape.starts, (exact + years).astype(int), side="right") - 1
    chance = np.where(of_age < 0, 0.0, coverage.chance[row, of_age]) * ((died > years) | (died > years - day.kept))
    listed = np.flatnonzero(rng.random(len(cell)) < chance)  # no county of Delaware has fewer other records than dead
    left = [
        rng.choice(listed[county[listed] == code], rng.poisson(stale))
        for code, stale in zip(coverage.county, coverage.stale, strict=True)
    ]
    records = np.concatenate([listed, *left])
    born = pd.to_datetime([f"{2020 - years}-01-01" for years in range(200)], errors="coerce")
    age, part = exact[records].astype(int), exact[records] % 1
    part[len(listed) :] = rng.random(len(records) - len(listed))  # who moved away has another birthday
    birthday = pd.to_timedelta((365 * (1 - part)).astype(int).clip(0, 364), unit="D")
    frame = pd.DataFrame({"dob": born[age] + birthday, "sex": sex[records], "county": county[records]})
    path = tmp_path_factory.mktemp("drawn") / "de.csv"
    frame.to_csv(path, index=False, date_format="%Y-%m-%d")
    (path.parent / "de.toml").write_text('[fields.birth_date]\ncolumn = "dob"\n')
    return path


@pytest.mark.slow
def test_of_a_list_drawn_from_the_model_the_counts_are_what_is_expected(drawn):
    rows = rows_of(drawn, drawn.parent / "de.toml", "birth_date,sex,county")
    records = len(pd.read_csv(drawn))
    assert abs(records - rows["records_expected"].iloc[0]) < 4 * np.sqrt(records)
    for key, row in rows.iterrows():
        if "birth=month" in key:
            continue  # months are of one length there
        for name, weight in (("alone", 1), ("small", 20), ("values", 1)):
            # a group of g records moves what is counted by g at most: stated before the first draw
            spread = 4 * np.sqrt(2 * weight * row[f"{name}_expected"]) + 4 * weight
            assert abs(row[name] - row[f"{name}_expected"]) < spread, (key, name)
            assert row[f"{name}_low"] <= row[f"{name}_expected"] <= row[f"{name}_high"]


def test_the_counts_are_those_of_the_file_counted_otherwise(drawn):
    frame = pd.read_csv(drawn, dtype=str)
    sizes = np.array(list(Counter(zip(frame["dob"], frame["county"], strict=True)).values()))
    row = rows_of(drawn, drawn.parent / "de.toml", "birth_date,sex,county").loc["birth=date+geography=county"]
    assert row["alone"] == (sizes == 1).sum()
    assert (row["small"], row["values"]) == (sizes[sizes <= 20].sum(), (sizes <= 20).sum())


SECRETS = ("=SECRET()", "ZZSECRET", "1931-04-17", "19977", "Sussex SECRET", '"SECRET";--', "\x1bSECRET")


def test_no_value_of_a_list_is_printed_written_or_left_behind(tmp_path, monkeypatch):
    scratch, out = tmp_path / "scratch", tmp_path / "out"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    lines = [
        f"{born},{sex},{home},{code}" for born in SECRETS for sex in SECRETS[:3] for home in SECRETS for code in SECRETS
    ]
    plain = ["1931-04-17,1,Kent,19977"] * 3
    path = tmp_path / "voters.csv"
    path.write_text("dob,gender,home,zip\n" + "\n".join([*plain, *(line.replace('"', "'") for line in lines)]) + "\n")
    (tmp_path / "list.toml").write_text(MAPPING)
    for form in ("text", "csv"):
        words = ["lists", "measure", str(path), "--state", "DE", "--mapping", str(tmp_path / "list.toml")]
        said = CliRunner().invoke(cli, [*words, "--format", form, "--out", str(out / form)], prog_name="policy-sim")
        assert said.exit_code == 0, said.output
        written = [file.read_text(errors="replace") for file in (tmp_path / "out").rglob("*") if file.is_file()]
        left = [file.read_bytes().decode(errors="replace") for file in scratch.rglob("*") if file.is_file()]
        for text in (said.output, *written, *left):
            assert not any(secret.strip("\x1b") in text for secret in ("SECRET", "1931-04-17", "19977"))
        assert written


@pytest.mark.parametrize(
    ("fields", "state", "message"),
    [("sex,county", "DE", "birth_date"), ("birth_date,shoe", "DE", "shoe"), ("birth_date", "XX", "XX")],
)
def test_what_cannot_be_measured_is_refused_in_one_line(by_hand, fields, state, message):
    with pytest.raises(InputError, match=message) as said:
        rows_of(*by_hand, fields, state)
    assert "\n" not in str(said.value)
