"""Shows the tokens of a text as HTML, for notebooks."""

from __future__ import annotations

import re
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from piecework._messages import wrong_type as _wrong_type
from piecework._settings.arguments import check_iterable as _check_iterable
from piecework.errors import MissingExtraError as _MissingExtraError
from piecework.hf._arguments import string as _string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from piecework.hf._encoding import Encoding
    from piecework.hf._tokenizer import Tokenizer

__all__ = ["Annotation", "EncodingVisualizer"]

_STYLE = """\
.tokenized-text { font: 1rem/2.2 monospace; white-space: pre-wrap; }
.even-token { background: #cfe3f7; }
.odd-token { background: #f7ecc6; }
.multi-token { border-bottom: 2px solid #b03060; }
.special-token { background: #e4e4e4; color: #803030; }
.special-token[data-stoken]::before { content: attr(data-stoken); }
.non-token { color: #909090; }
.annotation { border-bottom: 3px solid; margin: 0 2px; }
.annotation::after { content: attr(data-label); font-size: 0.7em; vertical-align: sub; }
"""
_FIRST_HUE, _HUES, _LEAST_STEP = 10, 255, 20


class Annotation:
    """Describes a labelled range of a text.

    Args:
        start: The first character.
        end: The character after the last.
        label: The label.

    >>> from piecework.hf.tools import Annotation
    >>> Annotation(0, 5, "name").end
    5
    """

    start: int
    end: int
    label: str

    def __init__(self, start: int, end: int, label: str) -> None:
        """Takes the range and its label."""
        self.start, self.end, self.label = start, end, label


class _Character:
    """Holds a character of the text: its position, its tokens and the index of its annotation."""

    __slots__ = ("anno_ix", "char_ix", "tokens")
    ATTRIBUTES = ("char_ix", "token_ix", "tokens")

    def __init__(self, char_ix: int | None) -> None:
        self.char_ix = char_ix
        self.tokens: list[int] = []
        self.anno_ix: int | None = None

    @property
    def token_ix(self) -> int | None:
        """Returns the index of the first token, or None."""
        return self.tokens[0] if self.tokens else None


class EncodingVisualizer:
    """Shows a text as HTML in which tokens have alternating colours and annotations are labelled.

    Args:
        tokenizer: The tokenizer.
        default_to_notebook: Whether calls show the HTML in a notebook, by IPython, rather than return it.
        annotation_converter: Returns the :class:`Annotation` of an annotation of another type.

    Raises:
        MissingExtraError: `default_to_notebook` is set, and IPython is not installed.

    >>> from piecework.hf import Tokenizer, models, pre_tokenizers
    >>> from piecework.hf.tools import EncodingVisualizer
    >>> tok = Tokenizer(models.WordLevel({"to": 0, "be": 1}, "to"))
    >>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
    >>> show = EncodingVisualizer(tok, default_to_notebook=False)
    >>> '<span class="token odd-token">be</span>' in show("to be")
    True
    """

    unk_token_regex: ClassVar[re.Pattern[str]] = re.compile("unk|oov", re.IGNORECASE)
    """Matches the tokens that are shown as unknown."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        default_to_notebook: bool = True,
        annotation_converter: Callable[[Any], Annotation] | None = None,
    ) -> None:
        """Takes the tokenizer, after checking that IPython is there if it is needed."""
        if default_to_notebook:
            _notebook()
        self.tokenizer = tokenizer
        self.default_to_notebook = default_to_notebook
        self.annotation_converter = annotation_converter

    def __call__(
        self,
        text: str,
        annotations: Sequence[Any] | None = None,
        default_to_notebook: bool | None = None,
    ) -> str | None:
        """Shows a text, or returns its HTML.

        Args:
            text: The text.
            annotations: Ranges of it; of those that overlap, the last is shown.
            default_to_notebook: Replaces the setting of the constructor.

        Returns:
            The HTML; None if it was shown.

        Raises:
            MissingExtraError: It is to be shown, and IPython is not installed.
        """
        is_shown = self.default_to_notebook if default_to_notebook is None else default_to_notebook
        display = _notebook() if is_shown else None
        convert = self.annotation_converter
        ranges = _annotations(convert(each) if convert else each for each in annotations or ())
        for each in ranges:
            if each.start < 0 or each.end > len(text):
                message = f"found {each.start} to {each.end} in a text of {len(text)} characters"
                raise ValueError(f"annotations: expected ranges of the text, {message}")
        page = _page(text, self.tokenizer.encode(text), ranges)
        if display is None:
            return page
        display(page)
        return None

    @staticmethod
    def calculate_label_colors(annotations: Sequence[Annotation]) -> dict[str, str]:
        """Returns a colour for each label, in CSS.

        >>> from piecework.hf.tools import Annotation, EncodingVisualizer
        >>> EncodingVisualizer.calculate_label_colors([Annotation(0, 1, "b"), Annotation(1, 2, "a")])
        {'a': 'hsl(10,32%,64%)', 'b': 'hsl(137,32%,64%)'}
        """
        labels = sorted({annotation.label for annotation in _annotations(annotations)})
        step = max(_HUES // max(len(labels), 1), _LEAST_STEP)
        return {
            label: f"hsl({_FIRST_HUE + place * step},32%,64%)" for place, label in enumerate(labels)
        }

    @staticmethod
    def consecutive_chars_to_html(
        consecutive_chars_list: Sequence[Any], text: str, encoding: Encoding
    ) -> str:
        """Returns the HTML of adjacent characters with the same tokens.

        Args:
            consecutive_chars_list: The characters, with the attributes ``char_ix``, ``token_ix`` and ``tokens``.
            text: The text.
            encoding: Its encoding.

        Returns:
            A ``span``, whose text is escaped.
        """
        name = "consecutive_chars_list"
        characters = _with_attributes(name, consecutive_chars_list, _Character.ATTRIBUTES)
        if not characters:
            raise ValueError(f"{name}: expected at least one character")
        first, last, text = characters[0], characters[-1], _string(text)
        (encoding,) = _with_attributes("encoding", [encoding], ["tokens"])
        token = None if first.token_ix is None else encoding.tokens[first.token_ix]
        if first.char_ix is None:
            return _span("special-token", "", stoken=token)
        shown = text[first.char_ix : last.char_ix + 1]
        if token is None:
            return _span("non-token", shown)
        classes = ["token", *(["multi-token"] if len(first.tokens) > 1 else [])]
        classes.append("odd-token" if first.token_ix % 2 else "even-token")
        if EncodingVisualizer.unk_token_regex.search(token) is None:
            return _span(" ".join(classes), shown)
        return _span(" ".join([*classes, "special-token"]), shown, stok=token)


def _annotations(given: Iterable[Any]) -> list[Any]:
    """Returns annotations, or raises a TypeError."""
    return _with_attributes("annotations", given, ("start", "end", "label"))


def _with_attributes(name: str, given: Iterable[Any], attributes: Sequence[str]) -> list[Any]:
    """Returns objects that have some attributes, or raises a TypeError that names their argument."""
    found = list(_check_iterable(name, given, "a list"))
    for each in found:
        if not all(hasattr(each, attribute) for attribute in attributes):
            raise _wrong_type(name, f"objects with {', '.join(attributes)}", each)
    return found


def _notebook() -> Callable[[str], None]:
    """Returns a function that shows HTML in a notebook."""
    try:
        from IPython.display import HTML, display  # type: ignore[import-not-found]  # optional
    except ImportError as error:
        hint = "install it, or pass default_to_notebook=False"
        message = "IPython is not installed"
        raise _MissingExtraError(message, setting="default_to_notebook", hint=hint) from error
    return lambda page: display(HTML(page))


def _span(classes: str, content: str, **data: str | None) -> str:
    """Returns an element with classes, data and escaped text."""
    attributes = "".join(f' data-{name}="{escape(value or "")}"' for name, value in data.items())
    return f'<span class="{classes}"{attributes}>{escape(content)}</span>'


def _characters(
    text: str, encoding: Encoding, annotations: Sequence[Annotation]
) -> list[_Character]:
    """Returns the characters of a text with their tokens and annotations."""
    characters = [_Character(place) for place in range(len(text))]
    for token in range(len(encoding)):
        for place in range(*(encoding.token_to_chars(token) or (0, 0))):
            characters[place].tokens.append(token)
    for number, annotation in enumerate(annotations):
        for place in range(annotation.start, annotation.end):
            characters[place].anno_ix = number
    return characters


def _page(text: str, encoding: Encoding, annotations: Sequence[Annotation]) -> str:
    """Returns the HTML of a text."""
    colors = EncodingVisualizer.calculate_label_colors(annotations)
    parts: list[str] = []
    for number, run in groupby(_characters(text, encoding, annotations), lambda each: each.anno_ix):
        groups = (list(group) for _, group in groupby(run, lambda each: each.token_ix))
        spans = [
            EncodingVisualizer.consecutive_chars_to_html(group, text, encoding) for group in groups
        ]
        if number is None:
            parts += spans
            continue
        label = annotations[number].label
        style = f'style="color:{colors[label]}" data-label="{escape(label)}"'
        parts.append(f'<span class="annotation" {style}>{"".join(spans)}</span>')
    return (
        f'<html><head><meta charset="utf-8"><style>\n{_STYLE}</style></head>\n'
        f'<body><div class="tokenized-text" dir="auto">{"".join(parts)}</div></body></html>\n'
    )
