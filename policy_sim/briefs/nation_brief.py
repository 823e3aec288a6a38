"""The brief of the nation: every state under the same rules, with the lists of one time or of two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from policy_sim.attackers import ATTACKERS, GENERAL, VOTER
from policy_sim.briefs.change_brief import who_is_listed
from policy_sim.briefs.evidence import Brief, BriefOptions, Evidence, Numbers
from policy_sim.briefs.paper import brief_of
from policy_sim.briefs.sentences import and_words, counted_words, of_state, policy_words
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, DocumentTable, Heading, Paragraph, Picture
from policy_sim.show.numbers import people, percent
from policy_sim.show.save import png_bytes
from policy_sim.voter_lists.list_field import LINKED_FIELDS
from policy_sim.words.fields import field_word
from policy_sim.words.status import Status

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.study.answers import ComparisonAnswer
    from policy_sim.study.study import Study


def nation_brief(study: Study, **options: Unpack[BriefOptions]) -> Brief:
    """Return the brief of the nation."""
    evidence = Evidence.of(study, None, **options)
    numbers, maps = Numbers(evidence.source, linked=False), _maps(evidence)
    page = (*_answer(evidence, numbers), *maps[-1:])
    annex = (*_table(evidence, numbers.in_annex()), *maps[:-1])
    return brief_of(evidence, "Releasing health records: the nation", page, annex, numbers)


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
        shares = {state: (_share(old), _share(new)) for state, (old, new) in self.exact(policy).items()}
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
        matched = [
            numbers.put(
                f"{people(right)} ({percent(right / whole)})", f"matched, lists of {when}: {words}", "section 4"
            )
            for when, right in (
                (when, sum(_low(pair[side]) for pair in pairs)) for side, when in enumerate((self.earlier, self.later))
            )
        ]
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
            "differs. (source): the sources tell more or less; the list need not have changed",
            numbers=frozenset({1, 2}),
        )
        return [Heading("The states whose lists differ"), table]


def _answer(evidence: Evidence, numbers: Numbers) -> list[Block]:
    lines = []
    for policy in evidence.policies:
        profiles = [p for p in evidence.nation if (p.policy, p.attacker) == (policy, GENERAL.name)]
        right = sum(_low(profile) for profile in profiles)
        whole = sum(profile.inhabitants for profile in profiles)
        words = policy_words(policy)
        right_people = numbers.put(people(right), f"matches that are right, all states: {words}", "section 4")
        share = numbers.put(percent(right / whole), f"their share: {words}", "section 4")
        lines.append(
            f"**Under {words}**, someone who knows everyone would be right for {right_people} of {people(whole)} "
            f"people ({share})."
        )
    listed = [p for p in evidence.nation if (p.policy, p.attacker) == (evidence.policies[-1], VOTER)]
    with_figures = [profile for profile in listed if profile.status in (Status.OK, Status.INTERVAL)]
    without = len(listed) - len(with_figures)
    places = counted_words(str(without), "state", "states")
    note = f"In {places}, there is no statewide list to link with, or no source says what it contains."
    top = sorted((p for p in with_figures if p.status is Status.OK), key=lambda profile: -_share(profile))[:5]
    ranges = sum(profile.status is Status.INTERVAL for profile in with_figures)
    if ranges:
        note += f" In {counted_words(str(ranges), 'state', 'states')} the share is a range, which is not ranked."
    names = and_words([of_state(profile.state) for profile in top])
    return [
        Paragraph(f"If the health records of everyone were released, in {len(listed)} states and districts:", "lead"),
        Bullets(tuple(lines)),
        Paragraph(f"Someone with only the voter list would match the largest share in {names}. {note}"),
    ]


def _low(profile: RiskProfile) -> float:
    figure = profile.people(TOTAL_RISK)
    assert figure is not None
    return figure.low


def _share(profile: RiskProfile) -> float:
    share = profile.share(TOTAL_RISK)
    return 0.0 if share is None else share.low


def _maps(evidence: Evidence) -> list[Block]:
    from policy_sim.show.maps.figure import total_risk_map

    frame = evidence.nation.to_frame()
    return [
        Picture(
            png_bytes(total_risk_map(frame, policy, VOTER)),
            f"Map of the states with the voter list under {policy_words(policy)}",
        )
        for policy in evidence.policies
    ]


def _table(evidence: Evidence, numbers: Numbers) -> list[Block]:
    cases = [(policy, who) for policy in evidence.policies for who in ATTACKERS]
    rows = []
    for state in dict.fromkeys(profile.state for profile in evidence.nation):
        cells = (
            numbers.share(evidence.everyone(state, policy, who), f"{state}: {policy_words(policy)}, {who}")
            for policy, who in cases
        )
        rows.append((of_state(state), *cells))
    heads = [
        f"{policy_words(policy).removeprefix('the ')}, {'everyone known' if who == GENERAL.name else 'voter list'}"
        for policy, who in cases
    ]
    table = DocumentTable(("state", *heads), tuple(rows), "Share of the people matched", numbers=frozenset(range(1, 5)))
    return [Heading("Every state"), table]
