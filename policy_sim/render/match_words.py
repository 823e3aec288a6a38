"""What a match is worth, in a sentence: how many are right by luck, how many surely."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from policy_sim.render.numbers import people, short_percent
from policy_sim.render.theme import attacker_title, policy_title

__all__ = ["match_sentences"]


def match_sentences(profiles: pd.DataFrame) -> list[str]:
    """Return one sentence per state, policy and attacker with a figure.

    Parameters
    ----------
    profiles : Tidy rows of a comparison; both ends are given if a field of a list or the people on it are unknown.
    """
    keys = ["state", "policy", "attacker"]
    return [
        f"{state}, {policy_title(str(policy))}, {attacker_title(str(attacker))}: {'; '.join(_parts(rows))}."
        for (state, policy, attacker), rows in profiles.groupby(keys, sort=False, observed=True)
        if rows["people"].notna().any()
    ]


def _parts(rows: pd.DataFrame) -> Iterator[str]:
    figures = rows[rows["g"].isna()].set_index("measure")
    counted, shares = (figures[name].to_dict() for name in ("people", "share"))
    risk, share = float(counted["total-risk"]), float(shares["total-risk"])
    if "people_high" in figures and figures.loc["total-risk", "people_high"] != risk:
        yield from _between(figures)
        return
    in_file = float(rows["in_file"].iloc[0])
    released = "" if in_file == 1 or not share else f" of the {people(risk / share)} in the file"
    yield f"right for {people(risk)}{released} ({short_percent(share)}) if it guesses within equal groups"
    precision = shares["precision"]
    claims = float(counted["claims"])
    if pd.isna(precision) and claims > 0:
        yield f"it claims {people(claims)}, too few to say how many are right"
    elif pd.isna(precision):
        yield "nobody is certain"
    elif precision == 1:
        correct = people(float(counted["correct-claims"]))
        yield f"{correct} {'is' if correct == '1' else 'are'} certain"
    else:
        yield f"it claims {people(claims)}, and is right in {short_percent(precision)} of them"


def _between(figures: pd.DataFrame) -> Iterator[str]:
    """Both ends, where a field of the list or the people on it are unknown."""
    ends = figures[["people", "people_high", "share", "share_high"]].astype(float).to_dict("index")
    risk, correct = ends["total-risk"], ends["correct-claims"]
    low, high, share, most = (risk[name] for name in ("people", "people_high", "share", "share_high"))
    words = f"at most {people(high)}" if low == 0 else f"{people(low)} to {people(high)}"
    shares = short_percent(most) if low == 0 else f"{short_percent(share)} to {short_percent(most)}"
    yield f"right for {words} ({shares}) if it guesses within equal groups"
    certain = sorted((correct["people"], correct["people_high"]))
    right = f"at most {people(certain[1])}" if certain[0] == 0 else f"{people(certain[0])} to {people(certain[1])}"
    yield f"what it claims is right for {right}"
