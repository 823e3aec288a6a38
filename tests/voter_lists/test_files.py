from __future__ import annotations

import datetime as dt
import os
import shutil

import pytest

from policy_sim.attackers import voter
from policy_sim.files.paths import voter_policies_dir
from policy_sim.voter_lists.changes import causes_of
from policy_sim.voter_lists.files import (
    LIST_FOLDER,
    check_lists,
    list_vintages,
    load_list_changes,
    load_voter_lists,
    read_changes,
    read_state_files,
)
from policy_sim.words.errors import SchemaError, SourceError, UnknownNameError
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES

SAFE = Granularities(gender="value", race="value", birth="year", geography="state")
LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")


@pytest.fixture
def folder(tmp_path):
    """A folder with the fictional state, without problems, to be broken."""
    shutil.copy(voter_policies_dir() / "xx.toml", tmp_path)
    return tmp_path


@pytest.fixture
def with_ohio(folder):
    shutil.copy(voter_policies_dir() / "oh.toml", folder)
    return folder


def _change(folder, *pairs, file="xx.toml"):
    """Write something else in place of the last of each text."""
    text = (folder / file).read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text, old
        text = new.join(text.rsplit(old, 1))
    (folder / file).write_text(text, encoding="utf-8")


def test_every_state_and_vintage_ships():
    assert list_vintages() == ("2002", "2008", "2008-filled", "2020", "2026", "2026-county")
    everyone = set(STATES) - {"PR"}
    assert len(everyone) == 51
    for vintage in list_vintages():
        assert set(load_voter_lists(vintage)) == everyone
    assert next(iter(load_voter_lists().values())).vintage == "2026"


def test_a_state_without_a_table_for_the_year_is_unknown_and_says_so():
    listed = load_voter_lists("2002")["OH"]
    assert listed.status == "unknown"
    assert listed.reason.startswith("no evidence")


def test_unknown_vintage_and_a_place_without_a_list():
    with pytest.raises(UnknownNameError, match="'2007' is not known"):
        load_voter_lists("2007")
    assert "PR" not in load_voter_lists()


@pytest.mark.parametrize(
    ("state", "limited", "safe"),
    [
        ("OH", "birth=year+geography=county", "birth=year+geography=state"),
        ("VA", "gender+birth=date+geography=county", "gender+birth=year+geography=state"),
        ("NY", "gender+birth=date+geography=county", "gender+birth=year+geography=state"),
        ("SC", str(LIMITED), str(SAFE)),
        ("TX", str(LIMITED), str(SAFE)),
        ("NC", "gender+race+birth=year+geography=county", str(SAFE)),
        ("WV", "geography=county", "geography=state"),
        ("NH", "geography=county", "geography=state"),
        ("WI", "geography=county", "geography=state"),
    ],
)
def test_lists_of_2008_that_the_paper_pins_down(state, limited, safe):
    """Benitez & Malin 2010, Results and Table 2."""
    attacker = voter(load_voter_lists("2008"))
    assert attacker.linkage(LIMITED, state).label() == limited
    assert attacker.linkage(SAFE, state).label() == safe


def test_prices_of_2008_keep_free_unknown_not_sold_and_a_bound_apart():
    """Benitez & Malin 2010, Table 2; Dankar et al. 2012 for Alabama."""
    prices = {state: listed.price.usd(records=5_000_000) for state, listed in load_voter_lists("2008").items()}
    assert {state: prices[state].usd for state in ("WV", "NH", "WI")} == {"WV": 17_000, "NH": 8_267, "WI": 12_500}
    assert [prices[state].status for state in ("VA", "SC", "NY", "NC")] == ["free"] * 4
    assert (prices["TX"].status, prices["TX"].usd) == ("unknown", None)
    assert (prices["AZ"].status, prices["AZ"].usd) == ("not_sold", None)
    assert (prices["AL"].status, prices["AL"].usd) == ("at_least", 28_000)


def test_arizona_sold_by_county_in_2008():
    linkage = voter(load_voter_lists("2008")).linkage(LIMITED, "AZ")
    assert (linkage.status, linkage.low) == ("county_only", None)


def test_nothing_of_a_later_year_is_in_2008():
    """But for the county of North Carolina, whose note says that it rests on later files."""
    later = {"reggie", "irw", "eac-2020", "ballotpedia-2026", "urnicus"}
    rests_on_later = [
        (listed.state, item)
        for listed in load_voter_lists("2008").values()
        for item, fact in (
            *listed.fields.items(),
            ("price", listed.price),
            ("buyers", listed.buyers),
            ("uses", listed.uses),
        )
        if later & set(fact.evidence.sources) or fact.evidence.carried_from
    ]
    assert rests_on_later == [("NC", "geography")]
    assert "taken from later files" in load_voter_lists("2008")["NC"].notes[0]


def test_the_fictional_state_is_read_but_takes_no_part():
    assert "XX" in read_state_files()
    assert "XX" not in load_voter_lists("2008")
    lists = read_state_files()["XX"]
    assert lists["2008-filled"].fields["gender"].evidence.carried_from == "2026"
    assert lists["2026"].price.usd(records=11_000, counties=3).usd == 25 + 50 + 6
    assert lists["2026"].price.usd(records=0, counties=0).usd == 40
    assert lists["2026"].price.usd(buyer="commercial").usd == 900


def test_the_template_is_a_valid_file(tmp_path):
    shutil.copy(voter_policies_dir() / "_template.toml", tmp_path / "oh.toml")
    assert LIST_FOLDER.scan(tmp_path)[1] == {}


def test_all_problems_of_all_files_are_said_at_once(with_ohio):
    folder = with_ohio
    _change(
        folder,
        ('[2008.fields]\ngender    = { availability = "withheld"', '[2008.fields]\ngender    = { availability = "yes"'),
        ("[2020.price]\nkind = ", "[2020.price]\nprise = 1\nkind = "),
        file="oh.toml",
    )
    _change(folder, ('state = "XX"', 'state = "OH"'), ("resolved = true", 'resolved = "yes"'))
    (folder / "pa.toml").write_text("state = PA", encoding="utf-8")
    (folder / "ohio.toml").write_text('state = "OH"', encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        load_voter_lists("2008", folder)
    lines = caught.value.lines
    name = folder.name
    assert len(lines) == 6
    (wrong,) = [line for line in lines if f"{name}/oh.toml: [2008] fields.gender.availability = 'yes'" in line]
    assert "one of included, withheld, unknown" in wrong
    assert any(line.startswith(f"{name}/oh.toml: [2020] price.prise ") for line in lines)
    assert any(line.startswith(f"{name}/xx.toml: state = 'OH'") for line in lines)
    assert any("conflict 1: resolved = 'yes'" in line for line in lines)
    assert any(line.startswith(f"{name}/pa.toml: is not TOML: ") for line in lines)
    assert any(line.startswith(f"{name}/ohio.toml: the file's name") for line in lines)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("valid_from = 2026-01-01", 'valid_from = "2026-01-01"', "[2026] valid_from = '2026-01-01' is not a date"),
        (
            "valid_from = 2026-01-01",
            "valid_from = 2026-01-01\nvalid_until = 2025-01-01",
            "[2026] valid_until = 2025-01-01 is not after valid_from = 2026-01-01.",
        ),
        ('status = "available"', 'status = "open"', "[2026] status = 'open' is not one of available, county_only"),
        ('granularity = "year", wording', 'granularity = "day", wording', "fields.birth.granularity = 'day'"),
        ('granularity = "year", wording', 'granularity = "age", wording', 'granularity = "year" and wording = "age".'),
        ('granularity = "year", wording = "age", ', "", "fields.birth.granularity is missing"),
        (
            'sources = ["xx-press"] }\ngeography',
            'sources = ["xx-pres"] }\ngeography',
            "cites 'xx-pres', which no [[source]]",
        ),
        ('allowed = ["candidate", "party"]', 'allowed = ["candidates"]', "buyers.allowed holds 'candidates'"),
        ('allowed = ["political"], ', "", "uses.allowed is missing"),
        ('kind = "schedule"', 'kind = "free"', 'price.usd is given, but kind = "free" has no amount'),
        ('kind = "schedule"', 'kind = "flat"', 'price.max_usd is given, but kind = "flat"'),
        ('date = "2026-05-19"\nconfidence', 'date = "May 2026"\nconfidence', "price.date = 'May 2026' is not"),
        ("usd_by_buyer = { commercial", "usd_by_buyer = { shops", "price.usd_by_buyer.shops is not a known key"),
        ('about = "price"', 'about = "prices"', "conflict 1: about = 'prices' is not one of"),
        ('from = "2026"', 'from = "2025"', "scenario.2008-filled.from = '2025' is not a vintage of this file"),
        ('id = "xx-press"', 'id = "xx-form"', "source 'xx-form' is defined twice"),
        ("[2026]\n", "[twenty]\n[2026]\n", "twenty is not a known key"),
    ],
)
def test_each_planted_fault_is_named_by_file_and_key(folder, old, new, said):
    _change(folder, (old, new))
    problems = LIST_FOLDER.scan(folder)[1]
    assert list(problems) == [f"{folder.name}/xx.toml"]
    assert any(said in problem for problem in problems[f"{folder.name}/xx.toml"]), problems


def test_an_empty_or_missing_folder(tmp_path):
    with pytest.raises(SchemaError, match="this folder has no state files"):
        load_voter_lists(directory=tmp_path)
    with pytest.raises(SourceError, match="no such folder"):
        load_voter_lists(directory=tmp_path / "nowhere")


def test_a_changed_file_is_read_again(with_ohio):
    before = load_voter_lists("2008", with_ohio)["OH"]
    os.utime(with_ohio / "oh.toml", ns=(1, 1))
    assert load_voter_lists("2008", with_ohio)["OH"] is not before


def test_changes_have_one_key_an_item_and_every_problem_is_said(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text('birth = "year"\nprice = 0\n')
    assert read_changes(path) == {"birth": "year", "price": "0"}
    for text, said in (
        ('dob = "year"\ngender = true\n', r"(?s)dob is not an item.*gender = True is not a text"),
        ("birth = date", r"is not TOML: .*: birth = date"),
    ):
        path.write_text(text)
        with pytest.raises(SchemaError, match=said):
            read_changes(path)


# What ships on why lists differ.


def test_each_entry_decides_a_difference_of_two_known_values():
    """An entry about values that are alike, or one of them unknown, would say nothing."""
    for entry in load_list_changes():
        old, new = (load_voter_lists(vintage)[entry.state] for vintage in (entry.before, entry.after))
        assert set(entry.fields) <= set(causes_of(old, new)), entry
        assert {causes_of(old, new)[name] for name in entry.fields} == {"law"}, entry
        assert entry.why.endswith(".")


# What is wrong or weak in the files.


TODAY = dt.date(2026, 6, 1)


def _found(folder, **options):
    return [(finding.kind, finding.text) for finding in check_lists(folder, today=TODAY, **options)]


def test_a_good_file_has_no_findings(folder):
    assert _found(folder) == []


def test_every_planted_fault_is_found_in_one_run(folder):
    _change(
        folder,
        ('zip       = { availability = "unknown" }', 'zip       = { availability = "yes" }'),
        ('status = "available"', 'status = "available"\nprise = 3'),
        ('date = "2026-05-19"\nconfidence = "high"', 'confidence = "high"'),
        ('race      = { availability = "withheld", confidence = "high", sources = ["xx-form"] }',
         'race      = { availability = "withheld" }'),
        ("resolved = true", "resolved = false"),
        ("valid_from = 2008-09-01", "valid_from = 2008-09-01\nvalid_until = 2026-03-01"),
        ('state = "XX"', 'state = "OH"'),
    )  # fmt: skip
    found = _found(folder)
    for kind, text in (
        ("malformed", "[2026] fields.zip.availability = 'yes' is not one of included"),
        ("malformed", "[2026] prise is not a known key"),
        ("malformed", "state = 'OH', but "),
        ("no date", "[2026] price.date: missing."),
        ("no source", "[2026] fields.race.sources: missing."),
        ("no source", "[2026] fields.race.confidence: missing. "),
        ("conflict", "[2026] conflict 1: sources disagree on price"),
        ("contradicted", "[2026] conflict 1: price has high confidence"),
        ("overlap", "[2008] valid_until: overlaps with [2026], "),
    ):
        assert any(each == kind and said.startswith(text) for each, said in found), (text, found)
    assert len(found) == 9
    assert all(str(finding).startswith(f"{folder.name}/xx.toml: ") for finding in check_lists(folder, today=TODAY))


def test_no_fact_that_ships_is_sure_and_contradicted():
    assert [str(finding) for finding in check_lists() if finding.kind == "contradicted"] == []


def test_two_lists_of_one_day_overlap(folder):
    _change(folder, ("valid_from = 2026-01-01", "valid_from = 2008-09-01"))
    assert [kind for kind, _ in _found(folder)] == ["overlap"]


@pytest.mark.parametrize(
    ("date", "today", "old"),
    [
        ("2024-06-01", dt.date(2026, 6, 1), False),
        ("2024-05-31", dt.date(2026, 6, 1), True),
        ("2024-06", dt.date(2026, 6, 30), False),
        ("2024-06", dt.date(2026, 7, 1), True),
        ("2024", dt.date(2026, 12, 31), False),
        ("2024", dt.date(2027, 1, 1), True),
        ("2024-02", dt.date(2026, 2, 28), False),
    ],
)
def test_a_source_is_old_after_24_months(folder, date, today, old):
    _change(folder, ('date = "2026-04"', f'date = "{date}"'))
    found = [f for f in check_lists(folder, today=today) if "fields.birth" in f.text]
    assert [finding.kind for finding in found] == (["old"] if old else [])


def test_a_source_without_a_date_is_found(folder):
    _change(folder, ('date = "2026-04"', 'date = "undated"'))
    ((kind, problem),) = _found(folder)
    assert kind == "old"
    assert problem.startswith("[2026] fields.birth.sources: none has a date")


def test_the_shipped_files_are_weak_in_known_ways_only():
    kinds = {finding.kind for finding in check_lists(today=dt.date(2026, 11, 20))}
    assert kinds == {"conflict", "old"}


def test_one_file_alone(with_ohio):
    folder = with_ohio
    (folder / "pa.toml").write_text("not toml")
    assert {f.file for f in check_lists(folder, [folder / "xx.toml"], TODAY)} == set()
    assert any(f.file.endswith("pa.toml") for f in check_lists(folder, today=TODAY))
