"""Utility as a weighted sum of what each field tells by itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.lattice_search.field_weights import FieldWeights
from policy_sim.errors import InputError
from policy_sim.granularity import Field
from policy_sim.policies.lattice import policy_from_text
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance

ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 2),
    ("OH", "39001", "F", 30, 1, "white", 2),
    ("OH", "39003", "F", 31, 1, "black", 4),
    ("WV", "54001", "F", 31, 1, "black", 7),
]
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made"),
    Provenance("made", "made for a test", "nobody", "2010-04-01", "by hand", 1.0, 0.0, 0.0),
)


def test_by_hand():
    """Ohio: 2 of 8 are men, 0.811 bits; ages, races and counties are halves, 1 bit; a month adds log2 12."""
    weights = FieldWeights({Field.GENDER: 2.0, Field.RACE: 1.0, Field.BIRTH: 0.5, Field.GEOGRAPHY: 0.0})
    policies = [policy_from_text(text) for text in ("gender+geography=county", "race+birth=month+geography=state")]
    quarter = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    expected = [[2 * quarter, 0.0], [1 + 0.5 * (1 + np.log2(12)), 0.5 * np.log2(12)]]
    np.testing.assert_allclose(weights.bits_of(PEOPLE, policies, ["OH", "WV"]), expected, rtol=1e-12)


def test_conditions_count():
    whole, hidden = (policy_from_text(f"geography=county{more}") for more in ("", " (county>4)"))
    bits = FieldWeights({}).bits_of(PEOPLE, [whole, hidden], ["OH"])
    assert bits.tolist() == [[1.0], [0.0]]


def test_fields_without_a_weight_have_1():
    assert str(FieldWeights({Field.RACE: 2.5})) == "sex 1, race 2.5, birth 1, geography 1"


@pytest.mark.parametrize("worth", [-1.0, float("nan"), float("inf")])
def test_weights_out_of_range_are_refused(worth):
    with pytest.raises(InputError, match="weight of race is"):
        FieldWeights({Field.RACE: worth})


def test_no_weight_at_all_is_refused():
    with pytest.raises(InputError, match="every field has weight 0"):
        FieldWeights(dict.fromkeys(Field, 0.0))
