"""Numbers as they are issued, with their check digits, and places as codes."""

from __future__ import annotations

import random

from stdnum import ean
from stdnum import luhn as luhn_digits


def digits(rng: random.Random, pattern: str) -> str:
    """``pattern`` with a digit for each ``#``, a letter for ``@``, a digit or letter for ``?``; the first is no 0."""
    draw = {"#": "0123456789", "@": "ABCDEFGHJKLMNPRSTUVWXYZ", "?": "0123456789ABCDEFGHJKMNPQRTUVWXY"}
    made = "".join(rng.choice(draw[c]) if c in draw else c for c in pattern)
    return made if not pattern.startswith("#") else rng.choice("123456789") + made[1:]


def luhn(body: str) -> str:
    """``body`` with its check digit."""
    return body + luhn_digits.calc_check_digit(body)


def ssn(rng: random.Random) -> str:
    area = rng.choice([a for a in range(101, 773) if a != 666])
    return f"{area}{rng.randint(1, 99):02d}{rng.randint(1, 9999):04d}"


def gtin(body: str) -> str:
    """``body`` of 13 digits with the check digit of a trade item."""
    return body + ean.calc_check_digit(body)


def vin(rng: random.Random) -> str:
    """Seventeen characters, the ninth of which checks the others."""
    letters = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
    body = rng.choice(("1HG", "1FT", "4T1", "JN8")) + digits(rng, "@@###0@A######")
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    rest = sum(w * (int(c) if c.isdigit() else letters[c]) for w, c in zip(weights, body, strict=True)) % 11
    return body[:8] + ("X" if rest == 10 else str(rest)) + body[9:]


def geohash(latitude: float, longitude: float, length: int = 7) -> str:
    low, high = [-90.0, -180.0], [90.0, 180.0]
    bits = ""
    for at in range(5 * length):
        axis = (at + 1) % 2
        middle = (low[axis] + high[axis]) / 2
        above = (latitude, longitude)[axis] >= middle
        (low if above else high)[axis] = middle
        bits += str(int(above))
    return "".join("0123456789bcdefghjkmnpqrstuvwxyz"[int(bits[i : i + 5], 2)] for i in range(0, len(bits), 5))
