"""Builds the components that tokenizer classes of ``transformers`` share; the records of :mod:`~.families` are made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from piecework import decoders as d, normalizers as n, pre_tokenizers as p
from piecework.patterns import SPLIT_PATTERNS, Regex
from piecework.processors import BertProcessing, PostProcessor, TemplatePiece, TemplateProcessing

if TYPE_CHECKING:
    from piecework.tokenizer import Tokenizer
    from piecework.tokenizer._folders.families import Family
    from piecework.tokenizer._folders.settings import FolderSettings


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
    """Returns the components of BERT and Funnel."""
    flags: Any = settings.bert_settings()
    normalizer = n.BertNormalizer(clean_text=settings["clean_text"] is not False, **flags)
    decoder = d.WordPiece(settings["wordpieces_prefix"] or "##")
    return normalizer, p.BertPreTokenizer(), decoder


def words(**flags: Any) -> Build:
    """Returns what builds the components of a class with BERT's words and an end-of-word suffix."""
    normalizer = n.BertNormalizer(**flags)
    return lambda *_: (normalizer, p.BertPreTokenizer(), d.BPEDecoder())


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


def whisper(settings: FolderSettings, rules: Rules) -> Parts:
    """Returns the components of Whisper, which decodes without the times of a transcript."""
    times = d.Replace(Regex(r"<\|\d+\.\d+\|>"), "")
    normalizer, words, decoder = byte_level()(settings, rules)
    return normalizer, words, d.Sequence([decoder, times])


def metaspace(normalize: Normalize, *, splits: bool) -> Build:
    """Returns what builds the components of a class with SentencePiece's pieces; `splits` says whether white space splits words."""

    def build(settings: FolderSettings, rules: Rules) -> Parts:
        scheme: Any = "never" if settings["add_prefix_space"] is False else "always"
        pieces = p.Metaspace(prepend_scheme=scheme)
        words = p.Sequence([p.WhitespaceSplit(), pieces]) if splits else pieces
        return normalize(settings, rules), words, d.Metaspace(prepend_scheme=scheme)

    return build


QUOTES = (n.Replace("``", '"'), n.Replace("''", '"'))
"""Normalizers for the quotation marks of TeX."""


def without_accents(settings: FolderSettings, rules: Rules, *more: n.Normalizer) -> n.Normalizer:
    """Returns the normalizer of ALBERT, XLNet and RemBERT."""
    folds = [] if settings["keep_accents"] else [n.NFKD(), n.StripAccents()]
    lower = n.Lowercase() if settings["do_lower_case"] else None
    return sequence(*QUOTES, *more, *folds, lower, rules)


def deberta_v2(settings: FolderSettings, _: Rules) -> Parts:
    """Returns the components of DeBERTa v2."""
    lower = n.Lowercase() if settings["do_lower_case"] else None
    spaces = n.Replace(Regex(r"\s{2,}|[\n\r\t]"), " ")
    scheme: Any = "always" if settings["add_prefix_space"] else "first"
    marks = [p.Punctuation("isolated")] if settings["split_by_punct"] else []
    words = p.Sequence([*marks, p.Metaspace(prepend_scheme=scheme)])
    clean = sequence(lower, spaces, n.NFC(), n.Strip(left=False))
    return clean, words, d.Metaspace(prepend_scheme=scheme)


def seamless(_settings: FolderSettings, _: Rules) -> Parts:
    """Returns the components of SeamlessM4T."""
    edits = ((" +▁", "▁"), ("^▁+$", ""), (" {2,}", "▁"))
    last = [n.Replace(Regex(pattern), content) for pattern, content in edits]
    clean = sequence(n.Replace(Regex(r"[\n\r\t]"), " "), n.NFKC(), n.Strip(left=False), *last)
    return clean, p.Metaspace(prepend_scheme="first"), d.Metaspace(prepend_scheme="first")


def tips(settings: FolderSettings, rules: Rules) -> Parts:
    """Returns the components of TIPSv2."""
    lower = n.Lowercase() if settings["do_lower_case"] else None
    words = p.Sequence([p.WhitespaceSplit(), p.Metaspace()])
    return sequence(lower, rules), words, d.Sequence([d.Metaspace(), d.ByteFallback(), d.Fuse()])


def llama(*, strips: bool = False) -> Build:
    """Returns what builds the components of Llama; `strips` says whether decoding always removes a space at the start."""

    def build(settings: FolderSettings, _: Rules) -> Parts:
        prepends = settings["add_prefix_space"]
        first: Any = "always" if settings["legacy"] else "first"
        words = p.Metaspace(prepend_scheme=first if prepends else "never", split=False)
        return None, words, _joined(*[d.Strip(" ", left=1)] * bool(prepends or strips))

    return build


def gemma(*before: n.Normalizer) -> Build:
    """Returns what builds the components of Gemma; `before` are normalizers before its own."""
    spaces = n.Replace(" ", "▁")
    normalizer = sequence(*before, spaces) if before else spaces
    return lambda *_: (normalizer, p.Split(" ", "merged_with_previous"), _joined())


def _joined(*more: d.Decoder) -> d.Decoder:
    """Returns the decoder of pieces that may be bytes."""
    return d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), *more])


# Post-processors


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
        """Returns the special token of a role such as ``"cls"``, with its id; for other names that token, or the unknown one.

        Raises:
            KeyError: The vocabulary lacks the token of a role or of a setting.
        """
        role = f"{name}_token"
        default = self.family.tokens.get(role) or self.settings[name] or name
        found = named_token(self.tokenizer, self.settings, role, default)
        if found is None and (role in self.family.tokens or name in self.family.options):
            raise KeyError(name)
        return found or self["unk"]


PostBuild = Callable[[Ends], PostProcessor | None]


def template(single: str, pair: str) -> PostBuild:
    """Returns what builds a template, given with roles (``"cls $A sep"``) in place of the special tokens."""

    def build(ends: Ends) -> PostProcessor:
        pieces = [piece.partition(":") for piece in f"{single} {pair}".split()]
        tokens = {name: ends[name] for name, *_ in pieces if name[0] != "$"}

        def spelled(text: str) -> Iterator[str | TemplatePiece]:
            for piece in text.split():
                name, _, number = piece.partition(":")
                is_text = name not in tokens
                yield (
                    piece
                    if is_text
                    else TemplatePiece("SpecialToken", tokens[name][0], int(number or 0))
                )

        named = list(dict.fromkeys(tokens.values()))
        return TemplateProcessing([*spelled(single)], [*spelled(pair)], named)

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
    if ends.has_file:
        return None
    tokenizer, settings = ends.tokenizer, ends.settings
    bos = named_token(tokenizer, settings, "bos_token") if settings.add_bos_token else None
    eos = named_token(tokenizer, settings, "eos_token") if settings.add_eos_token else None
    if not (bos or eos):
        return None
    first, last = ([token[0]] if token else [] for token in (bos, eos))
    single, second = [*first, "$A", *last], [f"{piece}:1" for piece in (*first, "$B", *last)]
    tokens = list(dict.fromkeys(token for token in (bos, eos) if token))
    return TemplateProcessing(single, [*single, *second], tokens)


def bos_first(ends: Ends) -> PostProcessor | None:
    """Returns the template of Code Llama, which adds bos_token unless the folder says otherwise."""
    settings = ends.settings
    bos = ends.has_file or settings.add_bos_token is not False
    eos = settings.add_eos_token and not ends.has_file
    changed = replace(settings, add_bos_token=bos, add_eos_token=eos)
    return around(replace(ends, settings=changed, has_file=False))


def splinter(ends: Ends) -> PostProcessor | None:
    """Returns the post-processor of Splinter: a question that is first in a pair ends with two tokens."""
    is_left = ends.settings.padding_side == "left"
    pairs = ("cls $A [QUESTION] . sep $B:1 sep:1", "cls $A sep $B:1 [QUESTION] . sep:1")
    return template("cls $A sep", pairs[is_left])(ends)


def whisper_ends(ends: Ends) -> PostProcessor | None:
    """Returns the post-processor of Whisper: language, task and timestamps of a transcript, and its end."""
    settings = ends.settings
    language = settings["language"].lower()
    if language and ends.tokenizer.token_to_id(f"<|{language}|>") is None:
        raise KeyError(language)  # such as "english" for "en"
    names = ["startoftranscript", language, settings["task"]]
    names += [] if settings["predict_timestamps"] else ["notimestamps"]
    first = " ".join(f"<|{name}|>" for name in names if name)
    return template(f"{first} $A eos", f"{first} $A $B:1 eos:1")(ends)


def seamless_ends(ends: Ends) -> PostProcessor | None:
    """Returns the template of SeamlessM4T, whose language tokens are written with underscores."""
    language = ends.settings["src_lang"]
    name = language if "__" in language else f"__{language}__"
    return template(f"{name} $A eos", f"{name} $A $B eos")(ends)
