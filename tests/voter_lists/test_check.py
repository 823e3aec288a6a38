import datetime as dt
import shutil

import pytest

from policy_sim.files.paths import voter_policies_dir
from policy_sim.voter_lists.files import check_lists

TODAY = dt.date(2026, 6, 1)


@pytest.fixture
def folder(tmp_path):
    """A folder with the fictional state, without problems."""
    shutil.copy(voter_policies_dir() / "xx.toml", tmp_path)
    return tmp_path


def _plant(folder, *pairs):
    path = folder / "xx.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) >= 1, old
        head, tail = text.rsplit(old, 1)
        text = head + new + tail
    path.write_text(text, encoding="utf-8")


def _found(folder, **options):
    return [(finding.kind, finding.text) for finding in check_lists(folder, today=TODAY, **options)]


def test_a_good_file_has_no_findings(folder):
    assert _found(folder) == []


def test_every_planted_fault_is_found_in_one_run(folder):
    _plant(
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
        ("malformed", "[2026] fields.zip.availability = 'yes' is not one of included, withheld, unknown."),
        ("malformed", "[2026] prise is not a known key. Did you mean 'price'?"),
        ("malformed", "state = 'OH', but the file's name says 'XX'; correct one of them."),
        ("no date", '[2026] price.date: missing. Write the date the price was seen, or "undated".'),
        ("no source", "[2026] fields.race.sources: missing. Cite the id of a [[source]], or write unknown."),
        ("no source", "[2026] fields.race.confidence: missing. Write high, medium or low."),
        ("conflict", "[2026] conflict 1: sources disagree on price (a schedule; 30 USD). Find a better source"),
        ("contradicted", "[2026] conflict 1: price has high confidence, but sources disagree"),
        ("overlap", "[2008] valid_until: overlaps with [2026], which starts on 2026-01-01. End the first on"),
    ):
        assert any(each == kind and said.startswith(text) for each, said in found), (text, found)
    assert len(found) == 9
    assert all(str(finding).startswith(f"{folder.name}/xx.toml: ") for finding in check_lists(folder, today=TODAY))


def test_no_fact_that_ships_is_sure_and_contradicted():
    assert [str(finding) for finding in check_lists() if finding.kind == "contradicted"] == []


def test_two_lists_of_one_day_overlap(folder):
    _plant(folder, ("valid_from = 2026-01-01", "valid_from = 2008-09-01"))
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
    text = (folder / "xx.toml").read_text(encoding="utf-8")
    text = text.replace('date = "2026-04"', f'date = "{date}"')
    (folder / "xx.toml").write_text(text, encoding="utf-8")
    found = [f for f in check_lists(folder, today=today) if "fields.birth" in f.text]
    assert [finding.kind for finding in found] == (["old"] if old else [])


def test_a_source_without_a_date_is_found(folder):
    _plant(folder, ('date = "2026-04"', 'date = "undated"'))
    assert _found(folder) == [("old", "[2026] fields.birth.sources: none has a date. Find a source with a date.")]


def test_the_shipped_files_are_weak_in_known_ways_only():
    kinds = {finding.kind for finding in check_lists(today=dt.date(2026, 11, 20))}
    assert kinds == {"conflict", "old"}


def test_one_file_alone(folder):
    shutil.copy(voter_policies_dir() / "oh.toml", folder)
    (folder / "pa.toml").write_text("not toml")
    assert {f.file for f in check_lists(folder, [folder / "xx.toml"], TODAY)} == set()
    assert any(f.file.endswith("pa.toml") for f in check_lists(folder, today=TODAY))
