"""The stages of a release by the handbook of IHE: what each does, who does it, and how identifiable the data are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

STAGE_COLUMNS = ("stage", "what is done", "by", "before", "after", "after, once the key is destroyed")
_NOT_ANSWERED = "not answered"


def stages(figures: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return a row for source, central and recipient, with :data:`STAGE_COLUMNS`; none for an edition without levels.

    Parameters
    ----------
    figures : What a run found, as ``release.json`` holds it.
    """
    found = figures.get("identifiability")
    if found is None:
        return []
    answers = {row["question"]: row["answer"] for row in figures["answers"] if row["by"]}
    before = found["before"]["level"] or "unknown"
    after = found["after"]["level"] or "unknown"
    keyless = after if found["without_key"] is None else found["without_key"]["level"] or "unknown"
    who = [column["by"].split(",")[0] for column in figures["variables"] if column["by"]]
    executes = answers.get("responsible") or ", ".join(dict.fromkeys(who)) or _NOT_ANSWERED
    recipient = figures.get("about", {}).get("recipient") or answers.get("recipients") or _NOT_ANSWERED
    flow = answers.get("flow") or "the question flow is not answered"
    rows = [
        ("1 source", f"hand over {figures['input']['name']} ({flow})", "the source", before, before, before),
        ("2 central", "; ".join(_done(figures)), executes, before, after, keyless),
        ("3 recipient", "compare the checksum and the dictionary with the file", recipient, after, after, keyless),
    ]
    return [dict(zip(STAGE_COLUMNS, row, strict=True)) for row in rows]


def stages_text(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the stages as lines for a terminal: what is done is too long for a column."""
    lines = []
    for row in rows:
        stage, done, by, *levels = row.values()
        said = "; ".join(f"{name}: {level}" for name, level in zip(STAGE_COLUMNS[3:], levels, strict=True))
        lines += [f"{stage}, by {by}", f"  {said}", *(f"  - {part}" for part in done.split("; "))]
    return "\n".join(lines)


def _done(figures: Mapping[str, Any]) -> list[str]:
    """Say what the run did to columns and rows."""
    done: dict[str, list[str]] = {}
    for column in figures["variables"]:
        what = "left out" if column["standing"] == "left out" else column["done"]
        done.setdefault(what, []).append(column["name"])
    parts = [f"{what}: {', '.join(names)}" for what, names in done.items()]
    if (search := figures["search"]) is not None:
        parts.append(f"{search['suppressed']:,} of {search['drawn']:,} rows suppressed")
    return [*parts, "the written file attacked"]
