"""Models behind one interface: from a word to its tokens.

`encode` has the one that takes thought, WordPiece. WordLevel takes words whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from piecework.reference.aligned import Span
from piecework.reference.encode import Splitter


class ModelToken(NamedTuple):
    """Gives a token of a word.

    Args:
        text: The entry of the vocabulary; for an unknown piece, the unknown token.
        id: Its number.
        span: (start, end) in characters of the word.
    """

    text: str
    id: int
    span: Span


class Model:
    """Gives the tokens of words under one vocabulary.

    Args:
        vocabulary: The entries with their ids.
        unknown_token: Stands for what no entry matches; it need not be an entry while all is known.
        special: Entries that text may be barred from becoming.

    >>> WordLevel({"<unk>": 0, "to": 1}, "<unk>").tokens("be")
    [ModelToken(text='<unk>', id=0, span=(0, 2))]
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        unknown_token: str,
        special: frozenset[str] = frozenset(),
    ) -> None:
        self.vocabulary = dict(vocabulary)
        self.unknown_token = unknown_token
        self.open = self.vocabulary.keys() - special

    def tokens(self, word: str, *, barred: bool = False) -> list[ModelToken]:
        """Splits a word into tokens.

        Args:
            word: A word that is not empty.
            barred: No stretch of text becomes a special token.

        Returns:
            Tokens from left to right; together they cover the word.

        Raises:
            ValueError: something is unknown, and there is no unknown token.
        """
        raise NotImplementedError

    def _token(self, entry: str | None, span: Span) -> ModelToken:
        text = self.unknown_token if entry is None else entry
        if text not in self.vocabulary:
            raise ValueError(f"characters {span} are unknown, and the vocabulary has no {text!r}")
        return ModelToken(text, self.vocabulary[text], span)


class WordLevel(Model):
    """Gives a word that is an entry as it is, any other as unknown."""

    def tokens(self, word: str, *, barred: bool = False) -> list[ModelToken]:  # noqa: D102
        known = word in (self.open if barred else self.vocabulary)
        return [self._token(word if known else None, (0, len(word)))]


@dataclass(frozen=True)
class WordPieceSettings:
    """Gives how WordPiece splits (see `encode.Splitter`)."""

    prefix: str = "##"
    unknown: str = "word"
    max_input_chars_per_word: int | None = 100


class WordPiece(Model):
    """Gives the pieces of a word by greedy longest match.

    >>> [t.text for t in WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}, "[UNK]").tokens("hugs")]
    ['hug', '##s']
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        unknown_token: str = "[UNK]",
        special: frozenset[str] = frozenset(),
        settings: WordPieceSettings | None = None,
    ) -> None:
        super().__init__(vocabulary, unknown_token, special)
        how = settings or WordPieceSettings()
        longest = max(map(len, self.vocabulary), default=0)
        rest = (how.prefix, how.unknown, how.max_input_chars_per_word, longest)
        self._split = Splitter(self.vocabulary, *rest)
        self._split_text = Splitter(self.open, *rest)

    def tokens(self, word: str, *, barred: bool = False) -> list[ModelToken]:  # noqa: D102
        split = self._split_text if barred else self._split
        return [self._token(piece.entry, (piece.start, piece.end)) for piece in split(word)]


def from_dict(data: Mapping[str, Any], special: frozenset[str] = frozenset()) -> Model:
    """Makes a model of its entry in a tokenizer.json.

    Args:
        data: The object; `type` says which model it is.
        special: Entries that text may be barred from becoming.

    Returns:
        The model.

    Raises:
        ValueError: the reference has no such model.
        KeyError: a setting is missing.

    >>> data = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    >>> from_dict(data).tokens("b")
    [ModelToken(text='a', id=0, span=(0, 1))]
    """
    if data["type"] == "WordLevel":
        return WordLevel(data["vocab"], data["unk_token"], special)
    if data["type"] in ("WordPiece", "piecework.WordPiece"):
        unknown = data.get("piecework", {}).get("unknown", "word")
        limit = data["max_input_chars_per_word"]
        settings = WordPieceSettings(data["continuing_subword_prefix"], unknown, limit)
        return WordPiece(data["vocab"], data["unk_token"], special, settings)
    raise ValueError(f"the reference has no model {data['type']!r}")
