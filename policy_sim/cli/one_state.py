"""What ``compare --out`` draws of one state: its counties, its curve and its rank among the states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.questions.studies import Studies
    from policy_sim.study import Study

__all__ = ["one_state_figures"]

_G_MAX = 1_000  # of the curve; ``policy-sim curve`` draws more


def one_state_figures(studies: Studies) -> Iterator[tuple[str, Figure]]:
    """Draw the state in every population; yield each figure with its file name."""
    several = len(studies.studies) > 1
    for study in studies.studies:
        name = study.counted.name
        notes = [*([f"figure of: {name}"] if several else []), *studies.provenance().figure_notes]
        for stem, figure in _figures(studies, study, notes):
            yield f"{stem}-{name}" if several else stem, figure


def _figures(studies: Studies, study: Study, notes: list[str]) -> Iterator[tuple[str, Figure]]:
    from policy_sim.population.population import Population
    from policy_sim.render.breakdown_figure import breakdown_figures
    from policy_sim.render.curves import curve_figure
    from policy_sim.render.place import place_figure

    question = studies.question
    (state,) = question.states or ()
    people = study.counted
    form: Any = {"rules": question.rules, "in_file": question.in_file}
    if len(people.states) > 1:
        nation = study.compare(question.policies, question.attackers, None, question.g[:1], **form)
        yield "place", place_figure(nation.to_frame(), state, notes)
    yield (
        "curve",
        curve_figure(study.curves(state, question.policies, question.attackers, _G_MAX, **form).to_frame(), notes),
    )
    if isinstance(people, Population) and "county" in people.cells:
        parts = study.break_down("county", question.policies, question.attackers, (state,), question.g[:1], **form)
        yield from breakdown_figures(parts.to_frame(), notes)
