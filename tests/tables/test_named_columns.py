"""Columns whose names say that they are made of counts: they are not published, and not passed over where they are."""

from __future__ import annotations

from functools import partial

import openpyxl
import pandas as pd
import pytest
from small_people import invoke

from policy_sim.records.published import names_rate, says_rate
from policy_sim.tables.files import Layout, read_counts

_table = partial(invoke, "table")
CHANGES = (
    "county,2023 Male,2023 Female,2024 Male,2024 Female,{}\nAdams,4,16,14,25,19\nBrown,22,11,38,30,35\n"
    "Clark,13,27,31,45,36\nDover,31,25,40,58,42\nTotal,70,79,123,158,132\n"
)
OF_ALL = "School,Enrolled,Exempt,{}\nAdams,60,4,93\nBrown,75,12,84\nClark,80,20,75\nDover,64,16,75\nErie,88,8,91\n"


def _protected(path, table):
    path.write_text(table, encoding="utf-8")
    return _table("protect", path, "--rule", "cms", "--out", path.with_name("out"))


@pytest.mark.parametrize("name", ["Difference", "Change", "net change"])
def test_a_difference_of_counts_is_left_out_where_it_is_never_below_0(tmp_path, name):
    """Adams: 14 + 25 - 16 - 19 is the hidden 4. Five rows are too few to find the equation by chance."""
    outcome = _protected(tmp_path / "table.csv", CHANGES.format(name))
    written = pd.read_csv(tmp_path / "out/send/table.csv")
    assert (outcome.exit_code, name in written) == (0, False)
    assert f"Left out, not audited: {name}." in " ".join(outcome.output.split())


@pytest.mark.parametrize("name", ["Coverage", "Incidence", "Index", "Avg", "SMR"])
def test_a_whole_rate_is_left_out_by_its_name(tmp_path, name):
    """Adams: of 60 enrolled, 93% are not exempt, so that 4 are."""
    outcome = _protected(tmp_path / "table.csv", OF_ALL.format(name))
    assert (outcome.exit_code, name in pd.read_csv(tmp_path / "out/send/table.csv")) == (0, False)


def test_averages_over_time_are_rates_by_their_names_and_counts_are_not():
    averages = "7-day avg,3-week avg,Weekly avg,3-year average,MA7,7dMA,Smoothed,new_cases_smoothed,cases_avg_7d"
    assert [name for name in averages.split(",") if not (names_rate(name) and says_rate(name))] == []
    assert says_rate("Below avg")
    counts = "MA,MA-07,Sigma 3,Below avg,Above yearly average,Day,Year 2,Oklahoma,NH"
    assert [name for name in counts.split(",") if names_rate(name)] == []


def test_a_state_is_no_moving_average(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("Age,MA,NH\n<18,24,61\n18-64,212,77\n65+,118,95\n", encoding="utf-8")
    assert read_counts(path).counts == ("MA", "NH")


@pytest.mark.parametrize("name", ["7-day avg", "MA"])
def test_averages_over_time_are_left_out(tmp_path, name):
    """Saturday: 2 x 34 - 64 is the hidden 4."""
    rows = (f"Day,Cases,{name}", "Friday,64,64", "Saturday,4,34", "Sunday,31,33", "Monday,52,38", "Tuesday,71,44")
    outcome = _protected(tmp_path / "table.csv", "\n".join(rows) + "\n")
    written = pd.read_csv(tmp_path / "out/send/table.csv")
    assert (outcome.exit_code, list(written)) == (0, ["Day", "Cases"])
    assert f"Left out, not audited: {name}." in " ".join(outcome.output.split())


def test_a_row_of_averages_is_not_tested(tmp_path):
    """Adams: 3 x 19 - 28 - 25 is the hidden 4."""
    rows = ("Year,Adams,Brown", "2021,28,61", "2022,25,40", "2023,4,37", "3-yr avg,19,46")
    assert _protected(tmp_path / "table.csv", "\n".join(rows) + "\n").stdout.startswith("NOT TESTED")


@pytest.mark.parametrize("name", ["Difference", "Coverage"])
def test_a_published_table_with_such_a_column_is_not_ready(tmp_path, name):
    table = CHANGES if name == "Difference" else OF_ALL
    path = tmp_path / "table.csv"
    path.write_text(table.format(name).replace("Adams,4,", "Adams,*,").replace("60,4,", "60,*,"), encoding="utf-8")
    words = " ".join(_table("check", path, "--rule", "cms").stdout.split())
    assert not words.startswith("READY"), words


def test_a_number_above_several_columns_is_not_passed_over(tmp_path):
    """Adams: 43 - 16 - 11 - 12 is the hidden 4."""
    book = openpyxl.Workbook()
    rows = (("Age", "Adams (n=43)", None, "Brown (n=90)", None), (None, "Dead", "Alive", "Dead", "Alive"))
    for row in (*rows, ("<18", 4, 16, 22, 23), ("18+", 11, 12, 15, 30)):
        book.active.append(row)
    for place in ("B1:C1", "D1:E1"):
        book.active.merge_cells(place)
    book.save(tmp_path / "book.xlsx")
    outcome = _table("protect", tmp_path / "book.xlsx", "--rule", "cms", "--out", tmp_path / "out")
    assert outcome.stdout.startswith("NOT TESTED")
    assert "'Adams (n=43)' stands above 2 columns" in " ".join(outcome.stdout.split())


def test_weeks_that_no_table_shows_are_judged_beside_several_columns(tmp_path):
    """Brown had 126 - 122 = 4 before week 10: the same as for `this week` and `to date` alone."""
    rows = (
        ("Adams", 17, 25, 60, 140),
        ("Brown", 25, 17, 80, 126),
        ("Clark", 12, 60, 80, 190),
        ("Dover", 25, 17, 60, 150),
    )
    frame = pd.DataFrame(rows, columns=["county", "<18", "18-64", "65+", "Year to date"])
    frame.insert(4, "Total", frame[["<18", "18-64", "65+"]].sum(axis=1))
    frame.loc[len(frame)] = ["Total", *frame.iloc[:, 1:].sum()]
    frame.to_csv(tmp_path / "table.csv", index=False)
    options = ("--rule", "cms", "--criterion", "E", "--ledger", tmp_path / "ledger", "--week", "2025-W10")
    assert _table("protect", tmp_path / "table.csv", *options).exit_code == 0
    written = pd.read_csv(tmp_path / "ledger/send/001-2025-W10/table.csv", dtype=str).set_index("county")
    assert "*" in written.loc["Brown", ["Total", "Year to date"]].tolist()


def test_two_measures_have_running_totals_of_their_own(tmp_path):
    table = (
        "county,cases this week,cases to date,deaths this week,deaths to date\nAdams,40,90,12,31\nBrown,51,99,14,45\n"
    )
    (tmp_path / "table.csv").write_text(table + "Clark,62,130,20,52\nTotal,153,319,46,128\n", encoding="utf-8")
    options = ("--rule", "cms", "--ledger", tmp_path / "ledger", "--week", "2025-W10")
    outcome = _table("protect", tmp_path / "table.csv", *options)
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:"), outcome.output


def test_a_total_of_few_cases_leaves_running_totals_out(tmp_path):
    """One-digit counts are too few digits to find that Total is the sum of the two columns before it."""
    table = "county,confirmed,probable,Total,to date\nAdams,17,3,20,81\nBrown,5,3,8,52\nClark,17,0,17,72\n"
    outcome = _protected(tmp_path / "table.csv", table + "Dover,1,3,4,128\nTotal,40,9,49,333\n")
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:"), outcome.output


def test_words_of_a_rate_inside_the_name_of_a_count_leave_it_a_count(tmp_path):
    table = "County,No coverage,Name change,Net enrollments,Below median\nAdams,40,4,25,31\nBrown,55,62,12,17\n"
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    outcome = _table("check", tmp_path / "table.csv", "--rule", "cms")
    assert outcome.exit_code == 1
    assert "shows 1 count" in " ".join(outcome.stdout.split())


@pytest.mark.parametrize("heads", ["Weekly cases,YTD cases", "Count,Cumulative count", "this week,to date"])
def test_a_running_total_is_of_the_one_other_column_whatever_it_is_called(tmp_path, heads):
    """Brown had 46 - 42 = 4 before week 10."""
    rows = "Adams,42,140\nBrown,42,46\nClark,72,112\nDover,42,102\nTotal,198,400\n"
    (tmp_path / "table.csv").write_text(f"county,{heads}\n{rows}", encoding="utf-8")
    options = ("--rule", "cms", "--criterion", "E", "--ledger", tmp_path / "ledger", "--week", "2025-W10")
    assert _table("protect", tmp_path / "table.csv", *options).exit_code == 0
    written = pd.read_csv(tmp_path / "ledger/send/001-2025-W10/table.csv", dtype=str).set_index("county")
    assert "*" in written.loc["Brown"].tolist()


@pytest.mark.parametrize(
    "heads",
    ["Cases,Year-to-date", "Cases,Cases (YTD)", "Weekly cases,Cum. cases", "Cases,Accumulated cases", "Cases,CYTD"],
)
def test_a_running_total_is_known_by_hyphens_brackets_and_short_words(tmp_path, heads):
    """Brown had 46 - 42 = 4 before week 10."""
    rows = "Adams,42,140\nBrown,42,46\nClark,72,112\nDover,42,102\nTotal,198,400\n"
    (tmp_path / "table.csv").write_text(f"county,{heads}\n{rows}", encoding="utf-8")
    options = ("--rule", "cms", "--criterion", "E", "--ledger", tmp_path / "ledger", "--week", "2025-W10")
    assert _table("protect", tmp_path / "table.csv", *options).exit_code == 0
    written = pd.read_csv(tmp_path / "ledger/send/001-2025-W10/table.csv", dtype=str).set_index("county")
    assert "*" in written.loc["Brown"].tolist()


@pytest.mark.parametrize("heads", ["Increased,Decreased", "Changed,Discontinued", "At risk,No risk", "Uptake,Refused"])
def test_people_who_changed_are_counts(tmp_path, heads):
    (tmp_path / "table.csv").write_text(f"County,{heads}\nAdams,4,31\nBrown,62,17\n", encoding="utf-8")
    assert "shows 1 count" in " ".join(_table("check", tmp_path / "table.csv", "--rule", "cms").stdout.split())


@pytest.mark.parametrize("heads", ["Index,Secondary,Total", "Below average,Average,Total", "Change,Turnout,Total"])
def test_what_adds_up_to_a_total_is_a_count_whatever_its_name(tmp_path, heads):
    rows = "Adams,4,31,35\nBrown,62,17,79\nClark,48,44,92\nDover,25,60,85\nTotal,139,152,291\n"
    outcome = _protected(tmp_path / "table.csv", f"county,{heads}\n{rows}")
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:"), outcome.output
    written = pd.read_csv(tmp_path / "out/send/table.csv", dtype=str).set_index("county")
    assert written.loc["Adams"].tolist()[:2] == ["*", "*"]
    assert _table("verify", tmp_path / "out/send").stdout[:6] == "READY:"


@pytest.mark.parametrize("heads", ["<100% FPL,100%+ FPL", "No share of cost,Share of cost", "Incidence,Prevalence"])
def test_classes_of_people_are_counts(tmp_path, heads):
    (tmp_path / "table.csv").write_text(f"County,{heads}\nAdams,4,31\nBrown,62,17\n", encoding="utf-8")
    assert "shows 1 count" in " ".join(_table("check", tmp_path / "table.csv", "--rule", "cms").stdout.split())


@pytest.mark.parametrize(("name", "code"), [("Turnout", 3), ("Homeless population", 3), ("Growth", 3), ("Percent", 0)])
def test_a_check_is_not_ready_with_small_numbers_that_nobody_read(tmp_path, name, code):
    """A rate by its name may be a count, and the table still has its 4: the verdict is not READY."""
    (tmp_path / "table.csv").write_text(f"County,Cases,{name}\nAdams,40,4\nBrown,62,17\n", encoding="utf-8")
    outcome = _table("check", tmp_path / "table.csv", "--rule", "cms")
    assert outcome.exit_code == code
    assert (f'--count "{name}"' in outcome.stdout or f"--count {name}" in outcome.stdout) == (code == 3)


def test_a_table_of_rates_alone_names_the_column(tmp_path):
    (tmp_path / "table.csv").write_text("County,Rate\nAdams,40\nBrown,62\n", encoding="utf-8")
    assert "By its name, 'Rate' has rates" in _table("check", tmp_path / "table.csv", "--rule", "cms").output


def test_a_leak_by_an_equation_says_how_to_call_it_chance(tmp_path):
    """Erie and Floyd have the same counts, which the attacker takes for an equation."""
    table = "county,<18,18-64,65+\nAdams,7,18,11\nBrown,66,4,1\nClark,10,27,1\nDover,10,40,7\nErie,27,4,0\n"
    outcome = _protected(tmp_path / "table.csv", f"{table}Floyd,27,4,0\nTotal,147,97,20\n")
    assert (outcome.exit_code, '--coincidence "Erie = Floyd"' in " ".join(outcome.output.split())) == (1, True)


@pytest.mark.parametrize("name", ["Uptake", "UTD", "Per hundred", "Protected"])
def test_a_whole_rate_is_left_out_by_its_numbers(tmp_path, name):
    """Adams: of 60 enrolled, 93% are not exempt, so that 4 are."""
    outcome = _protected(tmp_path / "table.csv", OF_ALL.format(name))
    assert (outcome.exit_code, name in pd.read_csv(tmp_path / "out/send/table.csv")) == (0, False)


def test_counts_that_are_the_share_of_nothing_are_kept(tmp_path):
    table = (
        "School,Enrolled,Exempt,Absent\nAdams,60,14,33\nBrown,75,12,44\nClark,80,20,15\nDover,64,16,25\nErie,88,18,31\n"
    )
    _protected(tmp_path / "table.csv", table)
    assert "Absent" in pd.read_csv(tmp_path / "out/send/table.csv")


@pytest.mark.parametrize("name", ["Percent", "Percents", "Share of deaths", "Positivity"])
def test_percentages_that_add_up_to_100_are_no_counts(tmp_path, name):
    """Adams has 3% of 118, which is 4."""
    table = f"county,Deaths,{name}\nAdams,4,3\nBrown,40,34\nClark,30,26\nDover,44,37\nTotal,118,100\n"
    _protected(tmp_path / "table.csv", table)
    assert name not in pd.read_csv(tmp_path / "out/send/table.csv")


def test_percentages_in_long_form_are_no_counts(tmp_path):
    rows = [("Adams", 4, 3), ("Brown", 40, 34), ("Clark", 30, 26), ("Dover", 44, 37), ("Total", 118, 100)]
    table = "".join(f"{county},Deaths,{deaths}\n{county},Percent,{share}\n" for county, deaths, share in rows)
    assert _protected(tmp_path / "table.csv", f"county,measure,count\n{table}").exit_code != 0


@pytest.mark.parametrize(("name", "other"), [("Coverage", "No coverage"), ("Index", "Contacts")])
def test_a_count_with_the_name_of_a_rate_is_read_in_a_published_table_too(tmp_path, name, other):
    """Brown and Dover add up to 36, each to 22 and 14: none of the four hidden counts follows."""
    path = tmp_path / "table.csv"
    rows = "Adams,44,19,63\nBrown,*,*,22\nClark,15,21,36\nDover,*,*,14\nTotal,76,59,135\n"
    path.write_text(f"County,{name},{other},Total\n{rows}", encoding="utf-8")
    outcome = _table("check", path)
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:"), outcome.output


@pytest.mark.parametrize(("name", "number"), [("Year", 2024), ("Week", 202410), ("FIPS", 53033)])
def test_a_year_or_week_in_each_row_is_no_evidence_that_rows_are_equal(tmp_path, name, number):
    rows = ("Adams,{},9,3", "Brown,{},16,1", "Clark,{},61,9", "Dover,{},7,7", "Essex,{},85,9", "Floyd,{},76,0")
    text = f"County,{name},Cases,Deaths\n" + "\n".join(rows).format(*[number] * len(rows))
    outcome = _protected(tmp_path / "table.csv", text)
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:"), outcome.output


@pytest.mark.parametrize("total", ["All ages", "All counties"])
def test_a_label_of_all_is_a_total_for_the_attacker_too(tmp_path, total):
    path = tmp_path / "table.csv"
    path.write_text(f"Group,Deaths\nA,13\nB,77\nC,*\nD,*\nE,27\n{total},135\n", encoding="utf-8")
    assert _table("check", path).stdout.startswith("READY: none of 2 hidden counts")


@pytest.mark.parametrize("total", ["", "Total,198,999\n", "Total,198,1000\n"])
def test_a_column_that_tells_how_another_is_distributed_is_left_out(tmp_path, total):
    """Adams: 25 in a thousand of 198, which 22 and 111 tell where no total is shown, are the hidden 5."""
    rows = "Adams,5,25\nBrown,7,35\nClark,22,111\nDover,41,207\nEssex,60,303\nFloyd,22,111\nGrant,41,207\n"
    outcome = _protected(tmp_path / "table.csv", f"County,Deaths,Distribution\n{rows}{total}")
    written = pd.read_csv(tmp_path / "out/send/table.csv")
    assert (outcome.exit_code, [*written.columns]) == (0, ["County", "Deaths"])
    assert "1,000 times the share of 'Deaths' in its total" in " ".join(outcome.output.split())


@pytest.mark.parametrize("name", ["Rank", "Median days to report"])
def test_a_rank_or_a_median_is_no_count(tmp_path, name):
    (tmp_path / "table.csv").write_text(f"County,Cases,{name}\nAdams,40,1\nBrown,4,2\nErie,31,3\n", encoding="utf-8")
    file = read_counts(tmp_path / "table.csv")
    assert file.counts == ("Cases",)
    assert f"Left out, not audited: {name}." in " ".join(file.notes)


def test_columns_of_which_one_may_be_the_count_say_how_to_name_it(tmp_path):
    (tmp_path / "table.csv").write_text("County,Cases,Beds\nAdams,40,7\nBrown,4,2\nErie,31,9\n", encoding="utf-8")
    assert 'If only one is, add count="COLUMN"' in " ".join(read_counts(tmp_path / "table.csv").notes)
    assert read_counts(tmp_path / "table.csv", Layout(count="Cases")).counts == ("Cases",)


def test_a_total_of_some_columns_is_their_sum(tmp_path):
    rows = "Adams,4,27,3,31,34\nBrown,9,81,28,90,118\nClark,0,7,5,7,12\nDover,30,16,22,46,68\n"
    head = "County,Confirmed,Probable,Suspected,Total confirmed and probable,Total"
    (tmp_path / "table.csv").write_text(f"{head}\n{rows}", encoding="utf-8")
    whys = {relation.why for relation in read_counts(tmp_path / "table.csv").relations}
    assert "Total confirmed and probable = Confirmed + Probable" in whys


def test_counts_with_the_names_of_rates_add_up_in_a_published_table_too(tmp_path):
    """No column is called a total: Prevalence is the sum of the two others."""
    rows = "Adams,*,*,22\nBrown,27,24,51\nClark,11,28,39\nDover,*,*,33\nErie,40,61,101\n"
    (tmp_path / "table.csv").write_text(f"County,Incidence,Carried over,Prevalence\n{rows}", encoding="utf-8")
    assert len(read_counts(tmp_path / "table.csv").counts) == 3


def test_a_total_that_no_word_names_is_said_for_the_check_of_what_is_written(tmp_path):
    outcome = _protected(tmp_path / "table.csv", "County,Cases\nAdams,40\nBrown,4\nClark,87\nErie,31\nRegion 5,162\n")
    assert '--total "Region 5"' in " ".join(outcome.output.split())


@pytest.mark.parametrize("moved", ["-95", "down 96%"])
def test_a_column_of_changes_is_no_label(tmp_path, moved):
    """The count of 2023 follows from 2022 and the change; the advice once was to release the change as a label."""
    path, other = tmp_path / "t.csv", moved.replace("9", "2")
    path.write_text(f"County,2022,2023,Moved\nAdams,79,4,{moved}\nBaker,188,427,{other}\nClark,50,48,{moved}\n")
    protect = ("table", "protect", path, "--rule", "cms-11", "--out", tmp_path / "out")
    refused = invoke(*protect)
    assert refused.exit_code == 2
    assert "--key Moved" not in refused.output
    declared = invoke(*protect, "--key", "County", "--key", "Moved")
    assert (declared.exit_code, "'Moved' says by how much counts changed" in declared.output) == (2, True)


def test_moving_averages_are_known_by_their_names_and_districts_and_streets_are_counts():
    averages = ("SMA 7", "MA(7)", "ma_7", "mean7d", "cases_7dav", "Cases 7d MA", "3MMA", "rolling_7", "7-day rolling")
    assert [name for name in averages if not names_rate(name)] == []
    counts = (
        "MA01",
        "MA1",
        "MA-02",
        "Mean Street clinic",
        "Average risk",
        "7-day stays",
        "Moving violations",
        "Roma 7",
    )
    assert [name for name in counts if names_rate(name)] == []


@pytest.mark.parametrize(("name", "says"), [("FIPS", "--key County --key FIPS, or"), ("District", "--key District.")])
def test_codes_are_offered_as_labels(tmp_path, name, says):
    rows = ["Adams,64,21,39001", "Brown,24,33,39003", "Clark,31,52,39005"]
    rows = [row.replace("3900", "") for row in rows] if name == "District" else rows
    outcome = _protected(tmp_path / "table.csv", "\n".join([f"County,2023,2024,{name}", *rows]) + "\n")
    assert says in " ".join(outcome.output.split())
    assert "--count FIPS" not in outcome.output


def test_a_rate_left_out_by_its_name_is_no_evidence(tmp_path):
    """Cases stay, though they are the deaths divided by the ratio, which is left out."""
    path = tmp_path / "table.csv"
    cases, deaths = [64, 120, 81, 45, 230, 19, 150], [4, 31, 9, 13, 28, 3, 77]
    rows = [f"Ward {at},{n},{of},{1000 * of // n}" for at, (n, of) in enumerate(zip(cases, deaths, strict=True))]
    path.write_text("\n".join(["Ward,Cases,Deaths,CFR1000", *rows]) + "\n", encoding="utf-8")
    assert read_counts(path).counts == ("Cases", "Deaths")
