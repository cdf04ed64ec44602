"""Measures the seconds from Ctrl-C to KeyboardInterrupt in every call that can run for long."""

from __future__ import annotations

import importlib
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus

import piecework as pw
from piecework import hf, models, normalizers, pre_tokenizers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Calls = Iterator[tuple[str, Callable[[], object]]]

MOMENTS = (0.05, 0.2, 0.6)
"""The seconds after the start of a call at which the signal comes, each in a call of its own."""
LIMIT, HOPELESS = 0.3, 2.0
"""The seconds that are too many, and those after which a call is not tried again."""
VOCABULARIES = {
    "bert": "bert-base-uncased-vocab.txt",
    "t5": "t5-spiece.model",
    "llama2": "llama2-tokenizer.model",
    "cl100k": "cl100k_base.tiktoken",
}
TEXT, WORD, IDS, TRAINED = 60_000_000, 20_000_000, 15_000_000, 5_000_000


def seconds_to_stop(call: Callable[[], object], moment: float) -> float | None:
    """Returns the seconds from a signal to the KeyboardInterrupt that it raises; None if the call ended before it.

    An interval timer sends the signal, because a thread could not while a call holds the lock of the interpreter. Its
    handler is that of Ctrl-C.
    """
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    started = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, moment)
        call()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return time.perf_counter() - started - moment
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return None


def report(calls: Calls) -> list[str]:
    """Prints the most seconds to stop of each call, and returns the names of those above the limit."""
    print(f"\n{'call':<52} {'seconds to stop':>16}")
    too_slow = []
    for name, call in calls:
        worst = _worst(call)
        shown = "it ended before" if worst is None else f"{worst:.3f}"
        is_slow = worst is not None and worst > LIMIT
        print(f"{name:<52} {shown:>16}{' <-- too slow' if is_slow else ''}", flush=True)
        if is_slow:
            too_slow.append(f"{name}: {worst:.2f} s to stop")
    return too_slow


def _worst(call: Callable[[], object]) -> float | None:
    waits = []
    for moment in MOMENTS:
        waited = seconds_to_stop(call, moment)
        if waited is not None and LIMIT < waited < HOPELESS:  # another program may be the reason
            waited = min(waited, seconds_to_stop(call, moment) or waited)
        if waited is None:
            break
        waits.append(waited)
        if waited > HOPELESS:
            break
    return max(waits, default=None)


def calls() -> Calls:
    """Yields all calls, with their names."""
    importlib.import_module("numpy")  # which cannot be imported again after a signal in its import
    for name in pw.__all__:
        getattr(pw, name)  # imports its module
    text = (corpus.english_text().decode(errors="ignore") * 9)[:TEXT]
    chinese = (_chinese() * 9)[:TRAINED]
    for name, file in VOCABULARIES.items():
        tok = pw.Tokenizer.from_file(corpus.DATA / "vocabs" / file)
        for call, function in of_tokenizer(tok, text):
            yield f"{name}, {call}", function
    yield from _of_others(text)
    yield from _of_stages(text[:WORD], chinese)
    yield from of_trainings(text[:TRAINED].replace("\n", " "))
    yield from _of_vocabularies(text)


def _chinese() -> str:
    paths = sorted((corpus.DATA / "corpora" / "zh").iterdir())
    return "".join(
        corpus.read(f"zh/{path.name.removesuffix('.zst')}").decode() for path in paths[:2]
    )


def of_tokenizer(tok: pw.Tokenizer, text: str) -> Calls:
    """Yields the calls that encode, decode and report, on one long text, one word and blanks."""
    word, blanks = "abcdefghij" * (WORD // 10), " " * WORD
    ids = list(range(1000, 20000)) * (IDS // 19000)
    most = TEXT // 6
    yield "encode", lambda: tok.encode(text)
    yield "encode_ids", lambda: tok.encode_ids(text)
    yield "encode_batch", lambda: tok.encode_batch([text])
    yield "encode_batch with offsets", lambda: tok.encode_batch([text], offsets=True)
    yield "all columns", lambda: tok.encode(text[:WORD]).to_dict()
    yield "count", lambda: tok.count(text)
    yield "truncate_text", lambda: tok.truncate_text(text, most)
    yield "truncate_text left", lambda: tok.truncate_text(text, most, side="left")
    for kind, long in (("a word", word), ("blanks", blanks)):
        yield f"encode {kind}", lambda long=long: tok.encode(long)
        yield f"count {kind}", lambda long=long: tok.count(long)
        yield f"truncate_text {kind}", lambda long=long: tok.truncate_text(long, WORD // 6)
        yield (
            f"truncate_text left {kind}",
            lambda long=long: tok.truncate_text(long, WORD // 6, side="left"),
        )
    yield "decode", lambda: tok.decode(ids)
    yield "decode_bytes", lambda: tok.decode_bytes(ids)
    yield "decode_batch", lambda: tok.decode_batch([ids])
    yield "decode_with_offsets", lambda: tok.decode_with_offsets(ids)
    yield "step of a stream", lambda: tok.decode_stream().step(ids)
    yield "step of a stream with stops", lambda: tok.decode_stream(stop=["zzzq"]).step(ids)
    yield "explain", lambda: tok.explain(text, span=(0, 50))
    yield "WordCounts", lambda: pw.WordCounts.from_texts([text], like=tok)
    yield "evaluate", lambda: pw.evaluate(tok, [text])
    yield "lint", lambda: [pw.lint(tok) for _ in range(20)]
    yield "extend", lambda: pw.extend(tok, [text[:TRAINED]], new_tokens=1000)
    yield "prune", lambda: pw.prune(tok, [text[:WORD]], vocab_size=10_000, force=True)
    yield "diff", lambda: pw.diff(tok, tok.with_added_tokens(["zzzq"]), [text])


def _of_others(text: str) -> Calls:
    """Yields calls that are much the same for every model."""
    tok = pw.Tokenizer.from_file(corpus.DATA / "vocabs" / VOCABULARIES["t5"])
    ids, part = tok.encode_ids(text[:WORD]), text[:TRAINED]
    yield "tokenize", lambda: tok.tokenize(text[:WORD])
    yield "encode_segments", lambda: tok.encode_segments([(text, True), (text, False)])
    yield "encode, sampling", lambda: tok.encode(text, sampling=pw.Sampling(alpha=0.5, seed=1))
    yield "encode_batch to a list", lambda: tok.encode_batch([text]).to_list()
    yield "decode_tokens_bytes", lambda: tok.decode_tokens_bytes(ids)
    yield "decode_with_offsets_batch", lambda: tok.decode_with_offsets_batch([ids])
    yield "explain a whole text", lambda: str(tok.explain(part, max_characters=None))
    yield "compare", lambda: pw.compare([tok, tok], part)
    yield "chat", lambda: tok.chat([{"role": "user", "content": part}], template=TEMPLATE)
    yield "piecework.hf, encode", lambda: hf.Tokenizer.from_str(tok.to_str()).encode(text).tokens
    folder = Path(tempfile.mkdtemp(prefix="piecework-scaling-"))
    (folder / "text.txt").write_text(text * 4)
    corpus_of = pw.Corpus(folder / "text.txt")
    yield "corpus.tokenize", lambda: pw.corpus.tokenize(tok, corpus_of, folder / "ids")
    yield "count_words", lambda: pw.count_words(corpus_of)


TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"


def _of_stages(text: str, chinese: str) -> Calls:
    han = "".join(character for character in chinese if "\u4e00" <= character <= "\u9fff")
    for name, long in (("jieba", chinese), ("jieba, no spaces", han)):
        split = pre_tokenizers.Jieba()
        yield f"{name}, pre_tokenize_str", lambda s=split, t=long: s.pre_tokenize_str(t)
        tok = pw.Tokenizer(models.WordLevel(["<unk>"]), pre_tokenizer=split)
        yield f"{name}, encode", lambda tok=tok, t=long: tok.encode(t)
        yield (
            f"{name}, WordCounts",
            lambda s=split, t=long: pw.WordCounts.from_texts([t], pre_tokenizer=s, normalizer=None),
        )
    for stage in (
        normalizers.NFC(),
        normalizers.NFKD(),
        normalizers.StripAccents(),
        normalizers.BertNormalizer(),
        normalizers.Lowercase(),
        normalizers.Nmt(),
        normalizers.Replace(pw.Regex("[aeiou]+"), "x"),
        normalizers.Precompiled.of("nmt_nfkc"),
        normalizers.SentencePiece(),
    ):
        yield f"{stage.type_name}, normalize_str", lambda stage=stage: stage.normalize_str(text)
    for pattern in (r"\s+|\S+", r"\w+(?=\s)|\s+(?=x)"):
        split = pre_tokenizers.Split(pw.Regex(pattern), "isolated")
        yield f"Split {pattern}", lambda split=split: split.pre_tokenize_str(text)


def of_trainings(line: str) -> Calls:
    """Yields the trainings of each model, on one line many times and as one word."""
    trainers: dict[str, Any] = {
        "WordPiece": pw.WordPieceTrainer(8000),
        "BPE": pw.BpeTrainer(8000),
        "Unigram": pw.UnigramTrainer(8000),
    }
    for name, trainer in trainers.items():
        yield f"training {name}", lambda trainer=trainer: pw.train([line] * 10, trainer)
        yield (
            f"training {name}, one word",
            lambda trainer=trainer: pw.train([line], trainer, normalizer=None, pre_tokenizer=None),
        )
        yield f"trace {name}", lambda trainer=trainer: pw.trace([line] * 10, trainer)


def _of_vocabularies(text: str) -> Calls:
    """Yields loading, saving, and the addition of many tokens."""
    words = list(dict.fromkeys(text[start : start + 9] for start in range(0, 18_000_000, 9)))
    words = [word for word in words if word.isprintable() and word.strip() == word]
    tok = pw.Tokenizer(models.WordLevel(["<unk>", *words]))
    folder = Path(tempfile.mkdtemp(prefix="piecework-scaling-"))
    tok.save(folder / "tokenizer.json")
    counts = pw.WordCounts(dict.fromkeys(words, 1))
    counts.save(folder / "counts")
    (folder / "vocab.txt").write_text("\n".join(["[UNK]", *words]) + "\n")
    yield "load a tokenizer.json", lambda: pw.Tokenizer.from_file(folder / "tokenizer.json")
    yield "load a vocab.txt", lambda: pw.Tokenizer.from_file(folder / "vocab.txt")
    yield "save a tokenizer.json", lambda: tok.save(folder / "saved.json")
    yield "load counts", lambda: pw.WordCounts.load(folder / "counts")
    yield "save counts", lambda: counts.save(folder / "saved")
    yield "merge counts", lambda: counts.merge(counts)
    yield "items of counts", lambda: list(counts.items())
    yield "unreachable_tokens", tok.unreachable_tokens
    yield "vocab", lambda: pw.Tokenizer.from_file(folder / "vocab.txt").vocab
    yield "with_added_tokens", lambda: tok.with_added_tokens(words[::2])
    yield "phrases", lambda: pre_tokenizers.Dictionary(words).pre_tokenize_str("x")
