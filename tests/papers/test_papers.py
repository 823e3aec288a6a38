"""Each paper's own questions, and that a reproduction is complete, honest and reasoned."""

from __future__ import annotations

import tomllib
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from small_people import population_of, small

from policy_sim import Study
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.papers.guides import Guides
from policy_sim.papers.printed_figure import (
    STATEMENT,
    Basis,
    Verdict,
    list_papers,
    load_class_sizes,
    load_paper,
    reproduce,
)
from policy_sim.papers.studies import BenitezMalin, Dankar2010, Dankar2012, Golle, median_errors
from policy_sim.people.by_name import load_population
from policy_sim.records.classes import Classes
from policy_sim.voter_lists.price import Amount, Price

_PRICES = {state: Price("flat", base_usd=12_500).usd() for state in ("AL", "LA", "NH", "WI", "WV")}


@pytest.fixture(scope="module")
def benitez_malin():
    study = Study("us-2000", "2008", coverage="everyone")
    comparison = study.compare(rules="paper")
    answers = BenitezMalin(comparison, study.cost_of(comparison), study.curves("OH", rules="paper"), 3141)
    return rows_of("benitez-malin-2010", answers)


def test_every_paper_is_read_and_every_figure_is_whole():
    assert set(list_papers()) >= {"benitez-malin-2010", "golle-2006", "dankar-2010", "dankar-2012"}
    for name in list_papers():
        paper = load_paper(name)
        assert all(figure.where and figure.what and figure.printed for figure in paper.figures)
        assert all(tolerance.why for tolerance in paper.tolerances.values())


@pytest.mark.slow
def test_more_than_sixty_figures_are_judged_and_each_disagreement_has_a_reason(benitez_malin):
    rows = benitez_malin.values()
    judged = [row for row in rows if row.verdict is not Verdict.MISSING]
    assert len(judged) >= 60
    # every cell of Tables 1 and 2: 12 rows of 4 and 12 rows of 3
    assert sum(row.figure.where.startswith("Table 1") for row in rows) == 48
    assert sum(row.figure.where.startswith("Table 2") for row in rows) == 36
    for row in rows:
        assert row.reason
        if row.verdict is Verdict.DIFFERS:
            assert row.figure.note, f"{row.figure.id} differs and nothing explains it"
        if row.verdict is Verdict.MISSING:
            assert row.ours is None


def test_what_was_measured(benitez_malin):
    assert [row.verdict for row in benitez_malin.values()].count(Verdict.AGREES) >= 50
    differ = {name for name, row in benitez_malin.items() if row.verdict is Verdict.DIFFERS}
    alaska = {f"t1-general-ak-{part}" for part in ("rank", "limited", "trust")}
    trusts = {"ohio-trust-low", "ohio-trust-high", "ohio-trust-voter-low"}
    abstract = {"abstract-limited-low", "abstract-limited-high"}
    assert differ == {*abstract, "counties", "ohio-safe-1", "ohio-safe-5", *trusts, *alaska}
    # Table 1 prints 62.51%; the margins of Alaska's boroughs give near 64.7% and do not explain the difference
    assert benitez_malin["t1-general-ak-limited"].ours == pytest.approx(64.7, abs=0.3)
    for name in ("abstract-voter-zero", "alaska-orders", "cost-limited-low", "cost-safe-low", "cost-safe-high"):
        assert benitez_malin[name].verdict is Verdict.AGREES, "what the text prints besides the tables"
    for name, printed, ours in (("low", "10", 7.75), ("high", "60", 62.52)):  # judged as printed
        row = benitez_malin[f"abstract-limited-{name}"]
        assert row.figure.printed == printed
        assert row.ours == pytest.approx(ours, abs=0.005)


def test_the_voter_block_is_that_of_other_states(benitez_malin):
    for label, state in (("mo", "TX"), ("va", "CA"), ("pa", "NY"), ("nd", "DE"), ("az", "RI")):
        for column in ("limited", "safe", "trust"):
            row = benitez_malin[f"t1-voter-{label}-{column}"]
            assert row.verdict is Verdict.CONTRADICTS
            assert f"Read as {state}, ours agrees" in row.reason or f"Read as {state}, ours is within" in row.reason
    assert benitez_malin["t1-voter-hi-trust"].verdict is Verdict.MISSING


def test_equation_2_as_printed_counts_bins(benitez_malin):
    row = benitez_malin["equation-2"]
    assert row.verdict is Verdict.CONTRADICTS
    assert "154.13" in row.reason
    nothing = BenitezMalin.__new__(BenitezMalin)
    assert BenitezMalin.answer(nothing, row.figure.ask).value == pytest.approx(154.1307, abs=5e-5)


@pytest.mark.slow
def test_golle_by_county():
    """14.8 % within half a point: the bound set before the figure was computed."""
    rows = rows_of("golle-2006", Golle(load_population("us-2000")))
    assert rows["county-date"].ours == pytest.approx(14.8, abs=0.5)
    assert rows["county-month"].verdict is rows["county-year"].verdict is Verdict.AGREES
    for place in ("zip-year", "zip-month", "zip-date"):
        assert rows[place].verdict is Verdict.MISSING
        assert "ZIP code" in rows[place].reason
    assert all(row.figure.secondary for row in rows.values())


def rows_of(name, answers):
    return {row.figure.id: row for row in reproduce(load_paper(name), answers.answer)}


def test_figures_of_the_guides_and_where_they_differ():
    rows = rows_of("guides", Guides.shipped())
    differs = {name for name, row in rows.items() if row.verdict is not Verdict.AGREES}
    assert differs == {"ipc-medium", "ihe-released", "ihe-pool-hispanic", "ihe-pool-both"}
    assert all(rows[name].figure.note for name in differs)
    assert (rows["ihe-released"].ours, rows["ipc-medium"].ours) == (pytest.approx(0.4), 14)
    assert rows["ihe-pool-both"].ours == pytest.approx(156_740, abs=1)


def test_dankar_2010_without_the_file_and_the_examples_of_2012():
    without = rows_of("dankar-2010", Dankar2010())
    assert without["example-half"].ours == pytest.approx((1 / 5 + 1 / 20 + 1 / 23) / 3 * 5)
    assert "adult.csv" in without["adult-risk"].reason
    rows = rows_of("dankar-2012", Dankar2012(_PRICES, 0.1))
    assert [rows[f"lambda-{k}"].verdict for k in (1, 2, 3)] == [Verdict.AGREES] * 3
    assert rows["price-wi"].verdict is Verdict.DIFFERS
    assert "12,500" in rows["price-wi"].reason
    assert rows["new-york"].verdict is Verdict.MISSING


def test_agreements_with_what_was_read_off_the_paper_are_marked(benitez_malin, root):
    """Every list of 2008 that decides a figure was deduced from the paper's numbers; its text states Ohio's."""
    agreeing = [row for row in benitez_malin.values() if row.basis is not None]
    dollars = [row for row in agreeing if row.figure.unit == "usd"]
    assert len(dollars) == 14 + 3
    assert {row.basis for row in dollars} == {Basis.SAME_FIGURE}
    for row in agreeing:
        ask = row.figure.ask
        if row.figure.unit == STATEMENT:  # the list was read off the statement itself
            assert row.basis is Basis.SAME_FIGURE
        elif ask.get("attacker") == "voter" and "state" in ask:
            facts = tomllib.loads(
                (root / "voter_policies" / f"{ask['state'].lower()}.toml").read_text(encoding="utf-8")
            )
            sources = {source for fact in facts["2008"]["fields"].values() for source in fact.get("sources", ())}
            assert (row.basis is Basis.SAME_FIGURE) == ("bm-deduced" in sources), row.figure.id
    assert benitez_malin["example-5"].basis is Basis.ARITHMETIC
    assert benitez_malin["t1-general-de-limited"].basis is Basis.INDEPENDENT
    assert all(row.basis is None for row in benitez_malin.values() if row.verdict is Verdict.DIFFERS)


@pytest.mark.slow
def test_margins_of_alaska_do_not_rule_the_printed_figure_out(benitez_malin):
    row = benitez_malin["t1-general-ak-limited"]
    assert "unexplained" in row.reason
    assert "do not rule" in row.reason
    concentrated = _concentrated_alaska()
    assert concentrated == pytest.approx(0.6182, abs=5e-5)
    assert concentrated < 0.6251 < row.ours / 100


def _concentrated_alaska() -> float:
    """Total risk with each borough's counted margins met, and its five small races in few classes of sex and age.

    Sex by the 23 ages of P12 less P12A and P12B, and the races of P7, stay; single years stay as modeled.
    """
    cells = load_population("us-2000").cells
    cells = cells[cells["state"] == "AK"].assign(race=lambda rows: rows["race"].astype(str))
    edges = [0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85]
    cells["ages"] = np.searchsorted(edges, cells["age"], side="right")
    counted = cells["race"].isin(["white", "black"])
    risk = _occupied(cells.loc[counted, "people"].to_numpy(float))
    for _, borough in cells[~counted].groupby("county", observed=True):
        left = borough.groupby("race")["people"].sum().to_dict()
        parts = [part.groupby("age")["people"].sum() for _, part in borough.groupby(["sex", "ages"], observed=True)]
        for years in sorted(parts, key=lambda part: -part.sum()):
            need = int(years.sum())
            for race in ("aian", "multiple", "asian", "other", "nhpi"):
                placed = min(int(left.get(race, 0)), need)
                if placed:
                    risk += _occupied(years.to_numpy(float) / years.sum() * placed)
                    left[race] -= placed
                    need -= placed
            assert need == 0
    return risk / float(cells["people"].sum())


def _occupied(people: np.ndarray) -> float:
    return float(np.sum(365 * (1 - (1 - 1 / 365) ** people)))


@pytest.mark.slow
def test_dankar_2012_runs_its_estimators_on_public_files():
    files = load_class_sizes()
    assert {name: (sizes.records, sizes.number) for name, sizes in files.items()} == {
        "adult": (30_162, 3_152),
        "adult-six-fields": (30_162, 13_733),
        "fars": (134_332, 2_198),
    }
    errors = median_errors({"adult": files["adult"]})
    # at low fractions the rule is Pitman; docs/estimators.md has +0.14 at 0.1 from 1,000 samples
    assert errors["adult"].loc[0.1, "decision_rule"] == errors["adult"].loc[0.1, "pitman"]
    assert errors["adult"].loc[0.1, "pitman"] == pytest.approx(0.14, abs=0.05)
    rows = rows_of("dankar-2012", Dankar2012(_PRICES, 0.1, errors))
    assert (rows["pitman-low-adult"].ours, rows["rule-adult"].ours) == (3, 7)
    assert rows["rule-adult"].basis is Basis.INDEPENDENT
    assert rows["rule-fars"].verdict is Verdict.MISSING
    for name, printed in (("tree-high", "0.22"), ("tree-low", "0.013")):
        assert rows[name].figure.printed == printed
        assert rows[name].verdict is Verdict.MISSING
        assert "emergency department" in rows[name].reason
        assert "adult" in rows[name].reason


def test_adult_as_its_papers_used_it(shared):
    from policy_sim import reproduce

    rows = reproduce("dankar-2010", shared / "microdata" / "adult_arx.csv").to_frame().set_index("id")
    assert (rows.loc["adult-records", "ours"], rows.loc["adult-age", "ours"]) == (30_162, 72)
    assert rows.loc["adult-risk", "ours"] == pytest.approx(3152 / 30_162)


def test_the_page_tells_what_comes_of_it(benitez_malin, root):
    page = root / "docs" / "reproduction.md"
    verdicts = [row.verdict for row in benitez_malin.values()]
    counts = [verdicts.count(verdict) for verdict in Verdict]
    row = "| ".join(f"{number} " for number in [len(benitez_malin), *counts])
    assert f"| benitez-malin-2010 | {row}|" in page.read_text(encoding="utf-8")


# The questions of the papers, answered from people whose figures are counted by hand.


@pytest.fixture(scope="module")
def answers():
    study = Study(small(), "2008", coverage="everyone")
    compared = study.compare(rules="paper", g=[1, 10])
    return BenitezMalin(compared, study.cost_of(compared), study.curves("OH", rules="paper", g_max=40), 3)


def risk(**ask):
    return {"policy": "safe-harbor-paper", "attacker": "general", "measure": "total-risk", **ask}


def test_sixteen_groups_of_each_state(answers):
    """Sex, race and year: 2 x 2 x 4 groups, each of whom one is named; Ohio has 96 people, Wyoming 48.

    Of each sex and race in Ohio 4, 6, 6 and 8 people share a year: at g = 6 all but the eight are g-distinct.
    """
    assert answers.answer(risk(kind="profile", state="OH")).value == pytest.approx(16 / 96)
    assert answers.answer(risk(kind="profile", state="OH", count=True)).value == pytest.approx(16)
    for g, alone in ((6, 64 / 96), (3, 0)):
        assert answers.answer(risk(kind="curve", g=g)).value == pytest.approx(alone)
    for take, shown in (("min", "0.167"), ("max", "0.333"), ("median", "0.25")):
        answer = answers.answer(risk(kind="states", take=take))
        assert answer.value is None, "a range over two states is not that of fifty"
        assert f"2 are known, which give {shown}" in answer.reason


def test_the_formula_is_the_binomial_one(answers):
    """Of 200 people over 365 days each is alone with chance (364/365)^199."""
    ask = {"kind": "formula", "people": 200, "bins": 365, "g": 1}
    for name, people in (("people", 200), ("share", 1)):
        assert answers.answer({**ask, "name": name}).value == pytest.approx(people * (364 / 365) ** 199)


# Marketer risk by hand: a class matched at random, and a file of four records.


@pytest.mark.parametrize("people", [1, 2, 3, 5])
def test_a_random_matching_has_one_correct_pair_on_average(people):
    orders = list(permutations(range(people)))
    counted = sum(sum(at == who for at, who in enumerate(order)) for order in orders) / len(orders)
    assert Dankar2010().answer({"kind": "one-to-one", "people": people}).value == pytest.approx(counted) == 1


def test_marketer_over_journalist_risk():
    """Classes of 1 and 3 in the release, 2 and 6 among the people: (1/2 + 3/6) / 4 = 1/4, over 1/2."""
    answer = Dankar2010().answer({"kind": "example", "people": [2, 6], "released": [1, 3]})
    assert answer.value == pytest.approx(1 / 4 / (1 / 2))


def test_a_file_is_counted_and_without_it_there_is_a_reason():
    adult = Classes(
        ("age", "education", "race", "sex"),
        np.array([[1, 1, 1, 1], [2, 1, 1, 2], [3, 2, 2, 2]], dtype=np.int32),
        np.array([2, 1, 1]),
        (3, 2, 2, 2),
    )
    ask, given = {"kind": "file", "file": "adult", "field": "age"}, Dankar2010(adult)
    counted = {take: given.answer({**ask, "take": take}).value for take in ("records", "values", "marketer")}
    assert counted == pytest.approx({"records": 4, "values": 3, "marketer": 3 / 4})
    missing = Dankar2010().answer({**ask, "take": "records"})
    assert missing.value is None
    assert "adult.csv" in missing.reason
    assert given.answer({**ask, "file": "secret", "take": "records"}).value is None


# Worked examples, prices, and which estimator is closest, on tables made by hand.


def asked(errors=None, **ask):
    prices = {"OH": Amount(0.0, "free"), "TX": Amount(None, "unknown", "no source")}
    return Dankar2012(prices, 0.1, errors or {}).answer(ask)


# Pitman is closest at 0.05, SNB at 0.5; the rule takes Pitman at both.
CLOSEST = {
    "decision_rule": [0.1, -0.3],
    "pitman": [0.1, -0.3],
    "slide_negative_binomial": [-0.2, 0.2],
    "zayatz": [0.9, 0.9],
}
ERRORS = {"public": pd.DataFrame(CLOSEST, index=pd.Index([0.05, 0.5], name="fraction"))}


def test_shares_are_divisions_and_a_price_that_nobody_knows_is_a_reason():
    example = {"sample": 10, "sample_uniques": 4, "both": 2, "population": 50, "population_uniques": 5}
    taken = {"sample-uniqueness": 0.4, "lambda1": 0.5, "lambda2": 0.2, "lambda3": 0.1, "share": 0.3}
    found = {take: asked(kind="example", take=take, of=3, **example).value for take in taken}
    assert found == pytest.approx(taken)
    assert asked(kind="relative-bias", bias=1, at=4).value == 0.25
    assert asked(kind="product", of=[0.5, 0.5, 4]).value == 1
    assert asked(kind="rule").value == 0.1
    assert asked(kind="price", state="OH").value == 0
    unknown = asked(kind="price", state="TX")
    assert (unknown.value, unknown.reason) == (None, "no source")


def test_at_how_many_fractions_a_model_is_closest():
    ask = {"kind": "simulated", "file": "public", "at": "all"}
    closest = {model: asked(ERRORS, **ask, model=model).value for model in CLOSEST}
    assert closest == {"decision_rule": 1, "pitman": 1, "slide_negative_binomial": 1, "zayatz": 0}
    assert asked(ERRORS, **{**ask, "at": "low"}, model="slide_negative_binomial").value == 0
    assert asked(ERRORS, **{**ask, "file": "other"}, model="pitman").value is None


def test_a_confidential_file_has_no_figure_but_a_public_one_beside_it():
    answer = asked(ERRORS, kind="tree", at="low")
    assert answer.value is None
    assert "public +0.100" in answer.reason
    for kind in ({"kind": "file", "file": "x"}, {"kind": "adult"}, {"kind": "tree", "at": "high"}):
        assert asked(**kind).value is None


def test_median_errors_have_one_row_per_fraction_and_one_column_per_model():
    sizes = SizeHistogram.from_classes([1] * 30 + [2] * 20 + [5] * 4)
    table = median_errors({"made": sizes})["made"]
    assert table.index.tolist() == pytest.approx([0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9])
    assert {"decision_rule", "pitman", "zayatz"} <= set(table)


# Unique people by sex, place and birth, on people counted by hand.


def population(name="made", **columns):
    rows = [("OH", "39001", "M", 30, 1, 1), ("OH", "39001", "F", 30, 1, 2), ("OH", "39003", "M", 30, 1, 1)]
    names = ["state", "county", "sex", "age", "age_width", "people", *columns]
    return population_of([(*row, *columns.values()) for row in rows], names, "2000-04-01", name)


@pytest.mark.parametrize(("place", "alone"), [("county", 2 / 4), ("state", 0)])
def test_by_year_two_of_four_are_alone_in_their_county_and_nobody_in_the_state(place, alone):
    assert Golle(population()).answer({"birth": "year", "place": place}).value == pytest.approx(alone)


def test_what_the_census_lacks_is_told_of_another_but_not_judged():
    other = population("other", zip5="43001")
    answer = Golle(population(), [population("neither"), other]).answer({"birth": "year", "place": "zip5"})
    assert answer.value is None
    assert "other gives 0.00%" in answer.reason
    assert "neither" not in answer.reason
