"""Whatever is saved is read again with the same ids and texts, or saving is refused or warns of what it loses."""

import random
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import parts
import piecework as pw
from piecework.errors import ConfigError, PieceworkError, UnsupportedError, VocabularyError
from profiles import scaled

CORPUS = ["low lower é lowest newer wider <x>", "ab 12, ab  ab"] * 2
SAMPLES = [
    *parts.TEXTS,
    *CORPUS[:2],
    "<yy>low 中文 é",
    "</s> <s>low<unk>",
    "ＡＢ ﬁ",
]
NAMES = [
    "<x>",
    "é",
    "low",
    "ab ab",
    "</s>",
    "[MASK]",
    "中",
    "▁low",
    "Ġlow",
    "a\nb",
    " ",
    "##er",
    "er</w>",
]
FOLDER = "a folder of transformers"
# The name of the file, and the arguments of `save`.
FORMATS: list[tuple[str, dict[str, Any]]] = [
    ("tokenizer.json", {}),
    ("tokenizer.json", {"approximate": True}),
    ("vocab.txt", {}),
    ("x.model", {}),
    ("x.model", {"approximate": True}),
    ("x.tiktoken", {}),
    ("codes", {"format": "subword-nmt"}),
    ("merges.gz", {"format": "clip"}),
    ("merges", {"format": "merges.txt"}),
    (FOLDER, {}),
    (FOLDER, {"approximate": True}),
]
REFUSALS = (ConfigError, VocabularyError, UnsupportedError)


def _trained(draw: random.Random) -> pw.Tokenizer:
    special = draw.choice([[], ["<unk>", "<s>", "</s>"], ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]])
    trainer: Any = draw.choice(
        [
            pw.WordPieceTrainer(50, special_tokens=special),
            pw.WordLevelTrainer(20),
            pw.BpeTrainer(50, special_tokens=special, user_defined_symbols=["<x>"]),
            pw.BpeTrainer(50, end_of_word_suffix="</w>"),
            pw.BpeTrainer(290, alphabet="byte", special_tokens=special),
            pw.UnigramTrainer(30),
        ]
    )
    stages: dict[str, Any] = {}
    if isinstance(trainer, pw.UnigramTrainer) and draw.random() < 0.6:
        stages["normalizer"] = pw.normalizers.Precompiled.of("nmt_nfkc")
    if trainer == pw.BpeTrainer(50, end_of_word_suffix="</w>"):
        stages = {"normalizer": None, "pre_tokenizer": pw.pre_tokenizers.WhitespaceSplit()}
    return pw.train(CORPUS, trainer, **stages)


def _of_a_model(draw: random.Random) -> pw.Tokenizer:
    """Returns a tokenizer of a SentencePiece model."""
    tok = pw.train(CORPUS, pw.UnigramTrainer(draw.randrange(26, 31), user_defined_symbols=["<x>"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.model")
        tok.save(path, approximate=True)
        return pw.Tokenizer.from_file(path)


def _composed(draw: random.Random) -> pw.Tokenizer:
    return pw.Tokenizer(
        draw.choice([*parts.MODELS, *parts.PIECEWORK_MODELS]),
        normalizer=draw.choice([None, *parts.NORMALIZERS]),
        pre_tokenizer=draw.choice([None, *parts.PRE_TOKENIZERS]),
        post_processor=draw.choice([None, *parts.POST_PROCESSORS]),
        decoder=draw.choice([None, *parts.DECODERS]),
    )


def _changed(draw: random.Random, tok: pw.Tokenizer) -> pw.Tokenizer:
    if draw.random() < 0.6:
        flags = ("special", "single_word", "lstrip", "rstrip", "normalized")
        tok = tok.with_added_tokens(
            pw.AddedToken(name, **{flag: draw.random() < 0.3 for flag in flags})
            for name in draw.sample(NAMES, draw.randrange(1, 4))
        )
    if draw.random() < 0.3:
        tok = tok.replace(truncation=pw.Truncation(9))
    if draw.random() < 0.3:
        tok = tok.replace(decoder=draw.choice([None, *parts.DECODERS]))
    return tok


def _tokenizers(seed: int) -> Iterator[pw.Tokenizer]:
    draw = random.Random(seed)
    while True:
        try:
            with warnings.catch_warnings(action="ignore"):
                made = _changed(draw, draw.choice([_trained, _of_a_model, _composed])(draw))
        except PieceworkError:
            continue  # parts that cannot be combined
        yield made


def _load(name: str, path: Path, tok: pw.Tokenizer, hint: str) -> pw.Tokenizer:
    """Loads a file, with the settings of the tokenizer that the warning of `save` named."""
    given = {
        setting: getattr(tok if hasattr(tok, setting) else tok.normalizer, setting)
        for setting in re.findall(r"`(\w+)=", hint)
        if name in {"vocab.txt", "merges"}
    }
    if name == FOLDER:
        return pw.Tokenizer.from_folder(path)
    if name == "codes":
        return pw.Tokenizer.from_subword_nmt(path)
    if name == "x.tiktoken":
        return pw.Tokenizer.from_tiktoken(
            path, pattern=r"\S+|\s+"
        )  # another pattern than the tokenizer's
    if name == "merges":
        return pw.Tokenizer.from_file(path / "vocab.json", **given)
    return pw.Tokenizer.from_file(path, **given)


def _outcome(tok: pw.Tokenizer, text: str) -> tuple[list[int], str] | str:
    try:
        ids = tok.encode(text, truncation=None, padding=None).ids
        return ids, tok.decode(ids)
    except PieceworkError as error:
        return type(error).__name__


def _check(tok: pw.Tokenizer, name: str, options: dict[str, Any], folder: Path) -> str:
    """Saves a tokenizer and reads it again; returns what came of it."""
    path = folder / name
    with warnings.catch_warnings(record=True, action="always") as raised:
        try:
            (tok.save_folder if name == FOLDER else tok.save)(path, **options)
        except REFUSALS:
            assert not list(folder.iterdir())
            return "refused"
    hints = [str(getattr(warning.message, "hint", "")) for warning in raised]
    with warnings.catch_warnings(action="ignore"):
        again = _load(name, path, tok, " ".join(hints))
    if raised:
        return "warned"
    for text in SAMPLES:
        assert _outcome(again, text) == _outcome(tok, text), text
    return "equal"


def test_anything_that_is_saved_is_read_again() -> None:
    seen: Counter[tuple[str, bool, str]] = Counter()
    for number, tok in zip(range(scaled(90)), _tokenizers(8), strict=False):
        for name, options in FORMATS:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    came = _check(tok, name, options, Path(folder))
                except Exception as error:
                    raise AssertionError(f"{number}, {name}, {options}: {tok!r}") from error
            seen[name, bool(options.get("approximate")), came] += 1
    saved = {key[:2] for key in seen if key[2] != "refused"}
    assert saved == {(name, bool(options.get("approximate"))) for name, options in FORMATS} - {
        ("merges.gz", False)
    }
