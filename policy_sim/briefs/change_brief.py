"""What another list does to the risk: a page on the lists of two times in a state or the nation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from policy_sim.attackers import VOTER, Attacker
from policy_sim.attackers.in_file import InFileLike
from policy_sim.briefs.evidence import Brief, BriefOptions, Evidence, Numbers, low_end, low_share
from policy_sim.briefs.paper import brief_of
from policy_sim.briefs.sentences import (
    WORDS,
    and_words,
    counted_words,
    first_up,
    list_section,
    of_state,
    policy_words,
    rules_title,
    the_state,
)
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, DocumentTable, Heading, Paragraph, Picture
from policy_sim.show.numbers import interval, people, percent, whole_people
from policy_sim.show.save import png_bytes
from policy_sim.voter_lists.list_field import LINKED_FIELDS
from policy_sim.words.fields import field_word
from policy_sim.words.status import Status

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.study.answers import ComparisonAnswer
    from policy_sim.study.study import Study


@dataclass(frozen=True)
class Turn:
    """When the two lists of a page hold, as a sentence says it; what the first figures are from, if not as the rest."""

    before: str
    after: str
    source: str | None = None


_ONE = 0.5  # fewer expected people than this are nobody
_MEASURES = (
    ("named correctly", TOTAL_RISK, "section 10"),
    ("only one voter fits", CLAIMS, "section 11"),
    ("correct among these", CORRECT_CLAIMS, "section 11"),
)


def vintage_brief(
    study: Study, state: str, before: str, *, in_file: InFileLike = None, **options: Unpack[BriefOptions]
) -> Brief:
    """Return one page on a state under an earlier list and under the study's: a vintage or scenario each."""
    evidence = Evidence.of(study, state, in_file, **options)
    numbers = Numbers(evidence.source, linked=False)
    earlier, later = before, study.unrestricted_voter.vintage
    differences = study.list_changes(before, evidence.state).to_frame()
    lead = (
        f"This page compares the risk in {the_state(evidence.state)} under its voter list of {earlier} and under that "
        f"of {later}. The people are the same. {who_is_listed(study.voter_of(before), study.voter)} "
        f"{_differs(differences)}"
    )
    source = f"{evidence.people_source}; voter lists of {earlier}"
    turn = Turn(f"with the list of {earlier}", f"with the list of {later}", source)
    page: list[Block] = [
        *_compared(evidence, numbers, lead, (study.voter_of(before), study.voter), turn),
        Heading("What this page does not compare"),
        Paragraph(WORDS["texts"]["lists"]),
    ]
    annex = [*differences_table(differences, earlier, later), *list_section(evidence)]
    title = f"The voter list of {earlier} and of {later}: {of_state(evidence.state)}"
    return brief_of(evidence, title, page, annex, numbers)


def who_is_listed(earlier: Attacker, later: Attacker) -> str:
    """Say whom two lists hold: each the people who were counted nearest to its year."""
    titles = ["everyone" if who.coverage is None else who.coverage.title for who in (earlier, later)]
    if titles[0] == titles[1]:
        return f"Both lists contain {titles[0]}."
    return f"The earlier list contains {titles[0]}, the later one {titles[1]}."


def _differs(differences: pd.DataFrame) -> str:
    """Say whether the list itself is known to have changed."""
    if set(differences["cause"]) <= {"count"}:
        return "No difference is recorded in what the two lists show, cost and allow."
    if not (differences["cause"] == "law").any():
        return "The sources say more about one list than the other; it is unknown whether the list itself changed."
    names = and_words([field_word(item) for item in differences.loc[differences["cause"] == "law", "item"]])
    return f"The state itself changed: {names}."


_CAUSES = {"law": "law, rule or practice", "source": "what the sources say", "count": "records counted"}


def differences_table(differences: pd.DataFrame, before: str, after: str) -> list[Block]:
    """Return what differs between two vintages of a state's list, and why where that is recorded."""
    if not len(differences):
        return []
    rows = differences.to_dict("records")
    table = DocumentTable(
        ("fact", before, after, "what changed"),
        tuple((field_word(row["item"]), row["before"], row["after"], _CAUSES[row["cause"]]) for row in rows),
    )
    whys = tuple(f"{first_up(field_word(row['item']))}: {row['why']}" for row in rows if row["why"])
    return [Heading("What differs between the lists"), table, *([Bullets(whys)] if whys else [])]


def _compared(
    evidence: Evidence, numbers: Numbers, lead: str, holders: tuple[Attacker, Attacker], turn: Turn
) -> list[Block]:
    """Return the sentences and the table of a file under each policy, with one list and with another."""
    pairs = pairs_of(evidence, holders, evidence.in_file)
    scope = file_scope(evidence, numbers, pairs)
    sentences = [sentence_of(old, new, turn) for old, new in pairs]
    return [Paragraph(" ".join([lead, scope, *sentences]), "lead"), file_table(pairs, numbers, turn)]


def pairs_of(
    evidence: Evidence, holders: tuple[Attacker, Attacker], in_file: InFileLike
) -> list[tuple[RiskProfile, RiskProfile]]:
    """Return the profiles with one list and with another, a pair for each policy; ``in_file`` None: everyone."""
    question = evidence.question
    answer = evidence.study.compare(
        question.policies, holders, question.states, 1, rules=question.rules, in_file=in_file
    )
    first, second = (holder.name for holder in holders)
    return [
        (answer.profile(evidence.state, name, first), answer.profile(evidence.state, name, second))
        for name in evidence.policies
    ]


def file_scope(evidence: Evidence, numbers: Numbers, pairs: Sequence[tuple[RiskProfile, RiskProfile]]) -> str:
    """Say how many people the file of a page has, and who has the list."""
    held = numbers.put(whole_people(pairs[-1][1].records), "people in the file", "asked")
    return (
        f"Suppose a file covers {held} people in {the_state(evidence.state)}, and someone with the voter list knows "
        "who is in it."
    )


def file_table(pairs: Sequence[tuple[RiskProfile, RiskProfile]], numbers: Numbers, turn: Turn) -> DocumentTable:
    """Return the people of a file under each policy, with one list and with another."""
    return DocumentTable(
        ("rules", "people of the file", turn.before, turn.after),
        tuple(row for old, new in pairs for row in rows_of(old, new, numbers, turn)),
        "The people, for someone with the voter list who knows who is in it. The first row includes lucky guesses",
        numbers=frozenset({2, 3}),
    )


def sentence_of(old: RiskProfile, new: RiskProfile, turn: Turn) -> str:
    """Say what becomes of the share named under a policy, or why there is none."""
    before, after = old.share(TOTAL_RISK), new.share(TOTAL_RISK)
    words = policy_words(old.policy)
    end = None if after is None else interval(after.low, after.high, percent)
    if before is None:
        then = "" if end is None else f" {first_up(turn.after)}, the share named is {end}."
        return f"Under {words}, there is no figure {turn.before}: {old.reason or old.status}.{then}"
    start = interval(before.low, before.high, percent)
    if end is None:
        why = new.reason or new.status
        return f"Under {words}, the share named was {start}; {turn.after} no one can link records: {why}."
    if start == end:
        return f"Under {words}, the share named stays at {start}."
    return f"Under {words}, the share named goes from {start} to {end}."


def rows_of(old: RiskProfile, new: RiskProfile, numbers: Numbers, turn: Turn, scope: str = "") -> list[tuple[str, ...]]:
    """Return the rows of a policy; ``scope``: of whom the figures are, where not of the file."""
    words = policy_words(old.policy)
    rows = []
    for called, measure, formula in _MEASURES:
        cells = []
        for when, profile, source in ((turn.before, old, turn.source), (turn.after, new, None)):
            figure, share = profile.people(measure), profile.share(measure)
            if figure is None or share is None:
                cells.append(str(profile.status).replace("_", " "))
                continue
            text = f"{interval(figure.low, figure.high, people)} ({interval(share.low, share.high, percent)})"
            text = "fewer than one person" if 0 < figure.high < _ONE else text
            cells.append(numbers.put(text, f"{called} {when}{scope}: {words}", formula, source))
        rows.append((rules_title(old.policy), called, *cells))
    return rows


# Every state with the lists of two times.


def nation_vintage_brief(study: Study, before: str, **options: Unpack[BriefOptions]) -> Brief:
    """Return a page on every state under the lists of an earlier vintage or scenario and under the study's."""
    evidence = Evidence.of(study, None, **options)
    numbers = Numbers(evidence.source, linked=False)
    earlier, question = study.voter_of(before), evidence.question
    answer = study.compare(question.policies, (earlier, VOTER), None, 1, rules=question.rules)
    sides = Sides(answer, earlier.name, before, study.unrestricted_voter.vintage, who_is_listed(earlier, study.voter))
    differences = study.list_changes(before).to_frame()
    pictures = sides.pictures()
    page = (*sides.lead(numbers), *pictures[:2])
    annex = (*pictures[2:], *sides.table(numbers.in_annex(), differences))
    title = f"The voter lists of {before} and of {sides.later}: the nation"
    return brief_of(evidence, title, page, annex, numbers)


@dataclass(frozen=True)
class Sides:
    """Every state with the lists of two times: the answer, the earlier attacker, names, and whom the lists hold."""

    answer: ComparisonAnswer
    holder: str
    earlier: str
    later: str
    holders: str

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of the policies, as they were measured."""
        return tuple(dict.fromkeys(profile.policy for profile in self.answer))

    def shares(self, policy: str) -> dict[str, tuple[RiskProfile, RiskProfile]]:
        """Return the profiles before and after of every state."""
        by_side = {
            who: {p.state: p for p in self.answer if (p.policy, p.attacker) == (policy, who)}
            for who in (self.holder, VOTER)
        }
        return {state: (old, by_side[VOTER][state]) for state, old in by_side[self.holder].items()}

    def exact(self, policy: str) -> dict[str, tuple[RiskProfile, RiskProfile]]:
        """Return the profiles of the states that have one figure at both times."""
        every = self.shares(policy).items()
        return {state: pair for state, pair in every if all(profile.status is Status.OK for profile in pair)}

    def moved(self, policy: str) -> dict[str, float]:
        """Return by how much the share of each state moved, where a reader sees another figure."""
        shares = {state: (low_share(old), low_share(new)) for state, (old, new) in self.exact(policy).items()}
        return {state: new - old for state, (old, new) in shares.items() if percent(new) != percent(old)}

    def lead(self, numbers: Numbers) -> list[Block]:
        """Say under each policy how many people could be matched at both times, and where the share rose or fell."""
        lead = (
            "If the health records of everyone were released: the same people, with the voter lists of "
            f"{self.earlier} and of {self.later}. {self.holders}"
        )
        return [Paragraph(lead, "lead"), Bullets(tuple(self._moved(policy, numbers) for policy in self.policies))]

    def _moved(self, policy: str, numbers: Numbers) -> str:
        words, pairs = policy_words(policy), self.exact(policy).values()
        if not pairs:
            return f"**Under {words}**, no state has one figure at both times."
        whole = sum(old.inhabitants for old, _ in pairs)
        matched = []
        for side, when in enumerate((self.earlier, self.later)):
            right = sum(low_end(pair[side]) for pair in pairs)
            text = f"{people(right)} ({percent(right / whole)})"
            matched.append(numbers.put(text, f"matched, lists of {when}: {words}", "section 4"))
        changes = self.moved(policy).values()
        rose = sum(change > 0 for change in changes)
        return (
            f"**Under {words}**, someone with the voter list would be right for {matched[0]} of the people with the "
            f"lists of {self.earlier} and for {matched[1]} with those of {self.later}, in "
            f"{counted_words(str(len(pairs)), 'state', 'states')} with one figure at both times. The share rose in "
            f"{rose}, fell in {len(changes) - rose} and is the same in {len(pairs) - len(changes)}."
        )

    def pictures(self) -> list[Block]:
        """Draw the last policy: both maps in the same classes, and each state's change."""
        from policy_sim.show.change_figure import change_figure
        from policy_sim.show.maps.figure import total_risk_map, values_of
        from policy_sim.show.maps.fills import share_classes

        policy, frame = self.policies[-1], self.answer.to_frame()
        drawn = frame[(frame["measure"] == str(TOTAL_RISK)) & (frame["policy"] == policy)]
        classes = share_classes(values_of(drawn, "share"))
        named = {self.holder: f"lists of {self.earlier}", VOTER: f"lists of {self.later}"}
        blocks: list[Block] = []
        for holder, when in ((self.holder, self.earlier), (VOTER, self.later)):
            side = drawn[drawn["attacker"] == holder].assign(attacker=VOTER)
            who = f"an attacker with the voter list of {when}"
            picture = png_bytes(total_risk_map(side, policy, VOTER, classes=classes, who=who))
            blocks.append(Picture(picture, f"Map of the states with the lists of {when} under {policy_words(policy)}"))
        both = drawn[drawn["state"].isin(self.moved(policy))]
        if len(both):
            both = both.assign(population=both["attacker"].map(named), attacker=VOTER)
            figure = png_bytes(change_figure(both, policy, VOTER, str(TOTAL_RISK)))
            blocks.append(Picture(figure, f"The states whose share is another with the lists of {self.later}"))
        return blocks

    def table(self, numbers: Numbers, differences: pd.DataFrame) -> list[Block]:
        """Return the states whose list, or share under the last policy, differs, and in what."""
        policy = self.policies[-1]
        linked = differences[differences["item"].isin((*LINKED_FIELDS, "status"))]
        rows = []
        for state, pair in self.shares(policy).items():
            own = linked.loc[linked["state"] == state, ["item", "before", "after", "cause"]]
            if own.empty:
                continue
            cells = [
                numbers.share(profile, f"{state}, lists of {when}: {policy_words(policy)}")
                for when, profile in zip((self.earlier, self.later), pair, strict=True)
            ]
            facts = "; ".join(
                f"{field_word(item)}: {old} to {new}".replace("_", " ") + (" (source)" if cause == "source" else "")
                for item, old, new, cause in own.itertuples(index=False)
            )
            rows.append((of_state(state), *cells, facts))
        if not rows:
            return [Paragraph("No fact that an attacker links on differs between the lists of the two times.")]
        table = DocumentTable(
            ("state", f"lists of {self.earlier}", f"lists of {self.later}", "what differs"),
            tuple(rows),
            f"Share of the people matched under {policy_words(policy)}, where a fact that an attacker links on "
            "differs. (source): the sources say more or less; the list may not have changed",
            numbers=frozenset({1, 2}),
        )
        return [Heading("The states whose lists differ"), table]
