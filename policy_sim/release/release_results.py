"""What a run and a check give back: figures that are tables too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from policy_sim.results.shown import Shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Rechecked", "ReleaseResult"]


class ReleaseResult(dict[str, Any], Shown):
    """The figures of a run, as ``release.json`` holds them.

    Examples
    --------
    >>> result = ReleaseResult(title="V", aim="k", before={"uniques": 7}, after={"uniques": 0}, output={"rows": 93})
    >>> result.to_frame().to_dict("records")
    [{'figure': 'uniques', 'before': 7, 'after': 0}]
    """

    __slots__ = ()
    __repr__ = Shown.__repr__

    def to_frame(self) -> pd.DataFrame:
        """Return one row per figure of risk, before and after; a figure that there is not is ``pd.NA``.

        Returns
        -------
        The rows; risks are shares (0..1).

        Examples
        --------
        >>> ReleaseResult(before={"uniques": 7}, after={"uniques": 0}).to_frame()["after"].tolist()
        [0]
        """
        import pandas as pd

        rows = [
            (name, *(pd.NA if value is None else value for value in (before, self["after"][name])))
            for name, before in self["before"].items()
        ]
        return pd.DataFrame(rows, columns=["figure", "before", "after"], dtype=object)

    def _headline(self) -> str:
        return f"release of {self['title']}: {self['output']['rows']:,} rows; aim: {self['aim']}, met"


class Rechecked(tuple[dict[str, str], ...], Shown):
    """One row per check: ``check``, ``before``, ``now``, ``holds`` (yes, no or unknown) and ``why``.

    Examples
    --------
    >>> checked = Rechecked([{"check": "a", "before": "1", "now": "1", "holds": "yes", "why": ""}])
    >>> checked.to_frame()["holds"].tolist()
    ['yes']
    """

    __slots__ = ()
    __repr__ = Shown.__repr__

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check.

        Returns
        -------
        The rows, all texts.

        Examples
        --------
        >>> row = {"check": "a", "before": "1", "now": "1", "holds": "yes", "why": ""}
        >>> Rechecked([row]).to_frame()["check"].tolist()
        ['a']
        """
        import pandas as pd

        return pd.DataFrame(list(self), columns=["check", "before", "now", "holds", "why"])

    def _headline(self) -> str:
        failed = sum(row["holds"] == "no" for row in self)
        return f"{len(self):,} checks, of which {failed:,} no longer hold"
