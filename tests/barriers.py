"""What axe-core finds on a page that keeps somebody with a keyboard or a screen reader from reading it."""

from collections.abc import Sequence
from typing import Any

import pytest

# What other colors alone can change, of the rules that run by default.
OF_COLOR = ("color-contrast", "link-in-text-block")


def serious_barriers(page: Any, rules: Sequence[str] = ()) -> list[tuple[str, list[str]]]:
    """Return each serious fault with some of the elements that have it; ``rules``: which to apply, by default all."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    chosen = {"runOnly": list(rules)} if rules else {}
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **chosen}).response["violations"]
    return [
        (rule["id"], [node["html"][:160] for node in rule["nodes"][:4]])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
