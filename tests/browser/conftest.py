"""A page in headless Chromium, which fails on errors of the console and on any request to the network.

Playwright (from PyPI) drives the Chromium of the machine: PIECEWORK_CHROMIUM, or `chromium`, `chromium-browser` or
`google-chrome` in PATH. Tests skip if either is missing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
WAIT = 240_000
"""The milliseconds that a test waits for the page: far more than a busy machine takes, and below the limit of a test."""
LOCAL = ("http://127.0.0.1", "http://localhost", "data:", "about:", "blob:")


def chromium() -> str | None:
    """Returns the path of Chromium, or None."""
    return os.environ.get("PIECEWORK_CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Returns headless Chromium, driven by Playwright.

    It ends with its file of tests: Playwright's event loop runs in this thread, where later tests need one of their own.
    """
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="no browser test: playwright is not installed"
    )
    path = chromium()
    if path is None:
        pytest.skip(
            f"no browser test: none of {', '.join(NAMES)} is in PATH (PIECEWORK_CHROMIUM names another)"
        )
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


class PageOpener:
    """Opens HTML, or an address of this machine, and collects what pages must not do.

    `open_page("<p>a</p>")`, `open_page("http://127.0.0.1:8000/")`. Keywords are those of Playwright's `new_page`, such as
    `color_scheme="dark"` and `viewport={"width": 800, "height": 600}`.
    """

    def __init__(self, browser: Any) -> None:
        self.problems: list[str] = []
        self.pages: list[Any] = []
        self._browser = browser

    def __call__(self, html_or_url: str, **settings: Any) -> Any:
        """Returns the page; its console, its requests and its dialogs are watched until the test ends."""
        page = self._browser.new_page(**settings)
        self.pages.append(page)
        page.set_default_timeout(WAIT)
        page.on("console", self._record_message)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", self._record_request)
        page.on("dialog", self._record_dialog)
        if html_or_url.startswith(LOCAL):
            page.goto(html_or_url)
        else:
            page.set_content(html_or_url)
        return page

    def _record_message(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.problems.append(f"console {message.type}: {message.text}")

    def _record_request(self, request: Any) -> None:
        if not request.url.startswith(LOCAL):
            self.problems.append(f"request: {request.url}")

    def _record_dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def open_page(browser: Any) -> Iterator[PageOpener]:
    """Returns a function that opens pages; errors, requests and dialogs fail the test at its end."""
    opener = PageOpener(browser)
    yield opener
    for page in opener.pages:
        page.close()
    assert opener.problems == []


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Returns the folder for pictures of pages: PIECEWORK_SCREENSHOTS, or one that pytest removes."""
    folder = Path(os.environ.get("PIECEWORK_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def play_server() -> Callable[[Mapping[str, Any]], str]:
    """Returns a function that serves the page with tokenizers by name until the tests end, and returns its address."""
    pytest.importorskip("uvicorn", reason="the extra `play` is not installed")
    pytest.importorskip("starlette", reason="the extra `play` is not installed")
    from piecework.play import Session, serve

    def start(tokenizers: Mapping[str, Any]) -> str:
        addresses = SimpleQueue[str]()
        run = partial(serve, Session(tokenizers), on_start=addresses.put)
        Thread(target=run, daemon=True).start()
        return addresses.get(timeout=60)

    return start


@pytest.fixture
def open_play(open_page: PageOpener, address: str) -> Callable[..., Any]:
    """Returns a function that opens the page at `address`, a fixture of the module, and waits for it; `fragment` follows the address."""

    def opened(fragment: str = "", **settings: Any) -> Any:
        page = open_page(address + fragment, **settings)
        page.wait_for_selector("html[data-ready]")
        return page

    return opened
