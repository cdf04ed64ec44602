"""Reads the settings of a model from the JSON of its configuration files.

``tokenizer_config.json`` contains the names of special tokens, the flags of added tokens, and further settings.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from piecework._messages import shown
from piecework._settings.added_tokens import AddedToken
from piecework._settings.choices import Side
from piecework._settings.fields import (
    FLAG,
    NUMBER,
    TEXT,
    Choice,
    Kind,
    Mismatch,
    items,
    members,
    under,
)
from piecework.tokenizer._folders.families import Family, family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from piecework._settings.limiting import TemplateLimits


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
        options: The settings that the class reads (see :attr:`Family.options`), without those that are null.
        clean_up_tokenization_spaces: Whether decoding removes spaces before punctuation, but with BPE.
        clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output: Whether it does so with BPE, too.
        add_prefix_space: Whether a space is prepended to a text that starts without one.
        add_bos_token: Whether ``bos_token`` is added before each text.
        add_eos_token: Whether ``eos_token`` is added after each text.
        split_special_tokens: Whether special tokens in a text are ordinary text.
        padding_side: The side of padding.
        truncation_side: The side of truncation.
        model_input_names: The columns that a call of ``transformers`` returns.
        chat_templates: The templates of chats, by name; a single one is ``"default"``.
        template_limits: The limits of what the templates compute; None for the default ones.
    """

    special_tokens: Mapping[str, AddedToken] = field(default_factory=dict)
    more_special_tokens: tuple[AddedToken, ...] = ()
    added_tokens: tuple[AddedToken, ...] = ()
    added_ids: Mapping[str, int] = field(default_factory=dict)
    model_max_length: int | None = None
    tokenizer_class: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    clean_up_tokenization_spaces: bool | None = None
    clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output: bool | None = None
    add_prefix_space: bool | None = None
    add_bos_token: bool | None = None
    add_eos_token: bool | None = None
    split_special_tokens: bool | None = None
    padding_side: Side | None = None
    truncation_side: Side | None = None
    model_input_names: tuple[str, ...] | None = None
    chat_templates: Mapping[str, str] = field(default_factory=dict)
    template_limits: TemplateLimits | None = field(default=None, compare=False)

    def cleans_up(self, model_type: str) -> bool:
        """Returns whether decoding with a type of model removes spaces before punctuation."""
        of_bpe = self.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output
        return bool(self.clean_up_tokenization_spaces and (model_type != "BPE" or of_bpe))

    @property
    def family(self) -> Family:
        """Returns the record of the class."""
        return family_of(self.tokenizer_class)

    @property
    def do_lower_case(self) -> bool | None:
        """Returns whether the files say that the normalizer lowercases; None if they do not say."""
        return self.options.get("do_lower_case")

    def __getitem__(self, name: str) -> Any:
        """Returns a setting that the class reads, by default that of the class; None for one that it does not read.

        >>> FolderSettings(tokenizer_class="AlbertTokenizer")["add_prefix_space"]
        True
        """
        return self.options.get(name, self.family.options.get(name))

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
        if "normalizer" in given:
            return settings
        return settings | self.bert_settings() | {"clean_text": self["clean_text"] is not False}

    def bert_settings(self) -> dict[str, bool | None]:
        """Returns the arguments of :class:`piecework.normalizers.BertNormalizer`, by default those of BERT."""
        return {
            "lowercase": self["do_lower_case"] is not False,
            "strip_accents": self["strip_accents"],
            "handle_chinese_chars": self["tokenize_chinese_chars"] is not False,
        }


def from_config(config: dict[str, Any], listed: list[tuple[int, AddedToken]]) -> FolderSettings:
    """Returns the settings of a configuration and of the added tokens in its folder."""
    listed = sorted(listed, key=operator.itemgetter(0))
    tokenizer_class = member(config, "tokenizer_class", TEXT.check)
    family = family_of(tokenizer_class)
    options = {
        name: member(config, name, _KINDS[type(default)].check)
        for name, default in family.options.items()
    }
    config = {**family.tokens} | config
    for name, default in family.tokens.items():
        # A token that is given as a text has the flags of the class.
        if isinstance(default, dict) and isinstance(config[name], str):
            config[name] = default | {"content": config[name]}
    named, more = special_tokens_of(config, {token.content: token for _, token in listed})
    special = {token.content for token in (*named.values(), *more)}
    return FolderSettings(
        special_tokens=named,
        more_special_tokens=more,
        added_tokens=tuple(
            _as_special(token) if token.content in special else token for _, token in listed
        ),
        added_ids={token.content: number for number, token in listed},
        options={name: value for name, value in options.items() if value is not None},
        model_max_length=member(config, "model_max_length", _max_length),
        model_input_names=member(config, "model_input_names", _names),
        tokenizer_class=tokenizer_class,
        chat_templates=member(config, "chat_template", templates_of) or {},
        **{name: member(config, name, FLAG.check) for name in _FLAGS},
        **{name: member(config, name, _SIDE.check) for name in ("padding_side", "truncation_side")},
    )


_FLAGS = [flag.name for flag in fields(FolderSettings) if flag.type == "bool | None"]
"""The settings that are true, false or null."""
_KINDS: dict[type, Kind] = {bool: FLAG, type(None): FLAG, int: NUMBER, str: TEXT}
"""What checks a setting of a class, by the type of its default."""
_SIDE = Choice.of(Side)


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


def templates_of(data: Any) -> dict[str, str]:
    """Returns chat templates, given as one text, as an object by name, or as a list of names and templates."""
    if isinstance(data, str):
        return {"default": data}
    if isinstance(data, dict):
        return {name: _text(data, name) for name in data}
    templates = {}
    for number, entry in enumerate(items(data)):
        with under(f"[{number}]"):
            pair = members(entry)
            templates[_text(pair, "name")] = _text(pair, "template")
    return templates


def _text(data: Mapping[str, Any], name: str) -> str:
    with under(f".{name}"):
        text: str = TEXT.check(data.get(name))
        return text


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
