import tomllib

import pytest

from policy_sim.io.toml_table import TomlTable, not_toml


def _table(text: str) -> tuple[TomlTable, list[str]]:
    problems: list[str] = []
    return TomlTable(tomllib.loads(text), problems, "here."), problems


def test_good_values_make_no_problem():
    table, problems = _table(
        'a = "x"\nn = 2\nf = true\nd = 2008-09-01\nl = ["p", "q"]\n[t]\nk = "v"\n[[r]]\nz = 1\n[[r]]\nz = 2\n'
    )
    assert table.text("a") == "x"
    assert table.number("n") == 2.0
    assert table.flag("f") is True
    assert str(table.date("d")) == "2008-09-01"
    assert table.texts("l") == ("p", "q")
    assert table.table("t").choice("k", ("v", "w")) == "v"
    assert [item.number("z") for item in table.tables("r")] == [1.0, 2.0]
    table.done()
    assert problems == []


@pytest.mark.parametrize(
    ("text", "ask", "said"),
    [
        ("a = 1", lambda t: t.text("a"), "here.a = 1 is not a text in quotes."),
        ("", lambda t: t.text("a", required=True), "here.a is missing; give a text in quotes."),
        (
            'a = "hgih"',
            lambda t: t.choice("a", ("high", "low")),
            "'hgih' is not one of high, low. Did you mean 'high'?",
        ),
        ("a = 2026-05-19", lambda t: t.text("a"), "here.a = 2026-05-19 is not a text in quotes."),
        ("", lambda t: t.table("t", required=True).text("k", required=True), "here.t is missing; give a table, [t] or"),
        ("USD = 1", lambda t: (t.number("usd"), t.done()), "here.USD is not a known key. Did you mean 'usd'?"),
        ('n = "5"', lambda t: t.number("n"), "here.n = '5' is not a number, written without quotes such as 2500."),
        ("n = true", lambda t: t.number("n"), "here.n = True is not a number,"),
        ("n = -1", lambda t: t.number("n"), "here.n = -1 is not a number of 0 or more."),
        ("n = nan", lambda t: t.number("n"), "here.n = nan is not a number of 0 or more."),
        ('f = "true"', lambda t: t.flag("f"), "'true' is not true or false"),
        ('d = "2008-09-01"', lambda t: t.date("d"), "is not a date such as 2008-09-01, without quotes"),
        ("d = 2008-09-01T10:00:00", lambda t: t.date("d"), "has a time of day"),
        ('l = "p"', lambda t: t.texts("l"), "is not a list of texts"),
        ('l = ["p", 1]', lambda t: t.texts("l"), "is not a list of texts"),
        (
            'l = ["pubic"]',
            lambda t: t.texts("l", ("public",)),
            "holds 'pubic', not one of public. Did you mean 'public'?",
        ),
        ("t = 1", lambda t: t.table("t"), "here.t = 1 is not a table, [t] or t = { ... }."),
        ("r = [1]", lambda t: list(t.tables("r")), "here.r 1 is not a table."),
    ],
)
def test_each_wrong_value_is_said_with_what_was_allowed(text, ask, said):
    table, problems = _table(text)
    ask(table)
    assert len(problems) == 1
    assert said in problems[0]


def test_a_key_that_nothing_reads_is_an_error():
    table, problems = _table('granularty = "year"\nsource = "x"')
    table.text("granularity")
    table.done(also=("source",))
    assert problems == [
        "here.granularty is not a known key. Did you mean 'granularity'? Known here: granularity, source. "
        "Remove it or correct its name."
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [('a = 1\nb = "x\n', ': b = "x'), ("a = 1\nb = $2,500\n", ": b = $2,500"), ("a = {", ""), ("a =", "")],
)
def test_a_text_that_is_no_toml_is_said_with_its_line(text, line):
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert not_toml(caught.value, text).endswith(line)
    assert not_toml(caught.value, text).startswith("is not TOML: ")


def test_a_file_of_records_in_the_place_of_toml_shows_no_record():
    text = "P0001,Schmidt,1980-04-01\nP0002,Schmidt,1981-04-01\n"
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert "Schmidt" not in not_toml(caught.value, text)


def test_many_unknown_keys_are_one_line():
    problems: list[str] = []
    TomlTable({f"k{at}": 1 for at in range(200_000)}, problems, "here.").done(["name"])
    (line,) = problems
    assert line.startswith("here.k0, k1, k2 and 199,997 more are not known keys. Known here: name.")
