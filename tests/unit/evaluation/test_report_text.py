"""Reports and tables as text: their figures, and that texts of the input are no markup."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

import piecework as pw
from piecework._show.document import Bar
from piecework.analysis._evaluation.report import length_tables

HOSTILE = '<script>alert("x")</script>'
BIDI = "\u202eevil\u202c\u2066x"
MARKS = "\u0301" * 200
TOKENS = f"[UNK]\nlow\n{HOSTILE}\n{BIDI}\n{MARKS}\n|a`*b_\n&amp;\n"
TOK = pw.Tokenizer.from_str(TOKENS).replace(
    normalizer=None, pre_tokenizer=pw.pre_tokenizers.WhitespaceSplit()
)
TEXTS = [f"{HOSTILE} {BIDI} low", "|a`*b_ &amp; \u0301" + "\u0301" * 100_000, "<img src=x>"]


@pytest.fixture(scope="module")
def evaluation() -> pw.analysis.Evaluation:
    name = '</caption><b onclick="x">' + BIDI
    return pw.evaluate({name: TOK, "|two|": TOK}, {HOSTILE: TEXTS, BIDI: TEXTS}, parallel=True)


class Tags(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        self.tags.add(tag)


def test_tables_in_html_escape_every_text(evaluation: pw.analysis.Evaluation) -> None:
    parser = Tags()
    parser.feed(evaluation._repr_html_())
    assert parser.tags == {"div", "style", "table", "caption", "tr", "th", "td", "bdi", "wbr"}
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", evaluation._repr_html_())


def test_markdown_has_no_markup_of_the_input(evaluation: pw.analysis.Evaluation) -> None:
    report = evaluation.to_markdown()
    assert "<" not in report
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", report)
    assert all(len(line) < 2000 for line in report.splitlines())
    for block in report.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1, block
    assert "\\|two\\|" in report


def test_text_is_a_table_with_every_metric() -> None:
    evaluation = pw.evaluate(
        {"one": TOK, "two": TOK}, {"a": ["low"], "b": ["low low"]}, parallel=True
    )
    summary, *groups = str(evaluation).split("\n\n")
    rows = dict(line.split(maxsplit=1) for line in summary.splitlines()[2:])
    assert rows["fertility"].split() == ["1.000", "1.000"]
    assert rows["gini"].split() == ["16.67%", "16.67%"]
    assert [block.splitlines()[0] for block in groups] == ["Groups: one", "Groups: two"]
    assert groups[0].splitlines()[-1].split()[-1] == "2.000"
    assert repr(evaluation) == "Evaluation(one, two on 2 texts)"


def test_figures_near_0_and_1() -> None:
    evaluation = pw.evaluate(TOK, [*["low"] * 99_999, "x"])
    assert evaluation["round_trip_rate"] == 0.99999
    rows = dict(line.split(maxsplit=1) for line in str(evaluation).splitlines()[2:])
    assert (rows["round_trip_rate"], rows["unknown_rate"]) == (">99.99%", "<0.01%")
    (failure,) = evaluation.check(fail_under={"round_trip_rate": 1})
    assert str(failure) == "round_trip_rate is >99.99%, under 1"
    one_kind = pw.evaluate(TOK, ["low low"])
    assert re.search("unigram_bits_per_byte +0.000\n", str(one_kind))


def test_distributions() -> None:
    evaluation = pw.evaluate(TOK, ["low " * 1000, "low", ""])
    words, by_bytes, texts, ranks = length_tables(evaluation)
    assert words.rows == [("0", (Bar(0.0),)), ("1", (Bar(1.0),))]
    assert by_bytes.rows[-1][0] == "3"
    assert [row[0] for row in texts.rows[-2:]] == ["256-511", "512-1023"]
    assert sum(bar.share for _, (bar,) in texts.rows) == pytest.approx(1)
    assert ranks.rows == [("1", "1,001")]
    single = pw.Tokenizer.from_str("[UNK]\na\n##a\n")
    long = next(length_tables(pw.evaluate({"a": single, "b": TOK}, ["a" * 99])))
    assert long.rows[-1] == ("20+", (Bar(1.0),), (Bar(0.0),))
    assert [len(each.rows) for each in length_tables(pw.evaluate(TOK, []))] == [0, 0, 0, 0]


def test_json_is_plain(evaluation: pw.analysis.Evaluation) -> None:
    found = json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))
    assert [each["name"] for each in found["tokenizers"]][1] == "|two|"
    assert found["tokenizers"][0]["parity"]["premiums"][HOSTILE] == 1.0
    assert found["tokenizers"][0]["total"]["texts"] == 6


def test_the_page_needs_no_network(evaluation: pw.analysis.Evaluation) -> None:
    page = evaluation.to_html()
    assert HOSTILE not in page
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.split("</head>", 1)[1])
    parser = Tags()
    parser.feed(page)
    assert not parser.tags & {"script", "link", "img", "iframe", "b", "object"}
    assert "default-src 'none'" in page
