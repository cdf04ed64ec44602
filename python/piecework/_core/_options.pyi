"""Defines the options of encoding calls."""

from typing import final

@final
class Options:
    r"""Holds the options of a call, created once by `Tokenizer.options` and used for many texts.

    >>> from piecework import Padding, Tokenizer
    >>> from piecework._settings.arguments import Way
    >>> core = Tokenizer.from_str("[PAD]\n[UNK]\na", padding=Padding(3))._core
    >>> core.encode_ids("a a", None, False, core.options(True, "match", False, True, Way("fast")), False)
    [2, 2, 0]
    >>> core.encode_ids("a a", None, False, core.options(True, "match", False, False, Way("generic")), False)
    [2, 2]
    """
