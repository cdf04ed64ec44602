"""Renders a chat, and finds which characters the template wrote itself.

A chat is rendered twice: with its texts, which gives the text that transformers gives, and with a sentinel in place of each
text (:mod:`piecework.tokenizer._chat.marked`), which gives the origin of each character. Only if both give the same text are the
origins those of the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from piecework.errors import ChatTemplateError, ConfigError
from piecework.tokenizer._chat import environment
from piecework.tokenizer._chat.budget import Budget
from piecework.tokenizer._chat.data import REASONING, Marker
from piecework.tokenizer._chat.marked import ROLE, MarkTable, Run
from piecework.tokenizer._chat.state import rendering

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from piecework._settings.limiting import TemplateLimits
    from piecework.tokenizer._chat.data import Size

_CONTINUED = "CONTINUE_FINAL_MESSAGE_TAG "
"""The mark at the end of the message that is continued, as in transformers; the text ends before it."""


@dataclass(frozen=True)
class Rendered:
    """Holds the text of a chat and the origin of its characters.

    Attributes:
        text: The text.
        runs: The untrusted characters; None if all are trusted.
        blocks: The start and end of each block of the assistant; None if the template has none.
    """

    text: str
    runs: tuple[Run, ...] | None
    blocks: list[tuple[int, int]] | None

    @property
    def has_roles(self) -> bool:
        """Returns whether the text contains an unusual role."""
        return any(kind == ROLE for _, _, kind in self.runs or ())

    def parts(self, *, trust_roles: bool = False) -> list[tuple[str, bool]]:
        """Returns the text in parts, each with whether it is trusted."""
        parts, at = [], 0
        for start, end, kind in self.runs or ():
            if trust_roles and kind == ROLE:
                continue
            if at < start:
                parts.append((self.text[at:start], True))
            parts.append((self.text[start:end], False))
            at = end
        if at < len(self.text):
            parts.append((self.text[at:], True))
        return parts

    def until(self, end: int) -> Rendered:
        """Returns the text up to a character."""
        runs = self.runs
        if runs is not None:
            runs = tuple((one, min(two, end), kind) for one, two, kind in runs if one < end)
        blocks = self.blocks
        if blocks is not None:
            blocks = [(one, min(two, end)) for one, two in blocks if one < end]
        return Rendered(self.text[:end], runs, blocks)


@dataclass(frozen=True)
class Renderer:
    """Renders messages with one template and the same other values.

    Attributes:
        source: The template.
        values: The variables of the template whose texts are trusted.
        untrusted: The variables whose texts are not.
        size: The size of the chat, which sets the limits.
        words: The names that need no sentinel.
        limits: The limits of what the template computes.
        is_trusted: Whether all texts are trusted.
        continued: The member of the last message that is continued; None for none.
        now: The time of the chat.
    """

    source: str
    values: Mapping[str, Any]
    untrusted: Mapping[str, Any]
    size: Size
    words: Container[str]
    limits: TemplateLimits
    is_trusted: bool = False
    continued: str | None = None
    now: datetime = field(default_factory=datetime.now)

    def render(self, messages: Sequence[dict[str, Any]]) -> Rendered:
        """Returns the text of messages.

        Raises:
            ChatTemplateError: The template is faulty, exceeds a limit, or changes contents so that their characters cannot be
                followed.
            ConfigError: The last message has nothing to continue.
        """
        given = list(messages)
        if self.continued is not None:
            given[-1] = self._continued(given[-1])
        rendered = self._rendered(given)
        return rendered if self.continued is None else self._cut(rendered, messages[-1])

    def _rendered(self, messages: list[dict[str, Any]]) -> Rendered:
        template = environment.compile_template(self.source)
        budget = Budget(self.limits, self.size.values, self.size.characters)
        variables = {**self.values, **self.untrusted, "messages": messages}
        way: list[Any] = []
        with rendering(budget, None, self.now, way) as state:
            text = environment.run(template, variables, state)
            blocks = state.blocks if environment.has_generation(self.source) else None
        if self.is_trusted:
            return Rendered(text, None, blocks)
        budget = Budget(self.limits, self.size.values, self.size.characters)
        table = MarkTable(budget)
        marker = Marker(table, self.words)
        variables |= {name: marker.value(value) for name, value in self.untrusted.items()}
        variables["messages"] = marker.messages(messages)
        marked_way: list[Any] = []
        with rendering(budget, table, self.now, marked_way) as state:
            found, runs = environment.expand(table, environment.run(template, variables, state))
        if found != text:
            raise ChatTemplateError(
                f"{_difference(text, found)}: the template changes a content so that its characters cannot be followed",
                hint="pass `trusted=True` if you trust all contents",
                place="chat template: ",
            )
        if way != marked_way:
            # A branch for the text of a content could write a text that only looks like the content.
            raise ChatTemplateError(
                "the template takes another branch where it cannot follow the characters of a content",
                hint="pass `trusted=True` if you trust all contents",
                place="chat template: ",
            )
        return Rendered(text, runs, blocks)

    def _continued(self, message: dict[str, Any]) -> dict[str, Any]:
        """Returns the last message with a mark at the end of the member that is continued."""
        name = self.continued or ""
        content = message.get(name)
        if content is None:
            raise _not_continued(f"the last message has no member {name!r}")
        names = [name]
        if name in REASONING:  # the template may read it by any of its names
            names = [each for each in REASONING if message.get(each) == content]
        if not any(each in self.source for each in names):
            raise _not_continued(f"the template does not read the member {name!r}")
        if isinstance(content, str):
            return {**message, **dict.fromkeys(names, content + _CONTINUED)}
        at = _last_text(content)
        blocks = list(content)
        blocks[at] = {**blocks[at], "text": blocks[at]["text"] + _CONTINUED}
        return {**message, name: blocks}

    def _cut(self, rendered: Rendered, message: dict[str, Any]) -> Rendered:
        """Returns the text up to the end of the member that is continued."""
        content = message[self.continued or ""]
        if not isinstance(content, str):
            content = content[_last_text(content)]["text"]
        text, mark = rendered.text, _CONTINUED.strip()
        if content.strip() not in text or mark not in text:
            raise ChatTemplateError(
                "the template does not write the whole last message, so it cannot be continued",
                setting="continue_final_message",
            )
        end = text.rindex(mark)
        if not text.startswith(_CONTINUED, end):  # the template strips the content
            end = len(text[:end].rstrip())
        return rendered.until(end)


def _last_text(content: Any) -> int:
    """Returns the index of the last part of a content that has a text."""
    if isinstance(content, list | tuple):
        for at in reversed(range(len(content))):
            if isinstance(content[at], dict) and isinstance(content[at].get("text"), str):
                return at
    raise _not_continued("the last message has no text")


def _not_continued(problem: str) -> ConfigError:
    return ConfigError(problem, setting="continue_final_message")


def _difference(text: str, found: str) -> str:
    """Returns where two texts differ, for an error."""
    pairs: Iterable[tuple[str, str]] = zip(text, found, strict=False)
    at = next((i for i, (one, two) in enumerate(pairs) if one != two), min(len(text), len(found)))
    return f"at character {at} of its output"
