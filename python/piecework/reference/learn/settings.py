"""The settings of trainers, all independent of each other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from types import EllipsisType
from typing import ClassVar

from piecework.reference.learn.criteria import CRITERIA, Criterion, frequency
from piecework.reference.model.bpe import SUFFIX_STYLES
from piecework.reference.text.bytes import BYTE_OF_CHARACTER

UNKNOWN_TOKENS = ("<unk>", "[UNK]")
SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@dataclass(frozen=True, kw_only=True)
class MergeTrainer:
    """Holds the settings of any training by merging.

    Args:
        vocab_size: Size of the vocabulary, special tokens and alphabet included; None sets no
            limit.
        min_frequency: A pair that occurs less often is no candidate.
        min_word_frequency: A word that occurs less often is left out of the table.
        max_merges: Stop after this number of merges.
        stop_at_pair_frequency: Stop when the most frequent of all pairs occurs at most this often.
        ties: Which of the best candidates is merged. `lex`: the lower UTF-8 bytes of the rendered
            left token, then of the right. `first`: the pair that occurs first in the current table.
            `hf`: the lower symbol ids, left then right.
        special_tokens: Entries that no text becomes.
        special_tokens_first: Give them the first ids, else the last.
        user_defined_symbols: Whole words that are entries from the start; a word of the table that
            equals one is one token, and nothing is learned from it. `min_word_frequency` does not
            apply to them.
        initial_alphabet: Characters to include in all forms, even if they do not occur.
        limit_alphabet: Most characters to keep, by frequency; a dropped character splits its word.
        continuing_subword_prefix: Prefix of entries inside a word; it may be empty.
        max_token_length: Longest token to learn, in characters without prefix and suffix.

    Raises:
        ValueError: a setting is invalid.

    >>> MergeTrainer(ties="alphabetical")
    Traceback (most recent call last):
    ValueError: ties='alphabetical': expected one of ('lex', 'first', 'hf')
    """

    TIE_RULES: ClassVar[tuple[str, ...]] = ("lex", "first", "hf")

    vocab_size: int | None = None
    min_frequency: int = 1
    min_word_frequency: int = 1
    max_merges: int | None = None
    stop_at_pair_frequency: int | None = None
    ties: str = "lex"
    special_tokens: Sequence[str] = ()
    special_tokens_first: bool = True
    user_defined_symbols: Sequence[str] = ()
    initial_alphabet: Sequence[str] = ()
    limit_alphabet: int | None = None
    continuing_subword_prefix: str = ""
    max_token_length: int | None = None

    def __post_init__(self) -> None:
        if self.ties not in self.TIE_RULES:
            raise ValueError(f"ties={self.ties!r}: expected one of {self.TIE_RULES}")
        _check_special_tokens(self.special_tokens)
        occurrences = Counter([*self.special_tokens, *self.user_defined_symbols])
        for symbol in self.user_defined_symbols:
            if not symbol or occurrences[symbol] > 1:
                raise ValueError(
                    f"user_defined_symbols: {symbol!r} is empty, a special token or a duplicate"
                )
        for character in self.initial_alphabet:
            if len(character) != 1:
                raise ValueError(f"initial_alphabet: {character!r}: expected one character")

    @property
    def criterion_function(self) -> Criterion:
        """Returns the function that scores merges.

        >>> MergeTrainer().criterion_function(5, 20, 5, 113)
        5
        """
        return frequency


@dataclass(frozen=True)
class WordPieceTrainer(MergeTrainer):
    """Holds the settings of WordPiece training; see `MergeTrainer` for the inherited ones.

    Args:
        vocab_size: Size of the vocabulary, special tokens, user-defined symbols and alphabet
            included.
        criterion: The score of a merge: a name, or any `f(n, a, b, total) -> number` (see
            `criteria`; a function gets adjacent occurrences for n).
        stop_without_gain: Stop when the best merge does not raise the corpus log-likelihood.
        prune_unused: Drop learned entries that longest match never emits, and learn others.

    Raises:
        ValueError: a setting is invalid.

    >>> WordPieceTrainer(30).criterion
    'likelihood'
    """

    vocab_size: int
    _: KW_ONLY
    criterion: str | Criterion = "likelihood"
    special_tokens: Sequence[str] = SPECIAL_TOKENS
    continuing_subword_prefix: str = "##"
    stop_without_gain: bool = False
    prune_unused: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.criterion, str) and self.criterion not in CRITERIA:
            raise ValueError(f"criterion={self.criterion!r}: expected one of {tuple(CRITERIA)}")
        super().__post_init__()

    @property
    def criterion_function(self) -> Criterion:
        """Returns the function that scores merges.

        >>> WordPieceTrainer(30, criterion="pmi").criterion_function(5, 20, 5, 113)
        Fraction(1, 20)
        """
        return CRITERIA[self.criterion] if isinstance(self.criterion, str) else self.criterion


@dataclass(frozen=True, kw_only=True)
class BpeTrainer(MergeTrainer):
    """Holds the settings of BPE training; see `MergeTrainer` for the inherited ones.

    Args:
        ties: Also `sentencepiece`: the shorter merged token, then its lower UTF-8 bytes.
        unk_token: The token for unknown characters; None drops them. It becomes the first of
            `special_tokens` if it is not among them. `...` is the default: `<unk>` or `[UNK]` if it
            is a special token; else `<unk>`, but None for bytes and with `ties="hf"`.
        alphabet: `char`: the characters of the words. `byte`: the words are bytes written as
            characters, and all 256 are entries.
        end_of_word_suffix: Suffix of entries at the end of a word; it may be empty.
        suffix_style: `attached` to the last character, or `separate`, a symbol of its own.

    Raises:
        ValueError: a setting is invalid.

    >>> len(BpeTrainer(alphabet="byte").required_characters)
    256
    >>> BpeTrainer(special_tokens=["<s>"]).special_tokens
    ('<unk>', '<s>')
    """

    TIE_RULES: ClassVar[tuple[str, ...]] = (*MergeTrainer.TIE_RULES, "sentencepiece")

    unk_token: str | EllipsisType | None = ...
    alphabet: str = "char"
    end_of_word_suffix: str = ""
    suffix_style: str = "attached"

    def __post_init__(self) -> None:
        if self.unk_token is ...:
            object.__setattr__(self, "unk_token", self._default_unk_token())
        if self.unk_token is not None and self.unk_token not in self.special_tokens:
            special_tokens = (self.unk_token, *self.special_tokens)
            object.__setattr__(self, "special_tokens", special_tokens)
        super().__post_init__()
        if self.alphabet not in ("char", "byte"):
            raise ValueError(f"alphabet={self.alphabet!r}: expected 'char' or 'byte'")
        if self.suffix_style not in SUFFIX_STYLES:
            raise ValueError(f"suffix_style={self.suffix_style!r}: expected one of {SUFFIX_STYLES}")

    def _default_unk_token(self) -> str | None:
        listed = [token for token in UNKNOWN_TOKENS if token in self.special_tokens]
        of_text = self.alphabet == "char" and self.ties != "hf"
        return listed[0] if listed else UNKNOWN_TOKENS[0] if of_text else None

    @property
    def required_characters(self) -> Sequence[str]:
        """Returns the characters to include even if they do not occur.

        >>> BpeTrainer(initial_alphabet="ab").required_characters
        ['a', 'b']
        """
        return [*self.initial_alphabet, *(BYTE_OF_CHARACTER if self.alphabet == "byte" else ())]


@dataclass(frozen=True)
class UnigramTrainer:
    """Holds the settings of Unigram training.

    Args:
        vocab_size: Size of the vocabulary, special tokens, user-defined symbols, bytes and alphabet
            included.
        seed_size: Most initial pieces, not counting single characters.
        shrinking_factor: The share of the pieces that a pruning keeps.
        em_steps: EM steps in each round.
        max_piece_length: Longest piece to learn, in characters.
        min_frequency: A string that occurs less often is no seed piece; at least 2 applies.
        min_word_frequency: A word that occurs less often is left out of the table.
        special_tokens: Entries that no text becomes.
        special_tokens_first: Give them the first ids, else the last.
        unk_token: The special token for unknown characters; None if there is none.
        user_defined_symbols: Entries that split the text they occur in; nothing is learned across
            them.
        byte_fallback: Whether the 256 bytes are entries.
        character_coverage: The share of all characters that the alphabet covers.
        required_chars: Characters to include in any case.
        split_by_unicode_script: Whether no piece has characters of two scripts.
        split_by_number: Whether no piece has digits and letters.
        split_digits: Whether each digit is a piece by itself.
        split_by_whitespace: Whether `▁` only begins a piece.
        allow_whitespace_only_pieces: Whether several `▁` may form a piece.
        treat_whitespace_as_suffix: Whether `▁` ends a word, and a piece, instead of beginning it.

    Raises:
        ValueError: a setting is invalid.

    >>> UnigramTrainer(8000).max_piece_length
    16
    """

    vocab_size: int
    _: KW_ONLY
    seed_size: int = 1_000_000
    shrinking_factor: float = 0.75
    em_steps: int = 1
    max_piece_length: int = 16
    min_frequency: int = 2
    min_word_frequency: int = 1
    special_tokens: Sequence[str] = ("<unk>", "<s>", "</s>")
    special_tokens_first: bool = True
    unk_token: str | None = "<unk>"
    user_defined_symbols: Sequence[str] = ()
    byte_fallback: bool = False
    character_coverage: float = 0.9995
    required_chars: Sequence[str] = ()
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False
    split_by_whitespace: bool = True
    allow_whitespace_only_pieces: bool = False
    treat_whitespace_as_suffix: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.shrinking_factor < 1:
            raise ValueError(
                f"shrinking_factor={self.shrinking_factor}: expected a number between 0 and 1"
            )
        if not 0 <= self.character_coverage <= 1:
            raise ValueError(
                f"character_coverage={self.character_coverage}: expected a number from 0 to 1"
            )
        for name in ("vocab_size", "em_steps", "max_piece_length"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: expected at least 1")
        for entry, occurrences in Counter(self.reserved).items():
            if not entry or occurrences > 1:
                raise ValueError(f"reserved entry {entry!r} is empty or given twice; remove it")
        for character in self.required_chars:
            if len(character) != 1:
                raise ValueError(f"required_chars: {character!r}: expected one character")
        if self.unk_token is not None and self.unk_token not in self.special_tokens:
            raise ValueError(f"unk_token={self.unk_token!r}: expected one of the special tokens")

    @property
    def reserved(self) -> list[str]:
        """Returns the entries that are not learned, the special tokens first.

        >>> UnigramTrainer(8000, user_defined_symbols=["<mask>"]).reserved
        ['<unk>', '<s>', '</s>', '<mask>']
        """
        names = [f"<0x{byte:02X}>" for byte in range(256)] if self.byte_fallback else []
        return [*self.special_tokens, *self.user_defined_symbols, *names]


@dataclass(frozen=True)
class WordLevelTrainer:
    """Holds the settings of WordLevel training.

    Args:
        vocab_size: Most entries, special tokens included.
        min_frequency: A word that occurs less often is no entry; at least 1 applies.
        special_tokens: Entries that no text becomes.
        unk_token: The special token for unknown words; None if there is none.

    Raises:
        ValueError: a setting is invalid.

    >>> WordLevelTrainer(100).special_tokens
    ('[UNK]',)
    """

    vocab_size: int
    _: KW_ONLY
    min_frequency: int = 1
    special_tokens: Sequence[str] = ("[UNK]",)
    unk_token: str | None = "[UNK]"

    def __post_init__(self) -> None:
        if self.vocab_size < 1:
            raise ValueError(f"vocab_size={self.vocab_size}: expected at least 1")
        _check_special_tokens(self.special_tokens)
        if self.unk_token is not None and self.unk_token not in self.special_tokens:
            raise ValueError(f"unk_token={self.unk_token!r}: expected one of the special tokens")


def _check_special_tokens(tokens: Sequence[str]) -> None:
    """Raises ValueError if a special token is empty or given twice."""
    for token, occurrences in Counter(tokens).items():
        if not token or occurrences > 1:
            raise ValueError(f"special_tokens: {token!r} is empty or a duplicate; remove it")
