"""Projects inside dossiers."""

import pytest

from policy_sim.errors import InputError, SourceError
from policy_sim.release.release_dossiers import project_of
from policy_sim.render.document.blocks import Document, Verbatim
from policy_sim.render.document.html_document import html_document


def test_a_dossier_lends_its_project_and_leaves_nothing(tmp_path):
    text = 'title = "A & B"\r\n# <é>\n'
    (tmp_path / "d.html").write_bytes(html_document(Document("D", "a line", (Verbatim(text, "project"),))))
    with project_of(tmp_path / "d.html") as path:
        assert path.parent == tmp_path
        assert path.read_text(encoding="utf-8").replace("\r", "") == text.replace("\r", "")
    assert [each.name for each in tmp_path.iterdir()] == ["d.html"]


def test_a_project_file_is_itself(tmp_path):
    with project_of(tmp_path / "p.toml") as path:
        assert path == tmp_path / "p.toml"


def test_pages_that_carry_no_project(tmp_path):
    (tmp_path / "d.html").write_text("<p>")
    with pytest.raises(InputError, match="not the dossier"), project_of(tmp_path / "d.html"):
        pass
    with pytest.raises(SourceError, match="No such file"), project_of(tmp_path / "none.html"):
        pass
