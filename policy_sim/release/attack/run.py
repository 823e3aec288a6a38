"""Attack a written file: the only way to a report, and so to a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from policy_sim.formulas.known_rows import KNOWN
from policy_sim.release.attack.ages_later import attack_ages_later
from policy_sim.release.attack.columns import attack_column, doubts_of
from policy_sim.release.attack.report import AttackReport, Claim, Finding
from policy_sim.release.attack.together import (
    KNOWN_KINDS,
    attack_aside,
    attack_classes,
    attack_header,
    attack_names,
    attack_pairs,
    attack_rows_of_nobody,
    classes_with,
    joined_rows,
)
from policy_sim.release.attack.written import WrittenColumn, WrittenFile, read_written
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import SourceError
from policy_sim.words.telling import each

_ALWAYS = (
    "names of columns: identifiers, dates, a missing header, one column per person",
    "values: every detector of identifiers, names, places and dates, and hidden characters",
    "columns together: one that contains or determines a treated one, ages together with years",
    "outside the cells: notes, other sheets, properties",
)
_JOINS = (
    "what joins the rows of one person: columns, each, each two of at most 20 and several together; sums, differences, "
    "products and quotients of each two of at most 20 columns of numbers or dates, exact or rounded, also in two units "
    "of time; beginnings and ends of numbers; chains from columns to others, or to a sum or difference of two; the "
    "order of the rows"
)
_OTHER_JOINS = (
    "other ways to join the rows of one person",
    "three or more numbers together (a weight, its unit and a body mass index), chains with a product or a step that "
    "is the same in all rows, joins of a part of a person's rows (two episodes of one person), columns with fewer than "
    "half numbers or with codes such as 99999, numbers that only stay nearly the same, texts with words in common, and "
    "the order of a person's events were not compared",
)


def attack(path: Path, claim: Claim, people: IntArray | None = None) -> AttackReport:
    """Open a written file, attack it, and report what was tried and found.

    An attack that fails gives a report that says so: no verdict but "not tested" can be made from it.

    Parameters
    ----------
    path : The written file: CSV, a workbook or Parquet.
    claim : What the release says of it.
    people : A number from 1 for the person of each of its rows, 0 for nobody, where several may be of one person and no
        column of it says whose.
    """
    try:
        file = read_written(path)
        if people is not None and file.columns and len(people) != len(file.columns[0].codes):
            return AttackReport(broken="the list of the people of its rows is of another file")
        return _attacked(replace(file, people=people), claim)
    except SourceError as error:
        return AttackReport(broken=str(error).rstrip("."))
    except Exception as error:  # whatever goes wrong, nothing may be called safe; its message may quote a record
        return AttackReport(broken=f"the attack failed ({type(error).__name__})")


def _attacked(file: WrittenFile, claim: Claim) -> AttackReport:
    if not file.columns:
        return AttackReport(broken="the file has no column")
    kinds: dict[str, str] = {}
    findings: list[Finding] = [*attack_header(file), *attack_names(file), *attack_aside(file)]
    columns = [column.with_values_of_sets(claim.sets.get(column.name, {})) for column in file.columns]
    for column in each(columns, "attacking the written file"):
        kinds[column.name], of_column = attack_column(column, claim)
        findings += of_column
    findings += [*attack_pairs(file, kinds, claim), *attack_ages_later(file, kinds, claim)]
    findings += [*attack_classes(file, claim), *attack_rows_of_nobody(file, claim)]
    explained = kinds | {name: f"class of at least {claim.k:,}" for name in claim.keys if claim.k}
    explained |= dict.fromkeys(claim.pseudonyms, "keyed pseudonym")
    against = guessed_otherwise(file.columns, kinds, claim)
    on_word = {
        name: claim.words[name].by
        for name in file.names
        if name in claim.words and (name in against or not explained.get(name))
    }
    joined, by_rows = joined_rows(file, claim)
    tried = (*_ALWAYS, *((f"classes of {', '.join(claim.keys)}",) if claim.k and claim.keys else ()))
    if file.named(claim.person) is not None:
        tried += (f"the rows of one person, by {KNOWN[claim.known_rows]}", *([_JOINS] * (claim.known_rows != "all")))
    return AttackReport(
        columns=file.names,
        explained={name: kind for name, kind in explained.items() if kind and name in file.names},
        tried=tried,
        findings=tuple(findings),
        not_tried=_not_tried(file, claim),
        words=on_word,
        against=against,
        as_keys=classes_with(file, list(against), claim) if against and not claim.rule else "",
        by_rows=by_rows,
        of_people=(joined,) if joined else (),
        doubts={c.name: what for c in columns if (what := doubts_of(c, explained.get(c.name, ""), claim))},
    )


def guessed_otherwise(columns: Sequence[WrittenColumn], kinds: Mapping[str, str], claim: Claim) -> dict[str, str]:
    """Return the columns that a person released as no key field, and the program takes for one or for an identifier.

    Under a rule only identifiers are: there the rule says what else may show, whatever others know. A column with one
    value tells nobody apart.
    """
    against = {}
    for column in columns:
        name, word = column.name, claim.words.get(column.name)
        if word is None or name in claim.keys or name in claim.pseudonyms or name in claim.shifted:
            continue
        if not (column.codes != column.codes[:1]).any():
            continue
        if claim.rule and (word.guess != "direct" or kinds[name]):
            continue
        kind = kinds[name] if kinds[name] in KNOWN_KINDS else ""
        if word.guess or kind:
            against[name] = ": ".join(filter(None, (word.guess or "key", kind)))
    return against


def _not_tried(file: WrittenFile, claim: Claim) -> tuple[tuple[str, str], ...]:
    """Say what no look at this file can try."""
    aside = [(what, "the file does not show it") for what in claim.uncounted]
    if claim.person and file.named(claim.person) is None:
        why = "the file does not show which rows belong to one person"
        if claim.known_rows != "1":
            why = f"no column of the file names the person; the release counted people, by {KNOWN[claim.known_rows]}"
        aside.append(("the rows of one person", why))
    if file.named(claim.person) is not None and claim.known_rows != "all":
        aside.append(_OTHER_JOINS)
    if not claim.person and claim.k is not None:
        aside.append(("several rows of one person", "no column names the person, so each row counts as one"))
    aside.append(("what others know of the people", "no other file was compared"))
    return tuple(aside)
