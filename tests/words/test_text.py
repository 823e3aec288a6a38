"""No user, password or key of an address is left in a message."""

from __future__ import annotations

import csv
import io
from itertools import product

import pandas as pd
import pytest

from policy_sim.words.text import mask_credentials, original_text, safe_text, with_safe_texts

SECRETS = ("hush", "AKIA", "user", "Schmidt")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgres://user:hush@host/db", "postgres://…@host/db"),
        ("postgresql+psycopg://user:hush@host:5432/db?x=1", "postgresql+psycopg://…@host:5432/db?x=1"),
        ("s3://AKIA:hush@bucket/v.csv: not found.", "s3://…@bucket/v.csv: not found."),
        ("foo://user@host", "foo://…@host"),
        ("postgres:/user:hush@host", "postgres:/…@host"),
        # /, @, : and blanks inside the password
        ("mysql://user:hu/sh@Schmidt:hush@host/db", "mysql://…@host/db"),
        ("mysql://user:hush Schmidt hush@host/db", "mysql://…@host/db"),
        # two addresses in one line
        ("a1://user:hush@h and b2://user:Schmidt@k.", "a1://…@h and b2://…@k."),
        ("sc://h:15002 fails; not postgres://user:hush@h", "sc://h:15002 fails; not postgres://…@h"),
        ("'s3://AKIA:hush@b'\ns3://AKIA@c", "'s3://…@b'\ns3://…@c"),
        ("https://h/p?token=hush&n=1&api_key=AKIA.", "https://h/p?token=…&n=1&api_key=…"),
        ("mssql+pyodbc:///?odbc_connect=PWD%3Dhush", "mssql+pyodbc:///?odbc_connect=…"),
        ("sc://h:15002/;token=hush;x=1: no server", "sc://h:15002/;token=…;x=1: no server"),
        ("sc://h:15002/;token=hush@Schmidt: no server", "sc://… no server"),
        ("postgres://user:hush@h/db?password=AKIA@hush, not a1://user:hush@h", "postgres://… not a1://…@h"),
        ("h/db?password=AKIA@hush", "…"),
        ("sc://h/%3Btoken=hush", "sc://h/%3Btoken=…"),
        # without a scheme
        ("user:hush@host:5432/db", "…@host:5432/db"),
        ("//user:hush@host/db: no such file.", "//…@host/db: no such file."),
        ("//hush@host/db", "//…@host/db"),
        (":hush@host", "…@host"),
        ("user:hu/sh:Schmidt@hush@host", "…@host"),
        ("user:12/34hush@host", "…@host"),
        ("user:hush Schmidt@host/db: no such file.", "…@host/db: no such file."),
        ("/data/user:hush@host/db.csv: no such file.", "/data/…@host/db.csv: no such file."),
        ("file 'user:hush@host' and (user:Schmidt@k)", "file '…@host' and (…@k)"),
        ("user:hush@h and postgres:/user:hush@host:5432/db", "…@h and postgres:/…@host:5432/db"),
        ("host=h password='hush Schmidt' dbname=x", "host=h password=… dbname=x"),
    ],
)
def test_nothing_secret_is_left(text, masked):
    assert mask_credentials(text) == mask_credentials(masked) == masked
    assert not any(secret in mask_credentials(text) for secret in SECRETS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "visits.csv: there is no such file.",
        "C:/data/me@home/visits.csv",
        "spark://host:7077: no worker; see docs/cluster.md",
        "http://127.0.0.1:8080/x asks for me@host",
        "key=birth=date, --fields age,sex",
        "sqlite:///lists.sqlite",
        "C:\\data\\me@home\\visits.csv",
        "at 12:30 me@host wrote: ask you@host",
        "visits.csv: line 3: ask me@host",
    ],
)
def test_the_rest_is_left_as_it_is(text):
    assert mask_credentials(text) == text
    assert mask_credentials(mask_credentials(text)) == text


# A text that a spreadsheet would run is marked, and comes back as it was.


RUNS = ("=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "=", "--1", "-1-1", "+1;2", "-é")
PLAIN = ("", "Ohio", "-5", "+5", "-.5", "-1.5e-3", "+1%", "-", "2008-09-01", "a=b", "'quoted'", "¹", " =1", "—")


@pytest.mark.parametrize("text", RUNS)
def test_a_formula_is_marked(text):
    assert safe_text(text) == "'" + text
    assert original_text("'" + text) == text


@pytest.mark.parametrize("text", PLAIN)
def test_the_rest_stays(text):
    assert safe_text(text) == text
    assert original_text(text) == text


def test_every_short_text_comes_back():
    for letters in product("'=-1 ", repeat=4):
        text = "".join(letters)
        assert original_text(safe_text(text)) == text


def test_a_table_keeps_its_numbers_and_what_is_missing():
    frame = pd.DataFrame(
        {
            "=name": ["=1", None, "x"],
            "n": [-1, 2, 3],
            "share": pd.array([-0.5, None, 1], dtype="Float64"),
            "text": pd.array(["+a", None, "-2"], dtype="string"),
            "kind": pd.Categorical(["@a", "b", None]),
        }
    )
    before = frame.copy()
    rows = list(csv.reader(io.StringIO(with_safe_texts(frame).to_csv(index=False))))
    assert rows == [
        ["'=name", "n", "share", "text", "kind"],
        ["'=1", "-1", "-0.5", "'+a", "'@a"],
        ["", "2", "", "", "b"],
        ["x", "3", "1.0", "-2", ""],
    ]
    pd.testing.assert_frame_equal(frame, before)


def test_two_columns_of_one_name_are_both_made_safe():
    frame = pd.DataFrame([["=1", "=2"]], columns=["a", "a"])
    assert with_safe_texts(frame).to_csv(index=False) == "a,a\n'=1,'=2\n"
