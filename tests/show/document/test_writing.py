"""A document goes to the format that its file's name says, whole or not at all."""

import pytest

from policy_sim.show.document import DOCUMENT_FORMATS, document_bytes, write_document
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.mark.parametrize(("form", "start"), [("html", b"<!DOCTYPE"), ("docx", b"PK"), ("pdf", b"%PDF"), ("md", b"# ")])
def test_each_format(document, tmp_path, form, start):
    path = tmp_path / f"d.{form.upper()}"
    write_document(document, path)
    assert path.read_bytes().startswith(start)
    assert set(DOCUMENT_FORMATS) == {"html", "docx", "pdf", "md"}


def test_another_format_is_refused_and_nothing_is_written(document, tmp_path):
    with pytest.raises(UnknownNameError, match="html"):
        document_bytes(document, "rtf")
    with pytest.raises(InputError, match=r"'d\.rtf' does not end in a format .* \.docx, \.pdf, \.md"):
        write_document(document, tmp_path / "d.rtf")
    with pytest.raises(InputError, match="'brief' does not end"):
        write_document(document, tmp_path / "brief")
    assert not list(tmp_path.iterdir())
