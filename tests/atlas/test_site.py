"""The folder of an atlas: its links, its figures, its data, and how it is written."""

from __future__ import annotations

import io
import json
import re
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import pandas as pd
import pytest
from atlas_pages import LEFT_OUT, STATES
from own_places import compared, unexplained
from pinned import pinned
from small_people import run

from policy_sim import Study
from policy_sim.atlas.site import MARK, check_folder, write_atlas
from policy_sim.atlas.state_page import commands_of
from policy_sim.briefs.sentences import law_words
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.show.numbers import interval, percent, status_word, whole_people, with_range
from policy_sim.words.errors import InputError, OutputError

POLICIES = {"safe-harbor": "Safe Harbor", "limited-dataset": "Limited data set"}
ATTACKERS = {"general": "knows everyone", "voter": "has the voter list"}


@pytest.fixture(scope="module")
def nation():
    """The study that the command line asks."""
    return Study()


# Links, headings and words.


@pytest.mark.slow
def test_every_link_and_every_entry_of_the_search_leads_somewhere(site, pages):
    entries = json.loads((site / "search.js").read_text(encoding="utf-8").partition("=")[2].strip().rstrip(";"))
    assert {"Delaware", "Safe Harbor", "Party"} <= {title for title, *_ in entries}
    links = [("index.html", address) for *_, address, _ in entries]
    for path, page in pages.items():
        assert len(page.keys) == len(set(page.keys)), path
        links += [(path, link) for link in page.links]
    broken = []
    for path, link in links:
        target = urlsplit(link)
        if target.scheme:
            assert target.scheme in ("http", "https"), link
            continue
        other = ((site / path).parent / unquote(target.path)).resolve() if target.path else site / path
        name = str(other.relative_to(site.resolve())) if target.path else path
        keys = pages[name].keys if name in pages else ()
        if not other.is_file() or (target.fragment and name in pages and target.fragment not in keys):
            broken.append(f"{path}: {link}")
    assert len(pages) > 20
    assert not broken


@pytest.mark.slow
def test_headings_come_in_order_and_every_page_names_its_figures(pages):
    for path, page in pages.items():
        levels = [level for level, _ in page.headings]
        assert levels[0] == 1, path
        assert levels.count(1) == 1, path
        assert all(below <= above + 1 for above, below in pairwise(levels)), path
        for words in ("background for a decision, not a determination", "us-2020", "voter lists of 2026", "365"):
            assert words.casefold() in page.text.casefold(), (path, words)


@pytest.mark.slow
def test_what_is_unknown_or_left_out_stays_so_with_its_reason(pages):
    hawaii, delaware = pages["states/hi.html"], pages["states/de.html"]
    assert "Hawaii sells no statewide voter list" in hawaii.text
    assert "no source says for which uses" in delaware.text
    index = next(table for caption, table in pages["index.html"].tables.items() if "would be named" in caption)
    assert {row[0]: row[1] for row in index}["Hawaii"] == "by county"
    table = delaware.tables["Share of the people matched if everyone's records were released"]
    assert "Maryland" in [row[0] for row in table]
    for page in pages.values():
        assert not re.search(r"\b(nan|inf|None|NaN|Infinity)\b", page.text)
        assert not any(LEFT_OUT.lower() + ".html" in link for link in page.links)


def _grade(sentences: list[str]) -> float:
    """The grade of Flesch and Kincaid (1975), with a syllable for each group of vowels."""
    words = [word for sentence in sentences for word in re.findall(r"[A-Za-z']+", sentence)]
    vowels = (re.findall(r"[aeiouy]+", re.sub(r"(?<=[^l])e$", "", word.lower())) for word in words)
    syllables = sum(max(len(groups), 1) for groups in vowels)
    return 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_the_prose_above_what_is_assumed_reads_at_tenth_grade(pages, site, state):
    text = (site / f"states/{state.lower()}.html").read_text(encoding="utf-8")
    main = re.sub(r"<h3>Sources on the list.*?(?=<h2)", "", text.partition("<main")[2], flags=re.DOTALL)
    before = re.split(r"<h2[^>]*>The data, and how", main)[0]
    prose = [re.sub(r"<[^>]+>", "", part) for part in re.findall(r"<(?:p|li)\b[^>]*>(.*?)</(?:p|li)>", before, re.S)]
    sentences = [part for text in prose for part in re.split(r"(?<=[.!?:;])\s+", text) if len(part.split()) > 3]
    assert len(sentences) > 8
    assert _grade(sentences) <= 10


# Figures: those of the state, and those that the command line prints.


def _lines_of(page, name):
    """The text of a page by line, as Markdown has it; the state is called STATE."""
    lines = [f"- {text}" for text in page.prose]
    for caption, rows in page.tables.items():
        lines += [caption or "table", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines).replace(name, "STATE")


@pytest.mark.slow
@pytest.mark.parametrize(("state", "other"), [("OH", "DE"), ("OH", "HI"), ("DE", "HI")])
def test_every_number_of_a_page_is_of_its_state_or_says_of_which_region(pages, state, other):
    names = {"OH": "Ohio", "DE": "Delaware", "HI": "Hawaii"}
    first, second = (_lines_of(pages[f"states/{code.lower()}.html"], names[code]) for code in (state, other))
    assert compared(first, second) >= 5  # where Hawaii has no list, most lines say so
    assert not unexplained(first, second)


def _texts(profile):
    people, share, held = profile.people(TOTAL_RISK), profile.share(TOTAL_RISK), profile.share_range(TOTAL_RISK)
    if people is None:
        return [status_word(profile.status) if profile.status != "county_only" else "county only", "–"]
    is_open, all_people = share.low != share.high, profile.people_range(TOTAL_RISK)
    return [
        interval(of_all.low, of_all.high, write) if is_open else with_range(own.low, of_all.low, of_all.high, write)
        for own, of_all, write in ((people, all_people, whole_people), (share, held, percent))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("caption", "in_file"),
    [("The file, with an attacker who knows", 0.01), ("If the records of everyone in", None)],
)
def test_a_page_has_the_figures_of_the_study(pages, nation, state, caption, in_file):
    answer = nation.compare(states=state, g=1, in_file=in_file)
    page = pages[f"states/{state.lower()}.html"]
    table = next(rows for words, rows in page.tables.items() if words.startswith(caption))
    figures = {(rule, who): cells[:2] for rule, who, *cells in table[1:]}
    for policy, rule in POLICIES.items():
        for attacker, who in ATTACKERS.items():
            assert figures[rule, who] == _texts(answer.profile(state, policy, attacker))


def _shares(nation, state, attacker):
    """What a table says of the share under each policy."""
    answer = nation.compare(attackers=attacker, states=state, g=1, in_file=0.01)
    profiles = [answer.profile(state, policy, attacker.name) for policy in POLICIES]
    return [_texts(p)[1] if p.share(TOTAL_RISK) else status_word(p.status) for p in profiles]


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_a_bill_and_an_earlier_list_have_the_figures_of_the_study(pages, nation, state):
    tables = pages[f"states/{state.lower()}.html"].tables
    rows = {row[0]: row[-2:] for caption, table in tables.items() if "each list on record" in caption for row in table}
    assert rows["2020"] == _shares(nation, state, nation.voter_of("2020"))
    table = tables.get("Share of the file that someone with the voter list would name")
    assert (table is None) == (state == "HI")
    after = {row[0]: row[1:] for row in table or ()}
    if table is not None:
        bill = nation.voter.changed("after", state, {"birth": "withheld"})
        assert after[law_words({"birth": "withheld"})] == _shares(nation, state, bill)


@pytest.mark.slow
@pytest.mark.parametrize("state", pinned(STATES[:1], STATES))
def test_data_are_what_the_commands_on_the_page_print(site, pages, state):
    texts = {"state": "string", "value": "string", "fips": "string"}
    for _, name, command in commands_of(state):
        if name == "-":
            continue
        printed = run(*command.split()[1:]).stdout
        own = (site / "states" / name).read_text(encoding="utf-8")
        if name.endswith("csv"):
            assert command in pages[f"states/{state.lower()}.html"].text
            frames = [pd.read_csv(io.StringIO(text), dtype=texts) for text in (own, printed)]
        else:
            frames = [pd.DataFrame(json.loads(text)) for text in (own, printed)]
        pd.testing.assert_frame_equal(*frames, rtol=1e-9)


# How it is written.


@pytest.mark.slow
def test_maps_are_small_and_the_folder_says_what_made_it(site):
    for path in (site / "states").glob("*.html"):
        (drawing,) = re.findall(r'<svg class="map".*?</svg>', path.read_text(encoding="utf-8"), re.S)
        assert 500 < len(drawing) < 100_000
    facts = json.loads((site / MARK).read_text(encoding="utf-8"))
    assert facts["date"] == "2026-11-24"
    assert facts["notes"]


def test_a_folder_with_something_else_is_refused_in_one_line(tmp_path):
    check_folder(tmp_path)  # it is empty
    (tmp_path / "thesis.txt").write_text("years of work")
    done = run("atlas", "--out", tmp_path, code=2)
    assert "is not empty and is not an atlas" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "XX" in run("atlas", "--state", "XX", "--out", tmp_path / "site", code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    check_folder(tmp_path / "new")
    (tmp_path / MARK).write_text("{}")
    check_folder(tmp_path)  # as of an earlier atlas
    (tmp_path / MARK).rename(tmp_path / "other.json")
    with pytest.raises(InputError, match="is not an atlas"):
        check_folder(tmp_path)


@pytest.mark.slow
def test_the_oldest_lists_have_no_history_and_a_new_atlas_takes_the_place_of_another(tmp_path):
    out = tmp_path / "site"
    out.mkdir()
    (out / MARK).write_text("{}")
    (out / "left-over.html").write_text("")
    study = Study(Study("us-2020").people.in_states(("DE",)), lists=2002)
    write_atlas(study, out)
    page = (out / "states" / "de.html").read_text(encoding="utf-8")
    assert "voter lists of 2002" in page
    assert "Earlier lists" not in page
    assert not (out / "left-over.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    (tmp_path / "file").write_text("")  # no folder can be written into it, and nothing is left
    with pytest.raises(OutputError, match="cannot be written"):
        write_atlas(study, tmp_path / "file" / "site")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "site"]
