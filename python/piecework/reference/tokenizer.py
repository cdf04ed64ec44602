"""The whole way from text to ids and back.

    text - special tokens - normalize - split into words - longest match - ids with spans

Special tokens are cut out of the raw text first, and what lies between them is normalized piece by
piece: an accent after `[MASK]` does not reach back into it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from piecework.reference import decode, pretokenize, probability, split
from piecework.reference.added import AddedToken, AddedTokens, Specials
from piecework.reference.aligned import Normalized, Span, identity
from piecework.reference.models import WordPiece, WordPieceSettings
from piecework.reference.normalize import bert
from piecework.reference.pipeline import Pipeline
from piecework.reference.settings import SPECIAL_TOKENS


class Token(NamedTuple):
    """Gives one token of an encoding.

    Args:
        text: The entry of the vocabulary; for an unknown piece, the unknown token.
        id: Its number.
        span: The part of the original text that it covers, (start, end) in characters.
        word: Number of the word, or special token, that it belongs to.
    """

    text: str
    id: int
    span: Span
    word: int | None


class Tokenizer:
    """Gives a WordPiece tokenizer: a vocabulary and the settings it is used with.

    Args:
        vocabulary: The entries in order of their ids.
        normalizer: From text to normalized text; None takes the text as it is.
        pre_tokenizer: From normalized text to words; None takes it whole.
        special_tokens: Entries that stand for no text; those the vocabulary lacks are ignored.
        unknown_token: Stands for what no entry matches.
        unknown: `word`, `run` or `char` (see `Splitter`).
        prefix: What continuing entries begin with.
        max_input_chars_per_word: A longer word is unknown; None sets no limit.
        counts: The count of each entry, for probabilities.
        segmentation: `longest` match, or the `likeliest` pieces, which needs the counts.
        dropout: The chance that longest match passes over an entry; None is 0.

    Raises:
        ValueError: an entry occurs twice, the counts do not fit, or there is no such policy.

    >>> tokenizer = Tokenizer(["[UNK]", "hug", "##s", "!"])
    >>> [(token.text, token.id, token.span) for token in tokenizer.encode("Hugs !")]
    [('hug', 1, (0, 3)), ('##s', 2, (3, 4)), ('!', 3, (5, 6))]
    """

    def __init__(
        self,
        vocabulary: Sequence[str],
        *,
        normalizer: Callable[[str], Normalized] | None = bert,
        pre_tokenizer: pretokenize.PreTokenizer | None = split.bert,
        special_tokens: Iterable[str] = SPECIAL_TOKENS,
        unknown_token: str = "[UNK]",
        unknown: str = "word",
        prefix: str = "##",
        max_input_chars_per_word: int | None = 100,
        counts: Sequence[int] | None = None,
        segmentation: str = "longest",
        dropout: float | None = None,
    ) -> None:
        self.vocabulary = list(vocabulary)
        self.ids = {entry: i for i, entry in enumerate(self.vocabulary)}
        if len(self.ids) < len(self.vocabulary):
            twice = next(e for i, e in enumerate(self.vocabulary) if self.ids[e] != i)
            raise ValueError(f"the vocabulary holds {twice!r} twice")
        if counts is not None and len(counts) != len(self.vocabulary):
            raise ValueError(f"{len(counts)} counts for {len(self.vocabulary)} entries")
        self.counts = counts
        self.prefix = prefix
        self.special_tokens = frozenset(special_tokens) & self.ids.keys()
        self.unknown_token = unknown_token
        settings = WordPieceSettings(
            prefix, unknown, max_input_chars_per_word, segmentation, dropout
        )
        added = [
            AddedToken(token, self.ids[token], normalized=False, special=True)
            for token in self.special_tokens
        ]
        self._pipeline = Pipeline(
            WordPiece(self.ids, unknown_token, self.special_tokens, settings, counts),
            normalizer,
            pretokenize.step_of(pre_tokenizer) if pre_tokenizer else None,
            AddedTokens(added, normalizer or identity),
        )

    def encode(
        self, text: str, specials: Specials = "match", *, seed: int = 0, number: int = 0
    ) -> list[Token]:
        """Encodes a text; adds no special tokens of its own.

        Args:
            text: Any text without lone surrogates.
            specials: What becomes of special tokens that stand in the text. `match`: they are what
                they say. `text`: they are ordinary text, and no text becomes one. `error`: there may
                be none. A set: these are matched, all others are ordinary text. Tie rule:
                leftmost, then longest.
            seed: What dropout follows from: the same seed, the same tokens.
            number: The place of this text in its call, which dropout follows from as well.

        Returns:
            The tokens in order, with spans in characters of `text`.

        Raises:
            ValueError: a special token stands in the text and may not; a set names one that the
                vocabulary does not have; something is unknown and there is no unknown token.
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> [t.text for t in Tokenizer(["[UNK]", "[SEP]", "a"]).encode("a[SEP]a b")]
        ['a', '[SEP]', 'a', '[UNK]']
        """
        encoding = self._pipeline.encode(text, specials=specials, seed=seed, number=number)
        return [Token(row.token, row.id, row.span, row.word) for row in encoding.rows]

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> str:
        """Decodes ids to text.

        Args:
            ids: Numbers of entries.
            skip_special_tokens: Leave special tokens out.

        Returns:
            Text as a person would write it: words apart, punctuation close.

        Raises:
            ValueError: no entry has such an id.

        >>> Tokenizer(["[SEP]", "hug", "##s", "!"]).decode([1, 2, 3, 0])
        'hugs!'
        """
        tokens = [self._entry(i) for i in ids]
        if skip_special_tokens:
            tokens = [token for token in tokens if token not in self.special_tokens]
        return decode.join(tokens, self.prefix)

    def probability(self, token: str) -> float:
        """Gives the probability of an entry in the unigram model.

        Raises:
            ValueError: the tokenizer has no counts.
            KeyError: there is no such entry.

        >>> Tokenizer(["[UNK]", "a", "b"], counts=[0, 3, 1]).probability("a")
        0.75
        """
        if self.counts is None:
            raise ValueError("this tokenizer has no token counts: train one, or give counts=")
        count = 0 if token == self.unknown_token else self.counts[self.ids[token]]
        return probability.probability(count, sum(self.counts))

    def log_likelihood(self, text: str) -> float:
        """Gives the log-likelihood of a text, which is always finite.

        Args:
            text: Any text without lone surrogates.

        Returns:
            Sum of ln p over its tokens; 0.0 for a text without any.

        Raises:
            ValueError: the tokenizer has no counts.

        >>> round(Tokenizer(["[UNK]", "a", "b"], counts=[0, 3, 1]).log_likelihood("a b"), 4)
        -1.674
        """
        return probability.log_likelihood(self.probability(t.text) for t in self.encode(text))

    def _entry(self, i: int) -> str:
        if not 0 <= i < len(self.vocabulary):
            raise ValueError(f"no entry has the id {i}: ids go from 0 to {len(self.ids) - 1}")
        return self.vocabulary[i]
