"""Figures that papers print, from ``data/published``."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from policy_sim.files.toml import shipped_files, shipped_table
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.papers.printed_figure import STATEMENT, UNITS, Basis, Paper, PrintedFigure, Tolerance
from policy_sim.words.errors import SchemaError, UnknownNameError

_RELATIONS = "<>≈"
_OWN = ("id", "where", "what", "printed", "unit", "tolerance", "basis", "ask")
_MAY = ("value", "rounded_to", "read_as", "erratum", "note", "secondary", "cut_off", "assumed")


def list_papers() -> tuple[str, ...]:
    """Names of the papers whose figures are recorded."""
    return tuple(shipped_files("published"))


def load_paper(name: str) -> Paper:
    """Return a paper's figures."""
    if name not in list_papers():
        raise UnknownNameError("paper", name, list_papers())
    table = shipped_table(shipped_files("published")[name])
    tolerances = {key: Tolerance(key, fact["share"], fact["why"]) for key, fact in table["tolerance"].items()}
    problems: list[str] = []
    ids = [str(raw.get("id")) for raw in table["figure"]]
    problems += [f"figure {key} appears twice" for key in sorted({key for key in ids if ids.count(key) > 1})]
    figures = tuple(_figure(raw, tolerances, problems) for raw in table["figure"])
    if problems:
        raise SchemaError(f"data/published/{name}.toml", problems)
    return Paper(name, table["title"], figures, tolerances, table.get("population", ""), table.get("lists", ""))


def load_class_sizes() -> dict[str, SizeHistogram]:
    """Class sizes of the public files that papers draw their samples from, by name (``data/published/classes``)."""
    histograms = {}
    for path in shipped_files("published/classes").values():
        table = shipped_table(path)
        histograms[path.stem] = SizeHistogram.of(dict(table["sizes"]))
        if histograms[path.stem].records != table["records"]:
            raise SchemaError(
                f"data/published/classes/{path.name}", ["the sizes do not add up to the number of records"]
            )
    return histograms


def _figure(raw: dict[str, Any], tolerances: dict[str, Tolerance], problems: list[str]) -> PrintedFigure:
    at = f"figure {raw.get('id', '?')}"
    problems += [f"{at}: {key} is missing" for key in _OWN if key not in raw]
    problems += [f"{at}: {key} is not one of {', '.join((*_OWN, *_MAY))}" for key in raw if key not in _OWN + _MAY]
    if raw.get("unit") not in UNITS:
        problems.append(f"{at}: unit is not one of {', '.join(UNITS)}")
    if raw.get("tolerance") not in tolerances:
        problems.append(f"{at}: tolerance is not one of {', '.join(tolerances)}")
    if raw.get("basis") not in list(Basis):
        problems.append(f"{at}: basis is not one of {', '.join(Basis)}")
    printed = str(raw.get("printed", ""))
    relation = printed[0] if printed[:1] in _RELATIONS and printed else "="
    value, step = _number(printed.lstrip(_RELATIONS + " "))
    value = 1.0 if raw.get("unit") == STATEMENT else raw.get("value", value)
    if value is None:
        problems.append(f"{at}: printed is not a number; add its value")
    return PrintedFigure(
        **{key: raw.get(key, "") for key in ("id", "where", "what", "printed", "unit", "tolerance")},
        value=float(value or 0.0),
        relation=relation,
        step=float(raw.get("rounded_to", step)),
        ask=raw.get("ask", {}),
        basis=Basis(raw["basis"]) if raw.get("basis") in list(Basis) else Basis.INDEPENDENT,
        read_as=raw.get("read_as", {}),
        erratum=raw.get("erratum", ""),
        note=raw.get("note", ""),
        secondary=raw.get("secondary", False),
        cut_off=raw.get("cut_off", False),
        assumed=raw.get("assumed", ""),
    )


def _number(text: str) -> tuple[float | None, float]:
    """Return a printed number, and one unit of its last digit."""
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None, 0.0
    exponent = number.as_tuple().exponent
    return float(number), 10.0 ** (exponent if isinstance(exponent, int) else 0)
