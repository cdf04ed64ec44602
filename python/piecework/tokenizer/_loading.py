"""Loads tokenizers from files, bytes and folders.

Each function takes the class of the tokenizer that it returns, which may be a subclass of :class:`Tokenizer`.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from piecework import _core, errors
from piecework._exceptions import show_warning, to_utf8, warn
from piecework._io.files import Pathish, checked, read_unpacked
from piecework._io.kinds import check_start
from piecework._messages import shown, wrong_type
from piecework._settings.arguments import check_flag, check_index, check_str
from piecework._settings.limiting import TemplateLimits, check, check_sizes, limiting
from piecework.tokenizer import _checks
from piecework.tokenizer._inserted import warn_of_inserted
from piecework.tokenizer._settings import BERT, LIKELIEST, LIMITS, MODEL, LoadSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from piecework._settings.choices import UnknownPolicy
    from piecework._settings.limits import Limits
    from piecework.patterns import Regex
    from piecework.pre_tokenizers import PreTokenizer
    from piecework.tokenizer._folders.read import ModelFolder
    from piecework.tokenizer._folders.settings import FolderSettings
    from piecework.tokenizer._formats.detect import Format
    from piecework.tokenizer._tokenizer import Tokenizer
    from piecework.tokenizer._untrusted import UntrustedView


_VOCAB_ONLY = (*BERT, "normalizer", "pre_tokenizer", "continuing_subword_prefix")
_EMPTY_LINE = re.compile(rb"(?:^|\n)\r?\n")
_MAYBE_CAPITAL = re.compile("[A-ZÀ-ÞĀ-ɏΆ-ΫЀ-ЯԱ-Ֆ]")
_IN_BRACKETS = re.compile(r"[\[<].*[\]>]")
_MOST_CAPITALIZED = 100
"""The largest number of tokens with capital letters, special tokens aside, in a vocabulary of lowercased text."""
_SPLITTING = ("normalizer", "pre_tokenizer")
_NUMBERING = ("added_token_ids",)
_ALONE: dict[Format, str] = {
    "merges.txt": "a BPE vocabulary or its merges alone; expected both files, vocab.json and merges.txt: call from_file",
    "tiktoken": "a tiktoken file of ranks, which contains no split pattern; call from_tiktoken with a file",
}
"""The errors of formats that cannot be loaded from bytes alone."""


def loaded(
    load: Callable[[], Tokenizer],
    limits: Limits | None,
    path: Pathish | None = None,
    *,
    build_tables: bool,
) -> Tokenizer:
    """Returns the tokenizer of a loader, whose files and sizes are within limits.

    Args:
        load: Loads the tokenizer.
        limits: The limits of the call; None for the default ones.
        path: The file or folder that errors name; None for data.
        build_tables: Whether to build its tables.
    """
    wanted = check_flag("build_tables", build_tables)
    with limiting(limits):
        tokenizer = load()
        check_sizes(tokenizer._core, "" if path is None else f"{checked(path)}: ")
    if wanted:
        tokenizer._core.build_tables()
    return tokenizer


def load_file(cls: type[Tokenizer], path: Pathish, settings: LoadSettings) -> Tokenizer:
    """Implements :meth:`Tokenizer.from_file`."""
    try:
        data = read_unpacked(path)
    except errors.NotAFileError as error:
        error.hint = "load a model's folder with Tokenizer.from_folder"
        raise
    tokenizer = _load(cls, checked(path), data, settings)
    warn_of_inserted(tokenizer._core, f"{checked(path)}: ")
    return tokenizer


def load_text(cls: type[Tokenizer], text: str, settings: LoadSettings) -> Tokenizer:
    """Implements :meth:`Tokenizer.from_str`."""
    if not isinstance(text, str):
        raise wrong_type("text", "a str (from_bytes takes bytes)", text)
    return load_bytes(cls, to_utf8(text), settings)


def load_bytes(cls: type[Tokenizer], data: bytes, settings: LoadSettings) -> Tokenizer:
    """Implements :meth:`Tokenizer.from_bytes`."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise wrong_type("data", "bytes (from_str takes a str)", data)
    check("file_bytes", memoryview(data).nbytes)
    data = bytes(data)
    tokenizer = _parse(cls, data, *_format_of(data, None, settings))
    warn_of_inserted(tokenizer._core)
    return tokenizer


def load_tiktoken(
    cls: type[Tokenizer],
    path: Pathish,
    name: str | None,
    pattern: Regex | str | None,
    special_tokens: Mapping[str, int] | None,
) -> Tokenizer:
    """Implements :meth:`Tokenizer.from_tiktoken`."""
    from piecework import patterns
    from piecework._settings.regex import differs_in_oniguruma
    from piecework.tokenizer._formats.detect import encoding

    file = checked(path)
    if name is not None:
        to_utf8(check_str("name", name))
    is_custom = pattern is not None and name is None
    regex, specials = ("", {}) if is_custom else encoding(file, name)
    if pattern is not None:
        regex = (
            pattern if isinstance(pattern, patterns.Regex) else patterns.Regex(pattern)
        ).pattern
        if patterns.from_tiktoken(regex) is None and differs_in_oniguruma(regex):
            message = (
                f"{file}: the pattern is compiled by Oniguruma, in which ^ and $ also match at line ends and {{1,3}}+ repeats "
                r"the group; to match as tiktoken does, write \A, \z and (?>...{1,3})"
            )
            warn(message)
    if special_tokens is not None:
        specials = _checks.checked_specials(special_tokens)
    data = read_unpacked(path)
    _checks.check_file("tiktoken", data, f"{file}: ")
    with _naming(file):
        core = _core.from_tiktoken(data, regex, list(specials.items()))
    gap = _core.first_gap(core)
    if gap is not None and gap < len(core) - len(specials):
        message = f"{file}: the ranks have gaps: no token has the id {gap}; decoding such an id raises an error"
        warn(message)
    return cls._wrap(core)


def load_subword_nmt(
    cls: type[Tokenizer],
    path: Pathish,
    vocab: Pathish | None,
    vocab_threshold: int | None,
    separator: str,
) -> Tokenizer:
    """Implements :meth:`Tokenizer.from_subword_nmt`."""
    to_utf8(check_str("separator", separator))
    if vocab_threshold is not None:
        number = check_index("vocab_threshold", vocab_threshold)
        vocab_threshold = max(-_checks.NO_LIMIT, min(number, _checks.NO_LIMIT))
    if vocab is None:
        if vocab_threshold is not None:
            raise errors.ConfigError("requires vocab", setting="vocab_threshold")
        return load_format(cls, "subword-nmt", path)
    checked(vocab, "vocab")
    data, vocab_data = read_unpacked(path), read_unpacked(vocab)
    for file, content in ((path, data), (vocab, vocab_data)):
        _checks.check_file("subword-nmt", content, f"{checked(file)}: ")
    filtered = (vocab_data, vocab_threshold, separator)
    try:
        return cls._wrap(_core.from_subword_nmt(data, filtered))
    except errors.UnsupportedError as error:
        raise error.at(os.fspath(path)) from None
    except errors.FormatError as error:
        load_format(cls, "subword-nmt", path)  # raises if the codes are malformed, not the vocab
        raise error.at(os.fspath(vocab)) from None


def load_folder(cls: type[Tokenizer], path: Pathish, settings: LoadSettings) -> Tokenizer:
    """Implements :meth:`Tokenizer.from_folder`."""
    from dataclasses import replace

    from piecework.tokenizer._folders.classes import with_class_settings
    from piecework.tokenizer._folders.configure import MERGES, configured, is_rebuilt, unmet
    from piecework.tokenizer._folders.read import read_model_folder
    from piecework.tokenizer._folders.sentencepiece import is_of_class, with_class_model
    from piecework.tokenizer._folders.settings import FolderSettings

    folder = read_model_folder(path)
    _checks.refuse_unknown(settings, LoadSettings.__optional_keys__, "the settings of a tokenizer")
    others: Any = {name: value for name, value in settings.items() if name not in LIMITS}
    if folder.format == "vocab.txt":
        others = folder.settings.vocab_settings(others) | others
    if is_rebuilt(folder):
        tokenizer, folder = _of_class(cls, folder, others)
    else:
        tokenizer = _load(cls, folder.path, folder.data, others, folder.family.merges)
    if folder.format in MERGES:
        tokenizer = with_class_settings(tokenizer, folder)
    if is_of_class(tokenizer, folder):
        tokenizer = with_class_model(tokenizer, folder)
    if folder.format == "vocab.txt" and folder.settings.family.model == "WordPiece":
        tokenizer = _without_added_tokens(tokenizer)
    lowercases = getattr(tokenizer.normalizer, "lowercase", False)
    if folder.format == "vocab.txt" and folder.settings.do_lower_case is None and lowercases:
        _warn_of_capitals(folder.data, settings, f"{folder.path}: ")
    if folder.settings != FolderSettings():
        tokenizer = tokenizer._with_controls(())
    known = {token.content for token in tokenizer.added_tokens.values()}
    tokenizer = tokenizer._with_added(folder.settings.tokens_to_add(known))
    _compare_ids(tokenizer, folder)
    changes: Any = {
        name: part for name, part in configured(tokenizer, folder).items() if name not in others
    }
    tokenizer = tokenizer._replaced(changes) if changes else tokenizer
    tokenizer = _replaced(tokenizer, settings, LIMITS)
    warn_of_inserted(tokenizer._core, f"{folder.path}: ")
    for message in unmet(tokenizer, folder):
        show_warning(message.at(folder.config_path))
    return tokenizer._of_folder(
        replace(folder.settings, template_limits=TemplateLimits.of_loader())
    )


def _load(
    cls: type[Tokenizer], name: str, data: bytes, settings: LoadSettings, bpe: str | None = None
) -> Tokenizer:
    """Loads a file from its content; `bpe` names the tokenizer class of a vocab.json with merges.txt, if known."""
    with _naming(name):
        kind, settings = _format_of(data, os.path.basename(name), settings)
    if kind == "tiktoken":
        return _with_limits(cls.from_tiktoken(name, build_tables=False), kind, settings)
    if kind == "merges.txt":
        return _from_merges(cls, name, data, settings, bpe)
    check_start(data, name, "")
    with _naming(name):
        return _parse(cls, data, kind, settings, f"{name}: ")


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Writes the name of a file into errors of the block about its content."""
    try:
        yield
    except (errors.FormatError, errors.VocabularyError) as error:
        raise error.at(name) from None


def _format_of(
    data: bytes, name: str | None, settings: LoadSettings
) -> tuple[Format, LoadSettings]:
    """Returns the format of a file, and the settings without it.

    Args:
        data: The content.
        name: The name of the file, without folder; None for text without a name, which may be a vocab.txt.
        settings: The settings of the call; `format` decides.
    """
    from piecework.tokenizer._formats.detect import FORMATS, detect_format, is_scored

    _checks.refuse_unknown(settings, LoadSettings.__optional_keys__, "the settings of a tokenizer")
    others: Any = {key: value for key, value in settings.items() if key != "format"}
    if "format" in settings:
        kind = settings["format"]
        if kind not in FORMATS:
            message = f"expected one of {', '.join(FORMATS)}, found {shown(kind)}"
            raise errors.ConfigError(message, setting="format")
        return kind, others
    kind = detect_format(data, name or "")
    if kind != "vocab.txt" or not data.strip() or _is_named_txt(name):
        return kind, others
    if is_scored(data):
        raise errors.FormatError(
            "a SentencePiece .vocab file, which contains only pieces and scores",
            hint="load the .model file, or build Tokenizer(models.Unigram.from_vocab(text))",
        )
    if name is not None:
        raise errors.FormatError(
            "expected a tokenizer in one of the formats of docs/formats.md, found other text",
            hint="name a list of tokens with the ending .txt, or pass `format='vocab.txt'`",
        )
    _checks.check_file("json", data)
    if _is_json(data):
        raise errors.FormatError(
            "expected a tokenizer.json or a vocab.txt with one token per line, found other JSON"
        )
    return kind, others


def _is_named_txt(name: str | None) -> bool:
    return name is not None and name.lower().removesuffix(".gz").endswith(".txt")


def _parse(
    cls: type[Tokenizer], data: bytes, kind: Format, settings: LoadSettings, place: str = ""
) -> Tokenizer:
    if not data.strip():
        raise errors.FormatError("the file is empty; expected a tokenizer.json or a vocab.txt")
    if kind in _ALONE:
        raise errors.FormatError(_ALONE[kind])
    if kind == "tokenizer.json":
        return _replaced(_from_json(cls, data, settings, place=place), settings, LIMITS)
    _checks.check_file(kind, data, place)
    if kind != "vocab.txt":
        return _with_limits(cls._wrap(_core.read_format(kind, data)), kind, settings)
    try:
        tokenizer = load_vocab(cls, data, settings)
    except errors.FormatError as error:
        if data.count(b" ") > data.count(b"\n"):
            error.hint = "this looks like a text; pass the file of a tokenizer"
        raise
    _warn_of_empty_lines(data, place)
    _warn_of_capitals(data, settings, place)
    return _replaced(tokenizer, settings, LIMITS)


def _replaced(tokenizer: Tokenizer, settings: LoadSettings, names: Iterable[str]) -> Tokenizer:
    """Returns a tokenizer with those of the settings that have the names."""
    changes: Any = {name: value for name, value in settings.items() if name in names}
    return tokenizer.replace(**changes) if changes else tokenizer


def _from_json(
    cls: type[Tokenizer],
    data: bytes,
    settings: LoadSettings,
    *,
    exact_numbers: bool = False,
    place: str = "",
) -> Tokenizer:
    _checks.refuse(settings, _VOCAB_ONLY, "a tokenizer.json contains this setting itself")
    _checks.check_file("json", data, place)
    ids = settings.get("added_token_ids")
    if ids is not None:
        check_str("added_token_ids", ids)
    core = _core.Tokenizer.from_json(data, "unk_token" in settings, exact_numbers, ids, place)
    return _replaced(cls._wrap(core), settings, MODEL)


def load_vocab(cls: type[Tokenizer], data: bytes, settings: LoadSettings) -> Tokenizer:
    """Loads the content of a vocab.txt."""
    _checks.refuse(settings, _NUMBERING, "a vocab.txt has no added tokens with ids of their own")
    flags: Any = {name: settings[name] for name in BERT if name in settings}  # type: ignore[literal-required]
    if flags and "normalizer" in settings:
        raise errors.ConfigError(
            f"cannot be combined with {', '.join(flags)}",
            setting="normalizer",
            hint="set them on the normalizer",
        )
    if flags or any(name in settings for name in _SPLITTING):
        from piecework.normalizers import BertNormalizer
        from piecework.pre_tokenizers import BertPreTokenizer

        stages: Any = {"normalizer": BertNormalizer(**flags), "pre_tokenizer": BertPreTokenizer()}
        settings = stages | settings
    splitter, functions = _splitter(settings)
    prefix = settings.get("continuing_subword_prefix", "##")
    unk_token = settings.get("unk_token", "[UNK]")
    core = _core.Tokenizer.from_vocab(
        data,
        splitter,
        functions,
        (
            _checks.checked_text("continuing_subword_prefix", prefix),
            None if unk_token is None else _checks.checked_text("unk_token", unk_token),
            cast("UnknownPolicy", _checks.checked_text("unknown", settings.get("unknown", "word"))),
            _checks.checked_limit(settings.get("max_input_chars_per_word", 100)),
            "longest",
        ),
    )
    return _replaced(cls._wrap(core, functions), settings, LIKELIEST)


def _warn_of_empty_lines(data: bytes, place: str) -> None:
    """Warns of lines without characters, which are entries with ids, too."""
    if not _EMPTY_LINE.search(data):
        return
    lines = data.removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, 1):
        if line in (b"", b"\r"):
            warn(
                f"line {number} is empty: the token of the id {number - 1} has no characters, and no text contains it",
                hint="remove the line only if no model was trained with these ids",
                place=place,
            )


def _warn_of_capitals(data: bytes, settings: LoadSettings, place: str) -> None:
    """Warns of the tokens of text in both cases if no setting says that text is lowercased, as BERT's classes do by default."""
    if "lowercase" in settings or "normalizer" in settings:
        return
    text = data.decode()
    if (
        len(_MAYBE_CAPITAL.findall(text)) <= _MOST_CAPITALIZED
    ):  # most vocabularies; a fraction of the time of the test below
        return
    tokens = (line.removesuffix("\r") for line in text.split("\n"))
    cased = [
        token for token in tokens if token != token.lower() and not _IN_BRACKETS.fullmatch(token)
    ]
    if len(cased) > _MOST_CAPITALIZED:
        warn(
            f"{len(cased):,} tokens have capital letters, such as {shown(cased[0])}, which no text will "
            "have: a vocab.txt does not say whether it is cased, and by default text is lowercased",
            hint="load it with `lowercase=False`, or with `lowercase=True` if that is meant",
            place=place,
        )


def _from_merges(
    cls: type[Tokenizer], name: str, data: bytes, settings: LoadSettings, kind: str | None
) -> Tokenizer:
    """Loads a vocab.json and a merges.txt; `data` is one of them, the other is read from the same folder."""
    from piecework.tokenizer._formats.detect import companion_file

    other = companion_file(name)
    if other is None:
        raise errors.FormatError(
            "a BPE vocabulary without its merges",
            place=f"{name}: ",
            hint="name it vocab.json and put merges.txt in the same folder",
        )
    try:
        other_data = read_unpacked(other)
    except errors.MissingFileError:
        from piecework.tokenizer._folders.read import refuse_pieces

        refuse_pieces(os.path.dirname(name) or os.curdir)
        message = f"{name}: BPE needs a vocabulary and its merges, but {other} does not exist"
        raise errors.FormatError(message) from None
    is_vocab = name.lower().endswith(".json")
    vocab, merges = (data, other_data) if is_vocab else (other_data, data)
    splitter, functions = _splitter(settings)
    names = (name, other) if is_vocab else (other, name)
    _checks.check_file("json", vocab, f"{names[0]}: ")
    _checks.check_file("merges.txt", merges, f"{names[1]}: ")
    with _naming(f"{names[0]}, {os.path.basename(names[1])}"):
        core = _core.from_merges(vocab, merges, splitter, functions, kind)
    others: Any = {k: v for k, v in settings.items() if k not in _SPLITTING}
    return _with_limits(cls._wrap(core, functions), "merges.txt", others)


def load_format(cls: type[Tokenizer], kind: Format, path: Pathish) -> Tokenizer:
    """Loads a file of a format that has no further settings."""
    data = read_unpacked(path)
    _checks.check_file(kind, data, f"{checked(path)}: ")
    with _naming(os.fspath(path)):
        return cls._wrap(_core.read_format(kind, data))


def _with_limits(tokenizer: Tokenizer, kind: Format, settings: LoadSettings) -> Tokenizer:
    """Applies truncation and padding, and raises ConfigError for all other settings."""
    _checks.refuse(settings, (*_VOCAB_ONLY, *MODEL), f"a {kind} file contains this setting itself")
    _checks.refuse(
        settings, _NUMBERING, f"a {kind} file has no added tokens that are numbered in two ways"
    )
    return _replaced(tokenizer, settings, LIMITS)


def _of_class(
    cls: type[Tokenizer], folder: ModelFolder, settings: LoadSettings
) -> tuple[Tokenizer, ModelFolder]:
    """Returns the tokenizer with the model that the class of a folder builds, and the folder with its tokenizer.json."""
    from dataclasses import replace

    from piecework.tokenizer._folders.classes import with_class_model

    if data := with_class_model(folder):
        # Where it is no valid model, a warning names what the class would replace.
        with suppress(errors.FormatError, errors.VocabularyError):
            changed = replace(folder, data=data)
            return _from_exact_json(cls, changed, settings), changed
    return _from_exact_json(cls, folder, settings), folder


def _from_exact_json(
    cls: type[Tokenizer], folder: ModelFolder, settings: LoadSettings
) -> Tokenizer:
    """Loads a tokenizer.json with correctly rounded scores, which ``tokenizers`` parses less exactly."""
    check_start(folder.data, folder.path, "")
    with _naming(folder.path):
        return _from_json(cls, folder.data, settings, exact_numbers=True, place=f"{folder.path}: ")


def _without_added_tokens(tok: Tokenizer) -> Tokenizer:
    """Returns a tokenizer of a vocab.txt without BERT's special tokens, of which classes match only those that they name."""
    return type(tok)(
        tok.model,
        normalizer=tok.normalizer,
        pre_tokenizer=tok.pre_tokenizer,
        decoder=tok.decoder,
    )


def _compare_ids(tok: Tokenizer, folder: ModelFolder) -> None:
    """Warns of added tokens to which the configuration files give other ids than the tokenizer."""
    for token, number in folder.settings.added_ids.items():
        if (own := tok.token_to_id(token)) != number:
            warn(
                f"{folder.path}: the added token {shown(token)} has the id {own} here, but {number} in the other files of the folder"
            )


def unpickle(
    text: str,
    pre_tokenizer: PreTokenizer | None,
    control_symbols: Sequence[str],
    cls: type[Tokenizer],
    folder: FolderSettings | None = None,
) -> Tokenizer:
    """Returns a pickled tokenizer: its tokenizer.json, and what that cannot contain."""
    core = _core.Tokenizer.from_json(text.encode(), True, False, "file")
    tokenizer = cls._wrap(core)._of_folder(folder)._with_controls(control_symbols)
    return tokenizer.replace(pre_tokenizer=pre_tokenizer) if pre_tokenizer else tokenizer


def unpickle_bounded(tokenizer: Tokenizer, regex_retries: int) -> Tokenizer:
    """Returns a pickled tokenizer with a limit of retries, which no file contains."""
    return tokenizer._replaced({"regex_retries": regex_retries})


def unpickle_view(ordinary: Tokenizer, view: UntrustedView) -> Tokenizer:
    """Returns a pickled view for untrusted texts."""
    return ordinary._viewed(view)


def _splitter(settings: LoadSettings) -> tuple[str | None, Sequence[Callable[[str], object]]]:
    """Returns the given stages as JSON with their functions; None for those that the vocabulary implies."""
    if not any(name in settings for name in _SPLITTING):
        return None, ()
    from piecework._settings.component import splitter_json

    return splitter_json(settings.get("normalizer"), settings.get("pre_tokenizer"))


def _is_json(data: bytes) -> bool:
    """Returns whether the data is a JSON array or object."""
    import json

    try:
        return isinstance(json.loads(data), list | dict)
    except (ValueError, RecursionError):
        return False
