from __future__ import annotations

import numpy as np
import pytest
from small_people import population_of

from policy_sim.model.explore.axes import AgeClass, FieldWeights, axis_of, first_numbered, written
from policy_sim.policies.policy import policy_from_text
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field

VIEWS = {
    "finest": [0, 1, 2, 3, 4],
    "pairs": [7, 7, 3, 3, 9],
    "same pairs": [0, 0, 1, 1, 2],
    "crossed": [0, 1, 0, 1, 0],
    "all": [5, 5, 5, 5, 5],
}
AXIS = axis_of((name, np.array(codes)) for name, codes in VIEWS.items())


def test_classes_are_numbered_by_their_first_value():
    assert first_numbered(np.array([7, 7, 3, 9, 3])).tolist() == [0, 0, 1, 2, 1]


def test_views_with_one_partition_share_it_and_the_finest_comes_first():
    assert AXIS.views == (("finest",), ("pairs", "same pairs"), ("crossed",), ("all",))
    assert [partition.size for partition in AXIS.partitions] == [5, 3, 2, 1]


def test_the_finest_values_are_there_where_no_view_shows_them():
    axis = axis_of([("all", np.zeros(3, dtype=np.int64))])
    assert axis.views == ((), ("all",))
    assert axis.partitions[0].codes.tolist() == [0, 1, 2]


# Classes of ages as they are written.


def test_classes_are_written_with_an_open_end():
    lower, years = [*range(100), 100, 105, 110], [1] * 100 + [5, 5, 1]
    assert AgeClass(0, 5).text(lower, years) == "0-4"
    assert AgeClass(5, 6, "quarter").text(lower, years) == "5 by quarter"
    assert AgeClass(100, 101, "year").text(lower, years) == "100-104 by year"
    assert AgeClass(85, 103).text(lower, years) == "85+"


def test_single_years_that_follow_each_other_are_put_together():
    lower, years = [*range(100), 100, 105, 110], [1] * 100 + [5, 5, 1]
    classes = [
        *(AgeClass(age, age + 1) for age in range(3)),
        AgeClass(3, 4, "month"),
        AgeClass(4, 5),
        AgeClass(5, 100),
        AgeClass(100, 101, "year"),
        AgeClass(101, 103),
    ]
    words = written(classes, lower, years).split(", ")
    assert words == ["0 to 2 by year", "3 by month", "4", "5-99", "100-104 by year", "105+"]


def test_the_last_age_is_open_and_stands_alone():
    assert written([AgeClass(0, 1), AgeClass(1, 2), AgeClass(2, 3)], range(3), [1] * 3) == "0 to 1 by year, 2+"


# Utility as a weighted sum of what each field tells by itself.


ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 2),
    ("OH", "39001", "F", 30, 1, "white", 2),
    ("OH", "39003", "F", 31, 1, "black", 4),
    ("WV", "54001", "F", 31, 1, "black", 7),
]
FIELD_WEIGHTS_PEOPLE = population_of(ROWS, date="2010-04-01")


def test_by_hand():
    """Ohio: 2 of 8 are men, 0.811 bits; ages, races and counties are halves, 1 bit; a month adds log2 12."""
    weights = FieldWeights({Field.GENDER: 2.0, Field.RACE: 1.0, Field.BIRTH: 0.5, Field.GEOGRAPHY: 0.0})
    policies = [policy_from_text(text) for text in ("gender+geography=county", "race+birth=month+geography=state")]
    quarter = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    expected = [[2 * quarter, 0.0], [1 + 0.5 * (1 + np.log2(12)), 0.5 * np.log2(12)]]
    np.testing.assert_allclose(weights.bits_of(FIELD_WEIGHTS_PEOPLE, policies, ["OH", "WV"]), expected, rtol=1e-12)


def test_conditions_count():
    whole, hidden = (policy_from_text(f"geography=county{more}") for more in ("", " (county>4)"))
    bits = FieldWeights({}).bits_of(FIELD_WEIGHTS_PEOPLE, [whole, hidden], ["OH"])
    assert bits.tolist() == [[1.0], [0.0]]


def test_fields_without_a_weight_have_1():
    weights = str(FieldWeights({Field.RACE: 2.5})).split(", ")
    assert weights == ["sex 1", "race 2.5", "ethnicity 1", "birth 1", "geography 1"]


def test_weights_out_of_range_and_none_at_all_are_refused():
    for worth in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="weight of race is"):
            FieldWeights({Field.RACE: worth})
    with pytest.raises(InputError, match="every field has weight 0"):
        FieldWeights(dict.fromkeys(Field, 0.0))
