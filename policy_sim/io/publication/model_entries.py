"""The program, and the papers of its model, as BibTeX: what every answer rests on, whatever its data."""

from __future__ import annotations

__all__ = ["model_entries"]

_TITLE = "re-identification risk of de-identified health records by state, policy, attacker and price"
_ENTRIES = """\
@software{{policy-sim,
  author = {{{{The policy\\_sim authors}}}},
  title = {{{{policy\\_sim: {title}}}}},
  version = {{{version}}}
}}

@inproceedings{{golle-2006,
  author = {{Golle, Philippe}},
  title = {{{{Revisiting the uniqueness of simple demographics in the US population}}}},
  booktitle = {{Proceedings of the 5th ACM Workshop on Privacy in the Electronic Society}},
  year = {{2006}},
  pages = {{77--80}},
  doi = {{10.1145/1179601.1179615}}
}}

@article{{benitez-malin-2010,
  author = {{Benitez, Kathleen and Malin, Bradley}},
  title = {{{{Evaluating re-identification risks with respect to the HIPAA privacy rule}}}},
  journal = {{Journal of the American Medical Informatics Association}},
  year = {{2010}},
  volume = {{17}},
  number = {{2}},
  pages = {{169--177}},
  doi = {{10.1136/jamia.2009.000026}}
}}
"""


def model_entries(version: str) -> str:
    """Return the entries of the program and of the two papers whose model it computes.

    Parameters
    ----------
    version : The version of the program.

    Examples
    --------
    >>> model_entries("0.1.0").splitlines()[0]
    '@software{policy-sim,'
    """
    return _ENTRIES.format(version=version, title=_TITLE)
