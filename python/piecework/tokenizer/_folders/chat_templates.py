"""Reads and writes the chat templates of a model's folder.

The files ``chat_template.jinja`` and ``additional_chat_templates/*.jinja`` take precedence over ``chat_template`` of the
configuration, as in transformers. A ``chat_template.json``, which older processors have, is read if there is no other template.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING, Any

from piecework._io.files import exists, read_bytes, size
from piecework._io.folders import list_folder
from piecework._settings.limiting import LONGEST_TEMPLATE
from piecework.errors import FormatError, LimitError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Mapping


FILE = "chat_template.jinja"
FOLDER = "additional_chat_templates"
LEGACY = "chat_template.json"
_SUFFIX = ".jinja"
_FILE_NAME = re.compile(r"[\w.-]+")
_MOST_TEMPLATES = 64
_MOST_BYTES = 4 * LONGEST_TEMPLATE
"""The bytes of the longest template in UTF-8."""


def read_template_files(folder: str) -> dict[str, str]:
    """Returns the templates of a folder's Jinja files, by name."""
    templates = {}
    path = os.path.join(folder, FILE)
    with contextlib.suppress(MissingFileError):
        templates["default"] = _text(path)
    others = os.path.join(folder, FOLDER)
    names = (
        [name for name in list_folder(others) if name.endswith(_SUFFIX)] if exists(others) else []
    )
    if len(names) > _MOST_TEMPLATES:
        raise LimitError(
            f"{len(names):,} chat templates are over the limit of {_MOST_TEMPLATES}",
            hint="remove those that are not used",
            place=f"{others}: ",
        )
    for name in names:
        templates[name.removesuffix(_SUFFIX)] = _text(os.path.join(others, name))
    return templates


def _text(path: str) -> str:
    """Returns the text of a file, with the line ends that Python reads; a file that no template can have is not read."""
    length = size(path)
    data = b"" if length > _MOST_BYTES else read_bytes(path)
    if max(length, len(data)) > _MOST_BYTES:  # the size of a pipe is not known before
        raise LimitError(
            f"the file has more bytes than a chat template of {LONGEST_TEMPLATE:,} characters",
            hint="remove it, or shorten the template",
            place=f"{path}: ",
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}: {error.reason}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def template_files(templates: Mapping[str, str]) -> dict[str, bytes]:
    """Returns the files of templates, by their path in the folder; none if a name is no file name.

    >>> template_files({"default": "a", "rag": "b"})
    {'chat_template.jinja': b'a', 'additional_chat_templates/rag.jinja': b'b'}
    """
    if not all(_FILE_NAME.fullmatch(name) for name in templates):
        return {}
    return {
        FILE if name == "default" else os.path.join(FOLDER, name + _SUFFIX): text.encode()
        for name, text in templates.items()
    }


def template_setting(templates: Mapping[str, str]) -> dict[str, Any]:
    """Returns the member of the configuration for templates whose names are no file names; none for others."""
    if template_files(templates) or not templates:
        return {}
    return {"chat_template": [{"name": name, "template": text} for name, text in templates.items()]}
