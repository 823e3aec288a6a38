"""The front door of a file of records, from Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim import RecordFile, Study
from policy_sim.estimators import Bootstrap, Zayatz
from policy_sim.records import census_groups
from policy_sim.words.errors import PolicySimError

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
    assert repr(result).startswith("profile of visits.csv: 9 rows; more in .tables: fields")
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
    assert set(result.files) == {"mine.csv", "people.csv"}


def test_mapping_notes_of_both_files_are_told(tmp_path):
    for name in ("mine", "people"):
        (tmp_path / f"{name}.csv").write_text("sex\nM\nwhatever\n")
    (tmp_path / "map.toml").write_text('[fields.sex]\ncolumn = "sex"\n')
    result = RecordFile(tmp_path / "mine.csv", "sex", tmp_path / "map.toml").against(tmp_path / "people.csv")
    assert "sex: values that are not understood and stay as they are written: 1" in result.notes


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"location": None},
        {"location": ""},
        {"location": 7},
        {"location": "nowhere.csv"},
        {"location": b"visits.csv"},
        {"fields": ""},
        {"fields": []},
        {"fields": None},
        {"fields": 3},
        {"fields": ["age", 3]},
        {"fields": ["age", "age"]},
        {"fields": "agee"},
        {"mapping": 3},
        {"mapping": ""},
        {"mapping": "nowhere.toml"},
        {"missing": "drop"},
        {"missing": None},
        {"missing": ["own"]},
        {"missing_codes": 3},
        {"missing_codes": [None]},
        {"table": ""},
        {"table": "visits"},
        {"engine": ""},
        {"engine": None},
        {"memory": ""},
        {"memory": 2},
        {"max_classes": 0},
        {"max_classes": 1.5},
        {"max_classes": True},
        {"max_classes": "many"},
        {"progress": "loud"},
    ],
    ids=str,
)
def test_a_wrong_file_is_one_of_our_errors(visits, wrong):
    with pytest.raises(PolicySimError):
        RecordFile(**{"location": visits, "fields": "age,sex", **wrong})


@pytest.mark.parametrize(
    "ask",
    [
        lambda file: file.profile("much"),
        lambda file: file.profile(0),
        lambda file: file.profile(None),
        lambda file: file.profile(float("nan")),
        lambda file: file.profile(cutoff=2),
        lambda file: file.profile(sampling_fraction=0),
        lambda file: file.profile(sampling_fraction="half"),
        lambda file: file.profile(max_combinations=-1),
        lambda file: file.score("Ohioo"),
        lambda file: file.score(7),
        lambda file: file.score("OH", states="OH"),
        lambda file: file.score("DE", "everyone"),
        lambda file: file.score("DE", []),
        lambda file: file.score("DE", [3]),
        lambda file: file.score("DE", top=-1),
        lambda file: file.score("DE", buyer=3),
        lambda file: file.against("nowhere.csv"),
        lambda file: file.against(None),
        lambda file: file.estimate(10),
        lambda file: file.estimate(0),
        lambda file: file.estimate("many"),
        lambda file: file.estimate(1e6),
        lambda file: file.estimate(1000, models="zayatz"),
        lambda file: file.estimate(1000, models=["zayats"]),
        lambda file: file.estimate(1000, models=[]),
        lambda file: file.estimate(1000, bootstrap=200),
        lambda file: file.sampling_study([2]),
        lambda file: file.sampling_study([]),
        lambda file: file.sampling_study(0.1),
        lambda file: file.sampling_study([float("nan")]),
        lambda file: file.sampling_study([0.1, 0.1]),
        lambda file: file.sampling_study([0.1], 0),
        lambda file: file.sampling_study([0.1], seed=-1),
        lambda file: file.sampling_study([0.1], workers=0),
        lambda file: RecordFile(file.location, "age", engine="dukdb").profile(),
        lambda file: RecordFile(file.location, "age", memory="lots").profile(),
    ],
)
def test_a_wrong_question_is_one_of_our_errors(file, ask):
    with pytest.raises(PolicySimError) as caught:
        ask(file)
    assert "--" not in str(caught.value)
