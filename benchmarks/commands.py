"""The commands that people wait for, each as a process of its own, in seconds of the processor.

Plain: a process that imports pandas and reads every cell of the population, which no command that computes can do much
without. A machine that does other things makes both slower alike, so that only the ratio means anything; it is below 1
where a command takes longer than that. Every command has to end well, or there is no ratio. The figures that ship have
to be those of the code, or ``compare`` computes the nation.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from benchmarks.binning import Timing
from policy_sim.files.paths import DEFAULT_POPULATION, data_dir
from policy_sim.people.store import population_facts

LIMA = "Allen,Auglaize,Putnam,Van Wert"
COMMANDS = (
    ("--help",),
    ("compare", "--hipaa", "paper"),
    ("compare",),
    ("compare", "OH"),
    ("model", "curve", "OH", "--g-max", "20000"),
    ("econ", "attack", "OH"),
    ("policy", "explore", "OH"),
    ("model", "explain", "OH"),
    ("model", "sensitivity", "OH"),
    ("brief", "OH", "--in-file", "18000", "--from", LIMA, "--out", "ohio.pdf"),
    ("atlas", "--state", "DE", "--state", "ND", "--state", "WY", "--out", "site"),
)
PLAIN = "import pandas, pyarrow.parquet as pq; pq.ParquetFile({!r}).read().to_pandas()"
_REPEATS = 2


def processor_seconds(arguments: Sequence[str]) -> float:
    """Return the seconds of the processor that a new Python process and all its children take; the least of two runs.

    Raises
    ------
    RuntimeError : the process did not end with status 0.
    """
    least = float("inf")
    for _ in range(_REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            before = _children()
            ended = subprocess.run(
                [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
            )
            least = min(least, _children() - before)
        if ended.returncode:
            raise RuntimeError(f"{' '.join(arguments)} ended with {ended.returncode}: {ended.stderr[-500:]}")
    return least


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run() -> Iterator[Timing]:
    """Yield one timing per command; the plain way is the same for all and is measured once."""
    name = DEFAULT_POPULATION.removesuffix("-zcta")
    plain = processor_seconds(["-c", PLAIN.format(str(data_dir() / population_facts()[name]["file"]))])
    for command in COMMANDS:
        ours = processor_seconds(["-m", "policy_sim", *command])
        yield Timing(f"policy-sim {' '.join(command)}"[:60], ours, plain, plain / ours, "seconds of the processor")
