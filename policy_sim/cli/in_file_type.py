"""How many people are in a file, as people write it: ``0.01``, ``1%``, ``11000`` or ``11,000``."""

from __future__ import annotations

import math
import re
from typing import Any

import click

__all__ = ["IN_FILE"]

_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")


class _InFile(click.ParamType[float]):
    """A share of the people above 0 and up to 1, or a whole number of records."""

    name = "share or records"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | int:
        """Return the share or the number.

        >>> [IN_FILE.convert(text, None, None) for text in ("0.01", "1%", "11000", "11,000")]
        [0.01, 0.01, 11000, 11000]
        """
        text = str(value).strip()
        if _THOUSANDS.fullmatch(text):
            text = text.replace(",", "")
        try:
            number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf or (number > 1 and (text.endswith("%") or not number.is_integer())):
            self.fail(
                f"{value!r} is not a size of a file: give a share of the people above 0 and up to 1, such as 0.01 or "
                "1%, or a whole number of records, such as 11000.",
                param,
                ctx,
            )
        return int(number) if number > 1 else number


IN_FILE = _InFile()
