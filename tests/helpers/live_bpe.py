"""BPE tokenizers of other libraries: tiktoken, `tokenizers`, SentencePiece and subword-nmt."""

import io
import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from parity_live import case_texts

Ids = Callable[[str], list[int]]

CL100K = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
CLIP_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""

HARD = (
    " Japón",
    "'re've",
    "y'all'd've",
    "'ſ",
    "\r\n\r\n",
    "  \n  x",
    "trailing   ",
    "\x85",
    "a\u180eb",
    "12345 678 ９９９",
    "▁",
    "▁▁a ▁ b▁",
    "～",
    "™\x1eg",
    "<0x41>",
    "<s></s><unk>",
    "<|endoftext|>x<|endofprompt|>",
    "ﬁ ½ ①",
    "\ufeffx\u200b y",
    " " * 40,
    "a" * 300,
    "_" * 200,
    "👩‍👩‍👧 e\u0301\u0323",
)
"""Texts that different implementations of patterns or normalization treat differently."""


def texts() -> list[str]:
    """Returns hard cases and random strings."""
    rng = random.Random(1)
    pool = [*"ab é\n\t 19'’.中▁", "the", " hug", "\u0301", "ﬁ", "🙂", "\r\n", "\u3000"]
    random_ones = ["".join(rng.choices(pool, k=rng.randrange(30))) for _ in range(300)]
    return [*HARD, *case_texts(), *random_ones, ""]


def compare(theirs: Ids, ours: Ids, some: Iterable[str]) -> None:
    """Checks that two encoders give equal ids."""
    for text in some:
        assert list(ours(text)) == list(theirs(text)), ascii(text)[:300]


def as_text(tokenizer: pw.Tokenizer) -> Ids:
    """Returns an encoder that does not match special tokens in texts."""
    return lambda text: tokenizer.encode_ids(text, specials="text")


def vocab_file(data: Path, name: str) -> Path:
    """Returns the path of a shared vocabulary, or skips the test."""
    path = data / "vocabs" / name
    if not path.is_file():
        pytest.skip(f"{path} is missing")
    return path


def tiktoken_cl100k(path: Path) -> Any:
    """Returns tiktoken's cl100k_base, loaded from a file."""
    tiktoken = pytest.importorskip("tiktoken", reason="the oracle tiktoken is not installed")
    from tiktoken.load import load_tiktoken_bpe

    special_tokens = {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259}
    special_tokens |= {"<|fim_suffix|>": 100260, "<|endofprompt|>": 100276}
    return tiktoken.Encoding(
        "cl100k_base",
        pat_str=CL100K,
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens=special_tokens,
    )


def hugging_face_gpt2(vocab: Path, merges: Path) -> Any:
    """Returns GPT-2 in `tokenizers`."""
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(vocab), str(merges)))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    theirs.add_special_tokens(["<|endoftext|>"])
    return theirs


def hugging_face_clip(merges: str) -> Any:
    """Returns CLIP in `tokenizers`, built from the text of its merges as in `transformers`."""
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in own]
    letters = [*map(chr, own), *(chr(0x100 + place) for place in range(len(rest)))]
    pairs = [tuple(line.split()) for line in merges.split("\n")[1 : 49152 - 256 - 2 + 1]]
    entries = [*letters, *(letter + "</w>" for letter in letters), *map("".join, pairs)]
    entries += ["<|startoftext|>", "<|endoftext|>"]
    model = tokenizers.models.BPE(
        {entry: number for number, entry in enumerate(entries)},
        pairs,
        unk_token="<|endoftext|>",
        end_of_word_suffix="</w>",
    )
    theirs, regex = tokenizers.Tokenizer(model), tokenizers.Regex
    stages = tokenizers.normalizers, tokenizers.pre_tokenizers
    theirs.normalizer = stages[0].Sequence(
        [stages[0].NFC(), stages[0].Replace(regex(r"\s+"), " "), stages[0].Lowercase()]
    )
    split = stages[1].Split(regex(CLIP_PATTERN), behavior="removed", invert=True)
    theirs.pre_tokenizer = stages[1].Sequence([split, stages[1].ByteLevel(add_prefix_space=False)])
    theirs.add_special_tokens(["<|startoftext|>", "<|endoftext|>"])
    theirs.post_processor = tokenizers.processors.RobertaProcessing(
        ("<|endoftext|>", 49407),
        ("<|startoftext|>", 49406),
        trim_offsets=False,
        add_prefix_space=False,
    )
    return theirs


def sentencepiece(model: bytes) -> Any:
    """Returns SentencePiece's processor of a model."""
    library = pytest.importorskip(
        "sentencepiece", reason="the oracle sentencepiece is not installed"
    )
    return library.SentencePieceProcessor(model_proto=model)


def trained_sentencepiece(lines: Iterable[str], vocab_size: int, **settings: Any) -> bytes:
    """Trains a BPE model with SentencePiece."""
    library = pytest.importorskip(
        "sentencepiece", reason="the oracle sentencepiece is not installed"
    )
    out = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=out,
        vocab_size=vocab_size,
        model_type="bpe",
        minloglevel=2,
        **settings,
    )
    return out.getvalue()


def subword_nmt(codes: bytes) -> Any:
    """Returns subword-nmt's encoder of codes."""
    library = pytest.importorskip(
        "subword_nmt.apply_bpe", reason="the oracle subword-nmt is not installed"
    )
    return library.BPE(io.StringIO(codes.decode()))


def segmented(tokenizer: pw.Tokenizer, line: str) -> str:
    """Returns an encoded line in subword-nmt's notation: `@@` after tokens within a word, unknown characters unchanged."""
    found = tokenizer.encode(line)
    rows = zip(found.tokens, found.word_ids, found.offsets, strict=True)
    kept = [(token, word, line[start:end]) for token, word, (start, end) in rows if token != "</w>"]
    parts = []
    for (token, word, text), after in zip(
        kept, [word for _, word, _ in kept[1:]] + [None], strict=False
    ):
        part = text if token in ("<unk>", "< unk>") else token.removesuffix("</w>")
        parts.append(part if word != after else f"{part}@@")
    return " ".join(parts)


def corpus_lines(folder: Path, unpacked: Callable[[Path], bytes]) -> Iterator[list[str]]:
    """Iterates over the lines of every corpus in a folder."""
    for path in sorted(folder.rglob("*.*")):
        raw = unpacked(path) if path.suffix == ".zst" else path.read_bytes()
        yield (
            json.loads(raw)
            if path.suffix == ".json"
            else raw.decode("utf-8", "replace").split("\n")
        )
