"""Scenarios: a list with values of another vintage, or with changes, each marked with what it rests on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from policy_sim.voter_lists.evidence import Evidence
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["CARRIABLE", "amend", "carry_back"]

# What a scenario may take from another vintage.
CARRIABLE = ("status", *(f"fields.{name}" for name in LIST_FIELDS), "price", "buyers", "uses")


def carry_back(
    base: VoterList, origin: VoterList, name: str, carried: Collection[str], notes: tuple[str, ...] = ()
) -> VoterList:
    """Return ``base`` under the scenario's name with the ``carried`` values of ``origin``.

    Parameters
    ----------
    base, origin : Two lists of one state.
    name : The scenario, such as ``2008-filled``.
    carried : Names out of :data:`CARRIABLE`. Each carried value says so in its evidence.
    notes : Added to those of the base.
    """

    def mark(evidence: Evidence) -> Evidence:
        return replace(evidence, carried_from=origin.vintage)

    taken = {
        field: replace(fact, evidence=mark(fact.evidence))
        for field, fact in origin.fields.items()
        if f"fields.{field}" in carried
    }
    copied = replace(base, vintage=name, fields={**base.fields, **taken}, notes=base.notes + notes)
    if "status" in carried:
        copied = replace(copied, status=origin.status, status_reason=origin.status_reason)
    if "price" in carried:
        copied = replace(copied, price=replace(origin.price, evidence=mark(origin.price.evidence)))
    if "buyers" in carried:
        copied = replace(copied, buyers=replace(origin.buyers, evidence=mark(origin.buyers.evidence)))
    if "uses" in carried:
        copied = replace(copied, uses=replace(origin.uses, evidence=mark(origin.uses.evidence)))
    return copied.citing({**origin.sources, **base.sources})


def amend(listed: VoterList, changed: VoterList, items: Iterable[str], evidence: Evidence) -> VoterList:
    """Return ``changed`` with the evidence of a scenario on every changed item.

    Parameters
    ----------
    listed : The list before the changes.
    changed : The list after them (:func:`policy_sim.voter_lists.amendments.change_list`).
    items : Which items the changes name.
    evidence : What the scenario rests on.
    """
    amended = changed
    for item in items:
        if item in listed.fields:
            fact = replace(changed.fields[item], evidence=evidence)
            amended = replace(amended, fields={**amended.fields, item: fact})
        elif item == "price":
            amended = replace(amended, price=replace(changed.price, evidence=evidence))
        elif item in ("buyers", "uses"):
            amended = replace(amended, **{item: replace(getattr(changed, item), evidence=evidence)})
    return amended
