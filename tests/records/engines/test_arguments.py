"""Arguments of questions about a file: what is taken in which form, and one line for the rest."""

import math
from pathlib import Path

import pytest

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.engines import readable_file as check
from policy_sim.records.profile import Threshold
from policy_sim.words.errors import InputError

WRONG = {
    "check_text": ("", " ", None, 5, b"x", "x" * 2_000),
    "check_count": (0, -1, 1.0, True, "3", None, math.nan, 11),
    "texts_of": (None, 5, [None], {"?": 1}),
    "mapping_of": (5, "", b"x", []),
    "threshold_of": (0, 2, "k=0", "half", None, True, math.nan, [], "9" * 2_000),
    "shares_of": ([], [0], [1], [0.1, 0.1], [math.nan], ["0.1"], 0.1, "0.1", None, [True]),
    "key_fields": ("", " , ", [], None, 5, ["age", 5], {"age": 1}),
}


@pytest.mark.parametrize(("name", "wrong"), [(name, wrong) for name, each in WRONG.items() for wrong in each])
def test_what_is_no_such_argument_is_one_line(name, wrong):
    named = () if name in ("mapping_of", "key_fields") else ("argument",)
    more = {"most": 10} if name == "check_count" else {}
    with pytest.raises(InputError, match=r"argument|mapping|fields|threshold") as caught:
        getattr(check, name)(*named, wrong, **more)
    assert "\n" not in str(caught.value)


def test_each_form_of_an_argument(tmp_path):
    assert check.check_text("memory", "2GB") == "2GB"
    assert (check.check_count("runs", 3), check.check_count("seed", 0, 0)) == (3, 0)
    assert check.key_fields(" age, sex,,") == check.key_fields(["age", " sex "]) == ("age", "sex")
    assert (check.texts_of("codes", "?"), check.texts_of("codes", ["?", ""])) == (("?",), ("?", ""))
    assert check.shares_of("fractions", [0.1, 0.5]) == [0.1, 0.5]
    forms = [check.threshold_of("threshold", form) for form in ("k=11", "1/11", Threshold.parse("1/11"))]
    assert len({form.k for form in forms}) == 1
    mapping = ColumnMapping()
    assert check.mapping_of(None) == check.mapping_of(mapping) == mapping
    path = tmp_path / "map.toml"
    path.write_text('[fields.sex]\ncolumn = "geschlecht"\n')
    assert check.mapping_of(str(path)) == check.mapping_of(Path(path)) != ColumnMapping()
