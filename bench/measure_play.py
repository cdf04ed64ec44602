"""The page of `piecework play`: time to the first page, of a keystroke, and of the steps of a training."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib import resources
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

FILES = (
    "bert-base-uncased-vocab.txt",
    "cl100k_base.tiktoken",
    "t5-spiece.model",
    "llama2-tokenizer.model",
)
BYTES = 10_000
TIMES = 15
TRAINING_BYTES = 200_000
MERGES = 2000


def measure() -> Iterator[Row]:
    """Starts the server as a user does, asks it as the page does, and drives the page in Chromium."""
    yield _assets()
    if not corpus.is_there():
        yield corpus.skipped("page with four tokenizers")
        return
    paths = [str(corpus.DATA / "vocabs" / name) for name in FILES]
    starts = []
    for _ in range(5):
        with _server(paths) as (_, seconds):
            starts.append(seconds)
    yield "play: command to first page, four tokenizers", f"{median(starts):.2f} s", "under 0.5 s"
    text = _text()
    with _server(paths) as (address, _):
        yield from _server_rows(address, text)
        yield from _browser_rows(address, text)


def _assets() -> Row:
    folder = resources.files("piecework.play") / "assets"
    size = sum(len(each.read_bytes()) for each in folder.iterdir())
    return "play: files of the page", f"{size / 1000:.0f} kB", "under 300 kB"


def _text() -> str:
    """Returns 10 kB of English."""
    return corpus.english(BYTES).decode("utf-8", "ignore")


@contextmanager
def _server(paths: list[str]) -> Iterator[tuple[str, float]]:
    """Runs the server; gives its address, and the seconds from the command to the page."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "piecework", "play", "--no-browser", *paths]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        if server.stdout is None:
            raise SystemExit("the server has no output")
        address = server.stdout.readline().strip()
        for name in ("", "main.js", "api/session"):
            with urlopen(address + name) as page:
                page.read()
        seconds = time.perf_counter() - start
        try:
            yield address, seconds
        finally:
            server.terminate()


def _ask(address: str, name: str, members: dict[str, Any]) -> float:
    """Returns the seconds of one answer."""
    body = json.dumps(members).encode()
    start = time.perf_counter()
    with urlopen(Request(f"{address}api/{name}", body)) as answer:
        answer.read()
    return time.perf_counter() - start


def _server_rows(address: str, text: str) -> Iterator[Row]:
    members = {"tokenizers": list(FILES), "text": text}
    for name, what in (("compare", "pieces"), ("evaluate", "figures")):
        seconds = median(_ask(address, name, members) for _ in range(TIMES))
        goal = "under 50 ms" if name == "compare" else ""
        yield f"play: {what} of 10 kB, four tokenizers", f"{seconds * 1e3:.0f} ms", goal


_KEYSTROKE = """async () => {
    const area = document.getElementById("text");
    const shown = document.querySelector("article .figures b");
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const times = [];
    for (let turn = 0; turn < 15; turn++) {
        const before = shown.textContent;
        const start = performance.now();
        area.setRangeText(" x", 50, 50, "end");
        area.dispatchEvent(new Event("input"));
        while (shown.textContent === before) await frame();
        await frame();
        times.push(performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 400));
    }
    return times.sort((one, other) => one - other)[7];
}"""


_PLAY = """() => new Promise((resolve) => {
    const [button, slider] = [".train-play", ".train-slider"].map((name) => document.querySelector(name));
    const times = [];
    const frame = (time) => {
        times.push(time);
        if (slider.value === slider.max) resolve((1000 * (times.length - 1)) / (time - times[0]));
        else requestAnimationFrame(frame);
    };
    button.click();
    requestAnimationFrame(frame);
})"""


def _frame_rate(page: Any) -> float:
    """Returns the frames per second while a training of 2,000 merges plays, one at each frame."""
    page.click("#tab-train")
    page.select_option(".train-source-choice", "text")
    page.select_option(".train-model-choice", "byte-bpe")
    page.fill(".train-size", str(256 + MERGES))
    page.fill(".train-text", corpus.english(TRAINING_BYTES).decode("utf-8", "ignore"))
    with page.expect_response("**/api/trace"):
        page.click(".train-run")
    page.locator(".train-position", has_text=f"0 / {MERGES}").wait_for()
    page.select_option(".train-speed", "frame")
    rate: float = page.evaluate(_PLAY)
    return rate


def _browser_rows(address: str, text: str) -> Iterator[Row]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield "play: page in Chromium", "playwright is not installed", ""
        return
    from shutil import which

    path = which("chromium") or which("google-chrome")
    if path is None:
        yield "play: page in Chromium", "no Chromium in PATH", ""
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(address)
        page.wait_for_selector("article .piece")
        page.locator("#text").fill(text)
        page.wait_for_timeout(1500)
        yield (
            "play: keystroke to painted page",
            f"{page.evaluate(_KEYSTROKE):.0f} ms",
            "under 100 ms",
        )
        yield "play: frames per second, 2,000 merges", f"{_frame_rate(page):.1f}", "60"
        browser.close()
