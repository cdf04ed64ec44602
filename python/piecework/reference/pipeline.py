"""The whole way from an input to an encoding, as a tokenizer.json describes it.

    text ─ added tokens ─ normalize ─ pre-tokenize ─ model ─ truncate ─ post-process ─ pad

Each stage is a room of its own; here they only follow one another.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from piecework.reference import models, normalize, postprocess, pretokenize
from piecework.reference.added import AddedToken, AddedTokens, Specials, Stretch, numbered
from piecework.reference.aligned import Normalized, identity
from piecework.reference.chance import SplitMix64
from piecework.reference.encoding import Encoding, Row, merged
from piecework.reference.truncate import Padding, Truncation, padded, truncated

Text = str | Sequence[str]
T = TypeVar("T")


@dataclass(frozen=True)
class Pipeline:
    """Gives a tokenizer with all its stages.

    Args:
        model: From words to tokens.
        normalizer: From text to normalized text; None takes the text as it is.
        pre_tokenizer: From normalized text to words; None takes it whole.
        added: Added tokens.
        post_processor: Puts special tokens around texts; None adds none.
        truncation: Used where a call says nothing else; None cuts nothing.
        padding: Likewise; None adds nothing.

    >>> model = models.WordLevel({"<unk>": 0, "to": 1, "be": 2}, "<unk>")
    >>> steps = pretokenize.from_dict({"type": "WhitespaceSplit"})
    >>> pipeline = Pipeline(model, pre_tokenizer=steps)
    >>> pipeline.encode("to be or").ids
    [1, 2, 0]
    """

    model: models.Model
    normalizer: Callable[[str], Normalized] | None = None
    pre_tokenizer: pretokenize.Step | None = None
    added: AddedTokens | None = None
    post_processor: postprocess.PostProcessor | None = None
    truncation: Truncation | None = None
    padding: Padding | None = None

    def encode(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        seed: int = 0,
        number: int = 0,
    ) -> Encoding:
        """Encodes a text or a pair of texts.

        Args:
            text: A text, or the words of one. Words are encoded one by one; their numbers are the
                word ids, and spans count within each.
            pair: A second text.
            add_special_tokens: Add what the post-processor adds.
            specials: What becomes of special tokens that stand in the text (see `AddedTokens`).
                With any value but `match`, no other text becomes one either. None is `match`, but
                where there are control symbols, which are text then.
            seed: What dropout follows from: the same seed, the same tokens.
            number: The place of this input in its call, which dropout follows from as well.

        Returns:
            The encoding.

        Raises:
            ValueError: a special token stands in the text and may not; something is unknown and
                there is no unknown token; truncation is impossible.
            UnicodeEncodeError: a text holds a lone surrogate.

        >>> model = models.WordLevel({"<unk>": 0, "to": 1, "be": 2}, "<unk>")
        >>> Pipeline(model).encode(["to", "be"], "be").word_ids
        [0, 1, 0]
        """
        inputs = [text] if pair is None else [text, pair]
        generator = SplitMix64.of_input(seed, number)
        texts = [self._text(each, i, specials, generator) for i, each in enumerate(inputs)]
        if self.truncation:
            processor = self.post_processor
            added = processor.added(len(texts)) if processor and add_special_tokens else 0
            texts = truncated(texts, self.truncation, added)
        encoding = postprocess.process(
            texts, self.post_processor, add_special_tokens=add_special_tokens
        )
        return padded([encoding], self.padding)[0] if self.padding else encoding

    def encode_batch(
        self,
        inputs: Iterable[Text | tuple[Text, Text]],
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        seed: int = 0,
    ) -> list[Encoding]:
        """Encodes many inputs, and pads them to one length.

        Args:
            inputs: Texts, or pairs of texts as tuples.
            add_special_tokens: As for `encode`.
            specials: As for `encode`.
            seed: As for `encode`.

        Returns:
            An encoding for each.

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
        return padded(batch, self.padding) if self.padding else batch

    def _text(
        self, text: Text, type_id: int, specials: Specials | None, generator: SplitMix64
    ) -> Encoding:
        if isinstance(text, str):
            return self._words(text, None, type_id, specials, generator)
        return merged(
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
        added = self.added or AddedTokens([], self.normalizer or identity)
        specials = added.settled(specials)
        rows: list[Row] = []
        for word, (part, token) in enumerate(self._parts(added, text, specials)):
            own = word if number is None else number
            if token:
                rows.append(Row(token.id, part.text, part.whole, own, type_id))
            else:
                barred = specials != "match"
                pieces = self.model.tokens(part.text, barred=barred, generator=generator)
                rows += [Row(p.id, p.text, part.origin(*p.span), own, type_id) for p in pieces]
        return Encoding(tuple(rows))

    def _parts(self, added: AddedTokens, text: str, specials: Specials) -> Iterator[Stretch]:
        for stretch in added.split(text, specials):
            if stretch.token or not self.pre_tokenizer:
                yield stretch
            else:
                yield from (Stretch(part, None) for part in self.pre_tokenizer(stretch.value))


def from_dict(data: Mapping[str, Any], control_symbols: Iterable[str] = ()) -> Pipeline:
    """Makes a pipeline of a tokenizer.json; its decoder is not looked at.

    Args:
        data: The object of the file.
        control_symbols: The special tokens that are text where a call does not say otherwise. A
            tokenizer.json has none; those of a SentencePiece model are all its special tokens.

    Returns:
        The pipeline.

    Raises:
        ValueError: the file asks for what there is not, or gives an added token another id than it
            will have.
        KeyError: a member is missing.

    >>> model = {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"}
    >>> steps = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"}}
    >>> from_dict({"model": model, "added_tokens": [], **steps}).encode("A b").tokens
    ['a', '<unk>']
    """
    normalizer = _made(normalize.from_dict, data.get("normalizer"))
    written = [AddedToken(**token) for token in data.get("added_tokens") or []]
    tokens = numbered(written, models.vocabulary_of(data["model"]))
    ids = {token.content: token.id for token in tokens}
    for token in written:
        if token.content and ids[token.content] != token.id:
            raise ValueError(f"the added token {token.content!r} will have another id than it says")
    form_of = None if normalizer is None else normalizer.form_of
    added = AddedTokens(tokens, normalizer or identity, form_of, control_symbols)
    return Pipeline(
        models.from_dict(data["model"], added.special, names_unknown=_is_sentencepiece(data)),
        normalizer,
        _made(pretokenize.from_dict, data.get("pre_tokenizer")),
        added,
        _made(postprocess.from_dict, data.get("post_processor")),
        _made(Truncation.from_dict, data.get("truncation")),
        _made(Padding.from_dict, data.get("padding")),
    )


def _is_sentencepiece(data: Mapping[str, Any]) -> bool:
    """Tells a SentencePiece model; its normalizer may be of steps that `tokenizers` knows, too."""
    decoder = (data["model"].get("piecework") or {}).get("decoder") or data.get("decoder")
    steps = [step for step in (data.get("normalizer"), decoder) if step]
    return any(step["type"] == "piecework.SentencePiece" for step in steps)


def _made(make: Callable[[Mapping[str, Any]], T], data: Mapping[str, Any] | None) -> T | None:
    return None if data is None else make(data)
