"""Writes small files of every kind that this version writes, and what reading them gives: `tests/kept/VERSION`.

Run it once, when a version is released: `python tests/helpers/kept_files.py`. Every later version must read the folders of all
versions before it (`tests/unit/formats/test_kept_files.py`), so a folder is never written again.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import piecework as pw
from piecework import normalizers, pre_tokenizers

REPOSITORY = Path(__file__).resolve().parents[2]
WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "né": 2, "中文": 4, "a1": 2}
CHANGED = 1_700_000_000 * 10**9
"""The time in nanoseconds at which the file of an unfinished corpus was changed, which its plan has."""
TEXTS = ["lower newest", "Né widest 中文 a1", "unknown ☃ text", ""]


def main() -> None:
    """Writes the folder of the current version."""
    folder = REPOSITORY / "tests" / "kept" / pw.__version__
    if folder.exists():
        sys.exit(f"{folder} exists, and later versions are compared with it")
    folder.mkdir(parents=True)
    made = tokenizers()
    expected: dict[str, Any] = {"texts": TEXTS, "tokenizers": {}, "pickles": {}}
    for name, tok in made.items():
        tok.save(folder / f"{name}.json")
        # Not those of `tok`: a file does not hold which pieces a step of Unigram removed.
        expected["tokenizers"][f"{name}.json"] = results(loaded(folder / f"{name}.json"))
    for name in other_formats(folder, made):
        expected["tokenizers"][name] = results(loaded(folder / name))
    expected["counts"] = counts(folder)
    expected["corpus"] = corpus(folder, made["wordpiece"])
    for name, value in pickled(made).items():
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(value, protocol=4))
        expected["pickles"][f"{name}.pickle"] = shown(value)
    text = json.dumps(expected, ensure_ascii=False, indent=1)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


def tokenizers() -> dict[str, pw.Tokenizer]:
    """Returns a trained tokenizer of each model, and one with settings of all kinds."""
    split = pre_tokenizers.ByteLevel.split_by("gpt2")
    stages: dict[str, Any] = {"normalizer": None, "pre_tokenizer": pre_tokenizers.WhitespaceSplit()}
    texts = [f"{word} " * count for word, count in WORDS.items()]
    wordpiece = pw.train(texts, pw.WordPieceTrainer(40))
    chinese = pw.train(WORDS, pw.WordPieceTrainer(40), normalizer=None, pre_tokenizer=None)
    metaspace = pre_tokenizers.Metaspace()
    return {
        "wordpiece": wordpiece,
        "bpe": pw.train(WORDS, pw.BpeTrainer(40, end_of_word_suffix="</w>"), **stages),
        "bytes": pw.train(texts, pw.BpeTrainer(280, alphabet="byte"), pre_tokenizer=split),
        "unigram": pw.train(texts, pw.UnigramTrainer(28), pre_tokenizer=metaspace),
        "sentencepiece": pw.train(
            texts,
            pw.UnigramTrainer(28),
            normalizer=normalizers.SentencePiece.of("identity"),
        ),
        "wordlevel": pw.train(WORDS, pw.WordLevelTrainer(12)),
        "settings": wordpiece.replace(
            truncation=pw.Truncation(8, stride=2), padding=pw.Padding(length=8)
        ).with_added_tokens(["a1"]),
        "jieba": chinese.replace(pre_tokenizer=pre_tokenizers.Jieba()),
    }


def other_formats(folder: Path, made: dict[str, pw.Tokenizer]) -> list[str]:
    """Writes the formats besides tokenizer.json; returns the names to load."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.errors.PieceworkWarning)  # what a format does not hold
        made["wordpiece"].save(folder / "vocab.txt")
        made["bytes"].save(folder / "merges", "merges.txt")
        made["bytes"].save(folder / "ranks.tiktoken")
        made["bpe"].save(folder / "codes.bpe", "subword-nmt")
        made["sentencepiece"].save(folder / "unigram.model", approximate=True)
        made["unigram"].save_folder(folder / "model")
    return [
        "vocab.txt",
        "merges/vocab.json",
        "ranks.tiktoken",
        "codes.bpe",
        "unigram.model",
        "model",
    ]


def loaded(path: Path) -> pw.Tokenizer:
    """Loads a file that `other_formats` wrote."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.errors.PieceworkWarning)  # what a format does not hold
        if path.suffix == ".tiktoken":
            return pw.Tokenizer.from_tiktoken(path, "gpt2")
        if path.suffix == ".bpe":
            return pw.Tokenizer.from_subword_nmt(path)
        return pw.Tokenizer.from_folder(path) if path.is_dir() else pw.Tokenizer.from_file(path)


def results(tok: pw.Tokenizer) -> dict[str, Any]:
    """Returns what a tokenizer gives for the texts, and what it keeps of its training."""
    encodings = [tok.encode(text) for text in TEXTS]
    training = tok.training
    return {
        "ids": [[int(number) for number in encoding.ids] for encoding in encodings],
        "offsets": [list(map(list, encoding.offsets)) for encoding in encodings],
        "decoded": [tok.decode(encoding.ids) for encoding in encodings],
        "fingerprint": tok.fingerprint,
        "history": [repr(merge) for merge in tok.history] if training else None,
        "steps": [repr(step) for step in training.steps] if training else None,
        "counts": dict(training.token_counts) if training else None,
    }


def counts(folder: Path) -> dict[str, Any]:
    """Writes word counts; returns what the table holds."""
    table = pw.count_words(TEXTS * 2)
    table.save(folder / "words.counts")
    return {"words": dict(table.items()), "fingerprint": table.fingerprint}


def corpus(folder: Path, tok: pw.Tokenizer) -> dict[str, Any]:
    """Writes a corpus of token ids; returns its rows."""
    (folder / "text.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    with contextlib.chdir(folder):  # the manifest has the name of the file
        pw.corpus.tokenize(tok, pw.Corpus("text.txt"), "corpus", engine=pw.engines.Local(1))
        unfinished(tok)
    rows = pw.corpus.Dataset(folder / "corpus")
    return {"rows": [[int(number) for number in row] for row in rows]}


def unfinished(tok: pw.Tokenizer) -> None:
    """Writes a run that was interrupted, with the receipts of its first parts."""
    Path("lines.txt").write_text("lower newest\n" * 40, encoding="utf-8")
    os.utime("lines.txt", ns=(CHANGED, CHANGED))

    def stop(progress: pw.corpus.CorpusProgress) -> None:
        if progress.done >= progress.total / 2:
            raise KeyboardInterrupt

    settings: dict[str, Any] = {"engine": pw.engines.Local(1), "part_bytes": 60}
    with contextlib.suppress(KeyboardInterrupt):
        pw.corpus.tokenize(tok, pw.Corpus("lines.txt"), "unfinished", progress=stop, **settings)


def pickled(made: dict[str, pw.Tokenizer]) -> dict[str, Any]:
    """Returns a value of each type that users pickle."""
    tok = made["wordpiece"]
    return {
        "tokenizer": tok,
        "encoding": tok.encode(TEXTS[1]),
        "batch": tok.encode_batch(TEXTS),
        "counts": pw.WordCounts(WORDS),
        "trainer": pw.UnigramTrainer(99, byte_fallback=True),
        "normalizer": normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]),
        "pre_tokenizer": pre_tokenizers.Split(pw.Regex(r"\d+"), "isolated"),
        "merge": tok.history[0],
    }


def shown(value: Any) -> str:
    """Returns what a value that was pickled must be equal to, as text."""
    if isinstance(value, pw.Tokenizer):
        return value.fingerprint
    if isinstance(value, pw.EncodedBatch):
        return repr(value.to_list())
    if isinstance(value, pw.WordCounts):
        return repr(sorted(value.items()))
    if isinstance(value, pw.Encoding):
        return repr((list(value.ids), value.tokens, value.offsets))
    return repr(value)


if __name__ == "__main__":
    main()
