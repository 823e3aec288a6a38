"""Files as people of health departments have them: each is read whole and right, asked about, or refused."""

import re
import zipfile

import pytest
from said import numbers
from small_people import invoke

from policy_sim.records.census_values import FieldColumn, race_column, read_field
from policy_sim.records.engines.sources import lacks_header, read_csv_header
from policy_sim.records.formats import read_coded
from policy_sim.records.state_codes import state_numbers, state_of
from policy_sim.release import Release
from policy_sim.study.record_file import RecordFile
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_SSA


def written(path, head, rows):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


def findings(path):
    return [(row.column, row.problem, row.records) for row in RecordFile.check(path).tables["findings"].itertuples()]


def released(path, policy="safe-harbor"):
    """The released columns after accepting every guess, and what the run noted."""
    made = Release.new(path, path.with_suffix(".toml"), policy=policy)
    made.accept_guesses(by="A. Officer")
    figures = made.run(path.parent / "out")
    table = read_coded(path.parent / "out" / "send" / "release.csv")
    return {name: sorted(table[name].texts().tolist()) for name in table.names}, figures["notes"]


@pytest.mark.parametrize("stated", ["A1", "A1:D10", "A1:B3"])
def test_the_stated_range_of_a_workbook_is_not_trusted(tmp_path, stated):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["age", "sex", "county", "dx"])
    for at in range(40):
        book.active.append([20 + at, "FM"[at % 2], "39049", "I10"])
    book.save(tmp_path / "whole.xlsx")
    with zipfile.ZipFile(tmp_path / "whole.xlsx") as whole, zipfile.ZipFile(tmp_path / "v.xlsx", "w") as part:
        for name in whole.namelist():
            content = whole.read(name)
            if name.startswith("xl/worksheets/"):
                content, number = re.subn(rb'<dimension ref="[^"]*"', f'<dimension ref="{stated}"'.encode(), content)
                assert number == 1
            part.writestr(name, content)
    (notes, *_) = RecordFile.check(tmp_path / "v.xlsx").notes
    assert "40 records, 4 columns" in notes
    assert read_coded(tmp_path / "v.xlsx")["dx"].missing == 0


@pytest.mark.parametrize("name", ["X", "rownames", "Unnamed: 0", "id", "index", "record_id", "patient_id"])
@pytest.mark.parametrize("start", [0, 1, 101])
def test_row_numbers_identify_nobody(tmp_path, name, start):
    groups = [(c, s, a) for c in ("Adams", "Brown", "Clark", "Dover") for s in "FM" for a in range(6)]
    rows = [(start + at, *group, 2 + at % 7) for at, group in enumerate(groups)]
    path = written(tmp_path / "t.csv", f"{name},county,sex,agegroup,cases", rows)
    for ask in (lambda: RecordFile(path, "county,sex").profile(), lambda: Release.new(path, tmp_path / "p.toml")):
        with pytest.raises(InputError, match="'cases' counts"):
            ask()


def test_numbers_in_no_order_may_be_of_people(tmp_path):
    rows = [(1 + at * 7 % 48, "AB"[at % 2], "FM"[at // 2 % 2], at // 4, 2 + at % 7) for at in range(48)]
    path = written(tmp_path / "t.csv", "id,county,sex,agegroup,cases", rows)
    assert RecordFile(path, "county,sex").profile().answer.risk.records == 48


def test_numbers_of_states_are_asked_about_in_files_of_medicare(tmp_path):
    rows = [(1000 + at, ("22", "10")[at % 2], "FM"[at % 2], 66 + at % 20) for at in range(40)]
    path = written(tmp_path / "bene.csv", "bene_id,state_cd,sex,age", rows)
    (problem,) = [problem for column, problem, records in findings(path) if (column, records) == ("state_cd", 40)]
    assert "Louisiana by FIPS, Massachusetts by SSA" in problem
    head = '[fields.state]\ncolumn = "state_cd"\n'
    mapping = tmp_path / "m.toml"
    mapping.write_text(head)
    with pytest.raises(InputError, match='Write format = "ssa"'):
        RecordFile(path, "age,sex,state", mapping).score(attackers="general")
    for form, states in (("ssa", ["FL", "MA"]), ("fips", ["DE", "LA"])):
        mapping.write_text(f'{head}format = "{form}"\n')
        scored = RecordFile(path, "age,sex,state", mapping).score(attackers="general")
        assert sorted(scored.to_frame()["state"]) == states
        assert any(f"read as {form.upper()} codes of states" in note for note in scored.notes)
    made = Release.new(path, tmp_path / "p.toml", mapping=mapping, policy="safe-harbor")
    made.classify("state_cd", "key", "known", by="A", format="ssa")
    made.run(tmp_path / "out")
    assert set(read_coded(tmp_path / "out" / "send" / "release.csv")["state_cd"].values) == {"FL", "MA"}
    made.classify("state_cd", "key", "known", by="A", format="")
    with pytest.raises(InputError, match='Write format = "ssa"'):
        made.run(tmp_path / "again")


def test_which_numbers_states_have():
    assert state_numbers("state", ["39", "04"]) == "fips"
    assert state_numbers("state_code", ["39"], ["county_code"]) == "ssa or fips"
    assert state_numbers("state", ["39"], ["county"]) == "fips"
    assert state_numbers("state_fips_code", ["22"], ["bene_id"]) == "fips"
    assert state_numbers("state", ["07", "39"]) == "ssa or fips"  # FIPS has no 07
    assert [state_of(number, "ssa") for number in ("01", "36", "39", "53", "99")] == ["AL", "OH", "PA", "WY", None]
    assert len(POSTAL_OF_SSA) == len(set(POSTAL_OF_SSA.values())) == 53
    reading = read_field("state", FieldColumn("state"), ["39", "Ohio"])
    assert reading.meanings == ["OH", "OH"]
    (note,) = reading.notes
    assert "FIPS" in note
    assert note.endswith("39 for Ohio")


def test_a_day_that_many_records_share_is_a_code_for_missing(tmp_path):
    births = [f"{1940 + at % 50}-{1 + at % 12:02}-{1 + at % 28:02}" for at in range(95)]
    path = written(tmp_path / "v.csv", "dob,sex", [(day, "F") for day in [*births, *["1900-01-01"] * 5]])
    ((column, problem, records),) = findings(path)
    assert (column, "1900-01-01" in problem, records) == ("dob", True, 5)
    invoke("dataset", "check", path, "--write-mapping", tmp_path / "m.toml")
    assert 'missing = ["", "1900-01-01"]' in (tmp_path / "m.toml").read_text()
    other = written(tmp_path / "w.csv", "dob,sex", [(day, "F") for day in [*births, *["07/09/1962"] * 12]])
    assert ("dob", 12) in [(column, records) for column, problem, records in findings(other) if "one day" in problem]
    new_year = written(
        tmp_path / "x.csv", "dob,sex", [(d, "F") for d in [*births, *(f"{1940 + at}-01-01" for at in range(20))]]
    )
    assert any("January 1" in problem and records >= 20 for _, problem, records in findings(new_year))
    assert findings(written(tmp_path / "y.csv", "dob,sex", [(day, "F") for day in births])) == []


def test_columns_that_share_a_name_give_no_verdict(tmp_path):
    path = written(tmp_path / "v.csv", "sex,ssn,ssn", [("FM"[at % 2], f"900-10-{at:04}", at) for at in range(40)])
    done = invoke("dataset", "check", path)
    assert done.exit_code == 3
    assert re.match(r"2 columns .* no verdict: .*\(ssn\)", done.stdout)
    assert "Safe Harbor" not in done.output
    assert invoke("dataset", "check", path, "--format", "json").exit_code == 3


@pytest.mark.parametrize("state", ["CA", "California", "06"])
@pytest.mark.parametrize("county", ["037", "37", "37.0"])
def test_a_county_of_three_digits_is_of_its_state(tmp_path, state, county):
    rows = [("FM"[at % 2], 20 + at, state, county) for at in range(40)]
    path = written(tmp_path / "v.csv", "sex,age,state,county", rows)
    columns, _ = released(path, "limited-dataset")
    assert set(columns["county"]) == {"06037"}
    assert set(columns["state"]) == {"CA"}


def test_births_with_a_year_alone_or_without_a_day(tmp_path):
    births = ["1980", "07/09/1962", "1971-00-00", "1955-06-00", "19480000"]
    path = written(tmp_path / "v.csv", "sex,dob", [("FM"[at % 2], births[at % 5]) for at in range(50)])
    columns, _ = released(path)
    assert set(columns["dob"]) == {"1980", "1962", "1971", "1955", "1948"}
    assert read_field("birth_year", FieldColumn("dob"), births).meanings == [1980, 1962, 1971, 1955, 1948]
    assert read_field("birth_date", FieldColumn("dob", format="%m/%d/%Y|%Y"), births).unread == 4
    years = written(tmp_path / "w.csv", "sex,dob", [("F", year) for year in range(1950, 2000)])
    assert RecordFile.check(years).answer[1].kind.field == "birth_year"


def test_a_mapping_takes_several_forms_of_dates(tmp_path):
    rows = [("F", ("07/09/1962", "9Jul1962", "1980")[at % 3]) for at in range(30)]
    path = written(tmp_path / "v.csv", "sex,dob", rows)
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields.birth_date]\ncolumn = "dob"\nformat = ["%m/%d/%Y", "%d%b%Y", "%Y"]\n')
    made = Release.new(path, tmp_path / "p.toml", mapping=mapping, policy="safe-harbor")
    made.classify("dob", "key", "known", by="A")
    made.run(tmp_path / "out")
    assert read_coded(tmp_path / "out" / "send" / "release.csv")["dob"].rows_of_values() == {"1962": 20, "1980": 10}
    mapping.write_text('[fields.birth_date]\nformat = ["%Y", 3]\n')
    done = invoke("dataset", "profile", path, "--fields", "sex", "--mapping", mapping)
    assert (done.exit_code, "a list of texts" in done.stderr) == (2, True)


def test_one_code_costs_its_cells_and_not_the_column(tmp_path):
    rows = [("FM"[at % 2], ("104", "OOS", "112", "606", "021")[at % 5]) for at in range(40)]
    path = written(tmp_path / "v.csv", "sex,Zip Code - 3 digits", rows)
    columns, notes = released(path)
    assert columns["Zip Code - 3 digits"].count("") == 8
    assert set(columns["Zip Code - 3 digits"]) == {"", "104", "112", "606", "021"}
    assert any("1 value (8 records) is not understood" in note for note in notes)


def test_races_as_a_hospital_writes_them_stay(tmp_path):
    races = ["WHITE", "WHITE - RUSSIAN", "BLACK/AFRICAN AMERICAN", "Declined", "KLINGON", "HISPANIC/LATINO - CUBAN"]
    path = written(tmp_path / "v.csv", "sex,race", [("FM"[at % 2], races[at % 6]) for at in range(60)])
    columns, notes = released(path)
    assert set(columns["race"]) == {"White", "White Russian", "Black or African American", "Unknown", "", "Cuban"}
    assert columns["race"].count("") == 10
    assert any("10 records" in note for note in notes)


def test_a_first_record_is_no_header(tmp_path):
    rows = [(100234 + at, "Roe", "", "FM"[at % 2], "", f"05/{1 + at % 28:02}/1961", 32301) for at in range(40)]
    with_gaps = written(tmp_path / "v.csv", ",".join(map(str, rows[0])), rows[1:])
    people = [("Doe", f"Ann{at}", "FM"[at % 2], f"1950-03-{1 + at % 28:02}", 44503, "I10") for at in range(39)]
    whole = written(tmp_path / "w.csv", "Okafor,Maria,F,1941-03-14,44503,E11.9", people)
    for path in (with_gaps, whole):
        done = invoke("dataset", "check", path)
        assert (done.exit_code, "the first line looks like a record" in done.stderr) == (2, True)
        assert invoke("release", "new", path, tmp_path / "p.toml").exit_code == 2
        assert not (tmp_path / "p.toml").exists()


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("id,Diabetes,Other", [(at, ("Diabetes", "")[at % 2], ("Other", "")[at % 3 > 0]) for at in range(12)]),
        ("id,sex,2019,2020", [(at, "F", 1, 2) for at in range(12)]),
        ("sex,age", [("F", 30), ("sex", "age"), ("M", 31)]),  # two files that were joined
        ("A,B,Class", [("A", "x", "1st"), ("B", "y", "2nd")]),
    ],
)
def test_headers_with_words_that_are_values_too_are_headers(tmp_path, head, rows):
    assert not lacks_header(read_csv_header(written(tmp_path / "v.csv", head, rows)))


def test_lines_that_describe_the_columns_are_no_records(tmp_path):
    text = 'Q1,Q2\nWhat is your age?,Sex?\n"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n30,F\n41,M\n'
    (tmp_path / "v.csv").write_text(text)
    done = invoke("dataset", "check", tmp_path / "v.csv")
    assert (done.exit_code, "lines 2 and 3 describe the columns" in done.stderr) == (2, True)


def test_the_question_of_2024():
    """One question on race and ethnicity, with seven answers and as many marks as fit."""
    texts = [
        "Middle Eastern or North African", "Hispanic or Latino", "White; Hispanic or Latino", "Lebanese",
        "White; Middle Eastern or North African", "Asian; Black or African American",
        "Native Hawaiian or Pacific Islander; Hispanic or Latino", "American Indian or Alaska Native",
    ]  # fmt: skip
    reading = race_column("race_ethnicity", "race_ethnicity", texts)
    assert list(reading.meanings) == [
        "white", "hispanic", "hispanic", "white", "white", "multiple", "hispanic", "aian",
    ]  # fmt: skip
    for word in ("Middle East", "several marks"):
        (said,) = (note for note in reading.notes if word in note)
        assert numbers(said) == ["3"]
