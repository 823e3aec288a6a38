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
    profiles : Tidy rows of a comparison; where a field of a list is not known, the lower ends are told.
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
    in_file = float(rows["in_file"].iloc[0])
    released = "" if in_file == 1 or not share else f" of the {people(risk / share)} in the file"
    yield f"right for {people(risk)}{released} ({short_percent(share)}) if it guesses within equal groups"
    precision = shares["precision"]
    if pd.isna(precision):
        yield "nobody is certain"
    elif precision == 1:
        correct = people(float(counted["correct-claims"]))
        yield f"{correct} {'is' if correct == '1' else 'are'} certain"
    else:
        yield f"it claims {people(float(counted['claims']))}, and is right in {short_percent(precision)} of them"
