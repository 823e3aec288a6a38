"""What a process does for the screens of a state: the paper that ``brief`` writes, and the explorer's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from policy_sim.words.asking import as_fields
from policy_sim.words.errors import InputError

LABELS = {  # what the screens call each argument
    "amount": "People in the file",
    "places": "Where they live",
    "policies": "Policies",
    "against": "Compare with",
    "date": "Date",
}


def write_paper(asked: Mapping[str, Any], folder: str, progress: Callable[..., object]) -> list[str]:
    """Write a paper and its annex, as ``policy-sim brief`` does; return their names."""
    with as_fields(LABELS):
        from policy_sim import Study, briefs

        progress("computing every state")
        study, path = Study(), Path(folder, asked["name"])
        shared: dict[str, Any] = {"policies": None, "rules": "regulation", "date": None}
        if asked["state"] == "US":
            paper = briefs.nation_brief(study, **shared)
        else:
            words = {name: asked[name] for name in ("what", "period", "recipient") if asked[name]}
            proposal = briefs.Proposal(**words)
            paper = briefs.state_brief(study, asked["state"], in_file=_in_file(asked), proposal=proposal, **shared)
        progress(f"writing {path.name}")
        paper.write(path)
    return [path.name, paper.annex_of(path).name]


def _in_file(asked: Mapping[str, Any]) -> Any:
    from policy_sim.attackers.in_file import InFile

    people = asked["people"].replace(",", "").replace("\u00a0", "").strip()
    if not people:
        return InFile.of(None, asked["places"] or None)
    share = people.endswith("%")
    try:
        amount = float(people.rstrip("% "))
    except ValueError:
        raise InputError(
            f"People in the file: {people[:20]!r} is not a number. Give one such as 18000, or 1%."
        ) from None
    return InFile.of(amount / 100 if share else amount, asked["places"] or None)


def write_explorer(folder: str, progress: Callable[..., object]) -> str:
    """Write the explorer's page, as ``policy-sim explorer`` does; return its path."""
    from policy_sim import Study
    from policy_sim.files.writing import replace_file

    progress("packing people, lists and maps into one page")
    path = Path(folder, "explorer.html")
    replace_file(path, Study().explorer().encode())
    return str(path)
