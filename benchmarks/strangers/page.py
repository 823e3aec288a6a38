"""The page of Markdown tables about what left and what stayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.strangers.identifiers import KINDS, LETTERS
from benchmarks.strangers.plain_files import Kept

TITLES = {"safe-harbor": "Safe Harbor", "risk": "a risk, k = 11", "limited-dataset": "limited data set"}
NAMES = dict(zip(LETTERS, (
    "names", "geography below a state", "dates, ages over 89", "telephone numbers", "fax numbers", "e-mail addresses",
    "Social Security numbers", "medical record numbers", "health plan numbers", "account numbers",
    "certificates, licenses", "vehicles, plates", "devices", "URLs, handles", "IP addresses", "biometrics",
    "photographs", "any other number",
), strict=True))  # fmt: skip
INTRODUCTION = """# Files that the program has not seen

600 invented files, each with one to four columns that identify ({kinds} notations of the 18 kinds of 45 CFR
164.514(b)(2)(i), under headers in five languages, misleading or cryptic), go through the four commands of the README,
with no answer but `--accept-guesses`. An independent reader (pandas, and what was planted) looks for what left.
"Refused" is one line and exit status 2, with nothing written. Under a risk, a date or a place counts where it stands in
a group of fewer than 11 records. `python -m benchmarks.strangers --out {out}` writes this page; every tenth file is a
test.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---", *(["---:"] * (len(head) - 1))], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def page(results: list[dict[str, Any]], plain: list[Kept], out: str = "docs/strangers.md") -> str:
    parts = [INTRODUCTION.format(out=out, kinds=len(KINDS)), "## What left\n", _aims(results), _letters(results)]
    parts += ["## What stayed\n", _demographics(results)]
    if plain:
        parts += ["## Files without identifiers\n", _plain(plain)]
    return "\n".join(parts)


def _aims(results: list[dict[str, Any]]) -> str:
    rows = []
    for aim, title in TITLES.items():
        of = [r for r in results if r["aim"] == aim]
        rows.append((
            title, len(of), sum(r["released"] for r in of), sum(r["refused"] for r in of),
            sum((not r["released"] and not r["refused"]) or r["half"] for r in of), sum(bool(r["leaks"]) for r in of),
            sum(bool(r["documents"]) for r in of), f"{sum(r['seconds'] for r in of) / max(1, len(of)):.2f}",
        ))  # fmt: skip
    return table(
        (
            "aim",
            "files",
            "released",
            "refused",
            "other ends",
            "an identifier left",
            "one in the dossier or in print",
            "processor s per file",
        ),
        rows,
    )


def _letters(results: list[dict[str, Any]]) -> str:
    planted, left = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for r in results:
        if r["released"]:
            planted.update({(r["aim"], letter): n for letter, n in r["planted"].items()})
        left.update((r["aim"], letter) for letter in (leak[0] for leak in r["leaks"]))
    rows = [
        (f"({letter}) {NAMES[letter]}", *(f"{left[aim, letter]} of {planted[aim, letter]}" for aim in TITLES))
        for letter in LETTERS
    ]
    return table(("columns that left, of those in released files", *TITLES.values()), rows)


def _demographics(results: list[dict[str, Any]]) -> str:
    rows = []
    for aim, title in TITLES.items():
        of = [r["kept"] for r in results if r["aim"] == aim and r["kept"]]
        whole = sum(all(kept for *_, kept in k) for k in of)
        aspects = {
            a: [kept for k in of for aspect, _, kept in k if aspect == a]
            for a in ("sex", "age", "race", "state", "zip")
        }
        rows.append((title, f"{whole} of {len(of)}", *(f"{sum(v)} of {len(v)}" for v in aspects.values())))
    return table(("aim", "files with all of them", "sex", "age or year of birth", "race", "state", "ZIP3"), rows)


def _plain(plain: list[Kept]) -> str:
    kinds = sorted({k.kind for k in plain})
    files = {k.number for k in plain}
    rows = []
    for kind in kinds:
        of = [k for k in plain if k.kind == kind]
        away = [k for k in of if not k.released]
        rows.append((kind, len(of), len(away), sum(k.after_answer for k in away)))
    away = [k for k in plain if not k.released]
    total = ("**all**", len(plain), len(away), sum(k.after_answer for k in away))
    head = f"{len(files)} files, Safe Harbor: {len(away) / len(files):.2f} columns per file left out for no reason.\n\n"
    return head + table(("kind of column", "columns", "left out", "brought back by one answer"), [*rows, total])
