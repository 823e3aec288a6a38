"""README's route on public files about people: ``python -m benchmarks.public_files FOLDER --results FILE``.

FOLDER holds CSV files, such as those in the data folders of the packages lifelines, statsmodels and pydataset. Each
goes through ``dataset check``, ``release new``, ``step --accept-guesses`` and ``run``; then every command that the run
printed for a group of columns is typed once, and the file is released again. What was sent is attacked here by other
means than the program's: columns that number people, run on, or have days. ``--aim`` is a policy, or a threshold.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.planted.trip import OFFICER, Said, check, command, no_word_document, read_sent

_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}/\d{1,2}/\d{2,4}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def route(path: Path, aim: str) -> dict[str, Any]:
    """Take a copy of one file through the commands; return what was kept, what was said, and what looks like people."""
    project, done = path.with_suffix(".project.toml"), dict[str, Any](file=path.stem, aim=aim, columns=0)
    checked = check(path)
    mapping = ["--mapping", path.with_suffix(".map.toml")] if path.with_suffix(".map.toml").exists() else []
    goal = [] if "=" in aim else ["--policy", aim]
    new = command("release", "new", path, project, *mapping, *goal)
    if new.status:
        return done | {"refused": new.text.strip().splitlines()[-1]}
    done["columns"] = len(pd.read_csv(path, dtype=str, nrows=1).columns)
    if "=" in aim:
        text = project.read_text(encoding="utf-8")
        text = re.sub(r'aim = "\w+"', f'aim = "risk"\nthreshold = "{aim}"', text, count=1)
        project.write_text(text, encoding="utf-8")
    command("release", "step", project, "variables", "--accept-guesses", *OFFICER)
    first = command("release", "run", project, "--out", path.with_suffix(".1"))
    done |= {"first": _kept(path.with_suffix(".1")), "said": _verdict(first), "failed_late": _is_late(first)}
    commands = re.findall(r"^  yes: policy-sim (.*)$", first.text, re.MULTILINE)
    for line in commands:
        answered = command(*shlex.split(line.replace("YOUR NAME", "A. Officer")))
        assert not answered.status, answered.text
    last = command("release", "run", project, "--out", path.with_suffix(".2")) if commands else first
    folder = path.with_suffix(".2" if commands else ".1")
    done |= {"answers": len(commands), "kept": _kept(folder), "said_last": _verdict(last)}
    done |= {"failed_late": done["failed_late"] or _is_late(last), "suspects": suspects(folder)}
    return done | {"check": checked.status}


def _kept(folder: Path) -> list[str]:
    sent = read_sent(folder) if folder.is_dir() else None
    return [] if sent is None else list(sent.columns)


def _verdict(said: Said) -> str:
    lines = [line for line in said.text.splitlines() if line.startswith(("MET", "NOT ", "Error"))]
    return lines[0] if lines else said.text[-200:]


def _is_late(said: Said) -> bool:
    """Tell whether a run failed only after something was written and attacked."""
    return _verdict(said).startswith("NOT ")


def suspects(folder: Path) -> list[str]:
    """Return the sent columns that may number people, run on, or have days, with the reason."""
    sent = read_sent(folder) if folder.is_dir() else None
    found = []
    for name in () if sent is None else sent.columns:
        texts = sent[name][sent[name] != ""]
        distinct = texts.nunique()
        numbers = pd.to_numeric(texts, errors="coerce")
        are_whole = bool(len(texts)) and bool(numbers.notna().all()) and bool((numbers % 1 == 0).all())
        if distinct >= 0.95 * max(len(texts), 1) and len(texts) > 20 and not numbers.notna().all():
            found.append(f"{name}: words that are all different")
        elif are_whole and distinct >= 0.95 * len(texts) and len(texts) > 20:
            gaps = np.diff(np.sort(numbers.unique()))
            is_run = gaps.std() < gaps.mean() / 2 or numbers.max() - numbers.min() < 2 * distinct
            found.append(f"{name}: whole numbers that {'run on' if is_run else 'are all different'}")
        if len(texts) and texts.map(lambda text: _DATE.fullmatch(text) is not None).mean() > 0.5:
            found.append(f"{name}: days")
    return found


def main() -> None:
    """Run the files that are not yet in the results, and print what was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--aim", default="safe-harbor", help="such as safe-harbor, limited-dataset or k=5")
    parser.add_argument("--results", type=Path, required=True, metavar="FILE", help="a line of JSON per file; resumed")
    asked = parser.parse_args()
    rows = [json.loads(line) for line in asked.results.read_text().splitlines()] if asked.results.exists() else []
    known = {(row["file"], row["aim"]) for row in rows}
    with no_word_document():
        for path in sorted(asked.folder.glob("*.csv")):
            if (path.stem, asked.aim) in known:
                continue
            with tempfile.TemporaryDirectory() as place:
                row = route(Path(shutil.copy(path, place)), asked.aim)
            rows.append(row)
            with asked.results.open("a") as out:
                out.write(json.dumps(row) + "\n")
    own = [row for row in rows if row["aim"] == asked.aim]
    print(f"{'file':24}{'columns':>8}{'first':>7}{'answers':>9}{'kept':>6}  last verdict; suspects")
    for row in own:
        said = row.get("refused") or row["said_last"]
        counts = (row["columns"], len(row.get("first", ())), row.get("answers", 0), len(row.get("kept", ())))
        tail = "; ".join([said[:60], *row.get("suspects", ())])
        print(f"{row['file'][:23]:24}{counts[0]:8}{counts[1]:7}{counts[2]:9}{counts[3]:6}  {tail}")
    first, kept = (sum(len(row.get(key, ())) for row in own) for key in ("first", "kept"))
    late = [row["file"] for row in own if row.get("failed_late")]
    print(f"{len(own)} files, {first} columns after README's commands, {kept} after an answer per group; late: {late}")


if __name__ == "__main__":
    main()
