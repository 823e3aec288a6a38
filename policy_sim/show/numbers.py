"""Numbers as people read them: the only place that rounds.

Shares are 0..1 everywhere else and percent only here. Small figures keep two digits that mean
something, large ones get thousands separators, and nothing is rounded to 0 or to 100% that is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from policy_sim.model.measure import Bounds
from policy_sim.show.theme import attacker_title

Formatter = Callable[[float], str]

_SMALLEST = 1e-6
_LEAST_IN_FULL = 1e-4  # of a number of no known kind: smaller ones would be written as powers
_HALF = 0.5
OPEN_ENDED = ("interval", "at_least")  # statuses of a figure that a fact which nobody knows leaves open
_ROUNDS = 0.0005  # a share nearer than this to 0 or 1 would be written as one of them
LEAST_COMPACT = 0.01
LEAST_SHORT_SHARE, LEAST_SHORT_USD = 1e-5, 0.001
_MOST_SHORT = 9_999.5
_MOST_CENTS = 99.995  # dollars from which cents are left out
_MOST_WHOLE = 9_999_999.5
_NUMBER = re.compile(r"(\d[\d,]*)(?:\.(\d+))?(\D*)")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def percent(share: float) -> str:
    """Write a share (0..1) as percent.

    >>> [percent(x) for x in (0, 3.1e-6, 0.0129, 0.187, 0.99996, 1)]
    ['0%', '0.00031%', '1.29%', '18.7%', '99.996%', '100%']
    """
    figure = 100 * share
    if 99.95 <= figure < 100:
        candidates = (f"{figure:.{digits}f}" for digits in (2, 3, 4))
        return next((f"{text}%" for text in candidates if float(text) < 100), ">99.9999%")
    return f"{_figure(figure)}%"


def share(value: float | None) -> str:
    """Write a share (0..1); a dash where there is none, and never 0 or 100% where it is neither.

    >>> share(0.015), share(None), share(0.0003), share(0.9998)
    ('1.5%', '-', '0.030%', '99.98%')
    """
    if value is None:
        return "-"
    return percent(value) if 0 < value < _ROUNDS or 1 - _ROUNDS < value < 1 else f"{value:.1%}"


def percent_tick(share: float) -> str:
    """Write a share at a mark of an axis as percent: every digit, so that even steps read as even.

    >>> [percent_tick(x) for x in (0, 2e-8, 0.00125, 0.8)]
    ['0%', '0.000002%', '0.125%', '80%']
    """
    return f"{f'{100 * share:.12f}'.rstrip('0').rstrip('.')}%"


def percent_ticks(shares: Sequence[float]) -> list[str]:
    """Write the marks of an axis with even steps as percent, all with the same number of decimals.

    >>> percent_ticks([0, 0.00175, 0.002]), percent_ticks([0, 0.5, 1])
    (['0%', '0.175%', '0.200%'], ['0%', '50%', '100%'])
    """
    texts = [percent_tick(share).removesuffix("%") for share in shares]
    digits = max((len(text.partition(".")[2]) for text in texts), default=0)
    return ["0%" if share == 0 else f"{100 * share:.{digits}f}%" for share in shares]


def alike(values: Iterable[float], write: Formatter) -> list[str]:
    """Write a set of labels with one precision: as many significant digits as the label that needs most.

    Only zeros after the decimal point come and go; dollars keep their cents, and counts stay whole.

    >>> alike([0.001, 0.0014, 0.015, 0.3], percent), alike([0.5, 1, 10], dollars), alike([1, 12], "{:.0f}".format)
    (['0.10%', '0.14%', '1.5%', '30%'], ['$0.50', '$1', '$10'], ['1', '12'])
    """
    texts = [write(value) for value in values]
    if all(text.isdigit() for text in texts):
        return texts
    parts = [None if "$" in text else _NUMBER.fullmatch(text) for text in texts]
    most = max((len((part[1] + (part[2] or "")).replace(",", "").strip("0")) for part in parts if part), default=1)
    return [_padded(part, most) if part else text for part, text in zip(parts, texts, strict=True)]


def _padded(part: re.Match[str], most: int) -> str:
    """Write the number of a label with as many significant digits."""
    whole, decimals, after = part[1], part[2] or "", part[3]
    digits = whole.replace(",", "").lstrip("0")
    leading = 0 if digits else len(decimals) - len(decimals.lstrip("0"))
    size = max(most - len(digits) + leading, 0) if digits or decimals.strip("0") else 0
    decimals = decimals[:size].ljust(size, "0")
    return f"{whole}{'.' if decimals else ''}{decimals}{after}"


def short_percent(share: float) -> str:
    """Write a share (0..1) as percent in at most eight places, for maps and narrow tables.

    >>> [short_percent(x) for x in (0, 3.1e-6, 3.1e-5, 0.187)]
    ['0%', '<0.001%', '0.0031%', '18.7%']
    """
    return "<0.001%" if 0 < share < LEAST_SHORT_SHARE else percent(share)


def people(count: float) -> str:
    """Write expected people: whole from 10 on.

    >>> [people(x) for x in (0, 0.00412, 2.31, 55, 13054321.7)]
    ['0', '0.0041', '2.31', '55', '13,054,322']
    """
    return f"{count:,.0f}" if count >= 9.995 else _figure(count)


def whole_people(count: float) -> str:
    """Write expected people for a sentence: nobody reads parts of a person.

    >>> [whole_people(x) for x in (0, 0.00412, 2.31, 54.6, 13054321.7)]
    ['0', '<1', '2', '55', '13,054,322']
    """
    return "<1" if 0 < count < _HALF else f"{count:,.0f}"


def compact(value: float) -> str:
    """Write people or a ratio in at most six places below a billion, for narrow tables.

    >>> [compact(x) for x in (0, 0.004, 55, 9876.5, 43210.9, 943210.9, 13054321, 3.9e12)]
    ['0', '<0.01', '55', '9,876', '43.2 k', '943 k', '13.1 M', '3.9 × 10¹²']
    """
    if 0 < value < LEAST_COMPACT:
        return f"<{LEAST_COMPACT}"
    for most, size, unit in ((999_500, 1e3, "k"), (999_500_000, 1e6, "M")):
        if _MOST_SHORT <= value < most:
            return f"{_figure(value / size)} {unit}"
    return people(value) if value < _MOST_WHOLE else ratio(value)


def dollars(usd: float) -> str:
    """Write US dollars.

    >>> [dollars(x) for x in (0, 0.00213, 0.23, 2.349, 36.2, 309.09, 17000)]
    ['$0', '$0.0021', '$0.23', '$2.35', '$36.20', '$309', '$17,000']
    """
    if 0.01 <= usd < _MOST_CENTS and usd != round(usd):
        return f"${usd:.2f}"
    text = _figure(usd)
    return f"<${text[1:]}" if text.startswith("<") else f"${text}"


def short_dollars(usd: float) -> str:
    """Write US dollars in at most seven places, for maps and narrow tables.

    >>> [short_dollars(x) for x in (0, 0.00002, 0.0021, 309.09, 17479)]
    ['$0', '<$0.001', '$0.0021', '$309', '$17.5 k']
    """
    if 0 < usd < LEAST_SHORT_USD:
        return f"<${LEAST_SHORT_USD}"
    return dollars(usd) if usd < _MOST_SHORT else f"${compact(usd)}"


def ratio(value: float) -> str:
    """Write a ratio; from ten million on as a power of ten.

    >>> [ratio(x) for x in (1, 1.052, 128.7, 89999.6, 3.9e12)]
    ['1', '1.05', '129', '90,000', '3.9 × 10¹²']
    """
    if value < _MOST_WHOLE:
        return _figure(value)
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(_SUPERSCRIPTS)}"


def power_tick(value: float) -> str:
    """Write a mark of a logarithmic axis.

    >>> [power_tick(x) for x in (0.1, 1_000, 1e6, 1e24)]
    ['0.1', '1,000', '1,000,000', '10²⁴']
    """
    text = ratio(value).removeprefix("1.0 × ")
    return text.rstrip("0") if value < 1 else text


def short_ratio(value: float) -> str:
    """Write a ratio in at most seven places, for maps and narrow tables.

    >>> [short_ratio(x) for x in (0.00002, 15.4, 1_655_785)]
    ['<0.01', '15.4', '1.66 M']
    """
    return compact(value) if value < LEAST_COMPACT or value >= _MOST_SHORT else ratio(value)


def cents(usd: float) -> str:
    """Write an amount as a price list does, without its sign.

    >>> cents(1234.5), cents(0)
    ('1,234.50', '0.00')
    """
    return f"{usd:,.2f}"


def rounded(value: float) -> str:
    """Write a number as the nearest whole one.

    >>> rounded(20380.4), rounded(0.2)
    ('20,380', '0')
    """
    return f"{value:,.0f}"


def with_decimals(value: float, decimals: int) -> str:
    """Write a number with so many decimals, as in a column of figures of one size.

    >>> with_decimals(1234.56, 1), with_decimals(0.7, 3)
    ('1,234.6', '0.700')
    """
    return f"{value:,.{decimals}f}"


def given(value: float, digits: int = 6) -> str:
    """Write a number that somebody gave, or a term of a formula: at most so many significant digits.

    >>> given(365.25), given(150_000), given(0.123456789, 3)
    ('365.25', '150,000', '0.123')
    """
    return f"{value:,.{digits}g}"


def bare(value: float, digits: int = 6) -> str:
    """Write a number without separators, as one would type it.

    >>> bare(1825), bare(0.0625), bare(0.123456, 4)
    ('1825', '0.0625', '0.1235')
    """
    return f"{value:.{digits}g}"


def given_amount(usd: float) -> str:
    """Write dollars that somebody gave: every digit of them.

    >>> given_amount(17000), given_amount(0.125)
    ('$17,000', '$0.125')
    """
    return f"${given(usd, 10)}"


def result(value: float) -> str:
    """Write the result of a formula that is worked out step by step: two decimals, or two digits.

    >>> result(1234.567), result(0.00123), result(0)
    ('1,234.57', '0.0012', '0.00')
    """
    return with_decimals(value, 2) if value >= 0.01 or value == 0 else bare(value, 2)


def printed_figure(value: float) -> str:
    """Write a figure next to one that a paper printed: five digits, and a power of ten from a billion on.

    >>> [printed_figure(x) for x in (12, 0.1234567, 12345.6, 3.9e12)]
    ['12', '0.12346', '12,346', '3.90 × 10^12']
    """
    if abs(value) >= 1e9:
        digits, power = f"{value:.2e}".split("e")
        return f"{digits} × 10^{int(power)}"
    if value == round(value) or abs(value) >= _MOST_SHORT:
        return rounded(value)
    return given(value, 5) if abs(value) >= 1e-4 else bare(value, 2)


def figure(value: float | None) -> str:
    """Write a count or a measure of a release; a dash where there is none.

    >>> figure(1442), figure(0.04), figure(20380.0), figure(None)
    ('1,442', '0.04', '20,380', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return rounded(value) if 10_000 <= abs(value) < 1e15 else bare(value, 4)


def any_number(value: float) -> str:
    """Write a number of no known kind: large or whole ones in full, others with five digits, none as a power.

    >>> [any_number(x) for x in (12.0, 123456.7, 0.1234567, -0.0000001)]
    ['12', '123,457', '0.12346', '−<0.000001']
    """
    if value == int(value) or abs(value) >= 1e5:
        return rounded(value)
    if abs(value) < _LEAST_IN_FULL:
        return f"{'−' if value < 0 else ''}{people(abs(value))}"
    return given(value, 5)


def nearest_percent(share: float) -> str:
    """Write a share (0..1) as whole percent; one that is not 0 is never written as 0.

    >>> nearest_percent(0), nearest_percent(0.001), nearest_percent(0.347)
    ('0%', '<1%', '35%')
    """
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


# Changes and deviations have their sign.


def signed_change(share: float) -> str:
    """Write a change as percent; a smaller one has more digits.

    >>> [signed_change(x) for x in (0.123, -0.0012, 0.0001, 0.000002)]
    ['+12.3%', '-0.12%', '+0.010%', '+0.0002%']
    """
    figure = 100 * share
    if figure and abs(figure) < 0.001:
        return f"{figure:+.1g}%"
    digits = 1 if abs(figure) >= 10 else 2 if abs(figure) >= 0.1 else 3
    return f"{figure:+.{digits}f}%"


def signed_deviation(share: float) -> str:
    """Write how far a figure is from another: a share of it, or how many times it is from ten times on.

    >>> signed_deviation(0.0123), signed_deviation(-0.5), signed_deviation(12)
    ('+1.23%', '-50.00%', '× 13')
    """
    return f"{100 * share:+.2f}%" if abs(share) < 10 else f"× {given(1 + share, 3)}"


def signed_tick(share: float) -> str:
    """Write a mark of an axis of changes as percent.

    >>> signed_tick(0.05), signed_tick(-0.05), signed_tick(0)
    ('+5%', '−5%', '0')
    """
    return f"{100 * share:+g}%".replace("-", "−") if share else "0"


def signed_points(share: float) -> str:
    """Write a change of a share (0..1) in points of percent.

    >>> signed_points(0.01234), signed_points(-0.5), signed_points(0)
    ('+1.23', '−50', '0')
    """
    return f"{100 * share:+.3g}".replace("-", "−") if share else "0"


def interval(low: float, high: float, write: Formatter) -> str:
    """Write both ends of a figure that is not known exactly, the smaller first, or one if they read alike.

    >>> interval(0.0213, 0.345, percent), interval(2.5, 0.5, dollars)
    ('2.13–34.5%', '$0.50–2.50')
    """
    first, last = write(min(low, high)), write(max(low, high))
    return first if first == last else f"{first.removesuffix('%')}–{last.removeprefix('$')}"


def with_range(value: float, low: float, high: float, write: Formatter) -> str:
    """Write a figure, and behind it the range over what is assumed, as far as its ends read differently.

    >>> with_range(0.43, 0.40, 0.46, percent), with_range(2.0, 3.0, 1.0, dollars), with_range(0.5, 0.5, 0.5, percent)
    ('43% (40 to 46)', '$2 ($1 to 3)', '50%')
    """
    return f"{write(value)}{range_words(value, low, high, write)}"


def range_words(value: float, low: float, high: float, write: Formatter) -> str:
    """Write the range behind a figure, with a space before it; nothing where its ends read as the figure does.

    >>> range_words(0.43, 0.43, 0.46, percent), range_words(0.43, 0.43, 0.43, percent)
    (' (43 to 46)', '')
    """
    first, last = write(min(low, high)), write(max(low, high))
    if first == last == write(value):
        return ""
    return f" ({first.removesuffix('%')} to {last.removesuffix('%').removeprefix('$')})"


def ranged(figure: Bounds, held: Bounds, write: Formatter) -> str:
    """Write a figure of a profile with its range; of one that an unknown fact leaves open, the ends of the range.

    >>> ranged(Bounds(0.43, 0.43), Bounds(0.40, 0.46), percent), ranged(Bounds(0.2, 0.4), Bounds(0.1, 0.5), percent)
    ('43% (40 to 46)', '10–50%')
    """
    if figure.low != figure.high:
        return interval(held.low, held.high, write)
    return with_range(figure.low, held.low, held.high, write)


def fact_ends(rows: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series]:
    """Return both ends of a column of figures as far as unknown facts leave it open; elsewhere the figure, twice.

    The ends are those of ``{name}_low`` and ``{name}_high``, which else have the range over what is assumed. A table
    without them has the figure alone; one without a status has no such ranges.
    """
    value = rows[name].astype("Float64")
    is_open = rows["status"].isin(OPEN_ENDED).to_numpy() if "status" in rows else np.ones(len(rows), dtype=bool)
    low, high = (rows[end].astype("Float64") if end in rows else value for end in (f"{name}_low", f"{name}_high"))
    return low.where(is_open, value), high.where(is_open, value)


def status_word(status: object) -> str:
    """Return the word in a table where there is no figure.

    >>> [status_word(x) for x in ("not_sold", "county_only", None)]
    ['not sold', 'by county', 'unknown']
    """
    if status is None or pd.isna(status):  # type: ignore[call-overload]
        return "unknown"
    return "by county" if status == "county_only" else str(status).replace("_", " ")


def _figure(value: float) -> str:
    """Three digits from 1 to 100, whole numbers above, two below 1 (0.10 next to 0.14); whole numbers stay whole."""
    if value == 0 or abs(value - round(value)) < 1e-12 * value or value >= 99.95:
        return f"{value:,.0f}"
    if value >= 0.995:
        return f"{value:.2f}" if value < 9.995 else f"{value:.1f}"
    if value < _SMALLEST:
        return f"<{_SMALLEST:f}"
    return f"{value:.{1 - math.floor(math.log10(value))}f}"


# Titles of figures: sentences with the least and the largest value drawn.


def attacker_words(attacker: str) -> str:
    """Return the attacker in words, for the middle of a sentence.

    >>> attacker_words("voter"), attacker_words("voter-adults")
    ('an attacker with the voter list', 'the attacker VOTER-ADULTS')
    """
    from policy_sim.attackers import words_of  # late: numbers are printed where nobody attacks

    return words_of(attacker) or f"the attacker {attacker_title(attacker)}"


def span_words(values: Iterable[float], write: Formatter) -> str:
    """Write the least and the largest value as words, one if they read alike; nothing where none is known.

    >>> span_words([0.2, 0.1, 0.5], str), span_words([1.0], str), span_words([], str)
    ('0.1 to 0.5', '1.0', '')
    """
    numbers = [float(value) for value in values if not pd.isna(value)]
    ends = [write(min(numbers)), write(max(numbers))] if numbers else []
    return " to ".join(dict.fromkeys(ends))


# Text that any page can hold: names come from files, and may have control characters in them.


# Controls (C0 but for the line feed, DEL, C1), lone surrogates and noncharacters: XML 1.0 forbids most, terminals obey
# some.
_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def plain(text: str) -> str:
    """Put the replacement character where a character cannot be printed; a line feed stays.

    >>> plain("ours" + chr(27)) == "ours" + chr(0xFFFD)
    True
    """
    return _UNPRINTABLE.sub("\ufffd", text)
