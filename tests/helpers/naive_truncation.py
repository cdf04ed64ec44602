"""Truncation of texts by trying every prefix and suffix, and texts that are difficult to truncate."""

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress

import piecework as pw
from piecework._settings.arguments import Specials
from piecework._settings.choices import Side
from piecework.errors import SpecialTokenError, TruncationError, UnknownTokenError

PARTS = (
    *(
        "a",
        "b",
        "ab",
        "the ",
        "The",
        " hello",
        "world",
        "it's",
        "don't",
        "'s",
        "aaaa",
        "====",
        "x" * 40,
    ),
    *(" ", "  ", "\n", "\r", "\r\n", "\t", "\x0b", "\u00a0", "\u3000", "\u2028", "\x00", "\x1c"),
    *("é", "e\u0301", "\u0301", "\u0323", "ﬁ", "İ", "ß", "Ω", "Σ", "ё", "한국", "ｶﾞ", "①"),
    *("中", "文", "日本", "ひ", "คำ", "ไทย", "\u0e33", "\u0627\u0644", "हिन्दी", "。"),
    *("👨\u200d👩\u200d👧", "👍🏽", "🇩🇪", "☃", "☃☃", "\u200d", "\ufe0f", "\ufffd"),
    *("∑", "∫x²", "x₁", "≤", "$x^2$", r"\frac{a}{b}", "∂/∂t", "10⁻⁹"),
    *("1", "12345", "3.14", "!!", "...", "(", ")", "#", "_", "-", "▁", "Ġ", "<0x41>"),
)
SPECIAL = (
    "<s>",
    "</s>",
    "<unk>",
    "[SEP]",
    "[CLS]",
    "[MASK]",
    "<|endoftext|>",
    "<mask>",
    "<new>",
    "x y",
)


def longest_part(
    tok: pw.Tokenizer,
    text: str,
    n: int,
    side: Side,
    *,
    add_special_tokens: bool = True,
    specials: Specials | None = None,
) -> str | None:
    """Returns the longest prefix or suffix that encodes to at most `n` tokens, by trying all; None if none does."""
    for length in range(len(text), -1, -1):
        part = text[:length] if side == "right" else text[len(text) - length :]
        try:
            count = tok.count(part, add_special_tokens=add_special_tokens, specials=specials)
        except (SpecialTokenError, UnknownTokenError):
            continue
        if count <= n:
            return part
    return None


def longest_words(
    tok: pw.Tokenizer,
    text: str,
    n: int,
    side: Side,
    *,
    add_special_tokens: bool = True,
    specials: Specials | None = None,
) -> str:
    """Returns the longest prefix that fits and ends at a word of the whole text, or suffix that begins at one."""
    untrimmed = tok.replace(post_processor=None)
    words = untrimmed.encode(text, add_special_tokens=False, specials=specials, truncation=None)
    starts, ends = zip(*words.offsets, strict=True) if words.offsets else ((), ())
    last: dict[int | None, int] = dict(zip(words.word_ids, ends, strict=True))
    first = dict(zip(reversed(words.word_ids), reversed(starts), strict=True))
    if side == "right":
        parts = [text[:end] for end in {0, *last.values()}]
    else:
        parts = [text[start:] for start in {len(text), *first.values()}]
    count = lambda part: tok.count(part, add_special_tokens=add_special_tokens, specials=specials)  # noqa: E731
    return max((part for part in parts if count(part) <= n), key=len)


def truncated(
    tok: pw.Tokenizer,
    text: str,
    n: int,
    side: Side,
    *,
    add_special_tokens: bool = True,
    specials: Specials | None = None,
) -> pw.TruncatedText | None:
    """Returns what `truncate_text` returns; None for TruncationError."""
    try:
        return tok.truncate_text(
            text, n, side=side, add_special_tokens=add_special_tokens, specials=specials
        )
    except TruncationError:
        return None


def draw_texts(seed: int, more: Sequence[str] = SPECIAL) -> Iterator[str]:
    """Yields random texts without end."""
    draw = random.Random(seed)
    parts = [*PARTS, *more]
    while True:
        yield "".join(draw.choices(parts, k=draw.randrange(1, 24)))


def may_overlap(tok: pw.Tokenizer) -> bool:
    """Returns whether an added token has a byte with which one begins elsewhere."""
    contents = [token.content.encode() for token in tok.added_tokens.values()]
    first = {content[0] for content in contents}
    return any(first & set(content[1:]) for content in contents)


def check(tok: pw.Tokenizer, texts: Iterator[str], trials: int, seed: int = 0) -> None:
    """Compares truncation with trying everything, for random texts, numbers of tokens and options."""
    draw = random.Random(seed)
    for _, text in zip(range(trials), texts, strict=False):
        flag = draw.random() < 0.5
        specials: Specials | None = draw.choice([None, None, "match", "text"])
        try:
            whole = tok.count(text, add_special_tokens=flag, specials=specials)
        except UnknownTokenError:
            whole = len(text)
        n = draw.randrange(whole + 2)
        for side in ("right", "left"):
            wanted = longest_part(tok, text, n, side, add_special_tokens=flag, specials=specials)
            found = truncated(tok, text, n, side, add_special_tokens=flag, specials=specials)
            if found is not None and not found.is_longest:
                refuses = tok.model_type != "BPE" and tok.unk_token not in tok.vocab
                overlap = may_overlap(tok) and (
                    side == "left" or any(token.single_word for token in tok.added_tokens.values())
                )
                assert refuses or "Regex" in tok.to_str() or overlap, "the others are proven"
                # Offsets of tokens are not those of words if unknown characters are dropped, or refused.
                drops = tok.model_type == "BPE" and tok.unk_token is None
                wanted = found
                if not (refuses or drops):
                    with suppress(UnknownTokenError):
                        wanted = longest_words(
                            tok, text, n, side, add_special_tokens=flag, specials=specials
                        )
                assert tok.count(found, add_special_tokens=flag, specials=specials) <= n
                if overlap:
                    continue
            assert found == wanted, (text, n, side, flag, specials)
