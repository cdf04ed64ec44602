"""The page of `piecework play` with damaged links, files that cannot be read, tokenizers that are replaced, and a server that ends."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import piecework as pw
from play_page import drop, until

pytestmark = pytest.mark.slow

NO_TEXT = {"toString": 1, "valueOf": 1}  # JavaScript cannot make a text of it
WRONG = [None, True, -1, 1e300, 1e20, "constructor", "__proto__", [], ["__proto__"], NO_TEXT]
MEMBERS = {
    "type": "text tokenizers start".split(),
    "train": "source text model vocab_size criterion ties side_by_side step detail".split(),
    "vocabulary": "tokenizer search kind counts sort descending script start entry".split(),
    "languages": "tokenizers metric reference rows".split(),
}


@pytest.fixture(scope="module")
def address(play_server: Callable[[Mapping[str, Any]], str]) -> str:
    return play_server({"hug": pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")})


def fragment_of(settings: dict[str, Any]) -> str:
    """Returns settings as the page writes them into its address."""
    packer = zlib.compressobj(wbits=-15)
    data = packer.compress(json.dumps(settings).encode()) + packer.flush()
    return "#" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def links() -> list[dict[str, Any]]:
    """Returns settings with a wrong value for each view, and in all members of each."""
    found: list[dict[str, Any]] = []
    for wrong in WRONG:
        found += [{key: wrong} for key in ("view", "language", *MEMBERS)]
        found += [
            {"view": view, view: dict.fromkeys(names, wrong)} for view, names in MEMBERS.items()
        ]
    return found


def test_links_with_wrong_values(open_play: Callable[..., Any]) -> None:
    page = open_play()
    for settings in links():
        page.evaluate("fragment => { location.hash = fragment; }", fragment_of(settings))
        # The page is built again, and its view asks the server: errors of either fail the test.
        page.wait_for_timeout(40)
        until(page, lambda: page.locator('[role="tabpanel"]:visible').count() == 1)
        assert page.locator("#status.error").count() == 0, settings


def test_link_with_a_language_that_is_no_text(open_play: Callable[..., Any]) -> None:
    page = open_play(fragment_of({"language": NO_TEXT, "type": {"text": "hugs"}}))
    assert page.locator("#text").input_value() == "hugs"


@pytest.mark.parametrize("name", ["folder", "folder.txt"])
@pytest.mark.parametrize("view", MEMBERS)
def test_dropped_folder(open_play: Callable[..., Any], view: str, name: str) -> None:
    page = open_play()
    page.locator(f"#tab-{view}").click()
    page.wait_for_load_state("networkidle")  # no answer takes the place of the message
    # What Chromium answers for a folder; a test cannot drop one.
    page.evaluate(
        """() => {
            const error = new DOMException("A requested file or directory could not be found", "NotFoundError");
            Blob.prototype.text = () => Promise.reject(error);
            FileReader.prototype.readAsDataURL = function () {
                Object.defineProperty(this, "error", { value: error });
                this.onerror();
            };
        }"""
    )
    drop(page, name, b"")
    page.wait_for_selector("#status.error")
    shown = page.locator("#status").inner_text()
    assert shown == f"The browser cannot read {name}; drop files, not a folder."


def test_files_that_are_too_large_together(open_play: Callable[..., Any]) -> None:
    page = open_play()
    page.evaluate("Object.defineProperty(Blob.prototype, 'size', { value: 40 * 2 ** 20 })")
    files = [{"name": name, "mimeType": "", "buffer": b"a"} for name in ("a.model", "b.model")]
    page.locator("#file").set_input_files(files)
    page.wait_for_selector("#status.error")
    assert page.locator("#status").inner_text() == "a.model + b.model is larger than 64 MB."


def test_tip_of_a_tokenizer_that_was_replaced(open_play: Callable[..., Any]) -> None:
    page = open_play(fragment_of({"type": {"text": "a"}}))
    # Id 1 is the piece of both.
    for name in "ab":
        with page.expect_response("**/api/compare"):
            drop(page, "mine.txt", f"[UNK]\n{name}\n".encode())
        page.locator("#text").fill(name)
        page.locator('.panels[aria-busy="false"]').first.wait_for()
        page.locator('article[aria-label="mine.txt"] .piece', has_text=name).hover()
        page.locator("#tip", has_text=f"{ord(name):x}").wait_for()
        page.mouse.move(1, 1)


def test_server_that_ends_in_an_answer(open_play: Callable[..., Any]) -> None:
    page = open_play()
    page.wait_for_selector(".piece")
    page.evaluate(
        "() => { Response.prototype.text = () => Promise.reject(new TypeError('network error')); }"
    )
    page.locator("#text").fill("hugs")
    page.wait_for_selector("#status.error")
    shown = page.locator("#status").inner_text()
    assert shown == "The server does not answer. Start piecework play again."
