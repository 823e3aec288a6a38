"""Every policy of the lattice for a file whose people are known: the same figures as a comparison has."""

from __future__ import annotations

import pytest

from policy_sim import Study
from policy_sim.words.errors import InputError

MEASURES = {"total_risk": "total-risk", "distinct_1": "1-distinct", "distinct_3": "3-distinct"}


@pytest.mark.slow
@pytest.mark.parametrize("in_file", [0.01, 9000])
def test_a_policy_of_the_lattice_has_the_figures_of_a_comparison(in_file):
    study = Study("us-2020", 2026)
    answer = study.explore("DE", g=[1, 3], in_file=in_file)
    rows = answer.to_frame().set_index("policy")
    lines = [line for line in rows.index if line in ("gender+race+birth=year+geography=state", "birth=date")]
    lines += [line for line in rows.index if line.startswith("gender+race+birth=date")][:2]
    assert len(lines) >= 3
    for line in lines:
        (profile,) = study.compare(line, "general", "DE", [1, 3], in_file=in_file)
        for column, measure in (
            ("total_risk", "total-risk"),
            ("distinct_1", "1-distinct"),
            ("distinct_3", "3-distinct"),
        ):
            assert rows.loc[line, column] == pytest.approx(profile.people(measure).low, rel=1e-9)
            assert rows.loc[line, f"{column}_share"] == pytest.approx(profile.share(measure).low, rel=1e-9)
    baseline = answer.baseline.iloc[0]
    safe = study.compare("safe-harbor", "general", "DE", 1, in_file=in_file)[0]
    assert baseline["total_risk"] == pytest.approx(safe.people("total-risk").low, rel=1e-9)
    assert any(note.startswith("in the file: ") for note in answer.provenance.notes)


@pytest.mark.slow
def test_a_file_of_everyone_changes_nothing():
    study = Study("us-2020", 2026)
    with_file, without = (study.explore("DE", g=1, in_file=h).to_frame() for h in (1, None))
    assert with_file["total_risk"].to_numpy() == pytest.approx(without["total_risk"].to_numpy(), rel=1e-12)


def test_ages_are_cut_anywhere_for_everyone_only():
    with pytest.raises(InputError, match="release of everyone"):
        Study("us-2020", 2026).explore("DE", age_classes=True, in_file=0.01)
