"""The same tests on SQLite and on a real PostgreSQL server, which is started here and stopped after."""

import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import pytest

from policy_sim.voter_lists.sql.stored_lists import open_lists

_numbers = count()


def _bin() -> Path | None:
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb")
    return installed[-1].parent if installed else Path(found).resolve().parent if found else None


def _server_user() -> dict[str, str]:
    """PostgreSQL refuses to run as root; Debian's package brings the user postgres."""
    if os.geteuid() != 0:
        return {}
    import pwd

    try:
        pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("runs as root and there is no user 'postgres' to run the server as")
    return {"user": "postgres", "group": "postgres"}


@pytest.fixture(scope="session")
def postgres():
    """Where a temporary server listens: a folder with its socket."""
    where = _bin()
    if where is None:
        pytest.skip("PostgreSQL is not installed (Debian package postgresql)")
    pytest.importorskip("psycopg")
    user = _server_user()
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path must be short
    if user:
        shutil.chown(folder, **user)

    def run(*command: str) -> None:
        subprocess.run([str(where / command[0]), *command[1:]], check=True, capture_output=True, cwd=folder, **user)

    data = str(folder / "data")
    run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
    options = f"-c listen_addresses='' -c fsync=off -k {folder}"
    run("pg_ctl", "-D", data, "-l", str(folder / "log"), "-o", options, "-w", "start")
    run("createuser", "-h", str(folder), "-U", "postgres", "lists")  # no superuser: 'lists sql' refuses one
    try:
        yield folder
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def _fresh_postgres(folder: Path, template: str = "template1") -> str:
    import psycopg

    name = f"lists{next(_numbers)}"
    with psycopg.connect(f"host={folder} user=postgres dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER lists TEMPLATE {template}")
    return f"postgresql+psycopg://lists@/{name}?host={folder}"


KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


def _fresh(kind: str, request, folder: Path) -> str:
    if kind == "sqlite":
        (folder / "lists.sqlite").touch()  # an empty database: one that is not there is not made by reading
        return f"sqlite:///{folder / 'lists.sqlite'}"
    return _fresh_postgres(request.getfixturevalue("postgres"))


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    """The URL of an empty database of each kind."""
    return _fresh(request.param, request, tmp_path)


@pytest.fixture(scope="session", params=KINDS)
def built(request, tmp_path_factory):
    """A database of each kind, built from the shipped files; for tests that only read."""
    return open_lists(_fresh(request.param, request, tmp_path_factory.mktemp("built")))


@pytest.fixture(scope="session")
def _built_sqlite(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("once") / "lists.sqlite"
    open_lists(f"sqlite:///{path}", make=True).dispose()
    return path


@pytest.fixture(scope="session")
def _built_postgres(postgres) -> str:
    url = _fresh_postgres(postgres)
    open_lists(url).dispose()
    return url.partition("@/")[2].partition("?")[0]


@pytest.fixture(params=KINDS)
def filled_url(request, tmp_path):
    """The URL of a database of each kind as the shipped files give it: a copy of one that was built."""
    if request.param == "sqlite":
        copied = shutil.copy(request.getfixturevalue("_built_sqlite"), tmp_path)
        return f"sqlite:///{copied}"
    return _fresh_postgres(request.getfixturevalue("postgres"), request.getfixturevalue("_built_postgres"))


@pytest.fixture
def postgres_url(postgres):
    return _fresh_postgres(postgres)
