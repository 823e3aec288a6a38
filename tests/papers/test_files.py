from __future__ import annotations

import pytest

from policy_sim.files import toml as toml_files
from policy_sim.papers import printed_figure as published
from policy_sim.words.errors import SchemaError, UnknownNameError


def test_a_number_is_read_with_its_last_digit():
    assert published._number("3,159,764") == (3159764.0, 1.0)
    assert published._number("0.0003") == (0.0003, pytest.approx(1e-4))
    assert published._number("nearly 1") == (None, 0.0)


def test_an_unknown_paper_is_named():
    with pytest.raises(UnknownNameError, match="paper"):
        published.load_paper("nobody-1999")


def test_every_problem_of_a_file_at_once(tmp_path, monkeypatch):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "bad.toml").write_text(
        'title = "t"\n[tolerance.exact]\nshare = 0.0\nwhy = "w"\n'
        '[[figure]]\nid = "a"\nwhere = "T"\nwhat = "w"\nprinted = "some"\nunit = "miles"\ntolerance = "loose"\n'
        '[[figure]]\nid = "a"\nwhere = "T"\nwhat = "w"\nprinted = "1"\nunit = "usd"\ntolerance = "exact"\n'
        "ask = {}\nshoe = 1\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(toml_files, "data_dir", lambda: tmp_path)
    with pytest.raises(SchemaError) as error:
        published.load_paper("bad")
    text = "\n".join(error.value.lines)
    for words in ("appears twice", "ask is missing", "unit is not", "tolerance is not", "not a number", "shoe is not"):
        assert words in text
