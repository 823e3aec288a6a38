"""What every engine does with errors: one line of ours, which quotes no record."""

import warnings

import pyarrow as pa
import pytest

from policy_sim.errors import InputError, SourceError
from policy_sim.io.engine.backend import Backend, out_of_memory, quietly, unreadable


class Engine(Backend):
    """An engine that knows one of its errors."""

    name = "made"

    def explain(self, error, name):
        return SourceError(f"{name}: known") if isinstance(error, KeyError) else None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyError("Schmidt"), "visits: known"),
        (pa.ArrowInvalid("Schmidt"), "visits: cannot be read"),
        (UnicodeDecodeError("utf-8", b"Schmidt", 0, 1, "bad"), "visits: cannot be read"),
        (MemoryError("Schmidt"), "visits: memory"),
    ],
)
def test_an_error_of_the_parts_becomes_one_line_without_a_value(error, expected):
    with pytest.raises(SourceError) as caught, Engine().plainly("visits"):
        raise error
    assert str(caught.value).startswith(expected.split(":")[0])
    assert "Schmidt" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_our_own_errors_and_bugs_stay_what_they_are():
    for error in (InputError("ours"), ZeroDivisionError("a bug")):
        with pytest.raises(type(error)), Engine().plainly("visits"):
            raise error


def test_what_a_subclass_does_not_say_is_not_made_up():
    backend = Backend()
    for call in (
        lambda: backend.read(None, rows=False),
        lambda: backend.parquet("x"),
        lambda: backend.explain(KeyError(), "x"),
        lambda: backend.keep(None),
        lambda: backend.fetch(None),
        lambda: backend.hold({}),
    ):
        with pytest.raises(NotImplementedError):
            call()


def test_closing_happens_at_the_end_whatever_happened():
    closed = []

    class Closing(Engine):
        def close(self):
            closed.append(True)

    with pytest.raises(ZeroDivisionError), Closing():
        raise ZeroDivisionError
    assert closed == [True]
    assert str(Closing()) == "made"


def test_only_warnings_about_versions_are_silent():
    with quietly():
        warnings.warn("fetch_arrow_table is deprecated", DeprecationWarning, stacklevel=1)
    with pytest.warns(UserWarning, match="something else"), quietly():
        warnings.warn("something else", UserWarning, stacklevel=1)


def test_messages_name_the_file_and_what_to_do():
    assert "Check" in str(unreadable("visits.csv", "ArrowInvalid"))
    assert "2GB" in str(out_of_memory("visits.csv", "2GB"))
