import pytest
from pydantic import ValidationError

from policy_sim.io.resource_schema import PeopleTable, ResourceTable

LEAST = {"name": "births", "title": "births", "kind": "birth index", "states": ["OH"]}


def _read(**more):
    return ResourceTable.model_validate(LEAST | more, context={"sources": {}})


def test_a_short_text_stands_for_the_table_of_a_field():
    short = _read(fields={"birth": "date", "gender": "included", "race": "withheld", "geography": "unknown"}).fields
    assert (short.birth.availability, short.birth.granularity) == ("included", "date")
    assert (short.gender.availability, short.race.availability) == ("included", "withheld")
    assert (short.geography.availability, short.zip.availability) == ("unknown", "unknown")
    long = _read(fields={"birth": {"availability": "included", "granularity": "date"}}).fields
    assert long.birth == short.birth


@pytest.mark.parametrize(
    ("share", "ends"), [(0.6, (0.6, 0.6)), (1, (1, 1)), ([0.3, 0.7], (0.3, 0.7)), ("unknown", (0, 1))]
)
def test_a_share_is_one_number_or_two_or_unknown(share, ends):
    assert PeopleTable.model_validate({"share": share}).share == ends


@pytest.mark.parametrize("share", [1.5, -0.1, True, [0.7, 0.3], [0.1], [0.1, 0.2, 0.3], "most", None, ["0", "1"]])
def test_what_is_no_share(share):
    with pytest.raises(ValidationError):
        PeopleTable.model_validate({"share": share})


@pytest.mark.parametrize("name", ["Births", "my births", "", "-births", "births-", "../births", 5])
def test_a_name_is_small_letters_digits_and_hyphens(name):
    with pytest.raises(ValidationError):
        _read(name=name)


def test_all_states_or_some():
    assert _read(states="all").states is None
    assert _read().states == ["OH"]
    with pytest.raises(ValidationError):
        _read(states=[])
