"""Makes entries of given words, with the merges that BPE needs for them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._messages import shown, wrong_type
from piecework._settings.arguments import check_iterable, check_str
from piecework._settings.encoding import Sampling
from piecework.analysis._measuring import PLAIN
from piecework.errors import ConfigError, UnknownTokenError
from piecework.surgery._models import extended
from piecework.tokenizer._rebuild import model_tree, rebuilt
from piecework.tokenizer._results import Merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from piecework._core import Encoding
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._options import EncodeOptions

_ROUNDS = 50
"""The number of times that the score of a piece is raised until its word is one piece."""


class NewEntries(NamedTuple):
    """Holds new entries of a model.

    Attributes:
        tokens: The entries, in order of their ids.
        sources: The old ids that each entry is made of.
        scores: The scores of pieces of Unigram; empty for other models.
        history: The merges of BPE, in order; empty for other models, and where a word is an entry without merges.
        intermediate: The entries that only others are made of.
    """

    tokens: Sequence[str]
    sources: Sequence[tuple[int, ...]]
    scores: Sequence[float] = ()
    history: Sequence[Merge] = ()
    intermediate: Sequence[str] = ()


def entries_of_words(tok: Tokenizer, words: Iterable[str]) -> NewEntries:
    """Returns the entries that make each of some words a single token.

    Args:
        tok: The tokenizer, with a WordPiece, BPE or Unigram model.
        words: The words as texts. One that is a single token already needs no entry.

    Raises:
        ConfigError: The tokenizer makes several words of a text, or the model cannot make it one token.
    """
    if isinstance(words, str):
        raise wrong_type("words", "an iterable of words", words)
    given = check_iterable("words", words, "an iterable of words")
    model = Model(tok)
    wanted, pieces = dict[str, str](), dict[str, list[str]]()
    for word in given:
        entry = _model_word(tok, check_str("words", word)) + model.suffix
        wanted[entry] = word
        number = tok.token_to_id(entry)
        if number is not None and tok.encode(word, **model.options).ids == [number]:
            continue
        split = model.pieces(entry, word)
        if number is not None:
            raise _impossible(word, f"it has an id, and the model makes {_listed(split)} of it")
        pieces[entry] = split
    if tok.model_type == "BPE" and not model.tree.get("ignore_merges"):
        made = merged_entries(model, pieces, wanted)
    else:
        new = list(pieces)
        scores = _scores(model, new) if tok.model_type == "Unigram" else []
        made = NewEntries(new, [model.ids(entry) for entry in new], scores)
    changed = model.with_entries(made).tok
    for entry, word in wanted.items():
        encoding = changed.encode(word, **model.options)
        if encoding.ids != [changed.token_to_id(entry)]:
            raise _impossible(word, f"the tokenizer makes {_listed(encoding.tokens)} of it")
    return made


def _model_word(tok: Tokenizer, word: str) -> str:
    """Returns the word that the model receives for a text."""
    text = tok.normalizer.normalize_str(word) if tok.normalizer else word
    found = [text] if text else []
    if tok.pre_tokenizer:
        found = [part for part, _ in tok.pre_tokenizer.pre_tokenize_str(text)]
    if len(found) == 1:
        return found[0]
    parts = f": {', '.join(map(shown, found[:4]))}" if found else ""
    raise ConfigError(
        f"{shown(word)} is {len(found)} words for this tokenizer{parts}",
        setting="words",
        hint="pass words that its pre-tokenizer leaves whole",
    )


def _impossible(word: str, why: str) -> ConfigError:
    return ConfigError(f"{shown(word)} cannot become one token: {why}", setting="words")


def _listed(tokens: Sequence[str]) -> str:
    return " ".join(map(shown, tokens[:4])) + (" ..." if len(tokens) > 4 else "")


class Model:
    """Splits words by a model alone, without dropout.

    Attributes:
        tok: The tokenizer of the model.
        tree: The settings of the model as JSON values.
        vocab: The ids of its entries.
        prefix: What an entry of BPE begins with that continues a word.
        suffix: What BPE appends to a word.
        has_separate_suffix: Whether that is a symbol of its own.
        options: The arguments by which a text is encoded alone.
    """

    def __init__(self, tok: Tokenizer) -> None:
        self.tok, self.tree = tok, model_tree(tok)
        self.vocab: Mapping[str, int] = tok._core.model_vocab()
        self.prefix: str = self.tree.get("continuing_subword_prefix") or ""
        self.suffix: str = self.tree.get("end_of_word_suffix") or ""
        own: Mapping[str, Any] = self.tree.get("piecework") or {}
        self.has_separate_suffix = own.get("suffix_style") == "separate"
        self._alone = type(tok)._wrap(tok._core.model_alone())
        sampling = Sampling(dropout=0.0) if self.tree.get("dropout") else None
        self.options: EncodeOptions = {**PLAIN, "sampling": sampling}

    def with_entries(self, new: NewEntries) -> Model:
        """Returns the model with new entries."""
        tree = extended(self.tok, self.tree, new.tokens, new.scores, new.history)
        return Model(rebuilt(self.tok, tree, int))

    def pieces(self, entry: str, word: str) -> list[str]:
        """Returns the tokens of a word, by its entry; `word` is for errors."""
        try:
            return self._encode(entry).tokens
        except UnknownTokenError as error:
            if self.tok.model_type != "BPE":
                return []
            raise _impossible(word, str(error)) from None

    def ids(self, entry: str) -> tuple[int, ...]:
        """Returns the ids of the tokens of a word, by its entry; none if the model has no token for it."""
        try:
            return tuple(self._encode(entry).ids)
        except UnknownTokenError:
            return ()

    def _encode(self, entry: str) -> Encoding:
        return self._alone.encode(entry.removesuffix(self.suffix), **self.options)

    def best_score(self, entry: str) -> float:
        """Returns the score of the best segmentation of a word; -infinity if there is none."""
        try:
            return self._alone.lm.nbest(entry, 1)[0].score
        except UnknownTokenError:
            return -math.inf


class _Merging:
    """Applies new merges, in their order, to words that the old model has split."""

    def __init__(self, model: Model) -> None:
        own: Mapping[str, Any] = model.tree.get("piecework") or {}
        self.rows: list[Merge] = []
        self._prefix = model.prefix
        self._has_ranks = own.get("ranks") is not None
        self._order: dict[object, int] = {}
        self._known = set(model.tok.vocab)

    def new_pairs(self, tokens: Sequence[str]) -> list[tuple[str, str, str]]:
        """Returns the adjacent tokens whose merge is no entry yet, each with the entry."""
        pairs = [(left, right, self._joined(left, right)) for left, right in pairwise(tokens)]
        return [pair for pair in pairs if pair[2] not in self._known]

    def add(self, left: str, right: str, merged: str) -> None:
        self._order[self._key(left, right)] = len(self.rows)
        self._known.add(merged)
        self.rows.append(Merge(left, right, merged, 0.0, 0, 0, 0, 1))

    def apply(self, tokens: Sequence[str]) -> list[str]:
        """Returns the tokens of a word after the merges so far."""
        tokens = list(tokens)
        while places := [
            n for pair in pairwise(tokens) if (n := self._order.get(self._key(*pair))) is not None
        ]:
            first = min(places)
            merged = tokens[:1]
            for token in tokens[1:]:
                if merged and self._order.get(self._key(merged[-1], token)) == first:
                    merged[-1] = self._joined(merged[-1], token)
                else:
                    merged.append(token)
            tokens = merged
        return tokens

    def _joined(self, left: str, right: str) -> str:
        return left + right.removeprefix(self._prefix)

    def _key(self, left: str, right: str) -> object:
        """Returns what has a rank: the entry, or the pair."""
        return self._joined(left, right) if self._has_ranks else (left, right)


def merged_entries(
    model: Model, pieces: Mapping[str, Sequence[str]], words: Mapping[str, str]
) -> NewEntries:
    """Returns the merges that make words single tokens, shorter words first.

    Args:
        model: The model.
        pieces: The entries of the words, with the tokens that they are now.
        words: The wanted entries, each with the word for errors.
    """
    merging = _Merging(model)
    for entry in sorted(pieces, key=len):
        unknown = [
            piece
            for piece in pieces[entry]
            if piece not in model.vocab or _is_foreign(piece, entry, model)
        ]
        if unknown:
            raise _impossible(
                words[entry], f"the vocabulary lacks characters of it ({_listed(unknown)})"
            )
        tokens = merging.apply(pieces[entry])
        while len(tokens) > 1:
            pairs = merging.new_pairs(tokens)
            if not pairs:
                pair = next(pairwise(tokens))
                why = f"merging {_listed(pair)} would make an entry that the model has, and cannot produce now"
                raise _impossible(words[entry], why)
            merging.add(*next((pair for pair in pairs if pair[2] in words), pairs[0]))
            tokens = merging.apply(tokens)
    made = [row.token for row in merging.rows]
    sources = sources_of_merges(merging.rows, model.vocab.get)
    intermediate = [token for token in made if token not in words]
    old = [sources[token] for token in made]
    return NewEntries(made, old, history=merging.rows, intermediate=intermediate)


def sources_of_merges(
    merges: Iterable[Merge], id_of: Callable[[str], int | None]
) -> dict[str, tuple[int, ...]]:
    """Returns the old ids that the entry of each merge is made of."""
    sources: dict[str, tuple[int, ...]] = {}
    for merge in merges:
        parts = (sources.get(part) or (id_of(part),) for part in (merge.left, merge.right))
        sources[merge.token] = tuple(
            number for part in parts for number in part if number is not None
        )
    return sources


def _is_foreign(piece: str, entry: str, model: Model) -> bool:
    """Returns whether a token is no part of a word: the unknown token, or a byte of the fallback."""
    return piece.removeprefix(model.prefix) not in entry


def _scores(model: Model, new: Sequence[str]) -> list[float]:
    """Returns scores by which each new piece beats all other segmentations of its word.

    A score is half that of the best other segmentation, but at least the lowest score of the vocabulary.
    """
    lowest = min((score for _, score in model.tree["vocab"]), default=0.0)
    scores = [max(lowest, _better(model.best_score(entry))) for entry in new]
    for _ in range(_ROUNDS):
        changed = model.with_entries(NewEntries(new, (), scores))
        weak = [at for at, entry in enumerate(new) if changed.pieces(entry, entry) != [entry]]
        for at in weak:
            scores[at] = _better(changed.best_score(new[at]))
        if not weak:
            break
    return scores


def _better(score: float) -> float:
    """Returns a score above that of another segmentation: half of a logarithm."""
    return score / 2 if score < 0 else 2 * score + 1
