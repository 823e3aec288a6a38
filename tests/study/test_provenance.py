"""What a new user finds at the front door, from README alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

import policy_sim
from policy_sim import RecordFile, Study, UnknownNameError, reproduce
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import sha256_of
from policy_sim.people.facts import ethnicity_note
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Policy
from policy_sim.study.provenance import AnswerProvenance, decided_fields
from policy_sim.study.question import Question
from policy_sim.words.fields import Granularities


def notes(studies, *question, start=""):
    """The notes of an answer that nobody has computed."""
    studies = studies if isinstance(studies, tuple) else (studies,)
    lines = AnswerProvenance(studies, Question.of(*question), "compare").notes
    return [line for line in lines if line.startswith(start)]


def test_every_public_name_is_there_and_completes():
    for name in policy_sim.__all__:
        assert getattr(policy_sim, name).__doc__, name
    assert {*policy_sim.__all__} <= set(dir(policy_sim))
    with pytest.raises(AttributeError, match="Studdy"):
        policy_sim.Studdy  # noqa: B018


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, policy_sim; print([m for m in ('numpy', 'pandas', 'click', 'matplotlib') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
def test_provenance_is_the_same_from_python_as_from_the_command_line(tmp_path):
    from click.testing import CliRunner

    from policy_sim.cli.main import cli

    arguments = ["trust", "--population", "us-2010", "--lists", "2026", "--state", "DE", "--g", "1"]
    done = CliRunner().invoke(cli, [*arguments, "--out", str(tmp_path / "out"), "--format", "csv"])
    assert done.exit_code == 0, done.output
    written = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    origin = Study("us-2010", 2026).compare(states="DE", g=1).provenance
    assert {key: value for key, value in written.items() if key != "files"} == json.loads(
        json.dumps(origin.manifest("trust"), default=str)
    )
    assert origin.notes == written["notes"]


@pytest.mark.slow
def test_bibtex_has_the_people_and_each_source_once():
    answer = Study("us-2010", 2026).compare("limited-dataset", ["voter", "texas-birth-index"], ["TX", "OH"])
    entries = re.findall(r"^@misc\{([^,]+),$", answer.provenance.bibtex, re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert entries[0] == "us-2010"
    lists = [Study("us-2010", 2026).voter.voter_list(state) for state in ("OH", "TX")]
    assert {source for each in lists for source in each.sources} < set(entries)
    general = Study("us-2010", 2026).compare("safe-harbor", "general", "OH").provenance.bibtex
    model = re.findall(r"^@(\w+)\{([^,]+),$", general, re.MULTILINE)[:3]
    assert model == [("software", "policy-sim"), ("inproceedings", "golle-2006"), ("article", "benitez-malin-2010")]
    assert "doi:10.1136/jamia.2009.000026" in answer.provenance.citation
    assert re.findall(r"^@misc\{([^,]+),$", general, re.MULTILINE) == ["us-2010"]


def test_a_population_without_zip_codes_says_nothing_of_small_ones():
    """Of 2000 no people by ZIP code are known: no prefix is shown, so none is 000."""
    for name, has_zip_codes in (("us-2010", True), ("us-2000", False)):
        lines = notes(Study(name, 2026), "safe-harbor", "general", "DE")
        assert any(line.startswith("ZIP codes: 000") for line in lines) is has_zip_codes
        assert any("not by ZIP code" in line for line in lines) is not has_zip_codes


@pytest.mark.slow
def test_a_counted_state_is_called_counted_by_every_question():
    study = Study("us-2010", 2026)
    answers = (
        study.compare("safe-harbor", "general", "TX"),
        study.explore("TX"),
        study.what_if("TX", {"birth": "year"}),
    )
    for answer in answers:
        assert "(100.0% in TX counted)" in answer.provenance.notes[0]


def test_the_zip_codes_of_2022_say_that_their_shares_are_of_2020():
    for state, regions in (("DE", False), ("CT", True)):
        (note,) = notes(Study("us-2022"), "limited-dataset", "general", state, start="ZIP codes of us-2022: ")
        assert "each county's shares are those of us-2020" in note
        assert ("planning region of its town" in note) is regions


def test_figures_by_the_regions_of_connecticut_say_that_they_are_no_counties():
    words = "counties of Connecticut in us-2022: nine planning regions"
    by_county, limited = "geography=county", "limited-dataset"
    assert len(notes(Study("us-2022"), by_county, "general", "CT", start=words)) == 1
    for year, state, policy in (("us-2022", "OH", by_county), ("us-2020", "CT", by_county), ("us-2022", "CT", limited)):
        assert not notes(Study(year), policy, "general", state, start=words)


def test_the_fields_that_decide_are_those_released():
    assert decided_fields([load_policy("limited-dataset-paper")]) == ["gender", "race", "birth", "geography"]
    assert decided_fields([load_policy("safe-harbor-paper")]) == ["gender", "race", "birth"]
    assert "zip" in decided_fields([load_policy("zip5")])


@pytest.mark.slow
def test_every_answer_with_lists_tells_how_old_its_facts_are():
    study = Study("us-2010", 2026)
    for answer in (study.compare(states="IN"), study.cost(states="IN"), study.what_if("IN", {"birth": "year"})):
        (line,) = [note for note in answer.provenance.notes if note.startswith("age of facts: ")]
        assert line.startswith("age of facts: IN, oldest fact used: ")
        assert "2005" in line
        assert "OLD: more than 24 months" in line
    general = study.compare(attackers="general", states="IN")
    assert not [note for note in general.provenance.notes if note.startswith("age of facts")]


def test_lists_that_nobody_has_give_no_note():
    assert not notes(Study("us-2010", 2026), "limited-dataset-paper", "voter", "HI", start="age of facts")


def test_noise_is_told_once_per_population():
    both = Study("us-2010"), Study("us-2020")
    (note,) = notes(both, "safe-harbor-paper", "general", "DE", start="noise of ")
    assert note.startswith("noise of us-2020: ")


def test_how_sure_ethnicity_is_stands_where_a_policy_shows_it():
    for shown, many in (("ethnicity+birth=year", 1), ("race=race_ethnicity+birth=year", 1), ("race+birth=year", 0)):
        policy = Policy("made", "", Granularities.parse(shown), "")
        start = "ethnicity of us-2010: 74.8% "
        assert len(notes(Study("us-2010"), policy, "general", "DE", start=start)) == many
    assert ethnicity_note("us-2020-zip").startswith("ethnicity of us-2020-zip: nobody is counted")
    assert ethnicity_note("mine") == ""


@pytest.mark.slow
def test_the_manifest_has_the_checksum_of_the_file_of_hispanics_where_ethnicity_is_shown():
    study, file = Study("us-2010", 2026), data_dir() / "populations" / "us-2010-hispanic.parquet"
    shown = {
        "race+ethnicity": study.compare("race+ethnicity+birth=year", "general", "DE"),
        "race_ethnicity": study.compare("race=race_ethnicity", "general", "DE"),
        "broken down": study.break_down("ethnicity", "race+birth=year", "general", "DE"),
        "searched": study.explore("DE", keep="race_ethnicity"),
    }
    for answer in shown.values():
        assert answer.provenance.manifest()["inputs"]["ethnicity us-2010"] == sha256_of(file)
    for answer in (study.compare("race+birth=year", "general", "DE"), study.explore("DE", "safe-harbor-race-alone")):
        assert "ethnicity us-2010" not in answer.provenance.manifest()["inputs"]
    assert study.people.provenance.checksums(ethnicity=True).keys() == {"population us-2010", "ethnicity us-2010"}
    assert replace(study.people.provenance, hispanic_sha256="").checksums(ethnicity=True).keys() == {
        "population us-2010"
    }


def test_the_share_counted_stands_in_the_manifest():
    manifest = Study("us-2000", 2026).compare(states="TX").provenance.manifest()
    assert round(manifest["options"]["counted"][0], 3) == 0.888
    assert "100.0% in TX" in manifest["notes"][0]


@pytest.mark.slow
def test_voters_of_today_beside_people_of_a_decade_ago_are_noted():
    """Nevada's registered voters of 2024 are nearly its adults of 2000: precision then looks like certainty."""
    asked = ("limited-dataset-paper", "voter", "NV")

    def noted(people, **lists):
        return notes(Study(people, **lists), *asked, start="registered voters: those of ")

    assert {year for year in (2000, 2010, 2020, 2022) if noted(f"us-{year}", lists=2026)} == {2000, 2010}
    assert not noted("us-2010", lists=2008)
    (later,) = noted("us-2000", lists=2026)
    assert "of the adults of 2000 (us-2000)" in later
    assert "the share is too large" in later
    (earlier,) = noted("us-2020", lists=2008)
    assert "the share is too small" in earlier
    assert not [line for coverage in ("adults", "everyone") for line in noted("us-2000", coverage=coverage)]


def _registered(study, *question):
    provenance = AnswerProvenance((study,), Question.of(*question), "compare")
    start = "registered voters: "
    return [line.removeprefix(start) for line in notes(study, *question, start=start)], set(provenance.inputs)


@pytest.mark.slow
def test_who_is_on_the_lists_is_told_in_a_line_or_two():
    counts, survey = {"by_county.parquet", "registration.toml"}, {"registered_voters.toml"}
    asked, study = ("limited-dataset-paper", "voter"), Study("us-2020", 2026)
    for one, states, said, read in (
        (study, "OH", ["active records of a county,", "ranges of figures"], counts),
        (
            study,
            ["WY", "ND"],
            ["active records", "ranges of figures", "WY reported (nearly)", "ND registers nobody:"],
            counts | survey,
        ),
        (Study("us-2020", 2026, coverage="survey"), "OH", ["survey estimates"], survey),
    ):
        lines, inputs = _registered(one, *asked, states)
        assert [line.startswith(start) for line, start in zip(lines, said, strict=True)] == [True] * len(said), lines
        assert inputs & (counts | survey) == read
    lines, _ = _registered(study, "limited-dataset-paper", "voter+texas-birth-index", "TX")
    assert "in another file too" in lines[-1]


def test_a_population_without_counties_takes_the_survey_and_says_so(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("state,sex,race,age,age_width,people\nOH,F,white,30,1,7\nOH,M,white,31,1,9\n")
    lines, inputs = _registered(Study(str(path), 2026), "safe-harbor-paper", "voter", "OH")
    assert lines[0].startswith("population people has no counties")
    assert "registered_voters.toml" in inputs
    assert "by_county.parquet" not in inputs


@pytest.mark.slow
def test_a_list_with_hispanic_among_its_races_is_named_where_a_release_has_race_alone():
    def said(policies, states):
        return notes(Study("us-2010"), policies, "voter", states, start="race: ")

    alone = ["safe-harbor-race-alone", "limited-dataset-race-alone"]
    (note,) = said(alone, ["FL", "OH"])
    assert note.startswith("race: FL count Hispanic as a race")
    assert said(alone, ["OH"]) == [], "its list has no race"
    assert said(["safe-harbor"], ["FL"]) == [], "asked alike"


def test_answers_about_a_file_or_a_paper_have_provenance_too(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n30,F\n41,M\n", encoding="utf-8")
    answer = RecordFile(path, "age,sex").profile()
    assert answer.provenance.notes == answer.notes
    assert answer.provenance.manifest()["inputs"] == {"visits.csv": sha256_of(path)}
    for source in (answer.provenance, reproduce("dankar-2010").provenance):
        assert "10.1136/jamia.2009.000026" in source.citation


def test_a_slip_in_an_argument_is_named(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n30,F\n41,M\n", encoding="utf-8")
    with pytest.raises(UnknownNameError, match=r"compare\(\) 'state' is not known. Did you mean 'states'"):
        Study("us-2010").compare(state="OH")
    with pytest.raises(UnknownNameError, match=r"'state' is not known. Did you mean 'states'"):
        RecordFile(path, "age").score(state="OH")
