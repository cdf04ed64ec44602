"""The HTML of notebooks in a real browser: layout, both colour schemes, and hostile texts that stay text."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, models, pre_tokenizers
from play_page import until

pytestmark = pytest.mark.slow

OpenPage = Callable[..., Any]
WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
BPE_TEXT = "the hugs of the pugs and the puns of the buns, the hugging pugs " * 20
HOSTILE = {
    "script": '<script>document.title = "bad"</script><img src=x onerror=alert(1)>"\'&amp;',
    "bidi": "abc \u202eevil\u202c \u2066x\u2069 \u05d0\u05d1 \u0627\u0644",
    "marks": "e" + "\u0301" * 100_000 + " end",
    "controls": "a\rb\x00c\x1b[31m\x7f\u2028\ufeff\u200b",
    "long": "hugs" * 20_000,
    "empty": "",
}


def page_of(*fragments: str) -> str:
    """Returns a page around fragments, as a notebook shows them."""
    body = "<hr>".join(fragments)
    return f'<!doctype html><html><head><meta charset="utf-8"><title>view</title></head><body>{body}</body></html>'


def byte_level() -> pw.Tokenizer:
    return pw.train(
        [BPE_TEXT],
        pw.BpeTrainer(300, alphabet="byte", unk_token=None),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
    )


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, pw.Tokenizer]:
    unigram = pw.train({f"▁{word}": n for word, n in WORDS.items()}, pw.UnigramTrainer(16))
    vocab = [chr(code) for code in range(33, 0x180)]
    bytes_alone = pw.Tokenizer(
        models.BPE(vocab, []),
        pre_tokenizer=pre_tokenizers.ByteLevel(),
        decoder=decoders.ByteLevel(),
    )
    return {
        "WordPiece": pw.train(WORDS, pw.WordPieceTrainer(20)),
        "BPE": byte_level(),
        "Unigram": unigram,
        "bytes": bytes_alone,
    }


def texts_of(page: Any, selector: str) -> list[str]:
    return [element.inner_text() for element in page.query_selector_all(selector)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_explanations(
    open_page: OpenPage, tokenizers: dict[str, pw.Tokenizer], screenshots: Path, scheme: str
) -> None:
    views = [
        tokenizers[name].explain("Hugs puns é!")._repr_html_() for name in ("WordPiece", "Unigram")
    ]
    views += [tokenizers["BPE"].explain(" hugging 😀")._repr_html_()]
    views += [
        tokenizers[name].explain("hugs")._repr_html_() for name in ("WordPiece", "BPE", "Unigram")
    ]
    page = open_page(page_of(*views), color_scheme=scheme, viewport={"width": 1100, "height": 900})
    page.screenshot(path=screenshots / f"explanations-{scheme}.png", full_page=True)
    assert "hugs" in texts_of(page, ".pw-t")
    folded = page.query_selector_all("details")
    assert [each.get_attribute("open") is not None for each in folded][-3:] == [True] * 3
    assert _contrast(page) >= 4.5


def _contrast(page: Any) -> float:
    """Returns the least contrast (WCAG 2) of the text of tokens with their background."""
    colors = page.evaluate(
        "[...document.querySelectorAll('.pw-t')].map(e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor])"
    )
    pairs = [[_luminance(color) for color in pair] for pair in colors]
    return min((max(pair) + 0.05) / (min(pair) + 0.05) for pair in pairs)


def _luminance(color: str) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(float(part) / 255) for part in re.findall(r"[\d.]+", color)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_same_token_has_the_same_colour(
    open_page: OpenPage, tokenizers: dict[str, pw.Tokenizer]
) -> None:
    tok = tokenizers["WordPiece"]
    views = [tok.explain("hugs hug"), tok.encode("hug pun"), tok.encode_batch(["hug", "bun hug"])]
    page = open_page(page_of(*(view._repr_html_() for view in views)))
    colors = {
        element.evaluate("e => getComputedStyle(e).backgroundColor")
        for element in page.query_selector_all(".pw-t")
        if element.inner_text() == "hug"
    }
    assert len(colors) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_encodings(
    open_page: OpenPage, tokenizers: dict[str, pw.Tokenizer], screenshots: Path, scheme: str
) -> None:
    tok = tokenizers["WordPiece"]
    long = tok.encode("hugs pun " * 1000)
    batch = tok.encode_batch(["hugs", "", "pun bun " * 50, *["hug"] * 20])
    views = [tok.encode("Hugs, puns!"), long, batch, tokenizers["BPE"].encode(" hugging é\n")]
    page = open_page(
        page_of(*(view._repr_html_() for view in views)),
        color_scheme=scheme,
        viewport={"width": 1000, "height": 700},
    )
    page.screenshot(path=screenshots / f"encodings-{scheme}.png", full_page=True)
    shown = page.inner_text("body")
    assert f"{len(long):,} tokens" in shown
    assert f"… ({len(long) - 500:,} more)" in shown
    assert f"{len(batch)} texts, {len(batch.ids)} tokens" in shown
    assert "and 13 more rows" in shown
    assert _contrast(page) >= 4.5


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_stay_text(
    open_page: OpenPage, tokenizers: dict[str, pw.Tokenizer], screenshots: Path, name: str
) -> None:
    text = HOSTILE[name]
    views = list[str]()
    for tok in tokenizers.values():
        views += [tok.explain(text)._repr_html_(), tok.encode(text)._repr_html_()]
        views.append(tok.encode_batch([text, "hug"])._repr_html_())
    views.append(pw.compare(tokenizers, text)._repr_html_())
    page = open_page(page_of(*views), viewport={"width": 1100, "height": 900})
    page.screenshot(path=screenshots / f"hostile-{name}.png")
    assert page.title() == "view"
    assert page.query_selector_all("script, img, iframe, object, link") == []
    shown = page.inner_text("body")
    assert len(shown) < 500_000
    hidden = [c for c in shown if not c.isprintable() and c not in "\n\t"]
    assert hidden == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 1100, "nothing is wider than the window"
    tallest = page.evaluate(
        "Math.max(0, ...[...document.querySelectorAll('.pw-t')].map(e => e.getBoundingClientRect().height))"
    )
    assert tallest < 200


def test_pages_by_address(open_page: OpenPage) -> None:
    address = "data:text/html;base64," + base64.b64encode(b"<p id=a>b</p>").decode()
    assert open_page(address).inner_text("#a") == "b"


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ("<script>console.error('wrong')</script>", "console error: wrong"),
        ("<script>throw new Error('wrong')</script>", "error: wrong"),
        ("<img src='http://piecework.invalid/a.png'>", "request: http://piecework.invalid/a.png"),
        ("<script>alert('wrong')</script>", "dialog: wrong"),
    ],
)
def test_the_fixture_sees_errors_and_requests(open_page: Any, html: str, problem: str) -> None:
    until(open_page(html), lambda: problem in open_page.problems)
    open_page.problems.clear()
