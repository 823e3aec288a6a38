"""Link a file with an identified one: journalist and marketer risk, and the shares of uniques, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.groups.size_histogram import SizeHistogram
from policy_sim.records.classes import Classes

__all__ = ["JointSizes", "LinkedRisk", "linked_risk"]


@dataclass(frozen=True, eq=False)
class JointSizes:
    """Number of the file's classes with f records and F people in the identified file.

    Parameters
    ----------
    records, people, classes : f >= 1, F >= 0 (0: nobody there has these values), and the number of classes; shape (m,).
    population : Class sizes of the identified file.
    """

    records: IntArray
    people: IntArray
    classes: IntArray
    population: SizeHistogram

    @classmethod
    def of(cls, file: Classes, population: Classes) -> JointSizes:
        """Pair the classes of two files that share their codes.

        Raises
        ------
        IncompatibleError : the files do not share their fields and codes.
        """
        file.check_same_fields(population)
        people = {tuple(code): int(size) for code, size in zip(population.codes, population.sizes, strict=True)}
        matched_people = np.array([people.get(tuple(code), 0) for code in file.codes], dtype=np.int64)
        pairs, classes = np.unique(np.stack([file.sizes, matched_people]), axis=1, return_counts=True)
        return cls(pairs[0], pairs[1], classes.astype(np.int64), population.histogram)


@dataclass(frozen=True)
class LinkedRisk:
    """Risks of a file whose people are in an identified file; None where undefined.

    Parameters
    ----------
    records, people : n and N.
    outside : Records whose values nobody in the identified file has: they are not from that population.
    surplus : Records beyond the people of their class; they cannot all be from that population.
    journalist : Largest risk of a record, ``1 / min F``.
    marketer : Expected share of records matched correctly, ``(1/n) sum f/F``. A record outside adds nothing, and a
        class with more records than people has at most as many matches as people.
    expected : Records matched correctly, ``n`` times marketer risk.
    lambda1, lambda2, lambda3 : Records unique in file and population, divided by the file's uniques, and by its
        records; and the population's uniques divided by its people.
    """

    records: int
    people: int
    outside: int
    surplus: int
    journalist: float | None
    marketer: float | None
    expected: float
    lambda1: float | None
    lambda2: float | None
    lambda3: float | None


def linked_risk(joint: JointSizes) -> LinkedRisk:
    """Return journalist and marketer risk and the three shares of uniques.

    Examples
    --------
    Three classes of 5, 20 and 23 people have one record each: marketer risk is half of journalist risk.

    >>> ones = np.ones(3, dtype=np.int64)
    >>> people = np.array([5, 20, 23])
    >>> risk = linked_risk(JointSizes(ones, people, ones, SizeHistogram.from_classes(people)))
    >>> risk.journalist, round(risk.marketer, 4)
    (0.2, 0.0978)

    References
    ----------
    Dankar and El Emam (2010), equations 1 and 4 and section 4.2; Dankar et al. (2012), equations 1 to 3.
    """
    f, big, number = joint.records, joint.people, joint.classes
    n, uniques = int(f @ number), int(number[f == 1].sum())
    inside = big > 0
    matched = np.minimum(f, big)[inside] / big[inside]
    expected = float(matched @ number[inside])
    both = int(number[(f == 1) & (big == 1)].sum())
    people = joint.population.records
    return LinkedRisk(
        records=n,
        people=people,
        outside=int((f * number)[~inside].sum()),
        surplus=int((np.maximum(f - big, 0) * number)[inside].sum()),
        journalist=1 / int(big[inside].min()) if inside.any() else None,
        marketer=expected / n if n else None,
        expected=expected,
        lambda1=both / uniques if uniques else None,
        lambda2=both / n if n else None,
        lambda3=joint.population.uniques / people if people else None,
    )
