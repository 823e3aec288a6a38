"""Every group size at once: the same people as a comparison has, for the same form and file."""

from __future__ import annotations

import pytest

from policy_sim import Study


@pytest.mark.parametrize("in_file", [None, 0.01])
@pytest.mark.parametrize("rules", ["paper", "regulation"])
def test_a_curve_goes_through_the_figures_of_a_comparison(in_file, rules):
    study = Study("us-2010", 2026)
    asked = {"rules": rules, "in_file": in_file}
    curves = study.curves("DE", "limited-dataset", ["general", "voter"], 5, **asked)
    compared = study.compare("limited-dataset", ["general", "voter"], "DE", [1, 5], **asked)
    for curve in curves:
        profile = compared.profile("DE", curve.policy, curve.attacker)
        assert curve.linkage_key == profile.linkage_key
        for g in (1, 5):
            assert curve.low[g - 1] == pytest.approx(profile.share(f"{g}-distinct").low, rel=1e-9)


def test_a_form_with_zip_codes_is_swept_by_zip_code():
    answer = Study("us-2020", 2026).curves("DE", g_max=3)
    assert {curve.linkage_key.split("geography=")[-1] for curve in answer if curve.attacker == "general"} == {
        "zip3 (age<90+zip3>20000)",
        "county_zip5",
    }
    assert not any("not by ZIP code" in note for note in answer.provenance.notes)
