"""Policies and their rules as tidy tables."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from policy_sim.policies.policy import Policy
from policy_sim.words.fields import Field


def policy_columns(policy: Policy) -> dict[str, object]:
    """Return what a policy shows: a column per field, and one per condition, missing where there is none."""
    small = policy.conditions.small_places
    return {
        "policy": policy.name,
        **{name.value: policy.releases[name] for name in Field},
        "top_age": pd.NA if policy.conditions.top_age is None else policy.conditions.top_age,
        "place_above": pd.NA if small is None else small.most,
    }


def policy_frame(policies: Iterable[Policy]) -> pd.DataFrame:
    """Return one row per policy: what it shows, its title, and where it is from."""
    rows = [
        policy_columns(p) | {"title": p.title, "citation": p.citation, "paper_form": p.paper_form} for p in policies
    ]
    return pd.DataFrame(rows).astype({"top_age": "Int64", "place_above": "Int64"})


def rule_frame(policy: Policy) -> pd.DataFrame:
    """Return one row per rule; a policy without rules has one row, with its citation."""
    rules = [(rule.says, rule.citation) for rule in policy.rules] or [(policy.title, policy.citation)]
    frame = pd.DataFrame([policy_columns(policy)] * len(rules)).astype({"top_age": "Int64", "place_above": "Int64"})
    return frame.assign(says=[says for says, _ in rules], citation=[citation for _, citation in rules])
