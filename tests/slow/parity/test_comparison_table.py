"""Every row of the README's comparison table holds for the installed versions of the libraries."""

import json
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sentencepiece
import tiktoken
import tokenizers
from tiktoken._educational import SimpleBytePairEncoding
from tiktoken.load import load_tiktoken_bpe

import piecework as pw
from paths import REPOSITORY

LIBRARIES = ("piecework", "tokenizers", "SentencePiece", "tiktoken")
# Six merges by frequency have no ties that leave one of the tied pairs out.
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TEXTS = [f"{word} " * count for word, count in HUGS.items()]
TRAINERS = {"WordPiece": "WordPieceTrainer", "BPE": "BpeTrainer"}
COUNTS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def table(name: str) -> dict[str, tuple[str, ...]]:
    """Returns the rows of the comparison table of a README: the marks by feature."""
    lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
    header = lines.index(f"| | {' | '.join(LIBRARIES)} |")
    rows = (line for line in lines[header + 2 :])
    cells = []
    for row in rows:
        if not row.startswith("|"):
            break
        cells.append([cell.strip() for cell in row.strip("|").split("|")])
    return {feature: tuple(marks) for feature, *marks in cells}


def trained(kind: str) -> tokenizers.Tokenizer:
    """Returns the WordPiece or BPE tokenizer that `tokenizers` trains."""
    model = getattr(tokenizers.models, kind)(unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = getattr(tokenizers.trainers, TRAINERS[kind])(
        vocab_size=18, special_tokens=["[UNK]"], continuing_subword_prefix="##", show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def learned(tokens: Iterable[str]) -> set[str]:
    """Returns the tokens of more than one character."""
    return {token for token in tokens if len(token.removeprefix("##")) > 1}


def has_own_wordpiece() -> bool:
    """Returns whether the WordPiece trainer of `tokenizers` learns other tokens than its BPE trainer."""
    return learned(trained("WordPiece").get_vocab()) != learned(trained("BPE").get_vocab())


def succeeds(call: Callable[[], Any], *errors: type[Exception]) -> bool:
    """Returns whether a call raises none of these errors."""
    try:
        call()
    except errors:
        return False
    return True


def _read_by_tokenizers(path: str) -> None:
    """Loads a file by the loader that `tokenizers` has for it."""
    if not path.endswith(".model"):
        tokenizers.Tokenizer.from_file(path)
        return
    # The loader imports this module of the package sentencepiece by its bare name.
    from sentencepiece import sentencepiece_model_pb2

    with (
        patch.dict(sys.modules, sentencepiece_model_pb2=sentencepiece_model_pb2),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ResourceWarning)  # it does not close the file
        tokenizers.SentencePieceUnigramTokenizer.from_spm(path)


def readers(path: Path) -> tuple[bool, bool, bool, bool]:
    """Returns which libraries load a file; they raise errors of many classes."""
    loaders = (
        pw.Tokenizer.from_file,
        _read_by_tokenizers,
        lambda name: sentencepiece.SentencePieceProcessor(model_file=name),
        load_tiktoken_bpe,
    )
    ours, theirs, pieces, ranked = (
        succeeds(lambda load=load: load(str(path)), Exception) for load in loaders
    )
    return ours, theirs, pieces, ranked


def sentencepiece_counts(folder: Path) -> None:
    path = folder / "counts.tsv"
    path.write_text("".join(f"{word}\t{count}\n" for word, count in COUNTS.items()))
    sentencepiece.SentencePieceTrainer.train(
        input=str(path), input_format="tsv", model_prefix=str(folder / "m"), vocab_size=20,
        hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip


def sentencepiece_train(folder: Path, kind: str, **settings: Any) -> None:
    """Trains a model of this kind on texts."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_prefix=str(folder / "m"), model_type=kind,
        hard_vocab_limit=False, minloglevel=2, **{"vocab_size": 16, **settings},
    )  # fmt: skip


def byte_level() -> pw.Tokenizer:
    """Returns a tokenizer of the 256 bytes and a few merges."""
    return pw.train(TEXTS, pw.BpeTrainer(260, alphabet="byte"))


def sentencepiece_file(folder: Path) -> Path:
    """Writes a SentencePiece model."""
    sentencepiece_counts(folder)
    return folder / "m.model"


def ranks(folder: Path) -> Path:
    path = folder / "gpt2.tiktoken"
    trainer = pw.BpeTrainer(260, alphabet="byte")
    tok = pw.train(TEXTS, trainer, pre_tokenizer=pw.pre_tokenizers.ByteLevel.split_by("gpt2"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.errors.PieceworkWarning)  # ranks hold no history
        tok.save(path)
    return path


def encoding(folder: Path) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        "mine", pat_str=r"\S+|\s+", mergeable_ranks=load_tiktoken_bpe(str(ranks(folder))),
        special_tokens={"<end>": 1000},
    )  # fmt: skip


def json_file(folder: Path) -> Path:
    path = folder / "tokenizer.json"
    pw.train(TEXTS, pw.WordPieceTrainer(40)).save(path)
    return path


def columns(batch: Any) -> bool:
    return hasattr(batch, "__arrow_c_array__") and hasattr(batch, "ids")


CHECKS: dict[str, Callable[[Path], tuple[bool, bool, bool, bool]]] = {}


def check(feature: str) -> Callable[[Any], Any]:
    """Registers the check of a row, which returns what holds for each library."""

    def register(function: Any) -> Any:
        CHECKS[feature] = function
        return function

    return register


@check("trains WordPiece by likelihood")
def likelihood(folder: Path) -> tuple[bool, bool, bool, bool]:
    by = {
        criterion: learned(pw.train(HUGS, pw.WordPieceTrainer(18, criterion=criterion)).vocab)
        for criterion in ("likelihood", "frequency")
    }
    ours = by["likelihood"] != by["frequency"]
    pieces = succeeds(lambda: sentencepiece_train(folder, "wordpiece"), Exception)
    # tiktoken has one trainer, which learns byte-level BPE: its tokens are bytes.
    educated = SimpleBytePairEncoding.train(" ".join(TEXTS), 262, r"\S+|\s+").mergeable_ranks
    return ours, has_own_wordpiece(), pieces, any(token.startswith(b"##") for token in educated)


@check("trains Unigram")
def unigram(folder: Path) -> tuple[bool, bool, bool, bool]:
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram())
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=12, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    theirs.train_from_iterator(TEXTS, trainer)
    sentencepiece_train(folder, "unigram")
    # tiktoken's one trainer learns ranks: no token has a score.
    learned_by_tiktoken = SimpleBytePairEncoding.train(" ".join(TEXTS), 262, r"\S+|\s+")
    return (
        pw.train(TEXTS, pw.UnigramTrainer(12)).model_type == "Unigram",
        json.loads(theirs.to_str())["model"]["type"] == "Unigram",
        sentencepiece.SentencePieceProcessor(model_file=str(folder / "m.model")).get_score(4) < 0,
        not all(isinstance(rank, int) for rank in learned_by_tiktoken.mergeable_ranks.values()),
    )


@check("trains from word counts")
def counts(folder: Path) -> tuple[bool, bool, bool, bool]:
    trainer = tokenizers.trainers.BpeTrainer(show_progress=False)
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    errors = TypeError, AttributeError
    return (
        succeeds(lambda: pw.train(COUNTS, pw.WordPieceTrainer(24)), *errors),
        succeeds(lambda: theirs.train_from_iterator(list(COUNTS.items()), trainer), *errors),
        succeeds(lambda: sentencepiece_counts(folder), *errors),
        succeeds(lambda: SimpleBytePairEncoding.train(COUNTS, 262, r"\S+|\s+"), *errors),  # type: ignore[arg-type]
    )


@check("reads `tokenizer.json`")
def tokenizer_json(folder: Path) -> tuple[bool, bool, bool, bool]:
    return readers(json_file(folder))


@check("reads a Unigram `.model`")
def unigram_model(folder: Path) -> tuple[bool, bool, bool, bool]:
    sentencepiece_train(folder, "unigram")
    return readers(folder / "m.model")


@check("reads a BPE `.model`")
def bpe_model(folder: Path) -> tuple[bool, bool, bool, bool]:
    sentencepiece_train(folder, "bpe")
    return readers(folder / "m.model")


@check("reads `.tiktoken`")
def tiktoken_ranks(folder: Path) -> tuple[bool, bool, bool, bool]:
    return readers(ranks(folder))


@check("batches as NumPy and Arrow columns")
def batches(folder: Path) -> tuple[bool, bool, bool, bool]:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_file(folder)))
    return (
        columns(pw.Tokenizer.from_file(json_file(folder)).encode_batch(TEXTS)),
        columns(trained("BPE").encode_batch(TEXTS)),
        columns(processor.encode(TEXTS)),
        columns(encoding(folder).encode_batch(TEXTS)),
    )


@check("n best segmentations")
def nbest(folder: Path) -> tuple[bool, bool, bool, bool]:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_file(folder)))
    unigram = pw.Tokenizer.from_file(sentencepiece_file(folder))
    # These two return the tokens of one segmentation, and have no other method that returns tokens of a text.
    theirs = tokenizers.models.Unigram([("<unk>", 0.0), ("a", -1.0), ("aa", -1.5)], 0)
    enc = encoding(folder)
    return (
        len(unigram.lm.nbest("lower", 2)) == 2,
        not all(isinstance(token, tokenizers.Token) for token in theirs.tokenize("aaa")),
        len(processor.nbest_encode("lower", nbest_size=2)) == 2,
        not all(isinstance(number, int) for number in enc.encode("lower")),
    )


@check("rejects special tokens in a text on request")
def specials(folder: Path) -> tuple[bool, bool, bool, bool]:
    path = json_file(folder)
    ours, theirs, enc = (
        pw.Tokenizer.from_file(path),
        tokenizers.Tokenizer.from_file(str(path)),
        encoding(folder),
    )

    def encoded_by_tokenizers() -> None:
        for theirs.encode_special_tokens in (False, True):  # matched, and as text
            theirs.encode("a [SEP]")

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_file(folder)))
    return (
        not succeeds(lambda: ours.encode("a [SEP]", specials="error"), pw.errors.SpecialTokenError),
        not succeeds(encoded_by_tokenizers, Exception),
        not succeeds(lambda: pieces.encode("a </s>"), Exception),
        not succeeds(lambda: enc.encode("a <end>"), ValueError),
    )


def _decoded_by_stream(tok: pw.Tokenizer, ids: Iterable[int]) -> str:
    stream = tok.decode_stream()
    return "".join([*map(stream.step, ids), stream.finish()])


@check("streaming decoder")
def streams(folder: Path) -> tuple[bool, bool, bool, bool]:
    """Checks which libraries decode ids one after the other without splitting a character of several bytes."""
    text = "\u00e9"
    ours = byte_level()
    ids = ours.encode_ids(text)
    assert len(ids) == 2
    theirs = tokenizers.Tokenizer.from_str(ours.to_str())
    stream = tokenizers.decoders.DecodeStream()
    enc = encoding(folder)
    sentencepiece_train(folder, "unigram", byte_fallback=True, vocab_size=275)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "m.model"))
    return (
        _decoded_by_stream(ours, ids) == text,
        "".join(stream.step(theirs, number) or "" for number in ids) == text,
        "".join(processor.decode([number]) for number in processor.encode(text)[-2:]) == text,
        "".join(enc.decode([number]) for number in enc.encode(text)) == text,
    )


def test_every_row_has_a_check() -> None:
    assert set(table("README.md")) == set(CHECKS)


@pytest.mark.parametrize("feature", CHECKS)
def test_row_holds(feature: str, tmp_path: Path) -> None:
    marks = tuple("yes" if holds else "no" for holds in CHECKS[feature](tmp_path))
    assert marks == table("README.md")[feature]


def test_marks_are_equal_in_chinese() -> None:
    translated = {"yes": "支持", "no": "不支持"}
    english, chinese = table("README.md").values(), table("README.zh-CN.md").values()
    assert [tuple(map(translated.get, marks)) for marks in english] == list(chinese)
