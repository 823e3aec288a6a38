"""Make the sample files of ``data/examples/``: ``python -m policy_sim.building.make_examples``.

The people are drawn from the census cells of Ohio with a fixed seed; names, dates, diagnoses and amounts are invented.
The files have what real exports have: blanks, several spellings, ages of 90 and over in one class, patients of
another state.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.people.zips import zip_parts
from policy_sim.study.study import Study

_SEED = 20261128
_DAYS = np.datetime64("2025-01-01") + np.arange(365)
# county, share of the hospital's patients
_CATCHMENT = {"39095": 0.62, "39173": 0.17, "39051": 0.08, "39123": 0.05, "39143": 0.08}
_NAMES = {"39095": "Lucas", "39173": "Wood", "39051": "Fulton", "39123": "Ottawa", "39143": "Sandusky"}
_DIAGNOSES = ("E11.9", "I10", "J45.909", "N39.0", "R07.9", "M54.50", "F32.A", "O80", "K21.9", "S52.501A")
_DRG = ("194", "291", "392", "470", "603", "690", "775", "871")
_RACE_SPELLINGS = {"white": ("White", "White", "WHITE", "Caucasian"), "black": ("Black", "Black or African American")}


def _patients(count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw patients of the catchment, with a ZIP code of their county by its people."""
    people = Study("us-2020").synthesize("OH", people=200_000, seed=_SEED)
    wanted = {county: round(share * count) for county, share in _CATCHMENT.items()}
    drawn = pd.concat([people[people["county"] == county].head(number) for county, number in wanted.items()])
    parts = zip_parts("us-2020")
    homes = [_zip_code(parts, county, rng) for county in drawn["county"]]
    return drawn.assign(zip=homes).iloc[rng.permutation(len(drawn))].reset_index(drop=True)


def _zip_code(parts: pd.DataFrame, county: str, rng: np.random.Generator) -> str:
    inside = parts[parts["county"] == county]
    return str(rng.choice(inside["zip5"].to_numpy(), p=(inside["people"] / inside["people"].sum()).to_numpy()))


def _race(race: str, rng: np.random.Generator) -> str:
    spellings = _RACE_SPELLINGS.get(race, (race.capitalize(),))
    return str(rng.choice(spellings))


def visits() -> pd.DataFrame:
    """One row per visit of 400 patients of a hospital in Toledo, as an export from its records has them."""
    rng = np.random.default_rng(_SEED)
    people = _patients(400, rng)
    admitted = rng.choice(_DAYS, len(people))
    stay = rng.geometric(0.25, len(people)).clip(1, 30)
    age = ((admitted - pd.to_datetime(people["birth_date"]).to_numpy().astype("datetime64[D]")) / 365.25).astype(int)
    state = np.where(rng.random(len(people)) < 0.03, "MI", "OH")
    return pd.DataFrame(
        {
            "mrn": rng.choice(np.arange(1_000_000, 9_999_999), len(people), replace=False),
            "patient_name": people["name"],
            "birth_date": people["birth_date"],
            "age": np.where(age >= 90, "90+", age.astype(str)),
            "sex": np.where(rng.random(len(people)) < 0.02, "", people["sex"].str[:1].str.upper()),
            "race": [_race(race, rng) for race in people["race"]],
            "zip": np.where(state == "MI", "48182", people["zip"]),
            "county": np.where(state == "MI", "Monroe", people["county"].map(_NAMES)),
            "state": state,
            "admit_date": admitted.astype(str),
            "los": stay,
            "dx": rng.choice(_DIAGNOSES, len(people)),
            "a1c": np.round(rng.normal(6.4, 1.1, len(people)).clip(4.5, 13), 1),
        }
    )


def claims() -> pd.DataFrame:
    """Several rows per person: claims of 150 members."""
    rng = np.random.default_rng(_SEED + 1)
    people = _patients(150, rng)
    member = rng.choice(np.arange(10_000_000, 99_999_999), len(people), replace=False)
    rows = np.repeat(np.arange(len(people)), rng.poisson(2.2, len(people)) + 1)
    own = people.iloc[rows].reset_index(drop=True)
    table = pd.DataFrame(
        {
            "member_id": [f"M{number}" for number in member[rows]],
            "birth_date": own["birth_date"],
            "sex": own["sex"].str[:1].str.upper(),
            "race": own["race"].str.capitalize(),
            "zip": own["zip"],
            "state": "OH",
            "service_date": rng.choice(_DAYS, len(rows)).astype(str),
            "dx": rng.choice(_DIAGNOSES, len(rows)),
            "drg": rng.choice(_DRG, len(rows)),
            "paid_amt": np.round(rng.lognormal(6.5, 1.2, len(rows)), 2),
        }
    )
    return table.sort_values("service_date", kind="stable").reset_index(drop=True)


def weekly() -> pd.DataFrame:
    """Cases of one disease by county: this week, and the year to date."""
    rng = np.random.default_rng(_SEED + 2)
    names = ("Allen", "Defiance", "Fulton", "Hancock", "Henry", "Lucas", "Ottawa", "Putnam", "Sandusky", "Williams")
    size = np.array([3.0, 1.2, 1.3, 2.3, 0.8, 13.0, 1.2, 1.0, 1.8, 1.1])
    new = rng.poisson(2.6 * size)
    before = rng.poisson(19 * size)
    table = pd.DataFrame({"county": [*names, "Wood"], "this week": [*new, 14], "to date": [*(new + before), 97]})
    total = {"county": "Total", "this week": table["this week"].sum(), "to date": table["to date"].sum()}
    return pd.concat([table, pd.DataFrame([total])], ignore_index=True)


def _facts(name: str, path: Path) -> dict[str, object]:
    return {
        "title": f"Sample file {name}.csv: people who do not exist",
        "publisher": "policy_sim",
        "how": "drawn from the census cells of us-2020 with a fixed seed; names, dates, diagnoses and amounts invented",
        "file": f"examples/{path.name}",
        "sha256": sha256_of(path),
    }


def main() -> None:
    """Write the files."""
    folder = data_dir() / "examples"
    folder.mkdir(exist_ok=True)
    for name, table in (("visits", visits()), ("claims", claims()), ("weekly", weekly())):
        path = folder / f"{name}.csv"
        replace_file(path, table.to_csv(index=False, lineterminator="\n").encode())
        update_manifest(data_dir(), "examples", name, _facts(name, path))
        sys.stdout.write(f"{path.name}: {len(table):,} rows, {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
