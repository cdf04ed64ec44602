"""Pipelines of the reference against `tokenizers`, on random configurations.

The seed is fixed, so failures are reproducible; the environment variable `PIPELINES` sets the number of
pipelines. Inputs on which the library panics are left out; `test_results_where_tokenizers_panics` shows
what the reference does with them.
"""

import json
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from piecework.reference import Tokenizer
from piecework.reference.model import models
from piecework.reference.normalize import charsmap, normalizers
from piecework.reference.pipeline import added, pipeline
from piecework.reference.pretokenize import pre_tokenizers, split
from piecework.reference.text import regex
from piecework.reference.text.bytes import BYTE_ALPHABET

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

Json = dict[str, Any]
Random = random.Random

PIPELINES = int(os.environ.get("PIPELINES", "3000"))
BEHAVIORS = split.BEHAVIORS
LETTERS = "abxyzABXéÉñßſΣσИжİıǅ"
ODD = "ﬁ²½٣Ⅷ中文口ひカー한글한ก็नि\u0301\u0323\u0308\u0307\u0344\u20dd\u0903\ufeff\u200d\u200b\xad\x85\ufffd\0"
MARKS = "-_.,!'’。¡$€+#▁Ġ😀"
SPACES = "      \t\n\r\xa0\u3000\u2028"
PIECES = [
    *("don't", "we'll", "123", "  ", " a", "ab", "[MASK]", "[CLS]", "<x>", "New York", "\r\n"),
    *("e\u0301", "a\u0323\u0307", "\u1e0b\u0323", "x-y", "the-final--countdown", "Ab", "AB"),
]
CONTENTS = [
    "[MASK]",
    "[CLS]",
    "<x>",
    "ab",
    "Ab ",
    "é",
    "e\u0301",
    " b",
    "b",
    "中",
    "xy",
    "don",
    "x",
    "[M",
    "é!",
]
PATTERNS = [
    *(r"\s+", r"\w+", r"[^\w\s]+", r"\p{L}+", r"\p{N}{1,3}", "^", "$", "x*", "", r"(?=x)", "a|ab"),
    *(r"(?i:'s|'t|'re|'ll)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|\s*[\r\n]+|\s+(?!\S)|\s+", ".", r"\d"),
    *(r"[\p{L}-]+", r"[^\p{L}\s]", r"\P{L}+", r"\b", r"(?<=a)b", r"\S"),
]  # fmt: skip
CHARSMAP = {"ﬁ": "fi", "²": "2", "\r": " ", "\t": "", "é": "e", "e\u0301": "é", "x": "", "中": "zhong",
            "ab": "c", "カ": "か", "\u200b": " ", "y": "yy", "\x85": ""}  # fmt: skip


def text(rng: Random, longest: int = 40) -> str:
    kinds = [LETTERS, LETTERS, SPACES, MARKS, ODD, "0123456789"]
    parts = [
        rng.choice(PIECES) if rng.random() < 0.25 else rng.choice(rng.choice(kinds))
        for _ in range(min(rng.choice((0, 1, 2, 5, 10, 20, 40)), longest))
    ]
    return "".join(parts)


def chosen(rng: Random, makers: list[Callable[[Random], Json | None]]) -> Json | None:
    return rng.choice(makers)(rng)


def flag(rng: Random) -> bool:
    return rng.random() < 0.5


def pattern(rng: Random) -> Json:
    if flag(rng):
        return {"Regex": rng.choice(PATTERNS)}
    return {"String": rng.choice([" ", "-", "ab", "x", ".", "é", "中", "", "▁", "  "])}


def packed(table: charsmap.CharsMap) -> str:
    import base64
    import struct

    units = struct.pack(f"<{len(table.units)}I", *table.units)
    return base64.b64encode(struct.pack("<I", len(units)) + units + table.replacements).decode()


PACKED = packed(charsmap.CharsMap.from_pairs(CHARSMAP))

NORMALIZERS: list[Callable[[Random], Json | None]] = [
    *(lambda rng, form=form: {"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD")),  # type: ignore[misc]
    lambda rng: {"type": "Lowercase"},
    lambda rng: {"type": "StripAccents"},
    lambda rng: {"type": "Nmt"},
    lambda rng: {"type": "ByteLevel"},
    lambda rng: {"type": "Strip", "strip_left": flag(rng), "strip_right": flag(rng)},
    lambda rng: {"type": "Replace", "pattern": pattern(rng), "content": rng.choice(["", " ", "x", "▁▁", "é"])},
    lambda rng: {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    lambda rng: {"type": "Prepend", "prepend": rng.choice(["▁", "▁", " ", "ab", "中x", ""])},
    lambda rng: {"type": "Precompiled", "precompiled_charsmap": PACKED},
    lambda rng: {
        "type": "BertNormalizer", "clean_text": flag(rng), "handle_chinese_chars": flag(rng),
        "strip_accents": rng.choice([None, True, False]), "lowercase": flag(rng),
    },
    lambda rng: {"type": "Sequence", "normalizers": [chosen(rng, NORMALIZERS) for _ in range(rng.randrange(4))]},
]  # fmt: skip

PRE_TOKENIZERS: list[Callable[[Random], Json | None]] = [
    *(lambda rng, name=name: {"type": name} for name in (
        "BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")),  # type: ignore[misc]
    lambda rng: {"type": "Punctuation", "behavior": rng.choice(BEHAVIORS)},
    lambda rng: {"type": "Digits", "individual_digits": flag(rng)},
    lambda rng: {"type": "CharDelimiterSplit", "delimiter": rng.choice(" -a中")},
    lambda rng: {"type": "Split", "pattern": pattern(rng), "behavior": rng.choice(BEHAVIORS), "invert": flag(rng)},
    lambda rng: {"type": "ByteLevel", "add_prefix_space": flag(rng), "trim_offsets": True, "use_regex": flag(rng)},
    lambda rng: {"type": "Metaspace", "replacement": rng.choice("▁▁_a"),
                 "prepend_scheme": rng.choice(["always", "first", "never"]), "split": flag(rng)},
    lambda rng: {"type": "FixedLength", "length": rng.randrange(1, 6)},
    lambda rng: {"type": "Sequence", "pretokenizers": [chosen(rng, PRE_TOKENIZERS) for _ in range(rng.randrange(4))]},
]  # fmt: skip


def piece(rng: Random, texts: str) -> Json:
    if flag(rng):
        return {"Sequence": {"id": rng.choice(texts), "type_id": rng.randrange(3)}}
    return {"SpecialToken": {"id": rng.choice(["[CLS]", "two"]), "type_id": rng.randrange(3)}}


def template(rng: Random) -> Json:
    return {
        "type": "TemplateProcessing",
        "single": [piece(rng, "A") for _ in range(rng.randrange(4))],
        "pair": [piece(rng, "AB") for _ in range(rng.randrange(5))],
        "special_tokens": {
            "[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
            "two": {"id": "two", "ids": [5, 6], "tokens": ["t", "wo"]},
        },
    }


PROCESSORS: list[Callable[[Random], Json | None]] = [
    lambda rng: {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
    lambda rng: {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1],
                 "trim_offsets": flag(rng), "add_prefix_space": flag(rng)},
    lambda rng: {"type": "ByteLevel", "add_prefix_space": flag(rng), "trim_offsets": flag(rng), "use_regex": True},
    template,
    lambda rng: {"type": "Sequence", "processors": [chosen(rng, PROCESSORS) for _ in range(rng.randrange(3))]},
]  # fmt: skip


def vocabulary(rng: Random) -> list[str]:
    symbols = [
        *BYTE_ALPHABET,
        *LETTERS,
        *ODD,
        *MARKS,
        *SPACES,
        "ab",
        "the",
        "New",
        "don",
    ]
    symbols += [c.lower() for c in LETTERS] + [c + "b" for c in LETTERS] + ["fi", "zhong", "ⅷ"]
    known = sorted({c for c in symbols if rng.random() < 0.97})
    return ["[UNK]", "[CLS]", "[SEP]", *known, *("##" + c for c in known)]


def model(rng: Random) -> Json:
    entries = {entry: i for i, entry in enumerate(vocabulary(rng))}
    if rng.random() < 0.25:
        return {"type": "WordLevel", "vocab": entries, "unk_token": "[UNK]"}
    return {"type": "WordPiece", "vocab": entries, "unk_token": "[UNK]",
            "continuing_subword_prefix": "##", "max_input_chars_per_word": rng.choice([100, 100, 7])}  # fmt: skip


def added_tokens(rng: Random, entries: dict[str, int], normal: Callable[[str], str]) -> list[Json]:
    contents = rng.sample(CONTENTS, rng.randrange(len(CONTENTS)) if flag(rng) else 0)
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    tokens = [{"id": 0, "content": c} | {n: rng.random() < 0.4 for n in names} for c in contents]
    forms: set[str] = set()
    kept = []
    for token in tokens:
        # Of two tokens with one normalized form, the library matches either; an empty one hangs it.
        form = normal(token["content"]) if token["normalized"] else token["content"] + " verbatim"
        if form and form not in forms:
            kept.append(token)
            forms.add(form)
    numbers = added.assign_ids([added.AddedToken(**token) for token in kept], entries)
    return [token | {"id": number.id} for token, number in zip(kept, numbers, strict=True)]


def truncation(rng: Random) -> Json | None:
    if rng.random() < 0.6:
        return None
    return {"max_length": rng.choice([0, 1, 3, 4, 5, 8, 9, 20]), "stride": rng.choice([0, 0, 0, 1, 2]),
            "strategy": rng.choice(["LongestFirst", "LongestFirst", "OnlyFirst", "OnlySecond"]),
            "direction": rng.choice(["Left", "Right"])}  # fmt: skip


def padding(rng: Random) -> Json | None:
    if rng.random() < 0.7:
        return None
    return {"strategy": rng.choice(["BatchLongest", {"Fixed": rng.choice([0, 5, 20])}]),
            "direction": rng.choice(["Left", "Right"]), "pad_to_multiple_of": rng.choice([None, None, 0, 4]),
            "pad_id": 3, "pad_type_id": rng.randrange(2), "pad_token": "[PAD]"}  # fmt: skip


def tokenizer(rng: Random) -> Json:
    normalizer = chosen(rng, NORMALIZERS) if rng.random() < 0.7 else None
    made = None if normalizer is None else tokenizers.Tokenizer.from_str(
        json.dumps({"version": "1.0", "normalizer": normalizer, "model": {
            "type": "WordLevel", "vocab": {}, "unk_token": ""}})).normalizer  # fmt: skip

    def normal(content: str) -> str:
        try:
            return content if made is None else str(made.normalize_str(content))
        except BaseException:  # noqa: BLE001  # a panic of the library is no Exception
            return ""

    words = model(rng)
    return {
        "version": "1.0",
        "truncation": truncation(rng),
        "padding": padding(rng),
        "added_tokens": added_tokens(rng, words["vocab"], normal),
        "normalizer": normalizer,
        "pre_tokenizer": chosen(rng, PRE_TOKENIZERS) if rng.random() < 0.8 else None,
        "post_processor": chosen(rng, PROCESSORS) if rng.random() < 0.6 else None,
        "decoder": None,
        "model": words,
    }


COLUMNS = ("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask", "attention_mask", "sequence_ids")  # fmt: skip


def columns(encoding: Any) -> list[Any]:
    """Returns the columns of an encoding; both libraries have the same names."""
    own = [list(getattr(encoding, name)) for name in COLUMNS]
    return [own, [[list(getattr(o, name)) for name in COLUMNS] for o in encoding.overflowing]]


Input = str | list[str]


def asked_of_library(live: Any, *texts: Input, add_special_tokens: bool) -> Any:
    """Returns the library's answer, or the error it raises; a panic is no `Exception`."""
    pretokenized = isinstance(texts[0], list)
    try:
        return live.encode(
            *texts, is_pretokenized=pretokenized, add_special_tokens=add_special_tokens
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a panic, mostly
        return error


def specials_fit(
    config: Json, made: pipeline.Pipeline, texts: int, add_special_tokens: bool
) -> bool:
    """Returns whether the special tokens fit; if not, the library does not truncate."""
    if not config["truncation"] or not made.post_processor or not add_special_tokens:
        return True
    return config["truncation"]["max_length"] >= made.post_processor.count_added(texts)


def inputs(rng: Random, config: Json) -> list[Input]:
    """Returns one text or two; they are short if overflowing parts multiply, since the library nests them."""
    texts = rng.choice((1, 1, 2))
    longest = 5 if config["truncation"] and texts == 2 else 40
    if rng.random() < 0.2:
        return [[text(rng, longest) for _ in range(rng.randrange(4))] for _ in range(texts)]
    return [text(rng, longest) for _ in range(texts)]


def compare(rng: Random) -> int:
    """Compares a pipeline on a few inputs; returns the number that the library answered."""
    config = tokenizer(rng)
    try:
        live = tokenizers.Tokenizer.from_str(json.dumps(config))
    except BaseException:  # noqa: BLE001  # a panic over an added token
        return 0
    made = pipeline.from_dict(config)
    answered = 0
    for _ in range(4):
        texts, special = inputs(rng, config), flag(rng)
        if not specials_fit(config, made, len(texts), special):
            with pytest.raises(ValueError, match="is too small"):
                made.encode(*texts, add_special_tokens=special)  # type: ignore[arg-type]
            continue
        expected = asked_of_library(live, *texts, add_special_tokens=special)
        if isinstance(expected, Exception):
            with pytest.raises(ValueError, match=r"too few|no second"):
                made.encode(*texts, add_special_tokens=special)  # type: ignore[arg-type]
        if isinstance(expected, BaseException):
            continue
        answered += 1
        found = made.encode(*texts, add_special_tokens=special)  # type: ignore[arg-type]
        shown = {name: value for name, value in config.items() if name != "model"}
        assert columns(found) == columns(expected), (shown, texts, special)
    return answered


@pytest.mark.parametrize("part", range(10))
def test_random_pipelines_equal_tokenizers(part: int) -> None:
    rng = random.Random(part)
    answered = sum(compare(rng) for _ in range(PIPELINES // 10))
    assert answered > 3 * (PIPELINES // 10)


def test_results_where_tokenizers_panics() -> None:
    first = normalizers.Replace(regex.compile_pattern("^"), "x")
    small = normalizers.Sequence([first, normalizers.Lowercase()])
    assert small("AB").text == "xab"
    doubled = normalizers.Sequence([first, normalizers.StripAccents()])
    assert doubled("AB\u0301").text == "xxAB", "no panic here: the result equals that of tokenizers"
    with pytest.raises(ValueError, match="at least 1"):
        pre_tokenizers.from_dict({"type": "FixedLength", "length": 0})


def test_batch_padding_equals_tokenizers() -> None:
    rng = random.Random(5)
    config = tokenizer(rng) | {"padding": None, "truncation": None, "post_processor": None}
    for strategy, multiple in (("BatchLongest", None), ("BatchLongest", 4), ({"Fixed": 12}, None)):
        how = {"strategy": strategy, "direction": "Left", "pad_to_multiple_of": multiple,
               "pad_id": 3, "pad_type_id": 1, "pad_token": "[PAD]"}  # fmt: skip
        live = tokenizers.Tokenizer.from_str(json.dumps(config | {"padding": how}))
        texts = [text(rng) for _ in range(9)]
        found = pipeline.from_dict(config | {"padding": how}).encode_batch(texts)
        assert [columns(e) for e in found] == [columns(e) for e in live.encode_batch(texts)]


# When decoding is the inverse (section 8 of the specification)


def test_byte_level_round_trips() -> None:
    rng = random.Random(8)
    bytes_of = {c: byte for byte, c in enumerate(BYTE_ALPHABET)}
    entries = {c: i for i, c in enumerate(["[UNK]", *BYTE_ALPHABET, "Ġthe", "ab"])}
    model = models.WordPiece(entries, settings=models.WordPieceSettings(prefix=""))
    for use_regex in (True, False):
        steps = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)
        made = pipeline.Pipeline(model, pre_tokenizer=steps)
        for _ in range(300):
            given = text(rng)[:25]  # a longer word is unknown
            tokens = "".join(made.encode(given).tokens)
            assert bytes(bytes_of[c] for c in tokens).decode() == given


def test_bert_reencodes_decoded_text_to_equal_ids() -> None:
    rng = random.Random(9)
    made = Tokenizer([*vocabulary(rng), "[MASK]", "[PAD]"])
    for _ in range(1000):
        ids = [token.id for token in made.encode(text(rng))]
        kept = made.decode(ids, skip_special_tokens=False)
        assert [token.id for token in made.encode(kept)] == ids
        once = made.decode(ids)
        assert made.decode(token.id for token in made.encode(once)) == once
