"""Variables are classified with a reason, and treated as their role allows."""

import pytest

from policy_sim.release.treatments import KINDS, ROLES, Variable
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.mark.parametrize(("role", "treatment"), [("direct", "drop"), ("key", "generalize"), ("other", "keep")])
def test_each_role_has_its_usual_treatment(role, treatment):
    assert Variable("x", role, "why").treatment == treatment


@pytest.mark.parametrize("reason", ["", "  "])
def test_nothing_is_classified_in_silence(reason):
    with pytest.raises(InputError, match="no reason for its role key"):
        Variable("x", "key", reason)


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": "direct", "treatment": "keep"},
        {"role": "key", "treatment": "keep"},
        {"role": "other", "treatment": "shift"},
        {"role": "key", "kind": "table"},
        {"role": "key", "kind": "zip", "top": 3},
        {"role": "key", "rows": (("a", "*"),)},
    ],
)
def test_settings_that_do_not_go_together(wrong):
    with pytest.raises(InputError, match="variable x"):
        Variable("x", reason="why", **wrong)


@pytest.mark.parametrize("codes", [["34", "999.0"], ["-9", "34"]])
def test_a_code_for_a_missing_age_is_not_released_as_the_oldest(codes):
    age = Variable("age", "key", "known", "age", top=90)
    with pytest.raises(InputError, match="age: 1 distinct value is not an age"):
        age.ladder(codes)
    assert age.ladder(["34", "109"]).labels[0] == ("34", "90+")


def test_names_that_are_not_known():
    for wrong in ({"role": "secret"}, {"role": "key", "kind": "shoe"}):
        with pytest.raises(UnknownNameError):
            Variable("x", reason="why", **wrong)


VALUES = {"birth_date": "1980-01-02", "date": "2024-01-02", "zip": "43215", "county": "39049", "table": "a"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_ladder_that_ends_in_nothing(kind):
    rows = (("a", "*"),) if kind == "table" else ()
    value = VALUES.get(kind, "17")
    ladder = Variable("x", "key", "why", kind, rows=rows).ladder([value])
    assert ladder.is_gone(ladder.height)
    assert all(ROLES)


def test_allowed_levels_are_named():
    variable = Variable("x", "key", "why", "date", levels=("month", "year"))
    assert variable.allowed(variable.ladder(["2024-01-01"])) == (1, 2)
    wrong = Variable("x", "key", "why", "date", levels=("week",))
    with pytest.raises(UnknownNameError, match="level of x"):
        wrong.allowed(wrong.ladder(["2024-01-01"]))
