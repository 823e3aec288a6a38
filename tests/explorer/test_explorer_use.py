"""The page as people use it: addresses, keys, screen readers, sizes, paper, CSV, one person."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from itertools import product

import numpy as np
import pytest
from barriers import OF_COLOR, serious_barriers
from own_places import compared, unexplained
from pinned import pinned

pytestmark = [pytest.mark.browser, pytest.mark.slow]

VIEWS = (
    "",
    "#who=texas-birth-index&s=TX&m=precision",
    "#who=list&b=safe-harbor-without-zip&m=cost&s=WA&s2=OR",
    "#h=0.01&m=precision&who=list&cov=0.6&b=",
    "#h=18000&from=39003,39011=0.4&m=cost&who=list&s2=IN",
)
WIDTHS = (1440, 820, 390)
STATES = "explorer.app.model.states.length"
SETTING = {"who": "list", "coverage": "adults", "inFile": None, "g": 5, "price": None, "share": None, "list": {}}


def test_a_page_without_ohio_begins_with_its_first_state(without_ohio):
    assert without_ohio.evaluate("explorer.app.view.s") == "DE"
    assert without_ohio.errors == []


def _settled(page):
    page.wait_for_selector("html[data-ready]")


def _set(page, **changes):
    """Change the view, and wait until the page shows it."""
    page.evaluate("changes => explorer.set(changes)", changes)
    _settled(page)


def _csv(page):
    return list(csv.DictReader(io.StringIO(page.evaluate("explorer.csv()"))))


@pytest.mark.parametrize("fragment", pinned(VIEWS[-1:], VIEWS))
def test_no_serious_fault_for_a_screen_reader_and_nothing_over_the_edge(opened_some, fragment):
    page = opened_some(fragment, color_scheme="light", bypass_csp=True)
    assert serious_barriers(page) == []
    page.emulate_media(color_scheme="dark")
    assert serious_barriers(page, OF_COLOR) == []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.errors == []


def test_the_address_holds_the_view(opened_some):
    page = opened_some()
    page.select_option("#policy-a", "safe-harbor-without-zip")
    page.select_option("#cov", "adults")
    page.select_option("#lb", "date")
    page.fill("#price", "1200")
    page.select_option("#state-two", "TX")
    _settled(page)
    fragment = page.evaluate("location.hash")
    assert "a=safe-harbor-without-zip" in fragment
    text = page.inner_text("#numbers")
    again = opened_some(fragment)
    assert again.inner_text("#numbers") == text
    assert "$1,200" in text


def test_a_damaged_address_opens_the_first_view(opened_some, first_some):
    page = opened_some("#a=nope&b=%00&g=x&h=-4&s=ZZ&m=constructor&from=1,a&lb=hour&cov=9")
    assert page.errors == []
    assert page.inner_text("#answer-text") == first_some.inner_text("#answer-text")


TYPED = {"18,000": "18,000", "18000": "18,000", "1%": "117,994", "0.01": "117,994", "18,000 people": "18,000"}


def test_the_people_of_a_file_are_typed(opened_some):
    page = opened_some("#who=everyone")
    for typed, records in TYPED.items():
        assert "in the file" not in page.inner_text("#answer-text")
        page.fill("#file-people", typed)
        _settled(page)
        assert "people in the file" in page.inner_text("#answer-text")
        assert f"of {records} people in the file" in page.inner_text("#tiles"), typed
        page.check("input[name=file-size][value=everyone]")
        _settled(page)
        assert "in the file" not in page.inner_text("#answer-text")
        assert page.input_value("#file-people") == ""


def test_a_file_that_cannot_be_has_a_line_and_no_figure(opened_some):
    page = opened_some("#who=everyone")
    page.fill("#file-people", "many")
    page.keyboard.press("Tab")
    assert "2 or more, such as 18,000" in page.inner_text("#file-people-error")
    page.fill("#file-people", "12,000,000")
    _settled(page)
    assert page.inner_text("#file-people-error").startswith("Ohio has 11,799,448 people.")
    assert "12,000,000 people is more than Ohio has" in page.inner_text("#answer-text")
    assert page.errors == []


LIMA = "39003,39011,39137,39161"  # Allen, Auglaize, Putnam, Van Wert


def test_a_file_from_counties_is_compared_with_the_people_of_its_counties(opened_some):
    """The figures of a file from all of Ohio and from four counties (docs/model.md); the address holds all of it."""
    page = opened_some("#who=everyone&h=18000&b=safe-harbor-race-alone")
    assert "39.9%" in page.inner_text("#answer-text")
    for typed in ("Alen", "Allen", "Auglaize county, putnam,Van Wert"):
        page.fill("#file-county", typed)
        page.keyboard.press("Enter")
        assert ("no county “Alen”" in page.inner_text("#first")) == (typed == "Alen")
    _settled(page)
    text = page.inner_text("#answer-text")
    assert "18,000 people from Allen, Auglaize, Putnam and Van" in text
    assert "4.3%" in text
    assert "774" in page.inner_text("#tiles")
    page.locator(".places input").first.fill("40")
    page.keyboard.press("Tab")
    page.select_option("#measure", "alone")
    _settled(page)
    fragment = page.evaluate("decodeURIComponent(location.hash)")
    assert f"from={LIMA.replace('39003', '39003=0.4')}" in fragment
    again = opened_some(page.evaluate("location.hash"))
    for place in ("#answer-text", "#tiles", "#numbers", "#table", "#counties"):
        assert again.inner_text(place) == page.inner_text(place), place
    assert [again.locator(".places input").first.input_value(), again.input_value("#file-people")] == ["40", "18,000"]
    rows = _csv(again)
    assert len([row for row in rows if row["file_from"] and not row["county"]]) == 2
    assert len([row for row in rows if row["county"]]) == 4
    page.select_option("#state-one", "IN")
    _settled(page)
    assert "from=" not in page.evaluate("location.hash")
    assert page.errors == again.errors == []


@pytest.mark.parametrize("who", ["list", "everyone"])
@pytest.mark.parametrize(
    "files",
    [
        ("h=900&from=39031", "h=1100&from=39049"),  # Coshocton; Franklin
        ("h=1300&from=39095=0.6,39173,26115", "h=1700&from=39171,26059=0.3,26023"),  # of Ohio and Michigan
    ],
)
def test_every_number_of_the_answer_is_of_the_places(at_address, who, files):
    texts = []
    for file in files:
        page = at_address(f"#s=OH&who={who}&{file}")
        words = f"{page.inner_text('#answer-text')}\n{page.inner_text('#tiles')}"
        texts.append("\n".join(f"- {sentence}" for sentence in re.split(r"\n+|(?<=[.:]) ", words)))
    first, second = texts
    assert compared(first, second) >= 3
    assert not unexplained(first, second)


def test_people_of_monroe_in_michigan_are_nobody_of_ohio(at_address):
    """Typed with its state, by its code, or by the name that both states have: then one line says which it is."""
    page = at_address("#s=OH&who=everyone&h=4200")
    for typed in ("OH: Lucas=81%; MI: Monroe", "Monroe, MI", "26115"):
        page.fill("#file-county", typed)
        page.keyboard.press("Enter")
        _settled(page)
        assert "from=39095=0.81,26115" in page.evaluate("decodeURIComponent(location.hash)")
    assert "in Michigan" in page.inner_text("#answer-text")
    page.fill("#file-county", "Monroe")
    page.keyboard.press("Enter")
    assert "Monroe is Ohio's; " in page.inner_text("#first")
    assert "39111" in page.evaluate("decodeURIComponent(location.hash)")


def test_shares_of_counties_that_do_not_fit_have_a_reason(at_address):
    for fragment, reason in (
        ("h=18000&from=39003=0.4,39011=0.4", "add up to 80.0%. Leave one empty"),
        ("h=18000&from=39003=1,39011", "nothing is left for the others"),
        ("h=200000&from=39003=0.1,39137", "Putnam has 34,451 people, fewer than the 180,000"),
    ):
        page = at_address(f"#who=everyone&{fragment}")
        assert reason in page.inner_text("#controls, #first")
        assert reason in page.inner_text("#answer-text")


def test_a_map_is_walked_with_arrow_keys(at_address):
    page = at_address("#s=OH")
    page.focus("#maps .place[data-code=OH]")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.code") == "IN"
    assert "Indiana" in page.inner_text("#tip")
    page.keyboard.press("Enter")
    _settled(page)
    assert page.inner_text("#state-title") == "Indiana"
    assert page.evaluate("document.activeElement.dataset.code") == "IN"


@pytest.mark.parametrize("workers", [True, False])
def test_the_table_shows_what_the_model_answers(opened_some, workers):
    page = opened_some("#who=everyone&a=limited-dataset-paper&s=OH")
    if not workers:
        page.evaluate("explorer.app.pool.fail()")
    _set(page, h=0.2)
    assert bool(page.evaluate("explorer.app.pool.workers.length")) == workers
    setting = SETTING | {"who": "everyone", "coverage": "everyone", "inFile": 0.2}
    for state in ("HI", "OH", "WY"):
        low = page.evaluate("([s, x]) => explorer.evaluate(s, 'limited-dataset-paper', x)", [state, setting])
        shown = page.evaluate("s => explorer.app.results.a.get(s)", state)
        assert shown["low"]["risk"] == low["low"]["risk"]
    assert page.errors == []


@pytest.mark.parametrize("workers", [True, False])
def test_the_ends_of_a_range_are_filled_in_after_the_figure(opened_some, workers):
    page = opened_some("#s=OH&a=limited-dataset&b=")
    if not workers:
        page.evaluate("explorer.app.pool.fail()")
    _set(page, s="NV")
    page.wait_for_selector("html[data-ranged]")
    low, high, figure = page.evaluate(
        """() => {
          const {others, low, records} = explorer.app.figures("a", explorer.app.model.byCode.get("NV"));
          const all = [low, ...others.map((each) => each.low)].map(({risk}) => 100 * risk / records);
          return [Math.min(...all), Math.max(...all), 100 * low.risk / records];
        }"""
    )
    assert low < figure < high
    words = f"{figure:.1f}% ({low:.1f} to {high:.1f})"
    for place in ("#answer-text", "#numbers"):
        assert words in page.inner_text(place)
    precision = r"range \d+\.?\d*% to (\d+\.?\d*|>99\.9)%"
    assert re.search(precision, page.inner_text("#tiles"))
    _set(page, who="everyone")
    page.wait_for_selector("html[data-ranged]")
    assert "(" not in page.inner_text("#answer-text")
    assert page.errors == []


def test_a_guess_leaves_the_figures_and_no_groups(opened_some):
    """What was computed before it was asked is what a fresh model answers; the room of its groups is free again."""
    page = opened_some("#s=DE")
    setting = SETTING | {"coverage": "registered", "inFile": 0.1, "g": 2}
    guessed, fresh, groups = page.evaluate(
        """(x) => {
          const {answers, model} = explorer.app;
          const state = model.byCode.get("VT");
          const before = state.groups.size;
          const atOnce = (steps) => { for (;;) { const {done, value} = steps.next(); if (done) return value; } };
          const guessed = atOnce(answers.figures(state, "limited-dataset", x, 2, false));
          const groups = [before, state.groups.size];
          const again = atOnce(answers.figures(state, "limited-dataset", x, 2));
          if (again !== guessed) throw new Error("computed twice");
          return [guessed.low, explorer.evaluate("VT", "limited-dataset", x).low, groups];
        }""",
        setting,
    )
    assert guessed == fresh
    assert guessed["risk"] > 0
    assert groups[0] == groups[1]


def test_what_is_remembered_is_what_was_answered(at_address):
    """There, back, and there again: the second time nothing is computed, and the table is the same."""
    page = at_address("#s=RI")
    for change in ({"who": "everyone"}, {"h": 0.05}, {"a": "zip3"}, {"m": "distinct"}):
        back = {name: page.evaluate(f"explorer.app.view.{name}") for name in change}
        shown = []
        for each in (change, back, change, back):
            _set(page, **each)
            shown.append(page.inner_text("#table"))
        assert shown[0] == shown[2]
        assert shown[0] != shown[1] == shown[3]
    assert page.errors == []


def test_counties_that_are_nearly_alike_have_different_colors(at_address):
    """Shares from 50% to 60% are told apart: the limits are as close as what is written of them."""
    page = at_address("#who=list&h=0.01&s=OH")
    page.locator("#counties").scroll_into_view_if_needed()
    fills = page.evaluate(
        "new Set([...document.querySelectorAll('#counties path.county')].map((e) => e.getAttribute('fill'))).size"
    )
    assert fills >= 5


def test_the_answer_says_among_whom_a_person_is_alone(at_address):
    """Someone who knows who is in the file compares only those people; alone on the list is another thing."""
    page = at_address("#who=list&s=MI&h=1")
    assert "are on the list and unique there." in page.inner_text("#answer-text")
    for change, among in (
        ({"h": 0.0001}, "unique among the people of the file who are on the list."),
        ({"h": 0.01, "who": "everyone"}, "unique in the file, so their match is certain"),
    ):
        _set(page, **change)
        assert among in page.inner_text("#answer-text")


def test_a_state_without_a_statewide_list_or_a_file_of_its_own_has_no_figure_and_a_reason(at_address):
    page = at_address("#a=safe-harbor&b=safe-harbor&who=list&s=HI")
    for policy in ("safe-harbor", "release:newest"):
        _set(page, a=policy)
        text = page.inner_text("#answer-text")
        assert text.count("Each of the four county clerks") == 2  # A and B
    _set(page, who="everyone", s="TX")
    assert "Texas: no file of hospital records" in page.inner_text("#answer-text")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_moves_when_the_maps_arrive(browser, some_file, width):
    """Layout shift: the score that browsers give, of which 0.1 counts as good (web.dev, Cumulative Layout Shift)."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_default_timeout(180_000)
    page.add_init_script(
        """globalThis.shifts = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((each) => (globalThis.shifts += each.value)))
          .observe({type: "layout-shift", buffered: true});"""
    )
    page.goto(some_file.as_uri())
    _settled(page)
    assert page.evaluate("new Promise((done) => setTimeout(() => done(globalThis.shifts), 300))") < 0.1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_the_table_is_sorted_by_its_heads(opened_some):
    page = opened_some("#who=everyone")
    page.click("#table thead th:nth-child(2) button")
    _settled(page)
    assert page.get_attribute("#table thead th:nth-child(2)", "aria-sort") == "descending"
    shares = [
        float(text.rstrip("%")) for text in page.locator("#table tbody td:nth-child(2) .figure").all_inner_texts()
    ]
    assert len(shares) == page.evaluate(STATES) > 10
    assert shares == sorted(shares, reverse=True)


def test_the_csv_has_what_is_shown(at_address):
    page = at_address("#a=limited-dataset-paper&s=DE&cov=adults")
    rows = _csv(page)
    states = [row for row in rows if not row["county"]]
    assert len(states) == 2 * page.evaluate(STATES)
    assert len([row for row in rows if row["county"]]) == 3
    for state in ("DE", "OH"):
        row = next(row for row in states if row["state"] == state and row["release"] == "A")
        low = page.evaluate("([s, x]) => explorer.evaluate(s, 'limited-dataset-paper', x).low", [state, SETTING])
        columns = {"total_risk": "risk", "claims": "claims", "g_distinct": "distinct"}
        assert {name: float(row[name]) for name in columns} == {name: low[ours] for name, ours in columns.items()}
        assert low["distinct"] > low["alone"]
    assert all(len(row) == 30 and None not in row.values() for row in rows)


def test_on_paper_everything_stands_open(opened_some):
    page = opened_some("#s=DE&s2=RI")
    page.emulate_media(media="print")
    assert page.locator("#table tbody tr").count() == page.evaluate(STATES)
    assert page.evaluate("getComputedStyle(document.querySelector('.rail')).display") == "none"
    assert page.evaluate("getComputedStyle(document.querySelector('#table')).maxHeight") == "none"


def test_without_scripts_the_page_says_what_it_needs(browser, some_file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(some_file.as_uri())
    assert "needs JavaScript" in page.inner_text("body")
    context.close()


def test_a_file_is_held_in_the_state_that_it_covers(at_address, opened_some):
    page = at_address("#s=OH&b=&a=limited-dataset-paper")
    page.check("input[name=who][value=file]")
    page.select_option("#file", "texas-birth-index")
    _settled(page)
    assert page.input_value("#state-one") == "TX"
    text = page.inner_text("#answer-text")
    assert "0% to 0.23%" in text  # none to 67,263 of 29,145,505 people (docs/resources.md)
    assert "67,263" in page.inner_text("#tiles")
    assert "181.23" in page.text_content("#lists")
    again = opened_some(page.evaluate("location.hash"))
    assert again.inner_text("#answer-text") == text


def test_a_share_of_the_file_makes_one_figure_of_two(at_address):
    page = at_address("#who=texas-birth-index&s=TX&b=&a=limited-dataset-paper&share=0.4")
    assert " to " not in page.inner_text("#tiles .tile-value >> nth=0")
    page.focus("#file-share")
    page.keyboard.press("Home")
    _settled(page)
    assert "0 to 67,263" in page.inner_text("#tiles")


def test_the_error_of_modeled_people_is_said(at_address):
    text = at_address("#s=OH&s2=TX&a=limited-dataset-paper").inner_text("#numbers")
    assert "the modeled people may be off" in text
    assert "of the figure" in text


def _person(page, born, state="TX", county="Loving"):
    """Answer for a woman of a county where few people live; rows of the table by what a record shows."""
    page.select_option("#my-state", state)
    page.select_option("#my-county", label=county)
    page.select_option("#my-sex", "1")
    page.fill("#my-birth", born)
    rows = page.locator("#person-answer tbody tr").all()
    return [[row.locator("th").inner_text(), *row.locator("td").all_inner_texts()] for row in rows]


def _share(text):
    return float(text.strip("<>%")) / 100


def test_each_row_about_one_person_is_counted_by_hand_and_goes_nowhere(first_some, study):
    page, cells = first_some, study.people.cells
    day = dt.date.fromisoformat(study.people.provenance.date)
    counts = []
    places = (("TX", "Loving", "48301"), ("WY", "Niobrara", "56027"))
    for (code, name, county), age in product(places, range(18, 60, 8)):
        rows = _person(page, day.replace(year=day.year - age).isoformat(), code, name)
        alike = cells[cells["age"] == age]
        here, there, women = alike["county"] == county, alike["state"] == code, alike["sex"] == "F"
        mine, state, both = (int(alike.loc[each, "people"].sum()) for each in (here & women, there & women, here))
        counts.append(mine)
        expected = [(mine, 365), (mine, 12), (mine, 1), (state, 365), (state, 1), (both, 365)]
        for (words, others, chance), (people, bins) in zip(rows, expected, strict=True):
            mean = (max(people, 1) - 1) / bins
            alone = (1 - 1 / bins) ** max(people - 1, 0)
            assert _share(chance) == pytest.approx(alone, abs=0.00051), words
            assert float(others.replace(",", "").removeprefix("<")) == pytest.approx(mean, rel=0.06, abs=0.06), words
        text = page.inner_text("#person-answer")
        assert f"{mine:,} people of your sex and age ({age} on" in text or mine < 2
    assert 1 in counts
    assert max(counts) > 5
    # a birthday on the day of the census has passed
    for born, age in ((day.replace(year=1980), day.year - 1980), (day.replace(year=1980, day=2), day.year - 1981)):
        _person(page, born.isoformat())
        assert f"and age ({age} on" in page.inner_text("#person-answer")
    assert "1980" not in page.evaluate("location.href")
    assert len([url for url in page.requests if not url.startswith("blob:")]) == 1


@pytest.mark.parametrize("fragment", ["#a=limited-dataset&s=DE", "#a=safe-harbor&b=&s=DE"], ids=["to 100%", "to 4%"])
def test_the_curve_stands_where_its_ticks_say(at_address, fragment):
    """Every point and tick of the chart of group sizes, read back from its place on the page."""
    page = at_address(fragment)
    chart = page.locator("svg.chart").filter(has=page.locator("path.curve")).first
    ticks = {}
    for tick in chart.locator("text.tick.end").all():
        ticks[float((tick.text_content() or "").removesuffix("%")) / 100] = float(tick.get_attribute("y")) - 4
    shares = sorted(ticks)
    assert len(shares) == 5
    assert shares[0] == 0
    heights = [ticks[share] for share in shares]
    assert np.allclose(np.diff(heights), np.diff(heights)[0])
    assert 0 <= heights[-1] < 30, "the highest tick stands at the top of the chart"
    full = shares[-1]
    words = chart.locator("text.tick.middle").all()
    sizes = {word.text_content(): float(word.get_attribute("x")) for word in words}
    assert list(sizes)[:-1] == ["1", "2", "5", "10", "20", "50"]
    path = chart.locator("path.curve").first.get_attribute("d")
    points = [tuple(map(float, part.split())) for part in re.split("[ML]", path) if part]
    first, last = (full * (heights[0] - y) / (heights[0] - heights[-1]) for y in (points[0][1], points[-1][1]))
    assert [points[0][0], points[-1][0]] == pytest.approx([sizes["1"], sizes["50"]], abs=0.06)  # written with one digit
    words = chart.get_attribute("aria-label")
    alone, grouped = re.search(r": ([\d.]+)% unique, ([\d.]+)% in groups", words).groups()
    for read, said in ((first, alone), (last, grouped)):
        assert read == pytest.approx(float(said) / 100, rel=0.02, abs=full / 300)


def test_each_line_of_the_curves_is_named_beside_the_chart(at_address):
    """Two of four lines end near 0: no name stands below the axis, none over another."""
    page = at_address("#who=everyone&a=limited-dataset&b=safe-harbor-without-zip&s=DE&s2=OH")
    chart = page.locator("svg.chart").filter(has=page.locator("path.curve")).first
    axis = max(float(line.get_attribute("y1")) for line in chart.locator("line.axis").all())
    names = {name.text_content(): float(name.get_attribute("y")) for name in chart.locator("text.direct").all()}
    assert sorted(names) == ["DE A", "DE B", "OH A", "OH B"]
    heights = sorted(names.values())
    assert heights[-1] <= axis + 5, "a text stands on its foot"
    assert min(np.diff(heights)) >= 15


def test_a_price_is_written_as_a_reader_expects(at_address):
    page = at_address("#who=list&s=OH")
    prices = {0: "free", 0.004: "less than one cent", 0.5: "$0.50", 1: "$1.00", 99.5: "$99.50", 1234.4: "$1,234"}
    for price, written in prices.items():
        _set(page, price=price)
        row = page.locator("#numbers tr").filter(has_text="Price of the list")
        assert row.locator("td").all_inner_texts() == [f"{written}\nyour price"] * 2


def test_every_policy_has_a_name_of_its_own(first_some):
    names = dict(
        first_some.evaluate(
            "Array.from(document.querySelectorAll('#policy-a option'), (each) => [each.value, each.text])"
        )
    )
    assert len(set(names.values())) == len(names)
    some = "limited-dataset-paper safe-harbor-without-zip decade-of-birth-without-race release:newest"
    assert [names[name] for name in some.split()] == [
        "Limited data set (paper)",
        "Safe Harbor without ZIP",
        "Decade of birth without race",
        "State's newest hospital file",
    ]
