"""Tidy frames as aligned text, as wide as the terminal, with a word where there is no figure.

The layout is our own because ``rich.table`` has no head that spans several columns, and no way to continue
a table in a second block that repeats its key columns.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import Any

import pandas as pd

from policy_sim.show.numbers import (
    OPEN_ENDED,
    Formatter,
    any_number,
    compact,
    dollars,
    fact_ends,
    interval,
    people,
    percent,
    plain,
    range_words,
    ratio,
    short_percent,
    status_word,
    with_range,
)
from policy_sim.show.theme import TEXTS, attacker_title, policy_phrase, policy_title
from policy_sim.words.fields import field_word, fields_title
from policy_sim.words.text import with_safe_texts

WIDTH = 100  # of a table that goes to a file or a pipe
PROSE_WIDTH = 80  # of sentences, everywhere
_NARROWEST = 40
_GAP = "  "
_MEASURES = {
    "total-risk": "total risk",
    "correct-claims": "correct claims",
    "usd-per-reidentification": "$ per re-identification",
}
# How texts of the tidy frames are written; others are written as they are.
WORDS: Mapping[str, Callable[[object], str]] = {
    **dict.fromkeys(("policy", "numerator_policy", "denominator_policy", "deterred_policy"), policy_title),
    **dict.fromkeys(("linkage_key", "key"), fields_title),
    "attacker": attacker_title,
    "measure": lambda measure: _MEASURES.get(str(measure), str(measure)),
    "agrees": lambda agrees: "yes" if agrees else "no",
}
_CODES = ("state_name", "fips")  # left out beside "state", which says the same
# How columns of the tidy frames are written; others are written as they are.
_KINDS: Mapping[Formatter, str] = {
    people: """people numerator denominator total_risk inhabitants adults registered active inactive listed stale
        records survey correct_claims g_distinct""",
    percent: "share coverage share_of_both share_of_counties",
    ratio: "ratio per_surveyed",
    dollars: "price_usd usd_per_reidentification usd_per_correct_claim usd_per_g_distinct",
}
_FORMATS = {name: write for write, names in _KINDS.items() for name in names.split()}
_STATUS = {"usd_per_correct_claim": "claim_status"}  # of the figures that have one of their own
# Figures with an interval: NAME_from and NAME_to, written as one column.
_SPANS: Mapping[str, Formatter] = {"people": people, "share": percent, "ratio": ratio, "usd": dollars}
_UNLIMITED = 1_000_000  # columns of text, or letters of a cell
_LONGEST = 38  # letters of a text cell before it is cut
# What says which row it is, where columns part into blocks.
_PLACES = {"population", "state", "county", "area"}
_QUESTIONS = {"policy", "attacker", "measure", "g", "by", "numerator_policy", "denominator_policy", "assumption"}
_KEYS = _PLACES | _QUESTIONS | {"vintage", "item", "name", "field", "fields", "model", "rank", "row"}


@dataclass(frozen=True)
class Column:
    """One column as text: a head of one or more lines, the first of which neighbors may share, and a cell per row."""

    head: tuple[str, ...]
    cells: tuple[str, ...]
    right: bool = True

    @property
    def width(self) -> int:
        """Letters of the widest cell or of the head's last line."""
        return max(map(len, (self.head[-1], *self.cells)))


def column(
    frame: pd.DataFrame,
    name: str,
    head: Sequence[str] = (),
    write: Callable[[Any], str] | None = None,
    *,
    none: str = "",
    right: bool | None = None,
    most: int = _UNLIMITED,
) -> Column:
    """Return a column of a frame under a head, its name by default; what ``write`` writes stands to the right.

    A cell has at most ``most`` letters.
    """
    values = frame[name].tolist()
    cells = tuple(
        none if absent else cut((write or str)(value), most)
        for value, absent in zip(values, frame[name].isna(), strict=True)
    )
    return Column(tuple(head) or (name,), cells, right=write is not None if right is None else right)


def ranges(
    frame: pd.DataFrame, low: str, high: str, write: Formatter, status: str = "", none: str = ""
) -> tuple[str, ...]:
    """Write both ends of each figure, or the least of a price; where there is none, ``none`` or its status.

    With a column ``{low}_low``, a figure that no unknown fact leaves open has its range behind it.
    """
    least = f"{low}_low" if f"{low}_low" in frame else low
    ends = zip(frame[low], frame[least], frame[high if high in frame else low], strict=True)
    words = frame[status].tolist() if status in frame else [None] * len(frame)
    texts = []
    for (value, start, end), word in zip(ends, words, strict=True):
        if pd.isna(value):
            texts.append(status_word(word) if status else none)
            continue
        both = (value if pd.isna(start) else start, value if pd.isna(end) else end)
        is_ranged = least != low and word not in OPEN_ENDED
        text = with_range(value, *both, write) if is_ranged else interval(*both, write)
        texts.append(f"≥ {text}" if write is dollars and word == "at_least" else text)
    return tuple(texts)


def rows_text(frame: pd.DataFrame, form: str) -> str:
    """Return rows as ``csv``, with texts that a spreadsheet would run quoted, or as ``json``."""
    if form == "csv":
        return with_safe_texts(frame).to_csv(index=False)
    return str(frame.to_json(orient="records", indent=1, double_precision=15))


def table_width() -> int:
    """Return how many columns a table may take: what ``COLUMNS`` says, else the terminal's, else :data:`WIDTH`."""
    columns_text = os.environ.get("COLUMNS", "")
    if columns_text.isascii() and columns_text.isdigit() and int(columns_text):
        return max(int(columns_text), _NARROWEST)
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout and sys.stdout.isatty() else 0
    except (OSError, ValueError):
        columns = 0
    return max(columns, _NARROWEST) if columns else WIDTH


def layout(key: Sequence[Column], columns: Sequence[Column], width: int | None = None) -> str:
    """Set columns side by side; those that do not fit the width go into blocks below, each with the key columns."""
    width = width or table_width()
    blocks: list[list[Column]] = [[]]
    for column in columns:
        uncut = _heads_and_widths([*key, *blocks[-1], column], _UNLIMITED)[1]
        if blocks[-1] and _room(uncut, range(len(uncut))) > width:
            blocks.append([])
        blocks[-1].append(column)
    return "\n\n".join(_block([*key, *block], width) for block in blocks)


def _block(columns: Sequence[Column], width: int) -> str:
    heads, widths = _heads_and_widths(columns, width)
    lines = []
    for line in range(len(heads[0]) - 1):  # each common head once, over the columns that share it, cut to their width
        pieces = []
        for span in _spans(heads, line):
            room, text = _room(widths, span), heads[span[0]][line]
            pieces.append(f"{text if len(text) <= room else text[: room - 1] + '.':<{room}}")
        lines.append(_GAP.join(pieces).rstrip())
    lines.append(_line(columns, widths, [head[-1] for head in heads]))
    lines.append(_GAP.join("-" * dash_count for dash_count in widths))
    lines += [_line(columns, widths, row) for row in zip(*(column.cells for column in columns), strict=True)]
    return "\n".join(plain(line.replace("\n", " ")) for line in lines)


def _spans(heads: Sequence[tuple[str, ...]], line: int) -> list[list[int]]:
    """Neighboring columns that share their heads down to a line."""
    places = groupby(range(len(heads)), key=lambda place: heads[place][: line + 1])
    return [list(group) for _, group in places]


def _room(widths: Sequence[int], span: Sequence[int]) -> int:
    return sum(widths[place] for place in span) + len(_GAP) * (len(span) - 1)


def _heads_and_widths(columns: Sequence[Column], width: int) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return heads of as many lines each, and widths, in which longer common heads have room if the line allows."""
    depth = max(len(column.head) for column in columns)
    heads = [("",) * (depth - len(column.head)) + column.head for column in columns]
    widths = [column.width for column in columns]
    spare = width - _room(widths, range(len(widths)))
    for line in reversed(range(len(heads[0]) - 1)):
        for span in _spans(heads, line):
            extra = min(len(heads[span[0]][line]) - _room(widths, span), spare)
            if extra > 0:
                widths[span[0]] += extra
                spare -= extra
    return heads, widths


def _line(columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str]) -> str:
    parts = (
        f"{cell:>{width}}" if column.right else f"{cell:<{width}}"
        for column, width, cell in zip(columns, widths, cells, strict=True)
    )
    return _GAP.join(parts).rstrip()


def text_table(frame: pd.DataFrame, heads: Mapping[str, str] | None = None) -> str:
    """Write a tidy frame as text.

    Shares become per cent, people and dollars get separators; a column and its ``_high`` twin become
    one interval; a missing figure is the row's status; columns that are empty, or "ok", throughout are left
    out. Columns that do not fit follow in blocks below, each with what tells the rows apart. ``heads``: the columns to
    show and their heads; by default all, under their names.
    """
    width = table_width()
    ends = {f"{name}_to" for name in _SPANS}
    ends |= {f"{name}_low" for name in frame.columns}
    names = [str(name) for name in frame.columns if not str(name).endswith("_high") and name not in ends]
    names = [name for name in names if "state" not in frame or name not in _CODES]
    if heads is not None:
        names = [name for name in heads if name in names]
    filled = [name for name in names if name in _FORMATS or not _says_nothing(frame[name])]
    names = filled or (names if len(frame) else [])
    columns = {name: _column(frame, name) for name in names}
    if heads is not None:
        columns = {name: replace(column, head=(heads[name],)) for name, column in columns.items()}
    keys = [] if _line_width(columns.values()) <= width else _key_names(columns, width)
    rest = [column for name, column in columns.items() if name not in keys]
    return layout([columns[name] for name in keys], rest, width) if columns else "(no rows)"


def cost_table(rows: pd.DataFrame) -> str:
    """Write one line per state, policy and attacker: people matched, the price, and dollars per match."""
    return text_table(rows, heads=_heads_of_cases(rows) | TEXTS["heads"]["cost"])


def group_cost_table(rows: pd.DataFrame) -> str:
    """Write one line per state, policy, attacker and g: people g-distinct, the price, and dollars for each."""
    return text_table(rows, heads=_heads_of_cases(rows) | TEXTS["heads"]["group-cost"])


def trust_table(rows: pd.DataFrame) -> str:
    """Write one line per state, attacker and measure: people under both policies, and their ratio."""
    above, below = (policy_title(str(rows[f"{end}_policy"].iloc[0])) for end in ("numerator", "denominator"))
    heads = {name: words.format(above=above, below=below) for name, words in TEXTS["heads"]["trust"].items()}
    return text_table(rows, heads=_heads_of_cases(rows) | heads)


def pair_table(rows: pd.DataFrame) -> str:
    """Write one line per figure of two files about the same people, and the fields that it compares."""
    return text_table(rows.assign(figure=rows["figure"].map(TEXTS["pairs"])), heads=TEXTS["heads"]["pair"])


def _heads_of_cases(rows: pd.DataFrame) -> dict[str, str]:
    """Name the columns that say which population, state and attacker a row is of."""
    several = {"population": "population"} if len(set(rows["population"])) > 1 else {}
    return {**several, "state": "state", "attacker": "attacker"}


def _line_width(columns: Iterable[Column]) -> int:
    return sum(column.width + len(_GAP) for column in columns) - len(_GAP)


def _key_names(columns: Mapping[str, Column], width: int) -> list[str]:
    """Name the columns that tell the rows apart, as many as leave room for every other column next to them."""
    keys = [name for name, column in columns.items() if name in _KEYS and len(set(column.cells)) > 1]
    keys = keys or list(columns)[:1]
    while len(keys) > 1:
        others = [column.width for name, column in columns.items() if name not in keys]
        if _line_width(columns[name] for name in keys) + len(_GAP) + max(others, default=0) <= width:
            break
        keys.pop()
    return keys


def wrapped(lines: Sequence[str], width: int | None = None) -> list[str]:
    """Break sentences that are wider than 80 columns or the table, but no command; what follows is indented."""
    width = min(width or table_width(), PROSE_WIDTH)
    wrap = textwrap.TextWrapper(width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return [part for line in lines for part in ([line] if ": policy-sim " in line else wrap.wrap(line))]


def cut(text: str, most: int) -> str:
    """Return a text of at most so many letters, the last of which says that more follow."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _says_nothing(values: pd.Series) -> bool:
    """Say whether all cells are empty, or are the status of rows that are all well."""
    words = [""] + ["ok"] * ("status" in str(values.name))
    return bool((values.isna() | values.astype("string").isin(words)).all())


def _column(frame: pd.DataFrame, name: str) -> Column:
    write = _FORMATS.get(name)
    if name.removesuffix("_from") in _SPANS and name.endswith("_from"):
        name = name.removesuffix("_from")
        return Column((f"{name}, interval",), ranges(frame, f"{name}_from", f"{name}_to", _SPANS[name]))
    if write is None:
        written = WORDS.get(name, str)
        cells = tuple(
            cut("" if pd.isna(value) else any_number(value) if isinstance(value, float) else written(value), _LONGEST)
            for value in frame[name]
        )
        return Column((_head(name),), cells, right=pd.api.types.is_numeric_dtype(frame[name].dtype))
    return Column((_head(name),), ranges(frame, name, f"{name}_high", write, _STATUS.get(name, "status")))


def _head(name: str) -> str:
    """Write the name of a column as words: ``usd_per_claim`` is ``$ per claim``."""
    words = field_word(name).replace("_", " ").replace("usd per", "$ per")
    return words.replace("reidentification", "re-identification")


def interval_table(profiles: pd.DataFrame, width: int | None = None) -> str:
    """Write both ends of the interval of total risk, in people."""
    total = profiles[profiles["measure"] == "total-risk"]
    keys = total[["population", "state"]].drop_duplicates()
    many = len(keys["population"].unique()) > 1
    rows = [f"{state} {population}" if many else str(state) for population, state in keys.itertuples(index=False)]
    columns = []
    for policy, attacker in product(total["policy"].unique(), total["attacker"].unique()):
        part = total[(total["policy"] == policy) & (total["attacker"] == attacker)]
        head = ("total risk, interval: " + policy_title(policy), attacker_title(attacker))
        columns.append(Column(head, ranges(part, "people_from", "people_to", people, "status")))
    return layout([Column(("",), tuple(rows), right=False)], columns, width)


def curve_table(rows: pd.DataFrame) -> str:
    """Write one row per g: the share g-distinct of each policy and attacker, trust differentials, and dollars."""
    from policy_sim.model.compare import round_sizes

    sizes = list(round_sizes(int(rows["g"].max()))) if rows["g"].notna().any() else []
    rows = rows[rows["g"].isin(sizes) | rows["g"].isna()]  # few of the many that a curve has
    several, keys = len(set(rows["state"])) > 1, ["state", "policy", "attacker"]

    def titles(part: pd.DataFrame, what: str) -> tuple[str, ...]:
        state, policy, attacker = (str(part[key].iloc[0]) for key in keys)
        return (f"{what}: {policy_title(policy)}", *([state] if several else []), attacker_title(attacker))

    columns = [
        Column(titles(part, "g-distinct"), _cells(part, sizes, "share")) for _, part in rows.groupby(keys, sort=False)
    ]
    columns += [
        Column(titles(part, "trust differential"), _cells(part, sizes, "ratio"))
        for _, part in rows[rows["ratio_status"].notna()].groupby(keys, sort=False)
    ]
    columns += [
        Column(titles(part, "$ for each"), _cells(part, sizes, "usd_per_g_distinct"))
        for _, part in rows.groupby(keys, sort=False)
        if (part["usd_per_g_distinct"] > 0).any()
    ]
    table = layout([Column(("g",), tuple(f"{g:,}" for g in sizes) or ("any",))], columns)
    note = "trust differential: people g-distinct divided by those under"
    below = rows["denominator_policy"].dropna().unique()
    return "\n".join([table, *(f"{note} {policy_phrase(name)}" for name in below)])


def _cells(part: pd.DataFrame, sizes: list[int], name: str) -> tuple[str, ...]:
    writers: Mapping[str, Formatter] = {"share": percent, "usd_per_g_distinct": dollars}
    statuses = {"ratio": "ratio_status", "usd_per_g_distinct": "usd_status"}
    write, status = writers.get(name, compact), statuses.get(name, "status")
    by_size = part[part["g"].notna()].set_index("g")
    if by_size.empty:
        return (status_word(part["status"].iloc[0]),) * max(len(sizes), 1)
    return ranges(by_size.reindex(sizes), name, f"{name}_high", write, status)


def match_sentences(profiles: pd.DataFrame) -> list[str]:
    """Return one sentence per state, policy and attacker with a figure; both ends where something is unknown."""
    keys = ["state", "policy", "attacker"]
    return [
        f"{state}, {policy_title(policy)}, {attacker_title(attacker)}: {'; '.join(_parts(rows))}."
        for (state, policy, attacker), rows in profiles.groupby(keys, sort=False, observed=True)
        if rows["people"].notna().any()
    ]


def _parts(rows: pd.DataFrame) -> Iterator[str]:
    figures = rows[rows["g"].isna()].set_index("measure")
    counted, shares = (figures[name].to_dict() for name in ("people", "share"))
    risk, share = float(counted["total-risk"]), float(shares["total-risk"])
    row = figures.to_dict("index")["total-risk"]
    if row.get("status", "interval") == "interval" and row.get("people_high", risk) != risk:
        yield from _between(figures)
        return
    in_file = float(rows["in_file"].iloc[0])
    released = "" if in_file == 1 or not share else f" of the {people(risk / share)} in the file"
    low, high = (float(row.get(end, share)) for end in ("share_low", "share_high"))
    if behind := range_words(share, low, high, short_percent):
        yield f"would correctly name {people(risk)}{released}, {short_percent(share)}{behind}, including lucky guesses"
    else:
        yield f"would correctly name {people(risk)}{released} ({short_percent(share)}), including lucky guesses"
    precision = shares["precision"]
    claims = float(counted["claims"])
    if pd.isna(precision) and claims > 0:
        too_few = "too few to say how many of these matches are correct"
        yield f"{people(claims)} records match exactly one listed person, {too_few}"
    elif pd.isna(precision):
        yield "none of these matches is certain"
    elif precision == 1:
        correct = people(float(counted["correct-claims"]))
        yield f"{correct} of these matches {'is' if correct == '1' else 'are'} certain"
    else:
        right = f"{short_percent(precision)} of those matches are correct"
        yield f"{people(claims)} records match exactly one listed person, and {right}"


def _between(figures: pd.DataFrame) -> Iterator[str]:
    """Both ends, where a field of the list or the people on it are unknown."""
    counted, of_people = fact_ends(figures, "people"), fact_ends(figures, "share")
    low, high = (float(end["total-risk"]) for end in counted)
    share, most = (float(end["total-risk"]) for end in of_people)
    words = f"at most {people(high)}" if low == 0 else f"{people(low)} to {people(high)}"
    shares = short_percent(most) if low == 0 else f"{short_percent(share)} to {short_percent(most)}"
    yield f"would correctly name {words} ({shares}), including lucky guesses"
    certain = sorted(float(end["correct-claims"]) for end in counted)
    right = f"at most {people(certain[1])}" if certain[0] == 0 else f"{people(certain[0])} to {people(certain[1])}"
    yield f"where exactly one person matches, the match is correct for {right}"


def source_columns(rows: pd.DataFrame) -> list[Column]:
    """Return the columns of when each price was seen and of the number of its source; empty where there is none."""
    numbers = source_numbers(rows)
    marks = column(rows, "price_source", ("price,", "source"), lambda name: f"[{numbers[str(name)]}]", right=False)
    return [column(rows, "price_date", ("price", "seen")), marks]


def source_lines(rows: pd.DataFrame) -> list[str]:
    """Return one line per source of the prices, by its number."""
    return [f"[{number}] {source}" for source, number in source_numbers(rows).items()]


def source_numbers(rows: pd.DataFrame) -> dict[str, int]:
    """Return the number of each source, in the order of the rows."""
    sources = dict.fromkeys(str(source) for source in rows["price_source"] if not pd.isna(source))
    return {source: number for number, source in enumerate(sources, 1)}
