"""TOML files: a user learns what is wrong, and a damaged installation says so."""

from __future__ import annotations

import copy
import tomllib
from typing import Annotated

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from policy_sim.attackers.files import load_adversary
from policy_sim.attackers.resource_files import load_resource
from policy_sim.files.schema import (
    CitingTable,
    Flag,
    MaybeUsd,
    SourceTable,
    StrictTable,
    Text,
    Texts,
    Usd,
    one_of,
    read_document,
    word,
)
from policy_sim.files.toml import TomlTable, damaged_if_wrong, not_toml, read_toml_file, shipped_files, shipped_table
from policy_sim.policies.files import load_policy
from policy_sim.records.mapping import load_field_weights
from policy_sim.voter_lists.files import read_changes
from policy_sim.words.errors import SchemaError, SourceError

BROKEN = {
    "not TOML": (b"a = = 1", "is not TOML"),
    "not UTF-8": (b"a = '\xff'", "is not text in UTF-8"),
    "nested": (b"a = " + b"[" * 5000, "nested too deeply"),
    "a long number": (b"a = " + b"9" * 5000, "too many digits"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_file_is_told(tmp_path, name):
    content, message = BROKEN[name]
    path = tmp_path / "ours.toml"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match=message) as caught:
        read_toml_file(path, "ours")
    assert str(caught.value).startswith("ours: ")
    with pytest.raises(SchemaError, match=r"ours\.toml: "):
        read_toml_file(path)


@pytest.mark.parametrize("place", ["none.toml", "", "a\0b.toml"])
def test_a_file_that_cannot_be_opened(tmp_path, place):
    with pytest.raises(SchemaError, match="cannot be read: "):
        read_toml_file(tmp_path / place)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    (tmp_path / "ours.toml").write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml_file(tmp_path / "ours.toml") == {"a": 1}


@pytest.mark.parametrize(
    "reader",
    [
        lambda path: load_adversary(str(path)),
        lambda path: load_policy(str(path)),
        load_resource,
        load_field_weights,
        read_changes,
    ],
    ids=["adversary", "policy", "resource", "weights", "changes"],
)
def test_every_reader_says_the_same_of_a_broken_file(tmp_path, reader):
    path = tmp_path / "ours.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(SchemaError, match=r"is not text in UTF-8\. Save it as UTF-8\."):
        reader(path)
    path.write_text("a = = 1")
    with pytest.raises(SchemaError, match="is not TOML: "):
        reader(path)


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


def _table(text: str) -> tuple[TomlTable, list[str]]:
    problems: list[str] = []
    return TomlTable(tomllib.loads(text), problems, "here."), problems


def test_good_values_make_no_problem():
    table, problems = _table(
        'a = "x"\nn = 2\nf = true\nd = 2008-09-01\nl = ["p", "q"]\n[t]\nk = "v"\n[[r]]\nz = 1\n[[r]]\nz = 2\n'
    )
    assert table.text("a") == "x"
    assert table.number("n") == 2.0
    assert table.flag("f") is True
    assert str(table.date("d")) == "2008-09-01"
    assert table.texts("l") == ("p", "q")
    assert table.table("t").choice("k", ("v", "w")) == "v"
    assert [item.number("z") for item in table.tables("r")] == [1.0, 2.0]
    table.done()
    assert problems == []


@pytest.mark.parametrize(
    ("text", "ask", "said"),
    [
        ("a = 1", lambda t: t.text("a"), "here.a = 1 is not a text in quotes."),
        ("", lambda t: t.text("a", required=True), "here.a is missing; give a text in quotes."),
        (
            'a = "hgih"',
            lambda t: t.choice("a", ("high", "low")),
            "'hgih' is not one of high, low. Did you mean 'high'?",
        ),
        ("a = 2026-05-19", lambda t: t.text("a"), "here.a = 2026-05-19 is not a text in quotes."),
        ("", lambda t: t.table("t", required=True).text("k", required=True), "here.t is missing; give a table, [t] or"),
        ("USD = 1", lambda t: (t.number("usd"), t.done()), "here.USD is not a known key. Did you mean 'usd'?"),
        ('n = "5"', lambda t: t.number("n"), "here.n = '5' is not a number, written without quotes such as 2500."),
        ("n = true", lambda t: t.number("n"), "here.n = True is not a number,"),
        ("n = -1", lambda t: t.number("n"), "here.n = -1 is not a number of 0 or more."),
        ("n = nan", lambda t: t.number("n"), "here.n = nan is not a number of 0 or more."),
        ('f = "true"', lambda t: t.flag("f"), "'true' is not true or false"),
        ('d = "2008-09-01"', lambda t: t.date("d"), "is not a date such as 2008-09-01, without quotes"),
        ("d = 2008-09-01T10:00:00", lambda t: t.date("d"), "has a time of day"),
        ('l = "p"', lambda t: t.texts("l"), "is not a list of texts"),
        ('l = ["p", 1]', lambda t: t.texts("l"), "is not a list of texts"),
        (
            'l = ["pubic"]',
            lambda t: t.texts("l", ("public",)),
            "holds 'pubic', not one of public. Did you mean 'public'?",
        ),
        ("t = 1", lambda t: t.table("t"), "here.t = 1 is not a table, [t] or t = { ... }."),
        ("r = [1]", lambda t: list(t.tables("r")), "here.r 1 is not a table."),
    ],
)
def test_each_wrong_value_is_said_with_what_was_allowed(text, ask, said):
    table, problems = _table(text)
    ask(table)
    assert len(problems) == 1
    assert said in problems[0]


def test_a_key_that_nothing_reads_is_an_error():
    table, problems = _table('granularty = "year"\nsource = "x"')
    table.text("granularity")
    table.done(also=("source",))
    assert problems == [
        "here.granularty is not a known key. Did you mean 'granularity'? Known here: granularity, source. "
        "Remove it or correct its name."
    ]


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


def test_many_unknown_keys_are_one_line():
    problems: list[str] = []
    TomlTable({f"k{at}": 1 for at in range(200_000)}, problems, "here.").done(["name"])
    (line,) = problems
    assert line.startswith("here.k0, k1, k2 and 199,997 more are not known keys. Known here: name.")


# Kinds of values in files of facts: what each accepts and rejects, and the error messages.


class _Table(CitingTable):
    color: word(("red", "green"), " Write red.") = "red"  # type: ignore[valid-type]
    usd: Usd = 0.0
    maybe: MaybeUsd = None
    flag: Flag = False
    text: Text = ""


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"color": "blue"}, "one of red, green"),
        ({"usd": -1}, "a number of 0 or more"),
        ({"usd": True}, "a number of 0 or more"),
        ({"usd": "5"}, "a number of 0 or more"),
        ({"usd": float("nan")}, "a number of 0 or more"),
        ({"maybe": 10**400}, "a number of 0 or more"),
        ({"flag": "yes"}, "true or false"),
        ({"text": 5}, "a text in quotes"),
        ({"shoe": 1}, "shoe"),
        ({"confidence": "sure"}, "one of"),
        ({"sources": "a"}, "a list of texts"),
    ],
)
def test_what_is_refused_and_what_would_be_right(raw, message):
    problems = []
    read_document(_Table, raw, problems)
    (problem,) = problems
    assert message in problem


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


class Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    buyer: Annotated[str, AfterValidator(one_of(("party", "public"), " See the guide."))] = "public"
    usd: float | None = Field(None, description="a number of dollars", json_schema_extra={"hint": " 0 is free."})


class Document(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    title: str = Field("", description="a text")
    price: list[Line] = []


def read(raw):
    problems: list[str] = []
    return read_document(Document, raw, problems, "[2026] "), problems


def test_a_sound_document_has_no_problem():
    document, problems = read({"title": "a", "price": [{"buyer": "party", "usd": 5.0}]})
    assert problems == []
    assert document.price[0].usd == 5.0


def test_every_problem_has_its_place_and_what_is_allowed():
    raw = {"titel": "a", "price": [{"usd": 1.0}, {"buyer": "partie", "usd": "5"}]}
    before = copy.deepcopy(raw)
    document, problems = read(raw)
    assert raw == before
    assert len(problems) == 3
    by_key = {name: next(line for line in problems if name in line) for name in ("titel", "buyer", "usd =")}
    assert all(line.startswith("[2026] ") for line in problems)
    assert "is not a known key" in by_key["titel"]
    assert "Known here: title, price" in by_key["titel"]
    assert "price 2: buyer = " in by_key["buyer"]
    assert "one of party, public" in by_key["buyer"]
    assert by_key["buyer"].endswith("See the guide.")
    assert "is not a number of dollars. 0 is free." in by_key["usd ="]
    assert [line.usd for line in document.price] == [1.0, None]  # what is wrong is left out, the rest stays


class Cited(BaseModel):
    id: str = Field(description="a short name")


def test_a_document_without_what_it_cannot_do_without_is_none():
    problems = []
    assert read_document(Cited, {}, problems) is None
    assert problems == ["id is missing; give a short name."]


def test_something_that_is_no_table_is_one_line():
    for raw, shown in ((None, "None"), ([], "[]"), ("x", "'x'"), (3, "3")):
        document, problems = read(raw)
        assert document is None
        assert problems == [f"[2026] the document contains {shown}, which is not a table."]
