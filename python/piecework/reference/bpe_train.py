"""Training BPE: the most frequent pair merges, and the merges are the model.

    low 5, lower 2, newest 6, widest 3              suffix "</w>", a symbol of its own
    l o w </w> | n e w e s t </w> | ...             e s stands 9 times: merge it
    l o w </w> | n e w es t </w>  | ...             es t stands 9 times: merge it, and so on

The loop is that of `merging`. Here is how a word becomes symbols, and how `tokenizers` and
SentencePiece choose among pairs that are equally frequent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piecework.reference.alphabet import Symbol
from piecework.reference.decode import BYTES
from piecework.reference.merging import Merging, Trained
from piecework.reference.settings import BpeTrainer
from piecework.reference.table import Pair, joined


@dataclass
class BpeTraining(Merging):
    """Gives a training that can be watched: `now` and `candidates` look, `step` merges.

    Source: notes 003 and 004, and `spec/bpe.md`. Ties and cost: as `Merging` says.

    Args:
        words: word -> count in order of first sight; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: no word is left, the size cannot hold what it must, or with `alphabet="byte"` a
            word is not made of bytes.
        OverflowError: the characters are more than 64 bits can count.

    >>> training = BpeTraining({"low": 5, "lower": 2}, BpeTrainer(end_of_word_suffix="</w>"))
    >>> training.step()
    Merge(left='l', right='o', token='lo', score=7.0, pair_count=7, left_count=7, right_count=7, \
ties=1)
    """

    trainer: BpeTrainer

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.trainer.user_defined_symbols
        for word in self.words if self.trainer.alphabet == "byte" else ():
            if word not in given and not BYTES.keys() >= set(word):
                raise ValueError(f"{word!r} is not written in bytes: is ByteLevel missing?")

    def finish(self) -> Trained:
        """Merges until a stop rule holds, and counts the entries in the table as it stands then.

        Returns:
            Vocabulary, history and counts.
        """
        while self.step():
            pass
        counts = dict.fromkeys(self.vocabulary, 0)
        for symbol, count in self.now().symbols.items():
            counts[self._rendered(symbol)] += count
        for name in self.trainer.user_defined_symbols:
            counts[name] += self.words.get(name, 0)
        return Trained(self.vocabulary, self.history, list(counts.values()))

    @property
    def _like_hf(self) -> bool:
        """Says whether the filters are those of `tokenizers`, too."""
        return self.trainer.ties == "hf"

    def _suffix(self) -> str:
        return self.trainer.end_of_word_suffix

    def _characters(self) -> Sequence[str]:
        return self.trainer.wanted

    def _symbols(self, word: str) -> list[Symbol | None]:
        options, last = self.trainer, len(word) - 1
        kept = self._kept.union(options.special_tokens) if self._like_hf else self._kept
        plain = not options.continuing_subword_prefix
        attached = bool(options.end_of_word_suffix) and options.suffix_style == "attached"
        symbols = [
            Symbol(plain or i == 0, c, attached and i == last) if c in kept else None
            for i, c in enumerate(word)
        ]
        if options.end_of_word_suffix and not attached:
            symbols.append(Symbol(plain, "", final=True))
        return [symbol for symbol in symbols if symbol] if self._like_hf else symbols

    def _wanted(self) -> Iterable[Symbol]:
        if self._like_hf:
            return (Symbol(initial=True, text=character) for character in self._kept)
        plain = not self.trainer.continuing_subword_prefix
        attached = self._suffix() and self.trainer.suffix_style == "attached"
        forms = [(i, f) for f in (False, bool(attached)) for i in (True, plain)]
        return (Symbol(i, c, f) for c in self._characters() for i, f in forms)

    def _may_be_entry(self, pair: Pair) -> bool:
        if not self._like_hf:
            return super()._may_be_entry(pair)
        whole, longest = joined(pair), self.trainer.max_token_length
        if longest is not None and len(whole.text) >= max(3, longest):
            return False
        return self._rendered(whole) not in self._taken.difference(self.trainer.special_tokens)

    def _rank(self, pair: Pair) -> tuple[Any, ...]:
        if self.trainer.ties == "sentencepiece":
            whole, text = joined(pair), self._rendered(pair[0])
            return len(whole.text), self._rendered(whole).encode(), len(text)
        if self._like_hf:
            return tuple(self._id(symbol) for symbol in pair)
        return super()._rank(pair)

    def _id(self, symbol: Symbol) -> int:
        specials, text = list(self.trainer.special_tokens), self._rendered(symbol)
        return (
            specials.index(text) if text in specials else len(specials) + self._symbol_ids[symbol]
        )


def train_bpe(words: Mapping[str, int], trainer: BpeTrainer) -> Trained:
    """Trains a vocabulary and its merges.

    Args:
        words: word -> count in order of first sight; normalized and pre-tokenized.
        trainer: The settings.

    Returns:
        The entries by id, every merge, and the count of each entry.

    Raises:
        ValueError: no word is left, the size cannot hold what it must, or with `alphabet="byte"` a
            word is not made of bytes.
        OverflowError: the symbols are more than 64 bits can count.

    >>> train_bpe({"hug": 10, "hugs": 5}, BpeTrainer()).vocabulary
    ['<unk>', 'g', 'h', 's', 'u', 'hu', 'hug', 'hugs']
    """
    return BpeTraining(words, trainer).finish()
