"""The parts of a dossier that were measured: risk, transformation, use, sensitive values, linkage, analyses."""

from __future__ import annotations

from policy_sim.render.document.blocks import Block
from policy_sim.render.dossier.part import Figures, figure, part, share

__all__ = ["analyses_part", "linkage_part", "risks_part", "sensitive_part", "transformation_part", "use_part"]

_RISKS = (
    ("records", "records (people)"),
    ("rows", "rows"),
    ("classes", "classes of the key fields"),
    ("smallest", "smallest class"),
    ("uniques", "records alone in their class"),
    ("maximum", "largest risk of a record"),
    ("average", "mean risk"),
    ("strict_average", "strict mean risk"),
    ("population_maximum", "largest risk among the population"),
    ("marketer", "marketer risk"),
)


def risks_part(figures: Figures) -> list[Block]:
    """Show each measure of risk before and after."""
    rows = [(title, figure(figures["before"][key]), figure(figures["after"][key])) for key, title in _RISKS]
    assessment = figures["assessment"]
    if assessment is not None:
        rows.append(
            (
                "overall risk (data times context)",
                figure(assessment["before"]["overall"]),
                figure(assessment["after"]["overall"]),
            )
        )
    return part(
        "Risk before and after",
        (f"Population: {figures['population']}.",),
        ("measure", "before", "after"),
        tuple(rows),
        numbers=(1, 2),
    )


def transformation_part(figures: Figures) -> list[Block]:
    """Say at what level each key field is released, and how that was found."""
    search = figures["search"]
    if search is None:
        return part("Transformation", ("The release shows each key field at the only level that the aim allows.",))
    how = (
        "no other choice of levels loses less"
        if search["optimal"]
        else "found by a heuristic; another choice may lose less"
    )
    paragraphs = (
        f"Loss {figure(search['loss'])} (0 is nothing lost, 1 everything) in the released file: the mean over records "
        "and key fields of (m - 1) / (D - 1), where m of the field's D values have the released label; a suppressed "
        "cell or record loses 1.",
        f"The search minimized {search['objective_is']}: {figure(search['objective'])} before single cells were "
        f"released; {how}. {search['measured']:,} of "
        f"{search['nodes']:,} nodes were measured; the others were ruled out.",
        f"Rows suppressed: {search['suppressed']:,}. Rows released without some of their cells: {search['blanked']:,}.",
    )
    return part("Transformation", paragraphs, ("field", "level"), tuple(search["levels"].items()))


def use_part(figures: Figures) -> list[Block]:
    """Say what is left of the use of the data."""
    utility = figures["utility"]
    lost = utility["missingness"]
    paragraphs = [f"Information lost by generalization (entropy): {share(utility['entropy_loss'])} of what there was."]
    if lost is not None:
        paragraphs.append(
            f"Records with a missing key value: {share(lost['records_before'])} before, "
            f"{share(lost['records_after'])} after, {share(lost['records_lost'])} more. Key cells without a "
            f"value: {share(lost['cells_before'])} before, {share(lost['cells_after'])} after, "
            f"{share(lost['cells_lost'])} more. A suppressed record counts as missing every value, and so does a "
            f"dropped key field."
        )
    rows = tuple(
        (
            distance["field"],
            figure(distance["distance"]),
            figure(distance["mean_before"]),
            figure(distance["mean_after"]),
        )
        for distance in utility["distances"]
    )
    return part(
        "Usefulness of the released file",
        (
            *paragraphs,
            "Distance of each variable from its original distribution, from 0 (same) to 1. For key fields, "
            "only the effect of suppression.",
        ),
        ("variable", "distance", "mean before", "mean after"),
        rows,
        numbers=(1, 2, 3),
    )


def sensitive_part(figures: Figures) -> list[Block]:
    """Say what a class tells of its members even to someone who finds no single record."""
    rows = tuple(
        (
            field["field"],
            figure(field["distinct"]),
            figure(field["entropy"]),
            figure(field["closeness"]),
            f"{field['told']:,} of {field['records']:,}",
        )
        for field in figures["sensitive"]
    )
    if not rows:
        return part("Sensitive values", ("No sensitive column is released.",))
    return part(
        "Sensitive values",
        ("What a class reveals about its members, even to someone who cannot single out a record.",),
        (
            "column",
            "fewest values (l)",
            "smallest entropy (l)",
            "largest distance (t)",
            "records in classes of one value",
        ),
        rows,
        numbers=(1, 2, 3, 4),
    )


def linkage_part(figures: Figures) -> list[Block]:
    """Say what an attacker gets out of the file with the census and voter lists; nothing where it was not linked."""
    linkage = figures["linkage"]
    if linkage is None:
        return []
    rows = tuple(
        (
            row["attacker"],
            row["state"],
            row["linkage_key"] or "-",
            figure(row["total_risk"]),
            figure(row["largest_chance"]),
            figure(row["price_usd"]),
            row["reason"] or row["status"],
        )
        for row in linkage["rows"]
    )
    text = (
        "How many people in the released file could be matched by an attacker who knows everyone or has the voter list."
    )
    if linkage["left_out"]:
        text += f" Without {', '.join(linkage['left_out'])}, which no census has. Whoever knows that finds more."
    head = ("attacker", "state", "links on", "correct matches", "largest chance of a record", "price (USD)", "status")
    return part("Linked with the census and voter lists", (text,), head, rows, tuple(linkage["notes"]), (3, 4, 5))


def analyses_part(figures: Figures) -> list[Block]:
    """Show the analyses of the project before and after; nothing where it names none."""
    rows = tuple(
        (row["analysis"], row["group"], figure(row["before"]), figure(row["after"])) for row in figures["analyses"]
    )
    head = ("analysis", "group", "before", "after")
    return part("The analyses of the project, before and after", (), head, rows, (), (2, 3)) if rows else []
