from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.io.population_store.cache import Entry
from policy_sim.io.populations.kept import load_kept, rebuild

CELLS = pd.DataFrame({"state": ["DE", "DE"], "age": [0, 1], "age_width": [1, 1], "people": [41, 1]})
WORDS = dict.fromkeys(("title", "publisher", "how", "universe", "geography", "ages", "retrieved"), "made up")


def put(cache, **origin):
    entry = Entry("made-up", date="2010-04-01", counted=1.0, estimated=0.0, addresses=(), notes=(), checks=(), **WORDS)
    return cache.put(Entry(**{**vars(entry), "origin": origin}), CELLS.astype({"state": "category"}))


def test_a_sound_file_is_read_whatever_became_of_its_origin(cache):
    put(cache)
    assert load_kept("made-up", cache).people == 42


@pytest.mark.parametrize("origin", [{}, {"kind": "answers", "edition": "1790"}, {"kind": "files", "options": {}}])
def test_a_damaged_file_whose_origin_is_gone_is_one_line(origin, cache):
    entry = put(cache, **origin)
    (cache.folder / entry.file).write_bytes(b"damaged")
    with pytest.raises(SourceError, match="Fetch or load made-up again"):
        load_kept("made-up", cache)
    with pytest.raises(SourceError, match=entry.file):
        rebuild(cache, entry)


def test_an_unknown_name_is_refused(cache):
    with pytest.raises(UnknownNameError, match="other"):
        load_kept("other", cache)
