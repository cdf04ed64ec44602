"""Defines the language model of a tokenizer: segmentations with their probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._exceptions import id_error
from piecework._messages import shown
from piecework._settings.arguments import Specials, Text, check_index, check_iterable
from piecework._settings.immutable import Immutable
from piecework.errors import ConfigError, TokenIdError
from piecework.tokenizer._checks import is_integer, read_only
from piecework.tokenizer._options import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework._core import Encoding
    from piecework.tokenizer._results import ScoredEncoding
    from piecework.tokenizer._tokenizer import Tokenizer


_MOST_SEGMENTATIONS = 10_000
"""The largest `n` of `nbest`, 20 times the limit of SentencePiece."""


class LanguageModel(Immutable):
    """Computes the probabilities of segmentations and texts.

    The model must be Unigram, or WordPiece with ``segmentation="likeliest"``; :meth:`log_likelihood` needs token counts
    instead.

    >>> from piecework import Tokenizer, models
    >>> tok = Tokenizer(models.Unigram([("a", -1.0), ("aa", -2.5)]))
    >>> [(encoding.tokens, score) for encoding, score in tok.lm.nbest("aa", 2)]
    [(['a', 'a'], -2.0), (['aa'], -2.5)]
    """

    __slots__ = ("_tok",)

    _tok: Tokenizer

    def __init__(self, tok: Tokenizer) -> None:
        """Wraps a tokenizer."""
        object.__setattr__(self, "_tok", tok)

    def __repr__(self) -> str:
        """Returns the type of the model and the number of its tokens."""
        return f"LanguageModel({self._tok.model_type}, {self._tok.vocab_size:,} tokens)"

    def nbest(
        self,
        text: Text,
        n: int,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
    ) -> list[ScoredEncoding]:
        """Returns the `n` best segmentations of a text with their scores, best first.

        The algorithm is SentencePiece's A* search from the end of a word, with the Viterbi scores as the exact heuristic.
        Equal scores are in the order of SentencePiece. A segmentation takes about as many steps as it has tokens, unless
        many others score nearly as well.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``.
            n: The maximum number of segmentations, from 1 to 10,000; each takes the memory of an encoding.
            add_special_tokens: See :meth:`Tokenizer.encode`.
            specials: See :meth:`Tokenizer.encode`.

        Returns:
            Encodings, neither truncated nor padded, with their scores: natural logarithms of their probabilities, special
            tokens excluded. For SentencePiece models and ``n`` from 2 on they equal the scores of SentencePiece. The
            segmentations of several words are combined. Very long words may give only the best segmentation, as in
            SentencePiece, if too many others score nearly as well.

        Raises:
            ConfigError: The model has no segmentation probabilities (it is neither Unigram nor WordPiece with
                ``segmentation="likeliest"``), or ``n`` is not from 1 to 10,000.
            PieceworkError: See :meth:`Tokenizer.encode`.

        >>> from piecework import Tokenizer, models
        >>> vocab = [("h", -3.0), ("u", -2.3), ("g", -2.4), ("s", -2.4), ("hug", -1.2), ("gs", -3.0)]
        >>> for encoding, score in Tokenizer(models.Unigram(vocab)).lm.nbest("hugs", 2):
        ...     print(encoding.tokens, round(score, 4))
        ['hug', 's'] -3.6
        ['h', 'u', 'gs'] -8.3
        """
        from piecework.tokenizer._results import ScoredEncoding

        _check_number_of_segmentations(n)
        given = {"add_special_tokens": add_special_tokens, "specials": specials}
        options = self._tok._options(given | UNLIMITED)
        return [
            ScoredEncoding(*scored) for scored in self._tok._core.encode_nbest(text, n, options)
        ]

    def sample(
        self,
        text: Text,
        n: int = 1,
        *,
        alpha: float = 1.0,
        nbest_size: int | None = None,
        seed: int | None = None,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
    ) -> list[Encoding]:
        """Draws segmentations of a text at random, independently of each other.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``.
            n: The number of segmentations to draw, from 1 to 10,000.
            alpha: See :class:`piecework.Sampling`.
            nbest_size: See :class:`piecework.Sampling`.
            seed: See :class:`piecework.Sampling`.
            add_special_tokens: See :meth:`Tokenizer.encode`.
            specials: See :meth:`Tokenizer.encode`.

        Returns:
            Encodings, neither truncated nor padded: those that :meth:`Tokenizer.encode_batch` returns for `n` equal texts.

        Raises:
            ConfigError: The model has no segmentation probabilities, or an argument is out of range.
            PieceworkError: See :meth:`Tokenizer.encode`.

        >>> from piecework import Tokenizer, models
        >>> tok = Tokenizer(models.Unigram([("a", -1.0), ("aa", -2.0)]))
        >>> [encoding.tokens for encoding in tok.lm.sample("aa", 3, seed=1)]
        [['aa'], ['aa'], ['a', 'a']]
        """
        from piecework._settings.encoding import Sampling

        _check_number_of_segmentations(n)
        given = {
            "add_special_tokens": add_special_tokens,
            "specials": specials,
            "sampling": self._tok._seeded(Sampling(alpha, nbest_size, seed=seed)),
        }
        drawn = []
        for number in range(n):
            options = self._tok._new_options(given | UNLIMITED, number)
            drawn.append(self._tok._core.encode(text, None, False, options))
        return drawn

    def score(self, tokens: Iterable[str | int]) -> float:
        """Returns the score of a segmentation, the sum of the log-probabilities of its tokens.

        Args:
            tokens: Tokens or their ids, such as an :class:`Encoding`.

        Returns:
            A natural logarithm. The unknown token counts as one unknown character; special tokens and the byte tokens of
            SentencePiece's byte fallback contribute 0.

        Raises:
            ConfigError: The model has no segmentation probabilities.
            TokenIdError: A token is not in the vocabulary.

        >>> from piecework import Tokenizer, models
        >>> tok = Tokenizer(models.Unigram([("a", -1.0), ("b", -2.0), ("ab", -1.5)]))
        >>> tok.lm.score(["a", "b"]), tok.lm.score(tok.encode("ab"))
        (-3.0, -1.5)
        """
        each = check_iterable("tokens", tokens, "an iterable of tokens or ids")
        return self._tok._core.score([self._id(token) for token in each])

    def marginal_log_likelihood(self, text: Text, *, specials: Specials | None = None) -> float:
        """Returns the marginal log-likelihood of a text: the log of its probability over all segmentations.

        The forward algorithm takes time linear in the text.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``.
            specials: See :meth:`Tokenizer.encode`.

        Returns:
            The sum over words of the natural logarithm of the word's probability; added tokens contribute 0.

        Raises:
            ConfigError: The model has no segmentation probabilities.
            PieceworkError: See :meth:`Tokenizer.encode`.

        >>> from piecework import Tokenizer, models
        >>> round(Tokenizer(models.Unigram([("a", -1.0), ("aa", -2.0)])).lm.marginal_log_likelihood("aa"), 4)
        -1.3069
        """
        return self._tok._core.log_probability(
            text, self._tok._options({"add_special_tokens": False, "specials": specials})
        )

    def log_likelihood(self, text: str, *, specials: Specials | None = None) -> float:
        """Returns the log-likelihood of a text, the sum of ln p over its tokens.

        The p of a token is that in `probabilities`, or its relative frequency in the encoded training words. Tokens that
        never occur there, and the unknown token, have 2**-52, so the sum is finite. No special tokens are added.

        Args:
            text: The text.
            specials: See :meth:`Tokenizer.encode`.

        Returns:
            A natural logarithm.

        Raises:
            MissingCountsError: The tokenizer has no token counts, such as one read from a vocab.txt.

        >>> import piecework as pw
        >>> tok = pw.train({"a": 3, "b": 1}, pw.WordPieceTrainer(7))
        >>> round(tok.lm.log_likelihood("a b"), 4)  # ln 3/4 + ln 1/4
        -1.674
        """
        return self._tok._core.log_likelihood(
            text, self._tok._options({"add_special_tokens": False, "specials": specials})
        )

    def _id(self, token: str | int) -> int:
        if not isinstance(token, str):
            if not 0 <= check_index("tokens", token) < 1 << 32:
                raise id_error()
            return token
        number = self._tok.token_to_id(token)
        if number is None:
            raise TokenIdError(f"the token {shown(token)} is not in the vocabulary")
        return number

    def _instead(self, name: str) -> str:
        """Returns the error for an assignment."""
        return read_only(self, name)


def _check_number_of_segmentations(n: object) -> None:
    """Raises ConfigError for an `n` that is out of range."""
    if not is_integer(n, 1, _MOST_SEGMENTATIONS):
        raise ConfigError(
            f"expected a number of segmentations from 1 to {_MOST_SEGMENTATIONS:,}, found {shown(n)}",
            setting="n",
        )
