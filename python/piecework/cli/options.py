"""Defines the options that several verbs share."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from piecework._settings import choices
from piecework.cli.declare import Argument, Option, given_of
from piecework.cli.help import GLOBAL
from piecework.cli.input import STDIN, announce_terminal, of_utf8_alone, words_of
from piecework.cli.messages import OptionError, number_or, refuse
from piecework.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework import Tokenizer
    from piecework._io.corpus import Corpus
    from piecework.pre_tokenizers import PreTokenizer


NormalizerName = Literal[
    "bert", "sentencepiece", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "none"
]
"""The normalizers."""


PreTokenizerName = Literal[
    "bert",
    "whitespace",
    "whitespace-split",
    "unicode-scripts",
    "byte-level",
    "metaspace",
    "jieba",
    "none",
]
"""The pre-tokenizers."""


_TOKENIZER = "A tokenizer file (tokenizer.json, vocab.txt, merges.txt, ranks, .model, codes) or a model folder"

TokenizerFile = Annotated[str, Argument("TOKENIZER", f"{_TOKENIZER}.")]
TokenizerFiles = Annotated[
    list[str],
    Option("--tokenizer", "-t", metavar="TOKENIZER", help=f"{_TOKENIZER}; repeat for several."),
]
TextFile = Annotated[str, Argument("FILE", "A UTF-8 file; - is standard input.")]
_DOCUMENTS = "text, JSON lines, Parquet or Arrow, also .gz or .zst; a folder, a pattern or a URL"
DocumentFile = Annotated[str, Argument("FILE", f"A file of {_DOCUMENTS}; - is standard input.")]
DocumentFiles = Annotated[
    list[str] | None, Argument("FILE", f"Files of {_DOCUMENTS}; - or no file is standard input.")
]
ChangedTokenizer = Annotated[
    Path,
    Option(
        "--output",
        "-o",
        help="Write the tokenizer to this file, in the format of its name (default: tokenizer.json).",
    ),
]
IdMap = Annotated[
    Path | None,
    Option(
        "--map",
        help="Write the new id of each old one: an array for a name in .npy, otherwise JSON.",
    ),
]
AreCounts = Annotated[
    bool, Option(help="Read FILEs as word counts of count-words, and add them up.")
]
AsJson = Annotated[bool, Option(help="Print JSON.")]
AsJsonLines = Annotated[bool, Option("--json", help="Print one JSON object per line.")]
SpecialTokens = Annotated[
    bool,
    Option(
        "--special-tokens/--no-special-tokens",
        help="Include special tokens, such as [CLS] and [SEP].",
    ),
]
OnSpecials = Annotated[
    choices.SpecialsWord | None,
    Option(
        help="Match special tokens in the text, encode them as ordinary text, or fail; text-all and error-all do so for "
        "all added tokens but those of white space alone (default: match; for a SentencePiece model: text).",
    ),
]
Stream = Annotated[
    bool,
    Option(
        help="Print each line at once, for endless input. By default output is printed only after all input succeeded."
    ),
]
Threads = Annotated[
    int | None,
    Option(
        min=1,
        section=GLOBAL,
        help="Use N threads (default: one per core); the result does not depend on it.",
    ),
]
NoProgress = Annotated[bool, Option(section=GLOBAL, help="Hide the progress bar.")]


@dataclass(frozen=True)
class Reading:
    """Holds the options of reading texts, the same for every verb.

    Options:
        field: Read this member of JSON lines, or column of Parquet or Arrow (default: text). Then standard input and files
            whose names say no format are JSON lines.
        input_format: Read all files in this format (default: by their names).
        per: Make a text of each line, or of each whole text file.
        encoding: Read text and JSON lines in this character encoding; auto detects that of each file.
        errors: Fail on invalid bytes, or replace them by U+FFFD.
        on_error: Fail at a line or row that is no text, or skip it and warn.
    """

    section: ClassVar[str] = "Reading options"

    field: Annotated[str | None, Option(metavar="NAME")] = None
    input_format: choices.TextFormat | None = None
    per: choices.Per = "line"
    encoding: Annotated[str, Option(metavar="NAME")] = "utf-8"
    errors: choices.ByteErrors = "strict"
    on_error: choices.OnError = "raise"

    def corpus(self, files: Sequence[str] | None, *, keep_line_ends: bool | None = None) -> Corpus:
        """Returns the texts of files; without files, those of standard input.

        Args:
            files: The files, folders, patterns and URLs; `-` is standard input.
            keep_line_ends: See :class:`piecework.Corpus`.
        """
        from piecework._io.corpus import Corpus

        names = files or [STDIN]
        if names.count(STDIN) > 1:
            raise OptionError("FILE", "standard input can be read only once")
        if STDIN in names:
            announce_terminal()
        settings = asdict(self)
        text_format = settings.pop("input_format")
        return Corpus(names, format=text_format, keep_line_ends=keep_line_ends, **settings)

    def check_unused(self, why: str) -> None:
        """Raises OptionError for the first option that is given, if no files are read, and says why."""
        refuse(given_of(self), f"has no effect {why}; remove it")


@dataclass(frozen=True)
class Splitting:
    """Holds the options of normalizer and pre-tokenizer; None for the default.

    Options:
        lowercase: Lowercase text (default: on).
        strip_accents: Remove accents (default: the value of --lowercase).
        clean_text: Remove control characters (default: on).
        handle_chinese_chars: Make each CJK ideograph a word (default: on).
        normalizer: Normalize text: bert by BERT's rules, sentencepiece as SentencePiece does by default, spaces included, the
            others by rules of SentencePiece, which leave spaces as they are, none not at all (default: bert for
            WordPiece and vocab.txt, otherwise none).
        pre_tokenizer: Split text into words (default: bert for WordPiece and vocab.txt). whitespace also splits off
            punctuation, whitespace-split does not; byte-level splits like GPT-2, on bytes; metaspace splits before spaces and
            writes them as ▁; jieba segments Chinese text and requires --no-handle-chinese-chars; none makes each line one
            word.
        split_pattern: Split with this pattern before byte-level: gpt2, cl100k, o200k, llama3, qwen2, qwen35, kimi, tekken,
            clip, or a regular expression.
        dictionary: Keep the phrases of this file whole: UTF-8, one per line, in normalized form; empty lines are ignored.
        jieba_dictionary: Add the words of this file to jieba (requires --pre-tokenizer jieba): UTF-8, one per line, optionally
            with frequency and tag.
    """

    section: ClassVar[str] = "Text options"

    lowercase: bool | None = None
    strip_accents: bool | None = None
    clean_text: bool | None = None
    handle_chinese_chars: bool | None = None
    normalizer: NormalizerName | None = None
    pre_tokenizer: PreTokenizerName | None = None
    split_pattern: Annotated[str | None, Option(metavar="NAME|REGEX")] = None
    dictionary: Annotated[str | None, Option(metavar="FILE")] = None
    jieba_dictionary: Annotated[str | None, Option(metavar="FILE")] = None

    def settings(self) -> dict[str, Any]:
        """Returns the options as arguments of a training."""
        from piecework.normalizers import BertNormalizer

        settings = self.load_settings()
        if flags := {name: settings.pop(name) for name in _FLAGS if name in settings}:
            settings["normalizer"] = BertNormalizer(**flags)
        return settings

    def load_settings(self) -> dict[str, Any]:
        """Returns the options as arguments of a loader."""
        from piecework.normalizers import BertNormalizer, Precompiled, SentencePiece

        settings = self._given(_FLAGS)
        if self.normalizer == "bert":
            settings = {"normalizer": BertNormalizer(**settings)}
        elif self.normalizer:
            refuse(settings, f"cannot be combined with --normalizer {self.normalizer}")
            settings["normalizer"] = None
            if self.normalizer == "sentencepiece":
                settings["normalizer"] = SentencePiece.of("nmt_nfkc")
            elif self.normalizer != "none":
                settings["normalizer"] = Precompiled.of(self.normalizer)
        if self.jieba_dictionary and self.pre_tokenizer != "jieba":
            raise OptionError("--jieba-dictionary", "requires --pre-tokenizer jieba")
        if self.split_pattern and self.pre_tokenizer not in (None, "byte-level"):
            raise OptionError("--split-pattern", "requires --pre-tokenizer byte-level")
        if self.pre_tokenizer or self.dictionary or self.split_pattern:
            settings["pre_tokenizer"] = self._split
        return settings

    def _given(self, names: Sequence[str]) -> dict[str, Any]:
        """Returns the options that are given, of some."""
        return {name: value for name, value in given_of(self).items() if name in names}

    def files(self) -> tuple[str | None, str | None]:
        """Returns the files that the options name; None where not given."""
        return self.dictionary, self.jieba_dictionary

    @cached_property
    def _split(self) -> PreTokenizer | None:
        """Returns the pre-tokenizer; cached, since a file may be a pipe, which can be read only once."""
        from piecework.pre_tokenizers import Dictionary, Sequence

        pre_tokenizer = self._without_dictionary()
        if not self.dictionary:
            return pre_tokenizer
        phrases = Dictionary(_phrases(self.dictionary))
        return Sequence([phrases, pre_tokenizer]) if pre_tokenizer else phrases

    def _without_dictionary(self) -> PreTokenizer | None:
        from piecework import pre_tokenizers

        if self.jieba_dictionary:
            with of_utf8_alone():
                return pre_tokenizers.Jieba.from_user_dictionary(self.jieba_dictionary)
        if self.split_pattern:
            return pre_tokenizers.ByteLevel.split_by(self.split_pattern)
        if self.pre_tokenizer == "byte-level":
            return pre_tokenizers.ByteLevel(add_prefix_space=False)
        if self.pre_tokenizer == "none":
            return None
        kinds: dict[PreTokenizerName | None, type[PreTokenizer]] = {
            "whitespace": pre_tokenizers.Whitespace,
            "whitespace-split": pre_tokenizers.WhitespaceSplit,
            "unicode-scripts": pre_tokenizers.UnicodeScripts,
            "metaspace": pre_tokenizers.Metaspace,
            "jieba": pre_tokenizers.Jieba,
        }
        return kinds.get(self.pre_tokenizer, pre_tokenizers.BertPreTokenizer)()


_FLAGS = ("lowercase", "strip_accents", "clean_text", "handle_chinese_chars")
"""The settings of BERT's normalizer."""


def _phrases(file: str) -> list[str]:
    phrases = words_of(file)
    if not phrases:
        problem = "expected at least one phrase, one per line, found none"
        raise FormatError(problem, place=f"{file}: ", hint="write a phrase into the file")
    return phrases


@dataclass(frozen=True)
class Loading(Splitting):
    """Holds the options of loading a tokenizer; None for the file's setting.

    Options:
        tokenizer_format: Read this format, such as vocab.txt (default: that of the content and the name).
        unknown: Encode the whole word as one unknown token, or each run of uncovered characters, or each such character
            (default: the file's setting, or word).
        unk_token: Set the unknown token; '' for none.
        max_input_chars_per_word: Encode longer words as unknown; none for no limit.
        segmentation: Take the longest match, or the likeliest segmentation by the counts of the training (WordPiece; default:
            the file's setting).
        continuing_subword_prefix: Set the prefix of tokens that continue a word (vocab.txt; default: ##).
        added_token_ids: Where the added tokens of a tokenizer.json have other ids than `tokenizers` gives by counting, take
            those of the file, or those of `tokenizers` (default: an error).
    """

    section: ClassVar[str] = "Loading options"

    tokenizer_format: Annotated[str | None, Option(metavar="FORMAT")] = None
    unknown: choices.UnknownPolicy | None = None
    unk_token: Annotated[str | None, Option(metavar="TOKEN")] = None
    max_input_chars_per_word: Annotated[str | None, Option(metavar="N|none")] = None
    segmentation: choices.Segmentation | None = None
    continuing_subword_prefix: str | None = None
    added_token_ids: choices.AddedTokenIds | None = None

    def load(self, path: str) -> Tokenizer:
        """Loads a tokenizer from a file or a model's folder, with these options."""
        return load(path, **self.load_settings(), **self._model_settings())

    def _model_settings(self) -> dict[str, Any]:
        settings = self._given(_MODEL)
        if self.tokenizer_format is not None:
            settings["format"] = self.tokenizer_format
        if self.unk_token == "":
            settings["unk_token"] = None
        if (limit := self.max_input_chars_per_word) is not None:
            option = "--max-input-chars-per-word"
            settings["max_input_chars_per_word"] = number_or("none", limit, option, digits=18)
        return settings


_MODEL = (
    "unknown",
    "unk_token",
    "segmentation",
    "continuing_subword_prefix",
    "added_token_ids",
)
"""The options of loading that are settings of the model."""


def load(path: str, **settings: Any) -> Tokenizer:
    """Loads a tokenizer from a file or a model's folder, with settings."""
    from piecework import Tokenizer

    read = Tokenizer.from_folder if os.path.isdir(path) else Tokenizer.from_file
    # A command that encodes builds the tables then.
    return read(path, build_tables=False, **settings)
