"""Documents that no reader may stumble over: nested without end, of wrong types, with endless numbers and names."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_sim.attackers import files as attacker_files
from policy_sim.attackers.files import load_adversary, load_resource
from policy_sim.files.schema import checked, read_document
from policy_sim.policies import files as policy_files
from policy_sim.policies.files import load_policy, new_policy_file
from policy_sim.records.mapping import load_field_weights, load_mapping
from policy_sim.release import files as release_files
from policy_sim.voter_lists.exchange import as_csv, as_json, read_lists
from policy_sim.voter_lists.files import LIST_FOLDER, load_voter_lists, read_changes, read_state_files
from policy_sim.words.errors import PolicySimError, SchemaError

DEEP = 100_000
TOML = {
    "lists in lists": "a = " + "[" * DEEP,
    "tables in tables": "a = " + "{a=" * DEEP,
    "a long number": "a = " + "9" * 10_000,
    "a long number in hexadecimal": "a = 0x" + "f" * 10_000,
    "a long name": "x" * 10_000 + " = 1",
    "no UTF-8": b"a = \xff",
    "no TOML": "a = = 1",
}
SAID = {
    "lists in lists": "nested too deeply",
    "a long number": "too many digits",
    "no UTF-8": r"is not text in UTF-8\. Save it as UTF-8\.",
    "no TOML": "is not TOML: ",
}
TOML_READERS = {
    "policy": lambda path: load_policy(str(path)),
    "adversary": lambda path: load_adversary(str(path)),
    "changes": read_changes,
}
READERS = {**TOML_READERS, "import": read_lists}


def _one_line_each(error):
    lines = str(error).splitlines()
    assert lines
    assert all(len(line) < 1000 for line in lines)
    return lines


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("content", TOML)
def test_bad_toml_is_said_in_lines(content, reader, tmp_path):
    path = tmp_path / "oh.toml"
    text = TOML[content]
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(PolicySimError) as caught:
        READERS[reader](path)
    _one_line_each(caught.value)
    if content in SAID:  # every reader of TOML says the same of a broken file
        for read in (*TOML_READERS.values(), load_resource, load_field_weights, load_mapping):
            with pytest.raises(PolicySimError, match=SAID[content]):
                read(path)
    _, problems = LIST_FOLDER.scan(tmp_path)  # as the file of a state
    (said,) = problems.values()
    _one_line_each("\n".join(said))


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["x" * 300 + ".toml", "x/" * 3000 + "y.toml", "a\0b.toml"])
def test_a_name_that_no_file_can_have_is_one_line(name, reader, tmp_path):
    with pytest.raises(PolicySimError) as caught:
        READERS[reader](tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["[" * DEEP, '{"a":' * DEEP, "[" + "9" * 10_000 + "]", "{}", "[1]", "[]", "nul"])
def test_bad_json_is_said_in_lines(text, tmp_path):
    path = tmp_path / "lists.json"
    path.write_text(text)
    with pytest.raises(SchemaError) as caught:
        read_lists(path)
    _one_line_each(caught.value)


@pytest.mark.parametrize("cell", ["[" * DEEP, "x" * 200_000, "9" * 10_000], ids=["deep", "long", "digits"])
@pytest.mark.parametrize("column", ["notes", "price.usd", "valid_from", "source", "fields.birth.sources"])
def test_bad_cells_are_said_in_lines(cell, column, tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text(f"state,vintage,{column}\nOH,2026,{cell}\n")
    with pytest.raises(SchemaError) as caught:
        read_lists(path)
    _one_line_each(caught.value)


def _places(value, at=()):
    """Every place in a document of tables and lists."""
    if at:
        yield at
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[key], (*at, key))


@pytest.mark.slow
def test_every_value_of_another_type_is_said_in_lines(tmp_path):
    """A table, a list, a number, true and nothing, each in the place of each value of a list's document."""
    path = tmp_path / "lists.json"
    whole = json.loads(as_json([read_state_files()["OH"]["2026"]]))
    wrong = ({"a": {"b": 1}}, [[1], {"a": 2}], 7.5, True, None, "x" * 5000)
    for place in list(_places(whole)):
        for value in wrong:
            document = json.loads(json.dumps(whole))
            holder = document
            for key in place[:-1]:
                holder = holder[key]
            holder[place[-1]] = value
            path.write_text(json.dumps(document))
            with suppress(SchemaError):
                read_lists(path)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*"abk"]), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize(
    "model", [policy_files._PolicyTable, attacker_files._AdversaryTable, release_files._ProjectTable]
)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_strict_table_is_read_or_every_fault_is_a_line(model, data):
    """Whatever stands under the keys of a policy, an adversary or a project, and under others."""
    keys = [field.alias or name for name, field in model.model_fields.items()]
    raw = data.draw(st.dictionaries(st.sampled_from([*keys, "shoe"]), _VALUES))
    with suppress(SchemaError):
        checked(model, raw, "ours.toml")
    problems = []
    table = read_document(model, raw, problems)
    assert table is not None or problems
    assert all(line and "\n" not in line and len(line) < 1000 for line in problems)


FORMULAS = ("=HYPERLINK(1)", "+1;cmd", "-cmd", "@SUM(1)", "'=1", "''x", "-5", "plain")


def test_a_formula_in_a_list_is_marked_in_csv_and_comes_back(tmp_path):
    listed = load_voter_lists()["OH"]
    (first, *_) = listed.sources
    sources = {**listed.sources, first: replace(listed.sources[first], title="=1", note="@x")}
    price = replace(listed.price, note="=cmd|x!A1")
    fields = {**listed.fields, "birth": replace(listed.fields["birth"], wording="+birth(1)")}
    for text in FORMULAS:
        made = replace(listed, status_reason=text, notes=(text,), price=price, fields=fields, sources=sources)
        path = tmp_path / "lists.csv"
        path.write_text(as_csv([made]), encoding="utf-8")
        cells = path.read_text(encoding="utf-8").replace("\n", ",").split(",")
        assert not [cell for cell in cells if cell.strip('"')[:1] in tuple("=+@")]
        assert read_lists(path) == [made]


def test_a_new_policy_is_never_written_over_another(tmp_path):
    path = tmp_path / "ours.toml"
    new_policy_file(path)
    before = path.read_bytes()
    with pytest.raises(PolicySimError) as caught:
        new_policy_file(path)
    assert str(caught.value) == f"{path} already exists. Choose another name."
    assert path.read_bytes() == before
    for bad in (tmp_path / ("x" * 300 + ".toml"), path / "inside.toml", tmp_path):
        with pytest.raises(PolicySimError) as caught:
            new_policy_file(bad)
        assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == [path]
