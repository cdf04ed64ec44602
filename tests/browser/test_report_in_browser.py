"""The HTML report in a real browser: no error, no network, bars, and hostile texts as text."""

from collections.abc import Callable
from typing import Any

import pytest

import piecework as pw

HOSTILE = "<script>document.title='hostile'</script>"
BIDI = "\u202eevil\u202c"
MARKS = "a" + "\u0301" * 100_000

Open = Callable[[str], Any]


@pytest.fixture
def open_report(open_page: Any) -> Open:
    """Returns a function that opens a report at the width of a small screen."""
    return lambda text: open_page(text, viewport={"width": 1100, "height": 900})


def test_bars_and_tables_of_several_tokenizers_and_languages(open_report: Open) -> None:
    texts = {"en": ["the cat sat on the mat", "the hat"], "de": ["die Katze saß", "der Hut"]}
    tokenizers = {
        criterion: pw.train(texts["en"] * 9, pw.WordPieceTrainer(40, criterion=criterion))
        for criterion in ("likelihood", "frequency")
    }
    evaluation = pw.evaluate(tokenizers, texts, parallel=True)
    page = open_report(evaluation.to_html())
    assert page.locator("caption").all_inner_texts() == [
        "Metrics",
        "Groups: likelihood",
        "Groups: frequency",
        "Words by number of tokens",
        "Tokens by number of bytes",
        "Texts by number of tokens",
        "Occurrences of the tokens by rank",
        "Most frequent tokens",
        "First texts changed by encoding and decoding: likelihood",
        "First texts changed by encoding and decoding: frequency",
        "Definitions",
    ]
    widths = page.locator(".pw-bar i").evaluate_all("bars => bars.map(bar => bar.offsetWidth)")
    assert max(widths) > min(widths) == 0
    rows = page.locator("table").first.locator("tr").all_inner_texts()
    wanted = [f"{each.metrics['fertility']:.3f}" for each in evaluation.tokenizers]
    assert next(row.split() for row in rows if row.startswith("fertility"))[1:] == wanted
    assert page.evaluate("document.body.scrollWidth <= window.innerWidth")


def test_hostile_texts_are_shown_as_text(open_report: Open) -> None:
    tok = pw.Tokenizer.from_str(f"[UNK]\n{HOSTILE}\n{BIDI}\n{MARKS[:5000]}\nlow\n").replace(
        normalizer=None, pre_tokenizer=pw.pre_tokenizers.WhitespaceSplit()
    )
    texts = [HOSTILE, BIDI, MARKS, f"{HOSTILE} <img src=x onerror=alert(1)>"]
    names = {HOSTILE: texts, BIDI: texts, MARKS: texts}
    page = open_report(pw.evaluate({HOSTILE: tok, BIDI: tok}, names, parallel=True).to_html())
    assert page.title() == "Evaluation of tokenizers"
    body = page.locator("body").inner_text()
    assert HOSTILE in body
    assert "\\u202eevil\\u202c" in body
    assert page.locator("img").count() == 0
    heights = page.locator("tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert max(heights) < 120
    assert page.evaluate("document.body.scrollWidth <= window.innerWidth")


def test_a_report_without_texts(open_report: Open) -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nlow\n")
    for texts in ([], [""], ["low"]):
        page = open_report(pw.evaluate(tok, texts).to_html())
        assert page.locator("caption").first.inner_text() == "Metrics"
