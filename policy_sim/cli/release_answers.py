"""What the commands of a release print: its columns, its level, its stages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.cli.output import print_rows
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from policy_sim.release.results import ReleaseResult


def as_json(result: ReleaseResult) -> dict[str, Any]:
    """Return the verdict of a run and, by an edition that has levels, the level with its conditions."""
    from policy_sim.release.identifiability import level_line

    found = result["identifiability"]
    level = {} if found is None else {"level": level_line(found), "identifiability": found}
    return result.verdict.as_json() | level


def columns_lines(figures: ReleaseResult) -> list[str]:
    """Say of each released column why it is there."""
    verb = "released" if figures.verdict.is_met else "would be released"
    says = {"rule": f"{verb} under the rule", "target": f"{verb} as a key field"}
    lines = []
    for standing, title in says.items():
        columns = [f"{c['name']} ({c['done']})" for c in figures["variables"] if c["standing"] == standing]
        lines += [f"{title}: {', '.join(columns)}"] if columns else []
    for column in figures["variables"]:
        if column["standing"] == "person":
            who = column["by"].split(",")[0] or "a person"
            looks = f"; values look like {column['looks']}" if column["looks"] else ""
            lines.append(f"{verb} because {who} said so: {column['name']} ({column['reason']}{looks})")
    return lines


def print_stages(out: Path, form: str) -> None:
    """Print the stages of the release in a folder."""
    import pandas as pd

    from policy_sim.release.identifiability import level_line
    from policy_sim.release.stages import STAGE_COLUMNS, stages_text
    from policy_sim.release.stages import stages as stages_of
    from policy_sim.release.written import read_figures

    figures = read_figures(out)
    rows = stages_of(figures)
    if not rows:
        raise InputError(
            f"{out}: {figures['edition']['name']} has no levels. Make the project with --edition ihe-2026-draft."
        )
    frame = pd.DataFrame(rows, columns=list(STAGE_COLUMNS))
    print_rows(frame, form, [level_line(figures["identifiability"])], lambda _: stages_text(rows))
