"""The options that a command's help begins with, in this order: those of README, the tutorials and the how-to pages.

A command with few options has no line here: its help lists all of them together.
"""

from __future__ import annotations

from collections.abc import Mapping

FIRST_OPTIONS: Mapping[str, str] = {
    "compare": (
        "--state --in-file --from --policy --attacker --by --interval --population --as --hipaa --release --database "
        "--engine --format --out"
    ),
    "brief": "--in-file --from --file --mapping --bill --before --out",
    "dataset estimate": "--fields --mapping --population-size --format --out",
    "dataset profile": "--fields --mapping --records --engine --table --format --out",
    "dataset score": "--fields --mapping --state --format --out",
    "table check": "--rule --week --ledger --format",
    "table enter": "--rule --week --ledger --criterion --format",
    "table protect": "--rule --week --ledger --compare --criterion --format --out",
    "table rates": "--by --rule --state --format",
    "lists counties": "--policy --population --format",
    "lists what-if": "--set --adversary --policy --format",
    "policy explore": "--state --keep --age-classes --format --out",
    "econ cost": "--state --attacker --policy --g --format --out",
    "econ budget": "--usd --target --state --format --out",
    "econ break-even": "--state --policy --gain --cost-per-attempt --in-file --format --out",
    "econ attack": "--policy --in-file --from --gain --cost-per-attempt --against --format --out",
    "econ game": "--policy --in-file --frontier --keep --format --out",
    "econ pair": "--first --second --in-first --in-second --in-both --attacker --format --out",
    "econ trends": "--state --at --format --out",
    "model explain": "--policy --attacker --format --out",
    "model sensitivity": "--policy --attacker --format --out",
    "model simulate": "--policy --attacker --seed --runs --format --out",
    "model simulate-file": "--fields --mapping --runs --format --out",
    "model curve": "--g-max --in-file --from --format --out",
    "model trust": "--policy --state --numerator --denominator --format --out",
    "model breach": "--exposed --people --match-rate --against --fields --letter --linking --format",
    "model workbook": "--state --in-file --out",
}
