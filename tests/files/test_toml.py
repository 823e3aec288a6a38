"""TOML files: a user learns what is wrong, and a damaged installation says so."""

from __future__ import annotations

import copy
import os
import tomllib

import pytest
from pydantic import Field, ValidationError

from policy_sim.files.schema import (
    CitingTable,
    Flag,
    MaybeDay,
    MaybeUsd,
    NeededText,
    Number,
    SourceTable,
    StrictTable,
    Text,
    Texts,
    Usd,
    Words,
    checked,
    read_document,
    tables_of,
    word,
    words_of,
)
from policy_sim.files.toml import (
    damaged_if_wrong,
    folder_digest,
    folder_files,
    folder_state,
    not_toml,
    read_state_file,
    read_toml_file,
    shipped_files,
    shipped_table,
    state_of_file,
)
from policy_sim.words.errors import SchemaError, SourceError


@pytest.mark.parametrize("place", ["none.toml", "", "a\0b.toml"])
def test_a_file_that_cannot_be_opened(tmp_path, place):
    with pytest.raises(SchemaError, match="cannot be read: "):
        read_toml_file(tmp_path / place)


def test_a_byte_order_mark_is_passed_over_and_a_problem_names_the_file_as_it_is_called(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml_file(path) == {"a": 1}
    path.write_bytes(b"a = = 1")
    for where, begin in (("ours", "^ours: is not TOML"), ("", r"ours\.toml: is not TOML")):
        with pytest.raises(SchemaError, match=begin):
            read_toml_file(path, where)


def test_files_that_ship_are_named_by_their_stems():
    assert list(shipped_files("adversaries")) == sorted(shipped_files("adversaries"))
    assert shipped_files("nowhere") == {}
    assert shipped_table("presets/benitez-malin-2010.toml") == shipped_table(
        shipped_files("presets")["benitez-malin-2010"]
    )


def test_a_damaged_installation_says_so(tmp_path):
    with pytest.raises(SourceError, match="Install policy-sim again"):
        shipped_table("nowhere.toml")
    for problem in (OSError("gone"), ValueError("not TOML"), KeyError("title"), TypeError("a list")):
        with pytest.raises(SourceError, match="Install policy-sim again"), damaged_if_wrong(tmp_path):
            raise problem
    with pytest.raises(ZeroDivisionError), damaged_if_wrong(tmp_path):
        raise ZeroDivisionError  # a fault of the program is no damaged file


@pytest.mark.parametrize(
    ("text", "line"),
    [('a = 1\nb = "x\n', ': b = "x'), ("a = 1\nb = $2,500\n", ": b = $2,500"), ("a = {", ""), ("a =", "")],
)
def test_a_text_that_is_no_toml_is_said_with_its_line(text, line):
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert not_toml(caught.value, text).endswith(line)
    assert not_toml(caught.value, text).startswith("is not TOML: ")


def test_a_file_of_records_in_the_place_of_toml_shows_no_record():
    text = "P0001,Schmidt,1980-04-01\nP0002,Schmidt,1981-04-01\n"
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert "Schmidt" not in not_toml(caught.value, text)


# A folder with one file per state: its files, their errors, and whether it changed.


@pytest.fixture
def folder(tmp_path):
    for name in ("oh.toml", "az.toml", "_shared.toml"):
        (tmp_path / name).write_text("a = 1\n")
    (tmp_path / "README.md").write_text("no list")
    return tmp_path


def test_files_are_sorted_and_others_are_left(folder):
    assert [path.name for path in folder_files(folder, "voter-list")] == ["_shared.toml", "az.toml", "oh.toml"]
    with pytest.raises(SourceError, match="no such folder of voter-list files"):
        folder_files(folder / "nowhere", "voter-list")


@pytest.mark.parametrize(
    ("name", "state"), [("oh", "OH"), ("dc", "DC"), ("xx", "XX"), ("OH", ""), ("ohio", ""), ("us", "")]
)
def test_a_file_is_named_by_its_state(folder, name, state):
    problems = []
    assert state_of_file(folder / f"{name}.toml", problems, also=("XX",)) == state
    assert bool(problems) != bool(state)


@pytest.mark.parametrize(("content", "message"), [(b"\xff", "not text in UTF-8"), (b"a = = 1", "Compare with t.toml")])
def test_a_broken_file_is_a_problem_and_no_error(folder, content, message):
    (folder / "oh.toml").write_bytes(content)
    problems = []
    assert read_state_file(folder / "oh.toml", problems, "t.toml") is None
    assert message in problems[0]
    with pytest.raises(SourceError, match="cannot be read"):
        read_state_file(folder / "nowhere.toml", problems, "t.toml")


def test_the_digest_is_of_names_and_contents_and_not_of_times(folder):
    paths = folder_files(folder, "voter-list")
    before, state = folder_digest(paths), folder_state(paths)
    os.utime(paths[0], ns=(1, 1))
    assert folder_digest(paths) == before
    assert folder_state(paths) != state
    paths[0].rename(folder / "_other.toml")
    assert folder_digest(folder_files(folder, "voter-list")) != before


# Kinds of values in files of facts: what each accepts and rejects, and the error messages.


class _Table(CitingTable):
    color: word(("red", "green"), " Write red.") = "red"  # type: ignore[valid-type]
    usd: Usd = 0.0
    maybe: MaybeUsd = None
    flag: Flag = False
    text: Text = ""


class _Inner(StrictTable):
    k: word(("v", "w")) = "v"  # type: ignore[valid-type]


class _Everything(_Table):
    need: NeededText
    n: Number = 0.0
    day: MaybeDay = None
    words: Words = ()
    high: words_of(("public", "party")) = ()  # type: ignore[valid-type]
    inner: _Inner = _Inner()
    rows: tables_of(_Inner, "rows") = ()  # type: ignore[valid-type]
    by_name: dict[str, _Inner] = Field(default_factory=dict)
    prices: dict[str, Usd] = Field(default_factory=dict)


_REFUSED = [
    ('color = "geen"', "color = 'geen' is not one of red, green. Did you mean 'green'? Write red."),
    ("usd = -1", "usd = -1 is not a number of 0 or more, written without quotes such as 2500."),
    ("usd = true", "usd = True is not a number of 0 or more, written without quotes such as 2500."),
    ("usd = nan", "usd = nan is not a number of 0 or more, written without quotes such as 2500."),
    (f"maybe = {10**400}", "maybe = a number of more than 80 digits is not a number of 0 or more, written without "),
    ('flag = "true"', "flag = 'true' is not true or false; write it without quotes."),
    ("text = 2026-05-19", "text = 2026-05-19 is not a text in quotes."),
    ('confidence = "sure"', "confidence = 'sure' is not one of "),
    ('sources = "a"', "sources = 'a' is not a list of texts such as"),
    ("need = 1", "need = 1 is not a text in quotes."),
    ('n = "5"', "n = '5' is not a number, written without quotes such as 2500."),
    ("n = true", "n = True is not a number, written without quotes such as 2500."),
    ("n = -1", "n = -1 is not a number of 0 or more."),
    ("n = nan", "n = nan is not a number of 0 or more."),
    ('day = "2008-09-01"', "day = '2008-09-01' is not a date such as 2008-09-01, without quotes."),
    ("day = 2008-09-01T10:00:00", "day = 2008-09-01 10:00:00 has a time of day. Write only the date, such as"),
    ('words = "p"', 'words = \'p\' is not a list of texts such as ["a", "b"].'),
    ('words = ["p", 1]', "words = ['p', 1] is not a list of texts."),
    ('high = ["pubic"]', "high holds 'pubic', not one of public, party. Did you mean 'public'?"),
    ("inner = 1", "inner = 1 is not a table, [inner] or inner = { ... }."),
    ('inner.k = "x"', "inner.k = 'x' is not one of v, w."),
    ("rows = 1", "rows = 1 is not an array of tables, [[rows]]."),
    ("rows = [1]", "rows 1 is not a table."),
    ('rows = [{}, {k = "x"}]', "rows 2: k = 'x' is not one of v, w."),
    ("by_name.a = 1", "by_name.a = 1 is not a table, [a] or a = { ... }."),
    ("by_name.a.k = 1", "by_name.a.k = 1 is not one of v, w."),
    ("by_name.a.K = 1", "by_name.a.K is not a known key. Did you mean 'k'? Known here: k. Remove it or correct its"),
    ('prices.party = "5"', "prices.party = '5' is not a number of 0 or more, written without quotes such as 2500."),
    ("USD = 1", "USD is not a known key. Did you mean 'usd'? Known here: confidence, sources, color, usd, maybe,"),
]


@pytest.mark.parametrize(("text", "said"), _REFUSED)
def test_each_wrong_value_is_said_with_what_was_allowed(text, said):
    raw = tomllib.loads(text)
    with pytest.raises(SchemaError) as caught:
        checked(_Everything, {"need": "x"} | raw, "ours.toml")
    (problem,) = caught.value.problems
    assert problem.startswith(said)
    assert str(caught.value) == f"ours.toml: {problem}"


def test_a_needed_text_is_missed_once_and_the_rest_is_read_on():
    problems = []
    table = read_document(_Everything, {"n": 3, "flag": "no"}, problems)
    flag, need = problems
    assert flag.startswith("flag = 'no' is not true or false")
    assert need.startswith("need is missing")
    assert (table.need, table.n, table.flag) == ("", 3.0, False)


def test_many_unknown_keys_are_one_line():
    keys = {f"k{at}": 1 for at in range(20_000)}
    with pytest.raises(SchemaError) as caught:
        checked(_Everything, {"need": "x", "inner": keys}, "ours.toml")
    (problem,) = caught.value.problems
    assert problem.startswith("inner.k0, k1, k2 and 19,997 more ")
    assert "Known here: k." in problem


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (
            {"sources": {}, "shared": "_sources.toml"},
            "of this file or of _sources.toml defines. Add it there",
        ),
        ({"sources": {}}, "no [[source]] of this file defines. Add it or correct the id."),
    ],
)
def test_a_source_must_be_defined_in_a_file_that_there_is(context, message):
    problems = []
    read_document(_Table, {"sources": ["nowhere"]}, problems, context=context)
    assert message in problems[0]


def test_a_table_takes_what_is_allowed():
    made = read_document(_Table, {"usd": 5, "maybe": 0, "sources": ["a"]}, [], context={"sources": {"a": None}})
    assert made is not None
    assert (made.usd, made.maybe, made.sources, made.color) == (5.0, 0.0, ["a"], "red")


@pytest.mark.parametrize(
    ("date", "fits"),
    [("2026", True), ("2026-05", True), ("2026-05-19", True), ("undated", True), ("May 2026", False), ("", False)],
)
def test_dates_of_documents(date, fits):
    problems = []
    read_document(SourceTable, {"id": "a", "title": "t", "date": date}, problems)
    assert bool(problems) is not fits


def test_a_table_of_its_own_keeps_its_values_apart():
    class Notes(StrictTable):
        notes: Texts = Field(default_factory=list)

    assert Notes().notes is not Notes().notes
    with pytest.raises(ValidationError):
        Notes(notes=["a"]).notes = []


def test_what_is_wrong_is_left_out_and_the_rest_stays():
    raw = {"need": "x", "titel": "a", "rows": [{"k": "w"}, {"k": "W"}], "n": "5", "usd": 1}
    before, problems = copy.deepcopy(raw), []
    table = read_document(_Everything, raw, problems, "[2026] ")
    assert raw == before
    assert [line.split(" is not ")[0] for line in problems] == [
        "[2026] n = '5'",
        "[2026] rows 2: k = 'W'",
        "[2026] titel",
    ]
    assert ([row.k for row in table.rows], table.n, table.usd) == (["w", "v"], 0.0, 1.0)


class Cited(StrictTable):
    id: str = Field(description="a short name")


def test_a_document_without_what_it_cannot_do_without_is_none():
    problems = []
    assert read_document(Cited, {}, problems) is None
    assert problems == ["id is missing; give a short name."]


@pytest.mark.parametrize(("raw", "shown"), [(None, "None"), ([], "[]"), ("x", "'x'"), (3, "3")])
def test_something_that_is_no_table_is_one_line(raw, shown):
    problems = []
    assert read_document(Cited, raw, problems, "[2026] ") is None
    assert problems == [f"[2026] the document contains {shown}, which is not a table."]
