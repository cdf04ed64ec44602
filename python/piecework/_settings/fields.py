"""Defines settings that are checked on creation, and read and written as JSON.

A class declares the `Kind` of each field once, if its type does not say it; checking arguments, reading and writing JSON
follow from it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Real
from typing import Any, ClassVar, Self, get_args

from piecework._exceptions import from_surrogate
from piecework._messages import did_you_mean, shown
from piecework._settings import choices
from piecework._settings.immutable import Immutable
from piecework.errors import ConfigError, FormatError, PieceworkError, VocabularyError

ID_LIMIT = 1 << 32
"""The exclusive upper limit of ids and of other numbers that the core stores in 32 bits."""


class Mismatch(Exception):  # noqa: N818  # converted to a PieceworkError before users see it
    """Reports an invalid value, with its relative JSON path and the error to raise for a file."""

    def __init__(
        self,
        message: str,
        path: str = "",
        kind: type[FormatError] = FormatError,
        *,
        hint: str | None = None,
        surrogate: UnicodeEncodeError | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.path, self.kind, self.hint = message, path, kind, hint
        self.surrogate = surrogate

    def under(self, path: str) -> Mismatch:
        """Returns the mismatch with a path prepended to its own."""
        path += self.path
        return Mismatch(self.message, path, self.kind, hint=self.hint, surrogate=self.surrogate)

    def error(self, root: str = "$") -> PieceworkError:
        """Returns the public error for a value of a file."""
        place = f"{root}{self.path}: "
        if self.surrogate:
            return from_surrogate(self.surrogate, place)
        return self.kind(self.message, hint=self.hint, place=place)

    def setting_error(self, name: str) -> PieceworkError:
        """Returns the public error for an argument."""
        setting = f"{name}{self.path}"
        if self.surrogate:
            return from_surrogate(self.surrogate, setting=setting)
        return ConfigError(self.message, setting=setting, hint=self.hint)


@contextlib.contextmanager
def under(path: str) -> Iterator[None]:
    """Prepends a path to mismatches that are raised in the block."""
    try:
        yield
    except Mismatch as error:
        raise error.under(path) from None


class Kind:
    """Checks, reads and writes the values of a field; the base accepts every value."""

    def check(self, value: Any) -> Any:
        """Returns the field value of an argument, or raises `Mismatch`."""
        return value

    def read(self, data: Any) -> Any:
        """Returns the field value of a JSON value, or raises `Mismatch`."""
        return self.check(data)

    def write(self, value: Any) -> Any:
        """Returns the JSON value of a field value."""
        return value


class Flag(Kind):
    """Checks a boolean."""

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise Mismatch(f"expected a boolean, found {shown(value)}")
        return value


class Text(Kind):
    """Checks a string of at least `least` and at most `most` characters."""

    def __init__(self, least: int = 0, most: int | None = None) -> None:
        self.least, self.most = least, most

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise Mismatch(f"expected a string, found {shown(value)}")
        if self.most is not None and len(value) > self.most:
            raise Mismatch(f"expected one character, found {shown(value)}")
        if len(value) < self.least:
            raise Mismatch("expected a string, found an empty one")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise Mismatch(error.reason, surrogate=error) from None
        return value


class Number(Kind):
    """Checks an integer from `least` to below `limit`."""

    def __init__(self, least: int = 0, limit: int = ID_LIMIT) -> None:
        self.least, self.limit = least, limit

    def check(self, value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            number = None
        if number is None or isinstance(value, bool) or not self.least <= number < self.limit:
            expected = f"an integer from {self.least} to under 2^{self.limit.bit_length() - 1}"
            if self.limit == self.least + 1:
                expected = str(self.least)
            raise Mismatch(f"expected {expected}, found {shown(value)}")
        return number


class Probability(Kind):
    """Checks a number from 0 to 1."""

    def check(self, value: Any) -> float:
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= 1:
            raise Mismatch(f"expected a number from 0 to 1, found {shown(value)}")
        return float(value)


class Choice(Kind):
    """Checks one of several names, each with its name in JSON."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.back = {name: own for own, name in names.items()}

    @classmethod
    def of(cls, literal: object) -> Choice:
        """Returns the choice of the names of a `Literal`, which JSON contains unchanged."""
        return cls({name: name for name in get_args(literal)})

    def check(self, value: Any) -> str:
        _one_of(value, self.names)
        return str(value)

    def read(self, data: Any) -> str:
        _one_of(data, self.back)
        return self.back[data]

    def write(self, value: str) -> str:
        return self.names[value]


class Maybe(Kind):
    """Checks None, or a value of another kind."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def check(self, value: Any) -> Any:
        return None if value is None else self.kind.check(value)

    def read(self, data: Any) -> Any:
        return None if data is None else self.kind.read(data)

    def write(self, value: Any) -> Any:
        return None if value is None else self.kind.write(value)


class ListOf(Kind):
    """Checks a list of values of another kind, stored as a tuple."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def check(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise Mismatch(f"expected a list, found {shown(value)}")
        return tuple(each(self.kind.check, value))

    def read(self, data: Any) -> tuple[Any, ...]:
        return tuple(each(self.kind.read, items(data)))

    def write(self, value: tuple[Any, ...]) -> list[Any]:
        return [self.kind.write(item) for item in value]


def each(take: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    """Returns the results of a check for each value; a mismatch gets the index of its value."""
    results: list[Any] = []
    try:
        for value in values:
            results.append(take(value))  # noqa: PERF401  # the length is the index of the failure
    except Mismatch as error:
        raise error.under(f"[{len(results)}]") from None
    return results


FLAG = Flag()
TEXT = Text()
CHARACTER = Text(1, 1)
NUMBER = Number()
PROBABILITY = Probability()
SIZE_LIMIT = 1 << 64
"""The exclusive upper limit of lengths and of other numbers that the core stores in 64 bits."""
SIZE = Number(0, SIZE_LIMIT)
LENGTH = Number(1, SIZE_LIMIT)


_KINDS: dict[str, Kind] = {
    "bool": FLAG,
    "bool | None": Maybe(FLAG),
    "str": TEXT,
    "str | None": Maybe(TEXT),
    "tuple[str, ...]": ListOf(TEXT),
    **{name: Choice.of(words) for name, words in vars(choices).items() if get_args(words)},
}
"""The kinds of fields that declare none, by their types, of which public modules import some as `_choices`."""


def takes(
    kind: Kind | None = None, member: str | None = None, *, may_lack: bool = False
) -> dict[str, Any]:
    """Returns the metadata of a field: its kind, its member in JSON, and whether JSON may lack that member."""
    return {"kind": kind, "member": member, "may_lack": may_lack}


class Settings(Immutable):
    """Serves as the base of frozen dataclasses, which check their fields by kinds."""

    accepted: ClassVar[tuple[str, ...]] = ()
    """The members of JSON that are ignored, since other readers use them."""

    def __post_init__(self) -> None:
        """Checks the fields."""
        self._fill(**{f.name: getattr(self, f.name) for f in _fields(self)})

    def to_dict(self) -> dict[str, Any]:
        """Returns the settings as JSON values, as in a ``tokenizer.json``.

        Returns:
            A dictionary of JSON values.
        """
        return self._write()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Returns the settings of JSON values that :meth:`to_dict` returned.

        Args:
            data: A dictionary of JSON values.

        Returns:
            The settings.

        Raises:
            FormatError: The data is invalid; the message contains the JSON path.
        """
        try:
            return cls._read(data)
        except Mismatch as error:
            raise error.error() from None
        except RecursionError:
            raise FormatError("$: nested too deeply") from None

    def _fill(self, **given: Any) -> None:
        """Checks and sets the fields, bypassing the immutability."""
        for f in _fields(self):
            try:
                value = _kind(f).check(given[f.name])
            except Mismatch as error:
                raise error.setting_error(f.name) from None
            object.__setattr__(self, f.name, value)

    def _write(self) -> dict[str, Any]:
        return {_member(f): _kind(f).write(getattr(self, f.name)) for f in _fields(self)}

    @classmethod
    def _read(cls, data: Any) -> Self:
        data = cls._current(members(data))
        known = [_member(f) for f in _fields(cls)]
        for name in data:
            if name not in known and name not in cls.accepted:
                raise Mismatch(
                    f"the member {shown(name)} is unknown", hint=did_you_mean(name, known)
                )
        given = {f.name: _read_member(f, data) for f in _fields(cls) if _is_there(f, data)}
        try:
            return cls(**given)
        except (ConfigError, VocabularyError) as error:
            setting = f"{error.setting}: " if error.setting else ""
            raise Mismatch(f"{setting}{error.problem}", hint=error.hint) from None

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns members of an older form in the current form."""
        return data


def members(data: Any) -> dict[str, Any]:
    """Returns the members of a JSON object."""
    if not isinstance(data, Mapping):
        raise Mismatch(f"expected an object, found {shown(data)}")
    return dict(data)


def items(data: Any) -> list[Any]:
    """Returns the items of a JSON array."""
    if not isinstance(data, list | tuple):
        raise Mismatch(f"expected an array, found {shown(data)}")
    return list(data)


def _one_of(value: Any, names: Iterable[str]) -> None:
    names = list(names)
    if not isinstance(value, str) or value not in names:
        listed = " or ".join([", ".join(map(repr, names[:-1])), repr(names[-1])])
        raise Mismatch(f"expected {listed}, found {shown(value)}", hint=did_you_mean(value, names))


def _fields(settings: object) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(settings)  # type: ignore[arg-type]  # all of them are dataclasses


def _kind(field: dataclasses.Field[Any]) -> Kind:
    kind: Kind | None = field.metadata.get("kind")
    return _KINDS[str(field.type).removeprefix("_choices.")] if kind is None else kind


def _member(field: dataclasses.Field[Any]) -> str:
    return field.metadata.get("member") or field.name


def _is_there(field: dataclasses.Field[Any], data: Mapping[str, Any]) -> bool:
    if _member(field) in data:
        return True
    if field.metadata.get("may_lack") or isinstance(_kind(field), Maybe):
        return False
    raise Mismatch(f"the member {_member(field)!r} is missing")


def _read_member(field: dataclasses.Field[Any], data: Mapping[str, Any]) -> Any:
    name = _member(field)
    with under(f".{name}"):
        try:
            return _kind(field).read(data[name])
        except VocabularyError as error:
            raise Mismatch(error.problem, hint=error.hint) from None
