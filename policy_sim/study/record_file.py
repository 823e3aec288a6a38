"""A file of records as one asks about it: its profile, estimates, scores, and the places its people come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from policy_sim.records.census_values import BIRTH_FIELDS, RACE_FIELDS, ColumnMapping, known_field, read_field
from policy_sim.records.engines import arguments as check
from policy_sim.records.engines.readable_file import ReadableFile, listed_records, risk_by_weights
from policy_sim.records.tables import FileResult, census_frame
from policy_sim.words.arguments import choice, name_of, switch
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import find_states

if TYPE_CHECKING:
    from policy_sim.attackers.in_file import InFile
    from policy_sim.estimators import Bootstrap, Estimate
    from policy_sim.people.population import AnyPopulation
    from policy_sim.records.check import CheckedColumn
    from policy_sim.records.classes import LinkedRisk
    from policy_sim.records.profile import FileProfile
    from policy_sim.records.sampling_study import Simulation
    from policy_sim.records.score import FileScore
    from policy_sim.study.question import Attackers, Question, Setting
    from policy_sim.study.study import Study


def scored(
    file: ReadableFile,
    study: Setting,
    postal: Sequence[str],
    attackers: Attackers | None,
    *,
    buyer: str | None,
    top: int,
    name_groups: bool,
    list_records: bool,
) -> FileResult[tuple[FileScore, ...]]:
    """Answer :meth:`policy_sim.study.record_file.RecordFile.score`; ``postal`` are the states, as they were given."""
    from policy_sim.people.names import county_code
    from policy_sim.records.score import score_against_census
    from policy_sim.voter_lists.list_field import BUYERS

    name_groups, list_records = switch("name_groups", name_groups), switch("list_records", list_records)
    if list_records:
        file._refuse_people("records cannot be listed one by one")
    check.check_count("top", top, 0)
    if buyer is not None:
        choice("buyer", buyer, BUYERS)
    question, places = _asked(attackers), [state.postal for state in find_states(postal)]
    with file.opened() as engine:
        census = score_against_census(
            engine.group(file.records, rows=True),
            file.records.mapping,
            study.people,
            study.attackers_of(question),
            places,
            most=file.most_classes,
            complete=file.complete,
            buyer=buyer,
            days_per_year=study.days_per_year,
            list_records=list_records,
            county_of=county_code,
        )
        remarks = tuple(engine.remarks)
    states = tuple(dict.fromkeys(score.state for score in census.scores if score.state))
    origin = study._from(replace(question, states=states or None), "score")
    notes = (
        *file.reading_notes(remarks),
        f"population: {study.people.provenance.describe(places)}",
        *origin.list_notes,
        *census.notes,
    )
    tables = {
        "scores": census_frame(census.scores),
        "groups": census.riskiest(top, names=name_groups),
        "outside": census.outside_frame(),
        **({"records": census.record_frame()} if list_records else {}),
    }
    options = {
        "population": study.people.name,
        "attackers": list(question.attacker_names),
        "lists": study.lists,
        "as_of": str(study.as_of) if study.as_of else None,
        "coverage": study.coverage if question.has_lists else None,
        "database": study.database_name or None,
        "states": list(postal),
        "buyer": buyer,
        "days_per_year": study.days_per_year,
    }
    result = file.result("score", census.scores, tables, notes, options)
    return replace(result, files={**result.files, **question.resource_files})


def _asked(attackers: Attackers | None) -> Question:
    """The question that the attackers make; none of them is an error."""
    from policy_sim.attackers import ATTACKERS
    from policy_sim.study.question import Question

    if isinstance(attackers, Sequence) and not isinstance(attackers, str) and not attackers:
        raise InputError(f"attackers must be a list of names, such as {list(ATTACKERS)}.")
    return Question.of(attackers=attackers)


_PLACES = ("county", "zip3", "zip5")  # the first that the file has says where people live
_LEAST_SHARE = 0.01  # of the file: smaller places have their people's part of what is left
_FIELDS = {
    "sex": ("sex",),
    "race": RACE_FIELDS,
    "ethnicity": ("ethnicity", "race_ethnicity"),
    "birth": tuple(BIRTH_FIELDS),
}


@dataclass(frozen=True)
class CountedFile:
    """The people of a file of records by place; nothing in it names a record.

    Attributes
    ----------
    in_file : How many people, and the places they come from.
    name : The file, as a reader knows it.
    place : ``counties`` or ``three-digit ZIP codes``.
    by_person : Whether people were counted by the column that identifies them; else each record is a person.
    outside : People (or records) who live elsewhere, or whose place is blank or not understood.
    lacking : Fields that neither the mapping nor a header names; a column may hold them all the same.
    """

    in_file: InFile
    name: str
    place: str
    by_person: bool
    outside: int
    lacking: tuple[str, ...]

    @property
    def measured(self) -> str:
        """What the file says itself, and what is modeled, in one or two sentences."""
        how = "people, by the column that identifies them" if self.by_person else "records, one counted per person"
        left_out = (
            f" Left out: {self.outside:,} who live elsewhere or whose place is blank or not understood."
            if self.outside
            else ""
        )
        unknown = f"No column is known as {_or_words(self.lacking)}" if self.lacking else ""
        lacking = f" {unknown}: the figures are for a file that shows what the rule lets it show." if unknown else ""
        return (
            f"Counted in {self.name}: {how}, and the {self.place} where they live (places with less than 1% of them "
            "are taken together)."
            f"{left_out} Modeled from the census: their sex, race and age in each place.{lacking}"
        )


def _or_words(words: Sequence[str]) -> str:
    """Return words as one of them.

    >>> _or_words(["sex"]), _or_words(["sex", "race", "birth"])
    ('sex', 'sex, race or birth')
    """
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def counted_file(
    location: str | Path, state: str, population: AnyPopulation, mapping: ColumnMapping | str | Path | None = None
) -> CountedFile:
    """Count the people of a file of records by county, or by three-digit ZIP code, within one state."""
    from policy_sim.attackers.in_file import Catchment, InFile
    from policy_sim.people.file_chances import people_by_place

    file, field = _placed(location, mapping)
    with file.opened() as engine:
        grouped = engine.group(file.records)
        texts = grouped.values_of(field)
        classes = grouped.classes(file.most_classes)
    codes = _codes(field, texts, file.records.mapping, state)
    people: Counter[str | None] = Counter()
    for code, size in zip(classes.codes[:, 0].tolist(), classes.sizes.tolist(), strict=True):
        people[codes[code - 1] if code else None] += size
    outside = people.pop(None, 0)
    held = {code: number for code, number in people.items() if code is not None}
    in_state = set(people_by_place(population, state, "county" if field == "county" else "zip3"))
    outside += sum(number for code, number in held.items() if code not in in_state)
    held = {code: number for code, number in held.items() if code in in_state}
    total = sum(held.values())
    if total < 2:
        raise InputError(f"{file.records.short_name}: fewer than two people live in {state}. Name their state.")
    if outside > total:
        raise InputError(
            f"{file.records.short_name}: {outside:,} of {outside + total:,} people live in no place of {state}. Name "
            "their state, or give codes for their places in a mapping."
        )
    large = {code: number / total for code, number in held.items() if number >= _LEAST_SHARE * total}
    places = {code: large.get(code) for code in held}
    header = {known_field(name) for name in (*file.records.mapping.fields, *file.records.header)}
    lacking = tuple(name for name, columns in _FIELDS.items() if not header & set(columns))
    by_person, catchment = bool(file.records.mapping.person), Catchment(tuple(places.items()))
    return CountedFile(
        InFile(people=total, catchment=catchment, records=None if by_person else total),
        file.records.short_name,
        "counties" if field == "county" else "three-digit ZIP codes",
        by_person,
        outside,
        lacking,
    )


def _placed(location: str | Path, mapping: ColumnMapping | str | Path | None) -> tuple[RecordFile, str]:
    """Return the file with the field that says where people live as its only one, and that field."""
    for field in _PLACES:
        try:
            return RecordFile(location, [field], mapping=mapping), field
        except UnknownNameError:
            continue
    raise InputError(
        f"{Path(str(location)).name}: no column says where people live. Name the county, zip3 or zip5 in a mapping."
    )


def _codes(field: str, texts: Sequence[str], mapping: ColumnMapping, state: str) -> list[str | None]:
    """Return the code of the county, or the three-digit ZIP code, of each text; None where it is not understood."""
    from policy_sim.people.names import county_code

    column = mapping.column(field)
    meanings = read_field(field, column, texts).meanings
    if field != "county":
        return [None if meaning is None else str(meaning)[:3] for meaning in meanings]
    named = [column.codes.get(text, text) for text in texts]
    return [
        county_code(state, text) if meaning is None else str(meaning)
        for meaning, text in zip(meanings, named, strict=True)
    ]


_Answer = TypeVar("_Answer")


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
    person : The column that identifies the person, where a person has several rows: each person then counts once,
        by the first of the rows that lack the fewest key fields.

    Raises
    ------
    SourceError : the file does not exist, or cannot be read.
    InputError : an argument is invalid, or the file has no header.
    UnknownNameError : the file has no such column.
    SchemaError : the mapping is wrong, or the files of a folder differ in their columns.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = path.write_text("age,sex\n30,F\n30,F\n41,M\n")
    >>> RecordFile(path, "age,sex").profile().answer.risk.uniques
    1
    """

    @staticmethod
    def check(location: str | Path, **reading: Any) -> FileResult[tuple[CheckedColumn, ...]]:
        r"""Look at a file before any question: what each column seems to be, and what to fix first.

        Parameters
        ----------
        location : As for the class.
        reading : Any of ``table``, ``sheet``, ``missing_codes``, ``engine``, ``memory`` and ``progress``, as for the
            class.

        Returns
        -------
        Tables ``columns`` and ``findings``, which count values and records and show none; the answer has one
        ``CheckedColumn`` per column.

        Raises
        ------
        SourceError, InputError : as for the class; a file without a column of its own name.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
        >>> _ = path.write_text("age,sex,county\n30,F,10003\n30,F,10003\n41,M,10003\n")
        >>> file = RecordFile(path, "age,sex,county")
        >>> [column.held.name for column in RecordFile.check(file.location).answer]
        ['age', 'sex', 'county']
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
        r"""Return classes, uniques and prosecutor risk, and the fields that cause them.

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

        Raises
        ------
        InputError : an argument out of range.
        NotEstimableError : too many classes for wildcards or for the mapping.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
        >>> _ = path.write_text("age,sex,county\n30,F,10003\n30,F,10003\n41,M,10003\n")
        >>> file = RecordFile(path, "age,sex,county")
        >>> file.profile().answer.risk.uniques
        1
        """
        import pandas as pd

        from policy_sim.records import tables as frames
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
            self._refuse_people("records cannot be listed one by one")
            tables["records"] = listed_records(self, profile, fraction)
        reason = [profile.reason] if profile.reason else []
        notes = (*self.reading_notes(remarks), *notes, *reason, *(f"warning: {text}" for text in profile.warnings))
        options = {"threshold": limits[0].text, "cutoff": limits[1].text, "sampling_fraction": fraction}
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
        r"""Score every record against the census, for each attacker, and sum by state.

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
        Tables ``scores``, ``groups`` and ``outside`` (row numbers and reasons); the answer is one ``FileScore`` per
        attacker and state.

        Raises
        ------
        InputError : fields that the census does not know, no state, or no record with a cell in the population.
        UnknownNameError : an attacker, a state or a buyer that does not exist.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
        >>> _ = path.write_text("age,sex,county\n30,F,10003\n30,F,10003\n41,M,10003\n")
        >>> file = RecordFile(path, "age,sex,county")
        >>> file.score("DE", "general").to_frame()["records"].tolist()
        [3]
        """
        used, postal = _study_and_states(study, states)
        return scored(
            self, used, postal, attackers, buyer=buyer, top=top, name_groups=name_groups, list_records=list_records
        )

    def against(self, other: RecordFile | str | Path) -> FileResult[LinkedRisk]:
        r"""Link the file with an identified one: journalist and marketer risk, exactly.

        Parameters
        ----------
        other : The identified file, on the same key fields; a name is read with this file's mapping and codes.

        Returns
        -------
        Table ``scores``; the answer is a ``LinkedRisk``.

        Raises
        ------
        InputError : other key fields.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
        >>> _ = path.write_text("age,sex,county\n30,F,10003\n30,F,10003\n41,M,10003\n")
        >>> file = RecordFile(path, "age,sex,county")
        >>> file.against(file.location).answer.marketer
        0.6666666666666666
        """
        from policy_sim.records.engines.file_questions import linked

        second = other
        if not isinstance(second, RecordFile):
            mapping = replace(check.mapping_of(self.mapping), person="", sheet="")  # the file's own
            location = name_of("other", other, "'people.csv'")
            second = replace(self, location=location, table=None, mapping=mapping, person="", sheet="")
        return linked(self, second)

    def estimate(
        self, population_size: int, *, models: Sequence[str] | None = None, bootstrap: Bootstrap | None = None
    ) -> FileResult[tuple[Estimate, ...]]:
        r"""Estimate population uniques and marketer risk from the file alone, as a range and by each model.

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

        Raises
        ------
        InputError : a population smaller than the file.
        UnknownNameError : an estimator that does not exist.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
        >>> _ = path.write_text("age,sex,county\n30,F,10003\n30,F,10003\n41,M,10003\n")
        >>> file = RecordFile(path, "age,sex,county")
        >>> file.estimate(1000, models=["zayatz"]).to_frame()["model"].tolist()
        ['first', 'zayatz']
        """
        from policy_sim.records.engines.file_questions import estimated

        return estimated(self, population_size, models, bootstrap)

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
        r"""Take the file as a population, draw samples, and measure how far each estimator is off.

        Parameters
        ----------
        fractions : Sampling fractions, each between 0 and 1.
        runs : Samples per fraction, >= 1.
        seed : Seed of the draws, >= 0.
        models : Names of estimators; by default those that need class sizes only.
        slow_runs : Most samples per fraction for the log-linear model, the first ones; all by default.
        workers : Processes, >= 1. A script that uses more than one needs the usual
            ``if __name__ == "__main__":`` guard.

        Returns
        -------
        Tables ``summary`` (median relative errors), ``trust`` (the closest model per fraction) and ``errors`` (one
        row per sample); the answer is a ``Simulation``.

        Raises
        ------
        InputError : an argument out of range, or a file of fewer than 2 records.
        UnknownNameError : an estimator that does not exist.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "visits.csv"
        >>> _ = path.write_text("age,sex,county\n30,F,10003\n30,F,10003\n41,M,10003\n")
        >>> file = RecordFile(path, "age,sex,county")
        >>> file.sampling_study([0.5], 2, models=["zayatz"]).answer.runs
        2
        """
        from policy_sim.records.engines.file_questions import simulated

        return simulated(self, fractions, runs, seed, models, slow_runs, workers)


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
