from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from policy_sim.estimators import ClassTable
from policy_sim.formulas.histogram import SizeHistogram


class Case:
    """One reference sample: its class sizes, and the figures to agree with."""

    def __init__(self, given: dict, folder: Path, dataset: dict) -> None:
        self.given, self.name, self.people = given, given["id"], given["N"]
        self.maths, self.arx, self.truth = given["maths"], given["arx"], given["truth"]
        self.sample = SizeHistogram.of(dict(given["class_sizes"]))
        self._folder, self._dataset = folder, dataset

    def table(self, fields: list[str]) -> ClassTable:
        """The sample's classes of these fields, read from the file it was drawn from."""
        path = self._folder / "microdata" / self._dataset["file"]
        rows = pd.read_csv(path, sep=";" if "adult_arx" in path.name else ",", dtype=str)
        if "age5" in fields:
            rows["age5"] = (rows["age"].astype(int) // 5 * 5).astype(str)
        packed = np.frombuffer(base64.b64decode(self.given["row_mask_base64"]), np.uint8)
        rows = rows[np.unpackbits(packed)[: self.people].astype(bool)]
        codes = np.column_stack([pd.factorize(rows[field])[0] for field in fields])
        return ClassTable.from_records(codes, tuple(fields))


@pytest.fixture(scope="session")
def cases(shared) -> list[Case]:
    """The 70 public reference samples."""
    path = shared / "reference" / "estimators_public.json"
    if not path.is_file():
        pytest.skip("the reference figures of the estimators are not in the folder 'shared'")
    given = json.loads(path.read_text())
    return [Case(case, shared, given["datasets"][case["dataset"]]) for case in given["cases"]]
