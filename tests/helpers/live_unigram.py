"""Unigram models of SentencePiece: building, training, parsing, and conversion for `tokenizers`."""

import base64
import io
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Json = dict[str, Any]
Piece = tuple[str, float, int]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
PIECES: list[Piece] = [("<unk>", 0.0, UNKNOWN), ("▁", -3.0, 1), ("a", -1.5, 1)]
MODELS = ("t5-spiece", "privately-corp-albert-30k-clean", "sentencepiece-test_model")

HARD_TEXTS = (
    "AAA",
    "nooooo",
    "hello world",
    "a literal ▁ and ▁▁",
    "～",
    "™\x1eg",
    "  two  spaces  ",
    "trailing ",
    " leading",
    "\u3000ideographic\u3000",
    "tabs\tand\nlines\r\n",
    "<unk><s></s><0x41>",
    "日本語とEnglish 混在",
    "😀😀 x 😀",
    "ﬁ ½ ① ㌔",
    "e\u0301\u0323",
    "a" * 70,
    "한국어 텍스트",
    "üöä ÜÖÄ ß",
    "",
    " ",
    "▁",
)


# Protocol buffers, the needed subset


class Field(NamedTuple):
    """A field of a message: its number and its value, an integer, a float or bytes."""

    number: int
    value: Any


def fields(data: bytes) -> Iterator[Field]:
    """Iterates over the fields of a message in order."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(data):
        key = varint()
        if key & 7 == 0:
            yield Field(key >> 3, varint())
        elif key & 7 == 5:
            yield Field(key >> 3, struct.unpack_from("<f", data, place)[0])
            place += 4
        else:
            size = varint()
            yield Field(key >> 3, data[place : place + size])
            place += size


def varint(value: int) -> bytes:
    """Returns the encoding of an integer."""
    low, high = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(high) if high else bytes([low])


def message(number: int, value: bytes) -> bytes:
    """Returns the encoding of a field of bytes."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def flag(number: int, value: int) -> bytes:
    """Returns the encoding of an integer field."""
    return varint(number << 3) + varint(value)


# Models


def model_of(pieces: Iterable[Piece], *, byte_fallback: bool = False) -> bytes:
    """Returns a model of pieces without normalization."""
    listed = (
        message(1, message(1, text.encode()) + b"\x15" + struct.pack("<f", score) + flag(3, kind))
        for text, score, kind in pieces
    )
    trainer = flag(3, 1) + flag(35, byte_fallback)
    normalizer = message(1, b"identity") + flag(3, 0) + flag(4, 0) + flag(5, 1)
    return b"".join(listed) + message(2, trainer) + message(3, normalizer)


def trained(lines: Iterable[str], vocab_size: int, **settings: Any) -> bytes:
    """Trains a model with SentencePiece."""
    out = io.BytesIO()
    library().SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=out,
        vocab_size=vocab_size,
        minloglevel=2,
        **{"model_type": "unigram"} | settings,
    )
    return out.getvalue()


def library() -> Any:
    """Returns SentencePiece."""
    return pytest.importorskip("sentencepiece", reason="the oracle sentencepiece is not installed")


def processor(model: bytes) -> Any:
    """Returns SentencePiece's processor of a model."""
    return library().SentencePieceProcessor(model_proto=model)


def nbest(live: Any, text: str, wanted: int) -> list[tuple[list[str], float]]:
    """Returns SentencePiece's best segmentations with their scores."""
    found = []
    serialized = live.nbest_encode(text, nbest_size=wanted, return_type="serialized_proto")
    for _, segmentation in fields(serialized):
        parts = list(fields(segmentation))
        pieces = [dict(fields(value))[1].decode() for number, value in parts if number == 2]
        score = next((value for number, value in parts if number == 3), 0.0)
        found.append((pieces, score))
    return found


def shared_model(data: Path, name: str) -> bytes:
    """Returns a shared model, or skips the test."""
    path = data / "vocabs" / f"{name}.model"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return path.read_bytes()


# A model as a tokenizer.json


class Read(NamedTuple):
    """A parsed model: pieces, byte fallback, and the settings of the normalizer."""

    pieces: list[Piece]
    byte_fallback: bool
    normalizer: dict[int, Any]

    def of_kind(self, *kinds: int) -> list[str]:
        """Returns the numbers of pieces of some kinds."""
        return [piece for piece, _, kind in self.pieces if kind in kinds]

    @property
    def vocab(self) -> list[list[Any]]:
        """Returns the pieces with their scores."""
        return [[piece, score] for piece, score, _ in self.pieces]

    @property
    def unk_id(self) -> int:
        """Returns the id of the unknown piece."""
        return [kind for _, _, kind in self.pieces].index(UNKNOWN)

    @property
    def charsmap(self) -> str | None:
        """Returns the charsmap of its normalizer."""
        table = self.normalizer.get(2)
        return base64.b64encode(table).decode() if table else None


def read(model: bytes) -> Read:
    """Parses a model."""
    pieces, trainer, normalizer = [], {}, {}
    for number, value in fields(model):
        if number == 1:
            piece = dict(fields(value))
            pieces.append((piece[1].decode(), piece.get(2, 0.0), piece.get(3, NORMAL)))
        elif number == 2:
            trainer = dict(fields(value))
        elif number == 3:
            normalizer = dict(fields(value))
    return Read(pieces, bool(trainer.get(35, 0)), normalizer)


def as_piecework_json(model: bytes) -> Json:
    """Returns a tokenizer.json for piecework that behaves like SentencePiece."""
    found = read(model)
    symbols = found.of_kind(USER_DEFINED)
    ours = {
        "precision": "float32",
        "user_defined": symbols,
        "reserved": found.of_kind(UNKNOWN, CONTROL, UNUSED, BYTE),
    }
    return {
        "model": {
            "type": "piecework.Unigram",
            "unk_id": found.unk_id,
            "vocab": found.vocab,
            "byte_fallback": found.byte_fallback,
            "piecework": ours,
        },
        "normalizer": {
            "type": "piecework.SentencePiece",
            "precompiled_charsmap": found.charsmap,
            "add_dummy_prefix": bool(found.normalizer.get(3, 1)),
            "remove_extra_whitespaces": bool(found.normalizer.get(4, 1)),
            "escape_whitespaces": bool(found.normalizer.get(5, 1)),
            "treat_whitespace_as_suffix": False,
            "user_defined_symbols": symbols,
        },
    }


def as_transformers_json(model: bytes) -> Json:
    """Returns the tokenizer.json that `transformers` makes from a model."""
    found = read(model)
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    steps: list[Json] = [spaces]
    if found.charsmap:
        steps.insert(0, {"type": "Precompiled", "precompiled_charsmap": found.charsmap})
    metaspace = {"replacement": "▁", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": {"type": "Metaspace", **metaspace},
        "post_processor": None,
        "decoder": {"type": "Metaspace", **metaspace},
        "model": {
            "type": "Unigram",
            "unk_id": found.unk_id,
            "vocab": found.vocab,
            "byte_fallback": found.byte_fallback,
        },
    }
