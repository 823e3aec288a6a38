"""Columns that identify nobody: what a hospital's file holds besides, kind by kind, and the demographics."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.strangers.identifiers import Maker
from benchmarks.strangers.people import ANCHOR, PLACES, RACES, Person

ICD = "E11.9 I10 J45.909 F32.1 N18.3 K21.9 M54.50 Z00.00 R07.9 S72.001A O80 J18.9 C50.911 E78.5 I25.10 Z79.4".split()
CPT = "99213 99214 99285 70450 71046 80053 85025 93000 36415 45378 27447 59400 90471 97110 J1100 G0008".split()
DRG = "470 871 291 690 392 194 765 775 885 247 603 683 189 378 312 101".split()
LOINC = "2345-7 4548-4 718-7 2160-0 2951-2 6690-2 777-3 13457-7 2093-3 1742-6 3016-3 33914-3".split()
NDC = "00071-0155-23 00093-7146-01 50580-0449-05 16729-0043-10 68180-0513-01 00378-1803-10 65862-0008-01".split()
LIKERT = "Strongly disagree|Disagree|Neutral|Agree|Strongly agree".split("|")
DRUGS = "metformin|lisinopril|atorvastatin|albuterol|omeprazole|amlodipine|sertraline|insulin glargine".split("|")


@dataclass(frozen=True)
class Plain:
    """A kind of column that identifies nobody, with its headers."""

    kind: str
    headers: tuple[str, ...]
    draw: Callable[[random.Random], str]


def _one(values: list[str]) -> Callable[[random.Random], str]:
    return lambda r: r.choice(values)


def _headers(text: str) -> tuple[str, ...]:
    return tuple(h.strip() for h in text.split(";"))


def _whole(low: int, high: int) -> Callable[[random.Random], str]:
    return lambda r: str(r.randint(low, high))


def _real(mean: float, sd: float, places: int = 1) -> Callable[[random.Random], str]:
    return lambda r: f"{max(0.1, r.gauss(mean, sd)):.{places}f}"


PLAIN = (
    Plain("ICD-10-CM", _headers("dx1; diag; diagnosis_code; icd; Diagnose; diagnóstico; prin_dx; x4"), _one(ICD)),
    Plain("ICD-10-CM without dots", _headers("dx; DX_CD; icd10; principal"), lambda r: r.choice(ICD).replace(".", "")),
    Plain("CPT and HCPCS", _headers("cpt; proc; procedure_code; hcpcs; acte"), _one(CPT)),
    Plain("DRG", _headers("drg; ms_drg; DRG_CD; grouper"), _one(DRG)),
    Plain("LOINC", _headers("loinc; test_code; obs_cd; analyte"), _one(LOINC)),
    Plain("NDC", _headers("ndc; drug_code; med_cd; product"), _one(NDC)),
    Plain("laboratory value", _headers("hba1c; Glucose, mg/dL; creat; wbc; Kreatinin; hemoglobina"), _real(7.2, 2.1)),
    Plain("laboratory value, whole", _headers("glucose; ldl; plt; sodium; sbp; leucocitos"), _whole(62, 290)),
    Plain("Likert words", _headers("q_satisfied; item4; agree_care; zufrieden"), _one(LIKERT)),
    Plain("Likert 1 to 5", _headers("likert3; sat; phq_2; q11"), _whole(1, 5)),
    Plain(
        "state of the facility", _headers("facility_state; hosp_st; state; st_abbr"), lambda r: r.choice(PLACES).state
    ),
    Plain("looks like ZIP codes", _headers("birth_wt_mg; steps; reads; ferritin_x; charges_usd"), _whole(10050, 98900)),
    Plain("looks like years", _headers("kcal; weight_g; fev1_ml; ml_24h; urine"), _whole(1905, 2024)),
    Plain("looks like ages", _headers("hr; bp_dia; los_h; spo2; bpm"), _whole(40, 99)),
    Plain("count", _headers("n_visits; num_ed; prior_adm; parity; count_rx"), _whole(0, 9)),
    Plain("length of stay", _headers("los; days; stay; Liegedauer; LOS_DAYS"), _whole(1, 21)),
    Plain("yes or no", _headers("smoker; readmit30; diabetic; alive; fumador"), _one(["Y", "N"])),
    Plain("0 or 1", _headers("died_in_hosp; icu; flag_a; vent; positiv"), _one(["0", "1"])),
    Plain(
        "survey answer",
        _headers("smoke_status; alc; q9_freq; activity; pain"),
        _one("never|former|current|unknown".split("|")),
    ),
    Plain("score", _headers("apgar; gcs; phq9; charlson; braden"), _whole(0, 15)),
    Plain("amount", _headers("charge; total_paid; cost; copay; Kosten"), _real(8200, 3100, 2)),
    Plain("body", _headers("bmi; weight_kg; temp_c; talla; height_cm"), _real(61, 14)),
    Plain("drug", _headers("drug; med_name; rx; Medikament; agent"), _one(DRUGS)),
    Plain(
        "payer class",
        _headers("payer; ins_type; coverage; payor_class"),
        _one("Medicare|Medicaid|Commercial|Self-pay".split("|")),
    ),
    Plain("disposition", _headers("disp; discharge_to; destino; dispo"), _one("Home|SNF|Rehab|Hospice|AMA".split("|"))),
    Plain("year", _headers("year; fiscal_year; adm_year; Jahr; año"), _whole(2016, 2025)),
    Plain("unit of measure", _headers("unit; uom; einheit; units"), _one("mg/dL|mmol/L|g/dL|IU/L".split("|"))),
    Plain("percent", _headers("o2_pct; ef; hct; sat_pct"), lambda r: f"{r.randint(20, 99)}%"),
)


@dataclass(frozen=True)
class Demographic:
    """Something every release should keep: of which aspect, under which headers, written how, by which rule."""

    aspect: str
    form: str
    headers: tuple[str, ...]
    write: Maker
    rule: str = ""


def _race(p: Person, _: object) -> str:
    return p.race


def _race_code(p: Person, _: object) -> str:
    return "WBANPO"[RACES.index(p.race)]


_SEX = _headers("sex; Sex; SEX; gender; patient_sex; Gender")
_BORN = _headers("dob; birth_date; date_of_birth; DOB; birthdate; Date of Birth")
_AGE = _headers("age; Age; AGE; age_years; age_at_admission; Patient Age")
DEMOGRAPHICS: dict[str, tuple[Demographic, ...]] = {
    "sex": (
        Demographic("sex", "M or F", _SEX, lambda p, r: p.sex),
        Demographic("sex", "words", _SEX, lambda p, r: {"M": "Male", "F": "Female"}[p.sex]),
        Demographic("sex", "words, small", _SEX, lambda p, r: {"M": "male", "F": "female"}[p.sex]),
        Demographic("sex", "1 or 2", _SEX, lambda p, r: {"M": "1", "F": "2"}[p.sex]),
        Demographic("sex", "M or F, Spanish header", ("sexo",), lambda p, r: p.sex),
    ),
    "age": (
        Demographic("age", "years", _AGE, lambda p, r: str(p.age(ANCHOR)), "age"),
        Demographic("age", "birth date, ISO", _BORN, lambda p, r: p.born.isoformat(), "birth"),
        Demographic("age", "birth date, US", _BORN, lambda p, r: f"{p.born:%m/%d/%Y}", "birth"),
        Demographic("age", "years up to 89", _AGE, lambda p, r: str(min(p.age(ANCHOR), 89)), "age"),
        Demographic(
            "age",
            "year of birth",
            ("birth_year", "year_of_birth", "Birth Year"),
            lambda p, r: str(p.born.year),
            "birth",
        ),
    ),
    "race": (
        Demographic("race", "words", _headers("race; Race; RACE; patient_race"), _race),
        Demographic("race", "words, capitals", _headers("race; Race; RACE; patient_race"), lambda p, r: p.race.upper()),
        Demographic("race", "W, B, A, N, P, O", _headers("race; RACE; race_cd"), _race_code),
    ),
    "state": (
        Demographic(
            "state",
            "letters",
            _headers("state; State; STATE; patient_state; state_of_residence"),
            lambda p, r: p.place.state,
        ),
        Demographic("state", "names", _headers("state; State; patient_state"), lambda p, r: p.place.state_name),
    ),
    "zip": (
        Demographic(
            "zip", "five digits", _headers("zip; zip_code; ZIP; Zip Code; patient_zip"), lambda p, r: p.zip_code, "zip"
        ),
        Demographic(
            "zip", "ZIP+4", _headers("zip; zip_code; ZIP"), lambda p, r: f"{p.zip_code}-{r.randint(1, 9999):04d}", "zip"
        ),
    ),
}
