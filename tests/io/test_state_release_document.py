"""From tables to releases: what a file may leave out, and that what is wrong is left out of the rest."""

from __future__ import annotations

from policy_sim.io.state_release_document import parse_programs, parse_release_file

PROGRAM = {"id": "p", "title": "A file", "holder": "Somebody", "setting": "inpatient", "sources": ["s"]}
SHARED = {"program": [PROGRAM], "source": [{"id": "s", "title": "A source"}]}


def parsed(raw):
    problems: list[str] = []
    programs, sources = parse_programs(SHARED, problems)
    return parse_release_file(raw, "NC", programs, sources, problems), problems


def test_a_release_cites_its_own_sources_and_those_of_its_program():
    own = {"id": "own", "title": "Another"}
    release = {"id": "a", "program": "p", "years": "2020", "sources": ["own"]}
    file, problems = parsed({"jurisdiction": "NC", "release": [release], "source": [own]})
    assert problems == []
    assert list(file.releases[0].sources) == ["own", "s"]
    assert file.releases[0].program.agreement.required is None


def test_what_is_wrong_does_not_hide_the_rest():
    good = {"id": "a", "program": "p", "years": "2020", "shows": {"age": "all"}}
    bad = {"id": "b", "program": "none", "years": "x"}
    file, problems = parsed({"jurisdiction": "NC", "release": [good, bad, 1], "extra": 1})
    assert [release.id for release in file.releases] == ["a"]
    assert [line.split(":")[0] for line in problems] == ["extra is not a known key. Known here"] + ["release 2"] * 2 + [
        "release 3"
    ]


def test_programs_and_sources_have_ids_of_their_own():
    problems: list[str] = []
    parse_programs({"program": [PROGRAM, PROGRAM], "source": [*SHARED["source"]] * 2, "release": []}, problems)
    assert len(problems) == 3


def test_an_array_that_is_a_table_is_a_problem():
    _, problems = parsed({"jurisdiction": "NC", "release": {"id": "a"}})
    assert problems == ["release is not an array of tables, [[release]]."]
