"""Describes an entry of a vocabulary: its bytes, its code points, and the merges that created it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.errors import TokenIdError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from piecework.tokenizer import Tokenizer


def describe_entry(tokenizer: Tokenizer, number: int) -> dict[str, Any]:
    r"""Returns an entry as JSON values.

    Returns:
        The id; whether it is a special token; the bytes in hexadecimal; the code points of the complete characters; and
        the lineage. ``tokens`` has the id, the readable form and the count of each token of the lineage.

    Raises:
        TokenIdError: No entry has the id.

    >>> import piecework as pw
    >>> entry = describe_entry(pw.Tokenizer.from_str("[UNK]\nhug\n"), 1)
    >>> entry["bytes"], entry["code_points"]
    ('68 75 67', ['U+0068', 'U+0075', 'U+0067'])
    """
    token = tokenizer.id_to_token(number)
    if token is None:
        raise TokenIdError(f"no token has the id {number}")
    data = tokenizer._core.token_bytes(number)
    lineage = tokenizer.lineage(token).to_dict()
    return {
        "id": number,
        "is_special": token in tokenizer.special_tokens,
        "bytes": data.hex(" "),
        "code_points": [f"U+{ord(c):04X}" for c in data.decode("utf-8", "ignore")],
        **lineage,
        "tokens": _tokens(tokenizer, lineage),
    }


def tokens_of_merges(merges: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Iterates over the parts and the result of each merge of a lineage or an explanation as JSON values.

    >>> list(tokens_of_merges([{"left": "h", "right": "##u", "token": "hu"}]))
    ['h', '##u', 'hu']
    """
    for merge in merges:
        yield from (merge["left"], merge["right"], merge["token"])


def _tokens(tokenizer: Tokenizer, lineage: dict[str, Any]) -> dict[str, dict[str, Any]]:
    counts = tokenizer.training._count_of
    tokens = {}
    for name in dict.fromkeys([lineage["token"], *tokens_of_merges(lineage["merges"])]):
        number = tokenizer.token_to_id(name)
        tokens[name] = {
            "id": number,
            "display_token": tokenizer.display_token(name),
            "final_count": None if number is None else counts(number),
        }
    return tokens
