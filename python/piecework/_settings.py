"""Settings that are checked when they are made, and that read and write as JSON.

A class says what each of its fields takes once, by a `Kind`; checking arguments, reading JSON and writing it follow.
"""

from __future__ import annotations

import contextlib
import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

from piecework._immutable import Immutable
from piecework.errors import ConfigError, FormatError, VocabularyError, hint, shown, to_utf8

ID_LIMIT = 1 << 32
"""Ids, and whatever else the core holds in 32 bits, lie below."""


class Mismatch(Exception):  # noqa: N818  # it becomes an error of ours before anyone sees it
    """A value that is not what it should be, its path below what is being read, and the error if that is a file's."""

    def __init__(self, message: str, path: str = "", kind: type[FormatError] = FormatError) -> None:
        super().__init__(message)
        self.message, self.path, self.kind = message, path, kind

    def under(self, path: str) -> Mismatch:
        """Give the same one as seen from further above."""
        return Mismatch(self.message, path + self.path, self.kind)

    def error(self, root: str = "$") -> FormatError:
        """Give the error for people."""
        return self.kind(f"{root}{self.path}: {self.message}")


@contextlib.contextmanager
def under(path: str) -> Iterator[None]:
    """Add where one stands in what is read to a mismatch from further below."""
    try:
        yield
    except Mismatch as error:
        raise error.under(path) from None


class Kind:
    """What a field takes; this one takes everything."""

    def check(self, value: Any) -> Any:
        """Give an argument as it is kept, or raise `Mismatch`."""
        return value

    def read(self, data: Any) -> Any:
        """Give a JSON value as it is kept, or raise `Mismatch`."""
        return self.check(data)

    def write(self, value: Any) -> Any:
        """Give what is kept as JSON."""
        return value


class Flag(Kind):
    """A boolean."""

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise Mismatch(f"expected a boolean, found {shown(value)}")
        return value


class Text(Kind):
    """A string, of at least so many characters and at most so many."""

    def __init__(self, least: int = 0, most: int | None = None) -> None:
        self.least, self.most = least, most

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise Mismatch(f"expected a string, found {shown(value)}")
        if self.most is not None and len(value) > self.most:
            raise Mismatch(f"expected one character, found {shown(value)}")
        if len(value) < self.least:
            raise Mismatch("expected a string, found an empty one")
        to_utf8(value)
        return value


class Number(Kind):
    """An integer from `least` on, under `limit`."""

    def __init__(self, least: int = 0, limit: int = ID_LIMIT) -> None:
        self.least, self.limit = least, limit

    def check(self, value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            number = None
        if number is None or isinstance(value, bool) or not self.least <= number < self.limit:
            wanted = f"an integer from {self.least} to under 2^{self.limit.bit_length() - 1}"
            if self.limit == self.least + 1:
                wanted = str(self.least)
            raise Mismatch(f"expected {wanted}, found {shown(value)}")
        return number


class Probability(Kind):
    """A number from 0 to 1."""

    def check(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise Mismatch(f"expected a number from 0 to 1, found {shown(value)}")
        return float(value)


class Choice(Kind):
    """One of several names, each with the name that JSON has for it."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.back = {name: own for own, name in names.items()}

    def check(self, value: Any) -> str:
        _one_of(value, self.names)
        return str(value)

    def read(self, data: Any) -> str:
        _one_of(data, self.back)
        return self.back[data]

    def write(self, value: str) -> str:
        return self.names[value]


class Maybe(Kind):
    """None, or what another kind takes."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def check(self, value: Any) -> Any:
        return None if value is None else self.kind.check(value)

    def read(self, data: Any) -> Any:
        return None if data is None else self.kind.read(data)

    def write(self, value: Any) -> Any:
        return None if value is None else self.kind.write(value)


class ListOf(Kind):
    """A list of what another kind takes, kept as a tuple."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def check(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise Mismatch(f"expected a list, found {shown(value)}")
        return self._each(self.kind.check, value)

    def read(self, data: Any) -> tuple[Any, ...]:
        return self._each(self.kind.read, items(data))

    def write(self, value: tuple[Any, ...]) -> list[Any]:
        return [self.kind.write(item) for item in value]

    def _each(self, take: Callable[[Any], Any], values: Iterable[Any]) -> tuple[Any, ...]:
        taken: list[Any] = []
        try:
            for value in values:
                taken.append(take(value))  # noqa: PERF401  # how many there are says where it failed
        except Mismatch as error:
            raise error.under(f"[{len(taken)}]") from None
        return tuple(taken)


FLAG = Flag()
TEXT = Text()
CHARACTER = Text(1, 1)
NUMBER = Number()
PROBABILITY = Probability()
SIZE_LIMIT = 1 << 64
"""Lengths, and whatever else the core holds in 64 bits, lie below."""
SIZE = Number(0, SIZE_LIMIT)
LENGTH = Number(1, SIZE_LIMIT)


def takes(kind: Kind, member: str | None = None, *, may_lack: bool = False) -> dict[str, Any]:
    """Give the metadata of a field: what it takes, its member in JSON, and whether JSON may lack that."""
    return {"kind": kind, "member": member, "may_lack": may_lack}


class Settings(Immutable):
    """The base of frozen dataclasses whose fields say what they take."""

    accepted: ClassVar[tuple[str, ...]] = ()
    """Members of the JSON that are there for others, and are passed over."""

    def __post_init__(self) -> None:
        """Check the fields."""
        self._fill(**{f.name: getattr(self, f.name) for f in _fields(self)})

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as ``tokenizer.json`` writes them.

        Returns:
            A dictionary of JSON values.
        """
        return self._write()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make what :meth:`to_dict` wrote.

        Args:
            data: A dictionary of JSON values.

        Returns:
            The settings.

        Raises:
            FormatError: It is not what it should be; the message has the JSON path.
        """
        try:
            return cls._read(data)
        except Mismatch as error:
            raise error.error() from None
        except RecursionError:
            raise FormatError("$: nested too deeply") from None

    def _fill(self, **given: Any) -> None:
        """Set the fields, checked: frozen or not, this is where they are made."""
        for f in _fields(self):
            try:
                value = _kind(f).check(given[f.name])
            except Mismatch as error:
                raise ConfigError(f"{f.name}{error.path}: {error.message}") from None
            object.__setattr__(self, f.name, value)

    def _write(self) -> dict[str, Any]:
        return {_member(f): _kind(f).write(getattr(self, f.name)) for f in _fields(self)}

    @classmethod
    def _read(cls, data: Any) -> Self:
        data = cls._current(members(data))
        known = [_member(f) for f in _fields(cls)]
        for name in data:
            if name not in known and name not in cls.accepted:
                raise Mismatch(f"the member {shown(name)} is unknown{hint(name, known)}")
        given = {f.name: _read_member(f, data) for f in _fields(cls) if _is_there(f, data)}
        try:
            return cls(**given)
        except (ConfigError, VocabularyError) as error:
            raise Mismatch(str(error)) from None

    @classmethod
    def _current(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Give JSON of an older form in the present one."""
        return data


def members(data: Any) -> dict[str, Any]:
    """Give the members of a JSON object."""
    if not isinstance(data, Mapping):
        raise Mismatch(f"expected an object, found {shown(data)}")
    return dict(data)


def items(data: Any) -> list[Any]:
    """Give the items of a JSON array."""
    if not isinstance(data, list | tuple):
        raise Mismatch(f"expected an array, found {shown(data)}")
    return list(data)


def _one_of(value: Any, names: Iterable[str]) -> None:
    names = list(names)
    if not isinstance(value, str) or value not in names:
        listed = " or ".join([", ".join(map(repr, names[:-1])), repr(names[-1])])
        raise Mismatch(f"expected {listed}, found {shown(value)}{hint(value, names)}")


def _fields(settings: object) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(settings)  # type: ignore[arg-type]  # all of them are dataclasses


_ANYTHING = Kind()


def _kind(field: dataclasses.Field[Any]) -> Kind:
    kind: Kind = field.metadata.get("kind", _ANYTHING)
    return kind


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
        return _kind(field).read(data[name])
