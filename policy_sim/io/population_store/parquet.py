"""Write and read a population as Parquet: small, and the same bytes from the same cells.

Every writer option that changes the file is fixed here. The file also contains the version of the
Parquet library, so bytes are equal for one version of pyarrow, and :func:`content_digest` is equal for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.errors import SourceError
from policy_sim.io.files import replace_file, sha256_of
from policy_sim.population.ages import AGE_WIDTHS, AGES
from policy_sim.population.cells import RACES, SEXES
from policy_sim.states import POSTAL_OF_FIPS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["cells_of", "content_digest", "parse_cells", "read_cells", "to_parquet", "write_cells"]

_NUMBERS = ("age", "age_width", "people")
# Sorted by place, sex, race and age: neighboring rows differ little, and the file stays small.
_ORDER = ("state", "county", "sex", "age", "age_width", "race", "people")
_WRITER: dict[str, Any] = {
    "version": "2.6",
    "data_page_version": "1.0",
    "data_page_size": 1 << 20,
    "dictionary_pagesize_limit": 1 << 20,
    "row_group_size": 1 << 24,
    "compression": "zstd",
    "compression_level": 19,
    "use_dictionary": ["state", "county", "sex", "age_width", "race"],
    "column_encoding": {"age": "DELTA_BINARY_PACKED", "people": "DELTA_BINARY_PACKED"},
    "write_statistics": False,
    "write_page_index": False,
    "write_page_checksum": False,
    "store_schema": True,
}


def cells_of(people: NDArray[np.int64], counties: tuple[str, ...]) -> pd.DataFrame:
    """Turn an array (counties, 2 sexes, 103 ages, 7 races) into cells, without the empty ones."""
    county, sex, race, age = np.nonzero(np.moveaxis(people, 3, 2))
    states = sorted({POSTAL_OF_FIPS[code[:2]] for code in counties})
    state_of_county = np.array([states.index(POSTAL_OF_FIPS[code[:2]]) for code in counties])
    return pd.DataFrame(
        {
            "state": _categorical(state_of_county[county], states),
            "county": _categorical(county, counties),
            "sex": _categorical(sex, SEXES),
            "age": AGES[age].astype(np.int64),
            "age_width": AGE_WIDTHS[age].astype(np.int64),
            "race": _categorical(race, RACES),
            "people": people[county, sex, age, race],
        }
    )


def _categorical(codes: NDArray[Any], labels: Sequence[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, pd.Index(labels))


def to_parquet(cells: pd.DataFrame) -> bytes:
    """Return the cells of a population as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: cells[name] for name in _ORDER if name in cells}
    table = pa.table(
        {
            name: pa.array(column.to_numpy(np.int32) if name in _NUMBERS else column.array)
            for name, column in columns.items()
        }
    )
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, **_WRITER)
    content: bytes = buffer.getvalue().to_pybytes()
    return content


def write_cells(cells: pd.DataFrame, path: Path) -> str:
    """Write the cells of a population and return the sha256 of the file."""
    content = to_parquet(cells)
    replace_file(path, content)
    return sha256_of(content)


def read_cells(path: Path, sha256: str = "") -> pd.DataFrame:
    """Read cells that :func:`write_cells` wrote, text columns categorical, without checking them again.

    Raises
    ------
    SourceError : the file is missing, damaged, or not the one with the checksum ``sha256``.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror or error}).") from error
    if sha256 and sha256_of(content) != sha256:
        raise SourceError(
            f"{path} is not the shipped file (its checksum differs). "
            "Install policy-sim again, or rebuild it with `policy-sim population build`."
        )
    return parse_cells(content)


def parse_cells(content: bytes) -> pd.DataFrame:
    """Turn the bytes of a Parquet file into cells."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # ParquetFile, not read_table: that one imports the data set machinery, a tenth of a second.
    table: pa.Table = pq.ParquetFile(pa.BufferReader(content)).read()
    for name in _NUMBERS:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table.column(place).cast(pa.int64()))
    frame: pd.DataFrame = table.to_pandas(split_blocks=True)  # no copy to lay columns side by side
    return frame


def content_digest(cells: pd.DataFrame) -> str:
    """Return a sha256 of the cells themselves, whatever file or library version holds them."""
    parts: list[bytes] = []
    for name in (name for name in _ORDER if name in cells):
        column = cells[name]
        parts.append(name.encode())
        if name in _NUMBERS:
            parts.append(column.to_numpy("<i8").tobytes())
        else:
            labels = sorted(map(str, column.cat.categories))
            parts.append("\n".join(labels).encode())
            parts.append(column.cat.set_categories(labels).cat.codes.to_numpy("<i4").tobytes())
    return sha256_of(*parts)
