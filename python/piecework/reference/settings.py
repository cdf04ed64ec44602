"""The settings of a training, each on its own switch."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from piecework.reference.criteria import CRITERIA, Criterion

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
TIE_RULES = ("lex", "first", "hf")


@dataclass(frozen=True)
class WordPieceTrainer:
    """Gives what a training is to do.

    Args:
        vocab_size: Entries at the end; special tokens, user-defined symbols and alphabet included.
        criterion: What a merge is worth: a name, or any `f(n, a, b, total) -> number` (see
            `criteria`; a function gets adjacent occurrences for n).
        min_frequency: A pair that occurs less often is no candidate.
        min_word_frequency: A word that occurs less often is left out of the table, unless it is a
            user-defined symbol.
        max_merges: Stop after so many merges.
        stop_at_pair_frequency: Stop when the most frequent of all pairs occurs at most so often.
        stop_without_gain: Stop when the best merge does not raise the corpus log-likelihood.
        ties: Which of the best candidates is merged. `lex`: the lower UTF-8 bytes of the left token
            as rendered, then of the right. `first`: the one whose first occurrence in the table, as
            it stands, comes first. `hf`: the lower symbol ids, left then right.
        special_tokens: Entries that stand for no text.
        special_tokens_first: Give them the first ids, or else the last.
        user_defined_symbols: Whole words that are entries from the start; a word of the table that
            equals one is one token, and nothing is learned from it.
        initial_alphabet: Characters to have in both forms, seen or not.
        limit_alphabet: Most characters to keep, the heaviest; a dropped one cuts its word.
        continuing_subword_prefix: What an entry inside a word begins with; it may be empty.
        max_token_length: Longest token to learn, in characters, the prefix not counted.
        prune_unused: Drop learned entries that longest match never gives, and refill.

    Raises:
        ValueError: a setting is impossible.

    >>> WordPieceTrainer(30, ties="alphabetical")
    Traceback (most recent call last):
    ValueError: ties='alphabetical': expected one of ('lex', 'first', 'hf')
    """

    vocab_size: int
    criterion: str | Criterion = "likelihood"
    min_frequency: int = 1
    min_word_frequency: int = 1
    max_merges: int | None = None
    stop_at_pair_frequency: int | None = None
    stop_without_gain: bool = False
    ties: str = "lex"
    special_tokens: Sequence[str] = SPECIAL_TOKENS
    special_tokens_first: bool = True
    user_defined_symbols: Sequence[str] = ()
    initial_alphabet: Sequence[str] = ()
    limit_alphabet: int | None = None
    continuing_subword_prefix: str = "##"
    max_token_length: int | None = None
    prune_unused: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.criterion, str) and self.criterion not in CRITERIA:
            raise ValueError(f"criterion={self.criterion!r}: expected one of {tuple(CRITERIA)}")
        if self.ties not in TIE_RULES:
            raise ValueError(f"ties={self.ties!r}: expected one of {TIE_RULES}")
        for token in self.special_tokens:
            if not token or list(self.special_tokens).count(token) > 1:
                raise ValueError(f"special_tokens: {token!r} is empty or stands there twice")
        times = Counter([*self.special_tokens, *self.user_defined_symbols])
        for symbol in self.user_defined_symbols:
            if not symbol or times[symbol] > 1:
                raise ValueError(
                    f"user_defined_symbols: {symbol!r} is empty, a special token, or there twice"
                )
        for character in self.initial_alphabet:
            if len(character) != 1:
                raise ValueError(f"initial_alphabet: {character!r} is not one character")

    @property
    def rule(self) -> Criterion:
        """Gives the criterion as a function.

        >>> WordPieceTrainer(30, criterion="pmi").rule(5, 20, 5, 113)
        Fraction(1, 20)
        """
        return CRITERIA[self.criterion] if isinstance(self.criterion, str) else self.criterion
