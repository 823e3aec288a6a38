"""Workbooks: read back by openpyxl, computed again by LibreOffice, and their formulas come to the study's figures."""

import io

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.attackers.in_file import InFile
from policy_sim.briefs.workbook import Sheet, study_workbook, workbook_bytes
from policy_sim.model.measure import TOTAL_RISK

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")

FRAME = pd.DataFrame(
    {"state": ["OH", "VA", "=1+1"], "above": [10.0, 4.0, 3.0], "below": [2.0, 0.0, 4.0], "ratio": [5.0, None, 0.75]}
)
SHEETS = (
    Sheet("Trust", FRAME, "A title", ("a note",), formulas={"ratio": '=IF({below}=0,"undefined",{above}/{below})'}),
    Sheet("Nothing", pd.DataFrame({"a": []})),
)


def opened(content, **options):
    return openpyxl.load_workbook(io.BytesIO(content), **options)


def test_a_real_table_with_its_formulas_their_values_and_a_text_that_is_no_formula():
    content = workbook_bytes(SHEETS, "t")
    assert content == workbook_bytes(SHEETS, "t")
    page = opened(content)["Trust"]
    assert page.tables["Table1"].ref == "A4:D7"
    assert page["D5"].value == '=IF(C5=0,"undefined",B5/C5)'
    assert (page["A7"].value, page["A7"].data_type) == ("=1+1", "s")
    assert page["B5"].number_format == "#,##0.0"
    values = opened(content, data_only=True)["Trust"]  # for programs that do not compute
    assert [values[f"D{row}"].value for row in (5, 6, 7)] == [5, "undefined", 0.75]


@pytest.mark.slow
def test_libreoffice_computes_the_same(tmp_path):
    from office import recalculated

    page = recalculated(workbook_bytes(SHEETS, "t"), tmp_path)["Trust"]
    assert [page[f"D{row}"].value for row in (5, 6, 7)] == [5, "undefined", 0.75]


# The workbook of a study.


@pytest.fixture(scope="module")
def answer(small_study):
    return small_study.compare(g=1, rules="paper")


@pytest.fixture(scope="module")
def content(small_study, answer):
    return study_workbook(small_study, answer)


def rows_of(page):
    rows = list(page.values)
    top = next(at for at, row in enumerate(rows) if row[0] in ("state", "sheet"))
    return [dict(zip(rows[top], row, strict=True)) for row in rows[top + 1 :]]


@pytest.mark.slow
def test_sheets_and_figures(content, answer):
    book = opened(content, data_only=True)
    assert book.sheetnames == ["Read me", "Risk", "Trust", "Cost", "Details", "List facts", "Sources"]
    by_case = {(row["state"], row["rules"], row["attacker"]): row["matches"] for row in rows_of(book["Risk"])}
    assert len(by_case) == 12
    matches = by_case["Delaware", "Safe Harbor in the paper's form", "general"]
    assert matches == pytest.approx(answer.profile("DE", "safe-harbor", "general").people(TOTAL_RISK).low)


@pytest.mark.slow
def test_every_formula_comes_to_the_study_s_figure_in_libreoffice(content, tmp_path):
    from office import recalculated

    ours, theirs = opened(content, data_only=True), recalculated(content, tmp_path)
    compared = 0
    costs = ["dollars per match", "dollars per correct claim"]
    for sheet, names in (("Risk", ["share"]), ("Trust", ["ratio"]), ("Cost", costs)):
        for one, other in zip(rows_of(ours[sheet]), rows_of(theirs[sheet]), strict=True):
            for name in names:
                if isinstance(one[name], int | float):
                    assert other[name] == pytest.approx(one[name], rel=1e-12)
                    compared += 1
                else:
                    assert other[name] in ("undefined", "unknown")
    assert compared > 15


@pytest.mark.slow
def test_a_figure_over_unknown_fields_is_no_formula():
    """Alabama: the least ratio is over the combinations of its list's unknown fields, not of the two figures beside."""
    study = Study("us-2020", 2026)
    answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "AL", 1)
    rows = {row["attacker"]: row for row in rows_of(opened(study_workbook(study, answer))["Trust"])}
    assert rows["voter"]["status"] == "interval"
    ratio = answer.trust("limited-dataset", "safe-harbor").to_frame()["ratio"].iloc[-2]
    assert rows["voter"]["ratio"] == pytest.approx(ratio, rel=1e-12)
    assert rows["voter"]["ratio"] != pytest.approx(rows["voter"]["people above"] / rows["voter"]["people below"])
    assert rows["general"]["ratio"].startswith("=IF(")


@pytest.mark.slow
def test_the_whole_of_a_file_of_several_states_is_the_sum_of_their_rows(small_study):
    file = InFile.of(900, "DE: Kent=60%; RI: Kent, Washington")
    answer = small_study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], in_file=file, g=1)
    rows = rows_of(opened(study_workbook(small_study, answer), data_only=True)["Risk"])
    by_state = {(row["state"], row["rules"], row["attacker"]): row for row in rows}
    names = ("people", "matches", "correct claims", "claims")
    for rules, attacker in {(row["rules"], row["attacker"]) for row in rows}:
        delaware, island, whole = (
            by_state[state, rules, attacker] for state in ("Delaware", "Rhode Island", "Delaware and Rhode Island")
        )
        for name in names:
            assert whole[name] == pytest.approx(delaware[name] + island[name], rel=1e-9)
        weighted = (delaware["share"] * delaware["people"] + island["share"] * island["people"]) / 900
        assert whole["share"] == pytest.approx(weighted, rel=1e-9)
