from __future__ import annotations

import json
import shutil
import tomllib

import pytest

from policy_sim.files.paths import voter_policies_dir
from policy_sim.voter_lists.exchange import (
    COLUMNS,
    as_csv,
    as_json,
    from_row,
    read_lists,
    to_row,
    write_workbook,
)
from policy_sim.voter_lists.files import check_lists, read_state_files
from policy_sim.words.errors import InputError, SchemaError


@pytest.mark.slow
def test_csv_and_json_come_back_without_loss(tmp_path, lists):
    for path, text in ((tmp_path / "lists.csv", as_csv(lists)), (tmp_path / "lists.json", as_json(lists))):
        path.write_text(text, encoding="utf-8")
        assert read_lists(path) == lists


@pytest.mark.slow
def test_json_holds_the_tables_of_each_file(lists):
    documents = json.loads(as_json(lists))
    ohio = next(document for document in documents if document["state"] == "OH")
    assert ohio["2008"]["fields"]["birth"]["granularity"] == "year"
    assert len(documents) == 51


def test_a_states_file_is_an_import_too(tmp_path):
    path = shutil.copy(voter_policies_dir() / "oh.toml", tmp_path / "ohio-corrected.toml")
    assert {listed.vintage for listed in read_lists(path)} == set(read_state_files()["OH"])


def test_a_workbook_has_a_sheet_each(tmp_path, lists):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("xlsxwriter")
    path = tmp_path / "lists.xlsx"
    write_workbook(lists, path)
    book = openpyxl.load_workbook(path, read_only=True)
    try:
        assert book.sheetnames == ["lists", "facts", "conflicts", "sources"]
        rows = list(book["lists"].iter_rows(values_only=True))
    finally:
        book.close()
    assert rows[0][:2] == ("state", "vintage")
    assert len(rows) == 1 + len(lists)
    write_workbook(lists, tmp_path / "again.xlsx")
    assert path.read_bytes() == (tmp_path / "again.xlsx").read_bytes()


def test_all_problems_of_a_csv_at_once(tmp_path):
    path = tmp_path / "lists.csv"
    good = {"vintage": "2026", "valid_from": "2026-01-01", "status": "available", "price.kind": "free"}
    rows = [
        {**good, "state": "OH", "status": "open"},
        {**good, "state": "OH"},
        {**good, "state": "QQ"},
        {**good, "state": "PA", "valid_from": "soon", "price.kind": "flat", "price.usd": "ten"},
        {**good, "state": "PA", "vintage": "2020", "notes": "[bad"},
    ]
    head = {name: name for name in COLUMNS}
    path.write_text("\n".join(",".join(row.get(name, "") for name in COLUMNS) for row in (head, *rows)))
    with pytest.raises(SchemaError) as caught:
        read_lists(path)
    said = caught.value.problems
    for text in (
        "line 2 (OH 2026): [2026] status = 'open' is not one of",
        "line 3 (OH 2026): appears twice",
        "line 4 (QQ 2026): state = 'QQ' is not a state's postal code",
        "line 5 (PA 2026): valid_from = 'soon' cannot be read",
        "line 5 (PA 2026): price.usd = 'ten' cannot be read",
        "line 6 (PA 2020): notes = '[bad' cannot be read",
    ):
        assert any(problem.startswith(text) for problem in said), (text, said)


def test_an_unknown_column_is_said_once_and_one_that_stands_twice_too(tmp_path, lists):
    path = tmp_path / "lists.csv"
    text = as_csv([listed for listed in lists if listed.state in ("OH", "PA")])
    path.write_text("\n".join(f"{line},{line[:2]},x" for line in text.splitlines()).replace(",st,x", ",state,dob"))
    with pytest.raises(SchemaError) as caught:
        read_lists(path)
    unknown, twice = [problem for problem in caught.value.problems if problem.startswith("column")]
    assert unknown.startswith("column 'dob' ")
    assert twice.startswith("column 'state' appears twice")


@pytest.mark.slow
def test_every_column_is_always_there_so_that_it_can_be_filled_in(lists):
    ohio = [listed for listed in lists if listed.state == "OH"]
    assert as_csv(ohio).splitlines()[0] == as_csv(lists).splitlines()[0]
    assert {column for listed in lists for column in to_row(listed)} <= set(COLUMNS)


@pytest.mark.parametrize("name", ["oh.toml", "lists.json"])
def test_years_that_overlap_are_no_import(tmp_path, name):
    text = (voter_policies_dir() / "oh.toml").read_text(encoding="utf-8")
    path = tmp_path / "oh.toml"
    path.write_text(text.replace("valid_from = 2020", "valid_until = 2026-06-01\nvalid_from = 2020"), encoding="utf-8")
    if name == "lists.json":
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        path = tmp_path / name
        path.write_text(json.dumps([{"state": "OH"} | document], default=str), encoding="utf-8")
    with pytest.raises(SchemaError, match=r"OH \[2020\] valid_until: overlaps with \[2026\]"):
        read_lists(path)


def test_documents_of_the_files_own_folder_may_be_cited(tmp_path):
    """What ``lists check`` takes, an import takes."""
    shutil.copy(voter_policies_dir() / "oh.toml", tmp_path)
    path, own = tmp_path / "oh.toml", tmp_path / "_sources.toml"
    own.write_text((voter_policies_dir() / "_sources.toml").read_text() + '\n[[source]]\nid = "mine"\ntitle = "Mine"\n')
    path.write_text(path.read_text().replace('sources = ["bm-text"]', 'sources = ["mine"]', 1))
    assert "mine" in path.read_text()
    assert "malformed" not in {finding.kind for finding in check_lists(tmp_path, [path])}
    assert any("mine" in listed.sources for listed in read_lists(path))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("lists.txt", "x", ".toml file, or the .csv"),
        ("lists.csv", "", "has no lists"),
        ("lists.csv", "a,b\n1,2\n", "has no lists"),
        ("lists.csv", "state;vintage\nOH;2026\n", "separated by commas"),
        ("lists.csv", "state,vintage\nOH,26\n", "vintage = '26' is not a year"),
        ("lists.json", "[", "is not JSON"),
        ("lists.json", "{}", "has no lists"),
        ("lists.json", "[]", "has no lists"),
        ("lists.json", '[{"state": "OH", "2026": {"valid_from": "soon"}}]', "valid_from = 'soon' is not a date"),
        ("oh.toml", "state = OH", "is not TOML"),
        ("oh.toml", 'state = "Ohio"', "state = 'Ohio' is not"),
    ],
)
def test_files_that_hold_no_lists(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_lists(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_lists(tmp_path / "none.csv")


@pytest.mark.parametrize(("path", "cell"), [("price.usd", "12 USD"), ("valid_from", "soon"), ("source", "[")])
def test_a_cell_that_cannot_be_read_is_named_and_the_rest_is_kept(path, cell):
    problems = []
    document = from_row({"state": "OH", "vintage": "2026", "status": "available", path: cell}, problems)
    assert document["2026"]["status"] == "available"
    (line,) = problems
    assert line.startswith(f"{path} = ")


def test_nobody_is_not_the_same_as_nothing_said():
    rows = ({"vintage": "v", "buyers.allowed": cell} for cell in ("nobody", "", "a b"))
    read = [from_row(row, [])["v"]["buyers"]["allowed"] for row in rows]
    assert read == [[], "unknown", ["a", "b"]]
