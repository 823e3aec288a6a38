"""What a list costs: an amount, a schedule, a lower bound, nothing, not for sale, or not known.

"Free", "not sold" and "unknown" are three different answers. :meth:`Price.usd` keeps them apart:
a number only where there is one, otherwise a status and its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from policy_sim.files.evidence import NO_EVIDENCE, Evidence
from policy_sim.words.arguments import number, of_kind, short, text
from policy_sim.words.errors import InputError

_CENT = 0.01
_MOST = 10**15  # dollars, or records
_AMOUNTS = ("base_usd", "usd_per_record", "usd_per_county", "usd_per_town", "min_usd", "max_usd", "quoted_usd")
PRICE_KINDS = ("flat", "free", "schedule", "at_least", "not_sold", "unknown")

# What an Amount can be; not_sold, not_to_this_buyer and unknown carry no number.
PRICE_STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "ok": "the list costs this many dollars",
        "free": "the list costs nothing",
        "not_modeled": "an assumption, not something for sale",
        "at_least": "the price is this many dollars or more",
        "not_sold": "nobody sells a statewide list",
        "not_to_this_buyer": "the list is not sold to this kind of buyer",
        "unknown": "no source gives the price",
    }
)


@dataclass(frozen=True)
class Amount:
    """Dollars, or why there are none: ``usd`` is a number only for ok, free and at_least."""

    usd: float | None
    status: str
    reason: str = ""


@dataclass(frozen=True)
class Price:
    """What the whole state's list costs.

    Parameters
    ----------
    kind : One of :data:`PRICE_KINDS`.
    base_usd : The amount of ``flat`` and ``at_least``; the part of a ``schedule`` that does not
        depend on how much is bought.
    usd_per_record, free_records : Dollars for each record beyond the first ``free_records``.
    usd_per_county, usd_per_town : Dollars for each county or town bought.
    min_usd, max_usd : Least and largest total of a schedule.
    quoted_usd : What a source says the schedule came to; used where the records are not known.
    usd_by_buyer : Another amount for some buyer classes.
    date : When the price was seen (``2020-10-30``, ``2020``, ``undated``).

    Examples
    --------
    >>> Price("flat", base_usd=25).usd().usd
    25.0
    """

    kind: str
    base_usd: float = 0.0
    usd_per_record: float = 0.0
    free_records: int = 0
    usd_per_county: float = 0.0
    usd_per_town: float = 0.0
    min_usd: float = 0.0
    max_usd: float | None = None
    quoted_usd: float | None = None
    usd_by_buyer: Mapping[str, float] = field(default_factory=dict)
    date: str = ""
    note: str = ""
    evidence: Evidence = NO_EVIDENCE

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in PRICE_KINDS:
            raise InputError(f"price kind {short(self.kind)} is not one of {', '.join(PRICE_KINDS)}.")
        for name in _AMOUNTS:
            amount = getattr(self, name)
            if amount is not None:
                number(f"{name} of a price", amount, 0, _MOST)
        number("free_records of a price", self.free_records, 0, _MOST)
        for buyer, amount in of_kind("usd_by_buyer", self.usd_by_buyer, Mapping, "dollars by class of buyer").items():
            number(f"price for {text('a buyer', buyer)}", amount, 0, _MOST)
        text("date of a price", self.date)
        text("note of a price", self.note)
        of_kind("evidence of a price", self.evidence, Evidence, "Evidence")

    def usd(
        self,
        records: float | None = None,
        counties: int | None = None,
        towns: int | None = None,
        buyer: str | None = None,
    ) -> Amount:
        """Return what a buyer pays for this many records in so many counties and towns.

        Where a source quotes another amount for the state than the schedule comes to, the reason says both.

        A quantity that is left out and that the schedule needs falls back on the amount a source
        quotes for the state; without one the answer is ``unknown``.

        ``records``: records bought, 0 or more; None where that is not known. ``counties``, ``towns``: counties and
        towns bought, 0 or more; None where that is not known. ``buyer``: class of buyer, such as ``scholar``; None for
        a buyer of no class. Returns US dollars, or a status and the reason why there are none.

        >>> Price("schedule", base_usd=25, usd_per_record=0.005, max_usd=12_500).usd(records=1000)
        Amount(usd=30.0, status='ok', reason='')
        >>> Price("free").usd().status, Price("unknown").usd().usd
        ('free', None)
        """
        for name, amount in (("records", records), ("counties", counties), ("towns", towns)):
            if amount is not None:
                number(name, amount, 0, _MOST)
        if buyer is not None and text("buyer", buyer) in self.usd_by_buyer:
            return _amount(self.usd_by_buyer[buyer])
        if self.kind in ("not_sold", "unknown"):
            return Amount(None, self.kind, self.note or PRICE_STATUSES[self.kind])
        if self.kind == "at_least":
            return Amount(self.base_usd, "at_least", self.note or PRICE_STATUSES["at_least"])
        if self.kind == "free":
            return _amount(0.0)
        if self.kind == "flat":
            return _amount(self.base_usd)
        return self._evaluate(records, counties, towns)

    def _evaluate(self, records: float | None, counties: int | None, towns: int | None) -> Amount:
        total = self.base_usd
        for what, rate, many in (
            ("records", self.usd_per_record, records),
            ("counties", self.usd_per_county, counties),
            ("towns", self.usd_per_town, towns),
        ):
            if not rate:
                continue
            if many is None:
                return self._quoted(what)
            chargeable = max(many - self.free_records, 0) if what == "records" else many
            total += rate * chargeable
        total = max(total, self.min_usd)
        total = total if self.max_usd is None else min(total, self.max_usd)
        return replace(_amount(total), reason=self._beside_quote(total, records))

    def _beside_quote(self, total: float, records: float | None) -> str:
        """Say what a source quotes for the state where the schedule comes to something else."""
        if self.quoted_usd is None or abs(total - self.quoted_usd) < _CENT:
            return ""
        people = f" for {records:,.0f} records" if self.usd_per_record and records is not None else ""
        return f"by the schedule{people}; a source quotes {self.quoted_usd:,.2f} USD for the state"

    def _quoted(self, missing: str) -> Amount:
        if self.quoted_usd is not None:
            return _amount(self.quoted_usd)
        return Amount(None, "unknown", f"the price depends on the number of {missing}")

    def describe(self) -> str:
        """Say in a few words what the price is, for tables of facts.

        >>> Price("schedule", base_usd=25, usd_per_record=0.005).describe()
        '25.00 USD + 0.005 USD a record'
        """
        if self.kind != "schedule":
            amounts = {"flat": f"{self.base_usd:,.2f} USD", "at_least": f"at least {self.base_usd:,.2f} USD"}
            return amounts.get(self.kind, self.kind.replace("_", " "))
        parts = [f"{self.base_usd:,.2f} USD"] if self.base_usd else []
        parts += [
            f"{rate:.9f}".rstrip("0").rstrip(".") + f" USD a {what}"
            for what, rate in (
                ("record", self.usd_per_record),
                ("county", self.usd_per_county),
                ("town", self.usd_per_town),
            )
            if rate
        ]
        text = " + ".join(parts)
        text += f" beyond {self.free_records:,} records" if self.free_records else ""
        text += f", at least {self.min_usd:,.2f} USD" if self.min_usd else ""
        return text + (f", at most {self.max_usd:,.2f} USD" if self.max_usd is not None else "")


def _amount(usd: float) -> Amount:
    return Amount(float(usd), "ok" if usd else "free")


UNKNOWN_PRICE = Price("unknown")
