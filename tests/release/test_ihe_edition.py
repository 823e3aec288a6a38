"""The edition of IHE's draft: its steps, thresholds and printed example, and answers that are replaced."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from coded import coded
from small_people import run as run_command

from policy_sim.people.by_name import load_population
from policy_sim.people.race_pools import race_pools_frame
from policy_sim.records.profile import Threshold
from policy_sim.release import Release
from policy_sim.release.attack.report import Finding
from policy_sim.release.identifiability import identifiability, largest_epsilon, level_line
from policy_sim.release.project import Assessment, attacks_on, load_edition
from policy_sim.release.run import run_project
from policy_sim.release.stages import stages
from policy_sim.release.targets import measured_risk, recounted

EDITION = load_edition("ihe-2026-draft")
# Ten records of the handbook (concepts): age in ten years, sex, first three digits of the ZIP code.
AGES = ["30-39", "50-59", "30-39", "40-49", "50-59", "40-49", "50-59", "50-59", "30-39", "40-49"]
SEXES = list("MFMFMFMFMF")
ZIPS = ["100", "902", "100", "902", "902", "100", "902", "902", "100", "100"]
TEN = coded(age=AGES, sex=SEXES, zip3=ZIPS)
CUTOFF = Threshold.parse("0.33")


def test_the_seven_steps_by_name_and_number():
    assert [step.title for step in EDITION.steps] == [
        "Analyze the Context",
        "Data Assessment",
        "Determine De-identification Goals",
        "Assess Re-identification Risk",
        "Design Risk Mitigation and Controls",
        "Implementation and Validation",
        "Governance, Monitoring, and Review",
    ]
    assert [step.citation[-1] for step in EDITION.steps] == list("1234567")
    assert "draft" in EDITION.read


@pytest.mark.parametrize(("impact", "limit", "k"), [("low", "0.1", 10), ("medium", "0.075", 14), ("high", "0.05", 20)])
@pytest.mark.parametrize("model", ["public", "non-public"])
def test_the_table_of_thresholds(impact, limit, k, model):
    """Largest risk of public releases, mean of others; k is 1 over the threshold, where Ontario prints 15 for 0.075."""
    attacks = attacks_on("public")
    threshold = Assessment(model, impact, attacks, thresholds=EDITION.thresholds).threshold
    assert (threshold.text, threshold.k) == (limit, k)


def test_the_overall_risk_is_data_times_the_largest_context():
    """Printed: 0.1 times 0.5 is 0.05."""
    attacks = attacks_on("non-public", controls="low", motives="low", prevalence=0.0, breach=0.5)
    assessment = Assessment("non-public", "high", attacks, thresholds=EDITION.thresholds)
    assert assessment.context == 0.5
    assert assessment.target.threshold.risk == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("fields", "mean", "largest", "printed"),
    [
        (["age", "sex", "zip3"], 0.5, 1.0, 0.5),
        (["age", "sex"], 0.4, 0.5, 0.3),  # the handbook's 0.3 needs sex left out too
        (["age"], 0.3, 1 / 3, 0.3),
    ],
)
def test_the_ten_records_and_where_the_printed_mean_is_another(fields, mean, largest, printed):
    risk = recounted(TEN, fields).measures(CUTOFF)
    assert risk["average"] == pytest.approx(mean)
    assert risk["maximum"] == pytest.approx(largest)
    assert (risk["average"] == pytest.approx(printed)) is (fields != ["age", "sex"])


def test_the_printed_verdict_of_the_ten_records_fails_its_own_threshold():
    """Threshold 0.35 of the data, context 0.14: 0.4 and not 0.3, which is over 0.35, and 0.056 in all."""
    mean = recounted(TEN, ["age", "sex"]).measures(CUTOFF)["average"]
    assert mean > 0.35
    assert mean * 0.14 == pytest.approx(0.056)
    assert measured_risk("average", *[recounted(TEN, ["age"]).sizes] * 2) * 0.14 == pytest.approx(0.042)


def test_the_share_of_records_above_a_limit():
    """R_a: of the ten by age, sex and ZIP code seven are in classes under three, above 0.35."""
    risk = recounted(TEN, ["age", "sex", "zip3"])
    assert risk.sizes[1 / risk.sizes > 0.35].sum() / risk.records == pytest.approx(0.7)


def test_five_records_of_the_handbook():
    """25-29, F, 100xx three times and 30-34, M, 103xx twice: mean 0.4, largest 0.5."""
    five = coded(age=["25"] * 3 + ["30"] * 2, sex=["F"] * 3 + ["M"] * 2, zip3=["100"] * 3 + ["103"] * 2)
    risk = recounted(five, ["age", "sex", "zip3"]).measures(CUTOFF)
    assert (risk["average"], risk["maximum"]) == (pytest.approx(0.4), 0.5)


def test_a_raised_threshold_asks_for_its_conditions(release):
    answers = release.project.answers
    raised = EDITION.question("raised-conditions")
    assert not raised.is_asked(answers)
    assert {"audits", "training", "oversight", "transparency", "attack-response"} <= {q.id for q in EDITION.questions}


def test_answers_that_were_replaced_are_kept(release):
    release.answer("invasion", "high", by="A. Officer", on="2026-05-04", evidence="minutes 7")
    release.answer("invasion", "medium", by="B. Officer", on="2026-06-01", evidence="minutes 9")
    release.answer("invasion", "medium", by="B. Officer", on="2026-06-02", evidence="minutes 10")
    kept = release.project.answers["invasion"]
    assert kept.value == "medium"
    assert kept.earlier[-1] == "high (A. Officer, 2026-05-04): minutes 7"
    release.answer("invasion", "low", by="C. Officer", on="2026-07-01")
    assert release.project.answers["invasion"].earlier[-1] == "medium (B. Officer, 2026-06-02): minutes 10"


RECORDS = """id,age,sex,kg,zip,county
P001,35,M,84,100,36061
P002,52,F,65,902,06037
P003,38,M,91,100,36061
P004,41,F,62,902,06037
P005,51,M,95,902,06037
P006,44,F,59,100,36061
P007,55,M,78,902,06037
P008,58,F,70,902,06037
P009,33,M,88,100,36061
P010,42,F,70,100,36061
"""
# High controls and low motives are 0.05, so that the chance of a breach is the context: 0.14, as printed.
ANSWERS = {
    "release-model": "non-public", "attacker-knows": "yes", "invasion": "high", "target-level": "anonymous",
    "cutoff": "0.33", "controls": "high", "motives": "low", "prevalence": "0", "breach": "0.14",
}  # fmt: skip


@pytest.fixture
def ten(tmp_path):
    """The ten records as a project of the edition; weight is not counted, as in the handbook."""
    (tmp_path / "ten.csv").write_text(RECORDS)
    made = Release.new(tmp_path / "ten.csv", tmp_path / "ten.toml", edition="ihe-2026-draft")
    made.classify(["age", "sex", "zip"], "key", "others may know it", by="A. Officer")
    made.classify("kg", "other", "the example does not count it", by="A. Officer")
    made.classify(["id", "county"], "direct", "not in the example", by="A. Officer")
    for question, value in ANSWERS.items():
        made.answer(question, value, by="A. Officer", evidence="the handbook's example")
    return made


def formulas(figures):
    return {(x["formula"], x["case"], x["tau"]): x for x in figures["identifiability"]["formulas"]}


def test_the_ten_records_through_a_whole_release(ten, tmp_path):
    """Mean 0.3, as the handbook wants, by another way than its own: 0.3 times 0.14 is 0.042."""
    figures = ten.run(tmp_path / "out")
    found, risk = figures["identifiability"], formulas(figures)
    assert figures.verdict.is_met
    assert (found["before"]["level"], found["after"]["level"], found["reached"]) == ("Identified", "Anonymous", True)
    assert "no key field: kg" in found["after"]["why"]
    mean = risk["R_c", "A", None]
    assert (mean["before"], mean["after"], mean["overall"]) == (1.0, pytest.approx(0.3), pytest.approx(0.042))
    assert risk["R_b", "A", None]["after"] == pytest.approx(1 / 3)
    assert [risk["R_a", "A", tau]["after"] for tau in ("0.05", "0.33")] == [1.0, 0.0]
    assert not any(case == "B" for _, case, _ in risk)  # nobody counted a population
    rows = (tmp_path / "out" / "send" / "release.csv").read_text().splitlines()[1:]
    classes = Counter(tuple(row.split(",")[at] for at in (0, 1, 3)) for row in rows)
    assert sum(classes[key] / classes[key] for key in classes) / 10 == pytest.approx(0.3)
    page = (tmp_path / "out" / "keep" / "dossier.html").read_text()
    assert "Level of identifiability" in page
    assert "R_a, tau 0.33" in page
    assert "compare the checksum and the dictionary" in page
    said = run_command("release", "stages", "--out", tmp_path / "out").stdout
    levels = said.partition("2 central, by A. Officer\n")[2].splitlines()[0]
    assert [part.split(": ")[-1] for part in levels.split("; ")] == ["Identified", "Anonymous", "Anonymous"]
    assert "  - left out: id, county\n" in said


FOUND = {"before": {"level": "Identified"}, "after": {"level": "Reversible-Pseudonymized"}}
COLUMNS = [
    {"name": "mrn", "standing": "person", "done": "keyed pseudonym", "by": "A. Officer, 2026-05-04"},
    {"name": "age", "standing": "target", "done": "generalized to 5 wide", "by": "B. Officer"},
    {"name": "zip", "standing": "target", "done": "generalized to 5 wide", "by": "A. Officer"},
    {"name": "name", "standing": "left out", "done": "left out: nobody has decided", "by": ""},
]


def test_the_stages_of_a_release():
    """What is done by whom, with the levels before, after, and once the key is destroyed."""
    facts = {
        "identifiability": FOUND | {"without_key": {"level": "Anonymous"}}, "variables": COLUMNS,
        "answers": [{"question": "flow", "answer": "registry to university", "by": "A. Officer"}],
        "about": {"recipient": "the university"}, "input": {"name": "v.csv"},
        "search": {"suppressed": 3, "drawn": 1200},
    }  # fmt: skip
    source, central, recipient = (tuple(row.values()) for row in stages(facts))
    assert source == ("1 source", "hand over v.csv (registry to university)", "the source", *["Identified"] * 3)
    *treated, _, attacked = central[1].split("; ")
    assert treated == ["keyed pseudonym: mrn", "generalized to 5 wide: age, zip", "left out: name"]
    assert "3 of 1,200 rows suppressed" in central[1]
    assert "attacked" in attacked
    assert central[2:] == ("A. Officer, B. Officer", "Identified", "Reversible-Pseudonymized", "Anonymous")
    assert recipient[2:] == ("the university", "Reversible-Pseudonymized", "Reversible-Pseudonymized", "Anonymous")
    assert stages(facts | {"identifiability": None}) == []


def test_no_level_where_someone_classified_every_column_as_no_key_field(ten, tmp_path):
    """Age, sex and ZIP code on somebody's word are not a file without indirect identifiers."""
    ten.classify(["age", "sex", "zip"], "other", "identifies nobody", by="A. Officer")
    found = ten.run(tmp_path / "out")["identifiability"]
    assert (found["after"]["level"], found["reached"]) == (None, None)
    assert all(name in found["after"]["why"] for name in ("unknown", "age", "sex", "zip", "kg"))


def test_the_handbooks_own_way_does_not_reach_the_level_that_it_prints(ten, tmp_path):
    """Age in ten years and sex, no ZIP code: 0.4 and not 0.3, so 0.056 and not 0.042, over 0.05."""
    ten.classify("age", "key", "as printed", kind="age", levels=["10 wide"], widths=[10])
    ten.classify("sex", "key", "as printed", kind="sex", levels=["value"])
    ten.classify("zip", "key", "as printed", kind="zip3", levels=["nothing"])
    ten.set("target", aim="risk", measure="average", threshold="0.4")
    ten.set("settings", recoding="one-level")
    figures = ten.run(tmp_path / "out")
    found = figures["identifiability"]
    assert formulas(figures)["R_c", "A", None]["overall"] == pytest.approx(0.056)
    assert (found["after"]["level"], found["reached"]) == ("Irreversibly Pseudonymized", False)
    assert "aimed at, Anonymous, is not reached" in level_line(found)


def test_the_ten_records_among_the_people_of_their_counties(ten, tmp_path):
    """Case B with the census: F is how many residents of the county have the age and the sex."""
    ten.classify("zip", "direct", "the county is shown")
    ten.classify("county", "key", "others may know it")
    ten.answer("attacker-knows", "no", by="A. Officer")
    ten.set("population", source="census", name="us-2020", states=["NY", "CA"])
    figures = ten.run(tmp_path / "out")
    cells = load_population("us-2020").cells
    here = cells[cells["county"].isin(["36061", "06037"])]
    of = here.groupby(["county", "sex", "age"], observed=True)["people"].sum()
    own = [row.split(",") for row in RECORDS.splitlines()[1:]]
    F = [int(of[county, sex, int(age)]) for _, age, sex, _, _, county in own]
    risk = formulas(figures)
    assert risk["R_b", "B", None]["after"] == pytest.approx(1 / min(F))
    assert risk["R_c", "B", None]["after"] == pytest.approx(sum(1 / f for f in F) / 10)
    assert risk["R_a", "B", "0.05"]["after"] == 0.0
    assert risk["R_c", "A", None]["after"] == 1.0  # for an attacker who knows who is in the file
    limit = 0.05 / 0.14
    assert figures["identifiability"]["epsilon"]["largest"] == pytest.approx(
        math.log((min(F) - 1) * limit / (1 - limit))
    )


def test_epsilon_bounds_the_chance_by_randomized_response():
    """Answer with the true one of n with the odds e**epsilon to 1: the best guess is right as often as the limit."""
    people, limit = 12, 0.4
    odds = math.exp(largest_epsilon(limit, people))
    assert odds / (odds + people - 1) == pytest.approx(limit)
    assert largest_epsilon(0.05, 20) is None
    assert largest_epsilon(0.05, 21) == pytest.approx(math.log(20 / 19))
    assert largest_epsilon(1.0, 5) is None


def test_a_key_makes_it_reversible_until_it_is_destroyed(ran):
    """By the gates: a direct identifier, then a key, then the risk."""
    made, figures = ran
    assert figures["identifiability"] is None  # Ontario has no levels
    project = replace(made.project, edition=EDITION)
    run = run_project(project, made.path.parent / "again.csv")
    found = identifiability(project, run, project.assessment, people_known=True)
    assert found["before"] == {"level": "Identified", "why": "direct identifiers: mrn, name"}
    assert found["after"]["level"] == "Reversible-Pseudonymized"
    assert found["without_key"]["level"] == "Anonymous"
    broken = replace(run, report=replace(run.report, findings=(Finding(("name",), "holds names", "Leave it out"),)))
    level = identifiability(project, broken, project.assessment, people_known=True)["after"]
    assert (level["level"], "holds names" in level["why"]) == ("Identified", True)
    silent = replace(run, report=replace(run.report, broken="the file cannot be read"))
    assert identifiability(project, silent, None, people_known=True)["after"]["level"] is None


def test_a_lower_threshold_before_asks_for_the_conditions_of_the_raised_one(ten):
    assert ten.project.raised_from is None
    ten.answer("invasion", "medium", by="B. Officer", on="2026-06-01")
    assert ten.project.raised_from == "0.05"
    assert ten.project.value("raised") == "yes"
    missing = {name for state in ten.status() for name in state.missing}
    assert "raised-conditions" in missing
    ten.answer("raised-conditions", "an enclave until 2027", by="B. Officer", on="2026-06-01")
    assert "raised-conditions" not in {name for state in ten.status() for name in state.missing}
    ten.answer("raised", "no", by="B. Officer", evidence="the first answer was a slip")
    assert not EDITION.question("raised-conditions").is_asked(ten.project.answers)
    ten.answer("invasion", "high", by="B. Officer")
    assert ten.project.raised_from is None


def test_races_of_few_people_in_a_county_become_other():
    rows = race_pools_frame(["OH"], "us-2010")
    merged = rows[rows["shown_as"] == "Other"]
    assert (len(rows), len(merged), int(merged["people"].sum())) == (438, 89, 1601)
    cells = load_population("us-2010").in_states(["OH"]).cells
    adams = cells[cells["county"] == "39001"].groupby("race", observed=True)["people"].sum()
    shown = rows[rows["county"] == "39001"].set_index("race")
    kept = sum(int(adams[race]) for race in shown.index[shown["shown_as"] != "Other"])
    assert kept + int(shown["people_in_other"].iloc[0]) == int(adams.sum())
    assert (shown.loc[shown["shown_as"] != "Other", "people"] >= 50).all()
    assert len(race_pools_frame(["OH"], "us-2010", 1)) == 438
    assert (race_pools_frame(["OH"], "us-2010", 1)["shown_as"] != "Other").all()
