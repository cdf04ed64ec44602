"""Defines the base of all components: mutable settings whose state is a member of a tokenizer.json."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, Self, TypeVar, overload

from piecework.hf._arguments import is_of_tokenizers, unsigned
from piecework.tokenizer._formats.own import PIECEWORK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "BYTE_LEVEL",
    "ByteLevelSettings",
    "Component",
    "OwnComponent",
    "Parts",
    "Setting",
    "call_custom",
    "changes",
    "dumps",
    "own",
    "revision",
]

Value = TypeVar("Value")

BYTE_LEVEL = ("add_prefix_space", "trim_offsets", "use_regex")
"""The settings of byte-level components, in the order of a tokenizer.json."""

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


class Component:
    """Holds the settings of a component by their names in JSON; subclasses have one attribute for each."""

    __slots__ = ("_custom", "_values")

    _type_name: ClassVar[str]
    _kind: ClassVar[str]
    _values: dict[str, Any]
    _custom: Any

    def __init__(self) -> None:
        """Refuses to create a base class."""
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        raise TypeError(f"cannot create {name!r} instances; create one of its subclasses")

    def _set(self, **values: Any) -> None:
        self._values = values
        self._custom = None

    def _write(self) -> dict[str, Any]:
        """Returns the state as JSON values."""
        if self._custom is not None:
            raise Exception(f"Custom {self._kind} cannot be serialized")  # as tokenizers
        return {"type": self._type_name} | {
            name: written(value) for name, value in self._values.items()
        }

    @classmethod
    def _read(cls, state: dict[str, Any]) -> Self:
        """Returns the component of a state, of the subclass that its type names."""
        kinds = {kind._type_name: kind for kind in cls.__subclasses__()}
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
        self._restore({name: value for name, value in state.items() if name != "type"})

    def _restore(self, values: dict[str, Any]) -> None:
        """Takes the values of a state."""
        self._values = values
        self._custom = None

    @classmethod
    def _of_custom(cls, custom: Any) -> Self:
        """Returns a component that calls an object of the caller."""
        component = cls.__new__(cls)
        component._values, component._custom = {}, custom
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
            values = json.loads(state)
            found = values.get("type") if isinstance(values, dict) else None
            if not self._is_type(found):
                raise ValueError(f"expected the type {self._type_name!r}, found {found!r}")
        except ValueError as error:
            message = f"Error while attempting to unpickle {self._kind}: {error}"
            raise ValueError(message) from None
        self._take(values)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], Any]:
        """Pickles and copies the state."""
        if self._custom is not None:
            return _new_custom, (type(self), self._custom), None
        return _new, (type(self),), self.__getstate__()

    def _described(self) -> dict[str, Any]:
        """Returns the state as `repr` shows it."""
        return self._write()

    def __repr__(self) -> str:
        """Returns the type and the settings."""
        from piecework.hf._repr import MANY, describe

        return describe(self._described(), MANY)

    def __str__(self) -> str:
        """Returns the type and the settings, with at most five elements of a list."""
        from piecework.hf._repr import SEVERAL, describe

        return describe(self._described(), SEVERAL)


class OwnComponent(Component):
    """Serves as the base of components that only piecework has; they have no attributes, and keep the state of their file."""

    __slots__ = ()
    _type_name = PIECEWORK

    @classmethod
    def _is_type(cls, name: object) -> bool:
        """Returns whether only piecework has a type."""
        return str(name).startswith(PIECEWORK)

    def _take(self, state: dict[str, Any]) -> None:
        """Takes a state, and keeps its type."""
        self._restore(dict(state))

    def _write(self) -> dict[str, Any]:
        """Returns the state as JSON values."""
        return dict(self._values)


class ByteLevelSettings(Component):
    """Serves as the base of the decoder and the post-processor of byte-level tokens."""

    __slots__ = ()

    def _restore(self, values: dict[str, Any]) -> None:
        """Takes the values of a state; those that are absent are true."""
        super()._restore({name: values.get(name, True) for name in BYTE_LEVEL})


class Parts(Component):
    """Serves as the base of sequences, which show the components within the sequences in them as their own."""

    __slots__ = ()
    _member: ClassVar[str]
    """The name of the components in JSON."""
    _base: ClassVar[type[Component]]
    """The base of the components."""

    def _restore(self, values: dict[str, Any]) -> None:
        """Takes the values of a state."""
        parts = [self._base._read(state) for state in values[self._member]]
        super()._restore({self._member: parts})

    def _slots(self) -> Iterator[tuple[list[Any], int]]:
        """Iterates over the places of components that are no sequences, as a list and an index in it."""
        parts = self._values[self._member]
        for index, part in enumerate(parts):
            if isinstance(part, Parts):
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
        if isinstance(component, Parts) and any(owner is parts for parts, _ in component._slots()):
            raise ValueError("a sequence cannot be one of its own components; pass a copy of it")
        owner[place] = component
        changes()

    def __getnewargs__(self) -> tuple[list[Any]]:
        """Returns the arguments with which `tokenizers` unpickles a sequence."""
        return ([],)


def call_custom(custom: Any, method: str, *args: Any) -> Any:
    """Calls a method of an object of the caller.

    Raises:
        Exception: The method does not exist or raised an error, whose class and message this one names, as that of `tokenizers` does.
    """
    try:
        return getattr(custom, method)(*args)
    except Exception as error:
        raise Exception(f"{type(error).__name__}: {error}") from error


def _new(kind: type[Component]) -> Component:
    return kind.__new__(kind)


def _new_custom(kind: type[Component], custom: Any) -> Component:
    return kind._of_custom(custom)


def written(value: Any) -> Any:
    """Returns a value of a component as JSON values."""
    if isinstance(value, Component):
        return value._write()
    if isinstance(value, list):
        return [written(item) for item in value]
    return value


class Setting(Generic[Value]):
    """Describes an attribute of a component: its name in JSON and the check of new values."""

    def __init__(self, check: Callable[[Any], Value], member: str | None = None) -> None:
        self.check, self.member = check, member or ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name of the attribute, unless JSON has another."""
        self.member = self.member or name

    @overload
    def __get__(self, component: None, owner: type) -> Self: ...
    @overload
    def __get__(self, component: Component, owner: type) -> Value: ...
    def __get__(self, component: Component | None, owner: type) -> Any:
        """Returns the value."""
        return self if component is None else self._shown(component._values[self.member])

    def __set__(self, component: Component, value: Value) -> None:
        """Sets the value, in all tokenizers that the component is part of."""
        component._values[self.member] = self.check(value)
        changes()

    def __delete__(self, component: Component) -> NoReturn:
        """Raises TypeError."""
        raise TypeError("cannot delete attribute")

    def _shown(self, value: Any) -> Any:
        return value


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
