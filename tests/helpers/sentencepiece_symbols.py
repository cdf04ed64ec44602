"""SentencePiece models with user-defined symbols, for comparison with added tokens."""

import functools
import struct
from collections.abc import Iterable
from typing import Any

import live_unigram as live

SYMBOLS = (
    "<P>",
    "\n\n",
    "<P",
    "ab",
    "b c",
    "bc",
    "the",
    "é",
    "ﬁ",
    "①",
    "\t",
    "x",
    "中文",
    "…",
    "\u0301",
)
PARTS = (
    *SYMBOLS,
    "a",
    "b",
    " ",
    "  ",
    "c",
    "th",
    "e",
    "▁",
    "fi",
    "1",
    "中",
    ">",
    "\n",
    "unknown 漢",
    "<s>",
)
"""What texts are made of: symbols, parts of them, and neighbours."""

_LINES = [
    "the ab bc the abc",
    "the cab <P> each fi 1 > x",
    "ab the x the b c ea",
    "1 fi x < c > th ea the",
] * 5
_PLAIN: dict[str, Any] = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
SETTINGS: dict[str, dict[str, Any]] = {
    "unigram": {"vocab_size": 27},
    "unigram, plain": {"vocab_size": 27, **_PLAIN},
    "bpe": {"vocab_size": 40, "model_type": "bpe"},
    "bpe, bytes": {"vocab_size": 300, "model_type": "bpe", "byte_fallback": True, **_PLAIN},
    "bpe, no prefix": {"vocab_size": 40, "model_type": "bpe", "add_dummy_prefix": False, **_PLAIN},
}
"""Settings of trainings by name; those with bytes are those of Llama 2."""


@functools.cache
def trained(name: str) -> bytes:
    """Returns the model of a small training with one of :data:`SETTINGS`."""
    return live.trained(iter(_LINES), **SETTINGS[name])


def with_symbols(model: bytes, symbols: Iterable[str]) -> bytes:
    """Returns a model in which some texts are user-defined symbols: its own pieces, or new ones at the end."""
    wanted, out = list(dict.fromkeys(symbols)), []
    own = {
        dict(live.fields(value))[1].decode() for number, value in live.fields(model) if number == 1
    }
    for number, value in live.fields(model):
        piece = dict(live.fields(value)) if number == 1 else {}
        text = piece.get(1, b"").decode()
        out.append(
            _symbol(text, piece.get(2, 0.0)) if text in wanted else live.message(number, value)
        )
    return b"".join([*out, *(_symbol(text, 0.0) for text in wanted if text not in own)])


def _symbol(text: str, score: float) -> bytes:
    piece = live.message(1, text.encode()) + b"\x15" + struct.pack("<f", score)
    return live.message(1, piece + live.flag(3, live.USER_DEFINED))
