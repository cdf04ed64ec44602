"""The pipeline from an input to an encoding, as a tokenizer.json describes it.

    text ─ added tokens ─ normalize ─ pre-tokenize ─ model ─ truncate ─ post-process ─ pad

Each stage has a module of its own; this module runs them in order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from piecework.reference.model import models
from piecework.reference.normalize import normalizers
from piecework.reference.numbers.prng import SplitMix64
from piecework.reference.pipeline.added import (
    AddedToken,
    AddedTokens,
    Segment,
    Specials,
    assign_ids,
)
from piecework.reference.postprocess import processors
from piecework.reference.postprocess.encoding import Encoding, TokenRow, merge_encodings
from piecework.reference.postprocess.truncate import Padding, Truncation, pad, truncate
from piecework.reference.pretokenize import pre_tokenizers
from piecework.reference.text.alignment import Normalized, identity

InputText = str | Sequence[str]
T = TypeVar("T")


@dataclass(frozen=True)
class Pipeline:
    """Runs all stages of a tokenizer.

    Args:
        model: From words to tokens.
        normalizer: From text to normalized text; None leaves the text unchanged.
        pre_tokenizer: From normalized text to words; None keeps the text whole.
        added_tokens: The added tokens.
        post_processor: Adds special tokens around texts; None adds none.
        truncation: The maximum length; None truncates nothing.
        padding: The padding; None adds none.

    >>> model = models.WordLevel({"<unk>": 0, "to": 1, "be": 2}, "<unk>")
    >>> steps = pre_tokenizers.from_dict({"type": "WhitespaceSplit"})
    >>> pipeline = Pipeline(model, pre_tokenizer=steps)
    >>> pipeline.encode("to be or").ids
    [1, 2, 0]
    """

    model: models.Model
    normalizer: Callable[[str], Normalized] | None = None
    pre_tokenizer: pre_tokenizers.PreTokenizer | None = None
    added_tokens: AddedTokens | None = None
    post_processor: processors.PostProcessor | None = None
    truncation: Truncation | None = None
    padding: Padding | None = None

    def encode(
        self,
        text: InputText,
        pair: InputText | None = None,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        seed: int = 0,
        number: int = 0,
    ) -> Encoding:
        """Encodes a text or a pair of texts.

        Args:
            text: A text, or the words of one. Words are encoded one by one; their indices are the
                word ids, and spans count within each word.
            pair: A second text.
            add_special_tokens: Add the special tokens of the post-processor.
            specials: What happens to special tokens in the text (see `AddedTokens.split`). With any
                value but `match`, no other text becomes one either. None is `match`, or excludes
                control symbols, if there are any.
            seed: The seed of dropout: equal seeds, equal tokens.
            number: The index of this input in its call, which dropout depends on as well.

        Returns:
            The encoding.

        Raises:
            ValueError: the text holds a special token that it must not hold; something is unknown
                and there is no unknown token; truncation is impossible.
            UnicodeEncodeError: a text holds a lone surrogate.

        >>> model = models.WordLevel({"<unk>": 0, "to": 1, "be": 2}, "<unk>")
        >>> Pipeline(model).encode(["to", "be"], "be").word_ids
        [0, 1, 0]
        """
        inputs = [text] if pair is None else [text, pair]
        generator = SplitMix64.for_input(seed, number)
        texts = [self._text(each, i, specials, generator) for i, each in enumerate(inputs)]
        if self.truncation:
            processor = self.post_processor
            added = processor.count_added(len(texts)) if processor and add_special_tokens else 0
            texts = truncate(texts, self.truncation, added)
        encoding = processors.post_process(
            texts, self.post_processor, add_special_tokens=add_special_tokens
        )
        return pad([encoding], self.padding)[0] if self.padding else encoding

    def truncate_text(
        self,
        text: str,
        n: int,
        *,
        side: str = "right",
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        at_words: bool = False,
    ) -> str | None:
        """Returns the longest part of a text that encodes to at most `n` tokens (P64).

        Every part is encoded, the longest first.

        Args:
            text: The text.
            n: The largest number of tokens, special tokens included.
            side: The side that is cut off: `right` keeps a prefix, `left` a suffix.
            add_special_tokens: As for `encode`.
            specials: As for `encode`, but for the error of a special token that is divided.
            at_words: Only parts that end at a word of the whole text are tried, and the whole text: for
                stages whose words depend on text after them.

        Returns:
            A prefix or a suffix; None if not even the empty text fits. A part that cannot be encoded
            does not count.

        >>> model = models.WordLevel({"<unk>": 0, "to": 1}, "<unk>")
        >>> steps = pre_tokenizers.from_dict({"type": "WhitespaceSplit"})
        >>> Pipeline(model, pre_tokenizer=steps).truncate_text("to be or", 2)
        'to be '
        """
        plain = replace(self, truncation=None, padding=None)
        removed: Iterable[int] = range(len(text) + 1)
        if at_words:
            spans = plain._word_spans(text, specials)
            kept = {len(text) - end if side == "right" else start for start, end in spans}
            removed = sorted({0, len(text), *kept})
        for start in removed:
            part = text[: len(text) - start] if side == "right" else text[start:]
            try:
                encoding = plain.encode(
                    part, add_special_tokens=add_special_tokens, specials=specials
                )
            except ValueError:
                continue
            if len(encoding.ids) <= n:
                return part
        return None

    def encode_batch(
        self,
        inputs: Iterable[InputText | tuple[InputText, InputText]],
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        seed: int = 0,
    ) -> list[Encoding]:
        """Encodes inputs, and pads them to one length.

        Args:
            inputs: Texts, or pairs of texts as tuples.
            add_special_tokens: As for `encode`.
            specials: As for `encode`.
            seed: As for `encode`.

        Returns:
            An encoding for each input.

        >>> model = models.WordLevel({"<unk>": 0, "to": 1}, "<unk>")
        >>> [e.ids for e in Pipeline(model, padding=Padding()).encode_batch(["to", ["to", "to"]])]
        [[1, 0], [1, 1]]
        """
        batch = [
            self.encode(
                *(each if isinstance(each, tuple) else (each,)),
                add_special_tokens=add_special_tokens,
                specials=specials,
                seed=seed,
                number=number,
            )
            for number, each in enumerate(inputs)
        ]
        return pad(batch, self.padding) if self.padding else batch

    def _text(
        self, text: InputText, type_id: int, specials: Specials | None, generator: SplitMix64
    ) -> Encoding:
        if isinstance(text, str):
            return self._words(text, None, type_id, specials, generator)
        return merge_encodings(
            self._words(word, i, type_id, specials, generator) for i, word in enumerate(text)
        )

    def _words(
        self,
        text: str,
        number: int | None,
        type_id: int,
        specials: Specials | None,
        generator: SplitMix64,
    ) -> Encoding:
        added = self.added_tokens or AddedTokens([], self.normalizer or identity)
        specials = added.resolve_specials(specials)
        rows: list[TokenRow] = []
        for word, (part, token) in enumerate(self._parts(added, text, specials)):
            own = word if number is None else number
            if token:
                rows.append(TokenRow(token.id, part.text, part.span, own, type_id))
            else:
                exclude_special = specials != "match"
                pieces = self.model.tokens(
                    part.text, exclude_special=exclude_special, generator=generator
                )
                rows += [
                    TokenRow(p.id, p.text, part.original_span(*p.span), own, type_id)
                    for p in pieces
                ]
        return Encoding(tuple(rows))

    def _word_spans(self, text: str, specials: Specials | None) -> Iterator[tuple[int, int]]:
        """Yields the spans of the words of a text, and of the added tokens between them."""
        added = self.added_tokens or AddedTokens([], self.normalizer or identity)
        for part, token in self._parts(added, text, added.resolve_specials(specials)):
            yield part.span if token else part.original_span(0, len(part.text))

    def _parts(self, added: AddedTokens, text: str, specials: Specials) -> Iterator[Segment]:
        for segment in added.split(text, specials):
            if segment.token or not self.pre_tokenizer:
                yield segment
            else:
                yield from (Segment(part, None) for part in self.pre_tokenizer(segment.value))


def from_dict(data: Mapping[str, Any], control_symbols: Iterable[str] = ()) -> Pipeline:
    """Creates a pipeline from a tokenizer.json; the decoder is ignored.

    Args:
        data: The object of the file.
        control_symbols: The special tokens that are text unless a call says otherwise. A
            tokenizer.json has none; those of a SentencePiece model are all its special tokens.

    Returns:
        The pipeline.

    Raises:
        ValueError: a component is unknown or invalid, or the id of an added token differs from the
            one it will have.
        KeyError: a member is missing.

    >>> model = {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"}
    >>> steps = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"}}
    >>> from_dict({"model": model, "added_tokens": [], **steps}).encode("A b").tokens
    ['a', '<unk>']
    """
    normalizer = _optional(normalizers.from_dict, data.get("normalizer"))
    written = [AddedToken(**token) for token in data.get("added_tokens") or []]
    tokens = assign_ids(written, models.read_vocabulary(data["model"]))
    ids = {token.content: token.id for token in tokens}
    for token in written:
        if token.content and ids[token.content] != token.id:
            raise ValueError(
                f"added token {token.content!r}: id {token.id}; expected {ids[token.content]}"
            )
    normalize_token = None if normalizer is None else normalizer.normalize_added_token
    added = AddedTokens(tokens, normalizer or identity, normalize_token, control_symbols)
    return Pipeline(
        models.from_dict(data["model"], added.special, unknown_as_text=_is_sentencepiece(data)),
        normalizer,
        _optional(pre_tokenizers.from_dict, data.get("pre_tokenizer")),
        added,
        _optional(processors.from_dict, data.get("post_processor")),
        _optional(Truncation.from_dict, data.get("truncation")),
        _optional(Padding.from_dict, data.get("padding")),
    )


def _is_sentencepiece(data: Mapping[str, Any]) -> bool:
    """Returns whether the model is SentencePiece's; its normalizer may be one of `tokenizers`."""
    decoder = (data["model"].get("piecework") or {}).get("decoder") or data.get("decoder")
    steps = [step for step in (data.get("normalizer"), decoder) if step]
    return any(step["type"] == "piecework.SentencePiece" for step in steps)


def _optional(make: Callable[[Mapping[str, Any]], T], data: Mapping[str, Any] | None) -> T | None:
    return None if data is None else make(data)
