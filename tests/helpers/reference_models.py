"""Tokenizers whose model is the reference's, and whose other stages are those of `tokenizers`.

The reference defines models; their words come from the library that defines normalizers and pre-tokenizers.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from piecework.reference.model import bpe
from piecework.reference.model.likeliest import LikeliestEncoder
from piecework.reference.model.probability import PROBABILITY_FLOOR, probability
from piecework.reference.model.unigram import UnigramEncoder, UnigramSettings
from piecework.reference.model.wordpiece import LongestMatchEncoder, Piece
from piecework.reference.numbers.floats import round_to_f32
from piecework.reference.numbers.prng import SplitMix64

Json = Mapping[str, Any]
Span = tuple[int, int]
WordEncoder = Callable[..., list[Piece]]


# Models


def vocabulary_of(model: Json) -> dict[str, int]:
    """Returns the entries of a model with their ids."""
    vocab = model["vocab"]
    return dict(vocab) if isinstance(vocab, Mapping) else {e: i for i, (e, _) in enumerate(vocab)}


def own(model: Json) -> Json:
    """Returns the settings of a model that are not those of `tokenizers`."""
    return model.get("piecework") or {}


def wordpiece(model: Json, excluded: Iterable[str] = ()) -> LongestMatchEncoder | LikeliestEncoder:
    """Returns the encoder of a WordPiece model."""
    entries = model["vocab"].keys() - set(excluded)
    prefix, limit = model["continuing_subword_prefix"], model["max_input_chars_per_word"]
    unknown = own(model).get("unknown", "word")
    if own(model).get("segmentation") == "likeliest":
        return LikeliestEncoder(_probabilities(model, entries), prefix, unknown, limit)
    longest = max(map(len, entries), default=0)
    dropout = round_to_f32(own(model).get("dropout") or 0.0)
    return LongestMatchEncoder(entries, prefix, unknown, limit, longest, dropout)


def _probabilities(model: Json, entries: Iterable[str]) -> dict[str, float]:
    given = own(model).get("probabilities")
    if given is not None:
        return {entry: given.get(entry) or PROBABILITY_FLOOR for entry in entries}
    counts = own(model)["training"]["token_counts"]
    return {entry: probability(counts[model["vocab"][entry]], sum(counts)) for entry in entries}


def bpe_encoder(model: Json, excluded: Iterable[str] = ()) -> bpe.BpeEncoder:
    """Returns the encoder of a BPE model."""
    vocab, ranks = model["vocab"], own(model).get("ranks")
    settings = bpe.BpeSettings(
        unk_token=model.get("unk_token"),
        continuing_subword_prefix=model.get("continuing_subword_prefix") or "",
        end_of_word_suffix=model.get("end_of_word_suffix") or "",
        suffix_style=own(model).get("suffix_style") or "attached",
        fuse_unk=model.get("fuse_unk", False),
        byte_fallback=model.get("byte_fallback", False),
        ignore_merges=model.get("ignore_merges", False),
        dropout=model.get("dropout"),
        unused=frozenset(own(model).get("unused") or ()),
    )
    merges: bpe.Merges
    if ranks is None:
        split = (m.split(" ") if isinstance(m, str) else m for m in model["merges"])
        pairs = [(left, right) for left, right in split]
        merges = bpe.ListedMerges(pairs, settings.continuing_subword_prefix, vocab)
    else:
        merges = bpe.ImpliedMerges({e: ranks[i] for e, i in vocab.items() if ranks[i] is not None})
    return bpe.BpeEncoder(vocab.keys() - set(excluded), merges, settings)


def unigram(model: Json, excluded: Iterable[str] = ()) -> UnigramEncoder:
    """Returns the encoder of a Unigram model."""
    unknown, ours = model.get("unk_id"), own(model)
    settings = UnigramSettings(
        unk_token=None if unknown is None else model["vocab"][unknown][0],
        precision=ours.get("precision", "float64"),
        byte_fallback=model.get("byte_fallback", False),
        user_defined=frozenset(ours.get("user_defined", ())),
        reserved=frozenset(ours.get("reserved", ())),
        alpha=ours.get("alpha"),
        nbest_size=ours.get("nbest_size"),
    )
    scores = {entry: float(score) for entry, score in model["vocab"]}
    return UnigramEncoder(scores, settings, frozenset(excluded))


def encoder(model: Json, excluded: Iterable[str] = ()) -> WordEncoder:
    """Returns the encoder of a model, which takes a word and a generator of random numbers."""
    kind = model["type"].removeprefix("piecework.")
    if kind == "BPE":
        return bpe_encoder(model, excluded)
    if kind == "Unigram":
        return unigram(model, excluded)
    made = wordpiece(model, excluded)
    if isinstance(made, LikeliestEncoder):
        return lambda word, _generator=None: made(word)
    return made


# Tokenizers


class Columns(NamedTuple):
    """The columns of an encoding; word_ids number the words."""

    ids: list[int]
    tokens: list[str]
    offsets: list[Span]
    word_ids: list[int]


class ReferenceTokenizer:
    """Encodes with a model of the reference.

    Args:
        config: A tokenizer.json; its post-processor, truncation and padding are ignored.
        normalize: Returns the one word of a text, in place of the stages of `tokenizers`.
    """

    def __init__(self, config: Json, normalize: Callable[[str], str] | None = None) -> None:
        self.model: Json = config["model"]
        self.vocabulary = vocabulary_of(self.model)
        added = config.get("added_tokens") or []
        self._added = {token["content"]: token["id"] for token in added}
        special = [token["content"] for token in added if token["special"]]
        self._encode, self._encode_text = encoder(self.model), encoder(self.model, special)
        self._normalize = normalize
        import tokenizers  # here, since the tests of wheels run without it

        names = ("normalizer", "pre_tokenizer")
        nothing = {"type": "WordLevel", "vocab": {}, "unk_token": ""}
        stages = {name: None if normalize else config.get(name) for name in names}
        self._stages = tokenizers.Tokenizer.from_str(
            json.dumps({"version": "1.0", "added_tokens": [], "model": nothing, **stages})
        )

    def encode(
        self, text: str, *, specials: str = "match", seed: int = 0, number: int = 0
    ) -> Columns:
        """Encodes a text; spans are right where the text is not normalized, but for bytes."""
        generator = SplitMix64.for_input(seed, number)
        columns = Columns([], [], [], [])
        for word, (part, places, token) in enumerate(self._parts(text, specials)):
            if token is not None:
                rows = [(token, part, (places[0][0], places[-1][1]))]
            else:
                encode = self._encode if specials == "match" else self._encode_text
                rows = [self._row(part, places, piece) for piece in encode(part, generator)]
            for number_of_token, name, span in rows:
                for column, value in zip(columns, (number_of_token, name, span, word), strict=True):
                    column.append(value)  # type: ignore[arg-type]
        return columns

    def encode_batch(self, texts: Iterable[str], *, seed: int = 0) -> list[Columns]:
        """Encodes texts, each with its own random numbers."""
        return [self.encode(text, seed=seed, number=i) for i, text in enumerate(texts)]

    def _row(self, word: str, places: list[Span], piece: Piece) -> tuple[int, str, Span]:
        span = places[piece.start][0], places[piece.end - 1][1]
        entry, unknown = piece.entry, self._unknown
        name = unknown if entry is None else entry
        if name not in self.vocabulary:
            raise ValueError(f"characters {span} are unknown, and {name!r} is no entry")
        shows_text = self.model["type"].endswith("Unigram") and entry is None
        return self.vocabulary[name], word[piece.start : piece.end] if shows_text else name, span

    @property
    def _unknown(self) -> Any:
        if self.model["type"].endswith("Unigram"):
            unknown = self.model.get("unk_id")
            return None if unknown is None else self.model["vocab"][unknown][0]
        return self.model.get("unk_token")

    def _parts(self, text: str, specials: str) -> Iterator[tuple[str, list[Span], int | None]]:
        """Yields the words of a text and the added tokens between them, with the spans of characters."""
        added = [] if specials == "text" else sorted(self._added, key=len, reverse=True)
        pattern = "|".join(map(re.escape, added)) or "(?!)"
        start = 0
        for part in re.split(f"({pattern})", text):
            if part in self._added and added:
                yield part, [(start, start + len(part))], self._added[part]
            elif part:
                for word, (first, last) in self._words(part):
                    places = _places(word, part[first:last], start + first)
                    yield word, places, None
            start += len(part)

    def _words(self, text: str) -> list[tuple[str, Span]]:
        if self._normalize:
            word = self._normalize(text)
            return [(word, (0, len(text)))] if word else []
        normalizer, pre_tokenizer = self._stages.normalizer, self._stages.pre_tokenizer
        text = normalizer.normalize_str(text) if normalizer else text
        if pre_tokenizer is None:
            return [(text, (0, len(text)))] if text else []
        words: list[tuple[str, Span]] = pre_tokenizer.pre_tokenize_str(text)
        return words


def _places(word: str, original: str, start: int) -> list[Span]:
    """Returns the span of the original of each character of a word, which may stand for a byte."""
    sizes = [1] * len(original)
    if len(word) != len(original):
        sizes = [len(c.encode()) for c in original]
    places = [(start + i, start + i + 1) for i, size in enumerate(sizes) for _ in range(size)]
    return (places + [(start, start + len(original))] * len(word))[: len(word)]
