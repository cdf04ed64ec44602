"""Options that several verbs have, and what becomes of them."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from piecework.errors import FormatError, shown

if TYPE_CHECKING:
    from piecework import Tokenizer
    from piecework.normalizers import Normalizer, RuleName
    from piecework.pre_tokenizers import PreTokenizer


class Errors(Enum):
    """What becomes of broken bytes."""

    strict = "strict"
    replace = "replace"


class Specials(Enum):
    """What special tokens in a text are."""

    match = "match"
    text = "text"
    error = "error"


class Unknown(Enum):
    """What becomes of characters that no piece covers."""

    word = "word"
    run = "run"
    char = "char"


class Segmentation(Enum):
    """Which pieces WordPiece takes."""

    longest = "longest"
    likeliest = "likeliest"


class NormalizerName(Enum):
    """The normalizers there are."""

    bert = "bert"
    nmt_nfkc = "nmt_nfkc"
    nfkc = "nfkc"
    nmt_nfkc_cf = "nmt_nfkc_cf"
    nfkc_cf = "nfkc_cf"
    none = "none"


class PreTokenizerName(Enum):
    """The pre-tokenizers there are."""

    bert = "bert"
    whitespace = "whitespace"
    whitespace_split = "whitespace-split"
    unicode_scripts = "unicode-scripts"
    byte_level = "byte-level"
    metaspace = "metaspace"
    jieba = "jieba"
    none = "none"


_TOKENIZER = "A file of a tokenizer (tokenizer.json, vocab.txt, merges.txt, ranks, .model, codes), or a model's folder"

TokenizerFile = Annotated[
    str, typer.Argument(metavar="TOKENIZER", help=f"{_TOKENIZER}.", show_default=False)
]
TokenizerFiles = Annotated[
    list[str],
    typer.Option(
        "--tokenizer",
        "-t",
        metavar="TOKENIZER",
        help=f"{_TOKENIZER}; as many as you like.",
        show_default=False,
    ),
]
TextFile = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A file, UTF-8; - is standard input.", show_default=False),
]
TextFiles = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE", help="Text files; - or none is standard input.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")]
FileEncoding = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The files' character set; auto detects it for each file.",
    ),
]
OnBrokenBytes = Annotated[
    Errors,
    typer.Option(
        "--errors", help="Broken bytes: an error that says where, or U+FFFD in their place."
    ),
]
SpecialTokens = Annotated[
    bool,
    typer.Option(
        "--special-tokens/--no-special-tokens",
        help="Add the template's special tokens to each line.",
    ),
]
OnSpecials = Annotated[
    Specials | None,
    typer.Option(
        "--specials",
        help="Match special tokens in the text, take them as ordinary text, or report an error (default: match; in a "
        "SentencePiece model, text).",
        show_default=False,
    ),
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Print each line as soon as it is done, for input without an end. Otherwise nothing is printed before "
        "all of it went well.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="Threads; by default one for each core. They do not change the result.",
    ),
]
NoProgress = Annotated[
    bool, typer.Option("--no-progress", help="Show no progress bar, on a terminal too.")
]


@dataclass(frozen=True)
class Splitting:
    """How text becomes words. What was not given is None, so that the defaults stay where they are."""

    lowercase: Annotated[
        bool | None,
        typer.Option(
            "--lowercase/--no-lowercase", help="Lower-case; so by default.", show_default=False
        ),
    ] = None
    strip_accents: Annotated[
        bool | None,
        typer.Option(
            "--strip-accents/--no-strip-accents",
            help="Drop accents; by default where lower-casing.",
        ),
    ] = None
    clean_text: Annotated[
        bool | None,
        typer.Option(
            "--clean-text/--no-clean-text", help="Drop control characters; so by default."
        ),
    ] = None
    handle_chinese_chars: Annotated[
        bool | None,
        typer.Option(
            "--handle-chinese-chars/--no-handle-chinese-chars",
            help="Make each CJK ideograph a word; so by default.",
        ),
    ] = None
    normalizer: Annotated[
        NormalizerName | None,
        typer.Option(
            help="What text is changed by: bert by default, but for --model bpe and unigram; nmt_nfkc and its like are "
            "SentencePiece's rules."
        ),
    ] = None
    pre_tokenizer: Annotated[
        PreTokenizerName | None,
        typer.Option(
            help="How text is split: bert by default, but for --model bpe and unigram; whitespace also divides words from "
            "punctuation, whitespace-split does not; byte-level splits as GPT-2 does, and characters are bytes; metaspace splits "
            "before spaces and writes them as ▁, as for --model unigram; jieba finds Chinese words and needs "
            "--no-handle-chinese-chars; none makes each line one word."
        ),
    ] = None
    split_pattern: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|REGEX",
            help="What byte-level splits by instead: gpt2, cl100k, o200k, llama3, qwen2, clip, or a regular expression.",
        ),
    ] = None
    dictionary: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Phrases that stay whole, before the pre-tokenizer splits: one a line, UTF-8, as they are after "
            "normalization. Empty lines are passed over.",
        ),
    ] = None
    jieba_dictionary: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Words for --pre-tokenizer jieba, a line each, UTF-8: the word, then its frequency and its tag if it has "
            "them.",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Give what was asked for as training takes it."""
        from piecework import normalizers

        settings = self.load_settings()
        flags = {name: settings.pop(name) for name in self._flags()}
        if flags or self.normalizer is NormalizerName.bert:
            settings["normalizer"] = normalizers.BertNormalizer(**flags)
        return settings

    def load_settings(self) -> dict[str, Any]:
        """Give what was asked for as loading takes it."""
        settings: dict[str, Any] = self._flags()
        if self.normalizer not in (None, NormalizerName.bert):
            _refuse(settings, f"--normalizer {self.normalizer.value}")
            settings["normalizer"] = _rules(self.normalizer)
        if self.jieba_dictionary and self.pre_tokenizer is not PreTokenizerName.jieba:
            message = "says nothing without --pre-tokenizer jieba"
            raise typer.BadParameter(message, param_hint="--jieba-dictionary")
        if self.split_pattern and self.pre_tokenizer not in (None, PreTokenizerName.byte_level):
            message = "says nothing without --pre-tokenizer byte-level"
            raise typer.BadParameter(message, param_hint="--split-pattern")
        if self.pre_tokenizer or self.dictionary or self.split_pattern:
            settings["pre_tokenizer"] = self._split
        return settings

    def files(self) -> list[str]:
        """Give the files that are read for it."""
        return [file for file in (self.dictionary, self.jieba_dictionary) if file]

    @cached_property
    def _split(self) -> PreTokenizer | None:
        """The pre-tokenizer, made once: a file may be a pipe, which can be read once."""
        from piecework.pre_tokenizers import Dictionary, Sequence

        splits = self._named()
        if not self.dictionary:
            return splits
        phrases = Dictionary(_phrases(self.dictionary))
        return Sequence([phrases, splits]) if splits else phrases

    def _named(self) -> PreTokenizer | None:
        from piecework import pre_tokenizers

        if self.jieba_dictionary:
            return pre_tokenizers.Jieba.from_user_dictionary(self.jieba_dictionary)
        if self.split_pattern:
            return pre_tokenizers.ByteLevel.split_by(self.split_pattern)
        if self.pre_tokenizer is PreTokenizerName.byte_level:
            return pre_tokenizers.ByteLevel(add_prefix_space=False)
        if self.pre_tokenizer is PreTokenizerName.none:
            return None
        kinds: dict[PreTokenizerName | None, type[PreTokenizer]] = {
            PreTokenizerName.whitespace: pre_tokenizers.Whitespace,
            PreTokenizerName.whitespace_split: pre_tokenizers.WhitespaceSplit,
            PreTokenizerName.unicode_scripts: pre_tokenizers.UnicodeScripts,
            PreTokenizerName.metaspace: pre_tokenizers.Metaspace,
            PreTokenizerName.jieba: pre_tokenizers.Jieba,
        }
        return kinds.get(self.pre_tokenizer, pre_tokenizers.BertPreTokenizer)()

    def _flags(self) -> dict[str, bool]:
        names = ("lowercase", "strip_accents", "clean_text", "handle_chinese_chars")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


def _rules(name: NormalizerName) -> Normalizer | None:
    from piecework.normalizers import Precompiled

    return None if name is NormalizerName.none else Precompiled.of(cast("RuleName", name.value))


def _phrases(file: str) -> list[str]:
    from piecework.io import check_text, read_lines

    check_text(file, "")
    phrases = list(filter(None, read_lines(file, "utf-8", "strict", command="")))
    if not phrases:
        raise FormatError(f"{file}: expected phrases, one a line, found none")
    return phrases


def _refuse(given: dict[str, bool], beside: str) -> None:
    for name, value in given.items():
        option = f"--{'' if value else 'no-'}{name.replace('_', '-')}"
        raise typer.BadParameter(f"{option} says nothing beside {beside}", param_hint=option)


def _limit(text: str | int | None) -> int | None:
    """A number of characters, or -1 where there is to be no limit: None already means that nothing was said."""
    if text is None or isinstance(text, int):
        return text
    if text == "none":
        return -1
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise typer.BadParameter(f"{shown(text)} is neither a number nor none")
    return int(text)


@dataclass(frozen=True)
class Model:
    """What a file may leave open beside how it splits text."""

    unknown: Annotated[
        Unknown | None,
        typer.Option(
            help="What no piece covers: the whole word is one unknown token, or each run of such characters, or each "
            "character. By default as the file says, or word."
        ),
    ] = None
    unk_token: Annotated[
        str | None, typer.Option(metavar="TOKEN", help="The unknown token; '' if there is none.")
    ] = None
    max_input_chars_per_word: Annotated[
        int | None,
        typer.Option(
            parser=_limit, metavar="N|none", help="Longer words are unknown; none for no limit."
        ),
    ] = None
    segmentation: Annotated[
        Segmentation | None,
        typer.Option(
            help="WordPiece: the longest pieces, or the likeliest by the counts of the training. By default as the file says."
        ),
    ] = None
    continuing_subword_prefix: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="vocab.txt: what marks a token inside a word; ## by default."
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Give what was asked for as loading takes it."""
        settings = {name: value for name, value in asdict(self).items() if value is not None}
        if self.unknown:
            settings["unknown"] = self.unknown.value
        if self.segmentation:
            settings["segmentation"] = self.segmentation.value
        if self.unk_token == "":
            settings["unk_token"] = None
        if self.max_input_chars_per_word == -1:
            settings["max_input_chars_per_word"] = None
        return settings


def load(path: str, splitting: Splitting, model: Model) -> Tokenizer:
    """Load a tokenizer, from a file or a model's folder, with the settings that options give."""
    return load_plain(path, **splitting.load_settings(), **model.settings())


def load_plain(path: str, **settings: Any) -> Tokenizer:
    """Load a tokenizer, from a file or a model's folder, with these settings."""
    from piecework import Tokenizer

    read = Tokenizer.from_folder if os.path.isdir(path) else Tokenizer.from_file
    return read(path, **settings)
