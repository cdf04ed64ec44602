"""Trainers and pipelines for tests of trained decoders, and what each pipeline loses of a text."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import piecework as pw
from piecework import normalizers as n
from piecework import pre_tokenizers as p
from piecework.trainers import Trainer

ALPHABET = "abeilnostw中é1,.'- \n\t"
FOREIGN = set("Ġ▁#<@")
TRAINING_TEXTS = [
    "low  lower ,  newest",
    "a lot to tell, tell it",
    "it's to-be 11",
    " a 中中 bé\n",
    "\tbé.. tell\n\nab",
    "to.1,a-b'l",
]


class Pipeline(NamedTuple):
    """Gives a splitter, and what decoding gives back of a text.

    Where the tokens show no ends of words, `exact` says whether decoding still gives that; otherwise it
    gives the text but for white space.
    """

    normalizer: n.Normalizer | None
    pre_tokenizer: p.PreTokenizer | None
    expected: Callable[[str], str]
    exact: bool = True

    def words(self, text: str) -> list[str]:
        """Gives the words that the model sees."""
        text = self.normalizer.normalize_str(text) if self.normalizer else text
        split = (
            self.pre_tokenizer.pre_tokenize_str(text) if self.pre_tokenizer else [(text, (0, 0))]
        )
        return [word for word, _ in split if word]

    @property
    def alphabet(self) -> str:
        """Gives all characters of words over `ALPHABET`."""
        texts = [form for c in ALPHABET for form in (c, f" {c}", f"a{c}", f"a {c} a")]
        return "".join(sorted({c for text in texts for word in self.words(text) for c in word}))


def slices(split: p.PreTokenizer, text: str) -> list[str]:
    """Gives what words are of a text."""
    return [text[start:end] for _, (start, end) in split.pre_tokenize_str(text)]


def same(text: str) -> str:
    return text


def with_space(text: str) -> str:
    """A space is put before a text that begins with none."""
    return " " + text if text and not text.startswith(" ") else text


def without_space(text: str) -> str:
    """The first space cannot be told from the one that is put before a text."""
    return text.removeprefix(" ")


def squeezed(text: str) -> str:
    """Spaces are put in order by SentencePiece."""
    return " ".join(filter(None, text.split(" ")))


def keeps(
    split: p.PreTokenizer | None,
    expected: Callable[[str], str] = same,
    normalizer: n.Normalizer | None = None,
) -> Pipeline:
    return Pipeline(normalizer, split, expected)


def apart(
    split: p.PreTokenizer, by: p.PreTokenizer | None = None, normalizer: n.Normalizer | None = None
) -> Pipeline:
    """Gives a pipeline that loses what was between words, as `by` finds them: a space comes back."""

    def expected(text: str) -> str:
        text = normalizer.normalize_str(text) if normalizer else text
        return " ".join(slices(by or split, text))

    return Pipeline(normalizer, split, expected, exact=False)


def joined(split: p.PreTokenizer) -> Pipeline:
    """Gives a pipeline that loses what is between words, white space apart: nothing comes back."""
    return Pipeline(None, split, lambda text: "".join(slices(split, text)))


def halves(text: str) -> list[tuple[int, int]]:
    return [(0, len(text) // 2), (len(text) // 2, len(text))]


def spelled_out(text: str) -> str:
    """Each stretch of digits or of others gets a space, where it begins with none."""
    return without_space("".join(map(with_space, slices(p.Digits(), text))))


SPACE_RUNS = pw.Regex(r"\s+")
WORDS = pw.Regex(r"\w+")
BYTES = p.ByteLevel(add_prefix_space=False)
PLAIN_BYTES = p.ByteLevel(add_prefix_space=False, use_regex=False)
SPACED_BYTES = p.ByteLevel(add_prefix_space=True)
SPLIT = p.WhitespaceSplit()
LLAMA = n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")])
KEEPING: list[Any] = ["isolated", "merged_with_previous", "merged_with_next", "contiguous"]
AFTER_SPACES = n.SentencePiece(remove_extra_whitespaces=False, treat_whitespace_as_suffix=True)

PIPELINES: dict[str, Pipeline] = {
    "nothing": keeps(None),
    "Bert": apart(p.BertPreTokenizer()),
    "Bert's both": apart(p.BertPreTokenizer(), normalizer=n.BertNormalizer()),
    "Whitespace": apart(p.Whitespace()),
    "WhitespaceSplit": apart(SPLIT),
    "Punctuation removed": apart(p.Punctuation("removed")),
    "Digits": keeps(p.Digits()),
    "Digits each": keeps(p.Digits(individual_digits=True)),
    "CharDelimiterSplit": apart(p.CharDelimiterSplit("-")),
    "CharDelimiterSplit space": apart(p.CharDelimiterSplit(" ")),
    "Split removed": apart(p.Split(SPACE_RUNS, "removed")),
    "Split a letter removed": apart(p.Split("e", "removed")),
    "Split removed, inverted": apart(p.Split(WORDS, "removed", invert=True)),
    **{f"Punctuation {how}": keeps(p.Punctuation(how)) for how in KEEPING},
    **{f"Split space {how}": keeps(p.Split(" ", how)) for how in KEEPING},
    **{f"Split regex {how}": keeps(p.Split(WORDS, how, invert=True)) for how in KEEPING},
    "ByteLevel": keeps(BYTES),
    "ByteLevel with prefix": keeps(SPACED_BYTES, with_space),
    "ByteLevel, one word": keeps(PLAIN_BYTES),
    "ByteLevel, one word with prefix": keeps(p.ByteLevel(use_regex=False), with_space),
    "cl100k": keeps(p.ByteLevel.split_by("cl100k")),
    "clip": apart(p.ByteLevel.split_by("clip")),
    "Metaspace": keeps(p.Metaspace(), without_space),
    "Metaspace first": keeps(p.Metaspace(prepend_scheme="first"), without_space),
    "Metaspace never": keeps(p.Metaspace(prepend_scheme="never")),
    "Metaspace, one word": keeps(p.Metaspace(split=False), without_space),
    "Metaspace never, one word": keeps(p.Metaspace(prepend_scheme="never", split=False)),
    "Metaspace of another mark": keeps(p.Metaspace("@"), without_space),
    "UnicodeScripts": joined(p.UnicodeScripts()),
    "FixedLength": keeps(p.FixedLength(3)),
    "Dictionary": keeps(p.Dictionary(["low", "to tell"])),
    "Jieba": apart(p.Jieba()),
    "Function that tiles": keeps(p.Function(halves)),
    "Function that removes": apart(p.Function(str.split)),
    "words, punctuation": apart(p.Sequence([SPLIT, p.Punctuation()])),
    "words, bytes": apart(p.Sequence([SPLIT, BYTES])),
    "Bert, bytes": apart(p.Sequence([p.BertPreTokenizer(), PLAIN_BYTES])),
    "words, bytes with prefix": keeps(
        p.Sequence([SPLIT, SPACED_BYTES]), lambda text: with_space(" ".join(text.split()))
    ),
    "bytes, words": keeps(p.Sequence([BYTES, SPLIT])),
    "bytes, Bert": keeps(p.Sequence([BYTES, p.BertPreTokenizer()])),
    "bytes, Metaspace": keeps(p.Sequence([BYTES, p.Metaspace()])),
    "bytes of bytes": keeps(p.Sequence([BYTES, SPACED_BYTES])),
    "digits, bytes": keeps(p.Sequence([p.Digits(), BYTES])),
    "punctuation, bytes": keeps(p.Sequence([p.Punctuation(), BYTES])),
    "words, Metaspace": keeps(
        p.Sequence([SPLIT, p.Metaspace()]), lambda text: " ".join(text.split())
    ),
    "words, Metaspace first": apart(p.Sequence([SPLIT, p.Metaspace(prepend_scheme="first")])),
    "digits, Metaspace": keeps(p.Sequence([p.Digits(), p.Metaspace()]), spelled_out),
    "Metaspace, punctuation": keeps(p.Sequence([p.Metaspace(), p.Punctuation()]), without_space),
    "Metaspace, its mark behind": keeps(
        p.Sequence([p.Metaspace(split=False), p.Split("▁", "merged_with_previous")]), without_space
    ),
    "Metaspace, bytes": keeps(p.Sequence([p.Metaspace(), BYTES]), without_space),
    "dictionary, Bert": apart(p.Sequence([p.Dictionary(["to tell"]), p.BertPreTokenizer()])),
    "jieba, bytes": apart(p.Sequence([p.Jieba(), PLAIN_BYTES])),
    "fixed, words": apart(p.Sequence([p.FixedLength(4), SPLIT])),
    "delimiter, digits": joined(p.Sequence([p.CharDelimiterSplit("-"), p.Digits()])),
    "delimiter, bytes": joined(p.Sequence([p.CharDelimiterSplit("-"), BYTES])),
    "a normalizer of bytes": keeps(None, normalizer=n.ByteLevel()),
    "a normalizer of bytes, words": keeps(SPLIT, normalizer=n.ByteLevel()),
    "a normalizer of bytes, bytes": keeps(BYTES, normalizer=n.ByteLevel()),
    "a normalizer of bytes, bytes with prefix": keeps(SPACED_BYTES, normalizer=n.ByteLevel()),
    "Llama's normalizer": keeps(None, normalizer=LLAMA),
    "Llama's normalizer, marks": keeps(p.Split("▁", "merged_with_next"), normalizer=LLAMA),
    "Llama's normalizer, bytes": keeps(BYTES, normalizer=LLAMA),
    "SentencePiece": keeps(None, squeezed, n.SentencePiece()),
    "SentencePiece, spaces": keeps(None, squeezed, n.SentencePiece(escape_whitespaces=False)),
    "SentencePiece, bytes": keeps(BYTES, squeezed, n.SentencePiece()),
    "SentencePiece, its mark behind": keeps(
        p.Split("▁", "merged_with_previous"), normalizer=AFTER_SPACES
    ),
    "SentencePiece behind another": keeps(
        p.Split("▁", "merged_with_next"),
        lambda text: squeezed(text.lower()),
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
BYTE_ALPHABET = {c for code in range(256) for c in n.ByteLevel().normalize_str(chr(code))}


def marks_words(name: str) -> bool:
    """Tells whether the tokens of a trainer show where words begin or end."""
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
    if settings.get("alphabet") != "byte" or BYTE_ALPHABET.issuperset(parts.alphabet)
]


@cache
def tokenizer(name: str, pipeline: str) -> pw.Tokenizer:
    """Gives a tokenizer that was trained once."""
    parts = PIPELINES[pipeline]
    return pw.train(
        TRAINING_TEXTS,
        trainer(name, parts.alphabet),
        normalizer=parts.normalizer,
        pre_tokenizer=parts.pre_tokenizer,
    )
