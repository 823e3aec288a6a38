"""The release files that ship, the errors for damaged ones, and their tables."""

from __future__ import annotations

import shutil

import pytest

from policy_sim.files.paths import data_dir
from policy_sim.files.schema import read_document
from policy_sim.policies.policy import PolicyByState
from policy_sim.policies.states.files import (
    RELEASE_FOLDER,
    ProgramTable,
    ReleaseTable,
    element_counts_frame,
    element_years,
    elements_frame,
    findings_frame,
    load_releases,
    newest_releases,
    parse_programs,
    parse_release_file,
    programs_frame,
    release_diff_frame,
    release_history_frame,
    release_policy,
    releases_frame,
    releases_of,
)
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError

NC = """jurisdiction = "NC"

[[release]]
id = "inpatient"
program = "hcup-sid"
years = "2020"

[release.shows]
zip5 = "all"
"""


@pytest.fixture
def folder(tmp_path):
    shutil.copy(data_dir() / "releases" / "_programs.toml", tmp_path)
    (tmp_path / "nc.toml").write_text(NC, encoding="utf-8")
    return tmp_path


def test_every_shipped_file_is_read_and_every_fact_has_a_source():
    files, problems = RELEASE_FOLDER.scan()
    assert problems == {}
    assert len(files) == 38  # 36 of the load programs, Texas, and the surveys of all states
    for file in files.values():
        for release in file.releases:
            assert release.program.evidence.sources
            assert release.program.evidence.confidence
            assert set(release.program.evidence.sources) <= set(release.sources)
        assert all(each.evidence.sources for each in file.findings)


def test_a_folder_of_ones_own_may_use_the_shipped_programs(folder):
    (folder / "_programs.toml").unlink()
    assert load_releases(folder)["NC"].releases[0].program.id == "hcup-sid"


def test_a_changed_file_is_read_again(folder):
    before, digest = load_releases(folder)["NC"], RELEASE_FOLDER.digest(folder)
    (folder / "nc.toml").write_text(NC.replace("zip5", "zip3"), encoding="utf-8")
    assert load_releases(folder)["NC"] != before
    assert RELEASE_FOLDER.digest(folder) != digest


def test_everything_that_is_wrong_is_said_at_once(folder):
    (folder / "nc.toml").write_text(NC.replace('"NC"', '"SC"').replace("hcup-sid", "hcup").replace("zip5", "zip6"))
    (folder / "va.toml").write_text("jurisdiction = ", encoding="utf-8")
    (folder / "Ohio.toml").write_text("", encoding="utf-8")
    (folder / "wa.toml").write_text(NC.replace("NC", "WA").replace('"all"', '"2021"') + "extra = 1\n")
    with pytest.raises(SchemaError) as caught:
        load_releases(folder)
    lines = caught.value.lines
    for said in (
        "nc.toml: jurisdiction = 'SC', but the file's name says 'NC'",
        "nc.toml: release 1: program = 'hcup' is not one of hcup-sid, hcup-sedd",
        "nc.toml: release 1: shows.zip6 is not a known key",
        "va.toml: is not TOML",
        "Ohio.toml: the file's name must be a state's postal code",
        "wa.toml: release 1: shows.extra",
    ):
        assert any(said in line for line in lines), said


def test_a_year_that_the_release_lacks_and_a_double_id_are_problems(folder):
    (folder / "nc.toml").write_text(NC.replace('"all"', '"2021"'), encoding="utf-8")
    (folder / "wa.toml").write_text(NC.replace("NC", "WA") + NC.split("\n", 1)[1], encoding="utf-8")
    _, problems = RELEASE_FOLDER.scan(folder)
    said = [line for lines in problems.values() for line in lines]
    year, twice = said
    assert year.startswith("release 1: shows.zip5: 2021 ")
    assert twice.startswith("release 'inpatient' is defined twice")


def test_no_folder_is_an_error_of_the_outside_and_an_empty_one_says_so(tmp_path):
    with pytest.raises(SourceError, match="no such folder"):
        load_releases(tmp_path / "none")
    with pytest.raises(SchemaError, match="this folder has no state files"):
        load_releases(tmp_path)


def test_the_newest_are_those_whose_source_lists_everything():
    newest = newest_releases()
    assert "TX" not in newest
    assert newest["NY"][0].id == "inpatient"
    assert newest_releases("emergency")["NC"][0].id == "emergency"
    assert "HI" not in newest_releases(year=2020)


@pytest.mark.parametrize("text", ["NC", "NC:", "NC:x", "NC:2016:a:b", "", "newest:NC", "NC:²"])
def test_another_form_of_a_choice_says_how_it_is_written(text):
    with pytest.raises(InputError, match="NC:2016"):
        release_policy(text)


def test_a_state_file_or_year_that_there_is_not_names_those_that_there_are():
    for text, said in (("OH:2016", "NC"), ("NC:1998", "2000"), ("NC:2016:night", "emergency"), ("ZZ:2016", "state")):
        with pytest.raises(UnknownNameError, match=said):
            release_policy(text)


def test_a_file_that_is_not_known_in_full_has_two_ends_in_every_state():
    policy = release_policy("TX:2012:pudf")
    assert isinstance(policy, PolicyByState)
    low, high = policy.in_state("OH")
    assert (low.releases["birth"], high.releases["birth"]) == ("none", "five_years")


def test_surveys_stand_under_the_nation():
    assert len(releases_of("us").findings) == 3
    assert releases_of("North Carolina").jurisdiction == "NC"


# From tables to releases: what a file may leave out, and that what is wrong is left out of the rest.


PROGRAM = {"id": "p", "title": "A file", "holder": "Somebody", "setting": "inpatient", "sources": ["s"]}
SHARED = {"program": [PROGRAM], "source": [{"id": "s", "title": "A source"}]}


def parsed(raw):
    problems: list[str] = []
    programs, sources = parse_programs(SHARED, problems)
    return parse_release_file(raw, "NC", programs, sources, problems), problems


def test_a_release_cites_its_own_sources_and_those_of_its_program():
    own = {"id": "own", "title": "Another"}
    release = {"id": "a", "program": "p", "years": "2020", "sources": ["own"]}
    file, problems = parsed({"jurisdiction": "NC", "release": [release], "source": [own]})
    assert problems == []
    assert list(file.releases[0].sources) == ["own", "s"]
    assert file.releases[0].program.agreement.required is None


def test_what_is_wrong_does_not_hide_the_rest():
    good = {"id": "a", "program": "p", "years": "2020", "shows": {"age": "all"}}
    bad = {"id": "b", "program": "none", "years": "x"}
    file, problems = parsed({"jurisdiction": "NC", "release": [good, bad, 1], "extra": 1})
    assert [release.id for release in file.releases] == ["a"]
    extra, *wrong, no_table = problems
    assert extra.startswith("extra is not a known key. ")
    assert [line.split(":")[0] for line in wrong] == ["release 2"] * 2
    assert no_table.startswith("release 3 is not a table")


def test_programs_and_sources_have_ids_of_their_own():
    problems: list[str] = []
    parse_programs({"program": [PROGRAM, PROGRAM], "source": [*SHARED["source"]] * 2, "release": []}, problems)
    assert len(problems) == 3


def test_an_array_that_is_a_table_is_a_problem():
    _, problems = parsed({"jurisdiction": "NC", "release": {"id": "a"}})
    assert len(problems) == 1
    assert "[[release]]" in problems[0]


# What a key of a release file may hold.


RELEASE = {"id": "inpatient", "program": "p", "years": "2019-2020"}


def problems_of(model, table):
    problems: list[str] = []
    read_document(model, table, problems, "", {"sources": {"s": None}, "programs": {"p": None}})
    return problems


def test_a_release_needs_an_id_a_program_and_years():
    assert problems_of(ReleaseTable, RELEASE) == []
    assert [line.split()[0] for line in problems_of(ReleaseTable, {})] == ["id", "program", "years"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"program": "q"}, "program = 'q' is not one of p"),
        ({"years": "2020-2019"}, "earliest to the latest"),
        ({"shows": {"zip6": "all"}}, "shows.zip6 is not a known key"),
        ({"shows": {"zip5": "some"}}, "shows.zip5"),
        ({"sources": ["t"]}, "cites 't'"),
        ({"complete": "yes"}, "complete"),
        ({"confidence": "sure"}, "one of high, medium, low"),
    ],
)
def test_each_wrong_value_is_named(change, said):
    (line,) = problems_of(ReleaseTable, {**RELEASE, **change})
    assert said in line


def test_an_agreement_that_no_source_mentions_is_unknown_and_a_price_is_no_negative_number():
    table = {"id": "p", "title": "t", "holder": "h", "setting": "inpatient"}
    made = read_document(ProgramTable, table, [], "", {"sources": {}})
    assert made.agreement.required is None
    assert made.price.kind == "unknown"
    (line,) = problems_of(ProgramTable, {**table, "price": {"kind": "flat", "usd": -1.0}})
    assert "price.usd" in line


def test_all_stands_for_the_years_of_the_release():
    made = read_document(ReleaseTable, {**RELEASE, "shows": {"zip5": "all", "age": "2020"}}, [], "", None)
    years = frozenset({2019, 2020})
    assert element_years(made.shows, years) == {"zip5": years, "age": frozenset({2020})}


# The counts printed in the notes on the load programs, recomputed; histories and differences by hand.


def shown(year=None):
    frame = element_counts_frame(newest_releases(year=year).values())
    return frame.set_index("element")["shown"], int(frame["files"].iloc[0])


def test_the_newest_inpatient_files_show_what_is_printed_of_them():
    count, files = shown()
    assert files == 36
    printed = {
        "birth_month": 26,
        "birth_year": 26,
        "zip5": 26,
        "zip3": 31,
        "county": 28,
        "any_county": 34,
        "race_ethnicity": 34,
        "hispanic_origin": 29,
        "admission_month": 33,
        "person_link": 21,
        "birth_month+sex+race+zip5": 20,
    }
    assert {name: int(count[name]) for name in printed} == printed


def test_the_trend_is_what_is_printed_of_it():
    early, of_early = shown(1998)
    late, of_late = shown(2020)
    assert (early["zip5"], of_early, late["zip5"], of_late) == (9, 15, 26, 35)
    assert (early["birth_month"], late["birth_month"]) == (7, 25)


def test_programs_have_the_files_that_are_printed():
    frame = programs_frame(release for file in load_releases().values() for release in file.releases)
    frame = frame.set_index("program")
    assert frame.loc[["hcup-sid", "hcup-sedd"], "files"].tolist() == [770, 421]
    assert frame.loc["hcup-sid", ["jurisdictions", "first", "last"]].tolist() == [36, 1990, 2021]
    assert frame.loc["hcup-sid", ["agreement", "price"]].tolist() == ["required", "unknown"]
    assert frame.loc["chars", ["agreement", "price"]].tolist() == ["unknown", "flat"]


def test_a_row_of_the_list_has_both_ends_where_one_is_unknown():
    frame = releases_frame(newest_releases().values()).set_index("state")
    assert frame.loc["ME", "birth"] == "none or five_years"
    shown = frame[["sex", "race", "ethnicity", "birth", "geography"]]
    assert shown.loc["NC"].tolist() == ["value", "five_races", "value", "month", "county_zip5"]
    assert shown.loc["CO", ["race", "ethnicity"]].tolist() == ["hcup", "with race"]
    assert frame["price_usd"].isna().all()  # no source has the price of a single state


def test_history_says_what_came_and_went():
    (inpatient, _) = load_releases()["NC"].releases
    frame = release_history_frame(inpatient).set_index("year")
    assert frame.loc[2000, "change"] == ""
    assert frame.loc[2009, "change"] == "+person_link +days_between_visits -race_ethnicity"
    assert frame.loc[2010, "change"] == "+race_ethnicity +zip3"
    assert len(frame) == 21


def test_diff_lists_what_is_shown_in_one_year_only():
    inpatient = load_releases()["CA"].releases[0]
    frame = release_diff_frame(inpatient, 2011, 2020)
    assert frame["element"].tolist() == ["birth_year", "hispanic_origin", "zip5", "zip3"]
    assert frame["2011"].tolist() == ["not shown", "unknown", "not shown", "not shown"]
    assert release_diff_frame(inpatient, 2020, 2020).empty
    with pytest.raises(UnknownNameError, match="2012"):
        release_diff_frame(inpatient, 2012, 2020)  # no file of 2012 is recorded


def test_elements_have_the_years_that_show_them():
    frame = elements_frame(load_releases()["NC"].releases[:1]).set_index("element")
    assert frame.loc["race_ethnicity", "shown"] == "2000-2008, 2010-2020"
    assert frame.loc["person_link", "newest"] == "not shown"


def test_findings_keep_their_counts():
    assert findings_frame(load_releases()["US"].findings)["counted"].tolist() == [33, 13, 3]
