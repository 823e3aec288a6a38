"""Make the shipped areas: ``python -m policy_sim.building.make_areas [DIR]``.

One row a ZIP code area of 2020 in the states, with its area of at least 20,000 and of at least 100,000 people by the
county rule. Each ZIP code counts the fewest people of 2010, 2020 and 2022, so that an area has as many in all three.
The same code and counts give the same bytes.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pandas as pd

from policy_sim.areas.areas import Areas
from policy_sim.areas.zip_areas import FEWEST
from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.words.states import STATES

SIZES = (20_000, 100_000)


def build_areas(out: Path | None = None) -> Path:
    """Write the areas of all states and describe them in the manifest; ``out``: by default the shipped data."""
    out = out or data_dir()
    states = [code for code in STATES if code != "PR"]
    made = {least: Areas.make(states, least, counts=FEWEST) for least in SIZES}
    table = next(iter(made.values())).zips[["zip5", "state", "county", "people"]]
    for least, areas in made.items():
        table = table.assign(**{f"area_{least}": table["zip5"].map(areas.of_zip())})
    kinds = dict.fromkeys(("state", "county", *(f"area_{least}" for least in SIZES)), "category")
    table = table.astype(kinds | {"people": "int32"})
    buffer, path = io.BytesIO(), out / "areas" / "areas-2020.parquet"
    table.to_parquet(buffer, index=False, compression="zstd", compression_level=19)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, buffer.getvalue())
    number = ", ".join(f"{len(areas):,} of at least {least:,} people" for least, areas in made.items())
    update_manifest(out, "areas", path.stem, _facts(path, table, number))
    return path


def _facts(path: Path, table: pd.DataFrame, number: str) -> dict[str, object]:
    return {
        "title": f"Areas of whole ZIP code areas, 50 states and DC: {number}",
        "publisher": "policy_sim (areas); U.S. Census Bureau (people of ZIP code areas by county, internal points)",
        "vintage": "ZIP code areas of 2020; the fewest people of 2010, 2020 and 2022",
        "how": f"{len(table):,} ZIP code areas, by the county rule of docs/areas.md. "
        "Rebuilt by: python -m policy_sim.building.make_areas",
        "file": f"areas/{path.name}",
        "sha256": sha256_of(path),
    }


if __name__ == "__main__":
    sys.stdout.write(f"{build_areas(Path(sys.argv[1]) if len(sys.argv) > 1 else None)}\n")
