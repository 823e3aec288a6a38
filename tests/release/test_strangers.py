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

TENTH = range(0, FILES, 10)
ASKED = ("1 or 2", "W, B, A, N, P, O")  # sex and race in codes, which a person may have to explain


@pytest.fixture(scope="module", params=TENTH)
def taken(request, tmp_path_factory):
    """A file, what ``check`` printed, and its way through the other three commands under each aim."""
    file = stranger(request.param)
    path = file.write(tmp_path_factory.mktemp("stranger"))
    said = check(path)
    return file, said, {aim: trip(path, aim) for aim in AIMS}


@pytest.mark.parametrize("aim", AIMS)
def test_nothing_planted_leaves(taken, aim):
    file, (status, said), trips = taken
    done = trips[aim]
    assert status in (0, 2), said
    assert done.status in (0, 1) or done.refused, done.said[-500:]
    assert not done.half, "a run that failed leaves nothing"
    if done.release is not None:
        assert [(x.planted.letter, x.planted.kind, x.column, x.where) for x in leaks(file, done.release, aim)] == []
    repeated = in_documents(file, said + done.said + done.documents, aim)
    assert [(x.planted.letter, x.planted.kind, x.planted.column) for x in repeated] == []


def test_the_demographics_stay(taken):
    file, _, trips = taken
    done = trips["safe-harbor"]
    kept = keeps(file, done.release)
    lost = [(c, d.form) for c, d in (file.demographics or {}).items() if d.form not in ASKED and not kept[c]]
    assert lost == [], done.said[-500:]


@pytest.mark.parametrize("number", TENTH)
def test_the_eye_sees_what_is_planted_when_the_file_itself_is_given_out(number):
    """Ages and years of birth that tell nobody's age over 89 may stand in it; so may a state and three digits."""
    file = stranger(number)
    seen = {leak.planted.column for leak in leaks(file, file.frame.fillna(""), "safe-harbor")}
    assert {p.column for p in file.planted if p.rule in ("nothing", "year")} <= seen


@pytest.mark.parametrize("number", range(0, PLAIN_FILES, 20))
def test_what_was_left_out_for_no_reason_comes_back_by_one_answer(number, tmp_path):
    columns = plain_columns(harmless(number), tmp_path)
    assert {c.kind for c in columns} <= {p.kind for p in PLAIN}
    assert [(c.column, c.said) for c in columns if not c.after_answer] == []
