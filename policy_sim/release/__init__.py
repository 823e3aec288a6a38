"""A release project run on its file of records: answer, run, report, check again."""

from policy_sim.release.door import Release

__all__ = ["Release"]
