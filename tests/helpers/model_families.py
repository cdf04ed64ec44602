"""Small tokenizers with the components of well-known model families, and the page that says how each encodes.

The components are in tests/docs/models.json, one entry for each family, with the sources. An added token is a dictionary, or
a string if it is special and has no flags. The ids of special tokens and the tables of `Precompiled` are filled in here. The
vocabularies are trained on a few kilobytes.
"""

import io
import json
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import piecework as pw
from paths import REPOSITORY
from piecework import pre_tokenizers
from piecework.errors import PieceworkWarning
from piecework.normalizers import Precompiled

Json = dict[str, Any]

DATA = REPOSITORY / "tests" / "docs" / "models.json"
PAGE = REPOSITORY / "docs" / "models.md"
METASPACE = "\u2581"
BARE: Json = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"},
}
"""A tokenizer.json without components."""
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
TEXTS = (
    "The quick brown fox jumps over the lazy dog. It's 2026, and they've seen 1,234,567 dogs!",
    "It was the best of times, it was the worst of times, it was the age of wisdom.",
    "Don't stop; we'll see. I'm sure you'd agree that THE HTTPServer's camelCase isn't ideal.",
    "def encode(self, text: str) -> list[int]:\n    return [self.vocab[c] for c in text]\n\n",
    'for (int i = 0; i < 10; ++i) {\n\tprintf("%d\\n", i);\n}\n',
    "自然语言处理是人工智能的一个方向。我们在北京学习中文，2026年3月15日。",
    "東京は日本の首都です。カタカナとひらがなを書きます。",
    "한국어 텍스트를 토큰으로 나눕니다.",
    "Le café est déjà fermé, voilà. Größe, Straße, mañana, señor.",
    "Быстрая коричневая лиса прыгает через ленивую собаку.",
    "الثعلب البني السريع يقفز فوق الكلب الكسول، نعم؟",
    "हिन्दी में लिखा हुआ पाठ। विश्व और भाषा।",
    "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
    "Η γρήγορη αλεπού πηδάει πάνω από το σκυλί.",
    "emoji 🙂 👩‍👩‍👧 and symbols €100 ½ ① ™ → ∞",
)
"""The texts on which the vocabularies are trained."""


class Family(NamedTuple):
    """A model family: its entry in the data, its tokenizer, and the file that the tokenizer was loaded from."""

    entry: Json
    tokenizer: pw.Tokenizer
    content: bytes


@cache
def entries() -> dict[str, Json]:
    """Returns the entries of the data by the names of the models."""
    loaded: list[Json] = json.loads(DATA.read_text(encoding="utf-8"))
    return {entry["models"]: entry for entry in loaded}


@cache
def family(models: str) -> Family:
    """Builds the tokenizer of an entry."""
    entry = entries()[models]
    tokenizer, content = BUILDERS[entry.get("format", "tokenizer.json")](entry)
    return Family(entry, tokenizer, content)


# tokenizer.json


def _tokenizer_json(entry: Json) -> tuple[pw.Tokenizer, bytes]:
    added = [_added(token) for token in entry["added_tokens"]]
    parts = {**entry, "normalizer": _with_rules(entry["normalizer"])}
    model = _model(parts, [token["content"] for token in added])
    pieces = (
        [piece for piece, _ in model["vocab"]] if model["type"] == "Unigram" else model["vocab"]
    )
    ids = {piece: number for number, piece in enumerate(pieces)}
    for token in added:
        ids.setdefault(token["content"], len(ids))
    saved = {
        **BARE,
        "added_tokens": [{"id": ids[token["content"]], **token} for token in added],
        "normalizer": parts["normalizer"],
        "pre_tokenizer": entry["pre_tokenizer"],
        "post_processor": _with_ids(entry["post_processor"], ids),
        "decoder": entry["decoder"],
        "model": model,
    }
    text = json.dumps(saved, ensure_ascii=False)
    return pw.Tokenizer.from_str(text), text.encode()


def _added(token: Json | str) -> Json:
    shown = {"content": token} if isinstance(token, str) else token
    return {**FLAGS, "special": True, **shown}


def _model(parts: Json, added: list[str]) -> Json:
    settings = parts["model"]
    train = {"WordPiece": _word_piece, "Unigram": _unigram, "BPE": _bpe}[settings["type"]]
    return {**settings, **train(parts, added)}


def _word_piece(parts: Json, added: list[str]) -> Json:
    saved = _saved(_trained(pw.WordPieceTrainer(700, special_tokens=added), parts))
    return {"vocab": saved["vocab"]}


def _unigram(parts: Json, added: list[str]) -> Json:
    unk_token = next(name for name in ("<unk>", "[UNK]") if name in added)
    trainer = pw.UnigramTrainer(300, special_tokens=added, unk_token=unk_token)
    saved = _saved(_trained(trainer, parts))
    return {"vocab": saved["vocab"], "unk_id": saved["unk_id"]}


def _bpe(parts: Json, added: list[str]) -> Json:
    settings, unk_token = parts["model"], parts["model"]["unk_token"]
    if METASPACE in json.dumps(parts, ensure_ascii=False):
        return _metaspace_bpe(added)
    is_byte_level = "ByteLevel" in json.dumps(parts["pre_tokenizer"])
    trainer = pw.BpeTrainer(
        max_merges=400,
        special_tokens=[unk_token] if unk_token else [],
        unk_token=unk_token,
        initial_alphabet=_byte_alphabet() if is_byte_level else (),
        end_of_word_suffix=settings["end_of_word_suffix"] or "",
    )
    saved = _saved(_trained(trainer, parts))
    return {"vocab": saved["vocab"], "merges": saved["merges"]}


def _metaspace_bpe(added: list[str]) -> Json:
    """Returns a vocabulary with a token for each byte, whose merges span no words but runs of spaces."""
    trainer = pw.BpeTrainer(max_merges=300, special_tokens=(), unk_token=None)
    saved = _saved(_train(trainer, None, pre_tokenizers.Metaspace()))
    runs = [[METASPACE * size, METASPACE * size] for size in (1, 2, 4)]
    pieces = [*added, *(f"<0x{byte:02X}>" for byte in range(256)), *saved["vocab"]]
    pieces += ["\n", "\t", *("".join(pair) for pair in runs)]
    vocab = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    return {"vocab": vocab, "merges": [*saved["merges"], *runs]}


def _trained(trainer: Any, parts: Json) -> pw.Tokenizer:
    """Trains with the normalizer and the pre-tokenizer of an entry."""
    saved = {
        **BARE,
        "normalizer": parts["normalizer"],
        "pre_tokenizer": parts["pre_tokenizer"],
    }
    read = pw.Tokenizer.from_str(json.dumps(saved))
    return _train(trainer, read.normalizer, read.pre_tokenizer)


def _train(trainer: Any, normalizer: Any, pre_tokenizer: Any) -> pw.Tokenizer:
    with warnings.catch_warnings():  # some models have no unknown token
        warnings.simplefilter("ignore", PieceworkWarning)
        return pw.train(TEXTS, trainer, normalizer=normalizer, pre_tokenizer=pre_tokenizer)


def _saved(tok: pw.Tokenizer) -> Json:
    model: Json = json.loads(tok.to_str())["model"]
    return model


def _byte_alphabet() -> list[str]:
    """Returns the 256 characters that represent bytes."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    return [*map(chr, own), *(chr(0x100 + place) for place in range(256 - len(own)))]


def _with_rules(normalizer: Json | None) -> Json | None:
    """Returns a normalizer with the rules of SentencePiece in place of their name."""
    if normalizer is None:
        return None
    if normalizer["type"] == "Precompiled":
        return _rules(normalizer["precompiled_charsmap"])
    if normalizer["type"] == "Sequence":
        steps = [_with_rules(step) for step in normalizer["normalizers"]]
        return {**normalizer, "normalizers": steps}
    return normalizer


@cache
def _rules(name: Any) -> Json:
    return Precompiled.of(name).to_dict()


def _with_ids(post_processor: Json | None, ids: dict[str, int]) -> Json | None:
    """Returns a post-processor with the ids of its special tokens."""
    if post_processor is None:
        return None
    done = dict(post_processor)
    for name in done.keys() & {"sep", "cls"}:
        done[name] = [done[name][0], ids[done[name][0]]]
    if "processors" in done:
        done["processors"] = [_with_ids(step, ids) for step in done["processors"]]
    if "special_tokens" in done:
        tokens = done["special_tokens"].items()
        done["special_tokens"] = {name: {**token, "ids": [ids[name]]} for name, token in tokens}
    return done


# Files of tiktoken and SentencePiece


def _tiktoken(entry: Json) -> tuple[pw.Tokenizer, bytes]:
    trainer = pw.BpeTrainer(max_merges=400, alphabet="byte", unk_token=None)
    tok = _train(trainer, None, pre_tokenizers.ByteLevel(add_prefix_space=False))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.tiktoken"
        with warnings.catch_warnings():  # the file has no pattern
            warnings.simplefilter("ignore", PieceworkWarning)
            tok.save(path)
        first = tok.vocab_size
        specials = {name: first + place for place, name in enumerate(entry["special_tokens"])}
        read = pw.Tokenizer.from_tiktoken(path, pattern=entry["pattern"], special_tokens=specials)
        return read, path.read_bytes()


def _sentencepiece(entry: Json) -> tuple[pw.Tokenizer, bytes]:
    import sentencepiece

    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for text in TEXTS for line in text.splitlines()]),
        model_writer=out,
        vocab_size=700,
        hard_vocab_limit=False,
        minloglevel=2,
        **entry["trainer"],
    )
    return pw.Tokenizer.from_bytes(out.getvalue()), out.getvalue()


BUILDERS: dict[str, Callable[[Json], tuple[pw.Tokenizer, bytes]]] = {
    "tokenizer.json": _tokenizer_json,
    "tiktoken": _tiktoken,
    "sentencepiece": _sentencepiece,
}


# The page

HEAD = """\
# Models

<!-- Written by tools/make_models_docs.py from tests/docs/models.json: change that. -->

This table lists well-known models, the components of their tokenizers, and the path on which piecework encodes: the
[fast path](pipeline.md#fast-path-and-generic-path), or the generic path with the reason. Both return the same tokens.
`piecework inspect` shows the path of any file. It also names the kernel of the fast path, which depends on the machine.

The components are those of published files. Where a row names a release of `transformers`, they are those of its classes or
converters. A test builds a small tokenizer for each row, compares its ids with those of `tokenizers`, tiktoken or
SentencePiece, and compares the row with what the tokenizer reports.

* `Split` and `ByteLevel` name what matches their pattern: a grammar (a hand-written matcher of one known pattern), a matcher
  of runs of characters, an automaton, or the regex engine Oniguruma. A `Split` isolates its matches unless the row names another behavior.
* "Added tokens are matched in the normalized text" means that the file has a normalizer and added tokens with
  `"normalized": true`. Files of one family differ in this flag.
* Without a pre-tokenizer, the path also depends on the vocabulary: a piece that spans words prevents the fast path.

"""
COLUMNS = ("models", "model", "normalizer", "pre-tokenizer", "path")


def page() -> str:
    """Returns the text of the page."""
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(row, entries())]
    return HEAD + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(models: str) -> tuple[str, ...]:
    """Returns the row of an entry."""
    entry, tok, _ = family(models)
    backends = iter(tok.split_backends)
    reason = tok.generic_path_reason
    return (
        models,
        shown_model(entry),
        ", ".join(shown_step(step, backends) for step in steps(tok.normalizer)) or "none",
        ", ".join(shown_step(step, backends) for step in steps(tok.pre_tokenizer)) or "none",
        "fast" if reason is None else f"generic: {reason}",
    )


def shown_model(entry: Json) -> str:
    """Returns the kind of model of an entry, and of the file if it is not a tokenizer.json."""
    if entry.get("format") == "tiktoken":
        return "BPE on bytes (`.tiktoken`)"
    settings = entry.get("model") or entry["trainer"]
    kind = {"bpe": "BPE", "unigram": "Unigram"}.get(
        settings.get("model_type"), settings.get("type")
    )
    if settings.get("byte_fallback"):
        kind += " with byte fallback"
    elif "ByteLevel" in json.dumps(entry.get("pre_tokenizer")):
        kind += " on bytes"
    return f"{kind} (`.model`)" if "trainer" in entry else kind


def steps(component: Any) -> Iterator[Json]:
    """Iterates over the steps of a component, as in a tokenizer.json, without sequences."""
    if component is not None:
        yield from _steps(component.to_dict())


def _steps(component: Json) -> Iterator[Json]:
    nested = component.get("normalizers", component.get("pretokenizers"))
    if nested is None:
        yield component
    for step in nested or ():
        yield from _steps(step)


def shown_step(step: Json, backends: Iterator[str]) -> str:
    """Returns a step of a component with the settings that matter for its path.

    Takes the backend of its pattern from `backends`.
    """
    kind = step["type"].removeprefix("piecework.")
    found = [setting for setting in SHOWN[kind](step) if setting] if kind in SHOWN else []
    if kind == "Split" or (kind == "ByteLevel" and step["use_regex"]):
        found.insert(0, next(backends))
    return f"`{kind}` ({', '.join(found)})" if found else f"`{kind}`"


def _named(is_set: bool, name: str) -> str:
    """Returns the name of a setting, or an empty string if it is not set."""
    return name if is_set else ""


SHOWN: dict[str, Callable[[Json], list[str]]] = {
    "BertNormalizer": lambda step: [_named(step["lowercase"], "lowercase")],
    "ByteLevel": lambda step: [_named(step["add_prefix_space"], "prefix space")],
    "Digits": lambda step: [_named(step["individual_digits"], "individual")],
    "Metaspace": lambda step: [step["prepend_scheme"], _named(not step["split"], "no split")],
    "Prepend": lambda step: [code(step["prepend"])],
    "Punctuation": lambda step: [_words(step["behavior"])],
    "Replace": lambda step: [
        f"{code(next(iter(step['pattern'].values())))} by {code(step['content'])}"
    ],
    "SentencePiece": lambda step: [_named(step["user_defined_symbols"], "user-defined symbols")],
    "Split": lambda step: [
        _named(step["behavior"] != "Isolated", _words(step["behavior"])),
        _named(step["invert"], "invert"),
    ],
    "Strip": lambda step: [
        _named(step["strip_left"], "left"),
        _named(step["strip_right"], "right"),
    ],
}
"""The settings that are shown of each type of step, empty strings for none."""


def code(text: str) -> str:
    """Returns a text as a code span in a cell of a table, between quotation marks if it has spaces."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    shown = f'"{text}"' if " " in text else f" {text} " if "`" in text else text
    return f"{fence}{shown}{fence}".replace("|", "\\|")


def _words(behavior: str) -> str:
    """Returns the name of a behavior in words: `MergedWithNext` as "merged with next"."""
    return re.sub("(?<!^)(?=[A-Z])", " ", behavior).lower()
