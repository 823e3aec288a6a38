"""The workbook of a study: its formulas come to the study's figures, in LibreOffice too."""

import io

import pytest

from policy_sim import Study
from policy_sim.briefs.workbook import study_workbook
from policy_sim.model.measure import TOTAL_RISK

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")


@pytest.fixture(scope="module")
def content(small_study):
    return study_workbook(small_study, small_study.compare(g=1, rules="paper"))


def rows_of(page):
    rows = list(page.values)
    top = next(at for at, row in enumerate(rows) if row[0] in ("state", "sheet"))
    return [dict(zip(rows[top], row, strict=True)) for row in rows[top + 1 :]]


@pytest.mark.slow
def test_sheets_and_figures(content, small_study):
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    assert book.sheetnames == ["Read me", "Risk", "Trust", "Cost", "Details", "List facts", "Sources"]
    answer = small_study.compare(g=1, rules="paper")
    risk = rows_of(book["Risk"])
    assert len(risk) == 12
    own = next(
        row
        for row in risk
        if (row["state"], row["rules"], row["attacker"]) == ("Delaware", "Safe Harbor in the paper's form", "general")
    )
    assert own["matches"] == pytest.approx(answer.profile("DE", "safe-harbor", "general").people(TOTAL_RISK).low)


@pytest.mark.slow
def test_every_formula_comes_to_the_study_s_figure_in_libreoffice(content, tmp_path):
    from office import recalculated

    ours = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    theirs = recalculated(content, tmp_path)
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
    book = openpyxl.load_workbook(io.BytesIO(study_workbook(study, answer)))
    rows = {row["attacker"]: row for row in rows_of(book["Trust"])}
    assert rows["voter"]["status"] == "interval"
    assert rows["voter"]["ratio"] == pytest.approx(
        answer.trust("limited-dataset", "safe-harbor").to_frame()["ratio"].iloc[-2], rel=1e-12
    )
    assert rows["voter"]["ratio"] != pytest.approx(rows["voter"]["people above"] / rows["voter"]["people below"])
    assert rows["general"]["ratio"].startswith("=IF(")
