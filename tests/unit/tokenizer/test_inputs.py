"""Texts as `str`, as UTF-8, and as Arrow columns give the same encodings."""

import array
import ctypes
import re
from typing import Any

import pytest

import piecework as pw
from piecework.errors import ArrowError, InvalidUtf8Error, SurrogateError

TEXTS = ["hug pun", "", "bun hugs! é中", "x" * 40, "[SEP] pun"]


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    vocab = [
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[PAD]",
        "hug",
        "##s",
        "pun",
        "bun",
        "!",
        "e",
        "中",
        "x",
        "##x",
    ]
    return pw.Tokenizer.from_str("\n".join(vocab))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_equal_str(tok: pw.Tokenizer, kind: Any) -> None:
    rows = [kind(text.encode()) for text in TEXTS]
    expected = tok.encode_batch(TEXTS, offsets=True)
    found = tok.encode_batch(rows)
    assert found.to_list() == expected.to_list()
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert list(found) == list(expected)
    for row, text in zip(rows, TEXTS, strict=True):
        assert tok.encode(row) == tok.encode(text)
        assert tok.encode(text, row) == tok.encode(text, text)
        assert tok.encode_ids(row) == tok.encode_ids(text)
        assert tok.count(row) == tok.count(text)
    assert tok.count(rows) == tok.count(TEXTS)
    mixed = [TEXTS[0], rows[1], (rows[2], TEXTS[3])]
    assert (
        tok.encode_batch(mixed).to_list()
        == tok.encode_batch([*TEXTS[:2], (TEXTS[2], TEXTS[3])]).to_list()
    )


@pytest.mark.parametrize("row", ["a\ud800", ("hug", "a\ud800"), (b"hug", "a\ud800")])
def test_lone_surrogate_error_names_the_text(tok: pw.Tokenizer, row: Any) -> None:
    for before in ("hug", b"hug"):
        with pytest.raises(
            SurrogateError, match=r"^text 1: the text contains .* U\+D800 at character 1"
        ):
            tok.encode_batch([before, row])
    with pytest.raises(SurrogateError, match=r"^the text contains"):
        tok.encode("a\ud800")
    with pytest.raises(SurrogateError, match=r"^text 1: "):
        pw.WordCounts.from_texts(["hug", "a\ud800"])


def test_memoryview_slices_are_texts(tok: pw.Tokenizer) -> None:
    assert tok.encode_ids(memoryview(b"hug pun hugs")[4:7]) == tok.encode_ids("pun")
    letters = memoryview(array.array("B", b"hug"))
    assert tok.encode_ids(letters) == tok.encode_ids("hug")


@pytest.mark.parametrize(
    "text",
    [b"a\xffb", b"\xc3", b"\xed\xa0\x80", b"a" * 100_000 + b"\x80", b"\xff" + b" a" * 300_000],
)
def test_invalid_utf8_raises(tok: pw.Tokenizer, text: bytes) -> None:
    position = next(at for at, byte in enumerate(text) if byte >= 0x80)
    message = re.escape(f"invalid UTF-8 at byte {position} of the text (0x{text[position]:02x})")
    for call in (tok.encode, tok.encode_ids, tok.count):
        with pytest.raises(InvalidUtf8Error, match=message) as caught:
            call(text)
        assert (caught.value.line, caught.value.byte) == (None, position)
    for offsets in (False, True):
        with pytest.raises(InvalidUtf8Error, match=f"text 2: {message}") as caught:
            tok.encode_batch(["a", "b" * 70_000, text, b"\xfe"], offsets=offsets)
        assert caught.value.byte == position
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    column = pyarrow.array([b"a", text]).view(pyarrow.string())
    with pytest.raises(InvalidUtf8Error, match=f"text 1: {message}"):
        tok.encode_batch(column)


def columns() -> list[Any]:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    polars = pytest.importorskip("polars", reason="polars is not installed")
    kinds = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]
    arrays = [pyarrow.array(TEXTS, kind) for kind in kinds]
    series = polars.Series(TEXTS)
    return [
        *arrays,
        *(pyarrow.array(["a", *TEXTS, "b"], kind).slice(1, len(TEXTS)) for kind in kinds),
        pyarrow.array([text.encode() for text in TEXTS]),
        *(pyarrow.chunked_array([array[:2], array[2:2], array[2:]]) for array in arrays),
        series,
        polars.concat([series[:3], series[3:]], rechunk=False),
        polars.concat([series, series])[2:7].gather([3, 4, 0, 1, 2]),
    ]


def test_arrow_columns_equal_lists(tok: pw.Tokenizer) -> None:
    expected = tok.encode_batch(TEXTS, offsets=True)
    for column in columns():
        found = tok.encode_batch(column)
        assert tok.count(column) == tok.count(TEXTS)
        assert found.to_list() == expected.to_list()
        assert found[2] == expected[2]
        assert found[-1].tokens == expected[-1].tokens
        assert list(found) == list(expected)
        assert found.offsets.tolist() == expected.offsets.tolist()
        assert found.padded().ids.tolist() == expected.padded().ids.tolist()
        at_once = tok.encode_batch(column, offsets=True, padding=pw.Padding())
        assert (
            at_once.offsets.tolist()
            == tok.encode_batch(TEXTS, padding=pw.Padding()).offsets.tolist()
        )


def test_column_with_missing_package_is_iterated(tok: pw.Tokenizer) -> None:
    class Series(list[str]):
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ImportError("no pyarrow")

    assert tok.encode_batch(Series(TEXTS)).to_list() == tok.encode_batch(TEXTS).to_list()


def test_training_on_columns_equals_lists() -> None:
    trainer = pw.WordPieceTrainer(vocab_size=40)
    for column in columns():
        assert pw.WordCounts.from_texts(column) == pw.WordCounts.from_texts(TEXTS)
        assert pw.train(column, trainer) == pw.train(TEXTS, trainer)
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with pytest.raises(ArrowError, match="text 1 is null"):
        pw.WordCounts.from_texts(pyarrow.array(["a", None]))


def test_empty_arrow_columns(tok: pw.Tokenizer) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        assert tok.encode_batch(pyarrow.array([], kind)).to_list() == []
        assert tok.encode_batch(pyarrow.chunked_array([], kind)).to_list() == []
        assert (
            tok.encode_batch(pyarrow.array([""], kind)).to_list()
            == tok.encode_batch([""]).to_list()
        )


def test_batch_keeps_its_arrow_column(tok: pw.Tokenizer) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    batch = tok.encode_batch(pyarrow.array([f"hug {number}" for number in range(10_000)]))
    assert batch[7].tokens == tok.encode("hug 7").tokens
    assert batch.offsets[-3:].tolist() == tok.encode_batch(["hug 9999"]).offsets[-3:].tolist()


def test_other_columns_raise(tok: pw.Tokenizer) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    polars = pytest.importorskip("polars", reason="polars is not installed")
    null = "text 2 is null; drop the nulls, or fill them"
    for column, message in [
        (pyarrow.array(["a", "b", None, "c", None]), null),
        (pyarrow.array(["-", "a", "b", None], pyarrow.string_view())[1:], null),
        (pyarrow.chunked_array([["a", "b"], [None]]), null),
        (polars.Series(["a", "b", None]), null),
        (pyarrow.array([1, 2]), 'expected a column of texts, found one of the Arrow format "l"'),
        (pyarrow.nulls(3), "nulls alone"),
        (pyarrow.array(["a"]).dictionary_encode(), "a dictionary of them; cast it"),
        (pyarrow.table({"text": ["a"]}), "pass one of its columns"),
        (polars.DataFrame({"text": ["a"]}), "pass one of its columns"),
        (pyarrow.array([["a"]]), "expected a column of texts"),
    ]:
        with pytest.raises(ArrowError, match=message):
            tok.encode_batch(column)


def test_invalid_arrow_offsets_raise(tok: pw.Tokenizer) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    data = pyarrow.py_buffer(b"hug pun hugs" * 4)
    for kind, code in [(pyarrow.string(), "i"), (pyarrow.large_string(), "q")]:
        for numbers in (
            [0, 9, 3, 7],
            [0, -1, 3, 7],
            [-4, 0, 3, 7],
            [0, 3, 20, 7],
            [0, 1, 2, -5],
            [2**31 - 1, 1, 2, 7],
        ):
            offsets = array.array(code, [0, 3, 4, 7])
            column = pyarrow.Array.from_buffers(kind, 3, [None, pyarrow.py_buffer(offsets), data])
            assert (
                tok.encode_batch(column).to_list()
                == tok.encode_batch(["hug", " ", "pun"]).to_list()
            )
            offsets[:] = array.array(code, numbers)  # changed after the validation by pyarrow
            with pytest.raises(
                ArrowError, match=r"text \d: the array's offsets do not go with its buffers"
            ):
                tok.encode_batch(column)


def test_invalid_arrow_views_raise(tok: pw.Tokenizer) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    data = pyarrow.py_buffer(b"hug pun hugs bun" * 4)

    def column(*view: int) -> Any:
        views = array.array("i", (0, 0, 0, 0))
        buffers = [None, pyarrow.py_buffer(views), data]
        made = pyarrow.Array.from_buffers(pyarrow.string_view(), 1, buffers)
        views[:] = array.array("i", view)  # changed after the validation by pyarrow
        return made

    assert tok.encode_batch(column(16, 0, 0, 0)).to_list() == [tok.encode_ids("hug pun hugs bun")]
    for view in [
        (65, 0, 0, 0),
        (16, 0, 0, 49),
        (16, 0, 1, 0),
        (16, 0, -1, 0),
        (16, 0, 0, -1),
        (-1, 0, 0, 0),
        (13, 0, 2**31 - 1, 0),
    ]:
        with pytest.raises(
            ArrowError, match="text 0: the array's offsets do not go with its buffers"
        ):
            tok.encode_batch(column(*view))


class Array(ctypes.Structure):
    """The struct ArrowArray of the C data interface."""

    _fields_ = (
        *(
            (name, ctypes.c_int64)
            for name in ("length", "null_count", "offset", "n_buffers", "n_children")
        ),
        *(
            (name, ctypes.c_void_p)
            for name in ("buffers", "children", "dictionary", "release", "private_data")
        ),
    )


class Tampered:
    """An Arrow array with changed fields of its C struct."""

    def __init__(self, column: Any, **changes: int) -> None:
        self.column, self.changes = column, changes

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]:
        schema, capsule = self.column.__arrow_c_array__(requested_schema)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        struct = Array.from_address(get(capsule, b"arrow_array"))
        for name, value in self.changes.items():
            setattr(struct, name, value)
        return schema, capsule


@pytest.mark.parametrize(
    "changes",
    [
        {"length": -1},
        {"offset": -1},
        {"length": 2**62},
        {"offset": 2**63 - 1},
        {"length": 2**58, "offset": 2**58},
        {"n_buffers": -1},
        {"n_buffers": 0},
        {"n_buffers": 2},
        {"n_buffers": 4},
        {"buffers": 0},
    ],
)
def test_impossible_arrow_fields_raise(tok: pw.Tokenizer, changes: dict[str, int]) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with pytest.raises(ArrowError, match="the array"):
        tok.encode_batch(Tampered(pyarrow.array(["hug", "pun"]), **changes))


def test_invalid_capsules_raise(tok: pw.Tokenizer) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

    class Stream:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
            return given

    class Pair:
        def __arrow_c_array__(self, requested_schema: Any = None) -> object:
            return given

    array = pyarrow.array(["hug"]).__arrow_c_array__()
    stream = pyarrow.chunked_array([["hug"]]).__arrow_c_stream__()
    for given in (None, 3, array[0], array, (array[1], array[0]), (), [array[0], array[1]], stream):
        for kind in (Stream, Pair):
            if (kind, given) in [(Pair, array), (Stream, stream)]:
                continue
            with pytest.raises((TypeError, ValueError, IndexError)):
                tok.encode_batch(kind())
    given = stream
    assert len(tok.encode_batch(Stream())) == 1
    with pytest.raises(ArrowError, match="read before"):
        tok.encode_batch(Stream())
    given = array
    assert len(tok.encode_batch(Pair())) == 1
    with pytest.raises(ArrowError, match="given away before"):
        tok.encode_batch(Pair())
