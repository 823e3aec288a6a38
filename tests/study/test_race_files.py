"""The same people of a state in three files, each with race and Hispanic origin in its own way, have the same score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from small_people import file_of

from policy_sim import RecordFile, Study
from policy_sim.attackers import Attacker
from policy_sim.words.errors import InputError

STATE, RECORDS, SEED = "WY", 600, 20261123

# HCUP's RACE; the census's races in its order: white, black, aian, asian, nhpi, other, multiple.
HCUP = """
[fields.race_ethnicity]
column = "RACE"
codes = { "1" = "white", "2" = "black", "3" = "hispanic", "4" = "asian or nhpi", "5" = "aian", \
"6" = "other or multiple" }
"""
NUMBERS = {"white": "1", "black": "2", "aian": "5", "asian": "4", "nhpi": "4", "other": "6", "multiple": "6"}
# The two questions of OMB 1997, with the classes that HCUP has.
OMB = """
[fields.race]
column = "Race"
codes = { "Asian" = "asian or nhpi", "Native Hawaiian or Other Pacific Islander" = "asian or nhpi", \
"Some other race" = "other or multiple", "More than one race" = "other or multiple" }
[fields.ethnicity]
column = "Ethnicity"
"""
NAMES = {
    "white": "White",
    "black": "Black or African American",
    "aian": "American Indian or Alaska Native",
    "asian": "Asian",
    "nhpi": "Native Hawaiian or Other Pacific Islander",
    "other": "Some other race",
    "multiple": "More than one race",
}
TEXTS = {
    "white": ["White, non-Hispanic", "NH White", "Caucasian, not Hispanic"],
    "black": ["Black Non-Hispanic", "non-hispanic black or african american"],
    "aian": ["NH American Indian/Alaska Native"],
    "asian": ["Asian/Pacific Islander"],
    "nhpi": ["Asian/Pacific Islander", "API"],
    "other": ["Other or multiple"],
    "multiple": ["Other or multiple"],
}
HISPANIC = ["Hispanic", "HISPANIC/LATINO", "Latino", "Hispanic (any race)"]


def people_of_the_state():
    """Draw people from the cells of a state, with the seed of this test."""
    cells = Study("us-2010").people.in_states([STATE]).with_ethnicity.cells
    weight = cells["people"].to_numpy()
    rows = np.random.default_rng(SEED).choice(len(cells), RECORDS, p=weight / weight.sum())
    people = cells.iloc[rows][["age", "sex", "county", "race", "ethnicity"]].astype(str)
    return people[people["age"].astype(int) < 100].reset_index(drop=True)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(SEED)
    people = people_of_the_state()
    known, hispanic = people[["age", "sex", "county"]], people["ethnicity"] == "hispanic"

    def written(name, fields, mapping, **columns):
        known.assign(**columns).to_csv(folder / f"{name}.csv", index=False)
        (folder / f"{name}.toml").write_text(mapping)
        return RecordFile(folder / f"{name}.csv", f"age,sex,county,{fields}", folder / f"{name}.toml")

    texts = [
        rng.choice(HISPANIC if is_hispanic else TEXTS[race])
        for race, is_hispanic in zip(people["race"], hispanic, strict=True)
    ]
    origin = np.where(hispanic, "Hispanic or Latino", "Not Hispanic or Latino")
    return {
        "hcup": written("hcup", "race_ethnicity", HCUP, RACE=people["race"].map(NUMBERS).mask(hispanic, "3")),
        "omb": written("omb", "race,ethnicity", OMB, Race=people["race"].map(NAMES), Ethnicity=origin),
        "free": written("free", "race", '[fields.race]\ncolumn = "race"\n', race=texts),
    }


def _scored(file, attacker):
    return file.score(Study("us-2010"), attacker, states=STATE, list_records=True)


@pytest.mark.slow
def test_codes_and_free_text_have_the_same_score_record_by_record(files):
    hcup, free = (_scored(files[name], "general") for name in ("hcup", "free"))
    assert hcup.answer[0].expected.low == pytest.approx(free.answer[0].expected.low)
    pd.testing.assert_frame_equal(hcup.tables["records"], free.tables["records"])
    assert (hcup.tables["records"]["status"] == "ok").all()
    assert any("race is read as race_ethnicity" in note for note in free.notes)
    assert any("the file shows sex+race=race_ethnicity" in note for note in hcup.notes)


@pytest.mark.slow
def test_two_columns_are_the_same_to_whoever_has_the_combined_one_and_tell_more_to_whoever_has_both(files):
    shown = {"gender": "value", "race": "race_ethnicity", "birth": "year", "geography": "county"}
    combined = Attacker("combined", "t", (file_of("combined", states=None, **shown),))
    scores = {name: _scored(file, combined).answer[0] for name, file in files.items()}
    assert {score.linkage_key for score in scores.values()} == {
        "gender+race=race_ethnicity+birth=year+geography=county"
    }
    expected = {name: score.expected.low for name, score in scores.items()}
    assert expected["hcup"] == pytest.approx(expected["omb"]) == pytest.approx(expected["free"])
    both = _scored(files["omb"], "general").answer[0]
    assert both.linkage_key == "gender+race+ethnicity+birth=year+geography=county"
    assert both.expected.low > 1.05 * expected["omb"]


def test_a_second_file_in_which_the_same_race_means_others_is_refused(tmp_path):
    (tmp_path / "ours.csv").write_text("race\n1\n3\n")
    (tmp_path / "theirs.csv").write_text("race\n1\n2\n")
    (tmp_path / "ours.toml").write_text('[fields.race]\ncodes = { "1" = "white", "3" = "hispanic" }\n')
    (tmp_path / "theirs.toml").write_text('[fields.race]\ncodes = { "1" = "white", "2" = "black" }\n')
    ours, theirs = (
        RecordFile(tmp_path / f"{name}.csv", "race", tmp_path / f"{name}.toml") for name in ("ours", "theirs")
    )
    with pytest.raises(InputError, match=r"race: one file .* race_ethnicity .* race\b"):
        ours.against(theirs)
    assert ours.against(ours).answer.marketer == 1
