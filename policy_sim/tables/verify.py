"""What is in a folder to publish, checked again: by adding up the proof, and by an attack on every file in it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Container, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from policy_sim.files.writing import replaced_folder, sha256_of, writing_alone
from policy_sim.records.published import Knowledge, Place, read_published
from policy_sim.rules.files import find_rule
from policy_sim.tables.attack import Report, attack
from policy_sim.tables.attacked import Target
from policy_sim.tables.ledger import (
    CERTIFICATE,
    COMPANION,
    KEEP,
    PROOF,
    SEND,
    ZEROS,
    Certificate,
    Ledger,
    proof_of,
    read_certificate,
    read_sources,
    send_of,
    unchecked_words,
    why_folder_refused,
)
from policy_sim.tables.link import link
from policy_sim.tables.protect import NEITHER, RANGE
from policy_sim.tables.table import Key
from policy_sim.tables.verdict import LEAKS, NOT_READY, READY, Promise, Verdict, judged
from policy_sim.words.arguments import one_path
from policy_sim.words.errors import InputError, SourceError

_Strict = ConfigDict(extra="forbid", frozen=True, strict=True)


class PublishedFile(BaseModel):
    """A file to publish, with its checksum."""

    model_config = _Strict
    file: str
    sha256: str


class FoundEquation(BaseModel):
    """An equation that holds in all the numbers shown."""

    model_config = _Strict
    words: str
    confirmed: int
    coincidence: bool


class PublicCertificate(BaseModel):
    """What goes out beside the tables: nothing that a reader could not find in them."""

    model_config = _Strict
    note: str = "Made by policy-sim table protect. Everything here can be found again: policy-sim table verify FOLDER."
    verdict: str
    rule: str
    criterion: str
    reader: str
    largest: int
    shown_numbers: int
    hidden_numbers: int
    equations_with_hidden_counts: int
    tables: list[PublishedFile]
    found_equations: list[FoundEquation]
    adding: list[str] = []  # labels that may name a rate, but whose counts add up to totals
    tried: list[str]
    not_tried: list[str]


def public_certificate(
    contents: Mapping[str, bytes], report: Report, verdict: Verdict, proof: Certificate, adding: Collection[str]
) -> bytes:
    """Return the certificate that is published beside the tables ``contents``."""
    of = PublicCertificate(
        verdict=verdict.word,
        rule=proof.rule,
        criterion=proof.criterion,
        reader=proof.reader,
        largest=proof.largest,
        shown_numbers=report.visible,
        hidden_numbers=report.hidden,
        equations_with_hidden_counts=report.relations,
        tables=[PublishedFile(file=name, sha256=sha256_of(content)) for name, content in sorted(contents.items())],
        found_equations=[
            FoundEquation(words=item.words, confirmed=item.confirmed, coincidence=item.coincidence)
            for item in report.findings
            if item.words not in proof.unsure
        ],
        adding=sorted(adding),
        tried=list(report.tried),
        not_tried=[*report.open, *report.not_tried, *unchecked_words(proof.unchecked_sheets, named_too=False)],
    )
    return (of.model_dump_json(indent=1) + "\n").encode()


def verified(folder: Path, seconds: float = 600.0) -> Verdict:
    """Return the verdict on a folder of ``table protect``, a ledger, or the part of one that is published.

    Every file to publish is read and attacked; the proof is added up where it is there. What the certificate says and
    the files do not is ``NOT READY``.
    """
    folder = one_path("folder", folder).resolve()
    folder = folder.parent if folder.name in (SEND, KEEP) and (folder.parent / KEEP / PROOF).is_file() else folder
    Ledger(folder).finish()
    send = send_of(folder)
    if not (folder / KEEP / PROOF).is_file() and _is_public(send / CERTIFICATE):
        return _verified_alone(send, seconds)
    if not proof_of(folder).is_file():
        raise SourceError(
            f"{folder}: nothing was published from here: it has no {SEND}/{CERTIFICATE}. Give the folder that 'table "
            "protect' or 'table enter' wrote, or look at a single table with 'table check'."
        )
    if problem := why_folder_refused(folder):
        return Verdict(NOT_READY, f"{problem}.")
    proof = read_certificate(proof_of(folder))
    contents = _contents(folder, send, proof)
    names = [of.file for of in proof.published]
    if strays := [name for name in contents if name not in names]:
        return Verdict(NOT_READY, f"{send / strays[0]}: the proof does not know this file. Remove it, or enter it.")
    verdict, report, adding = _attacked(send, contents, proof, seconds)
    return _compared(send, public_certificate(contents, report, verdict, proof, adding), verdict)


def _is_public(path: Path) -> bool:
    """Whether a certificate is the one that is published; that of the version before had the proof."""
    try:
        return "equations_with_hidden_counts" in json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False


def _attacked(
    send: Path, contents: Mapping[str, bytes], proof: Certificate, seconds: float
) -> tuple[Verdict, Report, frozenset[str]]:
    """Attack the files of a proof, whose tables are hints that the attacker checks; return what adds up in them too."""
    sources = read_sources(send, proof.published, proof.fit)
    linked = link(sources, bool(proof.published[0].sha256))
    remarks = dict.fromkeys(word for of in proof.published for word in of.layout.coincidences)
    files = {source.name: source.file for source in sources}
    sees = proof.reader == ZEROS and find_rule(proof.rule).zeros not in ("hidden", "in_class")
    target = Target(contents, files, linked.keys, _promises(proof), sees, tuple(remarks), proof.unsure)
    keys = [cell.cell for cell in proof.hidden]
    report = target.report([dict(zip(keys, table, strict=True)) for table in proof.tables], seconds)
    verdict = target.judged(report, _safe_words(proof), whole=True)
    verdict = verdict.and_not_tried(unchecked_words(proof.unchecked_sheets))
    entered = [own for of, own in zip(proof.published, linked.keys, strict=True) if of.entered]
    counts = {key: cell.value for key, cell in linked.file.cells.items()}
    unfit = _unfit(target, report, proof, counts, set().union(*(own.values() for own in entered)))
    if unfit and verdict.word != LEAKS:
        return replace(verdict, word=NOT_READY, words=f"{unfit}."), report, target.adding
    lost = sorted(map(", ".join, proof.given_away))
    if lost and verdict.word == READY:
        words = f"{verdict.words} But tables entered give {len(lost):,} away: {'; '.join(lost[:3])}."
        verdict = replace(verdict, words=words)
    return verdict, report, target.adding


def _unfit(
    target: Target, report: Report, proof: Certificate, counts: Mapping[Key, int | None], entered: Container[Key]
) -> str:
    """Return which table of a proof is against an equation that the attacker found; empty where all fit.

    ``entered``: cells of tables whose hidden counts nobody knows, so that an equation may hold in what is shown alone.
    """
    keys = [cell.cell for cell in proof.hidden]
    tables = [dict(counts) | dict(zip(keys, table, strict=True)) for table in proof.tables]
    unsure = {key for key in keys if key in entered}
    for terms, words in report.equations:
        signs = [(sign, target.places.get(place)) for sign, place in terms]
        if any(key is None or key in unsure for _, key in signs):
            continue
        for number, table in enumerate(tables):
            if sum(sign * (table.get(key) or 0) for sign, key in signs if key is not None):
                return f"table {number} of the proof does not fit {words}"
    return ""


def _contents(folder: Path, send: Path, proof: Certificate) -> dict[str, bytes]:
    """Return every file to publish but the certificate; of a folder of the version before, the tables of the proof."""
    if send == folder and not proof.published[0].sha256:
        return {of.file: (folder / of.file).read_bytes() for of in proof.published}
    return {name: content for name, content in read_published(send).items() if name != CERTIFICATE}


def _safe_words(proof: Certificate) -> str:
    tables, files = len(proof.tables), len(proof.published)
    fit = "1 table fits" if tables == 1 else f"{tables:,} tables fit"
    names = proof.published[0].file if files == 1 else f"all {files} published tables"
    return (
        f"{fit} {names}. Of the {len(proof.hidden):,} hidden cells, none that rule {proof.rule} hides follows "
        f"(criterion {proof.criterion}, reader {proof.reader})"
    )


def _promises(proof: Certificate) -> dict[Key, Promise]:
    """Return what a reader must not learn of each count that the rule hides, as the proof says."""
    promises = dict[Key, Promise]()
    for cell in proof.hidden:
        if cell.why != COMPANION and cell.promise != NEITHER:
            promises[cell.cell] = Promise(1, 1, proof.largest) if cell.promise == RANGE else Promise()
    return promises


def _verified_alone(send: Path, seconds: float) -> Verdict:
    """Attack what is published without its proof: nobody knows here which counts the rule hides, only their size."""
    try:
        of = PublicCertificate.model_validate_json((send / CERTIFICATE).read_bytes())
    except ValidationError as error:
        raise SourceError(f"{send / CERTIFICATE}: {error.errors()[0]['msg']}. It is not as it was written.") from None
    rule = find_rule(of.rule)
    contents = {name: content for name, content in read_published(send).items() if name != CERTIFICATE}
    sees = of.reader == ZEROS and rule.zeros not in ("hidden", "in_class")
    aside = [item.words for item in of.found_equations if item.coincidence]
    report = attack(
        contents, Knowledge(coincidences=aside, least=1 if sees else 0, adding=frozenset(of.adding)), seconds=seconds
    )
    large = frozenset[Place]()
    if not rule.needs_population:
        large = frozenset(item.place for item in report.derived if item.follows and not rule.why_hidden(item.least))
    verdict = judged(report, known_places=large, safe="no count that the rule hides follows from the files", whole=True)
    tables = [PublishedFile(file=name, sha256=sha256_of(content)) for name, content in sorted(contents.items())]
    if verdict.word == LEAKS:
        return verdict
    if tables != of.tables:
        return Verdict(NOT_READY, f"{send}: the files are not those of the certificate.")
    names = {item.words for item in of.found_equations}
    numbers = {"shown_numbers": report.visible, "hidden_numbers": report.hidden, "largest": rule.largest or 0}
    numbers["equations_with_hidden_counts"] = sum(own.relations for own in report.findings if own.words in names)
    wrong = [name for name, number in numbers.items() if getattr(of, name) != number]
    places = {item.words: item.confirmed for item in report.findings}
    wrong += [item.words for item in of.found_equations if places.get(item.words) != item.confirmed]
    return Verdict(NOT_READY, f"{send / CERTIFICATE}: {wrong[0]} is not what the files say.") if wrong else verdict


def _compared(send: Path, expected: bytes, verdict: Verdict) -> Verdict:
    """Return the verdict, unless the published certificate says something else."""
    path = send / CERTIFICATE
    if send.name != SEND or verdict.word != READY:
        return verdict
    try:
        written, anew = json.loads(path.read_text(encoding="utf-8")), json.loads(expected)
    except (OSError, ValueError) as error:
        return Verdict(NOT_READY, f"{path}: cannot be read ({type(error).__name__}).")
    wrong = [name for name in anew if not isinstance(written, dict) or written.get(name) != anew[name]]
    wrong += sorted(set(written) - set(anew)) if isinstance(written, dict) else []
    if wrong:
        return Verdict(NOT_READY, f"{path}: {wrong[0]!r} is not what the files say.")
    return verdict


def convert(folder: Path, seconds: float = 600.0) -> Path:
    """Bring a ledger of the version before into ``send`` and ``keep``; return the folder to publish."""
    ledger = Ledger(one_path("folder", folder).resolve())
    if not ledger.is_old:
        raise InputError(f"{folder}: is not a ledger of the version before, so there is nothing to convert.")
    proof, old = ledger.proof(), ledger.private
    assert proof is not None
    with writing_alone(ledger.folder):
        with replaced_folder(ledger.folder) as draft:
            shutil.copytree(ledger.folder, draft / SEND, ignore=shutil.ignore_patterns(".*"))
            write_private(draft / KEEP, {PROOF: old.read_bytes()})
            contents = _contents(draft, draft / SEND, proof)
            verdict, report, adding = _attacked(draft / SEND, contents, proof, seconds)
            (draft / SEND / CERTIFICATE).write_bytes(public_certificate(contents, report, verdict, proof, adding))
        old.unlink()
    return ledger.folder / SEND


def write_private(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files that only the user can read."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, content in contents.items():
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(content)
