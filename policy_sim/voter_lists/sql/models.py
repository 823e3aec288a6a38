"""The tables. One list is one state at one vintage, whole in ``document``; every other table is for questions in SQL.

::

    state ─< voter_list ─< list_field            source ─< citation
                        ├─ price ─< price_by_buyer    (what each source supports)
                        ├─< list_buyer >─ buyer_class
                        ├─< list_use >─ permitted_use
                        ├─< evidence ─< citation >─ source
                        ├─< quote >─ source
                        └─< preemption, conflict, note

``item`` names what evidence and citations are about: ``fields.birth``, ``price``, ``buyers``, ``uses``,
``preempted.0`` or ``conflict.0``.
"""

from __future__ import annotations

import datetime as dt

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = [
    "Base",
    "BuildRow",
    "BuyerClassRow",
    "CitationRow",
    "ConflictRow",
    "EvidenceRow",
    "FieldRow",
    "ListBuyerRow",
    "ListUseRow",
    "NoteRow",
    "PermittedUseRow",
    "PreemptionRow",
    "PriceByBuyerRow",
    "PriceRow",
    "QuoteRow",
    "SchemaVersionRow",
    "SourceRow",
    "StateRow",
    "VoterListRow",
]


class Base(DeclarativeBase):
    """Every table of the database."""


class SchemaVersionRow(Base):
    """Which version of these tables the database holds: one row."""

    __tablename__ = "schema_version"
    version_num: Mapped[str] = mapped_column(primary_key=True)


class BuildRow(Base):
    """What the database was built from: one row."""

    __tablename__ = "build"
    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str]


class StateRow(Base):
    """The states that have lists."""

    __tablename__ = "state"
    postal: Mapped[str] = mapped_column(primary_key=True)
    fips: Mapped[str]
    name: Mapped[str]


class SourceRow(Base):
    """A document. ``key`` is the short name by which the facts of a state cite it."""

    __tablename__ = "source"
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str]
    title: Mapped[str]
    url: Mapped[str]
    also: Mapped[str]  # further addresses, one a line
    date: Mapped[str]
    note: Mapped[str]


class BuyerClassRow(Base):
    """The classes of buyers that a list may be sold to."""

    __tablename__ = "buyer_class"
    name: Mapped[str] = mapped_column(primary_key=True)


class PermittedUseRow(Base):
    """The uses that a state may allow."""

    __tablename__ = "permitted_use"
    name: Mapped[str] = mapped_column(primary_key=True)


class VoterListRow(Base):
    """One state's list over the time it is taken to hold (until the next one where open)."""

    __tablename__ = "voter_list"
    __table_args__ = (
        UniqueConstraint("state", "vintage"),
        CheckConstraint("valid_until IS NULL OR valid_until > valid_from", name="validity"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(ForeignKey("state.postal"), index=True)
    vintage: Mapped[str] = mapped_column(index=True)
    scenario: Mapped[bool]
    origin: Mapped[str]  # files, or import
    status: Mapped[str]
    reason: Mapped[str]
    valid_from: Mapped[dt.date]
    valid_until: Mapped[dt.date | None]
    buyers_known: Mapped[bool]
    uses_known: Mapped[bool]
    document: Mapped[str]  # the list as JSON: what the program reads


class _OfList:
    """A table whose rows belong to a list and go with it."""

    list_id: Mapped[int] = mapped_column(ForeignKey("voter_list.id", ondelete="CASCADE"), primary_key=True)


class FieldRow(_OfList, Base):
    """Whether a buyer gets a field, and how finely."""

    __tablename__ = "list_field"
    name: Mapped[str] = mapped_column(primary_key=True)
    availability: Mapped[str]
    granularity: Mapped[str]
    wording: Mapped[str]


class PriceRow(_OfList, Base):
    """What the list costs, as a schedule where it is one."""

    __tablename__ = "price"
    kind: Mapped[str]
    base_usd: Mapped[float]
    usd_per_record: Mapped[float]
    free_records: Mapped[int]
    usd_per_county: Mapped[float]
    usd_per_town: Mapped[float]
    min_usd: Mapped[float]
    max_usd: Mapped[float | None]
    quoted_usd: Mapped[float | None]
    date: Mapped[str]
    note: Mapped[str]


class PriceByBuyerRow(_OfList, Base):
    """Another amount for a class of buyers."""

    __tablename__ = "price_by_buyer"
    buyer: Mapped[str] = mapped_column(ForeignKey("buyer_class.name"), primary_key=True)
    usd: Mapped[float]


class ListBuyerRow(_OfList, Base):
    """Who may have the list; none where ``buyers_known`` and nobody may."""

    __tablename__ = "list_buyer"
    buyer: Mapped[str] = mapped_column(ForeignKey("buyer_class.name"), primary_key=True)
    position: Mapped[int]


class ListUseRow(_OfList, Base):
    """For what the list may be used."""

    __tablename__ = "list_use"
    use: Mapped[str] = mapped_column(ForeignKey("permitted_use.name"), primary_key=True)
    position: Mapped[int]


class EvidenceRow(_OfList, Base):
    """How sure one item of a list is; ``carried_from`` is a vintage in a scenario, else empty."""

    __tablename__ = "evidence"
    item: Mapped[str] = mapped_column(primary_key=True)
    confidence: Mapped[str]
    carried_from: Mapped[str]


class CitationRow(Base):
    """A source supports an item of a list."""

    __tablename__ = "citation"
    __table_args__ = (
        ForeignKeyConstraint(["list_id", "item"], ["evidence.list_id", "evidence.item"], ondelete="CASCADE"),
    )
    list_id: Mapped[int] = mapped_column(primary_key=True)
    item: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("source.id"), index=True)


class PreemptionRow(_OfList, Base):
    """A rule of the state that a court or another law sets aside; words with spaces, NULL where no source says."""

    __tablename__ = "preemption"
    position: Mapped[int] = mapped_column(primary_key=True)
    rule: Mapped[str]
    since: Mapped[dt.date]
    set_aside_by: Mapped[str]
    written: Mapped[str | None]
    allowed: Mapped[str | None]
    note: Mapped[str]


class QuoteRow(_OfList, Base):
    """What a table of prices prints for the list."""

    __tablename__ = "quote"
    position: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("source.id"))
    usd: Mapped[float | None]
    words: Mapped[str]
    openness: Mapped[str]


class ConflictRow(_OfList, Base):
    """Where sources disagree: the value chosen, the other one, and why."""

    __tablename__ = "conflict"
    position: Mapped[int] = mapped_column(primary_key=True)
    about: Mapped[str]
    chosen: Mapped[str]
    other: Mapped[str]
    why: Mapped[str]
    resolved: Mapped[bool]


class NoteRow(_OfList, Base):
    """What a reader should know."""

    __tablename__ = "note"
    position: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]
