"""What was measured: figures before and after, and what is left out where nothing was."""

from policy_sim.render.document.blocks import DocumentTable, Paragraph
from policy_sim.render.dossier.measured_parts import (
    analyses_part,
    linkage_part,
    risks_part,
    sensitive_part,
    transformation_part,
    use_part,
)


def table_of(blocks) -> DocumentTable:
    (table,) = [block for block in blocks if isinstance(block, DocumentTable)]
    return table


def text_of(blocks) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Paragraph))


def test_every_risk_stands_before_and_after(figures):
    rows = table_of(risks_part(figures)).rows
    assert ("smallest class", "1", "11") in rows
    assert ("largest risk of a record", "1", "0.09091") in rows
    assert rows[-1] == ("overall risk (data times context)", "0.05", "0.05")
    assert len(table_of(risks_part(figures | {"assessment": None})).rows) == len(rows) - 1


def test_missing_values_are_counted_before_and_after(figures):
    text = text_of(use_part(figures))
    assert "3.0% before, 5.0% after, 2.0% more" in text
    assert "1.5% before, 3.0% after, 1.5% more" in text
    assert table_of(use_part(figures)).rows == (("age", "-", "-", "-"),)


def test_how_the_levels_were_found(figures):
    assert "no other choice of levels loses less" in text_of(transformation_part(figures))
    heuristic = figures | {"search": figures["search"] | {"optimal": False}}
    assert "another choice may lose less" in text_of(transformation_part(heuristic))
    assert "the only level that the aim allows" in text_of(transformation_part(figures | {"search": None}))


def test_an_unknown_price_is_a_dash_and_not_0(figures):
    (row,) = table_of(linkage_part(figures)).rows
    assert row == ("voter", "OH", "geography=county", "0.01", "0.0001", "-", "ok")
    assert "Without dx" in text_of(linkage_part(figures))


def test_what_was_not_measured_is_left_out_or_named(figures):
    assert linkage_part(figures | {"linkage": None}) == []
    assert analyses_part(figures | {"analyses": []}) == []
    assert text_of(sensitive_part(figures | {"sensitive": []})) == "No sensitive column is released."
