"""Nothing is left of a killed run: no process, no spill, no hidden folder. Real runs are killed here."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
from pinned import pinned

NAME = "Zwetschgenbaum"
GONE = 10  # seconds that what a killed run left may still be there
KILLS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")]


class Killed:
    """A run of its own folder for temporary files, known among all processes by a mark in its environment."""

    def __init__(self, folder: Path, *words: object, program: Sequence[object] = ("-m", "policy_sim")) -> None:
        self.mark, self.folder, self.temporary = uuid.uuid4().hex, folder, folder / "temporary"
        self.temporary.mkdir()
        for number in set(KILLS) - {signal.SIGKILL}:  # what is ignored here, as under nohup, would be ignored there
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        self.run = subprocess.Popen(
            [sys.executable, *map(str, (*program, *words))],
            env=os.environ | {"MARK_OF_THE_RUN": self.mark, "TMPDIR": str(self.temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            start_new_session=True,
        )

    def processes(self) -> list[int]:
        """The run and all that it started which still run."""
        mine = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if f"MARK_OF_THE_RUN={self.mark}".encode() in (place / "environ").read_bytes():
                    mine.append(int(place.name))
            except OSError:
                continue
        return mine

    def until(self, holds, what: str, seconds: float = 120) -> None:
        """Wait until something holds; a slow machine is given two minutes to begin."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"after {seconds} seconds: {what}"
            time.sleep(0.02)

    def killed(self, number: int) -> None:
        """Kill the run: it, its workers and its hidden folders are gone soon after."""
        assert self.run.poll() is None, "the run was over before it was killed"
        self.run.send_signal(number)
        try:
            self.until(lambda: self.run.poll() is not None and not self.processes(), "processes are left", GONE)
            self.until(lambda: not _hidden(self.folder), f"left: {_hidden(self.folder)}", GONE)
        finally:
            self.run.kill()
            self.run.wait()


def _hidden(folder):
    return [path.name for path in folder.rglob("*") if path.name.startswith(".") or "policy-sim" in path.name]


@pytest.mark.parametrize("number", pinned(KILLS[::2], KILLS))
def test_drawing_workers_and_the_hidden_folder_go_with_a_killed_run(number, tmp_path):
    killed = Killed(tmp_path, "compare", "--out", "o", "--population", "us-2010", "--lists", "2008")
    least = 4 if (os.cpu_count() or 1) > 1 else 1  # the run, two that draw, and what multiprocessing needs
    killed.until(lambda: len(killed.processes()) >= least or killed.run.poll() is not None, "no worker was started")
    killed.killed(number)
    assert not (tmp_path / "o").exists()


@pytest.fixture(scope="module")
def many_values(tmp_path_factory):
    """A file that does not fit into the least memory."""
    draw = random.Random(3)
    file = tmp_path_factory.mktemp("values") / "visits.csv"
    with file.open("w") as stream:
        stream.write("name,age,note\n")
        for at in range(600_000):
            stream.write(f"{NAME} {at},{draw.randrange(90)},{draw.getrandbits(160):040x}\n")
    return file


@pytest.mark.parametrize("number", pinned(KILLS[:2], KILLS))
def test_what_a_killed_profile_spilled_is_gone(number, many_values, tmp_path):
    killed = Killed(
        tmp_path, "dataset", "profile", many_values, "--fields", "name,note", "--memory", "60MB", "--out", "o"
    )
    spilled = lambda: any((tmp_path / "temporary").glob("policy-sim-*/spill-*/*"))  # noqa: E731
    killed.until(lambda: spilled() or killed.run.poll() is not None, "nothing was spilled")
    killed.killed(number)
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]
    assert list((tmp_path / "temporary").iterdir()) == []


TASK = """
import threading
from pathlib import Path

def task(number):
    Path(f"begun-{number}").touch()
    threading.Event().wait()
"""

ENDLESS = """
import signal, sys
from policy_sim.words.workers import worker_processes
from endless_task import task

for number in (signal.SIGTERM, signal.SIGHUP):  # as the program does
    signal.signal(number, lambda *_: sys.exit(1))
with worker_processes(2) as pool:
    for begun in [pool.submit(task, number) for number in range(20)]:
        begun.result()
"""

NO_GUARD = """
import numpy as np
from policy_sim.records.sampling_study import simulate

print("the script runs")
print(simulate(np.repeat([1, 2, 3], 40), fractions=[0.1, 0.5], runs=60, workers=2).population_size)
"""


def test_a_script_without_a_main_guard_starts_workers(tmp_path):
    """A process that starts from a clean interpreter would run the script again."""
    (tmp_path / "script.py").write_text(NO_GUARD)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["the script runs", "240"]


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one processor draws alone")
def test_a_stop_from_the_keyboard_prints_one_line(tmp_path):
    """The terminal sends it to the run and to its workers at once."""
    program = [sys.executable, "-m", "policy_sim", "compare", "--out", tmp_path / "o"]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        while run.poll() is None and len(children.read_text().split()) < 2:
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate(timeout=120)[1]
    assert "Traceback" not in said
    assert said.split()[-1] == "Aborted!"


@pytest.mark.parametrize("number", pinned(KILLS[1::2], KILLS))
def test_workers_of_a_killed_run_finish_nothing(number, tmp_path):
    (tmp_path / "endless_task.py").write_text(TASK)
    (tmp_path / "endless.py").write_text(ENDLESS)
    killed = Killed(tmp_path, program=[tmp_path / "endless.py"])
    killed.until(lambda: len([*tmp_path.glob("begun-*")]) == 2 or killed.run.poll() is not None, "nothing was begun")
    killed.killed(number)
    assert len([*tmp_path.glob("begun-*")]) == 2
