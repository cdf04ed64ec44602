"""Aligned blocks: they tile the text, end where all tokenizers have a boundary, and agree where all cut alike."""

import json
from html import escape
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import piecework as pw
from piecework import decoders, models, normalizers, pre_tokenizers
from piecework.analysis import Comparison
from piecework.analysis._comparison.alignment import align, white_space
from piecework.errors import ConfigError
from profiles import examples

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def byte_level() -> pw.Tokenizer:
    letters = pw.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = pw.BpeTrainer(300, alphabet="byte")
    return pw.train(["the cat sat", "a  b, naïve 中文"], trainer, pre_tokenizer=letters)


TOKENIZERS = {
    "pieces": pw.Tokenizer.from_str("[UNK]\nthe\ncat\n##s\na\n##b\nc\n<\n&\n"),
    "bytes": byte_level(),
    "words": pw.Tokenizer(
        models.WordLevel(["[UNK]", "the", "cat", " "], unk_token="[UNK]"),
        pre_tokenizer=pre_tokenizers.Whitespace(),
    ),
    "whole": pw.Tokenizer(models.BPE(["a", "b", "ab", *BYTES], [("a", "b")], byte_fallback=True)),
    "metaspace": pw.Tokenizer(
        models.Unigram([("<unk>", 0.0), ("▁", -2.0), ("a", -3.0), ("▁a", -3.5)], unk_id=0),
        normalizer=normalizers.Lowercase(),
        pre_tokenizer=pre_tokenizers.Metaspace(),
        decoder=decoders.Metaspace(),
    ),
}
TEXT = st.text(alphabet="ab thecs,A中é\u0301\u202e\n\t<&😀", max_size=20)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns a span without white space at its ends, by definition."""
    inner = text[start:end]
    return start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())


def boundaries(text: str, offsets: Any) -> set[int]:
    """Returns the positions at which a token begins or ends, and within none, by definition."""
    edges = {edge for span in offsets for edge in span}
    return {p for p in edges if not any(start < p < end for start, end in offsets)}


def check(text: str, compared: Comparison) -> None:
    """Compares the blocks with the definition."""
    every = [boundaries(text, split.offsets) for split in compared.splits]
    common = set.intersection(*every) | {0, len(text)}
    spans = [(block.start, block.end) for block in compared.blocks]
    assert spans == list(zip(sorted(common)[:-1], sorted(common)[1:], strict=True))
    assert "".join(text[start:end] for start, end in spans) == text
    for number, split in enumerate(compared.splits):
        assert [t for block in compared.blocks for t in block.tokens[number]] == list(
            split.display_tokens
        )
        assert [i for block in compared.blocks for i in block.ids[number]] == list(split.ids)
    at = [0] * len(compared.splits)
    for block in compared.blocks:
        cuts = []
        for number, split in enumerate(compared.splits):
            end = at[number] + len(block.ids[number])
            covering = [
                span for span in split.offsets[at[number] : end] if text[span[0] : span[1]].strip()
            ]
            cuts.append([trimmed(text, *span) for span in covering])
            at[number] = end
        assert block.agrees == all(each == cuts[0] for each in cuts)


@given(
    text=TEXT,
    names=st.lists(st.sampled_from(sorted(TOKENIZERS)), min_size=1, max_size=4, unique=True),
)
@examples(300)
def test_blocks_are_those_of_the_definition(text: str, names: list[str]) -> None:
    compared = pw.compare({name: TOKENIZERS[name] for name in names}, text)
    if not text:
        assert compared.blocks == ()
    else:
        check(text, compared)


@pytest.mark.parametrize("text", ["the  cat", "the cat ", "the\tcat\n", " \n", "the  \u3000 cat"])
def test_tokens_of_white_space_alone_are_no_disagreement(text: str) -> None:
    words = pw.Tokenizer.from_str("[UNK]\nthe\ncat\n")
    compared = pw.compare({"bytes": TOKENIZERS["bytes"], "words": words}, text)
    assert all(block.agrees for block in compared.blocks), compared
    assert len(compared.splits[0]) > len(compared.splits[1])


@given(
    texts=st.lists(TEXT.filter(bool), min_size=1, max_size=5),
    seed=st.integers(0, 1 << 30),
)
@examples(100)
def test_texts_in_a_row_have_the_blocks_of_each(texts: list[str], seed: int) -> None:
    tokenizers = list(TOKENIZERS.values())[seed % 3 :]
    spans: list[list[Any]] = [[] for _ in tokenizers]
    numbers: list[list[int]] = [[] for _ in tokenizers]
    starts, ends, agrees, at = [], [], [], 0
    for number, text in enumerate(texts):
        alone = pw.compare({str(i): tok for i, tok in enumerate(tokenizers)}, text)
        for index, split in enumerate(alone.splits):
            spans[index] += [(start + at, end + at) for start, end in split.offsets]
            numbers[index] += [number] * len(split)
        starts += [block.start + at for block in alone.blocks]
        agrees += [block.agrees for block in alone.blocks]
        at += len(text)
        ends.append(at)
    arrays = [np.array(each, dtype=np.int64).reshape(-1, 2) for each in spans]
    rows = [np.array(each, dtype=np.int64) for each in numbers]
    aligned = align(white_space("".join(texts)), arrays, rows, np.array(ends))
    assert aligned.starts.tolist() == starts
    assert aligned.agrees.tolist() == agrees


def test_table_aligns_columns_and_marks_what_differs() -> None:
    two = {name: TOKENIZERS[name] for name in ("pieces", "words")}
    assert str(pw.compare(two, "the cats")).splitlines() == [
        "pieces  3  the cat ##s",
        "words   2  the [UNK]",
        "               ^^^^^^^",
    ]
    assert str(pw.compare(two, "the cat")) == "pieces  2  the cat\nwords   2  the cat"
    parts = list(pw.compare(two, "the cats the").lines(18))
    assert parts == [
        "pieces  4  the",
        "words   3  the",
        "",
        "pieces  4  cat ##s",
        "words   3  [UNK]",
        "           ^^^^^^^",
        "",
        "pieces  4  the",
        "words   3  the",
    ]


def test_wide_characters_keep_the_columns_aligned() -> None:
    level = pw.Tokenizer(
        models.WordLevel(["[UNK]", "中文", "a"], unk_token="[UNK]"),
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
    )
    other = level.replace(pre_tokenizer=pre_tokenizers.FixedLength(length=1))
    lines = str(pw.compare({"x": level, "y": other}, "中文 a")).splitlines()
    assert lines[0] == "x  2  中文              a"
    assert lines[1] == "y  4  [UNK] [UNK] [UNK] a"
    assert lines[2] == "      ^^^^^^^^^^^"


HOSTILE = [
    "<script>alert(1)</script>",
    "a\u202eb\u2066",
    "a" + "\u0301" * 100_000,
    "&amp;\x00\x1b[31m",
]


@pytest.mark.parametrize("text", HOSTILE, ids=["script", "bidi", "marks", "escape"])
def test_hostile_text_is_shown_as_text(text: str) -> None:
    two = {name: TOKENIZERS[name] for name in ("pieces", "metaspace")} | {
        text[:60]: TOKENIZERS["words"]
    }
    compared = pw.compare(two, text)
    check(text, compared)
    html, shown = compared._repr_html_(), str(compared)
    assert "<script" not in html
    assert html.count("<table>") == 1
    for c in "\u202e\u2066\x00\x1b":
        assert c not in html + shown
    assert "\u0301" * 5 not in html + shown
    # A long run of marks is cut in the table.
    assert max(map(len, shown.splitlines())) < 2000
    assert json.loads(json.dumps(compared.to_dict()))["text"] == text
    if "<" in text:
        assert escape("<") in html


def test_a_text_of_tokens_without_characters() -> None:
    tok = pw.Tokenizer(
        models.BPE(["a", "</w>"], end_of_word_suffix="</w>", suffix_style="separate"),
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
    )
    compared = pw.compare({"tok": tok, "words": TOKENIZERS["words"]}, "a a")
    check("a a", compared)
    assert [block.agrees for block in compared.blocks if compared.text[block.start].strip()] == [
        False,
        False,
    ]


@given(
    TEXT,
    st.lists(st.sampled_from(sorted(TOKENIZERS)), min_size=1, max_size=4, unique=True),
    st.data(),
)
@examples(300)
def test_part_has_the_blocks_that_overlap(text: str, names: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    chosen = {name: TOKENIZERS[name] for name in names}
    whole = pw.compare(chosen, text)
    part = pw.compare(chosen, text, span=(start, end))
    overlapping = tuple(block for block in whole.blocks if block.start < end and start < block.end)
    if start == end:
        overlapping = tuple(block for block in whole.blocks if block.start <= start < block.end)
    assert part.blocks == (overlapping if text else whole.blocks)
    for number, (split, other) in enumerate(zip(part.splits, whole.splits, strict=True)):
        assert split.count == len(split) == len(other.ids)
        ids = [each for block in part.blocks for each in block.ids[number]]
        assert sorted(split.ids) == sorted(ids)
        for row in zip(split.tokens, split.display_tokens, split.ids, split.offsets, strict=True):
            assert row in zip(
                other.tokens, other.display_tokens, other.ids, other.offsets, strict=True
            )


def test_span_that_is_no_range_of_the_text() -> None:
    with pytest.raises(ConfigError, match=r"^span: expected a start and an end from 0 to 3"):
        pw.compare(TOKENIZERS, "abc", span=(2, 4))
    with pytest.raises(TypeError, match="span: expected a pair"):
        pw.compare(TOKENIZERS, "abc", span=3)  # type: ignore[arg-type]
