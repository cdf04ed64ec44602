"""Time of `tok.chat`, compared with `apply_chat_template` of transformers: a chat of 20 messages to ids."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
from timing import best

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

sys.path.append(str(Path(__file__).parents[1] / "tests" / "helpers"))

MESSAGES, TIMES = 20, 300
WORDS = (10, 30, 100)
"""The numbers of words of a message: Jinja runs twice, which is most of the time of short messages."""
GOAL = "at most a third of the time"
FILES = {"llama3": "llama3-tokenizer.json.zst", "deepseek": "deepseek-tokenizer.json.zst"}
FAMILIES = {"chatml": "llama3", "llama3": "llama3", "qwen3": "llama3", "deepseek": "deepseek"}
"""The families of templates, with the tokenizer that encodes them."""


def measure() -> Iterator[Row]:
    """Encodes the same chats on both sides, after comparing the ids."""
    if not corpus.is_there():
        yield corpus.skipped("chat")
        return
    for family in FAMILIES:
        for words in WORDS:
            row = f"chat: {family}, {MESSAGES} messages of {words} words"
            yield row, _speed(family, words), GOAL


def _speed(family: str, words: int) -> str:
    from transformers import AutoTokenizer

    import piecework as pw

    folder = _folder(family)
    tok, theirs = pw.Tokenizer.from_folder(folder), AutoTokenizer.from_pretrained(folder)
    messages = _messages(words)
    slow, wanted = best(lambda: theirs.apply_chat_template(messages, return_dict=False), TIMES)
    fast, found = best(lambda: tok.chat(messages).ids, TIMES)
    trusted, _ = best(lambda: tok.chat(messages, trusted=True).ids, TIMES)
    if found != wanted:
        raise SystemExit(f"chat, {family}: ids differ")
    share = f"{fast / slow:.2f} of the time; trusted {trusted / slow:.2f}"
    return f"{fast * 1e6:.0f} µs, transformers {slow * 1e6:.0f}: {share}"


def _folder(family: str) -> Path:
    """Returns a folder with a tokenizer and a template."""
    from chat_templates import FAMILIES as TEMPLATES

    folder = Path(tempfile.mkdtemp(prefix="piecework-bench-"))
    data = corpus.unpacked(corpus.DATA / "vocabs" / FILES[FAMILIES[family]].removesuffix(".zst"))
    (folder / "tokenizer.json").write_bytes(data)
    config: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATES[family], encoding="utf-8")
    return folder


def _messages(words: int) -> list[dict[str, str]]:
    every = corpus.read("en/botchan.txt").decode().split()
    return [
        {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": " ".join(every[number * words : (number + 1) * words]),
        }
        for number in range(MESSAGES)
    ]
