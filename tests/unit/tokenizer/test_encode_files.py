"""Encoding of files in blocks: the ids equal those of the text, for any block size."""

import os
import re
import threading
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
from piecework import AddedToken, errors, normalizers, pre_tokenizers
from piecework.tokenizer._options import UNLIMITED

VOCAB = ["[UNK]", "[CLS]", "[SEP]", "hug", "##s", "##ug", "h", "##h", "é", "中", "!", "\ufeff"]
PIECES = [
    *"hug",
    "hugs",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "é",
    "\u0301",
    "中",
    "😀",
    "!",
    "<t>",
    "[SEP]",
    "\ufeff",
    "\x0b",
    "\xa0",
]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
junk = st.lists(
    st.sampled_from(
        [
            *(piece.encode() for piece in PIECES),
            b"\xff",
            b"\xc3",
            b"\xe4\xb8",
            b"\xf0\x9f\x98",
            b"\xed\xa0\x80",
        ]
    ),
    max_size=30,
).map(b"".join)


@st.composite
def tokenizers(draw: st.DrawFn) -> pw.Tokenizer:
    tok = pw.Tokenizer.from_str("\n".join(VOCAB), lowercase=draw(st.booleans()))
    flags = st.fixed_dictionaries(
        {name: st.booleans() for name in ("single_word", "lstrip", "rstrip", "normalized")}
    )
    contents = st.sampled_from(["<t>", "hug", "é", "u h", "g\n", "中!", "!"])
    added = draw(
        st.lists(
            st.builds(lambda content, more: AddedToken(content, **more), contents, flags),
            max_size=2,
        )
    )
    tok = tok.with_added_tokens(added)
    component = draw(
        st.sampled_from(
            [None, pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation(), normalizers.NFC()]
        )
    )
    if isinstance(component, normalizers.Normalizer):
        return tok.replace(normalizer=component)
    return tok.replace(pre_tokenizer=component) if component else tok


def encode_blocks(
    tok: pw.Tokenizer,
    data: bytes,
    size: int,
    *,
    lines: bool,
    replace: bool = False,
    threads: int = 2,
    special: bool = True,
    **options: Any,
) -> Any:
    """Encodes the content of a file, read in blocks of `size` bytes."""
    chosen = tok._options(
        {"specials": "match", "add_special_tokens": special, **options, **UNLIMITED}
    )
    reading = (data, lines, replace, size)
    return tok._core.encode_file("text.txt", reading, chosen, threads, lambda read: None)


def lines_of(text: str) -> list[str]:
    *lines, last = text.split("\n")
    return [line.removesuffix("\r") for line in (*lines, *([last] if last else []))]


@given(tokenizers(), texts, st.integers(1, 12), st.integers(1, 3), st.booleans())
def test_file_equals_its_text(
    tok: pw.Tokenizer, text: str, size: int, threads: int, special: bool
) -> None:
    found = encode_blocks(tok, text.encode(), size, lines=False, threads=threads, special=special)
    assert found.to_list() == [tok.encode(text, add_special_tokens=special).ids]
    found = encode_blocks(tok, text.encode(), size, lines=True, threads=threads, special=special)
    assert found.to_list() == [
        tok.encode(line, add_special_tokens=special).ids for line in lines_of(text)
    ]


@given(junk, st.integers(1, 8), st.booleans())
def test_invalid_utf8_is_replaced_or_raises(data: bytes, size: int, lines: bool) -> None:
    tok = pw.Tokenizer.from_str("\n".join([*VOCAB, "\ufffd"]))
    text = data.decode("utf-8", "replace")
    found = encode_blocks(tok, data, size, lines=lines, replace=True)
    assert found.to_list() == [tok.encode(t).ids for t in (lines_of(text) if lines else [text])]
    valid = next(n for n in range(len(data), -1, -1) if _is_text(data, n))
    if valid == len(data):
        return
    line = data[:valid].count(b"\n") + 1
    message = f"text.txt: invalid UTF-8 in line {line} at byte {valid} of the file (0x{data[valid]:02x}); pass"
    for threads in (1, 2):
        with pytest.raises(errors.InvalidUtf8Error, match=re.escape(message)) as caught:
            encode_blocks(tok, data, size, lines=lines, threads=threads)
        assert (caught.value.line, caught.value.byte) == (line, valid)


def _is_text(data: bytes, length: int) -> bool:
    """Returns whether the first `length` bytes are valid UTF-8."""
    try:
        return bool(data[:length].decode()) or not length
    except UnicodeDecodeError:
        return False


@given(texts, st.integers(1, 8), st.sampled_from([1, 2]))
def test_special_token_error_has_its_position(text: str, size: int, threads: int) -> None:
    tok = pw.Tokenizer.from_str("\n".join(VOCAB))
    text = text.replace("[SEP]", "") + "é [SEP] hug [SEP]\n"
    at = text.index("[SEP]")
    with pytest.raises(errors.SpecialTokenError, match=rf"text.txt: .* at character {at};"):
        encode_blocks(tok, text.encode(), size, lines=False, threads=threads, specials="error")
    line = text[:at].count("\n") + 1
    at -= text.rfind("\n", 0, at) + 1
    with pytest.raises(
        errors.SpecialTokenError, match=rf"text.txt: line {line}: .* at character {at};"
    ):
        encode_blocks(tok, text.encode(), size, lines=True, threads=threads, specials="error")


@pytest.fixture
def tok() -> pw.Tokenizer:
    return pw.Tokenizer.from_str("\n".join(VOCAB)).with_added_tokens(["<t>"])


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"hug", b"hug\r\n", b"\xef\xbb\xbfhug\r\nhugs", b"\n\n hug\r\r\n", b" "]
)
def test_small_files_equal_their_text(tok: pw.Tokenizer, tmp_path: Path, content: bytes) -> None:
    path, text = tmp_path / "a.txt", content.decode()
    path.write_bytes(content)
    for special in (True, False):
        whole = tok.encode_batch(pw.Corpus(path, per="file"), add_special_tokens=special)
        assert whole.to_list() == [tok.encode(text, add_special_tokens=special).ids]
        by_line = tok.encode_batch(pw.Corpus(str(path)), add_special_tokens=special)
        assert by_line.to_list() == [
            tok.encode(line, add_special_tokens=special).ids for line in lines_of(text)
        ]


def test_large_file_equals_its_text(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    text = (
        "".join(f"hug{'s' * (n % 9)} <t> 中{' ' * (n % 3)}!é\r\n" for n in range(60_000))
        + "hug" * 300_000
        + " hug"
    )
    path.write_bytes(text.encode())
    whole = tok.encode_ids(text)
    lines = tok.encode_batch(lines_of(text))
    for threads in (1, 2, 3):
        assert tok.encode_batch(pw.Corpus(path, per="file"), threads=threads).ids.tolist() == whole
        assert (
            tok.encode_batch(pw.Corpus(path, per="file"), threads=threads, cache=False).ids.tolist()
            == whole
        )
        found = tok.encode_batch(pw.Corpus(path), threads=threads)
        assert found.ids.tolist() == lines.ids.tolist()
        assert found.row_offsets.tolist() == lines.row_offsets.tolist()


def test_batch_of_a_corpus_holds_ids_alone(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hug\nhugs hug\n")
    corpus = pw.Corpus(path)
    batch = tok.encode_batch(corpus)
    assert [len(row) for row in batch.to_numpy()] == [3, 5]
    assert batch.padded(pad_id=0).ids.shape == (2, 5)
    assert tok.decode_batch(batch) == ["hug", "hugs hug"]
    for ask in (lambda: batch[0], lambda: list(batch), lambda: batch.offsets):
        with pytest.raises(errors.ConfigError, match=r"the batch of a corpus contains only ids"):
            ask()


def test_arguments_apply_to_a_corpus_as_to_its_texts(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hug\nhugs hug hug\n")
    corpus = pw.Corpus([path, path])
    for limited in (tok, tok.replace(truncation=3)):
        for settings in (
            {},
            {"truncation": 4},
            {"truncation": None},
            {"add_special_tokens": False},
        ):
            found = limited.encode_batch(corpus, **settings)  # type: ignore[arg-type]
            assert found.to_list() == limited.encode_batch(list(corpus), **settings).to_list()  # type: ignore[arg-type]
    assert tok.count(corpus) == tok.count(list(corpus))
    padded = tok.replace(padding=pw.Padding(pad_id=0, pad_token="[UNK]"))
    for tokenizer, settings, name in (
        (tok, {"offsets": True}, "offsets"),
        (tok, {"is_pretokenized": True}, "is_pretokenized"),
        (tok, {"padding": 8}, "padding"),
        (padded, {}, "padding"),
    ):
        with pytest.raises(errors.ConfigError, match=f"^{name}: requires texts in memory; pass"):
            tokenizer.encode_batch(corpus, **settings)  # type: ignore[arg-type]
    assert padded.encode_batch(corpus, padding=None).to_list() == tok.encode_batch(corpus).to_list()


def test_file_errors(tok: pw.Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(errors.MissingFileError, match="none"):
        tok.encode_batch(pw.Corpus(tmp_path / "none", per="file"))
    with pytest.raises(errors.MissingFileError, match="the folder has no files"):
        tok.encode_batch(pw.Corpus(tmp_path, per="file"))
    with pytest.raises(errors.FileError, match="NUL"):
        tok.encode_batch(pw.Corpus("a\0b", per="file"))
    path = tmp_path / "a.txt"
    path.write_bytes(b"hug\nh\xffg\n")
    with pytest.raises(
        errors.InvalidUtf8Error,
        match=r"a\.txt: invalid UTF-8 in line 2 at byte 5 of the file \(0xff\)",
    ):
        tok.encode_batch(pw.Corpus(path, per="file"))
    assert len(tok.encode_batch(pw.Corpus(path, errors="replace"))) == 2
    with pytest.raises(errors.ConfigError, match="errors: expected"):
        pw.Corpus(path, errors="none")
    with pytest.raises(errors.ConfigError, match="threads: expected"):
        tok.encode_batch(pw.Corpus(path, per="file"), threads=0)
    path.write_text("[SEP]")
    with pytest.raises(errors.SpecialTokenError, match=r"a\.txt: line 1: .*character 0"):
        tok.encode_batch(pw.Corpus(path), specials="error")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("lines", [True, False])
def test_pipe_equals_its_text(tok: pw.Tokenizer, tmp_path: Path, lines: bool) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"hug\r\nhugs <t>\n" * 50_000))
    writer.start()
    found = tok.encode_batch(
        pw.Corpus(path, per="line" if lines else "file"), add_special_tokens=False
    )
    writer.join()
    expected = [tok.encode_ids(text, add_special_tokens=False) for text in ("hug", "hugs <t>")]
    assert found.ids.tolist() == list(chain.from_iterable(expected)) * 50_000
    assert len(found) == (100_000 if lines else 1)
