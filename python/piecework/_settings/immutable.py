"""Defines immutable values, whose assignments raise an error that names what to call instead.

`dataclasses` is imported in the functions that use it, since a process that only encodes starts faster without it.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from piecework._messages import did_you_mean, with_hint

__all__ = ["Immutable", "ReadOnlyDict", "Record", "as_plain", "dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from dataclasses import dataclass  # the decorator that type checkers know
else:

    def dataclass(**options: Any) -> Callable[[type], type]:
        """Returns `dataclasses.dataclass` for frozen subclasses of `Immutable`, which keep the errors of the base."""
        import dataclasses

        def decorate(cls: type) -> type:
            decorated = dataclasses.dataclass(**options)(cls)
            # The generated methods raise "cannot assign to field" without a remedy.
            del decorated.__setattr__, decorated.__delattr__
            # Classes with slots are results, created by the thousand, for which a check costs too much.
            if not options.get("slots") and "__init__" in decorated.__dict__:
                _initialize_once(decorated, [field.name for field in dataclasses.fields(decorated)])
            return decorated

        return decorate


_TAKES_ANY_KEYWORD = 8
"""The flag of the code of a function that takes `**kwargs`."""


def _initialize_once(cls: type[Any], fields: list[str]) -> None:
    """Makes a second call of `__init__` on an object raise AttributeError, unless the class has no fields.

    The error of an unknown argument names a known one instead.
    """
    initialize = cls.__init__
    if not fields:
        return
    code = initialize.__code__
    known = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    takes_any = bool(code.co_flags & _TAKES_ANY_KEYWORD)

    @functools.wraps(initialize)
    def __init__(self: Immutable, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it becomes that method
        if fields[0] in self.__dict__:
            self._refuse_initializing()
        for name in () if takes_any else kwargs:
            if name not in known:
                problem = f"{cls.__name__}() got an unexpected keyword argument {name!r}"
                others: Mapping[str, str] = getattr(cls, "_OTHER_NAMES", {})
                hint = others.get(name) or did_you_mean(name, known)
                raise TypeError(with_hint(problem, hint))
        initialize(self, *args, **kwargs)

    cls.__init__ = __init__


class ReadOnlyDict(dict[Any, Any]):
    """Is a dictionary that cannot be changed, so that it can be computed once for all callers.

    >>> ReadOnlyDict(a=1)["a"]
    1
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the dictionary is read-only; copy it to change it, dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[Any, Any]]]:
        """Returns what makes an equal dictionary, for pickling and copying."""
        return type(self), (dict(self),)


class Immutable:
    """Serves as the base of classes whose attributes cannot be assigned or deleted."""

    __slots__ = ()
    _OTHER_NAMES: ClassVar[Mapping[str, str]] = {}
    """Arguments of other libraries, and what replaces them."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Raises AttributeError."""
        raise AttributeError(
            f"cannot assign to {name!r}: {self._instead(name)}", name=name, obj=self
        )

    def __delattr__(self, name: str) -> NoReturn:
        """Raises AttributeError."""
        raise AttributeError(f"cannot delete {name!r}: {self._instead(name)}", name=name, obj=self)

    def _refuse_initializing(self) -> NoReturn:
        """Raises AttributeError for a second call of `__init__`."""
        kind = type(self).__name__
        raise AttributeError(
            f"cannot call __init__ again: {kind} is immutable; create another with {kind}(...)",
            name="__init__",
            obj=self,
        )

    def _instead(self, name: str) -> str:
        """Returns the error for an assignment to an attribute of a dataclass, with what to call instead."""
        import dataclasses

        kind = type(self).__name__
        settings = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        if name not in settings:
            return with_hint(f"{kind} has no setting of this name", did_you_mean(name, settings))
        return f"{kind} is immutable; create another with dataclasses.replace(value, {name}=...)"


class Record(Immutable):
    """Serves as the base of immutable values: dataclasses that are equal by their fields, and have a form as JSON values."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON values."""
        names: tuple[str, ...] = self.__match_args__  # type: ignore[attr-defined]  # those of a dataclass
        return {name: as_plain(getattr(self, name)) for name in names}


_SCALARS = frozenset({str, int, float, bool, type(None)})


def as_plain(value: Any) -> Any:
    """Returns a value as JSON values: named tuples as objects, other sequences and arrays as lists.

    >>> as_plain({"a": (1, "b")})
    {'a': [1, 'b']}
    """
    kind: Any = type(value)
    return _converter(kind)(value)


@functools.cache
def _converter(kind: Any) -> Callable[[Any], Any]:
    """Returns the function that converts values of a type; made once, since results have thousands of parts."""
    if kind in (tuple, list):
        return _plain
    if hasattr(kind, "to_dict"):
        is_record = kind.to_dict is Record.to_dict
        return _of_names(kind.__match_args__) if is_record else operator.methodcaller("to_dict")
    if hasattr(kind, "_fields"):
        return _of_names(kind._fields)
    if issubclass(kind, dict):
        return lambda value: dict(zip(value, _plain(value.values()), strict=True))
    return operator.methodcaller("tolist") if hasattr(kind, "tolist") else _unchanged


def _of_names(names: tuple[str, ...]) -> Callable[[Any], dict[str, Any]]:
    """Returns the function that converts the attributes of an object."""
    if len(names) < 2:
        return lambda value: {name: as_plain(getattr(value, name)) for name in names}
    get = operator.attrgetter(*names)
    return lambda value: dict(zip(names, _plain(get(value)), strict=True))


def _unchanged(value: Any) -> Any:
    return value


def _plain(values: Iterable[Any]) -> list[Any]:
    return [each if type(each) in _SCALARS else as_plain(each) for each in values]
