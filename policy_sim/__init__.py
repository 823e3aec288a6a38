"""How many people could be named from a release of health records, and at what price.

:class:`Study` answers questions about states, :class:`RecordFile` questions about a file of records;
:class:`Release` takes such a file to a release;
:func:`reproduce` answers the printed figures of a paper.

>>> import policy_sim
>>> "Study" in dir(policy_sim)
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policy_sim.attackers import Attacker
    from policy_sim.model.measure import Measure
    from policy_sim.people.population import Population
    from policy_sim.policies.policy import Policy
    from policy_sim.release import Release
    from policy_sim.study.question import Question
    from policy_sim.study.record_file import RecordFile
    from policy_sim.study.reproduction import reproduce
    from policy_sim.study.study import Study
    from policy_sim.voter_lists.price import Price
    from policy_sim.voter_lists.voter_list import VoterList
    from policy_sim.words.errors import (
        IncompatibleError,
        InputError,
        NotEstimableError,
        OutputError,
        PolicySimError,
        SchemaError,
        SourceError,
        UnknownNameError,
    )
    from policy_sim.words.status import Status

__all__ = [
    "Attacker",
    "IncompatibleError",
    "InputError",
    "Measure",
    "NotEstimableError",
    "OutputError",
    "Policy",
    "PolicySimError",
    "Population",
    "Price",
    "Question",
    "RecordFile",
    "Release",
    "SchemaError",
    "SourceError",
    "Status",
    "Study",
    "UnknownNameError",
    "VoterList",
    "reproduce",
]

_HOMES = dict.fromkeys((name for name in __all__ if name.endswith("Error")), "policy_sim.words.errors") | {
    "Attacker": "policy_sim.attackers",
    "Measure": "policy_sim.model.measure",
    "Policy": "policy_sim.policies.policy",
    "Population": "policy_sim.people.population",
    "Price": "policy_sim.voter_lists.price",
    "Question": "policy_sim.study.question",
    "RecordFile": "policy_sim.study.record_file",
    "Release": "policy_sim.release",
    "Status": "policy_sim.words.status",
    "Study": "policy_sim.study.study",
    "VoterList": "policy_sim.voter_lists.voter_list",
    "reproduce": "policy_sim.study.reproduction",
}


def __getattr__(name: str) -> Any:  # imported when first used: a command that prints help needs none of it
    if name == "__version__":
        from importlib.metadata import version

        return version("policy-sim")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
