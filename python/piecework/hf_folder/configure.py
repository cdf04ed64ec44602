"""Applies the configuration files of a model's folder to its tokenizer, like ``transformers``.

Where releases 4 and 5 of ``transformers`` differ, this follows release 5. The post-processor is that of the
``tokenizer.json``, except for BERT's classes, which take its tokens from the configuration. For the classes of GPT-2 and
RoBERTa the configuration determines whether a space is prepended, and the special tokens of RoBERTa's template. The
classes of T5, ALBERT, XLNet, Pegasus and Llama use only the vocabulary of a ``tokenizer.json`` and replace its normalizer
and pre-tokenizer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from piecework import normalizers as n
from piecework import pre_tokenizers as p
from piecework.errors import PieceworkWarning, shown
from piecework.patterns import Regex
from piecework.pre_tokenizers import ByteLevel
from piecework.processors import (
    BertProcessing,
    PostProcessor,
    RobertaProcessing,
    TemplateProcessing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.hf_folder.read import ModelFolder
    from piecework.hf_folder.settings import FolderSettings
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.tokenizer import Tokenizer

__all__ = ["configured", "is_rebuilt", "unmet"]

_REBUILT = ("t5", "albert", "xlnet", "pegasus", "llama")
"""The families whose classes replace the normalizer and pre-tokenizer of a tokenizer.json."""

_BERT_ENDS = {"cls_token": "[CLS]", "sep_token": "[SEP]"}
"""The special tokens that BERT's classes add to a text, with their defaults."""

_SPACES = ("Ġ", "▁")
"""The characters for a space in byte-level words and in those of SentencePiece."""


def configured(tokenizer: Tokenizer, folder: ModelFolder) -> dict[str, Any]:
    """Returns the parts of a tokenizer that the configuration files change.

    Args:
        tokenizer: The tokenizer, with its added tokens.
        folder: The folder of the tokenizer.

    Returns:
        Arguments for :meth:`piecework.Tokenizer.replace`.
    """
    parts = {
        "pre_tokenizer": _pre_tokenizer(tokenizer, folder.settings),
        "post_processor": _post_processor(tokenizer, folder),
    }
    if is_rebuilt(folder) and not folder.is_byte_level:
        parts |= _of_the_class(tokenizer, folder.settings)
    return {name: part for name, part in parts.items() if part != getattr(tokenizer, name)}


def is_rebuilt(folder: ModelFolder) -> bool:
    """Returns whether the class uses only the vocabulary of the folder's tokenizer.json.

    Args:
        folder: The folder.

    Returns:
        Whether the class replaces normalizer and pre-tokenizer, and parses scores exactly.
    """
    return folder.format == "tokenizer.json" and folder.settings.family in _REBUILT


def _of_the_class(tokenizer: Tokenizer, settings: FolderSettings) -> dict[str, Any]:
    """Returns the normalizer and the pre-tokenizer of a class; empty for other classes."""
    rules = _rules(tokenizer)
    words = [p.WhitespaceSplit(), p.Metaspace(prepend_scheme=_scheme(settings))]
    match settings.family:
        case "bert":
            flags: Any = settings.bert_settings()
            return {"normalizer": n.BertNormalizer(**flags), "pre_tokenizer": p.BertPreTokenizer()}
        case "t5":
            return {"normalizer": rules, "pre_tokenizer": p.Sequence(words)}
        case "albert" | "xlnet":
            normalizer = n.Sequence([*_plain_latin(settings), *([rules] if rules else [])])
            return {"normalizer": normalizer, "pre_tokenizer": p.Sequence(words)}
        case "pegasus":
            steps = [rules or n.Replace(Regex(r"\n"), " "), n.Replace(Regex(" {2,}"), " ")]
            return {"normalizer": n.Sequence(steps), "pre_tokenizer": p.Metaspace()}
        case "llama":
            whole = p.Metaspace(prepend_scheme=_scheme(settings), split=False)
            return {"normalizer": None, "pre_tokenizer": whole}
    return {}


def _scheme(settings: FolderSettings) -> Literal["always", "first", "never"]:
    """Returns where the class prepends a space."""
    may_lack = settings.family in {"albert", "llama"}
    if may_lack and settings.add_prefix_space is False:
        return "never"
    return "first" if settings.family == "llama" and not settings.legacy else "always"


def _rules(tokenizer: Tokenizer) -> n.Precompiled | None:
    """Returns the SentencePiece rules in a tokenizer.json, or None."""
    part = tokenizer.normalizer
    steps = part.normalizers if isinstance(part, n.Sequence) else [part]
    return next((step for step in steps if isinstance(step, n.Precompiled)), None)


def _plain_latin(settings: FolderSettings) -> Iterator[n.Normalizer]:
    """Iterates over the first normalizers of the classes of ALBERT and XLNet."""
    is_albert = settings.family == "albert"
    yield n.Replace("``", '"')
    yield n.Replace("''", '"')
    if not (is_albert and settings.keep_accents):
        yield n.NFKD()
        yield n.StripAccents()
    if settings.do_lower_case or (is_albert and settings.do_lower_case is None):
        yield n.Lowercase()


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
    if _is_bert(folder):
        return _bert_template(tokenizer, settings)
    if folder.format in {"tokenizer.json", "vocab.txt"} or settings.kind == "roberta":
        return part
    bos = _named(tokenizer, settings, "bos_token") if settings.add_bos_token else None
    eos = _named(tokenizer, settings, "eos_token") if settings.add_eos_token else None
    return _around(bos, eos) if bos or eos else part


def _is_bert(folder: ModelFolder) -> bool:
    """Returns whether the class is one of BERT's, which is the default for a vocab.txt."""
    settings = folder.settings
    return settings.family == "bert" or (
        folder.format == "vocab.txt" and not settings.tokenizer_class
    )


def _bert_template(tokenizer: Tokenizer, settings: FolderSettings) -> PostProcessor | None:
    """Returns the template of BERT's classes, or the post-processor of the file if its tokens are missing."""
    part = tokenizer.post_processor
    cls, sep = (
        _named(tokenizer, settings, name) or _pair(tokenizer, token)
        for name, token in _BERT_ENDS.items()
    )
    if not cls or not sep or part == BertProcessing(sep, cls):
        return part
    single = [cls[0], "$A", sep[0]]
    pair = [*single, "$B:1", f"{sep[0]}:1"]
    return TemplateProcessing(single, pair, list(dict.fromkeys((cls, sep))))


def _named(tokenizer: Tokenizer, settings: FolderSettings, name: str) -> tuple[str, int] | None:
    """Returns the special token of a name with its id, or None."""
    token = settings.special_tokens.get(name)
    return _pair(tokenizer, token.content) if token else None


def _pair(tokenizer: Tokenizer, token: str) -> tuple[str, int] | None:
    """Returns a token with its id, or None if it is not in the vocabulary."""
    number = tokenizer.token_to_id(token)
    return None if number is None else (token, number)


def _around(bos: tuple[str, int] | None, eos: tuple[str, int] | None) -> TemplateProcessing:
    """Returns the template that adds special tokens before and after each text."""
    first, last = ([token[0]] if token else [] for token in (bos, eos))
    second = [f"{piece}:1" for piece in (*first, "$B", *last)]
    single = [*first, "$A", *last]
    return TemplateProcessing(single, [*single, *second], list({t for t in (bos, eos) if t}))


def unmet(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[PieceworkWarning]:
    """Iterates over warnings about settings of the configuration that the tokenizer does not follow.

    Args:
        tokenizer: The configured tokenizer.
        folder: The folder of the tokenizer.

    Yields:
        The warnings.
    """
    settings = folder.settings
    if settings.tokenizer_class:
        yield from _unmet_of_class(tokenizer, folder)
    elif settings.add_bos_token and not settings.special_tokens.get("bos_token"):
        yield PieceworkWarning(
            "add_bos_token is true, but there is no bos_token; none is added to texts"
        )
    if settings.split_special_tokens:
        hint = "pass `specials='text'` when encoding"
        yield PieceworkWarning("split_special_tokens is not applied", hint=hint)
    settings_and_effects = {
        "add_prefix_space": (settings.add_prefix_space, _puts_space(tokenizer)),
        **dict(_ends(tokenizer, settings)),
    }
    for name, (setting, effect) in settings_and_effects.items():
        if setting is not None and setting != effect:
            problem = f"{name} is {str(setting).lower()}, but {folder.format} differs"
            yield PieceworkWarning(f"{problem} and takes precedence")


def _unmet_of_class(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[PieceworkWarning]:
    """Iterates over warnings about the class of the tokenizer."""
    settings, name = folder.settings, shown(folder.settings.tokenizer_class)
    if folder.format in {"vocab.json", "encoder.json"}:
        if not settings.kind:
            yield PieceworkWarning(
                f"the class {name} is unknown, so the pre-tokenizer is inferred from the vocabulary",
                hint="pass `pre_tokenizer=...` to change it",
            )
    elif folder.format.endswith(".model"):
        yield from _unmet_of_sentencepiece(tokenizer, folder)
    elif settings.family is None:
        yield PieceworkWarning(
            f"the class {name} is unknown: it may normalize and split text differently from {folder.format}, and add other "
            "special tokens",
            hint="compare ids with `transformers`, or set tokenizer_class to 'TokenizersBackend' if the file is right",
        )
    elif settings.family == "bert":
        yield from _unmet_of_bert(tokenizer, folder)


def _unmet_of_bert(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[PieceworkWarning]:
    settings, name = folder.settings, shown(folder.settings.tokenizer_class)
    for end, token in _BERT_ENDS.items():
        if end not in settings.special_tokens:
            yield PieceworkWarning(
                f"{end} is missing, so the class {name} adds a token of a fixed id to texts; here {token!r} is added if it "
                "is in the vocabulary",
                hint=f"set {end}",
            )
    if folder.format == "vocab.txt":
        special = [*settings.special_tokens.values(), *settings.more_special_tokens]
        listed = {token.content for token in (*special, *settings.added_tokens)}
        if others := [
            t.content for t in tokenizer.added_tokens.values() if t.content not in listed
        ]:
            yield PieceworkWarning(
                f"{', '.join(map(shown, others))} are not listed as special tokens, so the class {name} encodes them as text; here "
                "they are matched",
                hint="list them in additional_special_tokens, or pass `specials='text'` when encoding",
            )
    else:
        built = _of_the_class(tokenizer, settings)
        others = [
            part.replace("_", "-") for part in built if built[part] != getattr(tokenizer, part)
        ]
        if others:
            yield PieceworkWarning(
                f"the class {name} replaces {' and '.join(others)}; here those of tokenizer.json apply",
                hint="pass those of the class to `replace` to change that",
            )


def _unmet_of_sentencepiece(
    tokenizer: Tokenizer, folder: ModelFolder
) -> Iterator[PieceworkWarning]:
    name = shown(folder.settings.tokenizer_class)
    if tokenizer.model_type == "Unigram":
        yield PieceworkWarning(
            f"the class {name} adds special tokens and may renumber all tokens; here the ids are those of "
            f"{folder.format}, and no special tokens are added",
            hint="load a tokenizer.json saved by `transformers`",
        )
    elif folder.settings.family != "file":
        yield PieceworkWarning(
            f"the class {name} prepends no space to a text that starts with one, or after a special token, and may normalize "
            f"and merge differently, as with several spaces; here the ids are those of {folder.format}",
            hint="load a tokenizer.json saved by `transformers` to get those of the class",
        )


def _puts_space(tokenizer: Tokenizer) -> bool:
    """Returns whether a space is prepended to a text that starts without one."""
    text = "a"
    if tokenizer.normalizer:
        text = tokenizer.normalizer.normalize_str(text)
    if tokenizer.pre_tokenizer:
        text = "".join(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text))
    return text.startswith(_SPACES)


def _ends(
    tokenizer: Tokenizer, settings: FolderSettings
) -> Iterator[tuple[str, tuple[bool | None, bool]]]:
    """Iterates over the settings of the tokens at both ends of a text, each with whether the token is added."""
    ids = tokenizer.encode_ids("")
    bos, eos = (_named(tokenizer, settings, name) for name in ("bos_token", "eos_token"))
    has_bos = bos is not None and ids[:1] == [bos[1]]
    if bos:
        yield "add_bos_token", (settings.add_bos_token, has_bos)
    if eos:
        yield "add_eos_token", (settings.add_eos_token, ids[int(has_bos) :][-1:] == [eos[1]])
