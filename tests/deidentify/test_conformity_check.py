"""Released texts that do not conform are counted, and none is named."""

import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.conformity_check import conformity_problems
from policy_sim.deidentify.treatments import Variable

YEAR = Variable("born", "key", "known", "birth_date", levels=("year",))
FIVE = Variable("born", "key", "known", "birth_date", levels=("five years",))
AGE = Variable("age", "key", "known", "age", levels=("value",), top=90)
ZIP = Variable("zip", "key", "known", "zip", levels=("three digits",))
NAME = Variable("name", "direct", "a name")


@pytest.mark.parametrize(
    ("variable", "values", "problems"),
    [
        (YEAR, ["1980", "1936 or before"], 0),
        (YEAR, ["1980-01"], 1),
        (YEAR, ["1936"], 1),
        (YEAR, ["1937"], 0),
        (FIVE, ["1935-1939", "1936 or before"], 0),
        (FIVE, ["1930-1934"], 1),
        (AGE, ["89", "90+"], 0),
        (AGE, ["90", "101"], 1),
        (ZIP, ["432", "000"], 0),
        (ZIP, ["43215"], 1),
        (ZIP, ["036"], 1),
        (NAME, ["A"], 1),
    ],
)
def test_shapes_and_limits(variable, values, problems):
    table = CodedTable({variable.name: CodedColumn.of(values)})
    said = conformity_problems(table, (variable,), frozenset({"036"}), 1936)
    assert len(said) == problems
    assert not any(value in text for value in values if value not in ("A",) for text in said)


def test_what_is_dropped_is_not_there():
    assert conformity_problems(CodedTable({"x": CodedColumn.of(["1"])}), (NAME,)) == []
