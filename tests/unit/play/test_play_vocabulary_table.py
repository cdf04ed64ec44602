"""The table of a vocabulary, against naive computations on small and large vocabularies."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import product
from typing import Any
from unicodedata import category, name

import pytest

import piecework as pw
from piecework import models, pre_tokenizers
from piecework.play.answers import ANSWERS
from piecework.play.cancellation import Cancellation
from piecework.play.entry import describe_entry
from piecework.play.fields import Fields
from piecework.play.samples import PARALLEL_TEXTS
from piecework.play.scripts import OTHER, script_of
from piecework.play.session import Session
from piecework.play.vocabulary import KINDS, SORTS, VocabularyQuery, VocabularyTable

TEXT = "The hugs of the pugs: 分词 не 123"


@pytest.fixture(scope="module")
def trained() -> dict[str, pw.Tokenizer]:
    texts = [*PARALLEL_TEXTS.values(), "hugs pugs hugging 123 \t\n\u200b"]
    suffixed = pw.BpeTrainer(400, end_of_word_suffix="</w>", unk_token="[UNK]")
    return {
        "WordPiece": pw.train(texts, pw.WordPieceTrainer(600)),
        "byte-level BPE": pw.train(texts, pw.BpeTrainer(600, alphabet="byte")),
        "BPE with a suffix": pw.train({"hugs": 9, "pugs": 4, "12": 3, "не": 2}, suffixed),
        "Unigram": pw.train(texts, pw.UnigramTrainer(600)),
        "loaded": pw.Tokenizer.from_str("[UNK]\nhug\n##s\nHug\npug\n##u\n"),
    }


def naive_row(
    tok: pw.Tokenizer, token: str, counts: dict[str, int] | None, reasons: dict[str, str]
) -> dict[str, Any]:
    number, data = tok.vocab[token], tok._core.token_bytes(tok.vocab[token])
    text = data.decode("utf-8", "surrogateescape")
    if token.startswith("##") and len(token) > 2:
        text = text[2:]
    if token.endswith("</w>") and len(token) > 4:
        text = text[:-4]
    return {
        "id": number,
        "token": token,
        "display_token": tok.display_token(number),
        "length": len(text),
        "script": script_of(text),
        "is_special": token in tok.special_tokens,
        "count": None if counts is None else counts.get(token),
        "reason": reasons.get(token),
    }


@cache
def naive_reasons(tok: pw.Tokenizer) -> dict[str, str]:
    report = pw.lint(tok, select=["unreachable", "not-produced"])
    return {str(each.token): each.reason for each in report.findings}


def naive_answer(tok: pw.Tokenizer, query: VocabularyQuery) -> dict[str, Any]:
    """Returns the answer for all rows, by one pass over the vocabulary that keeps nothing."""
    counts = tok.training.token_counts
    if query.text is not None:
        used = Counter(tok.encode_ids(query.text, add_special_tokens=False))
        counts = {token: used[number] for token, number in tok.vocab.items()}
    reasons = naive_reasons(tok) if query.kind == "unreachable" else {}
    rows = [naive_row(tok, token, counts, reasons) for token in tok.vocab]
    rows.sort(key=lambda row: row["id"])
    search = query.search.casefold()
    rows = [
        row
        for row in rows
        if any(search in row[part].casefold() for part in ("display_token", "token"))
        and (query.kind != "unused" or row["count"] == 0)
        and (query.kind != "unreachable" or row["reason"] is not None)
    ]
    scripts = Counter(row["script"] for row in rows)
    rows = [row for row in rows if query.script in (None, row["script"])]
    column = {"token": "display_token"}.get(query.sort, query.sort)

    def key(row: dict[str, Any]) -> Any:
        return -1 if row[column] is None else row[column]

    rows.sort(key=key, reverse=query.is_descending)
    return {
        "rows": rows,
        "start": 0,
        "total": len(rows),
        "entries": len(tok.vocab),
        "scripts": dict(scripts),
        "has_counts": counts is not None,
    }


QUERIES = [
    VocabularyQuery(search, sort, is_descending, script, kind, text)
    for (search, script), (sort, is_descending), (kind, text) in product(
        [("", None), ("UG", "Latin"), ("не", None), (" ", OTHER), ("Ġ", None), ("\0", None)],
        product(SORTS, [False, True]),
        product(KINDS, [None, TEXT, ""]),
    )
]


@pytest.mark.parametrize(
    "name", ["WordPiece", "byte-level BPE", "BPE with a suffix", "Unigram", "loaded"]
)
def test_every_query_equals_a_naive_one(trained: dict[str, pw.Tokenizer], name: str) -> None:
    tok = trained[name]
    table = VocabularyTable(tok)
    for query in QUERIES[::11]:
        assert table.find(query, 0, 10_000) == naive_answer(tok, query), query


def test_rows_in_parts_are_all_rows(trained: dict[str, pw.Tokenizer]) -> None:
    table = VocabularyTable(trained["WordPiece"])
    query = VocabularyQuery(sort="count", is_descending=True)
    whole = table.find(query, 0, 10_000)["rows"]
    parts = [row for start in range(0, 700, 50) for row in table.find(query, start, 50)["rows"]]
    assert parts == whole
    assert table.find(query, 10_000, 50)["rows"] == []


def test_what_the_page_shows_of_small_vocabularies() -> None:
    table = VocabularyTable(pw.Tokenizer.from_str("[UNK]\nhug\n##s\nHug\n##\n"))
    found = table.find(VocabularyQuery(kind="unreachable"), 0, 10)
    assert [row["display_token"] for row in found["rows"]] == ["Hug", "##"]
    assert "U+0048" in found["rows"][0]["reason"]
    everything = table.find(VocabularyQuery(), 0, 10)
    assert [row["length"] for row in everything["rows"]] == [5, 3, 1, 3, 2]
    assert not everything["has_counts"]
    assert {row["count"] for row in everything["rows"]} == {None}
    assert table.find(VocabularyQuery(kind="unused"), 0, 10)["total"] == 0


def test_incomplete_bytes_and_control_characters() -> None:
    vocab = ["a", "ä".encode().decode("latin-1")[0], "Ċ", "<0xE4>"]
    tok = pw.Tokenizer(
        models.WordLevel([*vocab, "[UNK]"], unk_token="[UNK]"),
        pre_tokenizer=pre_tokenizers.ByteLevel(),
        decoder=pw.decoders.ByteLevel(),
    )
    rows = VocabularyTable(tok).find(VocabularyQuery(), 0, 10)["rows"]
    shown = [(row["display_token"], row["length"], row["script"]) for row in rows[:3]]
    assert shown == [("a", 1, "Latin"), ("<0xC3>", 1, OTHER), ("\\n", 1, OTHER)]


def test_a_text_with_unknown_words_counts_the_unknown_token() -> None:
    table = VocabularyTable(pw.Tokenizer.from_str("[UNK]\nhug\n"))
    rows = table.find(VocabularyQuery(text="hug ??? hug"), 0, 10)["rows"]
    assert [row["count"] for row in rows] == [3, 2]


SCRIPTS = (
    "Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada "
    "Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee Khmer Mongolian Hiragana Katakana Bopomofo Han "
    "Yi Canadian_Aboriginal Old_Italic New_Tai_Lue Tai_Le Old_South_Arabian Pau_Cin_Hau Coptic Gothic Tangut"
)
EXCEPTIONS = (
    *("MODIFIER LETTER", "SOUND MARK", "IDEOGRAPHIC", "NUMERAL SIGN", "COMBINING"),
    *("ARABIC", "DEVANAGARI", "EPACT", "OLD CHINESE"),
)
"""Parts of the names of letters and marks that Unicode gives several scripts, or none."""


def test_scripts_are_those_of_unicode() -> None:
    """The split patterns of the core have Unicode's table of scripts, which the names are compared with."""
    named = ((c, name(c, "")) for c in map(chr, range(0x20000)) if category(c)[0] in "LM")
    letters = [c for c, own in named if own and not any(part in own for part in EXCEPTIONS)]
    found = {c: script_of(c) for c in letters}
    for script in SCRIPTS.split():
        pattern = pre_tokenizers.Split(pw.Regex(rf"\P{{{script}}}+"), "removed")
        expected = "".join(part for part, _ in pattern.pre_tokenize_str("".join(letters)))
        actual = "".join(c for c in letters if found[c] == script.replace("_", " "))
        assert actual == expected, script
        assert expected or script in {"Arabic", "Devanagari"}


def test_entry_has_the_tokens_of_its_lineage(trained: dict[str, pw.Tokenizer]) -> None:
    for tok in trained.values():
        counts = tok.training.token_counts or {}
        for token, number in list(tok.vocab.items())[::17]:
            entry = describe_entry(tok, number)
            assert entry["token"] == token
            assert bytes.fromhex(entry["bytes"]) == tok._core.token_bytes(tok.vocab[token])
            lineage = tok.lineage(token).to_dict()
            assert {key: entry[key] for key in lineage} == lineage
            parts = {each[key] for each in lineage["merges"] for key in ("left", "right", "token")}
            assert set(entry["tokens"]) == parts | {token}
            for part, facts in entry["tokens"].items():
                assert facts["id"] == tok.token_to_id(part)
                assert facts["display_token"] == tok.display_token(part)
                assert facts["final_count"] == counts.get(part)


def answer(tok: pw.Tokenizer, name: str, **members: Any) -> dict[str, Any]:
    fields = Fields(json.dumps(members).encode())
    return ANSWERS[name](Session({"tok": tok}), fields, Cancellation())


def test_answers_of_the_server(trained: dict[str, pw.Tokenizer]) -> None:
    tok = trained["WordPiece"]
    found = answer(tok, "vocabulary", tokenizer="tok", search="hug", text=None, script=None)
    assert found == naive_answer(tok, VocabularyQuery("hug"))
    assert answer(tok, "vocabulary", tokenizer="tok")["entries"] == tok.vocab_size
    assert len(answer(tok, "vocabulary", tokenizer="tok")["rows"]) == 500
    with pytest.raises(pw.errors.ConfigError, match="expected a text, found 3"):
        answer(tok, "vocabulary", tokenizer="tok", script=3)
    with pytest.raises(pw.errors.ConfigError, match=r"unknown member 'skript'.*'script'"):
        answer(tok, "vocabulary", tokenizer="tok", skript="Latin")
    with pytest.raises(pw.errors.TokenIdError, match="no token has the id 100000"):
        answer(tok, "token", tokenizer="tok", id=100_000)


def test_languages_are_compared_with_the_reference(trained: dict[str, pw.Tokenizer]) -> None:
    tok = trained["Unigram"]
    texts = {"1": "eins zwei", "en": "one", "empty": ""}
    found = answer(tok, "evaluate", tokenizers=["tok"], languages=texts, reference="en")
    (result,) = found["tokenizers"]
    counts = {key: len(tok.encode_ids(text)) for key, text in texts.items()}
    assert {key: group["tokens"] for key, group in result["groups"].items()} == counts
    assert result["parity"]["premiums"] == {key: n / counts["en"] for key, n in counts.items()}
    alone = answer(tok, "evaluate", tokenizers=["tok"], languages={"en": "one"})
    assert alone["tokenizers"][0]["parity"] is None
