"""Commands about people: population, census and synth."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from urllib.parse import quote, quote_plus

import numpy as np
import pandas as pd
import pytest
from census_service import KEY, CensusService, tables_of
from small_people import cells as synth_cells
from small_people import invoke, one_line, rows, run, written

from policy_sim.people.by_name import load_population
from policy_sim.people.store import PopulationCache


def test_list_shows_what_is_counted_and_what_is_modeled():
    done = run("model", "population", "list")
    lines = done.stdout.splitlines()
    lines = lines[next(at for at, line in enumerate(lines) if line.startswith("population ")) :]
    assert lines[0].split() == ["population", "date", "people", "cells", "counted", "estimated", "modeled"]
    assert lines[2].split()[:3] == ["us-2000", "2000-04-01", "281,421,906"]
    assert lines[4].startswith("us-2010-zip")
    assert "not yet counted" in lines[4]
    assert lines[5].split()[:4] == ["us-2010-zcta", "2010-04-01", "308,745,538", "2,372,234"]
    assert "100%" in lines[6]


def test_who_lives_in_a_zip_code_area():
    table = pd.DataFrame(rows("model", "population", "zip", "43604"))
    assert table.columns.tolist() == ["population", "item", "value", "people", "share", "share_of_counties", "basis"]
    for name, counted in (("us-2010", 10_154), ("us-2020", 9_248)):
        of_census = table[table["population"] == name].astype({"people": int, "share": float})
        of_item = of_census.groupby("item")["people"].sum()
        assert of_item["everyone"] == of_item["county"] == counted
        for item in ("age", "group"):
            assert abs(of_item[item] - counted) < 0.002 * counted + 10  # of whole people, each rounded
            assert abs(of_census.loc[of_census["item"] == item, "share"].sum() - 1) < 1e-9
    black = table[(table["value"] == "Black")].astype({"people": int})["people"].tolist()
    assert min(black) > 4_000
    assert "cite: policy_sim" in run("model", "population", "zip", "43604").stdout
    for code, says in (("436", "give five digits, such as 43604"), ("99999", "neither Census 2010 nor 2020")):
        assert says in run("model", "population", "zip", code, code=2).output


def test_the_small_prefixes_as_table_and_csv():
    table = run("model", "population", "zip3").stdout
    assert "check of 2020" in table
    assert "cite: policy_sim" in table
    done = run("model", "population", "zip3", "--format", "csv")
    assert len(done.stdout.splitlines()) == 1 + 23
    assert "036,NH,13759,13153,yes,yes,yes" in done.stdout
    assert "cite: policy_sim" in done.stderr


def test_show_says_how_it_was_made_and_how_good_it_is():
    done = run("model", "population", "show", "us-2020")
    for words in ("how made:", "Method measured on Texas 2010", "Puerto Rico", "P.L. 94-171", "100% modeled"):
        assert words in " ".join(done.stdout.split())


def test_show_knows_what_is_made_when_asked_for():
    said = " ".join(invoke("model", "population", "show", "us-2010-zip").stdout.split())
    for words in ("assigned to its ZIP code areas", "100% modeled", "zcta_county_2010.parquet"):
        assert words in said
    rows = json.loads(invoke("model", "population", "show", "us-2010-zip", "--format", "json").stdout)
    assert "None" not in {row["value"] for row in rows}


# census fetch, load, list, show, check and remove as a user runs them.
STATES = ("DE", "RI")


@pytest.fixture(scope="session")
def cells():
    """Delaware and Rhode Island of 2010: the real people of each county and race, sex and age made up."""
    known = load_population("us-2010").in_states(STATES).cells.groupby(["state", "county", "race"], observed=True)
    ages = [*((age, 1) for age in range(100)), (100, 5), (105, 5), (110, 1)]
    kinds = pd.DataFrame(
        [(sex, age, width) for sex in "MF" for age, width in ages], columns=["sex", "age", "age_width"]
    )
    rng = np.random.default_rng(2)
    parts = [
        kinds.assign(
            state=state, county=county, race=race, people=rng.multinomial(people, [1 / len(kinds)] * len(kinds))
        )
        for (state, county, race), people in known["people"].sum().items()
    ]
    return pd.concat(parts, ignore_index=True).query("people > 0")


@pytest.fixture
def service(cells):
    with CensusService(tables_of(cells)).running() as running:
        yield running


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CENSUS_API_KEY", KEY)
    return tmp_path / "home"


def census(*arguments, code=0):
    done = run("dev", "census", *arguments, code=code)
    assert KEY not in done.output
    return done


def _fetch(service, *more, code=0):
    states = [word for state in STATES for word in ("--state", state)]
    return census("fetch", "sf1-2010", *states, "--url", service.url, *more, code=code)


def _no_key_in(folder):
    forms = {KEY, quote_plus(KEY), quote(KEY)}
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return not any(form.encode() in written for form in forms)


@pytest.mark.slow
def test_fetch_keeps_a_population_that_every_command_knows(service, home, cells):
    said = _fetch(service).output
    assert "sf1-2010-de-ri" in said
    assert "2 state totals equal the published ones" in said
    population = load_population("sf1-2010-de-ri")
    assert population.people == cells["people"].sum()
    done = run("compare", "--population", "sf1-2010-de-ri", "--state", "DE", "--format", "csv")
    assert "100.0% counted" in done.stderr
    assert _no_key_in(home)


@pytest.mark.slow
def test_the_address_may_come_from_the_environment(service, home, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_CENSUS_URL", service.url)
    census("fetch", "sf1-2010", "--state", "RI")
    assert service.requests


@pytest.mark.slow
def test_list_show_check_remove(service, home):
    assert "No population is saved yet" in census("list").output
    _fetch(service)
    listed = json.loads(census("list", "--format", "json").output)
    assert [row["name"] for row in listed] == ["sf1-2010-de-ri"]
    shown = census("show", "sf1-2010-de-ri").output
    for word in ("US Census Bureau", "2010-04-01", "PCT12A to PCT12G", "sha256", service.url, "retrieved"):
        assert word in shown
    assert "noise" not in shown
    assert json.loads(census("check", "--format", "json").output) == [{"name": "sf1-2010-de-ri", "state": "whole"}]
    assert "removed" in census("remove", "sf1-2010-de-ri").output
    assert "No population is saved yet" in census("list").output
    assert not [path for path in home.rglob("*") if path.is_file() and path.suffix != ".lock"]


@pytest.mark.slow
def test_check_makes_a_damaged_file_again_and_names_what_it_cannot_make(service, home):
    _fetch(service)
    cache, name = PopulationCache(), "sf1-2010-de-ri"
    path = cache.folder / cache.entry(name).file
    path.write_bytes(path.read_bytes()[:-1])
    assert "damaged, rebuilt" in census("check").output
    done = census("check", name, "sf1-2010-oh", "--format", "json", code=2)
    assert [row["state"] for row in json.loads(done.stdout)] == ["whole", "not here"]
    assert "'sf1-2010-oh' is not known" in done.stderr
    path = cache.folder / cache.entry(name).file
    path.write_bytes(b"PAR1")
    shutil.rmtree(cache.work_folder(name))
    assert path.name in census("check", code=2).output
    assert "damaged" in run("compare", "--population", name, code=2).output


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [{"file": "../../secret.parquet"}, {"people": "many"}, {"notes": "x", "origin": []}, "[" * 100_000]
)
def test_a_damaged_manifest_is_one_line(change, service, home):
    _fetch(service)
    path = PopulationCache().folder / "sf1-2010-de-ri.json"
    path.write_text(change if isinstance(change, str) else json.dumps(json.loads(path.read_text()) | change))
    for arguments in (["show", "sf1-2010-de-ri"], ["list"], ["check"]):
        said = census(*arguments, code=2).stderr.strip().splitlines()
        assert len(said) == 1
        assert "policy-sim dev census remove sf1-2010-de-ri" in said[0]
    assert json.loads(census("check", "--format", "json", code=2).stdout)[0]["state"] == "damaged"


@pytest.mark.slow
def test_a_file_that_is_no_table_of_people_is_one_line(service, home):
    _fetch(service)
    kept = PopulationCache()
    path = kept.folder / kept.entry("sf1-2010-de-ri").file
    path.write_bytes(b"no Parquet")
    manifest = kept.folder / "sf1-2010-de-ri.json"  # and a manifest that goes with it
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"sha256": checksum}))
    done = run("compare", "--population", "sf1-2010-de-ri", code=2)
    assert "is not a table of people" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("fault", ["status 400", "status 204"])
def test_a_failure_is_one_line_and_holds_no_key(fault, service, home):
    service.faults = [fault] * 100
    said = _fetch(service, code=2).output.strip().splitlines()
    assert len([line for line in said if line.startswith("Error:")]) == 1
    assert _no_key_in(home)


def _command(service):
    # A suite that is started in the background is deaf to Ctrl-C, and its children would be too.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from policy_sim.cli.main import main; main()"
    )
    states = [word for state in STATES for word in ("--state", state)]
    return [sys.executable, "-c", program, "census", "fetch", "sf1-2010", *states, "--url", service.url]


@pytest.mark.slow
def test_killed_in_the_middle_it_completes_without_asking_again(service, home, cells):
    service.faults = ["ok"] * 12 + ["stall"] * 4
    with subprocess.Popen(
        _command(service), env=os.environ | {"POLICY_SIM_HOME": str(home)}, stderr=subprocess.PIPE
    ) as child:
        for _ in range(16):  # twelve answered, four under way
            assert service.asked.acquire(timeout=30)
        child.send_signal(signal.SIGKILL)
        child.wait()
    service.let_go.set()
    answered = len(list((home / "populations" / "answers" / "sf1-2010-de-ri").glob("*.json.gz")))
    assert 8 <= answered <= 12  # an answer may have come and not been kept yet
    before = dict(service.requests)
    service.faults.clear()
    _fetch(service)
    again = sum(service.requests.values()) - sum(before.values())
    assert again == 40 - answered
    assert load_population("sf1-2010-de-ri").people == cells["people"].sum()
    assert not list(home.rglob("*.part"))


@pytest.mark.slow
def test_interrupted_in_a_silence_it_ends_at_once(service, home):
    service.faults = ["stall"] * 40
    with subprocess.Popen(_command(service), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        for _ in range(4):
            assert service.asked.acquire(timeout=30)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=20)  # the silence alone would take 90 seconds
    assert child.returncode == 1
    assert b"Aborted!" in said
    assert b"Traceback" not in said


@pytest.mark.slow
def test_a_full_disk_leaves_nothing_behind(service, home):
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))\n"
        "from policy_sim.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, *_command(service)[3:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path for path in home.rglob("*") if path.suffix in (".part", ".parquet", ".json")]
    assert _no_key_in(home)
    before = sum(service.requests.values())
    _fetch(service)
    assert sum(service.requests.values()) == before  # the answers fitted and were kept


@pytest.mark.slow
def test_a_key_typed_at_the_prompt_is_not_shown(service, home):
    import pty

    environment = {name: value for name, value in os.environ.items() if name != "CENSUS_API_KEY"}
    child, terminal = pty.fork()
    if not child:  # pragma: no cover - the child becomes the command
        os.execve(sys.executable, _command(service), environment)
    shown = b""
    while b"census key" not in shown:
        shown += os.read(terminal, 4096)
    os.write(terminal, KEY.encode() + b"\n")
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
    except OSError:  # Linux ends a terminal so
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, shown
    assert KEY.encode() not in shown
    assert b"Use it with: --population sf1-2010-de-ri" in shown
    assert _no_key_in(home)


@pytest.mark.slow
def test_two_processes_at_once_leave_one_whole_population(service, home, cells):
    children = [
        subprocess.Popen(_command(service), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)
    ]
    for child in children:
        _, error = child.communicate(timeout=60)
        assert child.returncode == 0, error
    assert load_population("sf1-2010-de-ri").people == cells["people"].sum()
    kept = PopulationCache()
    assert [path.name for path in kept.folder.glob("*.parquet")] == [kept.entry("sf1-2010-de-ri").file]


@pytest.fixture
def by_ethnicity():
    """A service that has Delaware of 2010 by ethnicity, and the people it has."""
    people = load_population("us-2010").in_states(["DE"])
    with CensusService(tables_of(people.with_ethnicity.cells)).running() as running:
        yield running, people


@pytest.mark.slow
def test_a_population_fetched_by_ethnicity_answers_what_shows_it(by_ethnicity, home):
    """Every cell is that of the service, after the file was damaged too, and 80 requests were enough."""
    service, people = by_ethnicity
    said = census("fetch", "sf1-2010", "--state", "DE", "--ethnicity", "--url", service.url).output
    assert sum(service.requests.values()) == 80
    assert "PCT12H to PCT12O add up" in said
    kept, name = PopulationCache(), "sf1-2010-ethnicity-de"
    columns = ["county", "sex", "age", "race", "ethnicity", "people"]
    wanted = people.with_ethnicity.cells[columns].astype({"county": str, "sex": str, "race": str, "ethnicity": str})
    for _ in range(2):
        cells = load_population(name).cells[columns].astype({"county": str, "sex": str, "race": str, "ethnicity": str})
        same = [each.sort_values(columns).reset_index(drop=True) for each in (cells, wanted)]
        pd.testing.assert_frame_equal(*same)
        (kept.folder / kept.entry(name).file).write_bytes(b"PAR1 nothing")
    figures = [
        rows(
            "compare", "--population", each, "--state", "DE", "--policy", "race+ethnicity+birth=year+geography=county"
        )[0]["people"]
        for each in (name, "us-2010")
    ]
    assert figures[0] == figures[1]


@pytest.mark.slow
def test_a_population_without_ethnicity_is_refused_where_a_policy_shows_it_and_so_are_tables_that_contradict(
    by_ethnicity, home
):
    service, _ = by_ethnicity
    census("fetch", "sf1-2010", "--state", "DE", "--url", service.url)
    asked = ("compare", "--population", "sf1-2010-de", "--state", "DE", "--policy", "race+ethnicity+birth=year")
    assert "sf1-2010-de has no ethnicity" in one_line(*asked)
    service.tables.counts["J"][0] += service.tables.counts["B"][0]
    done = census("fetch", "sf1-2010", "--state", "DE", "--ethnicity", "--url", service.url, code=2)
    assert "more people than PCT12B in DE 10001" in done.stderr
    assert re.search("PCT12H to PCT12O do not .* DE 10001", done.stderr)


# ``policy-sim dev synth``: a file of made-up people, the same for the same seed.


@pytest.fixture
def made(tmp_path):
    return ("dev", "synth", "OH", "--population", written(tmp_path), "--census-day", "2020-04-01")


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_everyone_of_the_state_is_made_once(made, tmp_path):
    run(*made, "--out", tmp_path / "people.csv")
    people = pd.DataFrame(read(tmp_path / "people.csv"))
    ohio = synth_cells()[synth_cells()["state"] == "OH"]
    assert len(people) == ohio["people"].sum() == 96
    for column in ("sex", "race", "county"):
        assert people[column].value_counts().to_dict() == ohio.groupby(column)["people"].sum().to_dict()


def test_parquet_holds_the_same_rows(made, tmp_path):
    for ending in ("csv", "parquet"):
        run(*made, "--people", 7, "--out", tmp_path / f"people.{ending}")
    stored = pd.read_parquet(tmp_path / "people.parquet").astype(str)
    assert stored.to_dict("records") == pd.DataFrame(read(tmp_path / "people.csv")).to_dict("records")
