"""A comparison as an Excel workbook with live formulas."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.briefs.sentences import WORDS, first_up, of_state, policy_words
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, ends_of_figure
from policy_sim.model.profile import ONE_PERSON
from policy_sim.show.numbers import plain
from policy_sim.voter_lists.facts import facts_frame, sources_frame

if TYPE_CHECKING:
    from policy_sim.study.answers import ComparisonAnswer
    from policy_sim.study.study import Study


# How numbers of a kind are written; a column's kind follows from its name.
NUMBER_FORMATS: Mapping[str, str] = {
    "people": "#,##0.0",
    "share": "0.000%",
    "dollars": '"$"#,##0.00',
    "ratio": "#,##0.00",
    "whole": "#,##0",
}
_WIDEST, _ROWS_LOOKED_AT = 60, 200
_DAY = datetime(1980, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sheet:
    """One sheet with one table, and what a reader should know above it.

    ``name`` has at most 31 letters. ``formulas``: for a column a formula in Excel's words with other columns in braces,
    such as ``={a}/{b}``; the column's values stand in the file as what it came to, for programs that do not compute.
    A missing one is "undefined". A row with a figure whose ``status`` is not ``ok`` has the figure alone: it is the end
    of a range, of which other columns do not show all that it is made of.
    """

    name: str
    frame: pd.DataFrame
    title: str = ""
    notes: tuple[str, ...] = ()
    formulas: Mapping[str, str] = field(default_factory=dict)


def workbook_bytes(sheets: Sequence[Sheet], title: str) -> bytes:
    """Return the sheets as an XLSX file; the same tables give the same bytes."""
    import xlsxwriter

    content = io.BytesIO()
    # a text that begins like a formula or an address stays a text
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": False}
    with xlsxwriter.Workbook(content, options) as book:
        book.set_properties({"title": plain(title), "author": "policy_sim", "created": _DAY})
        looks = {name: book.add_format({"num_format": form}) for name, form in NUMBER_FORMATS.items()}
        looks["title"] = book.add_format({"bold": True, "font_size": 14})
        looks["note"] = book.add_format({"font_color": "#55555c"})
        for number, sheet in enumerate(sheets, 1):
            _write(book.add_worksheet(sheet.name), sheet, looks, f"Table{number}")
    return content.getvalue()


def _write(page: Any, sheet: Sheet, looks: Mapping[str, Any], table: str) -> None:
    page.write_string(0, 0, plain(sheet.title or sheet.name), looks["title"])
    for row, note in enumerate(sheet.notes, 1):
        page.write_string(row, 0, plain(note), looks["note"])
    top = len(sheet.notes) + 2
    if sheet.frame.empty:
        page.write_string(top, 0, "no rows")
        return
    names = list(map(str, sheet.frame.columns))
    columns: list[dict[str, Any]] = []
    for name in names:
        kind = _kind(name, sheet.frame[name])
        columns.append({"header": name, "format": looks[kind]} if kind else {"header": name})
    last = top + len(sheet.frame)
    statuses = sheet.frame["status"].tolist() if "status" in sheet.frame else ["ok"] * len(sheet.frame)
    page.add_table(top, 0, last, len(columns) - 1, {"name": table, "columns": columns, "style": "Table Style Light 9"})
    for place, name in enumerate(names):
        values = sheet.frame.iloc[:, place].tolist()
        look = columns[place].get("format")
        for row, (value, status) in enumerate(zip(values, statuses, strict=True), top + 1):
            if name in sheet.formulas and (status == "ok" or pd.isna(value)):
                formula = _in_cells(sheet.formulas[name], names, row)
                page.write_formula(row, place, formula, look, "undefined" if pd.isna(value) else value)
            else:
                _write_cell(page, row, place, value, look)
        page.set_column(place, place, _width(name, values))
    page.freeze_panes(top + 1, 1)


def _kind(name: str, values: pd.Series) -> str:
    if not pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_bool_dtype(values.dtype):
        return ""
    for pattern, kind in ((r"usd|price|cost", "dollars"), (r"share|precision|chance", "share"), (r"ratio", "ratio")):
        if re.search(pattern, name, re.IGNORECASE):
            return kind
    return "whole" if pd.api.types.is_integer_dtype(values.dtype) else "people"


def _write_cell(page: Any, row: int, column: int, value: Any, look: Any) -> None:
    if pd.isna(value):
        page.write_blank(row, column, None, look)
    elif isinstance(value, bool):
        page.write_boolean(row, column, value)
    elif isinstance(value, int | float):
        page.write_number(row, column, value, look)
    else:
        page.write_string(row, column, plain(str(value)))


def _in_cells(formula: str, names: Sequence[str], row: int) -> str:
    """Put the cells of a row in the place of the columns that a formula names.

    >>> _in_cells("={a}/{b c}", ["a", "b c"], 4)
    '=A5/B5'
    """
    from xlsxwriter.utility import xl_rowcol_to_cell

    return re.sub(r"\{([^}]+)\}", lambda name: xl_rowcol_to_cell(row, list(names).index(name[1])), formula)


def _width(name: str, values: Sequence[Any]) -> float:
    longest = max((len(str(value)) for value in values[:_ROWS_LOOKED_AT] if not pd.isna(value)), default=0)
    return min(
        max(len(name) + 3, min(longest, 16) if all(isinstance(v, float) for v in values) else longest) + 1, _WIDEST
    )


# as TrustDifferential has it
_RATIO = f'=IF({{people below}}<{ONE_PERSON},"undefined",{{people above}}/{{people below}})'
_COST = '=IF({price in dollars}="","unknown",IF({matches}=0,"undefined",{price in dollars}/{matches}))'
_SURE = '=IF({price in dollars}="","unknown",IF({correct claims}=0,"undefined",{price in dollars}/{correct claims}))'


def study_workbook(study: Study, answer: ComparisonAnswer) -> bytes:
    """Return a comparison as an Excel workbook."""
    notes = tuple(answer.provenance.notes)
    guide = pd.DataFrame(WORDS["sheets"].items(), columns=["sheet", "what it contains"])
    policies = list(dict.fromkeys(profile.policy for profile in answer))
    over = f"Matches under {policy_words(policies[-1])} over matches under {policy_words(policies[0])}"
    sheets = [
        Sheet("Read me", guide, "How to read this workbook", notes),
        Sheet("Risk", _risk(answer), "Expected people and shares", formulas={"share": _SHARE}),
        Sheet("Trust", _trust(answer, policies[-1], policies[0]), over, formulas={"ratio": _RATIO}),
        Sheet("Cost", _cost(study, answer), "What a match costs the buyer of the list", formulas=_COSTS),
        Sheet("Details", answer.to_frame(), "Every figure, one row per state, policy, attacker and measure"),
    ]
    lists = [study.unrestricted_voter.voter_list(state) for state in dict.fromkeys(p.state for p in answer)]
    sheets += [
        Sheet("List facts", facts_frame(lists), "What is known about each state's voter list"),
        Sheet("Sources", sources_frame(lists), "Sources"),
    ]
    return workbook_bytes(sheets, "Re-identification risk by state")


_SHARE = '=IF({people}=0,"undefined",{matches}/{people})'
_COSTS = {"dollars per match": _COST, "dollars per correct claim": _SURE}


def _risk(answer: ComparisonAnswer) -> pd.DataFrame:
    rows = []
    for profile in answer:
        figures = {"share": profile.share(TOTAL_RISK), "correct claims": profile.people(CORRECT_CLAIMS)}
        figures |= {"claims": profile.people(CLAIMS)}
        rows.append(
            {
                "state": of_state(profile.state),
                "rules": first_up(policy_words(profile.policy)),
                "attacker": profile.attacker,
                "people": profile.records,
                **ends_of_figure("matches", profile.people(TOTAL_RISK), high=", unknown fields released"),
                **{name: None if figure is None else figure.low for name, figure in figures.items()},
                "linkage key": profile.linkage_key,
                "status": str(profile.status),
                "reason": profile.reason,
            }
        )
    texts = ("state", "rules", "attacker", "linkage key", "status", "reason")
    table = pd.DataFrame(rows)
    return table.astype({name: "string" if name in texts else "Float64" for name in table})


def _trust(answer: ComparisonAnswer, above: str, below: str) -> pd.DataFrame:
    table = answer.trust(above, below).to_frame()
    table = table[table["measure"] == str(TOTAL_RISK)]
    names = {"numerator": "people above", "denominator": "people below"}
    columns = ["state", "attacker", "people above", "people below", "ratio", "status", "reason"]
    return table.rename(columns=names)[columns].reset_index(drop=True)


def _cost(study: Study, answer: ComparisonAnswer) -> pd.DataFrame:
    if not any(attacker.holds_file for attacker in answer.attackers):
        return pd.DataFrame()
    table = study.cost_of(answer).to_frame()
    certain = (
        answer.profile(state, policy, attacker).people(CORRECT_CLAIMS)
        for state, policy, attacker in zip(table["state"], table["policy"], table["attacker"], strict=True)
    )
    sure = pd.Series([None if claims is None else claims.low for claims in certain], table.index, dtype="Float64")
    return pd.DataFrame(
        {
            "state": table["state"],
            "rules": [first_up(policy_words(policy)) for policy in table["policy"]],
            "attacker": table["attacker"],
            "price in dollars": table["price_usd"],
            "matches": table["total_risk"],
            "correct claims": sure,
            "dollars per match": table["usd_per_reidentification"],
            "dollars per correct claim": (table["price_usd"] / sure).where(sure > 0),
            "status": table["status"],
            "reason": table["reason"],
        }
    )
