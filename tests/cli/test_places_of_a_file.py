"""Nobody of Monroe County, Michigan is counted in Ohio, whichever command reads the file, in whichever form and format.

The file is that of a hospital in Toledo: 3,404 people of Ohio and 796 of Michigan.
"""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from small_people import frame, invoke

from policy_sim import RecordFile
from policy_sim.people.store import load_shipped
from policy_sim.records.engines.file_questions import counted_file, counted_places
from policy_sim.tables.case_rules import read_cases

# Name, state, people of the file, and two ZIP codes of the county.
COUNTIES = {
    "39095": ("Lucas", "OH", 2460, "43604", "43615"),
    "39173": ("Wood", "OH", 656, "43402", "43551"),
    "39051": ("Fulton", "OH", 288, "43567", "43515"),
    "26115": ("Monroe", "MI", 600, "48161", "48162"),
    "26091": ("Lenawee", "MI", 196, "49221", "49286"),
}
# What says where somebody lives: columns of a person's county, by the code of which the facts stand above.
FORMS = {
    "names": lambda name, state, code, zips: {"county": name, "state": state},
    "names with the state": lambda name, state, code, zips: {"county": f"{name}, {state}"},
    "names of a state": lambda name, state, code, zips: {"county": f"{name} County ({state})"},
    "codes": lambda name, state, code, zips: {"county": code},
    "short codes": lambda name, state, code, zips: {"county": code[2:], "state": state},
    "codes beside a state": lambda name, state, code, zips: {"county": code, "state": state},
    "ZIP codes": lambda name, state, code, zips: {"zip": zips},
    "ZIP codes beside a state": lambda name, state, code, zips: {"zip": zips, "state": state},
}
FORMATS = {"csv": "to_csv", "xlsx": "to_excel", "parquet": "to_parquet"}
FEW = [("names", "csv"), ("names with the state", "xlsx")]

pytestmark = pytest.mark.slow


@pytest.fixture(params=pinned(FEW, list(product(FORMS, FORMATS))), ids=" as ".join, scope="module")
def file(request, tmp_path_factory):
    """A file in one form and format, and the mapping that ``dataset check`` writes for it."""
    form, kind = request.param
    draw, rows = np.random.default_rng(44), []
    for code, (name, state, people, *zips) in COUNTIES.items():
        rows += [FORMS[form](name, state, code, zips[at % 2]) for at in range(people)]
    table = pd.DataFrame(rows).assign(
        sex=draw.choice(["F", "M"], len(rows)), birth_year=draw.integers(1940, 2015, len(rows))
    )
    path = tmp_path_factory.mktemp("border") / f"patients.{kind}"
    getattr(table.sample(frac=1, random_state=1), FORMATS[kind])(path, index=False)
    mapping = path.with_suffix(".toml")
    done = invoke("dataset", "check", path, "--write-mapping", mapping)
    assert done.exit_code == 0
    assert "--state OH" not in done.stdout + done.stderr
    assert "brief OH" not in done.stdout + done.stderr  # the file has two states
    return path, mapping


def test_a_score_of_one_state_leaves_the_other_out_and_names_it(file):
    path, mapping = file
    by_zip = "zip" in mapping.read_text(encoding="utf-8").split("# Columns")[0]
    place = ["sex,zip5", "--population", "us-2020-zcta"] if by_zip else ["sex,county"]
    command = ("dataset", "score", path, "--mapping", mapping, "--attacker", "general", "--fields", *place)
    ohio = invoke(*command, "--state", "OH")
    assert ohio.exit_code == 0
    assert re.search("796: .*(Michigan|another state)", ohio.stdout + ohio.stderr)
    both = frame(*command, "--state", "OH", "--state", "MI").set_index("state")["records"]
    assert both[["OH", "MI"]].tolist() == [3404, 796]


def test_a_brief_has_each_person_in_their_state(file):
    path, mapping = file
    people = load_shipped("us-2020")
    for state, order in ((None, ["OH", "MI"]), ("MI", ["MI", "OH"])):
        counted = counted_file(path, state, people, mapping)
        by_state = counted.in_file.catchment.by_state(None)
        assert list(by_state) == order
        shares = {own: sum(place.share or 0 for place in places) for own, places in by_state.items()}
        assert counted.in_file.people == 4200
        assert (round(4200 * shares["OH"]), round(4200 * shares["MI"])) == (3404, 796)
        assert not any(place.name in ("39111", "437") for place in by_state["OH"])  # Monroe, Ohio


def test_classes_of_the_file_are_of_its_own_counties(file):
    """A profile reads the file alone: with the state or without, its places are as many."""
    path, mapping = file
    by_zip = "zip" in mapping.read_text(encoding="utf-8").split("# Columns")[0]
    place = "zip5" if by_zip else "county"
    sizes = RecordFile(path, [place], mapping=mapping).profile().tables["sizes"]
    assert sizes["classes"].sum() == (10 if by_zip else 5)


def test_cases_of_a_county_are_of_its_state(file):
    path, mapping = file
    if "county" not in mapping.read_text(encoding="utf-8").split("# Columns")[0]:
        pytest.skip("a case shows a county")
    cases = read_cases(path, absent=("race", "ethnicity", "age", "death", "month", "state_code", "county_code"))
    by_county = cases.rows.assign(place=cases.places).groupby("place")["records"].sum()
    assert by_county.to_dict() == {code: people for code, (_, _, people, *_) in COUNTIES.items()}
    of_michigan = cases.rows.loc[cases.rows["state"].str.upper() == "MI", "records"]
    assert of_michigan.sum() == 796


def test_people_are_counted_by_state_where_a_file_says_nothing_finer(tmp_path):
    (tmp_path / "visits.csv").write_text("state,age\nOhio,30\nOH,41\nOH,41\nMI,52\nMI,5\n?,60\n")
    assert counted_places(tmp_path / "visits.csv") == ([("OH", "", 3), ("MI", "", 2), ("", "", 1)], "state")
