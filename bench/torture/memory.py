"""Takes the address space away from calls, a random number of bytes after their start."""

from __future__ import annotations

import importlib
import pickle
import random
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scaling import files as vocabularies

import piecework as pw
from piecework import hf, models, normalizers, pre_tokenizers
from torture.trials import Kind, Trial, limit_memory, unlimit_memory

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRIES = 10_000
FEWEST, MOST = 1 << 18, 1 << 26
"""The bytes that are left, at least and at most."""
BYTES = 1_000_000
"""The size of a text, in characters."""
TOKENIZERS: dict[str, Callable[[int], pw.Tokenizer]] = {
    "WordPiece": vocabularies.word_piece,
    "BPE": vocabularies.bpe,
    "Unigram": vocabularies.unigram,
    "WordLevel": vocabularies.word_level,
}
TRAINERS: dict[str, Any] = {
    "WordPiece": pw.WordPieceTrainer(1000),
    "BPE": pw.BpeTrainer(1000),
    "BPE, bytes": pw.BpeTrainer(1000, alphabet="byte"),
    "Unigram": pw.UnigramTrainer(1000),
    "WordLevel": pw.WordLevelTrainer(1000),
}
SAVED = {
    "tokenizer.json": ("BPE", "tokenizer.json"),
    "vocab.txt": ("WordPiece", "vocab.txt"),
    "merges.txt": ("BPE", "bpe"),
    "SentencePiece": ("Unigram", "a.model"),
}
FOLDER = Path(tempfile.gettempdir())


def prepare(folder: Path) -> None:
    """Makes tokenizers, texts and files, which all processes share."""
    global FOLDER  # noqa: PLW0603  # processes that are forked have it, too
    FOLDER = folder
    for name in ("numpy", "pyarrow", "pyarrow.parquet"):  # an import that lacks memory is not ours
        importlib.import_module(name)
    for name in pw.__all__:
        getattr(pw, name)
    (folder / "text.txt").write_text("\n".join(_texts()))
    with warnings.catch_warnings(action="ignore"):
        for kind, (name, file) in SAVED.items():
            made: Any = kind if kind == "merges.txt" else None
            tokenizer(name).save(folder / file, made, approximate=name == "Unigram")
    _counts().save(folder / "a.counts")
    _text(), calls()


@cache
def tokenizer(name: str) -> pw.Tokenizer:
    """Returns a tokenizer with a large vocabulary."""
    return TOKENIZERS[name](ENTRIES if name != "BPE" else 5000)


@cache
def _texts() -> list[str]:
    choice, some = random.Random(3), vocabularies.entries(20_000)
    return [" ".join(choice.choices(some, k=12)) for _ in range(BYTES // 100)]


@cache
def _text() -> str:
    return " ".join(_texts())


@cache
def _counts() -> pw.WordCounts:
    return pw.WordCounts.from_texts(_texts())


def _ids() -> list[int]:
    return [number % 5000 for number in range(300_000)]


def _corpus() -> pw.Corpus:
    return pw.Corpus(FOLDER / "text.txt")


def _of_models() -> dict[str, Callable[[], object]]:
    """Returns the calls that are tried with every model."""
    made: dict[str, Callable[[pw.Tokenizer], object]] = {
        "encode a long text": lambda tok: tok.encode(_text()),
        "all columns": lambda tok: tok.encode(_text()).to_dict(),
        "encode one word": lambda tok: tok.encode("abcdefghij" * (BYTES // 10)),
        "encode_batch to lists": lambda tok: tok.encode_batch(_texts()).to_list(),
        "encode_batch to arrays": lambda tok: (
            tok.encode_batch(_texts(), padding=pw.Padding(pad_id=0)).ids
        ),
        "encode_batch with offsets": lambda tok: tok.encode_batch(_texts(), offsets=True).offsets,
        "encode_batch of a file": lambda tok: tok.encode_batch(_corpus()),
        "count": lambda tok: tok.count(_texts()),
        "truncate_text": lambda tok: tok.truncate_text(_text(), BYTES // 6),
        "decode": lambda tok: tok.decode(_ids()),
        "decode_batch": lambda tok: tok.decode_batch([_ids()[:100]] * 10_000),
        "decode_with_offsets": lambda tok: tok.decode_with_offsets(_ids()),
        "pickle": lambda tok: pickle.loads(pickle.dumps(tok)),
        "with_added_tokens": lambda tok: tok.with_added_tokens(_texts()[:3000]),
        "explain": lambda tok: str(tok.explain(_text()[:5000], max_characters=None)),
    }
    return {
        f"{call}, {name}": lambda call=made[call], name=name: call(tokenizer(name))
        for call in made
        for name in ("WordPiece", "BPE", "Unigram")
    }


def _of_files() -> dict[str, Callable[[], object]]:
    paths = {kind: file for kind, (_, file) in SAVED.items()} | {"merges.txt": "bpe/vocab.json"}
    return {
        **{
            f"load {name}": lambda path=path: pw.Tokenizer.from_file(FOLDER / path).encode("low")
            for name, path in paths.items()
        },
        "load counts": lambda: pw.WordCounts.load(FOLDER / "a.counts"),
        "read a corpus": lambda: list(_corpus()),
        "save tokenizer.json": lambda: tokenizer("BPE").save(FOLDER / "saved.json"),
        "save counts": lambda: _counts().save(FOLDER / "saved.counts"),
    }


def _of_others() -> dict[str, Callable[[], object]]:
    word = "abcdefghij" * (BYTES // 10)
    return {
        **{
            f"padding to {length:,}": lambda length=length: (
                tokenizer("WordPiece").encode("low", padding=pw.Padding(length, pad_id=0)).ids
            )
            for length in (10**7, 10**9, 10**12)
        },
        "padding a batch": lambda: (
            tokenizer("WordPiece").encode_batch(_texts(), padding=pw.Padding(4000, pad_id=0)).ids
        ),
        "WordCounts": lambda: pw.WordCounts.from_texts(_texts()),
        "WordCounts of a file": lambda: pw.WordCounts.from_texts(_corpus()),
        "WordCounts, max_memory": lambda: pw.WordCounts.from_texts(
            _corpus(), max_memory="2MB", work_dir=FOLDER
        ),
        "merge counts": lambda: _counts() + _counts(),
        **{
            f"train {name}": lambda trainer=trainer: pw.train(_texts(), trainer)
            for name, trainer in TRAINERS.items()
        },
        "train Unigram, one word": lambda: pw.train(
            [word], pw.UnigramTrainer(50), normalizer=None, pre_tokenizer=None
        ),
        "trace": lambda: pw.trace(_texts()[:2000], pw.BpeTrainer(300)),
        "evaluate": lambda: pw.evaluate(tokenizer("WordPiece"), _texts()),
        "sampling": lambda: tokenizer("Unigram").encode(_text(), sampling=pw.Sampling(seed=1)),
        "nbest": lambda: tokenizer("Unigram").lm.nbest(_text()[:20_000], 50),
        "extend": lambda: pw.extend(tokenizer("WordPiece"), _texts(), new_tokens=50),
        "prune": lambda: pw.prune(tokenizer("WordPiece"), _texts(), vocab_size=3000, force=True),
        "lint": lambda: str(pw.lint(tokenizer("WordPiece"))),
        "normalize NFKC": lambda: normalizers.NFKC().normalize_str(_text()),
        "Replace": lambda: normalizers.Replace(pw.Regex("[aeiou]+"), "xyz").normalize_str(_text()),
        "Precompiled": lambda: normalizers.Precompiled.of("nmt_nfkc").normalize_str(_text()),
        "Split": lambda: pre_tokenizers.Split(pw.Regex(r"\w+(?=\s)"), "isolated").pre_tokenize_str(
            _text()
        ),
        "jieba": lambda: pre_tokenizers.Jieba().pre_tokenize_str("中文分词" * 100_000),
        "piecework.hf": lambda: (
            hf.Tokenizer.from_str(tokenizer("WordPiece").to_str()).encode(_text()).tokens
        ),
        "WordLevel": lambda: pw.Tokenizer(models.WordLevel(["<unk>", *_texts()])),
    }


@cache
def calls() -> dict[str, Callable[[], object]]:
    """Returns all calls by their names."""
    return _of_models() | _of_files() | _of_others()


def trial(seed: int, folder: Path) -> Trial:
    """Returns the trial of a seed: a call that may map a random number of bytes."""
    choice = random.Random(f"memory {seed}")
    name = [*calls()][seed % len(calls())]
    left = int(FEWEST * (MOST / FEWEST) ** choice.random())

    def call() -> int:
        limit_memory(left)
        try:
            calls()[name]()
        finally:
            unlimit_memory()
        return 0

    return Trial(name, call)


KIND = Kind("memory", 0.2, trial, prepare, seconds=20)
