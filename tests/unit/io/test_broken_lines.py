"""Lines that are no documents: each is named, or skipped and counted; no text is changed."""

import json
import random
from pathlib import Path

import pyarrow as pa
import pytest

import piecework as pw
from piecework import errors
from piecework._io.document_batch import Documents, ReadOptions
from piecework._io.documents import read, split
from piecework._io.lines import encoding_of
from piecework._io.sources import Source, find_sources

BROKEN: dict[str, tuple[bytes, str]] = {
    "invalid UTF-8": (b'{"text": "\xff"}', "invalid UTF-8 (0xff)"),
    "invalid UTF-8 in another member": (b'{"text": "a", "b": "\xc3("}', "invalid UTF-8 (0xc3)"),
    "truncated character": (b'{"text": "\xe2\x82"}', "invalid UTF-8 (0xe2)"),
    "surrogate in UTF-8": (b'{"text": "\xed\xa0\x80"}', "invalid UTF-8 (0xed)"),
    "lone surrogate": (b'{"text": "\\ud800"}', "lone surrogate"),
    "swapped surrogates": (b'{"text": "\\udc00\\ud800"}', "lone surrogate"),
    "lone CR between objects": (b'{"text": "a"}\r{"text": "b"}', "expected the end of the line"),
    "truncated string": (b'{"text": "abc', "the line ends within a string"),
    "truncated object": (b'{"text": "abc"', "found the end of the line"),
    "truncated escape": (b'{"text": "abc\\', "the line ends within a string"),
    "two objects": (b'{"text": "a"}{"text": "b"}', "expected the end of the line"),
    "number": (b'{"text": 3}', "is a number"),
    "boolean": (b'{"text": true}', "is a boolean"),
    "array": (b'{"text": ["a"]}', "is an array"),
    "object": (b'{"text": {"text": "a"}}', "is an object"),
    "null": (b'{"text": null}', "is null"),
    "missing": (b'{"Text": "a"}', "no member"),
    "repeated": (b'{"text": "a", "b": 1, "te\\u0078t": "a"}', "occurs twice"),
    "not an object": (b'["text", "a"]', "expected a JSON object, found an array"),
    "not JSON": (b"text", "expected a value"),
    "single quotes": (b"{'text': 'a'}", "quotation marks"),
    "NUL": (b'{"text": "a\0b"}', "control character U+0000"),
    "NUL bytes": (b"\0\0\0\0", "expected a JSON object"),
    "tab": (b'{"text": "a\tb"}', "control character U+0009"),
    "byte order mark": (b'\xef\xbb\xbf{"text": "a"}', "expected a JSON object"),
    "unknown escape": (b'{"text": "\\x41"}', "unknown escape"),
    "comma at the end": (b'{"text": "a",}', "quotation marks"),
    "leading zero": (b'{"text": "a", "n": 01}', "expected"),
    "NaN": (b'{"text": "a", "n": NaN}', "expected a value"),
    "unclosed nesting": (b'{"text": "a", "n": ' + b"[" * 100_000, "found the end of the line"),
}
VALID: list[bytes] = [
    b'{"text": "a"}',
    b'{"text": ""}',
    b'{"text": "\\u0000\\ud83d\\ude00\\/"}',
    b' { "b" : [ { } , [ ] , -1.5E+3 , null ] , "text" : "\xf0\x9f\x98\x80" }\r',
    b'{"n": ' + b"[" * 300 + b"]" * 300 + b', "text": "deep"}',
]
BLANK = [b"", b"\r", b" \t "]


def source_of(path: Path, lines: list[bytes]) -> Source:
    path.write_bytes(b"\n".join(lines) + b"\n")
    return find_sources(path)[0]


def texts(batches: list[Documents]) -> list[str]:
    return [text for batch in batches for text in pa.array(batch.texts).to_pylist()]


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_line_is_named(kind: str, tmp_path: Path) -> None:
    line, reason = BROKEN[kind]
    source = source_of(tmp_path / "a.jsonl", [VALID[0], b"", line, VALID[0]])
    with pytest.raises(errors.PieceworkError) as caught:
        list(read(source))
    error = caught.value
    assert isinstance(error, errors.DocumentError | errors.InvalidUtf8Error)
    assert str(error).startswith(f"{source.name}: ")
    assert "line 3" in str(error)
    assert reason in str(error) or isinstance(error, errors.InvalidUtf8Error)
    start = len(VALID[0]) + 2
    assert error.line == 3
    assert error.byte is not None
    assert start <= error.byte <= start + len(line)
    assert f"byte {error.byte}" in str(error)
    [batch] = read(source, ReadOptions(on_error="skip"))
    assert texts([batch]) == ["a", "a"]
    [skipped] = batch.skipped
    assert (skipped.name, skipped.line, skipped.byte) == (source.name, 3, error.byte)
    assert reason in skipped.reason


def test_ten_thousand_lines_are_read_or_counted(tmp_path: Path) -> None:
    """Every text of a valid line is that of Python's parser, in one range and in many."""
    draw = random.Random(0)
    kinds = [line for line, _ in BROKEN.values() if len(line) < 1000]
    lines = [draw.choice(kinds if draw.random() < 0.5 else VALID + BLANK) for _ in range(10_000)]
    lines[0] = VALID[0]
    source = source_of(tmp_path / "a.jsonl", lines)
    whole = list(read(source, ReadOptions(on_error="skip"), batch_bytes=50_000))
    assert len(whole) > 10
    valid = [json.loads(line)["text"] for line in lines if line in VALID]
    assert texts(whole) == valid
    broken = [number for number, line in enumerate(lines, 1) if line in kinds]
    assert [skipped.line for batch in whole for skipped in batch.skipped] == broken
    parts = [
        batch
        for part in split(source, 100_000)
        for batch in read(source, ReadOptions(on_error="skip"), range=part)
    ]
    assert texts(parts) == valid
    assert [skipped for batch in parts for skipped in batch.skipped] == [
        skipped for batch in whole for skipped in batch.skipped
    ]


def test_a_line_of_20_mb_is_a_document(tmp_path: Path) -> None:
    text = "long é" * 3_000_000
    lines = [VALID[0], json.dumps({"text": text}, ensure_ascii=False).encode(), VALID[0]]
    source = source_of(tmp_path / "a.jsonl", lines)
    for batch_bytes in (1 << 20, 1 << 26):
        assert texts(list(read(source, batch_bytes=batch_bytes))) == ["a", text, "a"]


def test_a_mark_at_the_start_is_no_part_of_json(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.jsonl", [b"\xef\xbb\xbf" + VALID[0]])
    assert texts(list(read(source))) == ["a"]


def test_an_error_in_a_range_has_the_line_of_the_file(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.jsonl", [*[VALID[0]] * 100, b"{}"])
    last = split(source, 500)[-1]
    with pytest.raises(errors.DocumentError, match="line 101, byte 1400"):
        list(read(source, range=last))


def test_invalid_lines_of_text_are_skipped(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.txt", [b"one", b"tw\xffo", b"three\r"])
    with pytest.raises(errors.InvalidUtf8Error) as caught:
        list(read(source))
    assert (caught.value.line, caught.value.byte) == (2, 6)
    [batch] = read(source, ReadOptions(on_error="skip"))
    assert (texts([batch]), batch.skipped[0].line) == (["one", "three"], 2)
    [batch] = read(source, ReadOptions(errors="replace"))
    assert texts([batch]) == ["one", "tw\ufffdo", "three"]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "shift_jis", "auto"])
def test_other_encodings_are_decoded(encoding: str, tmp_path: Path) -> None:
    rows = ["ｶﾀｶﾅ 日本語"] if encoding == "shift_jis" else ["naïve", "", "cliché"]
    data = "\n".join(rows).encode("utf-16" if encoding == "auto" else encoding)
    (tmp_path / "a.txt").write_bytes(data)
    [source] = find_sources(tmp_path / "a.txt")
    assert len(split(source, 1, ReadOptions(encoding=encoding))) == 1
    assert texts(list(read(source, ReadOptions(encoding=encoding)))) == rows


def test_bytes_invalid_in_another_encoding_are_named_or_skipped(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.txt", [b"one", b"\xe9", b"two"])
    options = ReadOptions(encoding="ascii")
    with pytest.raises(errors.InvalidUtf8Error, match="not ascii in line 2 at byte 4"):
        list(read(source, options))
    [batch] = read(source, ReadOptions(encoding="ascii", on_error="skip"))
    assert (texts([batch]), [skipped.line for skipped in batch.skipped]) == (["one", "two"], [2])
    [skipped] = batch.skipped
    assert (skipped.byte, skipped.reason) == (None, "invalid bytes in ascii")
    source = source_of(tmp_path / "b.txt", [b"one", b"\x81"])
    with pytest.raises(errors.InvalidUtf8Error, match="not cp1252 in line 2 at byte 4"):
        list(read(source, ReadOptions(encoding="cp1252")))


def test_bytes_of_utf8_are_those_of_the_file_however_it_is_read(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.jsonl", ['{"text": "naïve"}'.encode(), b"{}"])
    for encoding in (None, "utf-8", "auto"):
        with pytest.raises(errors.DocumentError, match="line 2, byte 19: ") as caught:
            list(read(source, ReadOptions(encoding=encoding)))
        assert caught.value.byte == 19


def test_lone_surrogates_of_a_codec_are_no_bytes_of_the_file(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.txt", [b"one", b"\\udc41"])
    with pytest.raises(
        errors.InvalidUtf8Error, match="invalid bytes in raw-unicode-escape"
    ) as caught:
        list(read(source, ReadOptions(encoding="raw_unicode_escape")))
    assert (caught.value.line, caught.value.byte) == (2, None)


def test_a_codec_with_more_characters_is_advised(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.txt", ["𠀀".encode("gb18030")])
    with pytest.raises(errors.InvalidUtf8Error, match='pass `encoding="gb18030"`, which has more'):
        list(read(source, ReadOptions(encoding="gbk")))


@pytest.mark.parametrize("lines", [1, 9000])
def test_counting_names_the_encoding(tmp_path: Path, lines: int) -> None:
    text = "plain ASCII text\n" * (lines - 1) + "今天天气很好，我们去公园。\n" * 20
    (tmp_path / "a.txt").write_bytes(text.encode("gb18030"))
    with pytest.raises(
        errors.InvalidUtf8Error, match=r'`encoding="auto"` \(gb18030 here\)'
    ) as caught:
        pw.count_words(pw.Corpus(tmp_path / "a.txt"))
    assert caught.value.line == lines


def test_remedies_are_others_than_the_settings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("one\n".encode("utf-16") + b"\x00\xd8\n\x00")
    [source] = find_sources(tmp_path / "a.txt")
    for on_error, is_advised in (("raise", True), ("skip", False)):
        with pytest.raises(errors.InvalidUtf8Error) as caught:
            list(read(source, ReadOptions(encoding="utf-16", on_error=on_error)))
        assert ("on_error" in str(caught.value.hint)) is is_advised


def test_lines_in_another_encoding_have_no_byte_of_the_file(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.jsonl", ["{}".encode("utf-16"), b""])
    with pytest.raises(errors.DocumentError, match="line 1: ") as caught:
        list(read(source, ReadOptions(encoding="utf-16")))
    assert caught.value.byte is None


@pytest.mark.parametrize(
    ("text", "encoding", "codec"),
    [
        ("今天天气很好，我们去公园。\n", "gbk", "gb18030"),
        ("今天天气很好，𠀀我们去公园。\n", "gb18030", "gb18030"),
        ("今日は天気がいいので、①公園に行きます。\n", "cp932", "cp932"),
        ("오늘은 날씨가 좋아서 공원에 갑니다.\n", "cp949", "cp949"),
        ("今天天氣很好，我們去公園。\n", "big5", "big5hkscs"),
    ],
)
def test_the_codec_of_the_encoding_standard_is_detected(
    text: str, encoding: str, codec: str
) -> None:
    assert encoding_of((text * 20).encode(encoding), whole=True) == codec
    assert (text * 20).encode(encoding).decode(codec) == text * 20


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", b'{"text": "a"}\n' * 9, "JSON lines, not text; pass `field="),
        ("a.jsonl", b'[\n{"text": "a"},\n{"text": "b"}]\n', "a JSON array of objects, not JSON"),
        ("a.jsonl", b"\x1f\x8b\x08" + b"\0" * 20, "gzip-compressed data"),
        ("a.txt", b"PAR1\x15\0", "a Parquet file"),
    ],
)
def test_files_of_another_format_are_refused(
    tmp_path: Path, name: str, data: bytes, kind: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(errors.FormatError, match=f"{name}: this is {kind}"):
        list(read(find_sources(tmp_path / name)[0], ReadOptions(on_error="skip")))
