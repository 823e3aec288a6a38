"""Figures, maps and tables of finished numbers.

A function that ends in ``_figure`` or ``_map`` takes a data frame and returns a whole matplotlib figure with
a title, a legend and its sources; a notebook shows it, and :func:`save_figure` writes it. A function that begins with
``draw_`` takes a data frame and your axes, draws on them and returns them, so that you compose figures of your own.

The modules ``change_figure`` and ``frontier_figure`` hold functions of their own names, which are imported from there.

Examples
--------
>>> from policy_sim import Study
>>> from policy_sim.show import total_risk_map
>>> profiles = Study().compare(["safe-harbor"], ["general"]).to_frame()  # doctest: +SKIP
>>> total_risk_map(profiles, "safe-harbor", "general")  # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

_MODULES = {
    "change_figure": "breakdown_figures change_figures draw_breakdown draw_change draw_tornado tornado_figure",
    "curves": "curve_figure curve_figures draw_curves draw_trust_curve trust_curve_figure",
    "distribution": "distribution_figure draw_distribution draw_place place_figure",
    "frontier_figure": "best_policy_map draw_best_policy draw_frontier",
    "maps.fills": "Classes given_classes log_classes quantile_classes",
    "maps.figure": "cost_map county_map draw_county_map draw_state_map state_map total_risk_map trust_map",
    "numbers": "dollars interval people percent ratio short_dollars short_percent short_ratio",
    "panels": "draw_error_boxes draw_ranks error_boxes rank_figure",
    "reproduction_text": "deviation_figure draw_deviations",
    "save": "save_figure save_figures",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:  # imported when first used: a command that prints a number needs no figure
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"policy_sim.show.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(_HOMES)
