"""Which rows of a person an attacker can join, how many of them it may know, and what that does to the figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from policy_sim.formulas.known_rows import KNOWN, smallest_groups
from policy_sim.records.census_values import RACE_FIELDS
from policy_sim.records.check import are_names, sounds_like_person
from policy_sim.records.classes import number_groups
from policy_sim.records.column_kinds import ColumnValues, column_kind
from policy_sim.records.formats import CodedTable
from policy_sim.records.vocabularies import name_words
from policy_sim.release.attack.derived import joined_of
from policy_sim.release.attack.joined import Joined, apart, joined_by
from policy_sim.release.attack.together import tied
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.release.project import Project
from policy_sim.release.targets import RiskTarget, class_of_rows
from policy_sim.release.treatments import UNDECIDED, Variable
from policy_sim.show.numbers import bare
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, UnknownNameError

_ALONE = re.compile(r"(pt|pat|patient|person|subj|subject|participant|client|member|resident)s?( ?(nr|no|num|number))?")
_CODE = re.compile(r"[^\W_]*\d[^\W_]*(-[^\W_]+)*", re.ASCII)
_OF_PEOPLE = ("sex", *RACE_FIELDS, "age", "birth_date", "birth_year")
_WHOLE, _SIGNS = re.compile(r"(?<=\d)\.0+$"), re.compile(r"[\W_]+")
_NEARLY_ALL, _MOST, _TELLING = (
    0.95,
    0.5,
    0.1,
)  # of people of several rows, of a chance, a chance that tells people apart
_DRAWN = 200  # of the others, with whom each is compared
_ABOUT = 0.02  # of the different values
_AS_ONE = (
    "they count as one person. If some are two people, such as a mother A12 and her child a12, give each in the "
    "file a number that differs by a letter or digit"
)
_NAMING = 2  # key fields that are the same in all rows of a person, and together are nobody else's


def known_of_rows(
    table: CodedTable,
    variables: Sequence[Variable],
    person: str,
    people: IntArray,
    wish: str = "",
    *,
    in_order: bool = False,
) -> tuple[str, str]:
    """Return how many rows of its target an attacker is assumed to know, and why; nothing where each row is a person.

    Of rows that can be joined it is all of them: where the column of the person is released, as it is or as a
    pseudonym, or others that join them (:func:`joining_column`, or several together), or where two key fields or more
    are the same in all rows of each person and together of no one else. The ``wish`` of a project overrides that. What
    key fields join as they are released is known only when they are (:func:`~policy_sim.release.run.deidentified_of`).
    """
    if not _several(people):
        return "", ""
    if wish:
        return wish, "the project says so"
    if joins := joining_column(table, variables, person, people):
        return "all", f"{joins} is released, which joins the rows of a person"
    kept = [_seen(v.name, table) for v in variables if v.treatment in ("keep", "pseudonym")]
    if (together := joined_of(kept, people, in_order=in_order)).counts:
        return "all", str(together)
    constant = _constant_keys(table, variables, people)
    if len(constant) >= _NAMING and class_of_rows(table, constant)[1] == len(np.unique(people)):
        return "all", f"{', '.join(constant)} are the same in all rows of a person and of no one else, which joins them"
    return "1", "no released columns join the rows of more than one in ten of the people who have several"


def joining_column(table: CodedTable, variables: Sequence[Variable], person: str, people: IntArray) -> str:
    """Return the released column that joins the rows of people; empty where none does, or each row is a person.

    It is the column of the ``person``, or another one, released unchanged or as a pseudonym: for more than a tenth
    of the people with several rows it has one value, which is in all of their rows and in no other row.
    """
    released = [variable for variable in variables if variable.treatment != "drop"]
    if not _several(people) or any(variable.name == person for variable in released):
        return person if _several(people) else ""
    kept = [v.name for v in released if v.treatment in ("keep", "pseudonym")]
    found = [joined_by({name: table[name].codes}, people) for name in kept]
    best = max(found, key=lambda one: one.people, default=Joined())
    return best.columns[0] if best.counts else ""


def people_of_rows(table: CodedTable, person: str, *, released: bool) -> IntArray:
    """Return a number for the person of each row; a row without a person counts as one more person.

    Two spellings of a number or name are one person, unless the column is ``released``, where nobody can join them, or
    their rows differ like those of two people (:func:`_are_two`).
    """
    if not person:
        return np.arange(table.rows, dtype=np.int64)
    values = table[person].values
    alike = np.arange(len(values)) if released else _spelled_alike(values)
    if _are_two(table, person, alike):
        alike = np.arange(len(values))
    return apart(np.append(0, alike + 1)[table[person].codes]) - 1


def spelled_twice(table: CodedTable, person: str, *, released: bool) -> tuple[str, ...]:
    """Say how many values of the person's column are another value in another spelling, and what that does."""
    values = table[person].values if person else ()
    alike = _spelled_alike(values)
    again = len(values) - len(set(alike.tolist()))
    if not again:
        return ()
    what = f"{person}: {again:,} values differ from another only in hyphens, spaces, case or zeros in front"
    does = "each has a separate pseudonym: give them one spelling in the file" if released else _AS_ONE
    if not released and _are_two(table, person, alike):
        does = "they count as two, because what is the same in all rows of a person differs between them as by chance"
    return (f"{what}; {does}",)


def _are_two(table: CodedTable, person: str, alike: IntArray) -> bool:
    """Tell whether values that differ only in spelling are of two people each, because their rows differ by chance.

    At least two columns that are the same in all rows of nearly everyone, such as sex and ZIP code, then differ about
    as often as between two people drawn; a person who moved has the same sex. Only values that rows of both spellings
    have count: a source that writes numbers in its way may write ``Male`` for ``M``.
    """
    codes = table[person].codes
    rows = np.flatnonzero(codes > 0)
    used, first, whose, number = np.unique(codes[rows], return_index=True, return_inverse=True, return_counts=True)
    place = np.full(len(alike), -1, dtype=np.int64)
    place[used - 1] = np.arange(len(used))
    again = np.flatnonzero((alike != np.arange(len(alike))) & (place >= 0) & (place[alike] >= 0))
    if not len(again) or not (number > 1).any():
        return False
    texts = table[person].values
    pairs = [sorted((at, int(alike[at])), key=lambda at: (len(texts[at]), texts[at])) for at in again.tolist()]
    first_of, second_of = first[place[np.array(pairs)]].T
    by_chance = []
    for name in table.names:
        values = table[name].codes[rows]
        same = np.bincount(whose.reshape(-1), values != values[first][whose.reshape(-1)]) == 0
        if name != person and same[number > 1].mean() >= _NEARLY_ALL:
            one, other = values[first_of], values[second_of]
            both = np.setdiff1d(np.intersect1d(one, other), 0)
            used_too = np.isin(one, both) & np.isin(other, both)
            one, other = one[used_too], other[used_too]
            chance = float((one[:, None] != other[None, :_DRAWN]).mean()) if len(one) else 0.0
            if chance > _TELLING:
                by_chance.append(float((one != other).mean()) > _MOST * chance)
    return len(by_chance) >= _NAMING and all(by_chance)


def _spelled_alike(values: Sequence[str]) -> IntArray:
    """Return for each value the place of the first that is the same person's number or name.

    Signs between letters or digits are left out only where a value has none: 1-23 and 12-3 are two people.

    >>> _spelled_alike(["123-45-6789", "123456789", "A 7", "a7", "1-23", "12-3", "007", "7.0"]).tolist()
    [0, 0, 2, 2, 4, 5, 6, 6]
    """
    folded = [_WHOLE.sub("", "".join(value.casefold().split())) for value in values]
    bare = [_SIGNS.sub("", text).lstrip("0") for text in folded]
    plain = {short for text, short in zip(folded, bare, strict=True) if text.lstrip("0") == short}
    names = [short if short in plain else text for text, short in zip(folded, bare, strict=True)]
    place: dict[str, int] = {}
    return np.array([place.setdefault(name, at) for at, name in enumerate(names)], dtype=np.int64)


def says_the_same(table: CodedTable, name: str, people: IntArray) -> bool:
    """Tell whether a column has one value for each person, and another for everyone else."""
    column = table[name]
    whose = np.unique(people, return_inverse=True)[1]
    pairs = np.unique(np.stack([whose, column.codes]), axis=1)
    return bool((column.codes > 0).all()) and len(pairs[0]) == len(np.unique(whose)) == len(np.unique(column.codes))


def person_column(columns: Mapping[str, ColumnValues], table: CodedTable) -> str:
    """Return the column that identifies a person with several rows; empty where none seems to.

    Numbers come before names, which two people may share: beside a person's number in each row, or another number with
    about as many values, no name is taken. A number that is called ``pt`` or ``subject`` alone may be something else:
    it is taken where sex, birth and the like are the same in all rows of each of its values.
    """
    kinds = {name: column_kind(values) for name, values in columns.items()}
    direct = [name for name, kind in kinds.items() if kind.kind == "direct identifier" and columns[name].distinct]
    names = [name for name in direct if are_names(kinds[name])]
    numbers = [name for name in direct if name not in names]
    for name in numbers:
        if sounds_like_person(name) and _repeats(columns[name]):
            return name
    about = [_seen(name, table) for name, kind in kinds.items() if kind.accepted and kind.field in _OF_PEOPLE]
    for name, kind in kinds.items():
        if kind.kind in ("number", "code") and _ALONE.fullmatch(name_words(name)) and _repeats(columns[name]):
            texts = columns[name].texts
            if texts and all(map(_CODE.fullmatch, texts)) and tied(_seen(name, table), about):
                return name
    for name in names:
        if sounds_like_person(name) and _repeats(columns[name]):
            alike = [other for other in numbers if _as_many(columns[other], columns[name])]
            if alike or any(map(sounds_like_person, numbers)):
                return next(filter(lambda other: _repeats(columns[other]), alike), "")
            return name
    return ""


def _seen(name: str, table: CodedTable) -> WrittenColumn:
    """Return a column of a table as an attack sees it."""
    return WrittenColumn(name, table[name].values, table[name].codes)


def _repeats(column: ColumnValues) -> bool:
    return int(column.records.max(initial=0)) > 1


def _as_many(column: ColumnValues, other: ColumnValues) -> bool:
    """Tell whether two columns have about the same number of different values."""
    return abs(column.distinct - other.distinct) <= _ABOUT * max(column.distinct, other.distinct)


def check_persons(table: CodedTable, variables: Sequence[Variable]) -> None:
    """Refuse to count each row as a person where a column seems to say whose rows are whose.

    That is a pseudonym with several rows; an identifier in whose rows two key fields or more are the same; and a column
    that nobody decided on, where these are together of no one else too.

    Raises
    ------
    InputError : nobody has said whose rows they are.
    """
    for variable in variables:
        column = table[variable.name]
        several = sum(rows > 1 for rows in column.rows_of_values().values())
        if not several or variable.role not in ("direct", UNDECIDED):
            continue
        whose = np.where(column.codes > 0, column.codes, len(column.values) + 1 + np.arange(table.rows)).astype(
            np.int64
        )
        constant = _constant_keys(table, variables, whose)
        joins = variable.treatment == "pseudonym" or len(constant) >= _NAMING
        if variable.role == UNDECIDED:
            joins = joins and class_of_rows(table, constant)[1] == len(np.unique(whose))
        if joins:
            why = (
                f"{', '.join(constant)} are the same in all rows of each"
                if constant
                else "it joins them as a pseudonym"
            )
            raise InputError(
                f"{variable.name}: {several:,} values have several rows, and {why}. If it names the person, add "
                f'person = "{variable.name}" to the table file of the project, so that people are counted; if each row '
                'is a person, add known = "1" to the table target.'
            )


def _constant_keys(table: CodedTable, variables: Sequence[Variable], people: IntArray) -> list[str]:
    """Return the key fields of several values that are the same in all rows of each person."""
    searched = [variable for variable in variables if variable.is_searched]
    return [
        variable.name
        for variable in searched
        if len(table[variable.name].values) > 1 and _constant(table, variable, people)
    ]


def _several(people: IntArray) -> bool:
    return len(np.unique(people)) < len(people)


def _constant(table: CodedTable, variable: Variable, people: IntArray) -> bool:
    """Return whether every person has one value, or none, in a column."""
    column, whose = table[variable.name], np.unique(people, return_inverse=True)[1]
    columns = [whose.astype(np.int64), column.codes.astype(np.int64)]
    pairs = number_groups(columns, [len(people), len(column.values)], table.rows)[1]
    return pairs == len(np.unique(people))


def people_figures(table: CodedTable, fields: Sequence[str], people: IntArray, least: int) -> dict[str, Any]:
    """Return by how many rows are known: the smallest group of people, those alone, and those in one under ``least``.

    None where pairs of rows are too many to be counted, and for a table without rows.
    """
    rows: dict[str, Any] = {"smallest": {}, "alone": {}, "under": {}}
    groups = smallest_groups(class_of_rows(table, fields)[0], people)
    for known, sizes in groups.items():
        counted = sizes is not None and len(sizes) > 0
        rows["smallest"][known] = int(sizes.min()) if sizes is not None and counted else None
        rows["alone"][known] = int((sizes == 1).sum()) if sizes is not None and counted else None
        rows["under"][known] = int((sizes < least).sum()) if sizes is not None and counted else None
    return rows


def people_text(figures: Mapping[str, Any]) -> str:
    """Say what a release counted where people have several rows, and what counting one row would have claimed."""
    known, least = figures["known"], figures["least"]
    text = (
        f"several rows belong to one person ({figures['rows']:,} rows of {figures['people']:,} people). Classes count "
        f"people, by {KNOWN[known]}, because {figures['why']}"
    )
    if known != "all":
        return f"{text}. {all_rows_text(figures)}"
    other = figures["one_row"]
    if other is None:
        return text
    if other["loss"] is None:
        return f"{text}. For an attacker who knows one row, no release meets the target either"
    loss = "" if figures["loss"] is None else f"The loss is {bare(figures['loss'], 3)}; "
    return (
        f"{text}. {loss}for an attacker who knows one row it would be {bare(other['loss'], 3)}, the smallest class "
        f"would be {other['smallest']['1']:,}, and {other['alone']['all']:,} people would be alone by all of their "
        f"rows, {other['under']['all']:,} among fewer than {least:,}"
    )


def all_rows_text(figures: Mapping[str, Any]) -> str:
    """Say how many people an attacker finds who knows all of their rows.

    >>> all_rows_text({"least": 11, "after": {"alone": {"all": 117}, "under": {"all": 296}}})
    'An attacker who knows all rows of a person finds 117 people alone, and 296 among fewer than 11'
    """
    after, least = figures["after"], figures["least"]
    return f"An attacker who knows all rows of a person finds {after['alone']['all']:,} people alone" + (
        f", and {after['under']['all']:,} among fewer than {least:,}" if least > 1 else ""
    )


def counted_text(figures: Mapping[str, Any] | None) -> str:
    """Say what the classes of a release count where people have several rows, and what that leaves out; else nothing.

    >>> known = {"known": "1", "least": 1, "after": {"alone": {"all": 117}}}
    >>> counted_text(known)
    'Counted: one row of a person. An attacker who knows all rows of a person finds 117 people alone.'
    >>> counted_text(None)
    ''
    """
    if figures is None:
        return ""
    counted = f"Counted: {KNOWN[figures['known']]}."
    is_all = figures["known"] == "all" or figures["after"]["alone"]["all"] is None
    return counted if is_all else f"{counted} {all_rows_text(figures)}."


def target_of_people(target: RiskTarget | None, known: str) -> RiskTarget | None:
    """Return a target for what is known of a person; who knows several rows is counted in people of the file.

    Raises
    ------
    InputError : a condition that is not counted so.
    """
    if target is None or known in ("", "1"):
        return target and replace(target, known=known)
    if target.of_presence or (known == "2" and target.conditions):
        raise InputError(
            "a condition of presence applies to one row of a person, and with two known rows no condition is counted. "
            'Leave the condition out, or add known = "1" to the table target.'
        )
    return replace(target, known=known, sizes="file")


KEY_FILE = "release.key"
_PSEUDONYM = "identifies a person; the keyed pseudonym joins the rows of one (45 CFR 164.514(c))"


def pseudonym_changes(project: Project, column: str, reason: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return what a project file needs to give a column a keyed pseudonym: a key file, and whose rows it joins."""
    if column not in project.looks:
        raise UnknownNameError("column of the project", column, project.looks)
    decision = {"accepted": None, "role": "direct", "treatment": "pseudonym", "reason": reason or _PSEUDONYM}
    changes: dict[tuple[str, ...], dict[str, Any]] = {("variables", column): decision}
    if not project.settings.key_file:
        changes["settings",] = {"key_file": KEY_FILE}
    if not project.file.person:
        changes["file",] = {"person": column}
    return changes


def lost_link_text(person: str, *, may_code: bool = True) -> str:
    """Say that the rows of a person cannot be told in the release; ``may_code``: whether a pseudonym may leave."""
    way = (
        f"To keep the link, give {person} a keyed pseudonym (45 CFR 164.514(c)): classes are then by all rows of a "
        "person, which costs detail"
        if may_code
        else "This rule allows no code that is made from the record (45 CFR 164.514(c)(1)), so a pseudonym cannot keep "
        "the link; a release that aims at a risk can"
    )
    return f"the release does not show which rows belong to one person, because {person} is left out. {way}"
