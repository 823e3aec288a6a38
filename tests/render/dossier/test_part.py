"""A part of a dossier: its blocks in their order, and nothing of a text taken for a mark."""

from policy_sim.render.document.blocks import Bullets, DocumentTable, Heading, Paragraph, pieces
from policy_sim.render.dossier.part import part


def test_blocks_in_their_order():
    blocks = part("Risk", ("First.", "Second."), ("a", "b"), (("1", "2"),), ("one",), (1,))
    assert blocks == [
        Heading("Risk"),
        Paragraph("First."),
        Paragraph("Second."),
        DocumentTable(("a", "b"), (("1", "2"),), numbers=frozenset({1})),
        Bullets(("one",)),
    ]


def test_a_table_without_rows_and_a_list_without_items_are_left_out():
    assert part("Risk", head=("a",)) == [Heading("Risk")]


def test_marks_stay_as_they_were_written():
    text = "**a** [[b|c]]"
    _, paragraph, table, bullets = part("T", (text,), ("x",), ((text,),), (text,))
    for written in (paragraph.text, table.rows[0][0], bullets.items[0]):
        (piece,) = pieces(written)
        assert (piece.text, piece.bold, piece.key) == (text, False, "")
