"""An atlas as a folder: every page, the data beside the pages, and the explorer; written whole or not at all."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from policy_sim.atlas.answers import IN_FILE, AtlasAnswers, AtlasEvidence, Report
from policy_sim.atlas.nation_pages import (
    index_page,
    method_page,
    policies_page,
    policy_page,
    register_page,
)
from policy_sim.atlas.page import TITLE, assets, script_of
from policy_sim.atlas.state_page import data_files, state_page
from policy_sim.briefs.evidence import footer
from policy_sim.files.writing import replace_folder
from policy_sim.show.numbers import percent
from policy_sim.voter_lists.facts import lists_frame
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES
from policy_sim.words.text import with_safe_texts

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.study.study import Study

MARK = "atlas.json"  # by which a folder is known to be an atlas


def check_folder(out: Path) -> None:
    """Raise an error where a folder holds something else than an atlas, which would be lost."""
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise InputError(f"{out} is not empty and is not an atlas. Choose another folder.")


def write_atlas(
    study: Study,
    out: Path,
    states: tuple[str, ...] = (),
    *,
    date: dt.date | None = None,
    report: Report = lambda _step, _place, _of: None,
) -> int:
    """Write an atlas into a folder, and return how many bytes it has.

    Parameters
    ----------
    out : The folder; an atlas that is there gives way when the new one is complete.
    states : Postal codes of the states with a page; all by default.
    date : The day to which ages of facts are counted; today by default.
    report : Takes each step with its number and how many there are.

    Raises
    ------
    InputError : the folder holds something else; a state that the population does not have.
    OutputError : the folder cannot be written.

    Examples
    --------
    >>> from policy_sim import Study
    >>> write_atlas(Study("us-2020"), Path("/"))
    Traceback (most recent call last):
    ...
    policy_sim.words.errors.InputError: / is not empty and is not an atlas. Choose another folder.
    """
    check_folder(out)
    codes = states or tuple(sorted(study.counted.states))
    answers = AtlasAnswers(study, codes, date or dt.date.today())
    answers.compute(report)
    contents = atlas_files(answers, report)
    replace_folder(out.resolve(), contents)
    return sum(map(len, contents.values()))


def atlas_files(answers: AtlasAnswers, report: Report) -> dict[str, bytes]:
    """Return every file of an atlas by its place in the folder."""
    files = {name: answer for name in answers.policies if (answer := answers.file_under(name)) is not None}
    pages = [
        index_page(answers),
        policies_page(answers, files),
        register_page(answers),
        method_page(answers),
        *(policy_page(answers, name, answer) for name, answer in files.items()),
    ]
    for place, state in enumerate(answers.states):
        report(f"writing {STATES[state].name}", place, len(answers.states))
        pages.append(state_page(answers, state))
    places = {
        **{key: f"{key}.html" for key in ("policies", "register", "method", "explorer")},
        **{f"policy-{name}": f"policies/{name}.html" for name in files},
        **{f"state-{state}": f"states/{state.lower()}.html" for state in answers.states},
    }
    foot = _foot(answers.evidence(None))
    return {
        **{page.path: page.html(places, foot) for page in pages},
        **assets(),
        **dict(_data(answers)),
        "search.js": script_of(pages),
        "explorer.html": answers.explorer.encode(),
        MARK: _manifest(answers),
    }


def _foot(evidence: AtlasEvidence) -> str:
    """Return the line at the foot of a page: people, lists, options and day of every figure."""
    days = evidence.study.days_per_year
    people = evidence.study.counted.provenance
    return (
        f"{footer(evidence)} · {people.title} · a file of {percent(IN_FILE)} of each state's people, whose members the "
        f"attacker knows, unless a table says otherwise · people on the lists: {evidence.study.coverage} · HIPAA rules "
        f"as 45 CFR 164.514 states them · {days:g} equally likely birthdays"
    )


def _manifest(answers: AtlasAnswers) -> bytes:
    """Return what made the atlas."""
    facts = answers.everyone.provenance.manifest("policy-sim atlas", states=answers.states, in_file=IN_FILE)
    whole = {"title": TITLE, "date": str(answers.date), **facts}
    return (json.dumps(whole, indent=2, default=str) + "\n").encode()


def _data(answers: AtlasAnswers) -> Iterator[tuple[str, bytes]]:
    """Return the figures of each state, as the commands print them, and the register."""
    everyone, file = answers.everyone.to_frame(), answers.file.to_frame()
    frames = {"everyone": everyone, "file": file, "counties": answers.counties}
    for state in answers.states:
        for name, path in data_files(state).items():
            frame = frames[name.split("-")[0]]
            yield f"states/{path}", rows_as(frame[frame["state"] == state], path.rpartition(".")[2])
    yield "register.csv", rows_as(lists_frame(answers.lists.values()), "csv")


def rows_as(frame: pd.DataFrame, form: str) -> bytes:
    """Return rows as CSV or JSON, the text that a command prints."""
    if form == "csv":
        return with_safe_texts(frame).to_csv(index=False).encode()
    return (str(frame.to_json(orient="records", indent=1, double_precision=15)) + "\n").encode()
