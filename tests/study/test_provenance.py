"""What a new user finds at the front door, from README alone."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import policy_sim
from policy_sim import Study
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import sha256_of
from policy_sim.people.by_name import load_population
from policy_sim.people.facts import ethnicity_note
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Policy
from policy_sim.study.provenance import coverage_notes, decided_fields, freshness_notes, noise_notes
from policy_sim.words.fields import Granularities

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


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
def test_the_script_of_readme_shows_a_table_and_a_map_and_cites_the_list(capsys):
    """As a notebook: every line that is an expression is shown."""
    script = re.search(r"```python\n(from policy_sim import Study\n.*?)```", README, re.DOTALL)[1]
    names, shown = {}, []
    for line in ast.parse(script).body:
        if isinstance(line, ast.Expr):
            shown.append(eval(compile(ast.Expression(line.value), "README.md", "eval"), names))
        else:
            exec(compile(ast.Module([line], []), "README.md", "exec"), names)
    answer, frame, shapes, figure, trust, intervals, costs, *_ = shown
    assert "<table" in answer._repr_html_()
    assert len(frame) == len(shapes) == 2 * 2 * 8
    assert shapes.geometry.notna().all()
    assert figure._repr_png_().startswith(b"\x89PNG")
    for result in (answer, trust, intervals, costs):
        assert len(repr(result).splitlines()) <= 10
    printed = capsys.readouterr().out
    assert re.search(r"Voter list of OH, vintage 2026: available; holds birth \(date\).*https?://", printed, re.DOTALL)
    assert "Census 2020" in printed


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
    for name, said in (("us-2010", True), ("us-2000", False)):
        notes = Study(name, 2026).compare("safe-harbor", "general", "DE").provenance.notes
        assert any(note.startswith("ZIP codes: 000") for note in notes) is said
        assert any("not by ZIP code" in note for note in notes) is not said


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
    study = Study("us-2022", 2026)
    for state, regions in (("DE", False), ("CT", True)):
        notes = study.compare("limited-dataset", "general", state).provenance.notes
        (note,) = [line for line in notes if line.startswith("ZIP codes of us-2022: ")]
        assert "each county's shares are those of us-2020" in note
        assert ("planning regions" in note) is regions


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
    lists = Study("us-2010", 2026).voter.voter_lists.lists
    assert freshness_notes(lists, [load_policy("limited-dataset-paper")], ["HI"]) == []


def test_noise_is_told_once_per_population():
    notes = noise_notes(load_population(name).provenance for name in ("us-2010", "us-2020"))
    assert len(notes) == 1
    assert notes[0].startswith("noise of us-2020: ")


def test_how_sure_ethnicity_is_stands_where_a_policy_shows_it():
    def notes(releases):
        policy = Policy("made", "", Granularities.parse(releases), "")
        answer = Study("us-2010", 2026).compare(policy, "general", "DE")
        return [note for note in answer.provenance.notes if note.startswith("ethnicity of us-2010: 74.8% ")]

    assert len(notes("ethnicity+birth=year")) == len(notes("race=race_ethnicity+birth=year")) == 1
    assert not notes("race+birth=year")
    assert ethnicity_note("us-2020-zip").startswith("ethnicity of us-2020-zip: nobody is counted with it")
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
    registered = load_coverage("registered", "2026")
    people = {name: load_population(name).provenance for name in ("us-2000", "us-2010", "us-2020", "us-2022")}
    noted = {name for name, each in people.items() if coverage_notes([each], registered)}
    assert noted == {"us-2000", "us-2010"}
    assert not coverage_notes([people["us-2010"]], load_coverage("registered", "2008"))
    (later,) = coverage_notes([people["us-2010"]], registered)
    assert "the share is too large" in later
    (earlier,) = coverage_notes([people["us-2020"]], load_coverage("registered", "2008"))
    assert "the share is too small" in earlier
    assert not coverage_notes(people.values(), load_coverage("adults", "2026"))
    assert not coverage_notes(people.values(), None)
    notes = Study("us-2000", 2026).compare("limited-dataset", "voter", "NV").provenance.notes
    assert any("those of 2024, as a share of the adults of 2000 (us-2000)" in note for note in notes)


def _registered(study, *question):
    provenance = study.compare(*question).provenance
    start = "registered voters: "
    return [note.removeprefix(start) for note in provenance.notes if note.startswith(start)], provenance.inputs


@pytest.mark.slow
def test_who_is_on_the_lists_is_told_in_a_line_or_two():
    counts, survey = {"by_county.parquet", "registration.toml"}, {"registered_voters.toml"}
    notes, inputs = _registered(Study("us-2020", 2026), "limited-dataset-paper", "voter", "OH")
    assert [note[:27] for note in notes] == ["active records of a county,"]
    assert set(inputs) & (counts | survey) == counts
    notes, inputs = _registered(Study("us-2020", 2026), "limited-dataset-paper", "voter", ["WY", "ND"])
    assert [note[:20] for note in notes[1:]] == ["WY reported (nearly)", "ND registers nobody:"]
    assert set(inputs) & (counts | survey) == counts | survey
    notes, _ = _registered(Study("us-2020", 2026), "limited-dataset-paper", "voter+texas-birth-index", "TX")
    assert "in another file too" in notes[-1]
    notes, inputs = _registered(Study("us-2020", 2026, coverage="survey"), "limited-dataset-paper", "voter", "OH")
    assert [note[:16] for note in notes] == ["survey estimates"]
    assert set(inputs) & (counts | survey) == survey


def test_a_population_without_counties_takes_the_survey_and_says_so(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("state,sex,race,age,age_width,people\nOH,F,white,30,1,7\nOH,M,white,31,1,9\n")
    notes, inputs = _registered(Study(str(path), 2026), "safe-harbor-paper", "voter", "OH")
    assert notes[0].startswith("population people has no counties: as many of a state's adults are listed as say so")
    assert "registered_voters.toml" in inputs
    assert "by_county.parquet" not in inputs


@pytest.mark.slow
def test_a_list_with_hispanic_among_its_races_is_named_where_a_release_has_race_alone():
    study = Study("us-2010")

    def notes(policies, states):
        found = study.compare(policies, "voter", states, rules="regulation").provenance.notes
        return [note for note in found if note.startswith("race: ")]

    alone = ["safe-harbor-race-alone", "limited-dataset-race-alone"]
    (note,) = notes(alone, ["FL", "OH"])
    assert note.startswith("race: FL count Hispanic as a race")
    assert notes(alone, ["OH"]) == [], "its list has no race"
    assert notes(["safe-harbor"], ["FL"]) == [], "asked alike"
