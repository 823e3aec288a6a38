"""Lists with residents by county and age and with stale records, drawn person by person, next to the formulas.

    python -m benchmarks.listed_people --runs 200

The attacker's list has county, sex and date of birth, and a release shows these, or the year of birth in place of the
date. In each run of :func:`~policy_sim.model.simulation.linking.simulate`, everyone is born again and put on the list
with the chance of their county and age, and the records of people who left join them. The tables of
docs/listed-people.md are what this prints.
"""

from __future__ import annotations

import argparse

import pandas as pd

from policy_sim.attackers.attacker import covered, voter
from policy_sim.attackers.county_coverage import load_coverage, survey_of_people
from policy_sim.formulas.groups import claims, g_distinct, total_risk
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.model.cases import Cases
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, PRECISION, TOTAL_RISK
from policy_sim.model.simulation.linking import Attack, simulate
from policy_sim.people.merging import merge
from policy_sim.people.store import load_shipped
from policy_sim.policies.policy import Policy
from policy_sim.show.list_text import markdown_table
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.registration import load_age_shape
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.fields import Granularities

STATES = ("DE", "VT", "WY")
VINTAGE = "2024"
BIRTH = ("date", "year")
MEASURES = (TOTAL_RISK, CLAIMS, CORRECT_CLAIMS, PRECISION)


def key(birth: str) -> Granularities:
    """Return what a release and the list both show."""
    return Granularities(gender="value", birth=birth, geography="county")


def check(state: str, runs: int, seed: int = 24) -> list[Attack]:
    """Compare the formulas with simulated lists of one state, for a release with the date of birth and with its year.

    Where too few people are claimed for a share of them, precision is left out.
    """
    shown = {"gender": "value", "birth": "date", "geography": "county"}
    fields = {name: ListField("included", value) for name, value in shown.items()}
    held = voter({state: VoterList(state, VINTAGE, "available", fields=fields)}, VINTAGE)
    attacker = covered(held, load_coverage("registered", VINTAGE))
    policies = [Policy(birth, birth, key(birth), birth) for birth in BIRTH]
    attacks = simulate(Cases(load_shipped("us-2020"), policies, [attacker], [state]), runs=runs, seed=seed)
    return [attack for attack in attacks if attack.measure in MEASURES]


def nation() -> str:
    """Return the table of docs/listed-people.md on the nation: which share of the residents of each age is listed."""
    from policy_sim.study.study import Study

    rows = Study("us-2020", lists=2026).listed_by("age-class").to_frame()
    sums = rows.groupby("ages")[["listed", "people"]].sum().loc[list(load_age_shape().names)]
    shares = sums["listed"] / sums["people"]
    return markdown_table(list(shares.index), [[f"{share:.0%}" for share in shares]])


def effect(states: tuple[str, ...] = ("OH", "NC", "FL", "NY", "WY")) -> str:
    """Return the table of what changes: the survey's one chance, chances by county and age, stale records too."""
    says, rows = survey_of_people(2024).by_state, []
    coverage = load_coverage("registered", VINTAGE)
    assert coverage is not None
    for state in states:
        adults = load_shipped("us-2020").in_states([state]).of_age(18)
        listed = merge(adults, key("date"), listing=coverage.listing(adults))
        assert isinstance(listed, ListedGroups)
        lists = {
            "survey": (merge(adults, key("date")), min(1.0, says[state] / adults.people)),
            "county and age": (listed.without_stale(), 1.0),
            "with stale": (listed, 1.0),
        }
        for name, held in lists.items():
            found = [total_risk(*held).item(), claims(*held).item(), g_distinct(held[0], [1], held[1]).item()]
            rows.append((state, name, *(f"{number:,.0f}" for number in found), f"{found[2] / found[1]:.1%}"))
    return markdown_table(("state", "list", "total risk", "claims", "correct claims", "precision"), rows)


def defaults(states: tuple[str, ...] = ("WA", "OH", "GA", "NY", "FL")) -> str:
    """Return what the default gives by the survey's rates and by county and age, also of all states with a figure."""
    from policy_sim.study.study import Study

    sides = ("survey", "registered")
    frames = [Study("us-2020", lists=2026, coverage=side).compare(g=1).to_frame().assign(side=side) for side in sides]
    held = pd.concat(frames)
    held = held[held["status"].eq("ok") & held["attacker"].eq("voter")]
    held["whole"] = held["people"] / held["share"]
    risks = held.pivot_table(index=["policy", "side", "measure"], columns="state", values="people")
    whole = held[held["measure"] == str(TOTAL_RISK)].groupby("state")["whole"].first()
    risks["nation"], whole["nation"] = risks.sum(axis=1), whole.sum()
    rows = []
    for state in (*states, "nation"):
        of = risks[state]
        right, made = (of.xs(str(measure), level="measure") for measure in (CORRECT_CLAIMS, CLAIMS))
        precise = [f"{right['limited-dataset', side] / made['limited-dataset', side]:.1%}" for side in sides]
        cells = [
            f"{of[policy, side, str(measure)] / whole[state]:.{digits}%}"
            for policy, measure, digits in (
                ("limited-dataset", TOTAL_RISK, 2),
                ("limited-dataset", CLAIMS, 2),
                ("safe-harbor", TOTAL_RISK, 4),
            )
            for side in sides
        ]
        rows.append((state, *cells[:4], *precise, *cells[4:]))
    named = ("limited data set: total risk", "claims", "sure", "Safe Harbor: total risk")
    heads = [f"{name}, {side}" for name in named for side in ("survey", "by county and age")]
    return markdown_table(("state", *heads), rows)


def main() -> None:
    """Print the table of simulated lists, or those of all states."""
    parser = argparse.ArgumentParser(description="Simulated lists next to the formulas.")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--tables", action="store_true", help="the tables of states instead")
    options = parser.parse_args()
    if options.tables:
        print(nation(), defaults(), effect(), sep="\n")
        return
    runs = options.runs
    print("| state | linked on | measure | formula | mean of the runs | 99% interval | inside |")
    print("|---|---|---|---:|---:|---:|---|")
    for state in STATES:
        for attack in check(state, runs):
            linked = f"county, sex, {attack.case.policy.name} of birth"
            at = attack.interval
            digits = ".5f" if attack.measure == PRECISION else ",.1f" if attack.expected > 1000 else ",.3f"
            numbers = (attack.expected, attack.mean, at.low, at.high)
            expected, mean, low, high = (f"{number:{digits}}" for number in numbers)
            name = attack.measure.name.replace("-", " ")
            inside = "yes" if attack.agrees else "no"
            print(f"| {state} | {linked} | {name} | {expected} | {mean} | {low} to {high} | {inside} |", flush=True)


if __name__ == "__main__":
    main()
