"""Error messages have one line and at most 1,000 bytes, even for long values."""

import base64
import copy
import json
import pickle
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._messages import one_line, shown

LONG = "é\n" + "x" * 70_000
"""A token, a name, a path or a member of 70 kB, with a line end where one may be."""
WORD = LONG.replace("\n", "")
TOKENIZER = pw.train(["the cat sat on the mat"], pw.WordPieceTrainer(60))
JSON = json.loads(TOKENIZER.to_str())
UNIGRAM = pw.Tokenizer(pw.models.Unigram([(WORD, -1.0), ("a", -2.0)]))


def changed(path: str, value: Any) -> str:
    """Returns the tokenizer.json with the member at a path replaced; None removes it."""
    data = copy.deepcopy(JSON)
    *parents, last = path.split("/")
    part = data
    for name in parents:
        part = part[name]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return json.dumps(data)


def twice(name: str) -> str:
    return json.dumps(JSON).replace("{", f'{{"{name}": 1, "{name}": 2, ', 1)


def codes(text: str) -> Callable[[Path], object]:
    return written("codes", text, pw.Tokenizer.from_subword_nmt)


def written(name: str, text: str, read: Callable[[Path], object]) -> Callable[[Path], object]:
    """Returns a function that writes a file and reads it."""

    def call(folder: Path) -> object:
        file = folder / name
        file.write_text(text, encoding="utf-8")
        return read(file)

    return call


def merges(vocab: dict[str, int], lines: str) -> Callable[[Path], object]:
    """Returns a function that writes a vocabulary and its merges, and reads them."""

    def call(folder: Path) -> object:
        (folder / "merges.txt").write_text(lines, encoding="utf-8")
        return written("vocab.json", json.dumps(vocab), pw.Tokenizer.from_file)(folder)

    return call


def model_folder(name: str, text: str) -> Callable[[Path], object]:
    """Returns a function that writes a model folder with a file, and reads it."""

    def call(folder: Path) -> object:
        (folder / "tokenizer.json").write_text(TOKENIZER.to_str(), encoding="utf-8")
        (folder / name).write_text(text, encoding="utf-8")
        return pw.Tokenizer.from_folder(folder)

    return call


def model(data: bytes) -> Callable[[Path], object]:
    def call(folder: Path) -> object:
        (folder / "m.model").write_bytes(data)
        return pw.Tokenizer.from_sentencepiece(folder / "m.model")

    return call


def field(number: int, data: bytes) -> bytes:
    """Returns a field of a protocol buffer that holds bytes."""
    length, size = len(data), b""
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + data


def piece(text: str, kind: int = 1) -> bytes:
    score = b"\x15\x00\x00\x80\xbf"
    return field(1, field(1, text.encode()) + score + bytes([0x18, kind]))


RANKS = "".join(f"{base64.b64encode(bytes([b])).decode()} {b}\n" for b in range(256))
PARSED: dict[str, str] = {
    "json, member": twice(WORD),
    "json, unknown member": changed("post_processor/" + WORD, 1),
    "json, model type": changed("model/type", LONG),
    "json, unknown token": changed("model/unk_token", LONG),
    "json, normalizer type": changed("normalizer", {"type": LONG}),
    "json, normalizer member": changed("normalizer/" + WORD, 1),
    "json, pre-tokenizer": changed("pre_tokenizer", {"type": "Split", "pattern": {LONG: 1}}),
    "json, regex": changed(
        "pre_tokenizer",
        {
            "type": "Split",
            "pattern": {"Regex": LONG + "("},
            "behavior": "Isolated",
            "invert": False,
        },
    ),
    "json, decoder": changed("decoder", {"type": LONG}),
    "json, behavior": changed(
        "pre_tokenizer",
        {"type": "Split", "pattern": {"String": "a"}, "behavior": LONG, "invert": False},
    ),
    "json, id": changed("model/vocab/" + WORD, "no id"),
    "json, same id": changed("model/vocab/" + WORD, 0),
    "json, far id": changed("model/vocab/" + WORD, 2**31),
    "json, added token": changed("added_tokens", [{"id": 10**6, "content": LONG}]),
    "json, template": changed(
        "post_processor", {"type": "TemplateProcessing", "single": [{LONG: 1}]}
    ),
    "json, template token": changed(
        "post_processor",
        {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": LONG, "type_id": 0}}],
            "pair": [],
            "special_tokens": {},
        },
    ),
    "json, version": changed("version", LONG),
    "json, direction": changed("truncation", {"direction": LONG}),
    "json, trainer": changed("model/piecework/training/trainer", {"type": LONG}),
    "vocab, twice": f"[UNK]\n{WORD}\n{WORD}\n",
    "vocab, no unknown": f"{WORD}\na\n",
}
READ: dict[str, Callable[[Path], object]] = {
    **{
        name: written(
            "t.json" if name.startswith("json") else "v.txt", text, pw.Tokenizer.from_file
        )
        for name, text in PARSED.items()
    },
    "merges, twice": merges({WORD: 0, "a": 1}, f"#version: 0.2\n{WORD} a\n{WORD} a\n"),
    "merges, no token": merges({"a": 0}, f"#version: 0.2\n{WORD} a\n"),
    "merges, broken": merges({"a": 0}, f"#version: 0.2\n{WORD} a b\n"),
    "vocab.json, id": merges({WORD: 2**31, "a": 0}, "#version: 0.2\n"),
    "ranks, line": written("cl100k_base.tiktoken", f"{RANKS}{WORD}\n", pw.Tokenizer.from_file),
    "ranks, twice": written("cl100k_base.tiktoken", RANKS + "AA== 300\n", pw.Tokenizer.from_file),
    "ranks, token twice": written(
        "cl100k_base.tiktoken",
        RANKS + "".join(f"{base64.b64encode(WORD.encode()).decode()} {n}\n" for n in (256, 257)),
        pw.Tokenizer.from_file,
    ),
    "codes, line": codes(f"#version: 0.2\n{WORD}\n"),
    "codes, version": codes(f"#version: {WORD}\na b\n"),
    "clip": written(
        "clip.txt", f'"bpe_simple_vocab_16e6.txt#version: {WORD}\n{WORD}\n', pw.Tokenizer.from_file
    ),
    "model, twice": model(piece("<unk>", 2) + piece(WORD) * 2),
    "model, kind": model(piece("<unk>", 2) + piece(WORD, 9)),
    "model, unknown twice": model(piece(WORD, 2) + piece("b", 2)),
    "counts, twice": written("c", "{}\n", pw.WordCounts.load),
    "config, token": model_folder(
        "tokenizer_config.json", json.dumps({"cls_token": {"content": LONG, LONG: 1}})
    ),
    "config, twice": model_folder("tokenizer_config.json", f'{{"{WORD}": 1, "{WORD}": 1}}'),
    "config, id": model_folder(
        "tokenizer_config.json", json.dumps({"added_tokens_decoder": {LONG: {}}})
    ),
    "config, added": model_folder("added_tokens.json", json.dumps({LONG: "no id"})),
    "config, side": model_folder("tokenizer_config.json", json.dumps({"padding_side": LONG})),
    ".vocab": lambda _: pw.models.Unigram.from_vocab(WORD),
    ".vocab, twice": lambda _: pw.models.Unigram.from_vocab(f"{WORD}\t-1.0\n" * 2),
    "unknown": lambda _: UNIGRAM.encode(LONG + "?"),
    "token": lambda _: TOKENIZER.lm.score([LONG]),
    "specials": lambda _: TOKENIZER.encode("a", specials={LONG}),
    "specials, name": lambda _: TOKENIZER.encode("a", specials=LONG),  # type: ignore[arg-type]
    "a special token": lambda _: TOKENIZER.with_added_tokens([LONG], special=True).encode(
        LONG, specials="error"
    ),
    "unk_token": lambda _: TOKENIZER.replace(unk_token=LONG),
    "unknown setting": lambda _: TOKENIZER.replace(**{WORD: 1}),  # type: ignore[misc]
    "format": lambda _: TOKENIZER.save("x", LONG),  # type: ignore[arg-type]
    "pad token": lambda _: TOKENIZER.encode("a", padding=pw.Padding(pad_token=LONG)),
    "special tokens": lambda _: pw.WordPieceTrainer(60, special_tokens=[LONG, LONG]),
    "symbols": lambda _: pw.WordPieceTrainer(
        60, user_defined_symbols=[LONG], special_tokens=[LONG]
    ),
    "criterion": lambda _: pw.WordPieceTrainer(60, criterion=LONG),  # type: ignore[arg-type]
    "counts": lambda _: pw.WordCounts({LONG: -1}),
    "counts, sum": lambda _: pw.WordCounts({LONG: 2**64 - 1}) + pw.WordCounts({LONG: 1}),
    "ids of one token": lambda _: pw.models.Vocabulary({LONG: 1, "a": 1}),
    "rules": lambda _: pw.normalizers.Precompiled.of(LONG),  # type: ignore[arg-type]
    "encoding": lambda path: pw.train(pw.Corpus(path, encoding=LONG), pw.BpeTrainer(60)),
    "path": lambda _: pw.Tokenizer.from_file(LONG),
    "unknown type": lambda _: TOKENIZER.encode(type(WORD, (), {})()),
    "saved, vocab.txt": lambda folder: pw.Tokenizer(
        pw.models.WordLevel(["a", LONG], unk_token="a")
    ).save(folder / "v.txt"),
    "saved, .vocab": lambda _: pw.models.Unigram([(LONG, -1.0)]).to_vocab(),
    "saved, codes": lambda folder: pw.Tokenizer(
        pw.models.WordLevel(["a", LONG], unk_token="a")
    ).save(folder / "v", "subword-nmt"),
    "saved, model": lambda folder: pw.Tokenizer(pw.models.BPE(["a", LONG])).save(
        folder / "v.model"
    ),
}


@pytest.mark.parametrize("name", READ)
def test_errors_have_one_short_line(name: str, tmp_path: Path) -> None:
    with pytest.raises((pw.PieceworkError, TypeError)) as caught:
        READ[name](tmp_path)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    assert len(message.encode()) <= 1000
    # So is its entry in a log.
    assert len(traceback.format_exception_only(caught.value)[-1].encode()) < 1100


def warned(call: Callable[[], object]) -> Iterator[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    yield from (str(warning.message) for warning in found)


def test_warnings_have_one_short_line(tmp_path: Path) -> None:
    phrases = pw.pre_tokenizers.Dictionary([LONG.upper()])
    messages = [
        *warned(lambda: TOKENIZER.replace(pre_tokenizer=phrases)),
        *warned(lambda: pw.train({WORD.upper(): 1}, pw.WordPieceTrainer(60))),
        *warned(
            lambda: pw.train(["a"], pw.WordPieceTrainer(60, user_defined_symbols=[WORD.upper()]))
        ),
        *warned(lambda: READ_WITH_WARNING(tmp_path)),
    ]
    assert len(messages) == 4
    for message in messages:
        assert len(message.encode()) <= 1000
        assert "\n" not in message


READ_WITH_WARNING = model_folder("added_tokens.json", json.dumps({"[CLS]": 7}))


def test_error_arguments_keep_the_full_message() -> None:
    error = pw.errors.ConfigError(LONG)
    assert error.args == (LONG,)
    assert pickle.loads(pickle.dumps(error)).args == (LONG,)
    assert len(str(error)) <= 1000


def test_one_line_shortens_and_escapes() -> None:
    assert one_line("short") == "short"
    assert one_line("a\nb\u2028c\x85") == r"a\nb\u2028c\x85"
    for message in ("é" * 1000, "😀" * 1000, "a" + "é" * 1000, "\ud800" * 1000):
        line = one_line(message)
        assert len(line.encode()) <= 1000
        assert "…" in line
    line = one_line("file.json: " + "x" * 2000 + "; do that")
    assert line.startswith("file.json: ")
    assert line.endswith("; do that")
    exact = "x" * 1000
    assert one_line(exact) == exact


def test_shown_shortens_values() -> None:
    assert shown("a") == "'a'"
    assert len(shown(LONG)) == 58
    assert shown(10**5000) == "<int>"
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "<list>"


def test_errors_for_long_texts_are_short() -> None:
    for call in (
        lambda: TOKENIZER.encode("x" * 70_000 + "\ud800"),
        lambda: TOKENIZER.encode(b"\xff" * 70_000),
    ):
        with pytest.raises(pw.PieceworkError) as caught:
            call()
        assert len(str(caught.value)) <= 1000
