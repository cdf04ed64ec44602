"""The protocol of results: a line, text, HTML, JSON values, equality by value, rows, and pickles."""

from __future__ import annotations

import contextlib
import json
import pickle
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework._result import Result
from piecework._settings.immutable import Record
from piecework._show.document import Text, Token
from piecework._show.html import as_html
from piecework._show.markdown import as_markdown

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
HOSTILE = '<script>alert("&amp;")</script>\u202eevil\x1b[31m\x00' + "e" + "\u0301" * 50


def hostile() -> pw.Tokenizer:
    """Returns a tokenizer with a token that is markup, has control characters and turns the order."""
    tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\nab\na\n##b\n").replace(
        normalizer=None, pre_tokenizer=pw.pre_tokenizers.WhitespaceSplit()
    )
    return tok.with_added_tokens([HOSTILE])


def trained() -> pw.Tokenizer:
    return pw.train(WORDS, pw.WordPieceTrainer(18))


def unigram() -> pw.Tokenizer:
    return pw.train({f"▁{word}": n for word, n in WORDS.items()}, pw.UnigramTrainer(16))


def bpe() -> pw.Tokenizer:
    return pw.train(WORDS, pw.BpeTrainer(16))


TEXT = f"hugs {HOSTILE} ab pun"
RESULTS: dict[str, Callable[[Path], Any]] = {
    "Comparison": lambda _: pw.compare({HOSTILE: hostile(), "b": trained()}, TEXT),
    "Explanation of WordPiece": lambda _: hostile().explain(TEXT),
    "Explanation of BPE": lambda _: bpe().explain("hugs pun"),
    "Explanation of Unigram": lambda _: unigram().explain("hugs pun"),
    "Lineage": lambda _: trained().lineage("hug"),
    "Difference": lambda _: pw.diff(hostile(), trained(), [TEXT]),
    "LintReport": lambda _: pw.lint(hostile()),
    "Evaluation": lambda _: pw.evaluate({HOSTILE: hostile()}, {HOSTILE: [TEXT], "b": ["hug"]}),
    "VocabularyChange": lambda _: pw.prune(hostile(), ["hugs"], vocab_size=5, keep_alphabet=False),
    "MergeTrace": lambda _: pw.trace({HOSTILE: 9, "hug": 4}, pw.BpeTrainer(max_merges=4)),
    "MergeTraceStep": lambda _: pw.trace({HOSTILE: 9, "hug": 4}, pw.BpeTrainer(max_merges=4))[0],
    "UnigramTrace": lambda _: pw.trace({HOSTILE: 9, "▁hug": 4}, pw.UnigramTrainer(40)),
    "CriteriaTrace": lambda _: pw.trace_criteria({HOSTILE: 9}, pw.WordPieceTrainer(40)),
    "TrainingInfo": lambda _: trained().training,
    "TrainingInfo of Unigram": lambda _: unigram().training,
    "MergeHistory": lambda _: trained().training.history,
    "UnigramHistory": lambda _: unigram().training.steps,
    "EncodedBatch": lambda _: hostile().encode_batch([TEXT, "", "hugs"]),
    "Manifest": lambda folder: corpus(folder).manifest,
}
"""Functions that make a result, by its kind."""


def corpus(folder: Path) -> pw.corpus.Dataset:
    path = folder / "hug <b>.txt"
    path.write_text("hug\nhugs pun\n", encoding="utf-8")
    pw.corpus.tokenize(trained(), pw.Corpus(path), folder / "out", overwrite=True)
    return pw.corpus.Dataset(folder / "out")


@pytest.fixture(params=RESULTS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Any]:
    """Returns two results that were made in the same way."""
    return RESULTS[request.param](tmp_path), RESULTS[request.param](tmp_path)


pytestmark = pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")


class Tags(HTMLParser):
    """Collects the tags of HTML and the texts between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_all_kinds_of_results_are_tried() -> None:
    def kinds(base: type) -> set[str]:
        found = {each.__name__ for each in base.__subclasses__()}
        return found.union(*map(kinds, base.__subclasses__()))

    bases = {"Saved", "Trace", "_History"}
    tried = {name.split(" ", maxsplit=1)[0] for name in RESULTS}
    assert kinds(Result) - bases <= tried | {"FilesComparison"}


def test_a_repr_is_a_short_line(made: tuple[Any, Any]) -> None:
    result, _ = made
    shown = repr(result)
    assert shown.startswith(f"{type(result).__name__}(")
    assert shown.isprintable()
    assert len(shown) < 350


def test_text_has_no_control_characters(made: tuple[Any, Any]) -> None:
    for line in str(made[0]).split("\n"):
        assert line.isprintable()
        assert line == line.rstrip()
        assert "\u0301" * 5 not in line


def test_html_has_no_markup_of_texts(made: tuple[Any, Any]) -> None:
    html = made[0]._repr_html_()
    allowed = "div style details summary span table caption tr th td bdi wbr small mark s".split()
    assert Tags(html).tags <= set(allowed)
    assert not {"\u202e", "\x1b", "\x00"}.intersection(html)
    assert "\u0301" * 5 not in html
    assert html.startswith('<div class="piecework"')


def test_markdown_has_no_markup_of_texts(made: tuple[Any, Any]) -> None:
    shown = made[0].to_markdown()
    assert not {"\u202e", "\x1b", "\x00"}.intersection(shown)
    outside = re.sub("^ {4,}.*$", "", shown, flags=re.MULTILINE)
    assert "<" not in outside
    assert shown.endswith("\n")


def test_json_values_are_those_of_equal_results(made: tuple[Any, Any]) -> None:
    one, other = made
    assert json.loads(json.dumps(one.to_dict())) == json.loads(json.dumps(other.to_dict()))


def test_results_are_equal_by_value(made: tuple[Any, Any]) -> None:
    one, other = made
    assert one == other
    assert one != "another kind"
    with contextlib.suppress(TypeError):  # a large or mutable value has no hash
        assert hash(one) == hash(other)


def test_results_are_sequences_of_rows(made: tuple[Any, Any]) -> None:
    one, other = made
    rows = list(one)
    assert len(rows) == len(one) > 0
    assert rows == list(other)


def test_rows_are_values(made: tuple[Any, Any]) -> None:
    for row in made[0]:
        assert pickle.loads(pickle.dumps(row)) == row
        if isinstance(row, Record):
            assert json.loads(json.dumps(row.to_dict()))


def test_pickles_are_equal(made: tuple[Any, Any]) -> None:
    one, _ = made
    copy = pickle.loads(pickle.dumps(one))
    assert copy == one
    assert (repr(copy), str(copy)) == (repr(one), str(one))
    assert copy.to_dict() == one.to_dict()


def test_results_are_read_only(made: tuple[Any, Any]) -> None:
    with pytest.raises(AttributeError):
        made[0].tokenizer = None


def test_rows_of_a_report_are_its_findings() -> None:
    report = pw.lint(hostile())
    assert list(report) == list(report.findings)


def test_changes_of_a_difference() -> None:
    changes = list(pw.diff(hostile(), trained()))
    assert {type(change).__name__ for change in changes} >= {"IdChange", "SettingChange"}


def test_a_pickled_batch_has_all_columns() -> None:
    tok = trained().replace(padding=pw.Padding(direction="left"))
    for batch in (
        tok.encode_batch(["hugs", "pun hug"]),
        tok.encode_batch(["hugs", "pun hug"], offsets=True),
        tok.encode_batch([]),
    ):
        copy = pickle.loads(pickle.dumps(batch))
        assert copy == batch
        assert copy.offsets.tolist() == batch.offsets.tolist()
        assert copy.padded().attention_mask.tolist() == batch.padded().attention_mask.tolist()
        assert list(copy) == list(batch)


def test_batches_of_other_ids_differ() -> None:
    tok = trained()
    assert tok.encode_batch(["hug pun"]) != tok.encode_batch(["hug", "pun"])


@pytest.mark.parametrize(
    ("row_offsets", "unpadded"),
    [([], None), ([0, 1], None), ([0, 3, 2], None), ([1, 2], None), ([0, 2], [1, 1])],
)
def test_broken_pickles_of_batches_raise(row_offsets: list[int], unpadded: Any) -> None:
    lengths = None if unpadded is None else (np.array(unpadded, np.uint32), False)
    ids = np.array([1, 2], np.uint32)
    with pytest.raises(ValueError, match=r"row_offsets|unpadded"):
        pw._core.Batch(ids, np.array(row_offsets, np.int64), lengths)


def test_a_language_model_shows_its_tokenizer() -> None:
    assert repr(unigram().lm) == "LanguageModel(Unigram, 16 tokens)"


def test_links_and_titles_are_texts() -> None:
    document = [Text((Token("a", title="id 1\u202e"), " www.example.org http://example.org"))]
    assert r"www\.example.org http\://" in as_markdown(document)
    assert "\u202e" not in as_html(document)


def test_an_encoding_has_json_values_and_rows() -> None:
    encoding = trained().encode("hugs pun")
    values = json.loads(json.dumps(encoding.to_dict()))
    assert values["ids"] == list(encoding) == encoding.ids
    assert values["offsets"] == [list(span) for span in encoding.offsets]
