"""Defines the base of all components: mutable settings whose state is a member of a tokenizer.json."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from piecework._messages import shown
from piecework.hf._arguments import is_of_tokenizers, listed, unsigned
from piecework.hf._declared import DeclaredSettings
from piecework.tokenizer._formats.own import PIECEWORK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_counter = itertools.count(1)
_latest = [0]
"""The number of the last change of any component; tokenizers compare it before they compare states."""


def revision() -> int:
    """Returns the number of the last change of any component."""
    return _latest[0]


def changes() -> None:
    """Records that a component has changed."""
    _latest[0] = next(_counter)


def dumps(state: Any) -> str:
    """Returns compact JSON, as in a tokenizer.json."""
    return json.dumps(state, ensure_ascii=False, separators=(",", ":"))


def loads(text: str | bytes) -> Any:
    """Returns the values of JSON.

    Raises:
        ValueError: It is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


class Component(DeclaredSettings):
    """Holds the settings of a component, of which a subclass has one attribute each."""

    __slots__ = ("_custom",)

    _type_name: ClassVar[str]
    _kind: ClassVar[str]

    def __init__(self) -> None:
        """Refuses to create a base class."""
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        raise TypeError(f"cannot create {name!r} instances; create one of its subclasses")

    def _set(self, values: dict[str, Any], custom: Any = None) -> None:
        """Takes checked settings, and an object of the caller that the component calls."""
        super()._set(values)
        self._custom = custom

    def _change(self, member: str, value: Any) -> None:
        """Takes a new value of a setting, in all tokenizers that the component is part of."""
        super()._change(member, value)
        changes()

    def _write(self) -> dict[str, Any]:
        """Returns the state as JSON values."""
        if self._custom is not None:
            raise Exception(f"Custom {self._kind} cannot be serialized")  # as tokenizers
        return {"type": self._type_name} | self._values

    @classmethod
    def _kinds(cls) -> dict[str, type[Self]]:
        """Returns the classes of a stage by the types of their states."""
        return {kind._type_name: kind for kind in cls.__subclasses__()}

    @classmethod
    def _read(cls, state: dict[str, Any]) -> Self:
        """Returns the component of a state, of the subclass that its type names."""
        kinds = cls._kinds()
        name = str(state.get("type", ""))
        kind = kinds.get(PIECEWORK if name.startswith(PIECEWORK) else name)
        if kind is None:
            listed = ", ".join(sorted(kinds.keys() - {PIECEWORK}))
            raise ValueError(f"the type {state.get('type')!r} is none of {listed}")
        component = kind.__new__(kind)
        component._take(state)
        return component

    @classmethod
    def _is_type(cls, name: object) -> bool:
        """Returns whether states of a type are states of this class."""
        return name == cls._type_name

    def _take(self, state: dict[str, Any]) -> None:
        """Takes a state, whose type is that of this class."""
        self._set(self._defaults() | {n: value for n, value in state.items() if n != "type"})

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Returns the values of settings that a state lacks, in order."""
        return {s.member: s.default_value() for s in cls._settings}

    @classmethod
    def _of_custom(cls, custom: Any) -> Self:
        """Returns a component that calls an object of the caller."""
        if custom is None:
            raise TypeError(f"{cls._kind}: expected an object with its methods, found None")
        component = cls.__new__(cls)
        component._set({}, custom)
        return component

    def __getstate__(self) -> bytes:
        """Returns the state as JSON.

        Raises:
            Exception: The component calls a Python object, which JSON cannot hold.
        """
        return dumps(self._write()).encode()

    def __setstate__(self, state: bytes | str) -> None:
        """Takes a state that `__getstate__` returned.

        Raises:
            ValueError: It is no state of this class.
        """
        try:
            values = loads(state)
            found = values.get("type") if isinstance(values, dict) else None
            if not self._is_type(found):
                raise ValueError(f"expected the type {self._type_name!r}, found {shown(found)}")
        except ValueError as error:
            message = f"Error while attempting to unpickle {self._kind}: {error}"
            raise ValueError(message) from None
        self._take(values)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], Any]:
        """Pickles and copies the state."""
        if self._custom is not None:
            return _new_custom, (type(self), self._custom), None
        return _new, (type(self),), self.__getstate__()

    def _run(self, text: Any, alone: Callable[[dict[str, Any]], object]) -> None:
        """Changes a text by the object of the caller, by each component of a sequence, or by a function of the state."""
        if self._custom is not None:
            with text._in_callback() as passed:
                call_custom(self._custom, text._callback, passed)
        elif isinstance(self, Parts):
            for part in self._parts():
                getattr(part, text._callback)(text)
        else:
            alone(self._write())

    def _described(self) -> dict[str, Any]:
        """Returns the state as `repr` shows it."""
        return self._write()

    def _text(self, limit: int) -> str:
        from piecework.hf._repr import describe

        return describe(self._described(), limit)


class OwnComponent(Component):
    """Serves as the base of components that only piecework has; they have no attributes, and keep the state of their file."""

    _type_name = PIECEWORK

    @classmethod
    def _is_type(cls, name: object) -> bool:
        """Returns whether only piecework has a type."""
        return str(name).startswith(PIECEWORK)

    def _take(self, state: dict[str, Any]) -> None:
        """Takes a state, and keeps its type."""
        self._set(dict(state))

    def _write(self) -> dict[str, Any]:
        """Returns the state as JSON values."""
        return dict(self._values)


class Parts(Component):
    """Serves as the base of sequences."""

    _member: ClassVar[str]
    """The name of the components in JSON."""
    _base: ClassVar[type[Component]]
    """The base of the components."""

    def _hold(self, parts: Any) -> None:
        """Takes a list of components, which are converted to ours."""
        self._set({self._member: [own(part, self._base) for part in listed(parts)]})

    def _take(self, state: dict[str, Any]) -> None:
        """Takes a state, whose type is that of this class."""
        self._set({self._member: [self._base._read(part) for part in state[self._member]]})

    def _parts(self) -> list[Any]:
        """Returns the components, as a list to change."""
        parts: list[Any] = self._values[self._member]
        return parts

    def _write(self) -> dict[str, Any]:
        """Returns the state as JSON values."""
        return {"type": self._type_name, self._member: [part._write() for part in self._parts()]}

    def __getnewargs__(self) -> tuple[list[Any]]:
        """Returns the arguments with which `tokenizers` unpickles a sequence."""
        return ([],)


class IndexedParts(Parts):
    """Serves as the base of sequences that have an index, and show the components within the sequences in them as their own."""

    def _slots(self) -> Iterator[tuple[list[Any], int]]:
        """Iterates over the places of components that are no sequences, as a list and an index in it."""
        parts = self._parts()
        for index, part in enumerate(parts):
            if isinstance(part, IndexedParts):
                yield from part._slots()
            else:
                yield parts, index

    def _write(self) -> dict[str, Any]:
        """Returns the state as JSON values."""
        parts = [owner[index]._write() for owner, index in self._slots()]
        return {"type": self._type_name, self._member: parts}

    def _slot(self, index: Any) -> tuple[list[Any], int]:
        """Returns the place of a component, or raises IndexError."""
        slots, place = list(self._slots()), unsigned(index)
        if place >= len(slots):
            raise IndexError("Index not found")
        return slots[place]

    def __getitem__(self, index: int) -> Any:
        """Returns a component."""
        owner, place = self._slot(index)
        return owner[place]

    def __setitem__(self, index: int, value: Any) -> None:
        """Replaces a component.

        Raises:
            ValueError: The component is a sequence that would contain itself.
        """
        owner, place = self._slot(index)
        component = own(value, self._base)
        if isinstance(component, IndexedParts) and any(
            owner is parts for parts, _ in component._slots()
        ):
            raise ValueError("a sequence cannot be one of its own components; pass a copy of it")
        owner[place] = component
        changes()


def call_custom(custom: Any, method: str, *args: Any) -> Any:
    """Calls a method of an object of the caller.

    Raises:
        Exception: The method does not exist or raised an error, whose class and message this one names, as that of `tokenizers` does.
    """
    try:
        return getattr(custom, method)(*args)
    except Exception as error:
        raise Exception(f"{type(error).__name__}: {error}") from error


def _new(kind: type[Made]) -> Made:
    """Returns an object without values."""
    return kind.__new__(kind)


def _new_custom(kind: type[Component], custom: Any) -> Component:
    return kind._of_custom(custom)


def own(component: object, base: type[Part]) -> Part:
    """Returns a component as one of ours: itself, or one with the state of a component of `tokenizers` or `piecework`.

    Raises:
        TypeError: It is no component of this stage.
    """
    if isinstance(component, base):
        return component
    if base.__name__ in {kind.__name__ for kind in type(component).__mro__}:
        if is_of_tokenizers(component):
            return base._read(json.loads(component.__getstate__()))  # type: ignore[arg-type]  # JSON in bytes
        if (state := piecework_state(component)) is not None:
            return base._read(state)
    raise TypeError(f"{type(component).__name__!r} object is not an instance of {base.__name__!r}")


def piecework_state(component: object) -> dict[str, Any] | None:
    """Returns the state of a component of `piecework.normalizers` and the modules beside it; None for other values.

    Raises:
        TypeError: The component calls a Python function, which JSON cannot hold.
    """
    from piecework._settings.component import Component as Immutable

    if not isinstance(component, Immutable):
        return None
    if component.functions():
        raise TypeError(f"{component!r} calls a Python function; pass PreTokenizer.custom(...)")
    return component.to_dict()


Part = TypeVar("Part", bound=Component)
Made = TypeVar("Made", bound=DeclaredSettings)
