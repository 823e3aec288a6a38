"""Results that show themselves."""

import json

from policy_sim.release.release_results import Rechecked, ReleaseResult


def test_a_run_is_figures_and_a_table(plain, tmp_path):
    result = plain.run(tmp_path / "out")
    assert isinstance(result, ReleaseResult)
    assert json.loads((tmp_path / "out" / "release.json").read_text()) == result
    frame = result.to_frame().set_index("figure")
    assert frame.loc["uniques", "after"] == 0
    assert len(repr(result)) < 2000
    assert "met" in repr(result)
    assert "<table" in result._repr_html_()


def test_a_check_is_rows_and_a_table(plain, tmp_path):
    plain.run(tmp_path / "out")
    checked = plain.recheck(tmp_path / "out")
    assert isinstance(checked, Rechecked)
    assert checked.to_frame()["holds"].tolist() == [row["holds"] for row in checked]
    assert "0 no longer hold" in repr(checked)
