"""The map of the states' own releases says how many carry more risk, and hatches those that are not known."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.render.maps.release_map import release_map


def rows(*figures):
    names = ["state", "ratio", "ratio_high", "status"]
    return pd.DataFrame(figures, columns=names).assign(
        attacker="general", measure="total-risk", numerator_policy="release:newest", denominator_policy="safe-harbor"
    )


def words(figure):
    return " ".join(" ".join(text.get_text() for text in figure.texts).split())


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (
            [("NC", 2186.0, 2186.0, "ok"), ("ME", 0.02, 0.51, "interval"), ("OH", None, None, "unknown")],
            "In 1 of 2 states, the state's own file has more risk than Safe Harbor: 2,186 times as much in NC",
        ),
        ([("NC", 12.0, 12.0, "ok")], "The state's own file has more risk than Safe Harbor: 12 times as much in NC"),
        ([("ME", 0.5, 0.5, "ok")], "No state's own file has more risk than Safe Harbor"),
        ([("OH", None, None, "unknown")], "No state has a figure for its own release"),
    ],
)
def test_the_title_counts_what_is_known(figures, said):
    assert words(release_map(rows(*figures), "general", ["footer"])).startswith(said)


def test_the_footer_is_on_the_page():
    figure = release_map(rows(("NC", 2.0, 2.0, "ok")), "general", ["under the HCUP data use agreement"])
    assert "under the HCUP data use agreement" in [text.get_text() for text in figure.texts]
