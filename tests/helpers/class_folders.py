"""Model folders saved by classes of `transformers`, from shared and from small trained vocabularies."""

import gzip
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import live_unigram
import piecework as pw

LINES = [
    "the cats sat on the mat",
    "low lower lowest newest widest 12 345",
    "naïve café déjà vu",
    "def f(x): return x + 1",
    "一二三 中文 文本",
    "Hello World, this is it!",
]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>"]
PARTS = (
    *("<s>", "</s>", "<unk>", "<pad>", "<mask>", "[CLS]", "[SEP]", "[MASK]", "[UNK]"),
    *("<|endoftext|>", "<|startoftext|>", "<extra_id_0>", "<mask_1>", "<mask_2>", "<unk_2>"),
    *("<sep>", "<cls>", "<eop>", " ", " ", "  ", "\n", "\t", "\r\n", "the", "Hello", "World"),
    *("中文", "日本語", "é", "e\u0301", "Ü", "ﬁ", "🙂", "👩‍👩‍👧", "123", "３", "x+=1;", "  return"),
    *("don't", "``", "''", "▁", "_", "\u3000", "\u200b"),
)

Json = dict[str, Any]
Make = Callable[[Path, Path], None]


def texts(number: int = 400) -> list[str]:
    """Returns varied texts: spaces everywhere, special tokens, scripts, accents, emoji, digits, code."""
    rng = random.Random(3)
    mixed = ["".join(rng.choices(PARTS, k=rng.randint(1, 8))) for _ in range(number)]
    some = [*live_unigram.HARD_TEXTS, *live_bpe.HARD, *LINES, *mixed]
    return [
        text for text in some if "\0" not in text
    ]  # some libraries take NUL for the end of a text


def transformers() -> Any:
    """Returns `transformers`, or skips the test for an unsupported release."""
    name = "transformers"
    library = pytest.importorskip(name, reason=f"{name} is not installed: nothing to compare to")
    if int(library.__version__.split(".")[0]) < 5:
        pytest.skip(f"{name} {library.__version__}: release 5 is what is followed")
    library.logging.set_verbosity_error()
    return library


def auto_tokenizer(path: Path) -> Any:
    """Returns the tokenizer that `AutoTokenizer` loads from a folder."""
    return transformers().AutoTokenizer.from_pretrained(str(path), local_files_only=True)


def ids(theirs: Any, some: Iterable[str], *, special: bool) -> list[list[int]]:
    """Returns the ids of texts by a tokenizer of `transformers`."""
    found: list[list[int]] = theirs(list(some), add_special_tokens=special)["input_ids"]
    return found


def check_equal(path: Path, some: list[str]) -> None:
    """Checks that piecework and `transformers` give equal ids, with and without special tokens."""
    theirs, ours = auto_tokenizer(path), pw.Tokenizer.from_folder(path)
    for special in (True, False):
        found = ours.encode_batch(some, add_special_tokens=special).to_list()
        wanted = ids(theirs, some, special=special)
        different = [text for text, f, w in zip(some, found, wanted, strict=True) if f != w]
        assert not different, (len(different), [ascii(text)[:80] for text in different[:5]])


def saved(source: Path, target: Path, name: str) -> None:
    """Loads the vocabulary of one folder with a class and saves it to another folder."""
    read = getattr(transformers(), name).from_pretrained(str(source), local_files_only=True)
    read.save_pretrained(str(target))


def configure(path: Path, config: Json, tokenizer: Callable[[Json], None] | None = None) -> Path:
    """Replaces the configuration of a folder, and changes its tokenizer.json."""
    (path / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    if tokenizer is not None:
        data = json.loads((path / "tokenizer.json").read_text("utf-8"))
        tokenizer(data)
        (path / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    return path


# Vocabularies


def _copied(**files: str) -> Make:
    """Returns a function that copies shared vocabularies under new names."""

    def make(data: Path, source: Path) -> None:
        for name, shared in files.items():
            target = source / name.replace("__", ".")
            target.write_bytes(live_bpe.vocab_file(data, shared).read_bytes())

    return make


def _roberta(data: Path, source: Path) -> None:
    own = json.loads(live_bpe.vocab_file(data, "gpt2-encoder.json").read_bytes())
    tokens = [*ROBERTA, *(token for token in own if token != "<|endoftext|>"), "<mask>"]
    vocab = {token: number for number, token in enumerate(tokens)}
    (source / "vocab.json").write_text(json.dumps(vocab), "utf-8")
    merges = live_bpe.vocab_file(data, "gpt2-vocab.bpe").read_bytes()
    (source / "merges.txt").write_bytes(merges)


def _clip(data: Path, source: Path) -> None:
    packed = live_bpe.vocab_file(data, "clip-bpe_simple_vocab_16e6.txt.gz").read_bytes()
    lines = gzip.decompress(packed).decode().split("\n")[1 : 49152 - 256 - 2 + 1]
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = [chr(byte) for byte in [*own, *range(0x100, 0x200 - len(own))]]
    entries = [*letters, *(letter + "</w>" for letter in letters)]
    entries += ["".join(line.split()) for line in lines] + ["<|startoftext|>", "<|endoftext|>"]
    vocab = {entry: number for number, entry in enumerate(entries)}
    (source / "vocab.json").write_text(json.dumps(vocab), "utf-8")
    (source / "merges.txt").write_text("\n".join(["#version: 0.2", *lines]), "utf-8")


def _trained(name: str, **settings: Any) -> Make:
    """Returns a function that trains a small Unigram model."""

    def make(_: Path, source: Path) -> None:
        model = live_unigram.trained(LINES * 20, 200, hard_vocab_limit=False, **settings)
        (source / name).write_bytes(model)

    return make


XLNET = ["<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
GPT2 = {"vocab__json": "gpt2-encoder.json", "merges__txt": "gpt2-vocab.bpe"}
CLASSES: dict[str, Make] = {
    "BertTokenizer": _copied(vocab__txt="bert-base-uncased-vocab.txt"),
    "GPT2Tokenizer": _copied(**GPT2),
    "RobertaTokenizer": _roberta,
    "CLIPTokenizer": _clip,
    "T5Tokenizer": _copied(spiece__model="t5-spiece.model"),
    "AlbertTokenizer": _copied(spiece__model="privately-corp-albert-30k-clean.model"),
    "XLNetTokenizer": _trained("spiece.model", user_defined_symbols=XLNET),
    "LlamaTokenizer": _copied(tokenizer__model="llama2-tokenizer.model"),
    "PegasusTokenizer": _trained("spiece.model", pad_id=0, eos_id=1, unk_id=2, bos_id=-1),
    "Qwen2Tokenizer": _copied(**GPT2),
}
"""The classes, and what makes the folder of a vocabulary that they read."""


def folder(name: str, data: Path, path: Path) -> Path:
    """Writes the folder of a class with its `save_pretrained`."""
    source, target = path / f"source-{name}", path / name
    source.mkdir(parents=True)
    CLASSES[name](data, source)
    saved(source, target, name)
    return target
