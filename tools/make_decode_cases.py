"""Writes spec/cases/decode.json, the expected results of decoders, from the live reference.

Run it with a Python that has Hugging Face `tokenizers` 0.23; nothing of this project is imported,
so the expected values are independent of it:

    python tools/make_decode_cases.py [--check]

Cases in which the reference crashes are written by hand in `BY_HAND`.
"""

import argparse
import json
import sys
from pathlib import Path

from tokenizers import Tokenizer

TARGET = Path(__file__).parents[1] / "spec" / "cases" / "decode.json"

FUSE = {"type": "Fuse"}
FALLBACK = {"type": "ByteFallback"}
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}


def wordpiece(prefix: str = "##", *, cleanup: bool = True) -> dict:
    """Returns a WordPiece decoder."""
    return {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup}


def bpe(suffix: str = "</w>") -> dict:
    """Returns a BPE decoder."""
    return {"type": "BPEDecoder", "suffix": suffix}


def metaspace(replacement: str = "▁", scheme: str = "always") -> dict:
    """Returns a Metaspace decoder."""
    return {
        "type": "Metaspace",
        "replacement": replacement,
        "prepend_scheme": scheme,
        "split": True,
    }


def strip(content: str, start: int, stop: int) -> dict:
    """Returns a Strip decoder."""
    return {"type": "Strip", "content": content, "start": start, "stop": stop}


def literal(text: str, content: str) -> dict:
    """Returns a Replace decoder for a string."""
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


def regex(source: str, content: str) -> dict:
    """Returns a Replace decoder for a regular expression that all engines understand alike."""
    return {"type": "Replace", "pattern": {"Regex": source}, "content": content}


def ctc(pad: str = "<pad>", delimiter: str = "|", *, cleanup: bool = True) -> dict:
    """Returns a CTC decoder."""
    return {
        "type": "CTC",
        "pad_token": pad,
        "word_delimiter_token": delimiter,
        "cleanup": cleanup,
    }


def sequence(*decoders: dict) -> dict:
    """Returns a sequence of decoders."""
    return {"type": "Sequence", "decoders": [*decoders]}


LLAMA = sequence(literal("▁", " "), FALLBACK, FUSE, strip(" ", 1, 0))

# name -> (decoder, tokens)
CASES = {
    "none, words": (None, ["to", "be", "", "##or"]),
    "none, no tokens": (None, []),
    "WordPiece, prefix": (wordpiece(), ["##a", "b", "##c", "##", "", "d"]),
    "WordPiece, empty prefix": (wordpiece(""), ["a", "b", " c"]),
    "WordPiece, each rule of clean-up": (
        wordpiece(),
        ["a", ".", "?", "!", ",", "' ", "n't", "'m", "do not", "'s", "'ve", "'re"],
    ),
    "WordPiece, clean-up does not look across tokens": (wordpiece(), ["do", "not", " do", "n't"]),
    "WordPiece, clean-up in the first token": (wordpiece(), ["a . do not", "b"]),
    "WordPiece, clean-up makes what it then finds": (wordpiece(), ["a ' s", "b  ' 's", " . ?"]),
    "WordPiece, no clean-up": (wordpiece(cleanup=False), ["a", ".", "##.", "n't"]),
    "WordPiece, no tokens": (wordpiece(), []),
    "WordPiece, an emoji for a prefix": (wordpiece("👩"), ["👩a", "👩‍👩b", "👩"]),
    "BPE, suffixes": (bpe(), ["un", "able</w>", "to</w>"]),
    "BPE, suffix in the middle and twice": (bpe(), ["a</w>b</w></w>", "</w>c</w>d"]),
    "BPE, one token": (bpe(), ["a</w>"]),
    "BPE, no tokens": (bpe(), []),
    "BPE, empty suffix": (bpe(""), ["aé", "", "bc"]),
    "byte level, words": (BYTE_LEVEL, ["Hello", "Ġworld", "Ċ", "na", "Ã", "¯", "ve"]),
    "byte level, every byte": (
        BYTE_LEVEL,
        [chr(c) for c in [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x144)]],
    ),
    "byte level, a character that is no byte": (BYTE_LEVEL, ["Ġa", "Ġ中", "[CLS] ", "ń"]),
    "byte level, a byte missing": (BYTE_LEVEL, ["ä¸", "a", "ä", "¸", "Ń", "ðŁĺ", "ð"]),
    "byte level, overlong and surrogate bytes": (BYTE_LEVEL, ["ÀĢ", "íłĢ", "ôıºº", "ôĲ"]),
    "byte level, no tokens": (BYTE_LEVEL, []),
    "byte level, empty tokens": (BYTE_LEVEL, ["", "a", ""]),
    "byte fallback, a character": (FALLBACK, ["<0xE5>", "<0x8f>", "<0xAB>", "a"]),
    "byte fallback, broken": (FALLBACK, ["<0xE5>", "<0x8f>", "a", "<0xAB>"]),
    "byte fallback, one bad byte spoils its run": (FALLBACK, ["<0x61>", "<0xFF>", "<0x62>"]),
    "byte fallback, a plus sign is a digit": (FALLBACK, ["<0x+5>", "<0x5+>", "<0x++>"]),
    "byte fallback, what is no byte": (
        FALLBACK,
        ["<0x-5>", "<0x 5>", "<0x5>", "<0X55>", "<0x055>", "<0xé>", "<0x１>", "<0x55", "<0x5_>"],
    ),
    "byte fallback, NUL and line feed": (FALLBACK, ["<0x00>", "<0x0A>", "<0x0a>"]),
    "byte fallback, no tokens": (FALLBACK, []),
    "Metaspace, words": (metaspace(), ["▁to", "▁be", "ing"]),
    "Metaspace, in the middle of tokens": (metaspace(), ["▁a▁b▁", "▁c▁d▁"]),
    "Metaspace, first": (metaspace(scheme="first"), ["▁a▁b▁", "▁c▁d▁"]),
    "Metaspace, never": (metaspace(scheme="never"), ["▁a▁b▁", "▁c▁d▁"]),
    "Metaspace, empty first token": (metaspace(), ["", "▁a"]),
    "Metaspace, another character": (metaspace("_"), ["_a", "▁b", "_c"]),
    "fuse": (FUSE, ["a", "", "b"]),
    "fuse no tokens": (sequence(FUSE, wordpiece()), []),
    "Strip, left": (strip("_", 1, 0), ["__a__", "_", "", "a"]),
    "Strip, right": (strip("_", 0, 2), ["__a___", "___", "b"]),
    "Strip, both": (strip("_", 2, 1), ["___a__", "____", "a"]),
    "Strip, more than there is": (strip("_", 100, 0), ["__a__", "__", ""]),
    "Strip, wide characters": (strip("é", 1, 1), ["éaé", "éé", "aé中é"]),
    "Replace, string": (literal("▁", " "), ["▁a▁▁b", "c"]),
    "Replace, string of signs": (literal("a.b*(c)[d]\\-&~#", "x"), ["za.b*(c)[d]\\-&~#z", "aab"]),
    "Replace, overlapping": (literal("aa", "b"), ["aaaaa", "aa", "a"]),
    "Replace, empty string": (literal("", "-"), ["aé", "", "b"]),
    "Replace, by nothing": (literal("a", ""), ["aaa", "ab"]),
    "Replace, content is no template": (regex("(a)", r"$1\1"), ["ab"]),
    "Replace, regex": (regex(r"[ab]+c?", "x"), ["abcab", "zzz", "c"]),
    "Replace, regex with empty matches": (regex("x*", "-"), ["axxb", "xx", "a", ""]),
    "Replace, regex that looks around": (regex("(?<=a)b(?!c)", "-"), ["abbc", "abc", "b"]),
    "Replace, empty regex": (regex("", "-"), ["é", ""]),
    "Replace, alternatives, the first one wins": (regex("a|ab", "x"), ["abab"]),
    "CTC, letters": (ctc(), "<pad> h e e l <pad> l o o | w | | o <pad>".split()),
    "CTC, clean-up": (ctc(), ["a", " .", "do not", " do not", "'s", " 's"]),
    "CTC, no clean-up": (ctc(cleanup=False), ["a", "a", "|", " .", "<pad>", "b"]),
    "CTC, padding within tokens": (ctc(), ["a<pad>b", "ab", "<pad><pad>", "<pa<pad>d>"]),
    "CTC, empty strings": (ctc("", ""), ["ab", "", "", "c"]),
    "CTC, no tokens": (ctc(), []),
    "sequence, none": (sequence(), ["a", "b"]),
    "sequence, Llama": (LLAMA, ["▁na", "<0xC3>", "<0xAF>", "ve", "▁text"]),
    "sequence, Llama, no tokens": (LLAMA, []),
    "sequence, nested": (sequence(sequence(FALLBACK, FUSE), bpe("a")), ["a", "<0x61>", "b"]),
    "sequence, the first part is the first of what came before": (
        sequence(ctc(), metaspace()),
        ["<pad>", "▁", "▁", "H", "H", "i", "▁", "y"],
    ),
    "sequence, byte level is one part": (sequence(BYTE_LEVEL, wordpiece()), ["Ġa", "Ġ.", "b"]),
}

CRASH = "by hand: the reference crashes"
# name, decoder, tokens, text
BY_HAND = [
    ("Strip, right, of empty tokens", strip("_", 0, 1), ["", "a"], "a"),
    ("Strip, right, more than there is", strip("_", 0, 3), ["__", "a__"], "a"),
    ("Strip, both take the same", strip("_", 2, 2), ["___", "__", "_"], ""),
]


def live(decoder: dict | None, tokens: list[str]) -> str:
    """Returns the text that the reference decodes from tokens."""
    if decoder is None:
        return " ".join(tokens)
    model = {"type": "BPE", "vocab": {}, "merges": []}
    tokenizer = Tokenizer.from_str(json.dumps({"model": model, "decoder": decoder}))
    return tokenizer.decoder.decode(tokens)


def rendered() -> str:
    """Returns the text of the file: one case a line, so that a diff shows single cases."""
    cases = [
        {
            "name": name,
            "source": "tokenizers",
            "decoder": decoder,
            "tokens": tokens,
            "text": live(decoder, tokens),
        }
        for name, (decoder, tokens) in CASES.items()
    ]
    cases += [
        {"name": name, "source": CRASH, "decoder": decoder, "tokens": tokens, "text": text}
        for name, decoder, tokens, text in BY_HAND
    ]
    return '{"cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n"


def main() -> int:
    """Writes the file, or with --check exits with 1 if it is out of date."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if stale")
    text = rendered()
    if not parser.parse_args().check:
        TARGET.write_text(text, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != text:
        print(f"{TARGET} is stale: run tools/make_decode_cases.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
