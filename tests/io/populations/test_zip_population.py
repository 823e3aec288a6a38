from __future__ import annotations

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.errors import InputError
from policy_sim.io.population_store.shipped import population_facts, provenance_of
from policy_sim.io.populations.by_name import load_population
from policy_sim.io.populations.zip_population import (
    ZIP_POPULATIONS,
    load_zip_population,
    parts_of,
    with_zip_codes,
    zip_parts,
    zip_provenance,
)
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population


@pytest.mark.parametrize(("name", "nowhere"), [("us-2010", 5_607), ("us-2020", 8_530)])
def test_everyone_lives_in_a_part_but_those_that_the_note_names(name, nowhere):
    parts, facts = zip_parts(name), population_facts()[name]
    assert parts["people"].min() > 0
    assert not parts.duplicated(["county", "zip5"]).any()
    assert facts["people"] - parts["people"].sum() == nowhere
    note = zip_provenance(f"{name}-zip", provenance_of(name, facts))
    assert any(text.startswith(f"{nowhere:,} people") for text in note.notes)
    assert (note.counted, note.modeled) == (0, 1)


def test_dealing_out_moves_nobody_to_another_county():
    facts = population_facts()["us-2010"]
    rows = [("DE", "10001", sex, age, 1, "white", 90 + age) for sex in "MF" for age in range(50)]
    cells = pd.DataFrame(rows, columns=["state", "county", "sex", "age", "age_width", "race", "people"])
    base = Population(check_cells(cells, "Kent"), provenance_of("us-2010", facts))
    dealt = load_zip_population("us-2010-zip", base)
    keys = ["county", "sex", "age"]
    before, after = (one.cells.groupby(keys, observed=True)["people"].sum().to_dict() for one in (base, dealt))
    assert after == before
    assert set(dealt.cells["zip5"]) <= set(zip_parts()["zip5"][zip_parts()["county"] == "10001"])
    assert with_zip_codes(dealt) is dealt


def test_a_population_without_parts_says_which_have_them():
    with pytest.raises(InputError, match=", ".join(ZIP_POPULATIONS)):
        zip_parts("us-2000")


def test_2022_takes_the_shares_of_2020_and_leaves_connecticut_by_region():
    """Every county of 2020 keeps its parts; a planning region, of which none is known, is one part by itself."""
    people = load_population("us-2022")
    parts, earlier = parts_of(people), zip_parts("us-2020")
    assert len(parts) == len(earlier) + 9
    regions = parts.iloc[len(earlier) :]
    assert set(regions["county"].str[:2]) == {"09"}
    assert (regions["county"] == regions["zip5"]).all()
    by_zip = Study("us-2022").compare("limited-dataset", "general", "CT", g=1)
    by_region = Study("us-2022").compare("limited-dataset", "general", "CT", g=1, rules="paper")
    shares = [answer.profiles[0].share("total-risk").low for answer in (by_zip, by_region)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-9)
    assert Study("us-2022").compare("limited-dataset", "general", "DE", g=1).profiles[0].share("total-risk").low > 0.8
