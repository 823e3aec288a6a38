from __future__ import annotations

import re

import pytest

from policy_sim.errors import InputError
from policy_sim.granularity import Field
from policy_sim.population.population import Population
from policy_sim.questions.explorer_questions import explorer_policies
from policy_sim.study import Study


@pytest.fixture(scope="module")
def small_page():
    people = Study("us-2020").people.in_states(["DE", "RI"])
    return Study(people).explorer()


def test_a_page_is_whole_and_asks_nobody(small_page):
    assert small_page.startswith("<!doctype html>")
    assert small_page.rstrip().endswith("</html>")
    assert "{{" not in re.sub(r"<script.*?</script>", "", small_page, flags=re.DOTALL)
    outside = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", small_page)
    assert outside == []
    assert "default-src 'none'" in small_page
    assert len(small_page.encode()) < 1_000_000


def test_the_same_study_gives_the_same_page(small_page):
    people = Study("us-2020").people.in_states(["DE", "RI"])
    assert Study(people).explorer() == small_page


def test_people_without_counties_are_refused():
    people = Study("us-2020").people.in_states(["DE"])
    merged = people.cells.drop(columns="county").groupby(["state", "age", "age_width", "sex", "race"], observed=True)
    cells = merged["people"].sum().reset_index()
    with pytest.raises(InputError, match="county"):
        Study(Population(cells, people.provenance)).explorer()


def test_the_policies_that_most_choose_come_first():
    names = [policy.name for policy in explorer_policies()]
    assert names[:4] == ["limited-dataset", "safe-harbor", "limited-dataset-paper", "safe-harbor-paper"]
    assert len(set(names)) == len(names)
    assert all(policy.releases[Field.GEOGRAPHY] in ("state", "county") for policy in explorer_policies(by_zip=False))
