"""Lists the keyword arguments of methods that take settings of a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._settings.choices import AddedTokenIds, Segmentation, UnknownPolicy
    from piecework._settings.encoding import PaddingLike, TruncationLike
    from piecework.decoders import Decoder
    from piecework.normalizers import Normalizer
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.processors import PostProcessor
    from piecework.tokenizer._formats.detect import Format


BERT = ("lowercase", "strip_accents", "clean_text", "handle_chinese_chars")
LIMITS = ("truncation", "padding")
LIKELIEST = ("segmentation", "probabilities")
MODEL = ("unknown", "unk_token", "max_input_chars_per_word", *LIKELIEST)
"""The settings of a WordPiece model."""


class Parts(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.replace` that are parts."""

    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    post_processor: PostProcessor | None
    decoder: Decoder | None
    truncation: TruncationLike
    padding: PaddingLike


class ModelSettings(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.replace` that are settings of the model."""

    unknown: UnknownPolicy
    unk_token: str | None
    max_input_chars_per_word: int | None
    segmentation: Segmentation
    probabilities: Mapping[str, float] | None


class Changes(Parts, ModelSettings, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.replace`."""

    regex_retries: int | None


class SpecialRoles(TypedDict, total=False):
    """Lists the keyword arguments of :meth:`Tokenizer.save_folder` that are tokens by role; None for no token."""

    pad_token: str | None
    unk_token: str | None
    bos_token: str | None
    eos_token: str | None
    cls_token: str | None
    sep_token: str | None
    mask_token: str | None


class LoadSettings(ModelSettings, total=False):
    """Lists the settings of a tokenizer that its file may not contain.

    Attributes:
        format: The format, ``"vocab.txt"`` and so on (docs/formats.md lists them); by default that of the content and of
            the name. A file that is not named .txt is no vocab.txt by default.
        lowercase: vocab.txt: see :class:`BertNormalizer`.
        strip_accents: vocab.txt: see :class:`BertNormalizer`.
        clean_text: vocab.txt: see :class:`BertNormalizer`.
        handle_chinese_chars: vocab.txt: see :class:`BertNormalizer`.
        normalizer: vocab.txt: a normalizer that replaces the four settings above; None for no normalizer. vocab.json with
            merges.txt: by default inferred from the vocabulary, and None if `pre_tokenizer` is given.
        pre_tokenizer: vocab.txt: BERT's by default; None makes each text one word. vocab.json with merges.txt: by default
            inferred from the vocabulary, and None if `normalizer` is given.
        continuing_subword_prefix: vocab.txt: the prefix of a token that continues a word.
        unknown: How characters that no token covers are encoded.
        unk_token: The text of the unknown token; None if there is none.
        max_input_chars_per_word: The length in characters from which on words are unknown, exclusive; None for no limit.
        segmentation: ``"longest"`` (default) or ``"likeliest"``.
        probabilities: The probability of each token, required by ``segmentation="likeliest"`` if the file has no token
            counts; tokens that are not listed have 2**-52.
        truncation: The default truncation of calls; None for none. By default that of the tokenizer.json.
        padding: The default padding of calls; None for none. By default that of the tokenizer.json.
        added_token_ids: tokenizer.json: where the ids of added tokens are not those that ``tokenizers`` gives by counting,
            ``"file"`` takes those of the file, ``"tokenizers"`` the counted ones; None makes such a file an error.
    """

    format: Format
    lowercase: bool
    strip_accents: bool | None
    clean_text: bool
    handle_chinese_chars: bool
    normalizer: Normalizer | None
    pre_tokenizer: PreTokenizer | None
    continuing_subword_prefix: str
    truncation: TruncationLike
    padding: PaddingLike
    added_token_ids: AddedTokenIds | None
