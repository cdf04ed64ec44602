"""Models behind one interface: from a word to its tokens.

`encode`, `bpe` and `unigram` have those that take thought. WordLevel takes words whole.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from piecework.reference import bpe, unigram
from piecework.reference.aligned import Span
from piecework.reference.chance import SplitMix64
from piecework.reference.encode import Piece, Splitter
from piecework.reference.floats import single
from piecework.reference.likeliest import LikeliestSplitter
from piecework.reference.probability import FLOOR, probability


class ModelToken(NamedTuple):
    """Gives a token of a word.

    Args:
        text: The entry of the vocabulary; for an unknown piece, the unknown token.
        id: Its number.
        span: (start, end) in characters of the word.
    """

    text: str
    id: int
    span: Span


class Model:
    """Gives the tokens of words under one vocabulary.

    Args:
        vocabulary: The entries with their ids.
        unknown_token: Stands for what no entry matches; it need not be an entry while all is known.
            None is for a model that never needs one.
        special: Entries that text may be barred from becoming.

    >>> WordLevel({"<unk>": 0, "to": 1}, "<unk>").tokens("be")
    [ModelToken(text='<unk>', id=0, span=(0, 2))]
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        unknown_token: str | None,
        special: frozenset[str] = frozenset(),
    ) -> None:
        self.vocabulary = dict(vocabulary)
        self.unknown_token = unknown_token
        self.open = self.vocabulary.keys() - special

    def tokens(
        self, word: str, *, barred: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        """Splits a word into tokens.

        Args:
            word: A word that is not empty.
            barred: No stretch of text becomes a special token.
            generator: Where a model that leaves something to chance draws from.

        Returns:
            Tokens from left to right.

        Raises:
            ValueError: something is unknown, and there is no unknown token; something is left to
                chance, and there is no generator.
        """
        raise NotImplementedError

    def _token(self, entry: str | None, span: Span) -> ModelToken:
        text = self.unknown_token if entry is None else entry
        if text is None or text not in self.vocabulary:
            raise ValueError(f"characters {span} are unknown, and the vocabulary has no {text!r}")
        return ModelToken(text, self.vocabulary[text], span)


class WordLevel(Model):
    """Gives a word that is an entry as it is, any other as unknown."""

    def tokens(  # noqa: D102
        self,
        word: str,
        *,
        barred: bool = False,
        generator: SplitMix64 | None = None,  # noqa: ARG002  # leaves nothing to chance
    ) -> list[ModelToken]:
        known = word in (self.open if barred else self.vocabulary)
        return [self._token(word if known else None, (0, len(word)))]


@dataclass(frozen=True)
class WordPieceSettings:
    """Gives how WordPiece splits (see `encode.Splitter`).

    Args:
        prefix: What continuing entries begin with.
        unknown: `word`, `run` or `char`.
        max_input_chars_per_word: A longer word is unknown.
        segmentation: `longest` match, or the `likeliest` (see `LikeliestSplitter`).
        dropout: The chance that longest match passes over an entry; None is 0.

    Raises:
        ValueError: a setting is impossible.

    >>> WordPieceSettings(segmentation="shortest")
    Traceback (most recent call last):
    ValueError: segmentation='shortest': expected 'longest' or 'likeliest', and no dropout with that
    """

    prefix: str = "##"
    unknown: str = "word"
    max_input_chars_per_word: int | None = 100
    segmentation: str = "longest"
    dropout: float | None = None
    probabilities: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.segmentation != "longest" and (self.segmentation != "likeliest" or self.dropout):
            raise ValueError(
                f"segmentation={self.segmentation!r}: expected 'longest' or 'likeliest', and no "
                "dropout with that"
            )


class WordPiece(Model):
    """Gives the pieces of a word by greedy longest match, or the likeliest.

    Args:
        vocabulary: The entries with their ids.
        unknown_token: Stands for what no entry matches.
        special: Entries that text may be barred from becoming.
        settings: How words are split.
        counts: The count of each entry, by id, for the likeliest segmentation.

    Raises:
        ValueError: the likeliest segmentation is asked for, and there are neither counts nor probabilities.

    >>> [t.text for t in WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}, "[UNK]").tokens("hugs")]
    ['hug', '##s']
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        unknown_token: str = "[UNK]",
        special: frozenset[str] = frozenset(),
        settings: WordPieceSettings | None = None,
        counts: Sequence[int] | None = None,
    ) -> None:
        super().__init__(vocabulary, unknown_token, special)
        self._how = settings or WordPieceSettings()
        self._counts, self._total = counts, sum(counts or ())
        self._split = self._splitter(self.vocabulary.keys())
        self._split_text = self._splitter(self.open)

    def _splitter(self, entries: AbstractSet[str]) -> Splitter | LikeliestSplitter:
        how = self._how
        rest = how.prefix, how.unknown, how.max_input_chars_per_word
        if how.segmentation == "longest":
            longest = max(map(len, self.vocabulary), default=0)
            return Splitter(entries, *rest, longest, single(how.dropout or 0.0))
        return LikeliestSplitter({entry: self._probability(entry) for entry in entries}, *rest)

    def _probability(self, entry: str) -> float:
        """Gives what was said of an entry, or else its share of all that were counted."""
        if self._how.probabilities is not None:
            return self._how.probabilities.get(entry) or FLOOR
        if self._counts is None:
            raise ValueError("the likeliest segmentation needs token counts: train a vocabulary")
        return probability(self._counts[self.vocabulary[entry]], self._total)

    def tokens(  # noqa: D102
        self, word: str, *, barred: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        split = self._split_text if barred else self._split
        pieces = split(word, generator) if isinstance(split, Splitter) else split(word)
        return [self._token(piece.entry, (piece.start, piece.end)) for piece in pieces]


class BPE(Model):
    """Gives the pieces of a word by merging neighbours.

    Args:
        vocabulary: The entries with their ids.
        merges: Which pairs merge: `bpe.Listed` or `bpe.Implied`.
        settings: How a word is split, merges apart.
        special: Entries that text may be barred from becoming.
        names_unknown: The text of an unknown token is what it stands for, as in SentencePiece.

    >>> merges = bpe.Listed([("u", "g"), ("h", "ug")])
    >>> model = BPE({"h": 0, "u": 1, "g": 2, "s": 3, "ug": 4, "hug": 5}, merges)
    >>> [token.text for token in model.tokens("hugs")]
    ['hug', 's']
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        merges: bpe.Merges,
        settings: bpe.Settings | None = None,
        special: frozenset[str] = frozenset(),
        *,
        names_unknown: bool = False,
    ) -> None:
        settings = settings or bpe.Settings()
        self._names_unknown = names_unknown
        super().__init__(vocabulary, settings.unk_token, special)
        if strange := settings.unused - self.vocabulary.keys():
            raise ValueError(f"unused={sorted(strange)!r}: expected entries of the vocabulary")
        bytes_of = {f"<0x{byte:02X}>" for byte in range(256)} if settings.byte_fallback else set()
        if reserved := settings.unused & (bytes_of | {settings.unk_token}):
            raise ValueError(f"unused={sorted(reserved)!r}: stands for what is unknown")
        self._encode = bpe.Encoder(self.vocabulary, merges, settings)
        self._encode_text = bpe.Encoder(self.open, merges, settings)

    def tokens(  # noqa: D102
        self, word: str, *, barred: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        encode = self._encode_text if barred else self._encode
        return [self._piece(word, piece) for piece in encode(word, generator)]

    def _piece(self, word: str, piece: Piece) -> ModelToken:
        token = self._token(piece.entry, (piece.start, piece.end))
        is_named = self._names_unknown and token.text == self.unknown_token
        return token._replace(text=word[piece.start : piece.end]) if is_named else token


class Unigram(Model):
    """Gives the likeliest pieces of a word, or others by chance.

    The text of an unknown token is what it stands for, as in both libraries.

    Args:
        vocabulary: The entries in order of their ids, with their scores.
        settings: How a word is split, scores apart.
        special: Entries that text may be barred from becoming.

    Raises:
        ValueError: an entry is empty or stands there twice, or a score is no finite number.

    >>> model = Unigram([("<unk>", 0.0), ("hug", -1.0)], unigram.Settings(unk_token="<unk>"))
    >>> model.tokens("hugs")[1]
    ModelToken(text='s', id=0, span=(3, 4))
    """

    def __init__(
        self,
        vocabulary: Sequence[tuple[str, float]],
        settings: unigram.Settings | None = None,
        special: frozenset[str] = frozenset(),
    ) -> None:
        settings = settings or unigram.Settings()
        ids = {entry: i for i, (entry, _) in enumerate(vocabulary)}
        if len(ids) < len(vocabulary):
            twice = next(e for i, (e, _) in enumerate(vocabulary) if ids[e] != i)
            raise ValueError(f"the vocabulary holds {twice!r} twice")
        super().__init__(ids, settings.unk_token, special)
        self.encode = unigram.Encoder(dict(vocabulary), settings)
        self._encode_text = unigram.Encoder(dict(vocabulary), settings, special)

    def tokens(  # noqa: D102
        self, word: str, *, barred: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        encode = self._encode_text if barred else self.encode
        return [self._piece(word, piece) for piece in encode(word, generator)]

    def _piece(self, word: str, piece: Piece) -> ModelToken:
        token = self._token(piece.entry, (piece.start, piece.end))
        return token if piece.entry else token._replace(text=word[piece.start : piece.end])


def vocabulary_of(data: Mapping[str, Any]) -> dict[str, int]:
    """Gives the entries with their ids of a model's entry in a tokenizer.json.

    >>> vocabulary_of({"type": "Unigram", "vocab": [["a", -1.0], ["b", -2.0]]})
    {'a': 0, 'b': 1}
    """
    vocabulary = data["vocab"]
    if isinstance(vocabulary, Mapping):
        return dict(vocabulary)
    return {entry: i for i, (entry, _) in enumerate(vocabulary)}


def from_dict(
    data: Mapping[str, Any],
    special: frozenset[str] = frozenset(),
    *,
    names_unknown: bool = False,
) -> Model:
    """Makes a model of its entry in a tokenizer.json.

    Args:
        data: The object; `type` says which model it is.
        special: Entries that text may be barred from becoming.
        names_unknown: In BPE, too, the text of an unknown token is what it stands for.

    Returns:
        The model.

    Raises:
        ValueError: the reference has no such model.
        KeyError: a setting is missing.

    >>> data = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    >>> from_dict(data).tokens("b")
    [ModelToken(text='a', id=0, span=(0, 1))]
    """
    if data["type"] == "WordLevel":
        return WordLevel(data["vocab"], data["unk_token"], special)
    if data["type"] in ("WordPiece", "piecework.WordPiece"):
        return _wordpiece(data, special)
    if data["type"] in ("BPE", "piecework.BPE"):
        return _bpe(data, special, names_unknown=names_unknown)
    if data["type"] in ("Unigram", "piecework.Unigram"):
        return _unigram(data, special)
    raise ValueError(f"the reference has no model {data['type']!r}")


def _wordpiece(data: Mapping[str, Any], special: frozenset[str]) -> WordPiece:
    ours = data.get("piecework") or {}
    settings = WordPieceSettings(
        data["continuing_subword_prefix"],
        ours.get("unknown", "word"),
        data["max_input_chars_per_word"],
        ours.get("segmentation", "longest"),
        ours.get("dropout"),
        ours.get("probabilities"),
    )
    counts = (ours.get("training") or {}).get("token_counts")
    return WordPiece(data["vocab"], data["unk_token"], special, settings, counts)


def _bpe(data: Mapping[str, Any], special: frozenset[str], *, names_unknown: bool) -> BPE:
    vocabulary, ours = data["vocab"], data.get("piecework") or {}
    settings = bpe.Settings(
        unk_token=data.get("unk_token"),
        continuing_subword_prefix=data.get("continuing_subword_prefix") or "",
        end_of_word_suffix=data.get("end_of_word_suffix") or "",
        suffix_style=ours.get("suffix_style") or "attached",
        fuse_unk=data.get("fuse_unk", False),
        byte_fallback=data.get("byte_fallback", False),
        ignore_merges=data.get("ignore_merges", False),
        dropout=data.get("dropout"),
        unused=frozenset(ours.get("unused") or ()),
    )
    if ours.get("ranks") is not None:
        named = ((entry, ours["ranks"][i]) for entry, i in vocabulary.items())
        ranks = {entry: rank for entry, rank in named if rank is not None}
        return BPE(vocabulary, bpe.Implied(ranks), settings, special, names_unknown=names_unknown)
    split = (m.split(" ") if isinstance(m, str) else m for m in data["merges"])
    pairs = [(left, right) for left, right in split]
    merges = bpe.Listed(pairs, settings.continuing_subword_prefix, vocabulary)
    return BPE(vocabulary, merges, settings, special, names_unknown=names_unknown)


def _unigram(data: Mapping[str, Any], special: frozenset[str]) -> Unigram:
    vocabulary = [(entry, float(score)) for entry, score in data["vocab"]]
    ours, unknown = data.get("piecework") or {}, data.get("unk_id")
    if unknown is not None and not 0 <= unknown < len(vocabulary):
        raise ValueError(f"unk_id is {unknown}, and there are {len(vocabulary)} entries")
    settings = unigram.Settings(
        unk_token=None if unknown is None else vocabulary[unknown][0],
        precision=ours.get("precision", "float64"),
        byte_fallback=data.get("byte_fallback", False),
        user_defined=frozenset(ours.get("user_defined", ())),
        reserved=frozenset(ours.get("reserved", ())),
        alpha=ours.get("alpha"),
        nbest_size=ours.get("nbest_size"),
    )
    return Unigram(vocabulary, settings, special)
