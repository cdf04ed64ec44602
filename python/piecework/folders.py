"""What the files beside a tokenizer change of it, as ``transformers`` applies them.

Releases 4 and 5 of that library agree in little more than the following, and where they do not this is release 5. A
``tokenizer.json`` says by itself what goes around a text. Of GPT-2's and RoBERTa's classes the configuration says whether a text
begins with a space, and the special tokens of RoBERTa's template.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from piecework.errors import shown
from piecework.pre_tokenizers import ByteLevel
from piecework.processors import PostProcessor, RobertaProcessing, TemplateProcessing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.io.folder import FolderSettings, ModelFolder
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.tokenizer import Tokenizer

__all__ = ["configured", "unmet"]

_SPACES = ("Ġ", "▁")
"""How byte-level and SentencePiece's words write the space before them."""


def configured(tokenizer: Tokenizer, folder: ModelFolder) -> dict[str, Any]:
    """Give the parts of a tokenizer that the files beside it change.

    Args:
        tokenizer: The tokenizer, with its added tokens.
        folder: The folder that it is from.

    Returns:
        Parts as :meth:`piecework.Tokenizer.with_parts` takes them.
    """
    parts = {
        "pre_tokenizer": _pre_tokenizer(tokenizer, folder.settings),
        "post_processor": _post_processor(tokenizer, folder),
    }
    return {name: part for name, part in parts.items() if part != getattr(tokenizer, name)}


def _pre_tokenizer(tokenizer: Tokenizer, settings: FolderSettings) -> PreTokenizer | None:
    part = tokenizer.pre_tokenizer
    if isinstance(part, ByteLevel) and settings.kind in {"gpt2", "roberta"}:
        return replace(part, add_prefix_space=bool(settings.add_prefix_space))
    return part


def _post_processor(tokenizer: Tokenizer, folder: ModelFolder) -> PostProcessor | None:
    part, settings = tokenizer.post_processor, folder.settings
    if settings.kind == "roberta" and (
        isinstance(part, RobertaProcessing) or folder.format != "tokenizer.json"
    ):
        sep, cls = (
            _named(tokenizer, settings, "sep_token"),
            _named(tokenizer, settings, "cls_token"),
        )
        if sep and cls:
            trim, space = settings.trim_offsets is not False, bool(settings.add_prefix_space)
            return RobertaProcessing(sep, cls, trim, space)
    if folder.format in {"tokenizer.json", "vocab.txt"} or settings.kind == "roberta":
        return part
    bos = _named(tokenizer, settings, "bos_token") if settings.add_bos_token else None
    eos = _named(tokenizer, settings, "eos_token") if settings.add_eos_token else None
    return _around(bos, eos) if bos or eos else part


def _named(tokenizer: Tokenizer, settings: FolderSettings, name: str) -> tuple[str, int] | None:
    """Give the special token of a name, and its id."""
    token = settings.special_tokens.get(name)
    number = tokenizer.token_to_id(token.content) if token else None
    return None if token is None or number is None else (token.content, number)


def _around(bos: tuple[str, int] | None, eos: tuple[str, int] | None) -> TemplateProcessing:
    """Give the template that puts special tokens around each text."""
    first, last = ([token[0]] if token else [] for token in (bos, eos))
    second = [f"{piece}:1" for piece in (*first, "$B", *last)]
    single = [*first, "$A", *last]
    return TemplateProcessing(single, [*single, *second], list({t for t in (bos, eos) if t}))


def unmet(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[str]:
    """Tell what the configuration says and the tokenizer does not do.

    Args:
        tokenizer: The tokenizer as it was configured.
        folder: The folder that it is from.

    Yields:
        Sentences for warnings.
    """
    settings = folder.settings
    if (
        folder.format in {"vocab.json", "encoder.json"}
        and settings.tokenizer_class
        and not settings.kind
    ):
        yield (
            f"the class {shown(settings.tokenizer_class)} is not known here, so the vocabulary tells how text is split; pass "
            "pre_tokenizer=... if that is wrong"
        )
    if (
        tokenizer.model_type == "Unigram"
        and folder.format.endswith(".model")
        and settings.tokenizer_class
    ):
        yield (
            f"the class {shown(settings.tokenizer_class)} puts tokens of its own around a text and may number all of them anew; here the "
            f"ids are those of {folder.format}, and nothing is around a text; load a tokenizer.json that `transformers` saves"
        )
    if settings.split_special_tokens:
        yield "split_special_tokens is not applied; pass specials='text' to the calls that encode"
    says = {
        "add_prefix_space": (settings.add_prefix_space, _puts_space(tokenizer)),
        **dict(_ends(tokenizer, settings)),
    }
    for name, (wanted, found) in says.items():
        if wanted is not None and wanted != found:
            yield f"{name} is {str(wanted).lower()}, and {folder.format} says otherwise, which counts"


def _puts_space(tokenizer: Tokenizer) -> bool:
    """Whether a text that begins without a space is given one."""
    text = "a"
    if tokenizer.normalizer:
        text = tokenizer.normalizer.normalize_str(text)
    if tokenizer.pre_tokenizer:
        text = "".join(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text))
    return text.startswith(_SPACES)


def _ends(
    tokenizer: Tokenizer, settings: FolderSettings
) -> Iterator[tuple[str, tuple[bool | None, bool]]]:
    """Give for the tokens at both ends of a text whether they should be there, and whether they are."""
    ids = tokenizer.encode_ids("")
    bos, eos = (_named(tokenizer, settings, name) for name in ("bos_token", "eos_token"))
    begins = bos is not None and ids[:1] == [bos[1]]
    if bos:
        yield "add_bos_token", (settings.add_bos_token, begins)
    if eos:
        yield "add_eos_token", (settings.add_eos_token, ids[int(begins) :][-1:] == [eos[1]])
