"""Columns that identify nobody, by the group that a person would answer for at once."""

from __future__ import annotations

from random import Random

from benchmarks.planted.headers import CPT, DRG, ICD, LOINC, NDC, Values

GROUPS: dict[str, dict[str, Values]] = {
    "laboratory": {
        "HbA1c": lambda r: f"{r.gauss(6.5, 1.2):.1f}",
        "creatinine_mg_dl": lambda r: f"{abs(r.gauss(1.1, 0.4)) + 0.3:.2f}",
        "hgb": lambda r: f"{r.gauss(13, 2):.1f}",
        "plt_k": lambda r: str(r.randrange(90, 420)),
        "sbp_mmhg": lambda r: str(int(r.gauss(128, 15))),
        "bmi": lambda r: f"{abs(r.gauss(28, 5)) + 14:.1f}",
        "weight_kg": lambda r: f"{r.gauss(80, 15):.1f}",
    },
    "scale": {
        "phq9_total": lambda r: str(r.randrange(28)),
        "gad7_sum": lambda r: str(r.randrange(22)),
        "pain_0_10": lambda r: str(r.randrange(11)),
        "nyha_class": lambda r: str(r.randrange(1, 5)),
        "eq5d_mobility": lambda r: str(r.randrange(1, 6)),
        "satisfaction": lambda r: r.choice(("strongly agree", "agree", "neutral", "disagree")),
    },
    "flag": {
        "current_smoker": lambda r: r.choice("01"),
        "icu_stay": lambda r: r.choice(("Y", "N")),
        "readmit30": lambda r: r.choice(("yes", "no")),
        "statin": lambda r: r.choice(("TRUE", "FALSE")),
    },
    "amount": {
        "total_charges": lambda r: f"{r.lognormvariate(9, 1):.2f}",
        "copay_usd": lambda r: r.choice(("0", "15", "25", "40")),
        "rx_cost": lambda r: f"{r.uniform(4, 800):.2f}",
    },
    "count": {
        "los_days": lambda r: str(r.randrange(1, 22)),
        "n_meds": lambda r: str(r.randrange(15)),
        "prior_admits": lambda r: str(r.randrange(6)),
        "survival_weeks": lambda r: str(r.randrange(1, 200)),
    },
    "code": {
        "billed_cpt": lambda r: r.choice(CPT),
        "lab_loinc": lambda r: r.choice(LOINC),
        "ms_drg_v41": lambda r: r.choice(DRG),
        "icd10_primary": lambda r: r.choice(ICD),
        "drug_ndc": lambda r: r.choice(NDC),
    },
    "word": {
        "payer_class": lambda r: r.choice(("Medicare", "Medicaid", "commercial", "self-pay")),
        "discharge_to": lambda r: r.choice(("home", "SNF", "rehab", "hospice")),
        "study_arm": lambda r: r.choice(("A", "B", "placebo")),
        "drug_name": lambda r: r.choice(("metformin", "lisinopril", "atorvastatin", "albuterol")),
        "lab_unit": lambda r: r.choice(("mg/dL", "mmol/L", "g/L")),
    },
}
NUMBERS, WORDS = "measurements, scores, dollars and counts", "answers, classes and codes that many patients share"
REASONS = {group: WORDS if group in ("flag", "code", "word") else NUMBERS for group in GROUPS}


def harmless_columns(rng: Random, rows: int, per_file: int) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Draw columns from every group in turn; return the columns, and the group of each."""
    groups = list(GROUPS)
    rng.shuffle(groups)
    columns: dict[str, list[str]] = {}
    group_of: dict[str, str] = {}
    for at in range(per_file):
        group = groups[at % len(groups)]
        free = [name for name in GROUPS[group] if name not in columns]
        if not free:
            continue
        name = rng.choice(free)
        draw, blank = GROUPS[group][name], rng.choice((0.0, 0.0, 0.06))
        columns[name] = ["" if rng.random() < blank else draw(rng) for _ in range(rows)]
        group_of[name] = group
    return columns, group_of
