"""Calls of a tokenizer: decoding, streams, batches, padding, truncation, explanations, chats, reports, vocabulary changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import piecework as pw
from piecework import decoders, hf, models
from scaling import files, growth
from scaling.segmenting import letters, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scaling.growth import Call, Mechanisms, Prepare

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SOME = 1000
"""The number of entries of a vocabulary whose size is not measured."""

TOKENIZERS: dict[str, Callable[[], pw.Tokenizer]] = {
    "WordPiece": lambda: files.word_piece(SOME),
    "BPE": lambda: files.bpe(SOME),
    "Unigram": lambda: files.unigram(SOME),
}
BYTE_TOKENS = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "x", "▁x", "##x", "x</w>", "|"]
DECODERS: dict[str, Any] = {
    "none": None,
    "ByteFallback": decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()]),
    "Metaspace": decoders.Metaspace(),
    "WordPiece": decoders.WordPiece(),
    "BPEDecoder": decoders.BPEDecoder(),
    "CTC": decoders.CTC(),
    "Strip": decoders.Sequence([decoders.Fuse(), decoders.Strip(" ", 1, 1)]),
    "Replace": decoders.Replace("x", "y"),
    "SentencePiece": decoders.SentencePiece(byte_fallback=True),
}
IDS: dict[str, Callable[[int], list[int]]] = {
    "a token": lambda n: [257] * n,
    "bytes that begin a character": lambda n: [0xE4 + 1] * n,
    "bytes that continue a character": lambda n: [0x80 + 1] * n,
    "every token": lambda n: [number % len(BYTE_TOKENS) for number in range(n)],
}
STOPS: dict[str, Callable[[int], Any]] = {
    "no stop": lambda _: (),
    "a stop of n nearly matches": lambda n: "x" * n + "y",
    "n stops": lambda n: [f"{number}y" for number in range(n)],
    "stops of every length nearly match": lambda n: [
        "x" * length + "y" for length in range(1, int((2 * n) ** 0.5))
    ],
}


def _decoding(decoder: Any) -> pw.Tokenizer:
    model = models.WordLevel(BYTE_TOKENS)
    return pw.Tokenizer(model, decoder=decoder)


def _on_ids(decoder: Any, ids: Callable[[int], list[int]], method: str) -> Prepare:
    def prepare(size: int) -> Call:
        decode, given = getattr(_decoding(decoder), method), ids(size)
        return lambda: decode(given)

    return prepare


def _stream(
    decoder: Any, ids: Callable[[int], list[int]], stops: Callable[[int], Any], **settings: Any
) -> Prepare:
    """Returns the preparation of a stream that gets one id in each step."""

    def prepare(size: int) -> Call:
        tok, given, stop = _decoding(decoder), ids(size), stops(size)

        def call() -> object:
            stream = tok.decode_stream(stop=stop, **settings)
            for number in given:
                stream.step(number)
            return stream.finish()

        return call

    return prepare


def _whole_stream(stops: Callable[[int], Any]) -> Prepare:
    def prepare(size: int) -> Call:
        tok, given, stop = _decoding(DECODERS["ByteFallback"]), [257] * size, stops(size)

        def call() -> object:
            stream = tok.decode_stream(stop=stop)
            stream.step(given)
            return stream.finish()

        return call

    return prepare


def _resumed(size: int) -> Call:
    tok, given = _decoding(None), [257] * size
    return lambda: tok.decode_stream(after=given).step(257)


def _text(
    name: str, call: Callable[[pw.Tokenizer, str], object], text: Callable[[int], str] = words
) -> Prepare:
    def prepare(size: int) -> Call:
        tok, given = TOKENIZERS[name](), text(size)
        return lambda: call(tok, given)

    return prepare


def _texts(name: str, call: Callable[[pw.Tokenizer, list[str]], object]) -> Prepare:
    def prepare(size: int) -> Call:
        tok, given = TOKENIZERS[name](), words(size * 8).split(" ")
        return lambda: call(tok, given)

    return prepare


def _each(
    name: str, positions: Callable[[pw.Encoding], tuple[Callable[[int], object], Iterable[int]]]
) -> Prepare:
    """Returns the preparation of a call of an encoding's method for every position."""

    def prepare(size: int) -> Call:
        encoding = TOKENIZERS[name]().encode(words(size))
        method, every = positions(encoding)

        def call() -> None:
            for position in every:
                method(position)

        return call

    return prepare


def _hf_each(size: int) -> Call:
    tok = hf.Tokenizer.from_str(files.word_piece(SOME).to_str())
    encoding = tok.encode(words(size))

    def call() -> None:
        for position in range(len(encoding)):
            encoding.char_to_token(position)
            encoding.token_to_chars(position)

    return call


def _hf_batch(size: int) -> Call:
    tok = hf.Tokenizer.from_str(files.word_piece(SOME).to_str())
    tok.enable_padding()
    tok.enable_truncation(8, stride=4)
    texts = [words(40)] * size
    return lambda: [encoding.ids for encoding in tok.encode_batch(texts)]


def _vocabulary(
    make: Callable[[int], pw.Tokenizer], call: Callable[[pw.Tokenizer, int], object]
) -> Prepare:
    def prepare(size: int) -> Call:
        tok = make(size)
        return lambda: call(tok, size)

    return prepare


def _diff(make: Callable[[int], pw.Tokenizer]) -> Prepare:
    def prepare(size: int) -> Call:
        old, new, texts = make(size), make(size + size // 2), [words(size)]
        return lambda: pw.diff(old, new, texts)

    return prepare


TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>\n{% endfor %}"
)


def _messages(number: int, content: str) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": roles[place % 2], "content": content} for place in range(number)]


def _chat(number: int, length: int, *, whole: bool = True, **settings: Any) -> Prepare:
    """Returns the preparation of a chat, with n messages if `number` is 0 and messages of length n if `length` is."""

    def prepare(size: int) -> Call:
        tok = files.word_piece(SOME).with_added_tokens(["<|user|>", "<|assistant|>", "<|end|>"])
        messages = _messages(number or size, words(length or size))
        most = None if whole else max(20, size // 2)
        return lambda: tok.chat(messages, template=TEMPLATE, max_tokens=most, **settings)

    return prepare


def _explain(tok: pw.Tokenizer, text: str) -> object:
    return str(tok.explain(text, max_characters=None))


def _span(tok: pw.Tokenizer, text: str) -> object:
    return tok.explain(text, span=(len(text) - 9, len(text)))


def _stride(tok: pw.Tokenizer, text: str) -> object:
    cut = pw.Truncation(8, stride=6)
    return [
        part.ids for part in tok.encode(text, truncation=cut, add_special_tokens=False).overflowing
    ]


CALLS: dict[str, Callable[[pw.Tokenizer, str], object]] = {
    "encode": lambda tok, text: tok.encode(text),
    "encode, all columns": lambda tok, text: tok.encode(text).to_dict(),
    "encode_ids": lambda tok, text: tok.encode_ids(text),
    "encode_batch of one text": lambda tok, text: tok.encode_batch([text], offsets=True).ids,
    "truncate_text": lambda tok, text: tok.truncate_text(text, max(8, len(text) // 6)),
    "truncate_text left": lambda tok, text: tok.truncate_text(
        text, max(8, len(text) // 6), side="left"
    ),
    "truncation to half": lambda tok, text: tok.encode(text, truncation=max(8, len(text) // 6)),
    "overflow with stride": _stride,
    "padding": lambda tok, text: tok.encode("a", padding=pw.Padding(len(text), pad_id=0)).ids,
    "pair": lambda tok, text: tok.encode(text, text, truncation=max(8, len(text) // 6)).ids,
    "explain": _explain,
    "explain a span": _span,
    "compare": lambda tok, text: pw.compare([tok, tok], text),
    "evaluate": lambda tok, text: pw.evaluate(tok, [text]),
    "round trip": lambda tok, text: tok.decode(tok.encode_ids(text)),
    "decode_with_offsets": lambda tok, text: tok.decode_with_offsets(tok.encode_ids(text)),
    "segments": lambda tok, text: tok.encode_segments([(word, True) for word in text.split()]),
    "pretokenized": lambda tok, text: tok.encode(text.split(), is_pretokenized=True),
}
EVERY_MODEL = ("encode", "truncate_text", "truncate_text left", "explain", "round trip")
"""The calls that are measured with every model; the others do not depend on it."""
BATCHES: dict[str, Callable[[pw.Tokenizer, list[str]], object]] = {
    "encode_batch of n texts": lambda tok, texts: tok.encode_batch(texts).ids,
    "count of n texts": lambda tok, texts: tok.count(texts),
    "padding of n texts": lambda tok, texts: (
        tok.encode_batch(texts, padding=pw.Padding(pad_id=0)).ids
    ),
    "evaluate n texts": pw.evaluate,
    "evaluate n texts, disagreements": lambda tok, texts: pw.evaluate(
        {"a": tok, "b": tok}, texts, disagreements=10
    ),
    "decode_batch of n texts": lambda tok, texts: tok.decode_batch([[5, 6]] * len(texts)),
    "untrusted chat of n segments": lambda tok, texts: tok.encode_segments(
        [(text, False) for text in texts]
    ),
}


def _properties(tok: pw.Tokenizer) -> object:
    """Returns what a tokenizer computes once."""
    return tok.fingerprint, tok.token_bytes(), tok.unreachable_tokens(), tok.vocab


CHANGES: dict[str, Callable[[pw.Tokenizer, int], object]] = {
    "lint": lambda tok, _: pw.lint(tok),
    "extend by texts": lambda tok, n: pw.extend(tok, [words(n)], new_tokens=50),
    "extend by n words": lambda tok, n: pw.extend(
        tok, words=[f"q{word}" for word in files.entries(n)]
    ),
    "prune": lambda tok, n: pw.prune(tok, [words(n)], vocab_size=max(400, n // 2), force=True),
    "properties": lambda tok, _: _properties(pw.Tokenizer.from_str(tok.to_str())),
}

MECHANISMS: Mechanisms = {
    **{
        f"decode, {name}: {kind}": _on_ids(decoder, IDS[kind], "decode")
        for name, decoder in DECODERS.items()
        for kind in (
            "a token",
            "every token",
            *(list(IDS) if "Byte" in name or "Sentence" in name else []),
        )
    },
    **{
        f"{method}: {kind}": _on_ids(DECODERS["ByteFallback"], IDS[kind], method)
        for method in ("decode_bytes", "decode_tokens_bytes", "decode_with_offsets")
        for kind in IDS
    },
    **{
        f"stream, {name}: {kind}": _stream(decoder, IDS[kind], STOPS["no stop"])
        for name, decoder in DECODERS.items()
        for kind in ("a token", *(list(IDS) if "Byte" in name or "Sentence" in name else []))
    },
    **{
        f"stream: {name}": _stream(DECODERS["ByteFallback"], IDS["a token"], stops)
        for name, stops in STOPS.items()
    },
    **{
        f"stream with details: {name}": _stream(
            DECODERS["ByteFallback"], IDS["a token"], stops, details=True
        )
        for name, stops in STOPS.items()
    },
    **{f"stream in one step: {name}": _whole_stream(stops) for name, stops in STOPS.items()},
    "stream after n tokens": _resumed,
    **{
        f"{call}: {name}": _text(name, CALLS[call])
        for call in CALLS
        for name in (TOKENIZERS if call in EVERY_MODEL else ("BPE",))
    },
    **{
        f"{call} of one word: {name}": _text(name, CALLS[call], letters)
        for call in (
            "encode",
            "truncate_text",
            "truncate_text left",
            "explain",
            "overflow with stride",
        )
        for name in TOKENIZERS
    },
    **{f"{call}": _texts("BPE", BATCHES[call]) for call in BATCHES},
    "char_to_token n times": _each(
        "WordPiece", lambda e: (e.char_to_token, range(max(end for _, end in e.offsets)))
    ),
    "token_to_chars n times": _each("WordPiece", lambda e: (e.token_to_chars, range(len(e.ids)))),
    "word_to_tokens n times": _each(
        "WordPiece", lambda e: (e.word_to_tokens, range(max(w or 0 for w in e.word_ids)))
    ),
    "piecework.hf: positions n times": _hf_each,
    "piecework.hf: batch, padded and truncated": _hf_batch,
    **{
        f"{change}: {name}": _vocabulary(files.TOKENIZERS[name], CHANGES[change])
        for change in CHANGES
        for name in files.TOKENIZERS
        if not (change.startswith(("extend", "prune")) and name not in TOKENIZERS)
    },
    **{
        f"diff, {name}, entries: {growth.MANY}": _diff(files.TOKENIZERS[name])
        for name in TOKENIZERS
    },
    "chat of n messages": _chat(0, 20),
    "chat of a message of n": _chat(1, 0),
    "chat of n messages, trusted": _chat(0, 20, trusted=True),
    "chat of n messages, cut to max_tokens": _chat(0, 20, whole=False),
}
