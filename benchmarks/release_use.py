"""What releases of public files keep: loss, entropy, discernibility, and a model trained on the release.

    python -m benchmarks.release_use FOLDER               # every file and k, one level and local recoding
    python -m benchmarks.release_use FOLDER --only "Adult, 4" --auc

FOLDER holds ``adult_arx.csv`` with ``adult_arx_hierarchies``, ``gss_28629.csv``, ``eusilc_14827.csv``,
``fars_front_seat_1998_2010.csv.gz`` and ``adult_uci_train_32561.csv.gz``. Every project is made as ``release new``
makes it; only the first two have the hierarchies that ARX ships. At most 5% of the rows are suppressed.

* loss: the mean over records and key fields of (m - 1) / (D - 1); a suppressed record loses 1.
* kept: 1 - sum of H(original given label) / sum of H(original) over the key fields, a suppressed row as ``*``.
* discernibility: the mean over records of the share of the file in their class; a suppressed record counts the file.
* AUC: that of a project's own models (:func:`policy_sim.release.use.model_scores`), on at most 30,000 rows. The outcome
  of a survey is one of its columns as yes or no (:data:`YES`), released as it is; the others are the key fields.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.release import Release
from policy_sim.release.run import Run, run_project
from policy_sim.release.use import UserAnalysis, model_scores

FOUR = ("age", "education", "race", "sex")
EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
GSS, EU = ("year", "gender", "nativeBorn", "age", "educ"), ("region", "hsize", "age", "sex", "activity", "citizenship")
FARS = ("state", "age", "sex", "year", "modelyr", "inimpact")
FILES = {
    "Adult, 4, ARX": ("adult_arx.csv", FOUR, "salary-class"),
    "Adult, 8, ARX": ("adult_arx.csv", EIGHT, "salary-class"),
    "Adult, 4": ("adult_arx.csv", FOUR, "salary-class"),
    "Adult, 8": ("adult_arx.csv", EIGHT, "salary-class"),
    "GSS": ("gss_28629.csv", GSS, ""),
    "GSS, college": ("gss_28629.csv", GSS[:4], "educ"),
    "EU-SILC": ("eusilc_14827.csv", EU, ""),
    "EU-SILC, at work": ("eusilc_14827.csv", (*EU[:4], "citizenship"), "activity"),
    "FARS": ("fars_front_seat_1998_2010.csv.gz", FARS, "Restraint"),
    "Adult, UCI": ("adult_uci_train_32561.csv.gz", (*EIGHT, "relationship", "hours-per-week"), ""),
}


# Columns that become an outcome of two values: 13 years of education or more, and at work full time.
YES = {"educ": {str(years) for years in range(13, 21)}, "activity": {"1"}}


def plain_copy(source: Path, to: Path, outcome: str = "") -> Path:
    """Write a file as it is, with commas, and without the blanks of UCI's; an outcome of :data:`YES` as yes and no."""
    with (
        gzip.open(source, "rt") if source.suffix == ".gz" else source.open() as file,
        to.open("w", newline="") as written,
    ):
        first = file.readline()
        rows = csv.reader([first, *file], delimiter=";" if ";" in first else ",", skipinitialspace=True)
        head, *rest = [[text.removesuffix(".0") for text in row] for row in rows if row]
        if outcome in YES:
            at = head.index(outcome)
            for row in rest:
                row[at] = "yes" if row[at] in YES[outcome] else "no"
        csv.writer(written).writerows([head, *rest])
    return to


def project(name: str, folder: Path, work: Path, k: int, recoding: str) -> Run:
    """Run the release of one file."""
    source, keys, outcome = FILES[name]
    file = plain_copy(folder / source, work / "f.csv", outcome)
    made = Release.new(file, work / "f.toml")
    for column in keys:
        settings = {}
        if name.endswith("ARX"):
            rows = (folder / "adult_arx_hierarchies" / f"adult_hierarchy_{column}.csv").read_text()
            (work / f"{column}.csv").write_text(rows)
            settings = {"hierarchy": f"{column}.csv"}
        made.classify(column, "key", "known to others", by="B", **settings)
    if outcome:
        made.classify(outcome, "other", "the outcome", by="B")
    made.set("file", missing=["?", "none"])
    made.set("target", aim="risk", measure="maximum", threshold=f"k={k}")
    made.set("settings", limit=0.05, recoding=recoding)
    return run_project(made.project, work / "out.csv")


def texts_before_and_after(run: Run) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the key texts of every row, and those released; a suppressed row is ``*`` in every field."""
    keys = [variable.name for variable in run.inputs.treatment.searched]
    before = pd.DataFrame({name: run.inputs.table[name].texts() for name in keys}, dtype=object)
    after = before.copy()
    after.loc[:, :] = "*"
    for name in keys:
        after.loc[run.deidentified.rows, name] = run.written[name].texts()
    return before, after


def kept(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Return the share of the bits of the key fields that the labels keep."""

    def bits(columns: list[pd.Series]) -> float:
        counts = pd.concat(columns, axis=1, keys=range(len(columns))).value_counts().to_numpy()
        share = counts / counts.sum()
        return float(-(share * np.log2(share)).sum())

    original = sum(bits([before[name]]) for name in before)
    given = sum(bits([before[name], after[name]]) - bits([after[name]]) for name in before)
    return 1 - given / original


def discernibility(after: pd.DataFrame, released: np.ndarray) -> float:
    sizes = after[released].value_counts().to_numpy().astype(float)
    rows = len(after)
    return float(((sizes**2).sum() + (~released).sum() * rows) / rows**2)


def auc(run: Run, outcome: str) -> tuple[float | None, float | None]:
    """Return what models of an outcome reach, trained on the file and on the release."""
    table, keys = run.inputs.table, [variable.name for variable in run.inputs.treatment.searched]
    analysis = UserAnalysis("outcome", "model", outcome, value=table[outcome].texts()[0])
    return model_scores(analysis, table, run.written, run.deidentified.rows, keys)[:2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--k", type=int, nargs="*", default=[5, 11])
    parser.add_argument("--auc", action="store_true")
    given = parser.parse_args()
    print("| file, key fields | k | recoding | loss | kept | discernibility | rows suppressed | AUC | AUC, original |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in (name for name in FILES if name.startswith(given.only)):
        for k in given.k:
            for recoding in ("local", "one-level"):
                with tempfile.TemporaryDirectory() as work:
                    run = project(name, given.folder, Path(work), k, recoding)
                before, after = texts_before_and_after(run)
                outcome = FILES[name][2]
                scores = (
                    [f"{score:.3f}" for score in reversed(auc(run, outcome))] if given.auc and outcome else ["", ""]
                )
                gone = [column for column in after if set(after[column]) == {"*"}]
                figures = (
                    f"{run.deidentified.losses['loss']:.4f}",
                    f"{kept(before, after):.3f}",
                    f"{discernibility(after, run.deidentified.rows):.5f}",
                    f"{int((~run.deidentified.rows).sum()):,}",
                )
                end = f" gone: {', '.join(gone)}" if gone else ""
                print(f"| {' | '.join([name, str(k), recoding, *figures, *scores])} |{end}", flush=True)


if __name__ == "__main__":
    main()
