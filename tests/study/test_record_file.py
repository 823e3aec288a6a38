"""The front door of a file of records, from Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from said import numbers

from policy_sim import RecordFile, Study
from policy_sim.estimators import Bootstrap, Zayatz
from policy_sim.records import census_groups
from policy_sim.records.engines.file_questions import counted_file
from policy_sim.words.errors import InputError, PolicySimError

# Under a county of Delaware with more than 100,000 people, and one that no state has.
COUNTIES = ["10003", "10003", "10001", "99999"]


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "visits.csv"
    rng = np.random.default_rng(1)
    rows = [(int(rng.integers(20, 60)), rng.choice(["M", "F"]), county) for county in COUNTIES * 20]
    pd.DataFrame(rows, columns=["age", "sex", "county"]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def file(visits):
    return RecordFile(visits, "age,sex,county")


def test_a_profile_shows_itself_and_counts_every_record(file):
    result = file.profile(max_combinations=0)
    frame = result.to_frame().set_index("measure")
    assert frame.loc["records", "number"] == 80
    assert list(result.tables) == ["figures", "fields", "combinations", "sizes", "scores"]
    assert result.answer.risk.records == 80
    assert repr(result).startswith("profile of visits.csv: 9 rows; ")
    assert "<table" in result._repr_html_()
    assert repr(file) == "RecordFile('visits.csv', fields='age,sex,county')"


@pytest.mark.slow
def test_a_score_takes_a_state_or_a_study(file):
    by_state = file.score("DE", ["general"])
    by_study = file.score(Study(), "general", states=["Delaware"])
    pd.testing.assert_frame_equal(by_state.to_frame(), by_study.to_frame())
    assert by_state.to_frame()["records"].tolist() == [60]
    assert by_state.tables["outside"]["row"].tolist() == list(range(4, 81, 4))
    assert by_state.options["states"] == ["DE"]


def test_a_score_merges_each_key_once(file, monkeypatch):
    keys = []
    merge = census_groups.people_of_groups

    def counted(cells, population, key, *days):
        keys.append(key)
        return merge(cells, population, key, *days)

    monkeypatch.setattr(census_groups, "people_of_groups", counted)
    result = file.score("DE")
    assert set(result.to_frame()["attacker"]) == {"general", "voter"}
    assert len(keys) == len(set(keys))


def test_two_files_are_linked_and_both_have_a_name_in_the_result(file, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("age,sex,county\n" + "30,F,10001\n" * 4 + "31,M,10001\n")
    mine = tmp_path / "mine.csv"
    mine.write_text("age,sex,county\n30,F,10001\n31,M,10001\n")
    result = RecordFile(mine, ["age", "sex", "county"]).against(people)
    assert result.answer.marketer == pytest.approx((1 / 4 + 1) / 2)
    assert (set(result.files), result.options["against"]) == ({"mine.csv", "people.csv"}, "people.csv")
    with pytest.raises(InputError, match="key fields"):
        RecordFile(mine, "sex,age,county").against(RecordFile(people, "age,sex,county"))


def test_mapping_notes_of_both_files_are_told(tmp_path):
    for name in ("mine", "people"):
        (tmp_path / f"{name}.csv").write_text("sex\nM\nwhatever\n")
    (tmp_path / "map.toml").write_text('[fields.sex]\ncolumn = "sex"\n')
    result = RecordFile(tmp_path / "mine.csv", "sex", tmp_path / "map.toml").against(tmp_path / "people.csv")
    assert [numbers(note) for note in result.notes if note.startswith("sex: ")] == [["1"]]  # a value not understood


def test_an_estimate_is_that_of_the_estimator(file):
    sizes = file.classes().histogram
    result = file.estimate(10_000, models=["zayatz"], bootstrap=Bootstrap(replicates=20))
    assert result.answer[-1] == Zayatz().estimate(sizes, 10_000, bootstrap=Bootstrap(replicates=20))
    assert result.to_frame()["model"].tolist() == ["first", "zayatz"]


def test_too_many_classes_leave_out_only_what_needs_them(visits):
    few = RecordFile(visits, "age,sex", max_classes=3)
    result = few.estimate(10_000)
    rows = result.to_frame().set_index("model")
    assert "needs the values of each class" in rows.loc["poisson_log_linear", "status"]
    assert any(note.startswith("no estimate by poisson_log_linear: ") for note in result.notes)
    assert rows.loc["zayatz", "status"] == "ok"


def test_a_sampling_study_holds_no_nan(file):
    result = file.sampling_study([0.05, 0.5], 3, models=["pitman", "zayatz"])
    for name, table in result.tables.items():
        for column in table.select_dtypes("number"):
            values = table[column].dropna().to_numpy(dtype=float)
            assert np.isfinite(values).all(), (name, column)
            assert str(table[column].dtype) != "float64", (name, column)
    assert result.answer.runs == 3


WORKS = {"score": {"study": "DE"}, "estimate": {"population_size": 1000}, "sampling_study": {"fractions": [0.1]}}
WRONG = {
    "RecordFile location": [None, "", 7, "nowhere.csv"],
    "RecordFile fields": ["", [], None, 3, ["age", 3], ["age", "age"], "agee"],
    "RecordFile mapping": [3, "", "nowhere.toml"],
    "RecordFile missing": ["drop", None, ["own"]],
    "RecordFile missing_codes": [3, [None]],
    "RecordFile table": ["", "visits"],
    "RecordFile engine": ["", None, "dukdb"],
    "RecordFile memory": ["", 2, "lots"],
    "RecordFile max_classes": [0, 1.5, True, "many"],
    "RecordFile progress": ["loud"],
    "profile threshold": ["much", 0, None, float("nan")],
    "profile cutoff": [2],
    "profile sampling_fraction": [0, "half"],
    "profile max_combinations": [-1],
    "score study": ["Ohioo", 7],
    "score states": ["DE"],
    "score attackers": ["everyone", [3]],
    "score buyer": [3, "king"],
    "score top": [-1],
    "score name_groups": ["yes"],
    "against other": ["nowhere.csv", None],
    "estimate population_size": [10, 0, -1, 10**20, "many", 1e6],
    "estimate models": ["zayatz", ["zayats"], []],
    "estimate bootstrap": [200],
    "sampling_study fractions": [[2], [], 0.1, [float("nan")], [0.1, 0.1]],
    "sampling_study runs": [0, 10**9],
    "sampling_study seed": [-1],
    "sampling_study workers": [0, 10**6],
}


@pytest.mark.parametrize(("asked", "values"), WRONG.items(), ids=str)
def test_what_is_wrong_is_one_of_our_errors(visits, file, asked, values):
    def ask(value):
        question, argument = asked.split()
        if question == "RecordFile":
            return RecordFile(**{"location": visits, "fields": "age,sex", argument: value}).profile()
        return getattr(file, question)(**{**WORKS.get(question, {}), argument: value})

    for value in values:
        with pytest.raises(PolicySimError) as caught:
            ask(value)
        assert "--" not in str(caught.value)


# A file against the census, for each attacker.


@pytest.fixture(scope="module")
def four_fields(tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "visits.csv"
    path.write_text("age,sex,race,county\n30,F,white,10001\n41,M,black,10003\n33,F,white,10005\n")
    return RecordFile(path, "age,sex,race,county")


@pytest.fixture(scope="module")
def study():
    return Study("us-2010", 2026)


@pytest.mark.slow
def test_each_attacker_and_state_has_a_score(four_fields, study):
    answer = four_fields.score(study, ["general", "voter"], states="DE", list_records=True)
    scores = answer.to_frame()
    assert scores[["state", "attacker"]].to_numpy().tolist() == [["DE", "general"], ["DE", "voter"]]
    records = answer.tables["records"]
    assert len(records) == 3
    assert float(records["general_chance"].sum()) == pytest.approx(float(scores["total_risk"].iloc[0]))


def test_attackers_are_a_list_of_names(file):
    with pytest.raises(InputError, match="attackers must be a list of names"):
        file.score("DE", [])


@pytest.mark.slow
def test_notes_name_the_lists_only_where_an_attacker_holds_them(four_fields, study):
    general, voter = (four_fields.score(study, name, states="DE") for name in ("general", "voter"))
    assert not [note for note in general.notes if note.startswith("voter lists: ")]
    assert [note for note in voter.notes if note.startswith("voter lists: vintage 2026")]
    assert any("2024" in numbers(note) for note in voter.notes if "registered voters" in note)
    assert voter.options["coverage"] == "registered"


# What a file says of itself: people by person, the places they live in, and what it lacks.


@pytest.fixture(scope="module")
def of_2010() -> Study:
    return Study("us-2010", 2026)


@pytest.fixture
def placed_visits(tmp_path):
    rows = [("1", "F", "Kent"), ("1", "F", "Kent"), ("2", "M", "10001"), ("3", "F", "Sussex County"), ("4", "M", "Oz")]
    path = tmp_path / "placed_visits.csv"
    path.write_text("mrn,sex,home\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    mapping = tmp_path / "placed_visits.toml"
    mapping.write_text('person = "mrn"\n[fields.county]\ncolumn = "home"\n', encoding="utf-8")
    return path, mapping


def test_people_are_counted_by_person_and_county(placed_visits, of_2010):
    counted = counted_file(placed_visits[0], "DE", of_2010.counted, placed_visits[1])
    assert counted.in_file.people == 3
    assert dict(counted.in_file.catchment.places) == pytest.approx({"10001": 2 / 3, "10005": 1 / 3})
    assert (counted.outside, counted.by_person) == (1, True)
    assert counted.in_file.counting == ""
    assert counted.lacking == ("race", "ethnicity", "birth")
    assert "Oz" not in counted.measured
    assert all(name in counted.measured for name in counted.lacking)


def test_without_a_person_each_record_is_one(placed_visits, of_2010, tmp_path):
    mapping = tmp_path / "rows.toml"
    mapping.write_text('[fields.county]\ncolumn = "home"\n', encoding="utf-8")
    counted = counted_file(placed_visits[0], "DE", of_2010.counted, mapping)
    assert counted.in_file.people == 4
    assert "one counted per person" in counted.measured
    assert counted.in_file.counting.startswith("4 records, counted as one per person")


def test_a_file_without_places_or_of_another_state_is_one_line(placed_visits, of_2010):
    with pytest.raises(InputError, match="no column says where people live"):
        counted_file(placed_visits[0], "DE", of_2010.counted)
    elsewhere = placed_visits[0].with_name("other.csv")
    elsewhere.write_text("county\n39003\n39003\n39003\n10001\n10001\n", encoding="utf-8")
    counted = counted_file(elsewhere, "DE", of_2010.counted)
    assert counted.in_file.catchment.by_state(["DE"]).keys() == {"DE", "OH"}
    elsewhere.write_text("county\nOz\nOz\nOz\n10001\n10001\n", encoding="utf-8")
    with pytest.raises(PolicySimError, match="3 of 5 people is not understood"):
        counted_file(elsewhere, "DE", of_2010.counted)


@pytest.fixture
def two_states(tmp_path):
    """Write 40 records of counties by name; the state column makes 15 of the 25 in a Kent County Maryland's."""
    rows = [("Kent", "DE")] * 10 + [("Kent", "Maryland")] * 15 + [("Sussex", "10")] * 10 + [("Kent", "")] * 5
    path = tmp_path / "two_states.csv"
    lines = [f"{20 + at},{'FM'[at % 2]},{county},{state}" for at, (county, state) in enumerate(rows)]
    path.write_text("\n".join(["age,sex,county,State", *lines]) + "\n", encoding="utf-8")
    return path


def test_people_of_another_state_are_named_and_never_in_a_county_of_this_one(two_states, of_2010):
    counted = counted_file(two_states, "DE", of_2010.counted)
    assert (counted.in_file.people, counted.unread) == (35, 5)
    assert dict(counted.in_file.catchment.places) == {"10001": 10 / 35, "10005": 10 / 35, "24029": 15 / 35}
    assert list(counted.in_file.catchment.by_state(["DE"])) == ["DE", "MD"]
    assert list(counted_file(two_states, None, of_2010.counted).in_file.catchment.by_state(None)) == ["DE", "MD"]
    with two_states.open("a", encoding="utf-8") as file:
        file.write("30,F,Kent,DE\n" * 2000)
    counted = counted_file(two_states, "DE", of_2010.counted)
    assert (counted.in_file.people, counted.elsewhere) == (2020, {"MD": 15})
    assert numbers(counted.measured.partition("Left out: ")[2])[:2] == ["15", "5"]  # of Maryland, and of no place
    assert "Maryland" in counted.measured


def test_a_score_reads_the_state_column_though_it_is_no_key_field(two_states, of_2010):
    scored = RecordFile(two_states, "age,sex,county").score(of_2010, "general", states="DE")
    assert scored.to_frame()["records"].tolist() == [20]
    assert [numbers(note) for note in scored.notes if "live in Maryland" in note] == [["15"]]
    everywhere = RecordFile(two_states, "age,sex,county").score(of_2010, "general")
    assert everywhere.to_frame().set_index("state")["records"].to_dict() == {"DE": 20, "MD": 15}


def test_a_column_called_state_without_states_is_no_state(tmp_path, of_2010):
    path = tmp_path / "open.csv"
    path.write_text("age,county,state\n30,10001,open\n40,10003,closed\n", encoding="utf-8")
    assert RecordFile(path, "age,county").score(of_2010, "general").to_frame()["records"].tolist() == [2]
