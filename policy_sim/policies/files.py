"""Policies and presets as TOML files, shipped or the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, cast

import pydantic
import tomli_w
from pydantic import AfterValidator, BeforeValidator, create_model, model_validator

from policy_sim.files.paths import data_dir, kind_of
from policy_sim.files.schema import (
    FACTS,
    MaybeNumber,
    StrictTable,
    Text,
    checked,
    lines_error,
    made_by,
    noun_of,
    table_of,
    tables_of,
    word,
)
from policy_sim.files.toml import read_toml_file, shipped_files, shipped_table
from policy_sim.policies.policy import Conditions, Policy, Rule, policy_from_text
from policy_sim.words.errors import InputError, OutputError, UnknownNameError
from policy_sim.words.fields import GRANULARITIES, Field, Granularities, is_area, is_coarser_or_equal

# Policies from TOML: those that come with the program, and the user's own files.


# The forms of a rule, and what each means.
RULES: Mapping[str, str] = MappingProxyType(
    {
        "paper": "the HIPAA rules as Benitez & Malin 2010 simplify them",
        "regulation": "the HIPAA rules as 45 CFR 164.514 states them",
    }
)


def list_policies() -> dict[str, Path]:
    """Return the shipped policies: name to file."""
    return shipped_files("policies")


def load_policy(name_or_path: str) -> Policy:
    """Return a policy by its shipped name, from a TOML file, from a line of ``policy explore``, or of a release.

    ``release:newest`` is every state's own newest file, ``release:NC:2016`` what North Carolina shows in 2016
    (:func:`~policy_sim.policies.states.files.release_policy`).
    """
    shipped = list_policies()
    if name_or_path in shipped:
        return _shipped(name_or_path)
    if name_or_path.startswith("release:"):
        from policy_sim.policies.states.files import release_policy

        return release_policy(name_or_path)
    if name_or_path.endswith(".toml"):
        return _read(Path(name_or_path), where=name_or_path)
    if "=" in name_or_path:
        return policy_from_text(name_or_path)
    if kind_of(Path(name_or_path)) == "file":
        raise InputError(f"{name_or_path}: the name of a policy file must end in .toml.")
    raise UnknownNameError("policy", name_or_path, shipped)


@cache
def _shipped(name: str) -> Policy:
    return _read(list_policies()[name], where=f"policy {name}")


def in_rules(name: str, rules: str) -> str:
    """Return the name of a policy in one form of the rules: ``paper`` takes the paper's form, if it has one."""
    if rules not in RULES:
        raise UnknownNameError("rules", rules, RULES)
    return (load_policy(name).paper_form or name) if rules == "paper" else name


def in_other_form(name: str, rules: str) -> str:
    """Return the name of a policy in the form of the rules that is not ``rules``; its own name if it has one form."""
    if rules == "regulation":
        return in_rules(name, "paper")
    return {load_policy(written).paper_form: written for written in policies_with_two_forms()}.get(name, name)


@cache
def policies_with_two_forms() -> frozenset[str]:
    """Return the names of the policies that state a rule as written and have a paper's form, as ``safe-harbor``."""
    return frozenset(name for name in list_policies() if load_policy(name).paper_form)


def template() -> str:
    """Return a policy file to start from, with every key explained."""
    return (data_dir() / "policies" / "_template.txt").read_text(encoding="utf-8")


def new_policy_file(path: Path, start: Policy | None = None) -> None:
    """Write the template, or the fields and conditions of a policy, named after the file."""
    text = template().replace("my-policy", path.stem) if start is None else _as_toml(start, path.stem)
    created = False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:  # never overwrites a file, even one that another process has just made
            created = True
            file.write(text.encode())
    except FileExistsError as error:
        raise OutputError(f"{path} already exists. Choose another name.") from error
    except (OSError, ValueError) as error:
        if created:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written ({getattr(error, 'strerror', '') or error}).") from error


def _as_toml(policy: Policy, name: str) -> str:
    """Write what a policy releases; its rules stay with its source."""
    document: dict[str, Any] = {"name": name, "title": name, "citation": policy.citation}
    document["fields"] = {field.value: granularity for field, granularity in policy.releases.items()}
    small = policy.conditions.small_places
    conditions = {
        "top_age": policy.conditions.top_age,
        "small_places": None if small is None else {"place": small.place, "most": small.most},
        "shift_days": policy.conditions.shift_days,
    }
    if held := {key: value for key, value in conditions.items() if value is not None}:
        document["conditions"] = held
    return tomli_w.dumps(document)


def _read(path: Path, where: str) -> Policy:
    table = checked(_PolicyTable, read_toml_file(path, where), where)
    return noun_of(Policy, table, releases=table.fields)


def _whole(meaning: str) -> Any:
    """Return the kind of a whole number of 1 or more; ``meaning`` says of what."""

    def read(value: float | None) -> int | None:
        if value is not None and (value != int(value) or value < 1):
            raise ValueError(f"= {value:g} is not {meaning}. Give a whole number of 1 or more.")
        return None if value is None else int(value)

    return Annotated[MaybeNumber, AfterValidator(read)]


def _given(value: Any) -> Any:
    if value is None:
        raise ValueError("is missing. Give a number of people, such as 20000.")
    return value


def _releases(table: Any) -> Granularities:
    named = {field.value: getattr(table, field.value) for field in Field}
    if table.sex:
        if named[Field.GENDER.value] != next(iter(GRANULARITIES[Field.GENDER])):
            raise InputError("sex and gender are one field. Give one of them.")
        named[Field.GENDER.value] = table.sex
    releases = Granularities(named)
    if releases == Granularities():
        raise InputError(f"the policy releases nothing. Give at least one of {', '.join(GRANULARITIES)}.")
    return releases


def _granularity(field: Field) -> Any:
    """Return the kind of a granularity of a field: one of its words; of geography also areas."""
    words = word(GRANULARITIES[field], hint=" Or give areas: area:20000 or area:FILE.csv." * (field is Field.GEOGRAPHY))
    if field is not Field.GEOGRAPHY:
        return words
    known = pydantic.TypeAdapter(words)
    check = AfterValidator(lambda text: text if is_area(text) else known.validate_python(text))
    return Annotated[Text, check]


_FieldsTable: Any = create_model(
    "_FieldsTable",
    __base__=StrictTable,
    **{field.value: (_granularity(field), next(iter(GRANULARITIES[field]))) for field in Field},  # type: ignore[call-overload]
    sex=(word(GRANULARITIES[Field.GENDER]), ""),  # the word of every page; the key of every file is gender
)


_People: Any = _whole("a number of people")


class _SmallPlacesTable(StrictTable):
    place: Text
    most: Annotated[_People, BeforeValidator(_given)] = pydantic.Field(None, validate_default=True)


class _ConditionsTable(StrictTable):
    top_age: _whole("an age in years") = None  # type: ignore[valid-type]
    small_places: _SmallPlacesTable | None = None
    shift_days: _whole("a number of days") = None  # type: ignore[valid-type]


class _PolicyTable(StrictTable):
    name: Text
    title: Text
    citation: Text
    paper_form: Text = ""
    fields: Annotated[_FieldsTable, made_by(_releases)]
    conditions: Annotated[_ConditionsTable, made_by(partial(noun_of, Conditions))] = Conditions()  # type: ignore[assignment]
    rules: tables_of(table_of(Rule, types=FACTS), "rules") = ()  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _conditions_fit_the_fields(self) -> _PolicyTable:
        releases, conditions = self.fields, cast("Conditions", self.conditions)
        small = conditions.small_places
        if small is not None and not is_coarser_or_equal(Field.GEOGRAPHY, small.place, releases[Field.GEOGRAPHY]):
            raise lines_error(
                [
                    f"conditions.small_places.place = {small.place!r} cannot be derived from geography = "
                    f"{releases[Field.GEOGRAPHY]!r}. Name that kind of place, or a coarser one that contains it."
                ]
            )
        if conditions.on(releases) != conditions:
            raise lines_error(
                [
                    f"conditions {conditions} apply to a field that {releases} does not release. "
                    "Release the field or drop the condition."
                ]
            )
        return self


# Presets: the population, lists and measures of a published study, by name.


@dataclass(frozen=True)
class Preset:
    """Population, voter lists, form of the rules, coverage, policies and measures of a published study."""

    title: str
    population: str
    lists: str
    rules: str
    coverage: str
    policies: tuple[str, ...]
    g: tuple[int, ...]
    days_per_year: float


def list_presets() -> tuple[str, ...]:
    """Names of the studies."""
    return tuple(shipped_files("presets"))


def load_preset(name: str) -> Preset:
    """Return the preset of a study."""
    if name not in list_presets():
        raise UnknownNameError("preset", name, list_presets())
    table = shipped_table(shipped_files("presets")[name])
    return Preset(**table | {"policies": tuple(table["policies"]), "g": tuple(table["g"])})
