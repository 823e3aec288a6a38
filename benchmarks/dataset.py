"""Speed and memory of a file's class sizes and full profile, as ratios to pandas on the same file in the same run.

    python benchmarks/dataset.py                 # 10 million rows
    python benchmarks/dataset.py --rows 1e8      # without pandas, which would not fit
    python benchmarks/dataset.py --rows 1e8 --different   # no two rows alike: the command as a whole
    python benchmarks/dataset.py --seven         # seven fields, 4.35 million classes: the command, Parquet and CSV
    python benchmarks/dataset.py --rows 1e6 --release     # six fields: a release by local recoding with its dossier

The file is made here: age, sex, race, education and county as text, drawn independently and unevenly,
in Parquet. The profile is what ``policy-sim dataset profile`` computes: every class, prosecutor risk,
all 31 combinations of fields and the SUDA scores. pandas computes the class sizes by one groupby, and the
same profile by a groupby of the classes for every combination; classes, uniques and scores must be the
same. Each task is a process of its own, whose peak memory is given.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

FIELDS = ("age", "sex", "race", "education", "county")


def make_file(rows: int, path: Path, seed: int = 1) -> None:
    """Write the records in chunks."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    values = {
        "age": [str(age) for age in range(100)],
        "sex": ["M", "F"],
        "race": ["white", "black", "aian", "asian", "nhpi", "other", "multiple"],
        "education": [f"level {level}" for level in range(16)],
        "county": [f"39{2 * county + 1:03d}" for county in range(88)],
    }
    weights = {
        "age": np.concatenate([np.full(60, 1.3), np.linspace(1.3, 0.02, 40)]),
        "sex": np.ones(2),
        "race": np.array([60, 13, 1, 6, 0.2, 8, 12]),
        "education": np.array([1, 2, 3, 5, 8, 10, 12, 14, 12, 10, 8, 6, 4, 3, 1, 1.0]),
        "county": 1 / np.arange(1, 89) ** 0.8,
    }
    schema = pa.schema([(name, pa.string()) for name in FIELDS])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, 2_000_000):
            size = min(2_000_000, rows - start)
            columns = [
                pa.DictionaryArray.from_arrays(
                    pa.array(rng.choice(len(values[f]), size, p=weights[f] / weights[f].sum()).astype("int32")),
                    pa.array(values[f]),
                ).cast(pa.string())
                for f in FIELDS
            ]
            writer.write_table(pa.table(columns, schema=schema), row_group_size=1_000_000)


def make_different(rows: int, path: Path) -> None:
    """Write records of which no two are alike, in chunks."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    lengths = {"sex": 2, "race": 7, "education": 16, "county": 88, "birth": 20_000}
    values = {name: pa.array([f"{name[0]}{value:05d}" for value in range(n)]) for name, n in lengths.items()}
    possible, stride = math.prod(lengths.values()), 251_658_241  # without a common divisor
    schema = pa.schema([(name, pa.string()) for name in lengths])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, 1_000_000):
            number = np.arange(start, min(start + 1_000_000, rows), dtype=np.int64) * stride % possible
            columns = []
            for name, n in lengths.items():
                codes = pa.array((number % n).astype(np.int32))
                columns.append(pa.DictionaryArray.from_arrays(codes, values[name]).cast(pa.string()))
                number //= n
            writer.write_table(pa.table(columns, schema=schema))


def make_seven(rows: int, path: Path) -> Path:
    """Write the records with two more fields, and again as CSV, whose path is returned."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as pq

    make_file(rows, path)
    rng, table = np.random.default_rng(7), pq.read_table(path)
    for name, shares in (("marital", (0.5, 0.25, 0.12, 0.08, 0.05)), ("work", (0.66, 0.17, 0.07, 0.05, 0.03, 0.02))):
        codes = pa.array(rng.choice(len(shares), rows, p=shares).astype(np.int32))
        texts = pa.array([f"{name[0]}{value}" for value in range(len(shares))])
        table = table.append_column(name, pa.DictionaryArray.from_arrays(codes, texts).cast(pa.string()))
    pq.write_table(table, path, row_group_size=1_000_000)
    arrow_csv.write_csv(table, path.with_suffix(".csv"), arrow_csv.WriteOptions(quoting_style="needed"))
    return path.with_suffix(".csv")


def write_project(path: Path, project: Path) -> None:
    """Write a project that releases six columns as key fields, no class of fewer than 5 records."""
    columns = (*FIELDS, "marital")
    variables = "".join(f'[variables.{name}]\nrole = "key"\nreason = "may be known"\n' for name in columns)
    target = '[target]\naim = "risk"\nmeasure = "maximum"\nthreshold = "k=5"\n'
    project.write_text(f'title = "six"\n[file]\nlocation = "{path}"\n{target}{variables}')


def run_command(*words: str) -> None:
    """Run the command, and print what the process took as a whole."""
    import resource

    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "policy_sim", *words], check=True, capture_output=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{words[0]} {words[1]} {Path(words[2]).name}: {time.perf_counter() - start:.1f} s ({seconds:.1f} s of "
        f"processor), peak so far {used.ru_maxrss / 1e6:.2f} GB"
    )


def profile(path: str, memory: str) -> dict[str, float]:
    """Profile the file as the command does."""
    from policy_sim.records.engines.readable_file import open_engine
    from policy_sim.records.engines.sources import open_records
    from policy_sim.records.profile import Threshold, profile_classes

    start, cpu = time.perf_counter(), time.process_time()
    with open_engine(memory=memory) as engine:
        grouped = engine.group(open_records(path, FIELDS))
        grouped.sizes()
        counted = {"class_seconds": time.perf_counter() - start, "class_cpu": time.process_time() - cpu}
        classes = grouped.classes()
    found = profile_classes(classes, "own", Threshold.parse("0.09"), Threshold.parse("0.5"))
    score = int(found.suda.score.sum()) if found.suda else 0
    return {"classes": classes.number, "uniques": found.risk.uniques, "score": score, **counted}


def pandas_sizes(path: str, _: str) -> dict[str, float]:
    """Read the file and count its classes with pandas, and nothing else."""
    import pandas as pd

    sizes = pd.read_parquet(path).groupby(list(FIELDS), sort=False, dropna=False, observed=True).size()
    return {"classes": len(sizes), "uniques": int((sizes == 1).sum())}


def pandas_profile(path: str, _: str) -> dict[str, float]:
    """Make the same profile with pandas: the classes, then each combination of fields from the classes."""
    import pandas as pd

    sizes = pd.read_parquet(path).groupby(list(FIELDS), sort=False, dropna=False, observed=True).size()
    classes = sizes.rename("size").reset_index()
    score = 0
    alone: dict[tuple[str, ...], pd.Series[bool]] = {}
    for width in range(1, len(FIELDS) + 1):
        for fields in combinations(FIELDS, width):
            groups = classes.groupby(list(fields), sort=False, dropna=False, observed=True)["size"]
            alone[fields] = groups.transform("sum") == 1
            minimal = alone[fields]
            for part in combinations(fields, width - 1):
                minimal = minimal & ~alone[part] if part else minimal
            score += math.factorial(len(FIELDS) - width) * int(minimal.sum())
    return {"classes": len(sizes), "uniques": int((sizes == 1).sum()), "score": score}


TASKS = {"profile": profile, "pandas-sizes": pandas_sizes, "pandas-profile": pandas_profile}


def measure(task: str, path: Path, memory: str) -> dict[str, float]:
    """Run a task in a process of its own; seconds count from after its imports of other projects."""
    command = [sys.executable, __file__, "--task", task, "--file", str(path), "--memory", memory]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(found.stdout)
    return result


def _task(name: str, path: str, memory: str) -> None:
    import resource

    import duckdb  # noqa: F401
    import pandas as pd  # noqa: F401

    start, cpu = time.perf_counter(), time.process_time()
    result = TASKS[name](path, memory)
    result["seconds"], result["cpu"] = time.perf_counter() - start, time.process_time() - cpu
    result["peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps(result))


def _compare(runs: Sequence[Mapping[str, Mapping[str, float]]]) -> None:
    """Print the ratios of the best runs, by the clock and by processor time, which other work disturbs less."""
    for fact, task in (("classes", "pandas-sizes"), ("classes", "pandas-profile"), ("score", "pandas-profile")):
        assert all(run["profile"][fact] == run[task][fact] for run in runs), (fact, task)
    for what, clock, cpu, task in (
        ("class sizes", "class_seconds", "class_cpu", "pandas-sizes"),
        ("full profile", "seconds", "cpu", "pandas-profile"),
        ("full profile", "seconds", "cpu", "pandas-sizes"),
    ):
        ours, ours_cpu = (min(run["profile"][key] for run in runs) for key in (clock, cpu))
        theirs, theirs_cpu = (min(run[task][key] for run in runs) for key in ("seconds", "cpu"))
        print(
            f"{what}: {ours:.2f} s ({ours_cpu:.2f} s of processor), {theirs / ours:.1f} times "
            f"({theirs_cpu / ours_cpu:.1f} times) as fast as {task}"
        )


def _run_commands(asked: argparse.Namespace, path: Path) -> None:
    rows, memory = int(asked.rows), ("--memory", asked.memory)
    if asked.different:
        make_different(rows, path)
        return run_command("dataset", "profile", str(path), "--fields", "sex,race,education,county,birth", *memory)
    csv = make_seven(rows, path)
    if asked.release:
        write_project(csv, path.with_name("six.toml"))
        return run_command("release", "run", str(path.with_name("six.toml")), "--out", str(path.with_name("out")))
    for file in (path, csv):
        run_command("dataset", "profile", str(file), "--fields", ",".join((*FIELDS, "marital", "work")), *memory)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--memory", default="1500MB", help="what DuckDB may hold before it spills")
    parser.add_argument("--pandas", action=argparse.BooleanOptionalAction, default=None)
    parser.add_argument("--different", action="store_true", help="rows of which no two are alike")
    parser.add_argument("--seven", action="store_true", help="seven fields, as Parquet and as CSV")
    parser.add_argument("--release", action="store_true", help="release six fields by local recoding")
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.task:
        return _task(asked.task, asked.file, asked.memory)
    with_pandas = asked.rows <= 2e7 if asked.pandas is None else asked.pandas
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        if asked.different or asked.seven or asked.release:
            return _run_commands(asked, path)
        make_file(int(asked.rows), path)
        print(f"{int(asked.rows):,} rows, {path.stat().st_size / 1e6:.0f} MB of Parquet")
        names = tuple(TASKS) if with_pandas else ("profile",)
        runs = [{name: measure(name, path, asked.memory) for name in names} for _ in range(asked.repeat)]
        for name in names:
            best = min((run[name] for run in runs), key=lambda facts: facts["seconds"])
            shown = ", ".join(f"{run[name]['seconds']:.2f}" for run in runs)
            print(
                f"{name:14} best {best['seconds']:.2f} s (of {shown}), peak {best['peak_gb']:.2f} GB, "
                f"{best['classes']:,.0f} classes, {best['uniques']:,.0f} uniques"
            )
        if with_pandas:
            _compare(runs)
    return None


if __name__ == "__main__":
    main()
