"""What the page knows of identified files besides voter lists, and of how far modeled people are off."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from policy_sim.attackers.identified_file import IdentifiedFile
from policy_sim.attackers.resource_tables import resource_facts_frame
from policy_sim.io.populations.model_error import DECLARED_PLACES, ModelErrors

__all__ = ["PRICE_AMOUNTS", "ExplorerFile", "file_facts", "model_error_facts"]

PRICE_AMOUNTS = (
    "kind",
    "base_usd",
    "usd_per_record",
    "free_records",
    "usd_per_county",
    "usd_per_town",
    "min_usd",
    "max_usd",
    "quoted_usd",
    "note",
)


@dataclass(frozen=True, eq=False)
class ExplorerFile:
    """A file that an attacker may hold in the page.

    Parameters
    ----------
    file : What it shows, whom it holds, and its price.
    ages : The least and the greatest age of the people of the page who may be in it; None: any.
    """

    file: IdentifiedFile
    ages: tuple[int, int | None]


def file_facts(held: ExplorerFile) -> dict[str, Any]:
    """Return a file as what JSON can hold; ``shares`` are those that are tried, from the least to the greatest."""
    file, coverage = held.file, held.file.coverage
    shares = [1.0]
    if coverage is not None:
        least, most = coverage.ends
        tried = [least, *reversed(coverage.between), most] if not coverage.is_known else [most]
        shares = [item.most_share for item in tried]
    facts = resource_facts_frame(file).drop(columns="name")
    return {
        "name": file.name,
        "title": file.title,
        "kind": file.kind,
        "states": None if file.states is None else list(file.states),
        "place": file.place,
        "status": file.status,
        "vintage": file.vintage,
        "fields": {name: [fact.availability, fact.granularity] for name, fact in file.fields.items()},
        "ages": list(held.ages),
        "shares": shares,
        "listed": dict(coverage.registered) if coverage is not None and coverage.registered else None,
        "people": "everyone" if coverage is None else coverage.title,
        "price": {name: value for name, value in asdict(file.price).items() if name in PRICE_AMOUNTS},
        "buyers": None if file.buyers.names is None else list(file.buyers.names),
        "facts": facts.fillna("").to_numpy().tolist(),
    }


def model_error_facts(errors: ModelErrors | None) -> dict[str, Any]:
    """Return the measured relative errors by key and measure, and the states where everyone is counted."""
    if errors is None:
        return {"counted": [], "byKey": {}}
    keys = dict.fromkeys(key.replace(geography=place) for place in DECLARED_PLACES for key in errors.by_key)
    by_key = {
        str(key): {str(measure): error for measure, error in sorted(measured.items(), key=str)}
        for key in keys
        if (measured := errors.measured(key))
    }
    return {"counted": sorted(errors.counted), "byKey": by_key}
