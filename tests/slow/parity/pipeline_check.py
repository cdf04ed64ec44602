"""Comparison of one pipeline in two implementations: runs the same actions and finds differences.

A case is a document and an action, all of it JSON:

    {"document": {...}, "action": {"do": "encode", "text": "a b", "pair": null, "add": true, ...}}

A text that is a list of words is one that was split already.
"""

import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import tokenizers

from .pipeline_documents import Json, written

ATTRIBUTES = (
    *("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask"),
    *("attention_mask", "sequence_ids", "n_sequences"),
)
MOST_OVERFLOWING, DEEPEST_OVERFLOWING = 40, 3
TRIES = 64
"""How often the library may try to give our answer, where its own answers differ."""


class Outcome(NamedTuple):
    """The outcome of a call: a value, a documented error, or a panic."""

    kind: str
    value: Any

    def __str__(self) -> str:
        return self.kind if self.kind == "value" else f"{self.kind} {self.value!r}"


class Engine(Protocol):
    """An implementation, with the methods that both share."""

    def __init__(self, text: str) -> None: ...
    @staticmethod
    def is_error(error: BaseException) -> bool: ...
    def encode(self, text: Any, pair: Any, *, add: bool) -> Any: ...
    def encode_batch(self, rows: list[Any], *, add: bool) -> list[Any]: ...
    def decode(self, ids: list[int], *, skip: bool) -> str: ...
    def token_to_id(self, token: str) -> int | None: ...
    def id_to_token(self, number: int) -> str | None: ...
    def vocab_size(self) -> int: ...


class Theirs:
    """The library `tokenizers`, which gives the expected results."""

    def __init__(self, text: str) -> None:
        self.tokenizer = tokenizers.Tokenizer.from_str(text)
        self._refuse_to_hang()

    def _refuse_to_hang(self) -> None:
        """Raises if the normalizer empties an added token, since the library would search for it forever."""
        normalizer = self.tokenizer.normalizer
        for token in self.tokenizer.get_added_tokens_decoder().values() if normalizer else ():
            if token.normalized and not normalizer.normalize_str(token.content):
                raise ValueError("would hang: an added token is normalized to nothing")

    def has_rivals(self) -> bool:
        """Returns whether added tokens have equal normalized forms; the library then picks one at random."""
        normalizer = self.tokenizer.normalizer
        tokens = self.tokenizer.get_added_tokens_decoder().values()
        contents = [token.content for token in tokens if token.normalized]
        normal = [normalizer.normalize_str(c) if normalizer else c for c in contents]
        return len(set(normal)) < len(normal)

    @staticmethod
    def is_error(error: BaseException) -> bool:
        """Returns whether an exception is an error; a panic of the library is no `Exception`."""
        return isinstance(error, Exception)

    def encode(self, text: Any, pair: Any, *, add: bool) -> Any:
        split = isinstance(text, list)
        return self.tokenizer.encode(text, pair, is_pretokenized=split, add_special_tokens=add)

    def encode_batch(self, rows: list[Any], *, add: bool) -> list[Any]:
        encodings = self.tokenizer.encode_batch(
            rows, is_pretokenized=are_split(rows), add_special_tokens=add
        )
        return list(encodings)

    def decode(self, ids: list[int], *, skip: bool) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=skip))

    def token_to_id(self, token: str) -> int | None:
        return self.tokenizer.token_to_id(token)

    def id_to_token(self, number: int) -> str | None:
        return self.tokenizer.id_to_token(number)

    def vocab_size(self) -> int:
        return int(self.tokenizer.get_vocab_size())


class Mirror(Theirs):
    """The library compared with itself: no differences, and every exception counts as an error."""

    @staticmethod
    def is_error(error: BaseException) -> bool:
        """Returns true: panics count as errors too."""
        return isinstance(error, BaseException)


class Ours:
    """Piecework."""

    def __init__(self, text: str) -> None:
        import piecework
        import piecework.hf

        with warnings.catch_warnings():
            # The ids that a random post-processor or padding inserts need not fit the vocabulary.
            warnings.filterwarnings("ignore", ".* it inserts ", piecework.errors.PieceworkWarning)
            self.tokenizer: Any = piecework.Tokenizer.from_str(text)
        self._decode = self.tokenizer.decode
        if "ByteLevel" in json.dumps(json.loads(text)["decoder"]):
            # It reads the characters of added tokens as bytes in the library, and in `piecework.hf` alone (P69).
            self._decode = piecework.hf.Tokenizer.from_str(text).decode

    @staticmethod
    def is_error(error: BaseException) -> bool:
        """Returns whether an exception is a documented error; any other counts as a panic."""
        from piecework.errors import PieceworkError

        return isinstance(error, PieceworkError)

    def encode(self, text: Any, pair: Any, *, add: bool) -> Any:
        split = {"is_pretokenized": True} if isinstance(text, list) else {}
        return self.tokenizer.encode(text, pair, add_special_tokens=add, **split)

    def encode_batch(self, rows: list[Any], *, add: bool) -> list[Any]:
        split = {"is_pretokenized": True} if are_split(rows) else {}
        batch = self.tokenizer.encode_batch(rows, add_special_tokens=add, **split)
        return [batch[row] for row in range(len(batch))]

    def decode(self, ids: list[int], *, skip: bool) -> str:
        return str(self._decode(ids, skip_special_tokens=skip))

    def token_to_id(self, token: str) -> int | None:
        found: int | None = self.tokenizer.token_to_id(token)
        return found

    def id_to_token(self, number: int) -> str | None:
        found: str | None = self.tokenizer.id_to_token(number)
        return found

    def vocab_size(self) -> int:
        return int(self.tokenizer.vocab_size)


class Facade(Theirs):
    """`piecework.hf`, called as the library is."""

    def __init__(self, text: str) -> None:
        from piecework import hf

        self.tokenizer: Any = hf.Tokenizer.from_str(text)

    @staticmethod
    def is_error(error: BaseException) -> bool:
        """Returns whether an exception is a documented error, as for piecework itself."""
        return Ours.is_error(error)


def are_split(rows: list[Any]) -> bool:
    """Returns whether the rows of a batch are lists of words, or pairs of such lists."""
    first = rows[0][0] if rows and isinstance(rows[0], tuple) else rows[0] if rows else ""
    return isinstance(first, list)


def attempt(engine: type[Engine], call: Callable[..., Any], *arguments: Any) -> Outcome:
    """Calls a function and returns the outcome; raises only for Ctrl-C."""
    try:
        return Outcome("value", call(*arguments))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a panic is no Exception)
        return Outcome("error" if engine.is_error(error) else "panic", message_of(error))


def message_of(error: BaseException) -> str:
    """Returns a message without numbers and quoted texts, so that similar messages count as one."""
    text = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`|\d+", "_", str(error).split("\n")[0])
    return f"{type(error).__name__}: {text[:110]}"


# Actions


def perform(engine: type[Engine], tokenizer: Engine, action: Json) -> dict[str, Outcome]:
    """Runs the action of a case and returns all observable results."""
    return ACTIONS[action["do"]](engine, tokenizer, action)


def _encode(engine: type[Engine], tokenizer: Engine, action: Json) -> dict[str, Outcome]:
    text, pair, add = action["text"], action["pair"], action["add"]
    encoding = attempt(engine, lambda: tokenizer.encode(text, pair, add=add))
    if encoding.kind != "value":
        return {"encoding": encoding}
    seen = view(engine, encoding.value) | helpers(engine, encoding.value, action["places"])
    ids = seen["ids"].value[:60]
    for skip in (True, False):
        decode = partial(tokenizer.decode, ids, skip=skip)
        seen[f"decode, skip {skip}"] = attempt(engine, decode)
    return seen


def _batch(engine: type[Engine], tokenizer: Engine, action: Json) -> dict[str, Outcome]:
    rows = [row[0] if row[1] is None else tuple(row) for row in action["rows"]]
    batch = attempt(engine, lambda: tokenizer.encode_batch(rows, add=action["add"]))
    if batch.kind != "value":
        return {"batch": batch}
    return {"batch": Outcome("value", [view(engine, encoding) for encoding in batch.value])}


def _decode(engine: type[Engine], tokenizer: Engine, action: Json) -> dict[str, Outcome]:
    decode = partial(tokenizer.decode, action["ids"], skip=action["skip"])
    return {"text": attempt(engine, decode)}


def _look_up(engine: type[Engine], tokenizer: Engine, action: Json) -> dict[str, Outcome]:
    tokens, ids = action["tokens"], action["ids"]
    return {
        "vocab_size": attempt(engine, tokenizer.vocab_size),
        "token_to_id": attempt(engine, lambda: [tokenizer.token_to_id(t) for t in tokens]),
        "id_to_token": attempt(engine, lambda: [tokenizer.id_to_token(i) for i in ids]),
    }


ACTIONS: dict[str, Callable[[type[Engine], Engine, Json], dict[str, Outcome]]] = {
    "encode": _encode,
    "batch": _batch,
    "decode": _decode,
    "look up": _look_up,
}


def view(engine: type[Engine], encoding: Any, depth: int = 0) -> dict[str, Outcome]:
    """Returns all columns of an encoding and of its overflowing parts."""
    seen = {name: attempt(engine, column, encoding, name) for name in ATTRIBUTES}
    overflowing = attempt(engine, column, encoding, "overflowing")
    if overflowing.kind != "value":
        return seen | {"overflowing": overflowing}
    if overflowing.value and depth < DEEPEST_OVERFLOWING:
        views = [view(engine, more, depth + 1) for more in overflowing.value[:MOST_OVERFLOWING]]
        seen["overflowing"] = Outcome("value", views)
    seen["len(overflowing)"] = Outcome("value", len(overflowing.value))
    return seen


def column(encoding: Any, name: str) -> Any:
    """Returns a column as a list, or a number unchanged."""
    value = getattr(encoding, name)
    return value if isinstance(value, int) or type(value) is list else list(value)


OF_A_SEQUENCE = ("char_to_token", "char_to_word", "word_to_chars", "word_to_tokens")
OF_A_TOKEN = ("token_to_chars", "token_to_word", "token_to_sequence")


def helpers(engine: type[Engine], encoding: Any, places: list[int]) -> dict[str, Outcome]:
    """Returns the results of the alignment methods at some positions."""
    places_of_two = [(place, sequence) for place in places for sequence in (0, 1)]
    places_of_one = [(place,) for place in places]
    return {
        **{n: attempt(engine, _answers, encoding, n, places_of_two) for n in OF_A_SEQUENCE},
        **{n: attempt(engine, _answers, encoding, n, places_of_one) for n in OF_A_TOKEN},
    }


def _answers(encoding: Any, name: str, places: list[tuple[int, ...]]) -> list[Any]:
    helper = getattr(encoding, name)
    return [helper(*place) for place in places]


# Comparison


DELIBERATE = (
    "TokenIdError: ",
    "max_length: _ is too small",
    "$.model.unk_token: the unknown token _ is not in the vocabulary",
    "SpecialToken.id: _ is not among",
)
"""Errors of ours where the library has none: ids without token, max_length below the special tokens, a WordPiece model
without its unknown token, a template with a special token that it does not list."""


class Finding(NamedTuple):
    """A difference, or (`is_fault` false) a note about the library's behaviour."""

    what: str
    theirs: Any
    ours: Any
    is_fault: bool = True

    @property
    def kind(self) -> str:
        """Returns the property that shrinking a case keeps: a difference, a panic, a message."""
        return self.what.rsplit(": ", 1)[-1][:30]


def findings(theirs: Mapping[str, Outcome], ours: Mapping[str, Outcome]) -> Iterator[Finding]:
    """Iterates over the differences between the outcomes of two engines."""
    if "encoding" in theirs or "encoding" in ours:  # one of them has no columns to compare
        theirs = {"encoding": theirs.get("encoding", Outcome("value", "an encoding"))}
        ours = {"encoding": ours.get("encoding", Outcome("value", "an encoding"))}
    for name, wanted in theirs.items():
        yield from _findings(name, wanted, ours.get(name, Outcome("value", "nothing")))


def _findings(name: str, wanted: Outcome, found: Outcome) -> Iterator[Finding]:
    if wanted == found and found.kind == "value":
        return
    if found.kind == "panic":
        yield Finding(f"{name}: ours panics", wanted.value, found.value)
    elif wanted.kind != "value":
        note = f"{name}: theirs {wanted}; ours {found.kind}"
        yield Finding(note, wanted.value, found.value, is_fault=False)
    elif found.kind == "error":
        refused = any(message in found.value for message in DELIBERATE)
        yield Finding(f"{name}: ours {found}", wanted.value, found.value, is_fault=not refused)
    elif _are_views(wanted.value) and _are_views(found.value):
        for number, (one, other) in enumerate(zip(wanted.value, found.value, strict=False)):
            for finding in findings(one, other):
                yield finding._replace(what=f"{name} {number} {finding.what}")
        if len(wanted.value) != len(found.value):
            yield Finding(f"{name}: how many", len(wanted.value), len(found.value))
    else:
        yield Finding(f"{name}: differs", wanted.value, found.value)


def _are_views(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


class Pair:
    """A document loaded by both engines."""

    def __init__(self, document: Json, data: Path | None, ours: type[Engine] = Ours) -> None:
        self.document, self.data, self.engine = document, data, ours
        self.text = written(document, data)
        self.theirs = attempt(Theirs, lambda: Theirs(self.text))
        self.ours = attempt(ours, lambda: ours(self.text))

    @property
    def is_loaded(self) -> bool:
        """Returns whether both engines loaded the document."""
        return self.theirs.kind == self.ours.kind == "value"

    def loading(self) -> list[Finding]:
        """Returns the findings of loading."""
        if self.is_loaded:
            return []
        states = [
            o._replace(value="") if o.kind == "value" else o for o in (self.theirs, self.ours)
        ]
        return list(_findings("load", *states))

    def check(self, action: Json) -> list[Finding]:
        """Returns the findings of an action; the library is asked repeatedly if its answer varies."""
        ours = perform(self.engine, self.ours.value, action)
        theirs = perform(Theirs, self.theirs.value, action)
        found = list(findings(theirs, ours))
        if any(finding.is_fault for finding in found) and self._varies(action, ours):
            note = "theirs has several answers, ours is one of them"
            return [Finding(note, None, None, is_fault=False)]
        return found

    def _varies(self, action: Json, ours: Mapping[str, Outcome]) -> bool:
        """Repeats the action, since the order of the library's hash tables varies from run to run."""
        theirs = self.theirs.value
        for _ in range(TRIES):
            theirs = Theirs(self.text) if theirs.has_rivals() else theirs
            again = perform(Theirs, theirs, action)
            if not any(finding.is_fault for finding in findings(again, ours)):
                return True
        return False


def check(case: Json, data: Path | None, ours: type[Engine] = Ours) -> list[Finding]:
    """Loads the document of a case and returns all findings."""
    pair = Pair(case["document"], data, ours)
    if not pair.is_loaded or case["action"] is None:
        return pair.loading()
    return pair.check(case["action"])
