"""Unigram from one library's terms to the other's: the nearest that it can say, and what changes.

SentencePiece adds scores up in 32 bits, has pieces that no text becomes, and normalizes in its own way; ``tokenizers`` has none
of that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose
from typing import TYPE_CHECKING

from piecework import normalizers, pre_tokenizers
from piecework.decoders import SentencePiece as PieceDecoder
from piecework.errors import ConfigError
from piecework.models import Unigram
from piecework.patterns import Regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework.added_tokens import AddedToken
    from piecework.decoders import Decoder
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer

__all__ = ["Stages", "for_sentencepiece", "for_tokenizers"]

_SPACE = "▁"
_BONUS = 0.1
_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True)
class Stages:
    """What is converted of a tokenizer.

    Args:
        model: The model.
        normalizer: The normalizer.
        pre_tokenizer: The pre-tokenizer.
        decoder: The decoder.
        added_tokens: The added tokens.
        changes: What is otherwise than before, a phrase for each.
    """

    model: Unigram
    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    decoder: Decoder | None
    added_tokens: Sequence[AddedToken]
    changes: Sequence[str] = ()


def for_tokenizers(stages: Stages) -> Stages:
    """Give the nearest that ``tokenizers`` loads.

    >>> model = Unigram([("<unk>", 0.0), ("▁a", -1.0)], 0, precision="float32", reserved=["<unk>"])
    >>> said = for_tokenizers(Stages(model, normalizers.SentencePiece(), None, None, ()))
    >>> said.model.precision, said.changes
    ('float64', ['scores are added up in 64 bits, so that ties may fall otherwise', 'text may become a reserved piece (1)'])
    """
    model, changes = stages.model, list(stages.changes)
    if model.precision != "float64":
        changes.append("scores are added up in 64 bits, so that ties may fall otherwise")
    special = {token.content for token in stages.added_tokens if token.special}
    own = stages.normalizer
    # Special tokens are found in the text as it stands, but rules make them of other characters, too.
    has_rules = isinstance(own, normalizers.SentencePiece) and own.precompiled_charsmap is not None
    if open_now := [piece for piece in model.reserved if has_rules or piece not in special]:
        changes.append(f"text may become a reserved piece ({len(open_now):,})")
    if any(piece in special for piece in open_now):
        changes.append(
            "rules may make a special token of a text, such as </s> of full-width letters"
        )
    if model.user_defined:
        changes.append(
            f"user-defined pieces ({len(model.user_defined):,}) are normalized like other text"
        )
    symbols = set(model.user_defined)
    # What SentencePiece counts such a piece as, whatever score it has.
    vocab = [
        (text, _BONUS * (len(text.encode()) - 1) if text in symbols else score)
        for text, score in model.vocab
    ]
    normalizer = _said_by_tokenizers(own, changes)
    said = Unigram(vocab, model.unk_id, model.byte_fallback)
    _tell_unknown(model, said, changes)
    return replace(
        stages,
        model=said,
        normalizer=normalizer,
        added_tokens=stages.added_tokens
        if normalizer == own
        else _found_as_they_stand(stages.added_tokens, changes),
        changes=changes,
    )


def _found_as_they_stand(tokens: Sequence[AddedToken], changes: list[str]) -> list[AddedToken]:
    """Give added tokens that the mark before a text, which the normalizer puts, is not put before."""
    if moved := sum(bool(token.normalized) for token in tokens):
        changes.append(
            f"added tokens ({moved:,}) are looked for in the text as it stands, and what follows one "
            "begins as a text does"
        )
    return [replace(token, normalized=False) for token in tokens]


def _said_by_tokenizers(own: Normalizer | None, changes: list[str]) -> Normalizer | None:
    if not isinstance(own, normalizers.SentencePiece):
        return own
    if own.treat_whitespace_as_suffix and own.add_dummy_prefix:
        raise ConfigError("tokenizers has no component that puts a space behind the text")
    space = _SPACE if own.escape_whitespaces else " "
    steps: list[Normalizer] = []
    if own.precompiled_charsmap is not None:
        steps.append(normalizers.Precompiled(own.precompiled_charsmap))
        changes.append(
            "rules are applied to grapheme clusters, not to the longest string that fits"
        )
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
            changes.append("the space before a text is gone when it is decoded")
    return normalizers.Sequence(steps) if steps else None


def for_sentencepiece(stages: Stages) -> Stages:
    """Give the nearest that a SentencePiece model holds.

    >>> model = Unigram([("<unk>", 0.0), ("▁a", -1.0)], 0)
    >>> said = for_sentencepiece(Stages(model, None, pre_tokenizers.Metaspace(), None, ()))
    >>> said.normalizer, said.model.reserved, said.changes[0]
    (SentencePiece(remove_extra_whitespaces=False), ('<unk>',), 'scores are added up in 32 bits, so that ties may fall otherwise')
    """
    model, changes = stages.model, list(stages.changes)
    if model.unk_id is None:
        raise ConfigError("a SentencePiece model has an unknown token; this tokenizer has none")
    if model.precision != "float32":
        changes.append("scores are added up in 32 bits, so that ties may fall otherwise")
    ids = {piece: place for place, (piece, _) in enumerate(model.vocab)}
    # The library looks for them where spaces are written as marks already.
    marked = {
        token.content: token.content.replace(" ", _SPACE)
        for token in stages.added_tokens
        if not token.special
    }
    symbols = [*marked.values()]
    if symbols:
        changes.append(
            f"added tokens ({len(symbols):,}) are user-defined pieces, which compete with others"
        )
    vocab = [(marked.get(piece, piece), score) for piece, score in model.vocab]
    # All of them, so that each keeps its id.
    more = [token.content for token in stages.added_tokens if token.content not in ids]
    vocab += [(marked.get(content, content), 0.0) for content in more]
    if len({piece for piece, _ in vocab}) < len(vocab):
        raise ConfigError(
            "an added token with its spaces written as marks is another piece; a SentencePiece model cannot hold both"
        )
    special = [token.content for token in stages.added_tokens if token.special]
    bytes_ = {*ids} - {*special}
    has_bytes = model.byte_fallback and all(byte in bytes_ for byte in _BYTES)
    if model.byte_fallback and not has_bytes:
        changes.append("nothing falls back to bytes, as not all have a piece")
    if special:
        changes.append("a special token in a text is text like any other")
    if any(token.single_word or token.lstrip or token.rstrip for token in stages.added_tokens):
        changes.append("added tokens take no white space along, and stand within words, too")
    unk = model.vocab[model.unk_id][0]
    shut = [unk, *special, *(_BYTES if has_bytes else ())]
    reserved = list(dict.fromkeys([*model.reserved, *shut]))
    if shut_now := {*reserved} - {*model.reserved, *special}:
        changes.append(f"text no longer becomes a reserved piece ({len(shut_now):,})")
    if unk in special:
        changes.append(f"{unk} is no special token, and is decoded as \u2047")
    user_defined = list(dict.fromkeys([*model.user_defined, *symbols]))
    normalizer = _said_by_sentencepiece(stages, changes, user_defined)
    said = Unigram(
        vocab,
        model.unk_id,
        has_bytes,
        precision="float32",
        user_defined=user_defined,
        reserved=reserved,
    )
    _tell_unknown(model, said, changes)
    return Stages(
        said,
        normalizer,
        None,
        stages.decoder
        if isinstance(stages.decoder, PieceDecoder)
        else _decoder(normalizer, unk, byte_fallback=has_bytes),
        [token for token in stages.added_tokens if token.special and token.content != unk],
        changes,
    )


def _tell_unknown(before: Unigram, now: Unigram, changes: list[str]) -> None:
    """Tell whether what is unknown has another score, which is less than the lowest of pieces: of which, the libraries differ."""
    if not isclose(_lowest(before), _lowest(now), rel_tol=1e-6):
        changes.append("what is unknown has another score, so that other pieces may be beside it")


def _lowest(model: Unigram) -> float:
    apart = {*model.reserved, *model.user_defined} if model.precision == "float32" else set()
    return min((score for piece, score in model.vocab if piece not in apart), default=0.0)


def _decoder(normalizer: Normalizer | None, unk: str, *, byte_fallback: bool) -> Decoder | None:
    if not isinstance(normalizer, normalizers.SentencePiece):
        return None
    return PieceDecoder(
        normalizer.add_dummy_prefix,
        normalizer.remove_extra_whitespaces,
        byte_fallback,
        unk_token=unk,
    )


def _said_by_sentencepiece(
    stages: Stages, changes: list[str], symbols: Sequence[str]
) -> Normalizer | None:
    own, splitter = stages.normalizer, stages.pre_tokenizer
    if not isinstance(own, normalizers.SentencePiece):
        if not splitter:
            return own
        own = _joined(own, changes)
    prepends = _prepends(splitter, at_end=own.treat_whitespace_as_suffix)
    if _splits(splitter) and _has_inner_spaces(stages.model, at_end=own.treat_whitespace_as_suffix):
        changes.append("pieces may reach over the spaces between words")
    if _splits(splitter) and all(piece != _SPACE for piece, _ in stages.model.vocab):
        changes.append("what is unknown on both sides of a space is one token with it")
    if prepends and (symbols or not own.add_dummy_prefix):
        changes.append("one space is put before every text, whatever it begins with, and no other")
    return replace(
        own,
        add_dummy_prefix=own.add_dummy_prefix or prepends,
        user_defined_symbols=symbols,
    )


def _joined(normalizer: Normalizer | None, changes: list[str]) -> normalizers.SentencePiece:
    """Read what converters write: a map, and spaces that are joined or stripped."""
    charsmap, removes = None, False
    for step in _steps(normalizer):
        match step:
            case normalizers.Precompiled() if charsmap is None and not removes:
                charsmap = step.precompiled_charsmap
                changes.append(
                    "the longest rule that fits is applied, not that of a grapheme cluster"
                )
            case normalizers.Strip():
                removes = True
                if charsmap is None:
                    changes.append("of white space at the ends only spaces are removed")
            case normalizers.Replace(Regex(" {2,}"), content=content) if content in (" ", _SPACE):
                removes = True
            case _:
                raise ConfigError(f"a SentencePiece model cannot hold the normalizer {step!r}")
    if removes:
        changes.append("spaces are removed at both ends and where several follow each other")
    return normalizers.SentencePiece(
        charsmap, add_dummy_prefix=False, remove_extra_whitespaces=removes
    )


def _prepends(splitter: PreTokenizer | None, *, at_end: bool) -> bool:
    """Whether it puts a space before a text; one that does what no model can say is refused."""
    if splitter is None or (
        at_end and splitter == pre_tokenizers.Split(_SPACE, "merged_with_previous")
    ):
        return False
    if isinstance(splitter, pre_tokenizers.Metaspace) and splitter.replacement == _SPACE:
        prepends = splitter.prepend_scheme != "never"
        if not (prepends and at_end):
            return prepends
    raise ConfigError(f"a SentencePiece model cannot hold the pre-tokenizer {splitter!r}")


def _splits(splitter: PreTokenizer | None) -> bool:
    is_whole = isinstance(splitter, pre_tokenizers.Metaspace) and not splitter.split
    return splitter is not None and not is_whole


def _has_inner_spaces(model: Unigram, *, at_end: bool) -> bool:
    inner = slice(None, -1) if at_end else slice(1, None)
    return any(_SPACE in piece[inner] for piece, _ in model.vocab)


def _steps(normalizer: Normalizer | None) -> Iterable[Normalizer]:
    if isinstance(normalizer, normalizers.Sequence):
        return [inner for step in normalizer.normalizers for inner in _steps(step)]
    return [normalizer] if normalizer else []
