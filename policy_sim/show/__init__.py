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

_HOMES = {
    "Classes": "maps.fills",
    "best_policy_map": "frontier_figure",
    "breakdown_figures": "change_figure",
    "change_figures": "change_figure",
    "cost_map": "maps.state_map",
    "county_map": "maps.county_map",
    "curve_figure": "curves",
    "curve_figures": "curves",
    "deviation_figure": "reproduction_text",
    "distribution_figure": "distribution",
    "dollars": "numbers",
    "draw_best_policy": "frontier_figure",
    "draw_breakdown": "change_figure",
    "draw_change": "change_figure",
    "draw_county_map": "maps.county_map",
    "draw_curves": "curves",
    "draw_deviations": "reproduction_text",
    "draw_distribution": "distribution",
    "draw_error_boxes": "panels",
    "draw_frontier": "frontier_figure",
    "draw_place": "distribution",
    "draw_ranks": "panels",
    "draw_state_map": "maps.state_map",
    "draw_tornado": "tornado",
    "draw_trust_curve": "curves",
    "error_boxes": "panels",
    "given_classes": "maps.fills",
    "interval": "numbers",
    "log_classes": "maps.fills",
    "people": "numbers",
    "percent": "numbers",
    "place_figure": "distribution",
    "quantile_classes": "maps.fills",
    "rank_figure": "panels",
    "ratio": "numbers",
    "save_figure": "save",
    "save_figures": "save",
    "short_dollars": "numbers",
    "short_percent": "numbers",
    "short_ratio": "numbers",
    "state_map": "maps.state_map",
    "tornado_figure": "tornado",
    "total_risk_map": "maps.state_map",
    "trust_curve_figure": "curves",
    "trust_map": "maps.state_map",
}

__all__ = [
    "Classes",
    "best_policy_map",
    "breakdown_figures",
    "change_figures",
    "cost_map",
    "county_map",
    "curve_figure",
    "curve_figures",
    "deviation_figure",
    "distribution_figure",
    "dollars",
    "draw_best_policy",
    "draw_breakdown",
    "draw_change",
    "draw_county_map",
    "draw_curves",
    "draw_deviations",
    "draw_distribution",
    "draw_error_boxes",
    "draw_frontier",
    "draw_place",
    "draw_ranks",
    "draw_state_map",
    "draw_tornado",
    "draw_trust_curve",
    "error_boxes",
    "given_classes",
    "interval",
    "log_classes",
    "people",
    "percent",
    "place_figure",
    "quantile_classes",
    "rank_figure",
    "ratio",
    "save_figure",
    "save_figures",
    "short_dollars",
    "short_percent",
    "short_ratio",
    "state_map",
    "tornado_figure",
    "total_risk_map",
    "trust_curve_figure",
    "trust_map",
]


def __getattr__(name: str) -> Any:  # imported when first used: a command that prints a number needs no figure
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"policy_sim.show.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(_HOMES)
