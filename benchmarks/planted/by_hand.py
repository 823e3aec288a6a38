"""Fifty exports as people of this job have them, each written for one trap, and what of each identifies."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterable
from random import Random

from benchmarks.planted.files import FILES, Plant, PlantedFile
from benchmarks.planted.headers import CPT, DRG, ICD, LOINC, NDC
from benchmarks.planted.kinds import ALL, STRICT, luhn
from benchmarks.planted.people import Person, draw_people

Draw = Callable[[Person, Random], object]
Columns = dict[str, Draw]
PEOPLE = 60


def pick(*values: object) -> Draw:
    """Draw one of the values, alike for everyone."""
    return lambda p, r: r.choice(values)


def real(low: float, high: float, places: int = 1) -> Draw:
    """Draw a number between the two."""
    return lambda p, r: f"{r.uniform(low, high):.{places}f}"


def whole(low: int, high: int) -> Draw:
    """Draw a whole number from ``low`` to ``high``."""
    return lambda p, r: r.randint(low, high)


def seen(style: str) -> Draw:
    """Write the date of care."""
    return lambda p, r: p.seen.strftime(style)


def born(style: str) -> Draw:
    """Write the date of birth."""
    return lambda p, r: p.born.strftime(style)


def _uid(p: Person, _: Random) -> str:
    return f"1.2.840.113619.2.55.{p.number}.{p.seen:%Y%m%d}"


ID: Draw = lambda p, r: p.number  # noqa: E731
SEX: Draw = lambda p, r: p.sex  # noqa: E731
AGE: Draw = lambda p, r: min(p.age, 89)  # noqa: E731
ZIP: Draw = lambda p, r: f"{p.place[0][:3]}{r.randrange(100):02d}"  # noqa: E731
STATE: Draw = lambda p, r: p.place[3]  # noqa: E731
NAME: Draw = lambda p, r: f"{p.last}, {p.first}"  # noqa: E731
BASE: Columns = {"sex": SEX, "age": AGE}

# name: (columns, what identifies, container). The letter of a kind, then "y" if its year may be released, "i" if it is
# in free words; "o" is an age over 89, "e" a year that tells one. Other columns harm nobody, or are known to the rule.
Made = tuple[Columns, dict[str, str], str]
EXPORTS: dict[str, Made] = {
    "ehr": (
        {
            "PatientID": ID,
            "LastName": lambda p, r: p.last,
            "FirstName": lambda p, r: p.first,
            "DOB": born("%m/%d/%Y"),
            "Sex": SEX,
            "AdmitDate": seen("%m/%d/%Y %H:%M"),
            "LOS": whole(1, 20),
            "PrimaryDx": pick(*ICD),
            "HbA1c": real(4, 12),
            "SBP": whole(90, 180),
        },
        {"PatientID": "H", "LastName": "A", "FirstName": "A", "DOB": "Cy", "AdmitDate": "Cy"},
        "csv",
    ),
    "claims": (
        {
            "CLM_ID": lambda p, r: 88000000000 + p.number,
            "BENE_ID": lambda p, r: f"-1000001{p.number}",
            "CLM_FROM_DT": seen("%Y%m%d"),
            "PRNCPAL_DGNS_CD": lambda p, r: r.choice(ICD).replace(".", ""),
            "CLM_PMT_AMT": real(20, 9000, 2),
            "AT_PHYSN_NPI": lambda p, r: 1000000000 + p.number * 7,
            "BENE_SEX_IDENT_CD": lambda p, r: 1 + (p.sex == "F"),
            "CLM_DRG_CD": pick(*DRG),
            "CLM_UTLZTN_DAY_CNT": whole(1, 9),
        },
        {"CLM_ID": "R", "BENE_ID": "I", "CLM_FROM_DT": "Cy", "AT_PHYSN_NPI": "K"},
        "csv",
    ),
    "registry": (
        {
            "patientIdNumber": lambda p, r: f"{p.number:08d}",
            "dateOfDiagnosis": seen("%Y%m%d"),
            "ageAtDiagnosis": lambda p, r: f"{min(p.age, 89):03d}",
            "sex": lambda p, r: 1 + (p.sex == "F"),
            "race1": pick("01", "02", "96"),
            "primarySite": pick("C509", "C619", "C341", "C189"),
            "histologicTypeIcdO3": pick(8500, 8140, 8070),
            "grade": pick(1, 2, 3, 9),
            "tumorSize": whole(3, 90),
        },
        {"patientIdNumber": "H", "dateOfDiagnosis": "Cy"},
        "semicolon",
    ),
    "redcap": (
        {
            "record_id": lambda p, r: p.at + 1,
            "redcap_event_name": pick("baseline_arm_1", "month_6_arm_1"),
            "demo_dob": born("%Y-%m-%d"),
            "race___1": pick(0, 1),
            "race___2": pick(0, 1),
            "race___3": pick(0, 1),
            "phq9_1": whole(0, 3),
            "phq9_2": whole(0, 3),
            "phq9_complete": pick(0, 2),
            "intake_timestamp": seen("%Y-%m-%d 10:%M:%S"),
            "weight_kg": real(45, 120),
        }
        | BASE,
        {"record_id": "R", "demo_dob": "Cy", "intake_timestamp": "Cy"},
        "csv",
    ),
    "omop person": (
        {
            "person_id": ID,
            "gender_concept_id": lambda p, r: 8507 if p.sex == "M" else 8532,
            "year_of_birth": lambda p, r: max(p.born.year, 1940),
            "month_of_birth": lambda p, r: p.born.month,
            "day_of_birth": lambda p, r: p.born.day,
            "race_concept_id": pick(8527, 8516, 8515),
            "person_source_value": lambda p, r: f"MRN{p.number}",
            "n_visits": whole(1, 12),
        },
        {"person_id": "R", "month_of_birth": "C", "day_of_birth": "C", "person_source_value": "H"},
        "parquet",
    ),
    "omop measurement": (
        {
            "measurement_concept_id": pick(3004410, 3016723, 3020460),
            "measurement_date": seen("%Y-%m-%d"),
            "value_as_number": real(1, 200),
            "unit_source_value": pick("mg/dL", "%", "mmol/L"),
            "visit_occurrence_id": ID,
            "range_high": pick(5.7, 1.2, 140),
        }
        | BASE,
        {"measurement_date": "Cy", "visit_occurrence_id": "R"},
        "parquet",
    ),
    "laboratory": (
        {
            "specimen": lambda p, r: f"{p.seen:%y}-{p.seen:%j}-{p.number % 100000:05d}",
            "loinc": pick(*LOINC),
            "result": real(1, 300),
            "units": pick("mg/dL", "U/L"),
            "flag": pick("H", "L", "N", ""),
            "tat_min": whole(12, 600),
        }
        | BASE,
        {"specimen": "R"},
        "csv",
    ),
    "billing": (
        {
            "acct": lambda p, r: f"{p.number}-{p.number % 9}",
            "guar": NAME,
            "px": pick(*CPT),
            "mod1": pick("25", "59", "", "LT"),
            "chg": real(40, 4000, 2),
            "pd": real(0, 900, 2),
            "fc": pick("MCR", "MCD", "BCBS", "SELF"),
        }
        | BASE,
        {"acct": "J", "guar": "A"},
        "csv",
    ),
    "index": (
        {"Unnamed: 0": lambda p, r: p.at, "hgb": real(7, 17), "plt": whole(80, 400)} | BASE,
        {"Unnamed: 0": "R"},
        "csv",
    ),
    "old ages": (
        {
            "sex": SEX,
            "age": lambda p, r: "90+" if p.age > 80 else p.age,
            "ecog": whole(0, 4),
            "los": pick(1, 2, 3, "N/A", ""),
            "dx": pick(*ICD),
        },
        {},
        "csv",
    ),
    "two states": ({"zip": ZIP, "st": STATE, "ldl": real(60, 190, 0), "statin": pick("Y", "N")} | BASE, {}, "xlsx"),
    "provider": (
        {"prov": lambda p, r: f"Dr {p.last}", "visit_type": pick("office", "ED", "tele"), "minutes": whole(5, 60)}
        | BASE,
        {"prov": "A"},
        "csv",
    ),
    "q7": (
        {"q7": lambda p, r: f"{p.first[0]}{p.last[0]}{p.born:%y}", "q8": whole(1, 5), "q9": whole(1, 5)} | BASE,
        {"q7": "R"},
        "csv",
    ),
    "notes": (
        {
            "followup": lambda p, r: r.choice(
                ("ok", f"Pt. {p.last} called", f"spoke w/ {p.first}", "no answer", "left msg")
            ),
            "a1c": real(5, 12),
            "stage": pick("I", "II", "III"),
        }
        | BASE,
        {"followup": "Ai"},
        "csv",
    ),
    "vaccines": (
        {
            "lot": pick("EW0182", "FA7484", "033C21A"),
            "dose": pick(1, 2, 3),
            "cvx": pick(208, 207, 212),
            "given": seen("%d-%b-%y"),
            "site": pick("LA", "RA"),
        }
        | BASE,
        {"given": "C"},
        "csv",
    ),
    "births": (
        {
            "cert_no": lambda p, r: f"2024-{p.number}",
            "mager": whole(16, 44),
            "dbwt": whole(900, 4600),
            "apgar5": whole(5, 10),
            "combgest": whole(27, 42),
            "tob": lambda p, r: f"{r.randrange(24):02d}{r.randrange(60):02d}",
            "sex": SEX,
        },
        {"cert_no": "K"},
        "csv",
    ),
    "deaths": (
        {
            "dod": seen("%Y-%m-%d"),
            "age": lambda p, r: p.age + 12,
            "sex": SEX,
            "ucod": pick("I251", "C349", "J449", "G309"),
            "manner": pick("N", "A", "S"),
            "autopsy": pick("Y", "N", "U"),
        },
        {"dod": "Cy", "age": "o"},
        "csv",
    ),
    "pharmacy": (
        {
            "rxno": ID,
            "ndc11": pick(*(n.replace("-", "") for n in NDC)),
            "qty": pick(30, 60, 90),
            "days": pick(30, 90),
            "dea": lambda p, r: f"B{p.last[0]}{p.number}",
            "refill": whole(0, 5),
            "cost": real(2, 400, 2),
        }
        | BASE,
        {"rxno": "R", "dea": "K"},
        "csv",
    ),
    "dental": (
        {
            "chart": lambda p, r: p.number % 100000,
            "tooth": whole(1, 32),
            "cdt": pick("D1110", "D2740", "D0120"),
            "fee": real(40, 1200, 2),
        }
        | BASE,
        {"chart": "H"},
        "csv",
    ),
    "implants": (
        {
            "implant": lambda p, r: f"{p.number:09d}",
            "model": pick("XR-200", "XR-300", "LT-7"),
            "implant_year": lambda p, r: p.seen.year,
            "revision": pick(0, 1),
            "approach": pick("posterior", "anterior"),
        }
        | BASE,
        {"implant": "M"},
        "csv",
    ),
    "imaging": (
        {"StudyInstanceUID": _uid, "Modality": pick("CT", "MR"), "kVp": pick(100, 120), "ctdi": real(3, 60)} | BASE,
        {"StudyInstanceUID": "R"},
        "csv",
    ),
    "genotypes": (
        {
            "barcode": lambda p, r: f"TCGA-{p.number % 90 + 10}-{p.number}",
            "rs429358": pick("TT", "CT", "CC"),
            "rs7412": pick("CC", "CT"),
            "pc1": real(-1, 1, 4),
        }
        | BASE,
        {"barcode": "R"},
        "csv",
    ),
    "wearable": (
        {
            "t": lambda p, r: int(
                dt.datetime(p.seen.year, p.seen.month, p.seen.day, 9, tzinfo=dt.UTC).timestamp() * 1000
            ),
            "hr": whole(48, 150),
            "steps": whole(0, 9000),
        }
        | BASE,
        {"t": "C"},
        "csv",
    ),
    "ambulance": (
        {
            "run": ID,
            "y": lambda p, r: f"{39 + r.random():.5f}",
            "x": lambda p, r: f"-{81 + r.random():.5f}",
            "resp_min": real(2, 25),
            "gcs": whole(3, 15),
        }
        | BASE,
        {"run": "R", "y": "B", "x": "B"},
        "csv",
    ),
    "jail": (
        {"booking": ID, "bed": lambda p, r: f"B-{p.at + 201}", "cows": whole(0, 36), "hcv": pick("pos", "neg")} | BASE,
        {"booking": "R", "bed": "R"},
        "csv",
    ),
    "staff": (
        {
            "emp": lambda p, r: p.number % 1000000,
            "hired": lambda p, r: (p.born + dt.timedelta(days=9000)).isoformat(),
            "ppd_mm": whole(0, 20),
            "n95": pick("S", "M", "L"),
        }
        | BASE,
        {"emp": "R", "hired": "Cy"},
        "csv",
    ),
    "qualtrics": (
        {
            "StartDate": seen("%m/%d/%Y 13:%M"),
            "IPAddress": lambda p, r: f"73.{p.number % 250}.{p.at}.{r.randrange(250)}",
            "Progress": pick(100, 57),
            "Duration (in seconds)": whole(60, 2000),
            "ResponseId": lambda p, r: "R_" + hashlib.md5(str(p.number).encode()).hexdigest()[:15],
            "LocationLatitude": real(39, 42, 4),
            "Q1": whole(1, 5),
            "Q2": whole(1, 7),
        }
        | BASE,
        {"StartDate": "Cy", "IPAddress": "O", "ResponseId": "R", "LocationLatitude": "B"},
        "csv",
    ),
    "household": (
        {"hh": lambda p, r: p.number // 10, "rel": pick("head", "spouse", "child"), "income_k": whole(10, 200)} | BASE,
        {"hh": "R"},
        "csv",
    ),
    "decimal comma": (
        {
            "Patientennummer": ID,
            "Geschlecht": SEX,
            "Alter": AGE,
            "Kreatinin": lambda p, r: f"{r.uniform(0.5, 3):.2f}".replace(".", ","),
        },
        {"Patientennummer": "H"},
        "semicolon",
    ),
    "digest": (
        {
            "key": lambda p, r: hashlib.sha256(f"{p.last}{p.born}".encode()).hexdigest()[:16],
            "egfr": whole(15, 120),
            "ckd": pick(1, 2, 3, 4, 5),
        }
        | BASE,
        {"key": "R"},
        "csv",
    ),
    "infants": (
        {
            "age_mo": whole(0, 23),
            "age_days": whole(0, 720),
            "sex": SEX,
            "wt_g": whole(2500, 13000),
            "fed": pick("breast", "formula"),
        },
        {},
        "csv",
    ),
    "two digits": (
        {"yob": born("%y"), "sex": SEX, "smk": pick("never", "former", "current"), "pkyrs": whole(0, 60)},
        {},
        "csv",
    ),
    "split birth": (
        {
            "b1": lambda p, r: p.born.month,
            "b2": lambda p, r: p.born.day,
            "b3": lambda p, r: max(p.born.year, 1940),
            "sex": SEX,
            "fev1": real(1, 5, 2),
        },
        {"b1": "C", "b2": "C"},
        "csv",
    ),
    "lost zero": (
        {
            "zip": lambda p, r: f"{r.choice((2139, 3601, 5901, 6510))}",
            "zip4": lambda p, r: p.number % 9000 + 1000,
            "sex": SEX,
            "asthma": pick(0, 1),
        },
        {"zip4": "B"},
        "csv",
    ),
    "split phone": (
        {
            "area": lambda p, r: p.number % 800 + 200,
            "exch": lambda p, r: p.number // 10 % 800 + 200,
            "line": lambda p, r: p.number % 10000,
            "hba1c": real(4, 12),
        }
        | BASE,
        {"area": "D", "exch": "D", "line": "D"},
        "csv",
    ),
    "split ssn": (
        {
            "s1": lambda p, r: p.number % 700 + 100,
            "s2": lambda p, r: p.number // 7 % 90 + 10,
            "s3": lambda p, r: p.number * 7919 % 9000 + 1000,
            "bmi": real(18, 45),
        }
        | BASE,
        {"s3": "G"},
        "csv",
    ),
    "comment": (
        {
            "remarks": lambda p, r: r.choice(
                (
                    "",
                    f"DOB {p.born:%m/%d/%y} verified",
                    f"call {p.number % 800 + 200}-555-0{r.randrange(100, 999)}",
                    "none",
                )
            ),
            "tsh": real(0.1, 9, 2),
        }
        | BASE,
        {"remarks": "Ci"},
        "csv",
    ),
    "facility": (
        {"zip": ZIP, "clinic": lambda p, r: f"{p.place[4]} Clinic", "a1c": real(5, 12), "foot_exam": pick("Y", "N")}
        | BASE,
        {"clinic": "B"},
        "csv",
    ),
    "scores": (
        {"S_ID": lambda p, r: f"{p.number % 10000:04d}", **{f"mmse{n}": whole(0, 5) for n in range(1, 7)}} | BASE,
        {"S_ID": "R"},
        "csv",
    ),
    "sas": (
        {
            "SUBJID": lambda p, r: f"{p.number % 900 + 100}-{p.at:03d}",
            "RFSTDTC": seen("%Y-%m-%d"),
            "AGE": AGE,
            "SEX": SEX,
            "ARMCD": pick("A", "B"),
            "AVAL": real(1, 99),
        },
        {"SUBJID": "R", "RFSTDTC": "Cy"},
        "xpt",
    ),
    "spss": (
        {"id": ID, "geslacht": lambda p, r: 1 + (p.sex == "F"), "leeftijd": AGE, "v1": whole(1, 5), "v2": whole(1, 5)},
        {"id": "R"},
        "sav",
    ),
    "stata": (
        {
            "hhidpn": ID,
            "ragender": lambda p, r: 1 + (p.sex == "F"),
            "ragey_e": AGE,
            "rabyear": lambda p, r: max(p.born.year, 1940),
            "r1cesd": whole(0, 8),
            "r1bmi": real(17, 45),
        },
        {"hhidpn": "R"},
        "dta",
    ),
    "excel dates": (
        {"visit": lambda p, r: (p.seen - dt.date(1899, 12, 30)).days, "a1c": real(5, 12), "metformin": pick("Y", "N")}
        | BASE,
        {"visit": "C"},
        "xlsx",
    ),
    "check digit": (
        {"no": lambda p, r: (s := str(p.number)[-5:].lstrip("0") or "7") + "-" + luhn(s), "crp": real(0, 90)} | BASE,
        {"no": "H"},
        "csv",
    ),
    "enlisted": (
        {"sex": SEX, "enlisted": lambda p, r: p.born.year + 18, "ptsd": pick(0, 1), "pcl5": whole(0, 80)},
        {"enlisted": "e"},
        "csv",
    ),
    "subjects as years": ({"data_id": lambda p, r: 1950 + p.at, "pain": whole(0, 10)} | BASE, {"data_id": "R"}, "csv"),
    "units": (
        {
            "wt": lambda p, r: f"{r.randrange(90, 300)} lb",
            "temp": lambda p, r: f"{r.uniform(97, 103):.1f} F",
            "bp": lambda p, r: f"{r.randrange(95, 180)}/{r.randrange(55, 110)}",
        }
        | BASE,
        {},
        "csv",
    ),
    "email": (
        {
            "contact": lambda p, r: r.choice(("", "declined", f"{p.first}.{p.last}@example.com")),
            "copd": pick("mild", "severe"),
            "spo2": whole(82, 100),
        }
        | BASE,
        {"contact": "Fi"},
        "tsv",
    ),
    "photo": (
        {"img": lambda p, r: f"DSC{p.number}.JPG", "lesion_mm": real(1, 30), "dx": pick(*ICD)} | BASE,
        {"img": "Q"},
        "csv",
    ),
    "counties": (
        {
            "cnty": lambda p, r: p.place[1],
            "st": STATE,
            "sex": SEX,
            "agegrp": pick("0-17", "18-44", "45-64", "65+"),
            "ed_visits": whole(0, 9),
            "opioid": pick(0, 1),
        },
        {"cnty": "B"},
        "csv",
    ),
}


# Columns that a rule covers, or whose answer is open.
KNOWN = """sex age zip st Sex SEX AGE race1 yob year_of_birth b3 rabyear gender_concept_id race_concept_id
BENE_SEX_IDENT_CD ageAtDiagnosis race___1 race___2 race___3 Geschlecht Alter geslacht leeftijd ragender ragey_e age_mo
age_days mager agegrp tob implant_year s1 s2""".split()


def exports() -> Iterable[tuple[str, PlantedFile]]:
    """Make the fifty files, the same at each call."""
    middle = ("two digits", "old ages")  # without people over 89, so that every year may be shown
    for at, (name, (columns, identify, container)) in enumerate(EXPORTS.items()):
        rng = Random(f"by hand {name}")
        people = draw_people(rng, PEOPLE, oldest=88 if name in middle else 96)
        cells = {column: [str(draw(person, rng)) for person in people] for column, draw in columns.items()}
        plants = [_plant(column, letter, cells[column], people) for column, letter in identify.items()]
        known = {*identify, *KNOWN}
        harmless = {column: "laboratory" for column in columns if column not in known}
        yield name, PlantedFile(FILES + at, "plain", container, cells, plants, harmless)


def _plant(column: str, letter: str, cells: list[str], people: list[Person]) -> Plant:
    """Say what of the column must not be sent."""
    forbidden = STRICT if letter[0] in "BCRoe" else ALL
    secrets = {cell for cell in cells if cell.strip()}
    if letter.endswith("i"):  # free words next to the identifiers
        secrets = {cell for cell in cells if cells.count(cell) < 3}
    if letter == "o":
        secrets = {cell for cell in cells if int(cell) > 89}
    if letter == "e":
        secrets = {cell for cell, person in zip(cells, people, strict=True) if person.age > 90}
    return Plant(
        column,
        "C" if letter in "oe" else letter[0],
        "by hand",
        "by hand",
        "whole",
        frozenset(secrets),
        forbidden,
        letter.endswith("y"),
    )
