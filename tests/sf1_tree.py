"""Summary File 1 as the project states that the Bureau lays it out, written from tables we made."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.people.census.load import GEOCOMP, LAYOUTS, LOGRECNO, SUMLEV
from policy_sim.people.census.tables import SINGLE_YEARS, SexByAge
from policy_sim.people.facts import Published
from policy_sim.words.states import STATES

Layout = tuple[dict[str, tuple[int, int]], dict[str, int]]  # column -> (start, length); table -> segment
_NAMES = {
    2000: ("{state}geo.uf1", "{state}{segment:05d}.uf1", "{state}geo_uf1.zip", "{state}{segment:05d}_uf1.zip"),
    2010: ("{state}geo2010.sf1", "{state}{segment:05d}2010.sf1", "{state}2010.sf1.zip", "{state}2010.sf1.zip"),
}


def own_layout(year: int) -> Layout:
    """Return the columns of the header and the segments of the tables."""
    ours = LAYOUTS[f"sf1-{year}"]
    places = {"SUMLEV": SUMLEV, "GEOCOMP": GEOCOMP, "LOGRECNO": LOGRECNO, "STATE": ours.state, "COUNTY": ours.county}
    places |= {
        "TRACT": ours.tract,
        "FILEID": slice(0, 6),
        "STUSAB": slice(6, 8),
        "NAME": slice(200, 290) if year == 2000 else slice(226, 316),
        "POP100": ours.people,
    }
    header = {name: (where.start, where.stop - where.start) for name, where in places.items()}
    return header, {f"PCT012{letter}": segment for letter, segment in ours.segments.items()}


def write_sf1(tables: SexByAge, year: int, folder: Path, *, zipped: bool = False) -> None:
    """Write a header and segments a state, with lines of other summary levels between the counties'."""
    layout, segments = own_layout(year)
    width = max(start + length for start, length in layout.values())
    header_name, segment_name, header_zip, segment_zip = _NAMES[year]
    people = sum(tables.counts[letter][:, 0] for letter in "ABCDEFG")
    everyone = [letter for letter in ("", *"ABCDEFGHIJKLMNO") if letter in tables.counts]
    for postal in dict.fromkeys(tables.places["state"]):
        rows = np.flatnonzero((tables.places["state"] == postal).to_numpy())
        fips, state = STATES[postal].fips, postal.lower()

        def line(level, geocomp, number, county="", count=0, tract="", state_fips=fips, usps=postal):
            text = [" "] * width
            fields = {
                "FILEID": "uSF1",
                "STUSAB": usps,
                "SUMLEV": level,
                "GEOCOMP": geocomp,
                "LOGRECNO": f"{number:07d}",
                "STATE": state_fips,
                "COUNTY": county,
                "TRACT": tract,
                "NAME": f"Place {county}\xf1",
                "POP100": f"{count:>9}",
            }
            for name, value in fields.items():
                start, length = layout[name]
                text[start : start + length] = value.ljust(length)[:length]
            return "".join(text).encode("latin-1") + b"\r\n"

        lines = [line("040", "00", 1, count=int(people[rows].sum()))]
        numbers = {}
        for row in rows:
            numbers[row] = 10 * (int(row) + 1)
            county = tables.places["county"].iloc[row][2:]
            tract = tables.places["tract"].iloc[row][5:] if "tract" in tables.places else ""
            level = "140" if tract else "050"
            lines.append(line(level, "00", numbers[row], county, int(people[row]), tract))
            lines.append(line(level, "01", numbers[row] + 1, county, 1))  # its urban part: not wanted
            lines.append(line("060", "00", numbers[row] + 2, county, 1))
        _put(folder, header_name.format(state=state), header_zip.format(state=state), b"".join(lines), zipped)
        for letter in everyone:
            segment = segments[f"PCT012{letter}"]
            text = [f"uSF1,{postal},000,{segment:02d},0000001," + ",".join(["0"] * tables.shape.columns)]
            for row in rows:
                counts = ",".join(map(str, tables.counts[letter][row].tolist()))
                text.append(f"uSF1,{postal},000,{segment:02d},{numbers[row]:07d},{counts}")
                text.append(f"uSF1,{postal},000,{segment:02d},{numbers[row] + 1:07d},{counts}")
            _put(
                folder,
                segment_name.format(state=state, segment=segment),
                segment_zip.format(state=state, segment=segment),
                ("\r\n".join(text) + "\r\n").encode(),
                zipped,
            )


def invented_nation(counties: list[str]) -> SexByAge:
    """At least one person in every county × sex × age × race: of 3,219 counties, 4,641,798 cells."""
    postal = {state.fips: state.postal for state in STATES.values()}
    places = pd.DataFrame({"state": [postal[code[:2]] for code in counties], "county": counties})
    rng = np.random.default_rng(5)
    counts = {}
    for letter in "ABCDEFG":
        table = rng.geometric(0.02, (len(counties), SINGLE_YEARS.columns))
        for sex, total in enumerate(SINGLE_YEARS.sex_totals):
            table[:, total] = table[:, SINGLE_YEARS.ages_of(sex)].sum(axis=1)
        table[:, 0] = table[:, list(SINGLE_YEARS.sex_totals)].sum(axis=1)
        counts[letter] = table
    return SexByAge(SINGLE_YEARS, places, counts)


def totals(tables: SexByAge, year: int) -> Published:
    """What an invented census would have printed."""
    people = pd.Series(sum(tables.people(letter) for letter in "ABCDEFG"))
    by_state = people.groupby(tables.places["state"].to_numpy()).sum().to_dict()
    return Published(year, by_state, frozenset(tables.places["county"]))


def _put(folder: Path, name: str, archive: str, content: bytes, zipped: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if zipped:
        with zipfile.ZipFile(folder / archive, "a", zipfile.ZIP_DEFLATED) as file:
            file.writestr(name, content)
    else:
        (folder / name).write_bytes(content)
