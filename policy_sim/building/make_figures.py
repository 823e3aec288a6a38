"""Make the figures that ship: of the national comparison, and the curves of the states' pages.

``python -m policy_sim.building.make_figures`` writes ``data/figures.csv`` and ``data/curves.parquet``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from policy_sim.attackers import GENERAL
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file
from policy_sim.model.cases import CURVES, FILE, PER_PERSON, SWEPT, Cases, digest_of
from policy_sim.model.compare import CurveFigures, PageCurve, ProfileFigures, round_sizes
from policy_sim.people.population import AnyPopulation, in_memory
from policy_sim.people.zips import PeopleByZip
from policy_sim.study.question import Question
from policy_sim.study.study import Study


def national_questions() -> Iterator[Cases]:
    """Yield the national comparison that nobody asked otherwise about, under the rules in each form."""
    study = Study()
    for rules in ("regulation", "paper"):
        yield study._cases(Question.of(rules=rules))


def table_of(questions: Iterator[Cases]) -> pd.DataFrame:
    """Measure every key of some questions anew: a row per key and state, sorted."""
    rows = {}
    for cases in questions:
        profile, curve = ProfileFigures(tuple(cases.g)), CurveFigures(round_sizes(SWEPT))
        anew = replace(cases, population=_made_again(cases.population))
        for figures, names in (
            (profile, [*map(str, profile.counts), "small file"]),
            (curve, [f"g = {g}" for g in curve.g]),
        ):
            for (key, state), row in anew.measure(figures, combinations=cases.has_ratios, between=True).items():
                digest = digest_of(cases.population, key, figures, cases.days_per_year)
                if digest is not None:
                    rows[digest, str(key[0]), state] = dict(zip(names, row.tolist(), strict=True))
    index = pd.MultiIndex.from_tuples(rows, names=["digest", "linkage_key", "state"])
    return pd.DataFrame(rows.values(), index=index).sort_index(level=["linkage_key", "digest", "state"])


def curves_of(cases: Cases) -> pd.DataFrame:
    """Measure the curve of every state anew, in thousandths of a person: a column per key and state, sorted."""
    figures, columns = PageCurve(), {}
    anew = replace(cases, population=_made_again(cases.population), attackers=(GENERAL,))
    for (key, state), row in anew.measure(figures).items():
        digest = digest_of(cases.population, key, figures, cases.days_per_year)
        columns[f"{digest} {state}"] = np.round(row * PER_PERSON).astype(np.int64)
    return pd.DataFrame(columns).sort_index(axis=1)


def curves_bytes(curves: pd.DataFrame) -> bytes:
    """Return the curves as a Parquet file: small, because each rises a little with every ``g``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    written = pa.BufferOutputStream()
    table = pa.Table.from_pandas(curves, preserve_index=False).replace_schema_metadata()
    encoded = dict.fromkeys(curves, "DELTA_BINARY_PACKED")
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    pq.write_table(table, written, column_encoding=encoded, **options)
    content: bytes = written.getvalue().to_pybytes()
    return content


def _made_again(population: AnyPopulation) -> AnyPopulation:
    """Return the same people as a population that does not count as shipped, so that they are measured."""
    if isinstance(population, PeopleByZip):
        return PeopleByZip(population.county_population, population.zips)
    return replace(in_memory(population))


if __name__ == "__main__":
    replace_file(data_dir() / FILE, table_of(national_questions()).to_csv().encode())
    replace_file(data_dir() / CURVES, curves_bytes(curves_of(next(national_questions()))))
