"""What a brief rests on: the answers of one study, its numbers with their sources, and how it was computed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from policy_sim.attackers import GENERAL, VOTER
from policy_sim.attackers.attacker import Attacker, covered
from policy_sim.attackers.in_file import SMALL_FILE, Catchment, InFile, InFileLike
from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.files.writing import replace_files
from policy_sim.model.measure import TOTAL_RISK, Bounds, Measure, places_among
from policy_sim.model.measuring import part_of
from policy_sim.model.profile import Figure, RiskProfile
from policy_sim.model.whole import whole_profile, with_whole
from policy_sim.show.document import check_format, document_bytes
from policy_sim.show.document.blocks import Block, Bullets, Document, DocumentTable, Heading, Paragraph, link
from policy_sim.show.numbers import Formatter, interval, percent, ranged
from policy_sim.study.question import NATION, Policies, Question
from policy_sim.words.errors import InputError
from policy_sim.words.fields import shows_ethnicity
from policy_sim.words.states import find_state, is_whole, whole_name

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.model.explore.search import Exploration
    from policy_sim.model.money.attack_plan import AttackPlan
    from policy_sim.people.file_chances import FilePlaces
    from policy_sim.study.answers import ComparisonAnswer
    from policy_sim.study.study import Study
    from policy_sim.voter_lists.voter_list import VoterList


@dataclass(frozen=True)
class Brief:
    """A paper of one to three pages for those who decide, and the annex on which it rests.

    >>> Brief.annex_of(Path("out/ohio.pdf")).name
    'ohio-annex.pdf'
    """

    paper: Document
    annex: Document

    @staticmethod
    def annex_of(path: Path) -> Path:
        """Return where the annex of a paper is written: next to it, in the same format."""
        return path.with_name(f"{path.stem}-annex{path.suffix}")

    def write(self, path: Path) -> None:
        """Write paper and annex, both or neither, in the format that the ending of the name says."""
        form = check_format(path)
        documents = {path: self.paper, self.annex_of(path): self.annex}
        replace_files({own: document_bytes(document, form) for own, document in documents.items()})


@dataclass(frozen=True)
class Numbers:
    """The numbers of a brief in the order in which they appear: each has a row in the annex.

    ``source`` is that of numbers that name no other; ``linked``: whether they stand in the annex and lead to the row.

    >>> numbers = Numbers()
    >>> numbers.put("1,442", "people matched", "section 4", "us-2020")
    '[[n1|1,442]]'
    >>> numbers.appendix().rows
    (('1,442', 'people matched', 'section 4', 'us-2020'),)
    """

    source: str = ""
    linked: bool = True
    _rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def put(self, text: str, what: str, formula: str, source: str | None = None) -> str:
        """Take a number and return it as a link to its row; the same number with the same meaning has one row."""
        row = (text, what, formula, self.source if source is None else source)
        if row not in self._rows:
            self._rows.append(row)
        return link(f"n{self._rows.index(row) + 1}", text) if self.linked else text

    def in_annex(self) -> Numbers:
        """Return the same rows for what stands beside them."""
        return replace(self, linked=True)

    def between(self, figure: Bounds, write: Formatter, what: str, formula: str, source: str | None = None) -> str:
        """Take a figure with two ends; one number where they are written alike."""
        return self.put(interval(figure.low, figure.high, write), what, formula, source)

    def ranged(self, figure: Bounds, held: Bounds | None, write: Formatter, what: str, formula: str) -> str:
        """Take a figure with its range over what is assumed of a list, if it has one."""
        return self.put(ranged(figure, held or figure, write), what, formula)

    def share(self, profile: RiskProfile, what: str) -> str:
        """Take the share of everyone that is matched; why there is none, where there is none."""
        share = profile.share(TOTAL_RISK)
        if share is None:
            return str(profile.status).replace("_", " ")
        return self.ranged(share, profile.share_range(TOTAL_RISK), percent, what, "section 4")

    def appendix(self) -> DocumentTable:
        """Return every number with what it counts, how it is computed, and from what."""
        return DocumentTable(
            ("number", "what it is", "how it is computed", "from"),
            tuple(self._rows),
            "Every number of the paper and of this annex. Section numbers are those of docs/model.md.",
            tuple(f"n{place}" for place in range(1, len(self._rows) + 1)),
            frozenset({0}),
        )


NEARLY = 0.995  # from this share (0..1) on, papers say nearly all
NOT_A_DETERMINATION = (
    "This is background for a decision, not a determination under 45 CFR 164.514(b)(1), and not legal advice."
)


NAMES_NOBODY = (
    "These figures say what an attacker could do, so that custodians can prevent it. They name nobody and use no voter "
    "records."
)
RESPONSIBLY = f"{NAMES_NOBODY} {NOT_A_DETERMINATION}"


class BriefOptions(TypedDict, total=False):
    """What every brief may be asked about: policies, the form of the rules, and the day to which ages are counted."""

    policies: Policies | None
    rules: str
    date: dt.date | None


@dataclass(frozen=True)
class Evidence:
    """What a brief on one state, or the nation, draws on, asked once; ages of facts are counted to ``date``."""

    study: Study
    question: Question
    in_file: InFile
    date: dt.date

    @classmethod
    def of(
        cls, study: Study, state: str | None, in_file: InFileLike = None, **options: Unpack[BriefOptions]
    ) -> Evidence:
        """Return the evidence for one state, or for the nation."""
        file = SMALL_FILE if in_file is None else InFile.of(in_file)
        assert file is not None
        if not isinstance(state, str | None):
            raise InputError("name one state, or US for the nation.")
        nation = state is None or state.strip().upper() == NATION
        states: Sequence[str] | None = None if nation else (find_state(state or "").postal,)
        if file.catchment is not None:
            states = tuple(file.catchment.by_state(states))
        question = Question.of(options.get("policies"), None, states, 1, options.get("rules", "regulation"))
        for where, policy in product(question.states or (), question.loaded):
            if policy.in_state(where) is None:
                why = getattr(policy, "why_not", "")
                raise InputError(f"policy {policy.name!r} shows nothing in {where}: {why}. Name another.")
        return cls(study, question, file, options.get("date") or dt.date.today())

    @property
    def size_is_assumed(self) -> bool:
        """Whether nobody said how many people are in the file; ``SMALL_FILE`` itself, and no other 1%, says so."""
        return self.in_file is SMALL_FILE

    @property
    def state(self) -> str:
        """The postal code of the state, or how the rows of several call them as a whole; empty for the nation."""
        return whole_name(self.question.states or ())

    @cached_property
    def parts(self) -> tuple[Evidence, ...]:
        """The evidence of each state of the file; itself where there is one."""
        places = self.places
        if places is None or len(places.by_state) == 1:
            return (self,)
        parts = []
        for state, own in places.by_state.items():
            named = own.stated or own
            shares = {f"{state}: {code}": number for code, number in zip(named.codes, named.in_file, strict=True)}
            total = sum(shares.values())
            catchment = Catchment.of({name: float(number / total) for name, number in shares.items()})
            file = InFile(people=max(round(places.people_of(state)), 2), catchment=catchment)
            part = replace(self, question=replace(self.question, states=(state,)), in_file=file)
            profiles = tuple(profile for profile in self.file if profile.state == state)
            plans = tuple(plan for plan in self.attacks if plan.case.state == state)
            vars(part).update(
                nation=self.nation, released=self.released, file=replace(self.file, profiles=profiles), attacks=plans
            )
            parts.append(part)
        return tuple(parts)

    @cached_property
    def worst_off(self) -> Evidence:
        """The evidence of the state with the largest share matched as proposed: with the lists, where all have one.

        Of a range the upper end is compared.
        """
        policy = self.policies[-1]
        linked = all(part.file.profile(part.state, policy, VOTER).share(TOTAL_RISK) for part in self.parts)
        who = VOTER if linked else GENERAL.name
        return max(self.parts, key=lambda part: high_share(part.file.profile(part.state, policy, who)))

    @cached_property
    def worst_known(self) -> Evidence:
        """The evidence of the state with the largest share matched as proposed by someone who knows everyone."""
        return max(
            self.parts, key=lambda part: high_share(part.file.profile(part.state, self.policies[-1], GENERAL.name))
        )

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of the policies, as they were measured."""
        return tuple(dict.fromkeys(profile.policy for profile in self.nation))

    @cached_property
    def nation(self) -> ComparisonAnswer:
        """Every state, everyone released: total risk alone; with ranges in a brief of the nation."""
        from policy_sim.study.compare import total_risk

        return total_risk(self.study, replace(self.question, states=None), ranges=not self.state)

    @cached_property
    def released(self) -> ComparisonAnswer:
        """The states of the file, everyone released: every measure."""
        question = self.question
        return self.study.compare(
            question.policies, question.attackers, question.states, g=question.g, rules=question.rules
        )

    @cached_property
    def file(self) -> ComparisonAnswer:
        """The state's file, where the attacker knows who is in it; for the nation, everyone's.

        Its notes say what the interval is over.
        """
        if not self.state:
            return self.nation
        answer = self.study.compare(
            self.question.policies,
            self.question.attackers,
            self.question.states,
            (1, *small_groups()),
            rules=self.question.rules,
            in_file=self.in_file,
        )
        return replace(answer, provenance=replace(answer.provenance, studies=(self.study.with_intervals(),)))

    @cached_property
    def interval(self) -> Bounds | None:
        """The interval of total risk as a share of the state's file: the first policy, someone who knows everyone."""
        first, study = self.question.policies[0], self.study.with_intervals()
        states = self.question.states
        answer = study.compare(first, GENERAL.name, states, 1, rules=self.question.rules, in_file=self.in_file)
        profile = answer.profiles[-1]  # of several states the whole
        ends = profile.interval(TOTAL_RISK)
        return None if ends is None else Bounds(*(min(end / profile.records, 1.0) for end in (ends.low, ends.high)))

    @cached_property
    def places(self) -> FilePlaces | None:
        """The places that the people of the file come from; None where they come from all over the state."""
        return self.in_file.settled(self.study.counted, self.question.states or ())[1]

    @cached_property
    def _by_county(self) -> dict[str, pd.DataFrame]:
        """Total risk by county if everyone is released, for someone with the voter list: as ``""``, and at each end."""
        from policy_sim.study.compare import total_risk_by

        holder, people = self.study.voter, self.study.counted
        holders: dict[str, str | Attacker] = {"": VOTER}
        if holder.coverage is not None:
            ends = holder.coverage.alternatives(part_of(people, [self.state]), self.state)
            holders |= {end.name: covered(holder, end) for end in ends}
        return {
            name: total_risk_by(self.study, "county", replace(self.question, attackers=(who,)))
            for name, who in holders.items()
        }

    def outsider(self, policy: str) -> RiskProfile | None:
        """Return what someone with the voter list names who does not know who is in the file, of its people.

        Each person of the file is then as easily named as any other of the county. None where places are no counties.
        """
        if self.places is None:
            return self.everyone(self.state, policy, VOTER)
        if len(self.parts) > 1:
            profiles = [profile for part in self.parts if (profile := part.outsider(policy)) is not None]
            return whole_profile(profiles) if len(profiles) == len(self.parts) else None
        chances, everyone = self.places.only, self.everyone(self.state, policy, VOTER)
        if chances.place != "county":
            return None
        people = float(chances.in_file.sum())
        profile = replace(everyone, in_file=people / everyone.inhabitants, small_file_share=None, figures={})
        by_county = {name: of[of["policy"] == policy].set_index("value") for name, of in self._by_county.items()}
        if everyone.people(TOTAL_RISK) is None or by_county[""].empty:
            return profile
        named = {
            name: Bounds(
                *(float(of.loc[list(chances.codes), end] @ chances.in_file) for end in ("share", "share_high"))
            )
            for name, of in by_county.items()
        }
        return replace(profile, figures={TOTAL_RISK: Figure(named.pop(""), assumed=named)})

    @cached_property
    def elsewhere(self) -> tuple[str, ComparisonAnswer] | None:
        """The file if its people came from all over the state, or if they do, from one three-digit ZIP code, named."""
        from policy_sim.study.compare import answer, from_one_zip3

        if len(self.parts) > 1:
            spread = [part.elsewhere[1] for part in self.parts if part.elsewhere is not None]
            profiles = with_whole([profile for own in spread for profile in own], whole_profile)
            return "", replace(spread[0], profiles=profiles)
        question = replace(self.question, in_file=self.in_file, attackers=(GENERAL.name,), g=(1,))
        if self.places is None:
            alone = from_one_zip3(self.study, question)
            return None if alone is None else (alone[0], answer(self.study, alone[1]))
        people = self.in_file.settled(self.study.counted, self.question.states or ())[0].people
        return "", answer(self.study, replace(question, in_file=InFile(people=people)))

    @cached_property
    def searched(self) -> Exploration:
        """Every way to show sex, race, birth and place, measured on the file for someone who knows everyone."""
        if len(self.parts) > 1:
            return self.worst_known.searched
        from policy_sim.model.explore.axes import Needs
        from policy_sim.study.explore import searched_ways

        needs, question = Needs.of(["sex"]), replace(self.question, in_file=self.in_file)
        ways = searched_ways(self.study, question, self.question.loaded[-1], needs, only_total=True)[1]
        return ways.meeting(needs)

    @cached_property
    def listed(self) -> VoterList:
        """The state's voter list."""
        return self.study.unrestricted_voter.voter_list(self.state)

    @cached_property
    def attacks(self) -> tuple[AttackPlan, ...]:
        """The best attack on the file under each policy, with the state's voter list."""
        answer = self.study.attack(
            self.question.states, self.question.policies, VOTER, rules=self.question.rules, in_file=self.in_file
        )
        return tuple(plan for plan in answer.results if not is_whole(plan.name[2]))

    @cached_property
    def shows_ethnicity(self) -> bool:
        """Whether a policy shows ethnicity, by itself or as an answer to race."""
        return any(shows_ethnicity(policy.releases) for policy in self.question.loaded)

    def broken_down(self, by: str) -> pd.DataFrame:
        """Total risk by race or ethnicity under the last policy, for the attacker who holds everyone."""
        from policy_sim.study.compare import total_risk_by

        question = replace(self.question, policies=self.question.policies[-1:], attackers=(GENERAL.name,))
        return total_risk_by(self.study, by, question)

    def rank(self, policy: str, attacker: str) -> tuple[tuple[int, int] | None, int]:
        """Return the best and the worst place that the state may have by its share, and how many states have a figure.

        The largest share has place 1. Ranges over what is assumed of lists are not counted.
        """
        shares = {
            profile.state: share
            for profile in self.nation
            if (profile.policy, profile.attacker) == (policy, attacker)
            and (share := profile.share(TOTAL_RISK)) is not None
        }
        own = shares.pop(self.state, None)
        return (None, len(shares)) if own is None else (places_among(own, shares.values()), len(shares) + 1)

    def everyone(self, state: str, policy: str, attacker: str) -> RiskProfile:
        """Return one profile of everyone released; of states that the file is not from, total risk alone."""
        answer = self.released if state in (self.question.states or ()) else self.elsewhere_released(state)
        return answer.profile(state, policy, attacker)

    def elsewhere_released(self, state: str) -> ComparisonAnswer:
        """Return total risk of a state that the file is not from, everyone released, with ranges."""
        from policy_sim.study.compare import total_risk

        if not self.state:
            return self.nation
        if state not in self._elsewhere:
            self._elsewhere[state] = total_risk(self.study, replace(self.question, states=(state,)), ranges=True)
        return self._elsewhere[state]

    @cached_property
    def _elsewhere(self) -> dict[str, ComparisonAnswer]:
        return {}

    @property
    def people_source(self) -> str:
        """What the people are from."""
        return self.study.counted.provenance.name

    @property
    def source(self) -> str:
        """What people and voter lists are from."""
        return f"{self.people_source}; voter lists of {self.study.unrestricted_voter.vintage}"

    @property
    def footer_facts(self) -> str:
        """The program, and what people and voter lists are from, as the foot of a page says it."""
        lists = self.study.unrestricted_voter.vintage
        return f"policy_sim {version('policy-sim')} · {self.people_source} · voter lists of {lists}"


def low_end(profile: RiskProfile) -> float:
    """Return the people matched, of a range the least; the profile has a figure."""
    figure = profile.people(TOTAL_RISK)
    assert figure is not None
    return figure.low


def low_share(profile: RiskProfile) -> float:
    """Return the share matched, of a range the least; 0 where there is no figure."""
    share = profile.share(TOTAL_RISK)
    return 0.0 if share is None else share.low


def high_share(profile: RiskProfile) -> float:
    """Return the share matched, of a range the most; 0 where there is no figure."""
    share = profile.share_range(TOTAL_RISK)
    return 0.0 if share is None else share.high


def framing(evidence: Evidence, numbers: Numbers, address: str, use: str = RESPONSIBLY) -> list[Block]:
    """Return the last sections of an annex; ``use``: what its figures are for."""
    people = evidence.study.counted.provenance
    modeled = (
        "The census does not publish counts by all of these at once everywhere, so part of the population is modeled: "
        f"{people.describe(evidence.question.states or ())}."
    )
    rules = (
        "Paper and annex use the rules as 45 CFR 164.514 states them."
        if evidence.question.rules == "regulation"
        else "Paper and annex use the rules as Benitez and Malin (2010) simplify them, without ZIP codes."
    )
    notes = evidence.file.provenance.notes
    return [
        Heading("How this was computed", key="methods"),
        Paragraph(
            "People who share all values that the attacker can see form a group. The attacker guesses within the "
            "group at "
            f"random (Golle 2006; Benitez and Malin 2010). {rules} {modeled}"
        ),
        Bullets(tuple(f"{note[0].upper()}{note[1:]}." if not note.endswith(".") else note for note in notes)),
        Heading("Use it responsibly"),
        Paragraph(use),
        Heading("How to cite"),
        Paragraph(
            f"policy_sim {version('policy-sim')}. {address}. {evidence.date:%B} {evidence.date.day}, "
            f"{evidence.date.year}. "
            f"Population {people.name} ({people.publisher}); voter lists of "
            f"{evidence.study.unrestricted_voter.vintage}."
        ),
        Heading("Every number"),
        numbers.appendix(),
    ]


def footer(evidence: Evidence) -> str:
    """Return the line at the foot of every page."""
    return f"Background for a decision, not a determination · {evidence.footer_facts} · {evidence.date}"


# Limits in use elsewhere for the risk of a release (``data/thresholds.toml``), and where a figure stands to them.


@dataclass(frozen=True)
class Threshold:
    """A limit that somebody uses, in words, what it counts, and its source.

    ``shares`` are limits of the mean risk of a record (0..1), from the largest; ``least`` is that of the people in a
    group. A threshold has one of the two.
    """

    who: str
    limit: str
    counts: str
    citation: str
    shares: tuple[float, ...] = ()
    least: int = 0

    def stand(self, profile: RiskProfile) -> str:
        """Say how a profile of a file compares: its mean risk, or its people in smaller groups.

        Of a range over what is assumed of a list, the upper end is compared.
        """
        if self.least:
            small = _upper(profile, Measure.distinct(self.least - 1))
            if small is None:
                return "no figure"
            most = "nearly all" if small.low >= NEARLY else interval(small.low, small.high, percent)
            return f"{most} in smaller groups"
        risk = _upper(profile, TOTAL_RISK)
        if risk is None:
            return "no figure"
        places = {sum(share <= limit for limit in self.shares) for share in (risk.low, risk.high)}
        if len(places) > 1:
            return "unknown: the figure is a range"
        below = places.pop()
        if len(self.shares) == 1:
            return "below" if below else "above"
        return {0: "above both", len(self.shares): "below both"}.get(below, "between the two")


def _upper(profile: RiskProfile, measure: Measure) -> Bounds | None:
    """Return the upper end of the range of a figure; with an unknown fact, the lower end of the figure and that."""
    share, held = profile.share(measure), profile.share_range(measure)
    if share is None or held is None:
        return None
    return Bounds(share.low if share.low != share.high else held.high, held.high)


@cache
def thresholds() -> tuple[Threshold, ...]:
    """Return every limit, in the order of the file."""
    path = Path("thresholds.toml")
    with damaged_if_wrong(path):
        return tuple(
            Threshold(**(entry | {"shares": tuple(entry.get("shares", ()))}))
            for entry in shipped_table(path)["threshold"]
        )


def small_groups() -> tuple[int, ...]:
    """Return the largest group that is below a limit, for each limit of groups."""
    return tuple(sorted({limit.least - 1 for limit in thresholds() if limit.least}))


def goals() -> tuple[float, ...]:
    """Return the limits of a mean risk, each once, from the largest."""
    return tuple(sorted({share for limit in thresholds() for share in limit.shares}, reverse=True))
