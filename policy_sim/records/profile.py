"""The profile of a file: its classes, its prosecutor risk, and the fields that cause it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from policy_sim.errors import NotEstimableError
from policy_sim.records.classes import Classes
from policy_sim.records.combinations import MOST_COMBINATIONS, Combination
from policy_sim.records.missing import MISSING_RULES, RecordSizes, class_sizes
from policy_sim.records.prosecutor import ProsecutorRisk, Threshold, prosecutor_risk
from policy_sim.records.suda import SudaScores, suda_scores

__all__ = ["FieldRisk", "FileProfile", "profile_classes", "profile_sizes"]

# A field with nearly all different values looks like a name or number of the person.
_IDENTIFIER_SHARE = 0.95
_FEW_RECORDS = 10


@dataclass(frozen=True, eq=False)
class FieldRisk:
    """The risk that one field adds.

    Parameters
    ----------
    values, missing : Number of distinct values, and of records without a value.
    alone, without : The classes on this field alone, and on all fields but this one (None for the only
        field).
    score_share : Share (0..1) of all SUDA scores from sets with this field; None if there are no scores.
    """

    name: str
    values: int
    missing: int
    alone: Combination
    without: Combination | None
    score_share: float | None = None


@dataclass(frozen=True, eq=False)
class FileProfile:
    """Every figure for one file and one set of key fields.

    ``classes`` is None under wildcards, where sizes belong to records and there are no classes. If ``combinations``
    and ``suda`` are None, ``reason`` says why. Every figure follows the rule of ``sizes`` for missing values.
    """

    fields: tuple[str, ...]
    sizes: RecordSizes
    classes: int | None
    risk: ProsecutorRisk
    threshold: Threshold
    cutoff: Threshold
    by_field: tuple[FieldRisk, ...]
    combinations: tuple[Combination, ...] | None
    suda: SudaScores | None
    reason: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should check: fields that look like identifiers."""
        n = self.sizes.number + self.sizes.excluded
        return tuple(
            f"field {field.name!r} has a different value in nearly every record: is it an identifier? Leave it out."
            for field in self.by_field
            if n >= _FEW_RECORDS and field.values >= _IDENTIFIER_SHARE * n
        )

    @property
    def rule(self) -> str:
        """How missing values are treated, in words."""
        left_out = f" ({self.sizes.excluded:,} records)" if self.sizes.rule == "exclude" else ""
        return MISSING_RULES[self.sizes.rule] + left_out


def profile_classes(
    classes: Classes,
    rule: str,
    threshold: Threshold,
    cutoff: Threshold,
    most: int = MOST_COMBINATIONS,
    progress: Callable[[str], None] = lambda _: None,
) -> FileProfile:
    """Profile a file whose classes are in memory.

    Parameters
    ----------
    most : Largest number of combinations of fields; 0 leaves out combinations and scores.
    progress : Called with the name of each step.

    Raises
    ------
    UnknownNameError : the rule for missing values does not exist.
    NotEstimableError : wildcards in too many combinations of fields.
    """
    sizes = class_sizes(classes, rule)
    judged = classes.complete() if rule == "exclude" else classes
    suda, walked, reason = None, None, ""
    try:
        if most:
            suda, walked = suda_scores(judged, sizes.rule, most, progress)
        else:
            reason = "no combinations and scores: left out"
    except NotEstimableError as why:
        reason = f"no combinations and scores: {why}"
    by_names = {frozenset(combination_risk.fields): combination_risk for combination_risk in walked or ()}

    def combination(names: Sequence[str]) -> Combination:
        stored = by_names.get(frozenset(names))
        return stored or _combination(names, class_sizes(judged.only(names), rule))

    by_field = _by_field(classes.fields, classes.values, classes.missing, combination, suda)
    return FileProfile(
        classes.fields,
        sizes,
        None if rule == "wildcard" else judged.number,
        prosecutor_risk(sizes, threshold, cutoff),
        threshold,
        cutoff,
        by_field,
        None if walked is None else tuple(walked),
        suda,
        reason,
    )


def profile_sizes(
    fields: Sequence[str],
    values: Sequence[int],
    missing: Sequence[int],
    sizes_of: Callable[[Sequence[str]], RecordSizes],
    threshold: Threshold,
    cutoff: Threshold,
    reason: str,
) -> FileProfile:
    """Profile a file with too many classes for memory, from sizes that an engine counts.

    Parameters
    ----------
    sizes_of : Function that counts the sizes on some of the fields.
    reason : Why there are no combinations and scores.
    """
    sizes = sizes_of(fields)

    def combination(names: Sequence[str]) -> Combination:
        return _combination(names, sizes_of(names))

    by_field = _by_field(fields, values, missing, combination, None)
    classes = int((sizes.records // sizes.size).sum())
    risk = prosecutor_risk(sizes, threshold, cutoff)
    return FileProfile(tuple(fields), sizes, classes, risk, threshold, cutoff, by_field, None, None, reason)


def _combination(names: Sequence[str], sizes: RecordSizes) -> Combination:
    uniques = int(sizes.records[sizes.size == 1].sum())
    if sizes.rule == "wildcard":
        average = float((sizes.records / sizes.size).sum()) / sizes.number if sizes.number else None
        return Combination(tuple(names), None, uniques, average)
    classes = int((sizes.records // sizes.size).sum())
    return Combination(tuple(names), classes, uniques, classes / sizes.number if sizes.number else None)


def _by_field(
    fields: Sequence[str],
    values: Sequence[int],
    missing: Sequence[int],
    combination: Callable[[Sequence[str]], Combination],
    suda: SudaScores | None,
) -> tuple[FieldRisk, ...]:
    risks = []
    for name, number, lost in zip(fields, values, missing, strict=True):
        others = [other for other in fields if other != name]
        without = combination(others) if others else None
        share = suda.shares.get(name) if suda else None
        risks.append(FieldRisk(name, number, lost, combination([name]), without, share))
    return tuple(risks)
