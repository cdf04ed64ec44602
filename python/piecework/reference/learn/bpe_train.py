"""Training BPE: the most frequent pair merges, and the merges are the model.

    low 5, lower 2, newest 6, widest 3              suffix "</w>", a symbol of its own
    l o w </w> | n e w e s t </w> | ...             e s occurs 9 times: merge it
    l o w </w> | n e w es t </w>  | ...             es t occurs 9 times: merge it, and so on

The loop is that of `merging`. This module defines how a word is split into symbols, and how
`tokenizers` and SentencePiece choose among pairs of equal frequency.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piecework.reference.learn.alphabet import Symbol
from piecework.reference.learn.cut import cut_words
from piecework.reference.learn.merging import MergeTraining, TrainedVocabulary
from piecework.reference.learn.pairs import Pair, join_pair
from piecework.reference.learn.settings import BpeTrainer
from piecework.reference.text.bytes import BYTE_OF_CHARACTER


@dataclass
class BpeTraining(MergeTraining):
    """Trains BPE step by step: `count` and `candidates` inspect the table, `step` merges.

    Source: Sennrich, Haddow and Birch 2016, and `spec/bpe.md`. Ties and cost: see `MergeTraining`.

    Args:
        words: word -> count in order of first occurrence; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: no word is left, the size is too small for the required entries, or with
            `alphabet="byte"` a word is not written in byte characters.
        OverflowError: the number of characters exceeds 64 bits.

    >>> training = BpeTraining({"low": 5, "lower": 2}, BpeTrainer(end_of_word_suffix="</w>"))
    >>> training.step()
    Merge(left='l', right='o', token='lo', score=7.0, pair_count=7, left_count=7, right_count=7, \
    ties=1)
    """

    trainer: BpeTrainer

    def __post_init__(self) -> None:
        super().__post_init__()
        user_defined = self.trainer.user_defined_symbols
        for word in self.words if self.trainer.alphabet == "byte" else ():
            if word not in user_defined and not BYTE_OF_CHARACTER.keys() >= set(word):
                raise ValueError(f"word {word!r} is not written in byte characters; add ByteLevel")

    def finish(self) -> TrainedVocabulary:
        """Merges until a stop rule applies, and counts the entries in the final table.

        Returns:
            Vocabulary, history and counts.
        """
        while self.step():
            pass
        counts = dict.fromkeys(self.vocabulary, 0)
        for symbol, count in self.count().symbols.items():
            counts[self._render(symbol)] += count
        for name in self.trainer.user_defined_symbols:
            counts[name] += self.words.get(name, 0)
        return TrainedVocabulary(self.vocabulary, self.history, list(counts.values()))

    @property
    def _is_hf_compatible(self) -> bool:
        """Returns whether the filters of `tokenizers` apply, too."""
        return self.trainer.ties == "hf"

    def _cut(self, words: Mapping[str, int]) -> Mapping[str, int]:
        options = self.trainer
        if self._is_hf_compatible:
            return words
        return cut_words(
            words,
            options.special_tokens,
            options.user_defined_symbols,
            in_bytes=options.alphabet == "byte",
        )

    def _suffix(self) -> str:
        return self.trainer.end_of_word_suffix

    def _required_characters(self) -> Sequence[str]:
        return self.trainer.required_characters

    def _symbols(self, word: str) -> list[Symbol | None]:
        options, last = self.trainer, len(word) - 1
        kept = self._kept.union(options.special_tokens) if self._is_hf_compatible else self._kept
        plain = not options.continuing_subword_prefix
        attached = bool(options.end_of_word_suffix) and options.suffix_style == "attached"
        symbols = [
            Symbol(plain or i == 0, c, attached and i == last) if c in kept else None
            for i, c in enumerate(word)
        ]
        if options.end_of_word_suffix and not attached:
            symbols.append(Symbol(plain, "", is_final=True))
        return [symbol for symbol in symbols if symbol] if self._is_hf_compatible else symbols

    def _required_symbols(self) -> Iterable[Symbol]:
        if self._is_hf_compatible:
            return (Symbol(is_initial=True, text=character) for character in self._kept)
        plain = not self.trainer.continuing_subword_prefix
        attached = self._suffix() and self.trainer.suffix_style == "attached"
        forms = [(i, f) for f in (False, bool(attached)) for i in (True, plain)]
        return (Symbol(i, c, f) for c in self._required_characters() for i, f in forms)

    def _may_be_entry(self, pair: Pair) -> bool:
        if not self._is_hf_compatible:
            return super()._may_be_entry(pair)
        whole, longest = join_pair(pair), self.trainer.max_token_length
        if longest is not None and len(whole.text) >= max(3, longest):
            return False
        return self._render(whole) not in self._forbidden.difference(self.trainer.special_tokens)

    def _tie_key(self, pair: Pair) -> tuple[Any, ...]:
        if self.trainer.ties == "sentencepiece":
            whole, text = join_pair(pair), self._render(pair[0])
            return len(whole.text), self._render(whole).encode(), len(text)
        if self._is_hf_compatible:
            return tuple(self._id(symbol) for symbol in pair)
        return super()._tie_key(pair)

    def _id(self, symbol: Symbol) -> int:
        specials, text = list(self.trainer.special_tokens), self._render(symbol)
        return (
            specials.index(text) if text in specials else len(specials) + self._symbol_ids[symbol]
        )


def train_bpe(words: Mapping[str, int], trainer: BpeTrainer) -> TrainedVocabulary:
    """Trains a vocabulary and its merges.

    Args:
        words: word -> count in order of first occurrence; normalized and pre-tokenized.
        trainer: The settings.

    Returns:
        The entries by id, every merge, and the count of each entry.

    Raises:
        ValueError: no word is left, the size is too small for the required entries, or with
            `alphabet="byte"` a word is not written in byte characters.
        OverflowError: the number of characters exceeds 64 bits.

    >>> train_bpe({"hug": 10, "hugs": 5}, BpeTrainer()).vocabulary
    ['<unk>', 'g', 'h', 's', 'u', 'hu', 'hug', 'hugs']
    """
    return BpeTraining(words, trainer).finish()
