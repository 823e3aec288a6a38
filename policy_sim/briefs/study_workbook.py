"""The answers of a study as a workbook: risk, trust, cost, facts and sources, a sheet each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.briefs.sentences import first_up, of_state, policy_words
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK
from policy_sim.show.workbook import Sheet, workbook_bytes
from policy_sim.voter_lists.facts import facts_frame, sources_frame

if TYPE_CHECKING:
    from policy_sim.study.answers import ComparisonAnswer
    from policy_sim.study.study import Study


_RATIO = '=IF({people below}<0.999999999,"undefined",{people above}/{people below})'  # as TrustDifferential has it
_COST = '=IF({price in dollars}="","unknown",IF({matches}=0,"undefined",{price in dollars}/{matches}))'
_SURE = '=IF({price in dollars}="","unknown",IF({correct claims}=0,"undefined",{price in dollars}/{correct claims}))'


def study_workbook(study: Study, answer: ComparisonAnswer) -> bytes:
    """Return a comparison as an Excel workbook."""
    notes = tuple(answer.provenance.notes)
    policies = list(dict.fromkeys(profile.policy for profile in answer))
    sheets = [
        Sheet("Read me", _guide(), "How to read this workbook", notes),
        Sheet("Risk", _risk(answer), "Expected people and shares", formulas={"share": _SHARE}),
        Sheet("Trust", _trust(answer, policies[-1], policies[0]), _trust_title(policies), formulas={"ratio": _RATIO}),
        Sheet("Cost", _cost(study, answer), "What a match costs the buyer of the list", formulas=_COSTS),
        Sheet("Details", answer.to_frame(), "Every figure, one row per state, policy, attacker and measure"),
    ]
    lists = [study.unrestricted_voter.voter_list(state) for state in dict.fromkeys(p.state for p in answer)]
    sheets += [
        Sheet("List facts", facts_frame(lists), "What is known about each state's voter list"),
        Sheet("Sources", sources_frame(lists), "Sources"),
    ]
    return workbook_bytes(sheets, "Re-identification risk by state")


_SHARE = '=IF({people}=0,"undefined",{matches}/{people})'
_COSTS = {"dollars per match": _COST, "dollars per correct claim": _SURE}


def _guide() -> pd.DataFrame:
    words = {
        "Risk": "matches: right if the attacker guesses within equal groups; claims: records for which only one "
        "person fits",
        "Trust": "how many times as many matches one policy allows as the other",
        "Cost": "the price of the list over the matches that it allows; a list without a price has no cost",
        "Details": "the program's tables, unchanged",
        "List facts": "each fact with its date, confidence and sources",
        "Sources": "what each source is",
    }
    return pd.DataFrame({"sheet": list(words), "what it holds": list(words.values())})


def _risk(answer: ComparisonAnswer) -> pd.DataFrame:
    rows = []
    for profile in answer:
        total, sure = profile.people(TOTAL_RISK), profile.people(CORRECT_CLAIMS)
        share = profile.share(TOTAL_RISK)
        claims = profile.people(CLAIMS)
        rows.append(
            {
                "state": of_state(profile.state),
                "rules": first_up(policy_words(profile.policy)),
                "attacker": profile.attacker,
                "people": profile.records,
                "matches": None if total is None else total.low,
                "matches, unknown fields released": None if total is None else total.high,
                "share": None if share is None else share.low,
                "correct claims": None if sure is None else sure.low,
                "claims": None if claims is None else claims.low,
                "linkage key": profile.linkage_key,
                "status": str(profile.status),
                "reason": profile.reason,
            }
        )
    texts = ("state", "rules", "attacker", "linkage key", "status", "reason")
    table = pd.DataFrame(rows)
    return table.astype({name: "string" if name in texts else "Float64" for name in table})


def _trust_title(policies: list[str]) -> str:
    return f"Matches under {policy_words(policies[-1])} over matches under {policy_words(policies[0])}"


def _trust(answer: ComparisonAnswer, above: str, below: str) -> pd.DataFrame:
    table = answer.trust(above, below).to_frame()
    table = table[table["measure"] == str(TOTAL_RISK)]
    names = {"numerator": "people above", "denominator": "people below"}
    columns = ["state", "attacker", "people above", "people below", "ratio", "status", "reason"]
    return table.rename(columns=names)[columns].reset_index(drop=True)


def _cost(study: Study, answer: ComparisonAnswer) -> pd.DataFrame:
    if not any(attacker.holds_file for attacker in answer.attackers):
        return pd.DataFrame()
    table = study.cost_of(answer).to_frame()
    sure = [
        answer.profile(state, policy, attacker).people(CORRECT_CLAIMS)
        for state, policy, attacker in zip(table["state"], table["policy"], table["attacker"], strict=True)
    ]
    return pd.DataFrame(
        {
            "state": table["state"],
            "rules": [first_up(policy_words(policy)) for policy in table["policy"]],
            "attacker": table["attacker"],
            "price in dollars": table["price_usd"],
            "matches": table["total_risk"],
            "correct claims": pd.array([None if claims is None else claims.low for claims in sure], dtype="Float64"),
            "dollars per match": table["usd_per_reidentification"],
            "dollars per correct claim": pd.array(
                [
                    None if claims is None or pd.isna(price) or not claims.low else price / claims.low
                    for claims, price in zip(sure, table["price_usd"], strict=True)
                ],
                dtype="Float64",
            ),
            "status": table["status"],
            "reason": table["reason"],
        }
    )
