"""States with a counted table of county, sex, age and race: it ships, and fits without it are compared with it.

For Texas these are tables PCT12A to PCT12G of Census 2000 and 2010; for Kentucky, tables P12A to P12G of Census 2010.
They are counts of the U.S. Census Bureau, in the public domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.building.official_tables import ORIGIN_ORDER, RACE_LABELS, SEX_ORDER, read_table, to_array
from policy_sim.population.ages import AGES, CLASS_STARTS

__all__ = ["JOINT_TABLES", "JointTable", "joint_of_year", "read_texas"]


_TEXAS, _KENTUCKY = "48", "21"


@dataclass(frozen=True)
class JointTable:
    """A state and census with a counted table of county, sex, age and race.

    Attributes
    ----------
    name : The state.
    state : Two-digit FIPS code.
    year : The census.
    file : File in the folder of official tables.
    source : Table, release and origin of the file, for the manifest.
    """

    name: str
    state: str
    year: int
    file: str
    source: str

    def counted(self, folder: Path) -> IntArray:
        """Return people by county, sex, age (103 in Texas, 23 classes in Kentucky) and race.

        Raises
        ------
        SourceError : the file is missing or damaged.
        """
        if self.state == _TEXAS:
            return np.moveaxis(read_texas(folder, self.year)[1].sum(axis=1), 1, -1)
        table = read_table(folder, self.file)
        counties = sorted(table["county_fips"].unique().tolist())
        axes = {"county_fips": counties, "sex": SEX_ORDER, "age": CLASS_STARTS.tolist(), "race": RACE_LABELS}
        return to_array(table[table["in_partition"]], axes, self.file).astype(np.int64)


def _texas(year: int) -> JointTable:
    return JointTable(
        "Texas",
        _TEXAS,
        year,
        f"county_{year}_pct12_race_origin_texas.parquet",
        f"Census {year} Summary File 1, tables PCT12A to PCT12G: Texas, county by sex, 103 ages and race, counted. "
        "Obtained from RussJones007/tarr.pop, inst/extdata/census_decennial_county_1y.h5, commit 7b90d23c; DeWitt "
        "County, empty there, is the state less its other 253 counties",
    )


_KENTUCKY_2010 = JointTable(
    "Kentucky",
    _KENTUCKY,
    2010,
    "county_2010_sf1_p12a_i_kentucky.parquet",
    "Census 2010 Summary File 1, tables P12A to P12G: Kentucky, county by sex, 23 age classes and race, counted. "
    "Counts of the Bureau, in the public domain, read from an extract that IPUMS NHGIS (University of Minnesota) "
    "compiled and asks to be cited: edyhsgr/DP2010DemoDataReview, nhgis_ppdd_20200730_county_KY_ExtractColumns.csv, "
    "commit 02219784. The extract itself does not ship",
)
JOINT_TABLES = (_texas(2000), _texas(2010), _KENTUCKY_2010)


def joint_of_year(folder: Path, year: int) -> dict[str, IntArray]:
    """Read every joint table of a census, by the FIPS code of the state; shapes as :meth:`JointTable.counted`.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    return {table.state: table.counted(folder) for table in JOINT_TABLES if table.year == year}


def read_texas(folder: Path, year: int) -> tuple[list[str], IntArray]:
    """Read the counties of Texas and their people; shape (counties, 2 origins, 7 races, 2 sexes, 103 ages).

    Raises
    ------
    SourceError : the file is missing or damaged.
    """
    name = f"county_{year}_pct12_race_origin_texas.parquet"
    table = read_table(folder, name)
    counties = sorted(table["county_fips"].unique().tolist())
    axes = {"county_fips": counties, "hispanic": ORIGIN_ORDER, "race": RACE_LABELS, "sex": SEX_ORDER}
    return counties, to_array(table, {**axes, "age": AGES.tolist()}, name).astype(np.int64)
