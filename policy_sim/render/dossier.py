"""The dossier of a release: sections of text and tables, made from the figures that a run wrote."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policy_sim.errors import InputError
from policy_sim.io.agreements import Agreement, load_agreements
from policy_sim.io.files import replace_files

__all__ = ["Section", "dossier_sections", "write_dossier"]

_Figures = Mapping[str, Any]
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


@dataclass(frozen=True)
class Section:
    """A part of the dossier.

    Parameters
    ----------
    title : Its heading.
    paragraphs : Sentences before the table.
    head, rows : A table; none where there is no head.
    items : A list after the table.
    source : A text shown as it is, such as the project file.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    items: tuple[str, ...] = ()
    source: str = ""


def write_dossier(figures: _Figures, folder: Path) -> None:
    """Write ``dossier.html`` into a folder, and ``dossier.docx`` where python-docx is installed.

    Raises
    ------
    OutputError : a file cannot be written.
    """
    from policy_sim.render.dossier_docx import dossier_docx
    from policy_sim.render.dossier_html import dossier_html

    sections = dossier_sections(figures)
    title = f"Release dossier: {figures['title']}"
    files = {folder / "dossier.html": dossier_html(title, sections).encode()}
    with suppress(InputError):  # the extra that writes Word documents is not installed
        files[folder / "dossier.docx"] = dossier_docx(title, sections)
    replace_files(files)


def dossier_sections(figures: _Figures) -> list[Section]:
    """Return the sections of a dossier in order."""
    return [
        _answer(figures),
        _model(figures),
        _variables(figures),
        _threshold(figures),
        _attacks(figures),
        _risks(figures),
        _transformation(figures),
        _use(figures),
        _sensitive(figures),
        *_linkage(figures),
        *_analyses(figures),
        _evidence(figures),
        *(_agreement(agreement) for agreement in _agreements(figures)),
        _reproduction(figures),
        Section("Project file", ("The project as it was run. The line above reads it.",), source=figures["project"]),
    ]


def _answer(figures: _Figures) -> Section:
    assessment, search = figures["assessment"], figures["search"]
    lines = [f"Aim: {figures['aim']}. The released file was read again and measured again, and it meets the aim."]
    if assessment is not None:
        before, after = assessment["before"], assessment["after"]
        lines.append(f"Before: {before['why']}.")
        lines.append(f"After: {after['why']}.")
        if not after["passes"]:
            lines.append("By the threshold of step 3 this file may not be released under this release model.")
    else:
        lines.append("The questions of steps 1 to 5 are not all answered, so there is no verdict on the overall risk.")
    if search is not None:
        lines.append(
            f"{search['suppressed']:,} of {search['drawn']:,} rows are suppressed "
            f"({_percent(search['suppressed'] / search['drawn'])}; the limit is {_percent(search['limit'])} of the "
            "records)."
        )
    return Section("The answer", tuple(lines))


def _model(figures: _Figures) -> Section:
    edition = figures["edition"]
    rows = tuple(
        (
            answer["asks"],
            f"{answer['answer']}{': ' + answer['meaning'] if answer['meaning'] else ''}",
            answer["by"],
            answer["on"],
        )
        for answer in figures["answers"]
        if answer["step"] in ("release-model", "documents", "disclosure", "monitoring")
    )
    paragraphs = (f"Guidelines: {edition['title']}. {edition['citation']}. Text read: {edition['read']}.",)
    return Section("Release model and responsibility", paragraphs, ("question", "answer", "by", "on"), rows)


def _variables(figures: _Figures) -> Section:
    rows = tuple(
        tuple(variable[key] for key in ("name", "role", "kind", "done", "reason", "by"))
        for variable in figures["variables"]
    )
    return Section(
        "Variables and what is done to each",
        ("Nothing is classified in silence: each column has a role and a reason.",),
        ("column", "role", "kind", "in the release", "reason", "by"),
        rows,
    )


def _threshold(figures: _Figures) -> Section:
    assessment = figures["assessment"]
    if assessment is None:
        return Section("Threshold", ("Not set: questions of steps 1 to 5 are open.",))
    return Section(
        "Threshold and why",
        (
            f"Invasion of privacy: {assessment['invasion']}. Largest acceptable overall risk: "
            f"{assessment['threshold']}, a class of {assessment['class']}. Largest risks are compared as class sizes, "
            "because the sources round 1/11 to 0.09 and 1/3 to 0.33.",
            f"Measure of the risk in the data for a {assessment['model']} release: {assessment['measure']}, over "
            f"{'the records of the file' if assessment['sizes'] == 'file' else 'the people of the population'}.",
            f"With the context below the data need: {assessment['needs']}.",
        ),
    )


def _attacks(figures: _Figures) -> Section:
    assessment = figures["assessment"]
    if assessment is None:
        return Section("Attacks", ("Not assessed.",))
    rows = tuple(
        (attack["name"], attack["title"], _number(attack["probability"]), attack["why"], attack["citation"])
        for attack in assessment["attacks"]
    )
    return Section(
        "Attacks and the risk in the context",
        (f"The largest probability counts: {_number(assessment['context'])}.",),
        ("attack", "what happens", "probability", "why", "source"),
        rows,
    )


def _risks(figures: _Figures) -> Section:
    rows = [(title, _number(figures["before"][key]), _number(figures["after"][key])) for key, title in _RISKS]
    assessment = figures["assessment"]
    if assessment is not None:
        rows.append(
            (
                "overall risk (data times context)",
                _number(assessment["before"]["overall"]),
                _number(assessment["after"]["overall"]),
            )
        )
    return Section(
        "Risk before and after",
        (f"Population: {figures['population']}.",),
        ("", "before", "after"),
        tuple(rows),
    )


def _transformation(figures: _Figures) -> Section:
    search = figures["search"]
    notes = tuple(figures["notes"])
    if search is None:
        return Section(
            "Transformation", ("Each key field is released at the one level that the aim allows.",), items=notes
        )
    how = (
        "no node of the lattice loses less" if search["optimal"] else "found by a heuristic: another node may lose less"
    )
    paragraphs = (
        f"Loss {_number(search['loss'])} (0 is nothing lost, 1 everything); {how}. {search['measured']:,} of "
        f"{search['nodes']:,} nodes were measured; the others were ruled out.",
        f"Rows suppressed: {search['suppressed']:,}. Rows released without some of their cells: {search['blanked']:,}.",
    )
    return Section("Transformation", paragraphs, ("field", "level"), tuple(search["levels"].items()), notes)


def _use(figures: _Figures) -> Section:
    utility = figures["utility"]
    lost = utility["missingness"]
    paragraphs = [
        f"Information lost by generalization (entropy): {_percent(utility['entropy_loss'])} of what there was."
    ]
    if lost is not None:
        paragraphs.append(
            f"Records with a missing key value: {_percent(lost['records_before'])} before, "
            f"{_percent(lost['records_after'])} after, {_percent(lost['records_lost'])} more. Key cells without a "
            f"value: {_percent(lost['cells_before'])} before, {_percent(lost['cells_after'])} after, "
            f"{_percent(lost['cells_lost'])} more. A record that is gone misses every "
            "value, and so does a key field that is dropped."
        )
    rows = tuple(
        (
            distance["field"],
            _number(distance["distance"]),
            _number(distance["mean_before"]),
            _number(distance["mean_after"]),
        )
        for distance in utility["distances"]
    )
    return Section(
        "What is left of the use",
        (*paragraphs, "Distance of each variable from before, 0 (none) to 1; of key fields, by suppression alone."),
        ("variable", "distance", "mean before", "mean after"),
        rows,
    )


def _sensitive(figures: _Figures) -> Section:
    rows = tuple(
        (
            field["field"],
            _number(field["distinct"]),
            _number(field["entropy"]),
            _number(field["closeness"]),
            f"{field['told']:,} of {field['records']:,}",
        )
        for field in figures["sensitive"]
    )
    if not rows:
        return Section("Sensitive values", ("No sensitive column is released.",))
    return Section(
        "Sensitive values",
        ("What a class tells of its members even to someone who finds no single record.",),
        (
            "column",
            "fewest values (l)",
            "smallest entropy (l)",
            "largest distance (t)",
            "records in classes of one value",
        ),
        rows,
    )


def _linkage(figures: _Figures) -> list[Section]:
    linkage = figures["linkage"]
    if linkage is None:
        return []
    rows = tuple(
        (
            row["attacker"],
            row["state"],
            row["linkage_key"] or "-",
            _number(row["total_risk"]),
            _number(row["largest_chance"]),
            _number(row["price_usd"]),
            row["reason"] or row["status"],
        )
        for row in linkage["rows"]
    )
    text = "What an attacker who knows everyone, and one with the voter list, get out of the released file."
    if linkage["left_out"]:
        text += f" Without {', '.join(linkage['left_out'])}, which no census has: who knows that too finds more."
    head = ("attacker", "state", "links on", "correct matches", "largest chance of a record", "price (USD)", "status")
    return [Section("Linked with the census and voter lists", (text,), head, rows, tuple(linkage["notes"]))]


def _analyses(figures: _Figures) -> list[Section]:
    rows = tuple(
        (row["analysis"], row["group"], _number(row["before"]), _number(row["after"])) for row in figures["analyses"]
    )
    head = ("analysis", "group", "before", "after")
    return [Section("The analyses of the project, before and after", head=head, rows=rows)] if rows else []


def _evidence(figures: _Figures) -> Section:
    rows = tuple(
        (answer["question"], answer["answer"], answer["evidence"] or "none given", answer["by"], answer["citation"])
        for answer in figures["answers"]
    )
    return Section("Answers and evidence", (), ("question", "answer", "evidence", "by", "asked by"), rows)


def _agreements(figures: _Figures) -> list[Agreement]:
    every = load_agreements()
    model = (figures["assessment"] or {}).get("model", "")
    names = {"public": [], "semi-public": ["terms_of_use"]}.get(model, ["clauses", "data_use_agreement"])
    return [every[name] for name in [*names, "expert_determination"]]


def _agreement(agreement: Agreement) -> Section:
    return Section(agreement.title, (f"Source: {agreement.citation}.",), items=agreement.items)


def _reproduction(figures: _Figures) -> Section:
    rows = [
        ("input", figures["input"]["name"], figures["input"]["sha256"]),
        ("output", figures["output"]["name"], figures["output"]["sha256"]),
        *(("source", name, digest) for name, digest in figures["sources"].items()),
    ]
    key = figures["key"]
    says = (
        f"Pseudonyms and shifted dates need the secret key with the fingerprint {key['fingerprint']}, which is in a "
        "file of its own and in none of these."
        if key
        else "No secret key is needed."
    )
    again = next((answer["answer"] for answer in figures["answers"] if answer["question"] == "reassess"), "not set")
    return Section(
        "Make it again, and check it again",
        (
            f"Put this dossier beside the input file {figures['input']['name']}. With {figures['program']}, "
            "run: policy-sim release run dossier.html, and name that file and a new folder.",
            f"It makes an output with the sha256 below. {says}",
            f"Day of re-assessment: {again}. Then run policy-sim release recheck.",
        ),
        ("what", "file", "sha256"),
        tuple(rows),
    )


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
