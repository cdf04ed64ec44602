"""HTML for notebooks: escaping, invisible characters, colours and limits."""

from __future__ import annotations

import pickle
import re

import pytest

import piecework as pw
from piecework._show import html

pytestmark = pytest.mark.smoke

TOKENIZER = pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\n<b>\nhug\n##s\n")


def tokens_of(shown: str) -> list[str]:
    return re.findall(r'<span class="pw-t[^>]*>(.*?)</span>', shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#x27;"),
        ("a\rb", 'a<span class="pw-x" title="U+000D">\\r</span>b'),
        ("\u202e", '<span class="pw-x" title="U+202E">\\u202e</span>'),
        ("\ud800", '<span class="pw-x" title="U+D800">\\ud800</span>'),
        ("\U000e0001", '<span class="pw-x" title="U+E0001">\\U000e0001</span>'),
        ("\u0301", "\u25cc\u0301"),
        ("e\u0301", "e\u0301"),
        ("\n\u0301", '<span class="pw-x" title="U+000A">\\n</span>\u25cc\u0301'),
        ("", ""),
    ],
)
def test_texts(text: str, shown: str) -> None:
    assert html.text_html(text) == shown


def test_piled_marks_and_long_texts() -> None:
    shown = html.text_html("e" + "\u0301" * 100_000)
    assert shown.startswith("e" + "\u0301" * 4 + '<span class="pw-x" title="U+0301">\\u0301</span>')
    assert shown.endswith('<span class="pw-x">… (99,941 more characters)</span>')
    assert len(shown) < 20_000


def test_spaces_at_the_ends_of_tokens_are_marked() -> None:
    space = '<span class="pw-sp">\u2423</span>'
    for token, inside in [
        (" a b ", f"{space}a b{space}"),
        ("  ", space * 2),
        ("", ""),
        ("a", "a"),
    ]:
        assert html.token_html(token).endswith(f'">{inside}</span>')


def test_colours_depend_on_the_token_alone() -> None:
    once, again = (html.token_html("hug", title) for title in ("id 7", "id 8"))
    style = re.search(r'style="([^"]*)"', once)
    assert style is not None
    assert style[0] in again
    assert len({html.hue(f"token {number}") for number in range(1000)}) > 200


def test_encoding() -> None:
    encoding = TOKENIZER.encode("hugs <b> x")
    shown = encoding._repr_html_()
    assert tokens_of(shown) == ["[CLS]", "hug", "##s", "[UNK]", "[UNK]", "[UNK]", "[UNK]", "[SEP]"]
    assert 'title="id 4, characters 0\u20133"' in shown
    assert shown.count("pw-t pw-special") == 2
    assert "8 tokens" in shown
    assert pickle.loads(pickle.dumps(encoding))._repr_html_() == shown
    assert "0 tokens" in TOKENIZER.encode("", add_special_tokens=False)._repr_html_()
    assert "<script" not in shown


def test_long_encoding() -> None:
    shown = TOKENIZER.encode("hugs " * 10_000, add_special_tokens=False)._repr_html_()
    assert len(tokens_of(shown)) == html.MAX_TOKENS
    assert "… (19,500 more)" in shown


def test_byte_level_tokens_are_readable() -> None:
    tok = pw.train(
        ["hug hugs é"] * 2,
        pw.BpeTrainer(265, alphabet="byte", unk_token=None),
        pre_tokenizer=pw.pre_tokenizers.ByteLevel(),
    )
    shown = tok.encode(" é\n")._repr_html_()
    assert "<0xC3>" in shown.replace("&lt;", "<").replace("&gt;", ">") or ">é<" in shown
    assert "Ġ" not in shown
    assert "Ġ" not in tok.encode_batch([" é\n"])._repr_html_()


def test_batch() -> None:
    batch = TOKENIZER.encode_batch(["hugs", "", "hug " * 100, *["<b>"] * 20])
    shown = batch._repr_html_()
    assert f"23 texts, {len(batch.ids)} tokens" in shown
    assert "and 13 more rows" in shown
    assert "… (72 more)" in shown
    assert tokens_of(shown)[:4] == ["[CLS]", "hug", "##s", "[SEP]"]
    assert "0 texts, 0 tokens" in TOKENIZER.encode_batch([])._repr_html_()


def test_long_explanation() -> None:
    shown = TOKENIZER.explain("hugs " * 2000)._repr_html_()
    assert shown.count("<details") == 101
    assert "and 1,900 more<" in shown
    assert "… (3,960 more)" in shown
    assert len(shown) < 500_000


def test_explanations_are_escaped() -> None:
    tok = TOKENIZER.with_added_tokens(["<i>"])
    shown = tok.explain("<script>hugs<i>\u202e")._repr_html_()
    assert "<script" not in shown
    assert "<i>" not in shown
    assert "&lt;i&gt;" in shown
    assert "\u202e" not in shown
    assert "http" not in shown
    assert tok.explain("")._repr_html_().count("<table") == 0
