"""Checks arguments of the methods of a tokenizer."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, Literal, get_args

from piecework import _core
from piecework._exceptions import to_utf8
from piecework._messages import did_you_mean, shown, with_hint, wrong_type
from piecework._settings.arguments import Specials, as_column, check_index, check_iterable
from piecework._settings.choices import SegmentSpecials, SpecialsWord
from piecework._settings.limiting import NESTING, check, limit, values_with
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from piecework._core import ArrowTexts
    from piecework._settings.added_tokens import AddedToken
    from piecework._settings.arguments import Stops
    from piecework._settings.token_runs import TokenRun
    from piecework.tokenizer._batch import EncodedBatch
    from piecework.tokenizer._formats.detect import Format

NO_LIMIT = (1 << 32) - 1
"""The value of `max_input_chars_per_word` in a tokenizer.json, which requires a number, that means "no limit"."""
TEXT_TYPES = (str, bytes, bytearray, memoryview)
REFUSED_IN_SEGMENT = (
    'pass `specials="text-all"` to encode it as ordinary text, or mark the segment as trusted'
)
"""What to do about a token in an untrusted segment."""

_TEXTS = "an iterable of texts"
_AddedTuple = tuple[str, bool, bool, bool, bool, bool]
_FLAGS: Callable[[AddedToken], _AddedTuple] = operator.attrgetter(
    "content", "single_word", "lstrip", "rstrip", "normalized", "special"
)


def added_runs(name: str, tokens: Iterable[str | AddedToken], special: bool) -> list[TokenRun]:
    """Returns the added tokens in the argument `name`: runs of equal flags, and the texts of each.

    With `special` all are special, also those with flags.
    """
    from piecework._settings.added_tokens import checked_tokens
    from piecework._settings.token_runs import runs_of

    plain = (False, False, False, not special, special)
    if isinstance(tokens, list) and set(map(type, tokens)) == {str}:
        runs = [(plain, tokens)]
    else:
        given = checked_tokens(name, tokens)
        flagged = (
            _as_special(each) if special and not isinstance(each, str) else each for each in given
        )
        runs = runs_of(
            (each, *plain) if isinstance(each, str) else _FLAGS(each) for each in flagged
        )
    for _, texts in runs:
        if not "".join(texts).isascii():
            for text in texts:
                to_utf8(text)  # raises on surrogates
    return runs


def _as_special(token: AddedToken) -> AddedToken:
    """Returns a token as a special one, which is matched in the text before normalization."""
    from dataclasses import replace

    return token if token.special else replace(token, special=True, normalized=False)


def checked_part(name: str, part: Any, base: type[Any]) -> Any:
    """Returns a stage or a model, or raises TypeError unless it is a `base`."""
    if not isinstance(part, base):
        from piecework._settings.component import wrong_stage

        is_path = name == "model" and isinstance(part, str | os.PathLike)
        hint = "call Tokenizer.from_file to load a file" if is_path else None
        raise wrong_stage(name, part, base.__module__, hint=hint)
    return part


def checked_probabilities(given: Any) -> Mapping[str, float] | None:
    """Returns checked probabilities; the core checks that the tokens are in the vocabulary."""
    from collections import abc

    if given is None:
        return None
    if not isinstance(given, abc.Mapping):
        raise ConfigError(
            f"expected a mapping of tokens to numbers, found {shown(given)}",
            setting="probabilities",
        )
    for token, probability in given.items():
        checked_text("probabilities", token)
        check_probability(f"probabilities: {shown(token)}", probability)
    return dict(given)


def check_file(kind: Format | Literal["json"], data: bytes, place: str = "") -> None:
    """Raises LimitError for a file that is larger than the loader that runs allows, before it is read."""
    nesting = limit("nesting")
    if nesting is None:
        return
    for name, size in _core.file_sizes(kind, data):
        found = values_with(place, size) if name == "values" else size
        # The parser itself refuses what nobody can allow.
        if name != "nesting" or nesting < NESTING:
            check(name, found, place)


def checked_text(name: str, text: object) -> str:
    """Returns an argument that is a ``str`` without surrogates, or raises an error that names it."""
    if not isinstance(text, str):
        raise ConfigError(f"expected a str, found {shown(text)}", setting=name)
    to_utf8(text)
    return text


def checked_limit(limit: Any) -> int | None:
    """Returns a maximum word length; None for no limit."""
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit < 1 << 63
    ):
        raise ConfigError(
            f"expected an integer from 0 on or None, found {shown(limit)}",
            setting="max_input_chars_per_word",
        )
    return None if limit is None or limit >= NO_LIMIT else limit


def checked_specials(tokens: Mapping[str, int]) -> dict[str, int]:
    """Returns checked special tokens and their ids."""
    from collections import abc

    if not isinstance(tokens, abc.Mapping):
        raise wrong_type("special_tokens", "a mapping of tokens to ids", tokens)
    for token, number in tokens.items():
        checked_text("special_tokens: a token", token)
        if not is_integer(number, 0, NO_LIMIT):
            raise ConfigError(
                f"the id of {shown(token)} is {shown(number)}; expected an integer from 0 to 2^32 - 1",
                setting="special_tokens",
            )
    return dict(tokens)


def check_probability(name: str, value: Any) -> None:
    """Raises ConfigError unless a value is None or a number from 0 to 1."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 <= value <= 1):
        raise ConfigError(f"{name}: expected a number from 0 to 1, or None, found {shown(value)}")


def is_integer(value: Any, least: int, most: int) -> bool:
    """Returns whether a value is an integer (NumPy's included) from `least` to `most`."""
    try:
        return least <= operator.index(value) <= most
    except TypeError:
        return False


def first_few(tokens: Sequence[str]) -> str:
    """Returns the first few tokens for a message."""
    return ", ".join([*map(shown, tokens[:3]), *(["..."] if len(tokens) > 3 else [])])


def listed_texts(texts: Any, is_pretokenized: bool) -> Sequence[Any] | ArrowTexts:
    """Returns texts that can be iterated again: a list, or an Arrow column without a copy."""
    if isinstance(texts, TEXT_TYPES):
        kind = type(texts).__name__
        hint = "pass [text], or call encode; for a file pass piecework.Corpus(path)"
        raise TypeError(f"texts must be an iterable of texts, not one {kind}; {hint}")
    if is_pretokenized:
        return [_copied(text) for text in check_iterable("texts", texts, _TEXTS)]
    column = as_column(texts)
    return list(check_iterable("texts", texts, _TEXTS)) if column is None else column


def listed_segments(rows: Any) -> list[Any]:
    """Returns texts in segments that can be iterated again; the core checks the segments."""
    from collections import abc

    expected = "an iterable of texts, each an iterable of pairs (text, trusted)"
    each = check_iterable("rows", rows, expected)
    return [list(row) if isinstance(row, abc.Iterable) else row for row in each]


def _copied(text: Any) -> Any:
    """Returns a copy of a text in words, or of a pair, that later changes by the caller do not affect."""
    if isinstance(text, tuple):
        return tuple(list(part) if isinstance(part, list) else part for part in text)
    return list(text) if isinstance(text, list) else text


def frozen_specials(specials: Specials | None) -> Specials | None:
    """Returns an immutable copy of `specials`."""
    if specials is None or isinstance(specials, str):
        return specials
    try:
        return frozenset(specials)
    except TypeError:
        words = ", ".join(f'"{word}"' for word in get_args(SpecialsWord))
        expected = f"None, {words} or a set of special tokens, each a str"
        raise wrong_type("specials", expected, specials) from None


def as_stops(stop: Stops) -> list[Any]:
    """Returns stops in a list; the core checks each."""
    if isinstance(stop, str) or hasattr(stop, "__index__"):
        return [stop]
    if isinstance(stop, bytes | bytearray):
        raise wrong_type("stop", "strings and token ids", stop)
    return list(check_iterable("stop", stop, "strings and token ids"))


def ids_before(after: Iterable[int]) -> list[int]:
    """Returns the ids before a stream in a list."""
    each = check_iterable("after", after, "token ids")
    return [check_index("after", number) for number in each]


def checked_segment_specials(specials: Any) -> SegmentSpecials:
    """Returns a checked treatment of added tokens in untrusted segments."""
    words = get_args(SegmentSpecials)
    if specials not in words:
        expected = ", ".join(f'"{word}"' for word in words[:-1])
        message = f'expected {expected} or "{words[-1]}", found {shown(specials)}'
        hint = "trusted segments match all added tokens; `tok.untrusted(keep=[...])` allows some in others"
        raise ConfigError(message, setting="specials", hint=hint)
    word: SegmentSpecials = specials
    return word


def rows_of(batch: EncodedBatch | Iterable[Iterable[int]]) -> Iterable[Iterable[int]]:
    """Returns the rows of token ids."""
    from piecework.tokenizer._batch import EncodedBatch

    if isinstance(batch, EncodedBatch):
        return batch._batch  # type: ignore[return-value]  # the core reads its rows
    return check_iterable("batch", batch, "EncodedBatch or an iterable of rows of token ids")


def refuse_unknown(settings: Any, known: frozenset[str], what: str) -> None:
    """Raises TypeError for settings that are not known, with the closest known name."""
    for name in settings:
        if name not in known:
            from piecework.tokenizer._other_names import OPTIONS

            names = sorted(known)
            similar = OPTIONS.get(name) or did_you_mean(name, names)
            advice = similar or f"expected one of {', '.join(names)}"
            raise TypeError(f"{shown(name)} is not among {what}; {advice}")


def refuse(settings: Any, names: Iterable[str], why: str) -> None:
    """Raises ConfigError if one of `names` is among the settings."""
    for name in names:
        if name in settings:
            raise ConfigError(f"cannot be given: {why}", setting=name)


def read_only(view: object, name: str) -> str:
    """Returns the error for an assignment to an attribute of a view of a tokenizer."""
    kind, known = type(view).__name__, [own for own in dir(view) if not own.startswith("_")]
    if name in known or name.startswith("_"):
        return f"{kind} is read-only"
    return with_hint(f"{kind} has no attribute of this name", did_you_mean(name, known))
