"""The codings that ship, and the errors for damaged ones."""

from __future__ import annotations

import csv
import io

import pytest

from policy_sim.errors import InputError, SchemaError
from policy_sim.io.list_coding_files import blank_sheet, read_coding, read_decisions, shipped_coding
from policy_sim.io.voter_lists.state_files import described_lists
from policy_sim.voter_lists.agreement import agreement_frame, disagreements_frame
from policy_sim.voter_lists.coding import fact_keys, sample_of


def test_both_codings_are_of_the_same_facts_and_those_are_the_sample():
    first, second = (read_coding(shipped_coding(which)) for which in ("first", "second"))
    keys = [fact.key for fact in second]
    assert [fact.key for fact in first] == keys
    settled = ("2002", "2008", "2020")  # newer vintages may get more lists, and then another sample
    drawn = sample_of(fact_keys(described_lists()))
    assert [key for key in keys if key[1] in settled] == [key for key in drawn if key[1] in settled]


def test_every_difference_that_ships_is_decided():
    first = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))}
    second, decided = read_coding(shipped_coding("second")), read_decisions()
    frame = disagreements_frame(first, second, decided)
    assert set(frame["decision"]) <= {"mended", "kept"}
    assert len(frame) == len(decided)
    assert agreement_frame(first, second).set_index("item").loc["all", "facts"] == 407


def test_the_sheet_tells_no_value():
    lists = described_lists()
    keys = sample_of(fact_keys(lists))
    rows = list(csv.DictReader(io.StringIO(blank_sheet(keys, lists))))
    assert [(row["state"], row["vintage"], row["item"]) for row in rows] == keys
    assert all(row["code"] == row["basis"] == row["note"] == "" for row in rows)
    sources = {}
    for row in rows:  # the same for every fact of a list, known or not
        assert sources.setdefault((row["state"], row["vintage"]), row["sources"]) == row["sources"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("state,vintage,item,code\nAK,2026,zip,yes\nAK,2026,phone,included\n", "line 3"),
        ("state,vintage,item,code\nAK,2026,zip,included\nAK,2026,zip,included\n", "coded twice"),
        ("state,vintage\nAK,2026\n", "needs the columns"),
        ("", "needs the columns"),
    ],
)
def test_everything_wrong_with_a_coding_is_said(tmp_path, text, said):
    file = tmp_path / "coding.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError, match=said):
        read_coding(file)


def test_a_decision_is_one_of_two(tmp_path):
    file = tmp_path / "decisions.csv"
    file.write_text("state,vintage,item,decision,reason\nAK,2026,zip,perhaps,x\n", encoding="utf-8")
    with pytest.raises(SchemaError, match="mended, kept"):
        read_decisions(file)


def test_no_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_coding(tmp_path / "none.csv")
