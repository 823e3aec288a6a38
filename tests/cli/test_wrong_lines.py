"""What a command cannot do is one line that says why, shows no value of a file, and leaves nothing behind."""

from __future__ import annotations

import shlex

import pytest
from small_people import one_line, written

SECRET = "Schmidt"
FILES = {
    "visits.csv": "age,sex,weight\n30,F,10\n30,F,10\n41,M,5\n52,M,1\n",
    "header.csv": "age,sex\n",
    "empty.csv": "",
    "twins.csv": "a,a\n1,2\n",
    "ragged.csv": f"age,sex\n1,2\n{SECRET}\n",
    "color.csv": "age,color\n30,red\n",
    "coded.csv": "age,sex\n30,1\n31,2\n31,2\n",
    "odd.csv": f"age,sex\n30,{SECRET}\nold,M\n",
    "ageless.csv": "age,sex\n,M\n",
    "week.csv": "fips,n\n10001,5\n",
    "two.csv": "ward,county,sex,deaths\n8,Allen,M,19\n18,Allen,F,5\n",
}
PROFILE = "dataset profile visits.csv --fields age,sex"
SCORE = "dataset score visits.csv --fields age,sex"
AGE = "dataset score color.csv --fields age --state VT"
IN_VERMONT = "--fields age,sex --state VT --population us-2010"
SIMULATE = "model simulate-file visits.csv --fields age,sex --no-log-linear --fractions"

WRONG = [
    # states, policies, attackers and years
    ("compare --policy safe-habor", "Did you mean 'safe-harbor'?"),
    ("compare --policy no-such.toml", "no-such.toml"),
    ("compare --population us-1990", "population 'us-1990' is not known"),
    ("compare --population us-2000-zip", "only for us-2010, us-2020"),
    ("compare --population no-such.csv", "no-such.csv"),
    ("compare --as nobody-1900", "benitez-malin-2010"),
    ("compare --lists 1999", "'1999' is not known"),
    ("compare --g 0", "0 is not in the range 1<=x<=1000000000"),
    ("compare --attacker texas-birth-indx", "Did you mean 'texas-birth-index'?"),
    ("compare --release NC", "NC:2016"),
    ("compare --state OH --adversary acadmic", "Did you mean 'academic'?"),
    ("compare --state OH --adversary none.toml", "--adversary none.toml: no such file."),
    ("compare --state DE --in-file 10 --records 10", "use one of them"),
    ("compare --state DE --in-file 10 --per-person 2", "--per-person needs --records"),
    ("compare --state DE --from Kent", "--from needs --in-file"),
    ("compare --state DE --in-file 10 --from Kentt", "Did you mean 'Kent'"),
    ("compare --state DE --in-file 10 --from Kent --by race", "a breakdown takes a file"),
    ("compare --population people.csv --by race --interval", "--interval"),
    ("model trust --numerator safe-harbor", "name two policies, such as --numerator limited-dataset."),
    ("model trust --policy county", "name two policies, such as --denominator safe-harbor."),
    ("model curve OH --state TX", "Got unexpected extra argument"),
    ("model curve --g-max 5 --state", "'--state' requires an argument"),
    ("model curve OH --g-max 1000000000", "is not in the range 1<=x<=1000000"),
    ("policy explore --than release:newest", "differs by state"),
    ("policy explore --state DE --than safe-harbr --population us-2010", "Did you mean"),
    ("econ trends --at us-2000", "such as us-2000:2008"),
    ("econ trends --at us-2000:2008", "two or more moments"),
    ("econ trends --at us-2000:1999 --at us-2020:2026", "'1999' is not known"),
    # how options and arguments are written
    ("compare OH --interval 95", "Error: state '95' is not known"),
    ("compare DE --policy safe-harbor,county", ": --policy safe-harbor --policy county."),
    ("compare DE --policy safe-harbor limited-dataset", "repeat the option: --policy limited-dataset."),
    ("compare DE --policy safe-harbor Ohoi", "Did you mean 'Ohio'? "),
    ("policy show county --format csv zip3", "Put quotes around a name"),
    ("dataset profile visits.csv --fields age sex", "the values of --fields by commas"),
    ("dataset estimate visits.csv --fields age --population-size 11.8M", "'11.8M' is not a whole number"),
    ("dataset compare visits.csv", "Known: check, estimate, profile, score."),
    ("release new visits.csv", "'PROJECT'. An example: policy-sim release new visits.csv"),
    ("econ pair OH", "An example: policy-sim econ pair"),
    ("table verify week.csv", "FOLDER week.csv: is a file"),
    # money
    ("econ attack DE --gain gold", "'gold'"),
    ("econ cost --attacker general", "its price is not modeled"),
    ("econ game --frontier", "needs one state"),
    ("econ game DE --state OH", "Got unexpected extra argument"),
    ("econ pair DE --first county --second month-of-birth --in-first .1 --in-second .1 --in-both .2", "both"),
    # policies and releases
    ("policy show release:newest", "differs by state"),
    ("policy new never-written.toml --from release:newest", "differs by state"),
    ("policy show safe-harbour", "Did you mean 'safe-harbor'?"),
    ("policy check safe-harbour", "Did you mean 'safe-harbor'?"),
    ("policy releases show OH", "NC"),
    ("policy releases show MA --year 2031", "2020"),
    ("policy releases show US --year 2020", "is a survey of all states"),
    ("policy releases history NC --file night", "emergency"),
    ("policy releases diff CA 2012 2020", "2011"),
    # people
    ("model population show us-202", "Did you mean 'us-2022'?"),
    ("dev build-population us-1990 --from . --out built", "'us-1990' is not known"),
    ("dev build-population us-2010 --from nowhere --out built", "Name the folder of official tables"),
    ("dev census fetch sf1-2010", "CENSUS_API_KEY is not set"),
    ("dev census fetch sf1-2010 --state ZZ", "--state 'ZZ' is not known"),
    ("dev census fetch acs5-2022 --geography tract", "is not requested of acs5-2022"),
    ("dev census show nothing", "is not known"),
    ("dev census remove ../../etc", "is not known"),
    ("dev census load x --as pct12-csv --place Cook", "must be NAME=CODE"),
    ("dev census load nowhere --as sf1-2000", "no such file or folder"),
    ("dev synth DE --out people.xls", "not one of .csv, .parquet"),
    ("dev synth DE --census-day 0001-01-01 --out x.csv", "born before the year 1"),
    ("dev synth DE --seed -1 --out x.csv", "--seed"),
    ("dev synth OH --population people.csv --census-day 2020-04-01 --people 97 --out x.csv", "97"),
    # the model
    ("model simulate", "Missing argument 'STATE'"),
    ("model simulate DE --days-per-year 365.25", "must be a whole number"),
    ("model simulate DE --seed -1", "--seed"),
    ("model simulate WY --runs 9223372036854775808", "is not in the range"),
    ("model simulate ME --policy release:newest", "differs by state"),
    (
        "model simulate AZ --population us-2000 --lists 2008 --policy safe-harbor --runs 2 --attacker voter",
        " in AZ (county_only:",
    ),
    ("model explain OH --policy safe-harbor --policy limited-dataset", "explain takes one policy, not 2"),
    ("model explain OH --attacker general --attacker voter", "explain takes one attacker, not 2"),
    ("model reproduce", "benitez-malin-2010, golle-2006"),
    ("model reproduce golle-2006 --data .", "--data is for dankar-2010"),
    ("model reproduce dankar-2010 --data .", "this folder has no adult.csv"),
    # pages
    ("brief XX", "XX"),
    ("brief DE --in-file many", "is not a size of a file"),
    ("brief US --bill birth=year", "name a state to use them"),
    ("brief DE --bill birth=never", "never"),
    ("brief DE --before 1850", "'1850' is not known"),
    ("brief DE --before 2020 --bill birth=year", "remove --bill and --against"),
    ("brief DE --out brief.rtf", "html"),
    ("explorer", "--out"),
    ("explorer --out explorer", "must end in .html."),
    ("explorer --population nowhere --out explorer.html", "'nowhere' is not known"),
    ("model workbook --state DE --out de.csv", "must end in .xlsx"),
    # a file of records
    ("dataset profile visits.csv --fields age,z", "'z' is not known. Known: age, sex, weight."),
    ("dataset profile ragged.csv --fields age", "line 3 has 1 columns, "),
    ("dataset profile empty.csv --fields age", "the file is empty"),
    ("dataset check empty.csv", "is empty"),
    ("dataset check twins.csv", "no column has a unique name"),
    *((f"{PROFILE} --threshold {text}", f"--threshold {text} is not a risk") for text in ("high", "k=0")),
    (f"{PROFILE} --threshold 2", "--threshold 2 is not above 0 and at most 1"),
    (f"{PROFILE} --cutoff nan", "--cutoff nan is not a risk"),
    (f"{PROFILE} --weight height", "'height' is not known"),
    (f"{PROFILE} --weight sex", "weight"),
    (f"{PROFILE} --engine abacus", "engine 'abacus' is unknown"),
    (f"{PROFILE} --memory some", "is not an amount of memory"),
    (f"{PROFILE} --records", "--records needs --out"),
    (f"{SCORE} --missing wildcard", "'wildcard' is not one of"),
    (f"{SCORE} --against visits.csv --population us-2020", "--population works only without --against"),
    (f"{SCORE} --against visits.csv --top 3", "--top works only without --against"),
    (f"{SCORE} --against-table people", "--against-table works only with --against"),
    (f"{SCORE} --state OH --attacker nobody", "'nobody' is not known"),
    (f"{SCORE} --state OH --buyer pirate", "scholar"),
    (f"{SCORE} --state OH --as-of 2015-06-01 --lists 2008", "use one of them"),
    ("dataset score color.csv --fields age,color --state VT", "'color' is not in any census"),
    ("dataset score color.csv --fields age", "add --state OH"),
    (f"{AGE} --population us-1066", "population 'us-1066' is not known"),
    (f"{AGE} --lists 1066", "'1066' is not known"),
    (f"dataset score coded.csv {IN_VERMONT}", "none of the 3 records has a cell in the population. sex: 2 values"),
    (f"dataset score odd.csv {IN_VERMONT}", "age: 1 value was not understood; explain them in the mapping; sex: 1"),
    (f"dataset score ageless.csv {IN_VERMONT}", "1: age is missing."),
    ("dataset check header.csv", "there is no record"),
    ("dataset profile header.csv --fields age,sex", "there is no record"),
    ("dataset profile header.csv --fields age,sex --missing exclude", "there is no record"),
    ("dataset score header.csv --fields age,sex --state OH", "header.csv: there is no record."),
    ("dataset estimate header.csv --fields age,sex --population-size 11799448", "there is no record"),
    ("model simulate-file header.csv --fields age,sex", "there is no record"),
    *((f"{SIMULATE} {text}", "numbers separated by commas") for text in ("a,b", "half")),
    *((f"{SIMULATE} {text}", "fraction") for text in ("0", "1.5", "0.1,0.1", ",", "nan")),
    # tables and cases
    *((f"table rules {words}", "is not known") for words in ("show nobody", "compare cms nobody")),
    ("table rules show n", "Error: "),
    (
        "table check two.csv --rule cms",
        "such as --key ward --key county --key sex, ",
    ),
    ("cases plan US --fields sex", "--fields every"),
    ("cases plan DE --fields age6", "age5"),
    ("cases plan DE --fields age5,age15", "twice"),
    ("cases plan DE --fields every", "--counts"),
    ("cases plan DE --fields sex --counts week.csv", "--fields every"),
    ("cases plan DE --fields every --counts week.csv", "column 'county' is not known"),
    ("cases plan DE", "--fields"),
    # voter lists
    ("lists what-if OH", "at least one change"),
    ("lists what-if --all-states --set birth=date", "remove --set"),
    ("lists what-if --all-states --g 3", "remove --g"),
    ("lists what-if --all-states --policy county --policy safe-harbor", "give --policy once"),
    ("lists what-if --all-states --attacker texas-birth-index", "remove --attacker"),
    ("lists what-if DE --attacker general --set birth=year", "cannot be changed"),
    ("lists check Atlantis", "'Atlantis' is not known"),
    ("lists check absent.toml", "absent.toml does not exist"),
    ("lists check --months -1", "--months"),
    ("lists counties AZ --released", "--released needs --target"),
    ("lists counties AZ --usd-per-county nan", "give a number from 0"),
    ("lists counties AZ --usd-per-county 5 --target inf", "must be a number above 0"),
    ("lists coverage DE --year 2023", "records were counted in 2010"),
    ("lists coverage DE --flagged --by age", "--flagged shows counties"),
]
# A wrong value, and the option that the line names.
OPTIONS = [
    (f"{PROFILE} --engine abacus", "--engine"),
    (f"{PROFILE} --memory some", "--memory"),
    (f"{PROFILE} --sheet Visits", "--sheet"),
    ("dataset score color.csv --fields age,color --state VT", "--fields"),
    ("dataset profile visits.csv --fields age,zz --mapping none.toml", "--mapping"),
    ("compare DE --release soon", "--release"),
    ("compare DE --database none.sqlite", "--database"),
    ("compare DE --policy ours", "--policy"),
    ("brief DE --bill later --out b.html", "--bill"),
    ("lists what-if DE --set never", "--set"),
    ("econ pair DE --first county --second month-of-birth --in-first .1 --in-second .1 --in-both .2", "--in-both"),
    ("econ pair DE --first county --second month-of-birth --in-first .1 --in-second nan --in-both .1", "--in-second"),
    ("econ game DE --in-file 500 --from Kent", "--from"),
    ("areas make DE --at-least 20000 --keep header.csv --out made", "--keep"),
    ("model token DE --fields last,sex,birth --clear ''", "--clear"),
    ("model token DE --fields last,sex,birth --clear ,", "--clear"),
    ("compare DE --policy ''", "--policy"),
    ("econ pair DE --first '' --second month-of-birth --in-first .1 --in-second .1 --in-both .1", "--first"),
    ("dataset profile visits.csv --fields ''", "--fields"),
    ("dataset score visits.csv --fields age,sex --state DE --buyer ''", "--buyer"),
    ("policy explore --state DE --weights header.csv", "--weights"),
]
OF_THE_DATABASE = [
    ("lists show PR", "'PR' is not known"),
    ("lists show OH --lists 1999", "'1999' is not known"),
    ("lists show OH --lists 2008 --as-of 2008-01-01", "use one of them"),
    ("lists history PR", "'PR' is not known"),
    ("lists sources PR", "Known: every state except PR."),
    ("lists diff OH", "Missing argument 'AFTER'"),
    ("lists diff OH 2026", "such as policy-sim lists diff OH 2008 2026"),
    ("econ attack OH MI", "Add others with --against."),
    ("econ attack OH,MI", "Give one, such as OH"),
    ("compare --as-of 06/01/2015", "'06/01/2015' is not a date. "),
    ("compare --state OH --in-file 99999999", "--in-file: a file of 99,999,999 people"),
    ("compare --state OH --in-file 10 --from 43604", "--from: 43604 is not a county"),
    ("policy explore --state DE --keep geography=zip3", "ZIP codes need --population us-2020-zip"),
    ("policy explore --state DE --keep zip", "Write geography=zip5"),
    ("policy explore --state DE --risk-between 1 5", "--risk-between: 1.0 and 5.0 "),
    ("dev lists export --lists 2008-filled", "this is a scenario"),
    ("dev lists export --format xlsx", "needs a file: add --out"),
    ("dev lists import nothing.csv", "no such file"),
    ("dev lists sql 'SELECT 1 AS a, 2 AS a'", "are called 'a'"),
]


def wrong_line(line, said, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("CENSUS_API_KEY", raising=False)
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)
    for name, text in FILES.items():
        if name in line:
            (folder / name).write_text(text, encoding="utf-8")
    written(folder)
    (folder / "made.csv").rename(folder / "people.csv")
    before = sorted(path.name for path in folder.iterdir())
    told = one_line(*shlex.split(line))
    assert told.startswith("Error: ")
    assert said in told
    assert SECRET not in told
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_what_cannot_be_done_is_one_line(line, said, tmp_path, monkeypatch):
    wrong_line(line, said, tmp_path, monkeypatch)


@pytest.mark.parametrize(("line", "option"), OPTIONS)
def test_a_wrong_value_names_its_option(line, option, tmp_path, monkeypatch):
    wrong_line(line, option, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(("line", "said"), OF_THE_DATABASE)
def test_what_cannot_be_asked_of_the_lists_is_one_line(line, said, tmp_path, monkeypatch):
    wrong_line(line, said, tmp_path, monkeypatch)
