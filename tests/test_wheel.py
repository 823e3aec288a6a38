"""The wheel carries what ships: populations, boundaries, policies, voter lists; and runs from there."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest


@pytest.fixture(scope="module")
def unpacked(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


@pytest.mark.slow
def test_every_shipped_file_is_in_it(root, unpacked):
    for name in ("data", "voter_policies"):
        tracked = subprocess.run(
            ["git", "ls-files", name], cwd=root, check=True, capture_output=True, text=True
        ).stdout.split()
        assert tracked
        for path in tracked:
            assert (unpacked / "policy_sim" / "_shipped" / path).read_bytes() == (root / path).read_bytes()
    assert (unpacked / "policy_sim" / "py.typed").exists()


def test_what_pages_are_made_of_is_in_it(root, unpacked):
    tracked = subprocess.run(["git", "ls-files", "policy_sim"], cwd=root, check=True, capture_output=True, text=True)
    of_pages = [name for name in tracked.stdout.split() if not name.endswith(".py")]
    assert {"policy_sim/explorer/page.html", "policy_sim/atlas/atlas.css", "policy_sim/atlas/atlas.js"} <= set(of_pages)
    assert [name for name in of_pages if not (unpacked / name).is_file()] == []


def test_no_shipped_file_is_over_five_megabytes(root):
    sizes = {path: path.stat().st_size for path in (root / "data").rglob("*") if path.is_file()}
    assert max(sizes.values()) < 5_000_000


@pytest.mark.slow
def test_it_answers_from_there(unpacked, tmp_path):
    code = (
        "import policy_sim, sys; assert policy_sim.__file__.startswith(sys.argv.pop(1));"
        "from policy_sim.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(unpacked), "cost", "--state", "WV", "--as", "benitez-malin-2010"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "$309" in done.stdout
