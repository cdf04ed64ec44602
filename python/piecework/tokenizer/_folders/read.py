"""Reads the folder of a model: its tokenizer and the configuration files next to it.

The tokenizer is ``tokenizer.json``, ``vocab.txt``, ``vocab.json`` with ``merges.txt``, or a SentencePiece model. Older
folders have ``special_tokens_map.json`` and ``added_tokens.json`` in addition to ``tokenizer_config.json``; these apply only
if the configuration does not list the added tokens.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from piecework._io.files import existing_folder, exists, read_if_exists
from piecework._messages import shown
from piecework._settings.fields import TEXT, Maybe, Mismatch, members, under
from piecework.errors import FormatError, MissingFileError, UnsupportedError
from piecework.tokenizer._checks import check_file
from piecework.tokenizer._folders.chat_templates import LEGACY, read_template_files
from piecework.tokenizer._folders.families import BACKEND, BERT, Family, family_of
from piecework.tokenizer._folders.model_types import class_that_reads
from piecework.tokenizer._folders.settings import (
    FolderSettings,
    from_config,
    listed_token,
    member,
    replace_specials,
    special_tokens_of,
    templates_of,
    unflagged_token,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._io.files import Pathish


@dataclass(frozen=True)
class ModelFolder:
    """Holds the tokenizer file of a model and the settings of its folder.

    Attributes:
        format: The name of the tokenizer file, which is its format.
        path: The path of the file, for messages.
        data: The bytes of the file.
        settings: The settings of the configuration files.
    """

    format: str
    path: str
    data: bytes = field(repr=False)
    settings: FolderSettings

    @property
    def config_path(self) -> str:
        """Returns the path of the configuration file, for messages."""
        return os.path.join(os.path.dirname(self.path), "tokenizer_config.json")

    @property
    def family(self) -> Family:
        """Returns the record of the class; a vocab.txt without a class is BERT's."""
        is_bert = self.format == "vocab.txt" and not self.settings.tokenizer_class
        return BERT if is_bert else self.settings.family


def read_model_folder(path: Pathish) -> ModelFolder:
    """Returns the tokenizer file and the settings of a model's folder.

    Args:
        path: The folder.

    Returns:
        The bytes of the first file that exists of ``tokenizer.json``, ``vocab.txt``, ``vocab.json``, ``encoder.json``,
        ``tokenizer.model``, ``spiece.model``, ``sentencepiece.bpe.model`` and ``spm.model``, and the settings. Truncation
        and padding are removed from a ``tokenizer.json`` if the folder contains a ``tokenizer_config.json``.

    Raises:
        FileError: The folder or a file in it cannot be read, or it contains no tokenizer.
        FormatError: A file is malformed; the message contains its name and the JSON path.

    >>> read_model_folder("no such folder")
    Traceback (most recent call last):
    ...
    piecework.errors.MissingFileError: no such folder: no such file or folder
    """
    folder = existing_folder(path)
    for name in _FORMATS:
        file = os.path.join(folder, name)
        if (data := read_if_exists(file)) is not None:
            # The test of `transformers` for files such as Llama 3's, which their class uses unchanged.
            is_byte_level = name == "tokenizer.json" and b'"ByteLevel"' in data
            config = _configuration(folder, name, is_byte_level=is_byte_level)
            if name != "tokenizer.json":
                _refuse_others(folder, name, config)
            settings = _with_templates(folder, _settings(folder, config))
            has_config = exists(os.path.join(folder, "tokenizer_config.json"))
            if name == "tokenizer.json" and (has_config or settings.tokenizer_class):
                data = _without_limits(data, f"{file}: ")
            return ModelFolder(name, file, data, settings)
    _refuse_others(folder, None, _configuration(folder, None))
    message = f"contains no tokenizer; expected one of {', '.join(_FORMATS)}"
    raise MissingFileError(errno.ENOENT, message, folder)


_FORMATS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "encoder.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
)


_LIMITS = re.compile(r'"(?:truncation|padding)"\s*:\s*\{')
_SPACES = re.compile(r"\s*")


def _without_limits(data: bytes, place: str) -> bytes:
    """Returns a tokenizer.json with truncation and padding set to null, and all other bytes unchanged.

    Numbers keep their digits, since some readers round them depending on their spelling. Invalid JSON is returned
    unchanged; its reader raises the error.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    if not _LIMITS.search(text):
        return data
    check_file("json", data, place)
    with contextlib.suppress(ValueError, IndexError, RecursionError):
        for start, end in reversed(list(_limits(text))):
            # Line ends are kept, so that errors have the line numbers of the file.
            lines = "\n" * text.count("\n", start, end)
            text = f"{text[:start]}null{lines}{text[end:]}"
        return text.encode()
    return data


def _limits(text: str) -> Iterator[tuple[int, int]]:
    """Iterates over the start and end of the values of truncation and padding in the text of a JSON object."""
    read, remaining = json.JSONDecoder().raw_decode, {"truncation", "padding"}
    at, sign = text.index("{"), "{"
    while remaining and sign in {"{", ","}:
        name, at = read(text, _next(text, at + 1))
        start = _next(text, _next(text, at) + 1)
        _, end = read(text, start)
        if name in remaining:
            remaining.remove(name)
            yield start, end
        at = _next(text, end)
        sign = text[at]


def _next(text: str, at: int) -> int:
    """Returns the index of the next character that is not white space; the length of the text if there is none."""
    spaces = _SPACES.match(text, at)
    return len(text) if spaces is None else spaces.end()


def _configuration(folder: str, name: str | None, *, is_byte_level: bool = False) -> dict[str, Any]:
    """Returns the configuration of the tokenizer, with the class that reads the file of a name."""
    config_path = os.path.join(folder, "tokenizer_config.json")
    config = _object(config_path)
    with _naming(config_path):
        own = member(config, "tokenizer_class", Maybe(TEXT).check)
    model_class, model_type = _model_names(os.path.join(folder, "config.json"))
    named = own or model_class
    # A class in the folder's own code is not replaced.
    kind = named if named and "auto_map" in config else class_that_reads(named, model_type)
    if is_byte_level and family_of(kind).keeps_byte_level:
        kind = BACKEND
    if kind != BACKEND or name == "tokenizer.json" or (name or "").endswith(".model"):
        named = kind
    return config | {"tokenizer_class": named}


def _settings(folder: str, config: dict[str, Any]) -> FolderSettings:
    config_path = os.path.join(folder, "tokenizer_config.json")
    if config.get("added_tokens_decoder") is None:
        return _older_settings(folder, config)
    with _naming(config_path), under(".added_tokens_decoder"):
        listed = [listed_token(*entry) for entry in members(config["added_tokens_decoder"]).items()]
    with _naming(config_path):
        return from_config(config, listed)


def _with_templates(folder: str, settings: FolderSettings) -> FolderSettings:
    """Returns the settings with the chat templates of the files of a folder, if there are any."""
    if templates := read_template_files(folder):
        return replace(settings, chat_templates=templates)
    if settings.chat_templates:
        return settings
    path = os.path.join(folder, LEGACY)
    data = _object(path)
    with _naming(path):
        templates = member(data, "chat_template", templates_of) or {}
    return replace(settings, chat_templates=templates)


_PIECES = (
    "sentencepiece.bpe.model",
    "source.spm",
    "spiece.model",
    "spm.model",
    "tokenizer.model",
)
"""The names of SentencePiece models whose ids a vocab.json without merges replaces."""


def _refuse_others(folder: str, name: str | None, config: dict[str, Any]) -> None:
    """Raises an error for a folder whose class is no subword tokenizer, or takes ids and pieces from two files.

    Args:
        folder: The folder.
        name: The file of the tokenizer, or None.
        config: The configuration.

    Raises:
        UnsupportedError: The folder is one of these.
    """
    with _naming(os.path.join(folder, "tokenizer_config.json")):
        kind = member(config, "tokenizer_class", Maybe(TEXT).check) or ""
    if what := family_of(kind).task:
        raise UnsupportedError(
            f"the class {kind} is no subword tokenizer of texts: it {what}", place=f"{folder}: "
        )
    if name == "vocab.json" and not exists(os.path.join(folder, "merges.txt")):
        refuse_pieces(folder, kind or "the class")


def refuse_pieces(folder: str, kind: str = "its class") -> None:
    """Raises UnsupportedError for a folder with a vocab.json that contains a SentencePiece model instead of merges."""
    pieces = [each for each in _PIECES if exists(os.path.join(folder, each))]
    if pieces:
        raise UnsupportedError(
            f"{kind} takes the pieces of {pieces[0]} and the ids of vocab.json, which is not supported",
            hint=f"load {pieces[0]} with Tokenizer.from_sentencepiece, which gives other ids",
            place=f"{folder}: ",
        )


def _model_names(path: str) -> tuple[str | None, str | None]:
    """Returns the tokenizer class and the type in a model's configuration; those of the encoder if it has one."""
    model = _object(path)
    with _naming(path):
        kind = member(model, "tokenizer_class", Maybe(TEXT).check)
        model_type = member(model, "model_type", Maybe(TEXT).check)
        if model_type == "encoder-decoder" and kind is None and "encoder" in model:
            with under(".encoder"):
                model_type = member(members(model["encoder"]), "model_type", Maybe(TEXT).check)
    return kind, model_type


def _older_settings(folder: str, config: dict[str, Any]) -> FolderSettings:
    """Reads the settings of an older folder, whose configuration does not list the added tokens."""
    specials_path = os.path.join(folder, "special_tokens_map.json")
    added_path = os.path.join(folder, "added_tokens.json")
    specials = _object(specials_path)
    with _naming(specials_path):
        special_tokens_of(specials, {})  # checked separately, so that an error names its file
    replace_specials(config, specials)
    with _naming(added_path):
        listed = [unflagged_token(token, number) for token, number in _object(added_path).items()]
    with _naming(os.path.join(folder, "tokenizer_config.json")):
        return from_config(config, listed)


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Raises mismatches as errors that name the file."""
    try:
        yield
    except Mismatch as error:
        raise error.error(f"{path}: $") from None


def _object(path: str) -> dict[str, Any]:
    """Returns the members of a JSON file; none if the file does not exist."""
    data = read_if_exists(path)
    if data is None:
        return {}
    if not data.strip():
        raise FormatError(f"{path}: the file is empty; expected a JSON object")
    check_file("json", data, f"{path}: ")
    try:
        parsed = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        message = f"{path}: line {error.lineno}: not valid JSON: {error.msg}, column {error.colno}"
        raise FormatError(message) from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}: {error.reason}") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: not valid JSON: {error}") from None
    with _naming(path):
        return members(parsed)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        duplicate = counted.most_common(1)[0][0]
        raise ValueError(f"duplicate member {shown(duplicate)}")
    return data
