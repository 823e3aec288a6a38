"""The page of one state: the answer, the counties, the voter list and its history, what a law would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files

from policy_sim.atlas.answers import BILLS, COUNTY_POLICY, IN_FILE, AtlasAnswers, AtlasEvidence
from policy_sim.atlas.page import Markup, Page, Part
from policy_sim.attackers import GENERAL, VOTER, holding_of
from policy_sim.briefs.evidence import NOT_A_DETERMINATION, Numbers
from policy_sim.briefs.paper import Proposal, board_answer, doubts, limits_in_use
from policy_sim.briefs.sentences import (
    WORDS,
    and_words,
    first_up,
    law_words,
    list_section,
    list_sentences,
    no_list_sentence,
    of_state,
    old_fact_notice,
    policy_words,
    rules_title,
    the_state,
)
from policy_sim.briefs.state_brief import figures_section, place_section
from policy_sim.files.evidence import Source
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.document.blocks import Block, Bullets, DocumentTable, Heading, Paragraph, Verbatim, link
from policy_sim.show.maps.svg_map import map_of_counties
from policy_sim.show.numbers import percent, ranged, status_word, whole_people
from policy_sim.voter_lists.facts import lists_frame
from policy_sim.voter_lists.list_field import LIST_FIELDS, RECORDED_FIELDS
from policy_sim.words.fields import field_word
from policy_sim.words.states import neighbors


def share_words(profile: RiskProfile) -> str:
    """Return the share of the file that is named, or why there is none."""
    share, held = profile.share(TOTAL_RISK), profile.share_range(TOTAL_RISK)
    return status_word(profile.status) if share is None or held is None else ranged(share, held, percent)


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
    path = f"states/{state.lower()}.html"
    return Page(path, of_state(state), subtitle, _with_contents(parts), "state", state, _addresses(evidence))


def _with_contents(parts: Sequence[Part]) -> list[Part]:
    """Give each large heading a key, and begin with a line of links to them."""
    keyed = [
        replace(part, key=f"part-{place}") if isinstance(part, Heading) and part.level == 1 else part
        for place, part in enumerate(parts)
    ]
    links = [link(part.key, part.text) for part in keyed if isinstance(part, Heading) and part.key]
    return [Paragraph(f"On this page: {' · '.join(links)}", "small"), *keyed]


def fact_word(item: str) -> str:
    """Return what a fact of a list is called.

    >>> fact_word("gender"), fact_word("geography"), fact_word("price")
    ('sex', 'place', 'price')
    """
    return (RECORDED_FIELDS[item].heading or item) if item in RECORDED_FIELDS else field_word(item)


def _answer(evidence: AtlasEvidence, numbers: Numbers) -> list[Part]:
    profile = evidence.file.profile(evidence.state, evidence.policies[0], VOTER)
    policies = " or ".join(link(f"policy-{name}", policy_words(name)) for name in evidence.policies)
    intro = (
        f"Take a file with the health records of {whole_people(profile.records)} people, {percent(IN_FILE)} of "
        f"{the_state(evidence.state)}, drawn at random from all of it, without names. The file follows {policies}. "
        "Someone who knows who is in the file tries to name them. A hospital's patients come from a few counties, "
        f"which changes the figure under Safe Harbor: enter yours in {link('explorer', 'the explorer')}."
    )
    head, lead, *rest = board_answer(evidence, numbers)
    return [head, Paragraph(intro), lead, _bars(evidence), *rest, *figures_section(evidence, numbers)]


def _bars(evidence: AtlasEvidence) -> Markup:
    """Return a bar for each rule and attacker with a figure; what is not known for sure is pale."""
    rows = []
    for policy in reversed(evidence.policies):
        for who in (VOTER, GENERAL.name):
            profile = evidence.file.profile(evidence.state, policy, who)
            if (held := profile.share_range(TOTAL_RISK)) is not None:
                inner = f'<i style="width:{100 * held.low / (held.high or 1):.2f}%"></i>'
                bar = f'<i style="width:{100 * held.high:.2f}%">{inner}</i>'
                label = f"{rules_title(policy)}, {holding_of(who)}"
                rows.append(f"<li><span>{label}</span>{bar}<b>{share_words(profile)}</b></li>")
    return Markup(f'<ul class="bars">{"".join(rows)}</ul>')


def _counties(answers: AtlasAnswers, state: str) -> list[Part]:
    rows = answers.counties
    rows = rows[(rows["state"] == state) & (rows["measure"] == str(TOTAL_RISK))]
    head = Heading("County by county")
    if len(rows) == 1:
        return [head, Paragraph(f"{first_up(the_state(state))} is one county.")]
    caption = (
        f"Share of the people of each county in the file who would be named under {policy_words(COUNTY_POLICY)} by "
        "someone who knows everyone."
    )
    return [
        head,
        Markup(map_of_counties(rows, caption)),
        Paragraph(f"{link('data-counties', 'Every county as CSV')}.", "small"),
    ]


def _list(evidence: AtlasEvidence, numbers: Numbers) -> list[Block]:
    blocks: list[Block] = [Heading("The voter list"), Paragraph(list_sentences(evidence, numbers))]
    listed = evidence.listed
    blocks += list_section(evidence)[1:2]  # the table; the sources follow with their addresses
    sources = tuple(_source(name, source) for name, source in listed.sources.items())
    if sources:
        blocks += [Heading("Sources on the list", 2), Bullets(sources)]
    disputes = [
        f"**{first_up(fact_word(item.about.removeprefix('fields.')))}.** {item.why}" for item in listed.conflicts
    ]
    if disputes:
        blocks += [Heading("Where sources disagree", 2), Bullets(tuple(disputes))]
    return blocks


def _source(name: str, source: Source) -> str:
    others = [link(f"source-{name}-{place}", f"address {place + 2}") for place in range(len(source.also))]
    parts = (f"{link(f'source-{name}', source.title)}, {source.date}", source.note.rstrip("."), ", ".join(others))
    return f"{'. '.join(filter(None, parts))}."


def _addresses(evidence: AtlasEvidence) -> dict[str, str]:
    """Return the addresses of sources, and of the files beside the page."""
    addresses = {f"data-{name}": path for name, path in data_files(evidence.state).items()}
    addresses["explorer"] = f"../explorer.html#s={evidence.state}"
    for name, source in evidence.listed.sources.items():
        addresses[f"source-{name}"] = source.url
        addresses |= {f"source-{name}-{place}": url for place, url in enumerate(source.also)}
    return addresses


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
        rows.append((year, *(fact_value(str(frame.loc[year, item])) for item in LIST_FIELDS), *shares))
    table = DocumentTable(
        ("list of", *map(fact_word, LIST_FIELDS), *(rules_title(name) for name in evidence.policies)),
        tuple(rows),
        "What each list on record gives, and the share of the file that someone with it would name. The people are "
        "the same; each list contains those who were registered in the election nearest to its year.",
        numbers=frozenset(range(1 + len(LIST_FIELDS), 1 + len(LIST_FIELDS) + len(evidence.policies))),
    )
    return [Heading("Earlier lists"), table, *_differences(answers, state)]


def _differences(answers: AtlasAnswers, state: str) -> list[Block]:
    """Show what the state changed from one list to the next, and name what only the sources tell more or less of."""
    rows, notes = [], []
    for old, new, frame in answers.changes_of(state):
        from_sources = [fact_word(item) for item in frame.loc[frame["cause"] == "source", "item"]]
        if from_sources:
            notes.append(
                f"From {old} to {new}, sources say more or less about {and_words(from_sources)}. It is unknown whether "
                "the list itself changed."
            )
        for row in frame[frame["cause"] == "law"].to_dict("records"):
            what = fact_word(row["item"])
            rows.append((f"{old} to {new}", what, fact_value(row["before"]), fact_value(row["after"])))
            notes += [f"{first_up(what)}, {old} to {new}: {row['why']}"] if row["why"] else []
    caption = "What a law, a rule or a practice changed from one list to the next"
    table = DocumentTable(("lists of", "fact", "before", "after"), tuple(rows), caption)
    return [*([table] if rows else []), *([Bullets(tuple(notes))] if notes else [])]


def fact_value(words: str) -> str:
    """Return what a list gives of a field, as a table says it.

    >>> [fact_value(text) for text in ("included (date)", "included", "included (race_ethnicity)", "non_commercial")]
    ['date', 'yes', 'with Hispanic as a race', 'noncommercial']
    """
    value = "yes" if words == "included" else words.removeprefix("included (").removesuffix(")")
    value = {"race_ethnicity": "with Hispanic as a race", "race_and_ethnicity": "with ethnicity"}.get(value, value)
    return value.replace("non_commercial", "noncommercial").replace("_", " ")


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
        ("if", *(rules_title(name) for name in evidence.policies)),
        tuple(rows),
        "Share of the file that someone with the voter list would name",
        numbers=frozenset(range(1, 1 + len(as_is))),
    )
    return [head, table, Paragraph(WORDS["texts"]["law"], "small")]


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


def commands_of(state: str) -> Iterator[tuple[str, str, str]]:
    """Return what prints the figures of a state: a name, the file beside its page (``-`` for none), and a command.

    >>> next(commands_of("OH"))
    ('everyone-csv', 'oh.csv', 'policy-sim compare --state OH --format csv')
    """
    text = (files("policy_sim.atlas") / "commands.txt").read_text(encoding="utf-8")
    for line in text.format(state=state, low=state.lower()).splitlines():
        name, path, command = line.split(maxsplit=2)
        yield name, path, command


def data_files(state: str) -> dict[str, str]:
    """Return the files beside the page of a state by name."""
    return {name: path for name, path, _ in commands_of(state) if path != "-"}


def _data(state: str) -> list[Block]:
    names = {"file": "The file of one percent", "everyone": "If the records of everyone were released"}
    beside = data_files(state)
    items = []
    for name, what in names.items():
        places = [link(f"data-{name}-{form}", beside[f"{name}-{form}"]) for form in ("csv", "json")]
        items.append(f"{what}: {', '.join(places)}.")
    commands = [command for name, _, command in commands_of(state) if not name.endswith("json")]
    return [
        Heading("The data, and how to get each figure yourself"),
        Bullets((*items, f"Counties: {link('data-counties', beside['counties'])}.")),
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
