"""How wrong the recipe of each shipped population is, on states that were held out of it.

    python -m benchmarks.populations --tables ../shared/census           # print the table of docs/populations.md
    python -m benchmarks.populations --tables ../shared/census --write   # also write it, and data/model_error.toml

The tables are those that docs/populations.md lists; they do not come with the project.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from policy_sim.building.recipes import HeldOutError, held_out_errors, to_facts
from policy_sim.files.paths import data_dir
from policy_sim.words.errors import SourceError

PAGE = Path(__file__).parent.parent / "docs" / "populations.md"
BEGIN, END = "<!-- errors: begin (python -m benchmarks.populations --write) -->", "<!-- errors: end -->"
HEADER = """\
# How far the recipe of each population moves each measure: fitted / counted - 1, attacker GENERAL, by linkage key.
# Each recipe is applied to a state whose table of county, sex, age and race is counted, without that table, and held
# against it. Texas by single years of age; Kentucky by 23 classes, births equally likely inside a class. A figure of
# less than one counted person is left out. By ZIP code, both sides are placed by the same shares of each county: how
# ZIP codes differ from their county is not in these errors. misplaced: share of the people in a wrong cell of county,
# sex, age and race.
# Written by `python -m benchmarks.populations --tables DIR --write`.

"""
_WORDS = {
    "date": "birth date",
    "month": "birth month",
    "year": "birth year",
    "five_years": "five years of birth",
    "county_zip5": "county and ZIP code",
    "zip3": "three-digit ZIP code",
}
_MEASURES = ("total-risk", "1-distinct", "5-distinct")


def rows(errors: list[HeldOutError]) -> Iterator[str]:
    """Yield the lines of the table, in Markdown."""
    yield "| recipe of | held out | key | " + " | ".join(_MEASURES) + " |"
    yield "|---|---|---|" + "---:|" * len(_MEASURES)
    for error in errors:
        place = f"{error.held_out.name} {error.held_out.year}{error.how}"
        for key, measures in error.relative.items():
            figures = " | ".join(f"{round(measures[m], 4) + 0.0:+.2%}" if m in measures else "-" for m in _MEASURES)
            yield f"| `{'`, `'.join(error.populations)}` | {place} | {words(key)} | {figures} |"


def words(key: str) -> str:
    """Say a linkage key in words."""
    parts = dict(part.split("=") for part in key.split("+") if "=" in part)
    birth, place = _WORDS[parts["birth"]], _WORDS.get(parts["geography"], parts["geography"])
    return ", ".join([place, birth, "sex", *(["race"] if "race" in key.split("+") else [])])


def with_table(page: str, table: str) -> str:
    """Return the page with the table between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SourceError(f"{PAGE}: the marks of the table are missing. Write {BEGIN} and {END} where it belongs.")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, required=True, help="folder of the official tables")
    parser.add_argument("--write", action="store_true", help="write data/model_error.toml and docs/populations.md")
    arguments = parser.parse_args()
    errors = list(held_out_errors(arguments.tables))
    table = "\n".join(rows(errors))
    print(table)
    if arguments.write:
        (data_dir() / "model_error.toml").write_text(HEADER + to_facts(errors), encoding="utf-8")
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")


if __name__ == "__main__":
    main()
