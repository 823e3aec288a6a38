"""The user's own analysis before and after, by hand."""

import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.user_analyses import AnalysisRow, UserAnalysis
from policy_sim.errors import InputError, UnknownNameError


def table(**columns):
    return CodedTable({name: CodedColumn.of(texts) for name, texts in columns.items()})


BEFORE = table(age=["31", "34", "42", "45"], days=["1", "3", "10", ""], ill=["y", "n", "y", "y"])
AFTER = table(age=["30-39", "30-39", "40-49"], days=["1", "3", "10"], ill=["y", "n", "y"])
LABELS = {"age": {"31": "30-39", "34": "30-39", "42": "40-49", "45": "40-49"}}


@pytest.mark.parametrize(
    ("analysis", "before", "after"),
    [
        (UserAnalysis("a", "count", by=("age",)), (2, 2), (2, 1)),
        (UserAnalysis("a", "mean", "days", ("age",)), (2, 10), (2, 10)),
        (UserAnalysis("a", "median", "days", ("age",)), (2, 10), (2, 10)),
        (UserAnalysis("a", "share", "ill", ("age",), "y"), (0.5, 1), (0.5, 1)),
    ],
)
def test_groups_are_those_of_the_release(analysis, before, after):
    assert analysis.rows(BEFORE, AFTER, LABELS) == [
        AnalysisRow((group,), ours, theirs)
        for group, ours, theirs in zip(("30-39", "40-49"), before, after, strict=True)
    ]


def test_the_whole_file_and_groups_that_are_gone():
    assert UserAnalysis("a", "mean", "days").rows(BEFORE, AFTER, {}) == [AnalysisRow((), 14 / 3, 14 / 3)]
    rows = UserAnalysis("a", "count", by=("ill",)).rows(BEFORE, table(ill=["y"]), {})
    assert rows == [AnalysisRow(("n",), 1, None), AnalysisRow(("y",), 3, 1)]


def test_texts_are_no_numbers():
    assert UserAnalysis("a", "mean", "ill").rows(BEFORE, AFTER, {}) == [AnalysisRow((), None, None)]


def test_what_cannot_be_analyzed():
    with pytest.raises(UnknownNameError):
        UserAnalysis("a", "mode")
    with pytest.raises(InputError, match="name the column"):
        UserAnalysis("a", "mean")
    with pytest.raises(InputError, match="give the value for the share"):
        UserAnalysis("a", "share", "ill")
    with pytest.raises(InputError, match="not released"):
        UserAnalysis("a", "mean", "days").rows(BEFORE, table(age=["30-39"]), {})
    with pytest.raises(UnknownNameError, match="shoe"):
        UserAnalysis("a", "mean", "shoe").rows(BEFORE, AFTER, {})
