from __future__ import annotations

import pandas as pd

from policy_sim.records.file_result import FileResult

MAIN, MORE = pd.DataFrame({"figure": ["k", "risk"], "value": [2.0, 0.5]}), pd.DataFrame({"size": [1]})


def test_the_first_table_is_the_one_shown():
    result = FileResult("profile", None, {"figures": MAIN, "sizes": MORE}, files={"a.csv": None})
    assert result.to_frame() is MAIN
    assert repr(result).startswith("profile of a.csv: 2 rows; more in .tables: sizes\n")
    assert "0.5" in repr(result)


def test_one_table_and_two_files_are_said_as_they_are():
    result = FileResult("estimate", None, {"sizes": MORE}, files={"a.csv": None, "b.csv": None})
    assert repr(result).splitlines()[0] == "estimate of a.csv, b.csv: 1 row"


def test_a_headline_has_no_markup_of_a_file_name():
    html = FileResult("score", None, {"sizes": MORE}, files={"<i>.csv": None})._repr_html_()
    assert "&lt;i&gt;.csv" in html
    assert "<i>" not in html
