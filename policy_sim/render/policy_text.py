"""Policies as text: a list, one with its rules, and what release checks find."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import pandas as pd

from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.policies.policy import Policy
from policy_sim.render.numbers import people, percent
from policy_sim.render.text_table import WIDTH, Column, layout

__all__ = ["checked_text", "list_text", "policy_text"]


def list_text(frame: pd.DataFrame) -> str:
    """Write one line per policy: what it shows of each field, and its conditions."""
    conditions = [
        ", ".join([f"age < {top}"] * pd.notna(top) + [f"{place} of more than {most:,} people"] * pd.notna(most))
        for top, most, place in zip(frame["top_age"], frame["place_above"], frame["geography"], strict=True)
    ]
    return layout(
        [Column(("policy",), tuple(frame["policy"]), right=False)],
        [
            *(Column((name.value,), tuple(frame[name.value]), right=False) for name in Field),
            Column(("conditions",), tuple(conditions), right=False),
        ],
    )


def policy_text(policy: Policy, zip3_lists: Mapping[str, Sequence[str]]) -> str:
    """Write a policy with each rule and its paragraph; lists of ZIP codes where a rule needs them."""
    lines = [f"{policy.name}: {policy.title}", f"  after {policy.citation}", ""]
    lines += [
        f"  {field.value:<10} {name}"
        for field, name in policy.releases.items()
        if name != next(iter(GRANULARITIES[field]))
    ]
    if policy.conditions.top_age is not None:
        lines.append(
            f"  ages {policy.conditions.top_age} and over are one class; year and date of birth do not show them either"
        )
    small = policy.conditions.small_places
    if small is not None:
        lines.append(
            f"  a {small.place} of {small.most:,} people or fewer is not shown; in each state they all share one value"
        )
    if policy.paper_form:
        lines.append(f"  as Benitez & Malin 2010 simplify it: {policy.paper_form} (rules: paper)")
    for remark in policy.remarks:
        lines += ["", *textwrap.wrap(remark, WIDTH - 4, initial_indent="  ", subsequent_indent="  ")]
    for rule in policy.rules:
        lines += ["", *textwrap.wrap(rule.says, WIDTH - 4, initial_indent="  ", subsequent_indent="  ")]
        lines.append(f"    {rule.citation}")
    if small is not None and small.place == "zip3":
        for citation, prefixes in zip3_lists.items():
            lines += ["", f"  {len(prefixes)} prefixes, {citation}:"]
            lines += textwrap.wrap(" ".join(prefixes), WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def checked_text(frame: pd.DataFrame, policy: str) -> str:
    """Write what each check would withhold in each state."""
    table = layout(
        [
            Column(("state",), tuple(frame["state"]), right=False),
            Column(("check",), tuple(frame["check"]), right=False),
        ],
        [
            Column(("passes",), tuple("yes" if passes else "no" for passes in frame["passes"])),
            Column(("cells",), tuple(people(x) for x in frame["cells"])),
            Column(("withheld", "cells"), tuple(people(x) for x in frame["cells_withheld"])),
            Column(("withheld", "share"), tuple(percent(x) for x in frame["cells_withheld_share"])),
            Column(("withheld", "people"), tuple(people(x) for x in frame["people_withheld"])),
            Column(("withheld", "share of people"), tuple(percent(x) for x in frame["people_withheld_share"])),
        ],
    )
    return f"{policy}\n{table}"
