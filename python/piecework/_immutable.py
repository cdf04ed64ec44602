"""Defines immutable values, whose assignments raise an error that names what to call instead.

`dataclasses` is imported in the functions that use it, since a process that only encodes starts faster without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from piecework.errors import did_you_mean, with_hint

__all__ = ["Immutable", "ReadOnlyDict", "dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable
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


def _initialize_once(cls: type[Any], fields: list[str]) -> None:
    """Makes a second call of `__init__` on an object raise AttributeError, unless the class has no fields."""
    import functools

    initialize = cls.__init__
    if not fields:
        return

    @functools.wraps(initialize)
    def __init__(self: Immutable, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it becomes that method
        if fields[0] in self.__dict__:
            self._refuse_initializing()
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
