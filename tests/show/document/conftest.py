"""A small document with one of everything."""

import io

import pytest
from PIL import Image

from policy_sim.show.document import Bullets, Document, DocumentTable, Heading, Notice, Paragraph, Picture, Verbatim


@pytest.fixture
def document():
    png = io.BytesIO()
    Image.new("RGB", (40, 20), "gray").save(png, "PNG")
    return Document(
        "Who is <at> risk & why",
        "Ohio, 2020",
        (
            Paragraph("The answer is [[n1|1,442 people]] of **11,799,448**.", "lead"),
            Notice("Old fact.", "It is from 2017: see [[how|methods]]."),
            Heading("Methods", key="how"),
            Bullets(("One | two", "Three *stars*")),
            Picture(png.getvalue(), "a gray box", "A box"),
            DocumentTable(
                ("number", "what"), (("1,442", "people <b>"), ("3", "a|b")), "Appendix", ("n1", "n2"), frozenset({0})
            ),
            Paragraph("A note.", "small"),
            Verbatim("a = 1  # <mine> ``x``\n\tb = 2\n", "file"),
        ),
        "policy_sim",
    )
