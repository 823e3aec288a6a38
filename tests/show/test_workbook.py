"""Workbooks: read back by openpyxl, computed again by LibreOffice, the same bytes."""

import io

import pandas as pd
import pytest

from policy_sim.briefs.workbook import Sheet, workbook_bytes

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")

FRAME = pd.DataFrame(
    {"state": ["OH", "VA", "=1+1"], "above": [10.0, 4.0, 3.0], "below": [2.0, 0.0, 4.0], "ratio": [5.0, None, 0.75]}
)
SHEETS = (
    Sheet("Trust", FRAME, "A title", ("a note",), formulas={"ratio": '=IF({below}=0,"undefined",{above}/{below})'}),
    Sheet("Nothing", pd.DataFrame({"a": []})),
)


def test_a_real_table_with_its_formulas_and_a_text_that_is_no_formula():
    page = openpyxl.load_workbook(io.BytesIO(workbook_bytes(SHEETS, "t")))["Trust"]
    assert page.tables["Table1"].ref == "A4:D7"
    assert page["D5"].value == '=IF(C5=0,"undefined",B5/C5)'
    assert (page["A7"].value, page["A7"].data_type) == ("=1+1", "s")
    assert page["B5"].number_format == "#,##0.0"


def test_programs_that_do_not_compute_see_the_values():
    page = openpyxl.load_workbook(io.BytesIO(workbook_bytes(SHEETS, "t")), data_only=True)["Trust"]
    assert [page[f"D{row}"].value for row in (5, 6, 7)] == [5, "undefined", 0.75]


@pytest.mark.slow
def test_libreoffice_computes_the_same(tmp_path):
    from office import recalculated

    page = recalculated(workbook_bytes(SHEETS, "t"), tmp_path)["Trust"]
    assert [page[f"D{row}"].value for row in (5, 6, 7)] == [5, "undefined", 0.75]


def test_the_same_bytes():
    assert workbook_bytes(SHEETS, "t") == workbook_bytes(SHEETS, "t")
