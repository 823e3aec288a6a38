"""Which estimate is read first."""

from policy_sim.estimators import ClassTable, Estimate, estimate_all
from policy_sim.estimators.verdict import verdict


def row(model, status="ok", uniqueness=0.1):
    return Estimate(model, status, uniqueness=uniqueness if status == "ok" else None)


def test_the_log_linear_model_where_it_fits():
    chosen = verdict([row("pitman"), row("poisson_log_linear", uniqueness=0.2)])
    assert chosen.estimate.model == "poisson_log_linear"
    assert "it fits" in chosen.reason


def test_else_pitman_and_the_reason():
    left_out = verdict([row("zayatz"), row("pitman")])
    assert (left_out.estimate.model, "did not run" in left_out.reason) == ("pitman", True)
    failed = verdict([row("pitman"), row("poisson_log_linear", "Pitman's model instead: too many cells")])
    assert (failed.estimate.model, "no fit of its own" in failed.reason) == ("pitman", True)


def test_without_pitman_another_model_and_without_any_none():
    assert verdict([row("pitman", "no root"), row("zayatz")]).estimate.model == "zayatz"
    assert verdict([row("pitman", "no root")]).estimate is None


def test_on_a_real_table_of_independent_fields():
    import numpy as np

    rng = np.random.default_rng(1)
    table = ClassTable.from_records(rng.integers(0, [9, 8, 7], (800, 3)), ("a", "b", "c"))
    assert verdict(estimate_all(table, 8000)).estimate.model == "poisson_log_linear"


def test_a_file_of_unique_records_tells_nothing():
    alone = ClassTable.from_records([[at, at % 2] for at in range(500)], ("dob", "sex"))
    rows = estimate_all(alone, 11_799_448)
    chosen = verdict(rows)
    assert chosen.estimate is None
    assert "no two records agree" in chosen.reason
    assert verdict(estimate_all(ClassTable.from_records([[0, 0]], ("a", "b")), 50)).estimate is None


def test_everybody_counted_is_no_estimate_to_refuse():
    rows = [row("pitman", uniqueness=1.0), row("zayatz", uniqueness=1.0)]
    assert verdict(rows).estimate.model == "pitman"
