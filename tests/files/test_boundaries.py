"""The shipped boundaries: whole, small, meeting at every edge; and a message names what a map cannot draw."""

import hashlib
import math
import tomllib

import numpy as np
import pytest
import shapely

from policy_sim.files import boundaries
from policy_sim.files.boundaries import APEX, boundaries_file, load_boundaries, place_counties, turn_upright
from policy_sim.files.paths import data_dir
from policy_sim.words.errors import SourceError, UnknownNameError
from policy_sim.words.states import STATES

# Land and inland water in square kilometers (Census Bureau, State Area Measurements 2010, total less coastal,
# Great Lakes and territorial water), of states drawn at full scale whose shapes are land and inland water.
AREAS = {"CO": 269_601, "WY": 253_335, "KS": 213_100, "IA": 145_746, "NV": 286_380, "TN": 109_153, "VT": 24_906}


@pytest.fixture(scope="module")
def counties():
    return load_boundaries("county")


@pytest.fixture(scope="module")
def states():
    return load_boundaries("state")


def codes_of(year):
    """Codes of the states and DC: 3,141 in 2000, 3,143 in 2010, 3,144 in 2022."""
    known = {code for code in load_boundaries("county").index if not code.startswith("72")}
    if year == 2000:
        made_since = {"08014", "02105", "02230", "02195", "02275", "02198"}
        return known - made_since | {"51560", "02232", "02280", "02201"}
    if year == 2022:
        gone = {"51515", "02270", "46113", "02261"} | {code for code in known if code.startswith("09")}
        regions = {f"091{n}0" for n in range(1, 10)}
        return known - gone | {"02158", "46102", "02063", "02066"} | regions
    return known


def test_the_manifest_has_the_checksum_of_each_file():
    facts = tomllib.loads((data_dir() / "manifest.toml").read_text(encoding="utf-8"))["boundaries"]
    for level in ("state", "county"):
        path = boundaries_file(level)
        assert facts[path.stem]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_every_county_and_state_has_a_valid_shape(counties, states):
    assert len(counties) == 3_221
    assert sorted(states.index) == sorted(STATES)
    for frame in (counties, states):
        assert frame.index.is_unique
        assert shapely.is_valid(frame["geometry"].to_numpy()).all()
        assert not shapely.is_empty(frame["geometry"].to_numpy()).any()


def test_neighbors_meet_without_gap_or_overlap(counties, states):
    assert shapely.coverage_is_valid(counties.geometry.to_numpy())
    assert shapely.coverage_is_valid(states.geometry.to_numpy())


def test_a_state_is_its_counties(counties, states):
    for code in ("OH", "VA", "AK", "HI", "PR", "DC"):
        parts = shapely.area(counties.geometry[counties["state"] == code].to_numpy()).sum()
        np.testing.assert_allclose(parts, states.geometry[code].area, rtol=1e-9)


def test_areas_are_those_of_the_states(states):
    """The projection keeps areas, and what simplification takes on one side it gives on the other."""
    for code, square_km in AREAS.items():
        assert states.geometry[code].area / 1e6 == pytest.approx(square_km, rel=0.001)


def test_labels_stand_in_their_state(states):
    points = shapely.points(states["label_x"].to_numpy(), states["label_y"].to_numpy())
    assert shapely.contains(states.geometry.to_numpy(), points).all()


def test_insets_do_not_touch_the_mainland(states):
    hulls = {code: states.geometry[code].convex_hull for code in ("AK", "HI", "PR")}
    rest = states[~states.index.isin(list(hulls))].geometry.to_numpy()
    for code, hull in hulls.items():
        assert shapely.distance(rest, hull).min() > 30_000, code


def test_a_level_that_is_not_there_is_named():
    with pytest.raises(UnknownNameError, match="tract"):
        load_boundaries("tract")


def test_a_damaged_file_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(boundaries, "data_dir", lambda: tmp_path)
    (tmp_path / "boundaries").mkdir()
    (tmp_path / "boundaries" / "states-2010.parquet").write_bytes(b"PAR1 nothing that is a table PAR1")
    load_boundaries.cache_clear()
    with pytest.raises(SourceError, match="cannot be read"):
        load_boundaries("state")
    load_boundaries.cache_clear()


def test_the_counties_of_2010_are_all_in_their_place():
    placement = place_counties(codes_of(2010))
    assert len(placement.drawn) == 3_143
    assert placement.notes() == ()


def test_the_counties_of_2000_are_drawn_or_named():
    codes = codes_of(2000)
    placement = place_counties(codes)
    assert len(codes) == 3_141
    moved = {area: code for area, code in placement.drawn.items() if area != code}
    assert moved == {"02105": "02232", "02230": "02232", "02195": "02280", "02198": "02201"}
    assert set(placement.not_drawn) == {"51560"}
    assert set(placement.blank) == {"08014", "02275"}
    assert any("Not drawn: 51560 (Clifton Forge" in note for note in placement.notes())
    assert any("Blank: 08014 (Broomfield" in note for note in placement.notes())


def test_the_counties_of_2022_are_drawn_or_named():
    codes = codes_of(2022)
    placement = place_counties(codes)
    assert len(codes) == 3_144
    moved = {area: code for area, code in placement.drawn.items() if area != code}
    # Middlesex is the one county of Connecticut that lies in one region.
    assert moved == {"02270": "02158", "46113": "46102", "51515": "51019", "09007": "09130"}
    assert set(placement.not_drawn) == {"02063", "02066"} | {f"091{n}0" for n in range(1, 10)} - {"09130"}
    assert {area for area in placement.blank if not area.startswith("09")} == {"02261"}


@pytest.mark.parametrize("year", [2000, 2010, 2022])
def test_no_code_and_no_area_is_silent(year):
    codes = codes_of(year)
    placement = place_counties(codes)
    assert set(placement.drawn.values()) | set(placement.not_drawn) == codes
    areas = {area for area in load_boundaries("county").index if not area.startswith("72")}
    assert set(placement.drawn) | set(placement.blank) == areas


def test_only_states_that_the_table_has_can_be_blank():
    placement = place_counties(["10001", "10003", "99999"])
    assert placement.blank == {"10005": "not in the table"}
    assert placement.not_drawn == {"99999": "the map has no such county"}


# States turned upright.


WASHINGTON, MAINE = ("53033", "53077"), ("23003", "23019")


def test_all_meridians_meet_where_another_program_lets_them_meet():
    pyproj = pytest.importorskip("pyproj")
    (x, east), (y, north) = pyproj.Transformer.from_crs(4269, 5070, always_xy=True).transform([-80, -80], [30, 45])
    assert y - x * (north - y) / (east - x) == pytest.approx(APEX, abs=0.1)


def test_the_turned_counties_lie_as_far_to_the_left_as_to_the_right():
    for counties in (WASHINGTON, MAINE):
        angle = turn_upright(counties)
        shapes = load_boundaries("county").loc[list(counties), "geometry"]
        points = np.concatenate([np.array(part.exterior.coords) for shape in shapes for part in parts(shape)])
        x, y = points[:, 0], points[:, 1] - APEX
        turned = np.column_stack([x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)])
        lean = np.arctan2(turned[:, 0], -turned[:, 1])
        assert lean.min() + lean.max() == pytest.approx(0, abs=1e-9)


def parts(shape):
    return getattr(shape, "geoms", [shape])


def test_west_and_east_turn_in_opposite_ways():
    assert turn_upright(WASHINGTON) * turn_upright(MAINE) < 0


NINE_STATES = [f"{state:02d}001" for state in (1, 4, 5, 6, 8, 10, 12, 13, 16)]


@pytest.mark.parametrize("counties", [(), ("02020",), ("53033", "15001"), NINE_STATES])
def test_what_is_upright_already_is_not_turned(counties):
    assert turn_upright(counties) == 0
