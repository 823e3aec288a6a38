"""Kept populations, and how a damaged one is made again from what is still available."""

from __future__ import annotations

import logging

from policy_sim.errors import InputError, SourceError
from policy_sim.io.population_store.cache import Entry, PopulationCache
from policy_sim.population.population import Population

__all__ = ["load_kept", "rebuild"]

_LOG = logging.getLogger("policy_sim")


def load_kept(name: str, cache: PopulationCache | None = None) -> Population:
    """Return a kept population; a damaged file is made again from kept answers or the user's files.

    Raises
    ------
    UnknownNameError : no such population is kept.
    SourceError : it is damaged and what it was made from is gone.
    """
    return (cache or PopulationCache()).load(name, rebuild)


def rebuild(cache: PopulationCache, entry: Entry) -> Entry:
    """Make a population again from what is still available, and say if it is not what it was.

    Raises
    ------
    SourceError : nothing is.
    """
    try:
        rebuilt = _made_again(cache, entry)
    except (LookupError, TypeError, ValueError, InputError, SourceError) as error:
        raise SourceError(
            f"{cache.folder / entry.file}: damaged, and its sources are missing. Fetch or load {entry.name} again."
        ) from error
    if rebuilt.sha256 != entry.sha256:
        _LOG.warning("%s: rebuilt, but different from before, because its sources have changed.", entry.name)
    return rebuilt


def _made_again(cache: PopulationCache, entry: Entry) -> Entry:
    origin = entry.origin
    # The readers and the client are slow to import, and a sound file needs neither.
    if origin["kind"] == "answers":
        from policy_sim.io.census_service.editions import find_edition
        from policy_sim.io.census_service.fetched import keep_answers
        from policy_sim.states import find_states

        edition, states = find_edition(origin["edition"]), find_states(origin["states"])
        return keep_answers(entry.name, edition, origin["geography"], states, entry.addresses[0], cache)
    from policy_sim.io.census_files.load import load_files

    return load_files(cache=cache, name=entry.name, **origin["options"])
