"""Writes spec/cases/pipeline.json, the expected results of whole pipelines, from the live reference.

Run it with a Python that has Hugging Face `tokenizers` 0.23; nothing of this project is imported,
so the expected values are independent of it:

    python tools/make_pipeline_cases.py [--check]

Every component that a tokenizer.json can name has cases, alone and in combination. Cases in which the
library panics or hangs, or that it cannot express, are written by hand, each with its reason.
"""

import argparse
import base64
import itertools
import json
import struct
import sys
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

Json = dict[str, Any]

TARGET = Path(__file__).parents[1] / "spec" / "cases" / "pipeline.json"
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
COLUMNS = (
    *("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask"),
    *("attention_mask", "sequence_ids"),
)

PLAIN = "Hello,  World! don't"
TEXTS = {
    "plain": PLAIN,
    "accents and marks": "Été naïve a\u0323\u0307\u0323b \u1e0b\u0323 e\u0301 ﬁ ² İ ΟΔΟΣ",
    "many scripts": "abc中文カナーひら б 한글 \u0e19\u0e49\u0e33 ٣ Ⅷ½ 😀!",
    "white space": " \ta\r\nb\xa0c\u3000d\u2028e\x85f  ",
    "controls": "a\0b\x01c\u200bd\ufeffe\ufffdf\u200dg\xadh\x7f",
    "digits and signs": "12 a3.5-x_y ▁Ġ $€ ¡¿。",
    "empty": "",
    "blank": "   ",
}

CUT = ("plain", "many scripts", "white space", "digits and signs", "empty")

NFKC_LIKE = {
    "ﬁ": "fi", "²": "2", "\r": " ", "\t": "", "e\u0301": "é", "x": "", "中": "zhong", "ab": "c",
    "\u200b": " ", "a\u0323": "q", "½": "1⁄2",
}  # fmt: skip

BERT: Json = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}


# Models


def byte_alphabet() -> list[str]:
    """Returns the visible character of every byte."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = itertools.count(0x100)
    return [chr(byte if byte in visible else next(others)) for byte in range(256)]


def models() -> dict[str, Json]:
    """Returns the models that cases name; U and Ñ are left out, so that something is unknown."""
    seen = set(byte_alphabet()) | set("".join(TEXTS.values())) | set("abcdefghijklmnopqrstuvwxyz")
    seen |= {c.lower() for c in seen} | set("fi2zhongq1⁄▁_é\u0301\u0307\u0323\u1e0dxyNew York")
    known = sorted(c for c in seen if len(c) == 1 and c not in "UÑ")
    longer = ["hello", "world", "do", "New", "York", "the", "12"]
    entries = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", *known, *longer]
    pieces = [*entries, *("##" + each for each in known), "##llo", "##lo"]
    words = [
        "[UNK]",
        *"Hello World , ! a b c d the New York".split(),
        "New York",
        "▁Hello",
        "▁World!",
    ]
    return {
        "pieces": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 30, "vocab": {each: i for i, each in enumerate(pieces)},
        },
        "words": {
            "type": "WordLevel", "unk_token": "[UNK]", "vocab": {w: i for i, w in enumerate(words)},
        },
        "letters": {
            "type": "WordLevel", "unk_token": "[UNK]",
            "vocab": {c: i for i, c in enumerate(["[UNK]", "[CLS]", "[SEP]", *"abcdefghij"])},
        },
    }  # fmt: skip


def charsmap(pairs: dict[str, str]) -> str:
    """Returns the table of a `Precompiled` normalizer: a double array, filled first come, first fit."""
    children: dict[bytes, set[int]] = {b"": set()}
    values: dict[bytes, int] = {}
    replacements = b""
    for source, target in pairs.items():
        key = source.encode()
        for i, byte in enumerate(key):
            children.setdefault(key[:i], set()).add(byte)
        children.setdefault(key, set())
        values[key] = len(replacements)
        replacements += target.encode() + b"\0"
    units, place, taken = {0: 0}, {b"": 0}, set[int]()
    for key in sorted(children, key=len):
        slots = children[key] | ({0} if key in values else set())
        base = next(
            n
            for n in range(1, 1 << 20)
            if n not in taken and not {n ^ s for s in slots} & units.keys()
        )
        taken.add(base)
        units[place[key]] |= (place[key] ^ base) << 10 | (key in values) << 8
        if key in values:
            units[base] = values[key] | 1 << 31
        for byte in children[key]:
            place[key + bytes([byte])] = base ^ byte
            units[base ^ byte] = byte
    count = max(units) | 0xFF
    packed = struct.pack(f"<{count + 1}I", *(units.get(i, 0) for i in range(count + 1)))
    return base64.b64encode(struct.pack("<I", len(packed)) + packed + replacements).decode()


# Components, each with texts that exercise it


def sequence(*steps: Json) -> Json:
    """Returns a sequence of normalizers."""
    return {"type": "Sequence", "normalizers": list(steps)}


def replacing(kind: str, pattern: str, content: str) -> Json:
    """Returns a normalizer that replaces."""
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def splitting(kind: str, pattern: str, behavior: str, *, invert: bool = False) -> Json:
    """Returns a pre-tokenizer that splits."""
    settings = {"behavior": behavior, "invert": invert}
    return {"type": "Split", "pattern": {kind: pattern}, **settings}


def byte_level(*, prefix: bool, regex: bool = True) -> Json:
    """Returns GPT-2's pre-tokenizer."""
    flags = {"add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}
    return {"type": "ByteLevel", **flags}


def metaspace(scheme: str, *, split: bool = True) -> Json:
    """Returns SentencePiece's pre-tokenizer."""
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}


def normalizers() -> dict[str, Json]:
    """Returns every normalizer, by name."""
    simple = ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")
    lower, prepend = {"type": "Lowercase"}, {"type": "Prepend", "prepend": "▁"}
    return {
        **{name: {"type": name} for name in simple},
        "Strip": {"type": "Strip", "strip_left": True, "strip_right": True},
        "Strip, left": {"type": "Strip", "strip_left": True, "strip_right": False},
        "Strip, right": {"type": "Strip", "strip_left": False, "strip_right": True},
        "Replace, string": replacing("String", "o", "00"),
        "Replace, string by nothing": replacing("String", " ", ""),
        "Replace, empty string": replacing("String", "", "_"),
        "Replace, regex": replacing("Regex", r"\s+", " "),
        "Replace, lines": replacing("Regex", "$", "x"),
        "Replace, letters": replacing("Regex", r"\p{L}+", "ab"),
        "Replace, words": replacing("Regex", r"\w+", "ab"),
        "Prepend": prepend,
        "Precompiled": {"type": "Precompiled", "precompiled_charsmap": charsmap(NFKC_LIKE)},
        "BERT": BERT,
        "BERT, cased": BERT | {"lowercase": False, "strip_accents": True},
        "NFKC, then replace": sequence({"type": "NFKC"}, replacing("String", " ", "▁"), lower),
        "NFD, StripAccents, Prepend": sequence({"type": "NFD"}, {"type": "StripAccents"}, prepend),
        "Prepend, then Lowercase": sequence(prepend, lower),
        "nothing": sequence(),
    }


def pre_tokenizers() -> dict[str, Json]:
    """Returns every pre-tokenizer, by name."""
    simple = ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")
    digits, punctuation = {"type": "Digits", "individual_digits": True}, {"type": "Punctuation"}
    cl100k = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )

    def row(*steps: Json) -> Json:
        return {"type": "Sequence", "pretokenizers": list(steps)}

    return {
        **{name: {"type": name} for name in simple},
        **{f"Punctuation, {b}": punctuation | {"behavior": b} for b in BEHAVIORS},
        "Digits": digits | {"individual_digits": False},
        "Digits, individual": digits,
        "CharDelimiterSplit": {"type": "CharDelimiterSplit", "delimiter": " "},
        **{f"Split, string, {b}": splitting("String", "l", b) for b in BEHAVIORS},
        **{f"Split, regex, {b}": splitting("Regex", r"\s+|,", b) for b in BEHAVIORS},
        "Split, inverted": splitting("Regex", r"\w+", "Removed", invert=True),
        "Split, empty string": splitting("String", "", "Isolated"),
        "Split, a set of words": splitting("Regex", r"[^\w]", "Isolated"),
        "Split, look-ahead": splitting("Regex", "(?=l)", "MergedWithNext"),
        "Split, cl100k": splitting("Regex", cl100k, "Isolated"),
        "ByteLevel": byte_level(prefix=False),
        "ByteLevel, prefix space": byte_level(prefix=True),
        "ByteLevel, whole": byte_level(prefix=True, regex=False),
        "Metaspace, always": metaspace("always"),
        "Metaspace, first": metaspace("first"),
        "Metaspace, never": metaspace("never"),
        "Metaspace, unsplit": metaspace("always", split=False),
        "FixedLength": {"type": "FixedLength", "length": 4},
        "Whitespace, then ByteLevel": row({"type": "WhitespaceSplit"}, byte_level(prefix=True)),
        "Whitespace, then Metaspace, first": row({"type": "WhitespaceSplit"}, metaspace("first")),
        "Digits, then Punctuation": row(digits, punctuation),
        "scripts, then length": row(
            {"type": "UnicodeScripts"}, {"type": "FixedLength", "length": 2}
        ),
        "nothing": row(),
    }


def alone() -> list[Json]:
    """Returns cases of every normalizer and pre-tokenizer alone, on the texts."""
    by_kind = {"normalizer": normalizers(), "pre_tokenizer": pre_tokenizers()}
    return [
        case(f"{kind} {name}; {title}", {kind: component}, text)
        for kind, components in by_kind.items()
        for name, component in components.items()
        for title, text in TEXTS.items()
        if kind == "normalizer" or title in (CUT[::3] if name.endswith(BEHAVIORS) else CUT)
    ]


def together() -> list[Json]:
    """Returns cases of normalizers with pre-tokenizers, where both move spans."""
    pairs = [
        ("NFKC, then replace", "Metaspace, first"),
        ("NFD", "ByteLevel, prefix space"),
        ("Precompiled", "Metaspace, always"),
        ("BERT", "BertPreTokenizer"),
        ("Prepend", "ByteLevel"),
        ("ByteLevel", "Split, string, Isolated"),
        ("Strip", "Whitespace"),
    ]
    made = []
    for first, second in pairs:
        config = {"normalizer": normalizers()[first], "pre_tokenizer": pre_tokenizers()[second]}
        made += [
            case(f"{first} and {second}; {title}", config, text) for title, text in TEXTS.items()
        ]
    return made


# Added tokens


def added(content: str, number: int, **flags: bool) -> Json:
    """Returns an entry of `added_tokens`; flags that are not named are false."""
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": number, "content": content, **{name: flags.get(name, False) for name in names}}


def added_tokens() -> list[Json]:
    """Returns cases of every combination of flags, and of overlapping tokens."""
    size = len(models()["pieces"]["vocab"])
    text = "a <X>b  <x>\t, <X><x> d<X> é<x>"
    whitespace = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"}}
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    made = []
    for values in itertools.product((False, True), repeat=5):
        flags = dict(zip(names, values, strict=True))
        said = " ".join(name for name, value in flags.items() if value) or "no flag"
        config = {**whitespace, "added_tokens": [added("<X>", size, **flags)]}
        made.append(case(f"added token, {said}", config, text))
    several = [
        ("the longest of two", ["<x>", "<x>y"], {}, "<x>y<x>"),
        ("one inside another", ["bcd", "c"], {}, "abcde ac"),
        ("overlapping", ["ab", "bc"], {}, "abc"),
        ("a rejected one uses up its text", ["ab", "bc"], {"single_word": True}, "abc ab bc"),
        ("white space given away twice", ["q", " b"], {"rstrip": True}, "q b q  b"),
        ("white space between two", ["q", "r"], {"lstrip": True, "rstrip": True}, "q  r q"),
        ("known to the model", ["hello"], {}, "a hello"),
        ("at both ends", ["<x>"], {"lstrip": True, "rstrip": True}, " <x> a <x> "),
        ("normalized beside verbatim", ["É"], {"normalized": True}, "é É E\u0301"),
        ("single words and marks", ["é"], {"single_word": True}, "é é\u0301 é_ é- é² é\u200d"),
    ]  # fmt: skip
    for name, contents, flags, given in several:
        tokens = numbered([added(content, 0, **flags) for content in contents])
        made.append(case(f"added tokens, {name}", {**whitespace, "added_tokens": tokens}, given))
    long = {"normalizer": {"type": "Prepend", "prepend": "▁"}, "pre_tokenizer": metaspace("first")}
    tokens = numbered([added("<s>", 0, special=True), added("York", 0, normalized=True)])
    both = "York <s> New ▁York<s>a"
    made.append(case("added tokens with Metaspace", {**long, "added_tokens": tokens}, both))
    return made


def numbered(tokens: list[Json]) -> list[Json]:
    """Returns added tokens with the ids that they will have."""
    vocab = models()["pieces"]["vocab"]
    following = itertools.count(len(vocab))
    return [t | {"id": vocab.get(t["content"]) or next(following)} for t in tokens]


# Post-processing


def template() -> Json:
    """Returns a template that uses every feature of templates."""

    def text(name: str, type_id: int) -> Json:
        return {"Sequence": {"id": name, "type_id": type_id}}

    def special(name: str, type_id: int) -> Json:
        return {"SpecialToken": {"id": name, "type_id": type_id}}

    tokens = {
        "[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
        "two": {"id": "two", "ids": [2, 1], "tokens": ["t", "wo"]},
    }
    return {
        "type": "TemplateProcessing",
        "single": [special("two", 4), text("A", 2), special("[CLS]", 0)],
        "pair": [text("B", 3), special("[CLS]", 1), text("A", 0), special("two", 1), text("A", 5)],
        "special_tokens": tokens,
    }


def processors() -> dict[str, Json]:
    """Returns every post-processor, by name."""
    sides = {"sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
    trim = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    roberta = {"type": "RobertaProcessing", **sides, "trim_offsets": True, "add_prefix_space": True}
    bert = {"type": "BertProcessing", **sides}

    def row(*steps: Json) -> Json:
        return {"type": "Sequence", "processors": list(steps)}

    return {
        "Bert": bert,
        "Roberta": roberta,
        "Roberta, no prefix space": roberta | {"add_prefix_space": False},
        "Roberta, untrimmed": roberta | {"trim_offsets": False},
        "Template": template(),
        "ByteLevel": trim,
        "ByteLevel, no prefix space": trim | {"add_prefix_space": False},
        "ByteLevel, untrimmed": trim | {"trim_offsets": False},
        "ByteLevel, then Template": row(trim, template()),
        "Template, then ByteLevel": row(template(), trim),
        "Template, then Bert": row(template(), bert),
        "nothing": row(),
    }


def around() -> list[Json]:
    """Returns cases of every post-processor with one text and two, as strings and as words."""
    given: dict[str, list[Any]] = {
        "one": [" Hello World  don't"],
        "two": ["Hello  World", " a b"],
        "words": [["Hello", " World", "", "don't"]],
        "pairs of words": [["Hello"], ["a b", "c"]],
        "empty": ["", ""],
    }
    made = []
    for name, processor in processors().items():
        config = {"pre_tokenizer": byte_level(prefix=True), "post_processor": processor}
        made += [
            case(f"post_processor {name}; {how}", config, *texts) for how, texts in given.items()
        ]
        bare = {"add_special_tokens": False}
        made.append(case(f"post_processor {name}; two, bare", config, *given["two"], **bare))
    return made


# Truncation and padding


def lengths() -> list[Json]:
    """Returns cases of truncation and padding on a grid of settings, with letters as texts."""
    letters = {"model": "letters", "pre_tokenizer": splitting("String", "", "Isolated")}
    bert = processors()["Bert"]
    made = []
    grid = itertools.product(
        ("LongestFirst", "OnlyFirst", "OnlySecond"), ("Right", "Left"), (0, 2), (3, 6)
    )
    for strategy, direction, stride, longest in grid:
        how = {
            "max_length": longest,
            "stride": stride,
            "strategy": strategy,
            "direction": direction,
        }
        named = f"truncation, {strategy}, {direction}, stride {stride}, {longest}"
        config = {**letters, "truncation": how}
        made += [
            case(f"{named}; one", config | {"post_processor": bert}, "abcdefghij"),
            case(f"{named}; two", config, "abcdefg", "hijab"),
            case(
                f"{named}; two with special tokens",
                config | {"post_processor": bert},
                "abc",
                "defghij",
            ),
        ]
    at_most = {"stride": 0, "strategy": "LongestFirst", "direction": "Right"}
    for longest in (0, 2, 3):
        config = {
            **letters,
            "post_processor": bert,
            "truncation": {"max_length": longest} | at_most,
        }
        bare = case(f"truncation to {longest}, bare", config, "abcdef", add_special_tokens=False)
        made.append(bare)
        if longest:
            made.append(case(f"truncation to {longest}, with special tokens", config, "abcdef"))
    for strategy, direction, multiple in itertools.product(
        ("BatchLongest", {"Fixed": 9}, {"Fixed": 2}), ("Right", "Left"), (None, 4)
    ):
        how = {
            "strategy": strategy, "direction": direction, "pad_to_multiple_of": multiple,
            "pad_id": 2, "pad_type_id": 1, "pad_token": "[SEP]",
        }  # fmt: skip
        named = f"padding, {json.dumps(strategy)}, {direction}, {multiple}"
        cut = {
            "truncation": {
                "max_length": 5,
                "stride": 0,
                "strategy": "OnlyFirst",
                "direction": "Right",
            }
        }
        config = {**letters, "padding": how, "post_processor": bert}
        made += [
            case(f"{named}; one", config, "abcde"),
            case(f"{named}; cut", config | cut, "abcdefghij"),
            case(f"{named}; two", config | {"post_processor": template_of_letters()}, "abc", "de"),
        ]
    return made


def template_of_letters() -> Json:
    """Returns BERT's template, as a template."""
    sep = {"SpecialToken": {"id": "[SEP]", "type_id": 0}}
    one = [{"Sequence": {"id": "A", "type_id": 0}}, sep]
    tokens = {"[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}
    two = [*one, {"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": one, "pair": two, "special_tokens": tokens}


# Special cases


def odd() -> list[Json]:
    """Returns cases of odd behaviour of the library that is followed."""
    marks = "a\u0323\u0307\u0323b \u1e0b\u0323\u0323c a\u0344\u0323b \u0301a"
    first = replacing("Regex", "^", "x")
    removing = sequence(first, {"type": "StripAccents"})
    forms = ("NFC", "NFD", "NFKC", "NFKD")
    return [
        *(case(f"{form} on marks out of order", {"normalizer": {"type": form}}, marks) for form in forms),
        case("a front that stands for nothing is kept twice", {"normalizer": removing}, "ab\u0301"),
        case(
            "to prepend nothing makes the front stand for nothing",
            {"normalizer": sequence({"type": "Prepend", "prepend": ""}, {"type": "Strip",
             "strip_left": True, "strip_right": True})}, "  a "),
        case("the shortest entry rewrites the whole cluster",
             {"normalizer": normalizers()["Precompiled"]}, "\r\na\u0323\u0301 x\tx ab xﬁx"),
        case("script: what leads and has none is dropped",
             {"pre_tokenizer": {"type": "UnicodeScripts"}}, "  \u0378ab \u0378中"),
        case("a word past the limit", {"pre_tokenizer": {"type": "WhitespaceSplit"}}, "a" * 31 + " b"),
        case("an unknown word", {"model": "words", "pre_tokenizer": {"type": "Whitespace"}}, PLAIN),
        case("words and Metaspace", {"model": "words", "pre_tokenizer": metaspace("always")}, "Hello World!"),
        case("\\w outside a set has three numbers more", {"pre_tokenizer": splitting("Regex", r"\w+", "Isolated")},
             "a²b ½ ⁴ a\u200db"),
        case("\\w within a set has not", {"pre_tokenizer": splitting("Regex", r"[\w]+", "Isolated")},
             "a²b ½ ⁴ a\u200db"),
        case("no pre-tokenizer", {}, "Hello World"),
        case("the start of a line", {"normalizer": replacing("Regex", "^", "x")}, "a\nb\n"),
        case("the end of a line", {"normalizer": replacing("Regex", "$", "x")}, "a\nb\n"),
    ]  # fmt: skip


def by_hand() -> list[Json]:
    """Returns cases in which the library panics or hangs, or that it cannot express."""
    panics, own = "by hand: the library panics", "by hand: the library cannot say it"
    lower = sequence(replacing("Regex", "^", "x"), {"type": "Lowercase"})
    short = {"max_length": 1, "stride": 0, "strategy": "LongestFirst", "direction": "Right"}
    letters = {"model": "letters", "pre_tokenizer": splitting("String", "", "Isolated")}
    wide = short | {"max_length": 2, "stride": 2}
    second = {"Sequence": {"id": "B", "type_id": 0}}
    special = [added("[CLS]", 1, special=True), added("b", 4, special=True)]
    texts = {**letters, "added_tokens": special[:1]}
    both = [*special[:1], added("[SEP]", 2, special=True)]
    plain = [*special[:1], added("[SEP]", 2), added("  ", 13)]
    unknown = ["[UNK]"] * 5
    dictionary = {"type": "piecework.Dictionary", "phrases": ["New York", "York s", "New Yor"]}
    whitespace = {"type": "WhitespaceSplit"}

    def row(*steps: Json) -> Json:
        return {"pre_tokenizer": {"type": "Sequence", "pretokenizers": list(steps)}}

    def columns_of(tokens: list[str]) -> Json:
        known = models()["letters"]["vocab"] | {"  ": 13}
        ends = [*itertools.accumulate(1 if token == "[UNK]" else len(token) for token in tokens)]
        return {
            "tokens": tokens,
            "ids": [known[token] for token in tokens],
            "offsets": [[start, end] for start, end in zip([0, *ends], ends, strict=False)],
        }

    def controlled(said: str, specials: Any, tokens: list[str]) -> Json:
        return hand(
            f"control symbols{said}", {**letters, "added_tokens": both}, own, "b[SEP]a[CLS]",
            specials=specials, control_symbols=["[CLS]"], **columns_of(tokens),
        )  # fmt: skip

    def marked(said: str, specials: Any, tokens: list[str]) -> Json:
        return hand(
            f"added tokens that are not special{said}", {**letters, "added_tokens": plain}, own, "a[CLS]  [SEP]",
            specials=specials, **columns_of(tokens),
        )  # fmt: skip

    return [
        hand("a front that stands for nothing, lower-cased", {"normalizer": lower} | {"model": "letters"},
             panics, "A", tokens=["[UNK]"], ids=[0], offsets=[[0, 1]]),
        hand("no room for the special tokens", {**letters, "post_processor": processors()["Bert"], "truncation": short},
             "by hand: the library then truncates nothing", "abc"),
        hand("a stride without progress", {**letters, "truncation": wide}, panics, "abcd"),
        hand("length zero", {"pre_tokenizer": {"type": "FixedLength", "length": 0}}, panics, "ab"),
        hand("text B where there is none", {"post_processor": template() | {"single": [second]}}, panics, "a"),
        hand("a special token that is not given", {"post_processor": template() | {"special_tokens": {}}},
             panics, "a"),
        hand("special tokens as text", texts, own, "a[CLS]", specials="text",
             tokens=["a", *["[UNK]"] * 5], ids=[3, *[0] * 5], offsets=[[i, i + 1] for i in range(6)]),
        hand("special tokens refused", texts, own, "a[CLS]", specials="error"),
        hand("special tokens refused, and none there", texts, own, "ab", specials="error",
             tokens=["a", "b"], ids=[3, 4], offsets=[[0, 1], [1, 2]]),
        hand("some special tokens matched; no text becomes one", {**letters, "added_tokens": special}, own, "ab[CLS]",
             specials=["[CLS]"], tokens=["a", "[UNK]", "[CLS]"], ids=[3, 0, 1], offsets=[[0, 1], [1, 2], [2, 7]]),
        marked(" always matched", "text", ["a", *unknown, "  ", "[SEP]"]),
        marked(" as text, but for white space", "text-all", ["a", *unknown, "  ", *unknown]),
        hand("added tokens that are not special refused", {**letters, "added_tokens": plain}, own, "a[SEP]",
             specials="error-all"),
        hand("added tokens refused, and white space alone there", {**letters, "added_tokens": plain}, own, "a  b",
             specials="error-all", tokens=["a", "  ", "b"], ids=[3, 13, 4], offsets=[[0, 1], [1, 3], [3, 4]]),
        controlled(": text by default", None, ["b", "[SEP]", "a", *unknown]),
        controlled(" matched", "match", ["b", "[SEP]", "a", "[CLS]"]),
        controlled(" and other special tokens as text", "text", ["b", *unknown, "a", *unknown]),
        controlled(" allowed", ["[CLS]"], ["b", *unknown, "a", "[CLS]"]),
        hand("control symbols refused", {**letters, "added_tokens": both}, own, "[CLS]", specials="error",
             control_symbols=["[CLS]"]),
        hand("a control symbol that is no special token", letters, own, "a", control_symbols=["[CLS]"]),
        hand("phrases stay whole", {"model": "words", **row(dictionary, whitespace)}, own, "the New York s",
             tokens=["the", "New York", "[UNK]"], ids=[9, 12, 0], offsets=[[0, 3], [4, 12], [13, 14]]),
    ]  # fmt: skip


# Cases


def case(name: str, config: Json, *texts: Any, add_special_tokens: bool = True) -> Json:
    """Returns a case with the result of the live reference, or its error."""
    made = {"name": name, "source": "tokenizers", "config": config, "text": texts[0]}
    if len(texts) > 1:
        made["pair"] = texts[1]
    if not add_special_tokens:
        made["add_special_tokens"] = False
    live = Tokenizer.from_str(json.dumps(whole(config)))
    words = isinstance(texts[0], list)
    try:
        encoding = live.encode(*texts, is_pretokenized=words, add_special_tokens=add_special_tokens)
    except Exception:  # noqa: BLE001  # the library knows no other kind
        return made | {"error": "value"}
    except BaseException as panic:
        if "stride" not in str(panic):
            raise SystemExit(f"{name}: the library panics: {panic}") from panic
        return made | {"source": "by hand: the library panics", "error": "value"}
    made |= columns(encoding)
    if encoding.overflowing:
        made["overflowing"] = [columns(part) for part in encoding.overflowing]
    return made


def hand(
    name: str,
    config: Json,
    source: str,
    text: str,
    *,
    specials: Any = None,
    control_symbols: Any = None,
    **wanted: Any,
) -> Json:
    """Returns a case written by hand; with nothing wanted, it is an error."""
    made = {"name": name, "source": source, "config": config, "text": text}
    if specials is not None:
        made["specials"] = specials
    if control_symbols is not None:
        made["control_symbols"] = control_symbols
    return made | (wanted or {"error": "value"})


def columns(encoding: Any) -> Json:
    """Returns the columns of an encoding, without those that have default values."""
    every = {name: [*map(plain, getattr(encoding, name))] for name in COLUMNS}
    silent = {"type_ids": 0, "special_tokens_mask": 0, "attention_mask": 1, "sequence_ids": 0}
    return {
        name: column
        for name, column in every.items()
        if name not in silent or any(value != silent[name] for value in column)
    }


def plain(value: Any) -> Any:
    """Returns a value as JSON has it."""
    return list(value) if isinstance(value, tuple) else value


def whole(config: Json) -> Json:
    """Returns the tokenizer.json of a case."""
    named = models()[config.get("model", "pieces")]
    members = ("normalizer", "pre_tokenizer", "post_processor", "truncation", "padding")
    given = {name: config.get(name) for name in members}
    tokens = config.get("added_tokens", [])
    return {"version": "1.0", **given, "added_tokens": tokens, "decoder": None, "model": named}


def rendered() -> str:
    """Returns the text of the file: one case a line, so that a diff shows single cases."""
    cases = [*alone(), *together(), *added_tokens(), *around(), *lengths(), *odd(), *by_hand()]
    repeated = [c["name"] for c in cases if sum(d["name"] == c["name"] for d in cases) > 1]
    if repeated:
        raise SystemExit(f"two cases have one name: {repeated[0]}")
    named = ",\n".join(f"{json.dumps(name)}: {json.dumps(m)}" for name, m in models().items())
    lines = ",\n".join(json.dumps(each, ensure_ascii=True) for each in cases)
    return '{"models": {\n' + named + '\n},\n"cases": [\n' + lines + "\n]}\n"


def main() -> int:
    """Writes the file, or with --check exits with 1 if it is out of date."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if stale")
    text = rendered()
    if not parser.parse_args().check:
        TARGET.write_text(text, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != text:
        print(f"{TARGET} is stale: run tools/make_pipeline_cases.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
