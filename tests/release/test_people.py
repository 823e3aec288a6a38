"""People of a census in the words of a file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from coded import coded
from small_people import people_of, population_of

from policy_sim.people.population import Population
from policy_sim.release.deidentified import Treatment, deidentify
from policy_sim.release.people import census_people, read_counties, released_fields
from policy_sim.release.targets import RiskTarget, recounted
from policy_sim.release.treatments import Variable
from policy_sim.words.errors import InputError, PolicySimError

ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 3),
    ("OH", "39001", "F", 30, 1, "white", 2),
    ("OH", "39003", "F", 31, 1, "black", 5),
]
PEOPLE = population_of(ROWS)
CENSUS = '[population]\nsource = "census"\nstates = ["DE"]\n'
FILE = coded(years=["30", "44"], gender=["Male", "F"])
RACES = {
    "American Indian or Alaska Native": "aian",
    "Black or African American": "black",
    "Native Hawaiian or Pacific Islander": "nhpi",
    "Two or more races": "multiple",
}
SETTINGS = "[settings]\nlimit = 0.5\n"
DROPPED = '[variables.state]\nrole = "direct"\nkind = "state"\nreason = "known"\ntreatment = "drop"\n'
KEYS = (Variable("years", "key", "known", "age"), Variable("gender", "key", "known", "sex"))


def test_codes_of_the_census_become_the_files_own():
    table, people = census_people(PEOPLE, KEYS, FILE)
    rows = dict(zip(zip(table["years"].texts(), table["gender"].texts(), strict=True), people.tolist(), strict=True))
    assert rows == {("30", "Male"): 3, ("30", "F"): 2, ("31", "F"): 5}


def test_codes_that_nobody_of_the_census_has_are_refused_unless_they_are_explained():
    by_code = coded(gender=["1", "2", "2"])
    with pytest.raises(InputError, match="gender: 2 distinct values are not understood"):
        census_people(PEOPLE, KEYS[1:], by_code)
    explained = Variable("gender", "key", "known", "sex", codes=(("1", "M"), ("2", "F")))
    table, people = census_people(PEOPLE, (explained,), by_code)
    assert dict(zip(table["gender"].texts(), people.tolist(), strict=True)) == {"1": 3, "2": 7}


def test_races_with_hispanic_among_them_are_those_of_a_census_by_ethnicity():
    cells = pd.DataFrame(
        {"race": ["white", "white", "asian"], "ethnicity": ["hispanic", "not_hispanic", "not_hispanic"]}
    )
    cells = people_of(cells.assign(state="OH", age=30, age_width=1, people=[2, 3, 5])).cells
    table = coded(race=["Hispanic/Latino", "White", "Asian/PI"])
    race = (Variable("race", "key", "known", "race"),)
    found, counts = census_people(Population(cells, PEOPLE.provenance), race, table)
    rows = dict(zip(found["race"].texts(), counts.tolist(), strict=True))
    assert rows == {"Hispanic/Latino": 2, "White": 3, "Asian/PI": 5}
    with pytest.raises(InputError, match="population made has no race"):
        census_people(Population(cells.drop(columns="ethnicity"), PEOPLE.provenance), race, table)


BORDER = population_of(
    [("OH", code, "M", 30, 1, "white", people) for code, people in (("39095", 40), ("39111", 13))]
    + [("MI", "26115", "M", 30, 1, "white", 150)]
)
COUNTY, STATE = Variable("county", "key", "known", "county"), Variable("st", "direct", "known", "state", "drop")


def people_by_text(states, file, beside=STATE):
    table, people = census_people(BORDER.in_states(states), (COUNTY,), file, beside)
    return pd.Series(people).groupby(table["county"].texts()).sum().to_dict()


def test_a_county_of_another_state_has_nobody_of_this_one():
    """Monroe, Michigan stands in the file and Monroe, Ohio does not: its people keep the code of the census."""
    file = coded(county=["Lucas", "Monroe", "Monroe", "Lenawee"], st=["OH", "MI", "MI", "MI"])
    assert people_by_text(["OH"], file) == {"Lucas": 40, "39111": 13}
    assert people_by_text(["OH", "MI"], file) == {"Lucas": 40, "39111": 13, "Monroe": 150}
    words = read_counties(COUNTY, file, STATE, ["OH"]).elsewhere_words(4)
    assert words.startswith("; of 4 rows 3 live in Michigan")


def test_counties_are_read_without_a_column_of_states():
    file = coded(county=["Lucas", "Monroe, MI", "26115"])
    assert people_by_text(["OH"], file, None) == {"Lucas": 40, "39111": 13}
    assert read_counties(COUNTY, file, None, ["OH"]).elsewhere == {"MI": 2}
    assert people_by_text(["OH"], coded(county=["Lucas County", "Monroe"]), None) == {"Lucas County": 40, "Monroe": 13}
    with pytest.raises(InputError, match="county: 1 distinct value is not understood"):
        people_by_text(["OH", "MI"], coded(county=["Lucas", "Monroe"]), None)  # a county of both
    with pytest.raises(InputError, match="county: 1 distinct value"):
        people_by_text(["OH"], coded(county=["Monroe, MI"], st=["OH"]))  # its text names another state


def test_a_text_of_counties_of_two_states_is_of_neither():
    file = coded(county=["Monroe", "Monroe", "Lucas"], st=["OH", "MI", "OH"])
    assert read_counties(COUNTY, file, STATE, ["OH"]).code_of == {"Monroe": "", "Lucas": "39095"}
    assert people_by_text(["OH", "MI"], file) == {"Lucas": 40, "Monroe": 163}


@pytest.mark.slow
def test_a_release_with_names_of_counties_counts_and_names_the_rows_of_other_states(tmp_path, project_of_keys):
    """Every county of Ohio has more than 5 people; those of Michigan count the file's 4 rows alone, too few for 5."""
    rows = ["M,Lucas,OH"] * 6 + ["M,Monroe,MI"] * 4 + ["M,Fulton,OH"] * 3
    (tmp_path / "f.csv").write_text("\n".join(["sex,county,state", *rows]) + "\n")
    target, census = 'threshold = "k=5"\nsizes = "population"\n', CENSUS.replace("DE", "OH")
    kinds = {"sex": "sex", "county": "county"}
    release = project_of_keys(tmp_path / "p.toml", kinds, f"{target}", census + SETTINGS + DROPPED, knows="no")
    figures = release.run(tmp_path / "out")
    assert "of 13 rows 4 live in Michigan" in figures["population"]
    released = pd.read_csv(tmp_path / "out" / "send" / "release.csv", dtype=str, keep_default_na=False)
    assert sorted(released["county"].unique()) == ["Fulton", "Lucas"]
    assert figures["linkage"]["counties"] == {"Lucas": "39095", "Fulton": "39051", "Monroe": "26115"}
    outside = [note for note in figures["linkage"]["notes"] if "Michigan" in note]
    assert not outside  # none of them is released


def test_what_no_census_knows_is_left_out_unless_it_is_all():
    illness = Variable("illness", "key", "known", "code")
    table, people = census_people(PEOPLE, (*KEYS, illness), FILE)
    assert (table.names, people.sum()) == (("years", "gender"), 10)
    with pytest.raises(InputError, match="has no illness"):
        census_people(PEOPLE, (illness,), FILE)


def test_a_field_that_no_census_has_counts_in_the_file_as_long_as_it_is_shown():
    """One man of 30 (3 in the census) and three women of 31 (5), two of whom have the illness x.

    Where the illness is shown the classes are 1, 1 and 2 records; where it is not, they are 3 and 5 people.
    """
    file = coded(years=["30", "31", "31", "31"], gender=["Male", "F", "F", "F"], illness=["x", "x", "x", "y"])
    keys = (*KEYS, Variable("illness", "key", "known", "category"))
    population = census_people(PEOPLE, keys, file)
    for k, level, rows in ((1, "value", 4), (2, "value", 2), (3, "nothing", 4), (4, "nothing", 3)):
        target = RiskTarget.parse("maximum", f"k={k}", sizes="population")
        only = (*(replace(key, levels=("value",)) for key in keys[:2]), replace(keys[2], levels=(level,)))
        made = deidentify(file, Treatment(0.6, variables=only, target=target), population=population)
        assert made.table.rows == rows
        by_text = made.generalization.people_by_text(made.cells)
        assert recounted(made.table, [key.name for key in keys], None, by_text).meets(target)
    target = RiskTarget.parse("maximum", "k=3", sizes="population")
    free = deidentify(file, Treatment(0.0, variables=keys, target=target), population=population)
    assert free.generalization.levels() == {"years": "value", "gender": "value", "illness": "nothing"}
    assert free.losses["file_loss"] > free.losses["loss"]  # three records alike in the file need more


def test_a_release_is_checked_again_among_the_people_of_a_file(tmp_path, project_of_keys):
    """Two records of each sex among six people; a newer file of the people has one woman less than the target."""
    (tmp_path / "f.csv").write_text("sex\n" + "F\nM\n" * 2)
    (tmp_path / "people.csv").write_text("sex\n" + "F\nM\n" * 6)
    (tmp_path / "newer.csv").write_text("sex\n" + "F\n" * 5 + "M\n" * 9)
    population = '[population]\nsource = "file"\nname = "people.csv"\n'
    target = 'threshold = "k=6"\nsizes = "population"\n'
    release = project_of_keys(tmp_path / "p.toml", {"sex": "sex"}, target, population, knows="no")
    release.run(tmp_path / "out")
    newer = str(tmp_path / "newer.csv")
    rows = {row["check"]: row for row in release.recheck(tmp_path / "out", population=newer)}
    assert rows["the file, by today's answers"]["holds"] == "yes"
    now = rows[f"the file among the people of {newer}"]
    assert (now["holds"], "smallest class 5" in now["why"]) == ("no", True)


@pytest.mark.slow
def test_k_in_the_population_of_a_state(tmp_path, project_of_keys):
    """Every released class of a small file holds 20 people of Delaware, counted by another way."""
    from policy_sim import Study

    kinds = ["age", "sex", "race", "county"]
    Study().synthesize("DE", people=400, seed=3)[kinds].to_csv(tmp_path / "f.csv", index=False)
    target = 'threshold = "k=20"\nsizes = "population"\n'
    release = project_of_keys(tmp_path / "p.toml", dict(zip(kinds, kinds, strict=True)), target, CENSUS, knows="no")
    figures = release.run(tmp_path / "out")
    released = pd.read_csv(tmp_path / "out" / "send" / "release.csv", dtype=str, keep_default_na=False)
    cells = Study().people.in_states(["DE"]).cells
    smallest = np.inf
    for age, sex, race, county in released.drop_duplicates().itertuples(index=False):
        here = np.ones(len(cells), dtype=bool)
        if age != "*":
            lower, _, upper = age.partition("-")
            here &= cells["age"].between(int(lower), int(upper or lower)).to_numpy()
        here &= (cells["sex"].astype(str) == sex).to_numpy() | (sex == "*")
        here &= (cells["race"].astype(str) == RACES.get(race, race.casefold())).to_numpy() | (race == "*")
        here &= cells["county"].astype(str).str.startswith(county).to_numpy() | (county == "*")
        smallest = min(smallest, cells["people"].to_numpy()[here].sum())
    assert smallest >= 20
    assert figures["after"]["population_maximum"] == pytest.approx(1 / smallest)
    assert figures["after"]["smallest"] < 20  # the file alone does not hide them
    assert "population us-2020" in figures["sources"]
    newer = {row["check"]: row for row in release.recheck(tmp_path / "out", population="us-2010")}
    assert newer["the file among the people of us-2010"]["holds"] in ("yes", "no")


@pytest.mark.slow
def test_the_checksum_of_the_hispanics_is_a_source_where_a_variable_shows_ethnicity(tmp_path, project_of_keys):
    rows = "sex,asked\n" + "F,Hispanic\nM,White\n" * 3
    target = 'threshold = "k=2"\nsizes = "population"\n'
    for asked in ("race", "sex"):
        (tmp_path / "f.csv").write_text(rows)
        keys = {"sex": "sex", "asked": "race"} if asked == "race" else {"sex": "sex"}
        release = project_of_keys(tmp_path / "p.toml", keys, target, CENSUS, knows="no")
        sources = release.run(tmp_path / asked)["sources"]
        assert ("ethnicity us-2020" in sources) == (asked == "race")


# Released files linked with the census and lists.


@pytest.mark.parametrize(
    ("kind", "level", "field"),
    [
        ("sex", "value", "sex"),
        ("county", "state", "state"),
        ("zip", "three digits", "zip3"),
        ("birth_date", "month", "birth_month"),
        ("birth_date", "year", "birth_year"),
        ("age", "10 wide", "age"),
    ],
)
def test_levels_that_a_census_knows(kind, level, field):
    fields, left_out = released_fields((Variable("x", "key", "known", kind),), {"x": level})
    assert (list(fields), fields[field].column, left_out) == ([field], "x", [])


def test_what_is_not_released_is_not_known_and_what_no_census_has_is_named():
    kinds = {"sex": "sex", "dx": "code", "born": "birth_date"}
    variables = tuple(Variable(name, "key", "known", kind) for name, kind in kinds.items())
    fields, left_out = released_fields(variables, {"sex": "nothing", "dx": "3 letters", "born": "five years"})
    assert (fields, left_out) == ({}, ["dx", "born"])


@pytest.mark.slow
def test_a_release_is_scored_as_any_file_is(tmp_path, project_of_keys):
    from policy_sim import RecordFile, Study

    kinds = ["sex", "race", "county"]
    Study().synthesize("DE", people=500, seed=5)[kinds].to_csv(tmp_path / "f.csv", index=False)
    release = project_of_keys(tmp_path / "p.toml", dict(zip(kinds, kinds, strict=True)), 'threshold = "k=2"\n', CENSUS)
    figures = release.run(tmp_path / "out")
    shown = [name for name, level in figures["search"]["levels"].items() if level == "value"]
    frame = RecordFile(tmp_path / "out" / "send" / "release.csv", shown).score(Study(), states="DE").to_frame()
    assert [row["attacker"] for row in figures["linkage"]["rows"]] == frame["attacker"].tolist()
    assert [row["total_risk"] for row in figures["linkage"]["rows"]] == frame["total_risk"].tolist()
    assert "Linked with the census and voter lists" in (tmp_path / "out" / "keep" / "dossier.html").read_text()
    again = {row["check"]: row for row in release.recheck(tmp_path / "out")}
    assert again["linked by general in DE"]["holds"] == "yes"
    assert again["linked by general in DE"]["before"] == again["linked by general in DE"]["now"]


@pytest.mark.parametrize("counts", ["", 'counts = "people"\n'])
def test_a_file_of_the_people_may_count_them(tmp_path, project_of_keys, counts):
    """Two records of each sex among 5,000 women and 7,000 men: not among one row of each."""
    (tmp_path / "f.csv").write_text("sex\n" + "F\nM\n" * 2)
    (tmp_path / "people.csv").write_text('sex,people\nF,"5,000"\nM,7000\n')
    population = f'[population]\nsource = "file"\nname = "people.csv"\n{counts}'
    target = 'threshold = "k=5000"\nsizes = "population"\n'
    release = project_of_keys(tmp_path / "p.toml", {"sex": "sex"}, target, population, knows="no")
    figures = release.run(tmp_path / "out")
    assert figures["population"].startswith("12,000 people of people.csv")
    assert figures["after"]["population_smallest"] == 5000


@pytest.mark.parametrize(
    ("people", "counts", "what"),
    [
        ("sex,people\nF,many\nM,7\n", "people", "1 of its values are no whole number"),
        ("sex,people\nF,5\nM,7\n", "number", "column of people.csv that counts people"),
        ("gender,people\nF,5\nM,7\n", "people", "none of the key fields"),
    ],
)
def test_a_file_of_the_people_that_cannot_be_counted_is_refused(tmp_path, project_of_keys, people, counts, what):
    (tmp_path / "f.csv").write_text("sex\n" + "F\nM\n" * 2)
    (tmp_path / "people.csv").write_text(people)
    population = f'[population]\nsource = "file"\nname = "people.csv"\ncounts = "{counts}"\n'
    target = 'threshold = "k=2"\nsizes = "population"\n'
    release = project_of_keys(tmp_path / "p.toml", {"sex": "sex"}, target, population, knows="no")
    with pytest.raises(PolicySimError, match=what):
        release.run(tmp_path / "out")
