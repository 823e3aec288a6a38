"""The door to printed papers: every paper by name, its rows, figures and manifest."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from policy_sim import reproduce
from policy_sim.study.reproduction import PAPERS
from policy_sim.words.errors import InputError, UnknownNameError

mpl.use("Agg")


@pytest.fixture(scope="module")
def paper():
    return reproduce("dankar-2010")


def test_papers_are_those_whose_figures_ship(root):
    assert {path.stem for path in (root / "data" / "published").glob("*.toml")} >= set(PAPERS)


def test_one_row_per_printed_figure_with_a_reason_where_there_is_none(paper):
    rows = paper.to_frame()
    assert rows["id"].is_unique
    assert (rows.loc[rows["ours"].isna(), "reason"].str.len() > 0).all()
    assert repr(paper).startswith(f"Reproduction of dankar-2010: {len(rows)} printed figures")


def test_a_manifest_has_the_checksum_of_the_printed_figures_and_no_clock(paper):
    manifest = paper.provenance.manifest()
    assert len(manifest["inputs"]["printed figures"]) == 64
    assert manifest == reproduce("dankar-2010").provenance.manifest()
    assert manifest["notes"] == list(paper.notes)


def test_deviations_are_drawn_where_there_are_any(paper):
    names = [name for name, _, _ in paper.figures()]
    plt.close("all")
    assert names == ["deviation"]


def test_a_file_of_adult_is_counted(tmp_path):
    """Three classes of four records: marketer risk of the file linked with itself is 3/4."""
    (tmp_path / "adult.csv").write_text(
        "age,education,race,sex\n30,HS,white,F\n30,HS,white,F\n41,HS,white,M\n52,BA,black,M\n"
    )
    without = reproduce("dankar-2010").to_frame()
    for place in (tmp_path, tmp_path / "adult.csv"):
        rows = reproduce("dankar-2010", place).to_frame()
        assert rows["ours"].notna().sum() > without["ours"].notna().sum()
        assert 4 in rows["ours"].dropna().tolist()


def test_a_file_is_for_the_paper_that_takes_one(tmp_path):
    with pytest.raises(InputError, match="dankar-2010"):
        reproduce("golle-2006", tmp_path)
    with pytest.raises(InputError, match=r"adult\.csv"):
        reproduce("dankar-2010", tmp_path)
    with pytest.raises(UnknownNameError, match="golle-2006"):
        reproduce("golle")
