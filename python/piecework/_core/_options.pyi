"""How calls want their texts encoded."""

from typing import final

from piecework._core._tokenizer import Tokenizer
from piecework.arguments import Specials, Way

@final
class Options:
    r"""The settings of a call, made once and used for many texts.

    Args:
        tokenizer: Whose prescriptions are meant, and whose vocabulary names the pad token.
        add_special_tokens: Whether the post-processor adds its special tokens.
        specials: What special tokens in the text are; None: control symbols are text, all others are matched.
        truncation: JSON; True as the tokenizer prescribes, False for none.
        padding: The same for padding.
        way: The road, and what decides about merges.

    >>> from piecework import Padding, Tokenizer
    >>> from piecework._core import Options
    >>> from piecework.arguments import Way
    >>> core = Tokenizer.from_str("[PAD]\n[UNK]\na", padding=Padding(3))._core
    >>> core.encode_ids("a a", None, False, Options(core, True, "match", False, True, Way("fast")))
    [2, 2, 0]
    >>> core.encode_ids("a a", None, False, Options(core, True, "match", False, False, Way("general")))
    [2, 2]
    """

    def __new__(
        cls,
        tokenizer: Tokenizer,
        add_special_tokens: bool,
        specials: Specials | None,
        truncation: bool | str,
        padding: bool | str,
        way: Way,
    ) -> Options: ...
