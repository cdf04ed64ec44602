"""Compares `piecework.hf` with the module `tokenizers`: the same expression is evaluated with the names of both."""

import json
import re
import warnings
from types import ModuleType
from typing import Any

import tokenizers

import piecework.hf

THEIRS: ModuleType = tokenizers
OURS: ModuleType = piecework.hf
MODULES = ("decoders", "models", "normalizers", "pre_tokenizers", "processors", "trainers")
NAMES = (
    "AddedToken",
    "Encoding",
    "NormalizedString",
    "PreTokenizedString",
    "Regex",
    "Token",
    "Tokenizer",
)
COLUMNS = (
    "ids",
    "type_ids",
    "tokens",
    "offsets",
    "attention_mask",
    "special_tokens_mask",
    "word_ids",
    "sequence_ids",
    "n_sequences",
)
TEXTS = (
    "",
    "Hello, world! It's 3.14 o'clock.",
    "Zürich — 你好 été ﬁve",
    "  spaces   here \n\n tab\t",
    "<s> [CLS] hi [SEP] </s> <|endoftext|> <unk>",
    "a" * 100,
    "I  don't   know 12345 😀 ñ",
    "def f(x): return x + 1\r\n",
)
"""Texts for tokenizers of all kinds."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def names(module: ModuleType) -> dict[str, Any]:
    """Returns the names that expressions may use."""
    found = {name: getattr(module, name) for name in MODULES + NAMES}
    return found | {"json": json, "m": module}


def evaluated(module: ModuleType, expression: str) -> Any:
    """Returns the value of an expression; of several joined by ``;``, the earlier ones are statements."""
    scope = names(module)
    *statements, last = expression.split("; ")
    for statement in statements:
        exec(statement, scope)  # the expressions of the tests
    return eval(last, scope)


def outcome(module: ModuleType, expression: str) -> Any:
    """Returns the plain value of an expression, or the exception that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(evaluated(module, expression))
        except BaseException as error:  # noqa: BLE001  # a panic of theirs is no Exception
            return error


def plain(value: Any) -> Any:
    """Returns a value in a form that both modules share."""
    if isinstance(value, OURS.Encoding | THEIRS.Encoding):
        return json.loads(value.__getstate__())
    if isinstance(value, OURS.Token | THEIRS.Token):
        return value.as_tuple()
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    if value is None or isinstance(value, str | bytes | int | float):
        return value
    return _ADDRESS.sub("", repr(value)).replace("piecework.hf", "tokenizers")


def check_same(expression: str) -> None:
    """Checks that an expression has the same value, or raises the same kind of exception."""
    theirs, ours = outcome(THEIRS, expression), outcome(OURS, expression)
    if type(theirs).__name__ == "PanicException":
        return  # a bug of theirs
    if not isinstance(theirs, BaseException):
        assert ours == theirs
        return
    assert isinstance(ours, Exception), f"expected {theirs!r}, found {ours!r}"
    kind = type(theirs)
    if kind is not Exception and kind.__module__ == "builtins":
        assert isinstance(ours, kind), f"expected {theirs!r}, found {ours!r}"


def check_encodings(theirs: Any, ours: Any) -> None:
    """Checks that two encodings have the same columns and overflowing parts."""
    for name in COLUMNS:
        assert getattr(ours, name) == getattr(theirs, name), name
    assert len(ours) == len(theirs)
    states = ours.__getstate__(), theirs.__getstate__()
    # Members may be in another order; parsing hundreds of overflowing parts takes most of the time of a test.
    assert states[0] == states[1] or json.loads(states[0]) == json.loads(states[1])


def check_maps(theirs: Any, ours: Any, characters: int) -> None:
    """Checks the methods that map characters, tokens and words to each other."""
    for sequence in (0, 1):
        for place in range(characters + 2):
            for name in ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars"):
                wanted = getattr(theirs, name)(place, sequence)
                assert getattr(ours, name)(place, sequence) == wanted, (name, place, sequence)
    for token in range(len(theirs) + 2):
        for name in ("token_to_chars", "token_to_word", "token_to_sequence"):
            assert getattr(ours, name)(token) == getattr(theirs, name)(token), (name, token)
