"""Writes spec/cases/bpe_train.json and bpe_encode.json: what BPE must give.

Run it with a Python that has `tokenizers` 0.23, `sentencepiece`, `tiktoken` and `subword-nmt`; nothing
of this project is imported, so the expected values owe nothing to it:

    python tools/make_bpe_cases.py [--check]

What no live library can say is written by hand, each case with its source.
"""

import argparse
import io
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

Json = dict[str, Any]

FOLDER = Path(__file__).parents[1] / "spec" / "cases"


# Training


NOTE_003 = Counter(
    "older older old fine fine finest finest finest finest finest lower lowest lower mind cat cats "
    "dogs dogs dogs dog".split()
)
NOTE_003_STATES = [
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
NOTE_004 = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
SEPARATE = {"end_of_word_suffix": "</w>", "suffix_style": "separate"}
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TIED = {"xcd": 1, "ab": 1, "abe": 1, "cd": 1}


def rows(text: str) -> list[Json]:
    """Gives a history of tokens and counts, as `in 8, fin 7` tells it."""
    pairs = (row.rsplit(" ", 1) for row in text.split(", "))
    return [{"token": token, "pair_count": int(count)} for token, count in pairs]


def merge(  # noqa: PLR0917  # a line of a table
    left: str, right: str, token: str, n: int, a: int, b: int, ties: int
) -> Json:
    """Gives a whole row of a history."""
    return {
        "left": left, "right": right, "token": token, "score": float(n),
        "pair_count": n, "left_count": a, "right_count": b, "ties": ties,
    }  # fmt: skip


def by_hand(name: str, words: dict[str, int], settings: Json, /, **expected: Any) -> Json:
    """Gives a training case of which nobody but the specification knows the outcome."""
    source = expected.pop("source", "by hand")
    return {
        "name": name, "source": source, "words": [[*word] for word in words.items()],
        "settings": settings, "expected": expected,
    }  # fmt: skip


def notes() -> list[Json]:
    """Gives the golden figures of the notes, and what follows from their rules."""
    return [
        by_hand(
            "note 003",
            NOTE_003,
            {"ties": "first", "end_of_word_suffix": "</w>"},
            source="note 003; from its 18th merge on corrected",
            states=NOTE_003_STATES,
            history=rows(
                "in 8, fin 7, es 6, est</w> 6, finest</w> 5, er</w> 4, do 4, ol 3, lo 3, low 3, dog 3, "
                "dogs</w> 3, old 2, older</w> 2, fine</w> 2, lower</w> 2, ca 2, old</w> 1, lowest</w> 1, "
                "min 1, mind</w> 1, cat</w> 1, cat 1, cats</w> 1, dog</w> 1"
            ),
        ),
        by_hand(
            "note 004",
            NOTE_004,
            {"ties": "first", "max_merges": 10, **SEPARATE},
            source="note 004",
            initial_vocab=["l", "o", "w", "</w>", "e", "r", "n", "s", "t", "i", "d"],
            history=rows(
                "es 9, est 9, est</w> 9, lo 7, low 7, ne 6, new 6, newest</w> 6, low</w> 5, wi 3"
            ),
        ),
        by_hand(
            "note 004, until every pair occurs once",
            NOTE_004,
            {"ties": "first", "stop_at_pair_frequency": 2, **SEPARATE},
            source="note 004's rule, with 2 for its 1",
            history=rows(
                "es 9, est 9, est</w> 9, lo 7, low 7, ne 6, new 6, newest</w> 6, low</w> 5, wi 3, wid 3, "
                "widest</w> 3"
            ),
        ),
        by_hand(
            "note 004, ties as tokens are written",
            NOTE_004,
            {"max_merges": 8, **SEPARATE},
            initial_vocab=["</w>", "d", "e", "i", "l", "n", "o", "r", "s", "t", "w"],
            history=rows("es 9, est 9, est</w> 9, lo 7, low 7, ew 6, ewest</w> 6, newest</w> 6"),
        ),
        by_hand(
            "hug",
            HUG,
            {"ties": "first", "continuing_subword_prefix": "##", "max_merges": 6},
            source="byte-pair encoding's score in note 001",
            history=rows("##ug 20, ##un 16, hug 15, pun 12, pug 5, hugs 5"),
        ),
    ]


def filters() -> list[Json]:
    """Gives a case for each setting, by hand."""
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
        by_hand("smallest size", {"ab": 2}, {"vocab_size": 3, "special_tokens": ["<s>"]},
                vocab=["<s>", "a", "b"], history=[]),
        by_hand("size too small", {"ab": 2}, {"vocab_size": 2, "special_tokens": ["<s>"]},
                error="value", contains="3"),
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
    """Gives what the trainer of `tokenizers` makes of tables, where it always makes the same."""
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
    """Gives a training by the library."""
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
    """Gives the merged pieces that SentencePiece learns, in order."""
    return [
        live_sentencepiece("sentencepiece: words", {w: n for w, n in WORDY.items() if w.isascii()}),
        live_sentencepiece("sentencepiece: equal characters", REPEATED),
        live_sentencepiece("sentencepiece: many ties", {"abc": 1, "cab": 1, "bca": 1, "b": 1}),
    ]


def live_sentencepiece(name: str, words: dict[str, int]) -> Json:
    """Gives a training by SentencePiece, whose words begin with its own white space."""
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
    """Gives all cases of training."""
    return [*notes(), *filters(), *tokenizers_cases(), *sentencepiece_cases()]


# The files


def written(table: Json) -> str:
    """Gives a table as its file holds it: a case a line."""
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in table.pop("cases"))
    head = "".join(
        f'"{name}": {json.dumps(value, ensure_ascii=False)},\n' for name, value in table.items()
    )
    return f'{{{head}"cases": [\n{lines}\n]}}\n'


def main() -> int:
    """Writes the files, or compares them with what they should hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; fail if a file differs"
    )
    check = parser.parse_args().check
    files = {"bpe_train.json": {"cases": train_cases()}}
    differ = False
    for name, table in files.items():
        text, path = written(table), FOLDER / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            print(f"{path} is not what the live libraries say now", file=sys.stderr)
            differ = True
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
