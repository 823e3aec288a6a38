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
    from policy_sim.errors import (
        IncompatibleError,
        InputError,
        NotEstimableError,
        OutputError,
        PolicySimError,
        SchemaError,
        SourceError,
        UnknownNameError,
    )
    from policy_sim.policies.policy import Policy
    from policy_sim.population.population import Population
    from policy_sim.questions.question import Question
    from policy_sim.record_file import RecordFile
    from policy_sim.release import Release
    from policy_sim.reproduction import reproduce
    from policy_sim.results import Measure
    from policy_sim.status import Status
    from policy_sim.study import Study
    from policy_sim.voter_lists.price import Price
    from policy_sim.voter_lists.voter_list import VoterList

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

_HOMES = dict.fromkeys((name for name in __all__ if name.endswith("Error")), "policy_sim.errors") | {
    "Attacker": "policy_sim.attackers",
    "Measure": "policy_sim.results",
    "Policy": "policy_sim.policies.policy",
    "Population": "policy_sim.population.population",
    "Price": "policy_sim.voter_lists.price",
    "Question": "policy_sim.questions.question",
    "RecordFile": "policy_sim.record_file",
    "Release": "policy_sim.release",
    "Status": "policy_sim.status",
    "Study": "policy_sim.study",
    "VoterList": "policy_sim.voter_lists.voter_list",
    "reproduce": "policy_sim.reproduction",
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
