"""What ``compare --out`` draws of one state."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from small_people import cells, written

from policy_sim.cli.options import ask
from policy_sim.cli.states import one_state_figures

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_one_population_gives_plain_names(tmp_path):
    asked = ask((written(tmp_path),), policies=("safe-harbor",), attackers=("general",), states=("OH",), g=(1,))
    names = [name for name, _ in one_state_figures(asked)]
    assert names[:2] == ["place", "curve"]
    assert len(names) > 2  # the counties
    assert len(set(names)) == len(names)


def test_a_population_of_one_state_has_no_place_among_others(tmp_path):
    path = tmp_path / "ohio.csv"
    cells()[cells()["state"] == "OH"].to_csv(path, index=False)
    asked = ask((str(path),), policies=("safe-harbor",), attackers=("general",), states=("OH",), g=(1,))
    assert "place" not in [name for name, _ in one_state_figures(asked)]


def test_several_populations_are_told_apart_by_name_and_note(tmp_path):
    paths = [str(tmp_path / name) for name in ("first.csv", "second.csv")]
    for path in paths:
        cells().to_csv(path, index=False)
    asked = ask(tuple(paths), policies=("safe-harbor",), attackers=("general",), states=("OH",), g=(1,))
    names = [name for name, _ in one_state_figures(asked)]
    assert len(set(names)) == len(names)
    assert sum(name.startswith("curve-first") for name in names) == 1
    assert sum(name.startswith("curve-second") for name in names) == 1
