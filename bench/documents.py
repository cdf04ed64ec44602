"""Ten representative pipelines as tokenizer.json documents, with real vocabularies and words."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

sys.path.append(str(Path(__file__).parents[1] / "tests" / "slow" / "parity"))
import precompiled  # it reads the tables of SentencePiece models

Json = dict[str, Any]

TEXTS = {
    "English": "en/novels-25.txt",
    "Chinese": "zh/laws-a.txt",
    "many languages": "multi/tatoeba-112langs.tsv",
    "code": "code/python-cpython-lib.txt",
}
DOCUMENT = 2400  # bytes, about
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
BERT = {
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}


def documents(name: str, size: int) -> list[str]:
    """Returns the first bytes of a kind of text, split into documents of about 2.4 KB."""
    return cut(corpus.read(TEXTS[name])[:size].decode("utf-8", "ignore"), DOCUMENT)


def cut(text: str, size: int) -> list[str]:
    """Splits a text into documents of about `size` bytes."""
    step = max(1, size * len(text) // len(text.encode()))
    return [text[at : at + step] for at in range(0, len(text), step)]


def pipelines() -> dict[str, str]:
    """Returns the documents as JSON, by name."""
    return {name: make() for name, make in PIPELINES.items()}


def whole(model: Json, **parts: Any) -> str:
    """Returns a document with BERT's template, if the model has its special tokens."""
    vocab = model["vocab"]
    names = [name for name in ("[CLS]", "[SEP]") if name in vocab]
    sequence = [{"Sequence": {"id": "A", "type_id": 0}}]
    around = [[{"SpecialToken": {"id": name, "type_id": 0}}] for name in names]
    single = [*around[0], *sequence, *around[1]] if names else sequence
    template = {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, {"Sequence": {"id": "B", "type_id": 1}}, *(around[1] if names else [])],
        "special_tokens": {n: {"id": n, "ids": [vocab[n]], "tokens": [n]} for n in names},
    }
    added = [
        {"id": vocab[name], "content": name, **dict.fromkeys(FLAGS, False), "special": True}
        for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
        if name in vocab
    ]
    document: Json = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": template,
        "decoder": None,
        "model": model,
    }
    return json.dumps(document | parts)


# Models


def word_piece(vocab: dict[str, int], prefix: str = "##") -> Json:
    """Returns a WordPiece model."""
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": 100,
        "vocab": vocab,
    }


def word_level(vocab: dict[str, int]) -> Json:
    """Returns a WordLevel model."""
    return {"type": "WordLevel", "unk_token": "[UNK]", "vocab": vocab}


def entries(name: str) -> dict[str, int]:
    """Returns one of BERT's vocabularies."""
    text = (corpus.DATA / "vocabs" / f"{name}-vocab.txt").read_text(encoding="utf-8")
    return {entry: number for number, entry in enumerate(text.removesuffix("\n").split("\n"))}


def numbered(tokens: Iterable[str]) -> dict[str, int]:
    """Returns the ids of the tokens, numbered after the special tokens."""
    order = dict.fromkeys(chain(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), tokens))
    return {token: number for number, token in enumerate(order)}


@cache
def words(stages: str, size: int = 20_000) -> tuple[str, ...]:
    """Returns the most frequent words after the given stages (as JSON), from the start of every text."""
    from tokenizers import Tokenizer

    model = word_level({"[UNK]": 0})
    tokenizer = Tokenizer.from_str(json.dumps({**json.loads(stages), "model": model}))
    counts: Counter[str] = Counter()
    for text in chain.from_iterable(documents(name, 300_000) for name in TEXTS):
        normal = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text
        counts.update(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal))
    return tuple(word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])))[
        :size
    ]


def learned(prefix: str = "##", **stages: Json | None) -> dict[str, int]:
    """Returns a vocabulary for WordPiece: frequent words, pieces of words, single characters."""
    frequent = words(json.dumps(stages))
    ends: Counter[str] = Counter()
    for word in frequent:
        ends.update(word[at : at + size] for at in range(1, len(word)) for size in (2, 3, 4))
    characters = sorted(set(chain.from_iterable(frequent)))
    pieces = [*characters, *(piece for piece, _ in ends.most_common(8_000))]
    return numbered(chain(frequent, characters, (prefix + piece for piece in pieces)))


# Pipelines


def _bert(name: str, **settings: bool) -> str:
    return whole(
        word_piece(entries(name)),
        normalizer={"type": "BertNormalizer", **BERT, **settings},
        pre_tokenizer={"type": "BertPreTokenizer"},
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )


def _roberta() -> str:
    flags = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    stages: Json = {"normalizer": None, "pre_tokenizer": {"type": "ByteLevel", **flags}}
    vocab = learned(**stages)
    specials = {"sep": ["[SEP]", vocab["[SEP]"]], "cls": ["[CLS]", vocab["[CLS]"]]}
    flags = {"trim_offsets": True, "add_prefix_space": True}
    roberta = {"type": "RobertaProcessing", **specials, **flags}
    return whole(word_piece(vocab), **stages, post_processor=roberta)


def _nfkc_words() -> str:
    stages: Json = {
        "normalizer": sequence_of({"type": "NFKC"}, {"type": "Lowercase"}),
        "pre_tokenizer": {"type": "Whitespace"},
    }
    return whole(word_level(numbered(words(json.dumps(stages)))), **stages)


METASPACE = {
    "type": "Metaspace",
    "replacement": "▁",
    "prepend_scheme": "always",
    "split": True,
}


def _metaspace() -> str:
    stages: Json = {"normalizer": {"type": "NFKC"}, "pre_tokenizer": METASPACE}
    return whole(word_piece(learned("", **stages), ""), **stages, decoder=METASPACE)


def _precompiled() -> str:
    table = precompiled.table("t5-spiece.model", corpus.DATA)
    stages: Json = {
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": table},
        "pre_tokenizer": METASPACE,
    }
    return whole(word_piece(learned("", **stages), ""), **stages, decoder=METASPACE)


def _regex() -> str:
    split = {
        "type": "Split",
        "pattern": {"Regex": CL100K},
        "behavior": "Isolated",
        "invert": False,
    }
    flags = {"add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    byte_level = {"type": "ByteLevel", **flags}
    splitters = {"type": "Sequence", "pretokenizers": [split, byte_level]}
    stages: Json = {"normalizer": None, "pre_tokenizer": splitters}
    return whole(word_piece(learned(**stages)), **stages, decoder=byte_level)


def _digits_and_punctuation() -> str:
    splitters = [
        {"type": "Digits", "individual_digits": True},
        {"type": "Punctuation", "behavior": "Isolated"},
        {"type": "WhitespaceSplit"},
    ]
    steps = ({"type": name} for name in ("NFD", "StripAccents", "Lowercase"))
    stages: Json = {
        "normalizer": sequence_of(*steps),
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": splitters},
    }
    return whole(word_piece(learned(**stages)), **stages)


def _scripts() -> str:
    splitters = [{"type": "UnicodeScripts"}, {"type": "Whitespace"}]
    stages: Json = {
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": splitters},
    }
    return whole(word_piece(learned(**stages)), **stages)


def _mini_lm() -> str:
    path = corpus.DATA / "vocabs" / "all-minilm-l6-v2-tokenizer.json"
    return path.read_text(encoding="utf-8")


def _thousand_added() -> str:
    """Returns BERT with 1,000 added tokens of all flags; a tenth of them occur in the texts."""
    document = json.loads(_bert("bert-base-uncased"))
    vocab, tokens = document["model"]["vocab"], document["added_tokens"]
    choice = random.Random(1)
    real = ["however", "Mr", "return", "import", "的", "我", "Tom", "there is", "self.", "条"]
    contents = dict.fromkeys(chain(real, (f"<tag {n}>" for n in range(990))))
    next_id = len(vocab)
    for content in contents:
        flags = {flag: choice.random() < 0.3 for flag in FLAGS}
        tokens.append({"id": vocab.get(content, next_id), "content": content, **flags})
        next_id += content not in vocab
    return json.dumps(document)


def sequence_of(*normalizers: Json) -> Json:
    """Returns a Sequence of normalizers."""
    return {"type": "Sequence", "normalizers": list(normalizers)}


PIPELINES: dict[str, Callable[[], str]] = {
    "bert-base-uncased": lambda: _bert("bert-base-uncased"),
    "bert-base-cased": lambda: _bert("bert-base-cased", lowercase=False),
    "bert-base-chinese": lambda: _bert("bert-base-chinese"),
    "ByteLevel, RobertaProcessing": _roberta,
    "NFKC Lowercase, Whitespace, WordLevel": _nfkc_words,
    "NFKC, Metaspace": _metaspace,
    "Precompiled, Metaspace": _precompiled,
    "Split by cl100k's regex, ByteLevel": _regex,
    "NFD StripAccents Lowercase, Digits Punctuation": _digits_and_punctuation,
    "UnicodeScripts, Whitespace": _scripts,
    "all-minilm, truncated and padded": _mini_lm,
    "1,000 added tokens": _thousand_added,
}
