"""Every command by its name: where it is, its line of help, and the name that it had before version 1.0.

Reading this table imports no command. A name is the words after ``policy-sim``. The commands of one noun, such as
``dataset check``, are with their group in its module; only those under another group than their module's are here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Named:
    """A command, or a group without a module: ``where`` is a module of ``policy_sim.cli`` and the words inside it."""

    where: str
    help: str
    was: str = ""


IN_SIGHT = 12  # the commands that `policy-sim --help` lists: the first of these
COMMANDS: Mapping[str, Named] = {
    "app": Named("app app", "Open the program in your browser: a file, a table or a state, on this machine alone."),
    "compare": Named("states compare", "Compare the risk in every state under each policy and attacker."),
    "brief": Named("pages brief", "Write a paper about a release in one state, a bill or the nation, and an annex."),
    "explorer": Named("pages explorer", "Write one HTML page that computes every figure in the reader's browser."),
    "atlas": Named(
        "pages atlas", "Write linked pages on every state, policy and voter list, to read without a server."
    ),
    "dataset": Named("dataset dataset", "Measure the risk of a file of records."),
    "release": Named("release release", "De-identify a file step by step, with a verdict and a dossier."),
    "table": Named("tables table", "Check and protect a table of counts, compute rates, and show the rules."),
    "cases": Named("tables cases", "Check case records before they are published; plan how many a county needs."),
    "areas": Named("areas areas", "Make areas of at least N people from ZIP codes, and see what they risk."),
    "lists": Named("lists lists", "Show what each state's voter list contains, costs and allows, and other files."),
    "policy": Named("policies policy", "List, show, check, write and search release policies."),
    "example": Named(
        "examples example", "Write a sample file to try the commands on: visits.csv, weekly.csv, claims.csv."
    ),
    "start": Named("start start", "Compare every state, write two maps and a table, and say what to do next."),
    "help": Named("help help", "List every command, or show the help of one."),
    "table rules": Named(
        "tables rules", "Show disclosure rules: which counts agencies hide, with their words and sources.", "rules"
    ),
    "lists resources": Named(
        "policies resources", "Show other files that an attacker can have, such as birth indexes.", "resources"
    ),
    "policy explore": Named(
        "states explore", "Search all policies for those that release more detail at no more risk.", "explore"
    ),
    "policy releases": Named("policies releases", "Show which hospital records states release.", "releases"),
    "econ": Named("", "What an attack costs and earns."),
    "econ cost": Named("money cost", "Divide the price of a voter list by the correct matches it allows.", "cost"),
    "econ budget": Named("money budget", "Find the cheapest voter lists that an attacker would need.", "budget"),
    "econ break-even": Named(
        "money break_even", "Show from which gain, price and file size an attack pays.", "break-even"
    ),
    "econ attack": Named(
        "money attack", "Estimate the most profitable attack on a file, to see whether it pays.", "attack"
    ),
    "econ game": Named(
        "money game", "Choose the policy that pays the publisher most, given the best attack on it.", "game"
    ),
    "econ pair": Named("money pair", "Pair two files about the same people, then link them with a list.", "pair"),
    "econ trends": Named(
        "states trends", "Show how people, list law and prices changed risk and profit over time.", "trends"
    ),
    "econ sources": Named("money economics", "List gains, costs and penalties of attacks, with sources.", "economics"),
    "model": Named("", "Where a figure comes from, and how it was checked."),
    "model explain": Named(
        "model explain", "Show where one figure comes from: key, groups, arithmetic, inputs.", "explain"
    ),
    "model sensitivity": Named(
        "model sensitivity", "Change one assumption at a time and rank the changes.", "sensitivity"
    ),
    "model reproduce": Named("model reproduce", "Compare every printed figure of a paper with ours.", "reproduce"),
    "model simulate": Named("model simulate", "Check the formulas by simulation on synthetic people.", "simulate"),
    "model simulate-file": Named(
        "dataset dataset simulate", "Measure the error of each estimator on a file by simulation.", "dataset simulate"
    ),
    "model curve": Named("states curve", "Show one state's risk for every group size g.", "curve"),
    "model trust": Named("states trust", "Divide the risk under one policy by the risk under another.", "trust"),
    "model breach": Named("money breach", "Decide whom to notify after a breach of records without names.", "breach"),
    "model token": Named(
        "model token", "Estimate how many people linkage tokens let an attacker name without the key.", "token"
    ),
    "model workbook": Named(
        "pages workbook", "Write the comparison as an Excel workbook with live formulas.", "workbook"
    ),
    "model population": Named("people population", "Show how the census populations were made.", "population"),
    "dev": Named("", "Synthetic people, census tables, the database of lists."),
    "dev synth": Named("people synth", "Create synthetic people of one state, for demonstrations.", "synth"),
    "dev census": Named("people census", "Fetch or load census tables in which every cell is counted.", "census"),
    "dev build-population": Named(
        "people population build", "Build a census population again from the official tables.", "population build"
    ),
    "dev lists": Named("", "Maintain the lists: database, exports, second coding."),
    **{
        f"dev lists {name}": Named(f"lists lists {name}", line, f"lists {name}")
        for name, line in {
            "build": "Build the database of lists from the state files.",
            "sql": "Print what a query of the database returns.",
            "export": "Write the lists as one file.",
            "import": "Read lists that a person edited.",
            "publish": "Write the lists as a data set that others can cite.",
            "coding-sheet": "Write an empty sheet for a second coding of the sources.",
            "agreement": "Show how well two codings of the sources agree.",
        }.items()
    },
}
_MOVED = {command.was: name for name, command in COMMANDS.items() if command.was}
_LONGEST = max(len(was.split()) for was in _MOVED)


def children(path: str) -> dict[str, Named]:
    """Return the commands of the table right under a group, by their last word.

    >>> list(children("dev lists"))[:2]
    ['build', 'sql']
    """
    above = f"{path} " if path else ""
    return {
        name.removeprefix(above): command
        for name, command in COMMANDS.items()
        if name.startswith(above) and " " not in name.removeprefix(above)
    }


def moved_from(path: str) -> set[str]:
    """Return the last words of the commands that a group had, and has no more."""
    return {was.removeprefix(f"{path} ") for was in _MOVED if was.startswith(f"{path} ")}


def current_name(words: Sequence[str]) -> tuple[str, int]:
    """Return the new name of a command that these words call by an old one, and how many of them it takes.

    >>> current_name(["budget", "OH", "--usd", "100"])
    ('econ budget', 1)
    >>> current_name(["compare", "OH"])
    ('', 0)
    """
    for many in range(_LONGEST, 0, -1):
        name = _MOVED.get(" ".join(words[:many]))
        if name is not None and len(words) >= many:
            return name, many
    return "", 0
