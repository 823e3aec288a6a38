"""What axe-core finds on a page that keeps somebody with a keyboard or a screen reader from reading it."""

from typing import Any

import pytest


def serious_barriers(page: Any, *kinds: str) -> list[tuple[str, list[str]]]:
    """Return each serious fault with some of the elements that have it.

    ``kinds``: tags of axe-core's rules, by default all of them. Other colors change only what ``cat.color`` finds.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    chosen = {"runOnly": list(kinds)} if kinds else {}
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **chosen}).response["violations"]
    return [
        (rule["id"], [node["html"][:160] for node in rule["nodes"][:4]])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
