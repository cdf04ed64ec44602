"""Random SentencePiece Unigram models: trained with random options, or composed of random pieces."""

import random
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from math import log
from typing import Any, NamedTuple

import live_unigram as live
from parity.pipeline_texts import DIFFICULT, Texts

Json = dict[str, Any]

RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
ALPHABETS = (
    "ab",
    "ab",
    "abc",
    "aé",
    "a▁",
    "日本a",
    "かカ中",
    "a👍🏽",
    "a \u3000",
    "e\u0301a",
    "▁",
    "\x00a",
)
SYMBOLS = (
    "<sep>",
    "ab",
    "ing",
    "▁the▁",
    "a b",
    "ﬁ",
    " ",
    "▁",
    "日本",
    "👍",
    "™",
    "e\u0301",
    "\u3000",
    "a\x00",
)
CONTROLS = ("<c>", "[MASK]", "<2de>", "a", "▁the")
BYTES = [(f"<0x{byte:02X}>", 0.0, live.BYTE) for byte in range(256)]
LINES_LEARNED = 150
TRIES = 6


class Made(NamedTuple):
    """A model and a description of its origin."""

    model: bytes
    how: Json


def made(rng: random.Random, texts: Texts) -> Made:
    """Makes a model, with probability 1/2 by training."""
    return trained(rng, texts) if rng.random() < 0.5 else composed(rng)


# By training


def trained(rng: random.Random, texts: Texts) -> Made:
    """Trains a model with random options, with a larger vocabulary if it is too small."""
    options, learned = random_options(rng), learned_lines(rng, texts)
    for _ in range(TRIES):
        try:
            return Made(live.trained(learned, **options), options)
        except RuntimeError:
            options["vocab_size"] *= 2
    return composed(rng)


def learned_lines(rng: random.Random, texts: Texts) -> list[str]:
    """Returns training data: lines of a few corpora, or random texts."""
    if texts.groups and rng.random() < 0.7:
        groups = rng.sample(texts.groups, 2)
        some = [line for group in groups for line in rng.choices(group, k=LINES_LEARNED)]
    else:
        some = [texts.text() for _ in range(LINES_LEARNED)]
    kept = (line.replace("\0", "")[:300] for line in some)
    return [line for line in kept if line.strip()] or ["a b"]


def random_options(rng: random.Random) -> Json:
    """Returns options of a training."""
    options: Json = {
        "vocab_size": rng.choice((40, 100, 200, 400)),
        "hard_vocab_limit": False,
        "normalization_rule_name": rng.choice(RULES),
        "character_coverage": rng.choice((1.0, 0.9995, 0.98, 0.9)),
        "max_sentencepiece_length": rng.choice((2, 4, 16, 16)),
        "num_threads": 1,
    }
    flags = (
        *("byte_fallback", "treat_whitespace_as_suffix", "allow_whitespace_only_pieces"),
        *("split_digits", "split_by_whitespace", "split_by_unicode_script", "split_by_number"),
        *("remove_extra_whitespaces", "add_dummy_prefix"),
    )
    options |= {flag: rng.random() < 0.5 for flag in flags if rng.random() < 0.4}
    if rng.random() < 0.3:
        options["user_defined_symbols"] = rng.sample(SYMBOLS[:-1], rng.randint(1, 4))
    if rng.random() < 0.2:
        symbols = {*options.get("user_defined_symbols", ())}
        controls = [symbol for symbol in CONTROLS if symbol not in symbols]
        options["control_symbols"] = rng.sample(controls, rng.randint(1, 2))
    if rng.random() < 0.3:
        options["unk_surface"] = rng.choice(("", "?", " [UNK] ", "▁", "é"))
    if rng.random() < 0.3:
        options |= random_ids(rng)
    if rng.random() < 0.2:
        options["unk_piece"] = rng.choice(("[UNK]", "?", "▁unk"))
    return options


def random_ids(rng: random.Random) -> Json:
    """Returns dense ids of the special pieces; all but the unknown one may be missing."""
    names = ["unk_id", *(name for name in ("bos_id", "eos_id", "pad_id") if rng.random() < 0.6)]
    rng.shuffle(names)
    absent = dict.fromkeys(("bos_id", "eos_id", "pad_id"), -1)
    return absent | {name: place for place, name in enumerate(names)}


# From pieces


def composed(rng: random.Random) -> Made:
    """Composes a model of pieces with many equal scores."""
    alphabet = rng.choice(ALPHABETS)
    byte_fallback = rng.random() < 0.25
    pieces = random_pieces(rng, alphabet, byte_fallback=byte_fallback)
    settings = {
        "byte_fallback": byte_fallback,
        "suffix": rng.random() < 0.2,
        "rules": rng.choice((None, None, *RULES[:4])),
        "add_dummy_prefix": rng.random() < 0.5,
        "remove_extra_whitespaces": rng.random() < 0.5,
        "escape_whitespaces": rng.random() < 0.8,
    }
    return Made(written(pieces, **settings), {"alphabet": alphabet, **settings})


def random_pieces(rng: random.Random, alphabet: str, *, byte_fallback: bool) -> list[live.Piece]:
    """Returns pieces of all kinds over an alphabet, in any order."""
    letters = [*alphabet, *(["▁"] if rng.random() < 0.7 else [])]
    longest, size = rng.choice((2, 3, 5, 9)), rng.choice((3, 8, 30, 100))
    names = {c for c in letters if rng.random() < 0.9}
    names |= {"".join(rng.choices(letters, k=rng.randint(1, longest))) for _ in range(size)}
    names |= {rng.choice(DIFFICULT) for _ in range(rng.choice((0, 0, 3)))} - {""}
    score = random_scores(rng)
    pieces = [(name, score(name), random_kind(rng)) for name in sorted(names)]
    own = [("<unk>", 0.0, live.UNKNOWN), ("<s>", 0.0, live.CONTROL), ("</s>", 0.0, live.CONTROL)]
    pieces += own[: rng.randint(1, 3)]
    rng.shuffle(pieces)
    if byte_fallback:
        at = rng.randrange(len(pieces) + 1)
        pieces[at:at] = BYTES
    return pieces


def random_kind(rng: random.Random) -> int:
    """Returns the type of a piece; most are normal."""
    chance = rng.random()
    return live.USER_DEFINED if chance < 0.06 else live.UNUSED if chance < 0.1 else live.NORMAL


def random_scores(rng: random.Random) -> Any:
    """Returns a function from pieces to scores: random, few values, by length (all tie), or very low."""
    few = [-rng.uniform(0.01, 12) for _ in range(3)]
    far = -rng.choice((300.0, 3000.0, 60_000.0))
    ways = (
        lambda _: -rng.uniform(0.01, 15),
        lambda _: rng.choice(few),
        lambda name: few[0] * len(name),
        lambda name: far * rng.uniform(0.9, 1.1) * len(name),
        lambda _: rng.uniform(-3, 3),
        lambda _: rng.choice((0.0, -0.0, -1.0)),
    )
    way = rng.choice(ways)
    return lambda name: struct.unpack("<f", struct.pack("<f", way(name)))[0]


def written(
    pieces: Sequence[live.Piece],
    *,
    byte_fallback: bool = False,
    suffix: bool = False,
    rules: str | None = None,
    add_dummy_prefix: bool = True,
    remove_extra_whitespaces: bool = True,
    escape_whitespaces: bool = True,
) -> bytes:
    """Returns a .model file of pieces."""
    listed = (
        live.message(
            1,
            live.message(1, name.encode())
            + b"\x15"
            + struct.pack("<f", score)
            + live.flag(3, kind),
        )
        for name, score, kind in pieces
    )
    trainer = live.flag(3, 1) + live.flag(24, suffix) + live.flag(35, byte_fallback)
    normalizer = live.message(2, table(rules)) if rules else b""
    normalizer += live.flag(3, add_dummy_prefix) + live.flag(4, remove_extra_whitespaces)
    normalizer += live.flag(5, escape_whitespaces)
    return b"".join(listed) + live.message(2, trainer) + live.message(3, normalizer)


def pieces_of_words(words: Iterable[str], most: int) -> list[live.Piece]:
    """Returns the most frequent prefixes of words and all characters, with scores by frequency."""
    counts: Counter[str] = Counter()
    for word in words:
        counts.update(f"▁{word}"[:end] for end in range(1, len(word) + 2))
        counts.update(word)
    own = [("<unk>", 0.0, live.UNKNOWN), ("<s>", 0.0, live.CONTROL), ("</s>", 0.0, live.CONTROL)]
    known = {name for name, _, _ in own}
    kept, total = counts.most_common(most), counts.total()
    return own + [(name, log(n / total), live.NORMAL) for name, n in kept if name not in known]


@cache
def table(rules: str) -> bytes:
    """Returns SentencePiece's charsmap of a name."""
    model = live.trained(["a b c"] * 3, 10, normalization_rule_name=rules, hard_vocab_limit=False)
    found: bytes = live.read(model).normalizer[2]
    return found


# Texts


def text_for(rng: random.Random, texts: Texts, pieces: Sequence[str]) -> str:
    """Returns a random text, or pieces of a model with other text between."""
    if rng.random() < 0.4:
        return texts.text()
    parts = []
    for _ in range(rng.choice((1, 3, 8, 20, 60))):
        part = rng.choice(pieces)
        kind = rng.random()
        parts.append(part.replace("▁", " ") if kind < 0.6 else part if kind < 0.8 else part[:1])
        if rng.random() < 0.1:
            parts.append(rng.choice((*DIFFICULT, " ", "  ", "▁", "\u3000", "x")))
    return "".join(parts) * (rng.choice((30, 300)) if rng.random() < 0.04 else 1)
