"""A WordPiece tokenizer: from text to ids and back.

    text - special tokens - normalize - split into words - longest match - ids with spans

Special tokens are matched in the original text first, and the text between them is normalized part
by part: an accent after `[MASK]` does not combine with it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from piecework.reference.decode import decoders
from piecework.reference.learn.settings import SPECIAL_TOKENS
from piecework.reference.model import probability
from piecework.reference.model.models import WordPiece, WordPieceSettings
from piecework.reference.normalize.normalizers import BERT
from piecework.reference.pipeline.added import AddedToken, AddedTokens, Specials
from piecework.reference.pipeline.pipeline import Pipeline
from piecework.reference.pretokenize import pre_tokenizers, split
from piecework.reference.text.alignment import Normalized, Span, identity


class Token(NamedTuple):
    """Holds one token of an encoding.

    Args:
        text: The entry of the vocabulary; for an unknown piece, the unknown token.
        id: Its id.
        span: The span of the original text that it covers, (start, end) in characters.
        word: Index of its word or special token.
    """

    text: str
    id: int
    span: Span
    word: int | None


class Tokenizer:
    """Encodes and decodes with a WordPiece vocabulary.

    Args:
        vocabulary: The entries in order of their ids.
        normalizer: From text to normalized text; None leaves the text unchanged.
        pre_tokenizer: From normalized text to words; None keeps the text whole.
        special_tokens: Entries that no text becomes; those that the vocabulary lacks are ignored.
        unknown_token: Token for what no entry matches.
        unknown: `word`, `run` or `char` (see `LongestMatchEncoder`).
        prefix: Prefix of continuing entries.
        max_input_chars_per_word: A longer word is unknown; None sets no limit.
        counts: The count of each entry, for probabilities.
        segmentation: `longest` match, or the `likeliest` pieces, which requires counts.
        dropout: Probability that longest match skips an entry; None is 0.

    Raises:
        ValueError: an entry is repeated, the number of counts is wrong, or a policy is unknown.

    >>> tokenizer = Tokenizer(["[UNK]", "hug", "##s", "!"])
    >>> [(token.text, token.id, token.span) for token in tokenizer.encode("Hugs !")]
    [('hug', 1, (0, 3)), ('##s', 2, (3, 4)), ('!', 3, (5, 6))]
    """

    def __init__(
        self,
        vocabulary: Sequence[str],
        *,
        normalizer: Callable[[str], Normalized] | None = BERT,
        pre_tokenizer: pre_tokenizers.PreTokenizerLike | None = split.split_bert,
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
            duplicate = next(e for i, e in enumerate(self.vocabulary) if self.ids[e] != i)
            raise ValueError(f"duplicate entry {duplicate!r} in the vocabulary; remove one of them")
        if counts is not None and len(counts) != len(self.vocabulary):
            raise ValueError(f"counts has {len(counts)} items: expected {len(self.vocabulary)}")
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
            pre_tokenizers.as_pre_tokenizer(pre_tokenizer) if pre_tokenizer else None,
            AddedTokens(added, normalizer or identity),
        )

    def encode(
        self, text: str, specials: Specials = "match", *, seed: int = 0, number: int = 0
    ) -> list[Token]:
        """Encodes a text without adding special tokens.

        Args:
            text: Any text without lone surrogates.
            specials: What happens to special tokens in the text. `match`: they are matched. `text`:
                they are ordinary text, and no text becomes one. `error`: they raise. A set: these
                are matched, all others are ordinary text. Tie rule: leftmost, then longest.
            seed: The seed of dropout: equal seeds, equal tokens.
            number: The index of this text in its call, which dropout depends on as well.

        Returns:
            The tokens in order, with spans in characters of `text`.

        Raises:
            ValueError: the text holds a special token that it must not hold; a set names one that
                the vocabulary lacks; something is unknown and there is no unknown token.
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> [t.text for t in Tokenizer(["[UNK]", "[SEP]", "a"]).encode("a[SEP]a b")]
        ['a', '[SEP]', 'a', '[UNK]']
        """
        encoding = self._pipeline.encode(text, specials=specials, seed=seed, number=number)
        return [Token(row.token, row.id, row.span, row.word) for row in encoding.rows]

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> str:
        """Decodes ids to text.

        Args:
            ids: Ids of entries.
            skip_special_tokens: Leave special tokens out.

        Returns:
            The text: spaces between words, none before punctuation.

        Raises:
            ValueError: an id is out of range.

        >>> Tokenizer(["[SEP]", "hug", "##s", "!"]).decode([1, 2, 3, 0])
        'hugs!'
        """
        tokens = [self._entry(i) for i in ids]
        if skip_special_tokens:
            tokens = [token for token in tokens if token not in self.special_tokens]
        return decoders.join_wordpiece(tokens, self.prefix)

    def probability(self, token: str) -> float:
        """Returns the probability of an entry in the unigram model.

        Raises:
            ValueError: the tokenizer has no counts.
            KeyError: the token is not an entry.

        >>> Tokenizer(["[UNK]", "a", "b"], counts=[0, 3, 1]).probability("a")
        0.75
        """
        if self.counts is None:
            raise ValueError("this tokenizer has no token counts; train one, or pass counts=")
        count = 0 if token == self.unknown_token else self.counts[self.ids[token]]
        return probability.probability(count, sum(self.counts))

    def log_likelihood(self, text: str) -> float:
        """Returns the log-likelihood of a text, which is always finite.

        Args:
            text: Any text without lone surrogates.

        Returns:
            The sum of ln p over its tokens; 0.0 for a text without tokens.

        Raises:
            ValueError: the tokenizer has no counts.

        >>> round(Tokenizer(["[UNK]", "a", "b"], counts=[0, 3, 1]).log_likelihood("a b"), 4)
        -1.674
        """
        return probability.log_likelihood(self.probability(t.text) for t in self.encode(text))

    def _entry(self, i: int) -> str:
        if not 0 <= i < len(self.vocabulary):
            raise ValueError(f"id {i} is out of range: expected 0 to {len(self.ids) - 1}")
        return self.vocabulary[i]
