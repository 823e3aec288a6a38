import xml.etree.ElementTree as ET

import pytest
from matplotlib.figure import Figure

from policy_sim.errors import OutputError
from policy_sim.render.maps.comparison_maps import total_risk_map
from policy_sim.render.save import save_figure, save_figures


def test_the_same_figure_is_the_same_bytes(profiles, footer, tmp_path):
    written = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        figure = total_risk_map(profiles, "limited-dataset", "voter", footer)
        written.append([path.read_bytes() for path in save_figure(figure, tmp_path / name / "map")])
    assert written[0] == written[1]


def test_an_svg_is_text_that_can_be_searched_and_holds_no_clock(profiles, footer, tmp_path):
    figure = total_risk_map(profiles, "limited-dataset", "voter", footer)
    (path,) = save_figure(figure, tmp_path / "map", ["svg"])
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    words = " ".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "Total risk, Limited data set × VOTER: expected" in words
    assert "OH" in words.split(), "labels are text, whatever their halos are"
    assert not list(root.iter("{http://purl.org/dc/elements/1.1/}date"))


def test_dots_in_a_name_stay(tmp_path):
    (path,) = save_figure(Figure(), tmp_path / "map-v1.2", ["png"])
    assert path.name == "map-v1.2.png"


def test_nothing_is_left_behind_when_writing_fails(tmp_path):
    (tmp_path / "map.png").mkdir()
    with pytest.raises(OutputError, match=r"map\.png: cannot be written"):
        save_figure(Figure(), tmp_path / "map", ["png"])
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(OutputError, match="No such file"):
        save_figure(Figure(), tmp_path / "nowhere" / "map")


def test_figures_are_drawn_one_at_a_time(tmp_path):
    alive = []

    def figures():
        for name in ("a", "b"):
            alive.append((name, sorted(path.name for path in tmp_path.iterdir())))
            yield name, Figure(figsize=(1, 1))

    save_figures(figures(), tmp_path)
    assert alive == [("a", []), ("b", ["a.png", "a.svg"])]


def test_a_policy_of_any_name_gives_a_file_that_every_disk_takes(tmp_path):
    paths = save_figures([("map-../a b=c (age<90+county>20000)-voter", Figure())], tmp_path, ["png"])
    assert [path.name for path in paths] == ["map-..-a-b=c-age-90+county-20000--voter.png"]
    assert paths[0].parent == tmp_path


def test_policies_of_like_names_do_not_write_over_each_other(tmp_path):
    names = ["map-a b", "map-a-b", "map-A-b", "map-a-b-2"]
    paths = save_figures([(name, Figure(figsize=(1, 1))) for name in names], tmp_path, ["png"])
    assert [path.stem for path in paths] == ["map-a-b", "map-a-b-2", "map-A-b-3", "map-a-b-2-2"]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_name_with_control_characters_gives_a_well_formed_svg(profiles, tmp_path):
    rows = profiles[(profiles["policy"] == "safe-harbor") & (profiles["attacker"] == "general")]
    name = "ours\x00\x1b[2J\ufffe & <b>"
    figure = total_risk_map(rows.assign(policy=name), name, "general", ["note\x07"])
    (path,) = save_figure(figure, tmp_path / "map", ["svg"])
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    words = " ".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "ours\ufffd\ufffd[2J\ufffd & <b>" in words
