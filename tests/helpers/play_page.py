"""What tests of the page of `piecework play` share: how to put in texts and files, and what to look for in every view."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

# What `fill` does, which lays out the text again: Chromium takes 10 s and more for 100,000 combining marks.
SET_TEXT = """(area, text) => {
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
}"""

# The smallest contrast of a text that is visible.
CONTRAST = """() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => {
            const part = value / 255;
            return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratios = [...document.querySelectorAll(".piece, .dim, button, label, th, td, .figures span")]
        .filter((element) => element.checkVisibility() && !element.disabled && !element.closest("svg"))
        .map((element) => {
            let back = element;
            while (back && /rgba\\(0, 0, 0, 0\\)|transparent/.test(getComputedStyle(back).backgroundColor)) back = back.parentElement;
            const one = light(getComputedStyle(element).color);
            const other = light(back ? getComputedStyle(back).backgroundColor : "#ffffff");
            return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        });
    return Math.min(...ratios);
}"""

_UNNAMED = """() => [...document.querySelectorAll("button, input, select, textarea, [role=group], [role=region], [role=img], dialog[open]")]
    .filter((element) => element.checkVisibility())
    .filter((element) => !((element.matches("button") && element.textContent.trim()) || element.getAttribute("aria-label")
        || element.title || element.labels?.length || element.getAttribute("aria-labelledby")))
    .map((element) => element.outerHTML.slice(0, 200))"""


def unnamed_elements(page: Any) -> list[str]:
    """Returns the visible controls, regions and pictures that have no name for screen readers."""
    found: list[str] = page.evaluate(_UNNAMED)
    return found


def drop(page: Any, name: str, data: bytes) -> None:
    """Drops a file on the page."""
    transfer = page.evaluate_handle(
        """([name, bytes]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], name));
            return transfer;
        }""",
        [name, list(data)],
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("body", event, {"dataTransfer": transfer})


def saved(page: Any, button: str, name: str) -> str:
    """Returns the file that a button saves by a name."""
    with page.expect_download() as saving:
        page.get_by_role("button", name=button, exact=True).click()
    assert saving.value.suggested_filename == name
    return Path(saving.value.path()).read_text(encoding="utf-8")


def saved_json(page: Any, name: str) -> Any:
    """Returns the data that the button JSON saves by a name."""
    return json.loads(saved(page, "JSON", name))


def saved_svg_texts(page: Any, name: str) -> list[str]:
    """Returns the texts of the picture that the button SVG saves by a name; it has no script."""
    picture = ET.fromstring(saved(page, "SVG", name))
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    names = {element.tag.rpartition("}")[2] for element in picture.iter()}
    assert names <= {"svg", "style", "rect", "text", "path", "line", "g", "title"}
    return ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]


def address_of_link(page: Any) -> str:
    """Presses the button that copies the link; returns the fragment of the address with `#`."""
    page.get_by_role("button", name="Copy link").click()
    copied = page.locator("#status", has_text=re.compile("link is copied|address of this page"))
    copied.wait_for()
    fragment: str = page.evaluate("location.hash")
    return fragment


def tab_to(page: Any, selector: str, most: int = 60) -> None:
    """Presses Tab until the element with the focus matches a selector."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def until(page: Any, condition: Callable[[], bool]) -> None:
    """Waits, while the events of a page go on, until a condition holds; after minutes it fails."""
    for _ in range(12_000):
        if condition():
            return
        page.wait_for_timeout(20)
    raise AssertionError("the page never got there")
