"""Defines the base of all stages: settings that are read and written as JSON with a type."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from piecework._core import TextStages
from piecework._messages import did_you_mean, shown, with_hint
from piecework._settings.fields import Choice, Kind, ListOf, Mismatch, Settings, members, takes
from piecework.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from piecework._settings.added_tokens import AddedToken


_STAGES = ("", "normalizer", "pretokenizer", "processing")
"""The ends of the names of some classes, as in `BertNormalizer`."""


class Component(Settings):
    """Holds the settings of a stage: immutable, comparable, picklable; the core contains the algorithm."""

    type_name: ClassVar[str]

    def __init_subclass__(cls, *, prefix: str = "") -> None:
        """Names the type in JSON after a class, unless it is the base of a stage or inherits a type."""
        super().__init_subclass__()
        if Component not in cls.__bases__ and not hasattr(cls, "type_name"):
            cls.type_name = prefix + cls.__name__

    def functions(self) -> list[Callable[[str], object]]:
        """Returns the Python functions in the component, in order."""
        return self.to_core()[1]

    def to_core(self) -> tuple[str, list[Callable[[str], object]]]:
        """Returns the component as JSON for the core, and the functions that the JSON refers to by index."""
        return numbered(self._write())

    def _stage(self, name: str) -> TextStages:
        """Returns the core's normalizer or pre-tokenizer, cached."""
        stage = self.__dict__.get("_core_stage")
        if stage is None:
            stage = self.__dict__["_core_stage"] = TextStages(*numbered({name: self._write()}))
        return stage

    @classmethod
    def _call_for(cls, name: str) -> str | None:
        """Returns the call that makes the stage with a name, in any spelling; None if there is none."""
        plain = name.replace("_", "").replace("-", "").casefold()
        for kind in cls.__subclasses__():
            if kind.__module__ == cls.__module__ and kind.__name__.casefold() in {
                plain + stage for stage in _STAGES
            }:
                return (
                    f"{kind.__module__}.{kind.__name__}({'...' if _needs_arguments(kind) else ''})"
                )
        return None

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for pickles and copies, without the core's stage."""
        return {name: value for name, value in self.__dict__.items() if name != "_core_stage"}

    def _write(self) -> dict[str, Any]:
        return {"type": self.type_name} | super()._write()

    @classmethod
    def _read(cls, data: Any) -> Self:
        data = members(data)
        if "type" not in data:
            raise Mismatch("the member 'type' is missing")
        known = cls._types()
        kind = data.pop("type")
        if not isinstance(kind, str) or kind not in known:
            listed = ", ".join(sorted(known))
            message = f"the type {shown(kind)} is not among those known here, {listed}"
            raise Mismatch(message, kind=UnsupportedError, hint=did_you_mean(kind, known))
        if known[kind] is not cls:
            return known[kind]._read(data | {"type": kind})
        return super()._read(data)

    @classmethod
    def _types(cls) -> dict[str, type[Self]]:
        """Returns the classes that `from_dict` can return, by type."""
        if hasattr(cls, "type_name"):
            return {cls.type_name: cls}
        return {
            name: kind for below in cls.__subclasses__() for name, kind in below._types().items()
        }


class Part(Kind):
    """Checks a component of a stage."""

    def __init__(self, base: type[Component]) -> None:
        self.base = base

    def check(self, value: Any) -> Component:
        if not isinstance(value, self.base):
            raise Mismatch(f"expected a {self.base.__name__}, found {shown(value)}")
        if _depth(value) >= _DEEPEST:
            raise Mismatch(f"nested more than {_DEEPEST} deep")
        return value

    def read(self, data: Any) -> Component:
        return self.base._read(data)

    def write(self, value: Component) -> dict[str, Any]:
        return value._write()


def parts(base: type[Component], member: str | None = None) -> dict[str, Any]:
    """Returns the metadata of a field with components of a stage, whose member in JSON may have another name."""
    return takes(ListOf(Part(base)), member)


_DEEPEST = 62
"""The maximum nesting of components; JSON readers, such as the core's, support about twice as many levels."""


def _inner(component: Component) -> list[Any]:
    """Returns the components of a sequence; none for other components."""
    fields = (getattr(component, field.name) for field in dataclasses.fields(component))  # type: ignore[arg-type]
    lists = (value for value in fields if isinstance(value, tuple))
    return [x for xs in lists for x in xs if isinstance(x, Component)]


def _depth(component: Component) -> int:
    """Returns the nesting of components."""
    return 1 + max(map(_depth, _inner(component)), default=0)


def steps(component: Component | None) -> list[Any]:
    """Returns the components of a sequence in order, without nested sequences; any other component is one step."""
    if isinstance(component, Component) and component.type_name == "Sequence":
        return [step for part in _inner(component) for step in steps(part)]
    return [] if component is None else [component]


PrependScheme = Literal["always", "never", "first"]
"""Where a metaspace is prepended to a text that starts without one."""

METASPACE_SCHEME = takes(Choice.of(PrependScheme), may_lack=True)


def current_metaspace(data: dict[str, Any]) -> dict[str, Any]:
    """Returns the members without those of older files: `str_rep`, null `split` and consistent `add_prefix_space`."""
    data.pop("str_rep", None)
    if data.get("split", ...) is None:
        del data["split"]
    if data.pop("add_prefix_space", None) is False and data.get("prepend_scheme") != "never":
        raise Mismatch("add_prefix_space is false, which requires the prepend_scheme 'never'")
    return data


def numbered(tree: object) -> tuple[str, list[Callable[[str], object]]]:
    """Returns JSON in which each function is replaced by its index, and the functions."""
    functions: list[Callable[[str], object]] = []

    def number(function: Callable[[str], object]) -> int:
        functions.append(function)
        return len(functions) - 1

    return json.dumps(tree, default=number), functions


def _needs_arguments(kind: type[Any]) -> bool:
    missing = dataclasses.MISSING
    fields = dataclasses.fields(kind)
    return any(each.default is missing and each.default_factory is missing for each in fields)


def wrong_stage(
    name: str, stage: object, module: str, *, or_none: str = "", hint: str | None = None
) -> TypeError:
    """Returns the exception for what is no stage of a module; for the name of one, the hint says how to make it."""
    bases = (base for base in Component.__subclasses__() if base.__module__ == module)
    calls = (base._call_for(stage) for base in bases if isinstance(stage, str))
    hint = hint or next((f"pass {call}" for call in calls if call), None)
    return TypeError(
        with_hint(f"{name} must be one of {module}{or_none}, not {shown(stage)}", hint)
    )


def splitter_json(
    normalizer: Component | None,
    pre_tokenizer: Component | None,
    added_tokens: Iterable[AddedToken] = (),
) -> tuple[str, list[Callable[[str], object]]]:
    """Returns the stages as JSON for the core, and the functions that the JSON refers to by index."""
    for name, stage in (("normalizer", normalizer), ("pre_tokenizer", pre_tokenizer)):
        if stage is not None and not isinstance(stage, Component):
            raise wrong_stage(name, stage, f"piecework.{name}s", or_none=", or None")
    tokens = [{"id": number} | token.to_dict() for number, token in enumerate(added_tokens)]
    added = {"added_tokens": tokens} if tokens else {}
    return numbered(
        {
            "normalizer": normalizer and normalizer._write(),
            "pre_tokenizer": pre_tokenizer and pre_tokenizer._write(),
        }
        | added
    )
