"""Trainers and pipelines for tests of trained decoders, with the text that decoding returns."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import piecework as pw
from piecework import normalizers as n, pre_tokenizers as p
from piecework.reference.text.bytes import BYTE_ALPHABET
from piecework.trainers import Trainer

ALPHABET = "abceilnorstw中é1,.'- \n\t"
FOREIGN = set("Ġ▁#<@")
TRAINING_TEXTS = [
    "low  lower ,  newest",
    "a lot to call, call it",
    "it's to-be 11",
    " a 中中 bé\n",
    "\tbé.. call\n\nab",
    "to.1,a-b'l",
]


class Pipeline(NamedTuple):
    """A normalizer and a pre-tokenizer, and the expected text after encoding and decoding.

    If the tokens do not show word boundaries, decoding returns the expected text only if `exact`;
    otherwise it is equal up to white space.
    """

    normalizer: n.Normalizer | None
    pre_tokenizer: p.PreTokenizer | None
    expected: Callable[[str], str]
    exact: bool = True

    def words(self, text: str) -> list[str]:
        """Returns the words that the model sees."""
        text = self.normalizer.normalize_str(text) if self.normalizer else text
        split = (
            self.pre_tokenizer.pre_tokenize_str(text) if self.pre_tokenizer else [(text, (0, 0))]
        )
        return [word for word, _ in split if word]

    @property
    def alphabet(self) -> str:
        """Returns all characters of words over `ALPHABET`."""
        texts = [form for c in ALPHABET for form in (c, f" {c}", f"a{c}", f"a {c} a")]
        return "".join(sorted({c for text in texts for word in self.words(text) for c in word}))


def slices(split: p.PreTokenizer, text: str) -> list[str]:
    """Returns the slices of a text that become words."""
    return [text[start:end] for _, (start, end) in split.pre_tokenize_str(text)]


def same(text: str) -> str:
    return text


def with_space(text: str) -> str:
    """Puts a space before a text without a leading one."""
    return " " + text if text and not text.startswith(" ") else text


def without_space(text: str) -> str:
    """Removes the first space, since decoding takes it for the prefix space."""
    return text.removeprefix(" ")


def with_single_spaces(text: str) -> str:
    """Collapses and strips spaces, as SentencePiece does."""
    return " ".join(filter(None, text.split(" ")))


def text_between(
    split: p.PreTokenizer | None,
    expected: Callable[[str], str] = same,
    normalizer: n.Normalizer | None = None,
) -> Pipeline:
    return Pipeline(normalizer, split, expected)


def space_between(
    split: p.PreTokenizer, by: p.PreTokenizer | None = None, normalizer: n.Normalizer | None = None
) -> Pipeline:
    """Returns a pipeline that replaces the text between words (those of `by`) with a space."""

    def expected(text: str) -> str:
        text = normalizer.normalize_str(text) if normalizer else text
        return " ".join(slices(by or split, text))

    return Pipeline(normalizer, split, expected, exact=False)


def nothing_between(split: p.PreTokenizer) -> Pipeline:
    """Returns a pipeline that drops the text between words, white space included."""
    return Pipeline(None, split, lambda text: "".join(slices(split, text)))


def halves(text: str) -> list[tuple[int, int]]:
    return [(0, len(text) // 2), (len(text) // 2, len(text))]


def with_spaces_at_digits(text: str) -> str:
    """Puts a space before each run of digits or of other characters without a leading one."""
    return without_space("".join(map(with_space, slices(p.Digits(), text))))


SPACE_RUNS = pw.Regex(r"\s+")
WORDS = pw.Regex(r"\w+")
BYTES = p.ByteLevel(add_prefix_space=False)
PLAIN_BYTES = p.ByteLevel(add_prefix_space=False, use_regex=False)
PREFIXED_BYTES = p.ByteLevel(add_prefix_space=True)
SPLIT = p.WhitespaceSplit()
LLAMA = n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")])
KEEPING: list[Any] = ["isolated", "merged_with_previous", "merged_with_next", "contiguous"]
SUFFIX_SPACES = n.SentencePiece(remove_extra_whitespaces=False, treat_whitespace_as_suffix=True)

PIPELINES: dict[str, Pipeline] = {
    "nothing": text_between(None),
    "Bert": space_between(p.BertPreTokenizer()),
    "Bert's both": space_between(p.BertPreTokenizer(), normalizer=n.BertNormalizer()),
    "Whitespace": space_between(p.Whitespace()),
    "WhitespaceSplit": space_between(SPLIT),
    "Punctuation removed": space_between(p.Punctuation("removed")),
    "Digits": text_between(p.Digits()),
    "Digits each": text_between(p.Digits(individual_digits=True)),
    "CharDelimiterSplit": space_between(p.CharDelimiterSplit("-")),
    "CharDelimiterSplit space": space_between(p.CharDelimiterSplit(" ")),
    "Split removed": space_between(p.Split(SPACE_RUNS, "removed")),
    "Split a letter removed": space_between(p.Split("e", "removed")),
    "Split removed, inverted": space_between(p.Split(WORDS, "removed", invert=True)),
    **{f"Punctuation {how}": text_between(p.Punctuation(how)) for how in KEEPING},
    **{f"Split space {how}": text_between(p.Split(" ", how)) for how in KEEPING},
    **{f"Split regex {how}": text_between(p.Split(WORDS, how, invert=True)) for how in KEEPING},
    "ByteLevel": text_between(BYTES),
    "ByteLevel with prefix": text_between(PREFIXED_BYTES, with_space),
    "ByteLevel, one word": text_between(PLAIN_BYTES),
    "ByteLevel, one word with prefix": text_between(p.ByteLevel(use_regex=False), with_space),
    "cl100k": text_between(p.ByteLevel.split_by("cl100k")),
    "clip": space_between(p.ByteLevel.split_by("clip")),
    "Metaspace": text_between(p.Metaspace(), without_space),
    "Metaspace first": text_between(p.Metaspace(prepend_scheme="first"), without_space),
    "Metaspace never": text_between(p.Metaspace(prepend_scheme="never")),
    "Metaspace, one word": text_between(p.Metaspace(split=False), without_space),
    "Metaspace never, one word": text_between(p.Metaspace(prepend_scheme="never", split=False)),
    "Metaspace, another character": text_between(p.Metaspace("@"), without_space),
    "UnicodeScripts": nothing_between(p.UnicodeScripts()),
    "FixedLength": text_between(p.FixedLength(3)),
    "Dictionary": text_between(p.Dictionary(["low", "to call"])),
    "Jieba": space_between(p.Jieba()),
    "Function without gaps": text_between(p.Function(halves)),
    "Function that removes": space_between(p.Function(str.split)),
    "words, punctuation": space_between(p.Sequence([SPLIT, p.Punctuation()])),
    "words, bytes": space_between(p.Sequence([SPLIT, BYTES])),
    "Bert, bytes": space_between(p.Sequence([p.BertPreTokenizer(), PLAIN_BYTES])),
    "words, bytes with prefix": text_between(
        p.Sequence([SPLIT, PREFIXED_BYTES]), lambda text: with_space(" ".join(text.split()))
    ),
    "bytes, words": text_between(p.Sequence([BYTES, SPLIT])),
    "bytes, Bert": text_between(p.Sequence([BYTES, p.BertPreTokenizer()])),
    "bytes, Metaspace": text_between(p.Sequence([BYTES, p.Metaspace()])),
    "bytes of bytes": text_between(p.Sequence([BYTES, PREFIXED_BYTES])),
    "digits, bytes": text_between(p.Sequence([p.Digits(), BYTES])),
    "punctuation, bytes": text_between(p.Sequence([p.Punctuation(), BYTES])),
    "words, Metaspace": text_between(
        p.Sequence([SPLIT, p.Metaspace()]), lambda text: " ".join(text.split())
    ),
    "words, Metaspace first": space_between(
        p.Sequence([SPLIT, p.Metaspace(prepend_scheme="first")])
    ),
    "digits, Metaspace": text_between(
        p.Sequence([p.Digits(), p.Metaspace()]), with_spaces_at_digits
    ),
    "Metaspace, punctuation": text_between(
        p.Sequence([p.Metaspace(), p.Punctuation()]), without_space
    ),
    "Metaspace as suffix": text_between(
        p.Sequence([p.Metaspace(split=False), p.Split("▁", "merged_with_previous")]), without_space
    ),
    "Metaspace, bytes": text_between(p.Sequence([p.Metaspace(), BYTES]), without_space),
    "dictionary, Bert": space_between(
        p.Sequence([p.Dictionary(["to call"]), p.BertPreTokenizer()])
    ),
    "jieba, bytes": space_between(p.Sequence([p.Jieba(), PLAIN_BYTES])),
    "fixed, words": space_between(p.Sequence([p.FixedLength(4), SPLIT])),
    "delimiter, digits": nothing_between(p.Sequence([p.CharDelimiterSplit("-"), p.Digits()])),
    "delimiter, bytes": nothing_between(p.Sequence([p.CharDelimiterSplit("-"), BYTES])),
    "a normalizer of bytes": text_between(None, normalizer=n.ByteLevel()),
    "a normalizer of bytes, words": text_between(SPLIT, normalizer=n.ByteLevel()),
    "a normalizer of bytes, bytes": text_between(BYTES, normalizer=n.ByteLevel()),
    "a normalizer of bytes, bytes with prefix": text_between(
        PREFIXED_BYTES, normalizer=n.ByteLevel()
    ),
    "Llama's normalizer": text_between(None, normalizer=LLAMA),
    "Llama's normalizer, metaspace": text_between(
        p.Split("▁", "merged_with_next"), normalizer=LLAMA
    ),
    "Llama's normalizer, bytes": text_between(BYTES, normalizer=LLAMA),
    "SentencePiece": text_between(None, with_single_spaces, n.SentencePiece()),
    "SentencePiece, spaces": text_between(
        None, with_single_spaces, n.SentencePiece(escape_whitespaces=False)
    ),
    "SentencePiece, bytes": text_between(BYTES, with_single_spaces, n.SentencePiece()),
    "SentencePiece, metaspace as suffix": text_between(
        p.Split("▁", "merged_with_previous"), normalizer=SUFFIX_SPACES
    ),
    "SentencePiece after another": text_between(
        p.Split("▁", "merged_with_next"),
        lambda text: with_single_spaces(text.lower()),
        n.Sequence([n.Lowercase(), n.SentencePiece()]),
    ),
}

PREFIX = {"continuing_subword_prefix": "##"}
ATTACHED = {"end_of_word_suffix": "</w>"}
SEPARATE: dict[str, Any] = {**ATTACHED, "suffix_style": "separate"}
TRAINERS: dict[str, dict[str, Any]] = {
    "WordPiece": PREFIX,
    "WordPiece without prefix": {"continuing_subword_prefix": ""},
    "BPE": {},
    "BPE, suffix": ATTACHED,
    "BPE, separate suffix": SEPARATE,
    "BPE, prefix": PREFIX,
    "BPE, prefix and suffix": PREFIX | ATTACHED,
    "BPE, prefix and separate suffix": PREFIX | SEPARATE,
    "BPE on bytes": {"alphabet": "byte"},
    "BPE on bytes, suffix": {"alphabet": "byte"} | ATTACHED,
    "BPE on bytes, separate suffix": {"alphabet": "byte"} | SEPARATE,
    "BPE on bytes, prefix and suffix": {"alphabet": "byte"} | PREFIX | ATTACHED,
    "Unigram": {},
    "Unigram with bytes": {"byte_fallback": True},
}


def shows_word_boundaries(name: str) -> bool:
    """Returns whether the tokens of a trainer show the beginning or end of words."""
    return bool(TRAINERS[name].keys() & {"end_of_word_suffix"}) or bool(
        TRAINERS[name].get("continuing_subword_prefix")
    )


def trainer(name: str, alphabet: str) -> Trainer:
    settings = TRAINERS[name]
    if name.startswith("Unigram"):
        size = len(alphabet) + 8 + 256 * settings.get("byte_fallback", False)
        return pw.UnigramTrainer(
            size, character_coverage=1.0, required_chars=alphabet, seed_size=100, **settings
        )
    kind: Any = pw.WordPieceTrainer if name.startswith("WordPiece") else pw.BpeTrainer
    return kind(2000, initial_alphabet=alphabet, **settings)  # type: ignore[no-any-return]


PAIRS = [
    (name, pipeline)
    for name, settings in TRAINERS.items()
    for pipeline, parts in PIPELINES.items()
    if settings.get("alphabet") != "byte" or set(BYTE_ALPHABET).issuperset(parts.alphabet)
]


@cache
def tokenizer(name: str, pipeline: str) -> pw.Tokenizer:
    """Returns a trained tokenizer, from a cache."""
    parts = PIPELINES[pipeline]
    return pw.train(
        TRAINING_TEXTS,
        trainer(name, parts.alphabet),
        normalizer=parts.normalizer,
        pre_tokenizer=parts.pre_tokenizer,
    )
