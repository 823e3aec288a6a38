"""Published attacks beside the model: each way to answer by hand, and what comes of the real ones."""

import pandas as pd
import pytest

from policy_sim.analyses.reproduction.field_trials import FieldTrials
from policy_sim.attackers.coverage import Coverage
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.reproduction import reproduce

COLUMNS = ["state", "county", "zip5", "sex", "age", "age_width", "people"]
ROWS = [
    ("TN", "47037", "37201", "F", 30, 1, 4),
    ("TN", "47037", "37202", "F", 30, 1, 1),
    ("TN", "47037", "37202", "M", 10, 1, 5),
]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made"), Provenance("made", "made", "", "", "", 1, 0, 0)
)
HALF = Coverage("registered", "half of the adults", {"TN": 2.5})
TRIALS = FieldTrials(PEOPLE, NO_CONDITIONS, HALF, lambda _: PEOPLE)


def test_claims_by_hand():
    """Groups of 4 and 1 adults, half listed: with one birthday a year, correct claims are 4/16 and 1/2."""
    adults, claimed, correct = TRIALS._claimed
    assert adults == 5
    x, b = 0.5, 365
    assert correct == pytest.approx(4 * x * (1 - x / b) ** 3 + x)
    assert claimed == pytest.approx(correct + 4 * x * 3 * (x / b) * (1 - x / b) ** 2)
    assert TRIALS.answer({"kind": "claims", "take": "precision"}).value == pytest.approx(correct / claimed)
    assert TRIALS.answer({"kind": "claims", "take": "claimed"}).value == pytest.approx(claimed / 5)


def test_in_the_file_by_hand():
    """Of 4, 1 and 5 people a tenth is in the file; 12 months of admission tell them apart."""
    ask = {"kind": "in-file", "state": "TN", "geography": "zip5", "birth": "year", "in_file": 0.1, "times": 12}
    alone = sum(n * 0.1 * (1 - 0.1 / 12) ** (n - 1) for n in (4, 1, 5))
    assert TRIALS.answer(ask).value == pytest.approx(alone / 1.0)


def test_the_other_ways_by_hand():
    key = {"geography": "zip5", "birth": "year"}
    assert TRIALS.answer({"kind": "alone", **key}).value == pytest.approx(1 / 10)
    guess = TRIALS.answer({"kind": "guess", "share": 0.5, **key}).value
    assert guess == pytest.approx(sum(1 - 0.5**n for n in (4, 1, 5)) / 5)
    listed = TRIALS.answer({"kind": "listed-county", "county": "47037", "listed": 2.5, **key}).value
    assert listed == pytest.approx(sum(1 - 0.5**n for n in (4, 1)) / 2.5)
    silent = TRIALS.answer({"kind": "silent", "why": "houses."})
    assert silent.value is None
    assert silent.reason == "The model does not cover this: houses."


@pytest.mark.slow
def test_real_attacks():
    """At least eight; the Personal Genome Project's precision lies inside 84 to 97 %; each says what it assumes."""
    rows = reproduce("field-trials").to_frame().set_index("id")
    assert len({where.split(",")[0] for where in rows["where"]}) >= 8
    assert rows["assumed"].str.len().min() > 0
    assert 84 < rows.loc["pgp-precision-low", "ours"] < 97
    excerpts = rows["where"].str.contains("excerpt")
    assert rows.loc[excerpts, "secondary"].all()
    silent = rows[rows["ours"].isna()]
    assert silent["reason"].str.startswith("The model does not cover this").all()
    assert set(silent.index) == {"homes-2017", "review-all", "review-health"}
