"""Counties by name, and files that are scored by them."""

import subprocess
import sys

import pytest

from policy_sim import RecordFile
from policy_sim.errors import InputError
from policy_sim.io.county_names import county_code


@pytest.mark.parametrize(
    ("state", "text", "code"),
    [
        ("OH", "allen county", "39003"),
        ("LA", "Saint Tammany Parish", "22103"),
        ("MO", "St. Louis", None),  # a county and a city
        ("MO", "St. Louis County", "29189"),
        ("MO", "St. Louis City", "29510"),
        ("VA", "James City County", "51095"),
        ("AK", "Kusilvak Census Area", "02158"),
        ("NM", "Dona Ana", "35013"),
        ("OH", "Nowhere", None),
        ("XX", "Allen", None),
    ],
)
def test_the_code_of_a_name(state, text, code):
    assert county_code(state, text) == code


def test_a_file_with_names_scores_as_one_with_codes(tmp_path):
    rows = [(34, "F", "Allen", "39003"), (35, "M", "Lucas County", "39095"), (36, "M", "LUCAS", "39095")]
    named, coded, stated = (tmp_path / f"{name}.csv" for name in ("named", "coded", "stated"))
    named.write_text("age,sex,county\n" + "".join(f"{age},{sex},{name}\n" for age, sex, name, _ in rows))
    coded.write_text("age,sex,county\n" + "".join(f"{age},{sex},{code}\n" for age, sex, _, code in rows))
    stated.write_text("age,sex,county,state\n" + "".join(f"{age},{sex},{name},Ohio\n" for age, sex, name, _ in rows))
    expected = RecordFile(coded, "age,sex,county").score("OH").to_frame()
    assert RecordFile(named, "age,sex,county").score("OH").to_frame().equals(expected)
    assert RecordFile(stated, "age,sex,county,state").score().to_frame()["total_risk"].equals(expected["total_risk"])


@pytest.mark.parametrize(
    ("place", "values"), [("zip5", ["45801", "43604", "43604"]), ("county", ["Allen", "Lucas", "Wood"])]
)
def test_the_score_that_check_prints_works_as_printed(tmp_path, place, values):
    rows = zip((34, 35, 36), "FMM", values, strict=True)
    text = f"age,sex,{place}\n" + "".join(f"{age},{sex},{value}\n" for age, sex, value in rows)
    (tmp_path / "v.csv").write_text(text)

    def run(arguments):
        return subprocess.run(
            [sys.executable, "-m", "policy_sim", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    printed = run(["dataset", "check", "v.csv", "--write-mapping", "v.toml"]).stderr
    line = next(line for line in printed.splitlines() if "dataset score" in line)
    assert "--state OH" in line
    scored = run(line.partition("policy-sim ")[2].split())
    assert scored.returncode == 0, scored.stderr
    assert "records outside the population's cells: none" in scored.stdout + scored.stderr


def test_people_are_counted_once_each(tmp_path):
    """Person 1 counts by its second row, the first that lacks nothing; a row without a person is one of its own."""
    path = tmp_path / "v.csv"
    path.write_text("MRN,age,sex\n1,,M\n1,40,M\n1,41,M\n2,50,F\n3,50,F\n,50,F\n")
    (tmp_path / "m.toml").write_text('person = "mrn"\n')
    for file in (RecordFile(path, "age,sex", person="mrn"), RecordFile(path, "age,sex", tmp_path / "m.toml")):
        result = file.profile()
        assert (result.answer.risk.records, result.answer.risk.uniques) == (4, 1)
        assert sorted(file.classes().sizes.tolist()) == [1, 3]
        assert any(note.startswith("people are counted, not rows: 6 rows of 4 people") for note in result.notes)
        assert any("1 of them have rows with other key values" in note for note in result.notes)
        assert file.score("OH").to_frame()["records"].tolist() == [4, 4]
        with pytest.raises(InputError, match="records cannot be listed one by one where people are counted"):
            file.profile(list_records=True)
    assert RecordFile(path, "age,sex").profile().answer.risk.records == 6
