"""Encodes texts and batches."""

from __future__ import annotations

import sys
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, cast, overload

from piecework._io.given import as_corpus
from piecework._messages import shown
from piecework._settings.arguments import (
    DEFAULT,
    Default,
    as_column,
    check_flag,
    check_index,
    check_iterable,
    check_str,
    check_threads,
)
from piecework.errors import ConfigError, SpecialTokenError
from piecework.tokenizer._checks import TEXT_TYPES, frozen_specials, listed_texts
from piecework.tokenizer._options import CallOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    from piecework._core import ArrowTexts, Encoding
    from piecework._io.corpus import Corpus
    from piecework._settings.arguments import ArrowColumn, EncodeInput, Specials, Text
    from piecework._settings.choices import Side
    from piecework._settings.encoding import PaddingLike, Sampling, TruncationLike
    from piecework.tokenizer._batch import Call, EncodedBatch
    from piecework.tokenizer._options import EncodeOptions
    from piecework.tokenizer._results import TruncatedText

__all__ = ["EncodingMethods"]

_Method = TypeVar("_Method", bound="Callable[..., Any]")

_CHARACTERS_PER_TOKEN, _SMALLEST_PART = 16, 1024
"""The number of characters of the first part of a text that is truncated, for each token and at least."""


def _with_defaults(encode_ids: _Method) -> _Method:
    """Returns `encode_ids` with a shorter path for calls that pass no option of encoding.

    Python looks up the default of each keyword-only argument in a dictionary, which takes as long as encoding some words.
    """

    @wraps(encode_ids)
    def call(
        self: EncodingMethods,
        text: Any,
        pair: Any = None,
        *,
        as_array: bool = False,
        **options: Any,
    ) -> Any:
        if options or (default := self._default_options) is None:
            return encode_ids(self, text, pair, as_array=as_array, **options)
        return self._core.encode_ids(text, pair, False, default, as_array)

    return cast("_Method", call)


class EncodingMethods(CallOptions):
    """Serves as a base of `Tokenizer` with the methods that encode."""

    def encode(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        sampling: Sampling | Default | None = DEFAULT,
    ) -> Encoding:
        r"""Encodes a text or a pair of texts.

        Args:
            text: The text, a ``str`` or UTF-8 in ``bytes``; with `is_pretokenized` a list of words.
            pair: A second text, whose tokens get type id 1.
            is_pretokenized: Whether texts are lists of words. Each word is encoded separately, with offsets in the word.
            add_special_tokens: Whether the post-processor adds special tokens.
            specials: How special tokens in the text are treated: ``"match"`` matches them, ``"text"`` encodes them as
                ordinary text (safe for untrusted input), ``"error"`` raises, a set matches only those in it. The default is
                that of the library of the tokenizer's file: match all but :attr:`control_symbols`.
            truncation: A :class:`piecework.Truncation`, its ``max_length``, or None; by default that of the tokenizer. The
                removed tokens are in ``overflowing``.
            padding: A :class:`piecework.Padding`, a length in tokens, or None; by default that of the tokenizer.
            cache: Whether encoded words are looked up in a cache and added to it. The result does not depend on it.
            sampling: A :class:`piecework.Sampling`, which draws segmentations at random, or None for the best one; by default
                None, or the dropout of the model.

        Returns:
            Ids, tokens, offsets (in characters of the original text), word ids, type ids and masks.

        Raises:
            SpecialTokenError: The text contains a special token, and `specials` is ``"error"``.
            UnknownTokenError: A word is unknown, and the tokenizer has no unknown token.
            SurrogateError: The text contains a lone surrogate.
            InvalidUtf8Error: The bytes are not UTF-8.
            TruncationError: `max_length` is too small for the special tokens, or there is no second text to truncate.
            RegexError: A pattern exceeded its limit of steps.
            ConfigError: `sampling` with `alpha` and a model without segmentation probabilities, or with `dropout` and Unigram
                or WordPiece's likeliest segmentation.

        >>> from piecework import Tokenizer
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode("hugs hug").offsets
        [(0, 3), (3, 4), (5, 8)]
        >>> tok.encode("hugs hug", truncation=2).tokens
        ['hug', '##s']
        """
        options = self._options(add_special_tokens, specials, truncation, padding, cache, sampling)
        return self._core.encode(text, pair, is_pretokenized, options)

    def _encode_input(
        self,
        number: int,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None,
        call: Call,
        padding: PaddingLike | Default,
    ) -> Encoding:
        """Encodes one input of a batch with the arguments of the batch."""
        options = self._options(
            call.add_special_tokens,
            call.specials,
            call.truncation,
            padding,
            call.cache,
            call.sampling,
            number,
        )
        return self._core.encode(text, pair, call.is_pretokenized, options)

    def encode_segments(
        self,
        segments: Iterable[tuple[str, bool]],
        *,
        add_special_tokens: bool = True,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        sampling: Sampling | Default | None = DEFAULT,
    ) -> Encoding:
        r"""Encodes one text given as segments, of which only trusted ones may contain special tokens.

        Args:
            segments: Pairs of a text and whether it is trusted. Special tokens are matched in trusted segments, and are
                ordinary text in others. No word spans two segments.
            add_special_tokens: See :meth:`encode`.
            truncation: See :meth:`encode`.
            padding: See :meth:`encode`.
            cache: See :meth:`encode`.
            sampling: See :meth:`encode`.

        Returns:
            The encoding, with offsets in characters of the concatenated segments.

        >>> from piecework import Tokenizer
        >>> tok = Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
        >>> tok.encode_segments([("hugs[SEP]", True), ("[SEP]", False)]).tokens
        ['hug', '##s', '[SEP]', '[UNK]', '[UNK]', '[UNK]']
        """
        options = self._options(add_special_tokens, "match", truncation, padding, cache, sampling)
        return self._core.encode_segments(segments, options)

    @overload
    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        as_array: Literal[False] = False,
        **options: Unpack[EncodeOptions],
    ) -> list[int]: ...

    @overload
    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        as_array: Literal[True],
        **options: Unpack[EncodeOptions],
    ) -> npt.NDArray[np.uint32]: ...

    @overload
    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        as_array: bool,
        **options: Unpack[EncodeOptions],
    ) -> list[int] | npt.NDArray[np.uint32]: ...

    @_with_defaults
    def encode_ids(
        self,
        text: Text | Sequence[str],
        pair: Text | Sequence[str] | None = None,
        *,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        cache: bool = True,
        sampling: Sampling | Default | None = DEFAULT,
        as_array: bool = False,
    ) -> list[int] | npt.NDArray[np.uint32]:
        r"""Returns only the token ids of a text or pair.

        Args:
            text: See :meth:`encode`.
            pair: See :meth:`encode`.
            is_pretokenized: See :meth:`encode`.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            truncation: See :meth:`encode`.
            padding: See :meth:`encode`.
            cache: See :meth:`encode`.
            sampling: See :meth:`encode`.
            as_array: Whether to return a NumPy array, which is faster than a list.

        Returns:
            The ids as a list, or as a new writable array of ``uint32``.

        Raises:
            PieceworkError: See :meth:`encode`.

        >>> from piecework import Tokenizer
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_ids("hugs hug")
        [1, 2, 1]
        >>> tok.encode_ids("hugs hug", as_array=True)
        array([1, 2, 1], dtype=uint32)
        """
        options = self._options(add_special_tokens, specials, truncation, padding, cache, sampling)
        return self._core.encode_ids(text, pair, is_pretokenized, options, as_array)

    def encode_batch(
        self,
        texts: Iterable[EncodeInput] | ArrowColumn | ArrowTexts | Corpus,
        *,
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        truncation: TruncationLike | Default = DEFAULT,
        padding: PaddingLike | Default = DEFAULT,
        offsets: bool = False,
        cache: bool = True,
        sampling: Sampling | Default | None = DEFAULT,
        threads: int | None = None,
    ) -> EncodedBatch:
        r"""Encodes many texts into one flat array of ids.

        Args:
            texts: An iterable of texts (see :meth:`encode`) or of pairs (tuples) of texts; or a string column of pyarrow,
                polars or any library with the Arrow PyCapsule interface, which is read without a copy; or files, a
                :class:`Corpus`, which are read in blocks, so that memory holds little more than the ids. Their texts are not
                kept: the batch has ids and no other columns.
            is_pretokenized: See :meth:`encode`.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            truncation: See :meth:`encode`.
            padding: See :meth:`encode`; ``Padding()`` pads to the longest text of the batch.
            offsets: Whether offsets, word ids, type ids and masks are computed together with the ids, instead of on first
                access.
            cache: See :meth:`encode`.
            sampling: See :meth:`encode`. The position of a text in the batch is part of its random seed.
            threads: The number of threads; by default one per core. The result does not depend on it.

        Returns:
            The ids and the offset of each text's ids in the array; other columns are computed on first access.

        Raises:
            PieceworkError: See :meth:`encode`; the message contains the position of the text.
            ArrowError: The column is not a string column, or contains nulls.
            ConfigError: `offsets`, `is_pretokenized` or padding is requested for a corpus.

        >>> from piecework import Tokenizer
        >>> import pyarrow as pa
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.encode_batch(pa.array(["hugs", "hug hug"])).to_list()
        [[1, 2], [1, 1]]
        """
        from piecework.tokenizer._batch import Call, EncodedBatch

        offsets = check_flag("offsets", offsets)
        check_threads(threads)
        corpus = as_corpus(texts)
        rows = listed_texts(texts, is_pretokenized) if corpus is None else corpus
        sampling = self._seeded(sampling)  # once: `batch[i]` encodes with the seed again
        specials = frozen_specials(specials)
        call = Call(
            self,
            rows,
            is_pretokenized,
            add_special_tokens,
            specials,
            truncation,
            padding,
            cache,
            sampling,
        )
        if corpus is not None:
            from piecework.tokenizer._files import encode_corpus

            batch = encode_corpus(corpus, call, offsets=offsets, threads=threads)
            return EncodedBatch(batch, call, threads)
        options = self._options(add_special_tokens, specials, truncation, padding, cache, sampling)
        batch = self._core.encode_batch(rows, is_pretokenized, options, offsets, threads)
        return EncodedBatch(batch, call, threads)

    def truncate_text(
        self,
        text: str,
        n: int,
        *,
        side: Side = "right",
        add_special_tokens: bool = True,
        specials: Specials | None = None,
    ) -> TruncatedText:
        r"""Returns the longest prefix of a text that encodes to at most `n` tokens, or the longest suffix.

        Cutting a text at the offset of a token may give more tokens: what is before the cut merges differently, or the token
        begins inside a character. This method encodes candidates instead. Its cost depends on the text that is kept, not on the
        whole text, if the pipeline has a fast path (:attr:`generic_path_reason`); otherwise it is linear in the text.

        Where the words of a stage depend on text after them, as with a regular expression or function of your own, the result is
        the longest prefix that fits and ends at a word of the whole text (the longest suffix that begins at one).
        `is_longest` of the result is False where a longer part may fit.

        Args:
            text: The text.
            n: The largest number of tokens, with the special tokens that are added.
            side: The side that is cut off: ``"right"`` keeps a prefix, ``"left"`` a suffix.
            add_special_tokens: Whether the post-processor adds special tokens.
            specials: See :meth:`encode`. With ``"error"``, a special token that is kept in part is an error, too.

        Returns:
            The part of the text, a `str` with the attribute `is_longest`. A part that cannot be encoded, as it is unknown to a
            tokenizer without unknown token, does not count.

        Raises:
            TruncationError: `n` is too small for the special tokens.
            SpecialTokenError: The cut divides a special token, and `specials` is ``"error"``.
            SurrogateError: The text contains a lone surrogate near the part that is kept.

        >>> from piecework import Tokenizer
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.truncate_text("hug hugs hug", 3), tok.truncate_text("hug hugs hug", 1, side="left")
        ('hug hugs ', ' hug')
        >>> tok.truncate_text("hug hugs hug", 3).is_longest
        True
        """
        from piecework.tokenizer._results import TruncatedText

        check_str("text", text)
        limit = check_index("n", n)
        if isinstance(n, bool) or limit < 0:
            raise ConfigError(f"expected an integer from 0 on, found {shown(n)}", setting="n")
        if side not in ("left", "right"):
            raise ConfigError(f'expected "left" or "right", found {shown(side)}', setting="side")
        options = self._options(add_special_tokens, specials, None, None, sampling=None)
        limit, is_left = min(limit, sys.maxsize), side == "left"
        # Parts of the text, so that a long text is not converted.
        size = max(_SMALLEST_PART, _CHARACTERS_PER_TOKEN * limit)
        while size < len(text):
            part = text[-size:] if is_left else text[:size]
            try:
                kept = self._core.truncate_text(part, limit, is_left, True, options)
            except SpecialTokenError:
                break  # the error of the whole text has the position in it
            if kept is not None:
                return TruncatedText(*kept)
            size *= 4
        kept = self._core.truncate_text(text, limit, is_left, False, options)
        return TruncatedText(*cast("tuple[str, bool]", kept))

    def tokenize(self, text: str, *, specials: Specials | None = None) -> list[str]:
        r"""Returns all tokens of a text, neither truncated nor padded, without added special tokens.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").tokenize("Hugs!")
        ['hug', '##s', '[UNK]']
        """
        options = self._options(False, specials, None, None)
        return self._core.encode(text, None, False, options).tokens

    def to_subword_nmt(self, text: str, *, separator: str = "@@") -> str:
        r"""Returns a text with its tokens separated by spaces, as subword-nmt writes it.

        Args:
            text: The text; lines are kept.
            separator: The suffix of a token that does not end its word.

        Returns:
            The range of the text of each token, so unknown characters are kept.

        >>> from piecework import Tokenizer, models, pre_tokenizers
        >>> model = models.BPE(["l", "o", "w", "lo", "w</w>"], [("l", "o")], end_of_word_suffix="</w>")
        >>> Tokenizer(model, pre_tokenizer=pre_tokenizers.WhitespaceSplit()).to_subword_nmt("low\n low ")
        'lo@@ w\n lo@@ w '
        """
        check_str("separator", separator)
        lines = check_str("text", text).split("\n")
        return "\n".join(self._segmented(line, separator) for line in lines)

    def _segmented(self, line: str, separator: str) -> str:
        body = line.strip("\r ")
        before, _, after = line.partition(body) if body else (line, "", "")
        options = self._options(False, "match", None, None)
        parts, end = list[str](), 0
        for start, stop in self._core.encode(body, None, False, options).offsets:
            if stop <= end:
                continue  # the end-of-word suffix covers no text
            if parts:
                parts.append(" " if start > end else f"{separator} ")
            parts.append(body[max(start, end) : stop])
            end = stop
        return before + "".join(parts) + after

    @overload
    def count(  # type: ignore[overload-overlap]  # a `str` is an iterable of `str`, and counts as a text
        self,
        text_or_texts: Text,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        cache: bool = True,
    ) -> int: ...

    @overload
    def count(
        self,
        text_or_texts: Iterable[Text] | ArrowColumn | Corpus,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        cache: bool = True,
    ) -> list[int]: ...

    def count(
        self,
        text_or_texts: Text | Iterable[Text] | ArrowColumn | Corpus,
        *,
        add_special_tokens: bool = True,
        specials: Specials | None = None,
        cache: bool = True,
    ) -> int | list[int]:
        r"""Counts the tokens of a text or of each text, without truncation and padding.

        Args:
            text_or_texts: A text (see :meth:`encode`), or texts: an iterable, an Arrow column or a :class:`Corpus`.
            add_special_tokens: See :meth:`encode`.
            specials: See :meth:`encode`.
            cache: See :meth:`encode`.

        Returns:
            The number of tokens (``int``) of a text, a list of numbers for several texts.

        >>> from piecework import Tokenizer
        >>> Tokenizer.from_str("[UNK]\nhug\n##s\n").count(["hugs", "hug"])
        [2, 1]
        """
        options = self._options(add_special_tokens, specials, cache=cache)
        if isinstance(text_or_texts, TEXT_TYPES):
            return self._core.count(text_or_texts, options)
        column = as_corpus(text_or_texts) or as_column(text_or_texts)
        if column is not None:
            batch = self.encode_batch(
                column,
                add_special_tokens=add_special_tokens,
                specials=specials,
                truncation=None,
                padding=None,
                cache=cache,
            )
            lengths: list[int] = batch._lengths().tolist()
            return lengths
        texts: Any = text_or_texts
        each = check_iterable("text_or_texts", texts, "a text or an iterable of texts")
        return [self._core.count(text, options) for text in each]
