"""The page of one state: the answer, the counties, the voter list and its history, what a law would change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from policy_sim.atlas.answers import BILLS, COUNTY_ATTACKER, COUNTY_POLICY, IN_FILE, AtlasAnswers, AtlasEvidence
from policy_sim.atlas.maps import map_of_counties
from policy_sim.atlas.page import Page, Part
from policy_sim.attackers import VOTER
from policy_sim.briefs.change_brief import law_words
from policy_sim.briefs.evidence import NOT_A_DETERMINATION, Numbers, footer, small_groups
from policy_sim.briefs.paper import Proposal, board_answer, doubts, limits_in_use
from policy_sim.briefs.sections import list_section, list_sentences, old_fact_notice
from policy_sim.briefs.sentences import and_words, first_up, no_list_sentence, of_state, policy_words, the_state
from policy_sim.briefs.state_brief import figures_section, neighbors, place_section
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, DocumentTable, Heading, Paragraph, Verbatim, link
from policy_sim.show.numbers import interval, percent, status_word, whole_people
from policy_sim.voter_lists.facts import lists_frame
from policy_sim.voter_lists.list_field import LIST_FIELDS
from policy_sim.words.fields import field_word

_CAUSES = {"law": "law, rule or practice", "source": "what sources tell"}


def share_words(profile: RiskProfile) -> str:
    """Return the share of the file that is named, or why there is none."""
    share = profile.share(TOTAL_RISK)
    return status_word(profile.status) if share is None else interval(share.low, share.high, percent)


def state_page(answers: AtlasAnswers, state: str) -> Page:
    """Return the page of a state (postal code)."""
    evidence = answers.evidence(state)
    numbers = Numbers(evidence.source, linked=False)
    parts: list[Part] = [
        *old_fact_notice(evidence, numbers),
        *_answer(evidence, numbers),
        *_counties(answers, state),
        *_list(evidence, numbers),
        *_history(answers, evidence),
        *_bills(answers, evidence),
        *_linked(place_section(evidence, numbers, neighbors(state))),
        *_doubts(evidence, numbers),
        *limits_in_use(evidence),
        *_data(state),
        *_notes(answers, evidence),
    ]
    subtitle = (
        "How many people could be named from a “de-identified” file of health records. Background for a decision, not "
        "a determination."
    )
    return Page(
        f"states/{state.lower()}.html", of_state(state), subtitle, parts, foot(evidence), _addresses(evidence)
    )


def foot(evidence: AtlasEvidence) -> str:
    """Return the line at the foot of a page: people, lists, options and day of every figure."""
    days = evidence.study.days_per_year
    people = evidence.study.counted.provenance
    return (
        f"{footer(evidence)} · {people.title} · a file of {percent(IN_FILE)} of each state's people, whose members the "
        f"attacker knows, unless a table says otherwise · people on the lists: {evidence.study.coverage} · HIPAA rules "
        f"as 45 CFR 164.514 states them · {days:g} equally likely birthdays"
    )


def _answer(evidence: AtlasEvidence, numbers: Numbers) -> list[Part]:
    profile = evidence.file.profile(evidence.state, evidence.policies[0], VOTER)
    policies = and_words([link(f"policy-{name}", policy_words(name)) for name in evidence.policies])
    intro = (
        f"Take a file with the health records of {whole_people(profile.records)} people, {percent(IN_FILE)} of "
        f"{the_state(evidence.state)}, drawn at random from all of it. Names are gone. The file follows one of two "
        f"rules: {policies}. Someone who knows who is in the file tries to name them."
    )
    head, *blocks = board_answer(evidence, numbers)
    return [head, Paragraph(intro), *blocks, *figures_section(evidence, numbers)]


def _counties(answers: AtlasAnswers, state: str) -> list[Part]:
    rows = answers.counties
    rows = rows[(rows["state"] == state) & (rows["measure"] == str(TOTAL_RISK))]
    caption = (
        f"Share of the people of each county in the file who would be named under {policy_words(COUNTY_POLICY)} by "
        "someone who knows everyone."
    )
    return [
        Heading("County by county"),
        map_of_counties(rows, caption),
        Paragraph(f"{link('data-counties', 'Every county as CSV')}.", "small"),
    ]


def _list(evidence: AtlasEvidence, numbers: Numbers) -> list[Block]:
    blocks: list[Block] = [Heading("The voter list"), Paragraph(list_sentences(evidence, numbers))]
    listed = evidence.listed
    for section in list_section(evidence)[1:2]:
        blocks.append(section)
    sources = [
        ". ".join(filter(None, (f"{link(f'source-{name}', source.title)}, {source.date}", source.note.rstrip("."))))
        for name, source in listed.sources.items()
    ]
    if sources:
        blocks += [Heading("Sources on the list", 2), Bullets(tuple(f"{text}." for text in sources))]
    disputes = [f"**{conflict.about.replace('.', ' ')}**: {conflict.why}" for conflict in listed.conflicts]
    if disputes:
        blocks += [Heading("Where sources disagree", 2), Bullets(tuple(disputes))]
    return blocks


def _addresses(evidence: AtlasEvidence) -> dict[str, str]:
    """Return the addresses of sources, and of the files beside the page."""
    sources = {f"source-{name}": source.url for name, source in evidence.listed.sources.items()}
    state = evidence.state
    return sources | {f"data-{name}": file for name, (file, _) in data_files(state).items()}


def _history(answers: AtlasAnswers, evidence: AtlasEvidence) -> list[Block]:
    """Show each list on record with what it gives and the risk, and what differs from one to the next."""
    state, lists = evidence.state, answers.lists_of(evidence.state)
    if len(lists) < 2:
        return []
    frame = lists_frame(lists.values()).set_index("vintage")
    newest = list(lists)[-1]
    rows = []
    for year in lists:
        holder, answer = (VOTER, evidence.file) if year == newest else (f"voter-{year}", answers.earlier)
        shares = (share_words(answer.profile(state, name, holder)) for name in evidence.policies)
        rows.append((year, *(_plain(frame.loc[year, item]) for item in LIST_FIELDS), *shares))
    table = DocumentTable(
        ("list of", *map(field_word, LIST_FIELDS), *(_head(name) for name in evidence.policies)),
        tuple(rows),
        "What each list on record gives, and the share of the file that someone with it would name. The people are "
        "the same, so that only the list changes.",
        numbers=frozenset(range(1 + len(LIST_FIELDS), 1 + len(LIST_FIELDS) + len(evidence.policies))),
    )
    return [Heading("Earlier lists"), table, *_differences(answers, state)]


def _differences(answers: AtlasAnswers, state: str) -> list[Block]:
    rows, whys = [], []
    for old, new, frame in answers.changes_of(state):
        for row in frame.to_dict("records"):
            what = field_word(row["item"])
            rows.append((f"{old} to {new}", what, _plain(row["before"]), _plain(row["after"]), _CAUSES[row["cause"]]))
            whys += [f"{first_up(what)}, {old} to {new}: {row['why']}"] if row["why"] else []
    if not rows:
        return [Paragraph("Nothing that is recorded of these lists differs.")]
    heads = ("lists of", "fact", "before", "after", "what changed")
    table = DocumentTable(heads, tuple(rows), "What differs from one list to the next")
    return [table, *([Bullets(tuple(whys))] if whys else [])]


def _plain(text: object) -> str:
    return str(text).replace("included (", "").replace(")", "").replace("included", "yes").replace("_", " ")


def _head(policy: str) -> str:
    return first_up(policy_words(policy).removeprefix("the "))


def _bills(answers: AtlasAnswers, evidence: AtlasEvidence) -> list[Block]:
    state = evidence.state
    head = Heading("What a law would change")
    now = [evidence.file.profile(state, name, VOTER) for name in evidence.policies]
    if evidence.listed.status != "available":
        reason = no_list_sentence(state, now[0].status, now[0].reason)
        return [head, Paragraph(f"{reason} A law on the fields of that list would not change these figures.")]
    as_is = [share_words(profile) for profile in now]
    rows = [("the list as it is", *as_is)]
    for name, changes in BILLS.items():
        shares = [share_words(answers.bills.profile(state, policy, name)) for policy in evidence.policies]
        rows.append((law_words(changes), *(["no change"] * len(shares) if shares == as_is else shares)))
    table = DocumentTable(
        ("if", *(_head(name) for name in evidence.policies)),
        tuple(rows),
        "Share of the file that someone with the voter list would name",
        numbers=frozenset(range(1, 1 + len(as_is))),
    )
    text = (
        "Each line changes only what it names. Lists sold before a law stay where they are, and a law on the list does "
        "not stop someone who knows birth dates from elsewhere."
    )
    return [head, table, Paragraph(text, "small")]


def _linked(blocks: list[Block]) -> Iterator[Block]:
    """Let the names of states in a table lead to their pages."""
    from policy_sim.words.states import STATES

    codes = {place.name: code for code, place in STATES.items()}
    for block in blocks:
        if isinstance(block, DocumentTable) and block.columns[0] == "state":
            rows = tuple((link(f"state-{codes[name]}", name), *cells) for name, *cells in block.rows)
            yield replace(block, rows=rows)
        else:
            yield block


def _doubts(evidence: AtlasEvidence, numbers: Numbers) -> list[Block]:
    return [Heading("How sure this is"), Bullets(tuple(doubts(evidence, numbers, Proposal())))]


def data_files(state: str) -> Mapping[str, tuple[str, str]]:
    """Return the data files of a state by name: each with its file, beside the page, and the command that prints it."""
    groups = " ".join(f"--g {size}" for size in (1, *small_groups()))
    file = f"policy-sim compare --state {state} --in-file {IN_FILE} --interval {groups}"
    counties = (
        f"policy-sim compare --state {state} --in-file {IN_FILE} --g 1 --by county --policy {COUNTY_POLICY} "
        f"--attacker {COUNTY_ATTACKER}"
    )
    low, everyone = state.lower(), f"policy-sim compare --state {state}"
    return {
        "everyone-csv": (f"{low}.csv", f"{everyone} --format csv"),
        "everyone-json": (f"{low}.json", f"{everyone} --format json"),
        "file-csv": (f"{low}-file.csv", f"{file} --format csv"),
        "file-json": (f"{low}-file.json", f"{file} --format json"),
        "counties": (f"{low}-counties.csv", f"{counties} --format csv"),
    }


def _data(state: str) -> list[Block]:
    files = data_files(state)
    whats = {
        "file": "The file of one percent",
        "everyone": "If the records of everyone were released",
    }
    items = [
        f"{what}: {link(f'data-{name}-csv', files[f'{name}-csv'][0])}, {link(f'data-{name}-json', files[f'{name}-json'][0])}."
        for name, what in whats.items()
    ]
    commands = [
        *(command for _, command in files.values() if not command.endswith("json")),
        f"policy-sim brief {state} --out {state.lower()}.html",
        f"policy-sim brief {state} --bill birth=year --out {state.lower()}-bill.html",
        f"policy-sim lists show {state}",
    ]
    return [
        Heading("The data, and how to get each figure yourself"),
        Bullets((*items, f"Counties: {link('data-counties', files['counties'][0])}.")),
        Paragraph(
            f"These commands print the same figures. {link('explorer', 'The explorer')} computes them for other "
            "policies, attackers and lists in your browser."
        ),
        Verbatim("\n".join(commands)),
    ]


def _notes(answers: AtlasAnswers, evidence: AtlasEvidence) -> list[Block]:
    answer = answers.everyone.provenance
    own = replace(answer, question=replace(answer.question, states=(evidence.state,)))
    notes = tuple(f"{first_up(note).rstrip('.')}." for note in own.notes)
    return [
        Heading("What is assumed"),
        Bullets(notes),
        Paragraph(f"{link('method', 'The method')} says how a figure is computed. {NOT_A_DETERMINATION}"),
        Heading("How to cite"),
        Verbatim(own.citation),
    ]
