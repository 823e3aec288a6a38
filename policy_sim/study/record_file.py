"""A file of records as one asks about it: its profile, estimates, scores, and the places its people come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.records import tables as frames
from policy_sim.records.engines import readable_file as check
from policy_sim.records.engines.readable_file import ReadableFile, listed_records, risk_by_weights
from policy_sim.records.tables import FileResult
from policy_sim.words.arguments import choice, name_of, names_its_arguments, switch
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_states

if TYPE_CHECKING:
    import datetime as dt

    import pandas as pd

    from policy_sim.estimators import Bootstrap, ClassTable, Estimate
    from policy_sim.formulas.histogram import SizeHistogram
    from policy_sim.records.check import CheckedColumn
    from policy_sim.records.classes import Classes, LinkedRisk
    from policy_sim.records.person_classes import PersonClasses
    from policy_sim.records.profile import FileProfile
    from policy_sim.records.sampling_study import Simulation
    from policy_sim.records.score import FileScore
    from policy_sim.study.question import Attackers, Question
    from policy_sim.study.study import Study


_NO_FIELDS = "the rows of a person have different values in a field"
_MOST_PEOPLE = 10**15
_MOST_RUNS = 10_000_000
_MOST_WORKERS = 1_000


@names_its_arguments
@dataclass(frozen=True, repr=False)
class RecordFile(ReadableFile):
    r"""A file of records, with its key fields and how to read them.

    Parameters
    ----------
    location : A CSV file (may be gzipped), a Parquet file, a folder or pattern of either, or the URL of a database.
    fields : Key fields: what an attacker may know of a person. A list of names, or one text with commas.
    mapping : Which column is which field and what its codes mean: a TOML file or a ``ColumnMapping``. By default
        each field is the column of its name, and values are compared as text.
    missing : How to treat a missing value: ``own`` (as a separate value), ``exclude`` (leave the record out), or for a
        profile ``wildcard`` (it agrees with every value).
    missing_codes : Codes for a missing value, such as ``"?"``. An empty text is always missing.
    table : Table, where the location is the URL of a database.
    engine : ``duckdb``, ``local`` (Spark on this machine), ``spark://host:port`` or ``sc://host:port``.
    memory : Memory that DuckDB may use before it writes to disk, such as ``2GB``.
    max_classes : Largest number of classes to keep in memory, >= 1; by default 8,000,000.
    progress : Called with each step of long work.
    sheet : The sheet with the records, where the location is a workbook with several.
    person : The column that identifies the person, where a person has several rows: people are then counted. A
        profile, an estimate and a score count them by what is ``known`` of their rows; every other question by one row
        of each, which lacks the fewest key fields, and which the fewest people have. No figure depends on the order of
        rows.
    known : How many rows of its target an attacker knows, ``"1"``, ``"2"`` or ``"all"`` (the column of the person
        joins them).

    Raises
    ------
    SourceError : the file does not exist, or cannot be read.
    InputError : an argument is invalid, or the file has no header.
    UnknownNameError : the file has no such column.
    SchemaError : the mapping is wrong, or the files of a folder differ in their columns.

    A question raises an InputError for an argument that is out of range or does not fit the file, an UnknownNameError
    for a name that does not exist, and a NotEstimableError for more classes than wildcards or the mapping allow.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = path.write_text("age,sex,county\n30,F,10003\n30,F,10003\n41,M,10003\n")
    >>> [column.kind.field for column in RecordFile.check(path).answer]
    ['age', 'sex', 'county']
    >>> file = RecordFile(path, "age,sex,county")
    >>> file.classes().sizes.tolist(), file.profile().answer.risk.uniques
    ([2, 1], 1)
    >>> file.score("DE", "general").to_frame()["records"].tolist()
    [3]
    >>> file.against(path).answer.marketer
    0.6666666666666666
    >>> file.estimate(1000, models=["zayatz"]).to_frame()["model"].tolist()
    ['first', 'zayatz']
    >>> file.sampling_study([0.5], 2, models=["zayatz"]).answer.runs
    2
    """

    @staticmethod
    def check(location: str | Path, **reading: Any) -> FileResult[tuple[CheckedColumn, ...]]:
        """Look at a file before any question: what each column seems to be, and what to fix first.

        Parameters
        ----------
        location : As for the class.
        reading : Any of ``table``, ``sheet``, ``missing_codes``, ``engine``, ``memory`` and ``progress``, as for the
            class.

        Returns
        -------
        Tables ``columns`` and ``findings``, which count values and records and show none; the answer has one
        ``CheckedColumn`` per column.
        """
        from policy_sim.records.engines.file_questions import checked

        return checked(location, **reading)

    def profile(
        self,
        threshold: str | float = "0.09",
        cutoff: str | float = "0.5",
        *,
        sampling_fraction: float = 0.1,
        max_combinations: int | None = None,
        weight: str | None = None,
        list_records: bool = False,
    ) -> FileResult[FileProfile]:
        """Return classes, uniques and prosecutor risk, and the fields that cause them.

        Parameters
        ----------
        threshold : Count the records with more risk than this: 0.09, ``"1/11"`` or ``"k=11"``.
        cutoff : Largest risk of a record that an average may hide, for the strict average.
        sampling_fraction : Share of the population in the file, above 0 and at most 1, for the match chances.
        max_combinations : Largest number of combinations of fields to try; 0 leaves out combinations and scores.
        weight : Column of survey weights: how many people of the population each record represents.
        list_records : Also return the table ``records``: row number, class size, risk and scores of each record.

        Returns
        -------
        Tables ``figures``, ``fields``, ``combinations``, ``sizes`` and ``scores``; the answer is a ``FileProfile``.
        """
        import pandas as pd

        from policy_sim.records.profile import MOST_COMBINATIONS

        limits = check.threshold_of("threshold", threshold), check.threshold_of("cutoff", cutoff)
        fraction = check.shares_of("sampling_fraction", [sampling_fraction], single=True)[0]
        listed = switch("list_records", list_records)
        most = (
            MOST_COMBINATIONS
            if max_combinations is None
            else check.check_count("max_combinations", max_combinations, 0)
        )
        profile, notes, remarks = self.profiled(*limits, most)
        tables = {
            "figures": frames.profile_figures(profile),
            "fields": frames.field_frame(profile),
            "combinations": frames.combination_frame(profile),
            "sizes": frames.size_frame(profile),
            "scores": frames.suda_frame(profile, fraction),
        }
        if weight is not None:
            risk = risk_by_weights(self, check.check_text("weight", weight))
            tables["figures"] = pd.concat([tables["figures"], frames.weighted_figures(risk)], ignore_index=True)
        if listed:
            self._refuse_people()
            tables["records"] = listed_records(self, profile, fraction)
        reason = [profile.reason] if profile.reason else []
        notes = (*self.reading_notes(remarks), *notes, *reason, *(f"warning: {text}" for text in profile.warnings))
        options = self.people_counted | {
            "threshold": limits[0].text,
            "cutoff": limits[1].text,
            "sampling_fraction": fraction,
        }
        options |= {"weight": weight} if weight is not None else {}
        return self.result("profile", profile, tables, notes, options)

    def score(
        self,
        study: Study | str | Sequence[str] | None = None,
        attackers: Attackers | None = None,
        *,
        states: str | Sequence[str] | None = None,
        buyer: str | None = None,
        top: int = 5,
        name_groups: bool = False,
        list_records: bool = False,
    ) -> FileResult[tuple[FileScore, ...]]:
        """Score every record against the census, for each attacker, and sum by state.

        Parameters
        ----------
        study : A ``Study`` (its population, lists and birthdays), or the state or states, which then belong to
            the newest study.
        attackers : ``general``, ``voter``, the name of a resource (``texas-birth-index``), a resource file, or an
            ``Attacker``; one or several; by default ``general`` and ``voter``.
        states : Where the records lie, as ``"OH"`` or ``["OH", "WA"]``; by default the file's fields tell.
        buyer : Class of buyer whose price is taken, such as ``scholar``.
        top : Riskiest groups in the table ``groups``, >= 0.
        name_groups : Also show what these groups are: values of the file's records.
        list_records : Also return the table ``records``: each attacker's chance for each record, by row number.

        Returns
        -------
        Tables ``scores``, ``distribution`` (the mean and 95th percentile of people's own chances, by race, sex and
        age), ``groups`` and ``outside`` (row numbers and reasons); the answer is one ``FileScore`` per
        attacker and state.
        """
        from policy_sim.records.engines.engine import records_and_person
        from policy_sim.records.own_chances import own_chance_frame
        from policy_sim.records.score import score_against_census
        from policy_sim.voter_lists.list_field import BUYERS

        used, postal = _study_and_states(study, states)
        name_groups, list_records = switch("name_groups", name_groups), switch("list_records", list_records)
        if list_records:
            self._refuse_people()
        check.check_count("top", top, 0)
        if buyer is not None:
            choice("buyer", buyer, BUYERS)
        question, places = _asked(attackers), [state.postal for state in find_states(postal)]
        placed = self.with_state()
        known = self.known if self.records.mapping.person else ""
        with placed.opened() as engine:
            census = score_against_census(
                engine.group(records_and_person(placed.records) if known else placed.records, rows=True),
                placed.records.mapping,
                used.people,
                used.attackers_of(question),
                places,
                most=self.most_classes,
                complete=self.complete,
                buyer=buyer,
                days_per_year=used.days_per_year,
                list_records=list_records,
                known=known,
            )
            remarks = tuple(engine.remarks)
        states_seen = tuple(dict.fromkeys(score.state for score in census.scores if score.state))
        origin = used._from(replace(question, states=states_seen or None), "score")
        notes = (
            *self.reading_notes(remarks),
            *placed.state_notes(self),
            f"population: {used.people.provenance.describe(places)}",
            *origin.list_notes,
            *census.notes,
        )
        tables = {
            "scores": frames.census_frame(census.scores),
            "distribution": own_chance_frame(census.scores, census.placed.cells.rows),
            "groups": census.placed.riskiest(top, names=name_groups),
            "outside": census.outside_frame(),
            **({"records": census.record_frame()} if list_records else {}),
        }
        options = self.people_counted | {
            "population": used.people.name,
            "attackers": list(question.attacker_names),
            "lists": used.lists,
            "as_of": str(used.as_of) if used.as_of else None,
            "coverage": used.coverage if question.has_lists else None,
            "database": used.database_name or None,
            "states": list(postal),
            "buyer": buyer,
            "days_per_year": used.days_per_year,
        }
        result = self.result("score", census.scores, tables, notes, options)
        return replace(result, files={**result.files, **question.resource_files}, beside=census.beside)

    def measure_list(
        self, state: str, study: Study | None = None, *, day: dt.date | str | None = None
    ) -> FileResult[pd.DataFrame]:
        """Count a voter list by every key that it allows, next to what the model expects of the state's list.

        Parameters
        ----------
        state : Whose list the file is: postal code, FIPS code or name.
        study : A ``Study``: its population, lists and birthdays; by default the newest.
        day : When the list was taken: what is expected has the ages of that day; by default the day of the election
            whose records are taken.

        Returns
        -------
        Tables ``counts``, a row a key: records ``alone``, in groups of up to 20 (``small``), and how many such groups
        there are (``values``), each with ``_expected``, ``_low`` and ``_high``; and ``ten``, what to send back. The
        answer is the first. Both have counts only.
        """
        from policy_sim.records.list_counts import ListColumns, measured_rows, ten_counts
        from policy_sim.study.lists import list_coverage, notes_on_day
        from policy_sim.words.arguments import one_state

        used, places = _study_and_states(study, None)
        if places:
            raise InputError("study: pass a Study, such as Study('us-2020').")
        postal = one_state(state)
        population, coverage = list_coverage(used, postal, day)
        own = replace(self, missing="exclude")  # of each key, the records that have its values
        with own.opened() as engine:
            grouped = engine.group(own.records)
            classes = grouped.classes(own.most_classes)
            if not classes.number:
                raise InputError(check.no_record(own.records.short_name))
            values = {name: grouped.values_of(name) for name in grouped.fields}
            columns = ListColumns.of(classes, values, own.records.mapping, postal)
            remarks = tuple(engine.remarks)
        rows = measured_rows(columns, population, postal, coverage, used.days_per_year)
        notes = (
            *own.reading_notes(remarks),
            *(f"{name}: records without a value that is understood: {n:,}" for name, n in columns.unread.items() if n),
            f"population: {used.people.provenance.describe([postal])}",
            f"expected: {coverage.title}",
            *notes_on_day(population, coverage),
        )
        tables = {"counts": rows, "ten": ten_counts(rows)}
        options = {"population": used.people.name, "lists": used.lists, "state": postal}
        options |= {"day": str(day) if day else None}
        return own.result("lists measure", rows, tables, notes, options)

    def against(self, other: RecordFile | str | Path) -> FileResult[LinkedRisk]:
        """Link the file with an identified one: journalist and marketer risk, exactly.

        Parameters
        ----------
        other : The identified file, on the same key fields; a name is read with this file's mapping and codes.

        Returns
        -------
        Table ``scores``; the answer is a ``LinkedRisk``.
        """
        from policy_sim.records.classes import linked_risk
        from policy_sim.records.engines.readable_file import joint_sizes

        second = other
        if not isinstance(second, RecordFile):
            mapping = replace(check.mapping_of(self.mapping), person="", sheet="")  # the file's own
            location = name_of("other", other, "'people.csv'")
            second = replace(self, location=location, table=None, mapping=mapping, person="", sheet="")
        name = second.records.short_name
        if second.records.fields != self.records.fields:
            raise InputError(f"{name}: both files must have the same key fields, in one order.")
        with self.opened() as engine:
            sizes, read = joint_sizes(engine, self.records, second.records, self.most_classes, complete=self.complete)
            remarks = tuple(engine.remarks)
        risk = linked_risk(sizes)
        notes = (*self.reading_notes(remarks), f"identified file: {name}", *read)
        return self.result("score", risk, {"scores": frames.linked_frame(risk)}, notes, {"against": name}, second)

    def estimate(
        self, population_size: int, *, models: Sequence[str] | None = None, bootstrap: Bootstrap | None = None
    ) -> FileResult[tuple[Estimate, ...]]:
        """Estimate population uniques and marketer risk from the file alone, as a range and by each model.

        Parameters
        ----------
        population_size : People that the records were drawn from, at least as many as records.
        models : Names of estimators; by default all (:data:`policy_sim.estimators.ESTIMATORS`).
        bootstrap : How to measure the sampling error of each model; None leaves those intervals out.

        Returns
        -------
        Table ``estimates``: the row ``first`` is the one to read first, with a range that holds its figure
        (``uniqueness_low``, ``uniqueness_high``) and what the range is (``range_of``); then one row per estimator. The
        answer has one ``Estimate`` per row.
        """
        from policy_sim.estimators import ESTIMATORS, Bootstrap, ClassTable, estimate_all, first_estimate
        from policy_sim.estimators.registry import known_estimators

        check.check_count("population_size", population_size, most=_MOST_PEOPLE)
        if bootstrap is not None and not isinstance(bootstrap, Bootstrap):
            raise InputError("bootstrap must be a Bootstrap, such as Bootstrap(replicates=200).")
        names = known_estimators(tuple(ESTIMATORS) if models is None else models)
        needs = [name for name in names if ESTIMATORS[name].needs_classes]
        sample, notes, remarks = self._sample(needs)
        estimates = estimate_all(sample, population_size, models=names, bootstrap=bootstrap, tell=self.progress)
        rows = (first_estimate(sample, population_size, estimates), *estimates)
        counted = "people" if self.records.mapping.person else "records"
        sizes = sample.sizes if isinstance(sample, ClassTable) else sample
        drawn = f"{sizes.records:,} {counted} drawn from {population_size:,} people"
        options = self.people_counted | {
            "population_size": population_size,
            "models": list(names),
            "intervals": bootstrap is not None,
            "seed": bootstrap.seed if bootstrap else None,
        }
        notes = (*self.reading_notes(remarks), drawn, *notes)
        return self.result("estimate", rows, {"estimates": frames.estimate_frame(rows)}, notes, options)

    def _sample(self, needs: Sequence[str]) -> tuple[ClassTable | SizeHistogram, tuple[str, ...], tuple[str, ...]]:
        """Return the classes, or their sizes where no model ``needs`` more, with notes and the engine's remarks."""
        from policy_sim.records.engines.readable_file import mixed_date_notes

        people = self.read_people()
        if people is not None:
            return self._sample_of_people(*people, needs)
        with self.opened() as engine:
            grouped = engine.group(self.records)
            read, why = self.read_if_few(grouped, complete=self.complete)
            remarks, dates = tuple(engine.remarks), mixed_date_notes(grouped)
            if read is None:
                sizes = grouped.sizes(complete=self.complete).histogram
                return sizes, (*(f"no estimate by {name}: {why}" for name in needs), *dates), remarks
        return _class_table(read.classes) if needs else read.classes.histogram, (*read.notes, *dates), remarks

    def _sample_of_people(
        self, people: PersonClasses, notes: tuple[str, ...], needs: Sequence[str]
    ) -> tuple[ClassTable | SizeHistogram, tuple[str, ...], tuple[str, ...]]:
        """Return the classes of people by their rows; a model that needs fields has one row of each person or none."""
        remarks = (people.describe(self.records.mapping.person),)
        if needs and not people.several:
            classes = people.classes.complete() if self.complete else people.classes
            return _class_table(classes), notes, remarks
        sizes = people.sizes_on(self.records.fields).histogram
        return sizes, (*(f"no estimate by {name}: {_NO_FIELDS}" for name in needs), *notes), remarks

    def sampling_study(
        self,
        fractions: Sequence[float] = (0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9),
        runs: int = 1000,
        *,
        seed: int = 0,
        models: Sequence[str] | None = None,
        slow_runs: int | None = None,
        workers: int = 1,
    ) -> FileResult[Simulation]:
        """Take the file as a population, draw samples, and measure how far each estimator is off.

        Parameters
        ----------
        fractions : Sampling fractions, each between 0 and 1.
        runs : Samples per fraction, >= 1.
        seed : Seed of the draws, >= 0.
        models : Names of estimators; by default those that need class sizes only.
        slow_runs : Most samples per fraction for the log-linear model, the first ones; all by default.
        workers : Processes, >= 1.

        Returns
        -------
        Tables ``summary`` (median relative errors), ``trust`` (the closest model per fraction) and ``errors`` (one
        row per sample); the answer is a ``Simulation``.
        """
        from policy_sim.estimators.registry import known_estimators
        from policy_sim.records.sampling_study import simulate

        shares = check.shares_of("fractions", fractions)
        check.check_count("runs", runs, most=_MOST_RUNS)
        check.check_count("seed", seed, 0)
        check.check_count("workers", workers, most=_MOST_WORKERS)
        if slow_runs is not None:
            check.check_count("slow_runs", slow_runs)
        names = None if models is None else known_estimators(models)
        read, remarks = self.read()
        study = simulate(
            _class_table(read.classes),
            shares,
            runs,
            seed=seed,
            models=names,
            slow_runs=slow_runs,
            workers=workers,
            progress=lambda runs_done, whole: self.progress(f"{runs_done:,} of {whole:,} runs"),
        )
        drawn = f"{runs:,} samples per fraction of {study.population_size:,} records, seed {seed}"
        options = {
            "fractions": shares,
            "runs": runs,
            "seed": seed,
            "models": None if names is None else list(names),
            "slow_runs": slow_runs,
        }
        notes = (*self.reading_notes(remarks), *read.notes, drawn)
        return self.result("simulate", study, frames.simulation_tables(study), notes, options)


def _study_and_states(
    study: Study | str | Sequence[str] | None, states: str | Sequence[str] | None
) -> tuple[Study, tuple[str, ...]]:
    """Tell a study from states given in its place."""
    from policy_sim.study.study import Study

    if study is None or isinstance(study, Study):
        return study or Study(), check.texts_of("states", () if states is None else states)
    if states is not None:
        raise InputError("states are given twice: as the first argument and as states.")
    return Study(), check.texts_of("states", study)


def _asked(attackers: Attackers | None) -> Question:
    """The question that the attackers make; none of them is an error."""
    from policy_sim.attackers import ATTACKERS
    from policy_sim.study.question import Question

    if isinstance(attackers, Sequence) and not isinstance(attackers, str) and not attackers:
        raise InputError(f"attackers must be a list of names, such as {list(ATTACKERS)}.")
    return Question.of(attackers=attackers)


def _class_table(classes: Classes) -> ClassTable:
    from policy_sim.estimators import ClassTable

    return ClassTable(classes.codes.astype("int64"), classes.sizes, classes.fields)
