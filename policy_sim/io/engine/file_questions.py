"""Questions about a file of records that need neither a population nor a voter list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from policy_sim.errors import InputError
from policy_sim.io.engine import file_arguments as check
from policy_sim.io.engine.readable_file import ReadableFile
from policy_sim.records.file_result import FileResult

if TYPE_CHECKING:
    from policy_sim.estimators import Bootstrap, ClassTable, Estimate
    from policy_sim.records.classes import Classes
    from policy_sim.records.linked import LinkedRisk
    from policy_sim.records.sampling_study import Simulation

__all__ = ["estimated", "linked", "simulated"]

_MOST_PEOPLE = 10**15
_MOST_RUNS = 10_000_000
_MOST_WORKERS = 1_000


def linked(file: ReadableFile, second: ReadableFile) -> FileResult[LinkedRisk]:
    """Answer :meth:`policy_sim.record_file.RecordFile.against`."""
    from policy_sim.io.engine.read_classes import joint_sizes
    from policy_sim.records.linked import linked_risk
    from policy_sim.records.record_tables import linked_frame

    if second.records.fields != file.records.fields:
        raise InputError(f"{second.records.short_name}: both files must have the same key fields, in one order.")
    with file.opened() as engine:
        joint = joint_sizes(engine, file.records, second.records, file.most_classes, complete=file.complete)
        remarks = tuple(engine.remarks)
    risk = linked_risk(joint.sizes)
    notes = (*file.reading_notes(remarks), f"identified file: {second.records.short_name}", *joint.notes)
    options = {"against": second.records.short_name}
    return file.result("score", risk, {"scores": linked_frame(risk)}, notes, options, second)


def estimated(
    file: ReadableFile, population_size: int, models: Sequence[str] | None, bootstrap: Bootstrap | None
) -> FileResult[tuple[Estimate, ...]]:
    """Answer :meth:`policy_sim.record_file.RecordFile.estimate`."""
    from policy_sim.estimators import Bootstrap, estimate_all, estimator_names, first_estimate
    from policy_sim.estimators.registry import ESTIMATORS, known_estimators
    from policy_sim.io.engine.read_classes import mixed_date_notes
    from policy_sim.records.record_tables import estimate_frame

    check.check_count("population_size", population_size, most=_MOST_PEOPLE)
    if bootstrap is not None and not isinstance(bootstrap, Bootstrap):
        raise InputError("bootstrap must be a Bootstrap, such as Bootstrap(replicates=200).")
    names = known_estimators(estimator_names() if models is None else models)
    needs = [name for name in names if ESTIMATORS[name].needs_classes]
    with file.opened() as engine:
        grouped = engine.group(file.records)
        read, why = file.read_if_few(grouped, complete=file.complete)
        sizes = grouped.sizes(complete=file.complete).histogram if read is None else read.classes.histogram
        remarks, dates = tuple(engine.remarks), mixed_date_notes(grouped)
    sample = _class_table(read.classes) if needs and read is not None else sizes
    estimates = estimate_all(sample, population_size, models=names, bootstrap=bootstrap, tell=file.progress)
    rows = (first_estimate(sample, population_size, estimates), *estimates)
    drawn = f"{sizes.records:,} records drawn from {population_size:,} people"
    without = tuple(f"no estimate by {name}: {why}" for name in needs) if read is None else read.notes
    options = {
        "population_size": population_size,
        "models": list(names),
        "intervals": bootstrap is not None,
        "seed": bootstrap.seed if bootstrap else None,
    }
    notes = (*file.reading_notes(remarks), drawn, *without, *dates)
    return file.result("estimate", rows, {"estimates": estimate_frame(rows)}, notes, options)


def simulated(
    file: ReadableFile,
    fractions: Sequence[float],
    runs: int,
    seed: int,
    models: Sequence[str] | None,
    slow_runs: int | None,
    workers: int,
) -> FileResult[Simulation]:
    """Answer :meth:`policy_sim.record_file.RecordFile.sampling_study`."""
    from policy_sim.estimators.registry import known_estimators
    from policy_sim.records.record_tables import simulation_tables
    from policy_sim.records.sampling_study import simulate

    shares = check.shares_of("fractions", fractions)
    check.check_count("runs", runs, most=_MOST_RUNS)
    check.check_count("seed", seed, 0)
    check.check_count("workers", workers, most=_MOST_WORKERS)
    if slow_runs is not None:
        check.check_count("slow_runs", slow_runs)
    names = None if models is None else known_estimators(models)
    read, remarks = file.read()
    study = simulate(
        _class_table(read.classes),
        shares,
        runs,
        seed=seed,
        models=names,
        slow_runs=slow_runs,
        workers=workers,
        progress=lambda runs_done, whole: file.progress(f"{runs_done:,} of {whole:,} runs"),
    )
    drawn = f"{runs:,} samples per fraction of {study.population_size:,} records, seed {seed}"
    notes = (*file.reading_notes(remarks), *read.notes, drawn)
    options = {
        "fractions": shares,
        "runs": runs,
        "seed": seed,
        "models": None if names is None else list(names),
        "slow_runs": slow_runs,
    }
    return file.result("simulate", study, simulation_tables(study), notes, options)


def _class_table(classes: Classes) -> ClassTable:
    from policy_sim.estimators import ClassTable

    return ClassTable(classes.codes.astype("int64"), classes.sizes, classes.fields)
