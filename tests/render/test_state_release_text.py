"""What a reader sees of releases: terms, years, caveats and sources."""

from __future__ import annotations

from policy_sim.io.state_release_files import load_releases, newest_releases
from policy_sim.render.state_release_text import (
    counts_text,
    findings_text,
    own_release_line,
    release_text,
    releases_text,
)
from policy_sim.state_releases.release_policy import terms
from policy_sim.state_releases.release_tables import element_counts_frame, elements_frame, releases_frame
from policy_sim.study import Study


def shown(state, file):
    (release,) = (each for each in load_releases()[state].releases if each.id == file)
    return release_text(release, "Somewhere", elements_frame([release]))


def test_a_file_names_its_agreement_price_caveats_and_sources():
    text = shown("NC", "inpatient")
    for said in ("HCUP data use agreement", "price:         unknown", "2000-2008, 2010-2020", "can be empty or masked"):
        assert said in text
    assert "federman/hcup-extraction-loading" in text
    assert "unknown in" in text  # whether the county is that of the ZIP code, since 2019


def test_a_file_known_in_part_says_so():
    text = shown("WA", "chars")
    assert "does not list every element" in text
    assert "$50.00 for one year" in text
    assert "No source says what the file shows." in shown("WA", "chars-after-2013")


def test_years_of_which_nothing_is_known_have_a_column():
    assert "unknown in" in shown("AZ", "inpatient")


def test_no_line_is_wider_than_the_page():
    assert max(len(line) for line in shown("WA", "chars").splitlines()) <= 100


def test_the_list_has_a_line_per_state_and_the_terms_once():
    chosen = [*newest_releases().values()]
    text = releases_text(releases_frame(chosen), terms(chosen[0][0]))
    assert text.count("price: unknown") == 1
    assert text.count("inpatient") == 36


def test_elements_that_no_file_shows_are_left_out():
    text = counts_text(element_counts_frame(newest_releases().values()))
    assert "26 of 36" in text
    assert "date of birth" not in text


def test_findings_name_their_survey():
    file = load_releases()["US"]
    assert "33 states release" in findings_text(file.findings, file.sources)
    assert "Hooley" in findings_text(file.findings, file.sources)


def test_an_own_release_is_one_line_with_its_risk_and_the_ratio():
    study = Study("us-2010")
    policy, profile = study.own_release("NC", 1)
    line = own_release_line(policy, profile, "total-risk", profile.people("total-risk").low / 4)
    assert line.startswith("own release: North Carolina, inpatient file of 2020, gender+race+birth=month")
    assert "(29.3%) at risk, 4 times the first row" in line
    assert "times" not in own_release_line(policy, profile, "total-risk", 0.0)


def test_an_own_release_with_two_ends_has_both_and_none_has_a_reason():
    study = Study("us-2020")
    assert "84 (0.0062%) to " in own_release_line(*study.own_release("ME", 1), "total-risk", 1000.0)
    assert own_release_line(*study.own_release("OH", 1), "total-risk", 1.0).startswith("own release: no release")
