"""Decodes token ids to text and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._messages import shown
from piecework._settings.arguments import as_ids, check_flag, check_index
from piecework.errors import TokenIdError
from piecework.tokenizer._checks import rows_of
from piecework.tokenizer._parts import TokenizerParts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework.tokenizer._batch import EncodedBatch
    from piecework.tokenizer._streams import DecodeStream

__all__ = ["DecodingMethods"]


class DecodingMethods(TokenizerParts):
    """Serves as a base of `Tokenizer` with the methods that decode."""

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> str:
        r"""Decodes token ids to text.

        Args:
            ids: Token ids.
            skip_special_tokens: Whether special tokens are omitted.

        Returns:
            The text; normalization and unknown tokens are not reversed.

        Raises:
            TokenIdError: An id is not in the vocabulary.

        >>> from piecework import Tokenizer
        >>> tok = Tokenizer.from_str("[UNK]\nhug\n##s\n")
        >>> tok.decode([1, 2, 1])
        'hugs hug'
        """
        return self._core.decode(as_ids(ids), skip_special_tokens)

    def decode_batch(
        self, batch: EncodedBatch | Iterable[Iterable[int]], *, skip_special_tokens: bool = True
    ) -> list[str]:
        """Decodes rows of token ids to texts; see :meth:`decode`."""
        return [self.decode(row, skip_special_tokens=skip_special_tokens) for row in rows_of(batch)]

    def decode_bytes(self, ids: Iterable[int], *, skip_special_tokens: bool = True) -> bytes:
        r"""Decodes token ids to bytes, which need not be valid UTF-8.

        Byte-level tokens and tokens such as ``<0xE4>`` give their bytes even where :meth:`decode` returns U+FFFD, as for an
        incomplete character. Regular expressions of a decoder work on text, so invalid bytes become U+FFFD there.

        Args:
            ids: Token ids.
            skip_special_tokens: Whether special tokens are omitted.

        Returns:
            The bytes; valid UTF-8 if the tokens are.

        Raises:
            TokenIdError: An id is not in the vocabulary.

        >>> from piecework import Tokenizer, decoders, models
        >>> vocab = ["Ġna", "Ã", "¯", "ve"]
        >>> tok = Tokenizer(models.WordLevel(vocab, unk_token="ve"), decoder=decoders.ByteLevel())
        >>> tok.decode_bytes([0, 1]), tok.decode([0, 1]), tok.decode([0, 1, 2, 3])
        (b' na\xc3', ' na�', ' naïve')
        """
        return self._core.decode_bytes(as_ids(ids), skip_special_tokens)

    def decode_bytes_batch(
        self, batch: EncodedBatch | Iterable[Iterable[int]], *, skip_special_tokens: bool = True
    ) -> list[bytes]:
        """Decodes rows of token ids to bytes; see :meth:`decode_bytes`."""
        rows = rows_of(batch)
        return [self.decode_bytes(row, skip_special_tokens=skip_special_tokens) for row in rows]

    def decode_stream(self, *, skip_special_tokens: bool = True) -> DecodeStream[str]:
        r"""Returns a stream that decodes token ids incrementally, such as those of a generating model.

        Args:
            skip_special_tokens: Whether special tokens are omitted.

        Returns:
            The stream; :meth:`DecodeStream.step` returns the new text.

        >>> from piecework import Tokenizer
        >>> stream = Tokenizer.from_str("[UNK]\nhug\n##s\n").decode_stream()
        >>> stream.step(1), stream.step([2, 1]), stream.finish()
        ('hug', 's hug', '')
        """
        from piecework.tokenizer._streams import DecodeStream

        return DecodeStream(
            self._core.decode_stream(check_flag("skip_special_tokens", skip_special_tokens), False)
        )

    def decode_bytes_stream(self, *, skip_special_tokens: bool = True) -> DecodeStream[bytes]:
        """Returns a stream that decodes token ids to bytes; see :meth:`decode_stream`.

        Bytes of incomplete characters are returned at once.
        """
        from piecework.tokenizer._streams import DecodeStream

        return DecodeStream(
            self._core.decode_stream(check_flag("skip_special_tokens", skip_special_tokens), True)
        )

    def display_token(self, token: str | int) -> str:
        r"""Returns a token in readable form.

        Byte-level characters, tokens such as ``<0x61>`` and metaspaces are decoded. Prefixes and suffixes that mark the
        position in a word are kept. An added token is shown as its own text.

        Args:
            token: The token or its id.

        Returns:
            Text on one line, with invalid UTF-8 as ``<0xE4>`` and control characters escaped.

        Raises:
            TokenIdError: The id is not in the vocabulary.

        >>> from piecework import Tokenizer, decoders, models
        >>> vocab = ["Ġna", "Ã", "¯ve", "Ċ"]
        >>> tok = Tokenizer(models.WordLevel(vocab, unk_token="Ċ"), decoder=decoders.ByteLevel())
        >>> [tok.display_token(token) for token in ["Ġna", 1, 2, "Ċ"]]
        [' na', '<0xC3>', '<0xAF>ve', '\\n']
        """
        from piecework._display import display_token

        if not isinstance(token, str):
            number = check_index("token", token)
            if self.id_to_token(number) is None:
                raise TokenIdError(f"id {shown(token)} is not in the vocabulary")
            return display_token(self._core.token_bytes(number))
        known = self.token_to_id(token)
        if known is None:
            return display_token(self._core.text_bytes(token))
        if self.id_to_token(known) != token:
            # The text of an added token that is matched, and decoded, in its normalized form.
            return display_token(token.encode())
        return display_token(self._core.token_bytes(known))
