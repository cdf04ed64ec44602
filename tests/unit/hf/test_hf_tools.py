"""`piecework.hf.tools`: the same spans as `tokenizers.tools`, with escaped text."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
import tokenizers.tools

import piecework.hf.tools
from hf_peers import OURS, THEIRS
from piecework.errors import MissingExtraError

MODULES = ((OURS, piecework.hf.tools), (THEIRS, tokenizers.tools))


class Spans(HTMLParser):
    """Collects the classes, data and text of the spans of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Any] = []
        self.is_body = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_body |= tag == "body"
        if tag == "span":
            self.found.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self.found.append("end")

    def handle_data(self, data: str) -> None:
        if self.is_body and data.strip():
            self.found.append(data)


def shown(module: Any, tools: Any, text: str, ranges: list[tuple[int, int, str]]) -> Any:
    tok = module.Tokenizer(module.models.WordPiece({"[UNK]": 0, "hug": 1, "##s": 2, "é": 3}))
    tok.pre_tokenizer = module.pre_tokenizers.BertPreTokenizer()
    show = tools.EncodingVisualizer(tok, default_to_notebook=False)
    return Spans(show(text, annotations=[tools.Annotation(*each) for each in ranges])).found


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("hugs é", []),
        ("hugs  zz <b>", [(0, 2, "x"), (4, 7, "y")]),
        ("hugs hug", [(0, 8, "x"), (2, 6, "y")]),
        ("é zz", [(3, 4, "z")]),
    ],
)
def test_spans_are_equal(text: str, ranges: list[tuple[int, int, str]]) -> None:
    ours, theirs = (shown(*modules, text, ranges) for modules in MODULES)
    assert ours == theirs


def test_colours_are_equal() -> None:
    for labels in ("", "a", "ba", "abcabc", "abcdefghijklmnopqrst"):
        ours, theirs = (
            tools.EncodingVisualizer.calculate_label_colors(
                [tools.Annotation(0, 1, label) for label in labels]
            )
            for _, tools in MODULES
        )
        assert ours == theirs


def test_text_tokens_and_labels_are_escaped() -> None:
    tools = piecework.hf.tools
    tok = OURS.Tokenizer(OURS.models.WordLevel({'unk"<i>': 0}, 'unk"<i>'))
    show = tools.EncodingVisualizer(tok, False, lambda each: tools.Annotation(*each))
    page = show('<script>"', [(0, 4, '"<u>')])
    assert page is not None
    assert not re.search(r'<script|<i>|<u>|""', page)
    assert show("") is not None


def test_annotations_are_checked() -> None:
    tools = piecework.hf.tools
    tok = OURS.Tokenizer(OURS.models.WordLevel({"a": 0}, "a"))
    show = tools.EncodingVisualizer(tok, default_to_notebook=False)
    annotation = tools.Annotation
    for wrong in (annotation(-1, 1, "x"), annotation(0, 2, "x")):
        with pytest.raises(ValueError, match="annotations: expected ranges of the text"):
            show("a", [wrong])
    with pytest.raises(TypeError, match="annotations: expected objects with start, end, label"):
        show.calculate_label_colors(["x"])  # type: ignore[list-item]
    encoding = tok.encode("a")
    with pytest.raises(ValueError, match="at least one character"):
        show.consecutive_chars_to_html([], "a", encoding)
    with pytest.raises(TypeError, match="consecutive_chars_list: expected objects with char_ix"):
        show.consecutive_chars_to_html(["a"], "a", encoding)


def test_notebooks_need_ipython(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "IPython.display", None)
    tok = OURS.Tokenizer(OURS.models.BPE())
    with pytest.raises(MissingExtraError, match="default_to_notebook"):
        piecework.hf.tools.EncodingVisualizer(tok)
    with pytest.raises(ImportError, match="default_to_notebook"):
        piecework.hf.tools.EncodingVisualizer(tok, default_to_notebook=False)("a", None, True)


def test_a_notebook_shows_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import SimpleNamespace

    pages: list[Any] = []
    module = SimpleNamespace(HTML=lambda page: ("html", page), display=pages.append)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    tok = OURS.Tokenizer(OURS.models.WordLevel({"a": 0}, "a"))
    assert piecework.hf.tools.EncodingVisualizer(tok)("a") is None
    assert pages[0][0] == "html"
