"""The requests that a population needs, and the tables made from their answers."""

import pytest
from census_service import KEY

from policy_sim.errors import SourceError
from policy_sim.io.census_service.answers import Answers
from policy_sim.io.census_service.client import MAX_VARIABLES, TableClient
from policy_sim.io.census_service.editions import EDITIONS, GEOGRAPHIES, LETTERS
from policy_sim.io.census_service.fetch import _chunks, assemble, fetch_answers, plan
from policy_sim.population.census_tables import AGE_CLASSES, SINGLE_YEARS, to_cells
from policy_sim.states import find_states

EDITION, COUNTY = EDITIONS["sf1-2010"], GEOGRAPHIES["county"]


@pytest.mark.parametrize("columns", [1, 49, 50, 51, 100, 209])
def test_every_column_is_in_one_request_of_at_most_fifty(columns):
    chunks = list(_chunks(columns))
    assert [column for chunk in chunks for column in chunk] == list(range(1, columns + 1))
    assert max(map(len, chunks)) <= MAX_VARIABLES


def test_finer_places_come_one_state_at_a_time():
    states = find_states(["OH", "DE"])
    together = {question.geography["in"] for question in plan(EDITION, COUNTY, SINGLE_YEARS, states)}
    assert together == {"state:10,39"}
    apart = {question.geography["in"] for question in plan(EDITION, GEOGRAPHIES["tract"], SINGLE_YEARS, states)}
    assert len(apart) == 2


def test_age_classes_need_one_request_a_table():
    assert len(plan(EDITION, COUNTY, AGE_CLASSES)) == len(LETTERS)


def test_answers_become_the_tables_and_are_asked_for_once(service, quick, tmp_path, small_cells):
    states = find_states(["DE"])
    client = TableClient(KEY, EDITION, url=service.url, patience=quick)
    questions, answers = plan(EDITION, COUNTY, SINGLE_YEARS, states), Answers(tmp_path, client.address)
    steps = []
    fetch_answers(client, questions, answers, lambda: steps.append(1))
    asked = len(service.requests)
    assert len(steps) == len(questions)
    fetch_answers(client, questions, answers)
    assert len(service.requests) == asked
    cells = to_cells(assemble(questions, answers, COUNTY, SINGLE_YEARS))
    assert cells["people"].sum() == small_cells.loc[small_cells["state"] == "DE", "people"].sum()


def test_a_missing_answer_is_named(service, quick, tmp_path):
    client = TableClient(KEY, EDITION, url=service.url, patience=quick)
    questions = plan(EDITION, COUNTY, SINGLE_YEARS, find_states(["DE"]))
    with pytest.raises(SourceError, match="missing or damaged"):
        assemble(questions, Answers(tmp_path, client.address), COUNTY, SINGLE_YEARS)
