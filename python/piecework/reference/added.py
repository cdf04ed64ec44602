r"""Added tokens: strings that are cut out of the text before the model sees it.

They are looked for twice: in the text as given those that are not `normalized`, and then, in each
stretch between them and after its normalization, the normalized ones, in their own normal form. Each
time the matches are leftmost, of those the longest, and they do not overlap. Then each match is
judged:

    single_word   a word character right before or after it: no match
    lstrip        it takes the white space before it along
    rstrip        it takes the white space after it along

A match that was judged none has still used up its text: with `ab` for a single word and `bc`, the
text `abc` holds neither. And a match that begins in white space that `rstrip` gave to the one before
overlaps it: both are there, and the white space is in both. The library does it so. Only where
`lstrip` stops at the match before and nothing is left, there is no match (the library panics where
less than nothing is left).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from piecework.reference import unicode
from piecework.reference.aligned import Normalized, identity


@dataclass(frozen=True)
class AddedToken:
    """Gives a string that becomes one token wherever it stands.

    Args:
        content: The string.
        id: Its number.
        single_word: Only where no word character stands right before or after it.
        lstrip: White space before it belongs to it.
        rstrip: White space after it belongs to it.
        normalized: It is looked for in normalized text, in its normal form.
        special: It stands for no text: it may be forbidden in a text, and left out in decoding.

    >>> AddedToken("[MASK]", 4, normalized=False, special=True).content
    '[MASK]'
    """

    content: str
    id: int
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True
    special: bool = False


class Stretch(NamedTuple):
    """Gives a part of a text: a match of an added token, or what lies between matches.

    Args:
        value: The part.
        token: The added token, or None.
    """

    value: Normalized
    token: AddedToken | None


Specials = str | Collection[str]


def numbered(tokens: Iterable[AddedToken], vocabulary: Mapping[str, int]) -> list[AddedToken]:
    """Gives tokens their numbers: what a tokenizer.json says of them is not asked.

    A token that the model knows has the model's number. Any other is numbered on from the *size* of
    the model's vocabulary, in order, even where that number is taken. Of tokens with the same
    content the last one's settings hold; an empty one is left out.

    Args:
        tokens: The tokens, in the order of the file; their ids play no part.
        vocabulary: The model's entries.

    Returns:
        The tokens with their ids, each content once.

    >>> [t.id for t in numbered([AddedToken("x", 0), AddedToken("a", 0)], {"a": 0, "b": 1})]
    [2, 0]
    """
    made: dict[str, AddedToken] = {}
    ids = dict(vocabulary)
    following = len(vocabulary)
    for token in tokens:
        if not token.content:
            continue
        if token.content not in ids:
            ids[token.content] = following
            following += 1
        made[token.content] = replace(token, id=ids[token.content])
    return list(made.values())


class AddedTokens:
    """Gives the added tokens of a tokenizer, ready to be looked for.

    Args:
        tokens: The tokens.
        normalize: The tokenizer's normalizer.
        form_of: Gives the form in which a token is sought in normalized text; by default its own normalized form.
        controls: The special tokens that are text where a call does not say otherwise: the control
            symbols of a SentencePiece model.

    >>> tokens = AddedTokens([AddedToken("[M]", 0, lstrip=True, normalized=False)], identity)
    >>> [(s.value.text, s.token is not None) for s in tokens.split("a [M]b")]
    [('a', False), (' [M]', True), ('b', False)]
    """

    def __init__(
        self,
        tokens: Iterable[AddedToken],
        normalize: Callable[[str], Normalized] = identity,
        form_of: Callable[[str], str] | None = None,
        controls: Iterable[str] = (),
    ) -> None:
        self.tokens = {token.content: token for token in tokens}
        self.special = frozenset(t.content for t in self.tokens.values() if t.special)
        self.controls = frozenset(controls)
        if self.controls - self.special:
            raise ValueError(f"{sorted(self.controls - self.special)} are no special tokens")
        self._normalize = normalize
        by_id = sorted(self.tokens.values(), key=lambda token: token.id, reverse=True)
        self._verbatim = {token.content: token for token in by_id if not token.normalized}
        # Of two tokens with one normal form the lower id wins; the library leaves that to chance.
        form_of = form_of or (lambda content: normalize(content).text)
        self._normal = {form_of(token.content): token for token in by_id if token.normalized}

    def settled(self, specials: Specials | None) -> Specials:
        """Gives what a call means that says nothing of special tokens.

        Args:
            specials: What it says; None for nothing.

        Returns:
            `match`, and where there are control symbols, the set of all other special tokens.

        >>> mark = AddedToken("[M]", 0, special=True)
        >>> AddedTokens([mark]).settled(None), AddedTokens([mark], controls=["[M]"]).settled(None)
        ('match', frozenset())
        """
        if specials is None:
            return self.special - self.controls if self.controls else "match"
        return specials

    def split(self, text: str, specials: Specials | None = None) -> list[Stretch]:
        """Cuts a text at its added tokens, and normalizes what lies between.

        Args:
            text: Any text without lone surrogates.
            specials: What becomes of special tokens. `match`: they are matched. `text`: they are
                found but are no match. `error`: there may be none. A set: these are matched, and no
                other is even looked for. None: see `settled`.

        Returns:
            Matches and the rest, in order; none is empty.

        Raises:
            ValueError: a special token stands in the text and may not; a set names one that there
                is not.
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> tokens = AddedTokens([AddedToken("[M]", 0, special=True)])
        >>> [s.value.text for s in tokens.split("a[M]", specials="text")]
        ['a[M]']
        """
        specials = self.settled(specials)
        self._check(specials)
        stretches: list[Stretch] = []
        for first in self._found(identity(text), self._verbatim, specials):
            if first.token is not None:
                stretches.append(first)
            else:
                value = self._normalize(first.value.text).shifted(first.value.whole[0])
                stretches += self._found(value, self._normal, specials)
        return stretches

    def _check(self, specials: Specials) -> None:
        if isinstance(specials, str):
            if specials not in ("match", "text", "error"):
                raise ValueError(f"specials={specials!r}: expected match, text, error or a set")
            return
        for token in specials:
            if token not in self.special:
                raise ValueError(f"specials: {token!r} is not a special token of this tokenizer")

    def _found(
        self, value: Normalized, tokens: Mapping[str, AddedToken], specials: Specials
    ) -> Iterator[Stretch]:
        text, done = value.text, 0
        for form, found in _matches(text, tokens, specials):
            token = tokens[form]
            start, end = found
            if specials == "text" and token.special:
                continue
            if token.single_word and unicode.touches_a_word(text, start, end):
                continue
            if specials == "error" and token.special:
                raise ValueError(
                    f"the text holds the special token {token.content!r} at character "
                    f"{value.origin(start, end)[0]}: pass specials='match' to mean it, or "
                    "specials='text' to read it as text"
                )
            if token.lstrip:
                start = max(_start_of_space(text, start), done)
            if token.rstrip:
                end = _end_of_space(text, end)
            if start >= end:  # the match before has taken it along
                continue
            if done < start:
                yield Stretch(value.part(done, start), None)
            yield Stretch(value.part(start, end), token)
            done = end
        if done < len(text):
            yield Stretch(value.part(done, len(text)), None)


def _matches(
    text: str, tokens: Mapping[str, AddedToken], specials: Specials
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Gives the forms that stand in a text, leftmost, then longest, each with its span."""
    every = isinstance(specials, str)
    wanted = [
        form
        for form, token in tokens.items()
        if form and (every or not token.special or token.content in specials)
    ]
    if wanted:
        wanted.sort(key=len, reverse=True)
        for found in re.finditer("|".join(map(re.escape, wanted)), text):
            yield found[0], found.span()


def _start_of_space(text: str, end: int) -> int:
    while end > 0 and unicode.is_whitespace(text[end - 1]):
        end -= 1
    return end


def _end_of_space(text: str, start: int) -> int:
    while start < len(text) and unicode.is_whitespace(text[start]):
        start += 1
    return start
