"""Read what a bit of each field is worth to a study, from a TOML file."""

from __future__ import annotations

import sys
from pathlib import Path

from policy_sim.analyses.lattice_search.field_weights import FieldWeights
from policy_sim.errors import InputError, SchemaError
from policy_sim.granularity import Field
from policy_sim.io.toml_files import read_toml_file
from policy_sim.io.toml_table import shown_value

__all__ = ["load_field_weights"]

_FIELDS = {"sex": Field.GENDER, "gender": Field.GENDER, **{field.value: field for field in Field}}


def load_field_weights(path: Path) -> FieldWeights:
    """Read weights such as ``race = 2``; a field that the file does not name has the weight 1.

    Raises
    ------
    SchemaError : the file cannot be read, or has something else than weights of 0 or more; all problems at once.
    """
    document = read_toml_file(path)
    names = "sex, race, birth, geography"
    problems = [f"{name} is not a field. Use one of {names}." for name in document if name not in _FIELDS]
    worth: dict[Field, float] = {}
    for name, value in document.items():
        if name in _FIELDS and (
            isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > sys.float_info.max
        ):
            problems.append(f"{name} = {shown_value(value)} is not a number. Write a weight such as 1 or 0.5.")
        elif name in _FIELDS and _FIELDS[name] in worth:
            problems.append(f"{name} appears twice: sex and gender are the same field.")
        elif name in _FIELDS:
            worth[_FIELDS[name]] = float(value)
    if problems:
        raise SchemaError(str(path), problems)
    try:
        return FieldWeights(worth)
    except InputError as error:
        raise SchemaError(str(path), [str(error)]) from None
