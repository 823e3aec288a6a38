"""The parts of a dossier that people decided: model, columns, threshold, attacks, answers, agreements."""

from __future__ import annotations

from policy_sim.io.agreements import Agreement, load_agreements
from policy_sim.render.document.blocks import Block, Heading, Verbatim
from policy_sim.render.dossier.part import Figures, figure, part, share

__all__ = [
    "agreement_parts",
    "aim_in_words",
    "answer_part",
    "attacks_part",
    "evidence_part",
    "model_part",
    "reproduction_part",
    "threshold_part",
]


_STANDINGS = {
    "rule": "Released because the rule covers it, and every value was treated",
    "target": "Released as a key field, so coarse that the target is met",
    "person": "Released because a person said so",
    "left out": "Left out",
}


def answer_part(figures: Figures) -> list[Block]:
    """Say first what leaves and why, then whether the aim is met, and by how much."""
    assessment, search = figures["assessment"], figures["search"]
    blocks = part("What leaves, and why")
    for standing, title in _STANDINGS.items():
        rows = tuple(_column_row(column) for column in figures["variables"] if column.get("standing") == standing)
        if rows:
            (_, table) = part(title, (), ("column", "in the release", "reason", "values look like"), rows)
            blocks += [Heading(title, level=2), table]
    lines = [
        f"Aim: {figures['aim']}. The program read the written file, looked at every value again, and measured it "
        f"again. {aim_in_words(figures)}"
    ]
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
            f"({share(search['suppressed'] / search['drawn'])}; the limit is {share(search['limit'])} of the "
            "records)."
        )
    return [*blocks, *part("The answer", tuple(lines), items=tuple(figures["notes"]))]


def _column_row(column: Figures) -> tuple[str, ...]:
    by = f" ({column['by']})" if column["by"] and column["standing"] == "person" else ""
    return (column["name"], column["done"], column["reason"] + by, column.get("looks", ""))


def aim_in_words(figures: Figures) -> str:
    """Say of which columns the aim is met: of every released column, or of none."""
    columns = [column for column in figures["variables"] if column.get("standing") != "left out"]
    decided = sum(column.get("standing") == "person" for column in columns)
    by = "" if not decided else f", {decided} of them because a person said so"
    return f"The aim is met by every released column ({len(columns)}{by})."


def model_part(figures: Figures) -> list[Block]:
    """Say which guidelines were followed, and who answers for the release."""
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
    paragraphs = (f"Guidelines: {edition['title']}. {edition['citation']}. Text used: {edition['read']}.",)
    return part("Release model and responsibility", paragraphs, ("question", "answer", "by", "on"), rows)


def threshold_part(figures: Figures) -> list[Block]:
    """Say what risk is acceptable, and why."""
    assessment = figures["assessment"]
    if assessment is None:
        return part("Threshold", ("Not set: questions of steps 1 to 5 are open.",))
    return part(
        "Threshold and why",
        (
            f"Invasion of privacy: {assessment['invasion']}. Largest acceptable overall risk: "
            f"{assessment['threshold']}, a class of {assessment['class']}. The program compares largest risks as "
            f"class sizes, because the sources round 1/11 to 0.09 and 1/3 to 0.33.",
            f"Measure of the risk in the data for a {assessment['model']} release: {assessment['measure']}, over "
            f"{'the records of the file' if assessment['sizes'] == 'file' else 'the people of the population'}.",
            f"Given the context below, the data need: {assessment['needs']}.",
        ),
    )


def attacks_part(figures: Figures) -> list[Block]:
    """Say how probable each attack is in the context of the release."""
    assessment = figures["assessment"]
    if assessment is None:
        return part("Attacks", ("Not assessed.",))
    rows = tuple(
        (attack["name"], attack["title"], figure(attack["probability"]), attack["why"], attack["citation"])
        for attack in assessment["attacks"]
    )
    return part(
        "Attacks and the risk in the context",
        (f"The largest probability counts: {figure(assessment['context'])}.",),
        ("attack", "what happens", "probability", "why", "source"),
        rows,
    )


def evidence_part(figures: Figures) -> list[Block]:
    """Say what each answer rests on."""
    rows = tuple(
        (answer["question"], answer["answer"], answer["evidence"] or "none given", answer["by"], answer["citation"])
        for answer in figures["answers"]
    )
    return part("Answers and evidence", (), ("question", "answer", "evidence", "by", "asked by"), rows)


def _agreements(figures: Figures) -> list[Agreement]:
    every = load_agreements()
    model = (figures["assessment"] or {}).get("model", "")
    if "limited" in figures["aim"]:
        return [every["data_use_agreement"]]
    names = {"public": [], "semi-public": ["terms_of_use"]}.get(model, ["clauses", "data_use_agreement"])
    return [every[name] for name in [*names, "expert_determination"]]


def agreement_parts(figures: Figures) -> list[Block]:
    """Return the clauses and checklists that such a release needs."""
    return [
        block
        for agreement in _agreements(figures)
        for block in part(agreement.title, [f"Source: {agreement.citation}."], items=agreement.items)
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
        f"Put this dossier beside the input file {figures['input']['name']}. With {figures['program']}, "
        "run: policy-sim release run dossier.html, and name that file and a new folder.",
        f"The command writes a file with the sha256 below. {says}",
        f"Date of re-assessment: {again}. On that date, run policy-sim release recheck.",
        "The sha256 of the input, of the output, and of what else the release was made from:",
    )
    checksums = Verbatim("\n".join(f"{digest}  {name}" for digest, name in sums))
    return [*part("How to reproduce and recheck this release", sentences), checksums]
