"""The HTML report in a real browser: no error, no network, plots, and hostile texts as text."""

from collections.abc import Callable
from typing import Any

import pytest

import piecework as pw

pytest.importorskip("altair", reason="the extra `report` is not installed")
pytest.importorskip("vl_convert", reason="the extra `report` is not installed")

HOSTILE = "<script>document.title='hostile'</script>"
BIDI = "\u202eevil\u202c"
MARKS = "a" + "\u0301" * 100_000

Open = Callable[[str], Any]


@pytest.fixture
def open_report(open_page: Any) -> Open:
    """Returns a function that opens a report at the width of a small screen."""
    return lambda text: open_page(text, viewport={"width": 1100, "height": 900})


def drawn(page: Any, plots: int) -> None:
    """Waits until all plots are drawn."""
    page.wait_for_function(f"document.querySelectorAll('.plot svg.marks').length == {plots}")


def test_plots_and_tables_of_several_tokenizers_and_languages(open_report: Open) -> None:
    texts = {"en": ["the cat sat on the mat", "the hat"], "de": ["die Katze saß", "der Hut"]}
    tokenizers = {
        criterion: pw.train(texts["en"] * 9, pw.WordPieceTrainer(40, criterion=criterion))
        for criterion in ("likelihood", "frequency")
    }
    evaluation = pw.evaluate(tokenizers, texts, parallel=True)
    page = open_report(evaluation.to_html())
    drawn(page, 7)
    assert page.locator("h2").all_inner_texts() == [
        "Words by number of tokens",
        "Tokens by number of bytes",
        "Texts by number of tokens",
        "Tokens by rank and frequency",
        "Tokenizers against each other",
        "Groups against each other",
        "Premiums of languages",
    ]
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
    drawn(page, 7)
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
        drawn(page, page.locator("h2").count())
