"""Reads the settings of a model from the JSON of its configuration files.

``tokenizer_config.json`` contains the names of special tokens, the flags of added tokens, and further settings.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from piecework._messages import shown
from piecework._settings.added_tokens import AddedToken
from piecework._settings.fields import (
    FLAG,
    NUMBER,
    TEXT,
    Choice,
    Kind,
    Maybe,
    Mismatch,
    items,
    members,
    under,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

__all__ = [
    "SPECIAL_TOKEN_NAMES",
    "FolderSettings",
    "from_config",
    "listed_token",
    "member",
    "replace_specials",
    "special_tokens_of",
    "unflagged_token",
]

SPECIAL_TOKEN_NAMES = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)
"""The names of special tokens in configuration files, in the order in which the tokens are added."""

_LISTS = ("additional_special_tokens", "extra_special_tokens")
_ENDLESS = 10**20
"""The length from which on `model_max_length` means "no limit"."""


_KINDS = {"gpt2": "gpt2", "roberta": "roberta", "clip": "clip", "qwen2": "gpt2"}
"""The tokenizer type of a vocab.json with merges.txt by the family of its class."""
_NAMED_BY_CLASS: dict[str, dict[str, Any]] = {
    "gpt2": dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>"),
    "roberta": {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "cls_token": "<s>",
        "mask_token": "<mask>",
    },
    "clip": {
        "bos_token": "<|startoftext|>",
        "eos_token": "<|endoftext|>",
        "unk_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
    },
    "qwen2": dict.fromkeys(("eos_token", "unk_token", "pad_token"), "<|endoftext|>"),
    "llama": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
    "mpnet": {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "[UNK]",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "cls_token": "<s>",
        "mask_token": {"content": "<mask>", "lstrip": True},
    },
    "funnel": {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "sep_token": "<sep>",
        "pad_token": "<pad>",
        "cls_token": "<cls>",
        "mask_token": "<mask>",
    },
    "bert": {
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    },
}
"""The default special tokens of the classes of a family."""

_FAMILIES = {
    "GPT2Tokenizer": "gpt2",
    "CLIPTokenizer": "clip",
    **dict.fromkeys(("RobertaTokenizer", "BartTokenizer", "LongformerTokenizer"), "roberta"),
    **dict.fromkeys(("LEDTokenizer", "MvpTokenizer"), "roberta"),
    **dict.fromkeys(("BertTokenizer", "ConvBertTokenizer", "LxmertTokenizer"), "bert"),
    **dict.fromkeys(("MobileBertTokenizer", "SqueezeBertTokenizer"), "bert"),
    **dict.fromkeys(("DistilBertTokenizer", "ElectraTokenizer", "LayoutLMTokenizer"), "bert"),
    **dict.fromkeys(("DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer"), "bert"),
    "DPRReaderTokenizer": "bert",
    "FunnelTokenizer": "funnel",
    "MPNetTokenizer": "mpnet",
    "T5Tokenizer": "t5",
    "AlbertTokenizer": "albert",
    "XLNetTokenizer": "xlnet",
    "LlamaTokenizer": "llama",
    "PegasusTokenizer": "pegasus",
    "Qwen2Tokenizer": "qwen2",
    **dict.fromkeys(("TokenizersBackend", "PreTrainedTokenizer", "FNetTokenizer"), "file"),
    **dict.fromkeys(("BloomTokenizer", "ParakeetTokenizer"), "file"),
}
"""The family of each known class: that of its model, or ``"file"`` if it uses a tokenizer.json unchanged."""

_LOWERCASES = {f"DPR{name}Tokenizer" for name in ("ContextEncoder", "QuestionEncoder", "Reader")}
"""The classes of BERT's family that lowercase, whatever `do_lower_case` says."""

_KEEPS_COMPONENTS = {"ConvBertTokenizer"}
"""The classes of a family that replace only the post-processor of a tokenizer.json."""


def _class(name: str | None) -> str:
    return (name or "").removesuffix("Fast")


@dataclass(frozen=True)
class FolderSettings:
    """Holds the settings of the configuration files next to a tokenizer; None for settings that they lack.

    Attributes:
        special_tokens: The named special tokens, by name (``"cls_token"``).
        more_special_tokens: The special tokens without a name.
        added_tokens: The added tokens with flags, in order of their ids in the files.
        added_ids: The ids of the added tokens in the files.
        model_max_length: The maximum number of tokens of the model; None for no limit.
        tokenizer_class: The class of ``transformers`` that wrote the files.
        do_lower_case: Whether BERT's normalizer lowercases.
        strip_accents: Whether BERT's normalizer strips accents.
        tokenize_chinese_chars: Whether BERT's normalizer pads CJK ideographs.
        clean_up_tokenization_spaces: Whether decoding removes spaces before punctuation, but with BPE.
        clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output: Whether it does so with BPE, too.
        add_prefix_space: Whether a space is prepended to a text that starts without one.
        trim_offsets: Whether offsets exclude white space, in RoBERTa's template.
        add_bos_token: Whether ``bos_token`` is added before each text.
        add_eos_token: Whether ``eos_token`` is added after each text.
        keep_accents: Whether ALBERT's normalizer keeps accents.
        unk_id: The id of the unknown token in XLNet's model.
        legacy: Whether Llama's pre-tokenizer prepends a space to each text between special tokens, or only to the first.
        split_special_tokens: Whether special tokens in a text are ordinary text.
        padding_side: The side of padding.
        truncation_side: The side of truncation.
        model_input_names: The columns that a call of ``transformers`` returns.
    """

    special_tokens: Mapping[str, AddedToken] = field(default_factory=dict)
    more_special_tokens: tuple[AddedToken, ...] = ()
    added_tokens: tuple[AddedToken, ...] = ()
    added_ids: Mapping[str, int] = field(default_factory=dict)
    model_max_length: int | None = None
    tokenizer_class: str | None = None
    do_lower_case: bool | None = None
    strip_accents: bool | None = None
    tokenize_chinese_chars: bool | None = None
    clean_up_tokenization_spaces: bool | None = None
    clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output: bool | None = None
    add_prefix_space: bool | None = None
    trim_offsets: bool | None = None
    add_bos_token: bool | None = None
    add_eos_token: bool | None = None
    keep_accents: bool | None = None
    unk_id: int | None = None
    legacy: bool | None = None
    split_special_tokens: bool | None = None
    padding_side: Literal["left", "right"] | None = None
    truncation_side: Literal["left", "right"] | None = None
    model_input_names: tuple[str, ...] | None = None

    def cleans_up(self, model_type: str) -> bool:
        """Returns whether decoding with a type of model removes spaces before punctuation."""
        of_bpe = self.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output
        return bool(self.clean_up_tokenization_spaces and (model_type != "BPE" or of_bpe))

    @property
    def kind(self) -> str | None:
        """Returns the tokenizer type of a vocab.json with merges.txt, by its class; None for other classes.

        >>> FolderSettings(tokenizer_class="BartTokenizerFast").kind
        'roberta'
        """
        return _KINDS.get(self.family or "")

    @property
    def family(self) -> str | None:
        """Returns the family of the class, ``"file"`` for one that uses a tokenizer.json unchanged; None if unknown.

        >>> FolderSettings(tokenizer_class="LlamaTokenizerFast").family
        'llama'
        """
        return _FAMILIES.get(_class(self.tokenizer_class))

    @property
    def keeps_components(self) -> bool:
        """Returns whether the class uses normalizer, pre-tokenizer and model of a tokenizer.json, unlike its family."""
        return _class(self.tokenizer_class) in _KEEPS_COMPONENTS

    def tokens_to_add(self, known: Container[str]) -> tuple[AddedToken, ...]:
        """Returns the tokens to add to a tokenizer, in order.

        Args:
            known: The added tokens of its ``tokenizer.json``. Such a token is returned too if the files contain its flags,
                which take precedence; a special token that is only named is not.

        Returns:
            The tokens. Those that the tokenizer contains keep their ids, others get the next free ids.

        >>> settings = FolderSettings(more_special_tokens=(AddedToken("<x>", special=True),))
        >>> [token.content for token in settings.tokens_to_add({"<y>"})]
        ['<x>']
        """
        tokens = {token.content: token for token in self.added_tokens}
        for token in (*self.special_tokens.values(), *self.more_special_tokens):
            if token.content not in known:
                tokens.setdefault(token.content, token)
        return tuple(tokens.values())

    def vocab_settings(self, given: Container[str]) -> dict[str, Any]:
        """Returns the settings to load a ``vocab.txt`` with, in addition to the given ones."""
        unk_token = self.special_tokens.get("unk_token")
        settings = {"unk_token": unk_token.content} if unk_token else {}
        return settings if "normalizer" in given else settings | self.bert_settings()

    def bert_settings(self) -> dict[str, bool | None]:
        """Returns the arguments of :class:`piecework.normalizers.BertNormalizer`, by default those of BERT."""
        return {
            "lowercase": self.do_lower_case is not False
            or _class(self.tokenizer_class) in _LOWERCASES,
            "strip_accents": self.strip_accents,
            "handle_chinese_chars": self.tokenize_chinese_chars is not False,
        }


def from_config(
    config: dict[str, Any], listed: list[tuple[int, AddedToken]], *, is_byte_level: bool
) -> FolderSettings:
    """Returns the settings of a configuration and of the added tokens in its folder."""
    listed = sorted(listed, key=operator.itemgetter(0))
    tokenizer_class = member(config, "tokenizer_class", _PLAIN["tokenizer_class"].check)
    family = _FAMILIES.get(_class(tokenizer_class), "")
    if not (family == "llama" and is_byte_level):
        config = _NAMED_BY_CLASS.get(family, {}) | config
    named, more = special_tokens_of(config, {token.content: token for _, token in listed})
    special = {token.content for token in (*named.values(), *more)}
    return FolderSettings(
        special_tokens=named,
        more_special_tokens=more,
        added_tokens=tuple(
            _as_special(token) if token.content in special else token for _, token in listed
        ),
        added_ids={token.content: number for number, token in listed},
        unk_id=member(config, "unk_id", NUMBER.check) if family == "xlnet" else None,
        model_max_length=member(config, "model_max_length", _max_length),
        model_input_names=member(config, "model_input_names", _names),
        **{name: member(config, name, kind.check) for name, kind in _PLAIN.items()},
    )


_CLEAN_UP_BPE = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"
_FLAG, _SIDE = Maybe(FLAG), Maybe(Choice({"left": "left", "right": "right"}))
_PLAIN: dict[str, Kind] = {
    "tokenizer_class": Maybe(TEXT),
    "do_lower_case": _FLAG,
    "strip_accents": _FLAG,
    "tokenize_chinese_chars": _FLAG,
    "clean_up_tokenization_spaces": _FLAG,
    _CLEAN_UP_BPE: _FLAG,
    "add_prefix_space": _FLAG,
    "trim_offsets": _FLAG,
    "add_bos_token": _FLAG,
    "add_eos_token": _FLAG,
    "keep_accents": _FLAG,
    "legacy": _FLAG,
    "split_special_tokens": _FLAG,
    "padding_side": _SIDE,
    "truncation_side": _SIDE,
}


def member(data: Mapping[str, Any], name: str, take: Callable[[Any], Any]) -> Any:
    """Returns a checked member, or None if it is absent or null."""
    if data.get(name) is None:
        return None
    with under(f".{name}"):
        return take(data[name])


def special_tokens_of(
    config: dict[str, Any], flags: Mapping[str, AddedToken]
) -> tuple[dict[str, AddedToken], tuple[AddedToken, ...]]:
    """Returns the special tokens with and without a name, with their flags if known."""
    named, more = {}, {}
    for name in SPECIAL_TOKEN_NAMES:
        if token := member(config, name, _special):
            named[name] = _as_special(flags.get(token.content, token))
    for name in _LISTS:
        for token in member(config, name, _specials) or ():
            more[token.content] = _as_special(flags.get(token.content, token))
    return named, tuple(more.values())


def _as_special(token: AddedToken) -> AddedToken:
    return replace(token, special=True)


def _special(data: Any) -> AddedToken | None:
    """Returns a special token given as a text or as an object with flags; None for an empty text."""
    if isinstance(data, str):
        return AddedToken(data, special=True) if data else None
    return AddedToken._read(members(data) | {"special": True})


def _specials(data: Any) -> list[AddedToken]:
    """Returns the special tokens of a list, or of an object with names of the model's own."""
    is_object = isinstance(data, dict)
    values = data.items() if is_object else enumerate(items(data))
    tokens = []
    for key, value in values:
        with under(f".{key}" if is_object else f"[{key}]"):
            tokens.append(_special(value))
    return [token for token in tokens if token]


def listed_token(key: str, data: Any) -> tuple[int, AddedToken]:
    """Returns an entry of `added_tokens_decoder`: an id, and a token with its flags."""
    if not (key.isascii() and key.isdigit()):
        raise Mismatch(f"expected an id, found {shown(key)}")
    with under(f".{key}"):
        return NUMBER.check(int(key)), AddedToken._read(data)


def unflagged_token(token: str, number: Any) -> tuple[int, AddedToken]:
    """Returns an entry of `added_tokens.json`: an id, and a token without flags."""
    with under(f".{token}"):
        return NUMBER.check(number), AddedToken._read({"content": token})


def _names(data: Any) -> tuple[str, ...]:
    return tuple(TEXT.check(name) for name in items(data))


def _max_length(data: Any) -> int | None:
    if isinstance(data, bool) or not isinstance(data, int | float) or not data > 0:
        raise Mismatch(f"expected a positive number, found {shown(data)}")
    return None if data >= _ENDLESS else int(data)


def replace_specials(config: dict[str, Any], specials: dict[str, Any]) -> None:
    """Overrides the special tokens of the configuration by those of `special_tokens_map.json`."""
    for name, value in specials.items():
        if name in SPECIAL_TOKEN_NAMES and value is not None:
            config[name] = value
        elif name in _LISTS and isinstance(value, list) and isinstance(config.get(name), list):
            config[name] = [*config[name], *value]
        elif name in _LISTS and value is not None:
            config[name] = value
