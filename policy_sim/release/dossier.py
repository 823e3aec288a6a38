"""The dossier of a release: what people decided, what was measured, and how to make the release again."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from policy_sim.briefs.evidence import NOT_A_DETERMINATION
from policy_sim.briefs.sentences import first_up
from policy_sim.files.writing import replace_files
from policy_sim.release.attack.report import AttackReport, Verdict
from policy_sim.release.costs import departure_text, suppressed_text
from policy_sim.release.figures import RISKS
from policy_sim.release.files import load_agreements
from policy_sim.release.identifiability import level_line
from policy_sim.release.stages import STAGE_COLUMNS, stages
from policy_sim.show.document.blocks import (
    Block,
    Bullets,
    Document,
    DocumentTable,
    Heading,
    Paragraph,
    Picture,
    Verbatim,
    as_is,
)
from policy_sim.show.document.docx_document import docx_document
from policy_sim.show.document.markup import html_document
from policy_sim.show.numbers import figure, share

# What ``release.json`` holds.
Figures: TypeAlias = Mapping[str, Any]


def part(
    title: str,
    paragraphs: Sequence[str] = (),
    head: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
    items: Sequence[str] = (),
    numbers: Sequence[int] = (),
) -> list[Block]:
    """Return the blocks of a part; a table without rows is left out, and ``numbers`` are its columns of numbers.

    Texts come from a project and its answers: what looks like a mark of a document stays as it was written.

    >>> [type(block).__name__ for block in part("Risk", ["As measured."], ["", "after"], [["largest", "0.1"]])]
    ['Heading', 'Paragraph', 'DocumentTable']
    """
    blocks: list[Block] = [Heading(title), *(Paragraph(as_is(text)) for text in paragraphs)]
    if rows:
        blocks.append(
            DocumentTable(tuple(head), tuple(tuple(map(as_is, row)) for row in rows), numbers=frozenset(numbers))
        )
    if items:
        blocks.append(Bullets(tuple(map(as_is, items))))
    return blocks


_STANDINGS = {
    "rule": "Released under the rule",
    "target": "Released as a key field",
    "person": "Released because a person said so",
    "left out": "Left out",
}


def answer_part(figures: Figures, verdict: Verdict) -> list[Block]:
    """Say first the verdict, then what is released and why, and what was tried."""
    assessment, search = figures["assessment"], figures["search"]
    of_what = f"Aim: {figures['aim']}."
    if assessment is None:
        of_what += " The verdict is about this aim. The overall risk is open: it needs the answers to steps 1 to 5."
    blocks = part("The verdict", (f"{verdict}.", of_what))
    blocks += part("What the file has, and why")
    head = ("column", "in the release", "reason", "values look like")
    for standing, title in _STANDINGS.items():
        rows = [_column_row(column) for column in figures["variables"] if column.get("standing") == standing]
        if rows:
            blocks += [Heading(title, level=2), *part(title, (), head, rows)[1:]]
    lines: list[str] = []
    if assessment is not None:
        before, after = assessment["before"], assessment["after"]
        after_text = (
            f"After: {after['why']}." if verdict.is_met else "After: not reported, because the verdict is not met."
        )
        lines += [f"Before: {before['why']}.", after_text]
        if not after["passes"]:
            lines.append("By the threshold of step 3 this file may not be released under this release model.")
    if search is not None:
        lines.append(suppressed_text(search, figures.get("people")))
    notes = [f"{first_up(note).rstrip('.')}." for note in figures["notes"]]
    return [*blocks, *part("The answer", lines, items=notes), *_tried_part(verdict)]


def _tried_part(verdict: Verdict) -> list[Block]:
    """Say what the attack on the written file tried and found, column by column, and what it did not try."""
    report = verdict.report
    opened = "The written file was opened and attacked by what it shows alone."
    blocks = part("What was tried", (opened,), items=report.tried)
    rows = [(name, _recognized_text(report, name)) for name in report.columns]
    blocks += part("", (), ("column", "recognized as"), rows)[1:]
    rows_found = [(" and ".join(x.columns) or "the file", x.what, x.do) for x in report.findings]
    blocks += part("", (), ("found in", "what", "what to do"), rows_found)[1:]
    return [*blocks, *part("", (), ("not tried", "why"), report.not_tried)[1:]]


def _recognized_text(report: AttackReport, name: str) -> str:
    """Say as what a column was recognized, and on whose word it is released, where it is."""
    said = f"on {report.words[name]}'s word" if name in report.words else ""
    said += f", against the program's guess: {report.against[name]}" if name in report.against else ""
    what = said or report.explained.get(name) or "nothing"
    return f"{what}; may contain {report.doubts[name]}" if name in report.doubts else what


def _column_row(column: Figures) -> tuple[str, ...]:
    by = f" ({column['by']})" if column["by"] and column["standing"] == "person" else ""
    return (column["name"], column["done"], column["reason"] + by, column.get("looks", ""))


def model_part(figures: Figures) -> list[Block]:
    """Say which guidelines were followed, and who answers for the release."""
    edition = figures["edition"]
    rows = [
        (answer["asks"], ": ".join(filter(None, (answer["answer"], answer["meaning"]))), answer["by"], answer["on"])
        for answer in figures["answers"]
        if answer["step"] in ("release-model", "documents", "disclosure", "monitoring", "context", "governance")
    ]
    which = "Guidelines" if figures["assessment"] is not None else "Guidelines, whose questions are not all answered"
    paragraphs = [f"{which}: {edition['title']}. {edition['citation']}. Text used: {edition['read']}."]
    paragraphs += [f"{_ABOUT[name]}: {text.rstrip('.')}." for name, text in figures.get("about", {}).items()]
    return part("Release model and responsibility", paragraphs, ("question", "answer", "by", "on"), rows)


_ABOUT = {"what": "What is released", "recipient": "Recipient", "agreement": "Agreement", "period": "Period"}


def threshold_part(figures: Figures) -> list[Block]:
    """Say what risk is acceptable, and why."""
    assessment = figures["assessment"]
    if assessment is None:
        return part("Threshold", ("Not set: questions of steps 1 to 5 are open.",))
    read = figures["edition"]["read"]
    return part(
        "Threshold and why",
        (
            f"Invasion of privacy: {assessment['invasion']}. Largest acceptable overall risk: "
            f"{assessment['threshold']}, a class of {assessment['class']}. The program compares largest risks as "
            f"class sizes, because the sources round 1/11 to 0.09 and 1/3 to 0.33. Text of the guidelines: {read}.",
            f"Measure of the risk in the data for a {assessment['model']} release: {assessment['measure']}, over "
            f"{'the records of the file' if assessment['sizes'] == 'file' else 'the people of the population'}.",
            f"Given the context below, the data need: {assessment['needs']}.",
            *_raised(figures),
        ),
    )


def _raised(figures: Figures) -> list[str]:
    """Say from where the threshold was raised, and on which conditions; nothing where it was not."""
    before = (figures["assessment"] or {}).get("raised_from")
    if before is None:
        return []
    asked = (row["answer"] for row in figures["answers"] if row["question"] == "raised-conditions")
    conditions = next(asked, "this edition does not ask for any")
    return [
        f"The threshold was raised: an earlier answer to the question on the invasion of privacy asked for {before}. "
        f"Conditions added for it: {conditions}."
    ]


def identifiability_part(figures: Figures) -> list[Block]:
    """Say the level of the release, and its risks by the formulas of its edition; nothing where it has no levels."""
    found = figures.get("identifiability")
    if found is None:
        return []
    paragraphs = [
        f"Levels: {', '.join(found['levels'])}.",
        f"Original file: {found['before']['level'] or 'unknown'} ({found['before']['why']}).",
        f"Written file, {level_line(found)}.",
        "R_b is the largest risk of a record, R_c the mean, R_a the share of records above a limit (tau). Case A: the "
        "attacker knows who is in the file, so that the risk of a record is 1/f. Case B: not, and it is 1/F among the "
        "people of the population.",
    ]
    rows = [
        (
            row["formula"] + ("" if row["tau"] is None else f", tau {row['tau']}"),
            row["case"],
            *(figure(row[name]) for name in ("before", "after", "overall")),
        )
        for row in found["formulas"]
    ]
    epsilon = found["epsilon"]
    largest = "no figure" if epsilon["largest"] is None else figure(epsilon["largest"])
    end = f"Largest epsilon: {largest} ({epsilon['why']}). {first_up(epsilon['note'])}."
    head = ("measure", "case", "before", "after", "after, times context")
    blocks = part("Level of identifiability", paragraphs, head, rows, [end], (2, 3, 4))
    return [*blocks, *part("Stages", (), STAGE_COLUMNS, [tuple(row.values()) for row in stages(figures)])]


def attacks_part(figures: Figures) -> list[Block]:
    """Say how probable each attack is in the context of the release."""
    assessment = figures["assessment"]
    if assessment is None:
        return part("Attacks", ("Not assessed.",))
    rows = [
        (attack["name"], attack["title"], figure(attack["probability"]), attack["why"], attack["citation"])
        for attack in assessment["attacks"]
    ]
    text = f"The largest probability counts: {figure(assessment['context'])}."
    head = ("attack", "what happens", "probability", "why", "source")
    return part("Attacks and the risk in the context", (text,), head, rows)


def evidence_part(figures: Figures) -> list[Block]:
    """Say what each answer rests on."""
    rows = [
        (answer["question"], answer["answer"], _evidence(answer), answer["by"], answer["citation"])
        for answer in figures["answers"]
    ]
    return part("Answers and evidence", (), ("question", "answer", "evidence", "by", "asked by"), rows)


def _evidence(answer: Figures) -> str:
    """Say on what an answer rests, and which answers it replaced."""
    earlier = f". Before: {answer['earlier']}" if answer.get("earlier") else ""
    return f"{answer['evidence'] or 'none given'}{earlier}"


def agreement_parts(figures: Figures) -> list[Block]:
    """Return the clauses and checklists that such a release needs."""
    model = (figures["assessment"] or {}).get("model", "")
    names = {"public": [], "semi-public": ["terms_of_use"]}.get(model, ["clauses", "data_use_agreement"])
    if figures.get("areas"):
        names = [*dict.fromkeys([*names, "data_use_agreement"]), "expert_determination"]
    elif "safe-harbor" in figures["aim"]:  # the rule asks for no agreement and no determination
        names = [name for name in names if name != "data_use_agreement"]
    else:
        names = ["data_use_agreement"] if "limited" in figures["aim"] else [*names, "expert_determination"]
    return [
        block
        for agreement in map(load_agreements().__getitem__, names)
        for block in part(agreement["title"], [f"Source: {agreement['citation']}."], items=agreement["items"])
    ]


def reproduction_part(figures: Figures) -> list[Block]:
    """Say how to make the same file again, and when to check it again."""
    files = (figures["input"], figures["output"])
    sums = [(file["sha256"], file["name"]) for file in files]
    sums += [(digest, name) for name, digest in figures["sources"].items()]
    key = figures["key"]
    says = (
        f"Pseudonyms and shifted dates need the secret key with the fingerprint {key['fingerprint']}, which is in a "
        f"separate file and not in these files."
        if key
        else "No secret key is needed."
    )
    again = next((answer["answer"] for answer in figures["answers"] if answer["question"] == "reassess"), "not set")
    sentences = (
        f"Put this dossier next to the input file {figures['input']['name']}. With {figures['program']}, "
        "run: policy-sim release run dossier.html, and name that file and a new folder.",
        "The command writes the same rows. Their order, and the draw of a sample, follow from a seed that only "
        f"project.toml of this release has: run the command on its folder for a file with the sha256 below. {says}",
        f"Date of re-assessment: {again}. On that date, run policy-sim release recheck.",
        "The sha256 of the input, of the output, and of what else the release was made from:",
    )
    checksums = Verbatim("\n".join(f"{digest}  {name}" for digest, name in sums))
    return [*part("How to reproduce and recheck this release", sentences), checksums]


def risks_part(figures: Figures) -> list[Block]:
    """Show each measure of risk before and after."""
    before, after = figures["before"], figures["after"]
    rows = [(title, figure(before[key]), figure(after[key])) for key, title in RISKS.items() if key in before]
    if assessment := figures["assessment"]:
        before, after = (figure(assessment[when]["overall"]) for when in ("before", "after"))
        rows.append(("overall risk (data times context)", before, after))
    text = f"Population: {figures['population']}."
    if both := population_text(figures):
        text += f" {first_up(both)}."
    blocks = part("Risk before and after", (text,), ("measure", "before", "after"), rows, numbers=(1, 2))
    return [*blocks, *_spread_blocks(figures.get("spread") or ())]


def _spread_blocks(spread: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Show the mean and the 95th percentile of the records' own risks, by race, sex and age where they are released."""
    if not spread:
        return []
    measures = ("mean_before", "percentile_before", "mean_after", "percentile_after")
    rows = [
        (row["by"], row["value"], f"{row['records']:,}", *(figure(row[name]) for name in measures)) for row in spread
    ]
    text = (
        "How the risk is spread over the records that are released: fewer than 5% of each group have more than the "
        "95th percentile, by the classes of the file."
    )
    head = ("column", "released value", "records", "mean before", "95th before", "mean after", "95th after")
    return part("", (text,), head, rows, numbers=(2, 3, 4, 5, 6))[1:]


def population_text(figures: Mapping[str, Any]) -> str:
    """Say the smallest class in the file and in the population, and what counting in the file would lose.

    >>> population_text({"after": {"smallest": 1, "population_smallest": 1}, "search": None})
    ''
    """
    after, search = figures["after"], figures["search"] or {}
    if after["population_smallest"] in (None, after["smallest"]):
        return ""
    text = (
        f"smallest class: {after['smallest']:,} records of the file, {after['population_smallest']:,} people of the "
        "population with the same values"
    )
    if search.get("file_loss") is None:
        return text
    loss, in_file = figure(search["loss"]), figure(search["file_loss"])
    return f"{text}; loss {loss}, where the same target in the file would lose {in_file}"


def recoding_text(search: Mapping[str, Any]) -> str:
    """Say what a release loses and what one level per field would lose; empty where no local recoding was wanted.

    >>> recoding_text({"recoding": "one-level", "one_level_loss": None, "loss": 0.2})
    ''
    >>> recoding_text({"recoding": "one-level", "one_level_loss": 0.3, "local_loss": 0.1}).partition(": ")[2]
    'local recoding loses 0.1, but does worse by the measure that the project asks for'
    """
    other = search.get("one_level_loss")
    if other is None:
        return ""
    if search["recoding"] == "one-level":
        local = search["local_loss"]
        instead = "suppresses too many rows" if local is None else f"loses {figure(local)}"
        if local is not None and local < other:
            instead += ", but does worse by the measure that the project asks for"
        return f"loss {figure(other)} with one level per field, which is released: local recoding {instead}"
    mixed = search["at_several_levels"]
    after = search.get("advice_loss")
    levels = ", ".join(f"{name}: {level}" for name, level in search.get("advice_levels", {}).items())
    cost = (
        f"several levels in one column ({', '.join(mixed)}), so bring the values to one level before you count or "
        f"compare them{'' if after is None else f'; the loss is then {figure(after)} ({levels})'}"
        if mixed
        else "every column still shows one level, or nothing in a cell"
    )
    return f"loss {figure(search['loss'])} by local recoding, {figure(other)} with one level per field; {cost}"


def transformation_part(figures: Figures) -> list[Block]:
    """Say at what level each key field is released, and how that was found."""
    search = figures["search"]
    if search is None:
        return part("Transformation", ("The release shows each key field at the only level that the aim allows.",))
    how = (
        "no other choice of one level per field loses less"
        if search["optimal"]
        else "found by a heuristic; another choice may lose less"
    )
    if search.get("recoding") == "local":
        how += ". It is not released, because local recoding loses less"
    paragraphs = [
        f"Loss {figure(search['loss'])} (0 is nothing lost, 1 everything) in the released file: the mean over records "
        "and key fields of (m - 1) / (D - 1), where m of the field's D values have the released label; a suppressed "
        f"cell or record loses 1. {share(search.get('kept'))} of the bits of the key fields are kept, and a record "
        f"stands in a class of {share(search.get('discernibility'))} of the file on average.",
        f"The search for one level per field minimized {search['objective_is']}: {figure(search['objective'])} before "
        f"single cells were released; {how}. {search['measured']:,} of "
        f"{search['nodes']:,} nodes were measured; the others were ruled out.",
        f"Rows suppressed: {search['suppressed']:,}. Rows released without some of their cells: {search['blanked']:,}.",
    ]
    paragraphs[:0] = [f"{first_up(text)}." for text in (recoding_text(search), departure_text(search)) if text]
    if search.get("recoding") == "local":
        paragraphs.append(
            "Local recoding goes through the choices of levels once, from the least loss up, and releases each row at "
            "the first at which its class among the rows left meets the target. Then classes are cut: an ordered field "
            "shows an interval, and another one a set, such as 'A, B or C' (one of these values) or 'not A' (any other "
            "value). Another recoding may lose less."
        )
    ladders = search.get("ladders", {})
    rows = [
        (field, _levels_text(search, field, level), ladders.get(field, "")) for field, level in search["levels"].items()
    ]
    return part("Transformation", paragraphs, ("field", "level", "ladder"), rows)


def _levels_text(search: Figures, field: str, level: str) -> str:
    """Say how many rows are at each level of a field, where there are several."""
    rows = search.get("rows_by_level", {}).get(field, {})
    return level if len(rows) < 2 else ", ".join(f"{name}: {number:,} rows" for name, number in rows.items())


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
        if "at_random" in lost:
            paragraphs.append(
                f"An analysis of complete cases uses {share(1 - lost['records_after'])} of the records, where it used "
                f"{share(1 - lost['records_before'])} before. If each field missed as many values independently of the "
                f"others, it would lose {share(lost['at_random'])} instead of {share(lost['records_after'])}."
            )
    paragraphs.append(
        "Distance of each variable: the share of the records that would have to change until its values are as "
        "frequent as before. In a key field, a label counts in equal parts as the values that it stands for; in "
        "another column of numbers, the distance is the largest gap of the cumulative shares."
    )
    pairs = utility.get("pairs", [])
    if both := [pair for pair in pairs if pair["one"] != pair["other"]]:
        most = max(both, key=lambda pair: pair["distance"])
        paragraphs.append(
            f"Of two key fields together, {most['one']} and {most['other']} move most: {share(most['distance'])}."
        )
    distances = utility["distances"]
    means = ("mean_before", "mean_after") if any(row["mean_before"] is not None for row in distances) else ()
    rows = [(row["field"], share(row["distance"]), *(figure(row[mean]) for mean in means)) for row in distances]
    head = ("variable", "distance", *(mean.replace("_", " ") for mean in means))
    blocks = part("Usefulness of the released file", paragraphs, head, rows, numbers=range(1, len(head)))
    models = [row for rows in _by_analysis(figures) for row in rows if row.get("statistic") == "model"]
    if pairs or models:
        blocks.append(_use_picture(pairs, models))
    return [*blocks, *_analyses(figures)]


def _use_picture(pairs: Sequence[Figures], models: Sequence[Figures]) -> Picture:
    from policy_sim.show.frontier_figure import release_use_figure
    from policy_sim.show.save import png_bytes

    shows = "Of each key field (on the diagonal) and of each two: the share of the records that would have to change."
    if models:
        shows += (
            " Below: how well models of each outcome do on original rows kept aside, trained on the file and on the "
            "release (1 is always right, 0.5 chance)."
        )
    drawn = png_bytes(release_use_figure(pairs, models))
    title = "Distances of fields and pairs" + (", and models before and after" if models else "")
    return Picture(drawn, title, shows)


_DECLARE = (
    "No analysis is declared. To see here what the release changes in one, add it to the project: a table [[analyses]] "
    'with name = "stay", statistic = "mean", of = "COLUMN" and by = ["COLUMN"], or, for models of an outcome, with '
    'name = "outcome", statistic = "model", of = "COLUMN" and value = "VALUE".'
)


def _analyses(figures: Figures) -> list[Block]:
    """Show the analyses of the project before and after, or say how to declare one."""
    if not figures["analyses"]:
        return [Paragraph(as_is(_DECLARE))]
    rows = [
        (row["analysis"], row["group"], figure(row["before"]), figure(row["after"]))
        for row in figures["analyses"]
        if not row.get("reason")
    ]
    sentences = [
        *map(_analysis_sentence, _by_analysis(figures)),
        *(f"{row['analysis']}: unknown, because {row['reason']}." for row in figures["analyses"] if row.get("reason")),
    ]
    head = ("analysis", "group", "before", "after")
    return part("The analyses of the project, before and after", sentences, head, rows, (), (2, 3))


def _by_analysis(figures: Figures) -> list[list[Figures]]:
    """Return the rows with figures of each analysis."""
    measured = [row for row in figures["analyses"] if not row.get("reason")]
    return [list(rows) for _, rows in itertools.groupby(measured, key=lambda row: row["analysis"])]


def _analysis_sentence(rows: Sequence[Figures]) -> str:
    """Say of an analysis what the release changes most.

    >>> _analysis_sentence([{"analysis": "stay", "statistic": "mean", "group": "sex=F", "before": 4.0, "after": 5.0}])
    'stay: the release changes most that of sex=F, from 4 to 5.'
    """
    both = [row for row in rows if row["before"] is not None and row["after"] is not None]
    alone = len(rows) - len(both)
    lost = f" {alone:,} group{' is' if alone == 1 else 's are'} in one of the files only." if alone else ""
    if not both:
        return f"{rows[0]['analysis']}: no group is in both files."
    most = max(both, key=lambda row: abs(row["after"] - row["before"]))
    before, after = figure(most["before"]), figure(most["after"])
    if most.get("statistic") == "model":
        reach = f"models of {most['group']} reach {after} on original rows, and {before} where trained on the file"
        return f"{most['analysis']}: {reach}."
    among = f", of {len(both):,} groups," if len(both) > 1 else ""
    change = f"changes most{among} that of {most['group']}, from {before} to {after}"
    return f"{most['analysis']}: the release {change if before != after else 'changes none of its figures'}.{lost}"


def sensitive_part(figures: Figures) -> list[Block]:
    """Say what a class tells of its members even to someone who finds no single record."""
    measures = ("distinct", "entropy", "closeness")
    rows = [
        (row["field"], *(figure(row[name]) for name in measures), f"{row['told']:,} of {row['records']:,}")
        for row in figures["sensitive"]
    ]
    if not rows:
        return part("Sensitive values", ("No sensitive column is released.",))
    text = "What a class reveals about its members, even to someone who cannot single out a record."
    head = ("column", "fewest values (l)", "smallest entropy (l)", "largest distance (t)")
    return part("Sensitive values", (text,), (*head, "records in classes of one value"), rows, numbers=(1, 2, 3, 4))


def linkage_part(figures: Figures) -> list[Block]:
    """Say what an attacker gets out of the file with the census and voter lists; nothing where it was not linked."""
    linkage = figures["linkage"]
    if linkage is None:
        return []
    measures = ("total_risk", "largest_chance", "price_usd")
    rows = [
        (
            *(row["attacker"], row["state"], row["linkage_key"] or "-"),
            *(figure(row[name]) for name in measures),
            row["reason"] or row["status"],
        )
        for row in linkage["rows"]
    ]
    text = (
        "How many people in the released file could be matched by an attacker who knows everyone or has the voter list."
    )
    if linkage["left_out"]:
        text += f" Without {', '.join(linkage['left_out'])}, which no census has. Whoever knows that finds more."
    head = ("attacker", "state", "links on", "correct matches", "largest chance of a record", "price (USD)", "status")
    return part("Linked with the census and voter lists", (text,), head, rows, linkage["notes"], (3, 4, 5))


_PROJECT = "project"
_SOURCE = re.compile(rf'<pre id="{_PROJECT}">(.*?)</pre>', re.DOTALL)
_PARTS = (
    model_part,
    threshold_part,
    attacks_part,
    risks_part,
    identifiability_part,
    transformation_part,
    use_part,
    sensitive_part,
    linkage_part,
    evidence_part,
    agreement_parts,
    reproduction_part,
)


def dossier_document(figures: Figures, verdict: Verdict) -> Document:
    """Return the dossier of what a run wrote as ``release.json``, and of the verdict on its file."""
    blocks: list[Block] = [*answer_part(figures, verdict), *(block for make in _PARTS for block in make(figures))]
    blocks += part("Project file", ["The project as it was run. The command above reads it."])
    blocks.append(Verbatim(figures["project"], _PROJECT))
    followed = f"{figures['edition']['title']}; " if figures["assessment"] is not None else ""
    subtitle = f"{NOT_A_DETERMINATION} {followed}{figures['program']}"  # guidelines that nobody followed are none of it
    return Document(f"Release dossier: {figures['title']}", subtitle, tuple(blocks))


def write_dossier(figures: Figures, folder: Path, verdict: Verdict) -> None:
    """Write ``dossier.html`` and ``dossier.docx`` into a folder."""
    document = dossier_document(figures, verdict)
    pages = {"dossier.html": html_document(document), "dossier.docx": docx_document(document)}
    replace_files({folder / name: page for name, page in pages.items()})


def project_in_dossier(page: str) -> str | None:
    r"""Return the project file that a dossier carries, as it was; None where it carries none.

    Examples
    --------
    >>> project_in_dossier('<p>T</p><pre id="project">a = 1  # &lt;mine&gt;\n</pre>')
    'a = 1  # <mine>\n'
    """
    held = _SOURCE.search(page)
    return None if held is None else html.unescape(held[1])
