"""The page and the HTML report against the rules of axe-core: names, roles, contrast, landmarks, order of headings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import piecework as pw

sync_playwright = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
)
pytestmark = pytest.mark.slow

SETTINGS = [
    {"color_scheme": "light"},
    {"color_scheme": "dark", "viewport": {"width": 375, "height": 800}, "locale": "zh-CN"},
]


def violations(page: Any) -> list[tuple[str, str]]:
    """Returns the rules that a page breaks, each with an element that breaks it."""
    found = sync_playwright.Axe().run(page).response
    assert len(found["passes"]) > 10, "axe-core saw no page"
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in found["violations"]]


@pytest.fixture(scope="module")
def address(play_server: Callable[[Mapping[str, Any]], str]) -> str:
    from piecework.play.samples import train_samples

    return play_server(train_samples())


@pytest.mark.parametrize("settings", SETTINGS)
def test_views(open_play: Callable[..., Any], settings: dict[str, Any]) -> None:
    page = open_play(**settings)
    page.locator(".piece").first.wait_for()
    assert violations(page) == []
    page.locator(".piece").first.click()
    page.locator("dialog[open]").wait_for()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("#tab-train").click()
    page.locator(".train-training:not([hidden])").wait_for()
    page.locator(".train-last").first.click()
    assert violations(page) == []
    page.locator("#tab-vocabulary").click()
    page.locator("#view-vocabulary tbody .piece").last.click()
    page.locator("#view-vocabulary svg").first.wait_for()
    assert violations(page) == []
    page.locator("#tab-languages").click()
    page.locator("#view-languages svg").first.wait_for()
    assert violations(page) == []


def test_a_broken_rule_is_found(open_page: Any) -> None:
    page = open_page(
        "<html lang=en><title>a</title><main><h1>a</h1><button></button><p>b</p><ul><li>c</ul>"
    )
    found = sync_playwright.Axe().run(page).response["violations"]
    assert "button-name" in [each["id"] for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report(open_page: Any, scheme: str) -> None:
    texts = {"en": ["the cat sat on the mat", "the hat"], "de": ["die Katze saß", "der Hut"]}
    tok = pw.train(texts["en"] * 9, pw.WordPieceTrainer(40))
    report = pw.evaluate({"tok": tok}, texts, parallel=True).to_html()
    page = open_page(report, color_scheme=scheme)
    assert violations(page) == []
