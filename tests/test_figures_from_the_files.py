"""Printed figures computed again from the shipped files with numpy and scipy alone, by the formulas of docs/model.md.

Nothing of the package but the commands is used: people are read from their Parquet file, voters and prices from TOML. A
difference is a defect of one of the two.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_people import frame

ROOT = Path(__file__).resolve().parents[1]
SMALL_PREFIX, TOP_AGE = 20_000, 90
FEW = 1e-9

pytestmark = pytest.mark.slow


@cache
def rows(command: str) -> pd.DataFrame:
    return frame(*command.split())


def printed(command: str, policy: str, attacker: str, measure: str, column: str = "people") -> float:
    found = rows(command)
    found = found[(found["policy"] == policy) & (found["attacker"] == attacker)]
    name, _, g = measure.partition(" ")
    found = found[(found["measure"] == name) & (found["g"] == int(g) if g else found["g"].isna())]
    return float(found[column].item())


@cache
def people(year: int, state: str) -> pd.DataFrame:
    table = pd.read_parquet(ROOT / f"data/populations/us-{year}.parquet", filters=[("state", "==", state)])
    return table.astype(dict.fromkeys(("state", "county", "sex", "race"), str))


@cache
def areas(year: int) -> pd.DataFrame:
    """Parts of counties in ZIP code areas, with the share of the county's people; small prefixes are 000."""
    table = pd.read_parquet(ROOT / f"data/zip/zcta_county_{year}.parquet").query("people > 0")
    share = table["people"] / table.groupby("county")["people"].transform("sum")
    prefix = table["zip5"].str[:3]
    held = table.groupby(prefix)["people"].sum()
    hidden = prefix.isin(held[held <= SMALL_PREFIX].index)
    return table.assign(share=share, zip3=prefix.mask(hidden, "000"))


def registered(state: str, year: int) -> float:
    counts = tomllib.loads((ROOT / "data/registered_voters.toml").read_text(encoding="utf-8"))["cps-2024"]
    everyone = people(year, state)
    return counts["registered"][state] / everyone[everyone["age"] >= 18]["people"].sum()


def groups(year: int, state: str, *fields: str, least_age: int = 0) -> pd.DataFrame:
    held = people(year, state)
    keys = [*fields, "age", "age_width"]
    summed = held[held["age"] >= least_age].groupby(keys, as_index=False)["people"].sum()
    return summed.rename(columns={"people": "n", "age_width": "w"})


def occupied(n, b, x=1.0):
    """``b (1 - (1 - x/b)^n)``: correct matches in groups of ``n`` people and ``b`` bins."""
    with np.errstate(divide="ignore"):  # one bin and everyone listed: log 0
        return float(np.sum(-b * np.expm1(n * np.log1p(-x / b))))


def alone(n, b, x=1.0):
    """``n x (1 - x/b)^(n-1)``; 0 to the power 0 is 1."""
    return float(np.sum(n * x * (1 - x / b) ** (n - 1)))


@pytest.mark.parametrize("state", ["DE", "WY"])
def test_the_paper_s_form(state):
    command = f"compare --state {state} --hipaa paper --attacker general --g 1"
    for policy, fields, bins in (
        ("safe-harbor-paper", ("sex", "race"), 1),
        ("limited-dataset-paper", ("county", "sex", "race"), 365),
    ):
        cells = groups(2020, state, *fields)
        n, b = cells["n"].to_numpy(float), cells["w"].to_numpy(float) * bins
        assert printed(command, policy, "general", "total-risk") == pytest.approx(occupied(n, b), rel=FEW)
        assert printed(command, policy, "general", "g-distinct 1") == pytest.approx(alone(n, b), rel=FEW)
        in_file = f"{command} --in-file 0.01"
        share = occupied(n, b, 0.01) / (0.01 * n.sum())
        assert printed(in_file, policy, "general", "total-risk", "share") == pytest.approx(share, rel=FEW)


def test_the_voter_list_and_what_a_claim_is_worth():
    """Delaware's list of 2026 has the year of birth and the county, in the paper's form."""
    fields = tomllib.loads((ROOT / "voter_policies/de.toml").read_text(encoding="utf-8"))["2026"]["fields"]
    held = [name for name in ("gender", "race") if fields[name]["availability"] == "included"]
    assert (held, fields["birth"]["granularity"], fields["geography"]["granularity"]) == ([], "year", "county")
    cells, c = groups(2020, "DE", "county", least_age=18), registered("DE", 2020)
    n, b = cells["n"].to_numpy(float), cells["w"].to_numpy(float)
    command = "compare --state DE --hipaa paper --g 1 --coverage survey"
    right = alone(n, b, c)
    claims = right + float(np.sum(n * (1 - c) * (n - 1) * (c / b) * (1 - c / b) ** np.maximum(n - 2, 0)))
    assert printed(command, "limited-dataset-paper", "voter", "total-risk") == pytest.approx(occupied(n, b, c), rel=FEW)
    assert printed(command, "limited-dataset-paper", "voter", "claims") == pytest.approx(claims, rel=FEW)
    assert printed(command, "limited-dataset-paper", "voter", "correct-claims") == pytest.approx(right, rel=FEW)
    assert claims < 10  # before, 73.6% of them were said to be right
    assert np.isnan(printed(command, "limited-dataset-paper", "voter", "precision", "share"))
    found = rows(command).query("policy == 'limited-dataset-paper' and attacker == 'voter' and measure == 'precision'")
    assert found["status"].item() == "few_claims"


def test_a_list_by_county_and_age_with_records_of_people_who_left():
    """Delaware by county and year of birth, of the records of November 2024 and the ages of two lists, one by one."""
    facts = tomllib.loads((ROOT / "data/registration/registration.toml").read_text(encoding="utf-8"))["age"]["classes"]
    lists = [name for name in facts[0] if name != "from"]
    starts, listed_of, adults_of = (
        np.array([row["from"] for row in facts]),
        *(np.array([sum(row[name][place] for name in lists) for row in facts], dtype=float) for place in (0, 1)),
    )
    records = pd.read_parquet(ROOT / "data/registration/by_county.parquet")
    records = records[(records["year"] == 2024) & (records["state"] == "DE")].set_index("fips")
    people_of = groups(2020, "DE", "county", least_age=18)
    matches = right = claims = 0.0
    for county, cells in people_of.groupby("county"):
        row = records.loc[county]
        adults = int(cells["n"].sum())
        on_it = min(int(row["active"]), adults)
        left = int(row["registered"]) - on_it
        place = np.searchsorted(starts, cells["age"], side="right") - 1
        rate = np.minimum(listed_of / adults_of, 1.0)[place]
        n, b = cells["n"].to_numpy(float), cells["w"].to_numpy(float)
        low, high = 0.0, 100.0
        for _ in range(200):  # the scale at which as many are listed, each age at most whole
            middle = (low + high) / 2
            low, high = (middle, high) if (n * np.minimum(middle * rate, 1)).sum() < on_it else (low, middle)
        c = np.minimum(low * rate, 1.0)
        stale = left / on_it * n * c
        x, nu = c / b, stale / b
        u, weight = (part / 2 for part in np.polynomial.legendre.leggauss(200))
        u = u + 0.5
        for group in range(len(n)):
            curve = (1 - x[group] * u) ** (n[group] - 1) * np.exp(-nu[group] * u)
            matches += n[group] * c[group] * float((weight * curve).sum())
        alone = np.exp((n - 1) * np.log1p(-np.minimum(x, 1 - 1e-15)) - nu)
        right += float((n * c * alone).sum())
        others = np.divide((n - 1) * x, 1 - x, out=np.zeros_like(n), where=x < 1) + nu
        claims += float((n * (1 - c) * alone * others).sum())
    command = "compare --state DE --hipaa paper --g 1"
    assert printed(command, "limited-dataset-paper", "voter", "total-risk") == pytest.approx(matches, rel=1e-5)
    assert printed(command, "limited-dataset-paper", "voter", "correct-claims") == pytest.approx(right, rel=1e-6)
    assert printed(command, "limited-dataset-paper", "voter", "claims") == pytest.approx(claims + right, rel=1e-6)


def parts(state: str, *fields: str, least_age: int = 0) -> pd.DataFrame:
    """Every cell of a county in every part of it."""
    cells = groups(2020, state, "county", *fields, least_age=least_age)
    return cells.merge(areas(2020)[["county", "zip3", "share"]], on="county")


def by_part(cells: pd.DataFrame, c: float) -> tuple[float, float]:
    """Correct matches and listed people alone, by date of birth in the part of a county in one ZIP code."""
    n, p, b = (cells[name].to_numpy(float) for name in ("n", "share", "w"))
    b = 365 * b
    x = c * p / b
    matches = -b * np.expm1(n * np.log1p(-x))
    certain = n * c * p * (1 - x) ** (n - 1)
    return float(matches.sum()), float(certain.sum())


def test_the_limited_data_set_as_written():
    for policy, attacker, fields, least_age, c in (
        ("limited-dataset-race-alone", "general", ("sex", "race"), 0, 1.0),
        ("limited-dataset", "voter", (), 18, registered("OH", 2020)),  # neither sex nor race is on Ohio's list
    ):
        command = f"compare --state OH --g 1 --coverage survey --policy {policy} --population us-2020"
        matches, certain = by_part(parts("OH", *fields, least_age=least_age), c)
        assert printed(command, policy, attacker, "total-risk") == pytest.approx(matches, rel=FEW)
        assert printed(command, policy, attacker, "correct-claims") == pytest.approx(certain, rel=FEW)


def test_safe_harbor_as_written():
    """A three-digit prefix takes parts of several counties: one bin holds nobody with the product of the chances."""
    policy = "safe-harbor-race-alone"
    command = f"compare --state OH --g 1 --policy {policy} --population us-2020"
    people_of = groups(2020, "OH", "county", "sex", "race")
    people_of = people_of.assign(age=people_of["age"].clip(upper=TOP_AGE))
    people_of = people_of.groupby(["county", "sex", "race", "age"], as_index=False)["n"].sum()
    shares = areas(2020).groupby(["county", "zip3"], as_index=False)["share"].sum()
    placed = people_of.merge(shares, on="county")
    whole = placed["share"] >= 1 - 1e-12
    missed = placed["n"] * np.log1p(-placed["share"].where(~whole, 0.0))
    empty = placed.assign(chance=np.exp(missed.where(~whole, -np.inf)))
    matches = float((1 - empty.groupby(["sex", "race", "age", "zip3"])["chance"].prod()).sum())
    assert printed(command, policy, "general", "total-risk") == pytest.approx(matches, rel=1e-6)


def test_a_price_by_the_record_and_its_claims():
    """Texas charges a base fee and so much per record beyond the first million."""
    fee = tomllib.loads((ROOT / "voter_policies/tx.toml").read_text(encoding="utf-8"))["2026"]["price"]
    voters = tomllib.loads((ROOT / "data/registered_voters.toml").read_text(encoding="utf-8"))["cps-2024"]["registered"]
    price = fee["usd"] + fee["usd_per_record"] * (voters["TX"] - fee["free_records"])
    matches, certain = by_part(parts("TX", "sex", least_age=18), registered("TX", 2020))
    cost = (
        rows("econ cost --state TX --coverage survey --population us-2020").set_index("policy").loc["limited-dataset"]
    )
    assert cost["price_usd"] == pytest.approx(price, rel=FEW)
    assert cost["usd_per_reidentification"] == pytest.approx(price / matches, rel=FEW)
    assert cost["usd_per_correct_claim"] == pytest.approx(price / certain, rel=FEW)


# VOTER, limited data set as written, where the list shows a place and perhaps the sex: (total risk, right claims, share
# of the claims that are right).
@pytest.mark.parametrize(
    ("state", "fields", "stated"),
    [
        ("NH", (), (263.78, 0.609, 0.536)),
        ("DC", (), (37.85, 0.436, 0.484)),
        ("WY", (), (205.11, 1.121, 0.497)),
        ("MD", ("sex",), (1110.9, 4.65, 0.672)),
    ],
)
def test_lists_that_show_a_place(state, fields, stated):
    """Each adult of a county lives in a part with its share of the people, independently of the others."""
    command, c = (
        f"compare --state {state} --policy limited-dataset --coverage survey --population us-2020",
        registered(state, 2020),
    )
    everyone = people(2020, state)
    cells = everyone[everyone["age"] >= 18].groupby(["county", *fields], as_index=False)["people"].sum()
    table = cells.merge(areas(2020)[["county", "share"]], on="county")
    n, p = table["people"].to_numpy(float), table["share"].to_numpy()
    x = c * p
    matches = -np.expm1(n * np.log1p(-x)).sum()
    right = (n * x * (1 - x) ** (n - 1)).sum()
    claims = right + (n * p * (1 - c) * (n - 1) * x * (1 - x) ** (n - 2)).sum()
    assert printed(command, "limited-dataset", "voter", "total-risk") == pytest.approx(matches, rel=1e-9)
    assert printed(command, "limited-dataset", "voter", "correct-claims") == pytest.approx(right, rel=1e-9)
    assert printed(command, "limited-dataset", "voter", "claims") == pytest.approx(claims, rel=1e-9)
    assert (matches, right, right / claims) == pytest.approx(stated, rel=2e-3)
