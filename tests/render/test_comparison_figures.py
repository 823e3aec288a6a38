import subprocess
import sys

import matplotlib as mpl
import pandas as pd

from policy_sim.render.comparison_figures import comparison_figures
from policy_sim.render.theme import RC

NAMES = [
    *(f"map-total-risk-{p}-{a}" for p in ("safe-harbor", "limited-dataset") for a in ("general", "voter")),
    "map-trust-general",
    "map-trust-voter",
    "map-cost-safe-harbor",
    "map-cost-limited-dataset",
    "distribution",
    "ranks",
]


def test_every_map_and_figure_type_is_there(profiles, trust, cost, footer, assert_nothing_is_cut):
    before = {name: mpl.rcParams[name] for name in RC}
    found = dict(comparison_figures(profiles, trust, cost, footer))
    assert list(found) == NAMES
    for figure in found.values():
        assert_nothing_is_cut(figure)
    assert {name: mpl.rcParams[name] for name in RC} == before


def test_no_figure_needs_the_global_state_of_pyplot():
    """In a process of its own: other tests, and reading matplotlib's settings, may load it."""
    drawing = (
        "import sys, pandas as pd\n"
        "from policy_sim.render.comparison_figures import comparison_figures\n"
        "from policy_sim.render.save import save_figures\n"
        "rows = [('OH', 'p', 'general', m, g, 1.0, s / 9, 1.0, s / 9, 'x', 'k', 'ok', '')"
        " for m, g in (('total-risk', None), ('g-distinct', 1)) for s in range(1, 8)]\n"
        "names = 'state policy attacker measure g people share people_high share_high population linkage_key status"
        " reason'.split()\n"
        "risks = pd.DataFrame(rows, columns=names)\n"
        "empty = pd.DataFrame(columns=['attacker', 'policy', 'population'])\n"
        "assert [name for name, _ in comparison_figures(risks, empty, empty)]\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", drawing], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_figure_says_whose_people_which_lists_and_which_options(profiles, trust, cost, footer):
    for name, figure in comparison_figures(profiles, trust, cost, footer):
        words = [text.get_text() for text in figure.texts]
        assert footer[0] in words, name
        assert footer[1] in words, name


def test_several_populations_get_their_own_figures(profiles, trust, cost):
    both = [pd.concat([frame, frame.assign(population="us-2000")]) for frame in (profiles, trust, cost)]
    risks = [frame[frame["state"] == "OH"] for frame in both]
    names = [name for name, _ in comparison_figures(*risks)]
    assert names == [f"{name}-{year}" for year in ("us-2020", "us-2000") for name in NAMES]


def test_without_a_voter_list_there_is_no_map_of_cost(profiles, trust, cost):
    general = [frame[frame["attacker"] == "general"] for frame in (profiles, trust)]
    names = [name for name, _ in comparison_figures(*general, cost.iloc[:0])]
    assert not any("cost" in name or "voter" in name for name in names)
