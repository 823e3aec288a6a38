"""Gather the pages of the documentation site into one folder, with the two generated references.

The pages link to each other as they do in the repository, so they keep their places here. Run it through
``make docs``; it writes ``build/pages``, from which MkDocs builds ``build/site``.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[2]
_PAGES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs",
    "reports",
    "voter_policies",
    "benchmarks",
)
_WRITTEN_IN = {
    ".csv",
    ".docx",
    ".html",
    ".ico",
    ".ipynb",
    ".json",
    ".md",
    ".pdf",
    ".png",
    ".svg",
    ".toml",
    ".txt",
    ".xlsx",
}
_LINK = re.compile(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)")


def assemble(target: Path) -> None:
    """Write every page, and every file that a page links to, below ``target``."""
    shutil.rmtree(target, ignore_errors=True)
    for source in _sources():
        _copy(source, target)
    for page in sorted(target.rglob("*.md")):
        to_a_file = partial(_to_a_file, page=page, target=target)
        page.write_text(_LINK.sub(to_a_file, page.read_text("utf-8")), "utf-8")
    reference = target / "reference"
    reference.mkdir()
    (reference / "commands.md").write_text("\n".join(_commands()), encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("extra.css"), target / "extra.css")
    (reference / "python.md").write_text("\n".join(_python()), encoding="utf-8")


def _sources() -> Iterator[Path]:
    for name in _PAGES:
        place = ROOT / name
        if place.is_file():
            yield place
        elif place.is_dir():
            pages = (path for path in sorted(place.rglob("*")) if path.suffix in _WRITTEN_IN and path.is_file())
            yield from (path for path in pages if path.name != "index.html")


def _copy(source: Path, target: Path) -> None:
    copy = target / source.relative_to(ROOT)
    if copy.exists():  # a page whose links are already rewritten
        return
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, copy)


def _to_a_file(link: re.Match[str], page: Path, target: Path) -> str:
    """Bring along what a page links to; a folder is linked by its own page, which lists its files if it has none."""
    linked = ((ROOT / page.relative_to(target)).parent / link[1]).resolve()
    if ROOT not in linked.parents:
        return link[0]
    if linked.is_file():
        _copy(linked, target)
        return link[0]
    listing = target / linked.relative_to(ROOT) / "README.md"
    if not listing.exists():
        listing.parent.mkdir(parents=True, exist_ok=True)
        listing.write_text(_listing(linked), "utf-8")
    return link[0].replace(link[1], f"{link[1].rstrip('/')}/README.md", 1)


def _listing(folder: Path) -> str:
    """List the files of a folder, pictures shown; an ``index.html`` of its own would take the place of the list."""
    lines = [f"# {folder.name}\n"]
    for path in sorted(path for path in folder.iterdir() if path.is_file() and path.name != "index.html"):
        lines.append(f"- [{path.name}]({path.name})")
        if path.suffix == ".png":
            lines.append(f"\n    ![{path.stem.replace('-', ' ')}]({path.name})\n")
    return "\n".join(lines) + "\n"


def _commands() -> Iterator[str]:
    """Write the help of every command."""
    from policy_sim.cli.main import cli

    yield "# Every command\n\nThis is what `--help` prints for each command.\n"
    yield from _command(cli, click.Context(cli, info_name="policy-sim", max_content_width=110))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _command(inner, click.Context(inner, info_name=name, parent=context))


def _python() -> Iterator[str]:
    """Write one entry per public name; MkDocs fills it from the docstring."""
    import policy_sim

    yield "# Every public name in Python\n\nImport each of these from `policy_sim`.\n"
    for name in sorted(policy_sim.__all__, key=lambda name: (name not in ("Study", "RecordFile", "reproduce"), name)):
        thing = getattr(policy_sim, name)
        yield f"::: {thing.__module__}.{name}\n"


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
