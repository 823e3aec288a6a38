"""An attacker who has the published files alone: what follows from them, and what must not be called safe."""

from __future__ import annotations

import ast
import io
import json
import random
import shutil
import stat
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from small_people import invoke

from policy_sim.formulas.equations import Equations, lags
from policy_sim.formulas.whole_ranges import Ranges, Rule
from policy_sim.records.published import Knowledge, label_numbers, note_counts, read_published, stated_counts
from policy_sim.tables import attack as attack_module
from policy_sim.tables.attack import attack
from policy_sim.tables.files import Layout, read_counts
from policy_sim.tables.ledger import Ledger
from policy_sim.tables.verify import convert, verified
from policy_sim.tables.written import written
from policy_sim.words.errors import SourceError

PACKAGE = Path(attack_module.__file__).parents[1]
_table = partial(invoke, "table")

YTD = "County,2025-10-04,2025-10-11,YTD\nAllen,{},12,15\nLucas,14,22,36\nWood,15,13,28\nState Total,32,47,79\n"
CHANGE = "county,2024,2025,change\nAdams,15,18,{}\nBrown,12,26,14\nClark,20,32,12\nTotal,47,76,29\n"
LAST = (
    "county,new,cumulative,last week cumulative\nAdams,{},15,12\nBrown,14,34,20\nClark,12,40,28\nDover,21,60,39\n"
    "Total,50,149,99\n"
)


def _derived(text, knowledge=Knowledge()):  # noqa: B008
    files = text if isinstance(text, dict) else {"t.csv": text}
    report = attack({name: of.encode() for name, of in files.items()}, knowledge)
    return {", ".join(item.name): (item.least, item.greatest) for item in report.derived}


def test_the_attacker_imports_nothing_else_of_its_room():
    """Inside functions too, and through every module that it imports."""
    waiting, seen = [PACKAGE / "tables/attack.py"], set()
    while waiting:
        path = waiting.pop()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                own = PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
                if own.exists() and own not in seen:
                    seen.add(own)
                    waiting.append(own)
    assert seen
    assert not [path for path in seen if path.parent.name == "tables"]


@pytest.mark.parametrize("text", [YTD, CHANGE, LAST])
def test_a_difference_of_two_shown_columns_gives_the_count_away(text):
    assert list(_derived(text.format("*")).values()) == [(3, 3)]


@pytest.mark.parametrize("text", [YTD, CHANGE, LAST])
@pytest.mark.parametrize("total", ["none", "State Total", "Statewide"])
def test_protect_uses_the_equation_whatever_is_called_a_total(text, total, tmp_path):
    (tmp_path / "t.csv").write_text(text.format(3), encoding="utf-8")
    words = ("--rule", "cms", "--criterion", "E", "--total", total, "--out", tmp_path / "out")
    outcome = _table("protect", tmp_path / "t.csv", *words)
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:"), outcome.output
    derived = _derived((tmp_path / "out/send/table.csv").read_text(encoding="utf-8"))
    assert all(low < (high or 99) for low, high in derived.values())


def test_percentages_beside_hidden_counts():
    """round(100 * k / 14, 1) = 92.9 has one k, 13."""
    text = "county,yes,no,total,percent yes\nAdams,*,*,14,92.9\nBrown,*,*,30,90.0\nClark,40,20,60,66.7\n"
    text += "Total,80,24,104,76.9\n"
    assert _derived(text)["Adams, yes"] == (13, 13)
    rate = "county,cases,population,per 100000\na,*,20000,35.0\nb,30,40000,75.0\nc,51,30000,170.0\nd,22,11000,200.0\n"
    assert _derived(rate) == {"a, cases": (7, 7)}


def test_a_percentage_of_a_total_that_is_not_shown():
    text = "class,n,percent\na,*,3.9\nb,31,40.3\nc,24,31.2\nd,19,24.7\n"
    assert _derived(text) == {"a, n": (3, 3)}


def test_a_rate_that_nothing_explains_is_not_called_tested():
    text = "county,cases,rate\na,*,12.53\nb,30,9.71\nc,44,3.14\nTotal,79,8.21\n"
    report = attack({"t.csv": text.encode()})
    assert any("'rate' is a rate" in line for line in report.open)


def test_running_totals_down_the_rows():
    text = "week,new,cumulative\n1,14,14\n2,*,17\n3,21,38\n4,16,54\n5,12,66\n"
    assert _derived(text) == {"2, new": (3, 3)}


def test_weeks_of_two_files():
    first = "county,new,to date\nAdams,12,40\nBrown,14,34\nClark,17,61\nDover,21,60\n"
    second = "county,new,to date\nAdams,*,43\nBrown,20,54\nClark,11,72\nDover,18,78\n"
    assert list(_derived({"10.csv": first, "11.csv": second}).values()) == [(3, 3)]


def test_next_to_a_shown_zero_a_hidden_count_is_one_or_more():
    text = "branch,n\na,10\nb,30\nc,*\nd,*\ne,{}\nTotal,42\n"
    assert list(_derived(text.format(0)).values()) == [(1, 1), (1, 1)]
    assert list(_derived(text.replace("42", "43").format(1)).values()) == [(0, 2), (0, 2)]


def test_a_chance_equation_of_one_row_is_no_evidence():
    """17 + 5 + 54 = 76 holds in the one column that shows all four."""
    text = "county,this week,to date\nAdams,*,17\nBrown,1,5\nClark,14,54\nDover,16,76\nTotal,33,152\n"
    report = attack({"t.csv": text.encode()})
    assert [item.words for item in report.findings] == ["Total = Adams + ... + Dover (4 numbers)"]
    assert [(item.least, item.greatest) for item in report.derived] == [(2, 2)]


def test_a_person_may_call_an_equation_a_coincidence():
    said = Knowledge(coincidences=("2025 = 2024 + change", "Total = Adams + Brown + Clark"))
    assert list(_derived(CHANGE.format("*"), said).values()) == [(0, None)]


@pytest.mark.parametrize("label", ["Adams (3)", "Adams (n=3)", "Adams, 3 cases"])
def test_a_label_that_states_the_count(label, tmp_path):
    text = f'county,Male,Female\n"{label}",3,15\nBrown,12,22\nClark,14,18\nTotal,29,55\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    words = ("--rule", "cms", "--criterion", "E", "--out", tmp_path / "out")
    outcome = _table("protect", tmp_path / "t.csv", *words)
    assert (outcome.exit_code, outcome.stdout[:6]) == (1, "LEAKS:")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "labels",
    [
        ("Adams 15", "Brown 34", "Clark 40"),
        ("Adams 3/15", "Brown 20/34", "Clark 28/40"),
        ("Adams: three men", "Brown: twenty men", "Clark: twenty-eight men"),
    ],
)
def test_numbers_anywhere_in_labels_are_counts_where_the_lines_shown_say_so(labels, tmp_path):
    """28 of 40 in the line that is shown: so 15 - 12, or 3, is the hidden count of Adams."""
    hidden = "county,Male,Female\n{},*,12\n{},*,14\n{},28,12\nTotal,51,38\n".format(*labels)
    assert [item.stated for item in attack({"t.csv": hidden.encode()}).derived] == [True, True]
    wards = "ward,Male,Female\nWard 1,*,12\nWard 2,*,14\nWard 3,28,12\nTotal,51,38\n"
    assert [item.stated for item in attack({"t.csv": wards.encode()}).derived] == [False, False]


def test_a_number_in_the_name_of_a_column():
    text = "county,Male of 51,Female of 38\nAdams,*,12\nBrown,20,14\nClark,28,12\n"
    assert [item.follows for item in attack({"t.csv": text.encode()}).derived] == [True]


def test_a_rate_in_a_label_is_not_called_tested():
    text = "county,deaths\nAdams (pop. 21300; 14.1 per 100k),*\nBrown,28\nClark,*\nTotal,48\n"
    assert any("states a rate" in line for line in attack({"t.csv": text.encode()}).open)
    assert label_numbers("Adams 3/15, twenty-eight men of 2025, 18-64, 12%") == [3, 15, 28]


def test_running_totals_from_the_last_row_on():
    text = "age,cases,at least this old\n0-4,*,231\n5-17,25,228\n18-44,60,203\n45-64,31,143\n65+,112,112\n"
    assert _derived(text) == {"0-4, cases": (3, 3)}


def test_a_label_that_states_the_larger_of_two_hidden_counts():
    """18 in the row and 17 in its label leave 1: whichever of the hidden counts the label means."""
    for columns in ("Male,Female", "Female,Male"):
        text = f"county,{columns},Total\nAdams (n=18; 17 male),*,*,18\nBrown,12,22,34\nTotal,29,23,52\n"
        assert all(item.follows for item in attack({"t.csv": text.encode()}).derived)
    text = "county,A,B,C,Total\nAdams (n=30; 17 male),*,*,13,30\nBrown,2,3,4,9\nTotal,*,*,17,39\n"
    derived = attack({"t.csv": text.encode()}).derived
    assert [item.follows for item in derived if "Adams (n=30; 17 male)" in item.name] == [True, True]


def test_a_label_that_states_the_sum_of_its_row():
    text = "county,Male,Female\nAdams (29),18,*\nBrown (78),62,16\nClark (48),17,31\nDover (96),86,*\nTotal,183,68\n"
    report = attack({"t.csv": text.encode()})
    assert [item.follows for item in report.derived] == [True, True]
    assert stated_counts("grade 3") == []
    assert note_counts("Counts of 1 to 10 are hidden. 2025. 47 deaths in all, 3.5%") == [47]


def test_whole_ranges_are_those_of_every_table_enumerated():
    rng = np.random.default_rng(4)
    for _ in range(40):
        size = int(rng.integers(2, 5))
        true = rng.integers(0, 5, size)
        coefficients = rng.integers(-1, 3, (2, size))
        rules = [
            Rule({at: int(c) for at, c in enumerate(row) if c}, int(row @ true), int(row @ true) + 1)
            for row in coefficients
        ]
        ranges = Ranges(rules, np.zeros(size, dtype=np.int64), np.full(size, 4))
        assert not ranges.settle(range(size))
        every = np.stack(np.meshgrid(*[range(5)] * size, indexing="ij"), axis=-1).reshape(-1, size)
        sums = every @ coefficients.T
        fits = every[np.all((sums >= coefficients @ true) & (sums <= coefficients @ true + 1), axis=1)]
        assert ranges.least.tolist() == fits.min(axis=0).tolist()
        assert ranges.greatest.tolist() == fits.max(axis=0).tolist()


def test_random_tables_have_no_equation_but_their_totals():
    """Of 100 random tables of 8 x 6 counts few have a chance equation, and none of the true ones is missed."""
    rng, chance = np.random.default_rng(5), 0
    for _ in range(100):
        inner = rng.poisson(np.exp(rng.normal(3, 1, (8, 6)))).astype(float)
        whole = np.vstack([inner, inner.sum(axis=0)])
        equations = Equations(whole, np.ones(whole.shape, dtype=bool)).all()
        totals = [item for item in equations if len(item.coefficients) == 9]
        assert totals
        chance += len(equations) - len(totals)
    assert chance <= 10


def test_every_linear_equation_is_found_where_rows_suffice():
    rng = np.random.default_rng(6)
    inner = rng.poisson(40, (4, 30)).astype(float)
    odd = inner[0] + 2 * inner[1] - inner[3] + 100 * 0
    values = np.vstack([inner, odd])
    (equation,) = Equations(values, np.ones(values.shape, dtype=bool)).all()
    assert dict(equation.coefficients) in ({0: 1, 1: 2, 3: -1, 4: -1}, {0: -1, 1: -2, 3: 1, 4: 1})


def test_moving_sums():
    new = np.array([14, 3, 21, 16, 12, 30, 7, 25], dtype=float)
    sums = np.convolve(new, np.ones(3))[: len(new)]
    values = np.stack([new, np.where(np.arange(len(new)) < 2, np.nan, sums)])[:, :, None]
    assert [(item.total, item.part, item.window) for item in lags(values)] == [(1, 0, 3)]


def test_text_stays_text_in_a_workbook(tmp_path):
    text = 'county,n\n"=HYPERLINK(""http://x/?""&B4)",30\nb,12\nTotal,42\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    content = written(read_counts(tmp_path / "t.csv", Layout()), ".xlsx", ())
    cells = [cell for row in openpyxl.load_workbook(io.BytesIO(content)).active.iter_rows() for cell in row]
    assert [cell.data_type for cell in cells if str(cell.value).startswith("=")] == ["s"]
    assert [cell.value for cell in cells][-1] == 42


def test_a_device_is_refused():
    outcome = _table("check", "/dev/zero", "--rule", "cms")
    assert (outcome.exit_code, "may never end" in outcome.stderr) == (2, True)
    with pytest.raises(SourceError, match="is a device"):
        read_published(Path("/dev/zero"))


def test_counts_with_footnote_marks_and_percentages(tmp_path):
    (tmp_path / "a.csv").write_text("county,deaths\nAdams,18**\nBrown,40\nClark,--\nTotal,66\n", encoding="utf-8")
    outcome = _table("check", tmp_path / "a.csv", "--mark", "--=hidden")
    assert (outcome.exit_code, "'18**' as 18" in outcome.stdout) == (1, True)
    (tmp_path / "b.csv").write_text("county,deaths\nAdams,18 x\nBrown,40\nTotal,58\n", encoding="utf-8")
    assert _table("check", tmp_path / "b.csv", "--rule", "cms", "--mark", "N x=N").exit_code == 0
    (tmp_path / "c.csv").write_text("class,N (%)\n<18,3 (1.7%)\n18+,177 (98.3%)\nTotal,180\n", encoding="utf-8")
    outcome = _table("protect", tmp_path / "c.csv", "--rule", "manitoba-5", "--hide-margins", "--criterion", "E")
    assert "'3 (1.7%)' as 3" in outcome.output


@pytest.mark.parametrize(
    ("name", "most", "words"),
    [
        ("N (%)", 60, "READY"),
        ("Women (%)", 140, "READY"),  # no percentage
        ("Women (%)", 60, "Call a column of counts by"),
        ("Rate (%)", 140, "Call a column of counts by"),
    ],
)
def test_a_column_of_counts_whose_percentages_are_left_out(name, most, words, tmp_path):
    """A label such as <18 is a label; the name of a column tells whether its whole numbers may be percentages."""
    text = f"class,{name}\n<18,3 (1.7%)\n18-64,27 (2%)\n65+,{most - 30} (9%)\nTotal,{most}\n"
    (tmp_path / "c.csv").write_text(text, encoding="utf-8")
    outcome = _table("protect", tmp_path / "c.csv", "--rule", "manitoba-5")
    assert (words in " ".join(outcome.output.split()), outcome.exit_code) == (True, 0 if words == "READY" else 3)


def test_one_measure_of_two_is_enough(tmp_path):
    text = "group,subgroup,CASES,DEATHS\nAge,0-17,120,*\nAge,18+,400,30\nTotal,Total,520,34\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    outcome = _table("check", tmp_path / "t.csv", "--count", "DEATHS")
    assert (outcome.exit_code, outcome.stdout[:6]) == (1, "LEAKS:")


@pytest.fixture
def published(tmp_path):
    (tmp_path / "t.csv").write_text(YTD.format(3), encoding="utf-8")
    words = ("--rule", "cms", "--criterion", "E", "--total", "State Total", "--out", tmp_path / "out")
    assert _table("protect", tmp_path / "t.csv", *words).exit_code == 0
    return tmp_path / "out"


def test_what_is_sent_and_what_is_kept(published, monkeypatch):
    assert sorted(path.name for path in (published / "send").iterdir()) == ["certificate.json", "table.csv"]
    assert stat.S_IMODE((published / "keep").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (published / "keep").iterdir()} == {0o600}
    monkeypatch.chdir(published)
    assert _table("verify", ".").exit_code == 0
    alone = shutil.copytree(published / "send", published.parent / "alone")
    assert verified(alone).word == "READY"
    table = alone / "table.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("Allen,*,*", "Allen,*,12"), encoding="utf-8")
    assert verified(alone).word == "LEAKS"


@pytest.mark.parametrize("kept", [True, False])
def test_public_certificates_with_one_number_changed_are_refused(published, kept):
    """Every number in turn, up or down, next to what is kept and without it."""
    path, rng = published / "send/certificate.json", random.Random(8)
    published = published if kept else shutil.copytree(published / "send", published.parent / "alone")
    path = path if kept else published / "certificate.json"
    text = path.read_text(encoding="utf-8")
    document = json.loads(text)
    for _ in range(15):
        changed = json.loads(text)
        name = rng.choice([key for key, value in document.items() if isinstance(value, int)])
        changed[name] += rng.choice([-1, 1])
        path.write_text(json.dumps(changed), encoding="utf-8")
        assert verified(published).word == "NOT READY"


def test_a_stray_file_is_refused(published):
    (published / "send/raw.csv").write_text(YTD.format(3), encoding="utf-8")
    verdict = verified(published)
    assert (verdict.word, "raw.csv" in verdict.words) == ("NOT READY", True)


def test_a_ledger_of_the_version_before_is_read_and_converted(tmp_path):
    (tmp_path / "w.csv").write_text("county,new,to date\na,3,15\nb,14,34\nc,20,28\nTotal,37,77\n", encoding="utf-8")
    words = ("--rule", "cms", "--criterion", "E", "--ledger", tmp_path / "L", "--week", "2025-W10")
    assert _table("protect", tmp_path / "w.csv", *words).exit_code == 0
    old = tmp_path / "old"
    shutil.copytree(tmp_path / "L/send", old, ignore=shutil.ignore_patterns("*.json"))
    shutil.copy(tmp_path / "L/keep/proof.json", tmp_path / "old.private.json")
    assert Ledger(old).is_old
    assert verified(old).word == "READY"
    enter = ("--rule", "cms", "--criterion", "E", "--ledger", old, "--week", "2025-W09")
    refused = _table("enter", tmp_path / "w.csv", *enter)
    assert (refused.exit_code, f"policy-sim table convert {old}" in refused.stderr) == (2, True)
    assert convert(old) == old / "send"
    assert verified(old).word == "READY"
    assert not (tmp_path / "old.private.json").exists()
