"""Saves tokenizers, and warns of what a format cannot represent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from piecework import _core
from piecework._exceptions import show_warning, warn
from piecework._io.files import Pathish, checked, make_folder, packed, read_bytes, write_aside
from piecework._messages import shown
from piecework._settings.arguments import check_positive, check_str
from piecework.errors import ConfigError
from piecework.tokenizer._checks import first_few
from piecework.tokenizer._loading import load_vocab
from piecework.tokenizer._settings import BERT, LIMITS, LoadSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.tokenizer._formats.detect import Format
    from piecework.tokenizer._tokenizer import Tokenizer


def save(
    tok: Tokenizer,
    path: Pathish,
    format: Format | None,  # noqa: A002
    base: Pathish | None,
    *,
    build: type[Tokenizer] | None,
) -> None:
    """Implements :meth:`Tokenizer.save`; `build` is the class of an approximated tokenizer, None for an exact one."""
    from piecework.tokenizer._formats.detect import format_from_name

    kind = format or format_from_name(os.path.basename(checked(path)))
    check_str("format", kind)
    if base is not None and (kind != "sentencepiece" or build is not None):
        raise ConfigError(
            'requires the format "sentencepiece", without `approximate`', setting="base"
        )
    written = tok if build is None else _approximate(tok, kind, build)
    if kind == "tokenizer.json":
        text = written.to_str()
        _warn_of_controls(tok)  # an approximation has no control symbols
        _warn_of_symbols(written)
        write_aside(path, text.encode())
    elif kind == "vocab.txt":
        _save_vocab(written, path)
    else:
        model = None if base is None else read_bytes(checked(base, "base"))
        _save_as(written, path, kind, model)


def save_folder(
    tok: Tokenizer,
    path: Pathish,
    model_max_length: int | None,
    given: Mapping[str, str | None],
    *,
    build: type[Tokenizer] | None,
) -> None:
    """Implements :meth:`Tokenizer.save_folder`; `build` is the class of an approximated tokenizer, None for an exact one."""
    from piecework.tokenizer._folders.write import configuration, own_types_of, roles_of

    if model_max_length is not None:
        check_positive("model_max_length", model_max_length)
    written = tok if build is None else _approximate(tok, "tokenizer.json", build)
    text = written.to_str()
    if own := own_types_of(text):
        is_convertible = build is None and tok.model_type == "Unigram"
        raise ConfigError(
            f"transformers cannot load this tokenizer exactly: tokenizers has no {', '.join(own)}",
            hint="pass `approximate=True` to write the closest tokenizer that it loads"
            if is_convertible
            else "replace these parts, or call `save`, whose file piecework loads",
        )
    roles = roles_of(written, tok._folder, given)
    if build is None:
        _warn_of_controls(tok)  # an approximation has no control symbols
    _warn_of_symbols(written)
    if tok.padding and tok.padding.pad_type_id:
        warn(
            f"transformers pads type ids by 0, and this tokenizer by {tok.padding.pad_type_id}",
            hint="set `_pad_token_type_id` of the loaded tokenizer",
        )
    files = configuration(written, roles, tok._folder, model_max_length)
    folder = make_folder(path)
    for name, data in ({"tokenizer.json": text.encode()} | files).items():
        file = os.path.join(folder, name)
        make_folder(os.path.dirname(file))
        write_aside(file, data)


def _approximate(tok: Tokenizer, kind: Format, build: type[Tokenizer]) -> Tokenizer:
    """Returns the closest tokenizer that another library loads, and warns of the changes."""
    from piecework.models import Unigram
    from piecework.tokenizer._approximate import Stages, for_sentencepiece, for_tokenizers

    converters = {"tokenizer.json": for_tokenizers, "sentencepiece": for_sentencepiece}
    if kind not in converters or not isinstance(tok.model, Unigram):
        raise ConfigError(
            "requires a Unigram model and the format tokenizer.json or sentencepiece",
            setting="approximate",
        )
    added = list(tok.added_tokens.values())
    own = Stages(tok.model, tok.normalizer, tok.pre_tokenizer, tok.decoder, added, [])
    stages = converters[kind](own)
    if stages == own:
        return tok
    lost = ["the history of the training is lost"] if tok.training.steps else []
    if changes := [*stages.changes, *lost]:
        warn(f"the {kind} file approximates the tokenizer: {'; '.join(changes)}")
    return build(
        stages.model,
        normalizer=stages.normalizer,
        pre_tokenizer=stages.pre_tokenizer,
        post_processor=tok.post_processor,
        decoder=stages.decoder,
        added_tokens=stages.added_tokens,
        truncation=tok.truncation,
        padding=tok.padding,
    )


def _save_as(tok: Tokenizer, path: Pathish, kind: Format, base: bytes | None) -> None:
    """Writes the files of a format other than tokenizer.json and vocab.txt, with a warning of what they lack."""
    from piecework.tokenizer._formats.detect import FORMATS
    from piecework.tokenizer._formats.loss import describe_loss

    if tok._functions:
        tok._core.to_json()  # raises, since no file can contain a Python function
    if kind not in FORMATS:
        known = ", ".join(FORMATS)
        raise ConfigError(f"unknown format {shown(kind)}; expected one of {known}")
    files = _core.write_format(tok._core, kind, base)
    stages = {"normalizer": tok.normalizer, "pre_tokenizer": tok.pre_tokenizer}
    if warning := describe_loss(tok._core, kind, files, os.path.basename(os.fspath(path)), stages):
        show_warning(warning)
    if kind == "sentencepiece":
        _warn_of_matched(tok)
    if kind == "clip" and os.fspath(path).endswith(".gz"):
        files = {name: packed(data) for name, data in files.items()}
    for name, data in files.items():
        write_aside(os.path.join(make_folder(path), name) if name else path, data)


def _save_vocab(tok: Tokenizer, path: Pathish) -> None:
    from piecework.tokenizer._formats.loss import warning_of_loss

    text, settings = tok._core.to_vocab(), _load_settings(tok)
    needed = [
        assignment
        for name, (value, default) in settings.items()
        if value != default
        for assignment in _assignments(name, value)
    ]
    given = {name: value for name, (value, _) in settings.items() if name not in LIMITS}
    own = _implied(tok)
    back = _implied(load_vocab(type(tok), text.encode(), cast("LoadSettings", given)))
    lost = [name for name in own if own[name] != back[name]]
    warning = warning_of_loss("a vocab.txt contains only the tokens", lost, needed, "load it")
    if warning:
        show_warning(warning)
    write_aside(path, text.encode())


def _load_settings(tok: Tokenizer) -> dict[str, tuple[object, object]]:
    """Returns the load settings of a tokenizer, with their defaults for a vocab.txt."""
    from piecework.normalizers import BertNormalizer
    from piecework.pre_tokenizers import BertPreTokenizer

    settings: dict[str, tuple[object, object]] = {
        "normalizer": (tok.normalizer, BertNormalizer()),
        "pre_tokenizer": (tok.pre_tokenizer, BertPreTokenizer()),
        "unk_token": (tok.unk_token, "[UNK]"),
        "truncation": (tok.truncation, None),
        "padding": (tok.padding, None),
    }
    if tok.model_type == "WordPiece":
        settings |= {
            "continuing_subword_prefix": (tok.continuing_subword_prefix, "##"),
            "unknown": (tok.unknown, "word"),
            "max_input_chars_per_word": (tok.max_input_chars_per_word, 100),
        }
    return settings


def _assignments(name: str, value: object) -> list[str]:
    """Returns a load setting as assignments; BERT's normalizer is written as its own settings."""
    from piecework.normalizers import BertNormalizer

    if not isinstance(value, BertNormalizer):
        return [f"{name}={value!r}"]
    default = BertNormalizer()
    changed = [flag for flag in BERT if getattr(value, flag) != getattr(default, flag)]
    return [f"{flag}={getattr(value, flag)!r}" for flag in changed]


def _implied(tok: Tokenizer) -> dict[str, object]:
    """Returns the properties that neither a vocab.txt nor its load settings contain."""
    added, model = tok.added_tokens.items(), tok.model
    return {
        "model": tok.model_type,
        "segmentation": getattr(model, "segmentation", "longest"),
        "dropout": getattr(model, "dropout", None),
        "probabilities": getattr(model, "probabilities", None),
        "special tokens": {number: token for number, token in added if token.special},
        "added tokens": {number: token for number, token in added if not token.special},
        "post-processor": tok._parts["post_processor"],
        "decoder": tok._parts["decoder"],
        "training": bool(tok.training),
    }


def _warn_of_matched(tok: Tokenizer) -> None:
    """Warns that special tokens which are matched in texts become control symbols of a SentencePiece model."""
    matched = [token for token in tok.special_tokens if token not in tok.control_symbols]
    symbols = set(getattr(tok.normalizer, "user_defined_symbols", ()))
    if others := [token for token in matched if token not in symbols]:
        warn(
            f"a SentencePiece model has control symbols: the saved file treats {first_few(others)} "
            "in a text as ordinary text, while this tokenizer matches them",
            hint="pass `specials='match'` to calls of the loaded tokenizer",
        )
    if plain := [token for token in matched if token in symbols]:
        warn(
            f"a SentencePiece model finds control symbols in no text, so {first_few(plain)} become user-defined symbols: "
            "decoding no longer omits them, and in a Unigram model they compete with other pieces",
            hint="add them with `with_added_tokens([...], special=True)` after loading",
        )


def _warn_of_symbols(tok: Tokenizer) -> None:
    """Warns that other libraries match the added tokens of a SentencePiece tokenizer in another way."""
    if not (tok.added_tokens and tok._core.has_nearest_splitter()):
        return
    added = tok.added_tokens.values()
    escaped = [token.content for token in added if "▁" in token.content]
    after = "" if all(token.normalized for token in added) else ", nor after a special token"
    problem = f", nor do they find {first_few(escaped)} where a text has spaces" if escaped else ""
    warn(
        f"tokenizers and transformers put no ▁ before a text that begins with an added token or a space{after}, while this "
        f"tokenizer does{problem}; piecework reads the file as it was saved"
    )


def _warn_of_controls(tok: Tokenizer) -> None:
    """Warns that a tokenizer.json has no control symbols."""
    if not tok.control_symbols:
        return
    warn(
        f"a tokenizer.json has no control symbols: the saved file matches {first_few(tok.control_symbols)} "
        "in a text, while this tokenizer treats them as ordinary text",
        hint="pass `specials='text'` to calls of the loaded tokenizer",
    )
