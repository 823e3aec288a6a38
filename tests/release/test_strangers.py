"""Files that nobody wrote rules for: what identifies does not leave, and what a release is for stays.

The files, the commands and the eye that looks at what left stand in ``benchmarks/strangers``; this is a pinned tenth.
"""

from __future__ import annotations

import pytest

from benchmarks.strangers.commands import AIMS, check, trip
from benchmarks.strangers.eyes import in_documents, keeps, leaks
from benchmarks.strangers.files import FILES, PLAIN_FILES, harmless, stranger
from benchmarks.strangers.ordinary import PLAIN
from benchmarks.strangers.plain_files import plain_columns

pytestmark = pytest.mark.slow

# Where the values decide without the header; 1 and 2 for sex are answered by a person.
RECOGNIZABLE = ("M or F", "words", "words, small", "years", "years up to 89", "birth date, ISO", "letters", "names")


@pytest.mark.parametrize("number", range(0, FILES, 10))
def test_nothing_planted_leaves(number, tmp_path):
    file = stranger(number)
    path = file.write(tmp_path)
    status, said = check(path)
    assert status in (0, 2), said
    for aim in AIMS:
        done = trip(path, aim)
        assert done.status in (0, 1) or done.refused, f"{aim}: {done.said[-500:]}"
        assert not done.half, f"{aim}: half written"
        if done.release is not None:
            left = [(x.planted.letter, x.planted.kind, x.column, x.where) for x in leaks(file, done.release, aim)]
            assert left == [], aim
        repeated = in_documents(file, said + done.said + done.documents)
        assert [(x.planted.letter, x.planted.kind, x.planted.column) for x in repeated] == [], aim


@pytest.mark.parametrize("number", range(0, FILES, 10))
def test_the_eye_sees_what_is_planted_when_the_file_itself_is_given_out(number):
    """Ages and years of birth that tell nobody's age over 89 may stand in it; so may a state and three digits."""
    file = stranger(number)
    seen = {leak.planted.column for leak in leaks(file, file.frame.fillna(""), "safe-harbor")}
    assert {p.column for p in file.planted if p.rule in ("nothing", "year")} <= seen


@pytest.mark.parametrize("number", [n for n in range(0, FILES, 20) if stranger(n).demographics])
def test_the_demographics_stay(number, tmp_path):
    file = stranger(number)
    assert file.demographics
    path = file.write(tmp_path)
    check(path)
    done = trip(path, "safe-harbor")
    kept = keeps(file, done.release)
    assert all(kept[c] for c, d in file.demographics.items() if d.form in RECOGNIZABLE), done.said[-500:]


@pytest.mark.parametrize("number", range(0, PLAIN_FILES, 20))
def test_what_was_left_out_for_no_reason_comes_back_by_one_answer(number, tmp_path):
    columns = plain_columns(harmless(number), tmp_path)
    assert {c.kind for c in columns} <= {p.kind for p in PLAIN}
    assert [(c.column, c.said) for c in columns if not c.after_answer] == []
