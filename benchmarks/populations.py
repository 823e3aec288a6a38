"""How wrong the recipe of each shipped population is, on states that were held out of it.

    python -m benchmarks.populations --tables ../shared/census           # print the table of docs/populations.md
    python -m benchmarks.populations --tables ../shared/census --write   # also write it, and data/model_error.toml

The tables are those that docs/populations.md lists; they do not come with the project.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from policy_sim.building.recipes import HeldOutError, held_out_errors, to_facts
from policy_sim.files.paths import data_dir
from policy_sim.words.errors import SourceError

PAGE = Path(__file__).parent.parent / "docs" / "populations.md"
BY = "(python -m benchmarks.populations --write) -->"
HEADER = """\
# How far the recipe of each population moves each measure: fitted / counted - 1, attacker GENERAL, by linkage key.
# Each recipe is applied to a state whose table of county, sex, age and race is counted, without that table, and held
# against it. Texas by single years of age; Kentucky by 23 classes, births equally likely inside a class. A figure of
# less than one counted person is left out. By ZIP code, both sides are placed by the same shares of each county: how
# ZIP codes differ from their county is not in these errors. misplaced: share of the people in a wrong cell of county,
# sex, age and race; misplaced_by_origin: of county, sex, age, race and origin, which Texas alone was counted by;
# misplaced_by_ethnicity: of county, sex, age and origin. Kentucky was counted by origin without race, and has only the
# keys with ethnicity that lack race; us-2010 is fitted to these counts, so its errors by them there test nothing.
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
# The keys with ethnicity, as words of the key and of the page.
_ETHNICITY = {
    "race+ethnicity": "race and ethnicity",
    "race=race_ethnicity": "race or Hispanic",
    "ethnicity": "ethnicity alone",
}


def rows(errors: list[HeldOutError]) -> Iterator[str]:
    """Yield the lines of the table, in Markdown."""
    yield "| recipe of | held out | key | " + " | ".join(_MEASURES) + " |"
    yield "|---|---|---|" + "---:|" * len(_MEASURES)
    for error in errors:
        place = f"{error.held_out.name} {error.held_out.year}{error.how}"
        for key, measures in error.relative.items():
            if "ethnicity" not in key:
                yield f"| {_names(error)} | {place} | {words(key)} | {_figures(measures, _MEASURES)} |"


def rows_by_ethnicity(errors: list[HeldOutError]) -> Iterator[str]:
    """Yield the lines of the table of the keys with ethnicity, by date and year of birth, in Markdown."""
    measures = _MEASURES[:2]
    heads = [f"{kind}: {measure}" for kind in _ETHNICITY.values() for measure in measures]
    yield f"| recipe of | held out | key | {' | '.join(heads)} |"
    yield "|---|---|---|" + "---:|" * len(heads)
    for error in errors:
        place = f"{error.held_out.name} {error.held_out.year}{error.how}"
        first = "gender+ethnicity+birth="
        for key in error.relative:
            if key.startswith((f"{first}date+", f"{first}year+")):
                kinds = [error.relative.get(key.replace("ethnicity", kind), {}) for kind in _ETHNICITY]
                figures = " | ".join(_figures(each, measures) for each in kinds)
                yield f"| {_names(error)} | {place} | {words(key)} | {figures} |"


def _names(error: HeldOutError) -> str:
    return f"`{'`, `'.join(error.populations)}`"


def _figures(relative: Mapping[str, float], measures: Sequence[str]) -> str:
    return " | ".join(f"{round(relative[m], 4) + 0.0:+.2%}" if m in relative else "-" for m in measures)


def words(key: str) -> str:
    """Say a linkage key in words; a key with ethnicity without it and race."""
    parts = dict(part.split("=") for part in key.split("+") if "=" in part)
    birth, place = _WORDS[parts["birth"]], _WORDS.get(parts["geography"], parts["geography"])
    race = "race" in key.split("+") and "ethnicity" not in key
    return ", ".join([place, birth, "sex", *(["race"] if race else [])])


def with_table(page: str, name: str, table: str) -> str:
    """Return the page with the table between the marks of its name."""
    begin, end = f"<!-- {name}: begin {BY}", f"<!-- {name}: end -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SourceError(f"{PAGE}: the marks of the table are missing. Write {begin} and {end} where it belongs.")
    return f"{before}{begin}\n{table}\n{end}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, required=True, help="folder of the official tables")
    parser.add_argument("--write", action="store_true", help="write data/model_error.toml and docs/populations.md")
    arguments = parser.parse_args()
    errors = list(held_out_errors(arguments.tables))
    tables = {"errors": "\n".join(rows(errors)), "errors by ethnicity": "\n".join(rows_by_ethnicity(errors))}
    print("\n\n".join(tables.values()))
    if arguments.write:
        (data_dir() / "model_error.toml").write_text(HEADER + to_facts(errors), encoding="utf-8")
        page = PAGE.read_text(encoding="utf-8")
        for name, table in tables.items():
            page = with_table(page, name, table)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
