"""What an attack yields, costs and pays, and what may be bought: tables, sentences and figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.model.measure import FEW_CLAIMS
from policy_sim.show import theme
from policy_sim.show.document.markup import filled
from policy_sim.show.numbers import bare, compact, dollars, people, percent, rounded
from policy_sim.show.panels import MARGIN, new_page, percent_axis
from policy_sim.show.text_table import WORDS, Column, column, layout, ranges, source_columns, source_lines, wrapped
from policy_sim.words.states import is_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WIDEST_POLICY = 44  # letters of a policy's line in the table of a game


def signed_dollars(value: float) -> str:
    """Write dollars that may be a loss.

    >>> signed_dollars(12.5), signed_dollars(-3000)
    ('$12.50', '−$3,000')
    """
    return f"−{dollars(-value)}" if value < 0 else dollars(value)


def attack_table(rows: pd.DataFrame) -> str:
    """Write one line per attack: the best stop, what it leaves, and the verdict."""
    columns = [
        column(rows, "records", ("in the file", "records"), people),
        column(rows, "attacked", ("attacked", "records"), people),
        column(rows, "matched", ("correct", "matches"), people),
        column(rows, "precision", ("right, of", "attacked"), percent),
        column(rows, "least_chance", ("chance of", "the last"), percent),
        column(rows, "profit_before_price_usd", ("profit", "before price"), signed_dollars),
        _prices(rows),
        column(rows, "profit_usd", ("profit", "after it"), signed_dollars),
        _texts(rows, "verdict", ("", "verdict")),
        *source_columns(rows),
    ]
    return _with_verdicts(rows, columns)


def break_even_table(rows: pd.DataFrame) -> str:
    """Write one line per attack: whether it pays, and the gain, price and size of file at which it begins to."""
    columns = [
        _texts(rows, "verdict", ("", "verdict")),
        column(rows, "precision", ("right, of", "attacked"), percent),
        column(rows, "profit_usd", ("", "profit"), signed_dollars),
        column(rows, "break_even_gain_usd", ("break-even", "gain"), dollars),
        column(rows, "precision_at_break_even", ("right, of", "attacked there"), percent),
        column(rows, "break_even_price_usd", ("break-even", "price"), dollars),
        column(rows, "break_even_records", ("smallest file", "records"), people),
        _prices(rows),
        *source_columns(rows),
    ]
    return _with_verdicts(rows, columns)


def _with_verdicts(rows: pd.DataFrame, columns: Sequence[Column]) -> str:
    names = [name for name in ("state", "policy", "attacker", "unknown_fields") if rows[name].notna().any()]
    keys = [_texts(rows, name, ("", "unknown" if name == "unknown_fields" else name)) for name in names]
    return "\n".join([layout(keys, columns), *wrapped([*verdict_lines(rows), *source_lines(rows)])])


def verdict_lines(rows: pd.DataFrame) -> list[str]:
    """Say for how many states an attack pays, per policy and attacker, and for which gain, cost and file."""
    lines = []
    whole = rows["state"].map(is_whole).astype(bool)
    from_places, rows = bool(whole.any()), rows[~whole]
    for (policy, attacker), part in rows.groupby(["policy", "attacker"], sort=False):
        states = part["state"].nunique()
        by_state = [set(verdicts) for _, verdicts in part.groupby("state", sort=False)["verdict"]]
        pays = by_state.count({"pays"})
        maybe = sum("pays" in verdicts for verdicts in by_state) - pays
        unclear = sum("pays" not in v and "depends on the price" in v for v in by_state)
        none = by_state.count({"no list"})
        head = f"{theme.policy_title(policy)}, {theme.attacker_title(attacker)}"
        where = "this state" if states == 1 else f"{states} states"
        if pays:
            text = f"an attack pays in {where if states == 1 else f'{pays} of {where}'}"
        elif maybe == states:
            text = f"an attack pays in {where} at one end of what is unknown and not at the other"
        elif unclear == states:
            text = f"whether an attack pays in {where} depends on a price that {_why_no_price(part)}"
        elif none == states:
            text = f"no attack, since there is no list in {where}"
        else:
            text = f"no attack {'surely ' if maybe else ''}pays in {where if states == 1 else f'any of {where}'}"
        if 0 < maybe < states:
            text += f"; in {maybe} it pays at one end of what is unknown and not at the other"
        if unclear and unclear < states:
            text += f"; in {unclear} it depends on a price that {_why_no_price(part)}"
        if 0 < none < states:
            text += f"; in {none} there is no list"
        lines.append(f"{head}: {text}. Assumed: {_assumed(part, from_places)}.")
        closed = part[part["restricted_to"].notna() & (part["verdict"] == "pays")]
        if len(closed):
            by_buyer = closed.drop_duplicates("state").groupby("restricted_to", sort=False)["state"].agg(" ".join)
            buyers = "; ".join(f"{states} (only for {buyer})" for buyer, states in by_buyer.items())
            lines.append(f"  Not for the public: {buyers}.")
    return lines


def _why_no_price(rows: pd.DataFrame) -> str:
    statuses = set(rows.loc[rows["verdict"] == "depends on the price", "price_status"])
    if statuses == {"not_modeled"}:
        return "is not modeled, since nobody sells everyone"
    return "no source gives, or of which only a lower bound is known" if "at_least" in statuses else "no source gives"


def _assumed(rows: pd.DataFrame, from_places: bool = False) -> str:
    """Say for which file, gains and costs a verdict holds: they are the same in all rows."""
    first = rows.iloc[0]
    shares = rows["in_file"].astype(float)
    parts = [f"a correct match gains {dollars(float(first['gain_usd']))}"]
    parts.append(f"an attempt costs {dollars(float(first['cost_per_attempt_usd']))}")
    if first["loss_per_wrong_usd"]:
        parts.append(f"a wrong name loses {dollars(float(first['loss_per_wrong_usd']))}")
    if first["penalty_usd"] and first["chance_caught"]:
        parts.append(
            f"the fine per person named is {dollars(float(first['penalty_usd']))}, with chance "
            f"{percent(float(first['chance_caught']))}"
        )
    if from_places:
        parts.append("the file comes from its places in each state, and the attacker knows who is in it")
    elif (shares == 1).all():
        parts.append("everyone is released")
    elif len(set(shares)) == 1:
        parts.append(f"the file contains {percent(float(shares.iloc[0]))} of the people, and the attacker knows who")
    else:
        parts.append("the file contains the same number of people from each state, and the attacker knows who")
    return ", ".join(parts)


def _texts(rows: pd.DataFrame, name: str, head: Sequence[str], most: int = 40) -> Column:
    return column(rows, name, head, WORDS.get(name, str), right=False, most=most)


def _prices(rows: pd.DataFrame) -> Column:
    return Column(("price of", "the list"), ranges(rows, "price_usd", "price_usd", dollars, "price_status"))


def game_table(rows: pd.DataFrame) -> str:
    """Write one line per state and penalty, then the result in words."""
    keys = [
        _texts(rows, "state", ("", "state"), _WIDEST_POLICY),
        _texts(rows, "penalty", ("", "penalty"), _WIDEST_POLICY),
    ]
    columns = [
        _texts(rows, "policy", ("", "best policy"), _WIDEST_POLICY),
        column(rows, "utility", ("detail", "kept"), percent),
        column(rows, "payoff_usd", ("publisher's", "payoff"), signed_dollars),
        column(rows, "attacked", ("attacked", "records"), people),
        column(rows, "matched", ("correct", "matches"), people),
        column(rows, "precision", ("right, of", "attacked"), percent),
        _texts(rows, "deterred_policy", ("best that no", "attack answers"), _WIDEST_POLICY),
        column(rows, "deterred_share", ("of the best", "payoff"), percent),
        column(rows, "gain_over_baseline_usd", ("better than", "Safe Harbor by"), signed_dollars),
        column(rows, "price_usd", ("price of", "the list"), signed_dollars),
        _texts(rows, "price_status", ("price", "status"), _WIDEST_POLICY),
        *source_columns(rows),
    ]
    return "\n".join([layout(keys, columns), "", *wrapped([*game_words(rows), *source_lines(rows)])])


def game_words(rows: pd.DataFrame) -> list[str]:
    """Return what follows from the solutions: one sentence per state, or sums over the states where there are many."""
    lines = []
    for penalty in dict.fromkeys(rows["penalty"]):
        part = rows[rows["penalty"] == penalty]
        head = f"{str(penalty).capitalize()} a penalty"
        lines += _few(part, head) if part["state"].nunique() <= 5 else _many(part, head)
    return lines


def _few(rows: pd.DataFrame, head: str) -> list[str]:
    lines = []
    for row in rows.to_dict("records"):
        where = theme.state_title(row["state"])
        if pd.isna(row["policy"]):
            lines.append(f"{head}, {where}: no policy is known to be the best ({row['reason'] or 'none pays'}).")
            continue
        text = f"{head}, {where}: the publisher does best with {theme.policy_phrase(row['policy'])}"
        text += f" ({percent(float(row['utility']))} of the detail); "
        if row["attacked"]:
            attacked, records, matched = (compact(float(row[name])) for name in ("attacked", "records", "matched"))
            text += f"the recipient attacks {attacked} of {records} records and names {matched} correctly."
        else:
            text += "no attack pays."
        if not pd.isna(row["gain_over_baseline_usd"]) and row["gain_over_baseline_usd"]:
            text += f" That is {signed_dollars(float(row['gain_over_baseline_usd']))} more than with Safe Harbor."
        if not pd.isna(row["deterred_share"]) and row["deterred_policy"] != row["policy"]:
            text += (
                f" The best policy under which no attack pays, {theme.policy_phrase(row['deterred_policy'])}, "
                f"brings {percent(float(row['deterred_share']))} of that payoff."
            )
        lines.append(text)
    return lines


def _many(rows: pd.DataFrame, head: str) -> list[str]:
    solved = rows[rows["policy"].notna()]
    counts = solved["policy"].value_counts()
    named = ", ".join(f"{theme.policy_phrase(policy)} in {number}" for policy, number in counts.items())
    quiet = int((solved["attacked"] == 0).sum())
    better = int((solved["gain_over_baseline_usd"] > 0).sum())
    lines = [f"{head}: of {len(rows)} states, the publisher does best with {named or 'nothing'}."]
    lines.append(
        f"{head}: in {quiet} states no attack pays under the best policy; in {better} the best policy beats "
        f"Safe Harbor."
    )
    if len(solved) < len(rows):
        lines.append(f"{head}: in {len(rows) - len(solved)} states no policy is known to be the best.")
    return lines


def game_page(rows: pd.DataFrame, notes: Sequence[str]) -> str:
    """Return one page in words: the game, the result, and what it rests on."""
    return filled(
        files("policy_sim.show") / "game.html",
        result="\n".join(f"<p>{escape(line)}</p>" for line in game_words(rows)),
        notes="\n".join(f"<li>{escape(note)}</li>" for note in notes),
    )


def budget_table(rows: pd.DataFrame) -> str:
    """Write the lists that are bought, their sums, and those left out with the reason."""
    bought = rows[rows["bought"].astype(bool)]
    columns = [
        column(bought, "price_usd", ("", "price"), dollars, none="few claims"),
        column(bought, "correct_claims", ("", "right claims"), people, none="few claims"),
        column(bought, "precision", ("", "right, of claims"), percent, none="few claims"),
        column(bought, "usd_per_correct_claim", ("", "$ per right claim"), dollars, none="few claims"),
        *source_columns(bought),
    ]
    names = column(bought, "list", ("", "list"))
    table = layout([names], columns) if len(bought) else "(no list is bought)"
    claims, correct = float(bought["claims"].sum()), float(bought["correct_claims"].sum())
    right = f", {percent(correct / claims)} of all claims" if claims >= FEW_CLAIMS else ""
    many = f"{len(bought)} list{'' if len(bought) == 1 else 's'}"
    total = f"together: {many} for {dollars(float(bought['price_usd'].sum()))}, {people(correct)} right claims{right}"
    return "\n".join([table, *wrapped([total, *source_lines(bought), *_not_bought(rows)])])


def _not_bought(rows: pd.DataFrame) -> list[str]:
    """Name the offers that stay where they are: too dear for the money, not needed, with nobody to claim, or none."""
    offered = rows[~rows["bought"].astype(bool) & rows["reason"].isna()]
    empty = offered["correct_claims"] == 0
    lines = [("available, not bought", offered[~empty]), ("available, but no claim would be correct", offered[empty])]
    named = [f"{head}: {', '.join(offers['list'])}" for head, offers in lines if len(offers)]
    left = rows[rows["reason"].notna()]
    reasons = [f"  {name}: {reason}" for name, reason in zip(left["list"], left["reason"], strict=True)]
    return [*named, *([f"left out: {len(reasons)}"] if reasons else []), *reasons]


# The attack curve: correct matches, precision and profit over the number of records attacked.


_PANELS = (("matched", "correct matches"), ("precision", "share of attempts correct"), ("profit_usd", "profit, $"))
_FIGURE_WIDTH = 11.0  # inches
_LEGEND_LINE = 0.2  # inches of a line of the legend
_FIRST, _GAP, _FEET = 0.75, 0.85, 0.5


def attack_figure(curves: pd.DataFrame, stakes: str, footer: Sequence[str] = ()) -> Figure:
    """Draw the yield, the precision and the profit of attacks over the records attacked, the surest first.

    ``curves``: rows with ``state, policy, attacker, unknown_fields, attacked, matched, precision, profit_usd, best``.
    """
    legend = _LEGEND_LINE * -(-len(set(_labels(curves))) // 2)  # inches
    subtitle = (
        f"The attacker starts with the records that it is most likely to match. {stakes}. A dot marks the best "
        "place to stop; the price of the list is not subtracted"
    )
    with new_page(_FIGURE_WIDTH, 4.3 + legend, _sentence(curves), subtitle, footer) as page:
        for (column, title), (left, right) in zip(_PANELS, page.across(len(_PANELS), _FIRST, _GAP), strict=True):
            axes = page.axes(left, page.bottom + _FEET, right, page.top - 0.3 - legend, label=column)
            draw_attack(curves, column, axes).set_ylabel(title)
        at = (MARGIN + _FIRST) / page.width, (page.top - 0.12) / page.height
        named = page.figure.axes[0].get_legend_handles_labels()
        page.figure.legend(*named, loc="upper left", bbox_to_anchor=at, ncols=2, borderaxespad=0.0)
        return page.figure


def draw_attack(curves: pd.DataFrame, column: str, ax: Axes) -> Axes:
    """Draw ``matched``, ``precision`` or ``profit_usd`` over the records attacked on your axes, lines with labels."""
    labels = _labels(curves)
    for place, label in enumerate(dict.fromkeys(labels)):
        rows = curves[[label_of_row == label for label_of_row in labels]]
        color, dashes = theme.line_color(place), theme.line_style(place)
        ax.plot(rows["attacked"], rows[column], color=color, linestyle=dashes, label=label)
        best = rows[rows["best"].astype(bool)]
        ax.plot(best["attacked"], best[column], "o", color=color, markersize=5)
    ax.set(xscale="log", xlabel="records attacked")
    ax.xaxis.set_major_formatter(lambda value, _: compact(value) if value >= 1 else bare(value))
    if column == "precision":
        ax.set_ylim(0, 1.03)
        percent_axis(ax)
    elif column == "matched":
        ax.set_yscale("symlog", linthresh=1)
        ax.set_ylim(0, 2 * max(float(curves[column].max()), 1.0))
        ax.yaxis.set_major_formatter(lambda value, _: compact(value) if value else "0")
    else:
        largest = float(curves[column].max())
        ax.set_ylim(-0.4 * max(largest, 1.0), 1.1 * max(largest, 1.0))
        ax.axhline(0, color=theme.GREY, linewidth=0.6)
        ax.yaxis.set_major_formatter(lambda value, _: _dollar_tick(value))
    return ax


def _dollar_tick(value: float) -> str:
    return f"−{_dollar_tick(-value)}" if value < 0 else f"${compact(value)}" if value >= 1000 else f"${rounded(value)}"


def _labels(curves: pd.DataFrame) -> list[str]:
    """Name each row's attack by what tells the attacks apart."""
    names = []
    for state, policy, attacker, end in curves[["state", "policy", "attacker", "unknown_fields"]].itertuples(
        index=False
    ):
        unknown = "" if pd.isna(end) else f", {end if 'people' in str(end) else f'unknown fields {end}'}"
        where = theme.state_title(state)
        names.append(f"{where}, {theme.policy_title(policy)}, {theme.attacker_title(attacker)}{unknown}")
    return names


def _sentence(curves: pd.DataFrame) -> str:
    best = curves[curves["best"].astype(bool)]
    if best.empty or not (best["profit_usd"] > 0).any():
        return "No record is worth an attempt"
    top = best.sort_values("profit_usd").iloc[-1]
    where = theme.state_title(top["state"])
    return (
        f"The best attack here takes {compact(float(top['attacked']))} records of {where}, names "
        f"{compact(float(top['matched']))} correctly, and gains {dollars(float(top['profit_usd']))} before the price "
        "of a list"
    )


def breach_table(rows: pd.DataFrame) -> str:
    """Write the ways to notify, with a mark on the cheapest that reaches enough."""
    names = {
        "everyone": "everyone in the file with names",
        "linked": "link, and notify those found",
        "candidates": "link, and notify all with these values",
    }
    key = Column(("notify",), tuple(names[name] for name in rows["notify"]), right=False)
    columns = [
        column(rows, "letters", write=people),
        column(rows, "reached", write=percent),
        column(rows, "missed", write=people),
        column(rows, "needless", ("needless", "letters"), people),
        column(rows, "usd", ("cost",), dollars),
        Column(("choice",), tuple("cheapest" if chosen else "" for chosen in rows["choice"]), right=False),
    ]
    return layout([key], columns)


# The publisher's best policy in every state, as a map.


def game_map(solutions: pd.DataFrame, footer: Sequence[str] = (), penalty: str = "without") -> Figure:
    """Color each state by the publisher's best policy, ``with`` or ``without`` a penalty, with the detail it keeps."""
    from policy_sim.show.frontier_figure import best_policy_figure

    rows = solutions[solutions["penalty"] == penalty]
    return best_policy_figure(
        rows.assign(policy=rows["policy"].astype("string").map(theme.policy_title, na_action="ignore")),
        f"The policy that pays the publisher most if the recipient attacks whenever that pays, {penalty} a penalty",
        "Numbers: the detail that the policy keeps, as a share of full sex, race, date of birth and place",
        footer,
        none="releases nothing, or depends on an unknown price",
    )
