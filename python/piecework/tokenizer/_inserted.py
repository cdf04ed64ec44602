"""Checks the names and ids of the tokens that post-processing and padding insert.

Both contain ids beside names. Ids of another vocabulary would encode to other tokens without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._exceptions import warn
from piecework._messages import shown
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from piecework._core import Tokenizer as CoreTokenizer


_HINTS = {
    "post_processor": "pass `post_processor.with_ids(tokenizer.vocab)`, which looks the ids up by name",
    "padding": "leave `pad_id` out, which looks it up by name, or name the token that has the id",
}
_DEFAULT_PADDING = ("padding", "[PAD]", 0)
"""The padding that ``tokenizers`` writes by default, whatever the vocabulary."""


class Mismatched(NamedTuple):
    """Describes a token that is inserted with an id which is not its own.

    Attributes:
        part: ``"post_processor"`` or ``"padding"``.
        token: Its name.
        id: The id.
        problem: What is wrong.
        is_certain: Whether no token has the id, or another one than the vocabulary has for the name; otherwise the vocabulary
            lacks the name, which may be meant as one for the token of the id.
    """

    part: str
    token: str
    id: int
    problem: str
    is_certain: bool


def mismatched(core: CoreTokenizer) -> list[Mismatched]:
    """Returns the inserted tokens with ids of other tokens, or of none."""
    found = []
    for part, token, number in dict.fromkeys(core.inserted_tokens()):
        own, holder = core.token_to_id(token), core.id_to_token(number)
        if number == own:
            continue
        held = "which no token has" if holder is None else f"which is {shown(holder)}"
        problem = f"it inserts {shown(token)} with the id {number}, {held}"
        if own is not None:
            problem += f"; {shown(token)} has the id {own}"
        is_certain = own is not None or holder is None
        found.append(Mismatched(part, token, number, problem, is_certain))
    return found


def check_inserted(core: CoreTokenizer, before: CoreTokenizer, hint: str | None = None) -> None:
    """Checks that the inserted tokens of a tokenizer have their own ids.

    Args:
        core: The tokenizer.
        before: The tokenizer that it was made from, whose mismatched ids are kept, since they come from a file.
        hint: What to do instead; None for replacing the part at fault.

    Raises:
        ConfigError: A token has the id of another one, or one that no token has.
    """
    found = [each for each in mismatched(core) if each.is_certain]
    if not found:
        return
    kept = {each[:3] for each in mismatched(before) if each.is_certain}
    kept.update(each for each in before.inserted_tokens() if each == _DEFAULT_PADDING)
    for each in found:
        if each[:3] not in kept:
            raise ConfigError(each.problem, setting=each.part, hint=hint or _HINTS[each.part])


def warn_of_inserted(core: CoreTokenizer, place: str = "") -> None:
    """Warns once of the inserted tokens of a file that have other ids; `place` names the file."""
    found = [each for each in mismatched(core) if each.is_certain and each[:3] != _DEFAULT_PADDING]
    if not found:
        return
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    first = found[0]
    fix = {
        "post_processor": "`tok.replace(post_processor=tok.post_processor.with_ids(tok.vocab))`",
        "padding": f"`tok.replace(padding=Padding(pad_token={first.token!r}))`",
    }
    warn(
        f"{first.problem}{more}; the ids of the file are kept",
        setting=first.part,
        hint=f"if they are those of another vocabulary, look them up by name: {fix[first.part]}",
        place=place,
    )
