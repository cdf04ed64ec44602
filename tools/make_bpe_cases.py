"""Writes spec/cases/bpe_train.json and bpe_encode.json, the expected results of BPE.

Run it with a Python that has `tokenizers` 0.23, `sentencepiece`, `tiktoken` and `subword-nmt`; nothing
of this project is imported, so the expected values are independent of it:

    python tools/make_bpe_cases.py [--check]

Cases that no live library can produce are written by hand, each with its source.
"""

import argparse
import io
import json
import struct
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import sentencepiece
import tiktoken
from subword_nmt import apply_bpe
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

Json = dict[str, Any]

FOLDER = Path(__file__).parents[1] / "spec" / "cases"


# Training


TWENTY_WORDS = Counter(
    "older older old fine fine finest finest finest finest finest lower lowest lower mind cat cats "
    "dogs dogs dogs dog".split()
)
TWENTY_WORDS_STATES = [
    {
        "symbols": {
            "o": 10, "e": 10, "i": 8, "n": 8, "f": 7, "t</w>": 7, "l": 6, "d": 6, "s": 6, "r</w>": 4,
            "s</w>": 4, "w": 3, "g": 3, "d</w>": 2, "e</w>": 2, "c": 2, "a": 2, "m": 1, "t": 1,
            "g</w>": 1,
        },
        "pairs": {
            "o l": 3, "l d": 2, "d e": 2, "e r</w>": 4, "l d</w>": 1, "f i": 7, "i n": 8, "n e</w>": 2,
            "n e": 5, "e s": 6, "s t</w>": 6, "l o": 3, "o w": 3, "w e": 3, "m i": 1, "n d</w>": 1,
            "c a": 2, "a t</w>": 1, "a t": 1, "t s</w>": 1, "d o": 4, "o g": 3, "g s</w>": 3,
            "o g</w>": 1,
        },
    },
    {
        "symbols": {
            "o": 10, "e": 10, "in": 8, "f": 7, "t</w>": 7, "l": 6, "d": 6, "s": 6, "r</w>": 4,
            "s</w>": 4, "w": 3, "g": 3, "d</w>": 2, "e</w>": 2, "c": 2, "a": 2, "m": 1, "t": 1,
            "g</w>": 1,
        },
    },
]  # fmt: skip
LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
SEPARATE = {"end_of_word_suffix": "</w>", "suffix_style": "separate"}
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TIED = {"xcd": 1, "ab": 1, "abe": 1, "cd": 1}


def rows(text: str) -> list[Json]:
    """Returns a history of tokens and counts from text such as `in 8, fin 7`."""
    pairs = (row.rsplit(" ", 1) for row in text.split(", "))
    return [{"token": token, "pair_count": int(count)} for token, count in pairs]


def merge(  # noqa: PLR0917  # a line of a table
    left: str, right: str, token: str, n: int, a: int, b: int, ties: int
) -> Json:
    """Returns a whole row of a history."""
    return {
        "left": left, "right": right, "token": token, "score": float(n),
        "pair_count": n, "left_count": a, "right_count": b, "ties": ties,
    }  # fmt: skip


def by_hand(name: str, words: dict[str, int], settings: Json, /, **expected: Any) -> Json:
    """Returns a training case whose result follows from the specification alone.

    The trainers of tutorials and of the libraries add no unknown token, so a case without one sets none.
    """
    source = expected.pop("source", "by hand")
    return {
        "name": name, "source": source, "words": [[*word] for word in words.items()],
        "settings": {"unk_token": None, **settings}, "expected": expected,
    }  # fmt: skip


def tutorials() -> list[Json]:
    """Returns the figures of docs/notes.md, and cases that follow from their rules."""
    return [
        by_hand(
            "twenty words",
            TWENTY_WORDS,
            {"ties": "first", "end_of_word_suffix": "</w>"},
            source="by hand, as in docs/notes.md",
            states=TWENTY_WORDS_STATES,
            history=rows(
                "in 8, fin 7, es 6, est</w> 6, finest</w> 5, er</w> 4, do 4, ol 3, lo 3, low 3, dog 3, "
                "dogs</w> 3, old 2, older</w> 2, fine</w> 2, lower</w> 2, ca 2, old</w> 1, lowest</w> 1, "
                "min 1, mind</w> 1, cat</w> 1, cat 1, cats</w> 1, dog</w> 1"
            ),
        ),
        by_hand(
            "low, lower, newest, widest",
            LOW,
            {"ties": "first", "max_merges": 10, **SEPARATE},
            source="Sennrich, Haddow and Birch 2016, algorithm 1",
            initial_vocab=["l", "o", "w", "</w>", "e", "r", "n", "s", "t", "i", "d"],
            history=rows(
                "es 9, est 9, est</w> 9, lo 7, low 7, ne 6, new 6, newest</w> 6, low</w> 5, wi 3"
            ),
        ),
        by_hand(
            "low, lower, newest, widest, until every pair occurs once",
            LOW,
            {"ties": "first", "stop_at_pair_frequency": 2, **SEPARATE},
            source="by hand",
            history=rows(
                "es 9, est 9, est</w> 9, lo 7, low 7, ne 6, new 6, newest</w> 6, low</w> 5, wi 3, wid 3, "
                "widest</w> 3"
            ),
        ),
        by_hand(
            "low, lower, newest, widest, ties as tokens are written",
            LOW,
            {"max_merges": 8, **SEPARATE},
            initial_vocab=["</w>", "d", "e", "i", "l", "n", "o", "r", "s", "t", "w"],
            history=rows("es 9, est 9, est</w> 9, lo 7, low 7, ew 6, ewest</w> 6, newest</w> 6"),
        ),
        by_hand(
            "hug",
            HUG,
            {"ties": "first", "continuing_subword_prefix": "##", "max_merges": 6},
            source="by hand",
            history=rows("##ug 20, ##un 16, hug 15, pun 12, pug 5, hugs 5"),
        ),
    ]


def filters() -> list[Json]:
    """Returns a case for each setting, by hand."""
    return [
        by_hand("tie rule lex", TIED, {"max_merges": 1},
                history=[merge("a", "b", "ab", 2, 2, 2, 2)]),
        by_hand("tie rule first", TIED, {"ties": "first", "max_merges": 1},
                history=[merge("c", "d", "cd", 2, 2, 2, 2)]),
        by_hand("tie rule sentencepiece: the shorter, then the lower token",
                {"abab": 1, "cb": 2, "ca": 2, "ab": 1}, {"ties": "sentencepiece"},
                history=rows("ab 3, ca 2, cb 2, abab 1")),
        by_hand("tie rule sentencepiece counts characters, not bytes",
                {"\u00e9\u00e9": 2, "abc": 2}, {"ties": "sentencepiece"},
                history=rows("ab 2, bc 2") [:1] + rows("\u00e9\u00e9 2, abc 2")),
        by_hand("overlapping pairs count as they stand", {"aaa": 5}, {},
                vocab=["a", "aa", "aaa"], counts=[0, 0, 5],
                history=[merge("a", "a", "aa", 10, 15, 15, 1), merge("aa", "a", "aaa", 5, 5, 5, 1)]),
        by_hand("a suffix fixed to the last character", {"ab": 2, "a": 1},
                {"end_of_word_suffix": "</w>"}, vocab=["a", "a</w>", "b</w>", "ab</w>"],
                counts=[0, 1, 0, 2], history=[merge("a", "b</w>", "ab</w>", 2, 2, 2, 1)]),
        by_hand("a suffix as a symbol of its own", {"ab": 2, "a": 1}, SEPARATE,
                vocab=["</w>", "a", "b", "ab", "ab</w>", "a</w>"], counts=[0, 0, 0, 0, 2, 1],
                history=[merge("a", "b", "ab", 2, 3, 2, 2), merge("ab", "</w>", "ab</w>", 2, 2, 3, 1),
                         merge("a", "</w>", "a</w>", 1, 1, 1, 1)]),
        by_hand("a suffix written in the text is text", {"a</w>": 2, "ba": 1},
                {"end_of_word_suffix": "</w>", "ties": "first", "max_merges": 3},
                initial_vocab=["a", "<", "/", "w", "></w>", "b", "a</w>"],
                history=rows("a< 2, a</ 2, a</w 2")),
        by_hand("no second entry that is written alike", {"xa</w>": 3, "a": 2},
                {"end_of_word_suffix": "</w>", "ties": "first"},
                history=rows("xa 3, xa< 3, xa</ 3, xa</w 3, xa</w></w> 3")),
        by_hand("prefix and suffix", {"abc": 2, "b": 1, "c": 1},
                {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>", "ties": "first"},
                vocab=["a", "##b", "##c</w>", "b</w>", "c</w>", "ab", "abc</w>"],
                counts=[0, 0, 0, 1, 1, 0, 2]),
        by_hand("initial alphabet in all forms", {"ab": 2},
                {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>", "ties": "first",
                 "initial_alphabet": ["z"], "max_merges": 0},
                vocab=["a", "##b</w>", "z", "##z", "z</w>", "##z</w>"]),
        by_hand("initial alphabet with a suffix of its own", {"ab": 2},
                {"initial_alphabet": ["z"], "max_merges": 0, **SEPARATE},
                vocab=["</w>", "a", "b", "z"]),
        by_hand("with hf all characters are entries, the forms after them", {"ba": 2, "c": 1},
                {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>", "ties": "hf",
                 "initial_alphabet": ["z"], "max_merges": 0},
                vocab=["a", "b", "c", "z", "c</w>", "##a</w>"]),
        by_hand("a dropped character cuts its word", {"axb": 3, "ab": 1}, {"limit_alphabet": 2},
                vocab=["a", "b", "ab"], history=[merge("a", "b", "ab", 1, 4, 4, 1)],
                counts=[3, 3, 1]),
        by_hand("a dropped last character takes the suffix along", {"abx": 3, "ba": 3},
                {"limit_alphabet": 2, "end_of_word_suffix": "</w>", "ties": "first"},
                vocab=["a", "b", "a</w>", "ab", "ba</w>"]),
        by_hand("a dropped last character leaves a suffix of its own", {"abx": 3, "ab": 2},
                {"limit_alphabet": 2, "ties": "first", "max_merges": 2, **SEPARATE},
                vocab=["a", "b", "</w>", "ab", "ab</w>"], counts=[0, 0, 3, 3, 2]),
        by_hand("equal weight keeps the lower code point", {"b": 2, "a": 2}, {"limit_alphabet": 1},
                vocab=["a"]),
        by_hand("longest token", {"abcd": 1}, {"max_token_length": 3, "ties": "first"},
                vocab=["a", "b", "c", "d", "ab", "abc"]),
        by_hand("the suffix has no length", {"abcd": 1},
                {"max_token_length": 2, "ties": "first", "end_of_word_suffix": "</w>"},
                vocab=["a", "b", "c", "d</w>", "ab", "cd</w>"]),
        by_hand("rare words are left out", {"ab": 3, "cd": 2, "ef": 1}, {"min_word_frequency": 2},
                vocab=["a", "b", "c", "d", "ab", "cd"], counts=[0, 0, 0, 0, 3, 2]),
        by_hand("rare pairs are left alone", {"ab": 3, "cd": 2, "ef": 1}, {"min_frequency": 2},
                vocab=["a", "b", "c", "d", "e", "f", "ab", "cd"]),
        by_hand("stop at a pair frequency", {"ab": 3, "cd": 2, "ef": 1},
                {"stop_at_pair_frequency": 1}, vocab=["a", "b", "c", "d", "e", "f", "ab", "cd"]),
        by_hand("stop at a size", {"ab": 3, "cd": 2},
                {"vocab_size": 6, "special_tokens": ["<s>"]}, vocab=["<s>", "a", "b", "c", "d", "ab"]),
        by_hand("special tokens last", {"ab": 3},
                {"special_tokens": ["<s>", "a"], "special_tokens_first": False},
                vocab=["b", "ab", "<s>", "a"], counts=[0, 3, 0, 0]),
        by_hand("a special token that is a character is one entry", {"ab": 3, "a": 1},
                {"special_tokens": ["a"]}, vocab=["a", "b", "ab"], counts=[1, 0, 3]),
        by_hand("no merge makes a special token", {"abc": 3}, {"special_tokens": ["ab"]},
                vocab=["ab", "a", "b", "c", "bc", "abc"]),
        by_hand("bytes: all 256 are entries", {"low": 2, "\u0120\u00e9": 1},
                {"alphabet": "byte", "ties": "first", "vocab_size": 259},
                history=rows("lo 2, low 2, \u0120\u00e9 1")),
        by_hand("bytes: a word that is none", {"\u4e2d": 2}, {"alphabet": "byte"},
                error="value", contains="\u4e2d"),
        by_hand("an unknown token is the first special token and counts towards the size", {"ab": 3, "cd": 2},
                {"vocab_size": 7, "special_tokens": ["<s>"], "unk_token": "<unk>"},
                vocab=["<unk>", "<s>", "a", "b", "c", "d", "ab"], counts=[0, 0, 0, 0, 2, 2, 3]),
        by_hand("an unknown token that is listed stays where it is", {"ab": 3},
                {"special_tokens": ["<s>", "?"], "unk_token": "?"}, vocab=["<s>", "?", "a", "b", "ab"]),
        by_hand("an unknown token with the last ids", {"ab": 3},
                {"special_tokens": ["<s>"], "special_tokens_first": False, "unk_token": "<unk>"},
                vocab=["a", "b", "ab", "<unk>", "<s>"]),
        by_hand("no merge makes the unknown token", {"abc": 3}, {"unk_token": "ab"},
                vocab=["ab", "a", "b", "c", "bc", "abc"]),
        by_hand("an unknown token that is a symbol, too", {"ab": 2},
                {"user_defined_symbols": ["?"], "unk_token": "?"}, error="value", contains="?"),
        by_hand("a size without room for the unknown token", {"ab": 2}, {"vocab_size": 2, "unk_token": "<unk>"},
                error="value", contains="3"),
        by_hand("smallest size", {"ab": 2}, {"vocab_size": 3, "special_tokens": ["<s>"]},
                vocab=["<s>", "a", "b"], history=[]),
        by_hand("size too small", {"ab": 2}, {"vocab_size": 2, "special_tokens": ["<s>"]},
                error="value", contains="3"),
        by_hand("two symbols that are written alike", {"cbc": 2, "a": 1},
                {"continuing_subword_prefix": "a", "end_of_word_suffix": "b"},
                error="value", contains="two symbols"),
        by_hand("empty corpus", {}, {"vocab_size": 100}, error="value", contains="empty corpus"),
        by_hand("every word too rare", {"ab": 2}, {"min_word_frequency": 3},
                error="value", contains="empty corpus"),
        by_hand("special token twice", {"ab": 2}, {"special_tokens": ["<s>", "<s>"]},
                error="value", contains="<s>"),
        by_hand("more characters than 64 bits count", {"ab": 2**63}, {},
                error="overflow", contains="64 bits"),
        by_hand("almost as many characters as 64 bits count", {"ab": 2**63 - 1}, {},
                history=[merge("a", "b", "ab", 2**63 - 1, 2**63 - 1, 2**63 - 1, 1)
                         | {"score": float(2**63 - 1)}]),
    ]  # fmt: skip


REPEATED = {"aaaaa": 3, "aabaa": 2, "baaab": 4, "aa": 1}
WORDY = {
    "the": 21, "then": 6, "there": 9, "these": 5, "other": 8, "hen": 3, "tea": 2, "eat": 4,
    "\u00e9t\u00e9": 5, "\u4e2d\u6587": 7, "\u4e2d": 2,
}  # fmt: skip


def tokenizers_cases() -> list[Json]:
    """Returns trainings by `tokenizers` on tables for which its result never varies."""
    settings: list[tuple[str, dict[str, int], Json]] = [
        ("hf: words", WORDY, {"vocab_size": 40}),
        ("hf: equal characters", REPEATED, {"vocab_size": 30}),
        ("hf: special tokens", WORDY, {"vocab_size": 40, "special_tokens": ["<s>", "</s>"]}),
        ("hf: a merge makes a special token", WORDY, {"vocab_size": 30, "special_tokens": ["the"]}),
        ("hf: a special token is a character", WORDY, {"vocab_size": 30, "special_tokens": ["t", "e"]}),
        ("hf: rare pairs", WORDY, {"vocab_size": 100, "min_frequency": 6}),
        ("hf: initial alphabet", REPEATED, {"vocab_size": 12, "initial_alphabet": ["z", "c"]}),
        ("hf: a dropped character joins its neighbours", {"axb": 3, "ab": 1, "b": 1},
         {"vocab_size": 10, "limit_alphabet": 2}),
        *((f"hf: tokens of {n} characters", WORDY, {"vocab_size": 40, "max_token_length": n})
          for n in (1, 2, 3, 4)),
    ]  # fmt: skip
    return [live_hf(*case) for case in settings]


def live_hf(name: str, words: dict[str, int], settings: Json) -> Json:
    """Returns a training by the library."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    texts = (" ".join([word] * count) for word, count in words.items())
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(show_progress=False, **settings))
    model = json.loads(tokenizer.to_str())["model"]
    history = [{"left": left, "right": right} for left, right in model["merges"]]
    vocab = sorted(model["vocab"], key=model["vocab"].get)
    case = by_hand(name, words, {**settings, "ties": "hf"}, vocab=vocab, history=history)
    return case | {"source": "tokenizers"}


def sentencepiece_cases() -> list[Json]:
    """Returns the merged pieces of a SentencePiece training, in order."""
    return [
        live_sentencepiece("sentencepiece: words", {w: n for w, n in WORDY.items() if w.isascii()}),
        live_sentencepiece("sentencepiece: equal characters", REPEATED),
        live_sentencepiece("sentencepiece: many ties", {"abc": 1, "cab": 1, "bca": 1, "b": 1}),
    ]


def live_sentencepiece(name: str, words: dict[str, int]) -> Json:
    """Returns a training by SentencePiece, whose words begin with its own white space."""
    out, alphabet = io.BytesIO(), {"\u2581", *"".join(words)}
    size = 3 + len(alphabet) + 8
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join([word] * count) for word, count in words.items()]),
        model_writer=out, model_type="bpe", vocab_size=size, character_coverage=1.0,
        normalization_rule_name="identity", minloglevel=4, num_threads=1,
    )  # fmt: skip
    model = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    pieces = [model.id_to_piece(i) for i in range(3, size - len(alphabet))]
    settings = {"ties": "sentencepiece", "max_merges": len(pieces)}
    spaced = {"\u2581" + word: count for word, count in words.items()}
    case = by_hand(name, spaced, settings, history=[{"token": piece} for piece in pieces])
    return case | {"source": "sentencepiece"}


def train_cases() -> list[Json]:
    """Returns all cases of training."""
    return [*tutorials(), *filters(), *tokenizers_cases(), *sentencepiece_cases()]


# Encoding


BYTES_OF = {"\u4e2d": ["<0xE4>", "<0xB8>", "<0xAD>"], "\u00e9": ["<0xC3>", "<0xA9>"]}
SPACES = {"type": "WhitespaceSplit"}
GPT2 = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CLIP_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
LLAMA = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Prepend", "prepend": "\u2581"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
    ],
}
HARD_TEXTS = [
    "a" * 300, "_" * 100, " " * 70, " Jap\u00f3n", "'re've", "y'all'd've", "'\u017f", "\r\n\r\n",
    "  \n  x", "trailing  ", "a\u0085b", "a\u180eb", "the then other", "\u4e2d\u6587 \U0001f600", "",
]  # fmt: skip


def byte_alphabet() -> list[str]:
    """Returns the visible character of every byte."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte if byte in visible else next(others)) for byte in range(256)]


VISIBLE = byte_alphabet()


def visible(text: str | bytes) -> str:
    """Returns bytes as the pre-tokenizer `ByteLevel` writes them."""
    return "".join(VISIBLE[byte] for byte in (text.encode() if isinstance(text, str) else text))


def bpe(entries: list[str], merges: list[str] | None = None, **settings: Any) -> Json:
    """Returns a model; merges are written `left right`, and their results are entries."""
    pairs = [merge.split(" ") for merge in merges or []]
    prefix = settings.get("continuing_subword_prefix") or ""
    entries = [*entries, *(left + right.removeprefix(prefix) for left, right in pairs)]
    vocab = {entry: i for i, entry in enumerate(dict.fromkeys(entries))}
    switches = {"fuse_unk": False, "byte_fallback": False, "ignore_merges": False}
    affixes = {"continuing_subword_prefix": None, "end_of_word_suffix": None}
    none = {"type": "BPE", "dropout": None, "unk_token": None}
    return {**none, **affixes, **switches, **settings, "vocab": vocab, "merges": pairs}


def ranked(ranks: dict[str, int | None], **settings: Any) -> Json:
    """Returns a model whose merges follow from ranks; the entries have ids in the order given."""
    ours = {"version": 1, "ranks": list(ranks.values())}
    return {**bpe([*ranks], **settings), "type": "piecework.BPE", "piecework": ours}


LETTERS = ["a", "b", "c", "d"]
UNKNOWN = {"unk_token": "<unk>"}
FALLING = [*("<unk>", "a", "b"), *BYTES_OF["\u4e2d"], "<0xC3>"]
AFFIXED = ["a", "b", "#a", "#b", "a/", "b/", "#a/", "#b/"]
AFFIXES = {"continuing_subword_prefix": "#", "end_of_word_suffix": "/"}

GROUPS: dict[str, tuple[Json, Json, list[str]]] = {
    "lowest rank first": (bpe(LETTERS, ["b c", "a b", "a bc"]), {}, ["abc", "ab", "abcabc", "aabbcc"]),
    "a merge that opens one of a lower rank": (
        bpe(LETTERS, ["ab c", "b c", "a b"]), {}, ["abc", "ababc", "dabc"]),
    "equal characters": (
        bpe(["a"], ["a a", "aa aa", "aa a"]), {}, ["a" * n for n in (1, 2, 3, 4, 5, 7, 8, 33, 34)]),
    "leftmost of equals": (bpe(LETTERS, ["a b", "b a"]), {}, ["ababab", "bababa", "baab"]),
    "a pair listed twice counts where it is last": (
        bpe(LETTERS, ["a b", "b c", "a b"]), {}, ["abc", "ab"]),
    "two pairs that make one entry": (
        bpe(LETTERS, ["a b", "b c", "ab c", "a bc"]), {}, ["abc", "abcd", "bcabc"]),
    "an entry that no merge reaches": (
        bpe([*LETTERS, "abc", "cd"], ["a b"]), {}, ["abc", "cd", "abcd"]),
    "ignore_merges": (
        bpe([*LETTERS, "abc", "d "], ["a b"], ignore_merges=True), {"pre_tokenizer": SPACES},
        ["abc", "abcd abc ab c", "d "]),
    "ignore_merges looks for no suffix": (
        bpe([*AFFIXED, "ab", "ba/"], ["a #b/"], ignore_merges=True, **AFFIXES), {}, ["ab", "ba", "a"]),
    "unknown characters vanish": (
        bpe(LETTERS, ["a b"]), {}, ["xab", "axb", "abx", "x", "ax\u4e2dbxc"]),
    "unknown characters": (bpe(["<unk>", *LETTERS], ["a b"], **UNKNOWN), {}, ["xab", "axxb", "xx"]),
    "unknown characters fused": (
        bpe(["<unk>", *LETTERS], ["a b"], **UNKNOWN, fuse_unk=True), {"pre_tokenizer": SPACES},
        ["xab", "axxb", "xx xx", "x\u4e2dxa"]),
    "an unknown token that is no entry": (bpe(LETTERS, [], **UNKNOWN), {}, ["ab", "axb", ""]),
    "merges with the unknown token": (
        bpe(["<unk>", *LETTERS], ["<unk> a", "b <unk>a"], **UNKNOWN), {}, ["xa", "bxa", "bxxa"]),
    "the unknown token is a letter": (bpe(LETTERS, ["a b"], unk_token="a"), {}, ["xb", "ab", "xxb"]),
    "bytes": (bpe(FALLING, byte_fallback=True), {}, ["a\u4e2db", "\u4e2d", "a\u00e9b", "x"]),
    "bytes or unknown": (
        bpe(FALLING, byte_fallback=True, **UNKNOWN), {},
        ["a\u4e2db", "a\u00e9b", "\u4e2d\u00e9", "a\u00e9\u00e9\u4e2d"]),
    "bytes go before what is unknown and held back": (
        bpe(FALLING, byte_fallback=True, **UNKNOWN), {},
        ["ax\u4e2db", "x\u4e2d", "x\u4e2dy\u4e2da", "xa\u4e2d"]),
    "fused across bytes": (
        bpe(FALLING, byte_fallback=True, fuse_unk=True, **UNKNOWN), {},
        ["ax\u4e2dyb", "x\u4e2dy\u4e2d", "xy\u4e2da"]),
    "bytes before a character that vanished": (
        bpe(FALLING, byte_fallback=True), {}, ["x\u4e2da", "\u4e2dxa"]),
    "merges of bytes": (
        bpe(FALLING, ["<0xE4> <0xB8>", "a <0xE4><0xB8>"], byte_fallback=True), {}, ["a\u4e2db"]),
    "an entry is no byte": (
        bpe(["a", "<0xe4>", "<0xB8>", "<0xAD>"], byte_fallback=True), {}, ["a\u4e2d"]),
    "prefix and suffix": (
        bpe(AFFIXED, ["#a #b/", "a #b", "b #a", "ba #ab/"], **AFFIXES), {"pre_tokenizer": SPACES},
        ["a", "ab", "aab", "baab", "abab", "b ab", "#a", "a/"]),
    "a suffix that some characters lack": (
        bpe(["<unk>", "a", "b/"], ["a b/"], end_of_word_suffix="/", **UNKNOWN), {},
        ["ab", "ba", "aab", "a"]),
    "byte level": (
        bpe(VISIBLE, [*("t h", "\u0120 t", "h e", "\u0120t he", "e r"), "\u0120 \u0120", "\u00c3 \u00b3",
                      "\u0120\u0120 \u0120\u0120", "a a", "aa aa", "_ _", "' r", "'r e", "\u010a x"]),
        {"pre_tokenizer": GPT2}, HARD_TEXTS),
    "byte level, a vocabulary that lacks bytes": (
        bpe([*map(visible, "abehortx '\n")], ["t h", "th e"]), {"pre_tokenizer": GPT2}, HARD_TEXTS[3:]),
    "byte level, unknown bytes": (
        bpe(["<unk>", *map(visible, "abehortx '\n")], ["t h", "th e"], fuse_unk=True, **UNKNOWN),
        {"pre_tokenizer": GPT2}, HARD_TEXTS[3:]),
    "byte level and a suffix": (
        bpe(
            [*VISIBLE, *(c + "</w>" for c in VISIBLE if c != "b")],
            ["t h", "th e</w>", "\u0120 th", "a \u00ff", "a a", "a a</w>"],
            end_of_word_suffix="</w>",
        ),
        {"pre_tokenizer": GPT2},
        ["a", "b", "ab", "ba", "the", "the then the", "aaaa", "a\u00ff", "\u4e2d", "th b"],
    ),
    "CLIP": (
        bpe([*VISIBLE, *(c + "</w>" for c in VISIBLE)],
            [*("t h", "th e</w>", "o t", "h e", "he n</w>", "y a", "l l</w>", "r e</w>", "a a")],
            end_of_word_suffix="</w>"),
        {
            "normalizer": {"type": "Lowercase"},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": CLIP_PATTERN}, "behavior": "Removed",
                 "invert": True},
                {**GPT2, "use_regex": False},
            ]},
        },
        HARD_TEXTS),
    "Llama 2": (
        bpe(["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", *"aehnortx'"],
            ["\u2581 t", "h e", "\u2581t he", "\u2581 \u2581", "\u2581\u2581 \u2581\u2581", "a a", "e n"],
            byte_fallback=True, fuse_unk=True, **UNKNOWN),
        {"normalizer": LLAMA}, HARD_TEXTS),
    "merges in strings": (
        {**bpe(LETTERS, ["a b", "ab c"]), "merges": ["a b", "ab c"]}, {}, ["abc", "ab"]),
    "no merges": (bpe(LETTERS), {}, ["abc", ""]),
    "nothing is known": (bpe(["z"]), {"pre_tokenizer": SPACES}, ["ab c", "z ab z"]),
    "a merge of what is no entry": (
        {**bpe(LETTERS), "merges": [["a", "x"]]}, {}, ["a"]),
    "a merge that makes no entry": (
        {**bpe([*LETTERS, "dd"]), "merges": [["a", "b"]]}, {}, ["a"]),
}  # fmt: skip


def named(name: str, text: str) -> str:
    """Returns the name of a case."""
    return f"{name}: {text}" if len(text) <= 20 else f"{name}: {text[:8]}... ({len(text)})"


def live_group(name: str, model: Json, config: Json, texts: list[str]) -> list[Json]:
    """Returns encodings by the library."""
    made = []
    for text in texts:
        case = {"name": named(name, text), "source": "tokenizers", "text": text}
        case["config"] = {**config, "model": name}
        made.append(case | live_columns(model, config, text))
    return made


def live_columns(model: Json, config: Json, text: str) -> Json:
    """Returns the columns of an encoding by the library, or an error if it fails."""
    members = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    whole = {
        "version": "1.0",
        "added_tokens": [],
        **dict.fromkeys(members),
        **config,
        "model": model,
    }
    try:
        encoding = Tokenizer.from_str(json.dumps(whole)).encode(text)
    except Exception:  # noqa: BLE001  # the library knows no other kind
        return {"error": "value"}
    return {
        "ids": encoding.ids, "tokens": encoding.tokens,
        "offsets": [[*span] for span in encoding.offsets], "word_ids": encoding.word_ids,
    }  # fmt: skip


def alone(name: str, source: str, model: str, text: str, **rest: Any) -> Json:
    """Returns a case that the library did not make, with ids and tokens only."""
    return {"name": name, "source": source, "config": {"model": model}, "text": text, **rest}


def tiktoken_cases(models: dict[str, Json]) -> list[Json]:
    """Returns encodings by tiktoken, for several sets of ranks."""
    longer = [
        *(
            "th",
            " t",
            "he",
            " the",
            "er",
            "aa",
            "aaaa",
            "aaa",
            "  ",
            "    ",
            "__",
            "other",
            "bab",
            "ba",
        ),
        *("\u00f3", "\u4e2d", "x" * 4),
    ]
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {text.encode(): 256 + i for i, text in enumerate(longer)}
    live = tiktoken.Encoding("case", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens={})
    model = ranked({visible(entry): rank for entry, rank in ranks.items()}, ignore_merges=True)
    models["tiktoken"] = model
    names = [*model["vocab"]]
    made = []
    for text in [*HARD_TEXTS, "bab cbabc", "others other", "x" * 9, "aaaaa aaa", "\u00f3\u4e2d"]:
        ids = live.encode_ordinary(text)
        columns = {"ids": ids, "tokens": [names[i] for i in ids]}
        case = alone(named("tiktoken", text), "tiktoken", "tiktoken", text, **columns)
        case["config"]["pre_tokenizer"] = GPT2
        made.append(case)
    return made


def sentencepiece_encode_cases(models: dict[str, Json]) -> list[Json]:
    """Returns encodings by SentencePiece, with some pieces of equal score."""
    scores = {
        **dict.fromkeys(["ab", "ba", "bc"], -1.0), "abc": -2.0, "cab": -2.0, "aa": -3.0, "aaa": -3.0,
        "aaaa": -4.0, "\u2581ab": -5.0, "\u2581\u2581": -5.0, "abab": -0.5,
        **dict.fromkeys(["a", "b", "c", "\u2581"], -9.0),
    }  # fmt: skip
    reserved = {"<unk>": 2, "<s>": 3, "</s>": 3, **{f"<0x{byte:02X}>": 6 for byte in range(256)}}
    places = {score: i for i, score in enumerate(sorted(set(scores.values()), reverse=True))}
    made = []
    for falls in (True, False):
        kinds = {name: kind for name, kind in reserved.items() if falls or kind != 6}
        pieces = [*((name, 0.0, kind) for name, kind in kinds.items()),
                  *((piece, score, 1) for piece, score in scores.items())]  # fmt: skip
        proto = model_proto(pieces, byte_fallback=falls)
        live = sentencepiece.SentencePieceProcessor(model_proto=proto)
        ranks = dict.fromkeys(kinds, None) | {piece: places[s] for piece, s in scores.items()}
        name = f"sentencepiece, {'bytes' if falls else 'no bytes'}"
        models[name] = ranked(ranks, byte_fallback=falls, fuse_unk=True, **UNKNOWN)
        for text in [
            "abc",
            "abab",
            "babab",
            "aaaaaaa",
            "cab ab",
            "a  b",
            "ax\u4e2dyb",
            "abcabcba",
            "xab",
        ]:
            ids = live.encode(text)
            columns = {"ids": ids, "tokens": [live.id_to_piece(i) for i in ids]}
            case = alone(named(name, text), "sentencepiece", name, text, **columns)
            case["config"]["normalizer"] = LLAMA
            made.append(case)
    return made


def unused_cases(models: dict[str, Json]) -> list[Json]:
    """Returns encodings with unused pieces (SentencePiece) and with merges that a vocabulary lacks (subword-nmt)."""
    order = ["bc", "ab", "abc", "abca", "dd", "\u4e2da", *LETTERS, "\u2581", "\u4e2d"]
    unused = ["abc", "abca", "bc", "d", "\u4e2d", "\u4e2da"]
    reserved = {"<unk>": 2, "<s>": 3, "</s>": 3, **{f"<0x{byte:02X}>": 6 for byte in range(256)}}
    texts = ["abc", "abcabca", "dd", "dddxd", "d\u4e2da\u4e2d", "bcab d", "x\u4e2d"]
    made = []
    for falls in (True, False):
        kinds = {name: kind for name, kind in reserved.items() if falls or kind != 6}
        pieces = [*((name, 0.0, kind) for name, kind in kinds.items()),
                  *((piece, -float(i), 5 if piece in unused else 1) for i, piece in enumerate(order))]  # fmt: skip
        live = sentencepiece.SentencePieceProcessor(
            model_proto=model_proto(pieces, byte_fallback=falls)
        )
        ranks = dict.fromkeys(kinds, None) | {piece: i for i, piece in enumerate(order)}
        name = f"sentencepiece, unused, {'bytes' if falls else 'no bytes'}"
        models[name] = ranked(ranks, byte_fallback=falls, fuse_unk=True, **UNKNOWN)
        models[name]["piecework"]["unused"] = unused
        for text in texts:
            ids = live.encode(text)
            columns = {"ids": ids, "tokens": [live.id_to_piece(i) for i in ids]}
            case = alone(named(name, text), "sentencepiece", name, text, **columns)
            case["config"]["normalizer"] = LLAMA
            made.append(case)
    return made + filtered_cases(models)


def filtered_cases(models: dict[str, Json]) -> list[Json]:
    """Returns encodings by subword-nmt for codes with a vocabulary; two merges make one entry."""
    merges = [
        "a b",
        "b c",
        "ab c",
        "a bc",
        "abc d</w>",
        "c d</w>",
        "bc d</w>",
        "a bcd</w>",
        "abc abc",
    ]
    vocabulary = {"ab@@", "b@@", "c@@", "d", "cd", "a@@"}
    name, end = "subword-nmt, a vocabulary", "</w>"
    model = bpe([*LETTERS, *(c + end for c in LETTERS)], merges, end_of_word_suffix=end)
    made = {merge.replace(" ", "") for merge in merges}
    kept = {t for t in made if (t.removesuffix(end) if t.endswith(end) else t + "@@") in vocabulary}
    ours = {"version": 1, "unused": sorted(made - kept)}
    models[name] = {**model, "type": "piecework.BPE", "piecework": ours}
    codes = io.StringIO("#version: 0.2\n" + "\n".join(merges))
    live = apply_bpe.BPE(codes, vocab=vocabulary)
    found = []
    for text in ("abcd", "abcabcd", "bcd", "abc", "aabcd", "bc", "abcabc"):
        parts = [part.removesuffix("@@") for part in live.segment(text).split(" ")]
        tokens = [*parts[:-1], parts[-1] + end]
        columns = {"ids": [model["vocab"][token] for token in tokens], "tokens": tokens}
        found.append(alone(named(name, text), "subword-nmt", name, text, **columns))
    return found


def model_proto(pieces: list[tuple[str, float, int]], *, byte_fallback: bool) -> bytes:
    """Returns a SentencePiece model of pieces, each with a score and a kind."""

    def field(number: int, value: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(value)) + value

    def flag(number: int, value: int) -> bytes:
        return varint(number << 3) + varint(value)

    def varint(value: int) -> bytes:
        low, high = value & 0x7F, value >> 7
        return bytes([low | 0x80]) + varint(high) if high else bytes([low])

    listed = (
        field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + flag(3, kind)
        for text, score, kind in pieces
    )
    trainer = flag(3, 2) + flag(35, byte_fallback)
    normalizer = field(1, b"identity") + flag(3, 1) + flag(4, 0) + flag(5, 1)
    return b"".join(field(1, each) for each in listed) + field(2, trainer) + field(3, normalizer)


def special(content: str, number: int) -> Json:
    """Returns an added token that is special."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, **flags, "special": True}


BARRED = "by hand: B12"
CHANCE = "by hand: B9 to B11, as the reference has it"
DROPPING = {
    "half": bpe([*"lowerns"], ["l o", "lo w", "e r", "n e", "ne w", "w er", "low er"], dropout=0.5),
    "never": bpe(LETTERS, ["a b"], dropout=0.0, ignore_merges=True),
    "always": bpe([*LETTERS, "ab"], ["a b"], dropout=1.0, ignore_merges=True),
    "seldom": bpe(["a"], ["a a", "aa aa"], dropout=0.1),
}


def hand_cases(models: dict[str, Json]) -> list[Json]:
    """Returns cases that no library can produce: excluded entries and dropout."""
    models["barred"] = bpe(
        ["<unk>", *LETTERS, "abc", "d"], ["a b", "ab c", "b c"], unk_token="<unk>"
    )
    models["barred whole"] = bpe([*LETTERS, "abc"], ["a b"], ignore_merges=True)
    affixed = ["a", "b", "<0x23>", *BYTES_OF["\u4e2d"], "<0x2F>"]
    models["affixes in bytes"] = bpe(affixed, byte_fallback=True, **AFFIXES)
    models["a prefix that lacks"] = {**bpe(AFFIXED, ["a #b"], **AFFIXES), "merges": [["a", "b"]]}
    models |= DROPPING
    barred = {"added_tokens": [special("ab", 6), special("d", 4)], "model": "barred"}
    whole = {"added_tokens": [special("abc", 4)], "model": "barred whole"}
    return [
        alone("special tokens are found", BARRED, "barred", "abcd", ids=[6, 3, 4], tokens=["ab", "c", "d"],
              offsets=[[0, 2], [2, 3], [3, 4]]) | {"config": barred},
        alone("no merge makes a barred entry", BARRED, "barred", "abcd", specials="text",
              ids=[1, 7, 0], tokens=["a", "bc", "<unk>"], offsets=[[0, 1], [1, 3], [3, 4]])
        | {"config": barred},
        alone("no word is a barred entry", BARRED, "barred whole", "abc", specials="text", ids=[5, 2],
              tokens=["ab", "c"], offsets=[[0, 2], [2, 3]]) | {"config": whole},
        alone("a merge whose right side lacks the prefix", "by hand: B1", "a prefix that lacks", "ab",
              error="value"),
        alone("bytes of prefix and suffix lie in the last character", "by hand: B8", "affixes in bytes",
              "a\u4e2d", ids=[0, *range(2, 7)], tokens=["a", "<0x23>", *BYTES_OF["\u4e2d"], "<0x2F>"],
              offsets=[[0, 1], *[[1, 2]] * 5]),
        *chances(),
    ]  # fmt: skip


def chances() -> list[Json]:
    """Returns encodings with dropout; `seed` and `number` are arguments of the call."""
    outcomes: list[tuple[str, str, int, int, str]] = [
        ("half", "lower", 0, 0, "low e r"),
        ("half", "lower", 0, 1, "l o w e r"),
        ("half", "lower", 0, 2, "low er"),
        ("half", "lower", 1, 0, "l o wer"),
        ("half", "lower", 18446744073709551615, 0, "low er"),
        ("half", "newer lower newer", 7, 0, "new er l o w e r new er"),
        ("half", "newerlowernewer", 7, 3, "ne wer lower new er"),
        ("half", "newerlowernewer", 18446744073709551615, 5, "new er lower new er"),
        ("never", "ab", 0, 0, "ab"),
        ("always", "ab", 0, 0, "a b"),
        ("seldom", "aaaaaaaaaaaa", 3, 0, "aaaa aaaa aaaa"),
        ("seldom", "aaaaaaaaaaaa", 3, 1, "aa a aaaa aaaa a"),
        (
            "seldom",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            4,
            0,
            "aaaa aaaa aaaa a aaaa aaaa a aaaa aaaa aaaa aaaa aa",
        ),
    ]
    return [
        alone(f"dropout {name}: {text}, seed {seed}, input {number}", CHANCE, name, text, seed=seed,
              number=number, tokens=tokens.split(" "),
              ids=[DROPPING[name]["vocab"][token] for token in tokens.split(" ")])
        | {"config": {"model": name, "pre_tokenizer": SPACES}}
        for name, text, seed, number, tokens in outcomes
    ]  # fmt: skip


def encode_table() -> Json:
    """Returns models and cases of encoding."""
    models = {name: model for name, (model, _, _) in GROUPS.items()}
    cases = [case for name, group in GROUPS.items() for case in live_group(name, *group)]
    cases += tiktoken_cases(models) + sentencepiece_encode_cases(models) + hand_cases(models)
    cases += unused_cases(models)
    return {"models": models, "cases": cases}


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
    files = {"bpe_train.json": {"cases": train_cases()}, "bpe_encode.json": encode_table()}
    differ = False
    for name, table in files.items():
        text, path = written(table), FOLDER / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            print(f"{path} is stale: run tools/make_bpe_cases.py", file=sys.stderr)
            differ = True
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
