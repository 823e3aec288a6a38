import pandas as pd

from policy_sim.render.summary import summary_table


def line(text, state):
    return next(line for line in text.splitlines() if line.startswith(f"{state} "))


def test_one_row_a_state_in_100_columns(profiles, trust, cost, footer):
    lines = summary_table(profiles, trust, cost, footer=footer).splitlines()
    assert max(map(len, lines)) <= 100
    states = [row[:2] for row in lines if row[:2].isupper() and row[2:4] == "  "]
    assert len(states) == len(set(states)) == 51


def test_people_and_per_cent_trust_and_cost_stand_in_the_row(profiles, trust, cost):
    """Ohio is the 36th state of the made-up frames: shares 0.0002 and 0.3 times 2.4, VOTER a fortieth."""
    assert line(summary_table(profiles, trust, cost), "OH").split() == (
        ["OH", "480", "0.048", "12", "0.0012", "720", "k", "72", "18", "k", "1.80", "1,500", "1,500", "free", "free"]
    )


def test_an_interval_is_marked_as_its_lower_end_and_explained(profiles, trust, cost):
    text = summary_table(profiles, trust, cost)
    assert line(text, "WA").count("+") >= 3
    assert "+ the lower end of a range" in text


def test_a_state_without_a_list_has_a_word_and_never_a_zero(profiles, trust, cost):
    text = summary_table(profiles, trust, cost)
    assert line(text, "CA").split().count("unsold") == 5
    assert line(text, "AZ").split().count("county") == 5
    assert "unsold: nobody can get a list" in text


def test_the_foot_follows_the_table(profiles, trust, cost, footer):
    text = summary_table(profiles, trust, cost, footer=footer)
    assert text.index("WY ") < text.index(footer[0])


def test_several_populations_follow_each_other(profiles, trust, cost):
    both = [pd.concat([frame, frame.assign(population="us-2000")]) for frame in (profiles, trust, cost)]
    text = summary_table(*both)
    assert text.index("population us-2020") < text.index("population us-2000")


def test_one_attacker_alone_keeps_its_head_whole(profiles, trust, cost):
    text = summary_table(
        profiles[profiles["attacker"] == "general"], trust[trust["attacker"] == "general"], cost.iloc[:0]
    )
    assert "total risk: Limited data set" in text.splitlines()[0]


def test_a_price_known_only_as_at_least_is_marked(profiles, trust, cost):
    rows = cost.copy()
    rows.loc[rows["state"] == "NV", "status"] = "at_least"
    text = summary_table(profiles, trust, rows)
    assert line(text, "NV").count("+") == 2
    assert "known only to be at least" in text


def test_an_interval_that_begins_at_nobody_shows_its_upper_end(profiles, trust, cost):
    unsure = profiles.copy()
    unsure.loc[unsure["state"] == "WA", ["people", "share"]] = 0
    text = summary_table(unsure, trust, cost)
    assert "≤" in line(text, "WA")
    assert "≤ the upper end of a range that starts at 0" in " ".join(text.split())


def test_a_price_is_of_the_list_or_of_the_file_that_is_bought(profiles, trust, cost):
    assert "price of the voter list divided by" in summary_table(profiles, trust, cost)
    file = cost.assign(attacker="births")
    assert "price of the file divided by" in summary_table(profiles, trust, file)
    both = summary_table(profiles, trust, pd.concat([file, cost.assign(attacker="voter")]))
    assert "price of the file, BIRTHS, divided by" in both
