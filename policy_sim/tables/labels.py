"""Labels that a file writes once, or not at all: blocks whose first row alone is named, and totals with blanks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Columns = dict[str, list[str]]
TOTAL = "Total"


def without_marks_of_totals(columns: Columns, labels: Sequence[str], is_total: Callable[[str], bool]) -> Columns:
    """Return the columns without one that marks rows as totals, whose blank labels then say Total.

    Query systems write such a column of notes. As it was, where a row that is not marked has a blank label too.

    >>> columns = {"Notes": ["", "", "Total"], "Sex": ["F", "M", ""], "Deaths": ["12", "15", "27"]}
    >>> without_marks_of_totals(columns, ["Notes", "Sex"], lambda text: text == "Total")
    {'Sex': ['F', 'M', 'Total'], 'Deaths': ['12', '15', '27']}
    """
    for mark in labels:
        texts = columns[mark]
        others = [name for name in labels if name != mark and "" in columns[name]]
        marked = [bool(text) for text in texts]
        if not others or all(marked) or not all(map(is_total, filter(None, texts))):
            continue
        if all(said or text for name in others for text, said in zip(columns[name], marked, strict=True)):
            filled = {name: [text or TOTAL for text in columns[name]] for name in others}
            return {name: filled.get(name, own) for name, own in columns.items() if name != mark}
    return columns


def filled_labels(columns: Mapping[str, list[str]], keys: Sequence[str], is_total: Callable[[str], bool]) -> Columns:
    """Return the columns of labels whose blanks are clear.

    They are the total in the first or last row, if it alone has blanks and names a total, or the label of the block,
    where each block of rows but the first or last has two rows or more, and a label of its own.
    """
    rows = list(zip(*(columns[name] for name in keys), strict=True))
    blank = [at for at, row in enumerate(rows) if "" in row]
    if len(blank) == 1 and blank[0] in (0, len(rows) - 1) and any(map(is_total, rows[blank[0]])):
        return {name: [text or TOTAL for text in columns[name]] for name in keys if "" in columns[name]}
    filled = {name: _filled_down(columns[name]) for name in keys if "" in columns[name]}
    rest = [name for name in keys if name not in filled]
    if not blank or not rest or not all(filled.values()):
        return {}
    whole = zip(*({**columns, **filled}[name] for name in keys), strict=True)
    return filled if len(set(whole)) == len(rows) else {}


def _filled_down(texts: Sequence[str]) -> list[str]:
    """Return the labels of blocks in each of their rows; empty where they are no such labels."""
    heads = [at for at, text in enumerate(texts) if text]
    sizes = [end - at for at, end in zip(heads, [*heads[1:], len(texts)], strict=True)]
    several = sum(size > 1 for size in sizes)
    if not texts[0] or len({texts[at] for at in heads}) < len(heads) or several < 2 or 1 in sizes[1:-1]:
        return []
    return [texts[at] for at, size in zip(heads, sizes, strict=True) for _ in range(size)]
