"""What the files beside a tokenizer change of it, as ``transformers`` applies them.

Releases 4 and 5 of that library agree in little more than the following, and where they do not this is release 5. A
``tokenizer.json`` says by itself what goes around a text, unless the class is BERT's, which names these tokens. Of GPT-2's and RoBERTa's classes the configuration says whether a text
begins with a space, and the special tokens of RoBERTa's template. The classes of T5, ALBERT, XLNet, Pegasus and Llama take the
vocabulary of a ``tokenizer.json`` and make its normalizer and pre-tokenizer anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from piecework import normalizers as n
from piecework import pre_tokenizers as p
from piecework.errors import shown
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

    from piecework.io.folder import FolderSettings, ModelFolder
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.tokenizer import Tokenizer

__all__ = ["configured", "is_rebuilt", "unmet"]

_REBUILT = ("t5", "albert", "xlnet", "pegasus", "llama")
"""The families whose normalizer and pre-tokenizer are made anew, whatever a tokenizer.json has."""

_BERT_ENDS = {"cls_token": "[CLS]", "sep_token": "[SEP]"}
"""What BERT's classes put at the ends of a text, and what these tokens are where nothing names them."""

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
    if is_rebuilt(folder) and not folder.is_byte_level:
        parts |= _of_the_class(tokenizer, folder.settings)
    return {name: part for name, part in parts.items() if part != getattr(tokenizer, name)}


def is_rebuilt(folder: ModelFolder) -> bool:
    """Tell whether the class takes no more than the vocabulary of the folder's tokenizer.json.

    Args:
        folder: The folder.

    Returns:
        Whether it makes the normalizer and the pre-tokenizer anew, and reads scores as they are written.
    """
    return folder.format == "tokenizer.json" and folder.settings.family in _REBUILT


def _of_the_class(tokenizer: Tokenizer, settings: FolderSettings) -> dict[str, Any]:
    """Give the normalizer and the pre-tokenizer that a class makes; none of a class of another kind."""
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
    """Where the class puts a space."""
    may_lack = settings.family in {"albert", "llama"}
    if may_lack and settings.add_prefix_space is False:
        return "never"
    return "first" if settings.family == "llama" and not settings.legacy else "always"


def _rules(tokenizer: Tokenizer) -> n.Precompiled | None:
    """Give the rules of SentencePiece that are in a tokenizer.json."""
    part = tokenizer.normalizer
    steps = part.normalizers if isinstance(part, n.Sequence) else [part]
    return next((step for step in steps if isinstance(step, n.Precompiled)), None)


def _plain_latin(settings: FolderSettings) -> Iterator[n.Normalizer]:
    """Give the normalizers with which the classes of ALBERT and XLNet begin."""
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
    """Whether the class is one of BERT's, as it is where nothing else is said of a vocab.txt."""
    settings = folder.settings
    return settings.family == "bert" or (
        folder.format == "vocab.txt" and not settings.tokenizer_class
    )


def _bert_template(tokenizer: Tokenizer, settings: FolderSettings) -> PostProcessor | None:
    """Give the template of BERT's classes, whatever the file has; its own if there is no token for it."""
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
    """Give the special token of a name, and its id."""
    token = settings.special_tokens.get(name)
    return _pair(tokenizer, token.content) if token else None


def _pair(tokenizer: Tokenizer, token: str) -> tuple[str, int] | None:
    """Give a token and its id."""
    number = tokenizer.token_to_id(token)
    return None if number is None else (token, number)


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
    if settings.tokenizer_class:
        yield from _unmet_of_class(tokenizer, folder)
    elif settings.add_bos_token and not settings.special_tokens.get("bos_token"):
        yield "add_bos_token is true, and nothing names a bos_token; none is put before a text"
    if settings.split_special_tokens:
        yield "split_special_tokens is not applied; pass specials='text' to the calls that encode"
    says = {
        "add_prefix_space": (settings.add_prefix_space, _puts_space(tokenizer)),
        **dict(_ends(tokenizer, settings)),
    }
    for name, (wanted, found) in says.items():
        if wanted is not None and wanted != found:
            yield f"{name} is {str(wanted).lower()}, and {folder.format} says otherwise, which counts"


def _unmet_of_class(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[str]:
    """Tell what the class does that is not done here."""
    settings, name = folder.settings, shown(folder.settings.tokenizer_class)
    if folder.format in {"vocab.json", "encoder.json"}:
        if not settings.kind:
            yield (
                f"the class {name} is not known here, so the vocabulary tells how text is split; pass pre_tokenizer=... if "
                "that is wrong"
            )
    elif folder.format.endswith(".model"):
        yield from _unmet_of_sentencepiece(tokenizer, folder)
    elif settings.family is None:
        yield (
            f"the class {name} is not known here: it may normalize and split text otherwise than {folder.format} says, and put "
            "tokens of its own around it; compare ids with `transformers`, or name the class 'TokenizersBackend' if the file is right"
        )
    elif settings.family == "bert":
        yield from _unmet_of_bert(tokenizer, folder)


def _unmet_of_bert(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[str]:
    settings, name = folder.settings, shown(folder.settings.tokenizer_class)
    for end, token in _BERT_ENDS.items():
        if end not in settings.special_tokens:
            yield (
                f"{end} names no token, in place of which the class {name} puts one of a fixed id around a text; here "
                f"{token!r} counts, if there is one; name the {end}"
            )
    if folder.format == "vocab.txt":
        wanted = [*settings.special_tokens.values(), *settings.more_special_tokens]
        named = {token.content for token in (*wanted, *settings.added_tokens)}
        if others := [t.content for t in tokenizer.added_tokens.values() if t.content not in named]:
            yield (
                f"nothing names {', '.join(map(shown, others))}, which the class {name} takes for text; here a text that spells "
                "such a token has its id; list it in additional_special_tokens, or pass specials='text' to the calls that encode"
            )
    else:
        built = _of_the_class(tokenizer, settings)
        others = [
            part.replace("_", "-") for part in built if built[part] != getattr(tokenizer, part)
        ]
        if others:
            yield (
                f"the class {name} makes its {' and '.join(others)} anew; here those of tokenizer.json count; pass the parts of "
                "the class to with_parts if they are meant"
            )


def _unmet_of_sentencepiece(tokenizer: Tokenizer, folder: ModelFolder) -> Iterator[str]:
    name = shown(folder.settings.tokenizer_class)
    if tokenizer.model_type == "Unigram":
        yield (
            f"the class {name} puts tokens of its own around a text and may number all of them anew; here the "
            f"ids are those of {folder.format}, and nothing is around a text; load a tokenizer.json that `transformers` saves"
        )
    elif folder.settings.family != "file":
        yield (
            f"the class {name} puts no space before a text that begins with one, nor behind a special token, and may normalize "
            f"otherwise and merge in another order, as with several spaces; here the ids are those of {folder.format}; load a "
            "tokenizer.json that `transformers` saves to have the class's"
        )


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
