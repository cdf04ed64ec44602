"""BPE training against `tokenizers` (merges and ids) and SentencePiece (merges)."""

import io
import itertools
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import pre_tokenizers

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

Merges = list[tuple[str, str]]
CORPORA = ["en/botchan.txt", "zh/cmrc2018-a.txt", "multi/ja-docs.txt", "code/go-std.txt"]


def table(seed: int, alphabet: str = "abcé中") -> dict[str, int]:
    """Returns a small table of random words with many equal counts, so that many pairs tie."""
    rng = random.Random(seed)
    letters = alphabet[: rng.randint(1, len(alphabet))]
    words = {"".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(rng.randint(1, 25))}
    return {word: rng.choice([1, 1, 2, 3, 7]) for word in sorted(words)}


def trained_live(
    texts: Sequence[str], pre_tokenizer: Any, **settings: Any
) -> tuple[Merges, dict[str, int]]:
    """Returns the merges and ids that `tokenizers` learns."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer = tokenizers.trainers.BpeTrainer(show_progress=False, **settings)
    tokenizer.train_from_iterator(texts, trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(left, right) for left, right in merges], tokenizer.get_vocab()


def merges_of(tokenizer: pw.Tokenizer) -> Merges:
    return [(merge.left, merge.right) for merge in tokenizer.history]


def compare(words: dict[str, int], **settings: Any) -> None:
    """Compares merges and ids; where the library's ids are random, only merges before the first tie."""
    texts = [word for word, count in words.items() for _ in range(count)]
    split = tokenizers.pre_tokenizers.WhitespaceSplit()
    merges, ids = trained_live(texts, split, **settings)
    ours = pw.train(
        words, pw.BpeTrainer(ties="hf", **settings), normalizer=None, pre_tokenizer=None
    )
    if settings.keys() & {"end_of_word_suffix", "continuing_subword_prefix"}:
        clear = list(itertools.takewhile(lambda merge: merge.ties == 1, ours.history))
        assert merges_of(ours)[: len(clear)] == merges[: len(clear)]
        if len(clear) == len(ours.history) < settings["vocab_size"]:
            assert set(ours.vocab) == set(ids)
    else:
        assert merges_of(ours) == merges
        assert ours.vocab == ids


SETTINGS: list[dict[str, Any]] = [
    {"vocab_size": 40},
    {"vocab_size": 15},
    {"vocab_size": 60, "min_frequency": 3},
    {"vocab_size": 60, "max_token_length": 1},
    {"vocab_size": 60, "max_token_length": 2},
    {"vocab_size": 60, "max_token_length": 3},
    {"vocab_size": 60, "max_token_length": 5},
    {"vocab_size": 60, "initial_alphabet": ["x", "a", "é"]},
    {"vocab_size": 60, "special_tokens": ["ab", "<s>", "b", "aab", "ca"]},
    {"vocab_size": 60, "end_of_word_suffix": "</w>"},
    {"vocab_size": 60, "continuing_subword_prefix": "##"},
    {"vocab_size": 60, "continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_random_tables_equal_tokenizers(settings: dict[str, Any]) -> None:
    for seed in range(60):
        compare(table(seed), **settings)


@pytest.mark.parity
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_many_random_tables_equal_tokenizers(settings: dict[str, Any]) -> None:
    for seed in range(60, 2000):
        compare(table(seed, "abcdé中文x"), **settings)


def test_limit_alphabet_equals_tokenizers() -> None:
    # All characters have different counts, so the library's choice is deterministic; it removes the others from words.
    words = {"abcab": 7, "cbd": 5, "ead": 3, "bd": 11}
    for limit in range(2, 6):
        compare(words, vocab_size=40, limit_alphabet=limit)


def test_byte_level_training_equals_tokenizers(
    corpus_bytes: Callable[[str], bytes], tmp_path: Path
) -> None:
    for name in CORPORA:
        text = corpus_bytes(name)[:150_000].decode(errors="ignore")
        compare_on_file(text, tmp_path / "text.txt", 1500)


@pytest.mark.parity
@pytest.mark.parametrize(
    "name", [*CORPORA, "en/inaugural.txt", "multi/ru-docs.txt", "zh/poems-tang-a.txt"]
)
def test_training_on_corpora_equals_tokenizers(
    corpus_bytes: Callable[[str], bytes], tmp_path: Path, name: str
) -> None:
    compare_on_file(corpus_bytes(name).decode(), tmp_path / "text.txt", 20_000)


def compare_on_file(text: str, path: Path, size: int) -> None:
    """Trains both on a file with line ends kept."""
    path.write_bytes(text.encode())
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    settings: dict[str, Any] = {"vocab_size": size, "special_tokens": ["<|endoftext|>"]}
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        show_progress=False, initial_alphabet=alphabet, **settings
    )
    theirs.train([str(path)], trainer)
    ours = pw.train(pw.Corpus(path), pw.BpeTrainer(alphabet="byte", ties="hf", **settings))
    merges = [tuple(merge) for merge in json.loads(theirs.to_str())["model"]["merges"]]
    assert merges_of(ours) == merges
    assert ours.vocab == theirs.get_vocab()
    lines = text.splitlines(keepends=True)[:2000]
    assert [ours.encode(line).ids for line in lines] == [
        line.ids for line in theirs.encode_batch(lines)
    ]


def sentencepiece_merges(words: dict[str, int], **settings: Any) -> list[str]:
    """Returns the merged tokens of SentencePiece."""
    spm = pytest.importorskip("sentencepiece", reason="the oracle `sentencepiece` is not installed")
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=(word for word, count in words.items() for _ in range(count)),
        model_writer=model,
        model_type="bpe",
        normalization_rule_name="identity",
        character_coverage=1.0,
        hard_vocab_limit=False,
        split_by_unicode_script=False,
        split_by_number=False,
        minloglevel=2,
        **settings,
    )
    processor = spm.SentencePieceProcessor(model_proto=model.getvalue())
    pieces = [processor.id_to_piece(number) for number in range(3, processor.get_piece_size())]
    characters = len({"▁", *"".join(words)})
    return pieces[:-characters]


def compare_with_sentencepiece(words: dict[str, int], size: int, longest: int = 16) -> None:
    theirs = sentencepiece_merges(words, vocab_size=size, max_sentencepiece_length=longest)
    marked = {f"▁{word}": count for word, count in words.items()}
    # Of SentencePiece's three special tokens, we have the unknown token too.
    trainer = pw.BpeTrainer(size - 2, ties="sentencepiece", max_token_length=longest)
    ours = pw.train(marked, trainer, normalizer=None, pre_tokenizer=None)
    # After the last pair, SentencePiece continues with pairs that no longer occur.
    tokens = [merge.token for merge in ours.history]
    assert tokens == theirs[: len(tokens)]
    if ours.vocab_size == size - 2:
        assert tokens == theirs


@pytest.mark.parametrize("longest", [4, 16])
def test_random_tables_equal_sentencepiece(longest: int) -> None:
    for seed in range(60):
        compare_with_sentencepiece(table(seed), 30, longest)


@pytest.mark.parity
def test_corpora_equal_sentencepiece(corpus_bytes: Callable[[str], bytes]) -> None:
    for name in [*CORPORA, "en/inaugural.txt"]:
        text = corpus_bytes(name).decode()
        words = dict(
            pw.WordCounts.from_texts(
                [text], normalizer=None, pre_tokenizer=pre_tokenizers.WhitespaceSplit()
            ).items()
        )
        compare_with_sentencepiece(
            {word: count for word, count in words.items() if len(word) < 100}, 8000
        )
