"""The whole atlas: pages on the nation, policies, lists and method, and all pages written into a folder."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from policy_sim.atlas.answers import IN_FILE, AtlasAnswers, AtlasEvidence, Report
from policy_sim.atlas.page import TITLE, Markup, Page, Part, assets, script_of, sortable
from policy_sim.atlas.state_page import data_files, fact_value, fact_word, share_words, state_page
from policy_sim.attackers import ATTACKERS, GENERAL, VOTER, holding_of
from policy_sim.briefs.evidence import NOT_A_DETERMINATION, RESPONSIBLY, footer
from policy_sim.briefs.sentences import (
    WORDS,
    and_words,
    extreme_words,
    first_up,
    of_state,
    policy_words,
    rules_title,
    shown_of,
)
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import replace_folder
from policy_sim.model.measure import PRECISION, TOTAL_RISK, largest, smallest
from policy_sim.model.profile import Cost, RiskProfile
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Policy
from policy_sim.show.document.blocks import Bullets, DocumentTable, Heading, Paragraph, Verbatim, link
from policy_sim.show.maps.svg_map import map_of_states
from policy_sim.show.numbers import dollars, given, interval, percent, status_word
from policy_sim.show.text_table import rows_text
from policy_sim.study.answers import ComparisonAnswer
from policy_sim.voter_lists.facts import facts_of, lists_frame, newest_date
from policy_sim.voter_lists.list_field import LIST_FIELDS
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES
from policy_sim.words.status import Status

if TYPE_CHECKING:
    from policy_sim.study.study import Study


_TEXTS = shipped_table("pages/atlas.toml")
_COLUMNS: Mapping[str, str] = _TEXTS["columns"]
_CAPTION = f"Share of a file of {percent(IN_FILE)} of each state's people that would be named"


def index_page(answers: AtlasAnswers) -> Page:
    """Return the first page: what the atlas answers, maps, and the table of states."""
    file, costs = answers.file, _costs(answers)
    policies = answers.evidence(None).policies
    cases = [(policy, who) for policy in policies for who in reversed(ATTACKERS)]

    def cells(state: str) -> list[str]:
        return [*(share_words(file.profile(state, *case)) for case in cases), price_words(costs[state])]

    heads = [*(f"{_title(policy)}: {holding_of(who)}" for policy, who in cases), "the voter list costs"]
    parts: list[Part] = [
        Paragraph(_lead(file, policies), "lead"),
        Paragraph(
            "Each state has a page with its answer, the sources behind it, and what a law on its list would change. "
            f"{NOT_A_DETERMINATION}"
        ),
        *_maps(answers, file, [(policy, VOTER) for policy in policies], ""),
        Heading("Every state", key="states"),
        Paragraph(_TEXTS["no_figure"]),
        *_table_of_states(file, heads, cells),
        Heading("What else is here"),
        Bullets(tuple(_TEXTS["elsewhere"])),
    ]
    subtitle = "How many people could be named from “de-identified” health records, in every US state"
    return Page("index.html", TITLE, subtitle, parts)


def _lead(file: ComparisonAnswer, policies: Sequence[str]) -> str:
    """Say what the atlas answers, and where a share is smallest and largest."""
    spans = []
    for policy in policies:
        shares = {
            profile.state: share
            for profile in file
            if (profile.policy, profile.attacker) == (policy, VOTER)
            and (share := profile.share(TOTAL_RISK)) is not None
        }
        if shares:
            least, most = (extreme_words(end(shares), most=end is largest) for end in (smallest, largest))
            ends = f"from {least} of the people to {most}"
            spans.append(f"{ends} under {link(f'policy-{policy}', policy_words(policy))}")
    named = f"They would name {and_words(spans)}." if spans else "How many people would they name?"
    return (
        f"Take a file with the health records of {percent(IN_FILE)} of a state's people, from all over it, without "
        f"names. Someone has the state's voter list and knows who is in the file. {named}"
    )


def _table_of_states(
    file: ComparisonAnswer, heads: Sequence[str], cells: Callable[[str], Sequence[str]]
) -> Sequence[Part]:
    rows = tuple((_linked(state), *cells(state)) for state in _states(file))
    table = DocumentTable(("state", *heads), rows, _CAPTION, numbers=frozenset(range(1, 1 + len(heads))))
    return sortable(table, "states")


def _maps(
    answers: AtlasAnswers, file: ComparisonAnswer, cases: Iterable[tuple[str, str]], root: str
) -> Iterator[Markup]:
    """Return a map for each policy and attacker; ``root``: the way to the folder of the atlas."""
    frame = file.to_frame()
    addresses = {state: f"{root}states/{state.lower()}.html" for state in answers.states}
    yield Markup('<div class="maps">')
    for policy, who in cases:
        rows = frame[(frame["policy"] == policy) & (frame["attacker"] == who)]
        caption = f"{_title(policy)}: share of the file that someone who {holding_of(who)} would name."
        yield Markup(map_of_states(rows, f"{policy}-{who}", caption, addresses))
    yield Markup("</div>")


def _costs(answers: AtlasAnswers) -> dict[str, Cost]:
    return {cost.profile.state: cost for cost in answers.file.costs()}


def price_words(cost: Cost) -> str:
    """Return what the list of a state costs, or why there is no price."""
    if cost.price_usd is None:
        return status_word(cost.price_status)
    if cost.price_status == "free":
        return "free"
    high = cost.price_usd if cost.price_usd_high is None else cost.price_usd_high
    return interval(cost.price_usd, high, dollars) + (" or more" if cost.price_status == "at_least" else "")


def _states(file: Iterable[RiskProfile]) -> list[str]:
    return sorted({profile.state for profile in file}, key=of_state)


def _linked(state: str) -> str:
    return link(f"state-{state}", of_state(state))


def _title(policy: str) -> str:
    if policy in WORDS["policies"]:
        return rules_title(policy)
    return load_policy(policy).title


# Policies: what each shows, and every state under it.


def policies_page(answers: AtlasAnswers, pages: Iterable[str]) -> Page:
    """Return the list of the policies (by name) that have a page."""
    rows = [
        (link(f"policy-{name}", _title(name)), *(words for _, words in shown_of(answers.policies[name])))
        for name in pages
    ]
    heads = ("policy", *(field for field, _ in shown_of(answers.policies["safe-harbor"])))
    table = DocumentTable(heads, tuple(rows), "What a record shows under each policy")
    text = "The first two are the HIPAA rules. The others are alternatives, and the forms that published studies use."
    parts: list[Part] = [Paragraph(text), *sortable(table, "policies")]
    return Page("policies.html", "Policies", "What a release can show", parts)


def policy_page(answers: AtlasAnswers, name: str, file: ComparisonAnswer) -> Page:
    """Return the page of a policy, with the file of each state under it."""
    policy = answers.policies[name]
    measured = next(profile.policy for profile in file if profile.policy.startswith(name))
    holders = (VOTER, GENERAL.name)

    def cells(state: str) -> list[str]:
        return [cell for who in holders for cell in _cells(file.profile(state, measured, who))]

    heads = [f"{holding_of(who)}: {what}" for who in holders for what in ("named", "right, if one candidate")]
    parts: list[Part] = [
        DocumentTable(("field", "what each record shows"), shown_of(policy), "What it shows"),
        *_rules(policy),
        Heading("Every state"),
        *_maps(answers, file, [(measured, who) for who in holders], "../"),
        *_table_of_states(file, heads, cells),
    ]
    subtitle = f"In commands: {name}. {first_up(policy.citation)}."
    return Page(f"policies/{name}.html", _title(name), subtitle, parts, "policy", name)


def _rules(policy: Policy) -> list[Part]:
    """Return the rules of a policy, and what the law asks of whoever releases under it."""
    parts: list[Part] = []
    if policy.rules:
        parts.append(Bullets(tuple(f"{rule.says} ({rule.citation})" for rule in policy.rules)))
    if policy.name in WORDS["laws"]:
        parts += [Heading("What the law asks"), Paragraph(WORDS["laws"][policy.name])]
    return parts


def _cells(profile: RiskProfile) -> tuple[str, str]:
    right = profile.share(PRECISION)
    few = "few claims" if profile.claims_status is Status.FEW_CLAIMS else "–"
    return share_words(profile), few if right is None else interval(right.low, right.high, percent)


def register_page(answers: AtlasAnswers) -> Page:
    """Return the register of voter lists."""
    lists = {state: answers.lists[state] for state in sorted(answers.lists, key=of_state) if state in _codes(answers)}
    frame = lists_frame(lists.values()).set_index("state")
    costs, rows = _costs(answers), []
    for state, listed in lists.items():
        words = [fact_value(str(frame.loc[state, item])) for item in _COLUMNS]
        words[list(_COLUMNS).index("price")] = price_words(costs[state])
        sources = (listed.sources[name] for fact in facts_of(listed) for name in fact.sources)
        rows.append((_linked(state), fact_value(listed.status), *words, newest_date(sources) or "none"))
    heads = ("state", "list", *(fact_word(item) for item in _COLUMNS), "newest source")
    vintage = answers.study.unrestricted_voter.vintage
    numbers = frozenset({heads.index("price")})
    table = DocumentTable(heads, tuple(rows), f"Voter lists of {vintage}", numbers=numbers)
    legend = "yes: a buyer gets the field. withheld: a buyer does not. unknown: no source says."
    parts: list[Part] = [
        Paragraph(f"{legend} Each state's page has the sources, their dates, and the earlier lists."),
        *sortable(table, "lists"),
        Paragraph(f"{link('data-register', 'The register as CSV')}. One state: policy-sim lists show OH.", "small"),
        Heading("What the columns say", key="columns"),
    ]
    for item, text in _COLUMNS.items():
        parts += [
            Heading(first_up(fact_word(item)), 2, f"field-{item}"),
            Paragraph(f"{text} {_counted(lists, item)}".strip()),
        ]
    return Page(
        "register.html",
        "Register of voter lists",
        f"Lists of {vintage}",
        parts,
        links={"data-register": "register.csv"},
    )


def _codes(answers: AtlasAnswers) -> set[str]:
    return {profile.state for profile in answers.everyone}


def _counted(lists: Mapping[str, VoterList], item: str) -> str:
    """Say in how many lists a buyer gets a field."""
    if item not in LIST_FIELDS:
        return ""
    available = [listed for listed in lists.values() if listed.status == "available"]
    counts = Counter(listed.fields[item].availability for listed in available)
    return (
        f"Of {len(available)} lists of a whole state, {counts['included']} give it, {counts['withheld']} do not, and "
        f"of {counts['unknown']} no source says."
    )


def method_page(answers: AtlasAnswers) -> Page:
    """Return the page on how a figure is computed."""
    origin = answers.everyone.provenance
    parts: list[Part] = []
    for term in _TEXTS["terms"]:
        parts += [Heading(term["title"], key=term["key"]), Paragraph(term["text"])]
    people = answers.study.counted.provenance
    parts += [
        Heading("The people", key="people"),
        Paragraph(f"{people.title}. {people.publisher}, {people.date}."),
        Bullets(tuple(people.sources)),
        Heading("What is assumed", key="assumptions"),
        Bullets(tuple(f"{first_up(note).rstrip('.')}." for note in origin.notes)),
        Heading("Use it responsibly"),
        Paragraph(RESPONSIBLY),
        Heading("How to cite", key="cite"),
        Paragraph("The citation on a state's page has the sources of its list too."),
        Verbatim(origin.citation.partition("\nVoter list of")[0]),
    ]
    return Page("method.html", "Method", "How a figure is computed, and what is assumed", parts)


MARK = "atlas.json"  # by which a folder is known to be an atlas


def check_folder(out: Path) -> None:
    """Raise an error where a folder holds something else than an atlas, which would be lost."""
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise InputError(f"{out} is not empty and is not an atlas. Choose another folder.")


def write_atlas(
    study: Study,
    out: Path,
    states: tuple[str, ...] = (),
    *,
    date: dt.date | None = None,
    report: Report = lambda _step, _place, _of: None,
) -> int:
    """Write an atlas into a folder, and return how many bytes it has.

    An atlas that is there gives way when the new one is complete. ``states``: postal codes of those with a page; all by
    default. ``date``: the day to which ages of facts are counted; today by default.
    """
    check_folder(out)
    codes = states or tuple(sorted(study.counted.states))
    answers = AtlasAnswers(study, codes, date or dt.date.today())
    answers.compute(report)
    contents = atlas_files(answers, report)
    replace_folder(out.resolve(), contents)
    return sum(map(len, contents.values()))


def atlas_files(answers: AtlasAnswers, report: Report) -> dict[str, bytes]:
    """Return every file of an atlas by its place in the folder."""
    files = {name: answer for name in answers.policies if (answer := answers.file_under(name)) is not None}
    pages = [
        index_page(answers),
        policies_page(answers, files),
        register_page(answers),
        method_page(answers),
        *(policy_page(answers, name, answer) for name, answer in files.items()),
    ]
    for place, state in enumerate(answers.states):
        report(f"writing {STATES[state].name}", place, len(answers.states))
        pages.append(state_page(answers, state))
    places = {
        **{key: f"{key}.html" for key in ("policies", "register", "method", "explorer")},
        **{f"policy-{name}": f"policies/{name}.html" for name in files},
        **{f"state-{state}": f"states/{state.lower()}.html" for state in answers.states},
    }
    foot = _foot(answers.evidence(None))
    return {
        **{page.path: page.html(places, foot) for page in pages},
        **assets(),
        **dict(_data(answers)),
        "search.js": script_of(pages),
        "explorer.html": answers.explorer.encode(),
        MARK: _manifest(answers),
    }


def _foot(evidence: AtlasEvidence) -> str:
    """Return the line at the foot of a page: people, lists, options and day of every figure."""
    days = evidence.study.days_per_year
    people = evidence.study.counted.provenance
    return (
        f"{footer(evidence)} · {people.title} · a file of {percent(IN_FILE)} of each state's people, whose members the "
        f"attacker knows, unless a table says otherwise · people on the lists: {evidence.study.coverage} · HIPAA rules "
        f"as 45 CFR 164.514 states them · {given(days)} equally likely birthdays"
    )


def _manifest(answers: AtlasAnswers) -> bytes:
    """Return what made the atlas."""
    facts = answers.everyone.provenance.manifest("policy-sim atlas", states=answers.states, in_file=IN_FILE)
    whole = {"title": TITLE, "date": str(answers.date), **facts}
    return (json.dumps(whole, indent=2, default=str) + "\n").encode()


def _data(answers: AtlasAnswers) -> Iterator[tuple[str, bytes]]:
    """Return the figures of each state, as the commands print them, and the register."""
    everyone, file = answers.everyone.to_frame(), answers.file.to_frame()
    frames = {"everyone": everyone, "file": file, "counties": answers.counties}
    for state in answers.states:
        for name, path in data_files(state).items():
            frame = frames[name.split("-")[0]]
            form = path.rpartition(".")[2]
            end = "\n" if form == "json" else ""
            yield f"states/{path}", (rows_text(frame[frame["state"] == state], form) + end).encode()
    yield "register.csv", rows_text(lists_frame(answers.lists.values()), "csv").encode()
