from __future__ import annotations

import numpy as np

from policy_sim.analyses.attack.made_up_names import made_up_names


def names(number, seed=0):
    return made_up_names(number, np.random.default_rng(seed)).tolist()


def test_a_seed_gives_its_names_again_and_another_gives_others():
    assert names(50) == names(50)
    assert names(50) != names(50, 1)


def test_every_name_is_a_given_and_a_family_name():
    assert names(0) == []
    drawn = names(500)
    assert len(drawn) == 500
    assert all(len(name.split(" ")) == 2 and name.replace(" ", "").isalpha() for name in drawn)


def test_names_are_many_and_each_word_about_equally_likely():
    """Of 30,000 draws each of 3,024 words is expected 9.9 times; 40 would be more than nine deviations."""
    given = [name.split()[0] for name in names(30_000)]
    _, counts = np.unique(given, return_counts=True)
    assert 3_000 <= len(counts) <= 3_024
    assert counts.max() < 40
