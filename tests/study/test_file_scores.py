"""A file against the census: arguments are checked first, and each attacker has its own score."""

import pytest

from policy_sim import RecordFile, Study
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "visits.csv"
    path.write_text("age,sex,race,county\n30,F,white,10001\n41,M,black,10003\n33,F,white,10005\n")
    return RecordFile(path, "age,sex,race,county")


@pytest.fixture(scope="module")
def study():
    return Study("us-2010", 2026)


@pytest.mark.slow
def test_each_attacker_and_state_has_a_score(file, study):
    answer = file.score(study, ["general", "voter"], states="DE", list_records=True)
    scores = answer.to_frame()
    assert scores[["state", "attacker"]].to_numpy().tolist() == [["DE", "general"], ["DE", "voter"]]
    records = answer.tables["records"]
    assert len(records) == 3
    assert float(records["general_chance"].sum()) == pytest.approx(float(scores["total_risk"].iloc[0]))


@pytest.mark.slow
def test_a_state_may_stand_in_place_of_a_study(file, study):
    named = file.score("DE", "general").to_frame()
    assert named["state"].tolist() == ["DE"]
    with pytest.raises(InputError, match="states are given twice"):
        file.score("DE", "general", states="DE")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"attackers": []}, InputError, r"attackers must be a list of names, such as \['general', 'voter'\]"),
        ({"attackers": "nobody"}, UnknownNameError, "nobody"),
        ({"buyer": "king"}, UnknownNameError, "king"),
        ({"top": -1}, InputError, "top"),
        ({"name_groups": "yes"}, InputError, "name_groups"),
    ],
)
def test_what_is_asked_is_checked_before_the_file_is_read(file, study, options, error, message):
    with pytest.raises(error, match=message):
        file.score(study, **options)


@pytest.mark.slow
def test_notes_name_the_lists_only_where_an_attacker_holds_them(file, study):
    general = file.score(study, "general", states="DE")
    voter = file.score(study, "voter", states="DE")
    assert not [note for note in general.notes if note.startswith("voter lists: ")]
    assert [note for note in voter.notes if note.startswith("voter lists: vintage 2026")]
    assert [note for note in voter.notes if "hold registered voters of November 2024 by county and age" in note]
    assert voter.options["coverage"] == "registered"
