"""Progress is silent for quick work and shows the step of slow work, on standard error only."""

import io
import threading

import pytest
from rich.console import Console

from policy_sim.cli.output import Progress


class Screen(io.StringIO):
    """A stream that says when it has received some words."""

    def __init__(self, words):
        super().__init__()
        self.words, self.arrived = words, threading.Event()

    def write(self, text):
        written = super().write(text)
        if self.words in self.getvalue():
            self.arrived.set()
        return written


def test_quick_work_is_silent(capfd):
    with Progress() as progress:
        progress("counting")
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_a_file_gets_no_line_before_the_work_is_long():
    log = io.StringIO()
    with Progress(Console(file=log), silence=3600) as progress:
        for step in range(1000):
            progress(f"step {step}")
    assert log.getvalue() == ""


def test_a_file_gets_plain_lines_of_long_work():
    log = Screen("counting the classes ...")
    with Progress(Console(file=log), silence=0) as progress:
        progress("counting the classes")
        assert log.arrived.wait(30)
    assert "\x1b" not in log.getvalue()


def test_a_terminal_shows_one_long_step_and_clears_it():
    screen = Screen("counting [all] classes")
    console = Console(file=screen, force_terminal=True, width=100)
    with Progress(console, silence=0) as progress:
        progress("counting [all] classes")
        assert screen.arrived.wait(30)
    assert screen.getvalue().endswith("\x1b[2K")  # the line is erased


def test_a_terminal_is_silent_for_quick_work():
    screen = io.StringIO()
    with Progress(Console(file=screen, force_terminal=True), silence=3600) as progress:
        progress("counting")
    assert "counting" not in screen.getvalue()


def test_a_step_cannot_write_controls_to_the_terminal():
    log = Screen("evil")
    with Progress(Console(file=log), silence=0) as progress:
        progress("evil\x1b[2J\nname")
        assert log.arrived.wait(30)
    assert "\x1b" not in log.getvalue()
    assert len(log.getvalue().splitlines()) == log.getvalue().count(" ...")


def test_an_error_passes_through_and_ends_the_display():
    with pytest.raises(ValueError, match="broken"), Progress(Console(file=io.StringIO()), silence=0):
        raise ValueError("broken")
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
