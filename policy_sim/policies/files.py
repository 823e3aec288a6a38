"""Policies and presets as TOML files, shipped or the user's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from policy_sim.files.paths import data_dir, kind_of
from policy_sim.files.toml import TomlTable, read_toml_file, shipped_files, shipped_table
from policy_sim.policies.lattice import policy_from_text
from policy_sim.policies.policy import Conditions, Policy, Rule, SmallPlaces
from policy_sim.words.errors import InputError, OutputError, PolicySimError, SchemaError, UnknownNameError
from policy_sim.words.fields import GRANULARITIES, Field, Granularities, is_coarser_or_equal

__all__ = [
    "RULES",
    "Preset",
    "in_other_form",
    "in_rules",
    "list_policies",
    "list_presets",
    "load_policy",
    "load_preset",
    "new_policy_file",
    "policies_with_two_forms",
    "template",
]


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
    """Return a policy by its shipped name, from a TOML file, from a line that ``explore`` prints, or of a release.

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
    conditions, text = policy.conditions, json.dumps  # a JSON string is a TOML string
    lines = [
        f"{key} = {text(value)}" for key, value in (("name", name), ("title", name), ("citation", policy.citation))
    ]
    lines += [
        "",
        "[fields]",
        *(f"{field.value} = {text(granularity)}" for field, granularity in policy.releases.items()),
    ]
    if conditions.top_age is not None:
        lines += ["", "[conditions]", f"top_age = {conditions.top_age}"]
    if (small := conditions.small_places) is not None:
        lines += ["", "[conditions.small_places]", f"place = {text(small.place)}", f"most = {small.most}"]
    return "\n".join(lines) + "\n"


def _read(path: Path, where: str) -> Policy:
    raw = read_toml_file(path, where)
    problems: list[str] = []
    policy = _policy(TomlTable(raw, problems), problems)
    if problems or policy is None:
        raise SchemaError(where, problems)
    return policy


def _policy(table: TomlTable, problems: list[str]) -> Policy | None:
    name, title, citation = (table.text(key, required=True) for key in ("name", "title", "citation"))
    paper_form = table.text("paper_form")
    releases = _releases(table.table("fields", required=True), problems)
    conditions = _conditions(table.table("conditions"), problems)
    rules = []
    for rule in table.tables("rules"):
        rules.append(Rule(rule.text("says", required=True), rule.text("citation", required=True)))
        rule.done()
    table.done()
    if problems or releases is None or conditions is None:
        return None
    small = conditions.small_places
    if small is not None and not is_coarser_or_equal(Field.GEOGRAPHY, small.place, releases[Field.GEOGRAPHY]):
        problems.append(
            f"conditions.small_places.place = {small.place!r} cannot be derived from geography = "
            f"{releases[Field.GEOGRAPHY]!r}. Name that kind of place, or a coarser one that contains it."
        )
    elif conditions.on(releases) != conditions:
        problems.append(
            f"conditions {conditions} apply to a field that {releases} does not release. "
            "Release the field or drop the condition."
        )
    return Policy(name, title, releases, citation, conditions, tuple(rules), paper_form)


def _releases(table: TomlTable, problems: list[str]) -> Granularities | None:
    before = len(problems)
    named = {}
    for field in Field:
        allowed = tuple(GRANULARITIES[field])
        named[field.value] = table.choice(field.value, allowed, allowed[0])
    sexes = tuple(GRANULARITIES[Field.GENDER])
    sex = table.choice("sex", sexes, "")  # the word of every page; the key of every file is gender
    if sex and named[Field.GENDER.value] != sexes[0]:
        problems.append("fields: sex and gender are one field. Give one of them.")
    elif sex:
        named[Field.GENDER.value] = sex
    table.done()
    if len(problems) > before:
        return None
    releases = Granularities(named)
    if releases == Granularities():
        problems.append(f"fields: the policy releases nothing. Give at least one of {', '.join(GRANULARITIES)}.")
    return releases


def _conditions(table: TomlTable, problems: list[str]) -> Conditions | None:
    before = len(problems)
    top_age = _whole(table, "top_age", "an age in years")
    small = table.table("small_places")
    place, most = small.text("place", required="small_places" in table), _whole(small, "most", "a number of people")
    if "small_places" in table:
        if most is None and "most" not in small:
            problems.append("conditions.small_places.most is missing. Give a number of people, such as 20000.")
        small.done()
    table.done()
    if len(problems) > before:
        return None
    try:
        return Conditions(top_age, None if most is None else SmallPlaces(place, most))
    except PolicySimError as error:
        problems.append(f"conditions: {error}")
        return None


def _whole(table: TomlTable, key: str, meaning: str) -> int | None:
    if key not in table:
        return None
    number = table.number(key)
    if number != int(number) or number < 1:
        table.problem(key, f"= {number:g} is not {meaning}. Give a whole number of 1 or more.")
        return None
    return int(number)


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
