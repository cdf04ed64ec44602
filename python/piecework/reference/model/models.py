"""Models behind one interface: from a word to its tokens.

`wordpiece`, `bpe` and `unigram` hold the algorithms. WordLevel looks up whole words.
"""

from collections.abc import Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from piecework.reference.model import bpe, unigram
from piecework.reference.model.likeliest import LikeliestEncoder
from piecework.reference.model.probability import PROBABILITY_FLOOR, probability
from piecework.reference.model.wordpiece import LongestMatchEncoder, Piece
from piecework.reference.numbers.floats import round_to_f32
from piecework.reference.numbers.prng import SplitMix64
from piecework.reference.text.alignment import Span


class ModelToken(NamedTuple):
    """Holds a token of a word.

    Args:
        text: The entry of the vocabulary; for an unknown piece, the unknown token.
        id: Its id.
        span: (start, end) in characters of the word.
    """

    text: str
    id: int
    span: Span


class Model:
    """Maps words to tokens of one vocabulary.

    Args:
        vocabulary: The entries with their ids.
        unknown_token: Token for what no entry matches; it need not be an entry while nothing is
            unknown. None if the model never needs one.
        special: Special tokens, which text may be kept from becoming.

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
        self.text_entries = self.vocabulary.keys() - special

    def tokens(
        self, word: str, *, exclude_special: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        """Encodes a word.

        Args:
            word: A word that is not empty.
            exclude_special: Whether special tokens are excluded from matching.
            generator: The random numbers of a model that samples.

        Returns:
            Tokens from left to right.

        Raises:
            ValueError: something is unknown and there is no unknown token, or the model samples and
                there is no generator.
        """
        raise NotImplementedError

    def _token(self, entry: str | None, span: Span) -> ModelToken:
        text = self.unknown_token if entry is None else entry
        if text is None or text not in self.vocabulary:
            raise ValueError(
                f"characters {span} are unknown and the vocabulary has no {text!r}; "
                "add an unknown token"
            )
        return ModelToken(text, self.vocabulary[text], span)


class WordLevel(Model):
    """Encodes a word that is an entry as that entry, any other word as unknown."""

    def tokens(  # noqa: D102
        self,
        word: str,
        *,
        exclude_special: bool = False,
        generator: SplitMix64 | None = None,  # noqa: ARG002  # never samples
    ) -> list[ModelToken]:
        known = word in (self.text_entries if exclude_special else self.vocabulary)
        return [self._token(word if known else None, (0, len(word)))]


@dataclass(frozen=True)
class WordPieceSettings:
    """Holds the settings of WordPiece encoding (see `wordpiece.LongestMatchEncoder`).

    Args:
        prefix: Prefix of continuing entries.
        unknown: `word`, `run` or `char`.
        max_input_chars_per_word: A longer word is unknown.
        segmentation: `longest` match, or the `likeliest` pieces (see `LikeliestEncoder`).
        dropout: Probability that longest match skips an entry; None is 0.
        probabilities: Entry -> probability, for the likeliest pieces; None computes them from
            counts.

    Raises:
        ValueError: a setting is invalid.

    >>> WordPieceSettings(segmentation="shortest")
    Traceback (most recent call last):
    ValueError: segmentation='shortest': expected 'longest', or 'likeliest' without dropout
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
                f"segmentation={self.segmentation!r}: expected 'longest', or 'likeliest' "
                "without dropout"
            )


class WordPiece(Model):
    """Encodes words by greedy longest match, or as their likeliest pieces.

    Args:
        vocabulary: The entries with their ids.
        unknown_token: Token for what no entry matches.
        special: Special tokens, which text may be kept from becoming.
        settings: The other settings.
        counts: The count of each entry, by id, for the likeliest pieces.

    Raises:
        ValueError: the likeliest pieces need counts or probabilities, and there are none.

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
        self._settings = settings or WordPieceSettings()
        self._counts, self._total = counts, sum(counts or ())
        self._split = self._encoder(self.vocabulary.keys())
        self._split_text = self._encoder(self.text_entries)

    def _encoder(self, entries: AbstractSet[str]) -> LongestMatchEncoder | LikeliestEncoder:
        settings = self._settings
        rest = settings.prefix, settings.unknown, settings.max_input_chars_per_word
        if settings.segmentation == "longest":
            longest = max(map(len, self.vocabulary), default=0)
            return LongestMatchEncoder(
                entries, *rest, longest, round_to_f32(settings.dropout or 0.0)
            )
        return LikeliestEncoder({entry: self._probability(entry) for entry in entries}, *rest)

    def _probability(self, entry: str) -> float:
        """Returns the given probability of an entry, or else its share of all counts."""
        if self._settings.probabilities is not None:
            return self._settings.probabilities.get(entry) or PROBABILITY_FLOOR
        if self._counts is None:
            raise ValueError(
                "segmentation='likeliest': requires counts or probabilities; train a vocabulary"
            )
        return probability(self._counts[self.vocabulary[entry]], self._total)

    def tokens(  # noqa: D102
        self, word: str, *, exclude_special: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        split = self._split_text if exclude_special else self._split
        pieces = split(word, generator) if isinstance(split, LongestMatchEncoder) else split(word)
        return [self._token(piece.entry, (piece.start, piece.end)) for piece in pieces]


class BPE(Model):
    """Encodes words by merging adjacent symbols.

    Args:
        vocabulary: The entries with their ids.
        merges: The merges: `bpe.ListedMerges` or `bpe.ImpliedMerges`.
        settings: All other settings.
        special: Special tokens, which text may be kept from becoming.
        unknown_as_text: Let an unknown token have the text of the word that it covers, as in
            SentencePiece.

    >>> merges = bpe.ListedMerges([("u", "g"), ("h", "ug")])
    >>> model = BPE({"h": 0, "u": 1, "g": 2, "s": 3, "ug": 4, "hug": 5}, merges)
    >>> [token.text for token in model.tokens("hugs")]
    ['hug', 's']
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        merges: bpe.Merges,
        settings: bpe.BpeSettings | None = None,
        special: frozenset[str] = frozenset(),
        *,
        unknown_as_text: bool = False,
    ) -> None:
        settings = settings or bpe.BpeSettings()
        self._names_unknown = unknown_as_text
        super().__init__(vocabulary, settings.unk_token, special)
        if missing := settings.unused - self.vocabulary.keys():
            raise ValueError(f"unused={sorted(missing)!r}: expected entries of the vocabulary")
        bytes_of = {f"<0x{byte:02X}>" for byte in range(256)} if settings.byte_fallback else set()
        if reserved := settings.unused & (bytes_of | {settings.unk_token}):
            raise ValueError(
                f"unused={sorted(reserved)!r}: entries for unknown text cannot be unused"
            )
        self._encode = bpe.BpeEncoder(self.vocabulary, merges, settings)
        self._encode_text = bpe.BpeEncoder(self.text_entries, merges, settings)

    def tokens(  # noqa: D102
        self, word: str, *, exclude_special: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        encode = self._encode_text if exclude_special else self._encode
        return [self._piece(word, piece) for piece in encode(word, generator)]

    def _piece(self, word: str, piece: Piece) -> ModelToken:
        token = self._token(piece.entry, (piece.start, piece.end))
        is_named = self._names_unknown and token.text == self.unknown_token
        return token._replace(text=word[piece.start : piece.end]) if is_named else token


class Unigram(Model):
    """Encodes words as their likeliest pieces, or as sampled ones.

    The text of an unknown token is the text of the word that it covers, as in both libraries.

    Args:
        vocabulary: The entries in order of their ids, with their scores.
        settings: All other settings.
        special: Special tokens, which text may be kept from becoming.

    Raises:
        ValueError: an entry is empty or repeated, or a score is not finite.

    >>> model = Unigram([("<unk>", 0.0), ("hug", -1.0)], unigram.UnigramSettings(unk_token="<unk>"))
    >>> model.tokens("hugs")[1]
    ModelToken(text='s', id=0, span=(3, 4))
    """

    def __init__(
        self,
        vocabulary: Sequence[tuple[str, float]],
        settings: unigram.UnigramSettings | None = None,
        special: frozenset[str] = frozenset(),
    ) -> None:
        settings = settings or unigram.UnigramSettings()
        ids = {entry: i for i, (entry, _) in enumerate(vocabulary)}
        if len(ids) < len(vocabulary):
            duplicate = next(e for i, (e, _) in enumerate(vocabulary) if ids[e] != i)
            raise ValueError(f"duplicate entry {duplicate!r} in the vocabulary; remove one of them")
        super().__init__(ids, settings.unk_token, special)
        self.encode = unigram.UnigramEncoder(dict(vocabulary), settings)
        self._encode_text = unigram.UnigramEncoder(dict(vocabulary), settings, special)

    def tokens(  # noqa: D102
        self, word: str, *, exclude_special: bool = False, generator: SplitMix64 | None = None
    ) -> list[ModelToken]:
        encode = self._encode_text if exclude_special else self.encode
        return [self._piece(word, piece) for piece in encode(word, generator)]

    def _piece(self, word: str, piece: Piece) -> ModelToken:
        token = self._token(piece.entry, (piece.start, piece.end))
        return token if piece.entry else token._replace(text=word[piece.start : piece.end])


def read_vocabulary(data: Mapping[str, Any]) -> dict[str, int]:
    """Returns the entries of a tokenizer.json's model, with their ids.

    >>> read_vocabulary({"type": "Unigram", "vocab": [["a", -1.0], ["b", -2.0]]})
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
    unknown_as_text: bool = False,
) -> Model:
    """Creates a model from its member in a tokenizer.json.

    Args:
        data: The object; `type` names the model.
        special: Special tokens, which text may be kept from becoming.
        unknown_as_text: In BPE, too, let an unknown token have the text of the word that it covers.

    Returns:
        The model.

    Raises:
        ValueError: the type is unknown, or a setting is invalid.
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
        return _bpe(data, special, unknown_as_text=unknown_as_text)
    if data["type"] in ("Unigram", "piecework.Unigram"):
        return _unigram(data, special)
    raise ValueError(f"model: type {data['type']!r} is unknown to the reference")


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


def _bpe(data: Mapping[str, Any], special: frozenset[str], *, unknown_as_text: bool) -> BPE:
    vocabulary, ours = data["vocab"], data.get("piecework") or {}
    settings = bpe.BpeSettings(
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
        return BPE(
            vocabulary, bpe.ImpliedMerges(ranks), settings, special, unknown_as_text=unknown_as_text
        )
    split = (m.split(" ") if isinstance(m, str) else m for m in data["merges"])
    pairs = [(left, right) for left, right in split]
    merges = bpe.ListedMerges(pairs, settings.continuing_subword_prefix, vocabulary)
    return BPE(vocabulary, merges, settings, special, unknown_as_text=unknown_as_text)


def _unigram(data: Mapping[str, Any], special: frozenset[str]) -> Unigram:
    vocabulary = [(entry, float(score)) for entry, score in data["vocab"]]
    ours, unknown = data.get("piecework") or {}, data.get("unk_id")
    if unknown is not None and not 0 <= unknown < len(vocabulary):
        raise ValueError(f"unk_id={unknown}: expected an id below {len(vocabulary)}")
    settings = unigram.UnigramSettings(
        unk_token=None if unknown is None else vocabulary[unknown][0],
        precision=ours.get("precision", "float64"),
        byte_fallback=data.get("byte_fallback", False),
        user_defined=frozenset(ours.get("user_defined", ())),
        reserved=frozenset(ours.get("reserved", ())),
        alpha=ours.get("alpha"),
        nbest_size=ours.get("nbest_size"),
    )
    return Unigram(vocabulary, settings, special)
