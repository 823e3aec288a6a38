"""One untidy file of a hospital, 48 columns: what stands in each, and what Safe Harbor leaves of it.

``EXPECTED`` is written by the meaning of a column: what identifies never leaves; a date leaves as its year; what the
policy covers and the values prove leaves as recorded; what nobody can tell from the values is asked, and comes back by
one answer.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta

import pandas as pd

from benchmarks.strangers.digits import digits, luhn, ssn
from benchmarks.strangers.ordinary import CPT, DRG, ICD, LOINC
from benchmarks.strangers.people import ANCHOR, RACES, Person, person

OUT, YEAR, BIRTH, ZIP3, AGE, RECORDED, ASKED, EITHER = (
    "out",
    "year",
    "birth",
    "zip3",
    "age",
    "recorded",
    "asked",
    "either",
)

# Column: (letter of 45 CFR 164.514(b)(2)(i), or none; what Safe Harbor leaves of it without an answer)
EXPECTED: dict[str, tuple[str, str]] = {
    "who": ("A", OUT),  # "Lopez, Maria"
    "ini": ("A", OUT),
    "works_for": ("A", OUT),  # employers of the individual
    "remarks": ("A", OUT),  # free text, with a name in it
    "res_area": ("B", OUT),  # the county by name
    "north": ("B", OUT),
    "west": ("B", OUT),
    "trct": ("B", OUT),
    "lives": ("B", OUT),  # the street
    "postal": ("B", EITHER),  # five digits under another word than ZIP: three digits, or left out
    "zip": ("B", ZIP3),
    "arrived": ("C", EITHER),  # three notations of a day in one column: the year, or left out
    "left_on": ("C", YEAR),  # ISO
    "d8": ("C", EITHER),  # YYYYMMDD: the year, or left out
    "stamp": ("C", EITHER),  # Unix seconds: the year, or left out
    "wkno": ("C", EITHER),  # 2025-W10: the year, or left out
    "mth": ("C", OUT),  # March
    "wday": ("C", OUT),
    "birth_dt": ("C", BIRTH),
    "yr0": ("C", EITHER),  # the year of birth under a name that does not say so; never one before 1936
    "age": ("C", AGE),
    "age_mos": ("C", EITHER),
    "reach": ("D", OUT),  # a telephone number or an e-mail address
    "n9": ("G", OUT),
    "chart_no": ("H", OUT),
    "card_id": ("I", OUT),  # MBI
    "guar": ("J", OUT),
    "ref_prov": ("K", OUT),  # NPI
    "tag_no": ("L", OUT),
    "dev_mac": ("M", OUT),
    "portal_page": ("N", OUT),
    "last_login_from": ("O", OUT),
    "face_file": ("Q", OUT),
    "study_key": ("R", OUT),  # initials and the date of birth
    "gender": ("", RECORDED),
    "race": ("", RECORDED),
    "hispanic": ("", EITHER),
    "state": ("", RECORDED),
    "prim_dx": ("", RECORDED),  # ICD-10-CM, by its values
    "cpt_code": ("", RECORDED),
    "ms_drg": ("", RECORDED),
    "loinc": ("", RECORDED),
    "adm_year": ("", RECORDED),
    "a1c": ("", ASKED),
    "nights": ("", ASKED),
    "billed": ("", ASKED),
    "ins_class": ("", ASKED),
    "q_pain": ("", ASKED),
}


def hospital(rows: int = 400, patients: int = 240, seed: int = 7) -> pd.DataFrame:
    """Visits of invented patients as texts, some without a value; every twelfth patient is over 90."""
    rng = random.Random(seed)
    known = [person(rng, 700_000 + 13 * at, 1.0 if at % 12 == 0 else 0.02) for at in range(patients)]
    records = []
    for at in range(rows):
        who = known[at % patients]
        day = date(2024, 2, 1) + timedelta(days=rng.randint(0, 600))
        records.append(_record(replace(who, admitted=day), random.Random(who.serial), rng))
    frame = pd.DataFrame(records)
    frame.loc[frame.index % 9 == 4, ["reach", "lives", "guar"]] = ""
    frame.loc[frame.index % 5 != 0, ["face_file", "dev_mac"]] = ""
    return frame[list(EXPECTED)]


def _record(p: Person, own: random.Random, rng: random.Random) -> dict[str, str]:
    """One visit: ``own`` draws what belongs to the person, ``rng`` what belongs to the visit."""
    mail = f"{p.first}.{p.last}@mail.test".lower()
    phone = f"{own.choice((614, 517, 207))}-{own.randint(220, 989)}-{digits(own, '####')}"
    months = p.age(ANCHOR) * 12 + own.randint(0, 11)
    return {
        "who": f"{p.last}, {p.first}",
        "ini": f"{p.first[0]}{p.middle}{p.last[0]}",
        "works_for": f"{p.last} {own.choice(('Trucking', 'Bakery', '& Daughters'))}",
        "remarks": f"{rng.choice(('Spoke with', 'Son of'))} {p.first} {p.last}; {rng.choice(ICD)} stable, ph. {phone}",
        "res_area": p.place.county,
        "north": f"{p.place.latitude + own.uniform(-0.05, 0.05):.5f}",
        "west": f"{p.place.longitude + own.uniform(-0.05, 0.05):.5f}",
        "trct": p.place.fips + digits(own, "######"),
        "lives": p.street,
        "postal": p.zip_code,
        "zip": p.zip_code,
        "arrived": p.admitted.strftime(rng.choice(("%m/%d/%Y", "%Y-%m-%d", "%d-%b-%y"))),
        "left_on": (p.admitted + timedelta(days=rng.randint(1, 9))).isoformat(),
        "d8": f"{p.admitted:%Y%m%d}",
        "stamp": str((p.admitted - date(1970, 1, 1)).days * 86400 + rng.randint(0, 86399)),
        "wkno": "{}-W{:02d}".format(*p.admitted.isocalendar()),
        "mth": f"{p.admitted:%B}",
        "wday": f"{p.admitted:%A}",
        "birth_dt": f"{p.born:%m/%d/%Y}",
        "yr0": str(p.born.year),
        "age": str(p.age(ANCHOR)),
        "age_mos": str(months),
        "reach": mail if own.random() < 0.5 else phone,
        "n9": ssn(own),
        "chart_no": str(p.serial),
        "card_id": digits(own, "#@?#@?#@@##"),
        "guar": digits(own, "G-######"),
        "ref_prov": luhn("80840" + "1" + digits(rng, "########"))[5:],
        "tag_no": digits(own, "@@@ ####"),
        "dev_mac": ":".join(f"{own.randint(0, 255):02x}" for _ in range(6)),
        "portal_page": f"https://portal.example.org/u/{p.serial}",
        "last_login_from": ".".join(str(rng.randint(1, 254)) for _ in range(4)),
        "face_file": f"IMG_{p.serial}.jpg",
        "study_key": f"{p.first[0]}{p.last[0]}{p.born:%m%d%y}",
        "gender": {"M": "Male", "F": "Female"}[p.sex],
        "race": p.race if p.race in RACES else "",
        "hispanic": own.choice(("Not Hispanic or Latino", "Not Hispanic or Latino", "Hispanic or Latino")),
        "state": p.place.state,
        "prim_dx": rng.choice(ICD),
        "cpt_code": rng.choice(CPT),
        "ms_drg": rng.choice(DRG),
        "loinc": rng.choice(LOINC),
        "adm_year": str(p.admitted.year),
        "a1c": f"{rng.gauss(7, 1.6):.1f}",
        "nights": str(rng.randint(1, 14)),
        "billed": f"{abs(rng.gauss(9000, 4000)):.2f}",
        "ins_class": rng.choice(("Medicare", "Medicaid", "Commercial", "Self-pay")),
        "q_pain": str(rng.randint(0, 10)),
    }
