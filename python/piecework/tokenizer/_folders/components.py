"""Builds the components that tokenizer classes of ``transformers`` share; the records of :mod:`~.families` are made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework import decoders as d, normalizers as n, pre_tokenizers as p
from piecework.patterns import SPLIT_PATTERNS, Regex
from piecework.processors import BertProcessing, PostProcessor, TemplateProcessing

if TYPE_CHECKING:
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.families import Family
    from piecework.tokenizer._folders.settings import FolderSettings

__all__ = [
    "Build",
    "Ends",
    "PostBuild",
    "around",
    "bert",
    "bert_ends",
    "byte_level",
    "clip",
    "llama",
    "metaspace",
    "named_token",
    "sequence",
    "split_bytes",
    "template",
    "without_accents",
]

Rules = n.Precompiled | None
"""The SentencePiece rules in a tokenizer.json."""
Parts = tuple[n.Normalizer | None, p.PreTokenizer, d.Decoder]
"""A normalizer, a pre-tokenizer and a decoder."""
Build = Callable[["FolderSettings", Rules], Parts]
Normalize = Callable[["FolderSettings", Rules], n.Normalizer | None]


def sequence(*steps: n.Normalizer | None) -> n.Normalizer:
    """Returns the sequence of normalizers, without those that are None."""
    return n.Sequence([step for step in steps if step])


def bert(settings: FolderSettings, _: Rules) -> Parts:
    """Returns the components of BERT."""
    flags: Any = settings.bert_settings()
    return n.BertNormalizer(**flags), p.BertPreTokenizer(), d.WordPiece()


def byte_level(
    normalizer: n.Normalizer | None = None, *before: p.PreTokenizer, use_regex: bool = True
) -> Build:
    """Returns what builds the components of a byte-level class; `before` are the pre-tokenizers before the byte-level one."""

    def build(settings: FolderSettings, _: Rules) -> Parts:
        letters = p.ByteLevel(bool(settings["add_prefix_space"]), use_regex=use_regex)
        return normalizer, p.Sequence([*before, letters]) if before else letters, d.ByteLevel()

    return build


def split_bytes(pattern: str) -> Build:
    """Returns what builds the components of a byte-level class with NFC and the split pattern of a name."""
    split = p.Split(Regex(SPLIT_PATTERNS[pattern]), "isolated")
    return byte_level(n.NFC(), split, use_regex=False)


def clip(_settings: FolderSettings, _: Rules) -> Parts:
    """Returns the components of CLIP."""
    clean = sequence(n.NFC(), n.Replace(Regex(r"\s+"), " "), n.Lowercase())
    pattern = Regex(r"<\|startoftext\|>|<\|endoftext\|>|" + SPLIT_PATTERNS["clip"])
    split = p.Split(pattern, "removed", invert=True)
    words = p.Sequence([split, p.ByteLevel(add_prefix_space=False)])
    return clean, words, d.Sequence([d.ByteLevel(), d.Replace("</w>", " "), d.Strip(" ", right=1)])


def metaspace(normalize: Normalize, *, splits: bool) -> Build:
    """Returns what builds the components of a class with SentencePiece's pieces; `splits` says whether white space splits words."""

    def build(settings: FolderSettings, rules: Rules) -> Parts:
        scheme: Any = "never" if settings["add_prefix_space"] is False else "always"
        pieces = p.Metaspace(prepend_scheme=scheme)
        words = p.Sequence([p.WhitespaceSplit(), pieces]) if splits else pieces
        return normalize(settings, rules), words, d.Metaspace(prepend_scheme=scheme)

    return build


def without_accents(settings: FolderSettings, rules: Rules) -> n.Normalizer:
    """Returns the normalizer of ALBERT and XLNet."""
    folds = [] if settings["keep_accents"] else [n.NFKD(), n.StripAccents()]
    lower = n.Lowercase() if settings["do_lower_case"] else None
    return sequence(n.Replace("``", '"'), n.Replace("''", '"'), *folds, lower, rules)


def llama(settings: FolderSettings, _: Rules) -> Parts:
    """Returns the components of Llama."""
    prepends = settings["add_prefix_space"]
    first: Any = "always" if settings["legacy"] else "first"
    ends = [d.Strip(" ", left=1)] if prepends else []
    joined = d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), *ends])
    return None, p.Metaspace(prepend_scheme=first if prepends else "never", split=False), joined


def named_token(
    tokenizer: Tokenizer, settings: FolderSettings, name: str, default: str | None = None
) -> tuple[str, int] | None:
    """Returns the special token of a name with its id, otherwise a default token; None without one in the vocabulary."""
    token = settings.special_tokens.get(name)
    for content in (token.content if token else None, default):
        number = None if content is None else tokenizer.token_to_id(content)
        if content is not None and number is not None:
            return content, number
    return None


@dataclass(frozen=True)
class Ends:
    """Gives the special tokens that a class adds to a text.

    Attributes:
        tokenizer: The tokenizer, with its added tokens.
        settings: The settings of the folder.
        family: The record of the class.
        has_file: Whether the folder has a tokenizer.json.
    """

    tokenizer: Tokenizer
    settings: FolderSettings
    family: Family
    has_file: bool

    def __getitem__(self, name: str) -> tuple[str, int]:
        """Returns the special token of a role such as ``"cls"``, with its id; for other names that token.

        Raises:
            KeyError: The vocabulary lacks it.
        """
        role = f"{name}_token"
        default = self.family.tokens.get(role, name)
        found = named_token(self.tokenizer, self.settings, role, default)
        if found is None:
            raise KeyError(name)
        return found


PostBuild = Callable[[Ends], PostProcessor | None]


def template(single: str, pair: str) -> PostBuild:
    """Returns what builds a template, given with roles (``"cls $A sep"``) in place of the special tokens."""

    def build(ends: Ends) -> PostProcessor:
        roles = [piece.partition(":")[0] for piece in single.split() if piece[0] != "$"]
        tokens = {role: ends[role] for role in roles}

        def spelled(text: str) -> list[str]:
            pieces = (piece.partition(":") for piece in text.split())
            return ["".join((tokens[p[0]][0] if p[0] in tokens else p[0], *p[1:])) for p in pieces]

        return TemplateProcessing(
            spelled(single), spelled(pair), list(dict.fromkeys(tokens.values()))
        )

    return build


_BERT = template("cls $A sep", "cls $A sep $B:1 sep:1")


def bert_ends(ends: Ends) -> PostProcessor | None:
    """Returns BERT's post-processor: that of the tokenizer if it has the same effect."""
    same = BertProcessing(ends["sep"], ends["cls"])
    return same if ends.tokenizer.post_processor == same else _BERT(ends)


def around(ends: Ends) -> PostProcessor | None:
    """Returns the template that adds bos_token and eos_token as the folder says; None if it says nothing.

    A tokenizer.json has its own post-processor, next to which these settings have no effect.
    """
    settings = ends.settings
    adds = {"bos_token": settings.add_bos_token, "eos_token": settings.add_eos_token}
    found = {
        name: named_token(ends.tokenizer, settings, name)
        for name, added in adds.items()
        if added and not ends.has_file
    }
    tokens = [token for token in found.values() if token]
    if not tokens:
        return None
    first, last = ([token[0]] if (token := found.get(name)) else [] for name in adds)
    single = [*first, "$A", *last]
    second = [f"{piece}:1" for piece in (*first, "$B", *last)]
    return TemplateProcessing(single, [*single, *second], list(dict.fromkeys(tokens)))
