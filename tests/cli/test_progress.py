"""Progress is silent for quick work and tells the step of slow work, on standard error."""

import threading

from policy_sim.cli import progress as module
from policy_sim.cli.progress import Progress


def test_quick_work_is_silent(capsys):
    with Progress() as progress:
        progress("counting")
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


def test_slow_work_tells_its_step(monkeypatch, capsys):
    told = threading.Event()
    monkeypatch.setattr(module, "_SILENT_SECONDS", 0.0)
    monkeypatch.setattr(module, "_LEAST_SECONDS", 0.0)
    echo = module.click.echo
    monkeypatch.setattr(module.click, "echo", lambda text, err: (echo(text, err=err), told.set()))
    with Progress() as progress:
        progress("counting the classes")
        assert told.wait(30)
    captured = capsys.readouterr()
    assert "counting the classes ..." in captured.err
    assert captured.out == ""
