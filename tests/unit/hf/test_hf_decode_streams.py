"""DecodeStream of piecework.hf: the texts of the steps are the text of all ids."""

import copy
import json
import pickle
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from piecework import hf
from piecework.hf import Tokenizer, decoders, models

pytestmark = pytest.mark.smoke

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
LLAMA_VOCAB = ["<unk>", "<s>", *BYTES, "▁to", "be", "▁", "é", "</w>"]
LLAMA = decoders.Sequence(
    [
        decoders.Replace("▁", " "),
        decoders.ByteFallback(),
        decoders.Fuse(),
        decoders.Strip(" ", 1, 0),
    ]
)
LEVEL_VOCAB = ["<unk>", "ĠðŁ", "ĺ", "Ģ", "!", "Ã", "<s>", "中", "à¸"]


def tokenizer(vocab: Sequence[str], decoder: Any) -> Tokenizer:
    tok = Tokenizer(models.WordLevel({token: i for i, token in enumerate(vocab)}, vocab[0]))
    tok.decoder = decoder
    tok.add_special_tokens(["<s>"])
    return tok


def steps(tok: Tokenizer, ids: Sequence[int], given: Sequence[int] = (), **more: Any) -> list[Any]:
    stream = decoders.DecodeStream([*given], **more)
    return [*(stream.step(tok, number) for number in ids), stream.finish()]


def test_a_byte_that_makes_the_bytes_before_it_invalid() -> None:
    tok = tokenizer(LLAMA_VOCAB, LLAMA)
    star, broken, word = (LLAMA_VOCAB.index(token) for token in ("<0x2A>", "<0xE2>", "▁to"))
    ids = [word, star, broken, word, word]
    texts = steps(tok, ids)
    assert texts == ["to", None, None, "\ufffd\ufffd to", " to", ""]
    assert "".join(filter(None, texts)) == tok.decode(ids, False)


DECODERS: list[Any] = [
    None,
    LLAMA,
    decoders.ByteLevel(),
    decoders.WordPiece("be"),
    decoders.WordPiece("", True),
    decoders.Metaspace(),
    decoders.BPEDecoder(),
    decoders.CTC("é", "be"),
    decoders.ByteFallback(),
    decoders.Fuse(),
    decoders.Strip("é", 1, 1),
    decoders.Replace(hf.Regex("[bé]"), "xy"),
    decoders.Sequence([decoders.Fuse(), decoders.Replace(hf.Regex("(be)+$"), "")]),
    decoders.Sequence([decoders.ByteFallback(), decoders.Fuse(), decoders.Replace("éé", "e")]),
]


@pytest.mark.parametrize("vocab", [LLAMA_VOCAB, LEVEL_VOCAB], ids=["fallback", "byte level"])
@pytest.mark.parametrize("decoder", DECODERS, ids=str)
def test_random_streams(decoder: Any, vocab: list[str]) -> None:
    tok, rng = tokenizer(vocab, decoder), random.Random(11)
    most = [
        *range(len(vocab)),
        len(vocab) + 7,
        *range(max(2, len(vocab) - 5), len(vocab)),
        193,
        167,
        226,
    ]
    for _ in range(150):
        given, ids = (rng.choices(most, k=rng.randrange(5)) for _ in range(2))
        skip = rng.random() < 0.5
        whole = tok.decode([*given, *ids], skip)
        texts = "".join(filter(None, steps(tok, ids, given, skip_special_tokens=skip)))
        context = tok.decode(given, skip) if given else ""
        if not ids:
            assert texts == ""
        elif context.endswith("\ufffd"):
            assert texts == whole
        else:
            assert whole.endswith(texts)
            # What later ids changed in the text of the given ones is returned.
            rest = whole[: len(whole) - len(texts)]
            assert context.startswith(rest)
            assert not texts or rest == context or context[len(rest)] != texts[0]
        one = decoders.DecodeStream(given, skip)
        assert not ids or (one.step(tok, ids) or "") + one.finish() == texts


def test_endless_replacement_characters_are_linear_and_returned() -> None:
    for vocab, decoder, name in [
        (LLAMA_VOCAB, LLAMA, "<0xE2>"),
        (LEVEL_VOCAB, decoders.ByteLevel(), "Ã"),
    ]:
        tok = tokenizer(vocab, decoder)
        texts = steps(tok, [vocab.index(name)] * 500)
        assert sum(text is None for text in texts) <= 1
        assert "".join(filter(None, texts)) == "\ufffd" * 500


def test_changes_of_the_tokenizer_take_effect() -> None:
    tok = tokenizer(LEVEL_VOCAB, decoders.ByteLevel())
    stream = decoders.DecodeStream()
    assert [stream.step(tok, number) for number in [4, 1]] == ["!", " "]
    tok.add_tokens(["<é>"])
    new = tok.token_to_id("<é>")
    assert new is not None
    assert [stream.step(tok, number) for number in [2, 3, 4]] == [None, "😀", "!"]
    tok.decoder = decoders.Fuse()
    assert [stream.step(tok, number) for number in [4, new]] == ["ĠðŁĺĢ!!", "<é>"]
    other = tokenizer(["<unk>", "a", "b"], decoders.Fuse())
    assert decoders.DecodeStream([1]).step(other, 2) == "b"


def test_copies_and_pickles_are_independent() -> None:
    tok = tokenizer(LEVEL_VOCAB, decoders.ByteLevel())
    stream = decoders.DecodeStream([4])
    assert stream.step(tok, 1) == " "
    copies = [copy.copy(stream), copy.deepcopy(stream), pickle.loads(pickle.dumps(stream))]
    for each in copies:
        assert [each.step(tok, 2), each.step(tok, 3), each.finish()] == [None, "😀", ""]
    assert stream.step(tok, 4) == "\ufffd!"
    assert copy.copy(decoders.DecodeStream([4])).step(tok, 4) == "!"


def test_an_error_leaves_the_ids_before() -> None:
    slow = decoders.Replace(hf.Regex("(a|aa)+(?=$)"), "")
    tok = tokenizer(["<unk>", "b", "a" * 1000 + "b"], slow)
    stream = decoders.DecodeStream()
    assert stream.step(tok, 1) == "b"
    with pytest.raises(ValueError, match="gave up"):
        stream.step(tok, 2)
    assert stream.step(tok, [1, 99]) == "b"
    with pytest.raises(TypeError):
        stream.step(tok, -1)
    assert (stream.step(tok, 1), stream.finish(), stream.finish()) == ("b", "", "")


class Plus:
    """A decoder in Python whose text the next token changes."""

    def decode(self, tokens: list[str]) -> str:
        return "+".join(tokens) + "."


class Bytes:
    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [bytes(map(ord, "".join(tokens))).decode(errors="replace")]


def test_decoders_in_python_are_never_stuck() -> None:
    tok = tokenizer(["<unk>", "a", "\xe2", "\x82", "\xac"], decoders.Decoder.custom(Bytes()))
    assert steps(tok, [1, 2, 3, 4, 1]) == ["a", None, None, "€", "a", ""]
    texts = steps(tok, [2] * 400)
    assert "".join(filter(None, texts)) == "\ufffd" * 400
    assert sum(text is None for text in texts) < 400
    tok.decoder = decoders.Decoder.custom(Plus())
    stream = decoders.DecodeStream([1])
    assert [stream.step(tok, 1) for _ in range(3)] != [None, None, None]
    assert copy.copy(stream).finish() == stream.finish()


def test_added_tokens_are_decoded_as_in_tokenizers() -> None:
    vocab = ["<unk>", "Ã", "©"]
    tok = tokenizer(vocab, decoders.ByteLevel())
    tok.add_tokens(["<é>", "među"])
    ids = [tok.token_to_id(name) or 0 for name in ("<é>", "među")]
    assert tok.decode(ids) == "<\ufffd>me\x11u"
    assert steps(tok, ids) == ["<\ufffd>", "me\x11u", ""]
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    theirs = tokenizers.Tokenizer.from_str(tok.to_str())
    assert theirs.decode(ids) == tok.decode(ids)


def test_streams_on_which_tokenizers_does_not_fail() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the oracle tokenizers is not installed")
    rng = random.Random(2)
    for vocab, decoder in [(LEVEL_VOCAB, decoders.ByteLevel()), (LLAMA_VOCAB, LLAMA)]:
        tok = tokenizer(vocab, decoder)
        theirs = tokenizers.Tokenizer.from_str(json.dumps(json.loads(tok.to_str())))
        ends = vocab.index("!" if "!" in vocab else "be")
        compared = 0
        for _ in range(400):
            given = [*rng.choices(range(len(vocab)), k=rng.randrange(3)), ends]
            ids = [*rng.choices(range(len(vocab)), k=rng.randrange(6)), ends]
            stream = tokenizers.decoders.DecodeStream(given)
            try:
                wanted = "".join(stream.step(theirs, number) or "" for number in ids)
            except Exception:  # noqa: BLE001  # "Invalid prefix encountered", of no class of its own
                continue
            if wanted == theirs.decode([*given, *ids], False)[len(theirs.decode(given, False)) :]:
                compared += 1
                assert "".join(filter(None, steps(tok, ids, given))) == wanted
        assert compared > 100


@pytest.mark.slow
def test_the_cost_of_a_step_does_not_grow() -> None:
    tok = tokenizer(LLAMA_VOCAB, LLAMA)
    number = LLAMA_VOCAB.index("<0xE2>")
    times = []
    for count in (2_000, 32_000):
        start = time.process_time()
        steps(tok, [number] * count)
        times.append((time.process_time() - start) / count)
    assert times[1] < 5 * times[0]
