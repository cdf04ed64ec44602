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
from piecework.tokenizer._folders.families import family_of

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


def backend(path: Path, name: str) -> tuple[Any, Any]:
    """Returns the tokenizer that a class loads from a folder, and its backend, which encodes as the class does.

    The calls of some classes take more than texts, such as boxes.
    """
    theirs = getattr(transformers(), name).from_pretrained(str(path), local_files_only=True)
    if hasattr(theirs, "_switch_to_input_mode"):
        theirs._switch_to_input_mode()
    inner = theirs._tokenizer
    inner.no_padding()
    inner.no_truncation()
    return theirs, inner


PAIRS = [("the cats", "low lower"), ("", "x"), ("a </s> b", "[SEP] c"), (" Hello ", " World, ")]


def check_class(path: Path, name: str, some: list[str], *, decodes: bool = True) -> None:
    """Checks that ids, type ids, offsets and decoding of texts and pairs are those of a class."""
    ours, (theirs, inner) = pw.Tokenizer.from_folder(path), backend(path, name)
    for texts in [*((text,) for text in some), *PAIRS]:
        for special in (True, False):
            found = ours.encode(*texts, add_special_tokens=special)
            wanted = inner.encode(*texts, add_special_tokens=special)
            given = (name, ascii(texts), special)
            assert (found.ids, found.type_ids) == (wanted.ids, wanted.type_ids), given
            assert [*map(tuple, found.offsets)] == wanted.offsets, given
            for skips in (True, False) if decodes else ():
                text = theirs.decode(wanted.ids, skip_special_tokens=skips)
                assert ours.decode(wanted.ids, skip_special_tokens=skips) == text, given


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


def _trained(name: str, size: int = 200, **settings: Any) -> Make:
    """Returns a function that trains a small model of SentencePiece, by default Unigram."""

    def make(_: Path, source: Path) -> None:
        settings.setdefault("hard_vocab_limit", False)
        model = live_unigram.trained(LINES * 20, size, **settings)
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
    (CLASSES | SMALL)[name](data, source)
    saved(source, target, name)
    return target


# Small vocabularies

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
FAIRSEQ = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
COHERE = "<PAD> <UNK> <CLS> <SEP> <MASK_TOKEN> <BOS_TOKEN> <|END_OF_TURN_TOKEN|>".split()
WHISPER = "endoftext startofprev startoftranscript en transcribe notimestamps 0.00 7.20".split()


def _words(*special: str) -> Make:
    """Returns a function that writes a vocab.txt of letters and words."""

    def make(_: Path, source: Path) -> None:
        letters = sorted({letter for line in LINES for letter in line.lower() if letter != " "})
        words = ["the", "cats", "low", "##est", "##er", "hello", "world", "H", "É"]
        lines = dict.fromkeys([*special, *letters, *(f"##{c}" for c in letters), *words, "#", "."])
        (source / "vocab.txt").write_text("\n".join(lines), "utf-8")

    return make


def _merges(*special: str, suffix: str = "", **config: Any) -> Make:
    """Returns a function that writes the vocab.json and merges.txt of a small BPE model; without suffix it is byte-level."""

    def make(_: Path, source: Path) -> None:
        lines = [line.lower() for line in LINES] if suffix else LINES
        trainer = pw.BpeTrainer(
            400, alphabet="char" if suffix else "byte", end_of_word_suffix=suffix
        )
        model: Any = pw.train(lines, trainer).model
        vocab = {
            token: number for number, token in enumerate(dict.fromkeys([*special, *model.vocab]))
        }
        (source / "vocab.json").write_text(json.dumps(vocab), "utf-8")
        merges = [" ".join(merge) for merge in model.merges]
        (source / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), "utf-8")
        configure(source, config)

    return make


def _whole(make: Make) -> Make:
    """Returns a function that writes the tokenizer.json of vocabulary files."""

    def write(data: Path, source: Path) -> None:
        make(data, source)
        pw.Tokenizer.from_file(source / "vocab.json").save(source / "tokenizer.json")

    return write


def _pieces(name: str = "sentencepiece.bpe.model", **settings: Any) -> Make:
    """Returns a function that trains a small BPE model of SentencePiece with a piece for each byte."""
    shared = {"model_type": "bpe", "byte_fallback": True, "hard_vocab_limit": False}
    return _trained(name, 500, **shared | settings)


_ZERO_IS_PAD: Json = {"pad_id": 0, "bos_id": -1}
_ALBERT = {"control_symbols": ["[CLS]", "[SEP]"], "user_defined_symbols": ["[MASK]"]}
_LANGUAGES = {"user_defined_symbols": ["eng_Latn", "fra_Latn", "__eng__", "__fra__"]}
_SMALL = [
    ("DistilBert DPRReader LayoutLMv2", _words(*BERT)),
    ("Funnel", _words(*FAIRSEQ, "<cls>", "<sep>")),
    ("MPNet", _words(*FAIRSEQ, "[UNK]")),
    ("Splinter", _words(*BERT, "[QUESTION]")),
    ("CodeGen GPTNeoX", _merges("<|endoftext|>", "<|padding|>")),
    ("Qwen3_5", _whole(_merges("<|endoftext|>"))),
    ("Whisper", _merges(*(f"<|{name}|>" for name in WHISPER))),
    ("Cohere", _merges(*COHERE)),
    ("Deberta", _merges(*BERT)),
    ("Blenderbot LayoutLMv3 Nougat", _merges(*FAIRSEQ)),
    ("Luke", _merges(*FAIRSEQ, "<ent>", "<ent2>")),
    ("MarkupLM", _merges(*FAIRSEQ, tags_dict={})),
    ("OpenAIGPT Herbert", _merges(*FAIRSEQ, suffix="</w>")),
    ("XLMRoberta Camembert Barthez LayoutXLM", _trained("sentencepiece.bpe.model")),
    ("MBart MBart50 MLuke", _trained("sentencepiece.bpe.model")),
    ("XGLM", _trained("tokenizer.model")),
    ("BigBird", _trained("spiece.model", pad_id=0, eos_id=1, bos_id=2, unk_id=3)),
    ("RemBert", _trained("spiece.model", eos_id=-1, unk_id=1, **_ZERO_IS_PAD, **_ALBERT)),
    ("DebertaV2", _trained("spm.model", pad_id=0, bos_id=1, unk_id=2, eos_id=3, unk_piece="[UNK]")),
    ("Lasr VideoPrism Udop", _trained("spiece.model", eos_id=1, unk_id=2, **_ZERO_IS_PAD)),
    ("Gemma Siglip2", _pieces("tokenizer.model", pad_id=0, eos_id=1, bos_id=2, unk_id=3)),
    ("CodeLlama", _pieces("tokenizer.model")),
    ("Reformer", _pieces("spiece.model", byte_fallback=False)),
    ("Nllb SeamlessM4T", _pieces(byte_fallback=False, **_LANGUAGES)),
    ("Tipsv2", _pieces("tokenizer.model", unk_id=1, eos_id=-1, **_ZERO_IS_PAD)),
]
SMALL = {f"{name}Tokenizer": make for names, make in _SMALL for name in names.split()}
"""Other classes, with what writes a small vocabulary."""


def without_components(tree: Json) -> Json:
    """Returns a tokenizer.json with components and settings of the model that a class replaces; its rules are kept."""
    normalizer, model = tree["normalizer"] or {}, dict(tree["model"])
    steps = normalizer.get("normalizers", [normalizer])
    rules = [step for step in steps if step.get("type") == "Precompiled"]
    if model["type"] == "Unigram":
        model["unk_id"] = 0
    model |= {key: not model[key] for key in ("fuse_unk", "byte_fallback") if key in model}
    trims = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    others = {
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "ByteLevel"} | trims,
    }
    normalizer = rules[0] if rules else None
    return tree | others | {"model": model, "normalizer": normalizer, "decoder": None}


VALUES: dict[str, list[Any]] = {
    "MBartTokenizer": ["fr_XX"],
    "MBart50Tokenizer": ["fr_XX"],
    "NllbTokenizer": ["fra_Latn"],
    "src_lang": ["__fra__", "fra"],
    "wordpieces_prefix": ["@@"],
    "unk_id": [5],
    "language": ["en"],
    "task": ["transcribe"],
}
"""Values of settings that are no flags; those of the language by the class."""


def other_settings(name: str) -> list[Json]:
    """Returns settings of a class other than its defaults, one at a time."""
    changes: list[Json] = []
    for key, default in family_of(name).options.items():
        values = VALUES.get(name if key == "src_lang" else key, VALUES.get(key, [not default]))
        changes += ({key: value} for value in values)
    return [{}, *changes, {"add_bos_token": True}, {"add_bos_token": False, "add_eos_token": True}]
