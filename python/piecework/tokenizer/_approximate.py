"""Converts Unigram tokenizers between SentencePiece and ``tokenizers`` approximately, and lists the changes.

SentencePiece has 32-bit running scores, reserved pieces that no text is encoded to, and its own normalization; ``tokenizers``
has none of these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from math import isclose
from typing import TYPE_CHECKING

from piecework import normalizers, pre_tokenizers
from piecework._settings.added_tokens import AddedToken
from piecework._settings.component import steps
from piecework.decoders import Decoder, SentencePiece as PieceDecoder
from piecework.errors import ConfigError
from piecework.models import Unigram
from piecework.patterns import Regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer


_SPACE = "▁"
_BONUS = 0.1
_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True)
class Stages:
    """Holds the parts of a tokenizer that are converted.

    Args:
        model: The model.
        normalizer: The normalizer.
        pre_tokenizer: The pre-tokenizer.
        decoder: The decoder.
        added_tokens: The added tokens.
        changes: The changes by the conversion, as phrases.
    """

    model: Unigram
    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    decoder: Decoder | None
    added_tokens: Sequence[AddedToken]
    changes: Sequence[str] = ()


def for_tokenizers(stages: Stages) -> Stages:
    """Returns the closest stages that ``tokenizers`` loads.

    >>> model = Unigram([("<unk>", 0.0), ("▁a", -1.0)], 0, precision="float32", reserved=["<unk>"])
    >>> converted = for_tokenizers(Stages(model, normalizers.SentencePiece(), None, None, ()))
    >>> converted.model.precision, converted.changes
    ('float64', ['running scores have 64 bits, so ties may change', 'text may be encoded to reserved pieces (1)'])
    """
    model, changes = stages.model, list(stages.changes)
    if model.precision != "float64":
        changes.append("running scores have 64 bits, so ties may change")
    special = {token.content for token in stages.added_tokens if token.special}
    own = stages.normalizer
    # Special tokens are matched in the original text, but rules may produce them from other characters.
    has_rules = isinstance(own, normalizers.SentencePiece) and own.precompiled_charsmap is not None
    if matchable := [piece for piece in model.reserved if has_rules or piece not in special]:
        changes.append(f"text may be encoded to reserved pieces ({len(matchable):,})")
    if any(piece in special for piece in matchable):
        changes.append(
            "rules may turn text into a special token, such as full-width letters into </s>"
        )
    if model.user_defined:
        changes.append(
            f"user-defined pieces ({len(model.user_defined):,}) are normalized like other text"
        )
    symbols = set(model.user_defined)
    # SentencePiece ignores the score of user-defined pieces and uses this one.
    vocab = [
        (text, _BONUS * (len(text.encode()) - 1) if text in symbols else score)
        for text, score in model.vocab
    ]
    normalizer = _tokenizers_normalizer(own, changes)
    converted = Unigram(vocab, model.unk_id, model.byte_fallback)
    _note_unknown_score(model, converted, changes)
    # Texts are cut at the tokens that were added behind all pieces, not at the pieces of a training.
    names = {*symbols, *special}
    behind = takewhile(names.__contains__, (text for text, _ in reversed(model.vocab)))
    own_pieces = symbols - set(behind)
    added = [token for token in stages.added_tokens if token.content not in own_pieces]
    return replace(
        stages,
        model=converted,
        normalizer=normalizer,
        added_tokens=added if normalizer == own else _unnormalized(added, changes),
        changes=changes,
    )


def _unnormalized(tokens: Sequence[AddedToken], changes: list[str]) -> list[AddedToken]:
    """Returns added tokens without `normalized`, so that the normalizer prepends no metaspace to them."""
    if changed := sum(bool(token.normalized) for token in tokens):
        changes.append(
            f"added tokens ({changed:,}) are matched in the original text, and the text after one is "
            "normalized like the start of a text"
        )
    return [replace(token, normalized=False) for token in tokens]


def _tokenizers_normalizer(own: Normalizer | None, changes: list[str]) -> Normalizer | None:
    if not isinstance(own, normalizers.SentencePiece):
        return own
    if own.treat_whitespace_as_suffix and own.add_dummy_prefix:
        raise ConfigError("tokenizers has no component that appends a space to a text")
    space = _SPACE if own.escape_whitespaces else " "
    steps: list[Normalizer] = []
    if own.precompiled_charsmap is not None:
        steps.append(normalizers.Precompiled(own.precompiled_charsmap))
        changes.append("rules are applied to grapheme clusters instead of the longest match")
    if own.remove_extra_whitespaces:
        steps.append(normalizers.Replace(Regex(r"\A +"), ""))
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    if own.escape_whitespaces:
        steps.append(normalizers.Replace(" ", _SPACE))
    if own.remove_extra_whitespaces:
        steps.append(normalizers.Replace(Regex(rf"{space}+\z"), ""))
    if own.add_dummy_prefix:
        steps.append(normalizers.Prepend(space))
        if not own.escape_whitespaces:
            changes.append("decoding removes the space before a text")
    return normalizers.Sequence(steps) if steps else None


def for_sentencepiece(stages: Stages) -> Stages:
    """Returns the closest stages that a SentencePiece model can represent.

    >>> model = Unigram([("<unk>", 0.0), ("▁a", -1.0)], 0)
    >>> converted = for_sentencepiece(Stages(model, None, pre_tokenizers.Metaspace(), None, ()))
    >>> converted.normalizer, converted.model.reserved, converted.changes[0]
    (SentencePiece(remove_extra_whitespaces=False), ('<unk>',), 'running scores have 32 bits, so ties may change')
    """
    model, changes = stages.model, list(stages.changes)
    if model.unk_id is None:
        raise ConfigError(
            "a SentencePiece model requires an unknown token", hint="pass `unk_id=...` to the model"
        )
    if model.precision != "float32":
        changes.append("running scores have 32 bits, so ties may change")
    ids = {piece: i for i, (piece, _) in enumerate(model.vocab)}
    # SentencePiece matches them after spaces are replaced by metaspaces.
    escaped = {
        token.content: token.content.replace(" ", _SPACE)
        for token in stages.added_tokens
        if not token.special
    }
    symbols = [*escaped.values()]
    if symbols:
        changes.append(
            f"added tokens ({len(symbols):,}) are user-defined pieces, which compete with others"
        )
    vocab = [(escaped.get(piece, piece), score) for piece, score in model.vocab]
    # All added tokens, so that each keeps its id.
    more = [token.content for token in stages.added_tokens if token.content not in ids]
    vocab += [(escaped.get(content, content), 0.0) for content in more]
    if len({piece for piece, _ in vocab}) < len(vocab):
        raise ConfigError(
            "an added token with ▁ for its spaces equals another piece, and a SentencePiece model "
            "cannot contain both"
        )
    special = [token.content for token in stages.added_tokens if token.special]
    bytes_ = {*ids} - {*special}
    has_bytes = model.byte_fallback and all(byte in bytes_ for byte in _BYTES)
    if model.byte_fallback and not has_bytes:
        changes.append("byte fallback is off, since not all bytes have a piece")
    if special:
        changes.append("special tokens in a text are ordinary text")
    if any(token.single_word or token.lstrip or token.rstrip for token in stages.added_tokens):
        changes.append("added tokens match without adjacent white space, and also within words")
    unk = model.vocab[model.unk_id][0]
    newly_reserved = [unk, *special, *(_BYTES if has_bytes else ())]
    reserved = list(dict.fromkeys([*model.reserved, *newly_reserved]))
    if unmatchable := {*reserved} - {*model.reserved, *special}:
        changes.append(f"text is no longer encoded to reserved pieces ({len(unmatchable):,})")
    if unk in special:
        changes.append(f"{unk} is not a special token, and is decoded as \u2047")
    user_defined = list(dict.fromkeys([*model.user_defined, *symbols]))
    normalizer = _sentencepiece_normalizer(stages, changes, user_defined)
    converted = Unigram(
        vocab,
        model.unk_id,
        has_bytes,
        precision="float32",
        user_defined=user_defined,
        reserved=reserved,
    )
    _note_unknown_score(model, converted, changes)
    return Stages(
        converted,
        normalizer,
        None,
        stages.decoder
        if isinstance(stages.decoder, PieceDecoder)
        else _decoder(normalizer, unk, byte_fallback=has_bytes),
        [
            *(token for token in stages.added_tokens if token.special and token.content != unk),
            *(AddedToken(symbol, normalized=True) for symbol in user_defined),
        ],
        changes,
    )


def _note_unknown_score(before: Unigram, now: Unigram, changes: list[str]) -> None:
    """Adds a change if the score of unknown characters differs.

    It is a constant below the lowest score of the pieces, and the libraries differ in the pieces that count.
    """
    if not isclose(_lowest(before), _lowest(now), rel_tol=1e-6):
        changes.append("unknown characters have another score, so pieces next to them may change")


def _lowest(model: Unigram) -> float:
    excluded = {*model.reserved, *model.user_defined} if model.precision == "float32" else set()
    return min((score for piece, score in model.vocab if piece not in excluded), default=0.0)


def _decoder(normalizer: Normalizer | None, unk: str, *, byte_fallback: bool) -> Decoder | None:
    if not isinstance(normalizer, normalizers.SentencePiece):
        return None
    return PieceDecoder(
        normalizer.add_dummy_prefix,
        normalizer.remove_extra_whitespaces,
        byte_fallback,
        unk_token=unk,
    )


def _sentencepiece_normalizer(
    stages: Stages, changes: list[str], symbols: Sequence[str]
) -> Normalizer | None:
    own, splitter = stages.normalizer, stages.pre_tokenizer
    if not isinstance(own, normalizers.SentencePiece):
        if not splitter:
            return own
        own = _joined(own, changes)
    prepends = _prepends(splitter, at_end=own.treat_whitespace_as_suffix)
    if _splits(splitter) and _has_inner_spaces(stages.model, at_end=own.treat_whitespace_as_suffix):
        changes.append("pieces may span the spaces between words")
    if _splits(splitter) and all(piece != _SPACE for piece, _ in stages.model.vocab):
        changes.append("unknown characters on both sides of a space form one token with it")
    if prepends and (symbols or not own.add_dummy_prefix):
        changes.append(
            "a space is prepended to every text, even if it starts with one, and nowhere else"
        )
    return replace(
        own,
        add_dummy_prefix=own.add_dummy_prefix or prepends,
        user_defined_symbols=symbols,
    )


def _joined(normalizer: Normalizer | None, changes: list[str]) -> normalizers.SentencePiece:
    """Returns the SentencePiece normalizer of what converters write: a map, collapsed and stripped spaces."""
    charsmap, removes = None, False
    for step in steps(normalizer):
        match step:
            case normalizers.Precompiled() if charsmap is None and not removes:
                charsmap = step.precompiled_charsmap
                changes.append(
                    "the longest matching rule is applied instead of that of a grapheme cluster"
                )
            case normalizers.Strip():
                removes = True
                if charsmap is None:
                    changes.append("only spaces are removed at the ends, not other white space")
            case normalizers.Replace(Regex(" {2,}"), content=content) if content in (" ", _SPACE):
                removes = True
            case _:
                raise ConfigError(f"a SentencePiece model cannot represent the normalizer {step!r}")
    if removes:
        changes.append("spaces are removed at both ends, and runs of spaces are collapsed")
    return normalizers.SentencePiece(
        charsmap, add_dummy_prefix=False, remove_extra_whitespaces=removes
    )


def _prepends(splitter: PreTokenizer | None, *, at_end: bool) -> bool:
    """Returns whether a pre-tokenizer prepends a space, or raises ConfigError if no model can represent it."""
    if splitter is None or (
        at_end and splitter == pre_tokenizers.Split(_SPACE, "merged_with_previous")
    ):
        return False
    if isinstance(splitter, pre_tokenizers.Metaspace) and splitter.replacement == _SPACE:
        prepends = splitter.prepend_scheme != "never"
        if not (prepends and at_end):
            return prepends
    raise ConfigError(f"a SentencePiece model cannot represent the pre-tokenizer {splitter!r}")


def _splits(splitter: PreTokenizer | None) -> bool:
    is_whole = isinstance(splitter, pre_tokenizers.Metaspace) and not splitter.split
    return splitter is not None and not is_whole


def _has_inner_spaces(model: Unigram, *, at_end: bool) -> bool:
    inner = slice(None, -1) if at_end else slice(1, None)
    return any(_SPACE in piece[inner] for piece, _ in model.vocab)
