from __future__ import annotations

import pytest
from sqlalchemy.engine import make_url

from policy_sim.errors import InputError
from policy_sim.io.sql.address import DATABASE_VARIABLE, database_file, first_line, given_url, read_address, shown_url


@pytest.mark.parametrize(
    ("given", "file"),
    [
        ("lists.sqlite", "lists.sqlite"),
        ("C:/data/lists.sqlite", "C:/data/lists.sqlite"),
        ("sqlite:///a/b.sqlite", "a/b.sqlite"),
        ("sqlite:///file:a.sqlite?uri=true", "a.sqlite"),
        (":memory:", None),
        ("postgres://host/name", None),
    ],
)
def test_the_file_of_an_address(given, file):
    found = database_file(read_address(given))
    assert (found and found.as_posix()) == file


def test_both_names_of_postgresql_get_the_driver_at_hand():
    for kind in ("postgres", "postgresql", "postgresql+psycopg"):
        assert read_address(f"{kind}://host/name").drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    "address",
    ["mysql://host/x", "postgresql+asyncpg://h/x", "sqlite://user:hush@host/x", "host=h password=hush", "pg:x@"],
)
def test_what_is_not_an_address_is_refused_without_its_password(address):
    with pytest.raises(InputError, match=r"lists\.sqlite") as refused:
        read_address(address)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("secret", ["hush", "hu sh", "p%40ss"])
def test_neither_an_address_nor_what_a_server_repeats_shows_a_password(secret):
    url = make_url("postgresql+psycopg://user@host/name?sslpassword=deep&host=/run").set(password=secret)
    assert secret not in shown_url(url)
    assert "deep" not in shown_url(url)
    line = first_line(f"role user, password {secret}, key deep refused\nmore", url)
    assert line == "role user, password …, key … refused"


def test_own_is_the_users_even_where_the_environment_names_another(monkeypatch):
    monkeypatch.setenv(DATABASE_VARIABLE, "other.sqlite")
    assert (given_url(None), given_url("own"), given_url("mine.sqlite")) == ("other.sqlite", None, "mine.sqlite")
