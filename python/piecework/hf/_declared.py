"""Makes classes of declared settings: their `__init__`, attributes and members in JSON follow from the declarations.

A class declares a setting in one line, which type checkers read like that of a dataclass. It is none, since importing
`dataclasses` takes 5 ms, a third of the time for this package, and since the attributes of a dataclass check no values.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from piecework.hf._arguments import ignored

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Any], Any]

_REQUIRED = object()
"""The default of an argument that must be given."""


class Kind:
    """Describes the values of a setting by functions that convert them.

    Args:
        check: Returns the JSON value of a new value of the attribute, or raises an error.
        to_attribute: Returns the value of the attribute for a JSON value, if they differ.
        check_argument: Replaces `check` for the argument.
    """

    __slots__ = ("check", "check_argument", "to_attribute")

    def __init__(self, check: Check, to_attribute: Any = None, check_argument: Any = None) -> None:
        self.check, self.to_attribute = check, to_attribute
        self.check_argument: Check = check_argument or check


def fixed(check: Check) -> Kind:
    """Returns the kind of an argument whose attribute cannot be set; a class declares it as `Final`."""

    def refuse(_value: Any) -> None:
        raise AttributeError("the attribute is read-only")

    return Kind(refuse, check_argument=check)


class Setting:
    """Describes a setting, and is the attribute of it; for the arguments see :func:`setting`."""

    __slots__ = ("alias", "default", "kind", "member", "name")

    def __init__(self, kind: Kind, default: Any, member: str, alias: str) -> None:
        self.kind, self.default, self.member, self.alias = kind, default, member, alias

    def __set_name__(self, owner: type, name: str) -> None:
        """Takes the name of the attribute, also where no other was given."""
        self.name, self.alias = name, self.alias or name
        self.member = self.member or name.removeprefix("_")

    def default_value(self) -> Any:
        """Returns the JSON value of the default; None if there is no default."""
        return None if self.default is _REQUIRED else self.kind.check_argument(self.default)

    def __get__(self, holder: Any, owner: type) -> Any:
        """Returns the value."""
        if holder is None:
            return self
        value, convert = holder._values[self.member], self.kind.to_attribute
        return value if convert is None else convert(value)

    def __set__(self, holder: Any, value: Any) -> None:
        """Sets the value, after checking it."""
        holder._change(self.member, self.kind.check(value))


def setting(
    kind: Kind | Check, *, default: Any = _REQUIRED, member: str = "", alias: str = ""
) -> Any:
    """Declares a setting, as the value of an annotated name in the body of a class.

    Args:
        kind: The kind of its values, or only the function that checks them.
        default: The default of the argument.
        member: The name in JSON, if it is not that of the attribute.
        alias: The name of the argument, if it is not that of the attribute.
    """
    return Setting(kind if isinstance(kind, Kind) else Kind(kind), default, member, alias)


class _Metaclass(type):
    """Makes the classes of this package, which have no `__dict__`; classes of users are ordinary ones.

    The base of a stage has the attribute `_kind`. The classes below it, and those with settings, can be created.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, kw_only: bool = False
    ) -> _Metaclass:
        """Returns a class; with `kw_only` arguments are given by name, and unknown ones are ignored with a warning."""
        if not namespace["__module__"].startswith(__package__):
            return super().__new__(cls, name, bases, namespace)
        namespace.setdefault("__slots__", ())
        made: Any = super().__new__(cls, name, bases, namespace)
        made._settings = tuple(each for each in namespace.values() if isinstance(each, Setting))
        if made._settings or (hasattr(made, "_kind") and "_kind" not in namespace):
            if not hasattr(made, "_type_name"):
                made._type_name = name
            if "__init__" not in namespace:
                made.__init__ = _Initializer(made, kw_only)
        return made  # type: ignore[no-any-return]  # a class of this kind


class _Initializer:
    """Makes the function `__init__` of a class on first use, since most programs use few of the classes."""

    def __init__(self, kind: type[DeclaredSettings], kw_only: bool) -> None:
        self.kind, self.kw_only = kind, kw_only

    def __get__(self, holder: Any, owner: type) -> Any:
        """Returns the function, or the method of an object, and replaces itself by the function."""
        function: Any = self.made()
        self.kind.__init__ = function  # type: ignore[method-assign]  # as dataclasses do
        return function if holder is None else function.__get__(holder)

    def made(self) -> Any:
        """Returns a function with the signature that the settings of the class declare."""
        kind, settings = self.kind, self.kind._settings
        names = [each.alias for each in settings]
        star, others = (["*"], ", **kwargs") if self.kw_only else ([], "")
        signature = ", ".join(["self", *star, *names]) + others
        source = f"def __init__({signature}): self._fill([{', '.join(names)}]{others})"
        scope: dict[str, Any] = {}
        # Only a compiled source has names of arguments in its errors. It has the name of this file, since warnings show the first line outside the package.
        exec(compile(source, __file__, "exec"), vars(sys.modules[kind.__module__]), scope)
        function = scope["__init__"]
        defaults = {each.alias: each.default for each in settings if each.default is not _REQUIRED}
        if self.kw_only:
            function.__kwdefaults__ = defaults
        else:
            function.__defaults__ = tuple(defaults.values())
        types = {each.alias: kind.__annotations__[each.name] for each in settings}
        types |= {"kwargs": "Any"} if self.kw_only else {}
        function.__annotations__ = types | {"return": "None"}
        function.__qualname__ = f"{kind.__name__}.__init__"
        function.__doc__ = "Checks the settings."
        return function


@dataclass_transform(eq_default=False, field_specifiers=(setting,))
class DeclaredSettings(metaclass=_Metaclass):
    """Holds settings by their names in JSON; subclasses declare them."""

    __slots__ = ("_values",)
    _values: dict[str, Any]
    _settings: ClassVar[tuple[Setting, ...]]
    """The settings that the class declares, in order of the arguments and of the members in JSON."""

    def _fill(self, given: list[Any], **unknown: Any) -> None:
        """Takes arguments, after checking them."""
        ignored(unknown, type(self).__name__)
        pairs = zip(type(self)._settings, given, strict=True)
        self._set({s.member: s.kind.check_argument(value) for s, value in pairs})

    def _set(self, values: dict[str, Any]) -> None:
        """Takes checked settings."""
        self._values = values

    def _change(self, member: str, value: Any) -> None:
        """Takes a new value of a setting."""
        self._values[member] = value

    def _text(self, limit: int) -> str:
        """Returns the settings as text, with at most `limit` elements of a list."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Returns the type and the settings."""
        from piecework.hf._repr import MANY

        return self._text(MANY)

    def __str__(self) -> str:
        """Returns the type and the settings, with at most five elements of a list."""
        from piecework.hf._repr import SEVERAL

        return self._text(SEVERAL)
