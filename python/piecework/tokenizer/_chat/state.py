"""Holds what the functions of a rendering share, in a variable of the thread: compiled templates are shared by threads."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from piecework.errors import ChatTemplateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from piecework.tokenizer._chat.budget import Budget
    from piecework.tokenizer._chat.marked import MarkTable


class State(threading.local):
    """Holds what the functions of a rendering share.

    Attributes:
        budget: What the rendering may still compute; None if the thread renders none.
        table: The texts behind sentinels; None in a rendering without sentinels.
        written: The number of characters of the output so far.
        blocks: The start and end in the output of each block of the assistant.
        open_blocks: The starts of the blocks that are written now.
        note: Records which way the template takes, to compare it with that of another rendering.
        now: The time of the chat, which is equal in all its renderings.
    """

    budget: Budget | None = None
    table: MarkTable | None = None
    written: int = 0
    blocks: list[tuple[int, int]]
    open_blocks: list[int]
    note: Callable[[Any], None]
    now: datetime | None = None


STATE = State()


def current_budget() -> Budget:
    """Returns the budget of the rendering in this thread; there is none while a template is compiled."""
    if STATE.budget is None:
        raise ChatTemplateError("the template is not rendered")
    return STATE.budget


@contextmanager
def rendering(
    budget: Budget, table: MarkTable | None, now: datetime, way: list[Any]
) -> Iterator[State]:
    """Sets the state of a rendering, and restores the one before at the end."""
    before = dict(STATE.__dict__)
    STATE.__dict__.update(
        budget=budget,
        table=table,
        written=0,
        blocks=[],
        open_blocks=[],
        note=way.append,
        now=now,
    )
    try:
        yield STATE
    finally:
        STATE.__dict__.clear()
        STATE.__dict__.update(before)


def lift(value: Any) -> Any:
    """Returns a text that contains sentinels as one text with the methods of what is behind them."""
    if type(value) is str and not value.isascii() and (table := STATE.table) is not None:
        return table.lift(value)
    return value
