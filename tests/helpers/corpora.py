"""Small corpora, their expected tokens, and engines that misbehave."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import piecework as pw

WORDS = "low lower lowest new newer newest wide wider widest naïve 低い \U0001f600".split()


def texts(count: int, seed: int = 0, words: int = 0) -> list[str]:
    """Returns texts of 0 to 30 words, some of them empty; `words` is the number of further words, which are made up."""
    draw = random.Random(seed)
    choices = WORDS + [f"w{draw.randrange(10**9):x}" for _ in range(words)]
    return [" ".join(draw.choices(choices, k=draw.choice([0, 1, 5, 30]))) for _ in range(count)]


def write_lines(path: Path, documents: Sequence[str]) -> Path:
    """Writes JSON lines with the members `id`, `text` and `source`."""
    lines = (
        json.dumps(
            {"id": number, "text": text, "source": {"n": [number]}}, ensure_ascii=number % 2 == 0
        )
        for number, text in enumerate(documents)
    )
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def tokenizer() -> pw.Tokenizer:
    """Returns a small WordPiece tokenizer."""
    return pw.train([" ".join(WORDS)] * 3, pw.WordPieceTrainer(vocab_size=60))


def large_vocabulary(size: int) -> pw.Tokenizer:
    """Returns a tokenizer of whole words with ids up to `size` - 1, of which the last is `<end>`."""
    from piecework import models, pre_tokenizers

    words = ["[UNK]", *(f"w{number}" for number in range(size - 2)), "<end>"]
    vocab = {word: number for number, word in enumerate(words)}
    splitter = pre_tokenizers.WhitespaceSplit()
    return pw.Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"), pre_tokenizer=splitter)


def expected(tok: pw.Tokenizer, documents: Sequence[str], end: int | None) -> list[list[int]]:
    """Returns the ids of each document, encoded one by one."""
    ends = [] if end is None else [end]
    return [tok.encode(text, add_special_tokens=False).ids + ends for text in documents]


class InProcess:
    """Runs parts in this process, in an order of its own, and records their names."""

    def __init__(self, seed: int = 0) -> None:
        self.names: list[str] = []
        self._draw = random.Random(seed)

    def run(self, fn: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
        for part in self._draw.sample(parts, len(parts)):
            self.names.append(part.name)
            yield fn(part)


class Stopping(InProcess):
    """Fails after some parts in all."""

    def __init__(self, after: int, seed: int = 0) -> None:
        super().__init__(seed)
        self._left = after

    def run(self, fn: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
        for receipt in super().run(fn, parts):
            if self._left == 0:
                raise InterruptedError("stopped")
            self._left -= 1
            yield receipt


class Doubled(InProcess):
    """Runs every part twice, in two threads at once, as an engine that speculates."""

    def run(self, fn: Callable[[Any], Any], parts: Sequence[Any]) -> Iterator[Any]:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(2) as pool:
            for part in parts:
                one, other = pool.map(fn, [part, part])
                assert one == other
                yield one


_READING = ("format", "field", "per", "encoding", "errors", "on_error", "keep_line_ends")


def corpus_of(paths: Any, settings: dict[str, Any]) -> pw.Corpus:
    """Returns the corpus of some files with the options of reading among the settings, which are removed there."""
    return pw.Corpus(paths, **{name: settings.pop(name) for name in _READING if name in settings})
