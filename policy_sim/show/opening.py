"""What a first reader sees: what the program is, a state in sentences, and the four ways on."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from policy_sim.attackers.attacker import GENERAL, VOTER
from policy_sim.show.numbers import people, range_words, short_percent
from policy_sim.show.theme import policy_title
from policy_sim.words.states import STATES

WHAT_IT_IS = (
    "policy_sim estimates how many people an attacker could name if health records were released under a policy such "
    "as HIPAA Safe Harbor or the limited data set. It covers every US state, works offline, and can check a file or a "
    "table of your own."
)
_WIDTH = 80
_WHO = {VOTER: "someone who has the state's voter list", GENERAL.name: "someone who knows everyone in the state"}
_POLICIES = {"safe-harbor": "HIPAA Safe Harbor", "limited-dataset": "the limited data set"}


def state_sentences(profiles: pd.DataFrame, state: str) -> list[str]:
    """Say for each attacker how many people of a state they would correctly name under each policy."""
    total = profiles[(profiles["state"] == state) & (profiles["measure"] == "total-risk")]
    found = [total[total["attacker"] == attacker].to_dict("records") for attacker in _WHO]
    return [_sentence(STATES[state].name, who, rows) for who, rows in zip(_WHO.values(), found, strict=True) if rows]


def _sentence(name: str, who: str, rows: list[dict[Any, Any]]) -> str:
    known = [row for row in rows if pd.notna(row["people"])]
    if not known:
        return f"In {name}, there is no figure for {who}: {rows[0]['reason']}"
    parts = [f"{_figure(row)} under {_title(row['policy'])}" for row in known]
    unknown = next((f" {name}'s figures are ranges: {row['reason']}." for row in known if _is_range(row)), "")
    return f"In {name}, {who} would correctly name {' and '.join(parts)}, including lucky guesses.{unknown}"


def _is_range(row: Mapping[Any, Any]) -> bool:
    is_open = row.get("status", "interval") == "interval" and pd.notna(row["people"])
    return bool(is_open and row.get("people_high", row["people"]) != row["people"])


def _figure(row: Mapping[Any, Any]) -> str:
    names = ("people_low", "people_high", "share_low", "share_high")
    low, high, least, most = (row.get(name, row[name.split("_")[0]]) for name in names)
    if _is_range(row):
        return f"{people(low)} to {people(high)} people ({short_percent(least)} to {short_percent(most)})"
    counted, share = people(row["people"]), short_percent(row["share"])
    behind = range_words(row["share"], least, most, short_percent)
    return f"{counted} people, {share}{behind}," if behind else f"{counted} people ({share})"


def nation_sentence(profiles: pd.DataFrame) -> str:
    """Name the state with the highest share for each policy, of those whose figure is not a range."""
    total = profiles[
        (profiles["measure"] == "total-risk") & (profiles["attacker"] == VOTER) & profiles["share"].notna()
    ]
    exact = [row for row in total.to_dict("records") if not _is_range(row)]
    highest: dict[str, dict[Any, Any]] = {}
    for row in sorted(exact, key=lambda row: (row["share"], row["state"])):
        highest[str(row["policy"])] = row
    parts = [
        f"up to {short_percent(row['share'])} of the people ({STATES[row['state']].name}) under {_title(policy)}"
        for policy, row in highest.items()
    ]
    where = "Where all facts about the voter list are known, someone who has it would correctly name"
    return f"{where} {' and '.join(parts)}." if parts else ""


def _title(policy: str) -> str:
    return _POLICIES.get(policy, policy_title(policy))


def page_opening(profiles: pd.DataFrame) -> tuple[list[str], dict[str, list[str]]]:
    """Return what the page of a comparison says first, and what it says of each state, by its name.

    Neither, where the rows are of several populations or of a file: a sentence could not say which.
    """
    states = list(dict.fromkeys(profiles["state"]))
    if len(set(profiles["population"])) > 1 or set(profiles["in_file"]) != {1}:
        return [], {}
    if len(states) == 1:
        return state_sentences(profiles, states[0]), {}
    nation = nation_sentence(profiles)
    named = sorted((STATES[state].name, state) for state in states)
    return [nation] if nation else [], {name: state_sentences(profiles, state) for name, state in named}


def opening_text(
    profiles: pd.DataFrame, state: str, written: Sequence[str], doors: Mapping[str, tuple[str, str]], hint: str
) -> str:
    """Return the first answer as text: what the program is, one state, what was ``written``, where to go next."""
    widest = max(len(command) for command, _ in doors.values())
    own = profiles[profiles["state"] == state]
    lists = "".join(f" and the voter lists of {vintage}" for vintage in own["lists"].dropna().unique())
    made_of = f"Each figure is an expected value, for the people of {own['population'].iloc[0]}{lists}."
    blocks = [
        [_fill(WHAT_IT_IS)],
        [_fill(text) for text in [*state_sentences(profiles, state), made_of]],
        [line if line.startswith(" ") else _fill(line) for line in written],
        ["Where to go next:", *(f"  {door:8} {name:{widest}}  {why}" for door, (name, why) in doors.items())],
        [_fill(hint)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def _fill(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_on_hyphens=False, break_long_words=False)
