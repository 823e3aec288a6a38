"""Find an age at an earlier event and the time since then that together show an age of the oldest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from policy_sim.release.attack.closed_lists import tokens_of
from policy_sim.release.attack.numbers import UNITS, written_numbers
from policy_sim.release.attack.report import Claim, Finding
from policy_sim.release.attack.written import WrittenFile

_EVENTS = frozenset(
    {
        "at",
        "onset",
        "diagnosis",
        "diagnosed",
        "dx",
        "first",
        "start",
        "started",
        "begin",
        "began",
        "enrollment",
        "enrolled",
        "baseline",
        "entry",
        "initial",
        "intake",
        "retired",
        "retirement",
        "transplant",
        "surgery",
        "operation",
        "injury",
        "hire",
        "hired",
        "married",
        "marriage",
        "menopause",
    }
)
_SINCE = frozenset({"since", "duration", "elapsed", "after", "followup", "follow", "tenure", "postop", "survival"})
_WITH_UNIT = frozenset({"age", "at", "in", "of", "on", "the", "with"})  # words that two names may share by chance
_OLDEST_EVER = 122.5  # years: the longest life that is known, of Jeanne Calment
_MOST = 0.99  # of the sums are ages of people


def attack_ages_later(file: WrittenFile, kinds: Mapping[str, str], claim: Claim) -> Iterator[Finding]:
    """Find ages at an event and years, months, weeks or days since it, which add up to an age that a rule hides.

    The names say so: the file need not have a column of ages today.
    """
    if claim.oldest is None:
        return
    earlier = [c for c in file.columns if (kinds.get(c.name) == "age" or "age" in tokens_of(c.name))]
    earlier = [column for column in earlier if tokens_of(column.name) & _EVENTS]
    for age, since in product(earlier, file.columns):
        words, of_age = tokens_of(since.name), tokens_of(age.name)
        unit = next((UNITS[word] for word in sorted(words) if word in UNITS), 0.0)
        of_event = bool(unit and (words & of_age) - _WITH_UNIT - UNITS.keys())
        if since is age or "age" in words or not (words & _SINCE or of_event):
            continue
        first = np.concatenate([[np.nan], written_numbers(age.texts)])[age.codes]
        later = np.concatenate([[np.nan], written_numbers(since.texts)])[since.codes] * (unit or 1.0)
        sums = (first + later)[(first >= 0) & (later >= 0)]
        old = int((sums >= claim.oldest).sum())
        if old and float((sums <= _OLDEST_EVER).mean()) >= _MOST:
            what = (
                f"{age.name} plus {since.name} shows ages of {claim.oldest} and over in {old:,} row{'s' * (old != 1)}"
            )
            yield Finding((age.name, since.name), what, "Leave one of them out (role direct)")
