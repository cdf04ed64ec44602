"""Random texts for pipelines: words, difficult characters, lines of corpora."""

import io
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

WORDS = (
    *"the The of and quick Brown fox jumps lazy low lower lowest newest widest un able".split(),
    *"unaffable tokenization TOKEN don't can't we're y'all'd've I'm it's re've do not HTML".split(),
    *"naïve café Ünïcode ÉCOLE e\u0301te\u0301 İstanbul ΟΔΟΣ ẞ straße ĲSSELMEER ﬁnance Ǆ".split(),
    *"中文字符 我们 研究生命 東京 日本語テキスト ひらがな カタカナ ｶﾞﾊﾞ １２３ ＡＢＣ".split(),
    *"한국어 대한민국 \u1112\u1161\u11ab \uac00\u11a8 हिन्दी नमस्ते ภาษาไทย مرحبا می\u200cخواهم שלום".split(),
    *"привет Мир ё й Ἀθῆναι ѣ 123 3.14 1,000 2024-05-06 x1y2 ½ ² Ⅷ ٣٤".split(),
    *"a aa aaa aaaa ab aba abab b c # ## ##ing un##able _ __init__ foo_bar $5.00 C++ http://a.b/c?d=e".split(),
    *"👍 👍🏽 👨\u200d👩\u200d👧 🇩🇪🇫🇷 ❤\ufe0f 1\ufe0f\u20e3 ™ © № ℃ …".split(),
    *"[CLS] [SEP] [MASK] [UNK] [PAD] [cls] <s> </s> <unk> <pad> ▁the Ġthe low</w> <0xE4>".split(),
)

SPACES = (
    *(" ",) * 12,
    *("  ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2028", "\u2009", "\u200b", "\u202f"),
    *("\x0b", "\x0c", "\x85", "\x1c", "\u180e", "\ufeff", "▁", " ▁"),
)

DIFFICULT = (
    *"\U0002b820 \U0002b920 \u0378 \U000e0001 \ue000 \x00 \x01 \x7f \ufffd \u00ad \ufeff".split(
        " "
    ),
    *"\u200b \u200c \u200d \u180e \u00a0 \u3000 \u2028 \u2029 \x0b \x0c \x85 \x1e \x1f".split(" "),
    *"İ Σ ς ẞ ß ſ K Å ﬁ ﬃ ŉ ǰ ΐ ᾳ a\u20dd a\u1ac1 a\u0323\u0307 a\u0307\u0323 \u2e52 \u166d – …".split(),
    *"\uac00 \uac01 \u1100\u1161 \u1100\u1161\u11a8 \u11a8 \u0958 \u0915\u093c \u0344 \u0340 \u2126 \u212b".split(),
    *"\u0f73 \u0f71\u0f72 \U0001d15e \u2fa1d \ufb1d \ufdfa ™\x1eg ～ ﾞ ｶﾞ ㍿ ㌔ ① Ⅳ ĳ ǆ".split(),
    *"' 's 't 'S 'ſ '' \" ` ´ . , ! ? - — _ / \\ ( ) [ ] { } < > ^ $ | * + = ~ @ # % & ; :".split(),
    *"\u0301 \u0308\u0301 \u093f \u0e33 \u0eb3 \u17b4 \u1885 \u1d165 \U0001f3fd \ufe0f \u20e3".split(),
    *(
        "a\u0301" * 3,
        "e\u0301" * 9,
        "a" * 12,
        "é" * 12,
        "中" * 7,
        "가" * 9,
        " " * 7,
        "\n\n",
        "\r\n\r\n",
    ),
)

CORPORA = (
    "en/wikitext2-valid.txt",
    "zh/cmrc2018-a.txt",
    "multi/tatoeba-112langs.tsv",
    "code/rust-std.txt",
    "nasty/blns.txt",
    "nasty/synthetic-random-unicode.txt",
    "nasty/synthetic-zalgo.txt",
    "nasty/emoji-test-15.0.txt",
    "nasty/NormalizationTest-15.0.txt",
)
BYTES_PER_CORPUS = 300_000


@cache
def lines(data: Path) -> tuple[tuple[str, ...], ...]:
    """Returns lines of the available corpora, one group per corpus."""
    return tuple(group for name in CORPORA if (group := _lines(data / "corpora" / name)))


def _lines(path: Path) -> tuple[str, ...]:
    text = _start(path).decode("utf-8", "ignore")
    return tuple(line for line in text.split("\n") if line.strip())


def _start(path: Path) -> bytes:
    if path.is_file():
        return path.read_bytes()[:BYTES_PER_CORPUS]
    packed = path.with_name(f"{path.name}.zst")
    if not packed.is_file():
        return b""
    try:
        import zstandard
    except ImportError:
        return b""
    return bytes(
        zstandard.ZstdDecompressor()
        .stream_reader(io.BytesIO(packed.read_bytes()))
        .read(BYTES_PER_CORPUS)
    )


class Texts:
    """Random texts with shared words, so that vocabularies and added tokens match."""

    def __init__(self, rng: random.Random, data: Path | None) -> None:
        self.rng = rng
        self.groups = lines(data) if data else ()
        self.words = [self.word() for _ in range(rng.randint(4, 14))]
        self.contents: list[str] = []
        """Contents of added tokens, which texts hold, too."""

    def word(self) -> str:
        """Returns a random word."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.55:
            return rng.choice(WORDS)
        if kind < 0.7 and self.groups:
            return rng.choice(self.line().split() or ["x"])[:20]
        if kind < 0.8:
            return rng.choice(DIFFICULT)
        if kind < 0.9:
            return rng.choice(WORDS) + rng.choice(DIFFICULT) + rng.choice(WORDS)
        return "".join(map(self.character, range(rng.randint(1, 4))))

    def character(self, _: int = 0) -> str:
        """Returns a random scalar value; low planes are more likely."""
        top = self.rng.choice((0x80, 0x250, 0x3000, 0xD800, 0x10000, 0x20000, 0x110000))
        code = self.rng.randrange(top)
        return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"

    def line(self) -> str:
        """Returns a slice of a line of a corpus, or a word where there is none."""
        if not self.groups:
            return self.rng.choice(WORDS)
        line = self.rng.choice(self.rng.choice(self.groups))
        start = self.rng.randrange(min(len(line), 400))
        return line[start : start + self.rng.randint(1, 60)]

    def part(self) -> str:
        """Returns a part of a text: a word, an added token, or difficult characters."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.3 and self.contents:
            return self.cased(rng.choice(self.contents))
        if kind < 0.8:
            return self.cased(rng.choice(self.words))
        if kind < 0.9:
            return rng.choice(DIFFICULT)
        return self.word()

    def cased(self, part: str) -> str:
        """Returns the part, rarely in another case or shortened."""
        turn: Callable[[str], str] = self.rng.choice(
            (*(str,) * 12, str.upper, str.lower, str.title, str.swapcase, lambda s: s[:-1])
        )
        return turn(part)

    def text(self) -> str:
        """Returns a text."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.04:
            return rng.choice(("", "", " ", "\n", "\u0301", "\x00", "▁", rng.choice(DIFFICULT)))
        if kind < 0.14:
            return self.line()
        parts: list[str] = []
        for _ in range(rng.choice((1, 2, 3, 4, 5, 6, 8, 12, 20))):
            parts += self.part(), rng.choice(SPACES) if rng.random() < 0.65 else ""
        if rng.random() < 0.6:
            parts.pop()
        return ("" if rng.random() < 0.8 else rng.choice(SPACES)) + "".join(parts)

    def list_of_words(self) -> list[str]:
        """Returns a pre-tokenized text; a word may contain spaces or be empty."""
        few = self.rng.choice((0, 1, 2, 3, 4, 6, 10))
        return [self.text() if self.rng.random() < 0.1 else self.part() for _ in range(few)]
