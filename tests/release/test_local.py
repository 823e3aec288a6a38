"""Local recoding: what is written meets the target by a plain count, on random files, and loses less than one level."""

from __future__ import annotations

import dataclasses
import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from coded import coded, coded_rows

from policy_sim.records.formats import CodedColumn
from policy_sim.release.cells import KeyCells
from policy_sim.release.deidentified import Treatment, deidentify, key_cells_of
from policy_sim.release.generalization import Generalization
from policy_sim.release.ladders import Hierarchy, flat_ladder, given_hierarchy
from policy_sim.release.local import local_recoding, nodes_by_loss
from policy_sim.release.targets import MEASURES, RiskTarget
from policy_sim.release.treatments import Variable
from policy_sim.release.written import dictionary_text
from policy_sim.words.errors import PolicySimError

KINDS = {"age": "age", "sex": "sex", "zip": "code"}


def random_file(rng, rows):
    ages = [str(age) if age else "" for age in rng.integers(0, 60, rows)]
    zips = rng.choice(["10001", "10002", "10101", "20001", "20099"], rows, p=[0.5, 0.2, 0.2, 0.06, 0.04])
    sexes = rng.choice(["F", "M", ""], rows, p=[0.5, 0.45, 0.05])
    person = [f"p{number}" for number in rng.integers(0, rows, rows)]
    columns = {"age": ages, "sex": sexes.tolist(), "zip": zips.tolist(), "person": person}
    return coded(columns)


def treated(target, person, **settings):
    more = {"zip": {"lengths": (3, 1)}}
    keys = [Variable(name, "key", "known", kind, **more.get(name, {})) for name, kind in KINDS.items()]
    other = Variable("person", "other", "a number")
    whose = {"variables": (*keys, other), "person": "person" if person else ""}
    return Treatment(target=target, recoding="local", **whose, **settings)


TARGETS = [("maximum", "k=3"), ("maximum", "k=11"), ("average", "0.2"), ("strict-average", "0.25", "0.5")]


def test_a_row_without_a_cell_is_counted():
    """Two women are alone by age, so they are released without it; three men stay as they are."""
    table = coded(age=["30", "30", "30", "41", "52"], sex=["M", "M", "M", "F", "F"])
    ladders = [flat_ladder("age", ["30", "41", "52"]), flat_ladder("sex", ["F", "M"])]
    cells = replace(KeyCells.of_table(table, ladders), unlisted=(0,))
    made = local_recoding(cells, RiskTarget.parse("maximum", "k=2"))
    released = made.apply(table)
    assert released["age"].texts().tolist() == ["30", "30", "30", "*", "*"]
    assert made.rows_with_blanks == 2
    assert made.without_blanks(released)["age"].missing == 2
    assert made.at_several_levels == ()  # a cell without a value is at no level
    assert made.labels("age") == {"30": "30", "41": "41", "52": "52"}


def test_a_class_without_an_order_is_a_set_of_its_values():
    """Both women and both men have 2 of 3 values, which loses 1/2 in place of 1; the text lists both."""
    table = coded(age=["30", "30", "30", "41", "52", "41", "52"], sex=["M", "M", "M", "F", "F", "M", "M"])
    made = recoded_by_two(table)
    assert made.apply(table)["age"].texts().tolist() == ["30", "30", "30", *["41 or 52"] * 4]
    assert made.sets() == {"age": {"41 or 52": ("41", "52")}}
    assert made.loss(table) == pytest.approx((4 * 0.5) / (7 * 2))
    assert made.rows_by_level(0) == {"value": 3, "set of values": 4}
    assert made.brought_to_one_level(table)[0]["age"] == "nothing"


def recoded_by_two(table):
    ladders = [flat_ladder("age", sorted(set(table["age"].texts()))), flat_ladder("sex", ["F", "M"])]
    return local_recoding(KeyCells.of_table(table, ladders), RiskTarget.parse("maximum", "k=2"))


def test_a_set_names_no_value_that_one_person_has():
    """Anyone who knows the only person of 41 would see that this person is in the file."""
    table = coded(age=["30", "30", "30", "41", "52"], sex=["M", "M", "M", "F", "F"])
    made = recoded_by_two(table)
    assert made.apply(table)["age"].texts().tolist() == ["30", "30", "30", "another value", "another value"]
    assert made.loss(table) == pytest.approx((2 * 0.5) / (5 * 2))  # it is 41 or 52
    table = coded(age=["60", "60", "30", "30", "30", "41"], sex=["M", "M", "M", "M", "F", "F"])
    assert recoded_by_two(table).apply(table)["age"].texts().tolist()[4:] == ["30 or another value"] * 2
    values = ("43001", "43002", "44001")
    names = ("five digits", "three digits", "nothing")
    zips = Hierarchy("zip", values, (values, ("430", "430", "440"), ("*",) * 3), names)
    table = coded(zip=["43001", "43001", "44001", "44001", "43001", "43002"], sex=["M", "M", "M", "M", "F", "F"])
    cells = KeyCells.of_table(table, [zips, flat_ladder("sex", ["F", "M"])])
    recoded = local_recoding(cells, RiskTarget.parse("maximum", "k=2")).apply(table)
    assert recoded["zip"].texts().tolist()[4:] == ["430", "430"]
    assert "'another value' is one of those" in dictionary_text(
        coded(age=["30 or another value"]), (), {}, {"age": {"30 or another value": ("30", "another value")}}
    )


def test_local_recoding_is_told_and_its_cost(tmp_path, project_of_keys):
    """Analyses of a field at several levels are unknown, with a reason; others have a figure, and so has each field."""
    rows = [f"{age},{sex}" for age in ["30"] * 3 + ["31"] * 3 + ["41", "44", "48"] for sex in "FM"]
    (tmp_path / "f.csv").write_text("age,sex\n" + "\n".join(rows) + "\n")
    more = 'measure = "maximum"\nthreshold = "k=3"\n[settings]\nrecoding = "local"\nlimit = 0.0\n'
    for by in ("age", "sex"):
        more += f'[[analyses]]\nname = "by {by}"\nstatistic = "count"\nby = ["{by}"]\n'
    more += '[[analyses]]\nname = "old"\nstatistic = "mean"\nof = "age"\nby = ["sex"]\n'
    figures = project_of_keys(tmp_path / "p.toml", {"age": "age", "sex": "sex"}, "", more).run(tmp_path / "out")
    assert figures["search"]["recoding"] == "local"
    assert figures["search"]["loss"] == figures["search"]["local_loss"] < figures["search"]["one_level_loss"]
    why = "rows are at several levels of age"
    told = [(row["analysis"], row["group"], row["before"], row["after"], row["reason"]) for row in figures["analyses"]]
    assert told == [
        ("by age", "all", None, None, why),
        ("by sex", "sex=F", 9, 9, ""),
        ("by sex", "sex=M", 9, 9, ""),
        ("old", "all", None, None, why),
    ]
    moved = {row["field"]: row["distance"] for row in figures["utility"]["distances"]}
    # 41, 44 and 48 are as many, so that a label that stands for all of them moves none
    assert moved == {"age": 0.0, "sex": 0.0}
    page = (tmp_path / "out" / "keep" / "dossier.html").read_text()
    assert "It is not released" in page
    assert "by age: unknown, because " in page


def test_every_part_of_a_target_is_one_that_it_enforces():
    """A new part of a target must be enforced, or refused, before it stands here."""
    assert {part.name for part in dataclasses.fields(RiskTarget)} == {
        *("measure", "threshold", "cutoff", "sizes", "conditions", "known")
    }
    assert set(MEASURES) == {"maximum", "average", "strict-average"}


def test_the_risk_among_a_population_is_unknown(tmp_path, project_of_keys):
    """A coarse label tells that its row is none of those at a finer one, so fewer people fit than have its values."""
    rows = [f"{age},{sex}" for age in ["30"] * 20 + ["31"] * 20 + ["41", "44", "48"] * 3 for sex in "FM"]
    (tmp_path / "f.csv").write_text("age,sex\n" + "\n".join(rows) + "\n")
    more = 'threshold = "k=3"\n[settings]\nrecoding = "local"\nsample = 0.7\n'
    figures = project_of_keys(tmp_path / "p.toml", {"age": "age", "sex": "sex"}, "", more, knows="no").run(
        tmp_path / "out"
    )
    assert figures["search"]["recoding"] == "local"
    assert figures["after"]["population_maximum"] is None
    assert figures["after"]["marketer"] is None
    assert any("is unknown" in note for note in figures["notes"])
    assert figures["assessment"]["sizes"] == "population"  # the verdict counts the records of the file
    assert figures["assessment"]["after"]["data_risk"] == figures["after"]["maximum"]


# A target among a population.


def cells_among(file, people, ladders):
    """The cells of a file and of the people of its population, texts of age and sex."""

    def table(rows):
        return coded_rows(("age", "sex"), rows)

    cells = KeyCells.of_table(table(file), ladders)
    counted = KeyCells.of_table(table(people), ladders)
    return cells.with_population(counted.codes, np.bincount(counted.row_cell).astype(np.int64)), table(file)


AGES = ("30", "31", "32", "41", "42")
AMONG = [
    Hierarchy(
        "age",
        AGES,
        (AGES, tuple(f"{age[0]}0-{age[0]}9" for age in AGES), ("*",) * 5),
        ("1", "10", "-"),
        (0, 1, 2, 11, 12),
    ),
    flat_ladder("sex", ["F", "M"]),
]
PEOPLE = [
    ("30", "F"),
    ("30", "F"),
    ("30", "F"),
    ("31", "F"),
    ("32", "F"),
    ("31", "M"),
    ("41", "M"),
    ("42", "M"),
    ("42", "F"),
]
AMONG_3 = RiskTarget.parse("maximum", "k=3", sizes="population")


def test_people_who_are_released_at_a_finer_node_do_not_count():
    """Seven people have an age of 30 to 39, but at k = 3 whoever is 30 is shown as 30: three can be the other one."""
    people = [("30", "F")] * 4 + [("31", "F"), ("32", "F"), ("32", "F")]
    file = [("30", "F"), ("31", "F")]
    for k, shown, counted in ((3, ["30", "31-32"], (4, 3)), (4, ["30-39", "30-39"], (7, 7))):
        cells, table = cells_among(file, people, AMONG)
        target = RiskTarget.parse("maximum", f"k={k}", sizes="population")
        made = local_recoding(cells, target)
        assert made.apply(table)["age"].texts().tolist() == shown
        assert made.people_by_text(cells) == {(age, "F"): many for age, many in zip(shown, counted, strict=True)}


def sound_recoding(cells, table):
    made = local_recoding(cells, AMONG_3)
    return made.apply(table), made.released


def naive_recoding(cells, table):
    """Count everyone whose values a label covers, as a release at one level may."""
    every = list(nodes_by_loss(cells))
    enough = [cells.classes(node).people[cells.class_of_cells(node)] >= 3 for node in every]
    made = Generalization(cells.ladders, tuple(every), np.argmax(enough, axis=0)[cells.row_cell], is_local=True)
    return made.apply(table), made.released


@pytest.mark.parametrize(("recoding", "fewest"), [(sound_recoding, 3), (naive_recoding, 1)])
def test_whoever_knows_the_program_and_all_people_has_so_many_to_choose_from(recoding, fewest):
    """Every file that can be made of nine people: who can each row of a release be, given all that it shows?"""
    candidates = {}
    for chosen in itertools.product((False, True), repeat=len(PEOPLE)):
        if any(chosen):
            who = np.flatnonzero(chosen)
            cells, table = cells_among([PEOPLE[at] for at in who], PEOPLE, AMONG)
            released, rows = recoding(cells, table)
            texts = list(zip(*(released[name].texts().tolist() for name in ("age", "sex")), strict=True))
            shown = (tuple(sorted(texts)), int((~rows).sum()))
            for text, person in zip(texts, who[rows].tolist(), strict=True):
                candidates.setdefault((shown, text), set()).add(person)
    assert min(map(len, candidates.values())) == fewest


@pytest.mark.parametrize("seed", range(12))
def test_a_release_of_everyone_shows_how_many_have_the_labels_of_a_row(seed):
    """The same people are recoded alike whoever of them is in the file, so a plain count of all tells each class."""
    rng, target = np.random.default_rng(seed), replace(RiskTarget.parse(*TARGETS[seed // 2 % 4]), sizes="population")
    everyone = random_file(rng, 500)
    everyone = everyone.with_columns({"person": CodedColumn.of([str(at) for at in range(500)])})
    file = everyone.take(rng.random(500) < 0.3)
    among = everyone, np.ones(500, dtype=np.int64)
    treatment = treated(target, seed % 2, limit=0.9)
    cells = key_cells_of(everyone, treatment, np.arange(500), among)
    every = local_recoding(cells, target).apply(everyone)
    counted = pd.DataFrame({name: every[name].texts() for name in KINDS}).value_counts().to_dict()
    cells = key_cells_of(file, treatment, np.arange(file.rows), among)
    recoded = local_recoding(cells, target)
    table = recoded.apply(file)
    released = list(zip(*(table[name].texts() for name in KINDS), strict=True))
    people = np.array([counted[texts] for texts in released])
    assert people.min() >= target.least
    assert target.measure == "maximum" or (1 / people).mean() <= target.threshold.risk
    by_text = recoded.people_by_text(cells)
    assert {texts: by_text[texts] for texts in released} == {texts: counted[texts] for texts in released}
    made = deidentify(file, treatment, population=among)
    assert made.generalization.is_local == (target.measure != "average")  # which one level meets with more detail
    losses = made.losses
    assert losses["loss"] == min(losses["local_loss"], losses["one_level_loss"]) < losses["file_loss"]


def test_a_project_among_people_is_recoded_locally(tmp_path, project_of_keys):
    """The dossier has both smallest classes; a check of the written file counts the people of each label again."""
    (tmp_path / "people.csv").write_text("age,sex\n" + "".join(f"{20 + n % 31},{'FM'[n % 2]}\n" for n in range(620)))
    (tmp_path / "f.csv").write_text("age,sex\n" + "".join(f"{20 + n % 23},{'FM'[n % 2]}\n" for n in range(60)))
    more = '[population]\nsource = "file"\nname = "people.csv"\n[settings]\nrecoding = "local"\n'
    target = 'threshold = "k=15"\nsizes = "population"\n'
    release = project_of_keys(tmp_path / "p.toml", {"age": "age", "sex": "sex"}, target, more, knows="no")
    figures = release.run(tmp_path / "out")
    assert figures["search"]["recoding"] == "local"
    assert figures["search"]["loss"] < figures["search"]["one_level_loss"]
    assert figures["after"]["population_smallest"] >= 15 > figures["after"]["smallest"]
    checked = {row["check"]: row for row in release.recheck(tmp_path / "out")}["the file, by today's answers"]
    assert (checked["holds"], "at several levels" in checked["why"]) == ("unknown", True)


def test_a_field_that_the_population_lacks_counts_in_the_file():
    """Of people whose zip nobody counted, nobody knows which label they would get."""
    file = random_file(np.random.default_rng(3), 200)
    among = file.without(["zip"]), np.full(200, 50)
    target = RiskTarget.parse("maximum", "k=5", sizes="population")
    made = deidentify(file, treated(target, False, limit=0.9), population=among)
    alone = deidentify(file, treated(replace(target, sizes="file"), False, limit=0.9))
    assert made.losses["local_loss"] == alone.losses["local_loss"]


def test_by_hand():
    """Three rows are of the only age of their ten years, three others meet in theirs, and 52 has nobody."""
    ages = ["30"] * 3 + ["41", "44", "48", "52"]
    rows = [(age, f"{age[0]}0s", "*") for age in sorted(set(ages))]
    table = coded(age=ages)
    cells = KeyCells.of_table(table, [given_hierarchy("age", rows)])
    made = local_recoding(cells, RiskTarget.parse("maximum", "k=3"))
    assert made.apply(table)["age"].texts().tolist() == ["30s"] * 3 + ["40s"] * 3
    assert made.released.tolist() == [True] * 6 + [False]
    assert made.loss(table) == pytest.approx((3 * 2 / 4 + 1) / 7)
    assert made.at_several_levels == ()
    assert made.labels("age")["41"] == "40s"


def test_a_class_is_cut_where_that_spares_most():
    """By hand: at k = 2, a cut leaves each sex intervals of 2 and 3 of the 5 ages, which both sexes have."""
    ages = ["20", "21", "22", "28", "29"]
    table = coded(age=ages * 2, sex=["F"] * 5 + ["M"] * 5)
    ladders = [given_hierarchy("age", [(age, "20-29", "*") for age in ages]), flat_ladder("sex", ["F", "M"])]
    cells = replace(KeyCells.of_table(table, ladders), levels=((0, 1, 2), (0,)))
    made = local_recoding(cells, RiskTarget.parse("maximum", "k=2"))
    assert made.apply(table)["age"].texts().tolist() == (["20-21"] * 2 + ["22-29"] * 3) * 2
    assert made.loss(table) == pytest.approx((3 * 2 / 4 + 2 * 1 / 4) / 5 / 2)
    assert made.rows_by_level(0) == {"interval": 10}
    assert made.at_several_levels == ("age",)
    assert made.labels("age") == {}


def test_an_interval_ends_where_enough_people_are():
    """The only person of 22 is no end of an interval: the class from 20 to 24 is, which five people have."""
    ages = ["20", "20", "22", "24", "24", "31", "31", "33", "34", "34"]
    rows = [(age, f"{age[0]}0-{age[0]}4", "20-39", "*") for age in sorted(set(ages))]
    table = coded(age=ages, sex=["F", "M", "F", "M", "F", "M", "F", "M", "M", "F"])
    ladders = [given_hierarchy("age", rows), flat_ladder("sex", ["F", "M"])]
    cells = replace(KeyCells.of_table(table, ladders), levels=((0, 1, 2, 3), (0,)))
    made = local_recoding(cells, RiskTarget.parse("maximum", "k=2"))
    for text, age in zip(made.apply(table)["age"].texts().tolist(), ages, strict=True):
        low, high = (text.split("-") * 2)[:2]
        assert low <= age <= high
        assert "22" not in text
        assert "33" not in text


@pytest.mark.parametrize("seed", range(3))
def test_no_day_of_birth_of_one_person_ends_an_interval(seed):
    """Days of 300 births, nearly all of one person: intervals begin and end with years or months that five share."""
    rng = np.random.default_rng(seed)
    births = (np.datetime64("1950-01-01") + rng.integers(0, 9000, 300)).astype(str).tolist()
    table = coded(birth=births, sex=rng.choice(["F", "M"], 300).tolist())
    keys = (Variable("birth", "key", "known", "birth_date"), Variable("sex", "key", "known", "sex"))
    made = deidentify(table, Treatment(target=RiskTarget.parse("maximum", "k=5"), recoding="local", variables=keys))
    texts = made.table["birth"].texts().tolist()
    assert sum("-" in text for text in texts) > 100
    for text, birth in zip(texts, np.array(births)[made.rows].tolist(), strict=True):
        low, *_, high = re.findall(r"\d{4}(?:-\d\d)*(?!\d)", text) * 2
        assert low <= birth <= f"{high}~"
        assert min(sum(other.startswith(end) for other in births) for end in (low, high)) >= 5


def test_no_cut_goes_below_the_finest_level_that_is_allowed():
    ages = [str(age) for age in range(20, 40)]
    rows = [(age, f"{age[0]}{'0-4' if age[1] < '5' else '5-9'}", f"{age[0]}0s", "*") for age in ages]
    table = coded(age=ages)
    cells = replace(KeyCells.of_table(table, [given_hierarchy("age", rows)]), levels=((1, 2, 3),))
    made = local_recoding(cells, RiskTarget.parse("maximum", "k=7"))
    texts = made.apply(table)["age"].texts().tolist()
    assert texts == ["20s"] * 10 + ["30s"] * 10  # two halves of a decade are a decade, whose labels are no range
    assert made.loss(table) == pytest.approx(9 / 19)


def test_a_field_is_kept_by_local_recoding():
    """Nine pairs of three ages and three places, each once: three in a class lose all ages, or all places."""
    pairs = [(age, place) for age in ("30", "31", "32") for place in "ABC"]
    table = coded_rows("ap", pairs)
    ladders = [flat_ladder("a", ["30", "31", "32"]), flat_ladder("p", list("ABC"))]
    cells = KeyCells.of_table(table, ladders)
    for weights, lost in (((10, 1), "p"), ((1, 10), "a")):
        made = local_recoding(replace(cells, weights=weights), RiskTarget.parse("maximum", "k=3"))
        released = made.apply(table)
        assert {name: set(released[name].values) == {"*"} for name in "ap"} == {name: name == lost for name in "ap"}


def test_too_many_nodes_are_thinned_out():
    table = random_file(np.random.default_rng(1), 50)
    cells = KeyCells.of_table(table, [given_hierarchy("sex", [("F", "*"), ("M", "*")])])
    assert list(nodes_by_loss(cells, most=1)) == [(0,), (1,)]


KEEP = 'threshold = "k=3"\n[settings]\nlimit = 0.0\nkeep = ["{}"]\nrecoding = "{}"\n'


def test_a_field_is_kept_by_the_project(tmp_path, project_of_keys):
    """By hand: three ages in three places, each pair once; for three in a class, all ages or all places must go."""
    rows = [f"{age},{place}" for age in ("30", "31", "32") for place in "ABC"]
    (tmp_path / "f.csv").write_text("age,Place\n" + "\n".join(rows) + "\n")
    kinds = {"age": "category", "Place": "category"}
    kept = {}
    for name in ("age", "place"):  # a name in other upper and lower case is the same column
        figures = project_of_keys(tmp_path / "p.toml", kinds, "", KEEP.format(name, "one-level")).run(tmp_path / name)
        kept[name] = figures["search"]["levels"]
        assert figures["search"]["objective_is"].endswith("10 times)")
    assert kept == {"age": {"age": "value", "Place": "nothing"}, "place": {"age": "nothing", "Place": "value"}}


@pytest.mark.parametrize(
    ("field", "recoding", "says"),
    [("agee", "one-level", "key field in keep 'agee' is not known"), ("sexx", "local", "key field in keep 'sexx'")],
)
def test_a_wish_that_nobody_can_keep_is_refused(tmp_path, project_of_keys, field, recoding, says):
    (tmp_path / "f.csv").write_text("age,sex\n" + "30,F\n" * 9)
    made = project_of_keys(tmp_path / "p.toml", {"age": "age", "sex": "sex"}, "", KEEP.format(field, recoding))
    with pytest.raises(PolicySimError, match=says):
        made.run(tmp_path / "out")
    assert not (tmp_path / "out").exists()


EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "k", "most"),
    [
        (("age", "education", "race", "sex"), 5, 0.0035),
        (("age", "education", "race", "sex"), 11, 0.008),
        (EIGHT, 5, 0.04),
    ],
)
def test_adult_loses_no_more_than_by_local_transformation(adult, fields, k, most):
    table, ladder = adult
    cells = KeyCells.of_table(table, [ladder(name) for name in fields])
    made = local_recoding(cells, RiskTarget.parse("maximum", f"k={k}"))
    released = made.apply(table)
    texts = pd.DataFrame({name: released[name].texts() for name in fields})
    assert texts.groupby(list(fields)).size().min() >= k
    assert made.loss(table) <= most
