from policy_sim.attackers.resource_tables import resource_facts_frame, resources_frame
from policy_sim.io.resource_files import list_resources, load_resource
from policy_sim.render.resource_text import resource_list_text, resource_text


def test_every_resource_has_a_line():
    text = resource_list_text(resources_frame(load_resource(name) for name in list_resources()), width=300)
    for name in list_resources():
        assert sum(line.startswith(f"{name} ") for line in text.splitlines()) == 1
    (line,) = [line for line in text.splitlines() if line.startswith("denton")]
    assert "0% to 3.12%" in line
    (line,) = [line for line in text.splitlines() if line.startswith("broker-military")]
    assert "0.01 USD a record to 0.32 USD a record" in line


def test_one_with_its_notes_and_sources_each_once():
    text = resource_text(resource_facts_frame(load_resource("texas-birth-index")), width=100)
    assert text.startswith("texas-birth-index: summary birth index of Texas\n")
    assert "at most 15,000,000 in TX" in text
    assert text.count("https://gavvy.com/details/18123-indexes-for-vital-records") == 1
    assert max(map(len, text.splitlines())) <= 100


def test_nothing_that_a_terminal_would_obey(tmp_path):
    path = tmp_path / "odd.toml"
    path.write_text('name = "odd"\ntitle = "a\\u001b[31mb"\nkind = "k"\nstates = "all"\n', encoding="utf-8")
    assert "\x1b" not in resource_text(resource_facts_frame(load_resource(path)))
