"""A policy that differs by state, such as what each state's own release shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from policy_sim.errors import InputError
from policy_sim.granularity import GRANULARITIES, Field, Granularities, is_coarser_or_equal
from policy_sim.policies.policy import Policy

__all__ = ["PolicyByState", "for_states", "same_in_every_state"]


@dataclass(frozen=True)
class PolicyByState(Policy):
    """One policy per state under a common name. Make one with :meth:`of`.

    ``by_state`` has two policies per state: what the release surely shows, and the most that it may show where
    some field is unknown. They are equal where everything is known. ``releases`` has, for each field, the finest
    granularity of all states.
    """

    by_state: Mapping[str, tuple[Policy, Policy]] = field(default_factory=dict, hash=False)
    why_not: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        citation: str,
        by_state: Mapping[str, tuple[Policy, Policy]],
        why_not: str,
        remarks: tuple[str, ...] = (),
    ) -> PolicyByState:
        """Return the policy.

        Parameters
        ----------
        name, title, citation, remarks : As of any policy.
        by_state : For each postal code what is surely shown, and what is shown at most.
        why_not : Why a state that is not named has no policy.

        Raises
        ------
        InputError : no state has a policy.

        Examples
        --------
        >>> one = Policy("x", "x", Granularities(birth="month", geography="county"), "x")
        >>> two = Policy("x", "x", Granularities(birth="year", geography="zip5"), "x")
        >>> made = PolicyByState.of("x", "x", "x", {"NC": (one, one), "AZ": (two, two)}, "nothing is recorded")
        >>> str(made.releases), made.in_state("OH")
        ('birth=month+geography=county_zip5', None)
        """
        if not by_state:
            raise InputError(f"policy {name}: no state has one.")
        widest = _finest(policy.releases for ends in by_state.values() for policy in ends)
        named = {state: (replace(low, name=name), replace(high, name=name)) for state, (low, high) in by_state.items()}
        return cls(name, title, widest, citation, remarks=remarks, by_state=MappingProxyType(named), why_not=why_not)

    def in_state(self, state: str) -> tuple[Policy, Policy] | None:
        """Return what the state surely shows and shows at most; None for a state without a release."""
        return self.by_state.get(state)

    def mapped(self, change: Callable[[Policy], Policy]) -> PolicyByState:
        """Return the policy with a change made to that of every state."""
        changed = {state: (change(low), change(high)) for state, (low, high) in self.by_state.items()}
        return PolicyByState.of(self.name, self.title, self.citation, changed, self.why_not, self.remarks)


def for_states(policy: Policy, states: Sequence[str] | None) -> Policy:
    """Return the policy as it is in the one state that a question is about; any other as it is.

    A policy with two ends stays one that differs by state.
    """
    if not isinstance(policy, PolicyByState) or states is None or len(states) != 1:
        return policy
    low, high = policy.in_state(states[0]) or (None, policy)
    return high if low == high else policy


def same_in_every_state(policy: Policy) -> Policy:
    """Return a policy that is one for all states.

    Raises
    ------
    InputError : it differs by state.
    """
    if isinstance(policy, PolicyByState):
        raise InputError(
            f"policy {policy.name} differs by state or is partly unknown, but this question needs one known policy: "
            f"name one release, such as release:NC:2016, or compare."
        )
    return policy


def _finest(views: Iterable[Granularities]) -> Granularities:
    """Return, field by field, a granularity from which every view can be computed."""
    view_list = list(views)
    finest = {}
    for name in Field:
        distinct = {view[name] for view in view_list}
        finest[name.value] = next(
            candidate
            for candidate in GRANULARITIES[name]
            if all(is_coarser_or_equal(name, granularity, candidate) for granularity in distinct)
        )
    return Granularities(finest)
