"""Rates: printed examples, cases by hand, what a rule hides, and files that are wrong."""

from __future__ import annotations

import csv
import json
import math
import re
from functools import partial
from pathlib import Path

import pytest
from scipy.stats import chi2
from small_people import invoke

from policy_sim.rules.files import find_rule
from policy_sim.tables.rates import AgeClass, adjusted_rate, rates, read_rate_counts, standard_for, standards
from policy_sim.words.errors import InputError

SHARED = Path(__file__).resolve().parents[3] / "shared/rules"
AGES19 = [str(age) for age in standards()[0].ages]
# SEER's tutorial, "Calculating age-adjusted rates": counts and people of 19 age classes; it prints 400.3.
COUNTS = [29, 87, 67, 71, 87, 177, 290, 657, 1072, 1691, 2428, 2931, 2881, 2817, 2817, 2744, 2634, 1884, 1705]
PEOPLE = [
    *(139879, 553189, 736212, 770999, 651390, 639159, 676354, 736557, 724826, 700200, 617437, 516541, 361170, 259440),
    *(206204, 172087, 142958, 99654, 92692),
]


def _file(folder, lines, header="age,count,population"):
    path = folder / "counts.csv"
    path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    return path


def _seer(folder):
    return _file(folder, [f"{age},{c},{n}" for age, c, n in zip(AGES19, COUNTS, PEOPLE, strict=True)])


_run = partial(invoke, "table", "rates")


def _rows(*words):
    outcome = _run(*words, "--format", "json")
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_the_rate_that_seer_prints(tmp_path):
    (row,) = _rows(_seer(tmp_path))
    assert round(row["adjusted"], 3) == 400.304
    assert row["standard"] == "us-2000-19"
    assert row["weights"] == "people"
    assert round(row["crude"], 4) == round(100_000 * sum(COUNTS) / sum(PEOPLE), 4)


def test_the_standard_million_is_another_set_of_weights_and_the_output_says_which(tmp_path):
    path = _seer(tmp_path)
    (row,) = _rows(path, "--weights", "million")
    assert (row["weights"], round(row["adjusted"], 3)) == ("million", 400.303)
    assert "weights: unrounded people" in _run(path).stdout
    assert "weights: standard million" in _run(path, "--weights", "million").stdout
    assert "weights: people in whole thousands" in _run(path, "--standard", "us-2000-11").stdout


def test_the_interval_that_fay_and_feuers_method_gives_in_print():
    rate = adjusted_rate([11, 9], [500, 500], [640, 720], per=100)
    assert [round(value, 4) for value in rate] == [1.9882, 1.2133, 3.0820]


@pytest.mark.parametrize("count", [0, 1, 7, 250])
def test_one_class_is_the_crude_rate_with_the_exact_poisson_interval(count):
    rate = adjusted_rate([count], [1000], [5], per=1000)
    lower = chi2.ppf(0.025, 2 * count) / 2 if count else 0
    assert rate == pytest.approx((count, lower, chi2.ppf(0.975, 2 * count + 2) / 2))


def test_people_in_proportion_to_the_weights_give_the_crude_rate():
    rate = adjusted_rate([3, 8, 1], [100, 300, 50], [2, 6, 1])
    assert rate == pytest.approx(adjusted_rate([12], [450], [1]))


def test_each_standard_has_weights_that_sum_to_one():
    assert [len(standard.ages) for standard in standards()] == [19, 18, 11]
    for standard in standards():
        assert sum(standard.million) == 1_000_000
        assert len(standard.ages) == len(standard.people) == len(standard.million)
        for people, million in zip(standard.people, standard.million, strict=True):
            assert people / sum(standard.people) == pytest.approx(million / 1e6, abs=3e-6)
    finest, middle, coarse = standards()
    for standard in (middle, coarse):  # the coarser ones are the finest, added up
        sums = [0] * len(standard.ages)
        for age, people in zip(finest.ages, finest.people, strict=True):
            sums[standard.class_of(age)] += people
        off = 1_000 if standard.people_in_thousands else 0  # NCHS adds two five-year classes, each rounded to thousands
        assert sums == pytest.approx(standard.people, abs=off)


def test_the_standards_are_those_of_the_source():
    path = SHARED / "us2000_standard.csv"
    if not path.is_file():
        pytest.skip("the folder 'shared' is not beside the checkout")
    with path.open(encoding="utf-8") as file:
        facts = [(row["age"], int(row["population"]), int(row["standard_million"])) for row in csv.DictReader(file)]
    ours = [
        (str(age), people, million)
        for standard in standards()
        for age, people, million in zip(standard.ages, standard.people, standard.million, strict=True)
    ]
    assert ours == facts


def test_finer_classes_are_added_up():
    standard = standard_for([AgeClass(age, age + 1) for age in range(90)] + [AgeClass(90, math.inf)], "here")
    assert standard.name == "us-2000-19"
    assert standard.class_of(AgeClass(90, math.inf)) == 18
    assert standard_for(standards()[0].ages, "here", "us-2000-11").class_of(AgeClass(20, 25)) == 3


def test_the_standard_is_added_up_to_wider_classes():
    """By hand from its table: 0 and 1-4, 5-9 and 10-14, 15-19 to 60-64, 65-69 to 85 and over."""
    ages = [AgeClass(0, 5), AgeClass(5, 15), AgeClass(15, 65), AgeClass(65, math.inf)]
    wide = standard_for(ages, "here")
    assert (wide.ages, wide.added_up) == (tuple(ages), True)
    assert list(wide.people[:2]) == [3_794_901 + 15_191_619, 19_919_840 + 20_056_779]
    assert wide.people[3] == 9_409_940 + 8_725_574 + 7_414_559 + 4_900_234 + 4_259_173
    assert (sum(wide.people), sum(wide.million)) == (sum(standards()[0].people), sum(standards()[0].million))
    assert "added up to 4 age classes" in wide.describe("people")


def test_finer_and_wider_classes_next_to_each_other():
    ages = [AgeClass(0, 1), AgeClass(1, 3), AgeClass(3, 5), AgeClass(5, 20), AgeClass(20, math.inf)]
    assert standard_for(ages, "here").ages == (AgeClass(0, 1), AgeClass(1, 5), AgeClass(5, 20), AgeClass(20, math.inf))


def test_classes_that_cut_one_of_the_standard_are_refused():
    with pytest.raises(InputError, match=r"age class 0-17 cuts .* us-2000-19"):
        standard_for([AgeClass(0, 18), AgeClass(18, math.inf)], "here")


@pytest.mark.parametrize("name", ["age_years", "AgeGroup", "Age (years)"])
def test_ages_under_the_names_that_line_lists_use(tmp_path, name):
    path = _file(tmp_path, [f"{age},30,1000" for age in AGES19])
    path.write_text(path.read_text().replace("age,", f"{name},", 1))
    assert _rows(path)[0]["count"] == 30 * 19


def test_no_count_has_an_upper_end_and_is_marked(tmp_path):
    (row,) = _rows(_file(tmp_path, [f"{age},0,1000" for age in AGES19]))
    assert (row["count"], row["adjusted"], row["adjusted_lower"], row["mark"]) == (0, 0, 0, "unreliable")
    assert row["crude_upper"] == pytest.approx(100_000 * 3.688879 / 19_000, rel=1e-6)


def test_a_rule_hides_or_marks_at_its_own_number(tmp_path):
    def row(first, rule):
        return _rows(_file(tmp_path, [f"{age},{first * (age == '0')},1000" for age in AGES19]), "--rule", rule)[0]

    assert [row(count, "wonder-20")["mark"] for count in (19, 20)] == ["unreliable", ""]
    hidden = row(15, "uscs-16")
    assert (hidden["status"], hidden["count"], hidden["crude"], hidden["adjusted"]) == ("hidden", None, None, None)
    assert row(0, "uscs-16")["status"] == "hidden"
    assert row(16, "uscs-16")["status"] == "ok"
    few = [row(count, "ons-rates") for count in (0, 9, 10, 20)]  # a rule on rates: the counts stay
    assert [each["status"] for each in few] == ["hidden", "hidden", "ok", "ok"]
    assert [each["count"] for each in few] == [0, 9, 10, 20]
    assert [each["mark"] for each in few] == ["", "", "unreliable", ""]
    texas = [row(count, "tx-vital-9") for count in (0, 9, 10, 20, 21)]
    assert [each["count"] for each in texas] == [0, None, 10, 20, 21]
    assert [each["status"] for each in texas] == ["ok", "hidden", "hidden", "hidden", "ok"]


def test_what_is_not_known_has_a_reason_and_no_rate(tmp_path):
    lines = [f"{place},{age},30,1000" for place in ("a", "b", "c", "d") for age in AGES19]
    lines[0], lines[19], lines[38], lines[57] = "a,0,,1000", "b,0,3,", "c,0,0,0", "d,0,<11,1000"
    rows = _rows(_file(tmp_path, lines, "place,age,count,population"), "--by", "place")
    assert [row["status"] for row in rows] == ["unknown"] * 4
    reasons = ["no count of age 0", "no population of age 0", "nobody lives in age class 0", "no count of age 0"]
    assert [row["reason"] for row in rows] == reasons
    assert [row["adjusted"] for row in rows] == [None] * 4
    assert [row["crude"] is None for row in rows] == [True, True, False, True]


def test_census_denominators_are_the_people_of_the_groups(tmp_path):
    from policy_sim.people.by_name import load_population

    path = _file(tmp_path, [f"{sex},{age},5" for sex in ("F", "male") for age in AGES19], "sex,age,count")
    women, men = _rows(path, "--by", "sex", "--state", "DE")
    cells = load_population("us-2020").in_states(["DE"]).cells
    people = cells.groupby("sex", observed=True)["people"].sum()
    assert (women["people"], men["people"]) == (people["F"], people["M"])
    assert "us-2020: Census 2020" in _run(path, "--by", "sex", "--state", "DE").stdout
    bad = _run(
        _file(tmp_path, [f"99999,{age},5" for age in AGES19], "county,age,count"), "--by", "county", "--state=DE"
    )
    assert bad.exit_code == 2
    assert "of a county in DE" in bad.stderr


GOOD = [f"{age},5,1000" for age in AGES19]


@pytest.mark.parametrize(
    ("lines", "words", "message"),
    [
        ([], [], "no table"),
        (["0-4,5,1000"], [], "ages 5+ have no class"),
        ([*GOOD, "all ages,95,19000"], [], "is not an age class"),
        ([*GOOD, "9-May,95,19000"], [], "spreadsheet"),
        ([*GOOD[:1], "2-4,5,1000", *GOOD[2:]], [], "ages 1 have no class"),
        ([*GOOD, "0-4,5,1000"], [], "overlap"),
        (["0-17,5,1000", "18-29,5,1000", "30+,5,1000"], [], "cuts a class of us-2000-19"),
        (["0-4,5,1000", "5-9,5,1000", "10+,5,1000"], ["--standard", "us-2000-11"], "cuts a class of us-2000-11"),
        (GOOD, ["--standard", "us-2020-19"], "standard 'us-2020-19' is not known"),
        ([*GOOD, GOOD[3]], [], "10-14 is there twice"),
        ([*GOOD, "85 and over,5,1000"], [], "another row has age class 85+ too"),
        ([*GOOD[:-1], "85+,-1,1000"], [], "85+: '-1' is neither"),
        ([*GOOD[:-1], "85+,1.5,1000"], [], "85+: '1.5' is neither"),
        ([*GOOD[:-1], "85+,few,1000"], [], "85+: 'few' is neither"),
        ([*GOOD[:-1], "85+,١,1000"], [], "85+: '١' is neither"),
        ([*GOOD[:-1], "85+,5,1e999"], [], "population '1e999' is not a whole number"),
        ([*GOOD[:-1], "85+,5," + "9" * 400], [], "population"),
        ([*GOOD[:-1], "85+,5,0"], [], "5 counts in a population of 0"),
        ([*GOOD[:-1], "85+,1,234,1000"], [], "there is no table"),
        (GOOD, ["--by", "county"], "column 'county' is not known"),
        (GOOD, ["--by", "age"], "column 'age' is named twice"),
        (GOOD, ["--population-column", "people"], "no column is called 'people'"),
        (GOOD, ["--rule", "cms"], "does not cover rates"),
        (GOOD, ["--state", "DE", "--by", "count"], "named twice"),
        (GOOD, ["--per", "0"], "--per"),
        (GOOD, ["--per", "nan"], "per"),
        (GOOD, ["--confidence", "1"], "--confidence"),
        (GOOD, ["WA", "--population-column", "population"], "--population-column"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, lines, words, message):
    outcome = _run(_file(tmp_path, lines), *words)
    assert outcome.exit_code == 2, outcome.stdout
    assert outcome.stderr.splitlines()[-1].startswith("Error: ")
    assert message in outcome.stderr.splitlines()[-1]
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b'age,count,population\n"0,1,2\n', b"age,age,count\n0,0,1\n"]
)
def test_a_file_that_is_no_table_of_counts_is_one_line(tmp_path, content):
    path = tmp_path / "counts.csv"
    path.write_bytes(content)
    outcome = _run(path)
    assert outcome.exit_code == 2
    assert len(outcome.stderr.splitlines()) == 1


def test_a_group_without_an_age_class_is_refused(tmp_path):
    lines = [f"{place},{age},30,1000" for place in ("a", "b") for age in AGES19][:-1]
    outcome = _run(_file(tmp_path, lines, "place,age,count,population"), "--by", "place")
    assert "b has no row for age class 85+" in outcome.stderr


def test_the_rows_of_python_say_by_which_options_they_were_made(tmp_path):
    file = read_rate_counts(_file(tmp_path, [f"{age},5,1000" for age in AGES19]), "age", "count", "population", ())
    (row,) = rates(file, standards()[0], find_rule("wonder-20"), per=1000).to_dict("records")
    assert (row["per"], row["standard"], row["rule"]) == (1000, "us-2000-19", "wonder-20")
    assert row["adjusted"] == pytest.approx(5)


def test_a_county_is_of_the_state_that_its_row_names(tmp_path):
    """Monroe County has 13,385 people in Ohio and 154,809 in Michigan, by Census 2020."""
    lines = [f"{state},Monroe,{age},9" for state in ("OH", "MI") for age in AGES19]
    path = _file(tmp_path, lines, "state,county,age,count")
    for by in ("county", "state,county"):
        rows = _rows(path, "--by", by, "--state", "OH", "--state", "MI")
        assert [(row["state"], row["county"], row["people"]) for row in rows] == [
            ("OH", "Monroe", 13_385),
            ("MI", "Monroe", 154_809),
        ]
    done = _run(path, "--by", "county", "--state", "OH")
    assert done.exit_code == 2
    assert re.search(r"is in Michigan, .* those of Ohio\.", done.stderr)
    checked = invoke("table", "check", path, "--rule", "ny-doh-6", "--state", "OH")
    assert checked.exit_code == 2
    assert "is in Michigan" in checked.stderr


def test_a_population_without_a_state_is_refused(tmp_path):
    """The file has denominators: a population of no state would be ignored."""
    outcome = _run(_seer(tmp_path), "--population", "us-2020")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "--state" in outcome.stderr
