"""Extending a Unigram vocabulary: EM estimates new pieces, and the old ones keep their scores.

    old     h u g s hug                             with their probabilities, which are fixed
    seeds   hugs                                    from the words of the domain, without old pieces
    EM      the expected count of each new piece, as a share of the expected count of all pieces

Rules with numbers, such as U50, are those of `spec/unigram.md`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from piecework.reference.learn.extension import ExtensionSettings
from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.learn.unigram_seeds import build_corpus, select_seed_pieces
from piecework.reference.learn.unigram_train import (
    SCORE_DECIMALS,
    STEPS_WITHOUT_PRIOR,
    UnigramTraining,
)
from piecework.reference.numbers.floats import WideFloat, exp, ln

LOWEST_FIXED_SCORE = -110.0
LONGEST_PIECE = 16


@dataclass(frozen=True)
class UnigramBase:
    """Describes the model to extend.

    Args:
        pieces: The pieces that text may become by their scores, with these.
        symbols: The user-defined pieces.
        others: All other entries, and the added tokens.
        is_suffixed: Whether `▁` ends words.
    """

    pieces: Mapping[str, float]
    symbols: Sequence[str] = ()
    others: Collection[str] = ()
    is_suffixed: bool = False


@dataclass
class UnigramExtension(UnigramTraining):
    """Learns pieces step by step, as `UnigramTraining` does.

    Args:
        words: word -> count; normalized and pre-tokenized.
        trainer: The settings of the training; its `vocab_size` is not used.
        base: The model to extend.
        new_tokens: The number of pieces to learn, or the number of seed pieces if that is smaller.
    """

    base: UnigramBase = field(default_factory=lambda: UnigramBase({}))
    new_tokens: int = 0

    def __post_init__(self) -> None:
        symbols = self.trainer.user_defined_symbols
        self._corpus, self._expected = build_corpus(self.words, self.trainer, symbols), {}
        alphabet = self._corpus.alphabet.keys()
        values = select_seed_pieces(self._corpus, self.trainer)
        whole = sum(max(value, 1) for value in values.values())
        seeds = {p: float(v) / float(whole) for p, v in values.items() if p not in alphabet}
        self._fixed = {
            piece: float(exp(min(max(score, LOWEST_FIXED_SCORE), 0.0)))
            for piece, score in self.base.pieces.items()
            if alphabet >= set(piece)
        }
        self.pieces = {**seeds, **self._fixed}
        self._longest = max(map(len, self.pieces))
        self.new_tokens = min(self.new_tokens, len(seeds))

    @property
    def size(self) -> int:
        """Returns the final number of pieces, fixed ones included."""
        return len(self._fixed) + self.new_tokens

    def learn(self) -> list[tuple[str, float]]:
        """Performs steps and prunings until the size is reached (U51).

        Returns:
            The new pieces with their scores, in the order of their ids (U52).
        """
        fixed, target = len(self._fixed), max(self.new_tokens, 11 * self.new_tokens // 10)
        while True:
            for _ in range(self.trainer.em_steps):
                self.step()
            learned = len(self.pieces) - fixed
            if learned <= target:
                break
            self.prune(fixed + max(target, int(self.trainer.shrinking_factor * learned)))
        if len(self.pieces) > self.size:
            self.prune(self.size)
        for _ in range(STEPS_WITHOUT_PRIOR):
            self.step(without_prior=True)
        lowest = min(self.base.pieces.values())
        new = {piece: p for piece, p in self.pieces.items() if piece not in self._fixed}
        ranked = sorted(new, key=lambda piece: (-new[piece], piece.encode()))
        scores = [round(ln(WideFloat.of(new[piece])), SCORE_DECIMALS) for piece in ranked]
        return [(piece, max(score, lowest)) for piece, score in zip(ranked, scores, strict=True)]


def extend_unigram(
    base: UnigramBase, words: Mapping[str, int], settings: ExtensionSettings
) -> list[tuple[str, float]]:
    """Learns pieces to add to those of a Unigram model (U49 to U52).

    Args:
        base: The model to extend.
        words: word -> count; normalized and pre-tokenized.
        settings: The settings.

    Returns:
        The pieces with their scores, in the order of their ids.

    Raises:
        ValueError: no word has a character that is a piece.
        OverflowError: the number of characters exceeds 64 bits.

    >>> base = UnigramBase({"h": -3.0, "u": -3.0, "g": -3.0, "s": -3.0, "hug": -1.0})
    >>> extend_unigram(base, {"hugs": 10, "hug": 5}, ExtensionSettings(1))
    [('hugs', -0.4527991841354)]
    """
    known = {piece for piece in base.pieces if len(piece) == 1}
    entries = {*base.pieces, *base.others, *(c for word in words for c in word)}
    reserved = sorted(e for e in entries - known - set(base.symbols) if e)
    trainer = UnigramTrainer(
        1,
        max_piece_length=settings.max_token_length or LONGEST_PIECE,
        min_frequency=settings.min_frequency,
        special_tokens=tuple(reserved),
        unk_token=None,
        user_defined_symbols=tuple(sorted(base.symbols)),
        character_coverage=1.0,
        treat_whitespace_as_suffix=base.is_suffixed,
    )
    return UnigramExtension(words, trainer, base, settings.new_tokens).learn()
