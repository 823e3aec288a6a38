"""A list as text fits the terminal and cannot command it."""

from __future__ import annotations

import dataclasses
import re
import runpy

import pandas as pd
import pytest

from policy_sim.policies.states.files import (
    element_counts_frame,
    elements_frame,
    load_releases,
    newest_releases,
    releases_frame,
)
from policy_sim.policies.states.state_release import terms
from policy_sim.show.list_text import (
    counts_text,
    findings_text,
    own_release_line,
    release_text,
    releases_text,
    sources_text,
    table_check_text,
    voter_list_text,
)
from policy_sim.study.study import Study
from policy_sim.voter_lists.files import load_voter_lists, read_state_files


@pytest.fixture(scope="module")
def ohio():
    return load_voter_lists("2026")["OH"]


def test_a_list_fits_the_terminal_commands_nothing_and_says_sex_for_the_field_gender(ohio, monkeypatch):
    text = voter_list_text(dataclasses.replace(ohio, notes=("evil\x1b[2Jnote",)), "Ohio")
    assert "\x1b" not in text
    assert "evil\ufffd[2Jnote" in text
    assert "\nsex " in text
    assert "by sex, race, birth, geography: sex, " in text
    assert "gender" not in text
    monkeypatch.setenv("COLUMNS", "70")
    lines = voter_list_text(ohio, "Ohio").splitlines()
    assert [line for line in lines if len(line) > 70 and "://" not in line] == []  # but for an address


def test_sources_are_wrapped_under_their_document(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    columns = ["source", "date", "address", "vintage", "supports", "note"]
    rows = pd.DataFrame([["Order form", "2026", "", "2026", "word " * 30, ""]], columns=columns)
    lines = sources_text(rows).splitlines()
    assert lines[:2] == ["Order form, 2026", "  no address"]
    assert all(len(line) <= 50 for line in lines)


# The pages made from the lists: up to date, and complete.


@pytest.fixture(scope="module")
def pages(root):
    """What the documentation build writes."""
    return runpy.run_path(str(root / "docs" / "site" / "list_pages.py"))


@pytest.mark.slow
@pytest.mark.parametrize(("page", "made"), [("voter-lists.md", "all_lists"), ("lists-of-2008.md", "lists_of_2008")])
def test_the_page_is_up_to_date(root, pages, page, made):
    written = (root / "docs" / page).read_text(encoding="utf-8")
    again = "python docs/site/list_pages.py"
    assert written == pages[made](), f"docs/{page} is out of date; write it again with: {again}"


def test_every_list_has_a_row_and_every_citation_a_source(root):
    text = (root / "docs" / "voter-lists.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]{2}) \| (\d{4}) \|.*$", text, flags=re.MULTILINE)
    wanted = {
        (state, vintage)
        for state, lists in read_state_files().items()
        for vintage in lists
        if vintage.isdigit() and state != "XX"
    }
    assert set(rows[: len(wanted)]) == wanted
    defined = re.findall(r'<a id="([^"]+)"></a>', text)
    assert len(defined) == len(set(defined)), "one anchor a source"
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= set(defined)


def test_the_page_of_2008_has_every_figure_that_a_list_decides(root):
    """Each of the constraints that were researched for the lists of 2008 stands there."""
    text = (root / "docs" / "lists-of-2008.md").read_text(encoding="utf-8")
    for where in ("Table 1, Voter", "Table 2, Limited Dataset", "Table 2, Safe Harbor", "Left out of Table 2"):
        assert f"| {where} |" in text
    assert "| Table 1, General |" not in text
    assert "| 3,159,764 | 3,161,156 | within tolerance" in text


# What a reader sees of releases: terms, years, caveats and sources.


def shown(state, file):
    (release,) = (each for each in load_releases()[state].releases if each.id == file)
    return release_text(release, "Somewhere", elements_frame([release]))


def test_a_file_names_its_agreement_price_caveats_and_sources_and_is_told_when_it_is_known_in_part():
    text = shown("NC", "inpatient")
    for said in ("HCUP data use agreement", "price:         unknown", "2000-2008, 2010-2020", "can be empty or masked"):
        assert said in text
    assert "federman/hcup-extraction-loading" in text
    assert "unknown in" in text  # whether the county is that of the ZIP code, since 2019
    assert "unknown in" in shown("AZ", "inpatient")
    text = shown("WA", "chars")
    assert "does not list every element" in text
    assert "$50.00 for one year" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "No source says what the file shows." in shown("WA", "chars-after-2013")


def test_the_list_has_a_line_per_state_the_terms_once_and_the_elements_that_a_file_shows():
    chosen, file = [*newest_releases().values()], load_releases()["US"]
    text = releases_text(releases_frame(chosen), terms(chosen[0][0]))
    assert text.count("price: unknown") == 1
    assert text.count("inpatient") == 36
    counted = counts_text(element_counts_frame(chosen))
    assert "26 of 36" in counted
    assert "date of birth" not in counted
    surveys = findings_text(file.findings, file.sources)
    assert "33 states release" in surveys
    assert "Hooley" in surveys


@pytest.mark.slow
def test_an_own_release_is_one_line_with_its_risk_and_the_ratio_or_with_a_reason():
    study = Study("us-2010")
    policy, profile = study.own_release("NC", 1)
    line = own_release_line(policy, profile, "total-risk", profile.people("total-risk").low / 4)
    assert "North Carolina, inpatient file of 2020, sex+race=five_races+ethnicity+birth=month" in line
    assert "(31.6%) at risk, 4 times the first row" in line
    assert "times" not in own_release_line(policy, profile, "total-risk", 0.0)
    study = Study("us-2020")  # two ends, and none
    assert "84 (0.0062%) to " in own_release_line(*study.own_release("ME", 1), "total-risk", 1000.0)
    assert own_release_line(*study.own_release("OH", 1), "total-risk", 1.0).startswith("own release: no release")


def test_counts_that_follow_come_first():
    frame = pd.DataFrame(
        {
            "cell": ["a", "b", "c"],
            "least": [0, 3, 0],
            "greatest": [9, 3, 10],
            "least_labeled": [0, 3, 0],
            "greatest_labeled": [9, 3, 10],
            "result": ["narrower", "follows", "open"],
            "hidden_by": "rule",
            "why": "",
        }
    )
    text = table_check_text(frame)
    assert text.index("follows") < text.index("narrower") < text.index("open")
