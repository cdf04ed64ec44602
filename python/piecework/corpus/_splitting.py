"""States how a trainer or a tokenizer splits texts into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from piecework._settings.arguments import DEFAULT, Default
from piecework.normalizers import Normalizer, SentencePiece
from piecework.pre_tokenizers import ByteLevel, Metaspace, PreTokenizer, Split, WhitespaceSplit
from piecework.tokenizer._arguments import TokenizerLike, as_tokenizer
from piecework.trainers import BpeTrainer, Trainer, UnigramTrainer, WordPieceTrainer

if TYPE_CHECKING:
    from piecework.tokenizer import Tokenizer


def splitting_like(like: Trainer | TokenizerLike) -> tuple[dict[str, Any], bool]:
    """Returns the arguments by which `WordCounts` splits texts as a training or a tokenizer does.

    Args:
        like: The settings of the training, or the tokenizer.

    Returns:
        The normalizer, the pre-tokenizer and the added tokens; and whether lines of text files keep their line ends, as where
        BPE learns.

    >>> splitting_like(BpeTrainer(300))[0]["normalizer"]
    """
    if isinstance(like, Trainer):
        normalizer, pre_tokenizer = splitting_for(like)
        pipeline = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
        return {**pipeline, "added_tokens": like.added_tokens}, isinstance(like, BpeTrainer)
    tok = as_tokenizer("like", like)
    return splitting_of(tok), tok.model_type == "BPE"


def splitting_of(tok: Tokenizer) -> dict[str, Any]:
    r"""Returns the arguments by which `WordCounts` splits texts as a tokenizer does; it matches no control symbols.

    >>> import piecework as pw
    >>> tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n").with_added_tokens(["<a>"])
    >>> splitting_of(tok)["added_tokens"][-1].content
    '<a>'
    """
    controls = set(tok.control_symbols)
    return {
        "normalizer": tok.normalizer,
        "pre_tokenizer": tok.pre_tokenizer,
        "added_tokens": [
            token for token in tok.added_tokens.values() if token.content not in controls
        ],
    }


def splitting_for(
    trainer: Trainer,
    normalizer: Normalizer | Default | None = DEFAULT,
    pre_tokenizer: PreTokenizer | Default | None = DEFAULT,
) -> tuple[Normalizer | Default | None, PreTokenizer | Default | None]:
    """Returns normalizer and pre-tokenizer with the defaults of BPE and Unigram filled in.

    WordPiece's defaults are those of word counts, so `DEFAULT` is returned for them.
    """
    if not isinstance(trainer, WordPieceTrainer):
        if isinstance(normalizer, Default):
            normalizer = _normalizer_for(trainer)
        if isinstance(pre_tokenizer, Default):
            pre_tokenizer = splitter_for(trainer)
    return normalizer, pre_tokenizer


def _normalizer_for(trainer: Trainer) -> Normalizer | None:
    if not ends_words_with_spaces(trainer):
        return None
    return SentencePiece(remove_extra_whitespaces=False, treat_whitespace_as_suffix=True)


def splitter_for(trainer: Trainer) -> PreTokenizer:
    """Returns the default pre-tokenizer of BPE, Unigram and WordLevel."""
    if ends_words_with_spaces(trainer):
        return Split("▁", "merged_with_previous")
    if isinstance(trainer, UnigramTrainer):
        # The training starts no word after a symbol, so encoding must not prepend a space there either.
        scheme: Literal["first", "always"] = "first" if trainer.user_defined_symbols else "always"
        keeps_to_words = trainer.split_by_whitespace and not trainer.allow_whitespace_only_pieces
        return Metaspace(prepend_scheme=scheme, split=keeps_to_words)
    return ByteLevel(add_prefix_space=False) if is_on_bytes(trainer) else WhitespaceSplit()


def ends_words_with_spaces(trainer: Trainer) -> bool:
    """Returns whether a trainer of Unigram learns spaces at the ends of words."""
    return isinstance(trainer, UnigramTrainer) and trainer.treat_whitespace_as_suffix


def is_on_bytes(trainer: Trainer) -> bool:
    """Returns whether words consist of byte-level characters, which splitting them again would change."""
    return isinstance(trainer, BpeTrainer) and trainer.alphabet == "byte"
