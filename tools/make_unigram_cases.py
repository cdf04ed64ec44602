"""Writes spec/cases/unigram_encode.json and unigram_train.json, the expected results of Unigram.

Run it with a Python that has `tokenizers` 0.23 and `sentencepiece`, and this project's reference:

    python tools/make_unigram_cases.py [--check]

Pieces, ids, offsets, n-best lists and their scores come from the live libraries. Cases that no library
can produce (sampling, probabilities, training) come from the reference, and their source says so: they check
that nothing changes, and that the core gives the same bits.
"""

import argparse
import itertools
import json
import struct
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sentencepiece
from make_pipeline_cases import charsmap
from tokenizers import Tokenizer

from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.learn.unigram_seeds import build_corpus, select_seed_pieces
from piecework.reference.learn.unigram_train import UnigramStep, train_unigram
from piecework.reference.numbers import floats

sys.path.append(str(Path(__file__).parents[1] / "tests" / "helpers"))
import reference_models

Json = dict[str, Any]
Scores = dict[str, float]

FOLDER = Path(__file__).parents[1] / "spec" / "cases"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
THE_REFERENCE = "the reference"


def round_to_f32(value: float) -> float:
    """Rounds to a 32-bit float."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


# Models


def unigram(scores: Scores, *, unk: bool = True, byte_fallback: bool = False) -> Json:
    """Returns a model as `tokenizers` writes it; the unknown token is the first entry."""
    entries = {"<unk>": 0.0} | scores if unk else scores
    vocab = [[entry, score] for entry, score in entries.items()]
    unk_id = 0 if unk else None
    return {"type": "Unigram", "unk_id": unk_id, "vocab": vocab, "byte_fallback": byte_fallback}


LETTERS = {"a": -1.5, "b": -2.5, "c": -3.5}
TIED = {"a": -1.0, "aa": -2.0, "aaa": -3.0, "b": -1.0, "ab": -2.0, "ba": -2.0}
NOO = {  # sums of these are equal as real numbers, and not as floats
    "a": -2.3, "aa": -4.1, "aaa": -6.2, "o": -1.7, "oo": -3.3, "n": -2.9, "no": -3.7, "noo": -5.3,
}  # fmt: skip
BYTES = {f"<0x{byte:02X}>": 0.0 for byte in range(256)}
SOME_BYTES = {f"<0x{byte:02X}>": -4.0 for byte in "\u4e2d\u00e9".encode()}
WORDS = {
    "\u2581": -2.0, "\u2581the": -1.0, "\u2581a": -2.5, "t": -4.0, "h": -4.0, "e": -3.5, "a": -4.0,
    "n": -3.0, "o": -3.0, "no": -4.5, "\u2581\u2581": -3.0, "fi": -3.0, "f": -5.0, "i": -5.0,
}  # fmt: skip
TRAPS = [
    "the theatre", " the  the ", "nooooo", "a\u2581the", "\u2581", "", " ", "\ufb01ne", "the\u3000the",
    "\U0001f600\U0001f600 a", "th\u00e9 \u4e2d a",
]  # fmt: skip
TABLE = {"\ufb01": "fi", "\u3000": " ", "\u00e9": "e"}


def metaspace(scheme: str, *, split: bool = True) -> Json:
    """Returns the pre-tokenizer of SentencePiece's models in `tokenizers`."""
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": split}


SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
T5 = {
    "normalizer": {
        "type": "Sequence",
        "normalizers": [{"type": "Precompiled", "precompiled_charsmap": charsmap(TABLE)}, SPACES],
    },
    "pre_tokenizer": metaspace("always"),
}


# Cases from `tokenizers`


GROUPS: dict[str, tuple[Json, Json, list[str]]] = {
    "the best": (unigram(LETTERS | {"ab": -3.0, "bc": -9.0, "abc": -7.5}), {}, ["abc", "abcab", "cba", "aabbcc"]),
    "ties": (unigram(TIED), {}, ["a" * n for n in (1, 2, 3, 4, 5, 9)] + ["ab", "aba", "baab", "abab"]),
    "ties in floats": (unigram(NOO), {}, ["nooooo", "aaa", "a" * 13, "a" * 25, "n" + "o" * 18]),
    "unknown": (unigram(LETTERS), {}, ["x", "axxb", "xx xx", "x\u4e2dxa", "abx", ""]),
    "the unknown token in the text": (unigram(LETTERS), {}, ["<unk>", "a<unk>b", "<unk>x", "x<unk><unk>"]),
    "what is unknown spells an entry": (unigram({"a": 90.0, "xy": 80.0}), {}, ["xy", "xya", "xyx", "axy"]),
    "an unknown token with a score": (
        {**unigram({"a": -1.0, "?": -30.0, "b": -2.0}, unk=False), "unk_id": 1}, {}, ["a?b", "x?", "xb"]),
    "no unknown token": (unigram(LETTERS, unk=False), {}, ["abc", "", "x", "ax"]),
    "bytes": (
        unigram(LETTERS | BYTES, byte_fallback=True), {},
        ["a\u4e2db", "\u4e2d\u00e9", "xa", "<0x41>", "<unk>", "a<unk>\u4e2d", "\U0001f600\U0001f600"]),
    "bytes that are switched off": (unigram(LETTERS | BYTES), {}, ["a\u4e2db", "<0x41>"]),
    "some bytes": (
        unigram(LETTERS | SOME_BYTES, byte_fallback=True), {},
        ["\u4e2d", "a\u4e2d\u00e9b", "\u4e2dx", "x\u4e2d", "\u4e2da\u00e9", "<0xE4>"]),
    "scores above 0": (unigram({"a": 1.0, "b": 2.0, "ab": 2.5, "aab": 9.0}), {}, ["aab", "abab", "xab"]),
    "T5": (unigram(WORDS), T5, TRAPS),
    "a prefix before the first word": (unigram(WORDS), {"pre_tokenizer": metaspace("first")}, TRAPS),
    "no prefix": (unigram(WORDS), {"pre_tokenizer": metaspace("never")}, TRAPS),
    "the text as one word": (
        unigram(WORDS), {"normalizer": SPACES, "pre_tokenizer": metaspace("always", split=False)}, TRAPS),
}  # fmt: skip


def named(name: str, text: str) -> str:
    """Returns the name of a case."""
    return f"{name}: {text}" if len(text) <= 20 else f"{name}: {text[:8]}... ({len(text)})"


def live_group(name: str, model: Json, config: Json, texts: list[str]) -> Iterator[Json]:
    """Yields encodings by the library."""
    members = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    empty = {"version": "1.0", "added_tokens": [], **dict.fromkeys(members)}
    live = Tokenizer.from_str(json.dumps({**empty, **config, "model": model}))
    for text in texts:
        case = {"name": named(name, text), "source": "tokenizers", "text": text}
        yield case | {"config": {**config, "model": name}} | live_columns(live, text)


def live_columns(live: Tokenizer, text: str) -> Json:
    """Returns the columns of an encoding by the library, or an error if it fails."""
    try:
        encoding = live.encode(text)
    except Exception:  # noqa: BLE001  # the library knows no other kind
        return {"error": "value"}
    return {
        "ids": encoding.ids, "tokens": encoding.tokens,
        "offsets": [[*span] for span in encoding.offsets], "word_ids": encoding.word_ids,
    }  # fmt: skip


# Cases from SentencePiece


Piece = tuple[str, float, int]
HEAD: list[Piece] = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
MODELS: dict[str, tuple[list[Piece], bool, list[str]]] = {
    "sentencepiece: ties in floats": (
        [(entry, score, NORMAL) for entry, score in NOO.items()], False,
        ["nooooo", "aaa", "AAA", "a" * 13, "a" * 25, "n" + "o" * 18]),
    "sentencepiece: ties": (
        [(entry, score, NORMAL) for entry, score in TIED.items()], False,
        ["a" * n for n in (1, 2, 3, 5, 9)] + ["abab", "baab", "xax", "<s>a<unk>"]),
    "sentencepiece: symbols": (
        [(entry, score, NORMAL) for entry, score in LETTERS.items()]
        + [("abc", 0.0, USER_DEFINED), ("bcabca", 0.0, USER_DEFINED), ("\u00e9\u00e9a", 0.0, USER_DEFINED),
           ("ab", -0.5, UNUSED)], False,
        ["abc", "abcabca", "abab", "\u00e9\u00e9a", "a\u00e9\u00e9abc", "bcabcabc"]),
    "sentencepiece: a symbol that loses": (
        [("a", 2.5, NORMAL), ("b", -3.0, NORMAL), ("aab", -7.0, USER_DEFINED)], False, ["aab", "aabaab"]),
    "sentencepiece: what is unknown spells an entry": (
        [("a", 90.0, NORMAL), ("xy", 80.0, NORMAL)], False, ["xy", "xya", "xyx", "axy"]),
    "sentencepiece: bytes": (
        [(entry, score, NORMAL) for entry, score in LETTERS.items()]
        + [(entry, 0.0, BYTE) for entry in BYTES], True,
        ["a\u4e2db", "xx", "<0x41>", "\U0001f600a"]),
}  # fmt: skip
ALIKE = ["".join(text) for size in range(1, 6) for text in itertools.product("ab", repeat=size)]
MODELS["sentencepiece: all alike"] = (
    [(entry, -0.7 * len(entry), NORMAL) for entry in ALIKE], False, ["abaab", "ab" * 30, "abaab" * 30]
)  # fmt: skip
LISTED = (2, 5, 64)


def model_proto(pieces: list[Piece], *, byte_fallback: bool) -> bytes:
    """Returns a model without normalization."""

    def varint(value: int) -> bytes:
        low, high = value & 0x7F, value >> 7
        return bytes([low | 0x80]) + varint(high) if high else bytes([low])

    def field(number: int, value: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(value)) + value

    def flag(number: int, value: int) -> bytes:
        return varint(number << 3) + varint(value)

    listed = (
        field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + flag(3, kind)
        for text, score, kind in pieces
    )
    normalizer = field(1, b"identity") + flag(3, 0) + flag(4, 0) + flag(5, 1)
    return (
        b"".join(field(1, each) for each in listed)
        + field(2, flag(3, 1) + flag(35, byte_fallback))
        + field(3, normalizer)
    )


def as_ours(pieces: list[Piece], *, byte_fallback: bool) -> Json:
    """Returns the model as piecework writes it in a tokenizer.json."""
    reserved = [entry for entry, _, kind in pieces if kind in (UNKNOWN, CONTROL, UNUSED, BYTE)]
    return {
        "type": "piecework.Unigram",
        "unk_id": 0,
        "vocab": [[entry, round_to_f32(score)] for entry, score, _ in pieces],
        "byte_fallback": byte_fallback,
        "piecework": {
            "precision": "float32",
            "user_defined": [entry for entry, _, kind in pieces if kind == USER_DEFINED],
            "reserved": reserved,
        },
    }


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Reads the fields of a message: strings and messages as bytes, floats as floats."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            value, shift, place = value | (byte & 0x7F) << shift, shift + 7, place + 1
            if byte < 0x80:
                return value

    while place < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = 4 if key & 7 == 5 else varint()
        value = data[place : place + size]
        yield key >> 3, struct.unpack("<f", value)[0] if key & 7 == 5 else value
        place += size


def sentencepiece_cases(name: str) -> Iterator[Json]:
    """Yields the pieces, and lists of the best segmentations, of a model's texts."""
    pieces, byte_fallback, texts = MODELS[name]
    proto = model_proto(HEAD + pieces, byte_fallback=byte_fallback)
    live = sentencepiece.SentencePieceProcessor(model_proto=proto)
    for text in texts:
        case = {"name": named(name, text), "source": "sentencepiece", "text": text}
        case |= {"config": {"model": name}}
        yield case | {"ids": live.encode(text), "tokens": live.encode(text, out_type=str)}
        for wanted in LISTED:
            paths = [*best(live, text, wanted)]
            yield case | {"name": f"{case['name']}, best {wanted}", "nbest": wanted, "paths": paths}


def best(live: Any, text: str, wanted: int) -> Iterator[Json]:
    """Yields the best segmentations with their scores."""
    found = live.nbest_encode(text, nbest_size=wanted, return_type="serialized_proto")
    for _, path in fields(found):
        parts = [*fields(path)]
        tokens = [dict(fields(value))[1].decode() for number, value in parts if number == 2]
        yield {"tokens": tokens, "score": next((v for number, v in parts if number == 3), 0.0)}


# Cases from the reference


def wordpiece(counts: dict[str, int], **ours: Any) -> Json:
    """Returns a model of WordPiece with counts of its entries."""
    return {
        "type": "piecework.WordPiece",
        "vocab": {entry: i for i, entry in enumerate(counts)},
        "unk_token": "[UNK]",
        "continuing_subword_prefix": ours.pop("prefix", "##"),
        "max_input_chars_per_word": 12,
        "piecework": {**ours, "training": {"token_counts": [*counts.values()]}},
    }


HUGS = {
    "[UNK]": 0, "h": 4, "##u": 9, "##g": 8, "##s": 6, "hu": 30, "##gs": 40, "hug": 10, "##ug": 3, "a": 5,
    "##a": 5, "##ab": 5, "ab": 0, "##b": 5,
}  # fmt: skip
HUGGED = ["hugs", "hug", "ab", "aab", "xhugs", "huxxgs", "hugx", "a" * 12, "a" * 13, "hugs aab"]
SPLITS = {
    "likeliest, word": wordpiece(HUGS, segmentation="likeliest"),
    "likeliest, run": wordpiece(HUGS, segmentation="likeliest", unknown="run"),
    "likeliest, char": wordpiece(HUGS, segmentation="likeliest", unknown="char"),
    "likeliest, no prefix": wordpiece(
        {entry.removeprefix("##"): n for entry, n in HUGS.items()},
        segmentation="likeliest",
        prefix="",
    ),
}
PASSED_OVER = {
    "dropout, 0.5": wordpiece(HUGS, dropout=0.5),
    "dropout, 0.1": wordpiece(HUGS, dropout=0.1, unknown="char"),
    "dropout, 1": wordpiece(HUGS, dropout=1.0, unknown="run"),
    "dropout, 0": wordpiece(HUGS, dropout=0.0),
}


def wordpiece_cases(table: dict[str, Json]) -> Iterator[Json]:
    """Yields the likeliest segmentations of WordPiece, and those with dropout."""
    table |= SPLITS | PASSED_OVER
    spaces = {"pre_tokenizer": {"type": "WhitespaceSplit"}}
    for name in SPLITS:
        for text in HUGGED:
            case = {"name": named(name, text), "text": text, "config": {**spaces, "model": name}}
            yield by_reference(table, case)
    for name in PASSED_OVER:
        for seed, number in ((0, 0), (7, 3), (2**64 - 1, 1)):
            text = "hugs hug aab hugs ab huxg"
            case = {"name": f"{name}: seed {seed}, input {number}", "seed": seed, "number": number}
            yield by_reference(table, case | {"text": text, "config": {**spaces, "model": name}})


BARRED = {"added_tokens": [
    {"id": 4, "content": "ab", **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
     "special": True}]}  # fmt: skip
DRAWN = [
    ("ties", "aaab"),
    ("ties in floats", "nooooo aaa"),
    ("T5", "the theatre no"),
    ("bytes", "ab\u4e2d"),
]


def reference_cases(table: dict[str, Json]) -> Iterator[Json]:
    """Yields cases that no library can produce: excluded entries, sampling and probabilities."""
    table["barred"] = unigram(LETTERS | {"ab": -1.0, "bc": -9.0})
    for text in ("abab", "abc"):
        config = {**BARRED, "model": "barred"}
        for specials in ("match", "text"):
            case = {"name": f"barred, {specials}: {text}", "specials": specials, "config": config}
            yield by_reference(table, case | {"text": text})
    for name, text in DRAWN:
        config = {**GROUPS[name][1], "model": name}
        case = {"text": text, "config": config}
        for alpha, seed, number in ((0.0, 0, 0), (0.5, 7, 3), (1.0, 2**64 - 1, 1), (3.0, 1, 0)):
            chance = {"alpha": alpha, "seed": seed, "number": number}
            label = f"{name}: {text}, alpha {alpha}, seed {seed}, input {number}"
            yield by_reference(table, {"name": label} | case | chance)
        for size, seed in ((2, 0), (3, 4), (500, 1)):
            chance = {"alpha": 0.3, "nbest_size": size, "seed": seed, "number": 0}
            label = f"{name}: {text}, among the best {size}, seed {seed}"
            yield by_reference(table, {"name": label} | case | chance)
    for name in ("ties", "ties in floats", "unknown", "sentencepiece: symbols"):
        encoder = reference_models.unigram(table[name])
        for text in ("ab", "aaaa", "nooooo", "a" * 2000):
            case = {
                "name": f"{named(name, text)}, probability",
                "source": THE_REFERENCE,
                "text": text,
            }
            found = encoder.marginal_log_likelihood(text)
            yield case | {"config": {"model": name}, "log_probability": found}


def by_reference(table: dict[str, Json], case: Json) -> Json:
    """Adds the columns of the reference."""
    model = table[case["config"]["model"]]
    if "alpha" in case:
        chance = {name: case[name] for name in ("alpha", "nbest_size") if name in case}
        ours = {**model.get("piecework", {}), **chance}
        model = {**model, "type": "piecework.Unigram", "piecework": ours}
    made = reference_models.ReferenceTokenizer({**case["config"], "model": model})
    call = {name: case[name] for name in ("specials", "seed", "number") if name in case}
    encoding = made.encode(case["text"], **call)
    columns = {"ids": encoding.ids, "tokens": encoding.tokens, "word_ids": encoding.word_ids}
    if "normalizer" not in case["config"]:
        columns["offsets"] = [[*span] for span in encoding.offsets]
    return {"source": THE_REFERENCE} | case | columns


def encode_table() -> Json:
    """Returns models and cases of encoding."""
    table = {name: model for name, (model, _, _) in GROUPS.items()}
    cases = [case for name, group in GROUPS.items() for case in live_group(name, *group)]
    for name, (pieces, byte_fallback, _) in MODELS.items():
        table[name] = as_ours(HEAD + pieces, byte_fallback=byte_fallback)
        cases += sentencepiece_cases(name)
    cases += reference_cases(table)
    cases += wordpiece_cases(table)
    return {"models": table, "cases": cases}


# Training


HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TWENTY_WORDS = Counter(
    "older older old fine fine finest finest finest finest finest lower lowest lower mind cat cats "
    "dogs dogs dogs dog".split()
)
MIXED = {
    "\u2581the": 40, "\u2581then": 9, "\u2581other": 12, "\u2581mother": 7, "\u2581theory": 3,
    "\u2581\u4e2d\u6587\u5b57": 6, "\u2581\u304b\u306a\u6f22\u5b57": 5, "\u2581abc123": 4, "\u2581123": 8,
    "\u2581e\u0301t\u00e9": 3, "\u2581caf\u00e9s": 2, "\u2581x<mask>y": 5, "\u2581x": 3, "\u2581\u2581x": 2,
    "\u2581\u043c\u0438\u0440": 4, "\u2581a.b": 2, "\u2581\U0001f600\U0001f600": 2,
}  # fmt: skip
ENDS = {word[::-1]: count for word, count in MIXED.items()}
LONG = {"abcdefghijklmnopqrstuvwxyz" * 40: 2, "abc": 5, "xyz" * 7: 3}
HUGE = {"ab": 2**62, "abc": 3, "c": 1}
TRAININGS: list[tuple[str, dict[str, int], Json]] = [
    ("the worked example", HUG, {"vocab_size": 13}),
    ("every seed piece stays", HUG, {"vocab_size": 18}),
    ("the alphabet alone", HUG, {"vocab_size": 10}),
    ("several steps a round", HUG, {"vocab_size": 12, "em_steps": 3}),
    ("a slow shrinking", TWENTY_WORDS, {"vocab_size": 22, "shrinking_factor": 0.9}),
    ("twenty words", TWENTY_WORDS, {"vocab_size": 26}),
    ("few seed pieces", TWENTY_WORDS, {"vocab_size": 24, "seed_size": 8}),
    ("short pieces", TWENTY_WORDS, {"vocab_size": 24, "max_piece_length": 2}),
    ("frequent pieces", TWENTY_WORDS, {"vocab_size": 20, "min_frequency": 5}),
    ("frequent words", TWENTY_WORDS, {"vocab_size": 13, "min_word_frequency": 3}),
    ("scripts and digits", MIXED, {"vocab_size": 48, "character_coverage": 1.0}),
    ("no scripts", MIXED, {"vocab_size": 48, "character_coverage": 1.0, "split_by_unicode_script": False}),
    ("digits beside letters", MIXED, {"vocab_size": 48, "character_coverage": 1.0, "split_by_number": False}),
    ("digits alone", MIXED, {"vocab_size": 45, "character_coverage": 1.0, "split_digits": True}),
    ("spaces inside", MIXED, {"vocab_size": 48, "character_coverage": 1.0, "split_by_whitespace": False}),
    ("runs of spaces", MIXED,
     {"vocab_size": 48, "character_coverage": 1.0, "allow_whitespace_only_pieces": True}),
    ("spaces at the ends", ENDS,
     {"vocab_size": 48, "character_coverage": 1.0, "treat_whitespace_as_suffix": True}),
    ("spaces inside or at the ends", ENDS,
     {"vocab_size": 48, "character_coverage": 1.0, "treat_whitespace_as_suffix": True,
      "split_by_whitespace": False, "allow_whitespace_only_pieces": True}),
    ("symbols and bytes", MIXED,
     {"vocab_size": 298, "character_coverage": 1.0, "user_defined_symbols": ["<mask>", "the"],
      "byte_fallback": True}),
    ("few characters", MIXED, {"vocab_size": 22, "character_coverage": 0.8}),
    ("required characters", MIXED,
     {"vocab_size": 23, "character_coverage": 0.8, "required_chars": ["z", "\u4e2d"]}),
    ("special tokens last", HUG,
     {"vocab_size": 12, "special_tokens": ["[PAD]", "?"], "unk_token": "?", "special_tokens_first": False}),
    ("a long word", LONG, {"vocab_size": 50}),
    ("large counts", HUGE, {"vocab_size": 6}),
    ("too small", HUG, {"vocab_size": 9}),
    ("too large", HUG, {"vocab_size": 19}),
    ("no words", {}, {"vocab_size": 9}),
    ("too much", {"ab": 2**63}, {"vocab_size": 9}),
]  # fmt: skip
ERRORS = {
    "too small": ("value", "10"),
    "too large": ("value", "18"),
    "no words": ("value", "nothing to learn"),
    "too much": ("overflow", "64 bits"),
}


def train_cases() -> Iterator[Json]:
    """Yields the trainings."""
    for name, words, settings in TRAININGS:
        case = {
            "name": name,
            "source": THE_REFERENCE,
            "words": [*words.items()],
            "settings": settings,
        }
        if name in ERRORS:
            kind, message = ERRORS[name]
            yield case | {"expected": {"error": kind, "contains": message}}
            continue
        trainer = UnigramTrainer(**settings)
        trained = train_unigram(words, trainer)
        yield case | {
            "expected": {
                "seeds": [*select_seed_pieces(build_corpus(words, trainer), trainer).items()],
                "history": [row(each) for each in trained.history],
                "vocab": trained.vocabulary,
            }
        }


def row(each: Any) -> Json:
    """Returns a row of the history."""
    kind = "step" if isinstance(each, UnigramStep) else "pruning"
    return {"kind": kind} | each._asdict()


# Arithmetic


POINTS = {
    "exp": [0.0, 1e-9, -1e-12, 0.3, -0.3, 0.4, -0.9, 1.0, -1.5, 10.25, -36.7, -700.5],
    "ln": [1.0, 0.5, 2.0**-1000, 0.1, 0.7, 0.71, 1.4142, 3.0, 1e10, 1e300],
    "exp_digamma": [0.5, 0.75, 1.0, 1.5, 2.25, 6.5, 7.999, 8.0, 8.5, 100.0, 12345.678, 2.0**64],
}


def arithmetic() -> list[list[Any]]:
    """Returns functions, numbers, and the values of the functions for them (U4, U5)."""
    functions = {
        "exp": lambda x: float(floats.exp(x)),
        "ln": lambda x: floats.ln(floats.WideFloat.of(x)),
        "exp_digamma": lambda x: float(floats.exp_digamma(x)),
    }
    return [[name, x, functions[name](x)] for name, points in POINTS.items() for x in points]


# The files


def written(table: Json) -> str:
    """Returns the text of a table's file: one case a line."""
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in table.pop("cases"))
    head = "".join(
        f'"{name}": {json.dumps(value, ensure_ascii=False)},\n' for name, value in table.items()
    )
    return f'{{{head}"cases": [\n{lines}\n]}}\n'


def main() -> int:
    """Writes the files, or checks that they are up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; fail if a file differs"
    )
    check = parser.parse_args().check
    files = {
        "unigram_train.json": {"arithmetic": arithmetic(), "cases": [*train_cases()]},
        "unigram_encode.json": encode_table(),
    }
    differ = False
    for name, table in files.items():
        text, path = written(table), FOLDER / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            print(f"{path} is stale: run tools/make_unigram_cases.py", file=sys.stderr)
            differ = True
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
