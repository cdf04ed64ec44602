"""Random tokenizer.json documents: all components and settings, with matching vocabularies."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import tokenizers

from . import precompiled
from .pipeline_texts import DIFFICULT, Texts

Json = dict[str, Any]

BEHAVIOURS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
REGEXES = (
    *(GPT2, CL100K, O200K, r"\s+", r"\s", r" ", r" {2,}", r"\w+", r"\w+|[^\w\s]+", r"[^\s\w]"),
    *(r"\d", r"\d{1,3}", r"\p{N}", r"\p{L}", r"\p{Lu}", r"\p{P}", r"\p{M}", r"\p{Han}", r"\p{S}"),
    *(r"\p{Hiragana}+|\p{Katakana}+", r"[a-z]+", r"[A-Z][a-z]*", r"[一-龥]", r"[^a-zA-Z0-9]+"),
    *(r"a", r"aa", r"a|ab", r"ab|a", r"(?i)the", r"(?:a|b)+", r"(a)(b)?", r"a*", r"\s*", r"b?"),
    *(r"(?=a)", r"(?<=a)b", r"(?<!a)b", r"a(?!b)", r"\b", r"\B", r"^", r"$", r"^a", r"a$", r"\Z"),
    *(r".", r"..", r"(?s).", r".+", r".*?a", r"\n", r"[\r\n]+", r"[[:punct:]]", r"[[:space:]]+"),
    *(
        r"\x{4e2d}",
        r"é",
        r"[é-ü]",
        r"(\w)\1",
        r"\W",
        r"\S+",
        r"\X",
        r"\R",
        r"\h+",
        r"x|",
        r"|x",
        r"",
    ),
)
BROKEN_REGEXES = ("(", "[", "*", "(?<=a+)b", "\\", "a{2,1}", "(?P<n>a)", r"\p{Nonsense}", "(?<n>a")
HEAVY: dict[str, float] = {
    "Split": 4,
    "Replace": 2,
    "Metaspace": 2,
    "ByteLevel": 2,
    "Punctuation": 2,
    "Sequence": 2,
}
"""Components with many settings come more often."""
UNKNOWN = ("[UNK]", "[UNK]", "[UNK]", "<unk>", "unk", "the")


class Maker:
    """Makes the parts of one document from one random generator and one pool of texts."""

    def __init__(self, rng: random.Random, texts: Texts, data: Path | None) -> None:
        self.rng, self.texts, self.data = rng, texts, data

    def flag(self, share: float = 0.5) -> bool:
        """Returns true with this probability."""
        return self.rng.random() < share

    def string(self) -> str:
        """Returns a string that texts are likely to contain."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.25:
            return self.texts.part()
        if kind < 0.5:
            return rng.choice(
                (" ", "  ", "a", "b", "the", "-", "'", "▁", "Ġ", "##", "é", "中", "e\u0301")
            )
        if kind < 0.7:
            part = self.texts.part()
            start = rng.randrange(len(part) + 1)
            return part[start : start + rng.randint(1, 3)]
        return rng.choice(DIFFICULT)

    def content(self) -> str:
        """Returns a replacement, often the empty string."""
        return self.rng.choice(("", "", " ", "x", "ab", "▁", "é", "中文", "e\u0301", self.string()))

    def pattern(self) -> Json:
        """Returns a pattern: a string or a regular expression."""
        if self.flag():
            return {"String": self.string()}
        if self.flag(0.01):
            return {"Regex": self.rng.choice(BROKEN_REGEXES)}
        one = self.rng.choice(REGEXES)
        return {"Regex": f"{one}|{self.rng.choice(REGEXES)}" if self.flag(0.15) else one}

    def chosen(self, kinds: dict[str, Callable[[], Json]], depth: int = 0) -> Json:
        """Returns a random component; within a Sequence, a Sequence is less likely."""
        weights = {name: HEAVY.get(name, 1) for name in kinds}
        if depth:
            weights["Sequence"] = 0.5
        (name,) = self.rng.choices(list(weights), list(weights.values()))
        return {"type": name, **kinds[name]()}

    def several(self, one: Callable[[int], Json], depth: int) -> list[Json]:
        """Returns the members of a Sequence."""
        few = self.rng.choice((0, 1, 2, 2, 2, 3, 3, 4) if depth == 0 else (0, 1, 2))
        return [one(depth + 1) for _ in range(few)]

    # Normalizers

    def normalizer(self, depth: int = 0) -> Json:
        """Returns a normalizer."""
        plain = dict.fromkeys(
            "NFC NFD NFKC NFKD Nmt Lowercase StripAccents ByteLevel".split(), dict
        )
        return self.chosen(
            {
                **plain,
                "Strip": lambda: {"strip_left": self.flag(), "strip_right": self.flag()},
                "Replace": lambda: {"pattern": self.pattern(), "content": self.content()},
                "Prepend": lambda: {"prepend": self.content()},
                "BertNormalizer": self.bert_normalizer,
                "Precompiled": self.precompiled,
                "Sequence": lambda: {"normalizers": self.several(self.normalizer, depth)},
            },
            depth,
        )

    def bert_normalizer(self) -> Json:
        return {
            "clean_text": self.flag(),
            "handle_chinese_chars": self.flag(),
            "strip_accents": self.rng.choice((None, True, False)),
            "lowercase": self.flag(),
        }

    def precompiled(self) -> Json:
        names = precompiled.names(self.data)
        name = names[0] if self.flag() else self.rng.choice(names)
        return {"precompiled_charsmap": precompiled.NAME_PREFIX + name}

    # Pre-tokenizers

    def pre_tokenizer(self, depth: int = 0) -> Json:
        """Returns a pre-tokenizer."""
        rng = self.rng
        plain = dict.fromkeys(
            "BertPreTokenizer Whitespace WhitespaceSplit UnicodeScripts".split(), dict
        )
        return self.chosen(
            {
                **plain,
                "Punctuation": lambda: {"behavior": rng.choice(BEHAVIOURS)},
                "Digits": lambda: {"individual_digits": self.flag()},
                "CharDelimiterSplit": lambda: {"delimiter": rng.choice(" -a▁\u3000中_,é\n")},
                "Split": lambda: {
                    "pattern": self.pattern(),
                    "behavior": rng.choice(BEHAVIOURS),
                    "invert": self.flag(0.4),
                },
                "ByteLevel": self.byte_level,
                "Metaspace": self.metaspace,
                "FixedLength": lambda: {"length": rng.choice((1, 2, 3, 5, 100))},
                "Sequence": lambda: {"pretokenizers": self.several(self.pre_tokenizer, depth)},
            },
            depth,
        )

    def byte_level(self) -> Json:
        flags = ("add_prefix_space", "trim_offsets", "use_regex")
        return {flag: self.flag() for flag in flags}

    def metaspace(self) -> Json:
        return {
            "replacement": self.rng.choice("▁▁▁_ aĠ中"),
            "prepend_scheme": self.rng.choice(("always", "first", "never")),
            "split": self.flag(0.7),
        }

    # Models

    def model(self, words: list[str]) -> Json:
        """Returns a model whose vocabulary contains many of the words or parts of them."""
        kinds = (self.word_piece, self.word_level, self.unigram)
        (kind,) = self.rng.choices(kinds, (0.45, 0.25, 0.3))
        return kind(words)

    def word_level(self, words: list[str]) -> Json:
        unk = self.rng.choice(UNKNOWN)
        some = [word for word in words if self.flag(0.7)]
        return {"type": "WordLevel", "unk_token": unk, "vocab": self.numbered(unk, some)}

    def word_piece(self, words: list[str]) -> Json:
        unk, rng = self.rng.choice(UNKNOWN), self.rng
        prefix = rng.choice(("##", "##", "##", "", "", "@@", "#", "▁", "é", "a"))
        pieces = [piece for word in words for piece in self.pieces(word, prefix)]
        letters = {c for word in words for c in word[:20] if self.flag(0.6)}
        pieces += [start + c for c in sorted(letters) for start in ("", prefix) if self.flag(0.7)]
        return {
            "type": "WordPiece",
            "unk_token": unk,
            "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": rng.choice((100, 100, 100, 0, 1, 3, 5, 8, 2**32)),
            "vocab": self.numbered(unk, pieces),
        }

    def unigram(self, words: list[str]) -> Json:
        """Returns a model in which segmentations often have equal scores."""
        unk, rng = self.rng.choice(UNKNOWN), self.rng
        pieces = [piece for word in words for piece in self.pieces(word, "")]
        pieces += [c for word in words for c in word[:20] if self.flag(0.5)]
        pieces += [
            f"<0x{b:02X}>" for w in words for b in w[:3].encode("utf-8", "ignore") if self.flag(0.4)
        ]
        entries = [entry for entry in self.numbered(unk, pieces) if entry]
        few = [-rng.uniform(0.01, 12) for _ in range(3)]
        score = rng.choice(
            (
                lambda _: -rng.uniform(0.01, 15),
                lambda _: rng.choice(few),
                lambda entry: few[0] * len(entry),
                lambda _: rng.uniform(-3, 30),
                lambda entry: -20_000.0 * len(entry),
                lambda _: rng.choice((0, -1, -2.5, 1e-300, -1e300)),
            )
        )
        unknown = entries.index(unk) if unk in entries else None
        return {
            "type": "Unigram",
            "unk_id": None if self.flag(0.1) else unknown,
            "vocab": [[entry, score(entry)] for entry in entries],
            "byte_fallback": self.flag(0.4),
        }

    def pieces(self, word: str, prefix: str) -> Iterator[str]:
        """Returns some pieces that spell a word."""
        at = 0
        while at < len(word):
            end = min(len(word), at + self.rng.choice((1, 2, 3, 4, 20)))
            if self.flag(0.9):
                yield (prefix if at else "") + word[at:end]
            at = end

    def numbered(self, unk: str, entries: list[str]) -> dict[str, int]:
        extra = ("[CLS]", "[SEP]", "[PAD]", "<pad>", "|", "<0xE4>", "<0xB8>", "<0xAD>", "<0x61>")
        decorated = ("low</w>", "Ġthe", "▁the", "'s", "n't", ".", ",", "do", "not", "<s>", " ")
        wanted = [*entries, *(e for e in (*extra, *decorated) if self.flag(0.3))]
        wanted += [] if self.flag(0.01) else [unk]
        self.rng.shuffle(wanted)
        return {entry: number for number, entry in enumerate(dict.fromkeys(wanted))}

    # Post-processors

    def post_processor(self, depth: int = 0) -> Json:
        """Returns a post-processor."""
        return self.chosen(
            {
                "BertProcessing": lambda: {"sep": self.special(), "cls": self.special()},
                "RobertaProcessing": lambda: {
                    "sep": self.special(),
                    "cls": self.special(),
                    "trim_offsets": self.flag(),
                    "add_prefix_space": self.flag(),
                },
                "TemplateProcessing": self.template,
                "ByteLevel": self.byte_level,
                "Sequence": lambda: {"processors": self.several(self.post_processor, depth)},
            },
            depth,
        )

    def special(self) -> list[Any]:
        return [self.rng.choice(("[CLS]", "[SEP]", "<s>", "é", "")), self.rng.randrange(40)]

    def template(self) -> Json:
        names = self.rng.sample(("[CLS]", "[SEP]", "<s>", "x y", "é"), self.rng.randint(0, 3))
        specials = {}
        for name in names:
            few = range(self.rng.choice((1, 1, 1, 2, 3)))
            one = len(few) == 1
            tokens = [name if one else self.rng.choice(("[CLS]", "a", "é", "")) for _ in few]
            ids = [self.rng.randrange(40) for _ in few]
            specials[name] = {"id": name, "ids": ids, "tokens": tokens}
        return {
            "single": self.pieces_of_template(names, "A"),
            "pair": self.pieces_of_template(names, "AB" if self.flag(0.8) else "BA"),
            "special_tokens": specials,
        }

    def pieces_of_template(self, names: list[str], order: str) -> list[Json]:
        """Returns a template: each text once, rarely twice or never, with special tokens between."""
        texts = list(order)
        if self.flag(0.06):
            texts.append(self.rng.choice(order))
        if self.flag(0.02):
            texts.pop(0)
        if self.flag(0.01):
            texts.append("B")  # invalid in the template of single texts
        whole: list[Json] = []
        for text in (*texts, None):
            some = [name for name in names if self.flag(0.4)]
            whole += [{"SpecialToken": {"id": n, "type_id": self.type_id()}} for n in some]
            if text:
                whole.append({"Sequence": {"id": text, "type_id": self.type_id()}})
        if self.flag(0.005):
            whole.append({"SpecialToken": {"id": "nowhere", "type_id": 0}})
        return whole

    def type_id(self) -> int:
        return self.rng.choice((0, 0, 0, 1, 1, 2, 7))

    # Decoders

    def decoder(self, depth: int = 0) -> Json:
        """Returns a decoder."""
        rng = self.rng
        plain = dict.fromkeys("ByteFallback Fuse".split(), dict)
        return self.chosen(
            {
                **plain,
                "BPEDecoder": lambda: {"suffix": rng.choice(("</w>", "", "##", "a", " "))},
                "ByteLevel": self.byte_level,
                "WordPiece": lambda: {
                    "prefix": rng.choice(("##", "##", "", "@@", "a")),
                    "cleanup": self.flag(),
                },
                "Metaspace": self.metaspace,
                "CTC": lambda: {
                    "pad_token": rng.choice(("<pad>", "[PAD]", "a", "")),
                    "word_delimiter_token": rng.choice(("|", " ", "a", "")),
                    "cleanup": self.flag(),
                },
                "Replace": lambda: {"pattern": self.pattern(), "content": self.content()},
                "Strip": lambda: {
                    "content": rng.choice(" a▁é#"),
                    "start": rng.choice((0, 1, 2)),
                    "stop": rng.choice((0, 0, 1, 2)),
                },
                "Sequence": lambda: {"decoders": self.several(self.decoder, depth)},
            },
            depth,
        )

    # Added tokens, truncation, padding

    def added_tokens(self, vocab: dict[str, int]) -> list[Json]:
        """Returns added tokens, which the texts will contain."""
        few = self.rng.choice((0, 0, 1, 2, 3, 4, 6, 10))
        contents = [self.added_content(vocab) for _ in range(few)]
        contents += [
            c + self.string() for c in contents if self.flag(0.1)
        ]  # one is a prefix of another
        contents = list(dict.fromkeys(c for c in contents if c))
        self.texts.contents = contents
        share = self.rng.choice((0.1, 0.3, 0.5))
        tokens = [{"content": c, **{f: self.flag(share) for f in FLAGS}} for c in contents]
        return renumbered(tokens, vocab)

    def added_content(self, vocab: dict[str, int]) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.25:
            return rng.choice(
                ("[CLS]", "[SEP]", "[MASK]", "<s>", "<|x|>", " ", "a b", "Hello", "▁", "é")
            )
        if kind < 0.45 and vocab:
            return rng.choice(list(vocab))
        if kind < 0.75:
            return self.texts.part()
        return self.string() + rng.choice(("", " ", "_")) + self.string()

    def truncation(self) -> Json:
        """Returns a truncation."""
        longest = self.rng.choice((0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 30))
        strategies = ("LongestFirst", "LongestFirst", "OnlyFirst", "OnlySecond")
        return {
            "direction": self.rng.choice(("Left", "Right")),
            "max_length": longest,
            "strategy": self.rng.choice(strategies),
            "stride": self.rng.choice((0, 0, 1, 2, 3, longest)),
        }

    def padding(self) -> Json:
        """Returns a padding."""
        fixed = {"Fixed": self.rng.choice((0, 1, 5, 8, 20))}
        return {
            "strategy": self.rng.choice(("BatchLongest", "BatchLongest", fixed)),
            "direction": self.rng.choice(("Left", "Right")),
            "pad_to_multiple_of": self.rng.choice((None, None, 0, 1, 3, 8)),
            "pad_id": self.rng.randrange(40),
            "pad_type_id": self.type_id(),
            "pad_token": self.rng.choice(("[PAD]", "", "é")),
        }

    def document(self) -> Json:
        """Returns a whole document."""
        normalizer = self.normalizer() if self.flag(0.75) else None
        pre_tokenizer = self.pre_tokenizer() if self.flag(0.85) else None
        model = self.model(words_of(normalizer, pre_tokenizer, self.texts, self.data))
        return {
            "version": "1.0",
            "truncation": self.truncation() if self.flag(0.25) else None,
            "padding": self.padding() if self.flag(0.2) else None,
            "added_tokens": self.added_tokens(numbers(model)),
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "post_processor": self.post_processor() if self.flag(0.6) else None,
            "decoder": self.decoder() if self.flag(0.8) else None,
            "model": model,
        }


def numbers(model: Json) -> dict[str, int]:
    """Returns the entries of a model with their ids."""
    vocab = model["vocab"]
    return vocab if isinstance(vocab, dict) else {entry: i for i, (entry, _) in enumerate(vocab)}


def renumbered(tokens: Iterable[Json], vocab: dict[str, int]) -> list[Json]:
    """Gives added tokens the ids of `tokenizers`: from the vocabulary, or the next free ones."""
    ids: dict[str, int] = {}
    for token in tokens:
        content = token["content"]
        ids[content] = vocab.get(content, len(vocab) + sum(c not in vocab for c in ids))
    return [{**token, "id": ids[token["content"]]} for token in tokens]


def written(document: Json, data: Path | None) -> str:
    """Returns a document as JSON, with names of tables replaced by the tables."""
    return json.dumps(_with_tables(document, data))


def _with_tables(part: Any, data: Path | None) -> Any:
    if isinstance(part, list):
        return [_with_tables(member, data) for member in part]
    if not isinstance(part, dict):
        return part
    name = part.get("precompiled_charsmap")
    if isinstance(name, str) and name.startswith(precompiled.NAME_PREFIX):
        return {
            **part,
            "precompiled_charsmap": precompiled.table(
                name.removeprefix(precompiled.NAME_PREFIX), data
            ),
        }
    return {
        key: value if key == "vocab" else _with_tables(value, data) for key, value in part.items()
    }


def words_of(
    normalizer: Json | None, pre_tokenizer: Json | None, texts: Texts, data: Path | None
) -> list[str]:
    """Returns the words that the first two stages make from texts, for the vocabulary of a model."""
    model = {"type": "WordLevel", "unk_token": "", "vocab": {}}
    stages = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
    samples = [*texts.words, *(texts.text() for _ in range(4))]
    try:
        tokenizer = tokenizers.Tokenizer.from_str(written({**stages, "model": model}, data))
        return sorted({word for text in samples for word in _words(tokenizer, text)})
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return sorted({word for text in samples for word in text.split()})


def _words(tokenizer: Any, text: str) -> list[str]:
    normal = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text
    if not tokenizer.pre_tokenizer:
        return [normal]
    return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal)]
