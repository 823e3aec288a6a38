"""Rows of regions among the counties, totals by name, and raised footnote signs: put in, and read back."""

from __future__ import annotations

import pytest

from policy_sim.tables.files import read_counts
from policy_sim.words.errors import InputError

REGIONS = {
    "North": {"Allen": 412, "Lucas": 88, "Fulton": 7},
    "South": {"Athens": 131, "Vinton": 0, "Meigs": 26},
    "East": {"Gallia": 1210, "Lake": 340},
}
OF_STATE = sum(sum(own.values()) for own in REGIONS.values())


def read(folder, lines):
    path = folder / "counts.csv"
    path.write_text("\n".join(",".join(map(str, line)) for line in [("County", "Cases"), *lines]), encoding="utf-8")
    return read_counts(path)


def lines_of(below):
    for region, own in REGIONS.items():
        head = [(f"{region} Region", sum(own.values()))]
        yield from [*own.items(), *head] if below else [*head, *own.items()]


def parts(file):
    return {relation.total[0]: [key[0] for key in relation.parts] for relation in file.relations}


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("state", ["Ohio Total", "Total", "Ohio"])
@pytest.mark.parametrize("state_first", [False, True])
def test_a_region_is_the_sum_of_its_counties_and_the_state_of_each_once(tmp_path, below, state, state_first):
    rows = list(lines_of(below))
    file = read(tmp_path, [(state, OF_STATE), *rows] if state_first else [*rows, (state, OF_STATE)])
    own = {f"{region} Region": list(counties) for region, counties in REGIONS.items()}
    every = [county for counties in REGIONS.values() for county in counties]
    assert {total: sorted(names) for total, names in parts(file).items()} == {
        **{region: sorted(names) for region, names in own.items()},
        state: sorted(every),
    }
    assert {key[0]: cell.value for key, cell in file.cells.items()} == dict(rows) | {state: OF_STATE}


def test_a_total_by_name_that_does_not_add_up_is_asked_about(tmp_path):
    counties = [("Allen", 412), ("Lucas", 88), ("Fulton", 7)]
    assert parts(read(tmp_path, [*counties, ("Ohio Total", 507)])) == {"Ohio Total": ["Allen", "Lucas", "Fulton"]}
    with pytest.raises(InputError, match="'Ohio Total' looks like a total"):
        read(tmp_path, [*counties, ("Ohio Total", 508)])
    with pytest.raises(InputError, match="'Ohio Total' looks like a total"):
        read(tmp_path, [*counties, ("Erie", "*"), ("Ohio Total", 507)])


def test_regions_are_not_guessed_where_a_count_is_hidden(tmp_path):
    rows = [(name, "<11" if name == "Fulton" else count) for name, count in lines_of(False)]
    with pytest.raises(InputError):
        read(tmp_path, [*rows, ("Ohio Total", OF_STATE)])


def test_raised_footnote_signs_are_no_digits(tmp_path):
    file = read(tmp_path, [("Allen", "41\u00b9"), ("Lucas", "<5"), ("Fulton", "17\u00b2"), ("Total", 61)])
    assert [cell.value for cell in file.cells.values()] == [41, None, 17, 61]
