"""Every number of a page against the same page for other places: it changes, has its region, or is a constant."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)|<a id=[^>]*></a>")
_REGION = re.compile(r"[Aa]ll of (the )?[A-Z]|everyone in |among the states|everyone's records")
_EVERY_NUMBER = "Every number"

# What no file changes, and where it comes from. A whole line is one of these, or a part of a line that is left out.
LINES = {
    r"Medicare|Medicines Agency|Ontario|cancer registries|^HIPAA names": "data/thresholds.toml",
    r"gain per right name|cost of an attempt|right name is worth": "data/economics",
    r"newest source|oldest fact|voter list gives|Its price|It is free|list, vintage": "voter_policies",
    r"price of the voter list": "voter_policies",
    r"full date|first 3 digits|classes of|90 and over": "what the policies show",
    r"^- (Population|Options|Registered|Noise|ZIP codes|Ethnicity)|Census Bureau": "how it is computed",
    r"birthdays|Golle|policy_sim": "how it is computed",
    r"ways that we measured": "the search of all ways to show a field",
    r"All 18 kinds": "the regulation",
    r"How to cite|policy_sim \d": "the release of the program",
    r"^\| .* \| (high|medium|low|–) \|$": "voter_policies",
    r"share of these claims that are correct: .*general": "an attacker who knows everyone makes no wrong claims",
    r"^Sources\.": "voter_policies",
    r"[Rr]eview by|Background|^\*\*Until|Today's date": "the date of the page",
    r"^- In a group of 5 or fewer, A$": "the size of a group, a setting of the explorer",
    r"^- 100%$": "a share of everyone, which cannot be larger",
    r"^- .*(has the voter list|knows everyone)[<0-9]": "the bars: rounded from the table of figures beside them",
}
PARTS = (
    r"45 CFR [\d.()a-zA-Z]*\d[\d.()a-zA-Z]*|\(C\)\(\d\)",  # the regulation
    r"of every (100|10,000)|\b11 people",
    r"\b20\d\d-\d\d(-\d\d)?\b|address \d",  # of sources
    r"census of 20\d\d|us-20\d\d|(January|May|June|November|December) (\d+, )?20\d\d|\b20\d\d\b",
    r"sections? [\d and]+|below \d+%|5-digit|three-digit|2-digit|95%",
)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line that has a number besides constants, with the heading and the caption above it."""
    heading = caption = ""
    for line in text.splitlines():
        if line.startswith("!["):
            continue
        plain = _LINK.sub(lambda link: link[1] or "", line).replace("\\", "")
        if plain.startswith("#"):
            heading, caption = plain, ""
        elif plain and not plain.startswith(("|", "-")):
            caption = plain
        if _EVERY_NUMBER in heading:
            cells = plain.split(" | ")
            plain, caption = cells[0], " | ".join(cells[1:2])
        for part in PARTS:
            plain = re.sub(part, "", plain)
        if _NUMBER.search(plain) and not any(re.search(pattern, line) for pattern in LINES):
            yield plain, f"{heading} {caption}"


def unexplained(first: str, second: str) -> list[str]:
    """Return the numbers of a page that are the same on that for other places, with neither a region nor a source."""
    others = {_key(*line): _NUMBER.findall(line[0]) for line in _lines(second)}
    alike = []
    for line, above in _lines(first):
        numbers = others.get(_key(line, above), [])
        if numbers == _NUMBER.findall(line) and not _REGION.search(f"{above} {line}"):
            alike.append(f"{above}: {line}")
    return alike


def compared(first: str, second: str) -> int:
    """Return how many lines with numbers of a page the other has too, with numbers of its own or the same."""
    others = {_key(*line) for line in _lines(second)}
    return sum(_key(*line) in others for line in _lines(first))


def _key(line: str, above: str) -> str:
    """Return a line with what stands above it, without its numbers."""
    return _NUMBER.sub("#", f"{above} {line}")
