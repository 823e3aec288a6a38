"""Long work says how far it is where somebody listens."""

from __future__ import annotations

from policy_sim.words import telling
from policy_sim.words.telling import each


def test_each_says_which_item_comes_next(monkeypatch):
    monkeypatch.setattr(telling, "_SECONDS", -1.0)  # no pause between two signs of life
    said = []
    with telling.telling(said.append):
        assert list(each(("a", "b"), "looking")) == ["a", "b"]
        with telling.telling(lambda _: None):
            list(each({"c": 1}, "looking"))
    assert list(each("de", "looking")) == ["d", "e"]
    assert said == ["looking: column 1 of 2", "looking: column 2 of 2"]
