"""Writes spec/cases/encode.json, the expected encodings, from the live reference.

Run it with a Python that has Hugging Face `tokenizers` 0.23; nothing of this project is imported,
so the expected values are independent of it:

    python tools/make_encode_cases.py [--check]

Cases that the reference cannot express (the unknown policies `run` and `char`, ways to treat special
tokens other than `match`) are written by hand in `BY_HAND`, each with its source.
"""

import argparse
import json
import sys
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

TARGET = Path(__file__).parents[1] / "spec" / "cases" / "encode.json"
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
HUG = ["b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hug"]

# Every setting with its default value.
DEFAULTS = {
    "normalizer": "bert",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
    "pre_tokenizer": "bert",
    "unknown": "word",
    "prefix": "##",
    "max_input_chars_per_word": 100,
    "specials": "match",
}

# name -> differences from the defaults
CONFIGURATIONS = {
    "uncased": {},
    "cased": {"lowercase": False},
    "cased, accents stripped": {"lowercase": False, "strip_accents": True},
    "uncased, accents kept": {"strip_accents": False},
    "not cleaned": {"clean_text": False, "handle_chinese_chars": False},
    "white space": {"pre_tokenizer": "whitespace"},
    "bare words": {"normalizer": None, "pre_tokenizer": "whitespace"},
    "whole text": {"normalizer": None, "pre_tokenizer": None, "max_input_chars_per_word": None},
    "whole text, no prefix": {
        "pre_tokenizer": None,
        "prefix": "",
        "max_input_chars_per_word": None,
    },
}

TRAPS = {
    "CJK extension E as the standard opens it": "a\U0002b820b",
    "CJK extension E as the reference opens it": "a\U0002b920b",
    "unassigned": "a\u0378b",
    "language tag": "a\U000e0001b",
    "private use": "a\ue000b",
    "vertical tab": "a\x0bb",
    "form feed": "a\x0cb",
    "next line": "a\x85b",
    "NUL": "a\0b",
    "delete": "a\x7fb",
    "replacement character": "a\ufffdb",
    "soft hyphen": "a\xadb",
    "byte order mark": "\ufeffhello",
    "zero-width space": "a\u200bb",
    "zero-width joiner": "a\u200db",
    "Mongolian vowel separator": "a\u180eb",
    "no-break space": "a\xa0b",
    "ideographic space": "a\u3000b",
    "line separator": "a\u2028b",
    "dotted capital i": "\u0130stanbul",
    "final sigma": "\u039f\u0394\u039f\u03a3",
    "capital sharp s": "\u1e9e",
    "Kelvin sign": "\u212a",
    "ligature": "\ufb01",
    "enclosing mark": "a\u20ddb",
    "nonspacing mark newer than the tables": "a\u1ac1b",
    "marks in canonical order": "a\u0323\u0307b",
    "marks out of canonical order": "a\u0307\u0323b",
    "composed letter and a mark that moves before its own": "a\u1e0b\u0323\u0323c",
    "mark that decomposes": "a\u0344\u0323b",
    "text that begins with a mark": "\u0301a",
    "punctuation newer than the tables": "a\u2e52b",
    "punctuation that became a symbol": "a\u166db",
    "dash": "a\u2013b",
    "ellipsis": "a\u2026b",
    "ASCII symbols count as punctuation": "a$b^c`d~e",
    "Hangul composed": "\ud55c\uad6d\uc5b4",
    "Hangul as jamo": "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165",
    "Devanagari": "\u0939\u093f\u0928\u094d\u0926\u0940 \u0915\u093c\u095e",
    "Thai": "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0e19\u0e49\u0e33",
    "Persian with a zero-width non-joiner": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Chinese": "ab\u4e2d\u6587c",
    "compatibility ideograph": "a\uf900b",
    "emoji family": "\U0001f468\u200d\U0001f469\u200d\U0001f467 x",
    "flag": "\U0001f1e9\U0001f1eax",
    "letters at the limit": ("a", 100),
    "letters past the limit": ("a", 101),
    "composed letters at the limit": ("\xe9", 100),
    "composed letters past the limit": ("\xe9", 101),
    "letters with marks at the limit": ("e\u0301", 100),
    "letters with marks past the limit": ("e\u0301", 101),
    "Hangul, 102 bytes": ("\uac00", 34),
    "Hangul, 102 jamo": ("\uac00", 51),
    "a hundred thousand letters": ("a", 100_000),
    "a hundred thousand letters with marks": ("a\u0301", 100_000),
    "literal prefixes": "##ing un##able ##",
    "special tokens": "[CLS] [cls] [MASK]x[MASK]",
    "special tokens side by side": "[SEP][SEP] [PAD",
    "mark after a special token": "a[MASK]\u0301b",
    "prefix of an entry that then fails": "hellos hellx unabl",
    "empty": "",
    "blank": " \t\n ",
    "controls only": "\x01\x02\u200b",
    "marks only": "\u0301\u0302",
    "edges": "  Hello,  unable!  ",
}

WORDS = [
    *("hello", "un", "unable", "##able", "##ing", "##un", "able", "ing", "istanbul", "##lo"),
    *("hel", "##tan", "Hello", "Un", "aa", "##aaa", "##ee"),
]
ABSENT = "x\u0645\u4e2d\U0001f467\u0926"  # characters left out, so that some words are unknown


def by_hand() -> list[dict]:
    """Returns the cases that the reference cannot express."""
    note = {"vocab": "unknown parts", "text": "ğxcluo", "source": "by hand"}
    bare = {"normalizer": None, "pre_tokenizer": "whitespace"}
    hug = {"vocab": "hug", "source": "by hand"}
    plain = {"vocab": "specials", "source": "by hand", "text": "a[SEP]b [MASK]"}
    return [
        case("unknown parts, word", note, bare | {"unknown": "word"}, [("[UNK]", 0, 6)]),
        case("unknown parts, run", note, bare | {"unknown": "run"},
             [("[UNK]", 0, 1), ("##x", 1, 2), ("##c", 2, 3), ("##luo", 3, 6)]),
        case("unknown parts, char", note, bare | {"unknown": "char"},
             [("[UNK]", 0, 1), ("##x", 1, 2), ("##c", 2, 3), ("##luo", 3, 6)]),
        case("runs at both ends, run", hug | {"text": "xyugszz"}, {"unknown": "run"},
             [("[UNK]", 0, 2), ("##u", 2, 3), ("##gs", 3, 5), ("[UNK]", 5, 7)]),
        case("runs at both ends, char", hug | {"text": "xyugszz"}, {"unknown": "char"},
             [("[UNK]", 0, 1), ("[UNK]", 1, 2), ("##u", 2, 3), ("##gs", 3, 5), ("[UNK]", 5, 6),
              ("[UNK]", 6, 7)]),
        case("runs end at the border of a word", hug | {"text": "xx xx"}, {"unknown": "run"},
             [("[UNK]", 0, 2), ("[UNK]", 3, 5)]),
        case("past the limit, run", hug | {"text": "hugx"},
             {"unknown": "run", "max_input_chars_per_word": 3}, [("[UNK]", 0, 4)]),
        case("past the limit, char", hug | {"text": "hugx"},
             {"unknown": "char", "max_input_chars_per_word": 3}, [("[UNK]", 0, 4)]),
        case("straight over a sentence", {"vocab": "no prefix", "text": "to be?",
             "source": "by hand"},
             {"normalizer": None, "pre_tokenizer": None, "prefix": "", "unknown": "char"},
             [("to", 0, 2), (" be", 2, 5), ("[UNK]", 5, 6)]),
        case("special tokens as text", plain, {"specials": "text"},
             [("a", 0, 1), ("[", 1, 2), ("sep", 2, 5), ("]", 5, 6), ("b", 6, 7), ("[", 8, 9),
              ("[UNK]", 9, 13), ("]", 13, 14)]),
        case("some special tokens matched", plain, {"specials": ["[MASK]"]},
             [("a", 0, 1), ("[", 1, 2), ("sep", 2, 5), ("]", 5, 6), ("b", 6, 7),
              ("[MASK]", 8, 14)]),
        case("special tokens refused", plain, {"specials": "error"}, None),
        case("all added tokens as text", plain, {"specials": "text-all"},
             [("a", 0, 1), ("[", 1, 2), ("sep", 2, 5), ("]", 5, 6), ("b", 6, 7), ("[", 8, 9),
              ("[UNK]", 9, 13), ("]", 13, 14)]),
        case("all added tokens refused", plain, {"specials": "error-all"}, None),
        case("all added tokens refused, and none there", plain | {"text": "a b"}, {"specials": "error-all"},
             [("a", 0, 1), ("b", 2, 3)]),
    ]  # fmt: skip


def case(name: str, start: dict, settings: dict, tokens: list | None) -> dict:
    """Returns one case written by hand; None for the tokens means an error."""
    made = {"name": name, **start, "settings": settings}
    if tokens is None:
        return made | {"error": "value"}
    entries = vocabularies()[start["vocab"]]
    made["tokens"] = [token for token, _, _ in tokens]
    made["ids"] = [entries.index(token) for token, _, _ in tokens]
    made["offsets"] = [[begin, end] for _, begin, end in tokens]
    return made


def vocabularies() -> dict[str, list[str]]:
    """Returns every vocabulary that a case names."""
    characters: set[str] = set()
    for text in TRAPS.values():
        for settings in CONFIGURATIONS.values():
            characters.update(normalized(text if isinstance(text, str) else text[0], settings))
    known = [c for c in sorted(characters) if (c == " " or not c.isspace()) and c not in ABSENT]
    return {
        "traps": SPECIALS + WORDS + known + ["##" + c for c in known],
        "hug": ["[UNK]", *HUG],
        "specials": [*SPECIALS, "a", "b", "[", "]", "sep"],
        "four sentences": four_sentences()[1],
        "no prefix": ["[UNK]", "to", " be", "t", "o", " ", "b", "e"],
        "unknown parts": ["[UNK]", "x", "##x", "c", "##c", "##luo"],
    }


def four_sentences() -> tuple[str, list[str]]:
    """Returns the first of four sentences and the final vocabulary, from the training cases."""
    cases = json.loads((TARGET.parent / "train.json").read_text(encoding="utf-8"))["cases"]
    note = next(each for each in cases if each["name"] == "four sentences")
    return note["texts"][0], note["expected"]["vocab"]


def normalizer_of(settings: dict) -> normalizers.Normalizer | None:
    """Returns the reference's normalizer for a case."""
    full = DEFAULTS | settings
    if full["normalizer"] is None:
        return None
    flags = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    return normalizers.BertNormalizer(**{flag: full[flag] for flag in flags})


def normalized(text: str, settings: dict) -> str:
    """Returns a text as the reference normalizes it."""
    normalizer = normalizer_of(settings)
    return text if normalizer is None else normalizer.normalize_str(text)


def reference(vocabulary: list[str], settings: dict) -> Tokenizer:
    """Returns the live reference with these settings."""
    full = DEFAULTS | settings
    limit = full["max_input_chars_per_word"]
    model = models.WordPiece(
        {entry: i for i, entry in enumerate(vocabulary)},
        unk_token="[UNK]",
        continuing_subword_prefix=full["prefix"],
        max_input_chars_per_word=10**9 if limit is None else limit,
    )
    tokenizer = Tokenizer(model)
    tokenizer.add_special_tokens([token for token in SPECIALS if token in vocabulary])
    normalizer = normalizer_of(settings)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if full["pre_tokenizer"] == "bert":
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    elif full["pre_tokenizer"] == "whitespace":
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def live_cases(vocabs: dict[str, list[str]]) -> list[dict]:
    """Returns every trap under every configuration, and the words of a longest match."""
    cases = []
    for title, settings in CONFIGURATIONS.items():
        tokenizer = reference(vocabs["traps"], settings)
        for name, text in TRAPS.items():
            if not isinstance(text, str) and title not in ("uncased", "cased"):
                continue
            cases.append(live_case(f"{name}; {title}", "traps", settings, text, tokenizer))
    tokenizer = reference(vocabs["hug"], {})
    cases.extend(
        live_case(f"longest match, {word}", "hug", {}, word, tokenizer)
        for word in ("hugs", "bugs", "mug", "bum", "pugs")
    )
    cased = {"lowercase": False}
    tokenizer = reference(vocabs["four sentences"], cased)
    cases.append(
        live_case(
            "the first of four sentences", "four sentences", cased, four_sentences()[0], tokenizer
        )
    )
    return cases


def live_case(name: str, vocab: str, settings: dict, text: str | tuple, live: Tokenizer) -> dict:
    """Returns one case with the result of the live reference."""
    written = text if isinstance(text, str) else text[0] * text[1]
    encoding = live.encode(written, add_special_tokens=False)
    return {
        "name": name,
        "vocab": vocab,
        "text": text if isinstance(text, str) else {"repeat": list(text)},
        "source": "tokenizers",
        "settings": settings,
        "tokens": encoding.tokens,
        "ids": encoding.ids,
        "offsets": [list(offset) for offset in encoding.offsets],
    }


def rendered() -> str:
    """Returns the text of the file: one case a line, so that a diff shows single cases."""
    vocabs = vocabularies()
    cases = live_cases(vocabs) + by_hand()
    lines = [json.dumps(each, ensure_ascii=True) for each in cases]
    return (
        '{"defaults": ' + json.dumps(DEFAULTS) + ',\n"vocabs": {\n'
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(v)}" for name, v in vocabs.items())
        + '\n},\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"
    )  # fmt: skip


def main() -> int:
    """Writes the file, or with --check exits with 1 if it is out of date."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if stale")
    text = rendered()
    if not parser.parse_args().check:
        TARGET.write_text(text, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != text:
        print(f"{TARGET} is stale: run tools/make_encode_cases.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
