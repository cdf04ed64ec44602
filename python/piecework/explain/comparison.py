"""Compares the segmentations of one text by several tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from piecework._immutable import Immutable, dataclass
from piecework.display import quoted
from piecework.errors import RegexError, UnknownTokenError, wrong_type

if TYPE_CHECKING:
    from piecework.tokenizer import Tokenizer

__all__ = ["Comparison", "Split", "compare"]


@dataclass(frozen=True, slots=True)
class Split(Immutable):
    """Holds one tokenizer's segmentation of a text, without added special tokens.

    Attributes:
        name: The name of the tokenizer.
        model: The type of its model.
        tokens: The tokens, as in the vocabulary.
        display_tokens: The tokens in readable form.
        ids: The token ids.
        offsets: The start and end of each token, in characters of the text.
    """

    name: str
    model: str
    tokens: tuple[str, ...]
    display_tokens: tuple[str, ...]
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        """Returns the tokens in readable form."""
        return " ".join(map(quoted, self.display_tokens))

    def __len__(self) -> int:
        """Returns the number of tokens."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Immutable):
    """Holds the segmentations of one text by several tokenizers; print it for a table.

    Attributes:
        text: The text.
        splits: The segmentation of each tokenizer, in the given order.
    """

    text: str
    splits: tuple[Split, ...]

    def __str__(self) -> str:
        """Returns one line per tokenizer: name, number of tokens, tokens."""
        names = max((len(split.name) for split in self.splits), default=0)
        counts = max((len(str(len(split))) for split in self.splits), default=0)
        return "\n".join(f"{s.name:{names}}  {len(s):{counts}}  {s}" for s in self.splits)

    def __repr__(self) -> str:
        """Returns the text and the number of tokens by tokenizer."""
        counts = ", ".join(f"{split.name} {len(split)}" for split in self.splits)
        return f"<Comparison: {self.text!r}: {counts}>"

    def _repr_html_(self) -> str:
        """Returns an HTML table, for notebooks."""
        rows = (
            f"<tr><th>{escape(s.name)}</th><td>{len(s)}</td><td>{_boxes(s)}</td></tr>"
            for s in self.splits
        )
        return f"<table><caption>{escape(self.text)}</caption>{''.join(rows)}</table>"

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as JSON values.

        Returns:
            The text, and for each tokenizer its name, model, number of tokens, tokens as in the vocabulary and in readable
            form, ids and offsets.
        """
        splits = [
            {
                "name": split.name,
                "model": split.model,
                "count": len(split),
                "tokens": list(split.tokens),
                "display_tokens": list(split.display_tokens),
                "ids": list(split.ids),
                "offsets": [list(span) for span in split.offsets],
            }
            for split in self.splits
        ]
        return {"text": self.text, "splits": splits}


def _boxes(split: Split) -> str:
    pairs = zip(split.display_tokens, split.ids, strict=True)
    return " ".join(f'<code title="{i}">{escape(token)}</code>' for token, i in pairs)


def compare(text: str, tokenizers: Mapping[str, Tokenizer]) -> Comparison:
    """Compares the segmentations of one text by several tokenizers.

    Args:
        text: A word, or any text.
        tokenizers: A mapping of names to tokenizers.

    Returns:
        The segmentations, without added special tokens; print it for a table.

    Raises:
        UnknownTokenError: A word is unknown to a tokenizer without unknown token; the message contains its name.
        RegexError: A pattern of a tokenizer exceeded its limit of steps; the message contains its name.
        SurrogateError: The text contains a lone surrogate.

    >>> import piecework as pw
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> tok = pw.train(words, pw.WordPieceTrainer(20, criterion="pmi", max_merges=3, ties="first"))
    >>> print(pw.compare("pugs", {"longest match": tok, "merges": tok.as_bpe()}))
    longest match  3  p ##u ##gs
    merges         3  p ##u ##gs
    """
    pairs = _checked(tokenizers).items()
    return Comparison(text, tuple(_split(text, name, tokenizer) for name, tokenizer in pairs))


def _checked(tokenizers: object) -> Mapping[str, Tokenizer]:
    if not isinstance(tokenizers, Mapping):
        kind = type(tokenizers).__name__
        raise TypeError(f"tokenizers must be a mapping of names to tokenizers, not {kind}")
    for tokenizer in tokenizers.values():
        if not hasattr(tokenizer, "model_type"):
            raise wrong_type("tokenizers", "tokenizers as the values of a mapping", tokenizer)
    return tokenizers


def _split(text: str, name: str, tokenizer: Tokenizer) -> Split:
    try:
        encoding = tokenizer.encode(text, add_special_tokens=False, truncation=None, padding=None)
    except (RegexError, UnknownTokenError) as error:
        raise error.at(name) from None
    return Split(
        name,
        tokenizer.model_type,
        tuple(encoding.tokens),
        tuple(map(tokenizer.display_token, encoding.tokens)),
        tuple(encoding.ids),
        tuple(encoding.offsets),
    )
