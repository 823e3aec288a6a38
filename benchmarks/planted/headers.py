"""Headers that a program may trust, by family, with values that really belong under them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.planted.people import PLACES

Values = Callable[[Random], str]
ICD = "E11.9 I10 J44.9 N18.3 F32.9 M54.50 K21.9 J18.9 I50.9 Z79.4 E78.5 R07.9".split()
LOINC = "4548-4 2345-7 2951-2 2823-3 718-7 6690-2 777-3 2160-0 3094-0 13457-7 2085-9 2571-8".split()
CPT = "99213 99214 93000 80053 85025 36415 71046 99285 99203 45378".split()
DRG = "470 871 291 194 392 683 765 795 885 65".split()
NDC = "00093-7214-01 00378-1805-10 68180-0513-01 00781-1506-10".split()


@dataclass(frozen=True)
class Family:
    """Headers of one family; ``real`` draws a value that belongs there, None where the headers promise nothing."""

    headers: tuple[str, ...]
    real: Values | None


def _one(*values: str) -> Values:
    return lambda rng: rng.choice(values)


FAMILIES: dict[str, Family] = {
    "loinc": Family(("loinc", "loinc_code", "LOINC_NUM", "obs_loinc", "Test LOINC"), _one(*LOINC)),
    "cpt": Family(("cpt", "px", "cpt_code", "hcpcs", "px1", "proc_cd", "procedure", "CPT4", "surg px"), _one(*CPT)),
    "drg": Family(("drg", "ms_drg", "DRG_CD", "msdrg", "drg grp"), _one(*DRG)),
    "dx": Family(("dx", "dx1", "icd10", "diagnosis", "prim_dx", "ICD_10_CM", "cause", "adm dx"), _one(*ICD)),
    "drug": Family(("ndc", "ndc_code", "drug_code", "rxcui", "snomed"), _one(*NDC)),
    "sex": Family(("sex", "gender", "sexo", "Geschlecht", "sex_cd"), _one("M", "F")),
    "race": Family(("race", "ethnicity", "raza", "race_cd", "Race/Ethnicity"), _one("White", "Black", "Asian")),
    "age": Family(("age", "age_yrs", "edad", "Alter", "age_code", "agecat"), lambda rng: str(rng.randrange(20, 80))),
    "year": Family(("year", "yr", "exam_year", "anno", "index_year", "fy"), lambda rng: str(rng.randrange(2018, 2025))),
    "week": Family(("week", "epi_week", "day", "mmwr_wk", "month", "study_day"), None),
    "place": Family(("zip3", "zip", "state", "county", "st_cd", "region"), lambda rng: rng.choice(PLACES)[0]),
    "lab": Family(("hba1c", "glucose", "creat", "wbc", "ldl", "egfr", "Na"), lambda rng: f"{rng.uniform(3, 12):.1f}"),
    "scale": Family(("phq9", "gad7", "pain", "nyha", "apgar", "likert_q3"), lambda rng: str(rng.randrange(6))),
    "money": Family(("charge", "amt", "paid", "copay", "tot_cost"), lambda rng: f"{rng.uniform(9, 900):.2f}"),
    "stay": Family(("los", "visits", "n_admits", "parity", "days_supply"), lambda rng: str(rng.randrange(1, 15))),
    "flag": Family(("smoker", "dm", "htn", "died", "flag1"), _one("0", "1")),
    "words": Family(("status", "dispo", "payer", "comment", "remark"), _one("home", "SNF", "expired", "transfer")),
    "cryptic": Family(("x1", "v17", "q12", "fld_9", "c", "k2", "code", "value", "ref", "_1"), _one("1", "2", "3", "9")),
    "foreign": Family(("nombre", "téléphone", "Kennnummer", "番号", "código", "Имя", "numéro", "رقم", "氏名"), None),
    "joined": Family(
        ("loinc_mrn", "px_id", "px_chart", "drg_pt_no", "dx_acct", "year_id", "week_id", "data_id", "zip_chk", "sex_id",
         "race_no", "hba1c_sample", "state_id", "sbp_dev", "phq9_link", "day_room", "cpt_patient", "drg_day", "px_zip"),
        None,
    ),
    "omop": Family(
        ("person_source_value", "observation_concept_id", "value_source_value", "visit_detail_id"), _one("8507", "8532")
    ),
}  # fmt: skip
