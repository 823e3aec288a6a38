"""Figures that the pages quote are those that the commands beside them print today."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from said import numbers
from scipy.stats import hypergeom
from small_people import frame, run

from policy_sim.formulas.bins import people_g_distinct

DOCS = Path(__file__).resolve().parents[1] / "docs"

pytestmark = pytest.mark.slow


def text(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


@cache
def rows(command: str) -> pd.DataFrame:
    return frame(*command.split())


def total(command: str, **wanted: str) -> pd.Series:
    found = rows(command)
    for column, value in {"measure": "total-risk", **wanted}.items():
        found = found[found[column] == value]
    (row,) = [found.loc[name] for name in found.index]
    return row


def test_the_attack_on_a_file_of_ohio():
    page = text("attack.md")
    written = rows("econ attack OH --in-file 11000").set_index("policy")
    safe, limited = written.loc["safe-harbor"], written.loc["limited-dataset"]
    assert f"{limited.attacked:,.0f} adults whose records are worth an attempt; {limited.matched:,.0f} matches" in page
    assert (
        f"({limited.precision:.1%}) under the limited data set and {safe.matched:,.0f} ({safe.precision:.1%})" in page
    )
    paper = rows("econ attack OH --in-file 11000 --hipaa paper --coverage everyone").set_index("policy")
    safe, limited = paper.loc["safe-harbor-paper"], paper.loc["limited-dataset-paper"]
    assert f"{limited.matched:,.0f} matches are right ({limited.precision:.1%})" in page
    right = f"{safe.matched:,.0f} of those matches are right ({safe.precision:.2%})"
    assert f"{safe.attacked:,.0f} records are worth an attempt, and {right}" in page


def test_reports_of_cases_by_formula_and_by_draws():
    """The closed form of the page, 20,000 drawn reports, and the binomial counterpart with ``h = n/N``."""
    page, k = text("cases.md"), 11
    groups = np.array([5923, 6085, 6314, 6122])
    people, draw = groups.sum(), np.random.default_rng(5)
    for cases in (27, 50):
        exact = (groups / people * hypergeom.cdf(k - 2, people - 1, groups - 1, cases - 1)).sum()
        counts = draw.multivariate_hypergeometric(groups, cases, size=20_000)
        shares = (counts * (counts < k)).sum(axis=1) / cases
        assert abs(shares.mean() - exact) < 4 * shares.std() / len(shares) ** 0.5
        sampled = people_g_distinct(groups, 1, k - 1, coverage=cases / people).sum() / cases
        assert f"{cases} cases give {exact:.3f}" in page
        assert f"{sampled:.3f}" in page


def test_the_price_and_the_coverage_of_virginia():
    page = text("attackers.md")
    for options, records in (("", "6,380,686"), (" --coverage everyone", "8,631,393")):
        price = rows(f"cost --state VA{options}")["price_usd"].iloc[0]
        assert f"${price:.2f} for {records}" in page
    command = "compare --population us-2000 --lists 2008 --hipaa paper --state VA --coverage"
    case = {"policy": "limited-dataset-paper", "attacker": "voter"}
    risks = [total(f"{command} {who}", **case).people for who in ("everyone", "adults", "survey", "registered")]
    assert "{:,.0f} people with everyone listed, {:,.0f} with adults, {:,.0f}".format(*risks[:3]) in page
    assert f"by the survey, and {risks[3]:,.0f} with those registered by county and age" in page


def test_two_files_of_delaware():
    found = rows(
        "econ pair DE --first county --second month-of-birth --in-first 0.001 --in-second 0.001 --in-both 0.0005 "
        "--attacker general"
    ).set_index("figure")
    right, people = found.loc["right_pairs", "share_of_both"], found["people"]
    (said,) = [line for line in text("attack.md").split(". ") if "the people in both files" in line]
    named = [f"{people[name]:.1f}" for name in ("named", "alone_first", "alone_second")]
    assert numbers(said) == [f"{right:.0%}", *named]


def test_what_changed_in_two_states():
    done = run("econ", "trends", "--hipaa", "paper", "--coverage", "everyone", "--state", "OH", "--state", "WA")
    changes = done.stdout.split("risk changed by")[1].splitlines()
    by_state = {line.split()[0]: line.split() for line in changes if line[:2] in ("OH", "WA")}
    people, law = ({state: abs(float(w[at].replace("−", "-"))) for state, w in by_state.items()} for at in (1, 3))
    page = text("economics.md")
    for figure in (
        f"{law['OH']:.1f} points",
        f"by {law['WA']:.1f}. ",
        f"{people['OH']:.2f} and {people['WA']:.2f} points",
    ):
        assert figure in page


def test_what_lists_the_public_buys():
    done = run("econ", "budget", "--usd", "5000", "--hipaa", "paper", "--coverage", "everyone")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("together: ")]
    lists, price, claims = line.split()[1], line.split()[4].rstrip(","), int(line.split()[5].replace(",", ""))
    page = text("economics.md")
    assert f"the public buys {lists} lists for {price} and claims {claims / 1e6:.1f} million" in page


def test_ratios_of_lists_with_unknown_fields():
    found = rows("model trust --state AL --state IL --attacker voter")
    found = found[found["measure"] == "total-risk"].set_index("state")
    ends = {state: (row.ratio_low, row.ratio_high) for state, row in found.iterrows()}
    page = text("uncertainty.md")
    assert f"the ratio is {ends['AL'][0]:,.0f} to {ends['AL'][1]:,.0f}, although" in page
    assert f"it is {ends['IL'][0]:.1f} to {ends['IL'][1]:.1f}." in page


def test_what_states_hand_out():
    page = text("releases.md")
    on_2010 = "compare --release newest --population us-2010 --hipaa paper --attacker general --state NC --state VT"
    assert f"Carolina has {total(on_2010, state='NC', policy='release:newest').share:.1%} on the people of 2010" in page
    found = rows("compare --hipaa paper --population us-2020 --release newest --attacker general")
    found = found[(found["measure"] == "total-risk") & found["people"].notna()]
    by_policy = {name: part.set_index("state") for name, part in found.groupby("policy")}
    newest, safe = by_policy["release:newest"], by_policy["safe-harbor-paper"]
    low = newest["people"] / safe["people"].reindex(newest.index)
    high = newest["people_high"] / safe["people"].reindex(newest.index)
    assert f"{(low > 1).sum()} of the {len(newest)} files" in page
    for figure in (
        f"{low['CA']:,.0f} times",
        f"({newest.share['CA']:.1%} of its people)",
        f"{low['NV']:.1f} times",
        f"{low['ME']:.3f} to {high['ME']:.2f} times",
        f"{low['SC']:.2f} to {high['SC']:.2f} times",
    ):
        assert figure in page


def test_a_birth_index_beside_the_voter_list():
    command = (
        "compare --state TX --hipaa paper --coverage everyone --policy limited-dataset --attacker voter "
        "--attacker texas-birth-index"
    )
    page = text("resources.md")
    assert f"total risk is {total(command, attacker='voter').people:,.0f} people for VOTER" in page
    assert f"it is at most {total(command, attacker='texas-birth-index').people_high:,.0f}" in page


def test_field_trials():
    found = rows("model reproduce field-trials").set_index("id")["ours"].dropna()
    table = text("reproduction.md").split("## Attacks in the field")[1]
    for value in found.tolist():
        shown = {f"{value:.{digits}f}%" for digits in (0, 1, 2)}
        assert any(f"| {words} |" in table for words in shown), value
