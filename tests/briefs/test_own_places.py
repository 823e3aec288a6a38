"""No number of a brief is from elsewhere: with other places it changes, or it has its region, or it is a constant."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from own_places import unexplained
from pinned import pinned

from policy_sim import Study
from policy_sim.attackers.in_file import InFile
from policy_sim.briefs import state_brief

PAIRS = [
    ((900, "OH: Coshocton"), (1100, "OH: Franklin")),
    ((1300, "OH: Lucas=60%, Wood; MI: Monroe"), (1700, "OH: Williams; MI: Hillsdale=30%, Branch")),
]


def test_a_number_of_the_whole_state_would_be_found():
    page = "## How sure this is\n\n- Someone with the list would name {}%, {}% under Safe Harbor.\n"
    assert unexplained(page.format(44, 2), page.format(44, 2))
    assert not unexplained(page.format(44, 2), page.format(54, 11))
    labeled = page.replace("list", "list, in all of Ohio,")
    assert not unexplained(labeled.format(44, 2), labeled.format(44, 2))


@pytest.mark.slow
@pytest.mark.parametrize("catchments", pinned(PAIRS[:1], PAIRS))
def test_every_number_is_of_the_places_or_says_of_which_region(catchments, tmp_path: Path):
    people = Study("us-2020").people.in_states(("IN", "MI", "OH"))  # the states of the places, and a neighbor
    study, texts = Study(people, 2026), []
    for at, (people, places) in enumerate(catchments):
        path = tmp_path / f"{at}.md"
        brief = state_brief(study, None, in_file=InFile.of(people, places), date=dt.date(2026, 11, 28))
        brief.write(path)
        texts.append((path.read_text(encoding="utf-8"), brief.annex_of(path).read_text(encoding="utf-8")))
    for first, second in zip(*texts, strict=True):
        assert not unexplained(first, second)
