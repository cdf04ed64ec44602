"""Encodes chats: chooses the template, renders, encodes, and leaves out the oldest messages."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from piecework._io.extras import import_extra
from piecework._messages import did_you_mean, shown, with_hint
from piecework._settings.arguments import check_flag, check_positive, check_str
from piecework._settings.limiting import TemplateLimits
from piecework.errors import ChatTemplateError, ConfigError, SpecialTokenError, TruncationError
from piecework.tokenizer._chat.data import (
    WORDS,
    Size,
    nested_too_deeply,
    plain_documents,
    plain_messages,
    plain_tools,
    plain_variable,
)
from piecework.tokenizer._chat.encoding import ChatEncoding
from piecework.tokenizer._options import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework._core import Encoding, Options
    from piecework.tokenizer._chat.render import Rendered, Renderer
    from piecework.tokenizer._tokenizer import Tokenizer

_LEADING = ("system", "developer")
"""The roles of messages at the start that are never left out."""


@dataclass(frozen=True)
class ChatArguments:
    """Holds the arguments of :meth:`Tokenizer.chat`, which describes them."""

    tools: Any
    documents: Any
    template: str | None
    add_generation_prompt: bool
    continue_final_message: bool | str
    max_tokens: int | None
    trusted: bool
    variables: Mapping[str, Any]


def chat(tok: Tokenizer, messages: Any, given: ChatArguments) -> ChatEncoding:
    """Returns the encoding of a chat; see :meth:`Tokenizer.chat`."""
    import_extra("jinja2", "chat", "chat templates")
    try:
        return _chat(tok, messages, given)
    except RecursionError:  # the stack of the caller is deep itself
        raise nested_too_deeply("messages") from None


def _chat(tok: Tokenizer, messages: Any, given: ChatArguments) -> ChatEncoding:
    size = Size()
    copies = plain_messages(messages, size)
    renderer = _renderer(tok, given, size)
    encode = _Encoder(tok, given.trusted)
    if given.max_tokens is None:
        return encode.chat(renderer.render(copies), range(len(copies)))
    check_positive("max_tokens", given.max_tokens)
    return _truncated(renderer, encode, copies, given.max_tokens)


def _renderer(tok: Tokenizer, given: ChatArguments, size: Size) -> Renderer:
    from piecework.tokenizer._chat.render import Renderer

    add_prompt = check_flag("add_generation_prompt", given.add_generation_prompt)
    check_flag("trusted", given.trusted)
    continued = given.continue_final_message
    if not isinstance(continued, str):
        continued = check_flag("continue_final_message", continued) and "content"
    if continued and add_prompt:
        raise ConfigError(
            "the last message is continued, so there is no prompt for another one",
            setting="continue_final_message",
            hint="pass only one of `continue_final_message` and `add_generation_prompt`",
        )
    _check_variables(given.variables)
    variables = {name: plain_variable(name, value, size) for name, value in given.variables.items()}
    # Texts in lists and mappings are data, such as tools of another name; a text alone is a setting.
    untrusted = {
        **{name: value for name, value in variables.items() if isinstance(value, _NESTING)},
        "tools": plain_tools(given.tools, size),
        "documents": plain_documents(given.documents, size),
    }
    values = {
        **_named_tokens(tok),
        **variables,
        "add_generation_prompt": add_prompt,
    }
    source = choose_template(tok.chat_templates, given.template, has_tools=given.tools is not None)
    words = tok._structural_words
    limits = (tok._folder and tok._folder.template_limits) or TemplateLimits.of_loader()
    return Renderer(
        source, values, untrusted, size, words, limits, given.trusted, continued or None
    )


_NESTING = (dict, list, tuple)
_ARGUMENTS = [
    "messages",
    *(each.name for each in fields(ChatArguments) if each.name != "variables"),
]
_OF_TRANSFORMERS = {
    "chat_template": "pass `template=...`",
    "conversation": "pass `messages`",
    "max_length": "pass `max_tokens=...`, which leaves out whole messages",
    "padding": "call `pad` of the result",
    "return_assistant_tokens_mask": "read `assistant_mask` of the result",
    "return_dict": "the result is an encoding",
    "return_tensors": "make a tensor of `ids` of the result",
    "tokenize": "read `text` of the result",
    "tokenizer_kwargs": "pass none",
    "truncation": "pass `max_tokens=...`, which leaves out whole messages",
}
"""What replaces an argument of `apply_chat_template`, which would be a variable without effect."""


def _check_variables(variables: Mapping[str, Any]) -> None:
    """Raises TypeError for a variable that is meant as an argument."""
    for name in variables:
        hint = _OF_TRANSFORMERS.get(name)
        if hint is None and (near := difflib.get_close_matches(name, _ARGUMENTS, 1, 0.85)):
            hint = f"did you mean {shown(near[0])}?"
        if hint is not None:
            raise TypeError(with_hint(f"{shown(name)} is no argument of Tokenizer.chat()", hint))


def _named_tokens(tok: Tokenizer) -> dict[str, str]:
    """Returns the special tokens with a name, such as `bos_token`."""
    folder = tok._folder
    return {name: token.content for name, token in folder.special_tokens.items()} if folder else {}


def structural_words(tok: Tokenizer) -> frozenset[str]:
    """Returns the names of members and types that are part of no added token, so that no text makes one of them."""
    added = "\0".join(token.content for token in tok.added_tokens.values())
    return frozenset(word for word in WORDS if word not in added)


def choose_template(templates: Mapping[str, str], template: str | None, *, has_tools: bool) -> str:
    """Returns the template of a call, by the rules of transformers.

    Args:
        templates: The templates of the folder, by name.
        template: A name, or a template; None for the usual one.
        has_tools: Whether there are tools, for which a folder may have a template of its own.

    Raises:
        ChatTemplateError: There is no such template.

    >>> choose_template({"default": "a", "tool_use": "b"}, None, has_tools=True)
    'b'
    """
    if template is not None:
        return _given_template(templates, check_str("template", template))
    usual = ("tool_use", "default") if has_tools else ("default",)
    if found := next((name for name in usual if name in templates), None):
        return templates[found]
    names = ", ".join(map(shown, templates))
    problem = f"no default among the templates {names}" if templates else "the tokenizer has none"
    hint = "a name of them" if templates else "one, or load a folder with a chat_template.jinja"
    raise ChatTemplateError(problem, setting="template", hint=f"pass `template=...`: {hint}")


def _given_template(templates: Mapping[str, str], template: str) -> str:
    if template in templates:
        return templates[template]
    if "{" in template:
        return template
    hint = did_you_mean(template, templates) or "a template contains {{ or {%"
    raise ChatTemplateError(
        f"no template is named {shown(template)}", setting="template", hint=hint
    )


@dataclass(frozen=True)
class _Encoder:
    """Encodes rendered chats.

    Attributes:
        tok: The tokenizer.
        is_trusted: Whether all texts are trusted.
    """

    tok: Tokenizer
    is_trusted: bool

    @property
    def _options(self) -> Options:
        # The template writes the special tokens itself, and decides where the text ends.
        return self.tok._options({"add_special_tokens": False, "specials": "match", **UNLIMITED})

    def encode(self, rendered: Rendered) -> Encoding:
        """Returns the tokens of a text.

        Raises:
            ChatTemplateError: An unusual role would make a control token.
        """
        core, options = self.tok._core, self._options
        if self.is_trusted:
            return core.encode(rendered.text, None, False, options)
        view = self.tok._view
        if view is not None and view.refuse:
            for text, is_trusted in rendered.parts():
                if not is_trusted:
                    self.tok.count(text)  # raises for a token that the view refuses
        try:
            encoding = core.encode_segments(rendered.parts(), options, True)
        except SpecialTokenError as error:
            raise ChatTemplateError(
                f"{error.problem}, which the model itself finds, trusted or not",
                hint="remove it from the messages; `tok.untrusted(keep=[...])` keeps tokens that contents may spell",
            ) from None
        if rendered.has_roles:
            other = core.encode_segments(rendered.parts(trust_roles=True), options, True)
            if other.ids != encoding.ids:
                raise ChatTemplateError(
                    "the template makes an added token of a role that is not a usual one",
                    setting="messages",
                    hint="check the roles, and pass `trusted=True` if you trust all messages",
                )
        return encoding

    def chat(self, rendered: Rendered, indices: Sequence[int]) -> ChatEncoding:
        """Returns the encoding of a text with its mask."""
        return self.finish(rendered, self.encode(rendered), indices)

    def finish(
        self, rendered: Rendered, encoding: Encoding, indices: Sequence[int]
    ) -> ChatEncoding:
        """Returns an encoding with the text and the mask."""
        mask = None if rendered.blocks is None else _mask(encoding, rendered.blocks)
        return ChatEncoding(encoding, rendered.text, mask, indices)


def _mask(encoding: Encoding, blocks: Sequence[tuple[int, int]]) -> list[int]:
    """Returns 1 for the tokens from the first character to the last of each block."""
    mask = [0] * len(encoding)
    for start, end in blocks:
        # White space may be part of no token.
        first = _first_token(encoding, range(start, end))
        last = _first_token(encoding, range(end - 1, start - 1, -1))
        if first is not None and last is not None:
            mask[first : last + 1] = [1] * (last + 1 - first)
    return mask


def _first_token(encoding: Encoding, characters: range) -> int | None:
    found = (encoding.char_to_token(at) for at in characters)
    return next((token for token in found if token is not None), None)


def _truncated(
    renderer: Renderer, encoder: _Encoder, messages: list[dict[str, Any]], max_tokens: int
) -> ChatEncoding:
    """Returns the encoding of the most messages that fit, found in a binary search over where they start."""

    def attempt(start: int) -> ChatEncoding | int:
        indices = [*range(leading), *range(start, len(messages))]
        rendered = renderer.render([messages[index] for index in indices])
        encoding = encoder.encode(rendered)
        size = len(encoding)
        return size if size > max_tokens else encoder.finish(rendered, encoding, indices)

    leading = _number_of_leading(messages)
    starts = _starts(messages, leading)
    found = attempt(starts[0])
    if isinstance(found, ChatEncoding):
        return found
    low, high, best = 1, len(starts), None
    while low < high:
        middle = (low + high) // 2
        found = attempt(starts[middle])
        if isinstance(found, ChatEncoding):
            best, high = found, middle
        else:
            low = middle + 1
    if best is None:
        size = attempt(starts[-1])
        raise TruncationError(
            f"the last turn alone has {size} tokens with the system message",
            setting="max_tokens",
            hint="raise `max_tokens`, or shorten the last messages",
        )
    return best


def _number_of_leading(messages: list[dict[str, Any]]) -> int:
    """Returns the number of system messages at the start."""
    others = (at for at, message in enumerate(messages) if message["role"] not in _LEADING)
    return next(others, len(messages))


def _starts(messages: list[dict[str, Any]], leading: int) -> list[int]:
    """Returns the indices from which messages may be kept: all, or from one of a user, after which no call lacks its result."""
    later = range(leading + 1, len(messages))
    return [leading, *(at for at in later if messages[at]["role"] == "user")]
