r"""Added tokens: strings that are matched in the text before the model encodes it.

They are matched twice: tokens that are not `normalized` in the original text; then, between these
matches and after normalization, the normalized ones in their normal form. Both times the matches
are leftmost-longest and do not overlap. Then the flags of each match are checked:

    single_word   a word character directly before or after it: no match
    lstrip        white space before it belongs to the match
    rstrip        white space after it belongs to the match

A rejected match still consumes its text: with `ab` as a single word and `bc`, the text `abc` has no
match. A match that begins in white space that `rstrip` added to the match before it overlaps that
match: both are there, and both hold the white space. The library does this. Only where `lstrip`
stops at the match before and nothing is left, there is no match (the library panics where less than
nothing is left).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from piecework.reference.text import unicode
from piecework.reference.text.alignment import Normalized, identity


@dataclass(frozen=True)
class AddedToken:
    """Describes a string that becomes one token wherever it occurs in a text.

    Args:
        content: The string.
        id: Its id.
        single_word: Match only where no word character is directly before or after.
        lstrip: Include the white space before it in the match.
        rstrip: Include the white space after it in the match.
        normalized: Match it in normalized text, in its normal form.
        special: Treat it as a special token: a call may refuse it in a text, and decoding may skip
            it.

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


class Segment(NamedTuple):
    """Holds a part of a text: a match of an added token, or the text between two matches.

    Args:
        value: The part of the text.
        token: The added token, or None.
    """

    value: Normalized
    token: AddedToken | None


Specials = str | Collection[str]


def assign_ids(tokens: Iterable[AddedToken], vocabulary: Mapping[str, int]) -> list[AddedToken]:
    """Assigns ids to added tokens; the ids in a tokenizer.json are ignored.

    A token that is in the vocabulary of the model has the model's id. Any other gets the next id
    from the *size* of the vocabulary on, in order, even where that id is taken. Of tokens with
    equal content the last one's settings count; an empty token is left out.

    Args:
        tokens: The tokens, in the order of the file; their ids are ignored.
        vocabulary: The model's entries with their ids.

    Returns:
        The tokens with their ids, each content once.

    >>> [t.id for t in assign_ids([AddedToken("x", 0), AddedToken("a", 0)], {"a": 0, "b": 1})]
    [2, 0]
    """
    by_content: dict[str, AddedToken] = {}
    ids = dict(vocabulary)
    next_id = len(vocabulary)
    for token in tokens:
        if not token.content:
            continue
        if token.content not in ids:
            ids[token.content] = next_id
            next_id += 1
        by_content[token.content] = replace(token, id=ids[token.content])
    return list(by_content.values())


class AddedTokens:
    """Finds the added tokens of a tokenizer in texts.

    Args:
        tokens: The tokens.
        normalize: The tokenizer's normalizer.
        normalize_token: Returns the form in which a token is matched in normalized text; by default
            the token normalized.
        control_symbols: The special tokens that are text unless a call says otherwise: the control
            symbols of a SentencePiece model.

    >>> tokens = AddedTokens([AddedToken("[M]", 0, lstrip=True, normalized=False)], identity)
    >>> [(s.value.text, s.token is not None) for s in tokens.split("a [M]b")]
    [('a', False), (' [M]', True), ('b', False)]
    """

    def __init__(
        self,
        tokens: Iterable[AddedToken],
        normalize: Callable[[str], Normalized] = identity,
        normalize_token: Callable[[str], str] | None = None,
        control_symbols: Iterable[str] = (),
    ) -> None:
        self.tokens = {token.content: token for token in tokens}
        self.special = frozenset(t.content for t in self.tokens.values() if t.special)
        self.control_symbols = frozenset(control_symbols)
        if self.control_symbols - self.special:
            raise ValueError(
                f"control_symbols: {sorted(self.control_symbols - self.special)}: "
                "expected special tokens"
            )
        self._normalize = normalize
        by_id = sorted(self.tokens.values(), key=lambda token: token.id, reverse=True)
        self._plain_tokens = {token.content: token for token in by_id if not token.normalized}
        # Of two tokens with one normal form the lower id wins; in the library the order of a hash
        # map decides.
        normalize_token = normalize_token or (lambda content: normalize(content).text)
        self._normalized_tokens = {
            normalize_token(token.content): token for token in by_id if token.normalized
        }

    def resolve_specials(self, specials: Specials | None) -> Specials:
        """Returns the value of `specials` that applies to a call.

        Args:
            specials: The argument of the call; None if there is none.

        Returns:
            The argument. For None `match`, or, where there are control symbols, the set of all
            other special tokens.

        >>> mark = AddedToken("[M]", 0, special=True)
        >>> AddedTokens([mark]).resolve_specials(None)
        'match'
        >>> AddedTokens([mark], control_symbols=["[M]"]).resolve_specials(None)
        frozenset()
        """
        if specials is None:
            return self.special - self.control_symbols if self.control_symbols else "match"
        return specials

    def split(self, text: str, specials: Specials | None = None) -> list[Segment]:
        """Splits a text at its added tokens, and normalizes the text between them.

        Tie rule: leftmost, then longest. Cost: linear in the text for each pass.

        Args:
            text: Any text without lone surrogates.
            specials: What happens to special tokens. `match`: they are matched. `text`: they are
                found but stay text. `error`: they raise. A set: these are matched, and no other is
                looked for. None: see `resolve_specials`.

        Returns:
            Matches and the text between them, in order; no segment is empty.

        Raises:
            ValueError: the text holds a special token that it must not hold, or a set names an
                unknown one.
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> tokens = AddedTokens([AddedToken("[M]", 0, special=True)])
        >>> [s.value.text for s in tokens.split("a[M]", specials="text")]
        ['a[M]']
        """
        specials = self.resolve_specials(specials)
        self._check(specials)
        segments: list[Segment] = []
        for segment in self._split_at(identity(text), self._plain_tokens, specials):
            if segment.token is not None:
                segments.append(segment)
            else:
                value = self._normalize(segment.value.text).shift(segment.value.span[0])
                segments += self._split_at(value, self._normalized_tokens, specials)
        return segments

    def _check(self, specials: Specials) -> None:
        if isinstance(specials, str):
            if specials not in ("match", "text", "error"):
                raise ValueError(
                    f"specials={specials!r}: expected 'match', 'text', 'error' or a set"
                )
            return
        for token in specials:
            if token not in self.special:
                raise ValueError(f"specials: {token!r} is not a special token of this tokenizer")

    def _split_at(
        self, value: Normalized, tokens: Mapping[str, AddedToken], specials: Specials
    ) -> Iterator[Segment]:
        text, done = value.text, 0
        for form, found in _find_forms(text, tokens, specials):
            token = tokens[form]
            start, end = found
            if specials == "text" and token.special:
                continue
            if token.single_word and unicode.touches_word(text, start, end):
                continue
            if specials == "error" and token.special:
                raise ValueError(
                    f"the text holds the special token {token.content!r} at character "
                    f"{value.original_span(start, end)[0]}: pass specials='match' to mean it, or "
                    "specials='text' to read it as text"
                )
            if token.lstrip:
                start = max(_start_of_whitespace(text, start), done)
            if token.rstrip:
                end = _end_of_whitespace(text, end)
            if start >= end:  # the match before consumed it
                continue
            if done < start:
                yield Segment(value.slice(done, start), None)
            yield Segment(value.slice(start, end), token)
            done = end
        if done < len(text):
            yield Segment(value.slice(done, len(text)), None)


def _find_forms(
    text: str, tokens: Mapping[str, AddedToken], specials: Specials
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yields the forms that occur in a text, leftmost-longest, each with its span."""
    all_special = isinstance(specials, str)
    forms = [
        form
        for form, token in tokens.items()
        if form and (all_special or not token.special or token.content in specials)
    ]
    if forms:
        forms.sort(key=len, reverse=True)
        for found in re.finditer("|".join(map(re.escape, forms)), text):
            yield found[0], found.span()


def _start_of_whitespace(text: str, end: int) -> int:
    while end > 0 and unicode.is_whitespace(text[end - 1]):
        end -= 1
    return end


def _end_of_whitespace(text: str, start: int) -> int:
    while start < len(text) and unicode.is_whitespace(text[start]):
        start += 1
    return start
