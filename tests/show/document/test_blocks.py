"""The marks of texts, and what a document refuses."""

import pytest

from policy_sim.show.document.blocks import Document, DocumentTable, Paragraph, Verbatim, as_is, link, pieces
from policy_sim.words.errors import InputError


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


@pytest.mark.parametrize("text", ["**b**", "[[n9|1]]", "a ** b", "plain", "", "x **b** [[n|c]] y"])
def test_text_as_it_is_has_no_marks(text):
    found = list(pieces(as_is(text)))
    assert "".join(piece.text for piece in found) == text
    assert not any(piece.bold or piece.key for piece in found)
    assert Document("t", "s", (Paragraph(as_is(text)),))


def test_text_as_it_is_may_stand_among_marks():
    found = list(pieces(f"**say {as_is('**x**')}** [[k|c]]"))
    assert [(piece.text, piece.bold, piece.key) for piece in found] == [
        ("say ", True, ""),
        ("**x**", True, ""),
        (" ", False, ""),
        ("c", False, "k"),
    ]


def test_a_verbatim_text_can_be_the_end_of_a_link():
    assert Document("t", "s", (Paragraph("[[file|see the file]]"), Verbatim("**", "file")))
    with pytest.raises(InputError, match="stand twice"):
        Document("t", "s", (Verbatim("a", "k"), Verbatim("b", "k")))
