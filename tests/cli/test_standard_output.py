"""Standard output, written to its end."""

import io
import sys

from policy_sim.cli.output import put


class Slow(io.RawIOBase):
    """An unbuffered stream that takes three bytes at a time, as a pipe may."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, data):
        part = bytes(data[:3])
        self.taken += part
        return len(part)

    def flush(self):
        pass


class Text:
    """Standard output over a stream of bytes."""

    def __init__(self, buffer, encoding="utf-8"):
        self.buffer, self.encoding = buffer, encoding

    def flush(self):
        pass


def test_a_stream_that_takes_a_part_gets_the_rest(monkeypatch):
    stream = Slow()
    monkeypatch.setattr(sys, "stdout", Text(stream))
    put("état,1\n" * 100)
    put(b"\x00\xff")
    assert stream.taken == "état,1\n".encode() * 100 + b"\x00\xff"


def test_what_the_terminal_cannot_show_is_replaced_and_nothing_is_written_for_nothing(monkeypatch):
    stream = Slow()
    monkeypatch.setattr(sys, "stdout", Text(stream, "ascii"))
    put("")
    put("é")
    assert stream.taken == b"?"


def test_a_closed_output_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    put("nobody reads this")
