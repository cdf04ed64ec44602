"""Long words and many combining marks in every component: the time grows linearly with the text.

The limits are generous, since the machine is shared; quadratic code takes hundreds of times longer.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import parts
import piecework as pw
from piecework import decoders as d, models as m, normalizers as n, pre_tokenizers as p

pytestmark = pytest.mark.slow
SECONDS = 20.0
LONG = {
    "letters": "ab" * 500_000,
    "words": "a " * 250_000,
    "spaces": " " * 500_000,
    "marks": "a" + "\u0301\u0323" * 50_000,
    "marks out of order": "\u0f72\u0f71" * 50_000,
    "hangul": "\u1100\u1161\u11a8" * 50_000,
    "chinese": "中文" * 100_000,
    "emoji": "\U0001f469\u200d" * 50_000,
    "expanding": "\ufdfa" * 20_000,
    "line ends": "\r\n" * 100_000,
    "digits": "12" * 100_000,
    "punctuation": ".,'" * 50_000,
}
COMPONENTS: list[tuple[str, Any]] = [
    *(("normalizer", part) for part in parts.NORMALIZERS),
    *(("pre_tokenizer", part) for part in [*parts.PRE_TOKENIZERS, *parts.PIECEWORK_PRE_TOKENIZERS]),
    ("pre_tokenizer", p.Function(lambda text: [text])),
]


def timed(call: Callable[[], Any]) -> Any:
    started = time.monotonic()
    result = call()
    assert time.monotonic() - started < SECONDS
    return result


@pytest.mark.parametrize(
    ("name", "part"), COMPONENTS, ids=[str(place) for place in range(len(COMPONENTS))]
)
def test_components_take_linear_time(name: str, part: Any) -> None:
    tok = parts.made(**{name: part})
    for text in LONG.values():
        timed(lambda text=text: tok.count(text))
    timed(lambda: tok.encode(LONG["marks"]))


FORMS = [n.NFC(), n.NFD(), n.NFKC(), n.NFKD(), n.BertNormalizer(), n.StripAccents()]


@pytest.mark.parametrize("normalizer", FORMS, ids=str)
def test_offsets_after_a_hundred_thousand_combining_marks(normalizer: n.Normalizer) -> None:
    text = "a" + "\u0323\u0301" * 50_000 + "b"
    tok = parts.made(normalizer=normalizer, pre_tokenizer=p.Split("b", "isolated"))
    encoding = timed(lambda: tok.encode(text))
    assert encoding.offsets[-1] == (100_001, 100_002)
    assert len(encoding) == 2


MODELS = [
    m.WordPiece(parts.VOCAB, max_input_chars_per_word=None),
    m.WordPiece([*parts.VOCAB, *("a" * k for k in range(3, 300))], max_input_chars_per_word=None),
    *(m.WordPiece(parts.VOCAB, max_input_chars_per_word=None, unknown=u) for u in ("run", "char")),  # type: ignore[arg-type]
    m.WordLevel([*parts.VOCAB, "a" * 10**6], "[UNK]"),
]


@pytest.mark.parametrize("model", MODELS, ids=[str(place) for place in range(len(MODELS))])
def test_models_take_linear_time_per_word(model: m.Model) -> None:
    tok = pw.Tokenizer(model)
    for text in ("a" * 10**6, "a" * 10**6 + "?", "ab" * 500_000, "é" * 500_000):
        encoding = timed(lambda text=text: tok.encode(text))
        assert encoding.offsets[0][0] == 0
        assert encoding.offsets[-1][1] == len(text)


def test_added_tokens_are_matched_in_linear_time() -> None:
    tokens = ["a" * 100 + "b", "b" * 3, "aab", pw.AddedToken(" x", lstrip=True, rstrip=True)]
    tok = parts.made(added_tokens=tokens, normalizer=n.Lowercase())
    for text in LONG.values():
        timed(lambda text=text: tok.count(text))
    timed(lambda: tok.count("a" * 10**6))
    timed(lambda: tok.count((" " * 50 + "x") * 20_000))


def test_white_space_around_added_tokens_is_scanned_once() -> None:
    token = pw.AddedToken("<x>", lstrip=True, rstrip=True, special=True)
    tok = parts.made(added_tokens=[token])
    text = " " * 200_000 + "<x>" + " " * 200_000 + "<x>" * 10_000
    timed(lambda: tok.encode(text))
    timed(lambda: tok.encode(text, specials="text"))
    spaces = parts.made(added_tokens=[pw.AddedToken(" ", lstrip=True)])
    assert timed(lambda: spaces.count(" " * 10**6)) == 10**6


def test_overlapping_white_space_of_added_tokens_raises_when_too_long() -> None:
    """Each token includes all white space after it, as in `tokenizers`."""
    for normalized in (True, False):
        token = pw.AddedToken(" ", rstrip=True, normalized=normalized)
        tok = parts.made(added_tokens=[token])
        assert tok.encode("   ").offsets == [(0, 3), (1, 3), (2, 3)]
        with pytest.raises(pw.errors.TextTooLongError):
            timed(lambda tok=tok: tok.count(" " * 100_000))


LENGTHENING: dict[str, dict[str, Any]] = {
    "replacements": {"normalizer": n.Sequence([n.Replace("a", "a" * 10)] * 6)},
    "a long replacement": {"normalizer": n.Replace("a", "a" * 65_000)},
    "prefixes": {"normalizer": n.Sequence([n.Prepend("a" * 65_000)] * 100)},
    "empty matches": {"normalizer": n.Sequence([n.Replace(pw.Regex(""), "b")] * 8)},
    "bytes": {"normalizer": n.Sequence([n.ByteLevel()] * 40)},
    "bytes of words": {"pre_tokenizer": p.Sequence([p.ByteLevel(use_regex=False)] * 40)},
}


@pytest.mark.parametrize("name", LENGTHENING)
def test_components_that_lengthen_a_text_without_end_raise(name: str) -> None:
    """The error comes before the memory is used."""
    text = "aé" * 100_000
    resource = pytest.importorskip("resource", reason="the system does not measure memory")
    tok = parts.made(**LENGTHENING[name])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for call in (tok.encode, tok.encode_ids, tok.count):
        with pytest.raises(pw.errors.TextTooLongError, match="the limit of 16 times its length"):
            timed(lambda call=call: call(text))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000


def test_decoders_that_lengthen_a_text_without_end_raise() -> None:
    tok = parts.made(decoder=d.Replace("a", "b" * 60_000))
    number = tok.encode_ids("a")[0]
    assert len(tok.decode([number])) == 60_000
    many = [number] * 10_000
    for call in (
        lambda: tok.decode(many),
        lambda: tok.decode_with_offsets(many),
        lambda: tok.decode_stream().step(many),
    ):
        with pytest.raises(pw.errors.TextTooLongError, match="the limit of 16 times its length"):
            timed(call)


def test_a_text_may_become_sixteen_times_as_long() -> None:
    tok = parts.made(normalizer=n.Replace("a", "b" * 16))
    assert tok.count("a" * 100_000) >= 1
    with pytest.raises(pw.errors.TextTooLongError):
        parts.made(normalizer=n.Replace("a", "b" * 27)).count("a" * 100_000)


def test_overflowing_takes_linear_time() -> None:
    tok = parts.made()
    encoding = timed(lambda: tok.encode("a " * 100_000, truncation=pw.Truncation(128, 16)))
    assert len(encoding.overflowing) > 500


DECODERS = [*parts.DECODERS, d.Replace(pw.Regex(r"\s+"), " "), d.Sequence(parts.DECODERS[3:8])]


@pytest.mark.parametrize("decoder", DECODERS, ids=[str(place) for place in range(len(DECODERS))])
def test_decoders_take_linear_time(decoder: d.Decoder) -> None:
    for tokens in (
        ["a"] * 200_000,
        ["a" * 200_000],
        ["<0xE4>"] * 100_000,
        [" "] * 100_000,
        ["▁"] * 100_000,
        ["</w>"] * 100_000,
        ["Ã"] * 100_000,
        [" ' " * 50_000],
        [" n't" * 50_000],
    ):
        timed(lambda tokens=tokens: decoder.decode(tokens))


def test_threads_share_a_tokenizer() -> None:
    tok = parts.made(
        normalizer=n.NFKC(),
        pre_tokenizer=p.Sequence([p.Whitespace(), p.Jieba()]),
        added_tokens=parts.ADDED,
    )
    texts = [text * (1 + place % 3) for place in range(40) for text in parts.TEXTS]
    wanted = [tok.encode(text) for text in texts]
    allowed = [tok.encode(text, specials={"<new>"}) for text in texts]
    cut = [tok.encode(text, truncation=3, padding=5) for text in texts]
    start = threading.Barrier(16)

    def work(number: int) -> bool:
        start.wait()
        kind = number % 4
        if kind == 0:
            return [tok.encode(text) for text in texts] == wanted
        if kind == 1:
            return [tok.encode(text, specials={"<new>"}) for text in texts] == allowed
        if kind == 2:
            return list(tok.encode_batch(texts, truncation=3, padding=5, threads=2)) == cut
        more = tok.with_added_tokens([f"<{number}>"]).replace(padding=None)
        return [more.encode(text).ids for text in texts] == [e.ids for e in wanted]

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))


@pytest.mark.parametrize("text", ["ab" * 500_000, "a" * 1_000_000, "中文字" * 200_000])
def test_unigram_training_on_one_long_word(text: str) -> None:
    trainer = pw.UnigramTrainer(8, max_piece_length=9)
    tok = timed(lambda: pw.train({text: 1}, trainer, normalizer=None, pre_tokenizer=None))
    assert len(tok) == 8
    assert tok.training.steps[0].log_likelihood < 0
