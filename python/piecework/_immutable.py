"""Immutable values: an assignment is refused with an error that says what to call instead.

`dataclasses` is imported where it is used: a process that only encodes does without it, and starts sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from piecework.errors import hint

__all__ = ["Immutable", "dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass  # what type checkers know it by
else:

    def dataclass(**options: Any) -> Callable[[type], type]:
        """Return `dataclasses.dataclass` for frozen subclasses of `Immutable`, whose errors it leaves in force."""
        import dataclasses

        def decorate(cls: type) -> type:
            made = dataclasses.dataclass(**options)(cls)
            # The generated ones say "cannot assign to field", and no more.
            del made.__setattr__, made.__delattr__
            # Those with slots are results, made by the thousand: for them a check would cost too much.
            if not options.get("slots") and "__init__" in made.__dict__:
                _initialize_once(made, [field.name for field in dataclasses.fields(made)])
            return made

        return decorate


def _initialize_once(cls: type[Any], fields: list[str]) -> None:
    """Make a second call of `__init__` on the same object an error; without fields it changes nothing."""
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


class Immutable:
    """The base of classes whose attributes cannot be assigned or deleted."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse an assignment."""
        raise AttributeError(
            f"cannot assign to {name!r}: {self._instead(name)}", name=name, obj=self
        )

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse a deletion."""
        raise AttributeError(f"cannot delete {name!r}: {self._instead(name)}", name=name, obj=self)

    def _refuse_initializing(self) -> NoReturn:
        """Refuse a second call of `__init__`."""
        kind = type(self).__name__
        raise AttributeError(
            f"cannot call __init__ again: {kind} is immutable; make another with {kind}(...)",
            name="__init__",
            obj=self,
        )

    def _instead(self, name: str) -> str:
        """Return what to call instead of assigning to an attribute; of a dataclass here."""
        import dataclasses

        kind = type(self).__name__
        settings = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        if name not in settings:
            return f"{kind} has no setting of this name{hint(name, settings)}"
        return f"{kind} is immutable; make another with dataclasses.replace(value, {name}=...)"
