"""A WordPiece tokenizer as BERT has it: from text to ids and back.

    text - special tokens - normalize - split into words - longest match - ids with spans

Special tokens are matched in the original text first, and the text between them is normalized part
by part: an accent after `[MASK]` does not combine with it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from piecework.reference.learn.settings import SPECIAL_TOKENS
from piecework.reference.model import probability
from piecework.reference.model.wordpiece import LongestMatchEncoder
from piecework.reference.text.bert import BERT, Normalized, Span, align, split_bert

Specials = str | Collection[str]
WORDS = ("match", "text", "error", "text-all", "error-all")


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
    word: int


class Tokenizer:
    """Encodes and decodes with a WordPiece vocabulary.

    Args:
        vocabulary: The entries in order of their ids.
        normalizer: From text to normalized text; None leaves the text unchanged.
        pre_tokenizer: From normalized text to the spans of words.
        special_tokens: Entries that no text becomes; those that the vocabulary lacks are ignored.
        unknown_token: Token for what no entry matches.
        unknown: `word`, `run` or `char` (see `LongestMatchEncoder`).
        prefix: Prefix of continuing entries.
        max_input_chars_per_word: A longer word is unknown; None sets no limit.
        counts: The count of each entry, for probabilities.

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
        pre_tokenizer: Callable[[str], list[Span]] = split_bert,
        special_tokens: Iterable[str] = SPECIAL_TOKENS,
        unknown_token: str = "[UNK]",
        unknown: str = "word",
        prefix: str = "##",
        max_input_chars_per_word: int | None = 100,
        counts: Sequence[int] | None = None,
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
        self._normalize, self._split = normalizer or align, pre_tokenizer
        longest = max(map(len, self.vocabulary), default=0)
        rest = prefix, unknown, max_input_chars_per_word, longest
        self._encode_word = LongestMatchEncoder(self.ids.keys(), *rest)
        self._encode_text = LongestMatchEncoder(self.ids.keys() - self.special_tokens, *rest)

    def encode(self, text: str, specials: Specials = "match") -> list[Token]:
        """Encodes a text without adding special tokens.

        Args:
            text: Any text without lone surrogates.
            specials: What happens to special tokens in the text. `match`: they are matched. `text`:
                they are ordinary text, and no text becomes one. `error`: they raise. `text-all`
                and `error-all` are the same here, where all added tokens are special. A set: these
                are matched, all others are ordinary text. Tie rule: leftmost, then longest.

        Returns:
            The tokens in order, with spans in characters of `text`.

        Raises:
            ValueError: the text holds a special token that it must not hold; a set names one that
                the vocabulary lacks; something is unknown and there is no unknown token.
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> [t.text for t in Tokenizer(["[UNK]", "[SEP]", "a"]).encode("a[SEP]a b")]
        ['a', '[SEP]', 'a', '[UNK]']
        """
        text.encode()
        encode_word = self._encode_word if specials == "match" else self._encode_text
        tokens: list[Token] = []
        words = 0
        for start, end, is_special in self._parts(text, specials):
            if is_special:
                entry = text[start:end]
                tokens.append(Token(entry, self.ids[entry], (start, end), words))
                words += 1
                continue
            value = self._normalize(text[start:end])
            for first, last in self._split(value.text):
                for piece in encode_word(value.text[first:last]):
                    left, right = value.original_span(first + piece.start, first + piece.end)
                    entry = self.unknown_token if piece.entry is None else piece.entry
                    span = start + left, start + right
                    tokens.append(Token(entry, self._id_of(entry, span), span, words))
                words += 1
        return tokens

    def _parts(self, text: str, specials: Specials) -> Iterator[tuple[int, int, bool]]:
        """Yields the spans of special tokens, and of the text between them."""
        done = 0
        for match in re.finditer(self._pattern_of(specials), text):
            start, end = match.span()
            if specials in ("error", "error-all"):
                raise ValueError(
                    f"the text holds the special token {match[0]!r} at character {start}: pass "
                    "specials='match' to mean it, or specials='text' to read it as text"
                )
            if done < start:
                yield done, start, False
            yield start, end, True
            done = end
        if done < len(text):
            yield done, len(text), False

    def _pattern_of(self, specials: Specials) -> str:
        """Returns a pattern of the special tokens to look for, the longest first."""
        if isinstance(specials, str):
            if specials not in WORDS:
                expected = ", ".join(map(repr, WORDS))
                raise ValueError(f"specials={specials!r}: expected {expected} or a set")
            specials = () if specials in ("text", "text-all") else self.special_tokens
        for token in specials:
            if token not in self.special_tokens:
                raise ValueError(f"specials: {token!r} is not a special token of this tokenizer")
        return "|".join(map(re.escape, sorted(specials, key=len, reverse=True))) or r"(?!)"

    def _id_of(self, entry: str, span: Span) -> int:
        if entry not in self.ids:
            raise ValueError(
                f"characters {span} are unknown and the vocabulary has no {entry!r}; "
                "add an unknown token"
            )
        return self.ids[entry]

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
        return join_wordpiece(tokens, self.prefix)

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


# (match, replacement), in this order: the clean-up of `tokenizers`, of each token alone.
CLEANUP = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't")),
    *((" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)


def join_wordpiece(tokens: Iterable[str], prefix: str = "##", *, cleanup: bool = True) -> str:
    """Joins tokens to text: a token with the prefix continues a word, a space is before others.

    Source: the WordPiece decoder of Hugging Face `tokenizers`.

    Args:
        tokens: The tokens.
        prefix: The prefix of continuing tokens; the first token keeps it. With an empty prefix no
            spaces are added.
        cleanup: Remove spaces before punctuation and English contractions. Each token is cleaned
            alone: `do` and `not` stay apart as two tokens.

    Returns:
        The text.

    >>> join_wordpiece(["hug", "##s", ",", "he", "said"])
    'hugs, he said'
    """
    text = ""
    for i, token in enumerate(tokens):
        part = token
        if i:
            part = token.removeprefix(prefix) if token.startswith(prefix) else f" {token}"
        for match, replacement in CLEANUP if cleanup else ():
            part = part.replace(match, replacement)
        text += part
    return text
