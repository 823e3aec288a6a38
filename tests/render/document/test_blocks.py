"""The marks of texts, and what a document refuses."""

import pytest

from policy_sim.errors import InputError
from policy_sim.render.document.blocks import Document, DocumentTable, Paragraph, link, pieces


def test_marks_inside_marks():
    text = f"a **b {link('k', 'c')}** d"
    assert [(p.text, p.bold, p.key) for p in pieces(text)] == [
        ("a ", False, ""),
        ("b ", True, ""),
        ("c", True, "k"),
        (" d", False, ""),
    ]


def test_no_character_of_a_text_is_lost():
    for text in ("2 ** 3", "[[no link]]", "a|b", "**", "[[k|]]x"):
        assert "".join(piece.text for piece in pieces(text)) in (text, "x")


def test_a_link_to_nowhere_and_a_key_twice_are_refused():
    with pytest.raises(InputError, match="links to no key: \\['n9'\\]"):
        Document("t", "s", (Paragraph("[[n9|1]]"),))
    rows = DocumentTable(("a",), (("1",), ("2",)), keys=("k", "k"))
    with pytest.raises(InputError, match="stand twice: \\['k'\\]"):
        Document("t", "s", (rows,))


def test_a_ragged_table_is_refused():
    with pytest.raises(InputError, match="each row needs 2"):
        DocumentTable(("a", "b"), (("1",),))
    with pytest.raises(InputError, match="a key for every row"):
        DocumentTable(("a",), (("1",),), keys=("x", "y"))
